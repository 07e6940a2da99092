r"""What a run proves about itself, from the correlations and coefficients that it met.

Problem: least squares over unit columns.

Method: any; checked along LS-Boost, FS and R-FS.

Assumptions: none beyond the squared loss.

Claim: upper, L(beta_k) - L* <= 1/2 max_j |<B_j, r_k>| ||beta_k - b||_1 for any least-squares solution b; attained where all correlations
of the learners in which beta_k and b differ are as large as the largest, with the sign of the difference.

Constants: b is the least-squares solution of smallest norm, by a thin SVD.

Measured: errors, largest correlations and distances at every step; in fractions on three columns.

Reference: ours; the proof is in docs/planning.md.
"""

from dataclasses import replace
from fractions import Fraction

import numpy as np

import coordboost as cb
from coordboost.bounds import BoundCheck, afterwards
from verification.cases import identity, lab, statement
from verification.exact import COLUMNS, GOLDEN, KNOTS, Exact, walk
from verification.ledger import claim

NAME = "After the fact, error"
LEAST = KNOTS[-1][1]


def _held(case, share=1):
    """The statement, or `share` of it."""
    if isinstance(case, Exact):
        bound = Fraction(share) * case.largest * np.abs(case.beta - LEAST).sum(axis=1) / 2
        return BoundCheck(NAME, "sharpened", "upper", case.excess, bound, level="exact")
    after = afterwards.Afterwards.of(case.run)
    return statement(NAME, "sharpened").check(replace(after, to_least=float(share) * after.to_least))


@claim(NAME, sharpened="verified")
def check_error(case, variant):
    """L(beta_k) - L* <= 1/2 max_j |<B_j, r_k>| ||beta_k - b||_1."""
    return _held(case)


CASES = {
    "golden, LS-Boost(1/2)": lambda: walk("ls", Fraction(1, 2), 8, X=COLUMNS, y=GOLDEN),
    "golden, FS(1/4)": lambda: walk("fs", Fraction(1, 4), 30, X=COLUMNS, y=GOLDEN),
    "identity, LS-Boost(0.1)": lab(identity(30), cb.ls_boost(0.1), 300),
    "60 x 20, LS-Boost(0.3)": lab("60 x 20", cb.ls_boost(0.3), 300),
    "30 x 80, FS": lab("30 x 80", lambda size: cb.forward_stagewise(size / 100), 300),
    "rank-deficient, R-FS": lab("rank-deficient", lambda size: cb.regularized_forward_stagewise(size / 100, size), 300),
}

SABOTAGE = {check_error: {"0.95 of the bound": lambda case: _held(case, 0.95)}}
