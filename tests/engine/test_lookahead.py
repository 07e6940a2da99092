"""Exact lookahead: every choice equals the naive state's, for any data, method, loss and step, and
few scans are needed.

Two correlations that differ by less than rounding are a tie for either model state
(``problem.tie``, lowest index wins); at the edge of that band the model states may differ. A
difference is accepted only if the naive state's own scores show such a tie, and is counted.
"""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import coordboost as cb

METHODS = {
    "LS-Boost(1)": lambda size: cb.ls_boost(1.0),
    "LS-Boost(0.05)": lambda size: cb.ls_boost(0.05),
    "FS": lambda size: cb.forward_stagewise(0.02 * size),
    "FS, sequence": lambda size: cb.forward_stagewise(size / (3.0 + np.arange(200))),
    "R-FS": lambda size: cb.regularized_forward_stagewise(0.02 * size, 0.7 * size),
    "R-FS(eps, eps)": lambda size: cb.regularized_forward_stagewise(0.5 * size, 0.5 * size),
    "PATH-R-FS": lambda size: cb.path_forward_stagewise(
        0.02 * size, np.linspace(0.02, 2, 200) * size
    ),
    "Frank-Wolfe": lambda size: cb.methods.frank_wolfe(size),
    "Frank-Wolfe, search": lambda size: cb.methods.frank_wolfe(size, cb.rules.SegmentSearch(size)),
    "GCD": lambda size: cb.methods.gcd(),
    "GCD, search": lambda size: cb.methods.gcd(cb.rules.LineSearch()),
}
KINDS = ["normal", "integer", "copies", "signs", "integer copies", "deficient", "signs copies"]
LOSSES = {
    "squared": cb.losses.Squared(),
    "Huber": cb.losses.Huber(1.0),
    "logistic": cb.losses.Logistic(0.01),
    "exponential": cb.losses.Exponential(),
}


def design(rng, kind, n_samples, n_columns):
    """Columns of a kind that makes greedy choices hard."""
    X = (
        rng.integers(-3, 4, size=(n_samples, n_columns)).astype(float)
        if "integer" in kind
        else rng.normal(size=(n_samples, n_columns))
    )
    if "copies" in kind:
        source = rng.integers(0, n_columns, size=n_columns)
        X = X[:, source] * rng.choice([-1.0, 1.0], size=n_columns)
    if "signs" in kind:
        X = np.where(X >= 0, 1.0, -1.0)
    if "deficient" in kind:
        X = X[:, :2] @ rng.integers(-2, 3, size=(2, n_columns)) + 0.0
    X[0] += np.arange(n_columns) % 3  # no column is constant
    return X


def near_ties(problem, explicit, picks):
    """Name the first difference of the choices: "" none, "edge" of the tie band, "noise" if all
    correlations are rounding; else fail.
    """
    part = np.flatnonzero(explicit.path.learner[: len(picks)] != picks)
    if part.size == 0:
        return ""
    k = int(part[0])
    corr = np.abs(next(explicit.replay([k])).corr)
    one = corr[explicit.path.learner[k]]
    other = corr[picks[k]]
    assert abs(one - other) <= 4 * problem.tie, (
        f"step {k}: the winner {one} was passed over for {other}"
    )
    return "noise" if corr.max() <= 4 * problem.tie else "edge"


def part_ways(X, y, loss, method, compile, n_steps=60):
    """Compare lookahead with the naive state, run in plain Python, as ``near_ties`` does."""
    problem = cb.Problem(X, y, loss)
    if not problem.tie > 0:
        return ""
    model_state = (
        cb.engine.LookaheadState
        if isinstance(loss, cb.losses.Squared)
        else cb.engine.WorkingSetState
    )
    explicit = cb.solve(problem, method, n_steps, model_state=cb.engine.NaiveState, compile=False)
    run = cb.solve(problem, method, n_steps, model_state=model_state, compile=compile)
    return near_ties(problem, explicit, run.path.learner)


#: Compiled: four methods for the squared loss, one for each other loss. All pairs run in plain
#: Python; compiled they take minutes.
PAIRS = [(method, "squared") for method in ("LS-Boost(0.05)", "FS", "R-FS", "Frank-Wolfe, search")]
PAIRS += [("GCD", "Huber"), ("GCD, search", "logistic"), ("FS, sequence", "exponential")]
CONSTANT = {"LS-Boost(1)", "LS-Boost(0.05)", "GCD"}  # constant steps need a smooth loss
ALL = [
    pair for pair in product(METHODS, LOSSES) if pair[1] != "exponential" or pair[0] not in CONSTANT
]


@pytest.mark.filterwarnings(
    "ignore::coordboost.data.ConstantColumnWarning", "ignore::coordboost.engine.LongStepWarning"
)
@pytest.mark.parametrize(
    "pairs, compile",
    [(PAIRS, True), (ALL, False), pytest.param(ALL, True, marks=pytest.mark.slow)],
    ids=["some", "all in plain Python", "all"],
)
def test_picks_on_random_problems(pairs, compile):
    """300 problems that tend to have ties; the model states may differ only at the edge of the tie
    band, and rarely do.
    """
    parted = []

    @settings(max_examples=300, deadline=None, derandomize=True, database=None)
    @given(
        st.integers(0, 10**6),
        st.sampled_from(KINDS),
        st.integers(4, 30),
        st.integers(2, 60),
        st.sampled_from(pairs),
    )
    def check(seed, kind, n_samples, n_columns, pair):
        method, loss = pair
        rng = np.random.default_rng(seed)
        X = design(rng, kind, n_samples, n_columns)
        y = rng.integers(-9, 10, n_samples) * 1.0
        y = np.where(y < 0, -1.0, 1.0) if loss in ("logistic", "exponential") else y
        y[:2] = -1.0, 1.0
        parted.append(
            part_ways(X, y, LOSSES[loss], METHODS[method](float(np.abs(y).sum()) / 3), compile)
        )

    check()
    assert parted.count("edge") <= 0.01 * len(parted) and parted.count("noise") <= 0.05 * len(
        parted
    )


def ar1(n, p, seed=0, rho=0.5, k=50, snr=3.0):
    """AR(1) columns, k normal coefficients, noise for a given signal-to-noise ratio."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    for j in range(1, p):
        X[:, j] = rho * X[:, j - 1] + np.sqrt(1 - rho**2) * X[:, j]
    signal = X[:, rng.choice(p, k, replace=False)] @ rng.standard_normal(k)
    return X, signal + rng.standard_normal(n) * np.sqrt(signal.var() / snr)


def unit(y):
    return (y - y.mean()) / np.linalg.norm(y - y.mean())


@pytest.mark.parametrize("p, limit", [(2000, 20), (10_000, 22)])
def test_few_scans(p, limit):
    X, y = ar1(1000, p)
    run = cb.solve(cb.Problem(X, unit(y)), cb.forward_stagewise(1e-5), 300_000)
    assert run.final.l1 == pytest.approx(3.0) and run.n_scans <= limit


def test_long_steps_cost_no_more_scans_than_steps():
    X, y = ar1(100, 3000, k=10)
    run = cb.solve(cb.Problem(X, y), cb.ls_boost(1.0), 400)
    assert run.n_scans <= 410


def test_scales():
    X, y = ar1(50, 500, k=5)
    runs = [
        cb.solve(cb.Problem(X, scale * unit(y)), cb.ls_boost(0.1), 300)
        for scale in (1.0, 2.0**498, 2.0**-498)
    ]
    for run in runs:
        assert (
            run.model_state is cb.engine.LookaheadState
            and (run.path.learner == runs[0].path.learner).all()
        )


def test_many_equal_columns():
    """More copies than the front of lookahead holds: it must grow to include all tied learners."""
    rng = np.random.default_rng(3)
    base = rng.normal(size=(30, 8))
    X = np.repeat(base, 60, axis=1) * rng.choice([-1.0, 1.0], size=480)
    y = base @ rng.normal(size=8) + rng.normal(size=30)
    problem = cb.Problem(X, unit(y))
    for method in (cb.forward_stagewise(1e-3), cb.ls_boost(0.1)):
        run, explicit = (
            cb.solve(problem, method, 2000, model_state=kind)
            for kind in (cb.engine.LookaheadState, cb.engine.NaiveState)
        )
        assert (run.path.learner == explicit.path.learner).all()
        assert (run.path.learner % 60 == 0).all()  # the lowest copy of each
