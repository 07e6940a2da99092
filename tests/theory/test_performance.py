"""Worst cases of a user's own methods: closed forms, both ends of the interval checked separately,
and refused input.
"""

import math
from fractions import Fraction as F

import numpy as np
import pytest

import coordboost as cb
from coordboost.theory.performance import Envelope, UnknownLoss, solve_and_prove
from verification.worst_case.catalogue import CASES
from verification.worst_case.interval import worst_case as of_package

worst_case = cb.theory.worst_case


def descent(step=1.0, relative=False):
    def method(loss, n_steps):
        x = loss.start
        if relative:
            loss.assume(loss(x))
        for _ in range(n_steps):
            x = x - step * loss.fit(loss.gradient(x))
        return loss(x)

    return method


def nesterov(loss, n_steps):
    x = y = loss.start
    for i in range(n_steps):
        x, before = y - loss.gradient(y), x
        y = x + F(i, i + 3) * (x - before)
    return loss(x)


def searching(loss, n_steps):
    x = loss.start
    loss.assume(loss(x))
    for _ in range(n_steps):
        x = loss.line_search(x, loss.fit(loss.gradient(x)))
    return loss(x)


def accelerated_boosting(loss, n_steps):
    """AGBM with eta = gamma = 1."""
    f = h = left = loss.start
    for m in range(n_steps):
        g = (1 - 2 / (m + 2)) * f + h * (2 / (m + 2))
        gradient = loss.gradient(g)
        fit = loss.fit(gradient)
        f = g - fit
        corrected = gradient + left * ((m + 1) / (m + 2))
        second = fit if m == 0 else loss.fit(corrected)
        left = corrected - second
        h = h - second * ((m + 2) / 2)
    return loss(f)


#: name -> method, n_steps, mu, angle, the worst case.
KNOWN = {
    "no step": (descent(), 0, 0, 1, 1 / 2),
    **{
        f"gradient descent, n = {n} (Drori, Teboulle)": (descent(), n, 0, 1, 1 / (4 * n + 2))
        for n in (1, 4, 8)
    },
    "short steps": (descent(0.5), 3, 0, 1, 0.5 / (2 * 3 * 0.5 + 1)),
    "long steps": (descent(1.9), 2, 0, 1, 0.9**4 / 2),
    "strongly convex": (descent(relative=True), 3, 0.1, 1, 0.9**6),
    **{
        f"Nesterov, n = {n} (Drori, Teboulle)": (nesterov, n, 0, 1, 2 / ((n + 2) * (n + 3)))
        for n in (1, 2, 5)
    },
    **{
        f"exact line search, n = {n} (de Klerk)": (searching, n, 0.1, 1, (0.9 / 1.1) ** (2 * n))
        for n in (1, 3)
    },
    "LS-Boost (ours, sharpened)": (descent(0.5, True), 3, 1, 0.7, (1 - 0.75 * 0.49) ** 3),
    "LS-Boost with whole steps": (descent(1.0), 2, 1, 0.3, 0.91**2 / 2),
}


@pytest.mark.parametrize("name", KNOWN)
def test_values_that_are_known_lie_in_a_narrow_interval(name):
    method, n_steps, mu, angle, known = KNOWN[name]
    found = worst_case(method, n_steps, mu=mu, angle=angle)
    assert found.lower <= known <= found.upper
    assert found.upper - found.lower <= 2e-6


def test_the_upper_end_is_a_proof_in_fractions():
    loss = UnknownLoss()
    _, bound = solve_and_prove(loss.finished(descent()(loss, 4)))
    assert isinstance(bound, F) and F(1, 18) < bound < F(1, 18) + F(1, 10**6)


@pytest.mark.parametrize(
    ("method", "name", "mu"),
    [(descent(1, True), "gbm_strong", 0.1), (accelerated_boosting, "agbm_one", 0.0)],
)
def test_the_methods_of_the_package_have_the_same_worst_case(method, name, mu):
    """For these methods the lower end is attained by a run of ``cb.solve``."""
    mine = worst_case(method, 3, mu=mu, angle=0.7)
    other = of_package(name, 3, F(7, 10))
    assert (
        CASES[name].play is not None
        and abs(mine.lower - other.lower) <= 1e-5
        and abs(mine.upper - other.upper) <= 1e-5
    )


@pytest.mark.parametrize(
    ("method", "mu", "angle"), [(descent(), 0, 1), (searching, 0.1, 0.7), (descent(0.5), 1, 0.7)]
)
def test_the_witness_is_a_loss_of_the_class_with_learners_of_the_angle(method, mu, angle):
    found = worst_case(method, 2, mu=mu, angle=angle)
    loss = found.witness
    assert loss.error(method, 2) * (1 - 1e-8) == found.lower
    assert loss(loss.minimiser) == pytest.approx(0, abs=1e-9) and loss(loss.start) >= 0
    rng = np.random.default_rng(0)
    for _ in range(20):
        x, y = loss.minimiser + rng.normal(size=(2, len(loss.start)))
        g = loss.gradient(x)
        h = loss.gradient(y)
        away = x - y
        slopes = g - h
        # strong convexity and smoothness, hence cocoercive gradients
        below = loss(y) + h @ away + mu / 2 * away @ away
        assert loss(x) >= below - 1e-9 and slopes @ slopes <= slopes @ away + 1e-8
        small = 1e-5 * rng.normal(size=len(x))
        assert loss(x + small) - loss(x - small) == pytest.approx(2 * g @ small, abs=1e-9)
    assert np.allclose(np.linalg.norm(loss.learners, axis=0), 1)
    assert loss.least_angle >= angle - 1e-9 and (loss.learners.size == 0) == (angle == 1)


def test_an_envelope_takes_the_value_of_the_best_polyhedron_point():
    """Compared with its definition, minimised by brute force over the weights of two corners."""
    x = np.array([[0.0, 0], [2, 1]])
    gradients = np.array([[0.0, 0], [0.5, 0.2]])
    values = np.array([0.0, 0.7])
    envelope = Envelope(x, gradients, values)
    weight = np.linspace(0, 1, 100_001)
    w = x - gradients
    v = values - (gradients**2).sum(axis=1) / 2
    for at in np.random.default_rng(1).normal(size=(10, 2)) * 2:
        points = (1 - weight[:, None]) * w[0] + weight[:, None] * w[1]
        known = (((at - points) ** 2).sum(axis=1) / 2 + (1 - weight) * v[0] + weight * v[1]).min()
        assert envelope.below(at) == pytest.approx(known, abs=1e-9)


def test_a_line_search_gains_little_where_learners_are_weak():
    fixed, searched = (
        worst_case(method, 2, mu=0.1, angle=0.3) for method in (descent(relative=True), searching)
    )
    assert searched.upper < fixed.lower < 1.00002 * searched.lower


def test_nothing_is_claimed_where_nothing_is_known():
    """A line search may go arbitrarily far where the loss is not strongly convex."""
    found = worst_case(
        lambda loss, n: loss(loss.line_search(loss.start, loss.gradient(loss.start))), 1
    )
    assert found.upper == math.inf and 0 <= found.lower <= 0.5


def test_another_unit_is_another_worst_case():
    def halved(loss, n_steps):
        loss.assume(4 * ((loss.start - loss.minimiser) @ (loss.start - loss.minimiser)))
        return descent()(loss, n_steps)

    found = worst_case(halved, 1)
    assert found.lower <= 1 / 24 <= found.upper <= 1 / 24 + 1e-6


@pytest.mark.parametrize(
    ("method", "words"),
    [
        (lambda loss, n: loss.start, "must be made of losses and inner products"),
        (lambda loss, n: None, "must be made of losses"),
        (lambda loss, n: loss(loss.start) + 1, "without a constant"),
        (lambda loss, n: loss(loss.start + 1), "only vectors can be added"),
        (
            lambda loss, n: loss(math.nan * loss.gradient(loss.start)),
            "finite numbers that are known before the run",
        ),
        (
            lambda loss, n: loss(loss(loss.start) * loss.gradient(loss.start)),
            "known before the run",
        ),
        (lambda loss, n: loss(3), "only vectors can be added"),
        (3, "method must be a function"),
        (cb.Problem, "method must be a function"),
        (cb.ls_boost, "method must be a function"),
        (lambda loss: loss(loss.start), "method must be a function"),
    ],
)
def test_what_is_no_method_is_refused_in_a_sentence(method, words):
    with pytest.raises(ValueError, match=words):
        worst_case(method, 1)


@pytest.mark.parametrize(
    "settings",
    [
        {"n_steps": -1},
        {"n_steps": 0.5},
        {"mu": 1.5},
        {"mu": "a"},
        {"angle": 0},
        {"angle": math.nan},
    ],
)
def test_numbers_out_of_range_are_refused(settings):
    with pytest.raises(ValueError, match=next(iter(settings))):
        worst_case(**{"method": descent(), "n_steps": 1, **settings})
