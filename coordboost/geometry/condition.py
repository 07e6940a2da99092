"""Condition numbers of the weak learners."""

from coordboost._numba.threads import on_one_thread
from coordboost.geometry.learners import as_problem
from coordboost.spectrum import Spectrum


@on_one_thread
def lambda_pmin(B):
    """Smallest non-zero eigenvalue of B'B, for a Problem or a matrix (n_samples, n_learners) whose columns are scaled to unit length.

    *Cost*: one thin SVD. *Source*: Freund, Grigas, Mazumder, Section 1.3.
    """
    return Spectrum.of(as_problem(B)).lambda_pmin


@on_one_thread
def kappa(B):
    """n_learners / lambda_pmin >= 1, for a Problem or a matrix (n_samples, n_learners). *Cost*: one thin SVD."""
    return Spectrum.of(as_problem(B)).kappa
