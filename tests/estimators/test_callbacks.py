"""scikit-learn's callbacks on the estimators with trees: every iteration is reported once, and a
return value of True ends the fit.
"""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import coordboost as cb

callback = pytest.importorskip("sklearn.callback", reason="callbacks came with scikit-learn 1.9")

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 3))
Y = X[:, 0] + X[:, 1] ** 2
KINDS = [
    cb.RandomizedGBMRegressor,
    cb.AcceleratedGBMRegressor,
    cb.LangevinGBMRegressor,
    cb.RegularizedGBMRegressor,
]


class Record:
    """A callback that records its calls, and returns True after `most` iterations."""

    def __init__(self, most=None):
        self.most = most
        self.said = []

    def setup(self, estimator, context):
        self.said.append("setup")

    def teardown(self, estimator, context):
        self.said.append("teardown")

    def on_fit_task_begin(self, estimator, context):
        self.said.append(("begin", context.task_name, context.task_id))

    def on_fit_task_end(
        self, estimator, context, *, X=None, y=None, metadata=None, fitted_estimator=None
    ):
        score = (
            None if fitted_estimator is None else fitted_estimator.score(X, y, **(metadata or {}))
        )
        self.said.append(("end", context.task_name, context.task_id, score))
        return (
            self.most is not None
            and context.task_name == "iteration"
            and context.task_id + 1 == self.most
        )

    def ends(self, name="iteration"):
        return [said for said in self.said if said[0] == "end" and said[1] == name]


@pytest.mark.parametrize("kind", KINDS)
def test_every_iteration_is_reported_with_its_model(kind):
    record = Record()
    model = kind(n_estimators=6, random_state=0).set_callbacks(record).fit(X, Y)
    plain = kind(n_estimators=6, random_state=0).fit(X, Y)
    np.testing.assert_array_equal(model.predict(X), plain.predict(X))
    assert (
        record.said[0] == "setup"
        and record.said[-1] == "teardown"
        and len(record.said) == 2 + 2 + 2 * 6
    )
    assert [said[2] for said in record.ends()] == list(range(6))
    if kind is not cb.LangevinGBMRegressor:  # it predicts by the mean of a chain
        scores = [1 - ((Y - staged) ** 2).mean() / Y.var() for staged in plain.staged_predict(X)]
        np.testing.assert_allclose([said[3] for said in record.ends()], scores, rtol=1e-12)
    assert record.ends()[-1][3] == model.score(X, Y)
    assert record.ends("fit")[0][3] == model.score(X, Y)


@pytest.mark.parametrize("correction", [0, 1])
def test_a_callback_ends_the_fit(correction):
    record = Record(most=4)
    model = (
        cb.AcceleratedGBMRegressor(n_estimators=9, correction=correction)
        .set_callbacks(record)
        .fit(X, Y)
    )
    assert model.n_iter_ == 4 and "stopped by a callback" in model.run_.message
    told = [said[:3] for said in record.said if said[1] == "iteration"]
    assert told == [(when, "iteration", i) for i in range(4) for when in ("begin", "end")]


def test_a_run_that_goes_back_reports_no_iteration_twice():
    record = Record()
    model = cb.AcceleratedGBMRegressor(
        n_estimators=60, gamma=0.5, correction=1, learning_rate=1.0, max_depth=2
    )
    model.set_callbacks(record).fit(X, Y)
    assert "returned to its best model" in model.run_.message and [
        said[2] for said in record.ends()
    ] == list(range(60))


def test_early_stopping_ends_the_iteration_that_had_begun():
    record = Record()
    model = cb.RandomizedGBMRegressor(
        n_estimators=400, learning_rate=0.5, early_stopping=True, n_iter_no_change=2, random_state=0
    )
    model.set_callbacks(record).fit(X, Y)
    begun = [said for said in record.said if said[:2] == ("begin", "iteration")]
    assert model.run_.n_steps < 400 and len(begun) == len(record.ends())
    assert record.ends()[-1][3] is None or len(begun) == model.run_.n_steps


def test_a_warm_start_reports_its_new_iterations():
    model = cb.RandomizedGBMRegressor(n_estimators=3, warm_start=True, random_state=0).fit(X, Y)
    record = Record()
    model.set_params(n_estimators=5).set_callbacks(record).fit(X, Y)
    assert [said[2] for said in record.ends()] == [0, 1] and model.n_iter_ == 5


def test_classes_are_tasks_of_their_own():
    record = Record(most=2)
    labels = np.digitize(Y, [0.0, 1.0])
    model = (
        cb.RandomizedGBMClassifier(n_estimators=5, random_state=0, multinomial=False)
        .set_callbacks(record)
        .fit(X, labels)
    )
    assert (
        len(record.ends("class")) == 3
        and len(record.ends()) == 6
        and {said[3] for said in record.ends()} == {None}
    )
    assert model.n_iter_ == 2 and record.ends("fit")[0][3] == model.score(X, labels)


def test_scikit_learns_own_callbacks():
    monitor = callback.ScoringMonitor(scoring="r2")
    weight = RNG.uniform(1, 2, 120)
    model = cb.RandomizedGBMRegressor(n_estimators=4, random_state=0).set_callbacks(monitor)
    model.fit(X, Y, sample_weight=weight)
    rows = monitor.get_logs().data
    assert [row["r2"] for row in rows if row["task_name"] == "iteration"][-1] == pytest.approx(
        model.score(X, Y, weight), abs=1e-12
    )
    assert len(rows) == 5
    # parameter searches and pipelines pass callbacks on
    monitor = callback.ScoringMonitor(scoring="r2")
    pipe = make_pipeline(
        StandardScaler(), cb.RandomizedGBMRegressor(n_estimators=2, random_state=0)
    )
    GridSearchCV(pipe, {"randomizedgbmregressor__max_depth": [1, 2]}, cv=2).set_callbacks(
        monitor
    ).fit(X, Y)
    cloned = clone(model)
    assert cloned.fit(X, Y).n_iter_ == 4


def test_an_error_in_a_callback_is_raised_after_teardown():
    class Faulty(Record):
        def on_fit_task_begin(self, estimator, context):
            raise RuntimeError("from the callback")

    record = Faulty()
    with pytest.raises(RuntimeError, match="from the callback"):
        cb.RandomizedGBMRegressor(n_estimators=2).set_callbacks(record).fit(X, Y)
    assert record.said == ["setup", "teardown"]


def test_classes_of_one_model_are_one_loop():
    record = Record(most=3)
    labels = np.digitize(Y, [0.0, 1.0])
    model = (
        cb.RandomizedGBMClassifier(n_estimators=6, random_state=0)
        .set_callbacks(record)
        .fit(X, labels)
    )
    staged = list(
        cb.RandomizedGBMClassifier(n_estimators=3, random_state=0).fit(X, labels).staged_predict(X)
    )
    assert model.n_iter_ == 3 and [said[3] for said in record.ends()] == [
        np.mean(one == labels) for one in staged
    ]
    assert not record.ends("class")
