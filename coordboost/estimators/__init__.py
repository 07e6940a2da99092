"""Estimators behind scikit-learn's interface: parameters in, a fitted model out, one run or path of the package in between."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
