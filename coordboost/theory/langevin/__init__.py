"""Langevin boosting as a sampler.

The distributions that its models approach, and how close a run is to them.
"""

from coordboost.theory.langevin.chains import Chain, Regime, chain, ess, regime, split_rhat
from coordboost.theory.langevin.laws import (
    GridLaw,
    Limit,
    Normal,
    after_steps,
    gibbs,
    limit_of,
    quadrature,
    stationary,
    transient,
)

__all__ = [
    "Chain",
    "GridLaw",
    "Limit",
    "Normal",
    "Regime",
    "after_steps",
    "chain",
    "ess",
    "gibbs",
    "limit_of",
    "quadrature",
    "regime",
    "split_rhat",
    "stationary",
    "transient",
]
