r"""Claims of the text about paths: who is below whom, who falls, who coincides.

Problem: least squares over unit columns, and the same in l1 balls.

Method: LS-Boost, FS, R-FS; the Lasso by Frank-Wolfe with the exact line search.

Assumptions: unit columns; for the coincidence orthonormal columns.

Claim: upper, no model has a smaller training error than the Lasso of the same l1 norm (Figure 9); the sandwich of Section 2.2: the error
of LS-Boost lies between that of the Lasso at ell_k and the bound of (15); the training error of LS-Boost falls strictly until least
squares; with orthonormal columns LS-Boost, FS and the Lasso have one path, up to the step; on general data FS overshoots the l1 norm of
the smallest least-squares solution, so the paths differ: that it never does is refuted.

Constants: A and lambda_pmin from the thin SVD; the Lasso enters by its certified lower end. That no model of a ball is below the optimum
of the ball needs no proof: the check would find a certificate that is too high.

Measured: losses and l1 norms along runs; coefficients against soft thresholds.

Reference: Freund, Grigas, Mazumder, Sections 2.2, 3, Figures 2 and 9.
"""

import numpy as np

import coordboost as cb
from coordboost.bounds import BoundCheck, ls_boost
from verification.cases import Lab, as_it_is, claim, lab


def _at(case):
    return np.unique(np.geomspace(1, case.run.n_steps, 12).astype(int))


def _lasso_below(case, name, radius):
    """The certified lower end of the Lasso at ``radius(trail)[k]`` against the loss at k."""
    trail, at = case.trail, _at(case)
    ends = []
    for k in at:
        ball = float(radius(trail)[k])
        ends.append(cb.solve(case.problem, cb.frank_wolfe(ball, cb.BallSearch(ball)), 3000).certificate().lower)
    return BoundCheck(name, "printed", "upper", ends, trail.loss[at], 8 * trail.noise[at] * trail.constants.size, at=at)


@claim("No model is below the Lasso of its l1 norm", printed="verified")
def check_lasso(case, variant):
    """L* over the ball of radius ||beta_k||_1 is at most L(beta_k)."""
    return _lasso_below(case, check_lasso.statement, lambda trail: trail.l1) if isinstance(case, Lab) else None


@claim("Section 2.2, lower end of the sandwich", printed="verified")
def check_sandwich(case, variant):
    """L* over the ball of radius ell_k is at most L(beta_k), LS-Boost."""
    if not isinstance(case, Lab) or not isinstance(case.run.method.step, cb.Proportional):
        return None
    return _lasso_below(case, check_sandwich.statement, lambda t: ls_boost.l1(t.constants, t.step.rate, t.k))


@claim("Training error of LS-Boost falls", printed="verified")
def check_falls(case, variant):
    """L(beta_{k+1}) < L(beta_k) until least squares."""
    if not isinstance(case, Lab) or not isinstance(case.run.method.step, cb.Proportional):
        return None
    trail = case.trail
    far = trail.excess[:-1] > 1e-13 * (trail.excess[0] + trail.constants.optimum)
    least = trail.step.rate * (2 - trail.step.rate) / 8 * trail.constants.lambda_pmin / trail.constants.n_learners
    bound = (1 - least) * trail.excess[:-1][far]
    return BoundCheck(check_falls.statement, variant, "upper", trail.excess[1:][far], bound, 0.0, at=trail.k[1:][far])


class Orthonormal:
    """Columns e_1, ..., e_p: the Lasso is the soft threshold, FS and LS-Boost with small steps walk along it."""

    def __init__(self, method, step, n_steps):
        self.y = np.array([3.0, -2.2, 1.1, 0.4, 0.05])
        self.step = step
        self.betas = [state.beta for state in cb.solve(as_it_is(np.eye(5), self.y), method, n_steps).replay(range(n_steps + 1))]

    def distances(self):
        """Largest distance of each model from the soft threshold of the same l1 norm."""
        return np.array([np.abs(beta - self.soft(np.abs(beta).sum())).max() for beta in self.betas])

    def soft(self, radius):
        """sign(y) max(|y| - t, 0) with l1 norm `radius`, by bisection of t."""
        low, high = 0.0, float(np.abs(self.y).max())
        for _ in range(60):
            t = (low + high) / 2
            low, high = (t, high) if np.maximum(np.abs(self.y) - t, 0).sum() > radius else (low, t)
        return np.sign(self.y) * np.maximum(np.abs(self.y) - high, 0)


@claim("One path on orthonormal columns", printed="verified")
def check_orthonormal(case, variant):
    """The largest distance between the Lasso and FS, or LS-Boost, is at most the longest step."""
    if not isinstance(case, Orthonormal):
        return None
    return BoundCheck(check_orthonormal.statement, variant, "upper", case.distances(), case.step, 1e-12)


@claim("FS stays below the l1 norm of least squares", sharpened="refuted")
def check_overshoot(case, variant):
    """The l1 norm along FS never exceeds that of the least-squares solution: true where the paths coincide, not in general."""
    if (
        not isinstance(case, Lab)
        or case.problem.n_learners >= case.problem.n_samples
        or not isinstance(case.run.method.step, cb.Sign)
    ):
        return None
    B = case.problem.dictionary.gather(np.arange(case.problem.n_learners))
    if np.linalg.matrix_rank(B) < case.problem.n_learners:
        return None
    norm = np.abs(np.linalg.lstsq(B, case.problem.y, rcond=None)[0]).sum()
    return BoundCheck(
        check_overshoot.statement, variant, "upper", case.trail.l1, norm, case.trail.noise[-1] * case.trail.constants.kappa
    )


CASES = {
    "60 x 20, LS-Boost(0.1)": lab("60 x 20", cb.ls_boost(0.1), 2000),
    "30 x 80, LS-Boost(1)": lab("30 x 80", cb.ls_boost(1.0), 1000),
    "40 x 10, FS": lab("40 x 10", lambda size: cb.forward_stagewise(0.01 * size)),
    "correlated, FS": lab("correlated", lambda size: cb.forward_stagewise(0.002 * size), 20_000),
    "rank-deficient, R-FS": lab("rank-deficient", lambda size: cb.regularized_forward_stagewise(0.01 * size, size)),
    "orthonormal, FS": lambda: Orthonormal(cb.forward_stagewise(1 / 128), 1 / 128, 800),
    "orthonormal, LS-Boost": lambda: Orthonormal(cb.ls_boost(1 / 128), 3 / 128, 800),
    "diabetes, FS": lab("diabetes", lambda size: cb.forward_stagewise(0.001 * size), 20_000),
}
QUICK = tuple(CASES)[:1] + tuple(CASES)[2:4] + tuple(CASES)[5:7]


def _half_radius(case):
    return _lasso_below(case, "half", lambda trail: trail.l1 / 2) if isinstance(case, Lab) else None


def _double_step(case):
    """The same with an eps so long that the error grows."""
    if not isinstance(case, Lab):
        return None
    trail = Lab(cb.solve(case.problem, cb.forward_stagewise(case.trail.constants.size / 3), 50)).trail
    return BoundCheck("grows", "printed", "upper", trail.excess[1:], trail.excess[:-1])


SABOTAGE = {
    check_lasso: {"the Lasso of half the l1 norm": _half_radius},
    check_sandwich: {"the Lasso of half the l1 norm": _half_radius},
    check_falls: {"FS with long steps": _double_step},
    check_orthonormal: {"a quarter of a step": lambda case: BoundCheck(
        "quarter", "printed", "upper", case.distances(), case.step / 4) if isinstance(case, Orthonormal) else None},
    check_overshoot: {"the claim itself": lambda case: check_overshoot(case, "sharpened")},
}  # fmt: skip
