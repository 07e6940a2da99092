"""Figures of the paper on boosting in linear regression: our references, the constants of the
experiments, and shared functions.
"""

import numpy as np
import pytest

import coordboost as cb
from verification import sets
from verification.experiments import (
    data,
    fgm_bounds,
    fgm_data,
    fgm_designs,
    fgm_errors,
    fgm_prostate,
    fgm_runs,
    judge,
)
from verification.experiments.experiment import Table, conduct, experiments

needs_data = pytest.mark.skipif(sets.folder() is None, reason="no folder with data")
FOUND = experiments()


def outcomes(name, given, quick=True):
    """Claims and verdicts of an experiment."""
    one = FOUND[name]
    return dict(
        zip((claim.words for claim in one.claims), conduct(one, given, quick).verdicts, strict=True)
    )


@pytest.mark.parametrize("name", ["fgm_figure3", "fgm_figure6", "fgm_figure10"])
def test_bounds_alone_confirm_every_claim(name):
    assert {outcome.outcome for outcome in outcomes(name, {}).values()} <= {"confirmed", "holds"}


def test_the_axis_of_figure_3_is_the_unit_interval_and_shows_the_curves():
    from matplotlib.figure import Figure

    table = fgm_bounds.profiles({}, True)
    figure = Figure(layout="constrained")
    fgm_bounds.draw_profiles(figure, table)
    for axis, kappa in zip(figure.axes, fgm_bounds.KAPPAS, strict=True):
        assert axis.get_xlim() == (0, 1)
        slow = table.where(kappa=kappa, eps=1.0)
        assert (
            slow["error"][slow["x"] <= 1].min() < 2e-3
            and slow["error"][slow["x"] < 0.9].min() > 1e-4
        )


@pytest.mark.parametrize(
    ("kappa", "eps", "end"),
    [
        (1, 1, 7.464),
        (1, 0.1, 4.160),
        (25, 1, 199.50),
        (25, 0.1, 105.21),
        (270.05, 1, 2159.90),
        (270.05, 0.1, 1137.00),
    ],
)
def test_the_ends_of_figure_3(kappa, eps, end):
    gamma = 1 - eps * (2 - eps) / (4 * kappa)
    l1, error = fgm_bounds.profile_of(kappa, eps)
    assert l1.max() == pytest.approx(eps / (1 - np.sqrt(gamma)), rel=1e-9)
    assert l1.max() == pytest.approx(end, abs=0.005001 if end > 10 else 0.0005001)
    assert (
        error[0] == 1 and error[-1] == 0 and (np.diff(error) < 0).all() and (np.diff(l1) >= 0).all()
    )


def test_the_maxima_of_figure_10():
    from matplotlib.figure import Figure

    table = fgm_bounds.ratios({}, True)
    eta, theta = (table.where(ratio=name)["value"] for name in table.values("ratio"))
    assert eta.max() == pytest.approx(np.exp(-1), rel=1e-14) and theta.max() == pytest.approx(
        np.exp(-0.5), rel=1e-14
    )
    figure = Figure(layout="constrained")
    fgm_bounds.draw_ratios(figure, table)
    said = [text.get_text() for axis in figure.axes for text in axis.texts]
    assert said == ["0.3679 at tau = 0.6065", "0.6065 at tau = 0.6065"]


def test_gamma_of_figure_4_at_500_columns():
    draws = [fgm_data.gaussian(seed, 0.0) for seed in range(5)]
    gammas = [
        1
        - cb.theory.bounds.ls_boost.decrease(
            cb.theory.bounds.Constants.of(cb.Problem(draw.X, draw.y)), 1.0
        )
        for draw in draws
    ]
    assert np.mean(gammas) == pytest.approx(0.99743, abs=2e-4)


@needs_data
def test_delta_max_of_prostate_with_interactions_by_linear_programming():
    from scipy.optimize import linprog

    one = data.load("prostate")
    for kind, end in zip(fgm_data.INTERACTIONS, (954.28, 136.83), strict=True):
        problem = fgm_data.problem_of(fgm_data.interactions(one.X, kind), one.y)
        columns = problem.gather(np.arange(44))
        scale = np.linalg.norm(one.y - one.y.mean())
        left, singular, right = np.linalg.svd(columns, full_matrices=False)
        kept = singular > 1e-12 * singular[0]  # 43: svi is binary, so it equals its square
        target = (left.T @ problem.y)[kept] / singular[kept]
        least = linprog(np.ones(88), A_eq=np.hstack([right[kept], -right[kept]]), b_eq=target)
        assert kept.sum() == 43 and least.fun * scale == pytest.approx(end, abs=0.005001)
        assert fgm_runs.Lasso(problem).end * scale == pytest.approx(end, abs=0.005001)


@needs_data
def test_knots_of_prostate():
    one = data.load("prostate")
    lasso = fgm_runs.Lasso(fgm_data.problem_of(one.X, one.y))
    scale = np.linalg.norm(one.y - one.y.mean())
    knots = [0, 1.5139, 8.9066, 9.4495, 9.8481, 11.6599, 14.7192, 17.1677, 18.4587]
    np.testing.assert_allclose(lasso.l1 * scale, knots, rtol=0, atol=0.5001e-4)
    at = lasso.at(np.array([8.9066]) / scale)[0] * scale
    np.testing.assert_allclose(at, [0, 0, 0, 0, 3.696, 0, 0, 5.210], rtol=0, atol=1e-3)
    assert lasso.monotone()


@pytest.mark.parametrize("make", [cb.ls_boost, cb.forward_stagewise])
def test_errors_and_norms_are_those_of_the_states(make):
    draw = fgm_data.gaussian(3, 0.5, n=15, p=6, ones=3)
    run = cb.solve(fgm_data.problem_of(draw.X, draw.y), make(0.05), 60, compile=False)
    states = list(run.replay(range(61)))
    np.testing.assert_allclose(
        fgm_runs.norms(run), [state.l1 for state in states], rtol=0, atol=1e-13
    )
    np.testing.assert_allclose(
        fgm_runs.errors(run), [2 * state.loss for state in states], rtol=0, atol=1e-13
    )


def test_orderings_turned_around_are_refuted():
    table = Table(
        {
            "kind": "run",
            "method": "FS",
            "rho": rho,
            "eps": eps,
            "seed": seed,
            "to 10 %": (2 + rho) / eps + seed,
        }
        for rho in fgm_designs.RHOS
        for eps in (1e-2, 1e-3, 1e-4)
        for seed in range(4)
    )
    assert fgm_designs.later_for_smaller_eps("FS", "to 10 %")(table).outcome == "confirmed"
    turned = Table({**row, "to 10 %": 1 / row["to 10 %"]} for row in table.rows)
    assert fgm_designs.later_for_smaller_eps("FS", "to 10 %")(turned).outcome == "refuted"


def test_figure_8_takes_the_steps_of_the_paper_and_shares_have_intervals(monkeypatch):
    """Every run of the figure has 100,000 steps of 1e-4; a claim about choices of rows counts
    them.
    """
    taken = []
    solve = cb.solve

    def counted(problem, method, n_steps):
        taken.append((method.parameters["eps"], n_steps))
        return solve(problem, method, n_steps)

    monkeypatch.setattr(fgm_prostate.cb, "solve", counted)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(97, 8))
    X[:, 3] = rng.integers(0, 2, 97)
    fgm_prostate.regularized({"prostate": data.Set("prostate", X, X @ np.ones(8), False)}, True)
    assert set(taken) == {(1e-4, 100_000)} and len(taken) == 7 * 4
    assert fgm_prostate.n_steps_of(5.0) == 500_000


@pytest.mark.parametrize(("n", "outcome"), [(30, "confirmed"), (18, "undecided"), (3, "refuted")])
def test_what_shall_be_true_for_most_choices(n, outcome):
    found = judge.most(np.arange(33) < n, "ours")
    assert found.outcome == outcome and found.statistic.startswith(f"{n} of 33 choices, ")


def test_constants_of_the_experiments():
    """What the paper says or prints about its experiments, and the choices of ours that results
    rest on.
    """
    assert fgm_prostate.EPS == 1e-4 and fgm_prostate.N_STEPS == 100_000
    assert list(fgm_prostate.RADII.values()) == [
        (0.99, 0.91, 0.81),
        (0.44, 0.37, 0.33),
        (0.44, 0.37, 0.33),
    ]
    assert fgm_prostate.SHARES == (0.99, 0.91, 0.81, 0.6, 0.44, 0.37, 0.33)
    assert list(fgm_bounds.KAPPAS) == [1.0, 25.0, 270.05] and fgm_bounds.EPS == (
        1.0,
        0.5,
        0.1,
        0.01,
    )
    assert fgm_bounds.FS_EPS == (0.1, 0.05, 0.01, 0.001)
    assert fgm_designs.RHOS == (0.0, 0.5, 0.9) and [round(rho, 1) for rho in fgm_designs.TEN] == [
        k / 10 for k in range(10)
    ]
    assert {name: (some, far) for name, (_, some, far) in fgm_designs.CONTESTANTS.items()} == {
        "LS-Boost": ((1.0, 0.5, 0.1, 0.01), 600),
        "FS": ((1e-2, 1e-3, 1e-4), 15),
    }
    assert {name: (some, far) for name, (_, some, far) in fgm_errors.CONTESTANTS.items()} == {
        "LS-Boost": ((1.0, 0.5, 0.1, 0.01), 300),
        "FS": ((0.1, 0.03, 0.01, 0.001), 10),
    }
    assert fgm_errors.PANELS == {
        "leukemia, SNR 1": ("leukemia", 1.0),
        "leukemia, SNR 3": ("leukemia", 3.0),
        "khan, SNR 1": ("khan", 1.0),
    }
    draw = fgm_data.gaussian(0, 0.5)
    assert draw.X.shape == (50, 500) and draw.truth.sum() == 10
    assert draw.noise == pytest.approx(10 + 90 * 0.5) and fgm_data.gaussian(
        0, 0.5, 3.0
    ).noise == pytest.approx(55 / 3)
