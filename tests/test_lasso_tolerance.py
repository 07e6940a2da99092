"""Lasso paths of the logistic loss at tolerances that rounding does not allow: they end soon, counted by passes over the samples."""

import gzip

import numpy as np
import pytest
from reference_sets import FOLDER, needs_compiler

import coordboost as cb
from coordboost.lasso.newton import Newton


@pytest.fixture
def passes(monkeypatch):
    """For every Newton that is made, its passes over the samples: a list that grows."""
    made, first = [], Newton.__init__

    def counting(self, *args):
        first(self, *args)
        done, terms = [], self.terms
        self.terms = lambda *point: done.append(1) or terms(*point)
        made.append(done)

    monkeypatch.setattr(Newton, "__init__", counting)
    return made


@pytest.mark.parametrize("seed", [10, 12, 13])
def test_a_gap_below_rounding_is_not_tried_for_long(seed, passes):
    """Three fits, each ended by eight steps in a row without progress: at most 52 passes over the samples on 16 tables like these."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((40, 4))
    y = np.where(X[:, :3].sum(axis=1) + rng.standard_normal(40) > 0, 1.0, -1.0)
    weight = rng.random(40) * rng.integers(0, 2, 40) + 1e-3
    path = cb.lasso_path(X, y, [0.003], loss=cb.Logistic(), tol=1e-15, sample_weight=weight)
    assert path.gaps[0] <= 1e-11 and len(passes.pop()) <= 100


@needs_compiler
@pytest.mark.skipif(not (FOLDER.parent / "data" / "a9a.svm.gz").is_file(), reason="no a9a")
def test_many_rows_of_indicators(passes):
    """Columns that sum to a constant in groups; sums of 32,561 terms, whose rounding the certificate puts at up to 3e-9. Slopes are
    such sums, too: where rounding hides them, a step is not halved until it is nothing."""
    from sklearn.datasets import load_svmlight_file

    with gzip.open(FOLDER.parent / "data" / "a9a.svm.gz") as handle:
        X, y = load_svmlight_file(handle, n_features=123)
    path = cb.lasso_path(X.tocsc(), y, loss=cb.Logistic(), tol=1e-8, n_alphas=10, eps=1e-2)
    assert (path.gaps <= 1e-8).all()
    fine = cb.lasso_path(cb.Problem(X.tocsc(), y, cb.Logistic(), center=False), tol=1e-12, n_alphas=3, eps=0.1)
    assert (fine.gaps <= 1e-10).all() and len(passes[-1]) <= 200
