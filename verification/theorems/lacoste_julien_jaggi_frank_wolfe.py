r"""Frank-Wolfe with away steps and with pairwise steps on the l1 ball: linear convergence.

Problem: least squares over n independent unit columns in the l1 ball of radius delta.

Method: Frank-Wolfe with away steps, with pairwise steps; exact line search; from 0, which counts as
a vertex.

Assumptions: unit columns, so that a direction between two vertices moves predictions by at most 2
delta; lambda_min(B'B) > 0.

Claim: upper, at every step whose length is not limited (cut) by the weight of a vertex: h_{t+1} <=
(1 - rho) h_t for the error h = L - L*_delta, with rho = lambda_min / (16 n) for away steps,
lambda_min / (4 n) for pairwise steps; other steps do not increase h. With away steps at most half
of t steps are cut.

Constants: the paper has rho = mu w^2 / (4 L M^2) and mu w^2 / (L M^2). Here L M^2 is at most 4
delta^2, mu = lambda_min, and the pyramidal width w of the vertices and 0 is delta / sqrt(n): it is
the least distance between a face and the hull of the vertices that are not on it (Pena, Rodriguez,
2019), and for the face of k vertices that is the distance delta / sqrt(k) of its centre from 0.
lambda_min is rounded up, the optimum is a certified lower end: both make the claim harder.

Measured: errors after a step over errors before it, at the steps that are not cut; the number of
cut steps.

Reference: Lacoste-Julien, Jaggi, On the global linear convergence of Frank-Wolfe optimization
variants, 2015, Theorem 1.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

import coordboost as cb
from coordboost.theory.bounds import BoundCheck
from verification.cases import identity, problem
from verification.statement import claim

N_STEPS = 300
#: Errors below this, relative to the loss at the start, may be rounding errors.
LEAST = 1e-8


@dataclass(frozen=True, eq=False)
class Walk:
    """A run, its errors between whole steps, and which steps are cut."""

    run: cb.engine.Run

    @property
    def pairwise(self):
        """Whether steps are pairwise: they move weight from one vertex to another."""
        return self.run.method.name == "frank_wolfe_pairwise"

    @cached_property
    def whole(self):
        """Row numbers at which whole steps begin or end: a swap has two rows.

        A swap cut off by the end of the run is left out.
        """
        path = self.run.path
        at = [0]
        length = np.append(np.abs(path.theta), np.nan)
        while at[-1] < len(path):
            k = at[-1]
            swap = (
                self.pairwise and k > 0 and np.isclose(length[k], length[k + 1], rtol=1e-9, atol=0)
            )
            at.append(min(len(path), k + (2 if swap else 1)))
        last_half = self.pairwise and at[-1] - at[-2] == 1 and path.shrink[-1] == 0
        return at[:-1] if last_half else at

    @cached_property
    def errors(self):
        """L - L*_delta at these rows, with the certified lower end for L*_delta."""
        losses = np.array([state.loss for state in self.run.replay(self.whole)])
        return losses - self.run.certificate().lower

    @cached_property
    def cut(self):
        """Whether each whole step is cut because a vertex has no weight left: a coefficient became
        0, or the vertex 0 lost its weight.
        """
        betas = np.array([state.beta for state in self.run.replay(self.whole)])
        gone = ((betas[:-1] != 0) & (betas[1:] == 0)).any(axis=1)
        radius = self.run.method.target.radius
        full = np.abs(betas).sum(axis=1) >= radius * (1 - 1e-12)
        leaves = self.pairwise | (self.run.path.shrink[np.array(self.whole[1:]) - 1] < 0)
        return leaves & (gone | (full[1:] & ~full[:-1]))

    def counted(self):
        """Return the numbers of the steps that are not cut and end with an error above rounding."""
        return np.flatnonzero(~self.cut & (self.errors[1:] > LEAST * self.run.problem.start_loss))


def _rate(case, by):
    lambda_min = case.run.problem.spectrum.lambda_pmin * (1 + 1e-9)
    return by * lambda_min / ((4 if case.pairwise else 16) * case.run.problem.n_learners)


def _shrinks(case, by=1.0):
    at = case.counted()
    h = case.errors
    slack = 1e-12 * case.run.problem.start_loss
    return BoundCheck(
        "linear rate",
        "printed",
        "upper",
        h[at + 1],
        (1 - _rate(case, by)) * h[at],
        slack,
        at=at + 1,
    )


@claim("Frank-Wolfe, linear rate", printed="verified")
def check_rate(case, variant):
    """h_{t+1} <= (1 - rho) h_t at steps that are not cut, rho = lambda_min / (16 n) for away,
    lambda_min / (4 n) for pairwise steps.
    """
    return _shrinks(case)


def _cuts(case, share=0.5):
    if case.pairwise:
        return None
    t = np.arange(1, len(case.cut) + 1)
    return BoundCheck("cut steps", "printed", "upper", np.cumsum(case.cut), share * t, at=t)


@claim("Frank-Wolfe, steps that are cut", printed="verified")
def check_cuts(case, variant):
    """Of t steps with away steps at most t / 2 are cut."""
    return _cuts(case)


def _walk(make, data, radius):
    return lambda: Walk(
        cb.solve(problem(data) if isinstance(data, str) else data(), make(radius), N_STEPS)
    )


def small(B, y):
    """Return a problem of three learners.

    Above rounding, steps are cut both at a coefficient and at the weight of 0.
    """
    return cb.Problem(np.array(B, dtype=float), np.array(y, dtype=float), center=False)


CASES = {
    f"{name}, {words}": _walk(make, data, radius)
    for words, make in (
        ("away", cb.methods.frank_wolfe_away),
        ("pairwise", cb.methods.frank_wolfe_pairwise),
    )
    for name, data, radius in (
        ("60 x 20", "60 x 20", 20.0),
        ("40 x 10", "40 x 10", 12.0),
        ("correlated", "correlated", 8.0),
        ("identity", identity, 1.5),
    )
}
CASES |= {
    "small, away": _walk(
        cb.methods.frank_wolfe_away,
        lambda: small([[-1, 0, -2], [1, 2, -1], [-1, -1, 0]], [-2, -1, 4]),
        5.0,
    ),
    "small, pairwise": _walk(
        cb.methods.frank_wolfe_pairwise,
        lambda: small([[-1, -1, 0], [2, 1, -1], [1, 0, -2]], [-1, 0, 0]),
        3.0,
    ),
}
QUICK = tuple(name for name in CASES if name.startswith(("40 x 10", "identity", "small")))

SABOTAGE = {
    check_rate: {"8 times the rate": lambda case: _shrinks(case, 8.0)},
    check_cuts: {"a twentieth": lambda case: _cuts(case, 0.05)},
}
