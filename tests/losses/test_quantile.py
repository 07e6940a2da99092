"""The quantile loss: not smooth, with a line search that takes a weighted quantile; over columns
and over trees.
"""

from fractions import Fraction

import numpy as np
import pytest
from designs import seeded
from hypothesis import given
from hypothesis import strategies as st

import coordboost as cb

RNG = np.random.default_rng(3)
X = RNG.uniform(-2, 2, size=(300, 2))
Y = X[:, 0] + (1 + np.abs(X[:, 1])) * RNG.standard_normal(300)
quarters = pytest.mark.parametrize("q", [0.25, 0.5, 0.875])


def pinball(q, y, f):
    return np.maximum(q * (y - f), (q - 1) * (y - f))


small = st.integers(-4, 4)


@seeded
@given(
    st.lists(st.tuples(small, small, small, st.integers(0, 3)), min_size=1, max_size=7),
    st.sampled_from([1, 2, 4, 6, 7]),
)
def test_the_line_search_is_exact(rows, eighths):
    """In Fractions: no breakpoint has a smaller loss, and the result is the smallest of the best.
    Floats give the same point.
    """
    q, (y, f, d, w) = (
        Fraction(eighths, 8),
        (np.array([Fraction(v) for v in part]) for part in zip(*rows, strict=True)),
    )
    found = cb.losses.Quantile(q).line_search(y, w, f, d)
    losses = {
        t: sum(
            w
            * np.array(
                [cb.losses.Quantile(q).value(a, b) for a, b in zip(y, f + t * d, strict=True)]
            )
        )
        for t in {found, *((y - f)[d != 0] / d[d != 0])}
    }
    if (w * d != 0).any():
        assert found == min(t for t, loss in losses.items() if loss == min(losses.values()))
    else:
        assert found == 0
    floats = cb.losses.Quantile(float(q)).line_search(
        *(part.astype(float) for part in (y, w, f, d))
    )
    assert floats == float(found)


@quarters
def test_the_constant_is_the_quantile(q):
    y = RNG.permutation(np.arange(24.0))
    weight = RNG.integers(1, 4, 24).astype(float)
    assert cb.losses.Quantile(q).constant(y, np.ones(24)) == np.quantile(
        y, q, method="inverted_cdf"
    )
    assert cb.losses.Quantile(q).constant(y, weight) == cb.losses.Quantile(q).constant(
        np.repeat(y, weight.astype(int)), np.ones(int(weight.sum()))
    )


def test_what_the_quantile_loss_refuses():
    problem = cb.Problem(X, Y, cb.losses.Quantile(0.9))
    for call, words in [
        (
            lambda: cb.solve(problem, cb.methods.gcd(), 3),
            "Quantile declares no smoothness constant sigma, which a constant step needs",
        ),
        (
            lambda: cb.solve(problem, cb.ls_boost(), 3),
            r"sigma, which a constant step needs: use step=LineSearch\(\)",
        ),
        (
            lambda: cb.solve(problem, cb.agbm(0.1, 0.1), 3),
            r"sigma, which accelerated boosting needs: use gbm\(rate\)",
        ),
        (
            lambda: cb.Problem(X, Y, cb.losses.Quantile(1.0)),
            r"Quantile\(q\): q must be between 0 and 1",
        ),
        (lambda: cb.Problem(X, Y, cb.losses.Quantile(0)), r"Quantile\(q\): q must be"),
        (
            lambda: cb.AcceleratedGBMRegressor(loss=cb.losses.Quantile()).fit(X, Y),
            "or RandomizedGBMRegressor",
        ),
        (
            lambda: cb.solve(problem, cb.methods.gcd(cb.rules.DampedLineSearch(2.0)), 3),
            "rate must be between 0 and 2",
        ),
    ]:
        with pytest.raises(ValueError, match=words):
            call()


def test_greedy_descent_never_rises_and_is_certified(tmp_path):
    """Every step goes to the minimum along its column. The lower end on a ball is below the loss of
    every point in it.
    """
    problem = cb.Problem(X, Y, cb.losses.Quantile(0.75))
    run = cb.solve(problem, cb.methods.gcd(cb.rules.LineSearch()), 20, compile=False)
    losses = [state.loss for state in run.replay(range(21))]
    assert (np.diff(losses) <= 1e-12 * losses[0]).all() and losses[-1] < losses[0]
    found = cb.certify(problem, run.beta, cb.certificates.L1Ball(1.0 + np.abs(run.beta).sum()))
    assert found.lower <= min(losses) and found.upper >= found.lower
    run.save(tmp_path / "run")
    again = cb.load(tmp_path / "run")
    assert (
        (again.beta == run.beta).all()
        and again.final.loss == run.final.loss
        and again.problem.loss == problem.loss
    )


def in_its_own_words(q, trees, n, rate):
    """Gradient boosting: a tree fits the subgradients; each leaf takes the lowest q-quantile of the
    residuals of its rows.
    """
    f = np.full(len(Y), np.quantile(Y, q, method="inverted_cdf"))
    for j in range(n):
        leaf = trees.tree(j).apply(trees.binned.codes)
        for one in np.unique(leaf):
            rows = leaf == one
            steps = np.sort(Y[rows] - f[rows])
            best = steps[
                np.argmin([pinball(q, Y[rows], f[rows] + t).sum().round(12) for t in steps])
            ]
            f[rows] += rate * best
    return f


@quarters
def test_trees(q):
    """The estimator equals boosting with quantiles as leaf values; about a share q of the targets
    is below the predicted q-quantile.
    """
    model = cb.RandomizedGBMRegressor(
        loss=cb.losses.Quantile(q), max_features=None, n_estimators=40, max_depth=2
    ).fit(X, Y)
    naive = in_its_own_words(q, model.run_.problem.dictionary, 40, 0.1)
    np.testing.assert_allclose(model.predict(X), naive, atol=1e-9)
    assert (np.diff(model.train_score_) >= -1e-12).all() and abs(
        (model.predict(X) > Y).mean() - q
    ) < 0.05
    assert model.train_score_[-1] > 0.85 * model.train_score_[0]


@pytest.mark.peers
def test_trees_beside_scikit_learn():
    """Both take one quantile for each leaf. At equal settings our test loss is as good up to 5
    %.
    """
    from sklearn.ensemble import GradientBoostingRegressor

    rng = np.random.default_rng(0)
    table = rng.uniform(-2, 2, size=(4000, 5))
    y = np.sin(2 * table[:, 0]) * table[:, 1] + (0.2 + np.abs(table[:, 2])) * rng.standard_normal(
        4000
    )
    for q in (0.1, 0.5, 0.9):
        ours = cb.RandomizedGBMRegressor(
            loss=cb.losses.Quantile(q), max_depth=3, max_features=None, n_estimators=300
        ).fit(table[:2000], y[:2000])
        theirs = GradientBoostingRegressor(
            loss="quantile", alpha=q, n_estimators=300, min_samples_leaf=20
        ).fit(table[:2000], y[:2000])
        losses = [
            pinball(q, y[2000:], model.predict(table[2000:])).mean() for model in (ours, theirs)
        ]
        assert losses[0] <= 1.05 * losses[1], (q, losses)
