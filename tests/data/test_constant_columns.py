"""Constant columns, all or some, in the whole data or in folds only, for every estimator, path and
method.
"""

import warnings

import numpy as np
import pytest
import scipy.sparse
from all_estimators import COUNTS, ESTIMATORS, NAMES, Y, of_trees, quick, target
from sklearn.linear_model import Lasso
from sklearn.model_selection import KFold, cross_val_score

import coordboost as cb

N = 60
RARE = np.zeros((N, 1))
RARE[[3, 4]] = 1.0  # both are in one fold of five: in the other four the column is constant
FLAT = np.full((N, 3), 0.1)
SIGNS = np.where(NAMES[:N] == "red", 1.0, -1.0)
ROWS = np.random.default_rng(5).normal(size=(7, 3))
VARIES = "no column of X varies, so every model is a constant: 3 constant"
LOSSES = {
    "squared": (cb.losses.Squared(), Y[:N]),
    "huber": (cb.losses.Huber(1.0), Y[:N]),
    "logistic": (cb.losses.Logistic(), SIGNS),
    "poisson": (cb.losses.Poisson(), COUNTS[:N]),
}
METHODS = {
    "ls_boost": cb.ls_boost(0.1),
    "forward_stagewise": cb.forward_stagewise(0.1),
    "frank_wolfe": cb.methods.frank_wolfe(1.0),
    "gcd": cb.methods.gcd(),
    "regularized_forward_stagewise": cb.regularized_forward_stagewise(0.1, 1.0),
    "frank_wolfe_away": cb.methods.frank_wolfe_away(1.0),
    "frank_wolfe_pairwise": cb.methods.frank_wolfe_pairwise(1.0),
    "rcd": cb.methods.rcd(),
    "ccd": cb.methods.ccd(),
    "lasso_cd": cb.methods.lasso_cd(0.1),
    "forward_stepwise": cb.forward_stepwise(),
    "agbm": cb.agbm(0.1, 0.1),
    "vagbm": cb.vagbm(0.1),
    "sgb": cb.sgb(0.1),
    "path_forward_stagewise": cb.path_forward_stagewise(0.1, [1.0] * 20),
}


def flat(y, loss=None, X=FLAT, **given):
    """A problem whose columns are constant."""
    with pytest.warns(cb.data.ConstantColumnWarning, match="no column of X varies"):
        return cb.Problem(X, y, loss, **given)


def test_a_rare_column_in_folds():
    """Where the column is constant the prediction is the mean, as in scikit-learn's Lasso."""
    score = cross_val_score(Lasso(alpha=0.01), RARE, Y[:N], cv=KFold(5))
    with pytest.warns(cb.data.ConstantColumnWarning, match="no column of X varies"):
        ours = cross_val_score(cb.CertifiedLasso(alpha=0.01), RARE, Y[:N], cv=KFold(5))
    assert np.allclose(ours, score, rtol=1e-6)
    # no warning: it varies in the whole data
    model = cb.CertifiedLassoCV(cv=KFold(5)).fit(RARE, Y[:N])
    assert np.isfinite(model.cross_validation_.losses).all()


@pytest.mark.filterwarnings("ignore:no column of X varies:coordboost.data.ConstantColumnWarning")
@pytest.mark.parametrize("kind", ESTIMATORS, ids=lambda kind: kind.__name__)
def test_every_estimator_in_folds(kind):
    y = target(kind, Y[:N], NAMES[:N], COUNTS[:N])
    for X in (RARE, FLAT, np.column_stack([RARE, FLAT]), np.column_stack([RARE, Y[:N] ** 2])):
        assert np.isfinite(
            cross_val_score(quick(kind), X, y, cv=KFold(5), error_score="raise")
        ).all()


@pytest.mark.parametrize("kind", ESTIMATORS, ids=lambda kind: kind.__name__)
def test_every_estimator_is_a_constant(kind):
    y = target(kind, Y[:N], NAMES[:N], COUNTS[:N])
    model = quick(kind)
    if of_trees(kind):
        model.fit(FLAT, y)
    else:
        with pytest.warns(cb.data.ConstantColumnWarning, match=VARIES):
            model.fit(FLAT, y)
        assert not np.any(model.coef_)
    at = model.predict(ROWS)
    if not hasattr(model, "classes_") and "Langevin" not in kind.__name__:
        assert np.allclose(at, y.mean(), rtol=1e-12)
    assert (at == at[0]).all()


@pytest.mark.parametrize("name", METHODS)
def test_every_method_stays_at_the_constant(name, tmp_path):
    problem = flat(Y[:N])
    run = cb.solve(problem, METHODS[name], 20, compile=False)
    assert (
        run.n_steps == 20
        and not run.coef_at(step=20).any()
        and np.allclose(problem.predict(run.beta, ROWS), Y[:N].mean())
    )
    found = run.certificate()
    least = problem.start_loss
    assert found.lower <= least <= found.upper <= least * (1 + 1e-12) and found.gap < 1e-10
    run.save(tmp_path / "a.run")
    assert (cb.load(tmp_path / "a.run").beta == run.beta).all()
    assert np.allclose(run.score_path(ROWS, Y[:7]), -((Y[:7] - Y[:N].mean()) ** 2).mean() / 2)


@pytest.mark.parametrize("kind", [np.asarray, scipy.sparse.csc_array])
@pytest.mark.parametrize("name", LOSSES)
def test_every_path_is_the_constant(name, kind):
    loss, y = LOSSES[name]
    problem = flat(y, loss, kind(FLAT))
    nets = (
        [{}, {"solver": "cd"}, {"l1_ratio": 0.5}]
        if name == "squared"
        else [{}, {"refit_intercept": True}]
    )
    for given in [*nets, {"alphas": [1.0, 1e-3]}]:
        path = cb.lasso_path(problem, n_alphas=5, tol=1e-9, **given)
        assert (
            path.message == "complete"
            and path.gaps.max() < 1e-9
            and not path.coef_at(step=len(path.alphas) - 1).any()
        )
        found = path.certificate(len(path.alphas) - 1)
        assert found.lower <= problem.start_loss <= found.upper
    for how in ("lasso", "lar", "stagewise") if name == "squared" else ():
        exact = cb.exact_path(problem, kind=how)
        assert exact.complete and not exact.coef_at(step=0).any() and exact.gaps.max() < 1e-10


def test_without_centring_columns_of_zeros():
    run = cb.solve(flat(Y[:N], X=np.zeros((N, 2)), center=False), cb.ls_boost(0.5), 5)
    assert (
        run.intercept_at(step=5) == 0
        and not run.coef_at(step=5).any()
        and run.certificate().gap < 1e-10
    )


def test_one_row_is_its_own_mean():
    with pytest.warns(cb.data.ConstantColumnWarning, match="no column of X varies"):
        path = cb.lasso_path(RARE[:1], [5.0], n_alphas=2)
    assert path.intercept_at(step=1) == 5.0 and path.gaps.max() == 0


def test_other_functions():
    problem = flat(Y[:N])
    run = cb.solve(problem, cb.ls_boost(0.1), 3)

    def noisy():
        return cb.solve(problem, cb.sglb(), 1)

    for ask in (
        noisy,
        lambda: cb.theory.mca(problem),
        lambda: cb.theory.check(run),
        lambda: cb.theory.plan(problem, gap=1.0),
    ):
        with pytest.raises(
            ValueError, match=r"no column of X varies: .*; give X a column that varies"
        ):
            ask()
    assert "no column of X varies" in cb.html_report(run)
    assert (run.degrees_of_freedom() == 0).all() and problem.spectrum.rank == 0

    def walk(X, y, w):
        return cb.lasso_path(X, y, [1.0, 0.1], sample_weight=w)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cb.data.ConstantColumnWarning)
        folds = cb.cross_validate(walk, FLAT, Y[:N])
        chosen = cb.model_selection.stability_selection(walk, FLAT, Y[:N], n_pairs=3)
        steps = cb.model_selection.stability_selection(
            lambda X, y, w: cb.solve(cb.Problem(X, y), cb.ls_boost(0.1), 9), RARE, Y[:N], n_pairs=3
        )
    assert (
        folds.losses.shape == (5, 2)
        and not chosen.frequencies(2).any()
        and 0 < steps.frequencies(1)[0] < 1
    )


@pytest.mark.parametrize("X", [np.ones((20, 2)), np.zeros((20, 1))], ids=["ones", "zeros"])
@pytest.mark.parametrize(
    "method", [cb.forward_stagewise(0.1), cb.ls_boost(0.5), cb.methods.frank_wolfe(1.0)], ids=str
)
def test_a_loaded_run_has_the_same_certificate(X, method, tmp_path):
    with pytest.warns(cb.data.validation.ConstantColumnWarning):
        run = cb.solve(cb.Problem(X, np.arange(20.0)), method, 10)
    run.save(tmp_path / "run.npz")
    loaded = cb.load(tmp_path / "run.npz")
    assert str(loaded.certificate()) == str(run.certificate()) and loaded.certificate().known
