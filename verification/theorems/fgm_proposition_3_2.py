r"""Boosting is subgradient descent on the largest correlation (Proposition 3.2).

Problem: minimise f(r) = ||B'r||_inf over the residuals r = y - B beta.

Method: FS_eps, FS_{eps_k} and LS-Boost(eps) in coefficient space, against independent subgradient
descent in residual space.

Assumptions: unit columns; no exact ties, so that both select the same column.

Claim: tight, both have the same residuals; upper, s_k B_j is a subgradient: f(r) >= f(r_k) + <g_k,
r - r_k> for all r; tight, the projection onto the set of residuals changes nothing.

Constants: none.

Measured: the residuals at each step; the subgradient inequality at random r and at 0; the part of
the step outside the span of the columns.

Reference: Freund, Grigas, Mazumder, Proposition 3.2.
"""

from dataclasses import dataclass, replace

import numpy as np

import coordboost as cb
from coordboost.theory.bounds import BoundCheck
from verification.cases import problem, size
from verification.spaces.walks import FS, LS, VARYING
from verification.statement import claim, method_of, problem_of


@dataclass(frozen=True)
class Roads:
    """A method, and its step lengths in residual space (or a function of k and the objective) and
    its radius.
    """

    data: object
    method: cb.rules.Method
    step: object
    n_steps: int
    delta: object = np.inf

    def both(self):
        """Return an iterator over pairs: state of the run, iterate in residual space."""
        run = cb.solve(self.problem, self.method, self.n_steps, compile=isinstance(self.data, str))
        states = run.replay(range(self.n_steps + 1))
        return zip(
            states,
            cb.theory.subgradient_descent(run.problem, self.step, self.n_steps, delta=self.delta),
            strict=True,
        )

    @property
    def problem(self):
        """The problem, made from its name if `data` is one."""
        return problem(self.data) if isinstance(self.data, str) else self.data

    @property
    def noise(self):
        """Bound of the rounding error of a residual: every step adds that of n products as large as
        y, or as the step if that is longer.
        """
        instance = self.problem
        longest = 0.0 if callable(self.step) else float(np.max(self.step))
        size = max(float(np.linalg.norm(instance.y)), longest)
        return 8 * instance.n_samples * (self.n_steps + 1) * np.finfo(float).eps * size


def agreement(case, name, variant):
    """Compare the residuals of both implementations at every step, sample by sample."""
    one, other = (
        np.ravel(side)
        for side in zip(*((one.resid, two.resid) for one, two in case.both()), strict=True)
    )
    return BoundCheck(name, variant, "tight", one, other, case.noise, along="entry")


def objective(given, resid, delta=np.inf):
    """f_delta(r) = ||B'r||_inf + ||r - y||^2 / (2 delta)."""
    return np.abs(given.scan(resid)).max() + np.sum((resid - given.y) ** 2) / (2 * delta)


def supports(case, name, variant, factor=1.0):
    """Compare f(r_k) + <g_k, r - r_k> with f(r), at three random r and at 0.

    In long runs at every tenth step.
    """
    instance = case.problem
    rng = np.random.default_rng(0)
    deltas = np.broadcast_to(case.delta, case.n_steps)
    below = []
    above = []
    for _, other in list(case.both())[: -1 : 10 if case.n_steps > 40 else 1]:
        for r in (
            *rng.normal(size=(3, instance.n_samples)) * np.linalg.norm(instance.y),
            np.zeros(instance.n_samples),
        ):
            below.append(other.objective + factor * other.subgradient @ (r - other.resid))
            above.append(objective(instance, r, deltas[other.k]))
    return BoundCheck(name, variant, "upper", below, above, case.noise * (1 + np.abs(above)))


def road(walk):
    """Return a small instance as ``Roads``."""
    instance = problem_of(walk)
    number = np.array(walk.eps, dtype=float)[()]
    step = {
        "ls": lambda k, f: number * f,
        "varying": number[:-1] if walk.kind == "varying" else None,
    }.get(walk.kind, number)
    delta = np.inf if walk.delta is None else np.array(walk.delta, dtype=float)
    delta = float(delta[0]) if walk.kind == "rfs" else delta[:-1] if walk.kind == "path" else delta
    return Roads(instance, method_of(walk), step, len(walk.beta) - 1, delta)


def roads(space):
    """Return the space of these instances as ``Roads``, without those with near ties."""

    def make(shape, numbers):
        walk = space.make(shape, numbers)
        return (
            None
            if walk is None
            or abs(np.diff(np.sort(np.abs(walk.correlations), axis=1))).min(initial=1) < 1e-6
            else road(walk)
        )

    return replace(space, make=make, exact=False, has=lambda case: isinstance(case, Roads))


ROADS = (roads(LS), roads(FS), roads(VARYING))


@claim("Proposition 3.2, equal iterates", ROADS, printed="verified")
def check_roads(case, variant):
    """FS and LS-Boost in coefficients are subgradient descent in residuals."""
    return agreement(case, check_roads.statement, variant)


@claim("Proposition 3.2, subgradients", ROADS, printed="verified")
def check_subgradient(case, variant):
    """f(r) >= f(r_k) + <g_k, r - r_k>."""
    return supports(case, check_subgradient.statement, variant)


@claim("Proposition 3.2, projection", ROADS, printed="verified")
def check_projection(case, variant):
    """r_k - a_k g_k is already a residual: the subgradient lies in the span of the columns."""
    instance = case.problem
    B = instance.dictionary.gather(np.arange(instance.n_learners))
    left, singular, _ = np.linalg.svd(B, full_matrices=False)
    left = left[:, singular > 1e-10 * singular[0]]
    values = np.array([other.subgradient for _, other in case.both()])
    return BoundCheck(
        check_projection.statement,
        variant,
        "tight",
        values.ravel(),
        (values @ left @ left.T).ravel(),
        case.noise,
        along="entry",
    )


_A = {name: 0.01 * size(name) for name in ("60 x 20", "30 x 80")}
_VARYING = _A["60 x 20"] * 5 / np.sqrt(np.arange(1, 301))
CASES = {
    "FS, 60 x 20": lambda: Roads(
        "60 x 20", cb.forward_stagewise(_A["60 x 20"]), _A["60 x 20"], 300
    ),
    "FS, 30 x 80": lambda: Roads(
        "30 x 80", cb.forward_stagewise(_A["30 x 80"]), _A["30 x 80"], 300
    ),
    "FS with varying steps": lambda: Roads(
        "60 x 20", cb.forward_stagewise(_VARYING), _VARYING, 300
    ),
    "LS-Boost(0.5)": lambda: Roads("30 x 80", cb.ls_boost(0.5), lambda k, f: 0.5 * f, 300),
}


def _other_step(case):
    if not isinstance(case.step, float):
        return None
    return agreement(
        Roads(case.data, case.method, 1.01 * case.step, case.n_steps), "another step", "printed"
    )


def _raw_columns(case):
    """The subgradient of unit columns with the objective of columns half as long."""
    check = supports(case, "columns half as long", "printed")
    return BoundCheck(
        "columns half as long", "printed", "upper", check.measured, check.bound / 2, check.slack
    )


def _residual_itself(case):
    """The residual in place of the subgradient: y has a part outside the span."""
    instance = case.problem
    left = np.linalg.qr(
        instance.dictionary.gather(np.arange(min(instance.n_learners, instance.n_samples - 5)))
    )[0]
    values = np.array([other.resid for _, other in case.both()])
    return BoundCheck(
        "residual", "printed", "tight", values.ravel(), (values @ left @ left.T).ravel(), case.noise
    )


SABOTAGE = {
    check_roads: {"steps one percent longer": _other_step},
    check_subgradient: {
        "twice the subgradient": lambda case: supports(case, "twice", "printed", 2.0),
        "columns half as long": _raw_columns,
    },
    check_projection: {"the residual in place of the subgradient": _residual_itself},
}
