"""Stumps and trees on data with little to learn, or with numbers that are very large, very small or
very far apart.
"""

import numba
import numpy as np
import pytest

import coordboost as cb

RNG = np.random.default_rng(0)
X = RNG.integers(0, 9, (40, 3)).astype(float)
Y = RNG.normal(size=40)
LEARNERS = {"stumps": cb.data.stumps, "leaf stumps": cb.data.leaf_stumps, "trees": cb.data.trees}
every_learner = pytest.mark.parametrize("learners", LEARNERS.values(), ids=LEARNERS)


def run_of(made, y, n_steps=20, rate=0.5):
    return cb.solve(cb.Problem(made, y), cb.ls_boost(rate), n_steps)


@every_learner
@pytest.mark.parametrize(
    "table, y", [(np.ones((5, 2)), np.arange(5.0)), (X[:1], Y[:1])], ids=["constant", "one row"]
)
def test_without_a_split_stumps_are_refused_and_trees_predict_the_mean(learners, table, y):
    if learners is cb.data.trees:
        np.testing.assert_allclose(run_of(learners(table), y).predict(table), y.mean())
        return
    with pytest.raises(
        ValueError, match="every column of X is constant: there is nothing to split"
    ):
        cb.Problem(learners(table), y)


@every_learner
def test_equal_targets_are_their_own_mean(learners):
    run = run_of(learners(X), np.full(40, 3.3))
    assert (run.predict(X) == 3.3).all() and run.final.loss == 0


@every_learner
def test_one_class_has_no_best_constant(learners):
    with pytest.raises(
        ValueError, match="y holds one class only, so the best constant prediction is infinite"
    ):
        cb.Problem(learners(X), np.ones(40), cb.losses.Logistic())
    run = cb.solve(
        cb.Problem(learners(X), np.ones(40), cb.losses.Logistic(), center=False),
        cb.ls_boost(1.0),
        20,
        compile=False,
    )
    # leaf stumps are centred: their correlation with a constant residual is 0
    assert run.final.loss <= run.problem.start_loss * (
        1 if learners is not cb.data.leaf_stumps else 1 + 1e-12
    )


@every_learner
@pytest.mark.parametrize("bad", [np.inf, -np.inf, np.nan])
def test_targets_that_are_not_finite_are_refused_with_their_row(learners, bad):
    with pytest.raises(ValueError, match=r"y holds NaN or infinity \(first in row 7"):
        cb.Problem(learners(X), np.where(np.arange(40) == 7, bad, Y))


@every_learner
@pytest.mark.parametrize("power", [-490, -100, 100, 490])
def test_powers_of_two_change_the_scale_alone(learners, power):
    plain = run_of(learners(X), Y)
    scaled = run_of(learners(X), np.ldexp(Y, power))
    assert scaled.path.learner.tolist() == plain.path.learner.tolist()
    np.testing.assert_array_equal(np.ldexp(scaled.predict(X), -power), plain.predict(X))


@every_learner
@pytest.mark.parametrize("power", [-600, 600])
def test_targets_without_a_square_are_refused(learners, power):
    with pytest.raises(ValueError, match="its square is not a normal float64 number; rescale y"):
        cb.Problem(learners(X), np.ldexp(Y, power))


@every_learner
@pytest.mark.parametrize("power", [-1000, 1000])
def test_the_scale_of_features_does_not_matter(learners, power):
    plain = run_of(learners(X), Y)
    scaled = run_of(learners(np.ldexp(X, power)), Y)
    np.testing.assert_array_equal(scaled.pred, plain.pred)


def test_a_heavy_tail_is_cut_off_and_the_others_are_fitted():
    """One target of 1e9 beside 39 of size 1: fixed-point numbers of one channel could not tell the
    others apart.
    """
    table = np.column_stack([np.arange(40.0), X])
    heavy = Y.copy()
    heavy[0] = 1e9
    run = run_of(cb.data.trees(table), heavy, 8, rate=1.0)
    rest = run_of(cb.data.trees(table[1:]), Y[1:], 8, rate=1.0)
    # the offset is 2.5e7: targets are known up to its rounding, 4e-9, and after the first trees so
    # are residuals
    assert (
        np.abs(run.predict(table)[1:] - Y[1:]).max()
        < 1e-5 + 4 * np.abs(rest.predict(table[1:]) - Y[1:]).max()
    )


@pytest.mark.slow
@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="too many samples for plain Python")
def test_runs_on_two_to_the_24_rows():
    n = 1 << 24
    codes = (np.arange(n) % 3).astype(np.uint8)
    table = np.column_stack([codes, codes == 1])
    y = (codes == 2) * 3.0
    for learners in LEARNERS.values():
        run = run_of(learners(table), y, 30)
        # a step fits half of the residual; learners are centred or have two signs, so three values
        # need a few rounds
        assert np.abs(run.predict(table[:3]) - [0, 0, 3]).max() < 0.05
