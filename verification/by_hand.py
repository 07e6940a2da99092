"""Values of every formula of the package, three or more, worked out by hand from the papers, and
wrong formulas made from the text, which these values must see.

Values are exact fractions where the formula has no logarithm. A wrong formula has an index k or M
that is off by one, a constant multiplied or divided by 1.1, or a plus for a minus.
"""

import ast
import math
import re
from fractions import Fraction as F

import numpy as np

from coordboost.theory.bounds import (
    a_posteriori,
    accelerated,
    formula,
    frank_wolfe,
    langevin,
    ls_boost,
    margins,
    randomized,
    regularized,
    stagewise,
)
from verification.entries import Sabotage

H, E = F(1, 2), math.e


def array(*numbers):
    """Return numbers along the steps."""
    return np.array([F(number) for number in numbers], dtype=object)


def at(known, **more):
    """Return quantities, some of them replaced."""
    return known | more


# 1 - x of (8) is 3/4 and 15/16, printed in LS, LS2 and sharpened in LS3, LS4
LS = {"A": 2, "eps": F(1), "lambda_pmin": F(1), "p": 1}
LS2 = {"A": 3, "eps": H, "lambda_pmin": F(2, 3), "p": 2}
LS3, LS4 = at(LS, lambda_pmin=F(1, 4)), at(LS2, lambda_pmin=F(1, 6))
# its root is 7/8, printed, and 1/2, sharpened
ROOT, ROOT2 = at(LS, lambda_pmin=F(15, 16)), at(LS, eps=H, lambda_pmin=F(5), p=4)
ROOT3, ROOT4 = at(LS, lambda_pmin=F(3, 4)), at(LS, eps=H)
FIT, FIT2 = {"eps": F(1), "A": 5, "fit": 3}, {"eps": F(1), "A": 13, "fit": 5}
FLAT = {"A": 5, "lambda_pmin": F(0), "p": 1}
# D = 2, 7/2, 5
FS, FS2, FS3 = ({"A": A, "eps": F(eps), "k": k} for A, eps, k in ((2, 1, 3), (3, H, 5), (2, 1, 0)))
# W = 4
W, W2, W3 = ({"A": A, "eps": F(eps), "k": k} for A, eps, k in ((2, 1, 0), (3, H, 2), (4, 1, 3)))
PACE = {"gap": F(8), "mu": F(1), "sigma": 2, "angle2": H}
ROUND = {"radius2": F(8), "eta": 1, "gamma": F(1, 4), "k": 1}
ROUND2 = {"radius2": F(9), "eta": H, "gamma": H, "k": 2}
ROUND3 = {"radius2": F(1), "eta": 1, "gamma": 1, "k": 0}
RGB = {"margin": 0.25, "complexity": 0.125, "rho": 1.0, "widest": 1.0, "K": E, "m": 100}
RGB |= {"delta": 2 / E}
COUNTS = tuple(({"k": k}, k) for k in (3, 5, 0))
OMEGAS = ((W, 4), (W2, 4), (W3, 4))
BALLS = ((at(W, delta=2), 8), (at(W2, delta=3), 12), (at(W3, delta=5), 20))
RATES = ((at(LS, k=2), F(3, 2)), (at(LS2, k=2), F(45, 16)), (at(LS, k=0), 2))
RATES2 = ((at(LS3, k=2), F(3, 2)), (at(LS4, k=2), F(45, 16)), (at(LS3, k=0), 2))
ENERGIES = ((FIT, 16), (FIT2, 144), (at(FIT, A=2, fit=0), 4))

#: (statement, variant) -> three pairs: quantities, and the right side there.
HAND = {
    (ls_boost.excess, "printed"): (
        (at(LS, k=2), F(9, 8)),
        (at(LS2, k=1), F(135, 32)),
        (at(LS, k=0), 2),
    ),
    (ls_boost.excess, "sharpened"): (
        (at(LS3, k=2), F(9, 8)),
        (at(LS4, k=1), F(135, 32)),
        (at(LS3, k=0), 2),
    ),
    (ls_boost.distance, "printed"): (
        (at(LS, k=2), F(3, 2)),
        (at(LS2, lambda_pmin=F(4), p=12, k=2), F(45, 32)),
        (at(LS, lambda_pmin=F(1, 4), k=0), 4),
    ),
    (ls_boost.distance, "sharpened"): (
        (at(LS3, k=2), 3),
        (at(LS2, lambda_pmin=F(4), p=48, k=2), F(45, 32)),
        (at(LS3, k=0), 4),
    ),
    (ls_boost.fit, "printed"): RATES,
    (ls_boost.fit, "sharpened"): RATES2,
    (ls_boost.correlation, "printed"): RATES,
    (ls_boost.correlation, "sharpened"): RATES2,
    (ls_boost.l1_by_steps, "printed"): (
        (at(FIT, k=4), 8),
        (at(FIT, k=3, eps=H), 4),
        (at(FIT2, k=9), 36),
    ),
    (ls_boost.l1_by_rate, "printed"): (
        (at(ROOT, k=1), 2),
        (at(ROOT, k=2), F(15, 4)),
        (at(ROOT, k=3), F(169, 32)),
    ),
    (ls_boost.l1_by_rate, "sharpened"): (
        (at(ROOT3, k=1), 2),
        (at(ROOT3, k=2), 3),
        (at(ROOT3, k=3), F(7, 2)),
    ),
    (ls_boost.sparsity, "printed"): COUNTS,
    (ls_boost.contraction, "printed"): (
        (at(LS, excess=8), 6),
        (at(LS2, excess=32), 30),
        (at(LS, excess=4), 3),
    ),
    (ls_boost.contraction, "sharpened"): (
        (at(LS3, excess=8), 6),
        (at(LS4, excess=32), 30),
        (at(LS3, excess=4), 3),
    ),
    (ls_boost.l1_simple, "printed"): (
        (at(ROOT, k=4), 4),
        (at(ROOT, k=100), 16),
        (at(ROOT2, k=8), 4),
    ),
    (ls_boost.l1_simple, "sharpened"): (
        (at(ROOT3, k=1), 2),
        (at(ROOT3, k=9), 4),
        (at(ROOT4, k=32, A=3), 3),
    ),
    (ls_boost.step_length, "printed"): (
        ({"eps": H, "corr": 3}, F(3, 2)),
        ({"eps": F(2, 3), "corr": 9}, 6),
        ({"eps": F(1), "corr": 5}, 5),
    ),
    (ls_boost.descent, "printed"): (
        ({"excess": 8, "eps": F(1), "corr": 2}, 6),
        ({"excess": 10, "eps": H, "corr": 4}, 4),
        ({"excess": 3, "eps": F(3, 2), "corr": 2}, F(3, 2)),
    ),
    (ls_boost.correlation_by_error, "printed"): (
        ({"excess": F(8)}, 4),
        ({"excess": F(2)}, 2),
        ({"excess": F(9, 2)}, 3),
    ),
    (ls_boost.energy, "printed"): ENERGIES,
    (ls_boost.smallest_correlation, "printed"): (
        (at(FLAT, eps=F(1), fit=3, k=3), 2),
        (at(FLAT, eps=H, fit=4, k=2), 2),
        (at(LS, lambda_pmin=F(3), fit=0, k=2), H),
    ),
    (ls_boost.smallest_correlation, "sharpened"): (
        (at(FLAT, eps=F(1), fit=3, k=3), 2),
        (at(FLAT, eps=H, fit=4, k=2), 2),
        (at(ROOT3, fit=0, k=2), H),
    ),
    (ls_boost.l2, "printed"): (
        (at(FIT, repeats=4), 8),
        ({"eps": F(8, 5), "A": 5, "fit": 4, "repeats": 9}, 18),
        (at(FIT2, repeats=1), 12),
    ),
    (ls_boost.tail, "sharpened"): (
        (at(ROOT3, k=0, end=2), 3),
        (at(ROOT3, k=1, end=3), F(3, 2)),
        (at(ROOT4, A=4, k=2, end=4), F(3, 4)),
    ),
    (stagewise.excess, "printed"): (
        (at(FS, p=2, lambda_pmin=H), 8),
        (at(FS2, p=3, lambda_pmin=H), F(147, 4)),
        (at(FS3, p=1, lambda_pmin=F(1)), F(25, 2)),
    ),
    (stagewise.excess, "sharpened"): (
        (at(FS, p=2, lambda_pmin=H), 2),
        (at(FS2, p=3, lambda_pmin=H), F(147, 16)),
        (at(FS3, p=1, lambda_pmin=F(1)), F(25, 8)),
    ),
    (stagewise.distance, "printed"): (
        (at(FS, p=4, lambda_pmin=H), 8),
        (at(FS2, p=9, lambda_pmin=F(1)), F(21, 2)),
        (at(FS3, p=1, lambda_pmin=F(1)), 5),
    ),
    (stagewise.distance, "sharpened"): (
        (at(FS, p=4, lambda_pmin=H), 4),
        (at(FS2, p=9, lambda_pmin=F(1)), F(21, 4)),
        (at(FS3, p=1, lambda_pmin=F(1)), F(5, 2)),
    ),
    (stagewise.fit, "printed"): (
        (at(FS, p=4, lambda_pmin=F(1, 4)), 8),
        (at(FS2, p=9, lambda_pmin=F(1)), F(21, 2)),
        (at(FS3, p=1, lambda_pmin=F(1)), 5),
    ),
    (stagewise.fit, "sharpened"): (
        (at(FS, p=4, lambda_pmin=F(1, 4)), 4),
        (at(FS2, p=9, lambda_pmin=F(1)), F(21, 4)),
        (at(FS3, p=1, lambda_pmin=F(1)), F(5, 2)),
    ),
    (stagewise.correlation, "printed"): ((FS, 1), (FS2, F(7, 4)), (FS3, F(5, 2))),
    (stagewise.l1, "printed"): (
        ({"k": 3, "eps": H}, F(3, 2)),
        ({"k": 4, "eps": 3}, 12),
        ({"k": 0, "eps": 1}, 0),
    ),
    (stagewise.sparsity, "printed"): COUNTS,
    (stagewise.change, "sharpened"): (
        ({"excess": 5, "eps": F(2), "corr": 3}, 1),
        ({"excess": 1, "eps": H, "corr": 1}, F(5, 8)),
        ({"excess": 3, "eps": F(1), "corr": H}, 3),
    ),
    (stagewise.subgradient, "printed"): (
        ({"A": 2, "length": 1, "theta": array(1)}, F(5, 2)),
        ({"A": 2, "length": 1, "theta": array(1, -1)}, F(3, 2)),
        ({"A": 3, "length": 2, "theta": array(H, 1)}, F(14, 3)),
    ),
    (regularized.average_omega, "printed"): OMEGAS,
    (regularized.average_omega, "sharpened"): (
        ({"A": 2, "eps": F(1), "delta": 2, "k": array(0, 1)}, F(29, 16)),
        ({"A": 2, "eps": F(1), "delta": 2, "k": array(0, 1, 2)}, F(55, 32)),
        ({"A": 3, "eps": H, "delta": 1, "k": array(0, 1)}, F(157, 32)),
    ),
    (regularized.smallest_certificate, "printed"): OMEGAS,
    (regularized.subgradients, "printed"): tuple(({"omega": x}, x) for x in (1, 2, H)),
    (regularized.excess, "printed"): BALLS,
    (regularized.fit, "printed"): (
        (at(W, delta=2), 4),
        (at(W2, delta=8), 8),
        (at(W3, delta=H), 2),
    ),
    (regularized.l1, "printed"): (
        ({"eps": F(1), "delta": 2, "k": 1}, 1),
        ({"eps": F(1), "delta": 2, "k": 2}, F(3, 2)),
        ({"eps": F(1), "delta": 3, "k": 2}, F(5, 3)),
    ),
    (regularized.sparsity, "printed"): COUNTS,
    (regularized.path_omega, "printed"): OMEGAS,
    (regularized.path_weighted, "printed"): OMEGAS,
    (regularized.path_excess, "printed"): (
        (at(W, delta=array(1, 2)), 8),
        (at(W2, delta=array(1, 3)), 12),
        (at(W3, delta=array(5)), 20),
    ),
    (regularized.path_l1, "printed"): tuple(({"delta": x}, x) for x in (2, 3, H)),
    (regularized.path_l1, "sharpened"): tuple(
        ({"delta": array(1, 3, 5), "k": array(0, 1, 2), "eps": F(eps)}, bound)
        for eps, bound in ((1, 2), (2, 3), (F(1, 4), H))
    ),
    (regularized.path_sparsity, "printed"): COUNTS,
    (regularized.smallest_omega, "sharpened"): (
        ({"A": 2, "delta": array(2), "shrink": array(H)}, 4),
        ({"A": 2, "delta": array(2, 2), "shrink": array(H, H)}, 3),
        ({"A": 3, "delta": array(4, 4), "shrink": array(F(1, 4), H)}, F(29, 6)),
    ),
    (frank_wolfe.excess, "printed"): tuple(
        ({"delta": F(delta), "k": k}, bound)
        for delta, k, bound in ((1, 2, 2), (3, 6, 9), (H, 0, 1))
    ),
    (frank_wolfe.smallest_gap, "printed"): tuple(
        ({"delta": F(delta), "k": k}, bound)
        for delta, k, bound in ((1, 7, 3), (2, 4, 18), (F(1, 3), 1, 1))
    ),
    (a_posteriori.excess, "sharpened"): tuple(
        ({"corr": F(corr), "to_least": far}, bound)
        for corr, far, bound in ((3, 4, 6), (1, 1, H), (5, 2, 5))
    ),
    (randomized.linear, "printed"): (
        (at(PACE, M=2), F(9, 2)),
        (at(PACE, M=0), 8),
        (at(PACE, gap=F(27), sigma=1, angle2=F(1, 3), M=3), 8),
    ),
    (randomized.sublinear, "printed"): tuple(
        ({"gap": F(gap), "M": M, "sigma": sigma, "start_distance2": F(far)}, bound)
        for gap, M, sigma, far, bound in ((2, 3, 1, 1, H), (4, 0, 1, 1, 4), (1, 6, 3, H, F(1, 3)))
    ),
    (randomized.sublinear_simple, "printed"): tuple(
        ({"M": M, "sigma": sigma, "start_distance2": F(far)}, bound)
        for M, sigma, far, bound in ((2, 1, 3, 3), (4, 2, H, H), (0, 1, 1, 2))
    ),
    (accelerated.excess, "printed"): ((ROUND, 4), (ROUND2, 2), (ROUND3, H)),
    (accelerated.excess, "corrected"): ((ROUND, 16), (ROUND2, 8), (ROUND3, 2)),
    (accelerated.excess, "sharpened"): ((ROUND, 16), (ROUND2, 8), (ROUND3, 2)),
    (accelerated.halved, "sharpened"): tuple(
        ({"gap": 8.0, "length": 5, "k": k}, bound) for k, bound in ((4, 8), (5, 4), (12, 2))
    ),
    # 19, 52 and 7 terms; and on both sides of s^2 m = ln K, where nothing is said
    (margins.theorem, "corrected"): (
        (RGB, 0.95 + math.sqrt(0.195)),
        (at(RGB, widest=2.0, margin=0, complexity=0), 0.4 + math.sqrt(0.525)),
        (at(RGB, delta=2 / E**4, rho=0.5, widest=0.5), 1.45 + math.sqrt(0.21)),
        (at(RGB, margin=0, complexity=0, rho=0.5, m=3.8), math.inf),
        (at(RGB, margin=0, complexity=0, rho=0.5, m=4.3), 4 / 4.3**0.5 + (5 / 8.6) ** 0.5),
    ),
    (langevin.mean_loss, "sharpened"): tuple(
        ({"loss_of_mean": loss, "spread": F(spread)}, bound)
        for loss, spread, bound in ((3, 4, 5), (0, 1, H), (2, 2, 3))
    ),
}


def right_side(theorem, variant):
    """Return the right side of a statement as a text without definitions, except for the
    quantities that the table gives.
    """
    ((_, _, _, right),) = formula.parts(theorem.formulas[variant])
    text = ast.unparse(right)
    where = margins.PARTS if theorem is margins.theorem else theorem.definitions(variant)
    given = HAND[theorem, variant][0][0].keys()
    while used := formula.names(text) & where.keys() - given:
        for name in used:
            text = re.sub(rf"\b{name}\b", f"({where[name]})", text)
    return text


def value(text, known):
    """Return the last value of a formula at these quantities."""
    with np.errstate(all="ignore"):
        found = formula.value(formula.parsed(text), formula.Scope(None, (), known))
    return np.atleast_1d(found)[-1]


def sabotages(text):
    """Yield the wrong formulas that are made from a text."""
    for index in sorted(formula.names(text) & {"k", "M"}):
        yield from (re.sub(rf"\b{index}\b", f"({index} {sign} 1)", text) for sign in "+-")
    for place, node in enumerate(ast.walk(ast.parse(text))):
        changes = []
        if isinstance(node, ast.Constant) and abs(node.value) > 1e-9:
            changes = [("value", node.value * 1.1), ("value", node.value / 1.1)]
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
            changes = [("op", ast.Sub() if isinstance(node.op, ast.Add) else ast.Add())]
        for field, changed in changes:
            wrong = ast.parse(text)
            setattr(list(ast.walk(wrong))[place], field, changed)
            yield ast.unparse(wrong)


def as_floats(known):
    """Return quantities as floats."""
    return {
        name: np.array(x, dtype=float) if isinstance(x, np.ndarray) else float(x)
        for name, x in known.items()
    }


def seen(text, wrong, table):
    """Whether one of the values tells a wrong formula from a right one."""
    for known, _ in table:
        try:
            right, other = (float(value(each, as_floats(known))) for each in (text, wrong))
        except (ValueError, ZeroDivisionError, IndexError, OverflowError):
            return True
        if not math.isclose(right, other, rel_tol=1e-9, abs_tol=1e-12):
            return True
    return False


def wrong_values(theorem, variant):
    """Return sentences on values of the table that the formula does not give."""
    text = right_side(theorem, variant)
    return [
        f"{theorem.name} ({variant}): {float(value(text, known)):.9g}, by hand {float(bound):.9g}"
        for known, bound in HAND[theorem, variant]
        if not math.isclose(value(text, known), bound, rel_tol=1e-12)
    ]


def tried(file, theorem, variant):
    """Return the row of a formula: whether it has its values, and all wrong formulas made from its
    text are seen.
    """
    text = right_side(theorem, variant)
    every = list(sabotages(text))
    unseen = [wrong for wrong in every if not seen(text, wrong, HAND[theorem, variant])]
    faults = wrong_values(theorem, variant) + unseen
    what = f"{variant}, {len(every)} wrong formulas made from the text"
    caught = "" if faults else "three values by hand"
    return Sabotage(file, theorem.name, what if not faults else f"{what}: {faults[0]}", caught)
