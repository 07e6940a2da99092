"""Estimators with scikit-learn's interface: `fit` makes a run or a path of the package for each target."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
