"""Boosting with trees in the common loop: each step is the projection on the leaves of a tree, and
runs have all methods of a run.
"""

import numpy as np
import pandas as pd
import pytest
from plain_newton import PlainNewton
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

import coordboost as cb

RNG = np.random.default_rng(3)
X = RNG.normal(size=(80, 4)).round(1)
Y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * RNG.normal(size=80)
SIGNS = np.where(Y.mean() < Y, 1.0, -1.0)
WEIGHT = RNG.integers(1, 4, size=80).astype(float)


def leaves(bank, j):
    """The leaf number of each sample in tree j."""
    return bank.tree(j).apply(bank.binned.codes)


def projected(v, weight, leaf, l2=0.0):
    """The mean of v / weight in each leaf, at the samples; with a ridge penalty, the sum of v over
    (sum of weights + l2).
    """
    sums = np.bincount(leaf, v)
    weights = np.bincount(leaf, weight)
    return (sums / (weights + l2))[leaf]


@pytest.mark.parametrize("l2", [0.0, 2.0])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "loss",
    [cb.losses.Squared(), cb.losses.Logistic(), cb.losses.Huber(0.5), cb.losses.Poisson()],
    ids=lambda loss: type(loss).__name__,
)
def test_a_step_is_the_fit_of_the_leaves(loss, weighted, l2):
    """Columns have unit norm in the metric of the weights, and theta times the column is rate times
    the fit.

    The counts are small: no mean residual is so large a step of the Poisson loss that it raises it.
    """
    y = {"Logistic": SIGNS, "Poisson": np.abs(Y) / 4}.get(type(loss).__name__, Y)
    weight = WEIGHT if weighted else np.ones(80)
    problem = cb.Problem(
        cb.data.trees(X, max_depth=2, l2=l2), y, loss, sample_weight=WEIGHT if weighted else None
    )
    run = cb.solve(problem, cb.gbm(0.3), 12)
    bank = run.problem.dictionary
    for state in run.replay(range(12)):
        j = int(run.path.learner[state.k])
        resid = problem.resid(state.pred)
        fit = projected(resid, weight, leaves(bank, j), l2)
        column = bank.column(j)
        np.testing.assert_allclose(weight @ column**2, 1.0, rtol=1e-9)
        # targets are rounded to 2^-(62 - 2 B) of their mean size, 2^B > n: 4e-15, summed over a
        # leaf
        np.testing.assert_allclose(
            run.path.theta[state.k] * column, 0.3 * fit, rtol=0, atol=1e-12 * np.abs(fit).max()
        )
    assert run.final.loss < problem.start_loss and (run.path.learner == np.arange(12)).all()


def test_coefficients_of_other_learners_are_refused():
    """The problem given to `solve` holds none of the trees of the run; kernels would read out of
    bounds.
    """
    problem = cb.Problem(cb.data.trees(X), Y)
    run = cb.solve(problem, cb.gbm(0.1), 3)
    for use in (problem.combine, lambda beta: problem.predict(beta, X)):
        with pytest.raises(
            ValueError, match=r"at most one entry for each of the 0 learners found \(run\.problem"
        ):
            use(run.beta)
    np.testing.assert_array_equal(run.problem.predict(run.beta, X), run.predict(X))
    stumps = cb.Problem(cb.data.stumps(X), Y)
    with pytest.raises(ValueError, match="one entry per learner"):
        stumps.predict(np.ones(1), X)


def test_leaves_without_a_penalty_are_ls_boost():
    problem = cb.Problem(cb.data.trees(X), Y)
    one = cb.solve(problem, cb.gbm(0.1), 30)
    other = cb.solve(problem, cb.ls_boost(0.1), 30)
    np.testing.assert_allclose(one.path.theta, other.path.theta, rtol=1e-12)
    assert (one.problem.dictionary.trees.feature == other.problem.dictionary.trees.feature).all()


@pytest.mark.parametrize("depth", [1, 3])
def test_squared_loss_beside_scikit_learn(depth):
    ours = cb.solve(cb.Problem(cb.data.trees(X, max_depth=depth), Y), cb.gbm(0.1), 40)
    theirs = HistGradientBoostingRegressor(
        max_iter=40,
        learning_rate=0.1,
        max_depth=depth,
        max_leaf_nodes=None,
        min_samples_leaf=1,
        early_stopping=False,
    ).fit(X, Y)
    # scikit-learn uses float32 residuals
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-6)


def test_newton_leaves_beside_scikit_learn():
    ours = cb.solve(
        cb.Problem(cb.data.trees(X, max_depth=2, newton=True), SIGNS, PlainNewton()),
        cb.gbm(0.1),
        25,
    )
    theirs = HistGradientBoostingClassifier(
        max_iter=25,
        learning_rate=0.1,
        max_depth=2,
        max_leaf_nodes=None,
        min_samples_leaf=1,
        early_stopping=False,
    ).fit(X, SIGNS)
    np.testing.assert_allclose(ours.predict(X), theirs.decision_function(X), atol=2e-5)
    with pytest.raises(ValueError, match="has no curvature"):
        cb.Problem(
            cb.data.trees(X, newton=True),
            Y,
            type("Plain", (cb.losses.Loss,), {"value": None, "residual": None})(),
            center=False,
        )


METHODS = [
    cb.ls_boost(0.3),
    cb.regularized_forward_stagewise(0.05, 2.0),
    cb.methods.gcd(cb.rules.LineSearch()),
    cb.rtgcd(select=cb.rules.Groups(2)),
    cb.agbm(0.5, 0.1),
]


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_a_run_is_the_same_however_it_is_cut(method):
    problem = cb.Problem(cb.data.trees(X, max_depth=2), Y)
    whole = cb.solve(problem, method, 40, rng=5)
    cut = cb.solve(problem, method, 13, rng=5)
    stopped = cb.solve(problem, method, 40, rng=5, stop=lambda state: state.k >= 13)
    for run in (cut.resume(27), cut.resume(20).resume(7), stopped.resume(27)):
        for part in ("learner", "shrink", "theta"):
            assert (getattr(run.path, part) == getattr(whole.path, part)).all()
        assert (run.beta == whole.beta).all() and problem.n_learners == 0
        for ours, theirs in zip(
            run.problem.dictionary.trees, whole.problem.dictionary.trees, strict=True
        ):
            assert (ours == theirs).all()
    interpreted = cb.solve(problem, method, 13, rng=5, compile=False)
    assert (interpreted.path.theta == cut.path.theta).all() and (interpreted.beta == cut.beta).all()


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_predictions_are_those_of_the_coefficients(method):
    problem = cb.Problem(cb.data.trees(X, max_depth=2), Y)
    run = cb.solve(problem, method, 25)
    bank = run.problem.dictionary
    columns = np.column_stack([bank.column(j) for j in range(bank.n_learners)])
    np.testing.assert_allclose(run.pred, columns @ run.beta, atol=1e-13 * np.abs(run.beta).sum())
    np.testing.assert_allclose(
        run.predict(X), run.pred + problem.constant, atol=1e-13 * np.abs(run.beta).sum()
    )
    assert run.n_scans == 25 and len(run.beta) == bank.n_learners == len(run.problem.feature_names)
    assert run.certificate().lower == 0.0  # a grown tree proves nothing about other trees


@pytest.mark.parametrize(
    "method", [METHODS[0], METHODS[3], METHODS[4]], ids=lambda method: method.name
)
def test_files(method, tmp_path):
    """A loaded run predicts, resumes and names its columns like the original."""
    table = pd.DataFrame(X, columns=list("abcd")).assign(
        town=pd.Categorical(np.where(X[:, 3] > 0, "Oslo", "Rome"))
    )
    table.iloc[::7, 0] = np.nan
    problem = cb.Problem(
        cb.data.trees(table, max_depth=2, monotone={"b": 1}), Y, sample_weight=WEIGHT
    )
    run = cb.solve(problem, method, 25, rng=3)
    run.save(tmp_path / "run")
    back = cb.load(tmp_path / "run")
    assert (back.beta == run.beta).all() and (
        back.predict(table[[*"dcba", "town"]]) == run.predict(table)
    ).all()
    ours = back.resume(10)
    theirs = run.resume(10)
    assert (ours.path.theta == theirs.path.theta).all() and (ours.beta == theirs.beta).all()
    # its bank holds more trees than it uses
    shorter = cb.solve(problem, method, 25, rng=3, stop=lambda state: state.k >= 9)
    shorter.save(tmp_path / "run")
    assert (cb.load(tmp_path / "run").resume(16).beta == run.beta).all()
    with pytest.raises(ValueError, match="save it with data=True"):
        run.save(tmp_path / "run", data=False)


def test_groups_are_features():
    """Types 2 and 3: the trees of a step split only by the features drawn for it."""
    problem = cb.Problem(cb.data.trees(X, max_depth=2), Y)
    run = cb.solve(problem, cb.rtgcd(select=cb.rules.Groups(1)), 60)
    trees = run.problem.dictionary.trees
    used = [set(trees.feature[j][trees.feature[j] >= 0].tolist()) for j in range(60)]
    assert all(len(features) <= 1 for features in used) and set().union(*used) == {0, 1, 2, 3}
    everything = cb.solve(problem, cb.rtgcd(select=cb.rules.Groups(4)), 20)
    assert (everything.path.theta == cb.solve(problem, cb.methods.gcd(), 20).path.theta).all()


def test_awkward_tables():
    """Nothing to split, a single row, targets whose squares leave float64, weights of 0."""
    for table, y in [(np.ones((5, 2)), np.arange(5.0)), (X[:1], Y[:1]), (X, np.ones(80))]:
        run = cb.solve(cb.Problem(cb.data.trees(table), y), cb.gbm(0.5), 3)
        np.testing.assert_allclose(run.predict(table), y.mean())
    plain = cb.solve(cb.Problem(cb.data.trees(X), Y), cb.gbm(0.5), 10).predict(X)
    for power in (500, -500):
        scaled = cb.solve(
            cb.Problem(cb.data.trees(X), np.ldexp(Y, power)), cb.gbm(0.5), 10
        ).predict(X)
        np.testing.assert_allclose(np.ldexp(scaled, -power), plain, rtol=1e-9)
    half = np.where(np.arange(80) < 40, 1.0, 0.0)
    weighted = cb.solve(cb.Problem(cb.data.trees(X), Y, sample_weight=half), cb.gbm(0.5), 10)
    assert np.isfinite(weighted.predict(X)).all()


@pytest.mark.parametrize(
    "settings, words",
    [
        ({"min_gain": -1}, "min_gain must be"),
        ({"penalty": [1, 2]}, "penalty must be a number for each of the 4 features"),
        ({"penalty": [1, 2, np.nan, 1]}, "penalty must be"),
        ({"monotone": {"z": 1}}, "monotone names 'z', which is not a feature"),
        ({"monotone": [0.5, 0, 0, 0]}, "monotone must be a number"),
        ({"newton": "yes"}, "newton must be"),
    ],
)
def test_what_trees_refuse(settings, words):
    with pytest.raises(ValueError, match=words):
        cb.data.trees(X, **settings)


@pytest.mark.parametrize("path", [cb.lasso_path, cb.exact_path])
def test_paths_over_all_learners_refuse_trees(path):
    for given in [(cb.data.trees(X), Y), (cb.Problem(cb.data.trees(X), Y),)]:
        with pytest.raises(ValueError, match=f"{path.__name__} needs an explicit dictionary"):
            path(*given)


def test_functions_that_list_all_learners_refuse_trees():
    problem = cb.Problem(cb.data.trees(X), Y)
    for ask in (
        lambda: cb.theory.mca(problem),
        lambda: cb.solve(problem, cb.forward_stepwise(), 3),
        lambda: cb.solve(problem, cb.methods.ccd(), 3),
    ):
        with pytest.raises(ValueError, match="needs an explicit dictionary"):
            ask()


def test_second_derivatives_belong_to_the_current_model():
    """Newton's trees on drawn groups: if all groups are drawn, they equal those of the greedy
    search.
    """
    problem = cb.Problem(cb.data.trees(X, max_depth=2, newton=True), SIGNS, cb.losses.Logistic())
    groups = problem.dictionary.n_groups
    drawn, whole = (
        cb.solve(problem, cb.rules.Method("newton", select, cb.rules.FittedStep(0.5)), 16)
        for select in (cb.rules.Groups(groups), cb.rules.Greedy())
    )
    np.testing.assert_allclose(drawn.pred, whole.pred, rtol=1e-12)
    assert drawn.final.loss < 0.5 * problem.start_loss
