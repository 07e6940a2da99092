"""Bounds of the theorems and what they plan, angles from many vectors, distances, laws of Langevin chains."""

from coordboost.theory.distance import distance, kappa, lambda_pmin, start_distance
from coordboost.theory.sampled import sampled_mca

__all__ = ["distance", "kappa", "lambda_pmin", "sampled_mca", "start_distance"]
