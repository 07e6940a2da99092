"""The figures and tables of the papers on boosting machines: what their claims say, and what their
runs have as the paper has it.
"""

import numpy as np
import pytest
from matplotlib.figure import Figure

from verification.experiments import agbm_runs, rgbm_figure5, rgbm_runs, sglb_table1
from verification.experiments.data import Set
from verification.experiments.experiment import Table, experiments

FOUND = experiments()


def claims_of(name):
    """Return the claims of an experiment, words -> claim."""
    return {claim.words: claim for claim in FOUND[name].claims}


@pytest.mark.parametrize("words", ["the same, all sets", "with a tenth of the learner's own step"])
def test_a_method_left_out_of_the_quick_form_is_called_that(words):
    """XGBoost is there, so nothing may say that it is missing."""
    rows = [
        {"set": "sonar", "method": method, "seed": seed, "error": 20.0}
        for method in ("safe", "xgboost")
        for seed in (0, 1)
    ]
    verdict = claims_of("rgb_table1")[words].judge(Table(rows))
    assert (verdict.outcome, verdict.ours) == ("not judged", "not in the quick form")
    verdict = claims_of("rgb_table1")["with the corrected constants"].judge(Table(rows[:2]))
    assert (verdict.outcome, verdict.ours) == ("not judged", "XGBoost is not installed")


def test_the_curves_of_accelerated_boosting_are_the_algorithm_as_printed():
    """The curves named AGBM have no guard and the printed sign; the guard and the program's sign
    are curves of their own.
    """
    found = agbm_runs.methods(1.0, (0.5,), agbm_runs.OPTIONS, ())
    given = {
        name: (method.parameters["guard"], method.parameters["correction"])
        for name, (method, _) in found.items()
    }
    assert given == {
        "AGBM 0.5": (False, 1),
        "AGBM 0.5, guard": (True, 1),
        "AGBM 0.5, sign -": (False, -1),
    }


@pytest.mark.parametrize("name", ["agbm_figure1", "agbm_figure4"])
def test_the_guard_is_a_curve_of_its_own(name):
    methods = list(agbm_runs.methods(1.0, agbm_runs.GAMMAS, agbm_runs.OPTIONS, ("GBM",)))
    rows = [
        {
            "eta": eta,
            "method": method,
            "seed": seed,
            "trees": trees,
            "train": 0.5,
            "test": 0.6,
            "word": 0,
        }
        for eta in (1.0, 0.1, 0.01)
        for method in methods
        for seed in (0, 1)
        for trees in (0, 2)
    ]
    figure = Figure(layout="constrained")
    FOUND[name].draw(figure, Table(rows))
    assert len(figure.axes) == 6
    assert [line.get_label() for line in figure.axes[0].lines] == methods
    looks = {(line.get_color(), line.get_linestyle()) for line in figure.axes[0].lines}
    assert len(looks) == len(methods) == 10


def test_vanilla_acceleration_has_a_panel_of_test_losses():
    rows = [
        {
            "eta": eta,
            "method": "VAGBM",
            "seed": 0,
            "trees": trees,
            "train": 0.5,
            "test": 7.0,
            "word": 0,
        }
        for eta in (1.0, 0.1, 0.01)
        for trees in (0, 1)
    ]
    figure = Figure(layout="constrained")
    FOUND["agbm_figure3"].draw(figure, Table(rows))
    train, test = figure.axes
    assert (train.get_title(), test.get_title()) == ("training loss", "test loss")
    assert np.all(train.lines[0].get_ydata() == 0.5) and np.all(test.lines[0].get_ydata() == 7.0)


@pytest.mark.parametrize("name", ["rgbm_figure1", "rgbm_figure5_year"])
def test_both_kinds_of_stumps_are_drawn(name):
    rows = [
        {
            "learner": learner,
            "t": t,
            "seed": 0,
            "step": step,
            "cpu": 0.1 * step,
            "loss": 0.5,
            "gap": 0.4,
            "test": 0.6,
        }
        for learner in ("leaf", "pm")
        for t in (1, 9, 90)
        for step in (1, 2)
    ]
    figure = Figure(layout="constrained")
    FOUND[name].draw(figure, Table(rows))
    titles = {axis.get_title() for axis in figure.axes}
    assert any("+1 and -1" in title for title in titles) and any(
        "two leaf values" in title for title in titles
    )
    assert all(axis.has_data() for axis in figure.axes)


def test_claims_of_the_time_figure_are_judged_for_the_stumps_of_the_text_first():
    """Each claim stands for both kinds, and is judged on the rows of its kind alone."""
    claims = FOUND["rgbm_figure5_year"].claims
    words = [claim.words for claim in claims]
    half = len(words) // 2
    assert words[:half] == [
        word.replace("stumps with two leaf values", "stumps of +1 and -1") for word in words[half:]
    ]
    rows = [
        {"learner": learner, "t": t, "seed": seed, "cpu": 1.0, "loss": loss, "test": 0.5}
        for learner, losses in (("pm", (3.0, 1.0, 2.0)), ("leaf", (3.0, 2.0, 1.0)))
        for t, loss in zip((1, 9, 90), losses, strict=True)
        for seed in range(3)
    ]
    first = {
        claim.words: claim.judge(Table(rows)).outcome
        for claim in claims
        if "smaller training gap than t = p" in claim.words
    }
    assert list(first.values()) == ["confirmed", "refuted"] and len(rgbm_figure5.LEARNERS) == 2


def test_the_printed_error_of_langevin_boosting_stands_beside_the_printed_temperature():
    for claim in FOUND["sglb_table1"].claims:
        assert ("0.470" in str(claim.source)) == (
            "= 1,000 has" in claim.words or claim.words.startswith("SLA SGLB 1e3")
        ), claim.words
    assert sglb_table1.ROWS[sglb_table1.NOISY][1].parameters["beta"] == 1e3
    prints = [str(claim.source) for claim in FOUND["sglb_table1"].claims[:3]]
    assert [printed.rpartition(" ")[2] for printed in prints] == ["2e-8", "5e-3", "7e-3"]


def test_a_better_row_in_every_fold_is_found_and_a_worse_one_refuted():
    claims = list(FOUND["sglb_table1"].claims)
    rows = [
        {
            "method": name,
            "package": "coordboost",
            "fold": fold,
            "printed": None,
            "best": 0.4,
            "final": base + 0.001 * fold + 1e-4 * (fold % 2),
        }
        for name, base in (
            ("SLA SGLB 1e3", 0.47),
            ("SLA GB", 0.48),
            ("SLA SGB", 0.46),
            ("Logloss GB", 0.5),
        )
        for fold in range(6)
    ]
    assert [claim.judge(Table(rows)).outcome for claim in claims[:3]] == [
        "confirmed",
        "confirmed",
        "refuted",
    ]


def test_a_feature_that_is_constant_on_a_split_does_not_make_another_t():
    """The t of all features is their number in the whole set, on each split and for both kinds of
    stumps.
    """
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (40, 5)).astype(float)
    X[:, 4] = 0
    X[27, 4] = 1  # a test row of both splits
    rare = Set("a9a", X, np.where(X[:, 0] > 0, 1.0, -1.0), True)
    table = rgbm_figure5.run_of("a9a")({"a9a": rare}, quick=True)
    for learner in rgbm_figure5.LEARNERS:
        for seed in (0, 1):
            assert table.where(learner=learner, seed=seed).values("t") == rgbm_runs.geometric(5)
    verdicts = [claim.judge(table) for claim in FOUND["rgbm_figure5_a9a"].claims]
    assert len(verdicts) == 6 and all(verdict.ours for verdict in verdicts)
