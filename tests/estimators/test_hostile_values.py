"""Every parameter of every estimator with values that nobody should pass: accepted, or refused by
the package in one sentence about it.

An error must be a ValueError or a TypeError that the package raises, never one of a library.
"""

import traceback
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from all_estimators import ESTIMATORS, NAMES, X, quick, target
from refusal import refusals
from sklearn.base import is_classifier

import coordboost as cb

PACKAGE = str(Path(cb.__file__).parent)
HOSTILE = {
    "a word": "a",
    "bytes": b"a",
    "an object": object(),
    "a class": dict,
    "a function": len,
    "NA": pd.NA,
    "NaN": np.nan,
    "minus one": -1,
    "half": 0.5,
    "infinity": np.inf,
    "complex": 1j,
    "2^31": 2**31,
    "2^63": 2**63,
    "minus 2^63": -(2**63) - 1,
    "400 digits": 10**400,
    "tiny": 5e-324,
    "huge": 1e300,
    "nothing": [],
    "one": [1],
    "words": ["a", "b"],
    "ragged": [[1], [1, 2]],
    "NaN in a list": [np.nan],
    "a dict": {"a": 1},
    "a set": {1, 2},
    "a matrix": np.ones((2, 2)),
    "no rows": np.zeros((0, 4)),
    "0-d": np.array(1.0),
    "None": None,
    "a date": np.datetime64("2020-01-01"),
    "a frame": pd.DataFrame({"a": ["u"]}),
    "True": True,
    "a series": pd.Series([1, 2]),
}
#: Other names by which a message speaks of a parameter.
ALIASES = {
    "bounds": ("bound",),
    "nodes": ("a tree",),
    "gamma": ("relaxed",),
    "max_depth": ("a tree",),
    "deltas": ("sequence", "delta"),
}
PAIRS = [(kind, name) for kind in ESTIMATORS for name in kind().get_params(deep=False)]


def error_of(action):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            action()
        except Exception as error:
            return error
    return None


def fault(name, error):
    """Return what is wrong with the error about the parameter `name`, or None."""
    if error is None:
        return None
    file = traceback.extract_tb(error.__traceback__)[-1].filename
    words = str(error)
    if type(error) not in (ValueError, TypeError) or not file.startswith(PACKAGE) or "\n" in words:
        return f"{type(error).__name__} in {file}: {words[:200]}"
    named = any(one in words for one in (name, *ALIASES.get(name, ())))
    return None if named else f"no word about {name}: {words}"


def faults(kind, name, values):
    y = target(kind)
    beside = (
        {"early_stopping": True}
        if name in ("validation_fraction", "n_iter_no_change", "tol")
        else {}
    )
    beside = {key: value for key, value in beside.items() if key in kind().get_params(deep=False)}
    for value in values:
        given = (
            {"n_estimators": 2, "n_steps": 5, "n_alphas": 2, "cv": 2}
            | beside
            | {name: HOSTILE[value]}
        )
        known = {key: one for key, one in given.items() if key in kind().get_params(deep=False)}
        if known.get("noise_variance", 1.0) is None:
            continue
        said = fault(name, error_of(lambda known=known: quick(kind, **known).fit(X[:40], y[:40])))
        if said:
            yield f"{kind.__name__}({name}={value}): {said}"


@pytest.mark.parametrize("kind", ESTIMATORS, ids=lambda kind: kind.__name__)
def test_parameters_of_estimators(kind):
    """Two values in turn for each parameter of each estimator; the slow test has all."""
    mine = [k for k, pair in enumerate(PAIRS) if pair[0] is kind]
    values = list(HOSTILE)
    found = [
        one
        for k in mine
        for one in faults(*PAIRS[k], [values[(7 * k + i) % len(values)] for i in (0, 3)])
    ]
    assert found == []


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "name"), PAIRS, ids=lambda one: getattr(one, "__name__", one))
def test_parameters_of_estimators_with_all_values(kind, name):
    assert list(faults(kind, name, HOSTILE)) == []


FRAME = pd.DataFrame(X[:40], columns=list("abcd"))
DATA = {
    "400 digits": [[10**400, 1, 2, 3]] * 40,
    "complex": X[:40] + 1j,
    "a complex frame": FRAME + 1j,
    "one complex column": FRAME.assign(b=FRAME["b"] + 1j),
    "complex objects": (FRAME + 1j).astype(object),
    "repeated names": FRAME.set_axis(list("aabc"), axis=1),
    "words": FRAME.assign(a="u"),
    "lists": [[1], [1, 2]] * 20,
    "dates": FRAME.assign(a=pd.Timestamp("2020-01-01")),
    "400 digits in a frame": FRAME.assign(a=pd.Series([10**400] * 40, dtype=object)),
}
FEW = [
    cb.RandomizedGBMRegressor,
    cb.RegularizedGBMClassifier,
    cb.CertifiedLasso,
    cb.LSBoostRegressorCV,
    cb.ForwardStagewiseClassifier,
]


@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize("kind", FEW, ids=lambda kind: kind.__name__)
def test_tables_of_estimators(kind, name):
    y = target(kind)[:40]
    good = quick(kind).fit(X[:40], y)
    actions = [lambda: quick(kind).fit(DATA[name], y), lambda: good.predict(DATA[name])]
    if name == "words" and "GBM" in kind.__name__:
        del actions[0]  # legal: trees take text as categories
        coded = DATA[name].astype({"a": "category"})
        expected = quick(kind).fit(coded, y).predict(coded)
        np.testing.assert_array_equal(quick(kind).fit(DATA[name], y).predict(DATA[name]), expected)
    for action in actions:
        error = error_of(action)
        assert isinstance(error, ValueError)
        file = traceback.extract_tb(error.__traceback__)[-1].filename
        assert file.startswith(PACKAGE) or "sklearn/utils/validation" in file, (file, error)


@pytest.mark.parametrize("kind", FEW, ids=lambda kind: kind.__name__)
def test_targets_and_weights_of_estimators(kind):
    for bad in ([10**400] * 40, X[:40, 0] + 1j, pd.Series(X[:40, 0] + 1j), object(), 1.0):
        for given in ({"y": bad}, {"sample_weight": bad}, {"offset": bad}):
            if not ("sample_weight" in given and isinstance(bad, float)):
                error = error_of(
                    lambda given=given: quick(kind).fit(
                        **{"X": X[:40], "y": target(kind)[:40]} | given
                    )
                )
                assert isinstance(error, ValueError | TypeError), given
                file = traceback.extract_tb(error.__traceback__)[-1].filename
                assert file.startswith(PACKAGE) or "sklearn/utils" in file, (given, error)


@pytest.mark.parametrize("kind", FEW, ids=lambda kind: kind.__name__)
def test_sparse_columns_of_a_frame_filled_with_nan(kind):
    y = target(kind)[:40]
    sparse = FRAME.astype(pd.SparseDtype(float))
    model = quick(kind).fit(FRAME, y)
    np.testing.assert_array_equal(model.predict(sparse), model.predict(FRAME))
    np.testing.assert_array_equal(quick(kind).fit(sparse, y).predict(FRAME), model.predict(FRAME))


PROBLEM = cb.Problem(X[:40], X[:40, 0])
test_what_functions_refuse = refusals(
    pytest.param(
        lambda: cb.theory.sampled_mca([1.0]), "problem must be a Problem", id="sampled_mca"
    ),
    pytest.param(
        lambda: cb.lasso_path(PROBLEM, n_alphas=3).plot(ax=1), "ax must be an Axes", id="plot"
    ),
    pytest.param(lambda: cb.methods.agbmr(0.5, 0.01, period=1e300), "period must be", id="period"),
    pytest.param(lambda: cb.lasso_path(PROBLEM, eps=5e-324), "eps must be", id="eps"),
    pytest.param(
        lambda: cb.lasso_path(PROBLEM, lower_limits=2**63), "lower_limits must be", id="limit"
    ),
    pytest.param(
        lambda: cb.lasso_path(PROBLEM, n_alphas=2**31),
        "n_alphas must be at most 100,000",
        id="n_alphas",
    ),
    pytest.param(
        lambda: cb.rgb(0.1, n_candidates=2**31),
        "n_candidates must be at most 10,000,000",
        id="n_candidates",
    ),
    pytest.param(
        lambda: cb.theory.mca(PROBLEM, n_starts=2**31), "n_starts must be at most", id="n_starts"
    ),
    pytest.param(
        lambda: cb.RandomizedGBMRegressor(n_estimators=2**31).fit(X, X[:, 0]),
        "n_estimators must be at most",
        id="n_estimators",
    ),
    pytest.param(
        lambda: cb.LSBoostRegressor(n_steps=2**31).fit(X, X[:, 0]),
        "n_steps must be at most",
        id="n_steps",
    ),
    pytest.param(lambda: cb.load("a\0b"), "without a NUL character", id="NUL to load"),
    pytest.param(
        lambda: cb.solve(PROBLEM, cb.gbm(), 2).save("a\0b"),
        "without a NUL character",
        id="NUL to save",
    ),
    pytest.param(
        lambda: cb.html_report(cb.solve(PROBLEM, cb.gbm(), 2), "a\0b"),
        "without a NUL character",
        id="NUL of a page",
    ),
    pytest.param(lambda: cb.read_table("a\0b", "y"), "'a\\x00b'", id="NUL of a table"),
    pytest.param(
        lambda: cb.solve(
            cb.Problem(cb.data.tree_families(X), NAMES == "red", cb.losses.Logistic()),
            cb.rules.Method("own", cb.rules.Structural(2, 0.1, power="a"), cb.rules.FamilyStep()),
            2,
        ),
        "power must be",
        id="power",
    ),
)


def test_classifiers_are_among_the_kinds():
    assert {is_classifier(kind()) for kind in FEW} == {True, False}
