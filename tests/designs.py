r"""Random problems for the tests: sign matrices, on which float64 is exact, and Gaussian ones of
every shape.

A sign matrix has entries +-1/sqrt(m) for m = 4 or 16 samples, so its columns have unit norm exactly
and its inner products are multiples of 1/16. With whole targets, and steps and radii that are
powers of two, every number of a short run is a small multiple of a power of two: float64 rounds
nothing and results are compared with ``==``. They have many exact ties, copies and sign flips of
columns; they are wide, tall and of deficient rank.
"""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import settings

import coordboost as cb

#: Every block of so many steps draws from a generator of its own; saved runs depend on this number.
CHUNK = 4096
ROUNDOFF = np.finfo(float).eps / 2
#: The same examples in every run of the tests.
seeded = settings(derandomize=True, deadline=None, max_examples=25, database=None)


@st.composite
def sign_matrices(draw, largest=8):
    """(m, n) with entries +-1/sqrt(m)."""
    m = draw(st.sampled_from([4, 16]))
    n = draw(st.integers(1, largest))
    signs = draw(
        st.lists(
            st.lists(st.sampled_from([-1.0, 1.0]), min_size=n, max_size=n), min_size=m, max_size=m
        )
    )
    return np.array(signs) / np.sqrt(m)


@st.composite
def sign_problems(draw, largest=8):
    """Columns as they are (neither centred nor scaled) and targets from -8 to 8, squared loss."""
    X = draw(sign_matrices(largest))
    y = draw(st.lists(st.integers(-8, 8), min_size=len(X), max_size=len(X)))
    return as_it_is(X, np.array(y, dtype=float), groups=np.arange(X.shape[1]) % 3)


def as_it_is(X, y, loss=None, **options):
    return cb.Problem(X, y, loss, center=False, scale=False, **options)


def gaussian(kind, seed=0):
    """Raw columns (n_samples, n_columns) and targets."""
    rng = np.random.default_rng(seed)
    shape = {"tall": (12, 5), "wide": (6, 11), "deficient": (10, 6), "copies": (9, 7)}[kind]
    X = rng.normal(size=shape)
    y = rng.normal(size=shape[0])
    if kind == "deficient":
        X[:, 4:] = X[:, :4] @ [[1, 0], [1, 1], [0, -2], [0, 1]]
    if kind == "copies":
        X[:, 4:] = X[:, [2, 0, 0]] * [1, -1, 1]
    return X, y


def labelled(n=60, p=20, seed=0, balanced=False):
    """Columns with means and scales of their own, (n, p), and noisy labels -1 and +1."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p)) * rng.uniform(0.1, 5, p) + rng.uniform(-3, 3, p)
    score = (X - X.mean(axis=0)) @ np.ones(p) / np.sqrt(p) + 3 * rng.standard_normal(n)
    return X, np.where(score > (np.median(score) if balanced else 1.0), 1.0, -1.0)


GAUSSIAN = ["tall", "wide", "deficient", "copies"]


def columns(problem):
    """B as a matrix (n_samples, n_learners)."""
    return problem.dictionary.gather(np.arange(problem.n_learners))


def betas(run):
    """The iterates (n_steps + 1, n_learners)."""
    return np.array([state.beta for state in run.replay(range(run.n_steps + 1))])


def draws(problem, method, n_steps, seed=0):
    """The random draws of a run, (n_steps, width): a generator of its own, seeded with (seed, i),
    for the i-th CHUNK steps.
    """
    select = method.bind(problem).select
    if select.width == 0:
        return np.zeros((n_steps, 0), dtype=np.int64)
    generators = [
        np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(i,)))
        for i in range(-(-n_steps // CHUNK))
    ]
    return np.concatenate([select.draw(rng, CHUNK, problem.n_learners) for rng in generators])[
        :n_steps
    ]


STATES = {
    "explicit": cb.engine.NaiveState,
    "gram": cb.engine.CovarianceState,
    "columns": cb.engine.CovarianceColumns,
    "lookahead": cb.engine.LookaheadState,
    "gathered": cb.engine.WorkingSetState,
}


def states_of(methods):
    """(name, model state) for every method of a dictionary and every model state that it can run
    on, as parameters of a test.
    """
    return [
        pytest.param(name, model_state, id=f"{name}-{key}")
        for name, method in methods.items()
        for key, model_state in STATES.items()
        if model_state in (cb.engine.NaiveState, cb.engine.CovarianceState) or method.greedy
    ]


def drift(n_steps, n_samples, size):
    """Bound the rounding error after `n_steps` steps of a method whose numbers stay below `size`.

    A step computes a correlation of n_samples products and updates one coefficient and the
    residual: each number is off by at most (n_samples + 5) roundoffs of `size`. No step of the
    methods enlarges an error that is already there (its length is at most that of the exact line
    search, and a shrinkage contracts), but each later step adds its own to it and is itself off by
    all that came before: n_steps^2 in all.
    """
    return max(1, n_steps) ** 2 * (n_samples + 5) * ROUNDOFF * size
