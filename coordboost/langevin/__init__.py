"""Langevin boosting as a sampler: the laws that its models approach, and how near a run has come to them."""

from coordboost.langevin.chains import Chain, chain
from coordboost.langevin.diagnose import Regime, ess, regime, split_rhat
from coordboost.langevin.limit import Limit, limit_of
from coordboost.langevin.normal import Normal, after_steps, gibbs, stationary, transient
from coordboost.langevin.quadrature import GridLaw, quadrature

__all__ = [
    "Chain", "GridLaw", "Limit", "Normal", "Regime", "after_steps", "chain", "ess", "gibbs", "limit_of", "quadrature", "regime",
    "split_rhat", "stationary", "transient",
]  # fmt: skip
