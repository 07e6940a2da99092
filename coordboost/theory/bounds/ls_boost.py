r"""Bounds of LS-Boost(eps): Theorem 2.1, (13), (15), (23), (25)-(31), Propositions A.1 and A.2 of
Freund, Grigas, Mazumder.

All in sums over samples: the paper's :math:`L_n` is L / n, so its n cancels.
:math:`\gamma = 1 - x`, with :math:`x = \varepsilon(2 - \varepsilon)\lambda_{pmin} / (4p)` as
printed; *sharpened* without the 4 (``docs/bounds.md`` has the proof). The printed claims are for
eps <= 1.
"""

import numpy as np

from coordboost.theory.bounds import formula
from coordboost.theory.bounds.statement import Statement
from coordboost.theory.bounds.trail import covered

#: x = 1 - gamma of (8).
RATE = {
    "printed": {"x": "eps * (2 - eps) * lambda_pmin / (4 * p)"},
    "sharpened": {"x": "eps * (2 - eps) * lambda_pmin / p"},
}
GAMMA = {"1 - x": "gamma"}
UP_TO_ONE = {"printed": "eps <= 1"}


def decrease(constants, eps, variant="printed"):
    """x = 1 - gamma of (8)."""
    scope = formula.Scope(constants, RATE[variant], {"eps": eps})
    return scope["x"]


def _applies(run):
    return covered(run) and run.method.step.ls_boost_rate is not None


def _claim(name, words, text="", **options):
    """One formula for printed claims with any eps."""
    return Statement(name, words, printed=text, applies=_applies, **options)


def _at_both_rates(name, words, text, assuming=UP_TO_ONE, **options):
    """One formula at the printed and at the sharpened rate."""
    return Statement(
        name,
        words,
        printed=text,
        sharpened=text,
        where=RATE,
        symbols=GAMMA,
        assuming=assuming,
        applies=_applies,
        **options,
    )


excess = _at_both_rates(
    "Theorem 2.1 (i)",
    "The training error falls at a linear rate.",
    "excess <= A**2 * decay(x, k) / 2",
    known="A**2 / 2",
)
distance = _at_both_rates(
    "Theorem 2.1 (ii)",
    "Some least-squares solution is close.",
    "distance <= A * decay(x, k / 2) / root(lambda_pmin)",
    known="A / root(lambda_pmin)",
)
fit = _at_both_rates(
    "Theorem 2.1 (iii)",
    "The predictions approach those of least squares.",
    "fit <= A * decay(x, k / 2)",
    known="A",
)
correlation = _at_both_rates(
    "Theorem 2.1 (iv)",
    "The largest correlation falls at half the rate.",
    "corr <= A * decay(x, k / 2)",
    known="A",
)
l1_by_steps = _claim(
    "Theorem 2.1 (v), first term",
    "The l1 norm is at most of the order of sqrt(k).",
    "l1 <= root(k * eps / (2 - eps)) * root(A**2 - fit**2)",
)
l1_by_rate = _at_both_rates(
    "Theorem 2.1 (v), second term",
    "The l1 norm is bounded.",
    "l1 <= eps * A * fall(x, k / 2) / fall(x, 1 / 2)",
)
sparsity = _claim("Theorem 2.1 (vi)", "A step adds at most one learner.", "l0 <= k")
contraction = _at_both_rates(
    "(13)",
    "Each step reduces the error by a constant factor.",
    "later(excess) <= decay(x, 1) * excess",
)
l1_simple = _at_both_rates(
    "(23)",
    "Both bounds of the l1 norm, simplified.",
    "l1 <= A * least(root(k * eps), eps / fall(x, 1 / 2))",
    assuming="eps <= 1",
)
step_length = _claim(
    "(1), (10) step length",
    "The residual moves by eps times the largest correlation.",
    "abs(theta) == eps * corr",
)
descent = _claim(
    "(25) descent",
    "The decrease of the error in a step.",
    "later(excess) == excess - eps * (2 - eps) / 2 * corr**2",
)
correlation_by_error = _claim(
    "(28)", "The error bounds the largest correlation.", "corr <= root(2 * excess)"
)
energy = _claim(
    "(30) energy",
    "The sum of all decreases.",
    "eps * (2 - eps) * spent(corr**2) == A**2 - fit**2",
)
smallest_correlation = _at_both_rates(
    "Proposition A.2 (31)",
    "Some gradient among the first is small.",
    "smallest(corr) <= least(root(A**2 - later(fit)**2) / root(eps * (2 - eps) * (k + 1)), "
    "A * decay(x, k / 2))",
    known="corr[0]",
)
l2 = _claim(
    "Proposition A.2 (32)",
    "The l2 norm by the number of steps in one coordinate.",
    "l2 <= root(repeats) * root(eps / (2 - eps)) * root(A**2 - fit**2)",
)
tail = Statement(
    "Convergence of the iterates",
    "The coefficients converge, at a linear rate.",
    sharpened="to_end <= eps * A * (decay(x, k / 2) - decay(x, end / 2)) / fall(x, 1 / 2)",
    where=RATE,
    symbols=GAMMA,
    applies=_applies,
    source="ours, from (28)",
)


def l1(constants, eps, k, variant="printed"):
    """The l1 norm ell_k of the bound profile (15): the smaller of the two terms of Theorem 2.1 (v),
    known before the run.
    """
    return np.minimum(
        l1_by_steps(constants, eps=eps, k=k, fit=0.0),
        l1_by_rate(constants, eps=eps, k=k, variant=variant),
    )


STATEMENTS = (
    excess,
    distance,
    fit,
    correlation,
    l1_by_steps,
    l1_by_rate,
    sparsity,
    contraction,
    l1_simple,
    step_length,
    descent,
    correlation_by_error,
    energy,
    smallest_correlation,
    l2,
    tail,
)
