"""Trees grown on a subsample of the rows, and trees whose interactions are limited to given sets of
features.
"""

import itertools
import warnings

import numpy as np
import pytest
from refusal import refused
from sklearn.exceptions import ConvergenceWarning

import coordboost as cb

RNG = np.random.default_rng(11)
N, D = 240, 5
X = RNG.normal(size=(N, D))
Y = np.sin(2 * X[:, 0]) * X[:, 1] + X[:, 2] * X[:, 3] + 0.1 * RNG.normal(size=N)
FITTED = cb.methods.gcd(cb.rules.FittedStep(0.3))
WEIGHT = RNG.uniform(0.5, 2.0, size=N)


def grown(k, *, y=Y, weight=None, loss=None, method=None, **limits):
    problem = cb.Problem(
        cb.data.trees(X, **{"max_depth": 3, "min_samples": 4} | limits),
        y,
        loss,
        sample_weight=weight,
    )
    return cb.solve(problem, method or cb.ls_boost(0.3), k)


def nodes_of(run, j):
    """Tree j, and the feature and left child of each of its nodes."""
    bank = run.problem.dictionary
    return bank.tree(j), bank.trees.feature[j], bank.trees.left[j]


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["even", "weights"])
@pytest.mark.parametrize("newton", [False, True])
def test_a_step_adds_the_tree_of_the_rows_drawn(weight, newton):
    """Each value is the mean (or damped Newton step) over the drawn rows in its leaf, and is added
    for all rows of the leaf.
    """
    y, loss = (
        (np.where(Y > 0, 1.0, -1.0), cb.losses.Logistic()) if newton else (Y, cb.losses.Squared())
    )
    run = grown(
        6, y=y, weight=weight, loss=loss, newton=newton, subsample=0.5, seed=7, method=FITTED
    )
    pred = np.zeros(N)
    w = np.ones(N) if weight is None else weight
    for j, state in enumerate(run.replay(range(1, 7))):
        drawn = np.zeros(N, dtype=bool)
        drawn[rows_of(run, j)] = True
        step = state.pred - pred
        resid = run.problem.resid(pred)
        mass = (
            w
            * [
                run.problem.loss.curvature(a, run.problem.base + f)
                for a, f in zip(run.problem.y, pred, strict=True)
            ]
            if newton
            else w
        )
        for value in np.unique(step.round(9)):
            leaf = step.round(9) == value
            assert (leaf & drawn).sum() >= 4
            fit = resid[leaf & drawn].sum() / mass[leaf & drawn].sum()
            fit = np.sign(fit) * np.log1p(abs(fit)) if newton else fit
            assert value / 0.3 == pytest.approx(fit, rel=1e-6, abs=1e-8)
        pred = state.pred


def rows_of(run, j):
    return run.problem.dictionary.grower.draw(j)[0].copy()


def test_draws_depend_on_seed_and_tree_number_only(tmp_path):
    run = grown(8, subsample=0.5, seed=3)
    draws = [rows_of(run, j) for j in range(8)]
    assert all(
        (np.diff(draw.astype(int)) > 0).all() and abs(len(draw) - N / 2) < 5 * (N / 4) ** 0.5
        for draw in draws
    )
    assert len({draw.tobytes() for draw in draws}) == 8
    assert (
        grown(8, subsample=0.5, seed=4).beta.tobytes()
        != run.beta.tobytes()
        == grown(3, subsample=0.5, seed=3).resume(5).beta.tobytes()
    )
    run.save(tmp_path / "the.run")
    read = cb.load(tmp_path / "the.run")
    assert (
        read.resume(4).beta.tobytes()
        == run.resume(4).beta.tobytes()
        == grown(12, subsample=0.5, seed=3).beta.tobytes()
    )
    assert read.predict(X).tobytes() == run.predict(X).tobytes()


def test_each_row_is_drawn_as_often_as_any_other():
    """1,000 draws of half of 240 rows: a row's count has variance 250, a pair's count mean 250."""
    bank = grown(0, subsample=0.5).problem.for_run().dictionary
    seen = np.zeros((1000, N))
    for j in range(1000):
        drawn, others = bank.grower.draw(j)
        seen[j, drawn] = 1
        assert not seen[j, others].any() and len(drawn) + len(others) == N
    assert np.abs(seen.sum(axis=0) - 500).max() < 5 * 250**0.5
    assert np.abs((seen.T @ seen)[np.triu_indices(N, 1)] - 250).max() < 6 * 187**0.5


SETS = {
    "pairwise": [*itertools.combinations(range(D), 2)],
    "no_interactions": [(j,) for j in range(D)],
}


@pytest.mark.parametrize(
    "sets", ["pairwise", "no_interactions", [[0, 1], [1, 2, 3]], [{4}]], ids=str
)
def test_features_on_a_branch_are_in_one_set(sets):
    run = grown(12, sets=sets, max_depth=4)
    groups = SETS[sets] if isinstance(sets, str) else [*sets, set(range(D)) - set().union(*sets)]
    met = set()
    for j in range(12):
        _, feature, left = nodes_of(run, j)
        ways = [(0, frozenset())]
        while ways:
            at, way = ways.pop()
            if feature[at] >= 0:
                way = way | {int(feature[at])}
                ways += [(left[at], way), (left[at] + 1, way)]
            else:
                met.add(way)
    assert (
        all(any(way <= set(group) for group in groups) for way in met)
        and max(map(len, met)) > (sets == "no_interactions") * 0
    )
    assert max(map(len, met)) == min(4, max(map(len, groups)))
    assert (
        grown(12, max_depth=4).beta.tobytes()
        != run.beta.tobytes()
        == grown(12, sets=sets, max_depth=4).beta.tobytes()
    )


def test_no_interactions_is_a_sum_of_functions_of_one_feature():
    run = grown(30, sets="no_interactions")
    a = X.copy()
    b = X[::-1].copy()
    mixed = np.where(np.arange(D) == 2, b, a)
    other = np.where(np.arange(D) == 2, a, b)
    np.testing.assert_allclose(
        run.predict(a) + run.predict(b), run.predict(mixed) + run.predict(other), atol=1e-12
    )


@pytest.mark.parametrize("sets", ["pairwise", "no_interactions", [[0, 1], [1, 2, 3]]], ids=str)
def test_models_are_those_of_scikit_learn(sets):
    from sklearn.ensemble import HistGradientBoostingRegressor

    given = {"max_depth": 3, "min_samples_leaf": 10, "random_state": 0}
    theirs = HistGradientBoostingRegressor(
        max_iter=30, interaction_cst=sets, max_leaf_nodes=None, early_stopping=False, **given
    )
    ours = cb.RandomizedGBMRegressor(
        n_estimators=30, max_features=None, interaction_cst=sets, **given
    )
    np.testing.assert_allclose(
        ours.fit(X, Y).predict(X), theirs.fit(X, Y).predict(X), rtol=1e-4, atol=1e-5
    )


def test_sets_are_saved_and_named(tmp_path):
    table = __import__("pandas").DataFrame(X, columns=list("abcde"))
    problem = cb.Problem(cb.data.trees(table, sets=[["a", "b"], ["c"]], max_depth=3), Y)
    run = cb.solve(problem, cb.ls_boost(0.3), 6)
    run.save(tmp_path / "the.run")
    assert cb.load(tmp_path / "the.run").resume(3).beta.tobytes() == run.resume(3).beta.tobytes()
    assert run.beta.tobytes() == grown(6, sets=[[0, 1], [2], [3, 4]], min_samples=1).beta.tobytes()


KINDS = {
    "randomized": (cb.RandomizedGBMRegressor, Y),
    "accelerated": (cb.AcceleratedGBMClassifier, np.where(Y > 0, "a", "b")),
}


@pytest.mark.parametrize(("kind", "y"), KINDS.values(), ids=KINDS)
def test_estimators(kind, y):
    given = {"n_estimators": 20, "min_samples_leaf": 5}
    models = [
        kind(**given, random_state=seed, subsample=0.5, interaction_cst=[[0, 1], [2, 3]]).fit(X, y)
        for seed in (0, 0, 1)
    ]
    one, same, other = (model.runs_[0].beta.tobytes() for model in models)
    assert one == same != other
    whole = kind(**given, random_state=0).fit(X, y)
    assert models[0].score(X, y) > 0.5 * whole.score(X, y)
    half = kind(
        **given | {"n_estimators": 8},
        random_state=0,
        subsample=0.5,
        interaction_cst=[[0, 1], [2, 3]],
        warm_start=True,
    ).fit(X, y)
    assert half.set_params(n_estimators=20).fit(X, y).runs_[0].beta.tobytes() == one


def test_what_is_refused():
    for bad in (0.0, 1.5, "half", np.nan):
        refused(lambda bad=bad: cb.data.trees(X, subsample=bad), "subsample")
    for bad in ("triples", [[0, 9]], [["a"]], 3, [0]):
        refused(lambda bad=bad: cb.data.trees(X, sets=bad), "sets ")
    refused(lambda: cb.data.trees(X, seed=-1), "seed")


def test_few_rows():
    """A leaf counts only the drawn rows: if they are too few, no tree splits."""
    run = cb.solve(
        cb.Problem(cb.data.trees(X[:6], subsample=0.3, min_samples=2), Y[:6]), cb.ls_boost(0.5), 3
    )
    assert (run.problem.dictionary.trees.n_leaves == 1).all() and np.isfinite(run.final.loss)
    assert np.isfinite(
        cb.solve(
            cb.Problem(cb.data.trees(X[:2], subsample=0.1), Y[:2]), cb.ls_boost(0.5), 3
        ).final.loss
    )


@pytest.mark.parametrize(
    "loss", [cb.losses.Squared(), cb.losses.Huber(0.5)], ids=["squared", "huber"]
)
@pytest.mark.parametrize("kind", [cb.AcceleratedGBMRegressor, cb.RandomizedGBMRegressor])
def test_trees_of_some_rows_keep_monotone_constraints(kind, loss):
    grid = np.linspace(-3, 3, 60)[:, None]
    for seed in range(8):
        rng = np.random.default_rng(seed)
        x = rng.integers(-2, 3, (40, 1)).astype(float)
        y = rng.normal(size=40)
        newton = {"newton": True} if "newton" in kind().get_params() else {"gamma": 0.5}
        model = kind(
            loss=loss,
            monotonic_cst=[1],
            subsample=0.3,
            learning_rate=1.0,
            n_estimators=10,
            min_samples_leaf=1,
            random_state=seed,
            **newton,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(x, y)
        assert (np.diff(model.predict(grid)) >= -1e-12).all()


def test_a_run_with_trees_that_fit_nothing_is_saved_and_loaded(tmp_path):
    rng = np.random.default_rng(6)
    x = rng.normal(size=(80, 1))
    y = 50.0 * rng.choice([-1.0, 1.0], 80)
    learners = cb.data.trees(x, newton=True, subsample=0.3, monotone=[1], min_samples=10)
    run = cb.solve(cb.Problem(learners, y, cb.losses.Huber(0.5)), cb.gbm(1.0), 8)
    run.save(tmp_path / "a.run")
    assert (cb.load(tmp_path / "a.run").predict(x) == run.predict(x)).all()
