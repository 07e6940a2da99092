"""Bad data: one row each, refused with a ``ValueError`` of one sentence that says what was
expected; never NaN, never a traceback.

Bad parameters are in ``test_bad_parameters.py``, bad run files in ``test_bad_files.py``, what must
work in ``test_good_input.py``.
"""

import math

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from refusal import case, refusals, refused

import coordboost as cb
from coordboost import Problem

RNG = np.random.default_rng(0)
X = RNG.normal(size=(8, 3))
Y = RNG.normal(size=8)
SIGNS = np.array([1.0, -1.0] * 4)
UNIT = (X - X.mean(0)) / np.linalg.norm(X - X.mean(0), axis=0)
NAN = math.nan
INF = math.inf


def spoiled(array, value):
    array = np.array(array)
    array.flat[4] = value
    return array


X_ROWS = [
    case(
        name,
        lambda bad=bad: Problem(bad, Y[:0] if getattr(bad, "shape", [8])[0:1] == (0,) else Y),
        fragment,
    )
    for name, bad, fragment in (
        ("NaN", spoiled(X, NAN), "impute or drop"),
        ("inf", spoiled(X, INF), "impute or drop"),
        ("object", X.astype(object), "pass X.astype(float)"),
        ("mixed object", np.array([["a", 1.0]] * 8, dtype=object), "encode"),
        ("strings", X.astype(str), "encode"),
        ("complex", X.astype(complex), "real numbers"),
        ("dates", X.astype("M8[s]"), "encode"),
        ("masked", np.ma.masked_greater(X, 1), "fill or drop"),
        ("1-D", X[:, 0], "reshape(-1, 1)"),
        ("3-D", X[:, :, None], "2 dimensions"),
        ("scalar", 3.0, "2 dimensions"),
        ("nothing", None, "array of real numbers, got None"),
        ("path", "table.npy", "pass open_columns(path)"),
        ("numbers as objects", (1e20 * X).astype(object), "pass X.astype(float)"),
        ("ragged", [[1.0, 2.0], [3.0]], "X must"),
        ("no rows", X[:0], "at least one row"),
        ("no columns", X[:, :0], "at least one row and one column"),
        ("no rows, sparse", scipy.sparse.csr_array((0, 3)), "at least one row"),
        (
            "text column",
            pd.DataFrame(X, columns=list("abc")).assign(b="text"),
            "drop the columns b",
        ),
        (
            "category column",
            pd.DataFrame({"a": X[:, 0], "b": pd.Categorical(["u", "v"] * 4)}),
            "drop the columns b",
        ),
        (
            "missing in nullable column",
            pd.DataFrame({"a": pd.array([1, None] * 4, dtype="Int64")}),
            "impute or drop",
        ),
        ("sparse NaN", scipy.sparse.csr_array(spoiled(X, NAN)), "impute or drop"),
        ("sparse complex", scipy.sparse.csc_array(X.astype(complex)), "real numbers"),
        ("sparse 1-D", scipy.sparse.coo_array(X[:, 0]), "2-dimensional"),
        ("subnormal", 5e-324 * np.sign(X), "X"),
        ("beyond float64 norms", 1.7e308 * np.sign(X), "X"),
    )
] + [
    case("scale=False", lambda: Problem(2 * UNIT, Y, scale=False), "Pass scale=True"),
    case(
        "scale=False, huge",
        lambda: Problem(np.tile(1e200 * X, (100, 1)), np.tile(Y, 100), center=False, scale=False),
        "Pass scale=True",
    ),
    case(
        "scale=False, sparse",
        lambda: Problem(scipy.sparse.csc_array(2 * UNIT), Y, scale=False),
        "Pass scale=True",
    ),
]

Y_ROWS = [
    case(f"y {name}", lambda bad=bad: Problem(X, bad), fragment)
    for name, bad, fragment in (
        ("short", Y[:5], "one entry per row of X: expected 8, got 5"),
        ("2-D", Y[:, None], "y.ravel()"),
        ("NaN", spoiled(Y, NAN), "impute or drop"),
        ("strings", Y.astype(str), "real numbers"),
        ("complex", Y.astype(complex), "real numbers"),
        ("masked", np.ma.masked_greater(Y, 0), "fill or drop"),
        ("None", None, "y must"),
        ("huge", 1e200 * Y, "rescale y"),
        ("tiny", 1e-200 * Y, "rescale y"),
    )
] + [
    case(
        f"labels {name}, {type(loss).__name__}",
        lambda bad=bad, loss=loss: Problem(X, bad, loss),
        fragment,
    )
    for loss in (cb.losses.Logistic(), cb.losses.Exponential())
    for name, bad, fragment in (
        ("1 and 2", 1.5 + SIGNS / 2, "recode y"),
        ("three", spoiled(SIGNS, 0), "recode y"),
        ("real", Y, "recode y"),
        ("text", np.where(SIGNS > 0, "yes", "no"), "y must hold real numbers"),
        ("one class", np.ones(8), "one class only"),
        ("one class, 0", np.zeros(8), "one class only"),
    )
]

DATA_ROWS = [
    case(f"{key} {name}", lambda key=key, bad=bad: Problem(X, Y, **{key: bad}), fragment)
    for key, name, bad, fragment in (
        ("sample_weight", "negative", spoiled(np.ones(8), -1), "must not be negative"),
        ("sample_weight", "zero", np.zeros(8), "not all zero"),
        ("sample_weight", "NaN", spoiled(np.ones(8), NAN), "sample_weight holds NaN"),
        ("sample_weight", "short", np.ones(5), "expected 8, got 5"),
        ("sample_weight", "scalar", 2.0, "1 dimension"),
        ("sample_weight", "text", ["a"] * 8, "sample_weight must hold real numbers"),
        ("sample_weight", "huge", np.full(8, 1e308), "sample_weight"),
        (
            "sample_weight",
            "tiny",
            np.full(8, 1e-305),
            "is 1e-305, less than 1e-100; rescale the weights",
        ),
        ("groups", "short", [0, 1], "expected shape (3,)"),
        ("groups", "2-D", np.zeros((3, 1)), "expected shape (3,)"),
        ("groups", "mixed", np.array(["a", 1, None], dtype=object), "groups"),
        ("feature_names", "short", ["a", "b"], "3 columns of X, got 2"),
        ("feature_names", "number", 3, "feature_names"),
        ("copy", "text", "no", "copy must be True or False, got 'no'"),
        ("center", "text", "no", "center must be True or False, got 'no'"),
        ("scale", "None", None, "scale must be True or False, got None"),
        ("sample_weight", "name", "balanced", "pass the array that it names"),
        ("loss", "name", "logistic", "Squared()"),
        ("loss", "class", cb.losses.Huber, "Huber"),
    )
]


test_refused = refusals(*X_ROWS, *Y_ROWS, *DATA_ROWS)


PROBLEMS = {
    "dense": Problem(UNIT, Y),
    "sparse": Problem(scipy.sparse.csc_array(X), Y),
    "logistic": Problem(X, SIGNS, cb.losses.Logistic()),
}


@pytest.mark.parametrize("problem", PROBLEMS.values(), ids=PROBLEMS)
@pytest.mark.parametrize("length", [0, 7, 9, (8, 1)])
def test_vectors_of_another_length_are_refused(problem, length):
    """Compiled loops would read beyond their ends."""
    for verb in (problem.value, problem.resid, problem.scan):
        refused(
            lambda verb=verb: verb(np.ones(length)), "one entry per sample: expected shape (8,)"
        )
    refused(
        lambda: problem.combine(np.ones(length)),
        "beta must have one entry per learner: expected shape (3,)",
    )


class Columns:
    """A user's oracle over the unit columns of `UNIT`, with parts that can be spoiled."""

    n_samples, n_learners = UNIT.shape

    def __init__(self, scan=None, column=None):
        self.calls = 0
        self.bad_scan = scan
        self.bad_column = column

    def scan(self, v):
        self.calls += 1
        assert self.calls < 100, "the loop never ends"
        return UNIT.T @ v if self.bad_scan is None else self.bad_scan

    def column(self, j):
        return UNIT[:, j] if self.bad_column is None else self.bad_column


def lacking(verb):
    """Return an oracle that lacks the method or attribute `verb`."""
    verbs = {
        "n_samples": 8,
        "n_learners": 3,
        "scan": lambda self, v: UNIT.T @ v,
        "column": lambda self, j: UNIT[:, j],
    }
    return type("Lacking", (), {name: part for name, part in verbs.items() if name != verb})()


def greedy(oracle, model_state=None):
    """Run five steps in plain Python: compiled, an array of the wrong length could write past an
    array of the engine.
    """
    return cb.solve(Problem(oracle, Y), cb.ls_boost(1.0), 5, model_state=model_state, compile=False)


@pytest.mark.parametrize(
    "action, fragment",
    [
        case(f"no {verb}", lambda verb=verb: Problem(lacking(verb), Y), f"lacks {verb}")
        for verb in cb.learners.Oracle.required
    ]
    + [
        case(
            f"scan {name}, {state.__name__}",
            lambda bad=bad, state=state: greedy(Columns(scan=bad), state),
            "scan",
        )
        for state in (cb.engine.NaiveState, cb.engine.CovarianceState)
        for name, bad in (
            ("long", np.ones(8)),
            ("short", np.ones(2)),
            ("2-D", np.ones((3, 1))),
            ("scalar", 1.0),
            ("NaN", np.full(3, NAN)),
            ("one NaN", np.array([1.0, NAN, 0.0])),
            ("inf", np.full(3, INF)),
            ("text", ["a"] * 3),
        )
    ]
    + [
        case(f"column {name}", lambda bad=bad: greedy(Columns(column=bad)), "column")
        for name, bad in (("short", np.ones(3)), ("2-D", np.ones((8, 1))), ("NaN", np.full(8, NAN)))
    ]
    + [
        case("y short", lambda: Problem(Columns(), Y[:5]), "expected 8, got 5"),
        case(
            "names short", lambda: Problem(Columns(), Y, feature_names=["a"]), "feature_names must"
        ),
        case("no at", lambda: greedy(Columns()).predict(X), "at(X"),
    ],
)
def test_oracle_refused(action, fragment):
    refused(action, fragment)


def test_a_good_oracle_works():
    assert np.allclose(
        greedy(Columns()).beta,
        cb.solve(Problem(UNIT, Y, center=False), cb.ls_boost(1.0), 5).beta,
        rtol=1e-12,
    )
