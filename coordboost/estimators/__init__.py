"""Estimators behind scikit-learn's interface: parameters in, a fitted model out, one run or path of the package in between."""

from coordboost.estimators.certified import (
    CertifiedElasticNet,
    CertifiedElasticNetCV,
    CertifiedLasso,
    CertifiedLassoClassifier,
    CertifiedLassoClassifierCV,
    CertifiedLassoCV,
    CertifiedPoissonRegressor,
    CertifiedPoissonRegressorCV,
)
from coordboost.estimators.langevin import LangevinGBMClassifier, LangevinGBMRegressor
from coordboost.estimators.machines import (
    AcceleratedGBMClassifier,
    AcceleratedGBMRegressor,
    RandomizedGBMClassifier,
    RandomizedGBMRegressor,
)
from coordboost.estimators.regularized import RegularizedGBMClassifier, RegularizedGBMRegressor
from coordboost.estimators.stagewise import (
    ForwardStagewiseClassifier,
    ForwardStagewiseClassifierCV,
    ForwardStagewiseRegressor,
    ForwardStagewiseRegressorCV,
    LSBoostRegressor,
    LSBoostRegressorCV,
    RegularizedForwardStagewiseRegressor,
    RegularizedForwardStagewiseRegressorCV,
)

__all__ = [
    "AcceleratedGBMClassifier",
    "AcceleratedGBMRegressor",
    "CertifiedElasticNet",
    "CertifiedElasticNetCV",
    "CertifiedLasso",
    "CertifiedLassoCV",
    "CertifiedLassoClassifier",
    "CertifiedLassoClassifierCV",
    "CertifiedPoissonRegressor",
    "CertifiedPoissonRegressorCV",
    "ForwardStagewiseClassifier",
    "ForwardStagewiseClassifierCV",
    "ForwardStagewiseRegressor",
    "ForwardStagewiseRegressorCV",
    "LSBoostRegressor",
    "LSBoostRegressorCV",
    "LangevinGBMClassifier",
    "LangevinGBMRegressor",
    "RandomizedGBMClassifier",
    "RandomizedGBMRegressor",
    "RegularizedForwardStagewiseRegressor",
    "RegularizedForwardStagewiseRegressorCV",
    "RegularizedGBMClassifier",
    "RegularizedGBMRegressor",
]
