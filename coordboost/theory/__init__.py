"""Theory: bounds of theorems compared with runs, worst cases and angles.

Also plans, distances, distributions of Langevin chains.
"""

from coordboost.angles import Interval, mca, momentum_limit
from coordboost.theory import bounds, langevin, performance
from coordboost.theory.bounds import BoundCheck, check
from coordboost.theory.distances import distance, kappa, lambda_pmin, start_distance
from coordboost.theory.performance import WorstCase, worst_case
from coordboost.theory.planning import IterationEstimate, plan
from coordboost.theory.sampled import sampled_mca
from coordboost.theory.subgradient import subgradient_descent

__all__ = [
    "BoundCheck",
    "Interval",
    "IterationEstimate",
    "WorstCase",
    "bounds",
    "check",
    "distance",
    "kappa",
    "lambda_pmin",
    "langevin",
    "mca",
    "momentum_limit",
    "performance",
    "plan",
    "sampled_mca",
    "start_distance",
    "subgradient_descent",
    "worst_case",
]
