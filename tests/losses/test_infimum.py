"""The infimum that losses declare, and certificates that use it: Poisson's loss goes far below
0.
"""

import math
from collections import namedtuple
from fractions import Fraction

import numpy as np
import pytest
from designs import columns
from refusal import refused
from scipy.optimize import minimize

import coordboost as cb

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 5))
COUNTS = RNG.poisson(np.exp(1.0 + X @ [0.5, -0.4, 0.3, 0.0, 0.0])).astype(float)
WEIGHT = RNG.integers(0, 3, 40).astype(float)


class Counts(namedtuple("Counts", ""), cb.losses.Loss):
    """Poisson's loss without a declared infimum."""

    def value(self, y, f):
        return math.exp(f) - y * f

    def residual(self, y, f):
        return y - math.exp(f)

    def curvature(self, y, f):
        return math.exp(f)

    def constant(self, y, weight):
        return math.log(np.average(y, weights=weight))


class Bounded(Counts):
    """The same with its infimum, which is reached at f = log y."""

    def infimum(self, y):
        return y - y * np.log(np.where(y > 0, y, 1.0))


def declaring(what):
    return type("Own", (Counts,), {"infimum": what})()


@pytest.mark.parametrize("weight", [None, WEIGHT])
def test_the_infimum_of_a_problem_is_the_weighted_sum(weight):
    """It is below the exact sum of terms by at most 3 U of their absolute values: a rounding for
    each product, and the allowance.
    """
    problem = cb.Problem(X, COUNTS, Bounded(), sample_weight=weight)
    terms = [
        Fraction(w) * Fraction(i)
        for w, i in zip(problem.weight, Bounded().infimum(COUNTS), strict=True)
    ]
    assert (
        0
        <= sum(terms) - Fraction(problem.infimum)
        <= 3 * Fraction(np.finfo(float).eps) * sum(map(abs, terms))
    )


def test_an_infimum_that_is_not_declared_is_unknown():
    assert cb.Problem(X, COUNTS, Counts()).infimum == -math.inf
    assert cb.Problem(X, COUNTS, declaring(-2.5)).infimum == pytest.approx(-100.0, rel=1e-15)
    only = declaring(lambda self, y: np.where(np.arange(40) < 39, 1.0, -math.inf))
    assert cb.Problem(X, COUNTS, only).infimum == -math.inf
    assert cb.Problem(X, COUNTS, only, sample_weight=np.arange(40) < 39).infimum == pytest.approx(
        39.0, rel=1e-15
    )


@pytest.mark.parametrize(
    "loss",
    [cb.losses.Squared(), cb.losses.Huber(0.3), cb.losses.Logistic(0.2), cb.losses.Exponential()],
    ids=repr,
)
def test_losses_of_the_package_are_not_negative(loss):
    assert cb.Problem(X, np.where(COUNTS > 2, 1.0, -1.0), loss).infimum == 0


@pytest.mark.parametrize(
    "wrong",
    [
        math.nan,
        math.inf,
        None,
        "zero",
        lambda self, y: np.full(3, 0.0),
        lambda self, y: np.full(40, np.nan),
        lambda self, y: {},
    ],
    ids=["NaN", "inf", "None", "a string", "a wrong shape", "NaN entries", "no numbers"],
)
def test_a_wrong_declaration_is_one_sentence(wrong):
    refused(
        lambda: cb.Problem(X, COUNTS, declaring(wrong)).infimum,
        "Own: infimum must be a number below infinity",
    )


TARGETS = [
    cb.certificates.Unconstrained(),
    cb.certificates.L1Ball(0.5),
    cb.certificates.L1Ball(40.0),
    cb.certificates.L1Penalty(5.0),
    cb.certificates.L1Penalty(0.0),
    cb.certificates.L1Penalty(1e4),
]
POINTS = [
    np.zeros(5),
    np.array([0.1, 0.0, 0.0, -0.05, 0.0]),
    np.full(5, 0.5),
    np.array([1.0, -0.9, 0.8, 0.3, -0.4]),
]


def smallest(problem, target):
    """Return a value slightly above L* and its beta, by descent on the positive and negative parts
    of beta, each at least 0.
    """
    B = columns(problem)
    lam = getattr(target, "lam", 0.0)

    def value(parts):
        beta = parts[:5] - parts[5:]
        slope = -B.T @ problem.resid(B @ beta)
        return problem.value(B @ beta) + lam * parts.sum(), np.concatenate([slope, -slope]) + lam

    radius = getattr(target, "radius", 1e9)
    inside = {
        "type": "ineq",
        "fun": lambda parts: radius - parts.sum(),
        "jac": lambda parts: -np.ones(10),
    }
    bounded = {"method": "SLSQP", "constraints": inside, "options": {"ftol": 1e-15, "maxiter": 500}}
    free = {"method": "L-BFGS-B", "options": {"ftol": 0, "gtol": 1e-10, "maxiter": 2000}}
    found = minimize(
        value,
        np.full(10, 0.01),
        jac=True,
        bounds=[(0, None)] * 10,
        **(bounded if radius < 1e9 else free),
    ).x
    parts = np.maximum(found, 0.0) * min(1.0, radius / found.sum() if found.any() else 1.0)
    return value(parts)[0], parts[:5] - parts[5:]


@pytest.mark.parametrize("loss", [Counts(), Bounded()], ids=["not declared", "declared"])
@pytest.mark.parametrize("target", TARGETS, ids=repr)
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
def test_values_far_below_zero_get_true_intervals(loss, target, weight):
    """Without weights L* is near -40: 0 would be a false lower end."""
    problem = cb.Problem(X, COUNTS, loss, sample_weight=weight)
    optimum, _ = smallest(problem, target)
    assert optimum < -1.0
    for beta in POINTS:
        own = cb.certify(problem, beta, target)
        assert own.lower <= optimum and own.lower <= own.upper
        assert own.known == (own.lower > -math.inf) and not math.isnan(own.gap)
        if isinstance(loss, Bounded):
            assert own.lower >= problem.infimum
        if isinstance(target, cb.certificates.L1Ball):
            assert own.known


@pytest.mark.parametrize("target", TARGETS[1:4], ids=repr)
def test_the_interval_closes_at_the_optimum(target):
    """The infimum has the weight 1 - s in the lower end, which is small near the optimum; the
    descent stops near 1e-10.
    """
    problem = cb.Problem(X, COUNTS, Bounded())
    optimum, beta = smallest(problem, target)
    own = cb.certify(problem, beta, target)
    assert own.gap <= 1e-5 * problem.start_excess and own.lower <= optimum


def test_a_loss_below_its_declared_infimum_is_detected():
    problem = cb.Problem(X, COUNTS, declaring(0.0))
    for target in TARGETS:
        refused(
            lambda target=target: cb.certify(problem, POINTS[0], target),
            "below the infimum 0 that Own declares",
        )


def test_messages_without_a_lower_end():
    problem = cb.Problem(X, COUNTS, Counts())
    own = cb.certify(problem, POINTS[2])
    assert str(own).endswith(
        "; no lower bound is known: the loss declares no infimum"
    ) and "inf," not in str(own)
    refused(
        lambda: cb.solve(
            problem,
            cb.methods.gcd(cb.rules.LineSearch()),
            20,
            compile=False,
            stop=cb.engine.GapBelow(1e-3),
        ),
        "GapBelow: no lower bound is known",
    )
