"""Every named method equals a few naive lines of NumPy: exactly on sign matrices, where nothing is
rounded, up to rounding elsewhere.

The naive methods run on Fractions, so copies of a column tie exactly there and the lowest index
wins; the package must agree.
"""

from fractions import Fraction as F

import numpy as np
import pytest
import reference as ref
import reference_exact as exact
from designs import (
    GAUSSIAN,
    ROUNDOFF,
    STATES,
    as_it_is,
    betas,
    columns,
    draws,
    drift,
    gaussian,
    seeded,
    sign_problems,
    states_of,
)
from hypothesis import given

import coordboost as cb

N = 6
DELTAS = [1.0, 1.0, 2.0, 2.0, 4.0, 4.0]
SIZES = [1.0, 0.5, 0.25, 0.5, 1.0, 0.125]


def cyclic(X):
    return [[k % X.shape[1]] for k in range(N)]


# name: the method, and the naive method on Fractions; all parameters are powers of two
METHODS = {
    "LS-Boost(1)": (cb.ls_boost(1.0), lambda X, y: ref.ls_boost(X, y, F(1), N)),
    "LS-Boost(1/2)": (cb.ls_boost(0.5), lambda X, y: ref.ls_boost(X, y, F(1, 2), N)),
    "FS": (cb.forward_stagewise(0.5), lambda X, y: ref.forward_stagewise(X, y, F(1, 2), N)),
    "FS, sequence": (
        cb.forward_stagewise(SIZES),
        lambda X, y: ref.forward_stagewise(X, y, exact.fractions(SIZES), N),
    ),
    "R-FS": (
        cb.regularized_forward_stagewise(0.5, 2.0),
        lambda X, y: ref.regularized_forward_stagewise(X, y, F(1, 2), F(2), N),
    ),
    "PATH": (
        cb.path_forward_stagewise(0.5, DELTAS),
        lambda X, y: ref.path_forward_stagewise(X, y, F(1, 2), exact.fractions(DELTAS)),
    ),
    "Frank-Wolfe": (
        cb.methods.frank_wolfe(4.0, step=0.25),
        lambda X, y: ref.frank_wolfe(X, y, F(4), N, lambda k: F(1, 4)),
    ),
    "GCD": (cb.methods.gcd(), lambda X, y: ref.coordinate_descent(X, y, N)),
    "CCD": (cb.methods.ccd(), lambda X, y: ref.coordinate_descent(X, y, N, candidates=cyclic(X))),
    "Lasso CD, greedy": (
        cb.methods.lasso_cd(0.25, cb.rules.Greedy()),
        lambda X, y: ref.lasso_cd(X, y, F(1, 4), N),
    ),
    "Lasso CD, cyclic": (
        cb.methods.lasso_cd(0.25),
        lambda X, y: ref.lasso_cd(X, y, F(1, 4), N, candidates=cyclic(X)),
    ),
}
ROUNDED = {  # these divide by numbers that are no powers of two
    "Frank-Wolfe, 2/(k+2)": (
        cb.methods.frank_wolfe(2.0),
        lambda X, y: ref.frank_wolfe(X, y, F(2), N, lambda k: F(2, k + 2)),
    ),
    "Frank-Wolfe, search": (
        cb.methods.frank_wolfe(2.0, step=cb.rules.SegmentSearch(2.0)),
        lambda X, y: ref.frank_wolfe_line_search(X, y, F(2), N),
    ),
}
ALL = {**METHODS, **ROUNDED}


def same(run, naive):
    """Whether steps and coefficients are equal; under shrinkage the common factor of the
    coefficients may cost two roundings a step.
    """
    unit = getattr(run.method.step, "unit", 1.0)
    found = [list(part) for part in (run.path.learner, run.path.shrink, unit * run.path.theta)]
    allowed = 2 * N * ROUNDOFF * np.abs(betas(run)).max() if any(naive.shrinks) else 0
    return (
        found == [naive.picks, naive.shrinks, naive.thetas]
        and (np.abs(betas(run) - naive.betas) <= allowed).all()
    )


def exactly(problem):
    return exact.fractions(columns(problem)), exact.fractions(problem.y)


@pytest.mark.parametrize(
    "name, model_state", states_of({name: method for name, (method, _) in METHODS.items()})
)
@seeded
@given(problem=sign_problems())
def test_sign_matrices(name, model_state, problem):
    method, naive = METHODS[name]
    assert same(
        cb.solve(problem, method, N, model_state=model_state, compile=False),
        naive(*exactly(problem)),
    )


@pytest.mark.slow
@seeded
@given(problem=sign_problems())
def test_sign_matrices_compiled(problem):
    for name, model_state in (
        ("LS-Boost(1/2)", cb.engine.NaiveState),
        ("R-FS", cb.engine.CovarianceState),
        ("FS", cb.engine.LookaheadState),
        ("LS-Boost(1)", cb.engine.WorkingSetState),
    ):
        method, naive = METHODS[name]
        assert same(cb.solve(problem, method, N, model_state=model_state), naive(*exactly(problem)))


@pytest.mark.parametrize(
    "model_state", [cb.engine.NaiveState, cb.engine.CovarianceState], ids=["explicit", "gram"]
)
@pytest.mark.parametrize("share", [1, 2, 3])
@seeded
@given(problem=sign_problems())
def test_random_candidates(share, model_state, problem):
    """RtGCD with a third, two thirds or all of the learners, and Lasso coordinate descent on the
    same draws.
    """
    X, y = exactly(problem)
    select = cb.rules.RandomSubset(max(1, share * problem.n_learners // 3))
    method = cb.rtgcd(select=select)
    drawn = draws(problem, method, N, seed=5)
    run = cb.solve(problem, method, N, rng=5, model_state=model_state, compile=False)
    lasso = cb.solve(
        problem, cb.methods.lasso_cd(1.0, select), N, rng=5, model_state=model_state, compile=False
    )
    assert same(run, ref.coordinate_descent(X, y, N, candidates=drawn))
    assert same(lasso, ref.lasso_cd(X, y, F(1), N, candidates=drawn))


@pytest.mark.parametrize(
    "name, model_state", states_of({name: method for name, (method, _) in ALL.items()})
)
@pytest.mark.parametrize("kind", GAUSSIAN)
def test_gaussian_columns(kind, name, model_state):
    """Columns centred and scaled by the package; the naive method takes the resulting float64
    numbers.
    """
    method, naive = ALL[name]
    problem = cb.Problem(*gaussian(kind))
    n_steps = min(N, 4) if name == "Frank-Wolfe, search" else N
    found = cb.solve(problem, method, n_steps, model_state=model_state, compile=False)
    expected = naive(*exactly(problem))
    assert list(found.path.learner) == expected.picks[:n_steps]
    # targets of norm below 6, radii up to 4; a line search divides by the squared length of the
    # move, above 1/4 here
    size = 6 * 4 * (4 if name == "Frank-Wolfe, search" else 1)
    tolerance = drift(n_steps, problem.n_samples, size)
    np.testing.assert_allclose(
        betas(found), expected.betas[: n_steps + 1].astype(float), rtol=0, atol=tolerance
    )


@pytest.mark.parametrize("kind, rank", [("tall", 5), ("wide", 5), ("deficient", 4), ("copies", 4)])
def test_forward_stepwise(kind, rank):
    problem = cb.Problem(*gaussian(kind))
    # in floats the correlations of copies differ by rounding
    naive, picks = ref.forward_stepwise(*exactly(problem), rank)
    run = cb.solve(problem, cb.forward_stepwise(), len(picks), compile=False)
    assert list(run.path.learner) == picks
    condition = np.linalg.cond(columns(problem)[:, picks]) ** 2
    tolerance = condition * drift(len(picks), problem.n_samples, np.linalg.norm(problem.y))
    np.testing.assert_allclose(betas_stepwise(run), naive.astype(float), rtol=0, atol=tolerance)


def betas_stepwise(run):
    return [
        cb.solve(run.problem, run.method, k, compile=False).beta for k in range(run.n_steps + 1)
    ]


# name: loss, the naive loss, is y a label
LOSSES = {
    "Huber": (cb.losses.Huber(0.5), ref.huber(0.5), False),
    "Logistic": (cb.losses.Logistic(), ref.logistic(), True),
    "Logistic, convex": (cb.losses.Logistic(0.5), ref.logistic(0.5), True),
    "Exponential": (cb.losses.Exponential(), ref.EXPONENTIAL, True),
}


@pytest.mark.parametrize("kind", GAUSSIAN)
@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize(
    "model_state", [cb.engine.NaiveState, cb.engine.WorkingSetState], ids=["explicit", "gathered"]
)
def test_other_losses(model_state, name, kind):
    """Greedy, random and cyclic selection; the exponential loss is not smooth, so only forward
    stagewise takes it.
    """
    loss, naive_loss, labels = LOSSES[name]
    X, y = gaussian(kind)
    X = columns(cb.Problem(X, y))
    problem = as_it_is(X, np.sign(y) if labels else y, loss)
    classes = [tuple(np.flatnonzero(abs(X.T @ X[:, j]) > 1 - 1e-12)) for j in range(X.shape[1])]
    if loss.sigma is None:
        walks = [(cb.forward_stagewise(0.25), ref.walk(X, problem.y, N, sign_rule, naive_loss))]
    else:
        drawn = draws(problem, cb.rtgcd(3), N)
        walks = [
            (cb.methods.gcd(), ref.coordinate_descent(X, problem.y, N, naive_loss)),
            (cb.rtgcd(3), ref.coordinate_descent(X, problem.y, N, naive_loss, candidates=drawn)),
            (
                cb.methods.ccd(),
                ref.coordinate_descent(X, problem.y, N, naive_loss, candidates=cyclic(X)),
            ),
        ]
    for method, naive in walks:
        run = cb.solve(
            problem,
            method,
            N,
            model_state=model_state if isinstance(method.select, cb.rules.Greedy) else None,
            compile=False,
        )
        # two more roundings for each library function; lengths 1 / sigma up to 4
        tolerance = drift(N, problem.n_samples + 2, 4 * 6)
        found, expected = (
            [merged(beta, classes) for beta in path] for path in (betas(run), naive.betas)
        )
        np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance)
        assert [classes[j] for j in run.path.learner] == [classes[j] for j in naive.picks]


def sign_rule(k, beta, corr):
    return ref.best(corr), 0, 0.25 * ref.sgn(corr[ref.best(corr)])


def merged(beta, classes):
    """Sums of abs(coefficients) over copies of a column: rounding in the naive scan may choose any
    of the copies.
    """
    return [sum(abs(beta[list(group)])) for group in dict.fromkeys(classes)]


def test_long_shrinkage():
    """The common factor of the coefficients underflows after 2,000 halvings; each step halves all
    earlier coefficients.
    """
    problem = as_it_is(np.eye(4), np.array([5.0, 3.0, -2.0, 1.0]))
    naive = ref.regularized_forward_stagewise(np.eye(4), problem.y, 0.5, 1.0, 2000)
    for model_state in STATES.values():
        run = cb.solve(
            problem,
            cb.regularized_forward_stagewise(0.5, 1.0),
            2000,
            model_state=model_state,
            compile=False,
        )
        assert list(run.path.learner) == naive.picks
        # two roundings for each of 50 halvings
        np.testing.assert_allclose(betas(run), naive.betas, rtol=0, atol=100 * ROUNDOFF)


@pytest.mark.parametrize(
    "loss, lam",
    [(cb.losses.Logistic(), 0.25), (cb.losses.Logistic(0.5), 0.1), (cb.losses.Huber(0.5), 0.125)],
)
def test_soft_threshold_of_other_losses(loss, lam):
    """The step to the minimiser of the quadratic bound, soft(beta + corr / sigma, lam / sigma), for
    the learner where it is largest.
    """
    X, y = gaussian("tall")
    X = columns(cb.Problem(X, y))
    target = y if getattr(loss, "location", False) else np.sign(y)
    problem = as_it_is(X, target, loss)
    rate = 1 / loss.sigma

    def rule(k, beta, corr):
        move = ref.soft(beta + rate * corr, rate * lam) - beta
        return ref.best(move), 0, move[ref.best(move)]

    run = cb.solve(problem, cb.methods.lasso_cd(lam, cb.rules.Greedy()), N, compile=False)
    naive = ref.walk(X, target, N, rule, ref.Loss(None, lambda y, f: problem.resid(f), None))
    assert list(run.path.learner) == naive.picks and np.abs(run.beta).max() > 0.1
    np.testing.assert_allclose(
        betas(run), naive.betas, rtol=0, atol=drift(N, problem.n_samples + 2, 4 * 6)
    )


@pytest.mark.parametrize(
    "loss",
    [cb.losses.Squared(), cb.losses.Huber(0.5), cb.losses.Logistic(), cb.losses.Exponential()],
    ids=repr,
)
def test_line_search_leaves_no_correlation(loss):
    """The loss is taken at prediction plus constant; residuals and slopes of the twelve samples are
    below 20.
    """
    X, y = gaussian("tall")
    problem = cb.Problem(X, y if getattr(loss, "location", False) else y > np.sort(y)[3], loss)
    assert problem.constant != 0
    run = cb.solve(problem, cb.methods.gcd(step=cb.rules.LineSearch()), N, compile=False)
    for state, j in zip(list(run.replay(range(N + 1)))[1:], run.path.learner, strict=True):
        assert abs(state.corr[j]) <= 20 * 12 * 12 * ROUNDOFF * 8
    assert run.final.loss < problem.value(0 * problem.y)


def test_compiled_ties_on_real_columns():
    """Copies and sign flips at arbitrary places of a matrix of odd size, compiled: only the first
    of them is ever chosen.
    """
    rng = np.random.default_rng(1)
    base = rng.normal(size=(37, 5))
    source = rng.permutation(np.repeat(np.arange(5), 9))
    problem = cb.Problem(base[:, source] * rng.choice([-1, 1], size=45), rng.normal(size=37))
    first = {int(np.flatnonzero(source == s)[0]) for s in range(5)}
    for model_state in STATES.values():
        assert (
            set(cb.solve(problem, cb.ls_boost(0.5), 300, model_state=model_state).path.learner)
            <= first
        )


@pytest.mark.parametrize("model_state", STATES.values(), ids=STATES)
def test_ties_do_not_stop_progress(model_state):
    """The tie width bounds rounding; it does not grow with the samples: with 5,000, correlations
    still fall to 1e-12 of their start.
    """
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5000, 5)) @ (np.eye(5) + np.eye(5, k=1))
    problem = cb.Problem(X, X @ np.arange(1.0, 6.0) + rng.normal(size=5000))
    run = cb.solve(
        problem, cb.ls_boost(1.0), 2000, model_state=model_state, stop=cb.engine.NoProgress(1e-12)
    )
    assert np.abs(run.final.corr).max() <= 1e-12 * run.problem.start_size
