"""Gram columns: the learners of the naive state, a column for each active learner, no scans; and
the cheapest state is chosen.
"""

import numpy as np
import pytest
from test_lookahead import KINDS, METHODS, ar1, design, near_ties, unit

import coordboost as cb

#: Methods that are also compiled: the others differ only in their steps, which
#: test_compiled_runs.py compiles.
COMPILED = ("LS-Boost(0.05)", "FS", "Frank-Wolfe, search")


@pytest.mark.filterwarnings("ignore::coordboost.data.ConstantColumnWarning")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", METHODS)
def test_the_same_learners_are_selected(method, kind):
    """All greedy methods on columns that tie: as for lookahead, learners may differ only at the
    edge of the tie band or by rounding.
    """
    rng = np.random.default_rng(KINDS.index(kind))
    y = rng.integers(-9, 10, 12) * 1.0
    problem = cb.Problem(design(rng, kind, 12, 40), y)
    chosen = METHODS[method](float(np.abs(y).sum()) / 3)
    explicit = cb.solve(problem, chosen, 60, model_state=cb.engine.NaiveState, compile=False)
    for compile in (True, False) if method in COMPILED else (False,):
        run = cb.solve(
            problem, chosen, 60, model_state=cb.engine.CovarianceColumns, compile=compile
        )
        assert near_ties(problem, explicit, run.path.learner) in ("", "noise")


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", ["dense", "sparse", "oracle"])
def test_every_dictionary(kind, weighted):
    import scipy.sparse

    X, y = ar1(40, 300, k=5)
    X *= np.abs(X) > 0.5
    weight = np.linspace(0.0, 2.0, 40) if weighted else None
    if kind == "oracle":
        dense = cb.Problem(X, y, sample_weight=weight)

        class Called:
            n_samples, n_learners = 40, 300
            scan = staticmethod(dense.dictionary.scan)
            column = staticmethod(lambda j: dense.dictionary.column(j).copy())

        problem = cb.Problem(Called(), dense.y, sample_weight=weight)
    else:
        problem = cb.Problem(
            scipy.sparse.csc_array(X) if kind == "sparse" else X, y, sample_weight=weight
        )
    for method in (
        cb.ls_boost(0.3),
        cb.regularized_forward_stagewise(0.1, 20.0),
        cb.methods.frank_wolfe(9.0, cb.rules.SegmentSearch(9.0)),
    ):
        run, explicit = (
            cb.solve(problem, method, 300, model_state=model_state, compile=False)
            for model_state in (cb.engine.CovarianceColumns, cb.engine.NaiveState)
        )
        assert (run.path.learner == explicit.path.learner).all()
        np.testing.assert_allclose(
            run.beta, explicit.beta, rtol=0, atol=1e-9 * np.abs(explicit.beta).max()
        )
        distinct = len(set(run.path.learner))
        assert run.n_scans == 1 and distinct <= run.n_gram_columns <= (
            300 if kind == "dense" else distinct
        )


@pytest.mark.parametrize(
    "method",
    [cb.ls_boost(0.3), cb.forward_stagewise(1e-3), cb.regularized_forward_stagewise(1e-3, 1.0)],
)
def test_cut_and_resumed_runs_are_the_same(method, tmp_path):
    """Resumed and loaded runs have the same learners, bits and counts, for all model states that a
    run uses.
    """
    X, y = ar1(60, 400, k=10)
    problem = cb.Problem(X, unit(y))
    explicit = cb.solve(problem, method, 1500, model_state=cb.engine.NaiveState)
    for model_state in (None, cb.engine.LookaheadState, cb.engine.CovarianceColumns):
        whole = cb.solve(problem, method, 1500, model_state=model_state)
        assert (whole.path.learner == explicit.path.learner).all()
        for cut in (1, 7, 500, 1499):
            part = cb.solve(problem, method, cut, model_state=model_state)
            part.save(tmp_path / "part.run")
            for again in (
                part.resume(1500 - cut),
                cb.load(tmp_path / "part.run").resume(1500 - cut),
            ):
                assert again.beta.tobytes() == whole.beta.tobytes()
                assert (again.path.learner == whole.path.learner).all()
                assert (again.n_scans, again.n_gram_columns) == (
                    whole.n_scans,
                    whole.n_gram_columns,
                )


def test_no_cliff_near_interpolation():
    """Lookahead alone needs a scan in 2,857 of these 3,000 steps."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((44, 2000))
    y = rng.standard_normal(44)
    run = cb.solve(cb.Problem(X, unit(y)), cb.ls_boost(0.1), 3000)
    assert run.n_scans <= 10 and run.n_gram_columns <= 3 * len(set(run.path.learner)) + 64


def test_lookahead_is_used_again_when_steps_get_short():
    """With the long steps, lookahead would need a scan in nearly every step; with the short ones,
    hardly any.
    """
    X, y = ar1(100, 3000, k=10)
    run = cb.solve(
        cb.Problem(X, unit(y)),
        cb.forward_stagewise(np.r_[np.full(2000, 0.3), np.full(20_000, 1e-6)]),
        22_000,
    )
    assert run.n_scans <= 100


def test_other_losses_go_back_to_few_scans():
    """Steps are long at first, and Gram columns need the squared loss: naive steps, each with a
    scan, end when steps get short.
    """
    X, y = ar1(60, 1500, k=10)
    eps = np.r_[np.full(100, 0.5), np.full(3000, 1e-7)]
    run = cb.solve(
        cb.Problem(X, unit(y), cb.losses.Huber(1.0)),
        cb.forward_stagewise(eps),
        3100,
        model_state=cb.engine.WorkingSetState,
        compile=False,
    )
    assert run.n_scans <= 1000


def test_runs_start_with_gram_columns_where_these_are_counts():
    """Long steps need one scan; short ones soon use lookahead, which needs no further column."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 6))
    y = rng.standard_normal(300)
    long, short = (
        cb.solve(cb.Problem(cb.data.leaf_stumps(X), y), method, 40)
        for method in (cb.ls_boost(0.7), cb.forward_stagewise(1e-6))
    )
    assert long.n_scans == 1 and long.n_gram_columns == len(np.unique(long.path.learner))
    assert short.resume(20_000).n_scans > 1 == short.n_gram_columns
    assert cb.solve(cb.Problem(*ar1(60, 500, k=10)), cb.ls_boost(0.7), 1).n_gram_columns == 0


def test_many_short_columns_are_multiplied_one_by_one():
    """A product of few rows costs as much for each of sixteen columns as for one."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(24, 6)) @ rng.normal(size=(6, 9_000)) + rng.normal(size=(24, 9_000))
    problem = cb.Problem(X, X[:, 0])
    runs = [
        cb.solve(problem, cb.forward_stagewise(0.1), 120, model_state=state)
        for state in (cb.engine.CovarianceColumns, cb.engine.NaiveState)
    ]
    np.testing.assert_array_equal(runs[0].path.learner, runs[1].path.learner)
    assert runs[0].n_gram_columns == len(np.unique(runs[0].path.learner))
