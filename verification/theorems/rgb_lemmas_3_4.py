r"""Lipschitz constants of a step along one learner (Lemma 3) and of a family (Lemma 4), and the
gain of a step with them.

Problem: mean logistic loss L(F) = (1/m) sum_i ln(1 + exp(-y_i F_i)); learners h with |h| <= lambda.

Method: F <- F - L'_h h / C with L'_h = dL(F + t h) / dt at t = 0.

Assumptions: the derivative of the loss is 1/4-Lipschitz.

Claim: upper, Lemma 3: |L'_h(F + t h) - L'_h(F)| <= C_h |t|, C_h = (1/m) sum_i h_i^2 / 4. Upper,
Lemma 4: the constant of a family, printed lambda / 4, corrected lambda^2 / 4, is at least C_h.
Upper: with such a constant L(F - L'_h h / C) <= L(F) - (L'_h)^2 / (2 C).

Constants: 1/4 for the logistic loss.

Measured: both sides at random F, h, t; among them a learner that is lambda = 4 everywhere, on the
labels +, +, +, -: with the printed constant its loss goes from 0.6931 to 1.0181.

Reference: Cortes, Mohri, Storcheus, *Regularized Gradient Boosting*, Lemmas 3 and 4 and Section 4.
"""

import numpy as np

from coordboost.theory.bounds import BoundCheck
from verification.space import Space
from verification.statement import claim


class Learner:
    """A learner within a bound, and a point."""

    def __init__(self, y, h, bound, F):
        self.y = y
        self.h = h
        self.bound = bound
        self.F = F
        self.constant = float(np.mean(h * h)) / 4

    def loss(self, F):
        return float(np.mean(np.logaddexp(0, -self.y * F)))

    def slope(self, t=0.0):
        return float(
            np.mean(-self.y * self.h * np.exp(-np.logaddexp(0, self.y * (self.F + t * self.h))))
        )

    def of_family(self, variant):
        return (
            self.constant
            if variant == "sharpened"
            else self.bound ** (1 if variant == "printed" else 2) / 4
        )


def some(bound, seed):
    """Return a learner with random labels, values within the bound, and point."""
    rng = np.random.default_rng(seed)
    m = 12
    return Learner(
        rng.choice((-1.0, 1.0), m), bound * rng.uniform(-1, 1, m), bound, 2 * rng.normal(size=m)
    )


def _made(shape, numbers):
    """numbers: the values of h divided by the bound, numbers whose signs are the labels, the point
    F, the bound.
    """
    m = shape[0]
    parts = (
        numbers[:-1].reshape(3, -1) if len(numbers) == 3 * shape[0] + 1 else np.full((3, 1), 2.0)
    )
    good = (
        m > 0
        and np.abs(parts[0]).max() <= 1
        and np.abs(parts[0]).max() > 1e-3
        and 1e-2 <= numbers[-1] <= 50
    )
    if not good or np.abs(parts[2]).max() > 20:
        return None
    return Learner(
        np.where(parts[1] < 0, -1.0, 1.0), numbers[-1] * parts[0], float(numbers[-1]), parts[2]
    )


def _drawn(rng):
    m = int(rng.integers(1, 6))
    remaining = [
        rng.uniform(-1, 1, m),
        rng.normal(size=m),
        2 * rng.normal(size=m),
        [rng.choice((0.25, 0.5, 1.0, 2.0, 4.0))],
    ]
    return (m,), np.concatenate(remaining)


LEARNERS = Space(
    "a learner within a bound",
    _drawn,
    _made,
    exact=False,
    has=lambda case: isinstance(case, Learner),
)


def _lemma_3(case, factor=1.0):
    t = np.concatenate([-np.geomspace(1e-3, 10, 40), np.geomspace(1e-3, 10, 40)])
    moved = np.array([abs(case.slope(one) - case.slope()) for one in t])
    return BoundCheck(
        "Lemma 3",
        "printed",
        "upper",
        moved,
        factor * case.constant * np.abs(t),
        1e-14,
        at=t,
        along="t",
    )


@claim("RGB, Lemma 3", LEARNERS, printed="verified")
def check_lipschitz(case, variant):
    """|L'(t) - L'(0)| <= C_h |t|, C_h = (1/m) sum_i h_i^2 / 4."""
    return _lemma_3(case)


@claim("RGB, Lemma 4", LEARNERS, printed="refuted", corrected="verified")
def check_family(case, variant):
    """The constant of a family is at least that of each of its learners."""
    return BoundCheck(
        "Lemma 4",
        variant,
        "upper",
        case.constant,
        case.of_family(variant),
        1e-15 * case.bound**2,
        at=case.bound,
        along="lambda",
    )


def _gain(case, variant, factor=1.0):
    C = case.of_family(variant)
    lowered = case.loss(case.F) - case.loss(case.F - case.slope() / C * case.h)
    return BoundCheck(
        "gain of a step",
        variant,
        "upper",
        factor * case.slope() ** 2 / (2 * C),
        lowered,
        1e-14,
        at=case.bound,
    )


@claim(
    "RGB, the gain of a step",
    LEARNERS,
    printed="refuted",
    corrected="verified",
    sharpened="verified",
)
def check_gain(case, variant):
    """A step lowers the loss by at least (L')^2 / (2 C).

    Sharpened: with the constant of the learner itself.
    """
    return _gain(case, variant)


CASES = {
    "a leaf of value 4, labels + + + -": lambda: Learner(
        np.array([1.0, 1, 1, -1]), np.full(4, 4.0), 4.0, np.zeros(4)
    ),
    "a leaf, margins of 0": lambda: Learner(
        np.array([1.0, -1]), np.ones(2), 1.0, np.array([1e-3, 0.0])
    ),
    **{
        f"lambda = {bound:g}, {seed}": (lambda bound=bound, seed=seed: some(bound, seed))
        for bound in (0.1, 1.0, 4.0)
        for seed in range(3)
    },
}

SABOTAGE = {
    check_lipschitz: {"a tenth less": lambda case: _lemma_3(case, 1 / 1.1)},
    check_family: {
        "a tenth less": lambda case: BoundCheck(
            "Lemma 4", "corrected", "upper", case.constant, case.of_family("corrected") / 1.1, 0.0
        )
    },
    check_gain: {"twice the gain": lambda case: _gain(case, "sharpened", 2.0)},
}
