"""A problem is immutable; a problem read from a file is checked field by field."""

import numpy as np
import pytest
import scipy.sparse
from refusal import refused

import coordboost as cb
from coordboost import Problem

RNG = np.random.default_rng(3)
X = RNG.normal(size=(9, 4))
Y = RNG.normal(size=9)
PARTS = (
    "loss",
    "dictionary",
    "standardization",
    "y",
    "weight",
    "constant",
    "base",
    "groups",
    "feature_names",
    "dropped",
    "offset",
)


def parts(loss=None, kind=np.asarray):
    y = np.where(Y > 0, 1.0, -1.0) if loss == cb.losses.Logistic() else Y
    problem = Problem(kind(X), y, loss, groups=[0, 1, 1, 0])
    return problem, {name: getattr(problem, name) for name in PARTS}


@pytest.mark.parametrize(
    "loss",
    [cb.losses.Squared(), cb.losses.Huber(1.0), cb.losses.Logistic()],
    ids=lambda loss: type(loss).__name__,
)
@pytest.mark.parametrize("kind", [np.asarray, scipy.sparse.csc_array])
def test_a_restored_problem_is_the_problem(loss, kind):
    problem, given = parts(loss, kind)
    again = Problem.restored(**given)
    runs = [cb.solve(one, cb.ls_boost(0.5), 20, compile=False) for one in (problem, again)]
    assert (
        runs[0].coef.tobytes() == runs[1].coef.tobytes() and runs[0].intercept == runs[1].intercept
    )
    assert runs[1].predict(X).tobytes() == runs[0].predict(X).tobytes()
    assert all(
        np.array_equal(getattr(again, name), given[name])
        for name in ("y", "weight", "groups", "feature_names")
    )


def test_a_problem_does_not_change():
    problem, _ = parts()
    assert problem.start_loss > 0  # computed once, then cached
    with pytest.raises(AttributeError, match="make a new one with another y"):
        problem.y = Y


def with_field(piece, **fields):
    return piece._replace(**fields)


WAY = parts()[1]["standardization"]
B = parts()[1]["dictionary"]
S = parts(kind=scipy.sparse.csc_array)[1]["dictionary"]
UNSOUND = {
    "loss": [None, 3, cb.losses.Huber(-1.0)],
    "dictionary": [
        None,
        X,
        with_field(B, rows=B.rows[:, 0]),
        with_field(B, rows=B.rows.astype(np.float32)),
        with_field(B, rows=B.rows * np.nan),
        with_field(B, rows=B.rows[:3]),
        with_field(B, rows=B.rows[:, :5]),
        with_field(B, rows=None),
        with_field(S, row=S.row + 1),
        with_field(S, row=S.row - 1),
        with_field(S, row=S.row[1:]),
        with_field(S, start=S.start[:-1]),
        with_field(S, start=S.start[::-1].copy()),
        with_field(S, start=S.start + 1),
        with_field(S, data=S.data[1:]),
        with_field(S, scale=S.scale[1:]),
        with_field(S, shift=S.shift + np.inf),
        with_field(S, n_samples=10**9),
        with_field(S, n_samples=-9),
        with_field(S, n_samples=9.0),
        with_field(S, n_samples="9"),
        with_field(S, row=S.row.astype(float)),
    ],
    "standardization": [
        None,
        (1, 2),
        with_field(WAY, kept=WAY.kept[::-1].copy()),
        with_field(WAY, kept=WAY.kept + 1),
        with_field(WAY, kept=WAY.kept - 1),
        with_field(WAY, mean=WAY.mean[1:]),
        with_field(WAY, norm=0 * WAY.norm),
        with_field(WAY, norm=np.nan * WAY.norm),
        with_field(WAY, n_columns=3),
        with_field(WAY, n_columns=4.0),
        with_field(WAY, n_columns=10**12),
        with_field(WAY, kept=None),
    ],
    "y": [None, Y[1:], Y * np.nan, Y.astype(np.float32), Y[:, None], Y.tolist()],
    "weight": [None, -np.ones(9), np.zeros(9), np.ones(8), np.full(9, np.inf)],
    "constant": [None, np.nan, "0", [1.0]],
    "base": [None, 1.0, "0", np.zeros(9)],
    "offset": [0.0, np.zeros(8), np.full(9, np.nan), "0"],
    "groups": [np.zeros(3, dtype=np.int64), np.full(4, -1), np.zeros(4), "abcd"],
    "feature_names": [None, ["a"], "abcd", [1, 2, 3, 4]],
    "dropped": [None, ["a"], "a"],
}


@pytest.mark.parametrize(
    "part, bad", [(part, bad) for part, values in UNSOUND.items() for bad in values]
)
def test_unsound_parts_are_refused(part, bad):
    refused(lambda: Problem.restored(**{**parts()[1], part: bad}), "")
