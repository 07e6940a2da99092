"""Performance estimation: the worst case of a method over all losses and learners.

By semidefinite programming.
"""

from coordboost.theory.performance.forms import NULL, Form, Programme, Vector
from coordboost.theory.performance.instance import Coordinates, Envelope, WorstLoss
from coordboost.theory.performance.interval import WorstCase, raised, worst_case
from coordboost.theory.performance.proof import (
    is_negative_definite,
    proved_bound,
    solve_and_prove,
    solve_programme,
)
from coordboost.theory.performance.unknown import Point, UnknownLoss, smooth_convex

__all__ = [
    "NULL",
    "Coordinates",
    "Envelope",
    "Form",
    "Point",
    "Programme",
    "UnknownLoss",
    "Vector",
    "WorstCase",
    "WorstLoss",
    "is_negative_definite",
    "proved_bound",
    "raised",
    "smooth_convex",
    "solve_and_prove",
    "solve_programme",
    "worst_case",
]
