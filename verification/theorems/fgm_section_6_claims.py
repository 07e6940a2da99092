r"""Claims of the text about paths: which losses are below others, which decrease, which paths
coincide.

Problem: least squares over unit columns, and the same in l1 balls.

Method: LS-Boost, FS, R-FS; the Lasso by Frank-Wolfe with the exact line search.

Assumptions: unit columns; for the coincidence orthonormal columns.

Claim: upper, no model has a smaller training error than the Lasso of the same l1 norm (Figure 9);
the sandwich of Section 2.2: the error of LS-Boost lies between that of the Lasso of radius ell_k
and the bound (15); the training error of LS-Boost falls strictly until least squares; with
orthonormal columns LS-Boost, FS and the Lasso have the same path, up to one step. Refuted: the l1
norm of FS never exceeds that of least squares. On general data it does, so the paths differ.

Constants: A and lambda_pmin from the thin SVD; the Lasso enters by its certified lower end. No
model in a ball can be below the optimum of the ball, so the check is one of the certificate, which
might be too high.

Measured: losses and l1 norms along runs; coefficients against soft thresholds.

Reference: Freund, Grigas, Mazumder, Sections 2.2, 3, Figures 2 and 9.
"""

import numpy as np

import coordboost as cb
from coordboost.theory.bounds import BoundCheck, ls_boost
from verification.cases import Lab, as_it_is, lab
from verification.space import Space
from verification.spaces.walks import FS, FS3, LS, LS3
from verification.statement import claim, refuted, stated


def _at(case):
    return np.unique(np.geomspace(1, case.run.n_steps, 12).astype(int))


def _lasso_below(case, name, radius):
    """Compare the certified lower end of the Lasso at ``radius(trail)[k]`` with the loss at k."""
    trail = case.trail
    at = _at(case)
    ends = []
    for k in at:
        ball = float(radius(trail)[k])
        ends.append(
            cb.solve(case.problem, cb.methods.frank_wolfe(ball, cb.rules.SegmentSearch(ball)), 3000)
            .certificate()
            .lower
        )
    return BoundCheck(
        name,
        "printed",
        "upper",
        ends,
        trail.loss[at],
        8 * trail.noise[at] * trail.constants.size,
        at=at,
    )


check_lasso = stated(
    "No model is below the Lasso of its l1 norm",
    (FS3, LS3),
    "Figure 9.",
    printed="lasso_of_l1 <= loss",
)


@check_lasso.otherwise
def _(case, variant):
    return (
        _lasso_below(case, check_lasso.statement, lambda trail: trail.l1)
        if isinstance(case, Lab)
        else None
    )


check_sandwich = stated(
    "Section 2.2, sandwich",
    LS3,
    "The error lies between that of the Lasso at ell_k and the bound of (15).",
    printed="lasso_at(ell) <= loss <= A**2 / 2 * decay(x, k) + outside**2 / 2",
    where={
        **ls_boost.RATE["printed"],
        "ell": "least(A * root(k * eps / (2 - eps)), eps * A * fall(x, k / 2) / fall(x, 1 / 2))",
    },
    assuming="eps <= 1",
)


@check_sandwich.otherwise
def _(case, variant):
    if not isinstance(case, Lab) or not isinstance(case.run.method.step, cb.rules.ShrunkenStep):
        return None
    return _lasso_below(
        case, check_sandwich.statement, lambda t: ls_boost.l1(t.constants, t.step.rate, t.k)
    )


check_falls = stated(
    "Training error of LS-Boost falls",
    LS,
    "The training error falls strictly until least squares.",
    printed="later(excess) <= (1 - eps * (2 - eps) * lambda_pmin / (8 * p)) * excess",
)
check_overshoot = stated(
    "FS stays below the l1 norm of least squares",
    FS,
    "True where the paths coincide, not in general.",
    sharpened=refuted("l1 <= l1_of_least_squares"),
    assuming="p + 1 == n",
)


@check_falls.otherwise
def _(case, variant):
    if not isinstance(case, Lab) or not isinstance(case.run.method.step, cb.rules.ShrunkenStep):
        return None
    trail = case.trail
    far = trail.excess[:-1] > 1e-13 * (trail.excess[0] + trail.constants.optimum)
    least = (
        trail.step.rate
        * (2 - trail.step.rate)
        / 8
        * trail.constants.lambda_pmin
        / trail.constants.n_learners
    )
    bound = (1 - least) * trail.excess[:-1][far]
    return BoundCheck(
        check_falls.statement,
        variant,
        "upper",
        trail.excess[1:][far],
        bound,
        0.0,
        at=trail.k[1:][far],
    )


class Orthonormal:
    """Columns e_1, ..., e_p: the Lasso is soft thresholding of y, and FS and LS-Boost with small
    steps follow its path.
    """

    def __init__(self, method, step, n_steps, y=(3.0, -2.2, 1.1, 0.4, 0.05)):
        self.y = np.array(y)
        self.step = step
        run = cb.solve(as_it_is(np.eye(len(self.y)), self.y), method, n_steps, compile=False)
        self.betas = [state.beta for state in run.replay(range(n_steps + 1))]

    def distances(self):
        """Return the largest difference between each model and the Lasso solution of the same l1
        norm.
        """
        return np.array([np.abs(beta - self.soft(np.abs(beta).sum())).max() for beta in self.betas])

    def soft(self, radius):
        """Return sign(y) max(|y| - t, 0) with l1 norm `radius`, by bisection on t."""
        low = 0.0
        high = float(np.abs(self.y).max())
        for _ in range(60):
            t = (low + high) / 2
            low, high = (t, high) if np.maximum(np.abs(self.y) - t, 0).sum() > radius else (low, t)
        return np.sign(self.y) * np.maximum(np.abs(self.y) - high, 0)


def _orthonormal(shape, numbers):
    """numbers: y, eps; shape: p, whether LS-Boost or FS, steps.

    The longest step of LS-Boost is eps times the largest entry of y.
    """
    p, ls, n_steps = shape
    y = numbers[:p]
    eps = abs(numbers[p])
    if not (eps > 0 and np.abs(y).max() > 0 and (not ls or eps < 1)):
        return None
    return Orthonormal(
        cb.ls_boost(eps) if ls else cb.forward_stagewise(eps),
        eps * (np.abs(y).max() if ls else 1),
        n_steps,
        y,
    )


def _draw(rng):
    p = int(rng.integers(1, 5))
    return (p, int(rng.integers(0, 2)), int(rng.integers(1, 9))), np.append(
        rng.standard_normal(p), rng.exponential(0.3)
    )


ORTHONORMAL = Space(
    "FS and LS-Boost on the identity",
    _draw,
    _orthonormal,
    exact=False,
    has=lambda case: isinstance(case, Orthonormal),
)


@claim("One path on orthonormal columns", ORTHONORMAL, sharpened="verified")
def check_orthonormal(case, variant):
    """The largest distance between the Lasso and FS, or LS-Boost, is at most the longest step."""
    return BoundCheck(
        check_orthonormal.statement, variant, "upper", case.distances(), case.step, 1e-12
    )


CASES = {
    "60 x 20, LS-Boost(0.1)": lab("60 x 20", cb.ls_boost(0.1), 2000),
    "30 x 80, LS-Boost(1)": lab("30 x 80", cb.ls_boost(1.0), 1000),
    "40 x 10, FS": lab("40 x 10", lambda size: cb.forward_stagewise(0.01 * size)),
    "correlated, FS": lab("correlated", lambda size: cb.forward_stagewise(0.002 * size), 20_000),
    "rank-deficient, R-FS": lab(
        "rank-deficient", lambda size: cb.regularized_forward_stagewise(0.01 * size, size)
    ),
    "orthonormal, FS": lambda: Orthonormal(cb.forward_stagewise(1 / 128), 1 / 128, 800),
    "orthonormal, LS-Boost": lambda: Orthonormal(cb.ls_boost(1 / 128), 3 / 128, 800),
    "diabetes, FS": lab("diabetes", lambda size: cb.forward_stagewise(0.001 * size), 20_000),
}
QUICK = tuple(CASES)[:1] + tuple(CASES)[2:4] + tuple(CASES)[5:7]


def _half_radius(case):
    return _lasso_below(case, "half", lambda trail: trail.l1 / 2) if isinstance(case, Lab) else None


def _double_step(case):
    """The false claim that the error of FS never grows, with an eps so large that it does."""
    if not isinstance(case, Lab):
        return None
    trail = Lab(
        cb.solve(case.problem, cb.forward_stagewise(case.trail.constants.size / 3), 50)
    ).trail
    return BoundCheck("grows", "printed", "upper", trail.excess[1:], trail.excess[:-1])


SABOTAGE = {
    check_lasso: {"the Lasso of half the l1 norm": _half_radius},
    check_sandwich: {"the Lasso of half the l1 norm": _half_radius},
    check_falls: {
        "the whole error in one step": check_falls.instead("later(excess) <= 0 * excess"),
        "FS with long steps": _double_step,
    },
    check_orthonormal: {
        "a quarter of a step": lambda case: BoundCheck(
            "quarter", "printed", "upper", case.distances(), case.step / 4
        )
    },
}
