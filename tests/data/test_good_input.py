"""Valid input: every container, dtype, scale and shape works; and inputs are not changed."""

import warnings
from functools import cache

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

import coordboost as cb
from coordboost import Problem

RNG = np.random.default_rng(7)
COUNTS = RNG.integers(-3, 4, size=(12, 4))  # small integers: exact in every dtype
Y = RNG.normal(size=12)
SIGNS = np.where(Y > 0, 1.0, -1.0)
U = np.finfo(float).eps
# 8e149 and 1e-150: powers of two, so that scaling itself does not round
HUGE, TINY = (2.0**498, 2.0**-498)


def fit(X, y=Y, method=None, n_steps=40, loss=None, **options):
    return cb.solve(
        Problem(X, y, loss, **options), cb.ls_boost(0.5) if method is None else method, n_steps
    )


def bits(run):
    return run.beta.tobytes() + run.path.learner.tobytes() + run.coef.tobytes()


def read_only(array):
    array = array.copy()
    array.flags.writeable = False
    return array


@cache
def reference():
    return fit(COUNTS.astype(float))


@pytest.mark.parametrize(
    "X",
    [
        pytest.param(X, id=name)
        for name, X in {
            "int64": COUNTS,
            "int8": COUNTS.astype(np.int8),
            "float32": COUNTS.astype(np.float32),
            "longdouble": COUNTS.astype(np.longdouble),
            "Fortran": np.asfortranarray(COUNTS.astype(float)),
            "big endian": COUNTS.astype(">f8"),
            "every second": np.repeat(COUNTS.astype(float), 2, axis=1)[:, ::2],
            "negative strides": np.ascontiguousarray(COUNTS[::-1, ::-1].astype(float))[::-1, ::-1],
            "read-only": read_only(COUNTS.astype(float)),
            "lists": COUNTS.tolist(),
            "tuples": tuple(map(tuple, COUNTS.tolist())),
            "matrix": np.asmatrix(COUNTS),
            "frame": pd.DataFrame(COUNTS.astype(float)),
            "nullable": pd.DataFrame(COUNTS).astype("Int64"),
            "nullable float": pd.DataFrame(COUNTS.astype(float)).astype("Float64"),
            "mixed": pd.DataFrame(COUNTS).astype(
                {0: "Int32", 1: "float32", 2: "int16", 3: "Float64"}
            ),
            "sparse frame": pd.DataFrame(COUNTS.astype(float)).astype(pd.SparseDtype(float, 0.0)),
        }.items()
    ],
)
def test_every_dense_kind_gives_the_same_bits(X):
    assert bits(fit(X)) == bits(reference())


@pytest.mark.parametrize(
    "y",
    [
        pytest.param(y, id=name)
        for name, y in {
            "list": Y.tolist(),
            "series": pd.Series(Y, index=range(100, 112)),
            "nullable": pd.Series(Y).astype("Float64"),
            "read-only": read_only(Y),
            "negative strides": np.ascontiguousarray(Y[::-1])[::-1],
        }.items()
    ],
)
def test_every_kind_of_target_gives_the_same_bits(y):
    assert bits(fit(COUNTS, y)) == bits(reference())
    assert bits(fit(COUNTS, sample_weight=np.abs(y).tolist())) == bits(
        fit(COUNTS, sample_weight=np.abs(Y))
    )


def near(run, other):
    """40 contracting steps on 12 samples: every entry of B within 10 U, so the coefficients within
    40 * 12 * 10 U of |y|.
    """
    return np.abs(run.beta - other.beta).max() <= 4800 * U * np.linalg.norm(Y)


@pytest.mark.parametrize("kind", ["bsr", "coo", "csc", "csr", "dia", "dok", "lil"])
@pytest.mark.parametrize("maker", ["array", "matrix"])
def test_every_sparse_format_is_the_same_problem(kind, maker):
    run = fit(getattr(scipy.sparse, f"{kind}_{maker}")(COUNTS))
    assert (
        near(run, reference()) and run.path.learner.tobytes() == reference().path.learner.tobytes()
    )


def test_sparse_duplicates_and_unsorted_rows_are_summed():
    once = scipy.sparse.coo_array(COUNTS.astype(float))
    row, column = (np.tile(part[::-1], 2) for part in once.coords)
    assert bits(
        fit(scipy.sparse.coo_array((np.tile(once.data[::-1] / 2, 2), (row, column)), once.shape))
    ) == bits(fit(once))


def test_bool_columns_and_labels():
    above = COUNTS > 0
    assert (
        bits(fit(above))
        == bits(fit(above.astype(float)))
        == bits(fit(pd.DataFrame(above).astype("boolean")))
    )
    for loss in (cb.losses.Logistic(), cb.losses.Exponential()):
        runs = [
            cb.solve(
                Problem(COUNTS, labels, loss),
                cb.methods.gcd(cb.rules.LineSearch()),
                5,
                compile=False,
            )
            for labels in (SIGNS, (SIGNS + 1) / 2, SIGNS > 0, [s > 0 for s in SIGNS])
        ]
        assert len({bits(run) for run in runs}) == 1 and np.isfinite(runs[0].beta).all()


METHODS = {
    "LS-Boost": lambda a: cb.ls_boost(0.5),
    "FS": lambda a: cb.forward_stagewise(0.125 * a),
    "R-FS": lambda a: cb.regularized_forward_stagewise(0.125 * a, 4.0 * a),
    "Frank-Wolfe": lambda a: cb.methods.frank_wolfe(2.0 * a, cb.rules.SegmentSearch(2.0 * a)),
    "Lasso": lambda a: cb.methods.lasso_cd(0.5 * a),
}


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("model_state", [cb.engine.CovarianceState, cb.engine.NaiveState])
@pytest.mark.parametrize(
    "columns, target",
    [(HUGE, 1.0), (TINY, 1.0), (1.0, HUGE), (1.0, TINY), (HUGE, TINY), (TINY, HUGE)],
)
def test_huge_and_tiny_scales_equal_the_plain_run(name, model_state, columns, target):
    """Scaling by powers of two is exact, so the coefficients of the unit columns scale exactly with
    y.

    The exact search squares predictions: at y = 2^-498, products that are 2^-78 of the largest
    underflow, an error below U relative to the others, but not zero. The other methods agree bit
    for bit.
    """
    plain = cb.solve(
        Problem(COUNTS, Y), METHODS[name](1.0), 40, model_state=model_state, compile=False
    )
    scaled = cb.solve(
        Problem(columns * COUNTS, target * Y),
        METHODS[name](target),
        40,
        model_state=model_state,
        compile=False,
    )
    if name == "Frank-Wolfe":
        assert np.abs(scaled.beta / target - plain.beta).max() <= 40 * 12 * U * 2.0
    else:
        assert scaled.beta.tobytes() == (target * plain.beta).tobytes()
    assert scaled.status is cb.engine.Status.COMPLETED
    assert np.isfinite([*scaled.coef, scaled.intercept, scaled.final.loss]).all()
    back = scaled.predict(columns * COUNTS)
    assert np.abs(back / target - plain.predict(COUNTS)).max() <= 100 * U * np.abs(Y).sum()


@pytest.mark.parametrize("size", [1e150, 1e-150, 1e8, 1e-8])
def test_columns_of_very_different_size_side_by_side(size):
    mixed = fit(COUNTS * np.array([1.0, size, 1.0, 1 / size]))
    assert mixed.path.learner.tobytes() == reference().path.learner.tobytes()
    assert near(mixed, reference())


@pytest.mark.parametrize(
    "X, y, center",
    [
        pytest.param(RNG.normal(size=(5, 30)), RNG.normal(size=5), True, id="n < p"),
        pytest.param(np.array([[2.0, -3.0]]), np.array([4.0]), False, id="n = 1, uncentred"),
        pytest.param(np.array([[2.0]]), np.array([4.0]), False, id="1 x 1"),
        pytest.param(np.array([[0.0], [1.0]]), np.array([4.0, 6.0]), True, id="2 x 1"),
        pytest.param(
            COUNTS[:, [0, 1, 0, 1]] @ np.diag([1, 1, 2, -1]), Y, True, id="rank deficient"
        ),
        pytest.param(COUNTS[:, [0, 0, 0]], Y, True, id="duplicates"),
    ],
)
@pytest.mark.parametrize("sparse", [False, True])
def test_least_squares_in_every_shape(X, y, center, sparse):
    """LS-Boost(1) reaches the least squares fit: linear convergence, so 3000 steps leave only
    rounding, m^2 U |y| with room.
    """
    run = fit(scipy.sparse.csc_array(X) if sparse else X, y, cb.ls_boost(1.0), 3000, center=center)
    design = np.column_stack([X, np.ones(len(X))]) if center else X
    expected = design @ np.linalg.lstsq(design, y)[0]
    assert np.abs(run.predict(X) - expected).max() <= 200 * U * max(len(y), 5) * np.abs(y).max()


def test_duplicates_tie_to_the_lowest_index():
    run = fit(COUNTS[:, [0, 0, 1, 1]] @ np.diag([1, -1, 1, 4]), n_steps=60)
    assert set(run.path.learner.tolist()) == {0, 2}
    assert run.beta[1] == run.beta[3] == 0


@pytest.mark.parametrize("constant", [0.0, 1.0, 0.1, -1e8 / 3, 1e150, 1e-150])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_constant_columns_are_set_aside(constant, sparse, weighted):
    X = np.column_stack([COUNTS[:, 0], np.full(12, constant), COUNTS[:, 1:]])
    weight = np.linspace(0.0, 0.3, 12) if weighted else None
    with pytest.warns(cb.data.ConstantColumnWarning, match="1 constant column.*: b"):
        problem = Problem(
            scipy.sparse.csc_array(X) if sparse else X,
            Y,
            feature_names=list("abcde"),
            sample_weight=weight,
        )
    assert (
        problem.dropped == ["b"]
        and problem.feature_names == list("acde")
        and problem.n_learners == 4
    )
    run = cb.solve(problem, cb.ls_boost(0.5), 40)
    assert run.coef[1] == 0 and np.count_nonzero(run.coef) == 4
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cb.data.ConstantColumnWarning)
        same = fit(scipy.sparse.csc_array(COUNTS) if sparse else COUNTS, sample_weight=weight)
    assert near(run, same)


@pytest.mark.parametrize("sparse", [False, True])
def test_a_column_that_varies_only_where_the_weight_is_0_is_constant(sparse):
    """Where the weight is positive it is c; its computed mean may differ from c, and this
    difference must not become a learner.
    """
    heavy = np.arange(12) < 9
    for c, weight in zip(RNG.normal(size=20), RNG.random((20, 12)), strict=True):
        X = np.column_stack([COUNTS[:, 0], np.where(heavy, c, 5.0)])
        with pytest.warns(cb.data.ConstantColumnWarning, match="x1"):
            problem = Problem(
                scipy.sparse.csc_array(X) if sparse else X, Y, sample_weight=weight * heavy
            )
        assert problem.feature_names == ["x0"]


@pytest.mark.parametrize("constant", [3.0, 0.1, -1e8 / 3, 1e150, 1e-150])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "loss", [cb.losses.Squared(), cb.losses.Huber(0.5)], ids=lambda loss: type(loss).__name__
)
def test_a_constant_target_needs_no_step(constant, weighted, loss):
    """Also where the computed mean of equal numbers differs from them, and where only rows of
    weight 0 differ.
    """
    y = np.full(12, constant)
    weight = np.linspace(0.0, 0.3, 12) if weighted else None
    if weighted:
        y[0] = -constant
    run = fit(COUNTS, y, cb.methods.gcd(), n_steps=20, loss=loss, sample_weight=weight)
    assert (
        not run.beta.any()
        and abs(run.intercept - constant) <= 12 * U * abs(constant)
        and run.final.loss == 0
    )
    assert run.certificate(cb.certificates.L1Ball(1.0)).gap <= 1e-300
    path = (
        cb.lasso_path(COUNTS, y, loss=loss, sample_weight=weight)
        if loss == cb.losses.Squared()
        else None
    )
    assert path is None or (not path.coefs.any() and not path.gaps.any())


@pytest.mark.parametrize(
    "loss",
    [cb.losses.Squared(), cb.losses.Huber(0.5), cb.losses.Logistic(0.1), cb.losses.Exponential()],
    ids=lambda loss: type(loss).__name__,
)
@pytest.mark.parametrize(
    "kind",
    [
        np.asfortranarray,
        np.ascontiguousarray,
        scipy.sparse.csc_array,
        scipy.sparse.coo_array,
        pd.DataFrame,
    ],
)
def test_inputs_are_untouched(loss, kind):
    X = kind(COUNTS.astype(float))
    y = SIGNS.copy()
    weight = np.linspace(1, 2, 12)
    groups = np.array([0, 1, 1, 0])
    names = list("abcd")

    def contents():
        stored = (
            [getattr(X, part, 0) for part in ("data", "indices", "indptr", "row", "col")]
            if scipy.sparse.issparse(X)
            else [X]
        )
        return [np.asarray(part).tobytes() for part in (*stored, y, weight, groups)], list(names)

    before = contents()
    problem = Problem(X, y, loss, sample_weight=weight, groups=groups, feature_names=names)
    run = cb.solve(
        problem, cb.rtgcd(select=cb.rules.Groups(1), step=cb.rules.LineSearch()), 20, compile=False
    )
    beta = run.beta.copy()
    (
        run.resume(5),
        run.predict(X),
        cb.certify(problem, beta, cb.certificates.L1Ball(3.0)),
        list(run.replay([0, 7, 20])),
    )
    assert contents() == before and beta.tobytes() == run.beta.tobytes()
