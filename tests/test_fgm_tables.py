"""Tables B.1 and B.2 of the paper on boosting in linear regression: errors, folds and orderings."""

import numpy as np
import pytest

from verification.experiments import data, fgm_tables
from verification.experiments.experiment import Table

CASE = "Eg-A, rho 0.8, SNR 3"


def test_the_risk_of_a_gaussian_design_is_that_of_many_fresh_rows():
    (fit,) = fgm_tables.fits(CASE, {}, 0)
    beta = np.random.default_rng(0).normal(size=(1, 500)) * 0.01
    rng = np.random.default_rng(1)
    X = np.sqrt(0.8) * rng.standard_normal((4000, 1)) + np.sqrt(0.2) * rng.standard_normal((4000, 500))
    signal, pred = X[:, :5].sum(axis=1), fit.scale * fit.problem.predict(beta[0], X)
    found = fit.errors(beta)
    apart, power = np.mean((pred - signal) ** 2), 5 + 20 * 0.8  # four standard errors of a mean square of 4,000 normal numbers, 2.2 %
    assert found[fgm_tables.SECOND][0] == pytest.approx(apart / power, rel=0.09)
    assert found[fgm_tables.FIRST][0] == pytest.approx((apart + power / 3) / (power + power / 3), rel=0.09)


def test_the_truth_has_the_error_of_the_noise():
    (fit,) = fgm_tables.fits("Eg-B, rho 0.5", {}, 0)
    truth = fit.problem.unit(fit.draw.truth) / fit.scale
    found = fit.errors(truth[None])
    offset = (fit.draw.noise + found[fgm_tables.SECOND][0] * 55) / (55 + fit.draw.noise)  # the intercept is estimated from the sample
    assert found[fgm_tables.FIRST][0] == pytest.approx(offset, rel=1e-9) and found[fgm_tables.SECOND][0] < 0.1


def test_folds_of_genes_hold_out_every_row_once():
    X = np.random.default_rng(0).normal(size=(63, 20))
    sets = {"khan": data.Set("khan", X, np.ones(63), True)}
    pairs = [fgm_tables.fits("Khan, SNR 3", sets, seed) for seed in range(5)]
    held = np.concatenate([one.test for one, _ in pairs])
    assert sorted(held) == list(range(63)) and all(one.problem.n_samples == 63 - len(one.test) for one, _ in pairs)
    assert all(every.problem.n_samples == 63 and len(every.test) == 63 for _, every in pairs)
    np.testing.assert_array_equal(pairs[0][0].draw.y, pairs[4][0].draw.y)  # one draw of noise for five folds


def test_an_ordering_that_is_turned_around_is_refuted():
    rows = [{"case": CASE, "metric": "first", "method": method, "seed": seed, "error": level + seed / 100}
            for method, level in (("FS", 0.5), ("Lasso", 0.6)) for seed in range(5)]  # fmt: skip
    table = Table(rows)
    assert fgm_tables.ordered([CASE], "first", [("FS", "Lasso")], factor=1.02)(table).outcome == "confirmed"
    assert fgm_tables.ordered([CASE], "first", [("Lasso", "FS")], factor=1.02)(table).outcome == "refuted"
