"""The geometry of weak learners: minimal cosine angles, distances modulo the kernel, condition numbers.

Nouns: *learners* are the unit columns of B reduced to their range; the *greedy norm* of a selection rule measures their cosines with a
direction; an *interval* holds an angle between two ends that witnesses prove.
"""

from coordboost.geometry.angle import mca, momentum_limit, second_moment_mca
from coordboost.geometry.distance import distance, kappa, lambda_pmin, start_distance
from coordboost.geometry.interval import Interval
from coordboost.geometry.sampled import sampled_mca

__all__ = [
    "Interval",
    "distance",
    "kappa",
    "lambda_pmin",
    "mca",
    "momentum_limit",
    "sampled_mca",
    "second_moment_mca",
    "start_distance",
]
