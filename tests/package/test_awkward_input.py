"""Awkward input to public functions: the result agrees with a few lines of NumPy, or one ValueError
says what is wrong.

Few rows and columns, one of them, copies, exact ties, constants, integers, float32, strides, sparse
columns, huge and tiny numbers, weights with zeros. Never NaN, an error of another kind, or a
warning (other than that constant columns are dropped).
"""

import warnings

import numpy as np
import pytest
import scipy.sparse
from designs import seeded
from hypothesis import given, settings
from hypothesis import strategies as st

import coordboost as cb

FORMS = {
    "plain": np.asarray,
    "Fortran": np.asfortranarray,
    "strided": lambda X: np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3],
    "float32": lambda X: X.astype(np.float32),
    "list": lambda X: X.tolist(),
    "sparse": scipy.sparse.csc_array,
    "stored": lambda X: scipy.sparse.csc_array(
        (X.T.ravel(), np.tile(np.arange(len(X)), X.shape[1]), np.arange(X.shape[1] + 1) * len(X)),
        X.shape,
    ),
}


@st.composite
def tables(draw):
    """(X, y, weights or None) of small whole numbers times powers of ten, in some form; copies and
    flips of columns are likely.
    """
    n = draw(st.integers(1, 6))
    p = draw(st.integers(1, 6))
    entries = st.integers(-2, 2)
    X = np.array(
        draw(st.lists(st.lists(entries, min_size=p, max_size=p), min_size=n, max_size=n)),
        dtype=float,
    )
    X = X[:, draw(st.lists(st.integers(0, p - 1), min_size=p, max_size=p))]
    y = np.array(draw(st.lists(st.integers(-3, 3), min_size=n, max_size=n)), dtype=float)
    form = draw(st.sampled_from(sorted(FORMS)))
    small = form == "float32"
    X = X * 10.0 ** draw(st.sampled_from([0, 0, 0, 30 if small else 150, -30 if small else -150]))
    X = X * 10.0 ** np.array(draw(st.lists(st.sampled_from([0, 0, 3, -8]), min_size=p, max_size=p)))
    y = y * 10.0 ** draw(st.sampled_from([0, 0, 0, 150, -150]))
    weight = draw(
        st.none() | st.lists(st.sampled_from([0.0, 1.0, 1.0, 3.0]), min_size=n, max_size=n)
    )
    whole = form == "plain" and draw(st.booleans()) and np.abs(X).max() < 1e15 and not (X % 1).any()
    return FORMS[form](X.astype(np.int64) if whole else X), y, weight


def answer(action):
    """Return the result of `action`, or None if it raises a ValueError of one sentence; constant
    columns may be dropped.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", cb.data.ConstantColumnWarning)
        try:
            return action()
        except ValueError as error:
            assert type(error) is ValueError and len(str(error)) > 20 and "\n" not in str(error)
            return None


def unit_columns(problem):
    return problem.dictionary.gather(np.arange(problem.n_learners))


def lasso_gap(B, w, y, beta, lam):
    """Primal minus dual of the weighted Lasso at lam, and a bound of the rounding in them."""
    resid = y - B @ beta
    primal = (w * resid) @ resid / 2 + lam * np.abs(beta).sum()
    corr = np.abs(B.T @ (w * resid)).max()
    s = 1.0 if corr <= lam else lam / corr
    dual = s * (w * resid) @ y - s * s * (w * resid) @ resid / 2
    return primal - dual, 1e-13 * (w * y) @ y


def check_certificates(problem, beta):
    """Check at two penalties that the interval is finite, and no longer than the duality gap
    recomputed in NumPy.
    """
    B = unit_columns(problem)
    w = problem.weight
    y = problem.y
    assert np.isfinite(beta).all()
    top = float(np.abs(B.T @ (w * y)).max())
    # y is orthogonal to all columns: penalties below this size are rounding
    if top <= 2 * problem.tie:
        return
    for lam in (top / 2, top / 16):
        found = answer(lambda lam=lam: cb.certify(problem, beta, cb.certificates.L1Penalty(lam)))
        if found is not None:
            gap, slack = lasso_gap(B, w, y, beta, lam)
            assert np.isfinite([found.lower, found.upper]).all()
            assert 0 <= found.gap <= gap + slack + 1e-300


@settings(parent=seeded, max_examples=150)
@given(tables(), st.sampled_from(["ls_boost", "fs", "gcd", "rfs", "lasso"]))
def test_solve(table, name):
    X, y, weight = table
    problem = answer(lambda: cb.Problem(X, y, sample_weight=weight))
    if problem is None:
        return
    size = problem.start_size or 1.0
    method = {
        "ls_boost": lambda: cb.ls_boost(0.5),
        "fs": lambda: cb.forward_stagewise(size / 8),
        "gcd": lambda: cb.methods.gcd(cb.rules.LineSearch()),
        "rfs": lambda: cb.regularized_forward_stagewise(size / 8, size),
        "lasso": lambda: cb.methods.lasso_cd(size / 8),
    }[name]
    run = answer(lambda: cb.solve(problem, method(), 12))
    if run is not None:
        B = unit_columns(problem)
        beta = run.beta
        scale = np.linalg.norm(problem.y) or 1.0
        np.testing.assert_allclose(run.pred / scale, B @ beta / scale, rtol=0, atol=1e-12)
        assert (
            np.isfinite(run.path.theta).all()
            and np.isfinite([run.final.loss, run.intercept, *run.coef]).all()
        )
        check_certificates(problem, beta)
        predicted = answer(lambda: run.predict(X))
        if predicted is not None:
            np.testing.assert_allclose(
                predicted / scale, (problem.constant + run.pred) / scale, rtol=0, atol=1e-6
            )


@settings(parent=seeded, max_examples=150)
@given(tables(), st.sampled_from([None, "homotopy", "cd"]))
def test_lasso_path(table, solver):
    X, y, weight = table
    path = answer(
        lambda: cb.lasso_path(
            X, y, n_alphas=5, eps=0.05, sample_weight=weight, solver=solver, unit_columns=False
        )
    )
    if path is None:
        return
    assert np.isfinite(path.coefs).all() and np.isfinite(path.gaps).all() and (path.gaps >= 0).all()
    problem = path.problem
    # y is orthogonal to all columns: all correlations are rounding
    if problem.start_size <= 2 * problem.tie:
        return
    assert path.gaps.max() <= 1e-6
    null = problem.value(0 * problem.y) or 1.0
    norm = problem.standardization.norm
    B = unit_columns(problem) * 1.0
    w = problem.weight
    for alpha, coef in zip(path.alphas, path.coefs.T, strict=True):
        kept = coef[problem.standardization.kept]
        resid = problem.y - B @ (kept * norm)
        lam = alpha * w.sum()
        size = np.abs(norm * (B.T @ (w * resid))).max()
        s = 1.0 if size <= lam else lam / size
        primal = (w * resid) @ resid / 2 + lam * np.abs(kept).sum()
        dual = s * (w * resid) @ problem.y - s * s * (w * resid) @ resid / 2
        assert (primal - dual) / null <= 1.1e-6


@pytest.mark.parametrize("solver", [None, "homotopy", "cd"])
def test_a_target_orthogonal_to_the_column(solver):
    """All penalties of the grid are 0 up to rounding; sparse and dense."""
    x = np.array([[0.0], [0.0], [0.0], [1.0]])
    y = [0.0, 1.0, -1.0, 0.0]
    for kind in (np.asarray, scipy.sparse.csc_array):
        path = answer(
            lambda kind=kind: cb.lasso_path(kind(x), y, n_alphas=3, eps=0.05, solver=solver)
        )
        assert np.abs(path.coefs).max() <= 1e-15 and np.isfinite(path.gaps).all()


@settings(parent=seeded, max_examples=150)
@given(tables(), st.sampled_from(["lasso", "lar", "stagewise"]))
def test_exact_path(table, kind):
    X, y, weight = table
    path = answer(lambda: cb.exact_path(cb.Problem(X, y, sample_weight=weight), kind=kind))
    if path is None:
        return
    assert (
        np.isfinite(path.lam).all()
        and np.isfinite(path.beta.data).all()
        and (np.diff(path.lam) <= 0).all()
    )
    problem = path.problem
    B = unit_columns(problem)
    w = problem.weight
    y = problem.y
    top = path.lam[0]
    # a sum of n products with a unit column, each off by at most eps times its absolute terms
    rounding = len(y) * np.finfo(float).eps * np.linalg.norm(w * y)
    for lam, beta in zip(path.lam, path.beta.toarray(), strict=True):
        assert abs(np.abs(B.T @ (w * (y - B @ beta))).max() - lam) <= 1e-9 * top + rounding
        if kind == "lasso" and lam > 0:
            gap, slack = lasso_gap(B, w, y, beta, lam)
            assert gap <= 1e-9 * ((w * y) @ y) + slack


@settings(parent=seeded, max_examples=40)
@given(table=tables())
def test_saved_and_loaded(table, tmp_path_factory):
    X, y, weight = table
    run = answer(lambda: cb.solve(cb.Problem(X, y, sample_weight=weight), cb.ls_boost(0.5), 5))
    if run is not None:
        file = tmp_path_factory.mktemp("runs") / "a.run"
        run.save(file)
        again = cb.load(file)
        assert (
            again.beta.tobytes() == run.beta.tobytes()
            and again.resume(5).beta.tobytes() == run.resume(5).beta.tobytes()
        )
