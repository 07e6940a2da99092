"""Boosting with trees behind scikit-learn's interface: parameters in, a fitted model out, one run of the loop in between."""

from coordboost.estimators.machines import (
    AcceleratedGBMClassifier,
    AcceleratedGBMRegressor,
    RandomizedGBMClassifier,
    RandomizedGBMRegressor,
)

__all__ = ["AcceleratedGBMClassifier", "AcceleratedGBMRegressor", "RandomizedGBMClassifier", "RandomizedGBMRegressor"]
