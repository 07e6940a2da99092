r"""Bounds of R-FS and PATH-R-FS: Theorems 4.1 and 5.1, (50)-(53), (56), (57) of Freund, Grigas,
Mazumder; in sums over samples.

:math:`\omega_\delta(\beta) = \|B'r\|_\infty - \langle r, B\beta\rangle /
\delta` bounds the gap: :math:`L(\beta) - L^*_\delta \le \delta\,
\omega_\delta(\beta)`. *Sharpened* (ours): the subgradients are no longer than :math:`1 +
\|\beta_i\|_1/\delta \le 2 - (1 - \varepsilon/\delta)^i`, where the paper takes 2. The optimum is
replaced by a certified lower end, :math:`\|B(\beta - \beta^*)\|` by
:math:`\sqrt{2(L - L^*_\delta)}`.
"""

import numpy as np

from coordboost.theory.bounds.statement import Statement
from coordboost.theory.bounds.trail import covered

WHERE = {
    "W": "A**2 / (2 * eps * (k + 1)) + 2 * eps",
    "i": "best(omega)",
    "length": "1 + fall(eps / delta, k)",
}
#: Along a path each step has a radius of its own.
AT_RADII = {"delta": "delta_@", "lasso": "L*_@"}


def _radii(run):
    """The radius, or one for each step, inf without regularisation.

    None where the run is not stagewise, or not covered.
    """
    _, delta = run.method.step.stagewise or (None, None)
    return delta if covered(run) else None


def _regularized(run):
    return np.ndim(_radii(run)) == 0 and _radii(run) is not None and _radii(run) < np.inf


def _path(run):
    return np.ndim(_radii(run)) == 1


def _in_ball(name, words, **options):
    return Statement(name, words, where=WHERE, applies=_regularized, **options)


def _along(name, words, points="k < horizon", **options):
    """A claim at the steps that have a radius."""
    return Statement(
        name, words, where=WHERE, points=points, applies=_path, symbols=AT_RADII, **options
    )


average_omega = _in_ball(
    "(53) average",
    "The mean of the certificates is small.",
    printed="mean(omega) <= W",
    sharpened="mean(omega) <= (A**2 + eps**2 * total(length**2)) / (2 * eps * (k + 1))",
    known="omega[0]",
)
smallest_certificate = _in_ball(
    "(53) smallest",
    "Some certificate is small.",
    printed="smallest(omega) <= W",
    known="omega[0]",
)
subgradients = Statement(
    "(52) subgradients",
    "The certificate is an inner product with the subgradient.",
    printed="taken == omega",
    applies=lambda run: _regularized(run) or _path(run),
)
excess = _in_ball(
    "Theorem 4.1 (i)",
    "Some model is nearly as good as the Lasso.",
    printed="at(i, loss - lasso) <= delta * W",
    known="loss[0] - lasso[0]",
)
fit = _in_ball(
    "Theorem 4.1 (ii)",
    "Its predictions are near those of the Lasso.",
    printed="at(i, fit_to_lasso) <= root(2 * delta * W)",
    known="fit_to_lasso[0]",
)
l1 = _in_ball(
    "Theorem 4.1 (iii)",
    "Every model is in the ball.",
    printed="l1 <= delta * fall(eps / delta, k)",
)
sparsity = _in_ball("Theorem 4.1 (iv)", "A step adds at most one learner.", printed="l0 <= k")
path_omega = _along(
    "(57)",
    "The mean of the certificates is small.",
    printed="mean(omega) <= W",
    known="omega[0]",
)
path_weighted = _along(
    "(56)",
    "The mean of the gaps, each over its radius.",
    printed="mean((loss - lasso) / delta) <= W",
    known="(loss[0] - lasso[0]) / delta[0]",
)
path_excess = _along(
    "Theorem 5.1 (i)",
    "On average the models are nearly as good as the Lasso.",
    printed="mean(loss - lasso) <= delta[-1] * W",
    known="loss[0] - lasso[-1]",
)
path_l1 = _along(
    "Theorem 5.1 (ii)",
    "Every model is in its ball; sharpened: in the previous ball.",
    printed="l1 <= delta",
    sharpened="l1 <= least(before(delta), k * eps)",
)
path_sparsity = _along(
    "Theorem 5.1 (iii)", "A step adds at most one learner.", points="", printed="l0 <= k"
)
#: R-FS with steps eps_0, eps_1, ... <= delta: ours.
smallest_omega = Statement(
    "R-FS with varying steps",
    "Varying steps, such as those of Frank-Wolfe.",
    sharpened="smallest(omega) <= (A**2 + 4 * total(steps**2)) / (2 * total(steps))",
    where={"steps": "delta * shrink"},
    source="ours",
)

STATEMENTS = (
    average_omega,
    smallest_certificate,
    subgradients,
    excess,
    fit,
    l1,
    sparsity,
    path_omega,
    path_weighted,
    path_excess,
    path_l1,
    path_sparsity,
)
