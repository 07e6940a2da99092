"""Blocks of columns that are fitted at once: boosting and Langevin boosting are what their lines say, and their laws fit them."""

import math

import numpy as np
import pytest
from reference_noise import noise
from reference_sets import needs_compiler

import coordboost as cb
from coordboost.engine.streams import picks
from coordboost.langevin import chain, gibbs, limit_of, stationary

N, P = 24, 6
RNG = np.random.default_rng(5)
X = RNG.normal(size=(N, P))
X[:, 5] = X[:, 4]  # a copy within a block
Y = X[:, 0] - X[:, 3] + RNG.normal(size=N)
WEIGHT = RNG.integers(1, 4, N).astype(float)
BLOCKS = [[0, 1], [2, 3], [4, 5], [1, 2]]
EPS, BETA, GAMMA, STEPS = 0.1, 40.0, 0.05, 40
RULES = {
    "greedy": cb.Full(),
    "fixed": cb.Weighted([0.4, 0.3, 0.2, 0.1]),
    "candidates": cb.Groups(2),
    "softmax": cb.Softmax(2.0),
    "subsets": cb.Together(2),
    "mask": cb.Mask(0.3),
}


def inverse_root(S, weight, l2):
    """The symmetric root of the pseudo-inverse of the Gram matrix of the columns S, with a ridge."""
    size, axes = np.linalg.eigh(X[:, S].T @ (weight[:, None] * X[:, S]) + l2 * np.eye(len(S)))
    keep = size > 1e-10 * size.max()
    return (axes[:, keep] / np.sqrt(size[keep])) @ axes[:, keep].T


def chosen(name, row, z, weight, l2):
    """The columns that a step fits."""
    lengths = np.array([np.linalg.norm(inverse_root(S, weight, l2) @ (X[:, S].T @ z)) for S in BLOCKS])
    if name == "greedy":
        return BLOCKS[lengths.argmax()]
    if name == "fixed":
        return BLOCKS[row[0]]
    if name == "candidates":
        return BLOCKS[max(row, key=lambda s: lengths[s])]
    if name == "softmax":
        chance = np.exp(2.0 * lengths**2 / (z @ z))
        return BLOCKS[np.searchsorted(np.cumsum(chance), (row[0] + 0.5) / 2**53 * chance.sum())]
    which = row if name == "subsets" else np.flatnonzero(row)
    return sorted({j for s in which for j in BLOCKS[s]})


def naive(problem, name, rows, seed, l2):
    """Algorithm 7: the predictions and the coefficients of the columns."""
    w, F, coef = problem.weight, np.zeros(N), np.zeros(P)
    sigma = math.sqrt(2 * w.sum() / (EPS * BETA))
    for k in range(STEPS):
        g = problem.resid(F)
        S = chosen(name, None if rows is None else rows[k], g + sigma * np.sqrt(w) * noise(seed, 1, k, N), w, l2)
        theta = np.zeros(P)
        if len(S):
            root = inverse_root(S, w, l2)
            theta[S] = EPS * root @ (root @ (X[:, S].T @ g) + sigma * noise(seed, 2, k, len(S)))
        F, coef = (1 - GAMMA * EPS) * F + X @ theta, (1 - GAMMA * EPS) * coef + theta
    return F, coef


@pytest.mark.parametrize("l2", [0.0, 5.0])
@pytest.mark.parametrize("name", RULES)
def test_blocks_follow_the_lines(name, l2):
    weight = None if name == "softmax" else WEIGHT
    problem, method = (
        cb.Problem(cb.blocks(X, BLOCKS, l2=l2), Y, sample_weight=weight),
        cb.sglb(EPS, BETA, GAMMA, select=RULES[name]),
    )
    stream = picks(7, method.bind(problem).select, 0)
    F, coef = naive(problem, name, None if stream is None else stream.rows(0, STEPS), 7, l2)
    run = cb.solve(problem, method, STEPS, rng=7, compile=False)
    # a few dozen roundings in each of 40 steps
    assert np.abs(run.pred - F).max() < 1e-12 and np.abs(run.problem.dictionary.spread(run.beta) - coef).max() < 1e-12
    assert np.abs(run.problem.predict(run.beta, X) - run.problem.offset - F).max() < 1e-12


@pytest.mark.slow
@pytest.mark.parametrize("name", RULES)
def test_compiled_blocks_are_those_in_plain_python(name):
    problem, method = cb.Problem(cb.blocks(X, BLOCKS), Y), cb.sglb(EPS, BETA, GAMMA, select=RULES[name], share=0.7)
    one, other = (cb.solve(problem, method, STEPS, rng=7, compile=compile) for compile in (True, False))
    assert np.abs(one.pred - other.pred).max() < 1e-12


@pytest.mark.parametrize(
    "select", [cb.Full(), cb.Groups(2), cb.Weighted(np.arange(1.0, 5.0))], ids=["Full", "Groups", "Weighted"]
)
def test_blocks_of_one_column_are_the_columns(select):
    B = np.linalg.qr(X[:, :5])[0][:, :4] @ np.diag([1, -1, 1, 1]) + 0.1
    B /= np.linalg.norm(B, axis=0)
    method = cb.sglb(EPS, BETA, GAMMA, select=select)
    columns = cb.Problem(B, Y, center=False, scale=False, groups=np.arange(4))
    one = cb.solve(columns, method, 40, rng=3, compile=False)
    two = cb.solve(cb.Problem(cb.blocks(B), Y, center=False), method, 40, rng=3, compile=False)
    # a fit is a projection, whatever the sign of its column; noise goes with the column
    assert (
        np.abs(one.pred - two.pred).max() < 1e-12 and np.abs(two.problem.dictionary.spread(two.beta) - one.beta).max() < 1e-12
    )


def test_a_run_on_blocks_is_the_same_however_it_is_cut(tmp_path):
    problem, method = cb.Problem(cb.blocks(X, BLOCKS), Y, sample_weight=WEIGHT), cb.sglb(EPS, BETA, GAMMA)
    whole, cut = cb.solve(problem, method, 60, rng=4), cb.solve(problem, method, 23, rng=4)
    cut.save(tmp_path / "a.run")
    again = cb.load(tmp_path / "a.run").resume(37)
    assert np.array_equal(whole.beta, again.beta) and np.array_equal(whole.pred, again.pred)
    assert np.array_equal(next(whole.replay([60])).beta, whole.beta)
    sample = chain(whole, 10, every=10)
    for state, coef in zip(whole.replay(sample.steps), sample.values[0], strict=True):
        assert np.abs(whole.problem.dictionary.spread(state.beta) - coef).max() < 1e-12


@pytest.mark.parametrize("order", [[0, 1, 2], [2, 1, 0], [1, 2, 0]])
def test_of_blocks_that_fit_alike_the_lowest_is_taken(order):
    """Two blocks with the same image, given by other columns, and one that fits worse; in any order of looking."""
    columns = np.stack([X[:, 0], X[:, 1], X[:, 0] + X[:, 1], X[:, 0] - X[:, 1], X[:, 2]], axis=1)
    fits = cb.Problem(cb.blocks(columns, [[0, 1], [2, 3], [4]]), Y).dictionary.room(1)
    assert fits.find_in(X[:, 0] + 0.1 * X[:, 2], np.array(order))[0] == 0
    assert fits.now[:2].tolist() == [0, 1] and fits.find_in(Y, np.array(order)) == (-1, 0.0)  # no room for a second one


def test_least_squares_by_blocks():
    """Greedy block descent reaches the fit of all columns; with one block it is there in one step."""
    full = X @ np.linalg.lstsq(X, Y - Y.mean())[0]
    assert np.abs(cb.solve(cb.Problem(cb.blocks(X, [range(P)]), Y), cb.gbm(1.0), 1, compile=False).pred - full).max() < 1e-12
    run = cb.solve(cb.Problem(cb.blocks(X, [0, 0, 1, 1, 2, 2]), Y), cb.gbm(1.0), 300, compile=False)
    assert np.abs(run.pred - full).max() < 1e-10


def test_what_is_no_block_is_refused():
    with pytest.raises(ValueError, match="a block must name columns from 0 to 5"):
        cb.blocks(X, [[0, 6]])
    with pytest.raises(ValueError, match="a block must be a list of columns"):
        cb.blocks(X, [[0.5], [1]])
    with pytest.raises(ValueError, match="a block must name columns"):
        cb.blocks(X, [[]])
    for bad in ("abcdef", 5, []):
        with pytest.raises(ValueError, match="blocks must be lists of columns, or a label for each of the 6 columns"):
            cb.blocks(X, bad)
    with pytest.raises(ValueError, match="blocks must have a label"):
        cb.blocks(X, [0, 1, 2])
    for rule in (cb.Together(1), cb.Mask(0.5)):
        with pytest.raises(ValueError, match=r"pass Problem\(blocks\(X\), y\)"):
            cb.solve(cb.Problem(X[:, :5], Y), cb.sglb(select=rule), 1)
    with pytest.raises(ValueError, match="Together: t must be a whole number from 1 to 4"):
        cb.solve(cb.Problem(cb.blocks(X, BLOCKS), Y), cb.sglb(select=cb.Together(5)), 1)
    with pytest.raises(ValueError, match="q must be a probability"):
        cb.solve(cb.Problem(cb.blocks(X, BLOCKS), Y), cb.sglb(select=cb.Mask(0.0)), 1)
    with pytest.raises(ValueError, match="must have the 6 columns"):
        run = cb.solve(cb.Problem(cb.blocks(X, BLOCKS), Y), cb.gbm(1.0), 1, compile=False)
        run.problem.predict(run.beta, X[:, :2])


# Laws. --------------------------------------------------------------------------------------------------------------------

PROBLEM = cb.Problem(cb.blocks(X, BLOCKS), Y)


def relative(found, expected):
    return np.linalg.norm(found - expected) / np.linalg.norm(expected)


@pytest.mark.parametrize("name", RULES)
def test_the_preconditioner_is_the_mean_of_the_fits(name):
    """P_s is a projector, their mean has the mean rank as its trace, and the law of Gibbs solves its equation (Lyapunov's)."""
    limit = limit_of(PROBLEM, RULES[name], draws=300)
    B, bar, ranks = limit.columns, 0.0, 0.0
    for p, fit in limit.fits():
        projector = B @ fit @ B.T
        assert np.abs(projector @ projector - projector).max() < 1e-12 and np.abs(projector - projector.T).max() < 1e-12
        bar, ranks = bar + p * projector, ranks + p * np.linalg.matrix_rank(projector)
    assert np.abs(bar - limit.mean_projector).max() < 1e-12 and np.trace(bar) == pytest.approx(ranks, rel=1e-12)
    law, M = gibbs(PROBLEM, cb.sglb(0.1, BETA, GAMMA, select=RULES[name]), limit), limit.preconditioner
    drift = GAMMA * np.eye(P) + M @ B.T @ B
    assert relative(drift @ law.cov + law.cov @ drift.T, 2 * N / BETA * M) < 1e-12
    seen = law.of_predictions(B)
    assert relative(seen.mean, np.linalg.solve(bar + GAMMA * np.eye(N), bar @ (Y - Y.mean()))) < 1e-10


def test_subsets_of_orthonormal_columns_have_known_laws():
    """k of m columns: k / m on the diagonal; a mask: q."""
    Q = cb.Problem(cb.blocks(np.linalg.qr(X[:, :5])[0]), Y)
    assert np.abs(limit_of(Q, cb.Together(2)).preconditioner - 2 / 5 * np.eye(5)).max() < 1e-12
    assert np.abs(limit_of(Q, cb.Mask(0.3)).preconditioner - 0.3 * np.eye(5)).max() < 1e-12
    some = limit_of(Q, cb.Mask(0.3), draws=20)  # fewer than the 32 masks: drawn
    assert len(some.p) == 20 and some.p.sum() == pytest.approx(1.0)


def test_of_two_blocks_noise_chooses_either_alike():
    two = cb.Problem(cb.blocks(X[:, :4], [[0, 1], [2, 3]]), Y)
    for select in (cb.Full(), cb.Groups(2), cb.Softmax(3.0)):
        limit = limit_of(two, select, draws=4000)
        assert np.abs(limit.p - 0.5).max() < 5 * limit.error.max()  # 5 standard errors: 6e-7
    assert limit_of(two, cb.Groups(1), draws=100).p == pytest.approx([0.5, 0.5])


@pytest.mark.parametrize("name", ["fixed", "subsets", "mask"])
def test_the_stationary_law_of_blocks_is_that_of_the_step(name):
    eps, select = 0.1, RULES[name]
    law, limit = stationary(PROBLEM, cb.sglb(eps, BETA, GAMMA, select=select)), limit_of(PROBLEM, select)
    again, B = 0.0, limit.columns
    left = Y - Y.mean() - B @ law.mean
    for p, K in limit.fits():
        A = (1 - GAMMA * eps) * np.eye(P) - eps * K @ B.T @ B
        jump = -GAMMA * eps * law.mean + eps * K @ B.T @ left
        again = again + p * (A @ law.cov @ A.T + np.outer(jump, jump) + 2 * N * eps / BETA * K)
    assert relative(again, law.cov) < 1e-10


def test_ridge_fits_keep_the_law_if_their_noise_does():
    """The mean fit (B'B + l2)^-1 is that of the drift and of the noise alike, so the law is Gibbs; noise through the fit would miss it."""
    problem = cb.Problem(cb.blocks(X, BLOCKS, l2=10.0), Y)
    method = cb.sglb(0.1, BETA, GAMMA, select=RULES["fixed"])
    law, B, M, wrong = gibbs(problem, method), X, np.zeros((P, P)), np.zeros((P, P))
    for p, S in zip(RULES["fixed"].p, BLOCKS, strict=True):
        inverse = np.linalg.inv(B[:, S].T @ B[:, S] + 10.0 * np.eye(len(S)))
        M[np.ix_(S, S)] += p * inverse
        wrong[np.ix_(S, S)] += p * inverse @ B[:, S].T @ B[:, S] @ inverse
    drift = GAMMA * np.eye(P) + M @ B.T @ B
    assert relative(drift @ law.cov + law.cov @ drift.T, 2 * N / BETA * M) < 1e-12
    assert relative(wrong, M) > 0.2


@pytest.mark.slow
@needs_compiler
@pytest.mark.parametrize("name", ["fixed", "subsets", "mask"])
def test_runs_on_blocks_meet_their_law(name):
    """Means within 5 standard errors in 6 coefficients: 4e-6. The trace from 400 effective draws or more, 5 standard errors: 0.35."""
    method = cb.sglb(0.1, BETA, GAMMA, select=RULES[name])
    sample, law = chain(cb.solve(PROBLEM, method, 200_000, rng=1), 4_000, every=40), stationary(PROBLEM, method)
    assert (np.abs(sample.mean - law.mean) < 5 * sample.error).all() and sample.rhat.max() < 1.05
    assert abs(np.trace(sample.cov) / np.trace(law.cov) - 1) < 0.35
