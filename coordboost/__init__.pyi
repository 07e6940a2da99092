"""The names at the top and where they live, for type checkers and for lazy loading."""

from . import certificates as certificates
from . import data as data
from . import engine as engine
from . import estimators as estimators
from . import lasso as lasso
from . import learners as learners
from . import losses as losses
from . import methods as methods
from . import model_selection as model_selection
from . import rules as rules
from . import testing as testing
from . import theory as theory
from .certificates import certify as certify
from .data import Problem as Problem
from .data import read_table as read_table
from .engine import iterate as iterate
from .engine import load as load
from .engine import solve as solve
from .estimators import AcceleratedGBMClassifier as AcceleratedGBMClassifier
from .estimators import AcceleratedGBMRegressor as AcceleratedGBMRegressor
from .estimators import CertifiedElasticNet as CertifiedElasticNet
from .estimators import CertifiedElasticNetCV as CertifiedElasticNetCV
from .estimators import CertifiedLasso as CertifiedLasso
from .estimators import CertifiedLassoClassifier as CertifiedLassoClassifier
from .estimators import CertifiedLassoClassifierCV as CertifiedLassoClassifierCV
from .estimators import CertifiedLassoCV as CertifiedLassoCV
from .estimators import CertifiedPoissonRegressor as CertifiedPoissonRegressor
from .estimators import CertifiedPoissonRegressorCV as CertifiedPoissonRegressorCV
from .estimators import ForwardStagewiseClassifier as ForwardStagewiseClassifier
from .estimators import ForwardStagewiseClassifierCV as ForwardStagewiseClassifierCV
from .estimators import ForwardStagewiseRegressor as ForwardStagewiseRegressor
from .estimators import ForwardStagewiseRegressorCV as ForwardStagewiseRegressorCV
from .estimators import LangevinGBMClassifier as LangevinGBMClassifier
from .estimators import LangevinGBMRegressor as LangevinGBMRegressor
from .estimators import LSBoostRegressor as LSBoostRegressor
from .estimators import LSBoostRegressorCV as LSBoostRegressorCV
from .estimators import RandomizedGBMClassifier as RandomizedGBMClassifier
from .estimators import RandomizedGBMRegressor as RandomizedGBMRegressor
from .estimators import RegularizedForwardStagewiseRegressor as RegularizedForwardStagewiseRegressor
from .estimators import (
    RegularizedForwardStagewiseRegressorCV as RegularizedForwardStagewiseRegressorCV,
)
from .estimators import RegularizedGBMClassifier as RegularizedGBMClassifier
from .estimators import RegularizedGBMRegressor as RegularizedGBMRegressor
from .lasso import exact_path as exact_path
from .lasso import lasso_path as lasso_path
from .methods import agbm as agbm
from .methods import agbmr as agbmr
from .methods import forward_stagewise as forward_stagewise
from .methods import forward_stepwise as forward_stepwise
from .methods import gbm as gbm
from .methods import ls_boost as ls_boost
from .methods import path_forward_stagewise as path_forward_stagewise
from .methods import regularized_forward_stagewise as regularized_forward_stagewise
from .methods import rgb as rgb
from .methods import rtgcd as rtgcd
from .methods import sgb as sgb
from .methods import sglb as sglb
from .methods import vagbm as vagbm
from .model_selection import cross_validate as cross_validate
from .reporting import html_report as html_report
from .reporting import plots as plots

__version__: str
