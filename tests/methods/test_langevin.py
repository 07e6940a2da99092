"""Langevin boosting equals its five-line NumPy version, on columns and on trees, with the same
random numbers at the same addresses.
"""

import math

import numpy as np
import pytest
from reference_noise import kept, noise

import coordboost as cb

N, P = 24, 6
RNG = np.random.default_rng(5)
X = RNG.normal(size=(N, P))
Y = X[:, 0] - X[:, 3] + RNG.normal(size=N)
WEIGHT = RNG.integers(1, 4, N).astype(float)
PROBLEM = cb.Problem(X, Y)
EPS, BETA, GAMMA = 0.1, 40.0, 0.05


def naive(
    problem, steps, seed, structure=cb.rules.Structure.OWN, subsample=1.0, first=False, beta=BETA
):
    """Algorithm 2 in the metric of the weights: return the prediction and the chosen learners."""
    B = problem.gather(np.arange(problem.n_learners))
    w = problem.weight
    F = np.zeros(problem.n_samples)
    chosen = []
    for k in range(steps):
        sigma = math.sqrt(2 * w.sum() / (EPS * np.broadcast_to(beta, steps)[k]))
        g = kept(seed, k, subsample, problem.resid((1 - GAMMA * EPS) * F if first else F))
        own = sigma * np.sqrt(w) * noise(seed, 1, k, N)
        leaf = sigma * noise(seed, 2, k, 1)[0]
        corr = B.T @ (g if structure == cb.rules.Structure.NONE else g + own)
        j = int(np.argmax(np.abs(corr)))
        theta = EPS * (corr[j] if structure == cb.rules.Structure.SAME else B[:, j] @ g + leaf)
        F = (1 - GAMMA * EPS) * F + theta * B[:, j]
        chosen.append(j)
    return F, chosen


CASES = {
    "both": {},
    "leaf only": {"structure": cb.rules.Structure.NONE},
    "shared": {"structure": cb.rules.Structure.SAME},
    "part of the samples": {"subsample": 0.5},
    "shrink first": {"first": True},
    "annealed": {"beta": np.geomspace(1.0, 1e6, 60)},
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["equal", "weighted"])
def test_on_columns_it_equals_the_naive_loop(name, weight):
    problem = PROBLEM if weight is None else cb.Problem(X, Y, sample_weight=weight)
    case = {"beta": BETA, **CASES[name]}
    expected, chosen = naive(problem, 60, 7, **case)
    case["shrink_first"] = case.pop("first", False)
    run = cb.solve(problem, cb.sglb(EPS, gamma=GAMMA, **case), 60, rng=7)
    assert run.path.learner.tolist() == chosen and len(set(chosen)) > 2
    assert np.abs(run.pred - expected).max() < 1e-12  # 60 contracting steps, a few roundings each
    plain = cb.solve(problem, cb.sglb(EPS, gamma=GAMMA, **case), 60, rng=7, compile=False)
    assert plain.path.learner.tolist() == chosen and np.abs(plain.pred - run.pred).max() < 1e-12


def test_an_oracle_in_plain_python_gives_the_same_run():
    columns = PROBLEM.gather(np.arange(P))

    class Listed:
        n_samples, n_learners = N, P

        def scan(self, v):
            return v @ columns

        def column(self, j):
            return columns[:, j]

    method = cb.sglb(EPS, BETA, GAMMA, subsample=0.5)
    run = cb.solve(PROBLEM, method, 40, rng=3)
    other = cb.solve(cb.Problem(Listed(), Y), method, 40, rng=3)
    assert (
        np.array_equal(run.path.learner, other.path.learner)
        and np.abs(run.pred - other.pred).max() < 1e-12
    )


def test_without_noise_and_shrinkage_it_is_gradient_boosting_bit_for_bit():
    for method in (cb.sglb(EPS, math.inf, 0.0), cb.sgb(EPS)):
        run = cb.solve(PROBLEM, method, 80)
        plain = cb.solve(PROBLEM, cb.gbm(EPS), 80)
        assert np.array_equal(run.beta, plain.beta) and np.array_equal(
            run.path.theta, plain.path.theta
        )


@pytest.mark.slow
def test_without_noise_and_shrinkage_trees_are_those_of_gradient_boosting():
    assert np.array_equal(
        *(cb.solve(forest(), m, 10).beta for m in (cb.sglb(EPS, math.inf, 0.0), cb.gbm(EPS)))
    )


def forest(weight=None, l2=0.0):
    return cb.Problem(cb.data.trees(X, max_depth=2, l2=l2, max_bins=8), Y, sample_weight=weight)


@pytest.mark.parametrize(
    ("weight", "l2"), [(None, 0.0), (WEIGHT, 0.0), (None, 3.0)], ids=["equal", "weighted", "ridge"]
)
def test_leaves_of_trees_are_fitted_to_their_own_noise(weight, l2):
    """The noise of the search grows the trees; a leaf fits residual plus noise with the variance of
    the sum over its samples.
    """
    problem = forest(weight, l2)
    method = cb.sglb(EPS, BETA, GAMMA)
    run = cb.solve(problem, method, 25, rng=2)
    bank = run.problem.dictionary
    w = problem.weight
    F = np.zeros(N)
    sigma = math.sqrt(2 * w.sum() / (EPS * BETA))
    for k in range(25):
        unit = bank.column(k)
        g = problem.resid(F)
        z = noise(2, 2, k, 4)
        leaves = bank.tree(k).apply(bank.binned.codes)
        value = [
            (g[leaves == a].sum() + sigma * math.sqrt(w[leaves == a].sum() + l2) * z[a])
            for a in range(leaves.max() + 1)
        ]
        value = np.array([v / (w[leaves == a].sum() + l2) for a, v in enumerate(value)])[leaves]
        assert np.abs(run.path.theta[k] * unit - EPS * value).max() < 1e-12
        assert abs(w @ unit**2 - 1) < 1e-12
        F = (1 - GAMMA * EPS) * F + EPS * value
    assert np.abs(run.pred - F).max() < 1e-12


def test_trees_grow_on_the_noised_residual():
    problem = forest()
    noised = None
    sigma = math.sqrt(2 * N / (EPS * BETA))
    run = cb.solve(problem, cb.sglb(EPS, BETA, GAMMA), 1, rng=2)
    noised = cb.Problem(
        cb.data.trees(X, max_depth=2, max_bins=8),
        Y + sigma * noise(2, 1, 0, N) - Y.mean(),
        center=False,
    )
    grown = cb.solve(noised, cb.gbm(EPS), 1)
    one = run.problem.dictionary.tree(0)
    other = grown.problem.dictionary.tree(0)
    assert np.array_equal(
        one.apply(run.problem.dictionary.binned.codes),
        other.apply(grown.problem.dictionary.binned.codes),
    )


@pytest.mark.parametrize("problem", [PROBLEM, forest()], ids=["columns", "trees"])
def test_a_run_is_the_same_however_it_is_cut(problem, tmp_path):
    method = cb.sglb(EPS, BETA, GAMMA)
    whole = cb.solve(problem, method, 60, rng=4)
    cut = cb.solve(problem, method, 23, rng=4).resume(10)
    cut.save(tmp_path / "a.run")
    again = cb.load(tmp_path / "a.run").resume(27)
    assert np.array_equal(whole.beta, again.beta) and np.array_equal(
        whole.path.theta, again.path.theta
    )
    assert np.array_equal(next(whole.replay([60])).beta, whole.beta)
    assert not np.array_equal(whole.path.theta, cb.solve(problem, method, 60, rng=5).path.theta)


def test_what_does_not_go_together_is_refused():
    method = cb.sglb(EPS, BETA, GAMMA)
    with pytest.raises(ValueError, match="leave model_state=None"):
        cb.solve(PROBLEM, method, 1, model_state=cb.engine.NaiveState)
    for bad in ({"newton": True}, {"monotone": [1] + [0] * (P - 1)}):
        with pytest.raises(ValueError, match="noise needs leaf values that are mean gradients"):
            cb.solve(cb.Problem(cb.data.trees(X, **bad), Y), method, 1)
    with pytest.raises(ValueError, match=r"gamma \* eps must be below 1"):
        cb.solve(PROBLEM, cb.sglb(0.5, BETA, 2.0), 1)
    with pytest.raises(ValueError, match=r"eps \* \(gamma \+ mu\) must be below 2"):
        cb.solve(PROBLEM, cb.sglb(1.9, BETA, 0.2), 1)
    with pytest.raises(
        ValueError, match="no smoothness constant sigma, which Langevin boosting needs"
    ):
        cb.solve(cb.Problem(X, Y > 0, cb.losses.Exponential()), method, 1)
    with pytest.raises(ValueError, match="beta must be a positive number"):
        cb.sglb(EPS, -1.0, GAMMA)
    with pytest.raises(ValueError, match="noise needs a single sequence of coefficients"):
        agbm = cb.agbm(0.5, 0.1)
        cb.rules.Method(
            "both",
            agbm.select,
            agbm.step,
            coefficients=agbm.coefficients,
            noise=cb.rules.Noise(EPS),
        )


def test_beta_in_units_of_the_loss_and_of_catboost():
    """sigma = sqrt(2 N / (eps beta)), N the sum of the weights."""
    bound = cb.sglb(EPS, BETA, GAMMA).bind(cb.Problem(X, Y, sample_weight=WEIGHT))
    assert bound.noise.sigma.tolist() == [math.sqrt(2 * WEIGHT.sum() / (EPS * BETA))]


def test_without_noise_and_shrinkage_it_is_boosting():
    plain, langevin = (
        cb.solve(PROBLEM, cb.rules.Method("plain", cb.rules.Greedy(), step, noise=noise), 30)
        for step, noise in (
            (cb.rules.FittedStep(EPS), None),
            (cb.rules.Langevin(EPS), cb.rules.Noise(EPS)),
        )
    )
    assert (plain.path.learner == langevin.path.learner).all() and len(set(plain.path.learner)) > 2
    # 30 contracting steps, a few roundings each
    np.testing.assert_allclose(langevin.beta, plain.beta, rtol=1e-12, atol=0)


def test_bad_steps_are_refused():
    for bad in (0.0, -0.1, math.nan, math.inf):
        with pytest.raises(ValueError, match="eps must be"):
            cb.solve(PROBLEM, cb.rules.Method("bad", cb.rules.Greedy(), cb.rules.Langevin(bad)), 1)
