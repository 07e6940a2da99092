"""The search verb of a dictionary: the largest correlations above a level, and a bound on all others."""

import numpy as np
import pytest
import scipy.sparse
from designs import seeded
from hypothesis import given
from hypothesis import strategies as st

import coordboost as cb
from coordboost.screening.best import best, strongest


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
