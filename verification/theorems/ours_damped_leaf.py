r"""The damped value of a Newton leaf does not pass the minimum of the losses of its rows.

Problem: a leaf of a tree, rows with weights w_i, targets y_i and predictions f_i; phi(t) = sum_i
w_i loss(y_i, f_i + t).

Method: one step of gradient boosting with Newton leaves at a rate of 1, on rows that no feature
tells apart.

Assumptions: convex losses whose third derivative is at most C times the second (self-concordance):
logistic, exponential, Poisson, gamma, Tweedie.

Claim: upper, with S = -phi'(0), H = phi''(0) + l2 and v = S / H the value sign(v) log(1 + C |v|) /
C is at most as far as the minimum of phi, on the same side. For phi''(t) <= phi''(0) e^(C |t|), so
phi'(t) <= -S + H (e^(C t) - 1) / C for t > 0, which is below 0 before that value. Attained by the
Poisson loss with S > 0 and l2 = 0, whose minimum is at log(1 + S / H). At a rate of at most 1 the
loss of the leaf does not rise.

Constants: C = 1; for Tweedie with power p it is max(p - 1, 2 - p).

Measured: the step that the package makes; the minimum of phi by bisection.

Reference: ours. Self-concordance: Bach, Self-concordant analysis for logistic regression,
Electronic Journal of Statistics 4 (2010).
"""

import math

import numpy as np

import coordboost as cb
from coordboost.theory.bounds import BoundCheck
from verification.space import Space
from verification.statement import claim

#: Losses, and what makes a target of each from a number.
LOSSES = (
    (cb.losses.Poisson(), abs),
    (cb.losses.Logistic(), lambda number: math.copysign(1.0, number)),
    (cb.losses.Exponential(), lambda number: math.copysign(1.0, number)),
    (cb.losses.Gamma(), lambda number: abs(number) + 1e-3),
    (cb.losses.Tweedie(1.2), abs),
    (cb.losses.Tweedie(1.5), abs),
)
#: The minimum is looked for up to here.
FAR = 100.0


class Leaf:
    """The rows of a leaf."""

    def __init__(self, loss, y, f, weight, l2=0.0):
        self.loss = loss
        self.y = y
        self.f = f
        self.weight = weight
        self.l2 = l2

    def fall(self, t):
        """Return -phi'(t)."""
        return sum(
            w * self.loss.residual(y, f + t)
            for y, f, w in zip(self.y, self.f, self.weight, strict=True)
        )

    def newton(self):
        """Return S / (H + l2)."""
        curvature = sum(
            w * self.loss.curvature(y, f)
            for y, f, w in zip(self.y, self.f, self.weight, strict=True)
        )
        return self.fall(0.0) / (curvature + self.l2)

    def minimum(self):
        """Return the minimum of phi, at most FAR from 0."""
        side = 1.0 if self.fall(0.0) > 0 else -1.0
        near, far = 0.0, FAR
        for _ in range(80):
            middle = (near + far) / 2
            near, far = (middle, far) if side * self.fall(side * middle) > 0 else (near, middle)
        return side * far

    def step(self):
        """Return the value of the leaf in the package."""
        rows = cb.data.trees(np.zeros((len(self.y), 1)), newton=True, l2=self.l2)
        problem = cb.Problem(
            rows, self.y, self.loss, sample_weight=self.weight, offset=self.f, center=False
        )
        return float(cb.solve(problem, cb.gbm(1.0), 1, compile=False).pred[0])


def _made(shape, numbers):
    """numbers: the loss, l2, and for each row its target, prediction and the logarithm of its
    weight.
    """
    m = shape[0]
    if m < 1 or len(numbers) != 3 * m + 2 or np.abs(numbers).max() > 20:
        return None
    loss, target = LOSSES[int(abs(numbers[0])) % len(LOSSES)]
    y, f, size = numbers[2:].reshape(3, m)
    return Leaf(
        loss,
        np.array([target(number) for number in y]),
        f.copy(),
        np.exp(size / 4),
        abs(float(numbers[1])),
    )


def _drawn(rng):
    m = int(rng.integers(1, 5))
    l2 = rng.choice((0.0, 1.0))
    rows = (
        rng.choice((0.01, 1.0, 10.0)) * rng.normal(size=m),
        2 * rng.normal(size=m),
        4 * rng.normal(size=m),
    )
    return (m,), np.concatenate([[rng.integers(len(LOSSES)), l2], *rows])


LEAVES = Space("a leaf", _drawn, _made, exact=False, has=lambda case: isinstance(case, Leaf))


def _checked(case, value):
    minimum = case.minimum()
    side = math.copysign(1.0, minimum)
    return BoundCheck(
        "damped leaf",
        "sharpened",
        "upper",
        side * value,
        side * minimum,
        1e-9 * (1 + abs(minimum)),
        at=minimum,
        along="minimum",
    )


@claim("Damped leaf", LEAVES, sharpened="verified")
def check_leaf(case, variant):
    """sign(v) log(1 + C |v|) / C, v = S / (H + l2), does not pass the minimum of the leaf: ours."""
    return _checked(case, case.step())


def _with(case, factor):
    """Return the value with `factor` times the fit inside the logarithm."""
    C = case.loss.self_concordance
    v = case.newton()
    return math.copysign(math.log1p(factor * C * abs(v)) / C, v)


def rows_of(loss, y, f, l2=0.0):
    """Return a leaf with equal weights."""
    return Leaf(loss, np.array(y), np.array(f), np.ones(len(y)), l2)


CASES = {
    "Poisson, a rare group": lambda: rows_of(cb.losses.Poisson(), [1.0, 1, 1], [-5.47] * 3),
    "Poisson, few counts": lambda: rows_of(cb.losses.Poisson(), [0.0, 0, 1], [0.0, 0.5, 0.1]),
    "logistic, a rare class": lambda: rows_of(cb.losses.Logistic(), [1.0, -1], [-8.0, -8.0]),
    "exponential": lambda: rows_of(cb.losses.Exponential(), [1.0, 1, 1, -1], [-1.0, 0.5, 0, 0]),
    "gamma, amounts a thousand times smaller": lambda: rows_of(
        cb.losses.Gamma(), [1e-3, 2e-3], [0.0, 0.5]
    ),
    "Tweedie": lambda: rows_of(cb.losses.Tweedie(1.2), [5.0, 0, 1], [-3.0, -3, -3]),
    "Poisson with a ridge penalty": lambda: rows_of(cb.losses.Poisson(), [3.0, 2], [0.0, 0.0], 1.0),
}

SABOTAGE = {
    check_leaf: {
        "log(1 + 1.5 |v|)": lambda case: _checked(case, _with(case, 1.5)),
        "log(1 + 1.05 |v|)": lambda case: _checked(case, _with(case, 1.05)),
        "Newton's value, without damping": lambda case: _checked(case, case.newton()),
    }
}
