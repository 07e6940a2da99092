r"""The minimal cosine angle over all vectors, as printed, and over the range of B (Definition 4.2).

Problem: unit learners d_j at n rows, two of which are equal, as in a table with few levels.

Method: none.

Assumptions: none.

Claim: as printed the minimum over all vectors r of the largest cosine with a learner lies in (0,
1]: refuted, it is 0 at the difference of two equal rows, whatever the learners. Corrected: over the
range of the learners it is positive.

Constants: none.

Measured: correlations in Fractions at such a difference; the interval of the package.

Reference: Lu, Karimireddy, Ponomareva, Mirrokni, Definition 4.2; Lu and Mazumder, Definition 4.2,
have the range. The proofs of the former need the residual only through its best fits, which are
those of its projection on the range.
"""

from dataclasses import dataclass
from fractions import Fraction as F

import numpy as np

import coordboost as cb
from coordboost.theory.bounds import BoundCheck
from verification.statement import claim


@dataclass(frozen=True, eq=False)
class Rows:
    """Learners, (n, N) whole numbers, and two equal rows."""

    B: np.ndarray
    pair: tuple

    def difference(self):
        """Return the largest absolute correlation of a learner with the difference of the two
        rows.
        """
        i, k = self.pair
        exact = [[F(int(one)) for one in row] for row in self.B]
        return max(abs(one - other) for one, other in zip(exact[i], exact[k], strict=True))


@claim("AGBM, Definition 4.2", of=Rows, printed="refuted", corrected="verified")
def check_angle(case, variant):
    """The smallest of the largest cosines is positive: over all vectors, corrected over the
    range.
    """
    return _positive(case, variant, case.pair)


def _positive(case, variant, pair):
    if variant == "printed":
        # positive if some learner distinguishes the rows, by at least 1 as entries are whole
        found = Rows(case.B, pair).difference()
        sides = (np.array([F(1)]), np.array([found]))
        level = "exact"
    else:
        angle = cb.theory.mca(case.B.astype(float)).lower
        sides = (np.array([1e-6]), np.array([angle]))
        level = "float"
    return BoundCheck("angle", variant, "upper", *sides, 0 * sides[0], level)


CASES = {
    "two equal rows": lambda: Rows(np.array([[1, 0], [1, 0], [0, 1]]), (0, 1)),
    "four rows, three learners": lambda: Rows(
        np.array([[1, 2, 0], [0, 1, 1], [1, 2, 0], [3, 0, 1]]), (0, 2)
    ),
}


def _all_vectors(case):
    """Return the corrected claim with the least eigenvalue over all vectors in the place of the
    angle.
    """
    if not isinstance(case, Rows):
        return None
    smallest = max(float(np.linalg.eigvalsh(case.B @ case.B.T)[0]), 0.0)
    return BoundCheck("angle", "corrected", "upper", [1e-6], [smallest], 0.0)


SABOTAGE = {check_angle: {"all vectors in the place of the range": _all_vectors}}
