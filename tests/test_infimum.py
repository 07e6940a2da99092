"""What losses declare as their infimum, and what certificates claim from it: Poisson's loss goes far below 0."""

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pytest
from refusal import refused

import coordboost as cb

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 5))
COUNTS = RNG.poisson(np.exp(1.0 + X @ [0.5, -0.4, 0.3, 0.0, 0.0])).astype(float)
WEIGHT = RNG.integers(0, 3, 40).astype(float)


class Counts(NamedTuple):
    """Poisson's loss without a word about its infimum."""

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
    """Below the exact sum of the terms, by no more than 3 U of their sizes: a rounding for each product, and the allowance."""
    problem = cb.Problem(X, COUNTS, Bounded(), sample_weight=weight)
    terms = [Fraction(w) * Fraction(i) for w, i in zip(problem.weight, Bounded().infimum(COUNTS), strict=True)]
    assert 0 <= sum(terms) - Fraction(problem.infimum) <= 3 * Fraction(np.finfo(float).eps) * sum(map(abs, terms))


def test_what_is_not_declared_is_not_known():
    assert cb.Problem(X, COUNTS, Counts()).infimum == -math.inf
    assert cb.Problem(X, COUNTS, declaring(-2.5)).infimum == pytest.approx(-100.0, rel=1e-15)
    only = declaring(lambda self, y: np.where(np.arange(40) < 39, 1.0, -math.inf))
    assert cb.Problem(X, COUNTS, only).infimum == -math.inf
    assert cb.Problem(X, COUNTS, only, sample_weight=np.arange(40) < 39).infimum == pytest.approx(39.0, rel=1e-15)


@pytest.mark.parametrize("loss", [cb.Squared(), cb.Huber(0.3), cb.Logistic(0.2), cb.Exponential()], ids=repr)
def test_losses_of_the_house_are_not_negative(loss):
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
    refused(lambda: cb.Problem(X, COUNTS, declaring(wrong)).infimum, "Own: infimum must be a number below infinity")
