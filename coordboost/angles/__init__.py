"""The geometry of weak learners: minimal cosine angles as intervals, exact where that is cheap.

Nouns: *learners* are the unit columns of B reduced to their range; the *greedy norm* of a selection rule measures their cosines with a
direction; an *interval* holds an angle between two ends that witnesses prove.
"""

from coordboost.angles.angle import mca, momentum_limit, second_moment_mca
from coordboost.angles.interval import Interval

__all__ = ["Interval", "mca", "momentum_limit", "second_moment_mca"]
