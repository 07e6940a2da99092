"""Selection rules: uniform draws that are independent of block boundaries; norms and weights equal
their exact distributions.
"""

from collections import Counter
from fractions import Fraction as F
from itertools import chain, combinations, product
from math import comb, log, sqrt

import numpy as np
import pytest
from designs import ROUNDOFF, as_it_is, draws, gaussian, seeded
from hypothesis import given
from hypothesis import strategies as st

import coordboost as cb

GROUP_OF = np.array([0, 1, 0, 2, 1, 0])
GROUPS = [[0, 2, 5], [1, 4], [3]]


def bound(select, n=6, groups=GROUP_OF):
    """The rule, bound to a problem with n learners."""
    problem = as_it_is(np.eye(n), np.ones(n), groups=groups[:n])
    return cb.rtgcd(select=select).bind(problem).select


# Draws.
# --------------------------------------------------------------------------------------------------


def deviation(rows, n):
    """Largest error of the frequencies of all C(n, t) subsets, if these are few, else of all pairs;
    and the allowed error.

    Bernstein and a union bound: with N draws and e = log(2 cells / a) / N, a frequency p is off by
    e/3 + sqrt((e/3)^2 + 2 p (1-p) e) or more with probability below a = 1e-9 in all cells together,
    the rate of false alarms over seeds. The seeds are fixed.
    """
    n_rows, t = rows.shape
    if comb(n, t) <= 20:
        counts = Counter(map(tuple, rows.tolist()))
        frequencies = [counts[cell] / n_rows for cell in combinations(range(n), t)]
        expected = 1 / comb(n, t)
    else:
        taken = np.zeros((n_rows, n))
        np.put_along_axis(taken, rows, 1.0, axis=1)
        together = taken.T @ taken / n_rows
        frequencies = together[np.triu_indices(n, 1)] if t > 1 else np.diag(together)
        expected = t * (t - 1) / (n * (n - 1)) if t > 1 else 1 / n
    e = log(2 * len(frequencies) / 1e-9) / n_rows
    return max(abs(np.array(frequencies) - expected)), e / 3 + sqrt(
        e * e / 9 + 2 * expected * (1 - expected) * e
    )


@pytest.mark.parametrize(
    "t, n", [(1, 3), (2, 4), (3, 5), (5, 6), (1, 100), (47, 49), (49, 50), (49, 51)]
)
def test_subsets_are_uniform(t, n):
    rows = cb.rules.RandomSubset(t).draw(np.random.default_rng(0), 40_000, n)
    assert (
        rows.shape == (40_000, t)
        and (np.diff(rows, axis=1) > 0).all()
        and rows.min() >= 0
        and rows.max() < n
    )
    found, allowed = deviation(rows, n)
    assert found <= allowed < 0.02


@pytest.mark.parametrize("t", [49, 400, 9_000])
def test_subsets_of_many_are_uniform(t):
    """Counts in twenty parts of equal size differ from their mean by no more than chance allows."""
    n, n_rows = 20_000, 400
    rows = cb.rules.RandomSubset(t).draw(np.random.default_rng(0), n_rows, n)
    assert (np.diff(rows, axis=1) > 0).all() and rows.min() >= 0 and rows.max() < n
    counts = np.bincount(rows.ravel() // 1000, minlength=20)
    # Hoeffding, n_rows t draws without replacement: a part is off by more in one run of 1e9
    assert np.abs(counts - n_rows * t / 20).max() <= sqrt(n_rows * t * log(40 / 1e-9) / 2)


def test_the_default_is_one_group():
    assert cb.rules.Groups() == cb.rules.Groups(1) and bound(cb.rules.Groups()).draw(
        np.random.default_rng(0), 5, 6
    ).shape == (5, 1)


# Laws and norms.
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 5, 8])
def test_weights_are_the_law_of_the_winner(n):
    """The rank of the best of t, over all C(n, t) draws; a weight is a product of at most n
    quotients, each with three roundings.
    """
    for t in range(1, n + 1):
        ranks = Counter(min(drawn) for drawn in combinations(range(n), t))
        law = [F(ranks[j], comb(n, t)) for j in range(n)]
        for select in (cb.rules.RandomSubset(t), cb.rules.Groups(t)):
            np.testing.assert_allclose(
                select.weights(n), [float(x) for x in law], rtol=6 * n * ROUNDOFF, atol=0
            )
    assert (cb.rules.Greedy().weights(n) == np.eye(1, n)[0]).all()


integers = st.lists(st.integers(-9, 9), min_size=6, max_size=6)


@pytest.mark.parametrize("b", [(3, -1, 4, 1, 0, 7), (0, 0, 2, -2, 0, 5), (1, 1, 1, -1, 1, 1)])
def test_duals_by_enumeration(b):
    """The unit balls have all their vertices along {-1, 0, 1}^n, so max <a, b> / norm(a) over these
    is the dual norm.
    """
    ternary = [np.array(a) for a in product([-1, 0, 1], repeat=6) if any(a)]
    rules = [cb.rules.RandomSubset(t) for t in range(1, 7)] + [
        cb.rules.Groups(t) for t in range(1, 4)
    ]
    for rule in (cb.rules.Greedy(), *map(bound, rules)):
        expected = max(a @ b / rule.norm(a) for a in ternary)
        assert abs(rule.dual_norm(np.array(b)) - expected) <= 50 * ROUNDOFF * expected


@seeded
@given(a=integers, t=st.integers(1, 6), g=st.integers(1, 3))
def test_norms_are_expected_maxima(a, t, g):
    """Propositions 3.1-3.3: the mean, over all draws, of the largest absolute value drawn."""
    a = np.array(a)
    subsets = [max(abs(a[list(drawn)])) for drawn in combinations(range(6), t)]
    unions = [max(abs(a[list(chain(*drawn))])) for drawn in combinations(GROUPS, g)]
    assert abs(
        bound(cb.rules.RandomSubset(t)).norm(a) - sum(subsets) / len(subsets)
    ) <= 50 * ROUNDOFF * max(subsets)
    assert abs(
        bound(cb.rules.Groups(g)).norm(a) - sum(unions) / len(unions)
    ) <= 50 * ROUNDOFF * max(unions)


@seeded
@given(a=integers, b=integers, t=st.integers(1, 6))
def test_duality_and_types(a, b, t):
    """<a, b> <= norm(a) dual(b). Subsets of all learners, groups of one learner, and all groups
    give the norms of other types.
    """
    a = np.array(a)
    b = np.array(b)
    rules = [cb.rules.Greedy(), bound(cb.rules.RandomSubset(t)), bound(cb.rules.Groups(min(t, 3)))]
    for rule in rules:
        assert a @ b <= rule.norm(a) * rule.dual_norm(b) * (1 + 100 * ROUNDOFF)
    single = bound(cb.rules.Groups(t), groups=np.arange(6))
    pairs = [
        (bound(cb.rules.RandomSubset(6)), cb.rules.Greedy()),
        (bound(cb.rules.Groups(3)), cb.rules.Greedy()),
        (single, bound(cb.rules.RandomSubset(t))),
        (bound(cb.rules.Groups(1), groups=np.zeros(6, dtype=int)), cb.rules.Greedy()),
    ]
    for one, other in pairs:
        assert abs(one.norm(a) - other.norm(a)) <= 50 * ROUNDOFF * other.norm(a)
        assert abs(one.dual_norm(a) - other.dual_norm(a)) <= 50 * ROUNDOFF * other.dual_norm(a)


def test_groups_follow_the_labels():
    """Labels of any type, in any order; a dropped column leaves its group, and an empty group
    disappears.
    """
    X, y = gaussian("tall")
    X[:, 2] = 1.0
    with pytest.warns(cb.data.ConstantColumnWarning):
        problem = cb.Problem(X, y, groups=["b", "a", "only x2", "b", "a"])
    select = cb.rtgcd(select=cb.rules.Groups(1)).bind(problem).select
    members = [
        select.member[i:j].tolist()
        for i, j in zip(select.start[:-1], select.start[1:], strict=True)
    ]
    assert members == [[1, 3], [0, 2]]
    picks = cb.solve(problem, cb.rtgcd(select=cb.rules.Groups(1)), 40, compile=False).path.learner
    drawn = draws(problem, cb.rtgcd(select=cb.rules.Groups(1)), 40)[:, 0]
    assert all(j in members[g] for j, g in zip(picks, drawn, strict=True)) and set(picks) == {
        0,
        1,
        2,
        3,
    }
