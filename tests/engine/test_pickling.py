"""Every public object can be sent to other processes: by pickle, and by cloudpickle as joblib, Dask
and notebooks send functions.
"""

import copy
import pickle
import types
import warnings

import numpy as np
import pytest
from joblib import Parallel, delayed
from public import HOME, PUBLIC
from sklearn.base import clone

import coordboost as cb

try:
    import cloudpickle
except ImportError:  # joblib before 1.6 bundles a copy
    from joblib.externals import cloudpickle

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 5))
Y = X[:, 0] - X[:, 1] + 0.1 * RNG.normal(size=40)
#: Settings for a short fit, where an estimator has them.
SHORT = {"n_estimators": 3, "n_steps": 3, "n_alphas": 3, "cv": 2, "min_samples_leaf": 2}
ESTIMATORS = [
    name for name, value in PUBLIC.items() if hasattr(value, "fit") and isinstance(value, type)
]


def there_and_back(value, how=cloudpickle):
    return pickle.loads(how.dumps(value))


def problem():
    return cb.Problem(X, Y)


def run():
    return cb.solve(problem(), cb.ls_boost(0.1), 5, compile=False)


@pytest.mark.parametrize("how", [pickle, cloudpickle], ids=["pickle", "cloudpickle"])
@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name(name, how):
    value = PUBLIC[name]
    if isinstance(value, types.ModuleType) and how is pickle:
        return  # pickle cannot send modules
    back = there_and_back(value, how)
    assert back == value if name == "METHODS" else back is value


@pytest.mark.parametrize("name", PUBLIC)
def test_a_closure_over_the_package(name):
    """A function from a script or a notebook, pickled by value, that refers to the package."""

    home = HOME[name]

    def asked():
        return getattr(getattr(cb, home) if home else cb, name)

    def through():
        return asked()

    for function in (asked, through):
        assert there_and_back(function)() is PUBLIC[name]
    assert there_and_back(cb) is cb


def test_a_function_that_mentions_the_package_runs_in_other_processes():
    fits = problem()
    same = run().beta.tobytes()
    tasks = [
        delayed(lambda eps: cb.solve(fits, cb.ls_boost(eps), 5, compile=False))(0.1)
        for _ in range(2)
    ]
    assert [back.beta.tobytes() for back in Parallel(n_jobs=2, backend="loky")(tasks)] == [
        same,
        same,
    ]


VALUES = {
    "problem": problem,
    "logistic problem": lambda: cb.Problem(X, Y > 0, cb.losses.Logistic()),
    "trees": lambda: cb.data.trees(X),
    "stumps": lambda: cb.data.stumps(X),
    "leaf stumps": lambda: cb.data.leaf_stumps(X),
    "run": run,
    "random run": lambda: cb.solve(problem(), cb.rtgcd(2), 5, compile=False),
    "momentum": lambda: cb.solve(problem(), cb.agbm(0.1, 0.1), 5, compile=False),
    "run on stumps": lambda: cb.solve(
        cb.Problem(cb.data.stumps(X), Y), cb.ls_boost(0.1), 5, compile=False
    ),
    "refitted": lambda: cb.solve(
        cb.Problem(X, Y > 0, cb.losses.Logistic()), cb.ls_boost(0.1), 5, compile=False
    ).refit_intercept(),
    "state": lambda: run().final,
    "certificate": lambda: run().certificate(),
    "bounds": lambda: cb.theory.check(run()),
    "forecast": lambda: cb.theory.plan(problem(), cb.ls_boost(0.1), gap=0.1),
    "lasso path": lambda: cb.lasso_path(X, Y, n_alphas=5),
    "exact path": lambda: cb.exact_path(X, Y),
    "cross-validation": lambda: cb.cross_validate(
        lambda X, y, w: cb.lasso_path(X, y, [0.5, 0.1]), X, Y, folds=2
    ),
    "stop rules": lambda: [
        cb.engine.GapBelow(0.1),
        cb.engine.NoProgress(),
        cb.engine.TimeLimit(1.0),
        cb.lasso.PathPoint(step=3),
        cb.certificates.L1Ball(1.0),
    ],
    "methods": lambda: [make for make in cb.methods.METHODS.values()],
}


@pytest.mark.parametrize("how", [pickle, cloudpickle], ids=["pickle", "cloudpickle"])
@pytest.mark.parametrize("make", VALUES.values(), ids=VALUES)
def test_values(make, how):
    value = make()
    back = there_and_back(value, how)
    assert type(back) is type(value)
    if isinstance(value, cb.engine.Run):
        assert back.beta.tobytes() == value.beta.tobytes()
        assert back.resume(3).beta.tobytes() == value.resume(3).beta.tobytes()


@pytest.mark.parametrize("name", ESTIMATORS)
def test_estimators(name):
    """Before the fit and after it: the same predictions."""
    model = PUBLIC[name]()
    model.set_params(**{key: number for key, number in SHORT.items() if key in model.get_params()})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # so few steps do not converge
        fitted = there_and_back(model).fit(
            X, np.abs(Y) if "Poisson" in name else Y > 0 if "Classifier" in name else Y
        )
    for how in (pickle, cloudpickle):
        assert there_and_back(fitted, how).predict(X).tobytes() == fitted.predict(X).tobytes()


def grown(kind=cb.RandomizedGBMRegressor, **settings):
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(5000, 20))
    y = rows[:, 0] + rows[:, 1] ** 2 > 0 if "Classifier" in kind.__name__ else rows[:, 0]
    return kind(n_estimators=6, random_state=0, **settings).fit(rows, y), rows, y


KINDS = [
    cb.RandomizedGBMRegressor,
    cb.RandomizedGBMClassifier,
    cb.AcceleratedGBMRegressor,
    cb.RegularizedGBMClassifier,
    cb.LangevinGBMRegressor,
]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_pickled_trees_leave_the_training_data_out(kind):
    model, rows, y = grown(kind)
    plain = pickle.dumps(model)
    assert len(plain) < rows.size  # the binned table alone has a byte for each entry
    back = pickle.loads(pickle.dumps(pickle.loads(plain)))
    assert back.predict(rows).tobytes() == model.predict(rows).tobytes()
    for name in ("train_score_", "feature_importances_"):
        np.testing.assert_array_equal(getattr(back, name), getattr(model, name))
    for k in range(model.n_iter_):
        ours, theirs = (fit.run_.predict(rows, step=k) for fit in (back, model))
        assert ours.tobytes() == theirs.tobytes()
    assert back.lightgbm_text() == model.lightgbm_text()
    run = back.run_
    assert "training data left out" in repr(run) and "loss" not in repr(run.final)
    assert back.fit(rows, y).predict(rows).tobytes() == model.predict(rows).tobytes()
    assert back.train_score_.tobytes() == model.train_score_.tobytes()


def test_a_pickle_of_trees_has_at_most_twice_the_size_of_their_text():
    """Most of it is the thresholds of all bins: 50 columns, 100 trees of depth 3."""
    rng = np.random.default_rng(2)
    rows = rng.normal(size=(2000, 50))
    model = cb.RandomizedGBMRegressor(n_estimators=100, max_depth=3, max_leaf_nodes=None)
    model.fit(rows, rows[:, 0] * rows[:, 1])
    assert len(pickle.dumps(model)) < 2 * len(model.lightgbm_text())


NEEDS = {
    "more steps": lambda model, rows, y: model.run_.resume(2),
    "a warm start": lambda model, rows, y: model.set_params(n_estimators=9).fit(rows, y),
    "a certificate": lambda model, rows, y: model.run_.certificate(),
    "losses": lambda model, rows, y: model.run_.losses,
    "predictions of the fit": lambda model, rows, y: model.run_.pred,
    "a file": lambda model, rows, y: model.run_.save("never-written.run"),
}


@pytest.mark.parametrize("ask", NEEDS.values(), ids=NEEDS)
def test_what_needs_the_training_data_says_how_to_keep_them(ask):
    model, rows, y = grown(warm_start=True)
    with pytest.raises(ValueError, match=r"needs the training data.*keep_data\(\)"):
        ask(pickle.loads(pickle.dumps(model)), rows, y)


def test_training_data_are_kept_on_request_and_by_copies():
    model, rows, y = grown(warm_start=True)
    with cb.estimators.keep_data():
        kept = pickle.dumps(model)
    for back in (pickle.loads(kept), copy.copy(model), copy.deepcopy(model)):
        longer = back.run_.resume(3)
        assert longer.beta.tobytes() == model.run_.resume(3).beta.tobytes()
        assert back.set_params(n_estimators=9).fit(rows, y).run_.n_steps == 9
    assert model.run_.n_steps == 6


LINEAR = [
    cb.CertifiedLasso(alpha=0.1),
    cb.CertifiedLassoCV(n_alphas=5, gamma=[0, 1], cv=2),
    cb.CertifiedLassoClassifier(multinomial=True),
    cb.CertifiedLassoClassifier(),
    cb.LSBoostRegressor(n_steps=20),
    cb.ForwardStagewiseClassifier(n_steps=20),
    cb.RegularizedForwardStagewiseRegressorCV(n_steps=10, cv=2),
]


def lines(kind):
    model = clone(kind)
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(2000, 20))
    y = rows[:, 0] + rng.normal(size=2000)
    if hasattr(model, "predict_proba"):
        y = np.digitize(y, [-1, 1])
    return model.fit(rows, y), rows


@pytest.mark.parametrize("kind", LINEAR, ids=lambda kind: type(kind).__name__)
def test_pickled_linear_models_leave_the_training_data_out(kind):
    model, rows = lines(kind)
    plain = pickle.dumps(model)
    assert len(plain) < rows.nbytes / 5
    back = pickle.loads(pickle.dumps(pickle.loads(plain)))
    assert back.predict(rows).tobytes() == model.predict(rows).tobytes()
    assert repr(back.certificates_) == repr(model.certificates_)
    assert back.n_scans_ == model.n_scans_
    for ours, theirs in zip(back.paths_, model.paths_, strict=True):
        assert not ours.problem.has_data
        for k in range(theirs.n_points):
            np.testing.assert_array_equal(ours.coef_at(step=k), theirs.coef_at(step=k))
            there = theirs.intercept_at(step=k)
            np.testing.assert_allclose(ours.intercept_at(step=k), there, rtol=1e-12, atol=1e-12)
    assert repr(back.paths_[0]).split(",")[0] == repr(model.paths_[0]).split(",")[0]


def test_pickled_linear_models_answer_for_their_whole_path():
    model, rows = lines(LINEAR[1])
    back = pickle.loads(pickle.dumps(model))
    assert back.alpha_ == model.alpha_ and back.l1_ == model.l1_
    assert repr(back.cross_validation_) == repr(model.cross_validation_)
    ours, theirs = back.path_, model.path_
    np.testing.assert_array_equal(ours.coef_path(), theirs.coef_path())
    np.testing.assert_array_equal(ours.order_of_entry(), theirs.order_of_entry())
    for place in ({"alpha": model.alpha_}, {"fraction": 0.3}):
        assert ours.predict(rows, **place).tobytes() == theirs.predict(rows, **place).tobytes()
    for ask in (lambda: ours.certificate(), lambda: ours.losses, lambda: ours.relaxed(0.5)):
        with pytest.raises(ValueError, match=r"needs the training data.*keep_data\(\)"):
            ask()
    with cb.estimators.keep_data():
        kept = pickle.loads(pickle.dumps(model)).path_
    assert str(kept.certificate()) == str(theirs.certificate())
    assert back.fit(rows, rows[:, 0]).path_.problem.has_data
    fitted = model.fit(rows, rows[:, 0]), back
    assert repr(fitted[0].certificates_) == repr(fitted[1].certificates_), "that of the new fit"
