"""Gram columns: the picks of the explicit view, a column for each learner in play and no scans; and the view that is cheapest is taken."""

import numpy as np
import pytest
from test_lookahead import KINDS, METHODS, ar1, design, near_ties, unit

import coordboost as cb
from coordboost.engine import source
from coordboost.engine.memory import Memory
from coordboost.engine.stepper import Stepper
from coordboost.engine.views import gram_columns
from coordboost.engine.views.gram_columns import GramStore


@pytest.mark.filterwarnings("ignore::coordboost.ConstantColumnWarning")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", METHODS)
def test_picks(method, kind):
    """Columns that make ties, and all greedy methods: as lookahead, they may part at the edge of the tie band or in rounding only."""
    rng = np.random.default_rng(KINDS.index(kind))
    y = rng.integers(-9, 10, 12) * 1.0
    problem, chosen = cb.Problem(design(rng, kind, 12, 40), y), METHODS[method](float(np.abs(y).sum()) / 3)
    explicit = cb.solve(problem, chosen, 60, view=cb.Explicit)
    for compile in (True, False):
        run = cb.solve(problem, chosen, 60, view=cb.GramColumns, compile=compile)
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
            scan, column = staticmethod(dense.dictionary.scan), staticmethod(lambda j: dense.dictionary.column(j).copy())

        problem = cb.Problem(Called(), dense.y, sample_weight=weight)
    else:
        problem = cb.Problem(scipy.sparse.csc_array(X) if kind == "sparse" else X, y, sample_weight=weight)
    for method in (cb.ls_boost(0.3), cb.regularized_forward_stagewise(0.1, 20.0), cb.frank_wolfe(9.0, cb.BallSearch(9.0))):
        run, explicit = (cb.solve(problem, method, 300, view=view) for view in (cb.GramColumns, cb.Explicit))
        assert (run.path.learner == explicit.path.learner).all()
        np.testing.assert_allclose(run.beta, explicit.beta, rtol=0, atol=1e-9 * np.abs(explicit.beta).max())
        distinct = len(set(run.path.learner))
        assert run.n_scans == 1 and distinct <= run.n_gram_columns <= (300 if kind == "dense" else distinct)


@pytest.mark.parametrize("room", [1 << 30, 20 * 8 * 512])
def test_blocks_are_the_columns_that_are_held(room, monkeypatch):
    """In the order in which they came, and each once: a run that is loaded computes the same ones together."""
    monkeypatch.setattr("coordboost.engine.views.gram_columns.ROOM", room)
    stepper = Stepper(cb.Problem(*ar1(40, 300, k=5)), cb.ls_boost(0.3), view=cb.GramColumns)
    for _ in stepper.blocks(200):
        store = stepper.source.store
        assert len(set(store.held.learner.tolist())) == len(store.held)
        assert [j for block in store.blocks for j in block] == store.held.learner.tolist() and len(store.held) > 0
        assert not set(stepper.source._missing(stepper.beta)) & set(store.held.learner.tolist())


@pytest.mark.parametrize("room", [1 << 30, 20 * 8 * 512])
@pytest.mark.parametrize("method", [cb.ls_boost(0.3), cb.forward_stagewise(1e-3), cb.regularized_forward_stagewise(1e-3, 1.0)])
def test_wherever_a_run_is_cut(method, room, tmp_path, monkeypatch):
    """Between renewals, and with room for 20 columns only: the same picks, bits and counts, resumed, loaded, or block by block."""
    monkeypatch.setattr("coordboost.engine.views.gram_columns.ROOM", room)
    monkeypatch.setattr(source, "RENEW", 300)
    X, y = ar1(60, 400, k=10)
    problem = cb.Problem(X, unit(y))
    explicit = cb.solve(problem, method, 1500, view=cb.Explicit)
    for view in (None, cb.GramColumns):
        whole = cb.solve(problem, method, 1500, view=view)
        assert (whole.path.learner == explicit.path.learner).all()
        for cut in (1, 7, 299, 300, 1499):
            part = cb.solve(problem, method, cut, view=view)
            part.save(tmp_path / "part.run")
            for again in (part.resume(1500 - cut), cb.load(tmp_path / "part.run").resume(1500 - cut)):
                assert again.beta.tobytes() == whole.beta.tobytes() and again.outcome.anchor == whole.outcome.anchor
                assert (again.path.learner == whole.path.learner).all()
                assert (again.n_scans, again.n_gram_columns) == (whole.n_scans, whole.n_gram_columns)


def test_no_cliff_near_interpolation():
    """Where lookahead scans in every step: a scan was made in 2,857 of 3,000 steps."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((44, 2000)), rng.standard_normal(44)
    run = cb.solve(cb.Problem(X, unit(y)), cb.ls_boost(0.1), 3000)
    assert run.n_scans <= 10 and run.n_gram_columns <= 3 * len(set(run.path.learner)) + 64


def test_small_steps_pay_again():
    """Steps of Frank-Wolfe get shorter: at first a scan would be needed in nearly every step, later lookahead has long stretches."""
    X, y = ar1(100, 3000, k=10)
    run = cb.solve(cb.Problem(X, unit(y)), cb.forward_stagewise(np.r_[np.full(2000, 0.3), np.full(20_000, 1e-6)]), 22_000)
    assert run.outcome.anchor[1][0] == "Lookahead" and run.n_scans <= 100


OLD = [5, 30, 3, 16, 16, 40]  # as written before there were Gram columns: scans, plain, strikes, spell, longest, size


def test_memory_is_checked():
    views = ["Lookahead", "GramColumns", "Explicit"]
    memory = Memory("GramColumns", 5, 30, 40, 12, 7, ((3, 4), (9,)))
    assert Memory.read(memory.saved(), views, 50) == memory
    assert Memory.read(["GramColumns", 5, 30, 40, 12, [[3, 4], [9]]], views, 50) == memory._replace(credit=0)
    assert Memory.read(OLD, views, 50) == Memory("Explicit", 5, 30, 40)
    assert Memory.read([5, 30, 0, 0, 16, 40], views, 50) == Memory("Lookahead", 5, 30, 40)
    bad = [None, {}, [], OLD[:5], [*OLD[:5], -1], [*OLD[:5], 1.0], [*OLD[:5], 51], [*OLD[:5], True], ["Gram", 5, 30, 40, 12, []],
           ["Explicit", 5, 30, 40, 12, -1, []], ["Explicit", 5, 30, 40, 12, 0.5, []],
           ["Explicit", 5, 30, 40, 12, [[50]]], ["Explicit", 5, 30, 40, 12, [[3], [3]]], ["Explicit", 5, 30, 40, 12, [[]]],
           ["Explicit", 5, 30, 40, 12, [3]], ["Explicit", 5, 30, 40, 12, None], ["Explicit", 5, 30, 40, 12, [["a"]]]]  # fmt: skip
    for saved in bad:
        with pytest.raises(ValueError, match="remembers"):
            Memory.read(saved, views, 50)


def test_a_run_saved_before_there_were_gram_columns():
    """The old memory stands for a spell of explicit steps, or for lookahead with that many candidates."""
    X, y = ar1(60, 400, k=10)
    problem, method = cb.Problem(X, unit(y)), cb.ls_boost(0.05)
    whole = cb.solve(problem, method, 400)
    for old in (OLD, [5, 30, 0, 0, 16, 40]):
        again = Stepper(problem, method)
        again.restore(whole.path, 300, (200, old))
        for _ in again.blocks(100):
            pass
        assert (again.path.learner == whole.path.learner).all()


def test_a_view_without_a_memory_is_given_none():
    X, y = ar1(10, 5, k=2)
    problem, method = cb.Problem(X, y), cb.ls_boost(0.5)
    run = cb.solve(problem, method, 4, view=cb.Explicit)
    with pytest.raises(ValueError, match="damaged"):
        Stepper(problem, method, view=cb.Explicit).restore(run.path, 4, (2, [1]))


def test_other_losses_go_back_to_few_scans():
    """Where steps are long at first, and no Gram columns can help: a spell of explicit steps comes to an end."""
    X, y = ar1(60, 1500, k=10)
    eps = np.r_[np.full(100, 0.5), np.full(3000, 1e-7)]
    run = cb.solve(cb.Problem(X, unit(y), cb.Huber(1.0)), cb.forward_stagewise(eps), 3100)
    assert run.view is cb.Gathered and run.outcome.anchor[1][0] == "Gathered" and run.n_scans <= 1000


def test_a_record_is_numbers_with_names():
    from coordboost._generic import record

    state = record(steps=0, length=0.5)
    state.steps += 3
    assert (state.steps, state.length) == (3, 0.5) and state.dtype["steps"] == np.int64 and state.dtype["length"] == np.float64


def test_gram_columns_stay_within_their_room():
    store = GramStore(cb.Problem(*ar1(10, 700, k=2)))
    width = store.held.rows.shape[1]
    assert width * 8 * store.most <= gram_columns.ROOM < width * 8 * (store.most + 1)


def test_a_spell_of_explicit_steps_costs_so_many_looks():
    """However dear a step is: then candidates are looked for again."""
    source_of_views = Stepper(cb.Problem(*ar1(60, 400, k=10)), cb.ls_boost(0.05)).source
    source_of_views.restore(np.zeros(400), Memory("Explicit", 5, 30, 40).saved())
    prices = source_of_views.prices
    looks = source.PATIENCE * prices.candidates(80, 80, 80 * 80)
    assert looks <= source_of_views.room(0) * prices.explicit < looks + prices.explicit


def test_gram_columns_begin_on_trial():
    """A run that has come to them goes back where lookahead would have needed no scan: that is tried at once."""
    stepper = Stepper(cb.Problem(*ar1(60, 400, k=10)), cb.ls_boost(0.05))
    stepper.source.restore(np.zeros(400), Memory("GramColumns", 5, 30, 40).saved())
    assert stepper.source.view.state.on_trial == 1
    assert stepper.source.room(0) == stepper.source.trial < source.RENEW


def test_a_trial_ends_where_lookahead_would_scan():
    """Long steps near interpolation: before long another learner could have won, and the run does not go back."""
    rng = np.random.default_rng(0)
    stepper = Stepper(cb.Problem(rng.standard_normal((20, 400)), rng.standard_normal(20)), cb.ls_boost(0.5))
    stepper.source.restore(np.zeros(400), Memory("GramColumns", 5, 30, 40).saved())
    for _ in stepper.blocks(60):
        pass
    assert stepper.source.memory.view == "GramColumns" and stepper.source.view.state.on_trial == 0


def test_where_gram_columns_are_counts_a_run_begins_with_them():
    """Long steps need one scan; short ones soon go to lookahead, which needs no column then."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((300, 6)), rng.standard_normal(300)
    long, short = (cb.solve(cb.Problem(cb.leaf_stumps(X), y), method, 40) for method in (cb.ls_boost(0.7), cb.forward_stagewise(1e-6)))
    assert long.n_scans == 1 and long.n_gram_columns == len(np.unique(long.path.learner))
    assert short.resume(20_000).n_scans > 1 == short.n_gram_columns
    assert cb.solve(cb.Problem(*ar1(60, 400, k=10)), cb.ls_boost(0.7), 1).n_gram_columns == 0


def test_what_a_store_let_go_of_is_computed_again():
    X, y = ar1(20, 40, k=5)
    store = GramStore(cb.Problem(X, y))
    store.hold([[3, 4], [9]])
    columns = store.held.rows[:3].copy()
    store.clear()
    assert store.blocks == [] and len(store.held) == 0 and (store.held.place < 0).all()
    store.held.rows[:3] = np.nan
    store.hold([[3, 4], [9]])
    assert (store.held.rows[:3] == columns).all() and store.held.place[[3, 4, 9]].tolist() == [0, 1, 2]
