"""Sparse matrices as input of every public function: malformed ones are refused in a sentence,
before a kernel uses their indices.
"""

import warnings
from functools import cache

import numpy as np
import pytest
import scipy.sparse

import coordboost as cb

RNG = np.random.default_rng(0)
DENSE = np.where(RNG.random((12, 4)) < 0.6, RNG.integers(-3, 4, (12, 4)), 0).astype(float) + np.eye(
    12, 4
)
Y = DENSE[:, 0] - DENSE[:, 1] + 0.1 * RNG.normal(size=12)
CLASS = Y > 0
FORMATS = ("csr", "csc", "bsr", "coo")


def walk(X, y, w):
    return cb.lasso_path(X, y, n_alphas=3, sample_weight=w)


def small(cls, **more):
    return cls(n_estimators=2, min_samples_leaf=1, **more)


def fitted(cls, y=Y):
    return cls(alpha=0.1).fit(DENSE, y)


@cache
def trees():
    return small(cb.RandomizedGBMRegressor).fit(DENSE, Y)


#: All public functions that take a sparse matrix.
DOORS = {
    "Problem": lambda X: cb.Problem(X, Y),
    "lasso_path": lambda X: cb.lasso_path(X, Y, n_alphas=3),
    "exact_path": lambda X: cb.exact_path(X, Y),
    "cross_validate": lambda X: cb.cross_validate(walk, X, Y, folds=2),
    "stability_selection": lambda X: cb.model_selection.stability_selection(walk, X, Y, n_pairs=1),
    "bootstrap_frequencies": lambda X: cb.model_selection.bootstrap_frequencies(
        walk, X, Y, n_draws=1
    ),
    "mca": lambda X: cb.theory.mca(X),
    "blocks": lambda X: cb.data.blocks(X),
    "bin_columns": lambda X: cb.data.bin_columns(X),
    "stumps": lambda X: cb.data.stumps(X),
    "trees": lambda X: cb.data.trees(X),
    "tree_families": lambda X: cb.data.tree_families(X),
    "CertifiedLasso": lambda X: cb.CertifiedLasso(alpha=0.1).fit(X, Y),
    "CertifiedLassoCV": lambda X: cb.CertifiedLassoCV(n_alphas=3, cv=2).fit(X, Y),
    "CertifiedLassoClassifier": lambda X: cb.CertifiedLassoClassifier().fit(X, CLASS),
    "ForwardStagewiseRegressor": lambda X: cb.ForwardStagewiseRegressor(n_steps=5).fit(X, Y),
    "RandomizedGBMRegressor": lambda X: small(cb.RandomizedGBMRegressor).fit(X, Y),
    "RandomizedGBMClassifier": lambda X: small(cb.RandomizedGBMClassifier).fit(X, CLASS),
    "validation rows": lambda X: small(cb.RandomizedGBMRegressor, early_stopping=True).fit(
        DENSE, Y, X_val=X, y_val=Y
    ),
    "predict of a problem": lambda X: cb.Problem(DENSE, Y).predict(np.ones(4), X),
    "predict of a run": lambda X: cb.solve(cb.Problem(DENSE, Y), cb.ls_boost(), 3).predict(X),
    "scores of a run": lambda X: cb.solve(cb.Problem(DENSE, Y), cb.ls_boost(), 3).score_path(X, Y),
    "predict of a path": lambda X: cb.lasso_path(DENSE, Y, n_alphas=3).predict(
        X, cb.lasso.PathPoint(step=1)
    ),
    "scores of a path": lambda X: cb.lasso_path(DENSE, Y, n_alphas=3).score_path(X, Y),
    "predict of an estimator": lambda X: fitted(cb.CertifiedLasso).predict(X),
    "predict of trees": lambda X: trees().predict(X),
    "bin": lambda X: cb.data.bin_columns(DENSE)[1].bin(X),
}


def spoiled(form, fault):
    """A matrix in a sparse format, with a fault that scipy itself would not produce."""
    X = getattr(scipy.sparse, f"{form}_array")(DENSE)
    parts = {
        "csr": ("indices", 4),
        "csc": ("indices", 12),
        "bsr": ("indices", X.shape[1]),
        "coo": ("col", 4),
    }
    name, _ = parts[form]
    if fault in ("negative", "large", "short", "float"):
        index = getattr(X, name).copy()
        if fault == "negative":
            index[1] = -7
        elif fault == "large":
            index[-1] = 1_000_000
        else:
            index = index[:-1] if fault == "short" else index.astype(float)
        if form == "coo":
            X.coords = (X.coords[0], index)
        else:
            X.indices = index
        return X
    stops = X.indptr.copy()
    if fault == "falls":
        stops[1], stops[2] = stops[-1], 0
    elif fault == "begins":
        stops[0] = 1
    elif fault == "ends":
        stops[-1] += 10**6
    elif fault == "few":
        stops = stops[:-1]
    X.indptr = stops
    return X


FAULTS = [(form, fault) for form in FORMATS for fault in ("negative", "large", "short", "float")]
FAULTS += [(form, fault) for form in FORMATS[:3] for fault in ("falls", "begins", "ends", "few")]


def test_index_below_zero_and_indptr_that_falls_are_refused():
    negative = ("csr", "negative", "index -7 is out of bounds, from 0 to 3")
    for form, fault, says in (negative, ("csc", "falls", "indptr must begin with 0, not decrease")):
        with pytest.raises(ValueError, match=f"X is not a valid sparse matrix: {says}"):
            cb.Problem(spoiled(form, fault), Y)


@pytest.mark.parametrize("door", DOORS)
def test_every_function_refuses_every_malformed_matrix(door):
    name = "X_val" if door == "validation rows" else "X"
    for form, fault in FAULTS:
        with pytest.raises(
            ValueError, match=rf"^{name} is not a valid sparse matrix: .*; make it again"
        ):
            DOORS[door](spoiled(form, fault))


@pytest.mark.parametrize("door", DOORS)
def test_every_function_takes_unsorted_duplicate_and_padded_entries(door):
    """Indices in any order, duplicate entries (which are summed) and spare room in the arrays; the
    caller's matrix is unchanged.
    """
    half = scipy.sparse.coo_array(DENSE)
    order = np.random.default_rng(1).permutation(2 * half.nnz)
    rows, columns = (np.concatenate([part, part])[order] for part in half.coords)
    twice = scipy.sparse.coo_array(
        (np.concatenate([half.data, half.data])[order] / 2, (rows, columns)), shape=DENSE.shape
    )
    roomy = scipy.sparse.csc_array(DENSE)
    roomy.data, roomy.indices = (
        np.append(roomy.data, [np.nan, 7.0]),
        np.append(roomy.indices, [3, 3]),
    )
    stops = np.searchsorted(np.sort(rows), np.arange(13))
    place = np.argsort(rows, kind="stable")
    unsorted = scipy.sparse.csr_array((twice.data[place], columns[place], stops), shape=DENSE.shape)
    for X in (
        twice,
        roomy,
        unsorted,
        *(getattr(scipy.sparse, f"{form}_array")(DENSE) for form in ("dia", "lil", "dok", "bsr")),
    ):
        before = X.copy()
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Number of distinct", UserWarning)
            DOORS[door](X)
        assert X.nnz == before.nnz and np.array_equal(X.toarray(), before.toarray())
    same = [cb.Problem(X, Y).gather(np.arange(4)) for X in (twice, roomy, unsorted)]
    assert all(
        np.allclose(one, cb.Problem(DENSE, Y).gather(np.arange(4)), rtol=0, atol=1e-14)
        for one in same
    )


def test_numbers_that_are_not_finite_are_refused():
    X = scipy.sparse.csr_array(DENSE)
    X.data[2] = np.inf
    for door in (
        "Problem",
        "lasso_path",
        "CertifiedLasso",
        "predict of a run",
        "predict of an estimator",
        "mca",
        "blocks",
    ):
        with pytest.raises(ValueError, match="infinity"):
            DOORS[door](X)


def test_sparse_coefficients_are_refused():
    problem = cb.Problem(DENSE, Y)
    for door in (
        cb.certify,
        lambda problem, coef: problem.predict(coef, DENSE),
        lambda problem, coef: problem.unit(coef),
    ):
        with pytest.raises(ValueError, match=r"must be an array of real numbers, got <.*[Ss]parse"):
            door(problem, scipy.sparse.csr_array(np.ones((1, 4))))
