from .base import keep_data as keep_data
from .certified import CertifiedElasticNet as CertifiedElasticNet
from .certified import CertifiedElasticNetCV as CertifiedElasticNetCV
from .certified import CertifiedLasso as CertifiedLasso
from .certified import CertifiedLassoClassifier as CertifiedLassoClassifier
from .certified import CertifiedLassoClassifierCV as CertifiedLassoClassifierCV
from .certified import CertifiedLassoCV as CertifiedLassoCV
from .certified import CertifiedPoissonRegressor as CertifiedPoissonRegressor
from .certified import CertifiedPoissonRegressorCV as CertifiedPoissonRegressorCV
from .contributions import Contributions as Contributions
from .exports import lightgbm_text as lightgbm_text
from .langevin import LangevinGBMClassifier as LangevinGBMClassifier
from .langevin import LangevinGBMRegressor as LangevinGBMRegressor
from .offset_scorer import OffsetScorer as OffsetScorer
from .rules import CertifiedRulesClassifier as CertifiedRulesClassifier
from .rules import CertifiedRulesClassifierCV as CertifiedRulesClassifierCV
from .rules import CertifiedRulesRegressor as CertifiedRulesRegressor
from .rules import CertifiedRulesRegressorCV as CertifiedRulesRegressorCV
from .stagewise import ForwardStagewiseClassifier as ForwardStagewiseClassifier
from .stagewise import ForwardStagewiseClassifierCV as ForwardStagewiseClassifierCV
from .stagewise import ForwardStagewiseRegressor as ForwardStagewiseRegressor
from .stagewise import ForwardStagewiseRegressorCV as ForwardStagewiseRegressorCV
from .stagewise import LSBoostRegressor as LSBoostRegressor
from .stagewise import LSBoostRegressorCV as LSBoostRegressorCV
from .stagewise import RegularizedForwardStagewiseRegressor as RegularizedForwardStagewiseRegressor
from .stagewise import (
    RegularizedForwardStagewiseRegressorCV as RegularizedForwardStagewiseRegressorCV,
)
from .trees import AcceleratedGBMClassifier as AcceleratedGBMClassifier
from .trees import AcceleratedGBMRegressor as AcceleratedGBMRegressor
from .trees import RandomizedGBMClassifier as RandomizedGBMClassifier
from .trees import RandomizedGBMRegressor as RandomizedGBMRegressor
from .trees import RegularizedGBMClassifier as RegularizedGBMClassifier
from .trees import RegularizedGBMRegressor as RegularizedGBMRegressor
