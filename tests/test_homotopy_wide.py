"""Exact paths without a Gram matrix, and on scaled columns: nearly dependent columns, scans that stay in compiled code."""

from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse
from designs import columns
from test_homotopy_rounding import GAP, errors, kernels, powers

import coordboost as cb
from coordboost.exact import pool
from coordboost.exact.candidates import n_wanted, trace_path
from coordboost.exact.factor import extend
from coordboost.exact.homotopy import Homotopy
from coordboost.exact.path import ExactPath
from coordboost.exact.rounding import deviation
from coordboost.exact.segments import is_certain, strayed
from coordboost.exact.state import SCAN
from coordboost.screening.columns import ScaledColumns


@pytest.mark.parametrize("design", [kernels, powers])
@pytest.mark.parametrize("kind", ["lasso", "lar"])
def test_every_corner_is_right_in_columns(design, kind, monkeypatch):
    """Directions of nearly dependent learners are refined with products of their columns, too: as far down as with a Gram matrix."""
    reached = []
    for in_columns in (True, False):
        monkeypatch.setattr(pool.Pool, "in_columns", in_columns)
        path = cb.exact_path(*design(1), kind=kind)
        assert (errors(path) <= 2 * GAP).all()
        reached.append(path)
    least = min(path.n_corners for path in reached)
    assert least > 5
    np.testing.assert_allclose(reached[0].lam[: least // 2], reached[1].lam[: least // 2], rtol=1e-6)


@pytest.mark.parametrize("stored", [True, False], ids=["in memory", "called"])
@pytest.mark.parametrize("shape", [(30, 200), (80, 60)])
def test_scaled_columns(shape, stored, monkeypatch):
    """At every corner scale |B'r| is lam at most, and lam on the support."""
    rng = np.random.default_rng(4)
    problem = cb.Problem(rng.standard_normal(shape), rng.standard_normal(shape[0]))
    scale = rng.uniform(0.2, 1.0, shape[1])
    monkeypatch.setattr("coordboost.screening.columns.LITTLE", 1 << 22 if stored else 0)
    walk = Homotopy(problem, "lasso", 0.02, first=10, columns=ScaledColumns(problem, scale))
    path = walk.run()
    assert path.complete and path.n_corners > 10 and path.beta.has_sorted_indices
    B, gamma = columns(problem) * scale, path.beta.toarray()
    corr = (problem.y - gamma @ B.T) @ B
    off = np.abs(np.abs(corr) - path.lam[:, None])[gamma != 0]
    assert off.max() <= 1e-11 and (np.abs(corr).max(axis=1) <= path.lam + 1e-11).all()
    assert (np.abs(corr).max(axis=1) <= walk.levels).all() and (walk.levels <= path.lam + 1e-12).all()


def test_short_columns_are_no_reason_for_scans():
    """The correlation of a column of norm 0.01 moves by that part of the residual's way: the first scan serves to the end."""
    rng = np.random.default_rng(5)
    problem = cb.Problem(rng.standard_normal((40, 200)), rng.standard_normal(40))
    scale = np.where(np.arange(200) < 20, 1.0, 0.01)
    path = Homotopy(problem, "lasso", 0.1, first=20, columns=ScaledColumns(problem, scale)).run()
    assert path.complete and path.n_corners > 10 and path.n_scans <= 2


def test_a_pivot_of_64_roundings_counts_as_none():
    """Two unit columns with the product c: what is left of the second, 1 - c^2, is held against 64 times 2 (for two columns) 2.3e-16."""
    for share in (63.5, 64.5):
        factor, c = np.eye(2), np.sqrt(1 - share * 2 * 2.3e-16)
        rest = 1 - c * c
        assert abs(rest / (2 * 2.3e-16) - share) < 0.45
        assert extend(factor, 1, np.array([c]), 1.0) == (share > 64)
        assert factor[1, 1] == (np.sqrt(rest) if share > 64 else 1.0)


def test_the_gap_at_the_end():
    """At lam = 0 it is the distance to the least squares loss, of coefficients that are half of what they should be, too."""
    rng = np.random.default_rng(6)
    path = cb.exact_path(rng.standard_normal((20, 4)), rng.standard_normal(20))
    B, y = columns(path.problem), path.problem.y
    half = ExactPath(path.problem, path.kind, path.lam, path.beta * 0.5, np.zeros((3, 0)), 1, True, "")
    least = y - B @ np.linalg.lstsq(B, y)[0]
    resid = y - B @ half.beta_at(lam=0)
    assert half.gaps()[-1] == pytest.approx((resid @ resid - least @ least) / (y @ y), rel=1e-10)


@pytest.mark.parametrize("kind", ["lasso", "lar", "stagewise"])
def test_where_a_path_stands_at_its_end(kind):
    """Only those that move have a direction, and what a corner may be off by is held against 1 + the sum of all abs coefficients."""
    rng = np.random.default_rng(8)
    Z = rng.standard_normal((30, 4))
    problem = cb.Problem(Z @ rng.standard_normal((4, 60)) + 0.3 * rng.standard_normal((30, 60)), rng.standard_normal(30))
    walk = Homotopy(problem, kind, 0.02)
    path = walk.run()
    state, m = walk.pool.path, walk.pool.now.n_candidates
    still = state.rank[:m] < 0
    assert kind == "lar" or {way for *_, way in path.events} == {1, -1}
    assert 0 < still.sum() < m and not state.direction[:m][still].any() and state.direction[:m][~still].any()
    over, under, length, wrong = deviation(state, True)
    assert over + under <= 1e-12 and wrong == 0 and length == pytest.approx(1 + np.abs(state.beta[:m]).sum(), rel=1e-12)


def test_room_for_candidates():
    """A Gram matrix for tall data only; all learners at once where they are few entries in memory, else some."""
    rng = np.random.default_rng(9)
    for shape, entries, candidates in (((20, 90), 1, 90), ((90, 80), 1, 64), ((300, 600), 2, 64), ((20, 90), 0, 64)):
        X = rng.standard_normal(shape)
        X = X if entries else scipy.sparse.csc_array(X)
        held = Homotopy(cb.Problem(X, rng.standard_normal(shape[0])), "lasso", 0.0).pool
        assert (held.held.gram is None) == (shape[0] <= shape[1]) and held.now.wanted == candidates


def test_candidates_that_led_nowhere_are_doubled():
    rng = np.random.default_rng(10)
    state = Homotopy(cb.Problem(rng.standard_normal((300, 600)), rng.standard_normal(300)), "lasso", 0.0).pool.path
    state.now.n_candidates, state.now.since_scan = 70, 0
    assert n_wanted(state) == 140
    state.now.n_candidates = 400
    assert n_wanted(state) == 600


def wide():
    rng = np.random.default_rng(6)
    X = rng.standard_normal((60, 3000)) + rng.standard_normal((60, 1))
    problem = cb.Problem(X, X[:, :8].sum(axis=1) + rng.standard_normal(60))
    return problem, np.abs(problem.scan(problem.y)).max()


def test_the_way_between_two_scans_is_followed_and_what_strays_from_it_is_counted():
    """The corners are those of all learners as candidates; by spheres around scans it takes 35 of them."""
    problem, top = wide()
    path, all_of_them = (cb.exact_path(problem, lam_min=0.02 * top, candidates=n) for n in (None, 3000))
    assert path.n_scans <= 25 and all_of_them.n_scans == 1 and path.events == all_of_them.events
    np.testing.assert_allclose(path.lam, all_of_them.lam, rtol=0, atol=1e-10)


def test_what_is_certain_between_a_scan_and_the_horizon():
    """Outside, .5 at the scan and .9 where lam has fallen by 1, so at most .7 half way; what strays is added; beyond nothing is known."""
    numbers = {"outside": 0.5, "ahead": 0.9, "horizon": 1.0, "outside_norm": 1.0, "tie": 0.0}
    path = SimpleNamespace(now=SimpleNamespace(share=1.0, scanned_lam=1.25, lam=1.25, **numbers))
    assert is_certain(path, (0.0, 0.0, 0.0), 0.5) and not is_certain(path, (0.01, 0.0, 0.0), 0.5)
    assert not is_certain(path, (0.0, 0.0, 0.0), 0.6)
    assert is_certain(path, (0.04, -0.16, 0.16), 0.5) and not is_certain(path, (0.04, 0.0, 0.0), 0.5)
    high = SimpleNamespace(now=SimpleNamespace(share=1.0, scanned_lam=5.5, lam=5.0, **numbers))
    assert is_certain(high, (0.0, 0.0, 0.0), 0.5) and not is_certain(high, (0.0, 0.0, 0.0), 0.51)
    high.now.share = 0.0
    assert is_certain(high, (0.0, 0.0, 0.0), 4.4) and not is_certain(high, (0.0, 0.0, 0.0), 4.6)


@pytest.mark.parametrize("end", [0.3, 0.1, 0.05, 0.03, 0.02])
def test_where_the_residual_was_taken_to_go(end):
    """At the end of a path: how far it strayed from there, and what no learner outside exceeds now and at the horizon, from the columns."""
    problem, top = wide()
    walk = Homotopy(problem, "lasso", end * top)
    walk.run()
    state, now, m = walk.pool.path, walk.pool.now, walk.pool.now.n_candidates
    here, B = state.columns[:m], problem.dictionary.rows
    scanned, gone = walk.y - state.scanned_beta[:m] @ here, now.scanned_lam - now.lam
    way, resid, direction = state.chord[:m] @ here, walk.y - state.beta[:m] @ here, state.direction[:m] @ here
    assert now.share > 0 and 0 < gone <= now.horizon
    np.testing.assert_allclose(state.chord_rate[:m], here @ way, atol=1e-12)
    off = scanned - gone * way - resid
    square, along, speed = strayed(state)
    for t in (0.0, 0.01):
        assert square + t * (along + t * speed) == pytest.approx(
            np.sum((off + t * (direction - way)) ** 2), rel=1e-8, abs=1e-14
        )
    outside = state.place < 0
    assert 0 < outside.sum() < 3000 - 64
    assert np.abs(B[outside] @ scanned).max() == pytest.approx(now.outside, rel=1e-10)
    assert np.abs(B[outside] @ (scanned - now.horizon * way)).max() == pytest.approx(now.ahead, rel=1e-10)


def test_a_scan_is_asked_for_after_so_many_corners():
    """No more corners than asked for stand on one scan; the next lot goes on where it ended."""
    rng = np.random.default_rng(3)
    X = scipy.sparse.csc_array(np.round(2 * rng.standard_normal((40, 9))))
    problem = cb.Problem(X, rng.standard_normal(40))
    levels, walk = cb.exact_path(problem).lam, Homotopy(problem, "lasso", 0.0)
    held = walk.pool
    held.start(walk.columns.zero / walk.unit, np.abs(walk.columns.zero).max() / walk.unit)
    for first in (1, 4):
        status, n_corners, *_ = trace_path(held.path, 3)
        assert status == SCAN and n_corners == 3
        np.testing.assert_allclose(held.path.lams[:3] * walk.unit, levels[first : first + 3], rtol=1e-12)
        held.take(held.scan())
    assert held.now.n_scans == 3
