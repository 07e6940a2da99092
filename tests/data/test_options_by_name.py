"""Options given by name: columns by a dict or a Series, rows by the index of a Series."""

import numpy as np
import pandas as pd
import pytest
from refusal import refused

import coordboost as cb

RNG = np.random.default_rng(62)
N = 40
LABELS = [f"r{i}" for i in RNG.permutation(N)]
FRAME = pd.DataFrame(RNG.normal(size=(N, 4)), index=LABELS, columns=["a", "b", "c", "d"])
X = FRAME.to_numpy()
Y = X @ [1.0, -2.0, 0.5, 0.0] + RNG.normal(size=N)
WEIGHT = pd.Series(RNG.uniform(0.5, 2, N), index=LABELS)
OFFSET = pd.Series(RNG.normal(size=N), index=LABELS)
SHUFFLED = RNG.permutation(N)
FACTORS = {"d": 0.2, "b": 3.0}
IN_ORDER = [1.0, 3.0, 1.0, 0.2]
LIMIT = {"a": 0.3}

#: Fits of a table with weights and an offset.
FITS = {
    "Problem": lambda X, w, o: cb.exact_path(cb.Problem(X, Y, sample_weight=w, offset=o)).l1,
    "exact_path": lambda X, w, o: cb.exact_path(X, Y, offset=o).l1,
    "lasso_path": lambda X, w, o: (
        cb.lasso_path(X, Y, [0.1], sample_weight=w, offset=o, unit_columns=False).coefs
    ),
    "CertifiedLasso": lambda X, w, o: cb.CertifiedLasso(alpha=0.1).fit(X, Y, w, offset=o).coef_,
    "CertifiedLassoCV": lambda X, w, o: (
        cb.CertifiedLassoCV(alphas=[0.1, 0.2], cv=3).fit(X, Y, w, offset=o).coef_
    ),
    "trees": lambda X, w, o: (
        cb.RandomizedGBMRegressor(n_estimators=3, random_state=0)
        .fit(X, Y, w, offset=o)
        .predict(X, offset=o)
    ),
    "score": lambda X, w, o: cb.CertifiedLasso(alpha=0.1).fit(X, Y).score(X, Y, w, offset=o),
    "path.score": lambda X, w, o: cb.lasso_path(X, Y, [0.1]).score(X, Y, w, offset=o),
    "path.predict": lambda X, w, o: cb.lasso_path(X, Y, [0.1]).predict(X, offset=o),
}


@pytest.mark.parametrize("name", FITS)
def test_rows_are_matched_by_index(name):
    fit = FITS[name]
    by_place = fit(FRAME, WEIGHT.to_numpy(), OFFSET.to_numpy())
    by_index = fit(FRAME, WEIGHT.iloc[SHUFFLED], OFFSET.iloc[SHUFFLED])
    np.testing.assert_array_equal(by_index, by_place)
    np.testing.assert_array_equal(fit(FRAME, WEIGHT, OFFSET), by_place)
    without_index = fit(X, WEIGHT.iloc[SHUFFLED], OFFSET.iloc[SHUFFLED])
    assert not np.array_equal(without_index, by_place)  # an array has rows by place
    refused(lambda: fit(FRAME, None, OFFSET.reset_index(drop=True)), "offset is a Series")
    if name not in ("exact_path", "path.predict"):
        refused(lambda: fit(FRAME, WEIGHT.reset_index(drop=True), None), "without a value for")


def test_labels_that_repeat():
    """In the order of the frame they are by place; in another order nobody can tell."""
    repeated = FRAME.set_axis([0, 0, *range(2, N)])
    weight = WEIGHT.set_axis(repeated.index)
    same = cb.lasso_path(repeated, Y, [0.1], sample_weight=weight)
    np.testing.assert_array_equal(
        same.coefs, cb.lasso_path(X, Y, [0.1], sample_weight=WEIGHT.to_numpy()).coefs
    )
    refused(
        lambda: cb.lasso_path(repeated, Y, [0.1], sample_weight=weight.iloc[::-1]),
        "labels that repeat: give it the index of X, or pass sample_weight.to_numpy()",
    )


#: Fits with options for the columns.
BY_COLUMN = {
    "lasso_path": lambda X, **options: cb.lasso_path(X, Y, [0.1, 0.01], **options).coefs,
    "of a Problem": lambda X, **options: (
        cb.lasso_path(cb.Problem(X, Y), alphas=[0.1, 0.01], **options).coefs
    ),
    "CertifiedLasso": lambda X, **options: cb.CertifiedLasso(alpha=0.1, **options).fit(X, Y).coef_,
    "standardised": lambda X, **options: (
        cb.CertifiedLasso(alpha=0.1, standardize=True, **options).fit(X, Y).coef_
    ),
    "CertifiedLassoCV": lambda X, **options: (
        cb.CertifiedLassoCV(alphas=[0.1, 0.2], cv=3, **options).fit(X, Y).coef_
    ),
}


@pytest.mark.parametrize("name", BY_COLUMN)
def test_columns_are_matched_by_name(name):
    fit = BY_COLUMN[name]
    in_order = fit(X, penalty_factor=IN_ORDER, upper_limits=[0.3, np.inf, np.inf, np.inf])
    by_dict = fit(FRAME, penalty_factor=FACTORS, upper_limits=LIMIT)
    np.testing.assert_array_equal(by_dict, in_order)
    series = pd.Series(IN_ORDER, index=FRAME.columns).iloc[::-1]
    np.testing.assert_array_equal(fit(FRAME, penalty_factor=series, upper_limits=LIMIT), in_order)
    beside = FRAME[["c", "a", "d", "b"]]
    moved = fit(beside, penalty_factor=FACTORS, upper_limits=LIMIT)
    np.testing.assert_allclose(moved, in_order[[2, 0, 3, 1]], atol=1e-3)  # gaps of 1e-6
    low = fit(FRAME, lower_limits={"b": -0.5})
    np.testing.assert_array_equal(low, fit(X, lower_limits=[-np.inf, -0.5, -np.inf, -np.inf]))


def test_an_array_has_columns_by_place():
    series = pd.Series(IN_ORDER)
    np.testing.assert_array_equal(
        cb.lasso_path(X, Y, [0.1], penalty_factor=series).coefs,
        cb.lasso_path(X, Y, [0.1], penalty_factor=IN_ORDER).coefs,
    )


@pytest.mark.parametrize("name", BY_COLUMN)
@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"penalty_factor": {"z": 1.0}}, "penalty_factor has values for z, and X has no columns"),
        ({"upper_limits": {"z": 1.0}}, "upper_limits has values for z"),
        (
            {"penalty_factor": pd.Series({"a": 1.0, "b": 1.0})},
            "without values for the columns c, d",
        ),
        ({"penalty_factor": pd.Series(IN_ORDER)}, "penalty_factor has values for 0, 1, 2, 3"),
        (
            {"lower_limits": pd.Series([-1.0] * 5, index=[*"abcda"])},
            "lower_limits has two values for one name",
        ),
    ],
    ids=["unknown", "unknown limit", "absent", "by place", "repeated"],
)
def test_names_that_do_not_match_are_refused(name, options, says):
    refused(lambda: BY_COLUMN[name](FRAME, **options), says)


@pytest.mark.parametrize("name", BY_COLUMN)
def test_names_need_names(name):
    for given in ({"a": 1.0}, pd.Series(IN_ORDER, index=FRAME.columns)):
        refused(
            lambda given=given: BY_COLUMN[name](X, penalty_factor=given),
            "penalty_factor is by name, and the columns of X have no names",
        )
