"""Worst cases over complete classes, proved in fractions: the closed forms themselves, not numbers
near them.
"""

import itertools
from fractions import Fraction as F

import pytest

from verification.worst_case import chain, descent
from verification.worst_case.conjectures import agbm_complete, gbm_complete

ONE = F(1)
GAMMAS = (F(1, 1000), F(1, 5), F(1, 2), ONE)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 6, 9])
@pytest.mark.parametrize("gamma", GAMMAS, ids=str)
def test_accelerated_boosting(n, gamma):
    """If learners fit everything, the correction is 0: either sign, or none, gives the same
    method.
    """
    for sign in (1, -1, 0) if n <= 4 else (1,):
        assert chain.proved(descent.agbm(n, ONE, gamma, sign)) == agbm_complete(n, gamma)


@pytest.mark.parametrize("n", range(1, 9))
def test_gradient_boosting_has_the_multipliers_of_drori_and_teboulle(n):
    model = descent.gbm(n, ONE)
    assert chain.weights(model) == (
        F(1, 2 * n + 1),
        [F(k, 2 * n + 1 - k) for k in range(n + 1)] + [1],
    )
    assert chain.proved(model) == gbm_complete(n)


@pytest.mark.slow
def test_thirty_rounds():
    assert chain.proved(descent.agbm(30, ONE, ONE)) == agbm_complete(30, 1)


@pytest.mark.parametrize("gamma", [F(k, 12) for k in range(1, 13)], ids=str)
def test_two_rounds_by_hand(gamma):
    """Without x* the form is a sum of squared differences of gradients, with the weights in the
    docs, for every gamma up to 1.
    """
    model = descent.agbm(2, ONE, gamma)
    c, mu = chain.weights(model)
    assert mu == [
        0,
        (1 + 2 * gamma) / (8 + 4 * gamma),
        (4 + 2 * gamma) / (7 + 2 * gamma),
        1,
    ] and c == 3 / (11 + 4 * gamma)
    part = (1 + 2 * gamma) / 3
    seven = 7 + 2 * gamma
    eight = 8 + 4 * gamma
    expected = {
        (0, 1): part * (187 + 24 * gamma - 60 * gamma**2 - 16 * gamma**3) / (seven * eight**2),
        (0, 2): 9 * part / (seven * eight),
        (1, 2): (107 + 144 * gamma + 84 * gamma**2 + 16 * gamma**3) / (seven**2 * eight),
    }
    assert differences(model, c, mu) == expected and min(expected.values()) > 0


def test_one_round_by_hand():
    model = descent.agbm(1, ONE, ONE)
    assert differences(model, *chain.weights(model)) == {(0, 1): F(1, 4)}


def differences(model, c, mu):
    """Minus the weight of |g_i - g_j|^2 / 2 in the remaining form of the proof, at the worst x*,
    for each i < j.
    """
    names = [next(iter(point.gradient.parts)) for point in model.points[1:]]
    form = chain.remainder(model, c, mu)
    nu = [b - a for a, b in itertools.pairwise(mu)]
    pairs = [(i, j) for j in range(len(names)) for i in range(j)]
    # the best x* turns -(c / 2) |x*|^2 - <sum nu_k g_k, x*> into |sum nu_k g_k|^2 / (2 c)
    left = {(i, j): form.gram.get((names[i], names[j]), 0) + nu[i] * nu[j] / c for i, j in pairs}
    for i, name in enumerate(names):  # in a sum of squared differences each row adds up to 0
        own = form.gram.get((name, name), 0) + nu[i] ** 2 / (2 * c)
        assert 2 * own + sum(value for pair, value in left.items() if i in pair) == 0
    return left


@pytest.mark.parametrize(
    "change",
    [
        lambda c, mu: (c * F(99, 100), mu),
        lambda c, mu: (c * F(101, 100), mu),
        lambda c, mu: (c, [0, mu[1] * F(101, 100), *mu[2:]]),
        lambda c, mu: (c, [0, *mu[1:-1], F(1, 2)]),
        lambda c, mu: (c, [0, mu[2], mu[1], *mu[3:]]),
    ],
)
def test_wrong_multipliers_prove_nothing(change, monkeypatch):
    model = descent.agbm(3, ONE, ONE)
    changed = change(*chain.weights(model))
    monkeypatch.setattr(chain, "weights", lambda model: changed)
    assert chain.proved(model) is None


def test_steps_longer_than_in_the_theorem_are_not_proved():
    assert chain.proved(descent.agbm(8, ONE, F(3))) is None
