"""Dask arrays passed to functions that work in memory: one warning with the size, and a refusal if
it exceeds free memory.
"""

import re
import warnings
from functools import cached_property

import numpy as np
import pytest
from refusal import refused

import coordboost as cb
from coordboost.data import memory
from coordboost.learners.stores import daskarray

da = pytest.importorskip("dask.array")

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 4))
Y = RNG.normal(size=60)
SIGNS = np.where(Y > 0, 1, -1)
RUN = cb.solve(cb.Problem(X, Y), cb.ls_boost(0.5), 4, compile=False)
GROWN = cb.solve(cb.Problem(cb.data.trees(X), Y), cb.gbm(0.5), 2, compile=False)


class Made:
    """Fitted models, made on first use: every test process imports this module, and would compile
    for them.
    """

    path = cached_property(lambda self: cb.lasso_path(X, Y, n_alphas=3))


MADE = Made()


def walk(X, y, sample_weight=None):
    return cb.solve(cb.Problem(X, y), cb.ls_boost(0.5), 3, compile=False)


#: name -> function of a table that returns numbers
DOORS = {
    "Problem": lambda X: cb.Problem(X, Y, cb.losses.Huber(1.0)).dictionary.rows,
    "Problem, y": lambda X: cb.Problem(np.asarray(RUN.problem.dictionary.rows).T, X[:, 0]).y,
    "trees": lambda X: cb.data.trees(X).binned.codes,
    "stumps": lambda X: cb.Problem(cb.data.stumps(X), Y).y,
    "bin_columns": lambda X: cb.data.bin_columns(X)[0].codes,
    "blocks": lambda X: cb.data.blocks(X).rows,
    "lasso_path": lambda X: cb.lasso_path(X, Y, loss=cb.losses.Huber(1.0), n_alphas=3).coefs,
    "mca": lambda X: cb.theory.mca(X, n_starts=2).upper,
    "cross_validate": lambda X: cb.cross_validate(walk, X, Y, folds=2).losses,
    "CertifiedLasso.fit": lambda X: (
        cb.CertifiedLasso(alpha=0.01, loss=cb.losses.Huber(1.0)).fit(X, Y).coef_
    ),
    "RandomizedGBMRegressor.fit": lambda X: (
        cb.RandomizedGBMRegressor(n_estimators=2, random_state=0).fit(X, Y).predict(Y[None, :4])
    ),
    "ForwardStagewiseClassifier.fit": lambda X: (
        cb.ForwardStagewiseClassifier(n_steps=5).fit(X, SIGNS).coef_
    ),
    "Run.predict": lambda X: RUN.predict(X),
    "Run.predict, trees": lambda X: GROWN.predict(X),
    "Run.score_path": lambda X: RUN.score_path(X, Y),
    "LassoPath.predict": lambda X: MADE.path.predict(X),
    "LassoPath.score_at": lambda X: MADE.path.score_at(
        X, Y, at=[cb.lasso.PathPoint(fraction=0.2), cb.lasso.PathPoint(fraction=0.7)]
    ),
}
every_door = pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)


@every_door
def test_one_warning_says_how_many_bytes_are_collected(door):
    lazy = da.from_array(X, chunks=(20, 2))
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found = door(lazy)
    size = r"[XyB] is a Dask array: its (1\.92 kB|480 bytes) are collected on this machine"
    size += r"(; to leave them in place, pass open_columns\(X\).*)?\.$"
    assert len(said) == 1 and re.match(size, str(said[0].message)), [
        str(sentence.message) for sentence in said
    ]
    np.testing.assert_array_equal(found, door(X))


@every_door
def test_more_than_is_free_is_refused_before_anything_is_computed(door, monkeypatch):
    def never(block):
        raise AssertionError("computed")

    lazy = da.from_array(X, chunks=(20, 2)).map_blocks(never, dtype=float)
    monkeypatch.setattr(memory, "free_memory", lambda: 100)
    message = refused(
        lambda: door(lazy), "a Dask array that has to be collected on this machine, takes"
    )
    assert "100 bytes are free" in message and ("open_columns(X)" in message) is message.startswith(
        "X"
    )


def test_a_target_and_weights_are_collected_too():
    lazy = {
        name: da.from_array(values, chunks=20)
        for name, values in (("y", Y), ("sample_weight", np.ones(60)))
    }
    for fit in (
        cb.Problem,
        cb.CertifiedLasso(alpha=0.1).fit,
        cb.RandomizedGBMRegressor(n_estimators=2).fit,
    ):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            fit(X, **lazy)
        assert sorted(str(sentence.message).split()[0] for sentence in said) == [
            "sample_weight",
            "y",
        ]


def test_open_columns_collects_nothing(monkeypatch):
    monkeypatch.setattr(memory, "free_memory", lambda: 100)
    lazy = da.from_array(X, chunks=(20, 2))
    problem = cb.Problem(cb.data.open_columns(lazy), Y)
    run = cb.solve(problem, cb.ls_boost(0.5), 4, compile=False)
    np.testing.assert_allclose(run.predict(cb.data.open_columns(lazy)), RUN.predict(X), rtol=1e-12)


def test_chunks_of_unknown_size_are_refused():
    lazy = da.from_array(X, chunks=(20, 2))
    refused(
        lambda: cb.Problem(lazy[lazy[:, 0] > 0], Y), "X is a Dask array with chunks of unknown size"
    )


@pytest.mark.parametrize(
    "error",
    [
        IndexError("pop from empty"),
        KeyError("x"),
        ConnectionError(),
        ValueError("Missing dependency"),
    ],
)
def test_a_lost_cluster_is_reported_in_one_sentence(error, monkeypatch):
    lazy = da.from_array(X, chunks=(20, 2))
    problem = cb.Problem(cb.data.open_columns(lazy), Y)

    def lost(values):
        raise error

    monkeypatch.setattr(daskarray, "_compute", lost)
    method = cb.ls_boost(0.5)
    for action in (
        lambda: cb.solve(problem, method, 4),
        lambda: cb.Problem(cb.data.open_columns(lazy), Y),
    ):
        refused(action, "X, a Dask array, could not be computed")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("closed", ["client", "cluster"])
def test_a_cluster_closed_during_a_run_is_reported_in_one_sentence(closed):
    """The chunks that it held are lost; an array with another source would still be computed."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None
    ) as cluster:
        client = distributed.Client(cluster)
        held = da.from_array(X, chunks=(20, 2)).persist()
        problem = cb.Problem(cb.data.open_columns(held), Y)
        states = cb.iterate(
            problem, cb.ls_boost(0.5), 20, every=1, model_state=cb.engine.NaiveState, compile=False
        )
        next(states)
        {"client": client, "cluster": cluster}[closed].close()
        refused(lambda: list(states), "X, a Dask array, could not be computed")
        client.close()
