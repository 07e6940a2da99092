"""Estimators with scikit-learn's interface.

`fit` makes a run or a path of the package for each target.
"""

from coordboost._utils.lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
