r"""Forward stagewise reaches least squares up to eps (Theorem 3.1).

Problem: least squares over unit columns, any rank, any shape.

Method: FS_eps.

Assumptions: unit columns; eps > 0.

Claim: upper, Theorem 3.1 (i)-(vi): for every k one i <= k satisfies all parts; here it is the first
with the smallest C_i = ||B'r_i||_inf. Sharpened: a quarter of (i), half of (ii) and (iii), as
Proposition A.1 loses a factor of 2. The last iterate need not satisfy them: (iv) is false for it,
because in the end its largest correlation oscillates about eps / 2.

Constants: A and lambda_pmin from the thin SVD, rounded against the claim.

Measured: at i(k), for every k; identities at every step.

Reference: Freund, Grigas, Mazumder, Theorem 3.1, (22), (39) and Section 3; the change of the
training error is ours.
"""

from fractions import Fraction

import numpy as np

import coordboost as cb
from coordboost.theory.bounds import BoundCheck, stagewise
from verification.cases import identity, lab, tampered
from verification.space import Space
from verification.spaces.walks import FS, GOLDEN, exact_walk
from verification.statement import Check, claim, refuted, stated


class Trade:
    """The trade-off of Section 3: shrinkage S = k eps against the bound on the training error, over
    a grid of (S, eps).
    """

    def __init__(self, size=Fraction(3), grid=None):
        self.size = size
        self.grid = grid or tuple(
            (Fraction(s, 4), Fraction(e, 16)) for s in range(0, 60) for e in range(1, 40)
        )

    def bound(self, s, eps):
        """Return A^2 / (S + eps) + eps; the bound is a constant times its square."""
        return self.size**2 / (s + eps) + eps


def _at_best(name, words, **variants):
    return stated(name, FS, words, where=stagewise.WHERE, **variants)


check_loss = Check(stagewise.excess, FS)
check_distance = Check(stagewise.distance, FS)
check_fit = Check(stagewise.fit, FS)
check_gradient = Check(stagewise.correlation, FS)
check_gradient_mean = _at_best(
    "(39)",
    "The same for the gradient of the mean loss.",
    printed="smallest(corr) / n <= A**2 / (2 * n * eps * (k + 1)) + eps / (2 * n)",
)
check_end = _at_best(
    "(22)",
    "In the limit the bound depends on eps alone: here once A^2 / (eps (k + 1)) is at most a "
    "quarter of eps.",
    printed="at(i, excess)[-1] <= p / (2 * lambda_pmin) * (5 * eps / 4)**2",
    assuming="4 * A**2 <= eps**2 * (k[-1] + 1)",
)
check_l1 = Check(stagewise.l1, FS)
check_sparsity = Check(stagewise.sparsity, FS)
check_change = Check(stagewise.change, FS)
check_last = _at_best(
    "Theorem 3.1 (iv) for the last iterate",
    "The same at k itself: not claimed, and false.",
    sharpened=refuted("corr <= D / 2"),
)
check_monotone = stated(
    "Training error of FS falls",
    FS,
    "The error never rises, as the text says; corrected: while the largest correlation exceeds "
    "eps / 2.",
    printed=refuted("later(excess) <= excess"),
    corrected="where(corr > eps / 2, later(excess), excess) <= excess",
)


def _trade(_, numbers):
    """numbers: A, S, eps."""
    A, s, e = np.abs(numbers)
    return Trade(A, [(s, e)]) if e > 0 else None


TRADES = Space(
    "shrinkage and eps",
    lambda rng: ((), rng.standard_normal(3)),
    _trade,
    has=lambda case: isinstance(case, Trade),
)


@claim("Section 3, trade-off", TRADES, sharpened="verified")
def check_trade(case, variant):
    """At equal shrinkage S the bound grows with eps where S + eps >= A and falls where S + eps <=
    A.
    """
    step = Fraction(1, 64)
    pairs = []
    for s, e in case.grid:
        below = case.bound(s, e)
        above = case.bound(s, e + step)
        if s + e >= case.size:
            pairs.append((below, above))
        elif s + e + step <= case.size:
            pairs.append((above, below))
    if not pairs:
        return None
    exact = isinstance(pairs[0][0], Fraction)
    slack, level = (0, "exact") if exact else (1e-12 * pairs[0][1], "float")
    return BoundCheck(check_trade.statement, variant, "upper", *np.array(pairs).T, slack, level)


def _always(case):
    """The false claim that a smaller eps always has the smaller bound.

    The text excludes very small shrinkage.
    """
    pairs = [(case.bound(s, e), case.bound(s, e + Fraction(1, 64))) for s, e in case.grid]
    return BoundCheck("always", "printed", "upper", *np.array(pairs).T, level="exact")


CASES = {
    "golden, in rationals": lambda: exact_walk(
        "fs", X=GOLDEN, y=(2, 1, 2), eps=Fraction(1, 4), n_steps=300
    ),
    "one long step after the other": lambda: exact_walk("fs", y=[1], eps=Fraction(3, 4), n_steps=8),
    "grid of shrinkage and eps": Trade,
    "just below A, where nothing is said": lambda: Trade(
        grid=((Fraction(0), 3 - Fraction(1, 256)),)
    ),
    "identity": lab(identity(), lambda size: cb.forward_stagewise(0.01 * size), 2000),
    "40 x 10": lab("40 x 10", lambda size: cb.forward_stagewise(0.05 * size), 20_000),
    "60 x 20": lab("60 x 20", lambda size: cb.forward_stagewise(0.003 * size), 20_000),
    "30 x 80": lab("30 x 80", lambda size: cb.forward_stagewise(0.01 * size), 20_000),
    "rank-deficient": lab(
        "rank-deficient", lambda size: cb.forward_stagewise(0.003 * size), 20_000
    ),
    "diabetes": lab("diabetes", lambda size: cb.forward_stagewise(0.0005 * size), 200_000),
}
QUICK = tuple(CASES)[:7]

SABOTAGE = {
    check_loss: {
        "error of the start": tampered(
            stagewise.excess, "sharpened", fit=lambda t: np.full(len(t.fit), t.fit[0])
        ),
    },
    check_l1: {"one step more": tampered(stagewise.l1, l1=lambda t: t.l1 + t.step.eps)},
    check_sparsity: {"one coefficient more": tampered(stagewise.sparsity, l0=lambda t: t.l0 + 1)},
    check_end: {
        "a thousandth of it": check_end.instead(
            "1000 * at(i, excess)[-1] <= p / (2 * lambda_pmin) * (5 * eps / 4)**2"
        )
    },
    check_gradient_mean: {
        "half of eps": check_gradient_mean.instead(
            "smallest(corr) / n <= A**2 / (2 * n * eps * (k + 1)) + eps / (4 * n)"
        )
    },
    check_monotone: {
        "with a quarter of eps": check_monotone.instead(
            "where(corr > eps / 4, later(excess), excess) <= excess"
        )
    },
    check_trade: {"a smaller eps is better everywhere": _always},
}
