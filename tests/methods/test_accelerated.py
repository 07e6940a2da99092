"""AGBM and VAGBM: the exact values of the specification, a naive loop, every kind of dictionary,
weights, saved and resumed runs.

Source: Lu, Karimireddy, Ponomareva, Mirrokni, *Accelerating Gradient Boosting Machines*.
"""

from fractions import Fraction as F

import numpy as np
import pytest
import reference as ref
import reference_exact as exact
import scipy.sparse
from designs import as_it_is, columns, draws, gaussian

import coordboost as cb

EYE = exact.fractions(np.eye(5))
ONES = exact.fractions(np.ones(5))
# L at f^0, f^1, ...: y = 1 on five coordinates, eta = 1; from an independent exact computation
VANILLA = [
    F(5, 2),
    F(2),
    F(3, 2),
    F(33, 32),
    F(513, 800),
    F(77, 200),
    F(25, 49),
    F(11469, 25088),
    F(23575, 75264),
]
CORRECTED = [
    2.5,
    2,
    1.718009574200,
    1.459758440413,
    1.204084467120,
    0.945539178634,
    0.736685357439,
    0.575555705349,
    0.453211071793,
]


def losses(betas):
    return [ref.SQUARED.value(ONES, beta) for beta in betas]


def test_exact_values():
    """Losses and picks of the reference in fractions; losses of runs agree up to rounding, since
    ties in floats are ties in fractions.
    """
    problem = as_it_is(np.eye(5), np.ones(5))
    naive, picks = ref.accelerated(EYE, ONES, F(1), F(1), 12, correction=0)
    assert losses(naive)[:9] == VANILLA and picks == [0, 1, 2, 3, 4, 3, 4, 2, 3, 2, 4, 3]
    run = cb.solve(problem, cb.vagbm(1.0), 8, compile=False)
    np.testing.assert_allclose(
        [state.loss for state in run.replay(range(9))], [float(x) for x in VANILLA], rtol=1e-14
    )
    naive, picks = ref.accelerated(EYE, ONES, F(1), F(1, 105), 10)
    assert [pick for pair in picks for pick in pair][:12] == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 0, 0]
    np.testing.assert_allclose([float(loss) for loss in losses(naive)[:9]], CORRECTED, atol=6e-13)
    assert losses(naive)[2] == F(340939, 198450)
    run = cb.solve(problem, cb.agbm(1.0, 1 / 105), 16, compile=False)
    np.testing.assert_allclose(
        [state.loss for state in run.replay(range(0, 17, 2))], CORRECTED, atol=6e-13
    )


def test_vagbm_diverges_where_the_specification_says_so():
    """Losses at m = 0, 10, 20, 40, 60; float64 breaks ties as the fractions do."""
    problem = as_it_is(np.eye(5), np.array([5.0, 4.0, 3.0, 2.0, 1.0]))
    run = cb.solve(problem, cb.vagbm(1.0), 60, compile=False)
    assert [state.loss for state in run.replay([0, 10, 20, 40, 60])] == pytest.approx(
        [27.5, 1.521, 6.694, 1504, 9.144e5], rel=1e-3
    )
    stable = cb.solve(problem, cb.agbm(1.0, 1 / 105), 200, compile=False)
    assert stable.final.loss == pytest.approx(8.9e-4, rel=1e-2)  # m = 100


def data(n=60, p=40):
    rng = np.random.default_rng(4)
    X = rng.standard_normal((n, p)) @ (np.eye(p) + 0.7 * np.eye(p, k=1)) + 3
    return X, X[:, :8] @ rng.standard_normal(8) / 3 + rng.standard_normal(n)


@pytest.mark.parametrize("compile", [pytest.param(True, marks=pytest.mark.slow), False])
def test_random_candidates_in_both_phases(compile):
    """A user's own method, momentum with the best of seven random learners in each step, which
    costs 7/40 of a scan.
    """
    B = columns(cb.Problem(*data()))
    problem = as_it_is(B, data()[1])
    method = cb.rules.Method(
        "random_agbm",
        cb.rules.RandomSubset(7),
        cb.agbm(0.5, 0.02).step,
        coefficients=cb.agbm(0.5, 0.02).coefficients,
    )
    run = cb.solve(problem, method, 100, compile=compile)
    drawn = draws(problem, method, 100)
    f = np.zeros(40)
    h = np.zeros(40)
    e = 0 * problem.y
    picks = []
    for m in range(50):
        theta = 2 / (m + 2)
        g = (1 - theta) * f + theta * h
        r = problem.y - B @ g
        c = r + (m + 1) / (m + 2) * e
        j = ref.best(B.T @ r, drawn[2 * m])
        i = ref.best(B.T @ c, drawn[2 * m + 1])
        f = g + 0.5 * (B[:, j] @ r) * np.eye(40)[j]
        h = h + 0.01 / theta * (B[:, i] @ c) * np.eye(40)[i]
        e = c - (B[:, i] @ c) * B[:, i]
        picks += [j, i]
    assert run.path.learner.tolist() == picks and run.n_scans == 100 * 7 / 40
    np.testing.assert_allclose(run.beta, f, rtol=0, atol=1e-13 * max(1.0, np.abs(f).max()))


@pytest.mark.parametrize("kind", ["sparse", "oracle", "larger than memory"])
def test_every_dictionary(kind, tmp_path):
    """The same learners are selected as on dense columns; one case is compiled."""
    X, y = data()
    X = X * (X > 3)
    dense = cb.Problem(X, y)
    np.save(tmp_path / "x.npy", X)
    B = columns(dense)

    class Listed:
        n_samples, n_learners = B.shape

        def scan(self, v):
            return B.T @ v

        def column(self, j):
            return B[:, j]

    other = {
        "sparse": lambda: cb.Problem(scipy.sparse.csc_array(X), y),
        "oracle": lambda: cb.Problem(Listed(), y - y.mean(), center=False),
        "larger than memory": lambda: cb.Problem(cb.data.open_columns(tmp_path / "x.npy"), y),
    }[kind]()
    for method in (cb.agbm(0.5, 0.02), cb.vagbm(0.5, 0.3)):
        ways = (True, False) if method.name == "agbm" and kind == "sparse" else (False,)
        runs = [
            cb.solve(dense, method, 60),
            *(cb.solve(other, method, 60, compile=way) for way in ways),
        ]
        for run in runs[1:]:
            assert (run.path.learner == runs[0].path.learner).all() and run.n_scans == 60
            assert np.abs(run.beta - runs[0].beta).max() <= 1e-10 * np.abs(run.beta).max()


def test_weights_are_copies_of_rows():
    """A row of weight two equals two rows: the corrected residual is fitted with the weights."""
    X, y = data(30, 12)
    weight = np.resize([1, 2, 3], 30)
    weighted = cb.Problem(X, y, cb.losses.Huber(0.5), sample_weight=weight, center=False)
    copied = cb.Problem(
        np.repeat(X, weight, axis=0), np.repeat(y, weight), cb.losses.Huber(0.5), center=False
    )
    runs = [
        cb.solve(problem, cb.agbm(0.5, 0.1), 200, compile=False) for problem in (weighted, copied)
    ]
    assert (runs[0].path.learner == runs[1].path.learner).all()
    assert np.abs(runs[0].beta - runs[1].beta).max() <= 1e-10 * np.abs(runs[0].beta).max()


def test_coefficients_have_a_closed_form():
    r"""f^{m+1} = sum_j eta w_j B_{j,1} + gamma eta (j+2)/2 (1 - w_j) corr B_{j,2}, w_j = (j+1)(j+2)
    / ((m+1)(m+2)).
    """
    problem = cb.Problem(*gaussian("tall"))
    eta = 0.5
    gamma = 0.05
    run = cb.solve(problem, cb.agbm(eta, gamma), 80)
    learner = run.path.learner
    theta = run.path.theta
    m = 39
    j = np.arange(m + 1)
    w = (j + 1) * (j + 2) / ((m + 1) * (m + 2))
    beta = np.bincount(learner[::2], w * theta[::2], 5) + np.bincount(
        learner[1::2], (1 - w) * theta[1::2], 5
    )
    np.testing.assert_allclose(run.beta, beta, rtol=0, atol=80 * 4 * 2.0**-53 * np.abs(theta).sum())
    assert (run.path.shrink[::2] == 2 / (j + 2)).all() and not run.path.shrink[1::2].any()


@pytest.mark.parametrize("method", [cb.agbm(0.5, 0.05), cb.vagbm(0.5, 0.5)], ids=["agbm", "vagbm"])
def test_cut_saved_and_loaded_runs_are_the_run(method, tmp_path):
    """Runs cut after odd and even steps are equal bit for bit; resuming a loaded run does not scan
    for earlier steps again.
    """
    problem = cb.Problem(*data())
    whole = cb.solve(problem, method, 91)
    cut = cb.solve(problem, method, 33).resume(2)
    cut.save(tmp_path / "run")
    loaded = cb.load(tmp_path / "run")
    for run in (cut.resume(56), loaded.resume(56)):
        assert (run.path.learner == whole.path.learner).all() and (
            run.path.theta == whole.path.theta
        ).all()
        assert (run.beta == whole.beta).all() and run.n_scans == whole.n_scans == 91
    states = list(cb.iterate(problem, method, 91, every=13))
    for state, again in zip(states, whole.replay(range(0, 92, 13)), strict=True):
        assert (state.beta == again.beta).all()
    assert np.abs(problem.combine(whole.beta) - whole.pred).max() == 0


def test_incompatible_combinations_are_refused():
    problem = cb.Problem(*gaussian("tall"))
    run = cb.solve(problem, cb.agbm(0.5, 0.05), 10)
    assert run.certificate().lower <= run.certificate().upper and not run.method.greedy
    for call, words in [
        (lambda: cb.theory.check(run), "no bound applies to agbm"),
        (lambda: cb.theory.plan(problem, run.method, n_steps=5), "no theorem applies to agbm"),
        (
            lambda: cb.solve(problem, cb.agbm(0.5, 0.05), 5, model_state=cb.engine.NaiveState),
            "agbm cannot run on model_state=NaiveState",
        ),
        (
            lambda: cb.solve(problem, cb.ls_boost(), 5, model_state=run.model_state),
            "ls_boost cannot run on model_state=Accelerated",
        ),
        (lambda: cb.agbm(0.5, 1.5), "gamma"),
        (lambda: cb.agbm(0.0, 0.5), "eta"),
        (lambda: cb.solve(problem, cb.vagbm(2.0), 5), "eta must be between 0 and 2 / sigma"),
        (
            lambda: cb.solve(
                cb.Problem(data()[0], data()[1] > 0, cb.losses.Exponential()), cb.vagbm(1.0), 5
            ),
            "Exponential declares no smoothness constant sigma, which accelerated boosting needs",
        ),
        (
            lambda: cb.rules.Method(
                "own",
                cb.rules.Greedy(),
                cb.rules.ShrunkenStep(),
                coefficients=run.method.coefficients,
            ),
            "ShrunkenStep moves 1 sequence",
        ),
        (
            lambda: cb.rules.Method("own", cb.rules.Greedy(), run.method.step),
            "TwoPhase moves 2 sequence",
        ),
    ]:
        with pytest.raises(ValueError, match=words):
            call()
