"""The geometry of weak learners: minimal cosine angles as intervals, exact where that is cheap.

Words: *learners* are the unit columns of B, in coordinates of their range. The *greedy norm* of a
selection rule measures their cosines with a direction. An *interval* encloses an angle; its
*witnesses* prove the two ends.
"""

from coordboost.angles.angle import mca, momentum_limit, second_moment_mca
from coordboost.angles.interval import Interval

__all__ = ["Interval", "mca", "momentum_limit", "second_moment_mca"]
