"""Lasso paths, certificates and shape functions over all stumps, compared with the explicit matrix
of the same stumps.
"""

import numpy as np
import pytest
from test_stumps import columns, every_kind, table

import coordboost as cb


def both(kind, weight=None, loss=None, missing=0.1):
    """A problem on stumps, the same problem on their explicit matrix, and the table."""
    X, y = table(missing=missing)
    y = y if loss is None else np.where(y > 0, 1.0, -1.0)
    made = (
        cb.data.stumps(X, categorical=[2])
        if kind is cb.learners.Stumps
        else cb.data.leaf_stumps(X, categorical=[2])
    )
    problem = cb.Problem(made, y, loss, sample_weight=weight)
    rows = np.ascontiguousarray(columns(problem.dictionary).T)
    return problem, cb.Problem(cb.learners.Dense(rows), y, loss, sample_weight=weight), X


@every_kind
@pytest.mark.parametrize("weighted", [False, True])
def test_the_lasso_path_is_that_of_the_explicit_matrix(kind, weighted):
    weight = np.random.default_rng(1).random(90) + 0.5 if weighted else None
    problem, other, _ = both(kind, weight)
    one, two = (
        cb.lasso_path(p, n_alphas=25, eps=0.05, tol=1e-10, solver="cd") for p in (problem, other)
    )
    assert one.gaps.max() <= 1e-10
    np.testing.assert_allclose(one.alphas, two.alphas, rtol=1e-12)
    null = problem.start_loss
    for k in range(25):
        models = [problem.combine(problem.unit(path.coefs[:, k])) for path in (one, two)]
        # at gap g two predictions differ by at most 2 sqrt(2 g), in the norm of the loss
        assert np.linalg.norm(models[0] - models[1]) <= 2 * np.sqrt(2 * 1e-10 * null) / np.sqrt(
            problem.weight.min()
        )


def test_the_path_gathers_no_column(monkeypatch):
    problem, _, _ = both(cb.learners.LeafStumps)

    def refuse(self, index):
        raise AssertionError("a dense column")

    monkeypatch.setattr(cb.learners.LeafStumps, "gather", refuse)
    monkeypatch.setattr(cb.learners.LeafStumps, "column", refuse)
    assert cb.lasso_path(problem, n_alphas=10, eps=0.1, solver="cd").gaps.max() <= 1e-6
    for model_state in (cb.engine.LookaheadState, cb.engine.CovarianceColumns):
        assert cb.solve(problem, cb.ls_boost(0.3), 40, model_state=model_state).n_steps == 40


@every_kind
@pytest.mark.parametrize("loss", [None, cb.losses.Logistic()], ids=["squared", "logistic"])
def test_certificates_are_those_of_the_explicit_matrix(kind, loss):
    problem, other, _ = both(kind, loss=loss)
    run = cb.solve(
        problem, cb.rules.Method("m", cb.rules.Greedy(), cb.rules.ShrunkenStep(0.5), "test"), 40
    )
    for target in (
        cb.certificates.L1Penalty(2.0),
        cb.certificates.L1Ball(3.0),
        cb.certificates.Unconstrained(),
    ):
        one, two = (cb.certify(p, run.beta, target) for p in (problem, other))
        np.testing.assert_allclose([one.lower, one.upper], [two.lower, two.upper], rtol=1e-10)


@every_kind
def test_shapes_and_the_offset_add_up_to_the_prediction(kind):
    problem, _, X = both(kind)
    run = cb.solve(problem, cb.ls_boost(0.2), 120)
    new = np.vstack([X, X + 0.3, np.full((1, 5), np.nan), np.full((1, 5), 99.0)])
    new[90:180, 2] = X[:, 2]
    names = problem.binning.names
    total = problem.constant + sum(
        shape(new[:, names.index(name)]) for name, shape in run.shape_functions().items()
    )
    np.testing.assert_allclose(total, run.predict(new), rtol=0, atol=1e-12)
    for name, shape in run.shape_functions().items():
        assert shape.feature == name and len(shape.values) == len(
            shape.labels or [*shape.cuts.tolist(), 0]
        )
        if shape.labels is None:
            assert (np.diff(shape.values) != 0).all()
        np.testing.assert_array_equal(shape.coefs, run.beta[shape.learners])
    used = np.concatenate([shape.learners for shape in run.shape_functions().values()])
    np.testing.assert_array_equal(np.sort(used), np.flatnonzero(run.beta))


def test_shapes_need_stumps():
    X, y = table()
    with pytest.raises(ValueError, match="shape_functions is for a Problem on stumps"):
        cb.engine.shape_functions(cb.Problem(X, y), np.zeros(5))


@every_kind
def test_the_exact_path_is_that_of_the_explicit_matrix(kind):
    problem, other, _ = both(kind)
    lam = 0.3 * problem.start_size
    one, two = (cb.exact_path(p, lam_min=lam) for p in (problem, other))
    np.testing.assert_allclose(one.lam, two.lam, rtol=1e-9)


@every_kind
def test_paths_predict_new_rows_of_the_table(kind):
    problem, _, X = both(kind)
    for path in (
        cb.lasso_path(problem, n_alphas=5, eps=0.3, solver="cd"),
        cb.exact_path(problem, max_knots=5),
    ):
        models = [problem.unit(path.coef_at(step=k)) for k in range(path.n_points)]
        expected = [problem.constant + problem.combine(beta)[10:30] for beta in models]
        np.testing.assert_allclose(list(path.staged_predict(X[10:30])), expected, atol=1e-12)
        np.testing.assert_allclose(path.predict(X[10:30]), expected[-1], atol=1e-12)


def test_lasso_paths_over_stumps_are_cross_validated():
    X, y = table(missing=0.1)
    alphas = [0.3, 0.1]

    def fit(X, y, weight):
        return cb.lasso_path(
            cb.Problem(cb.data.leaf_stumps(X, categorical=[2]), y, sample_weight=weight),
            alphas=alphas,
        )

    assert cb.cross_validate(fit, X, y).losses.shape == (5, 2)
