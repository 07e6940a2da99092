"""Theory: bounds of the theorems held against runs, minimal cosine angles, plans, distances, laws of Langevin chains."""

from coordboost.angles import Interval, mca, momentum_limit
from coordboost.theory import bounds, langevin
from coordboost.theory.bounds import BoundCheck, check
from coordboost.theory.distances import distance, kappa, lambda_pmin, start_distance
from coordboost.theory.planning import IterationEstimate, plan
from coordboost.theory.sampled import sampled_mca
from coordboost.theory.subgradient import subgradient_descent

__all__ = [
    "BoundCheck", "Interval", "IterationEstimate", "bounds", "check", "distance", "kappa", "lambda_pmin", "langevin", "mca",
    "momentum_limit", "plan", "sampled_mca", "start_distance", "subgradient_descent",
]  # fmt: skip
