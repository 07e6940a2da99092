r"""Forward stagewise reaches least squares up to eps (Theorem 3.1).

Problem: least squares over unit columns, any rank, any shape.

Method: FS_eps.

Assumptions: unit columns; eps > 0.

Claim: upper, Theorem 3.1 (i)-(vi): for every k there is one i <= k for all parts, here the first with the smallest largest correlation.
Sharpened: a quarter of (i), half of (ii) and (iii), as Proposition A.1 loses a factor of 2. It is no claim about the last iterate: (iv) is
false for it, because the tail swings about eps / 2.

Constants: A and lambda_pmin from the thin SVD, rounded against the claim.

Measured: at i(k), for every k; identities at every step.

Reference: Freund, Grigas, Mazumder, Theorem 3.1, (22), (39) and Section 3; the change of the training error is ours.
"""

from fractions import Fraction

import numpy as np

import coordboost as cb
from coordboost.bounds import BoundCheck, stagewise
from verification.cases import Lab, along, claim, identity, lab, other_constants, tampered
from verification.exact import LAMBDA_ABOVE, walk


def _width(case):
    return case.size2 / (case.eps * (case.k + 1)) + case.eps


def _best(case):
    best = [0]
    for k in range(1, len(case.largest)):
        best.append(k if case.largest[k] < case.largest[best[-1]] else best[-1])
    return np.array(best)


def _loss(case, variant):
    if isinstance(case, Trade):
        return None
    return case.excess[_best(case)], Fraction(3, 2 if variant == "printed" else 8) / LAMBDA_ABOVE * _width(case) ** 2


class Trade:
    """The trade-off of Section 3: shrinkage S = k eps against the bound on the training error, over a grid of (S, eps)."""

    size = Fraction(3)
    grid = tuple((Fraction(s, 4), Fraction(e, 16)) for s in range(0, 60) for e in range(1, 40))

    def bound(self, s, eps):
        """A^2 / (S + eps) + eps, of which the bound is a constant times the square."""
        return self.size**2 / (s + eps) + eps


def _runs(exact):
    return lambda case, variant: None if isinstance(case, Trade) else exact(case)


check_loss = along("Theorem 3.1 (i)", _loss, printed="verified", sharpened="verified")
check_distance = along("Theorem 3.1 (ii)", printed="verified", sharpened="verified")
check_fit = along("Theorem 3.1 (iii)", printed="verified", sharpened="verified")
check_gradient = along("Theorem 3.1 (iv)", _runs(lambda c: (c.largest[_best(c)], _width(c) / 2)), printed="verified")
check_l1 = along("Theorem 3.1 (v)", _runs(lambda c: (c.l1, c.k * c.eps)), printed="verified")
check_sparsity = along("Theorem 3.1 (vi)", _runs(lambda c: (c.l0, c.k)), printed="verified")
check_change = along(
    "Change of the training error",
    _runs(lambda c: (c.excess[1:], c.excess[:-1] + c.eps / 2 * (c.eps - 2 * c.largest[:-1]))),
    sharpened="verified",
)


@claim("Theorem 3.1 (iv) for the last iterate", sharpened="refuted")
def check_last(case, variant):
    """max |B'r_k| <= D_k / 2 at k itself: not claimed by the paper, and false."""
    if isinstance(case, Trade):
        return None
    if not isinstance(case, Lab):
        return BoundCheck(check_last.statement, variant, "upper", case.largest, _width(case) / 2, level="exact")
    trail = case.trail
    bound = stagewise.correlation(trail.constants, trail.step.eps, trail.k)
    return BoundCheck(check_last.statement, variant, "upper", trail.corr, bound, 4 * trail.noise)


@claim("Training error of FS falls", printed="refuted", corrected="verified")
def check_monotone(case, variant):
    """L(beta_{k+1}) <= L(beta_k): for every k as the text has it, corrected: as long as the largest correlation exceeds eps / 2."""
    if not isinstance(case, Lab):
        return None
    trail = case.trail
    falls = (
        trail.corr[:-1] > trail.step.eps / 2 + trail.noise[1:]
        if variant == "corrected"
        else np.ones(len(trail.theta), dtype=bool)
    )
    slack = 4 * trail.noise[1:] * (trail.fit[:-1] + trail.step.eps)
    return BoundCheck(
        check_monotone.statement,
        variant,
        "upper",
        trail.excess[1:][falls],
        trail.excess[:-1][falls],
        slack[falls],
        at=trail.k[1:][falls],
    )


@claim("Section 3, trade-off", sharpened="verified")
def check_trade(case, variant):
    """At equal shrinkage S the bound grows with eps where S + eps >= A and falls where S + eps <= A."""
    if not isinstance(case, Trade):
        return None
    step, pairs = Fraction(1, 64), []
    for s, e in case.grid:
        below, above = case.bound(s, e), case.bound(s, e + step)
        if s + e >= case.size:
            pairs.append((below, above))
        elif s + e + step <= case.size:
            pairs.append((above, below))
    return BoundCheck(check_trade.statement, variant, "upper", *np.array(pairs).T, level="exact")


def _always(case):
    """A smaller eps always has the smaller bound, which the text excepts for very small shrinkage."""
    if not isinstance(case, Trade):
        return None
    pairs = [(case.bound(s, e), case.bound(s, e + Fraction(1, 64))) for s, e in case.grid]
    return BoundCheck("always", "printed", "upper", *np.array(pairs).T, level="exact")


CASES = {
    "golden, in rationals": lambda: walk("fs", "1/4", 600),
    "grid of shrinkage and eps": Trade,
    "identity": lab(identity(), lambda size: cb.forward_stagewise(0.01 * size), 2000),
    "40 x 10": lab("40 x 10", lambda size: cb.forward_stagewise(0.05 * size), 20_000),
    "60 x 20": lab("60 x 20", lambda size: cb.forward_stagewise(0.003 * size), 20_000),
    "30 x 80": lab("30 x 80", lambda size: cb.forward_stagewise(0.01 * size), 20_000),
    "rank-deficient": lab("rank-deficient", lambda size: cb.forward_stagewise(0.003 * size), 20_000),
    "diabetes": lab("diabetes", lambda size: cb.forward_stagewise(0.0005 * size), 200_000),
}
QUICK = tuple(CASES)[:5]

_WEAK = {"constants": other_constants(lambda_pmin=50, size=0.2)}
SABOTAGE = {
    check_loss: {"constants of an easier problem": tampered("Theorem 3.1 (i)", "sharpened", **_WEAK),
                 "error of the start": tampered("Theorem 3.1 (i)", "sharpened", fit=lambda t: np.full(len(t.fit), t.fit[0]))},
    check_distance: {"constants of an easier problem": tampered("Theorem 3.1 (ii)", "sharpened", **_WEAK)},
    check_fit: {"constants of an easier problem": tampered("Theorem 3.1 (iii)", "sharpened", **_WEAK)},
    check_gradient: {
        "columns of norm 10": tampered("Theorem 3.1 (iv)", corr=lambda t: 10 * t.corr),
        "A too small by half": tampered("Theorem 3.1 (iv)", constants=other_constants(size=0.5)),
    },
    check_l1: {"one step more": tampered("Theorem 3.1 (v)", l1=lambda t: t.l1 + t.step.eps)},
    check_sparsity: {"one coefficient more": tampered("Theorem 3.1 (vi)", l0=lambda t: t.l0 + 1)},
    check_change: {
        "another eps": tampered("Change of the training error", "sharpened", step=lambda t: t.step._replace(eps=1.01 * t.step.eps))},
    check_last: {"the claim itself": lambda case: check_last(case, "sharpened")},
    check_monotone: {"without the condition": lambda case: check_monotone(case, "printed")},
    check_trade: {"a smaller eps is better everywhere": _always},
}  # fmt: skip
