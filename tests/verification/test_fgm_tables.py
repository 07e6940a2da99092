"""Tables B.1 and B.2 of the paper on boosting in linear regression: errors, folds and orderings."""

import numpy as np
import pytest

import coordboost as cb
from verification.experiments import data, fgm_data, fgm_tables
from verification.experiments.experiment import Table

CASE = "Eg-A, rho 0.8, SNR 3"


def test_the_risk_of_a_gaussian_design_is_that_of_many_fresh_rows():
    (fit,) = fgm_tables.fits(CASE, {}, 0)
    beta = np.random.default_rng(0).normal(size=(1, 500)) * 0.01
    rng = np.random.default_rng(1)
    X = np.sqrt(0.8) * rng.standard_normal((4000, 1)) + np.sqrt(0.2) * rng.standard_normal(
        (4000, 500)
    )
    signal = X[:, :5].sum(axis=1)
    pred = fit.scale * fit.problem.predict(beta[0], X)
    found = fit.errors(beta)
    # four standard errors of a mean square of 4,000 normal numbers, 2.2 %
    apart, power = (np.mean((pred - signal) ** 2), 5 + 20 * 0.8)
    assert found[fgm_tables.SECOND][0] == pytest.approx(apart / power, rel=0.09)
    assert found[fgm_tables.FIRST][0] == pytest.approx(
        (apart + power / 3) / (power + power / 3), rel=0.09
    )


def test_the_truth_has_the_error_of_the_noise():
    (fit,) = fgm_tables.fits("Eg-B, rho 0.5", {}, 0)
    truth = fit.problem.unit(fit.draw.truth) / fit.scale
    found = fit.errors(truth[None])
    # the intercept is estimated from the sample
    offset = (fit.draw.noise + found[fgm_tables.SECOND][0] * 55) / (55 + fit.draw.noise)
    assert (
        found[fgm_tables.FIRST][0] == pytest.approx(offset, rel=1e-9)
        and found[fgm_tables.SECOND][0] < 0.1
    )


def test_folds_of_genes_hold_out_every_row_once():
    X = np.random.default_rng(0).normal(size=(63, 20))
    sets = {"khan": data.Set("khan", X, np.ones(63), True)}
    pairs = [fgm_tables.fits("Khan, SNR 3", sets, seed) for seed in range(5)]
    held = np.concatenate([one.test for one, _ in pairs])
    assert sorted(held) == list(range(63)) and all(
        one.problem.n_samples == 63 - len(one.test) for one, _ in pairs
    )
    assert all(every.problem.n_samples == 63 and len(every.test) == 63 for _, every in pairs)
    # one draw of noise for five folds
    np.testing.assert_array_equal(pairs[0][0].draw.y, pairs[4][0].draw.y)


def test_an_ordering_that_is_turned_around_is_refuted():
    rows = [
        {
            "case": CASE,
            "metric": "first",
            "method": method,
            "seed": seed,
            "error": level + seed / 100,
        }
        for method, level in (("FS", 0.5), ("Lasso", 0.6))
        for seed in range(5)
    ]
    table = Table(rows)
    assert (
        fgm_tables.ordered([CASE], "first", [("FS", "Lasso")], factor=1.02)(table).outcome
        == "confirmed"
    )
    assert (
        fgm_tables.ordered([CASE], "first", [("Lasso", "FS")], factor=1.02)(table).outcome
        == "refuted"
    )


def test_the_radii_and_steps_of_table_b2(monkeypatch):
    """Twenty radii from .01 to .8 of delta_max for R-FS and for the Lasso, eps = .001, and the
    steps that the paper says.
    """
    taken = []
    monkeypatch.setattr(
        fgm_tables,
        "on_run",
        lambda problem, method, n_steps, n_points=40: taken.append((method, n_steps)),
    )
    for name, n_rows, steps in (("Eg-B", 50, (10_000, 10_000)), ("genes", 72, (20_000, 30_000))):
        draw = fgm_data.gaussian(0, 0.5, n=n_rows, p=20)
        problem = fgm_data.problem_of(draw.X, draw.y)
        end = float(cb.exact_path(problem).l1[-1])
        found = {}
        taken.clear()
        for method, share, betas in fgm_tables.methods_2(problem, False):
            found.setdefault(method, []).append(share)
            if method == "Lasso":
                assert np.abs(betas).sum() == pytest.approx(share * end, rel=1e-9), name
        radii = pytest.approx(np.linspace(0.01, 0.8, 20), abs=1e-6)
        assert found["R-FS"] == radii and found["Lasso"] == radii and found["FS"] == [0.0]
        assert [n for _, n in taken] == [steps[0]] + 20 * [steps[1]]
        assert {method.parameters["eps"] for method, _ in taken} == {0.001}
        assert [method.parameters["delta"] / end for method, _ in taken[1:]] == radii


def test_table_b2_shows_norms_and_radii_and_its_printed_errors_are_half_of_those_of_table_b1():
    (claim, *_) = (one for one in fgm_tables.lines_2() if one.words.startswith("Leukemia, SNR 1;"))
    assert str(claim.source).startswith("the paper prints 0.3431 (0.0087), 28, 0.2339, - | 0.3411")
    rows = [
        {
            "case": "Leukemia, SNR 1",
            "metric": fgm_tables.FIRST,
            "method": name,
            "parameter": 0.3,
            "seed": seed,
            "error": 0.5,
            "nonzeros": 9,
            "l1 / end": 0.2,
            "end": 4.0,
        }
        for name in fgm_tables.NAMES_2
        for seed in range(3)
    ]
    shown = claim.judge(Table(rows))
    assert (
        shown.ours
        == "0.5 +- 0, 9.0, 0.20, -, 4 | 0.5 +- 0, 9.0, 0.20, 0.30, 4 | 0.5 +- 0, 9.0, 0.20, 0.30, 4"
    )
    assert (
        fgm_tables.half("Leukemia, SNR 1")(None).ours == "0.514"
        and fgm_tables.half("Leukemia, SNR 10")(None).ours == "0.509"
    )
    for case, line in fgm_tables.LINES_2.items():
        short = [
            word.split(" ")[0].rstrip(",")
            for method in line.split(" | ")
            for word in method.split(", ")[:2]
        ]
        assert short == fgm_tables.PRINTED_2[case].split()


def test_eps_of_table_b1():
    assert len(fgm_tables.EPS) == 30 and (fgm_tables.EPS[0], fgm_tables.EPS[-1]) == (0.001, 0.8)
    assert len(fgm_tables.SHARES) == 100 and (fgm_tables.SHARES[0], fgm_tables.SHARES[-1]) == (
        0.01,
        1,
    )
