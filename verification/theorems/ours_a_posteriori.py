r"""An a posteriori bound of the error of a run, from its correlations and coefficients.

Problem: least squares over unit columns.

Method: any; checked along LS-Boost, FS and R-FS.

Assumptions: none beyond the squared loss.

Claim: upper, L(beta_k) - L* <= 1/2 max_j |<B_j, r_k>| ||beta_k - b||_1 for any least-squares
solution b; attained if every learner whose coefficients in beta_k and b differ has the largest
absolute correlation, with the sign of b - beta_k.

Constants: b is the least-squares solution of smallest norm, by a thin SVD.

Measured: errors, largest correlations and distances at every step; in Fractions on three columns.

Reference: ours; the proof is in docs/planning.md.
"""

from fractions import Fraction as F

import coordboost as cb
from coordboost.theory.bounds import a_posteriori
from verification.cases import identity, lab
from verification.spaces.walks import FS, GOLDEN, LS, RFS, exact_walk
from verification.statement import Check

check_error = Check(a_posteriori.excess, (LS, FS, RFS))

CASES = {
    "golden, LS-Boost(1/2)": lambda: exact_walk(
        "ls", X=GOLDEN, y=(3, 1, 2), eps=F(1, 2), n_steps=8
    ),
    "golden, FS(1/4)": lambda: exact_walk("fs", X=GOLDEN, y=(3, 1, 2), eps=F(1, 4), n_steps=30),
    "identity, LS-Boost(0.1)": lab(identity(30), cb.ls_boost(0.1), 300),
    "60 x 20, LS-Boost(0.3)": lab("60 x 20", cb.ls_boost(0.3), 300),
    "30 x 80, FS": lab("30 x 80", lambda size: cb.forward_stagewise(size / 100), 300),
    "rank-deficient, R-FS": lab(
        "rank-deficient", lambda size: cb.regularized_forward_stagewise(size / 100, size), 300
    ),
}

SABOTAGE = {
    check_error: {
        "the distance in the Euclidean norm": check_error.instead(
            "excess <= corr * root(distance2) / 2"
        ),
    }
}
