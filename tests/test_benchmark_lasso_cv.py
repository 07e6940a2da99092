"""The benchmark of cross-validation: one ruler, the same alpha, rows for peers that are not there."""

import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from verification.benchmarks import lasso_cv


@pytest.mark.parametrize("kind", [np.asarray, scipy.sparse.csc_matrix], ids=["dense", "sparse"])
def test_one_table_of_a_small_design(kind, monkeypatch):
    """Sparse columns are not centred as they lie there, the models have an intercept nevertheless."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 6)) + 3 * np.arange(6)
    y = X[:, 0] - X[:, 1] + rng.normal(size=40) + 5
    X = kind(X)
    monkeypatch.setattr(lasso_cv, "SPARSE", lasso_cv.PEERS)
    monkeypatch.setattr(lasso_cv, "designs", lambda quick, only: [("small", (X, y))])
    monkeypatch.setattr(lasso_cv, "TARGETS", (1e-6,))
    monkeypatch.setitem(lasso_cv.PEERS, "absent", lambda grid, tol: 1 / 0)
    for peer in ("celer", "python-glmnet"):
        monkeypatch.delitem(lasso_cv.PEERS, peer)
    monkeypatch.setattr(lasso_cv, "cv_glmnet", lambda grid, desk, tol: 1 / 0)
    table = next(lasso_cv.tables())
    rows = {row["name"]: row for row in table["rows"]}
    assert rows["coordboost"]["gap"] <= 1e-6 and rows["coordboost"]["alpha"] == rows["scikit-learn LassoCV"]["alpha"]
    assert "ZeroDivisionError" in rows["absent"]["note"] and table["best_peer"] == "scikit-learn LassoCV"
