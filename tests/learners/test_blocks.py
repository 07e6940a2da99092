"""Blocks of columns that are fitted at once: boosting and Langevin boosting agree with a naive
loop.
"""

import math

import numpy as np
import pytest
from designs import draws
from reference_blocks import BETA, BLOCKS, GAMMA, RULES, N, P, X, Y
from reference_noise import noise

import coordboost as cb
from coordboost.theory.langevin import chain

RNG = np.random.default_rng(6)
WEIGHT = RNG.integers(1, 4, N).astype(float)
EPS, STEPS = 0.1, 40


def inverse_root(S, weight, l2):
    """The symmetric root of the pseudo-inverse of the Gram matrix of the columns S, with a
    ridge.
    """
    size, axes = np.linalg.eigh(X[:, S].T @ (weight[:, None] * X[:, S]) + l2 * np.eye(len(S)))
    keep = size > 1e-10 * size.max()
    return (axes[:, keep] / np.sqrt(size[keep])) @ axes[:, keep].T


def chosen(name, row, z, weight, l2):
    """The columns that a step fits."""
    lengths = np.array(
        [np.linalg.norm(inverse_root(S, weight, l2) @ (X[:, S].T @ z)) for S in BLOCKS]
    )
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
    w = problem.weight
    F = np.zeros(N)
    coef = np.zeros(P)
    sigma = math.sqrt(2 * w.sum() / (EPS * BETA))
    for k in range(STEPS):
        g = problem.resid(F)
        S = chosen(
            name,
            None if rows is None else rows[k],
            g + sigma * np.sqrt(w) * noise(seed, 1, k, N),
            w,
            l2,
        )
        theta = np.zeros(P)
        if len(S):
            root = inverse_root(S, w, l2)
            theta[S] = EPS * root @ (root @ (X[:, S].T @ g) + sigma * noise(seed, 2, k, len(S)))
        F = (1 - GAMMA * EPS) * F + X @ theta
        coef = (1 - GAMMA * EPS) * coef + theta
    return F, coef


@pytest.mark.parametrize("l2", [0.0, 5.0])
@pytest.mark.parametrize("name", RULES)
def test_blocks_agree_with_the_naive_loop(name, l2):
    weight = None if name == "softmax" else WEIGHT
    problem = cb.Problem(cb.data.blocks(X, BLOCKS, l2=l2), Y, sample_weight=weight)
    method = cb.sglb(EPS, BETA, GAMMA, select=RULES[name])
    F, coef = naive(problem, name, draws(problem, method, STEPS, seed=7), 7, l2)
    run = cb.solve(problem, method, STEPS, rng=7, compile=False)
    # a few dozen roundings in each of 40 steps
    assert (
        np.abs(run.pred - F).max() < 1e-12
        and np.abs(run.problem.dictionary.spread(run.beta) - coef).max() < 1e-12
    )
    assert np.abs(run.problem.predict(run.beta, X) - run.problem.constant - F).max() < 1e-12


@pytest.mark.slow
@pytest.mark.parametrize("name", RULES)
def test_compiled_blocks_are_those_in_plain_python(name):
    problem = cb.Problem(cb.data.blocks(X, BLOCKS), Y)
    method = cb.sglb(EPS, BETA, GAMMA, select=RULES[name], subsample=0.7)
    one, other = (
        cb.solve(problem, method, STEPS, rng=7, compile=compile) for compile in (True, False)
    )
    assert np.abs(one.pred - other.pred).max() < 1e-12


@pytest.mark.parametrize(
    "select",
    [cb.rules.Greedy(), cb.rules.Groups(2), cb.rules.Weighted(np.arange(1.0, 5.0))],
    ids=["Greedy", "Groups", "Weighted"],
)
def test_blocks_of_one_column_are_the_columns(select):
    B = np.linalg.qr(X[:, :5])[0][:, :4] @ np.diag([1, -1, 1, 1]) + 0.1
    B /= np.linalg.norm(B, axis=0)
    method = cb.sglb(EPS, BETA, GAMMA, select=select)
    columns = cb.Problem(B, Y, center=False, scale=False, groups=np.arange(4))
    one = cb.solve(columns, method, 40, rng=3, compile=False)
    two = cb.solve(cb.Problem(cb.data.blocks(B), Y, center=False), method, 40, rng=3, compile=False)
    # a fit is a projection, whatever the sign of its column; noise goes with the column
    assert (
        np.abs(one.pred - two.pred).max() < 1e-12
        and np.abs(two.problem.dictionary.spread(two.beta) - one.beta).max() < 1e-12
    )


@pytest.mark.slow  # compiles loops that no other test uses
def test_a_run_on_blocks_is_the_same_however_it_is_cut(tmp_path):
    problem = cb.Problem(cb.data.blocks(X, BLOCKS), Y, sample_weight=WEIGHT)
    method = cb.sglb(EPS, BETA, GAMMA)
    whole = cb.solve(problem, method, 60, rng=4)
    cut = cb.solve(problem, method, 23, rng=4)
    cut.save(tmp_path / "a.run")
    again = cb.load(tmp_path / "a.run").resume(37)
    assert np.array_equal(whole.beta, again.beta) and np.array_equal(whole.pred, again.pred)
    assert np.array_equal(next(whole.replay([60])).beta, whole.beta)
    sample = chain(whole, 10, every=10)
    for state, coef in zip(whole.replay(sample.steps), sample.values[0], strict=True):
        assert np.abs(whole.problem.dictionary.spread(state.beta) - coef).max() < 1e-12


def test_least_squares_by_blocks():
    """Greedy block descent reaches the fit of all columns; with a single block, in one step."""
    full = X @ np.linalg.lstsq(X, Y - Y.mean())[0]
    assert (
        np.abs(
            cb.solve(
                cb.Problem(cb.data.blocks(X, [range(P)]), Y), cb.gbm(1.0), 1, compile=False
            ).pred
            - full
        ).max()
        < 1e-12
    )
    run = cb.solve(
        cb.Problem(cb.data.blocks(X, [0, 0, 1, 1, 2, 2]), Y), cb.gbm(1.0), 300, compile=False
    )
    assert np.abs(run.pred - full).max() < 1e-10


def test_invalid_blocks_are_refused():
    with pytest.raises(ValueError, match="a block must name columns from 0 to 5"):
        cb.data.blocks(X, [[0, 6]])
    with pytest.raises(ValueError, match="a block must be a list of columns"):
        cb.data.blocks(X, [[0.5], [1]])
    with pytest.raises(ValueError, match="a block must name columns"):
        cb.data.blocks(X, [[]])
    for bad in ("abcdef", 5, []):
        with pytest.raises(
            ValueError,
            match="blocks must be lists of columns, or a label for each of the 6 columns",
        ):
            cb.data.blocks(X, bad)
    with pytest.raises(ValueError, match="blocks must have a label"):
        cb.data.blocks(X, [0, 1, 2])
    for rule in (cb.rules.JointSubset(1), cb.rules.RandomMask(0.5)):
        with pytest.raises(ValueError, match=r"pass Problem\(blocks\(X\), y\)"):
            cb.solve(cb.Problem(X[:, :5], Y), cb.sglb(select=rule), 1)
    with pytest.raises(ValueError, match="JointSubset: t must be a whole number from 1 to 4"):
        cb.solve(
            cb.Problem(cb.data.blocks(X, BLOCKS), Y), cb.sglb(select=cb.rules.JointSubset(5)), 1
        )
    with pytest.raises(ValueError, match="q must be a probability"):
        cb.solve(
            cb.Problem(cb.data.blocks(X, BLOCKS), Y), cb.sglb(select=cb.rules.RandomMask(0.0)), 1
        )
    with pytest.raises(ValueError, match="must have the 6 columns"):
        run = cb.solve(cb.Problem(cb.data.blocks(X, BLOCKS), Y), cb.gbm(1.0), 1, compile=False)
        run.problem.predict(run.beta, X[:, :2])
