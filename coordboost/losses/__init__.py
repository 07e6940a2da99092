"""Losses: their value, residual, curvature and declared properties.

A loss is a sum over samples.
"""

from coordboost.losses.base import Loss
from coordboost.losses.standard import (
    Exponential,
    Gamma,
    Huber,
    Logistic,
    Poisson,
    Quantile,
    SmoothZeroOne,
    Squared,
    Tweedie,
    Welsch,
)

__all__ = [
    "Exponential",
    "Gamma",
    "Huber",
    "Logistic",
    "Loss",
    "Poisson",
    "Quantile",
    "SmoothZeroOne",
    "Squared",
    "Tweedie",
    "Welsch",
]
