"""Figures of the paper on boosting in linear regression: golden values that it prints or its specification gives, and the shared parts."""

import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))  # verification/ is not part of the package

import coordboost as cb  # noqa: E402
from verification import sets  # noqa: E402
from verification.experiments import (  # noqa: E402
    data,
    fgm_animated,
    fgm_bounds,
    fgm_data,
    fgm_designs,
    fgm_errors,
    fgm_prostate,
    fgm_runs,
    judge,
)
from verification.experiments.experiment import Table, conduct, experiments  # noqa: E402

needs_data = pytest.mark.skipif(sets.folder() is None, reason="no folder with data")
FOUND = experiments()


def outcomes(name, given, quick=True):
    """Claims and verdicts of an experiment."""
    one = FOUND[name]
    return dict(zip((claim.words for claim in one.claims), conduct(one, given, quick).verdicts, strict=True))


@pytest.mark.parametrize("name", ["fgm_figure3", "fgm_figure6", "fgm_figure10"])
def test_bounds_alone_confirm_every_claim(name):
    assert {one.outcome for one in outcomes(name, {}).values()} == {"confirmed"}


@pytest.mark.parametrize(("kappa", "eps", "end"), [(1, 1, 7.464), (1, 0.1, 4.160), (25, 1, 199.50), (25, 0.1, 105.21), (270.05, 1, 2159.90),
                                                   (270.05, 0.1, 1137.00)])  # fmt: skip
def test_the_ends_of_figure_3(kappa, eps, end):
    gamma = 1 - eps * (2 - eps) / (4 * kappa)
    l1, error = fgm_bounds.profile_of(kappa, eps)
    assert l1.max() == pytest.approx(eps / (1 - np.sqrt(gamma)), rel=1e-9)
    assert l1.max() == pytest.approx(end, abs=0.005001 if end > 10 else 0.0005001)
    assert error[0] == 1 and error[-1] == 0 and (np.diff(error) < 0).all() and (np.diff(l1) >= 0).all()


def test_the_maxima_of_figure_10():
    table = fgm_bounds.ratios({}, True)
    eta, theta = (table.where(ratio=name)["value"] for name in table.values("ratio"))
    assert eta.max() == pytest.approx(np.exp(-1), abs=1e-6) and theta.max() == pytest.approx(np.exp(-0.5), abs=1e-6)


def test_gamma_of_figure_4_at_500_columns():
    draws = [fgm_data.gaussian(seed, 0.0) for seed in range(5)]
    gammas = [1 - cb.bounds.ls_boost.decrease(cb.bounds.Constants.of(cb.Problem(one.X, one.y)), 1.0) for one in draws]
    assert np.mean(gammas) == pytest.approx(0.99743, abs=2e-4)


@needs_data
def test_delta_max_of_prostate_with_interactions_by_linear_programming():
    from scipy.optimize import linprog

    one = data.load("prostate")
    for kind, printed in zip(fgm_data.INTERACTIONS, (954.28, 136.83), strict=True):
        problem = fgm_data.problem_of(fgm_data.interactions(one.X, kind), one.y)
        columns, scale = problem.gather(np.arange(44)), np.linalg.norm(one.y - one.y.mean())
        left, singular, right = np.linalg.svd(columns, full_matrices=False)
        kept = singular > 1e-12 * singular[0]  # 43: svi is its own square
        target = (left.T @ problem.y)[kept] / singular[kept]
        least = linprog(np.ones(88), A_eq=np.hstack([right[kept], -right[kept]]), b_eq=target)
        assert kept.sum() == 43 and least.fun * scale == pytest.approx(printed, abs=0.005001)
        assert fgm_runs.Lasso(problem).end * scale == pytest.approx(printed, abs=0.005001)


@needs_data
def test_knots_of_prostate():
    one = data.load("prostate")
    lasso, scale = fgm_runs.Lasso(fgm_data.problem_of(one.X, one.y)), np.linalg.norm(one.y - one.y.mean())
    printed = [0, 1.5139, 8.9066, 9.4495, 9.8481, 11.6599, 14.7192, 17.1677, 18.4587]
    np.testing.assert_allclose(lasso.l1 * scale, printed, rtol=0, atol=0.5001e-4)
    at = lasso.at(np.array([8.9066]) / scale)[0] * scale
    np.testing.assert_allclose(at, [0, 0, 0, 0, 3.696, 0, 0, 5.210], rtol=0, atol=1e-3)
    assert lasso.monotone()


@needs_data
def test_ten_rows_have_no_constant_column_and_differ_by_seed():
    one = data.load("prostate")
    drawn = [fgm_data.ten_rows(one, kind, seed) for kind in fgm_data.INTERACTIONS for seed in range(5)]
    assert all(X.shape == (10, 44) and (np.ptp(X, axis=0) > 0).all() for X, _ in drawn)
    assert len({tuple(y) for _, y in drawn}) == 5  # the same rows for both kinds


@pytest.mark.parametrize("make", [cb.ls_boost, cb.forward_stagewise])
def test_errors_and_norms_are_those_of_the_states(make):
    draw = fgm_data.gaussian(3, 0.5, n=15, p=6, ones=3)
    run = cb.solve(fgm_data.problem_of(draw.X, draw.y), make(0.05), 60, compile=False)
    states = list(run.replay(range(61)))
    np.testing.assert_allclose(fgm_runs.norms(run), [state.l1 for state in states], rtol=0, atol=1e-13)
    np.testing.assert_allclose(fgm_runs.errors(run), [2 * state.loss for state in states], rtol=0, atol=1e-13)


def test_the_designs_have_the_correlations_and_the_noise_that_they_say():
    draw = fgm_data.gaussian(0, 0.8, snr=3.0, n=200_000, p=6, ones=5)
    np.testing.assert_allclose(np.cov(draw.X.T), 0.8 + 0.2 * np.eye(6), atol=0.02)  # errors of 1 / root 200,000, five of them
    assert draw.signal.var() == pytest.approx(25 * 0.8 + 5 * 0.2, rel=0.02) and draw.noise == pytest.approx(7)
    assert (draw.y - draw.signal).var() == pytest.approx(7, rel=0.02)


def test_a_seed_gives_pairs():
    one, other = fgm_data.gaussian(5, 0.0, 1.0), fgm_data.gaussian(5, 0.0, 10.0)
    np.testing.assert_array_equal(one.X, other.X)
    np.testing.assert_allclose((one.y - one.signal) / np.sqrt(10), other.y - other.signal, rtol=1e-12, atol=1e-14)


def test_interactions_are_squares_and_products():
    X = np.arange(24.0).reshape(3, 8) ** 2
    found = fgm_data.interactions(X, "raw")
    assert found.shape == (3, 44)
    expected = {tuple(X[:, i] * X[:, j]) for i in range(8) for j in range(i, 8)}
    assert {tuple(column) for column in found[:, 8:].T} == expected and (found[:, :8] == X).all()


def test_three_draws_beside_ours():
    ours = [10.0, 12, 11, 13, 9, 11]
    assert judge.from_same(ours, 10, 12).outcome == "confirmed" and judge.from_same(ours, 20, 22).outcome == "refuted"


def test_orderings_turned_around_are_refuted():
    table = Table({"kind": "run", "method": "FS", "rho": rho, "eps": eps, "seed": seed, "to 10 %": (2 + rho) / eps + seed}
                  for rho in fgm_designs.RHOS for eps in (1e-2, 1e-3, 1e-4) for seed in range(4))  # fmt: skip
    assert fgm_designs.later_for_smaller_eps("FS", "to 10 %")(table).outcome == "confirmed"
    turned = Table({**row, "to 10 %": 1 / row["to 10 %"]} for row in table.rows)
    assert fgm_designs.later_for_smaller_eps("FS", "to 10 %")(turned).outcome == "refuted"


def test_a_norm_that_tends_to_delta_like_1_over_k_is_not_geometric():
    row = {"kind": "run", "tenth": 9, "arrived": True}
    assert fgm_prostate.geometric(Table([{**row, "hundredth": 18}])).outcome == "confirmed"
    assert fgm_prostate.geometric(Table([{**row, "hundredth": 99}])).outcome == "refuted"


def test_a_test_error_that_never_rises_again_is_not_u_shaped():
    def table(end):
        one = {"kind": "run", "way": fgm_errors.FRESH, "panel": "a", "method": "FS"}
        return Table({**one, "eps": eps, "best": 0.5 + seed / 100, "end": end + seed / 50}
                     for eps in fgm_errors.CONTESTANTS["FS"][1] for seed in range(4))  # fmt: skip

    judge_of = fgm_errors.u_shaped(fgm_errors.FRESH, "a", "FS")
    assert judge_of(table(0.9)).outcome == "confirmed" and judge_of(table(0.2)).outcome == "refuted"


def test_fresh_noise_is_added_to_the_distance_from_the_signal():
    rng = np.random.default_rng(0)
    one = data.Set("khan", rng.normal(size=(30, 12)), np.ones(30), True)
    way, problem, scale, (X, signal), noise = next(fgm_errors.ways(one, 0, 3.0))
    run = cb.solve(problem, cb.ls_boost(0.5), 20, compile=False)
    found = noise - 2 * scale**2 * run.score_path(X, signal / scale)
    rest = signal - scale * run.predict(X)
    assert way == fgm_errors.FRESH and found[-1] == pytest.approx(noise + rest @ rest / 30, rel=1e-9)
    assert noise == pytest.approx(signal.var() / 3)


def test_the_walk_of_the_residual_is_that_of_forward_stagewise():
    table = fgm_animated.walk({}, True)
    steps = np.diff(np.column_stack([table["r1"], table["r2"]]), axis=0)
    np.testing.assert_allclose(np.linalg.norm(steps, axis=1), fgm_animated.STEP, rtol=1e-12)
    values = np.abs(np.column_stack([table["r1"], table["r2"]]) @ fgm_animated.COLUMNS).max(axis=1)
    np.testing.assert_allclose(values, table["f"], rtol=1e-12)
    assert table["from FS"].max() < 1e-12
