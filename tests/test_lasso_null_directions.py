"""The Lasso by an active set where a learner depends on the active ones: along the null direction the fit stays, the penalty falls."""

import numpy as np
import pytest

from coordboost.lasso.active import join, let_in, nobody, slide

LAM = 0.5


def state(X, gamma, y, members):
    """Gram matrix, active set `members`, correlations at the coefficients."""
    gram, active = X.T @ X, nobody(X.shape[1])
    assert all(let_in(gram, active, j) for j in members)
    return gram, active, X.T @ (y - X @ gamma)


def first_zero(way, gamma, j, members):
    """Where the null direction e_j - way on the members leads in which the penalty falls: to the first coefficient that becomes 0."""
    null = np.zeros(len(gamma))
    null[j], null[members] = 1.0, -way
    null *= -np.sign(null @ np.sign(gamma))
    steps = np.array([-value / move if value * move < 0 else np.inf for value, move in zip(gamma, null, strict=True)])
    leaver = int(steps.argmin())
    to = gamma + steps[leaver] * null
    to[leaver] = 0.0
    return to, leaver


ONE_OF_EACH_SIGN = [
    ((-1, -5, -1, -1), 0), ((1, 2, 4, -5), 0), ((-5, -1, -1, -3), 1), ((-5, 1, -3, -5), 1),
    ((2, -3, 1, 2), 2), ((3, 4, -1, -2), 2), ((-3, 2, -2, 1), 3), ((4, -3, -5, -1), 3),
]  # fmt: skip


@pytest.mark.parametrize("ahead", [0, 1])
@pytest.mark.parametrize(("gamma", "leaver"), ONE_OF_EACH_SIGN)
def test_the_first_coefficient_that_becomes_0_leaves(gamma, leaver, ahead):
    """The last learner, or with all moved `ahead` by one the first, is 2 e_0 + e_1 / 2 - e_2: along it any of the four may leave first."""
    X = np.roll(np.column_stack([np.eye(3), [2.0, 0.5, -1.0]]), ahead, axis=1)
    gamma, members, j = np.roll(np.array(gamma, dtype=float), ahead), [2 + ahead, ahead, 1 + ahead], (3 + ahead) % 4
    leaver = (leaver + ahead) % 4
    gram, active, now = state(X, gamma, np.array([5.0, -3.0, 2.0]), members)
    to, who = first_zero(np.array([-1.0, 2.0, 0.5]), gamma, j, members)
    fit, before = X @ gamma, now.copy()
    assert not let_in(gram, active, j)
    assert slide(gram, active, now, gamma, j, LAM) and who == leaver
    np.testing.assert_allclose(gamma, to, atol=1e-14)
    assert gamma[leaver] == 0.0
    np.testing.assert_allclose(X @ gamma, fit, atol=1e-13)
    np.testing.assert_allclose(now, before, atol=1e-13)
    assert sorted(active.member[: active.size[0]]) == sorted(set(members) - {leaver})
    assert (active.place >= 0).sum() == active.size[0]


def test_a_learner_comes_in_for_one_that_leaves():
    """Learner 2 explains as much as 0 and 1 together at a smaller penalty: it is active then, and one of them is not."""
    X = np.column_stack([np.eye(2), [1.0, 1.0]])
    gamma = np.array([1.0, 2.0, 0.0])
    gram, active, now = state(X, gamma, np.array([1.5, 2.5]), [0, 1])
    assert join(gram, active, now, gamma, 2, LAM)
    np.testing.assert_allclose(gamma, [0.0, 1.0, 1.0], atol=1e-14)
    assert set(active.member[: active.size[0]]) == {1, 2} and list(active.place[[1, 2]]) != [-1, -1] and active.place[0] == -1


@pytest.mark.parametrize(("large", "part"), [(1.0, 5e-10), (-1000.0, 5e-7)])
def test_a_part_of_rounding_moves_nobody(large, part):
    """Learner 3 has next to nothing of e_2 in it: no reason to let learner 2 go, whose coefficient would be the first to be 0."""
    X = np.column_stack([np.eye(3), [large, 1.0, part]])
    gamma = np.array([np.sign(large), 2.0, 1e-12, 0.0])
    gram, active, now = state(X, gamma, np.array([1.5 * np.sign(large), 2.5, LAM]), [0, 1, 2])
    assert not let_in(gram, active, 3)
    assert slide(gram, active, now, gamma, 3, LAM)
    np.testing.assert_allclose(gamma, [0.0, 2.0 - 1 / abs(large), 1e-12, 1 / abs(large)], rtol=1e-12)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_copy_may_take_over(sign):
    """Along a copy nothing changes: the direction in which a coefficient becomes 0 is taken."""
    X, gamma = np.array([[1.0, sign]]), np.array([2.0, 0.0])
    gram, active, now = state(X, gamma, np.array([2.0 + LAM]), [0])
    assert join(gram, active, now, gamma, 1, LAM)
    np.testing.assert_array_equal(gamma, [0.0, 2.0 * sign])
    assert list(active.place) == [-1, 0]


@pytest.mark.parametrize("others", [0, 1])
def test_nothing_becomes_0_for_a_learner_without_length(others):
    """A column of zeros joins nobody, and nobody leaves for it."""
    X, gamma = np.array([[1.0, 0.0], [0.0, 0.0]]), np.array([2.0, 0.0])
    gram, active, now = state(X, gamma, np.array([2.0 + LAM, 0.0]), [0] * others)
    assert join(gram, active, now, gamma, 1, LAM) is False
    np.testing.assert_array_equal(gamma, [2.0, 0.0])
    assert list(active.place) == [others - 1, -1]


def test_a_learner_that_left_need_not_come_back():
    """Learner 1 is a copy of 0 with the other sign: its own coefficient becomes 0 first, and its correlation asks for no more."""
    X, gamma = np.array([[1.0, -1.0]]), np.array([2.0, 1.0])
    gram, active, now = state(X, gamma, np.array([1.0 + LAM]), [0])
    assert join(gram, active, now, gamma, 1, LAM)
    np.testing.assert_array_equal(gamma, [1.0, 0.0])
    assert list(active.place) == [0, -1]
