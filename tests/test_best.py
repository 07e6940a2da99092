"""The one choice of learners: by the search verb of a dictionary, for the candidates of lookahead and for its front."""

import numpy as np
import pytest
import scipy.sparse
from designs import seeded
from hypothesis import given
from hypothesis import strategies as st

import coordboost as cb
from coordboost._generic import record
from coordboost.engine.views.distance import level
from coordboost.engine.views.lookahead import STRIP, Lookahead, strips
from coordboost.screening.best import best, rough_level, strongest, top_learners


class Whole:
    """A dictionary whose scan gives the numbers that it is asked with: one learner for each sample."""

    def __init__(self, n):
        self.n_samples = self.n_learners = n

    def scan(self, v):
        return v.copy()

    def column(self, j):
        return np.eye(1, self.n_samples, j)[0]


def naive(corr, k, above):
    order = sorted(range(len(corr)), key=lambda j: (-abs(corr[j]), j))
    ids = [j for j in order if abs(corr[j]) > above][:k]
    return ids, max([abs(corr[j]) for j in order if j not in ids], default=0.0)


@seeded
@given(
    corr=st.lists(st.integers(-5, 5), min_size=1, max_size=40), k=st.integers(1, 45), above=st.sampled_from([-1, 0, 0.5, 2, 5])
)
def test_best_is_the_sorted_list(corr, k, above):
    """Small integers, so that ties are many; the compiled pass and the interpreted one."""
    corr = np.array(corr, dtype=float)
    ids, expected_outside = naive(corr, k, above)
    found, found_corr, outside = best(Whole(len(corr)), corr, k, above)
    assert found.tolist() == ids and found_corr.tolist() == corr[ids].tolist() and outside == expected_outside
    learner, size = np.empty(k, dtype=np.int64), np.empty(k)
    count, outside = strongest(corr, k, above, learner, size)
    assert sorted(learner[:count].tolist()) == sorted(ids) and outside == expected_outside


def test_the_heap_keeps_the_largest_of_many():
    """Of numbers that are all different, in an order that brings larger ones again and again."""
    for k in (3, 10, 40):
        corr = np.random.default_rng(k).normal(size=600)
        learner, size = np.empty(k, dtype=np.int64), np.empty(k)
        count, outside = strongest(corr, k, 0.0, learner, size)
        ids, expected = naive(corr, k, 0.0)
        assert sorted(learner[:count].tolist()) == sorted(ids) and outside == expected
        assert all(size[(p - 1) // 2] <= size[p] == abs(corr[learner[p]]) for p in range(1, k))


@pytest.mark.parametrize("kind", [np.asarray, scipy.sparse.csc_array])
def test_best_of_stored_columns(kind):
    rng = np.random.default_rng(1)
    problem = cb.Problem(kind(rng.normal(size=(30, 200))), rng.normal(size=30))
    corr = problem.scan(problem.y)
    ids, found, outside = best(problem.dictionary, problem.y, 7)
    expected, bound = naive(corr, 7, 0.0)
    assert ids.tolist() == expected and (found == corr[expected]).all() and outside == bound


def test_a_dictionary_may_bring_its_own_search():
    class Searching(Whole):
        def best(self, v, k, above):
            return np.array([3]), v[[3]], np.inf

    ids, corr, outside = best(cb.Oracle(Searching(9)), np.arange(9.0), 2, 0.0)
    assert ids.tolist() == [3] and corr.tolist() == [3.0] and outside == np.inf


@seeded
@given(corr=st.lists(st.integers(-5, 5), min_size=1, max_size=40), n=st.integers(1, 45), tie=st.sampled_from([0.0, 1.0, 3.0]))
def test_candidates_are_the_largest_and_the_winner(corr, n, tie):
    """Ties at the edge go to the lowest learner; the winner, lowest within the tie of the largest, is there whatever its size."""
    corr = np.array(corr, dtype=float)
    learner, outside = top_learners(corr, tie, n)
    chosen, _ = naive(corr, n, -1.0)
    top = np.abs(corr).max()
    winner = next(j for j in range(len(corr)) if abs(corr[j]) >= top - min(tie, top / 2))
    assert learner.tolist() == sorted({*chosen, winner} if n < len(corr) else range(len(corr)))
    assert outside == max((abs(corr[j]) for j in range(len(corr)) if j not in learner), default=-np.inf)


@seeded
@given(
    corr=st.lists(st.integers(-64, 64), min_size=1, max_size=60),
    most=st.integers(1, 60),
    low=st.sampled_from([0.0, 16.0, 32.0]),
)
def test_a_rough_level_is_reached_by_as_many_as_are_wanted(corr, most, low):
    """No fewer, unless it is the lowest allowed; and fewer above the next bin."""
    sizes, top, counts = np.abs(np.array(corr, dtype=float)), 64.0, np.empty(16)
    level = rough_level(np.array(corr, dtype=float), most, low, top, counts)
    assert low <= level < top and (level == low or (sizes >= level).sum() >= most)
    assert level + (top - low) / 16 >= top or (sizes >= level + (top - low) / 16).sum() < most


def looking_ahead(now, place, wanted, tie):
    """The view with the correlations `now` of its candidates, whose places by increasing learner are `place`."""
    n, room = len(now), np.zeros(len(now))
    width, state = STRIP * strips(n), record(with_y=0.0, unit=1.0, front=0, winner=0, fresh=1, wanted=wanted, regroups=0)
    return Lookahead(
        np.eye(n), np.empty(n * width), room, now, room.copy(), np.zeros(n), np.arange(n), place, np.zeros(n, dtype=np.int64),
        np.zeros(n), np.zeros(n), np.zeros(width), np.zeros(strips(n)), level(-np.inf, 0.0), level(-np.inf, 0.0), state, tie, 0.0, 1.0,
    )  # fmt: skip


@seeded
@given(corr=st.lists(st.integers(-8, 8), min_size=1, max_size=4 * STRIP), tie=st.sampled_from([0.0, 1.0, 3.0]))
def test_the_winner_of_a_front_is_the_lowest_within_the_tie(corr, tie):
    """In whatever strip it lies, and where it just reaches that."""
    corr, every = np.array(corr, dtype=float), np.arange(len(corr))
    view, top = looking_ahead(corr.copy(), every, len(corr), tie), np.abs(corr).max()
    view.regroup()
    winner = next(j for j in every if abs(corr[j]) >= top - min(tie, top / 2))
    assert view.best(None, None) == (winner, corr[winner])


@seeded
@given(corr=st.lists(st.integers(-4, 4), min_size=2, max_size=24), wanted=st.integers(1, 24), seed=st.integers(0, 99))
def test_the_front_is_the_largest_of_the_candidates(corr, wanted, seed):
    """Wherever they stand: of equal ones the lowest learners."""
    corr, n = np.array(corr, dtype=float), len(corr)
    place = np.random.default_rng(seed).permutation(n)  # of the candidates by increasing learner
    now = np.empty(n)
    now[place] = corr
    view = looking_ahead(now, place, wanted, 0.0)
    state = view.state
    view.regroup()
    chosen, outside = naive(corr, wanted, -1.0)
    assert state.front == len(chosen) and view.front[: state.front].tolist() == place[sorted(chosen)].tolist()
    assert view.inner.outside == (outside if len(chosen) < n else -np.inf)
    assert (view.now[: state.front] == corr[sorted(chosen)]).all()
