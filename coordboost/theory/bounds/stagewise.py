r"""Bounds of FS_eps and FS_{eps_k}: Theorem 3.1, (37), Proposition 3.1 of Freund, Grigas, Mazumder.

In sums over samples.

:math:`D_k = A^2 / (\varepsilon (k + 1)) + \varepsilon`. All parts hold at the same step
:math:`i(k) \le k`: the step with the smallest value of max abs(B'r) so far. *Sharpened*: a quarter
of (i), half of (ii) and (iii) (``docs/bounds.md``).
"""

import numpy as np

from coordboost.theory.bounds.statement import Statement
from coordboost.theory.bounds.trail import covered

WHERE = {"D": "A**2 / (eps * (k + 1)) + eps", "i": "best(corr)"}


def _constant(run):
    eps, delta = run.method.step.stagewise or (None, None)
    return covered(run) and np.ndim(delta) == 0 and delta == np.inf and np.ndim(eps) == 0


def _any_steps(run):
    eps, _ = run.method.step.stagewise or (None, None)
    varying = np.ndim(eps) == 1 or run.method.step.ls_boost_rate is not None
    return _constant(run) or (covered(run) and varying)


def _at_best(name, words, **options):
    return Statement(name, words, where=WHERE, applies=_constant, **options)


excess = _at_best(
    "Theorem 3.1 (i)",
    "The training error reaches that of least squares up to eps.",
    printed="at(i, excess) <= p / (2 * lambda_pmin) * D**2",
    sharpened="at(i, excess) <= p / (8 * lambda_pmin) * D**2",
    known="excess[0]",
)
distance = _at_best(
    "Theorem 3.1 (ii)",
    "Some least-squares solution is close.",
    printed="at(i, distance) <= root(p) / lambda_pmin * D",
    sharpened="at(i, distance) <= root(p) / (2 * lambda_pmin) * D",
    known="distance[0]",
)
fit = _at_best(
    "Theorem 3.1 (iii)",
    "The predictions are near those of least squares.",
    printed="at(i, fit) <= root(p) / root(lambda_pmin) * D",
    sharpened="at(i, fit) <= root(p) / (2 * root(lambda_pmin)) * D",
    known="fit[0]",
)
correlation = _at_best(
    "Theorem 3.1 (iv)",
    "Some gradient among the first is small.",
    printed="at(i, corr) <= D / 2",
    known="corr[0]",
)
l1 = _at_best("Theorem 3.1 (v)", "A step adds eps to the l1 norm.", printed="l1 <= k * eps")
sparsity = _at_best("Theorem 3.1 (vi)", "A step adds at most one learner.", printed="l0 <= k")
change = _at_best(
    "Change of the training error",
    "The change of the error in a step; where all correlations are 0 there is none.",
    sharpened="later(excess) == excess + eps / 2 * (eps - 2 * corr)",
    points="theta != 0",
    source="ours",
)
subgradient = Statement(
    "Proposition 3.1 (37)",
    "Subgradient descent with any steps.",
    printed="smallest(value) <= (distance2 + length**2 * total(steps**2)) / (2 * total(steps))",
    where={"value": "corr", "distance2": "A**2", "length": "1", "steps": "abs(theta)"},
    points="total(abs(theta)) > 0",
    symbols={"abs(theta)": "eps_@"},
    known="corr[0]",
    applies=_any_steps,
)

STATEMENTS = (excess, distance, fit, correlation, l1, sparsity, change, subgradient)
