"""The candidates of an exact path, on states made by hand: their sizes, who stays, who comes, and what is kept of a scan."""

from types import SimpleNamespace

import numpy as np
import pytest

from coordboost.exact.candidates import AHEAD, LEAST, add_candidates, choose_candidates, drop_candidates, size_up
from coordboost.exact.homotopy import Homotopy
from coordboost.exact.state import EPS
from coordboost.screening.best import BINS

N, ROOM = 12, 9


def state(gram=False, seed=0, **numbers):
    """Four candidates, 7, 2, 9 and 4, of twelve learners; the second and the fourth are active."""
    rng = np.random.default_rng(seed)
    now = {"lam": 1.0, "end": 0.0, "tie": 1e-9, "scanned_lam": 1.5, "share": 0.0, "horizon": 0.0, "floor": -1.0, "n_candidates": 4}
    now |= {"since_scan": 3, "wanted": 6, "n_scans": 1, "outside": 9.0, "ahead": 9.0, "outside_norm": 9.0}
    held = {name: rng.standard_normal(ROOM) for name in ("beta", "scanned_beta", "direction", "sign", "corr", "scanned_corr")}
    place, learner = np.full(N, -1), np.array([7, 2, 9, 4, 0, 0, 0, 0, 0])
    place[learner[:4]] = np.arange(4)
    return SimpleNamespace(
        now=SimpleNamespace(**(now | numbers)), place=place, learner=learner, rank=np.array([-1, 1, -1, 0, -1, -1, -1, -1, -1]),
        active=np.array([3, 1, 99]), tied=np.array([0, 1, 0, 1, 5, 5, 5, 5, 5]), was_active=np.array([0, 1, 0, 1, 5, 5, 5, 5, 5]),
        columns=rng.standard_normal((ROOM, 5)), gram=np.full((ROOM if gram else 0, ROOM), np.nan), before=rng.standard_normal(N),
        size=np.full(N, np.nan), found=np.full(N, -1), scratch=np.full(max(BINS, ROOM * ROOM), np.nan), scale=np.zeros(0),
        chord=np.full(ROOM, np.nan), chord_rate=np.full(ROOM, np.nan), **held,
    )  # fmt: skip


#: A level of which the least part that counts is a difference of two numbers, without rounding.
EVEN = next(lam for lam in range(3, 1000) if (lam + LEAST * lam) - lam == LEAST * lam)


@pytest.mark.parametrize("end", [0.0, 0.9])
@pytest.mark.parametrize("fallen", [0.5, LEAST, LEAST * 0.999, 0.0])
def test_sizes_look_ahead(fallen, end):
    """The correlation now, or at the horizon, on the level's way there, where lam fell by enough since the last scan to tell."""
    path = state(lam=EVEN, scanned_lam=EVEN + fallen * EVEN, end=end * EVEN)
    corr = np.random.default_rng(1).standard_normal(N)
    size_up(path, corr)
    horizon = min(AHEAD * EVEN, EVEN - end * EVEN + 2e-9)
    assert path.now.horizon == pytest.approx(horizon, rel=1e-15)
    if fallen < LEAST:
        assert path.now.share == 0.0 and (path.size == np.abs(corr)).all()
        return
    then = corr + horizon * (corr - path.before) / (path.now.scanned_lam - EVEN)
    np.testing.assert_allclose(path.size, np.maximum(np.abs(corr), np.abs(then) * EVEN / (EVEN - horizon)), rtol=1e-12)
    assert path.now.share == pytest.approx(1 / (fallen * EVEN))


def test_nobody_is_dropped_for_one_reason_alone():
    """A coefficient now, or at the last scan, a rank, a move on the last segment, or a size of the floor: each keeps a candidate."""
    reasons = ("beta", "scanned_beta", "rank", "was_active", "size", "")
    for reason in reasons:
        path = state()
        path.beta[:], path.scanned_beta[:], path.rank[:], path.was_active[:], path.size[:] = 0.0, 0.0, -1, 0, 0.5
        path.now.floor = 0.75
        if reason:
            path.size[path.learner[2]] = 0.75 if reason == "size" else 0.5
            getattr(path, reason)[2] = {"rank": 0, "was_active": 1, "size": 0.5}.get(reason, -0.1)
        drop_candidates(path)
        assert path.now.n_candidates == len(reason[:1]) and list(np.flatnonzero(path.place >= 0)) == [9] * len(reason[:1])


def test_who_stays_moves_up():
    """With all that is kept of it, in the same order."""
    path, names = state(), ("learner", "rank", "tied", "was_active", "beta", "direction", "sign", "scanned_beta", "columns")
    for name in ("beta", "scanned_beta"):
        getattr(path, name)[[0, 2]] = 0.0
    path.size[:], path.now.floor, path.size[9] = 0.5, 0.75, 1.0
    old = {name: getattr(path, name).copy() for name in names}
    drop_candidates(path)
    assert path.now.n_candidates == 3
    for name in names:
        assert (getattr(path, name)[:3] == old[name][[1, 2, 3]]).all(), name
    assert {j: path.place[j] for j in np.flatnonzero(path.place >= 0)} == {2: 0, 9: 1, 4: 2} and list(path.active[:2]) == [2, 0]


@pytest.mark.parametrize("gram", [True, False], ids=["gram", "columns"])
@pytest.mark.parametrize("scaled", [True, False])
def test_the_largest_are_chosen(gram, scaled):
    """Those above the floor, in order; of the others the largest correlations, now and ahead, and the largest norm are kept."""
    for seed in range(6):
        path = state(gram, seed, wanted=3 + seed % 3, scanned_lam=1.5, n_scans=0)
        path.scale = np.random.default_rng(seed).uniform(0.5, 0.9, N) if scaled else np.zeros(0)
        corr = np.random.default_rng(seed + 50).uniform(-1, 1, N)
        path.before, corr[[7, 9]] = corr + 0.1 * path.before, 0.0
        path.before[[7, 9]], path.beta[[0, 2]], path.scanned_beta[[0, 2]] = 0.0, 0.0, 0.0
        n = choose_candidates(path, corr)
        now, out = path.now, np.setdiff1d(np.flatnonzero(path.size < path.now.floor), np.flatnonzero(path.place >= 0))
        new = np.setdiff1d(np.flatnonzero(path.size >= now.floor), np.flatnonzero(path.place >= 0))
        assert list(path.found[:n]) == list(new) and now.n_candidates == (4 if gram else 2)
        assert now.floor <= now.lam - 2 * now.tie
        then = corr - now.horizon * now.share * (path.before - corr)
        if len(out):
            assert now.outside == np.abs(corr[out]).max() and now.ahead == pytest.approx(np.abs(then[out]).max(), rel=1e-15)
            assert now.outside_norm == (path.scale[out].max() if scaled else 1.0)
        else:
            assert (now.outside, now.ahead, now.outside_norm) == (-1.0, 0.0, 0.0)


@pytest.mark.parametrize("share", [0.0, 2.0])
@pytest.mark.parametrize("gram", [True, False], ids=["gram", "columns"])
@pytest.mark.parametrize("new", [[], [1, 11, 3]])
def test_tracking_starts_anew(new, gram, share):
    """From the scan: chords from the last one to this one, for the new ones as if they had been there."""
    path, m = state(gram, share=share), 4
    path.gram[:4, :4] = 7.0
    corr = np.random.default_rng(2).standard_normal(N)
    old = {key: np.copy(getattr(path, key)) for key in ("beta", "scanned_beta", "before")}
    add_candidates(path, np.array(new, dtype=int), corr)
    room, learner = m + len(new), [7, 2, 9, 4, *new]
    assert list(path.learner[:room]) == learner and [path.place[j] for j in learner] == list(range(room))
    for name, start in (("rank", -1), ("tied", 0), ("was_active", 0), ("beta", 0), ("direction", 0), ("sign", 0)):
        assert (getattr(path, name)[m:room] == start).all(), name
    beta, before = np.append(old["beta"][:m], np.zeros(len(new))), np.append(old["scanned_beta"][:m], np.zeros(len(new)))
    for name, right in (("corr", corr[learner]), ("scanned_corr", corr[learner]), ("beta", beta), ("scanned_beta", beta),
                        ("chord", share * (beta - before)), ("chord_rate", share * (old["before"][learner] - corr[learner]))):  # fmt: skip
        assert (getattr(path, name)[:room] == right).all(), name
    assert (path.before == corr).all()
    assert (path.now.n_candidates, path.now.since_scan, path.now.scanned_lam) == (room, 0, path.now.lam)
    if gram:
        products = path.columns[:room] @ path.columns[:room].T
        products[:m, :m] = 7.0
        np.testing.assert_allclose(path.gram[:room, :room], products, rtol=1e-13)


def test_blocks_are_put_together():
    """The stops and the corners of events are counted from the start; the first block begins at the corner that was there."""
    walk = object.__new__(Homotopy)
    walk.n_corners, walk.n_entries, walk.record = 0, 0, []
    for n, entries in ((1, 0), (3, 5), (2, 4)):
        walk._note(np.ones(n), np.ones(n), np.full(n, entries), np.zeros(entries), np.zeros(entries), np.array([[0, 2], [8, 9], [1, -1]]))
    assert (walk.n_corners, walk.n_entries) == (6, 9)
    assert [list(part[2]) for part in walk.record] == [[0], [5] * 3, [9] * 2]
    assert [part[5].tolist() for part in walk.record] == [[[k, 2 + k], [8, 9], [1, -1]] for k in (0, 0, 3)]


def test_the_unit_of_rounding():
    """The distance of 1 from the next number, rounded up a little."""
    assert np.finfo(float).eps <= EPS <= 1.05 * np.finfo(float).eps
