"""Estimators behind scikit-learn's interface: parameters in, a fitted model out, one run or path of the package in between."""
