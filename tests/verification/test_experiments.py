"""The experiments: each runs in its quick form on stand-in data, claims can be refuted, and the
command writes its files.
"""

import json

import numpy as np
import pytest
from click.testing import CliRunner
from reference_sets import needs_compiler

from verification.experiments import data, judge, trees_quality
from verification.experiments.__main__ import main
from verification.experiments.experiment import (
    OUTCOMES,
    Claim,
    Experiment,
    Table,
    conduct,
    experiments,
    means,
    prints,
    reference,
    says,
)
from verification.sets import Absent

BINARY = ("a9a", "a1a", "w1a")
FOUND = experiments()
#: Slow even in their quick form: statistical, with peers, or on many folds or sets.
LONG = (
    "agbm_figure1",
    "agbm_figure3",
    "agbm_figure4",
    "agbm_signs",
    "rgbm_figure1",
    "fgm_figure1",
    "fgm_figure2",
    "fgm_figure7",
    "fgm_figure11",
    "fgm_table_b1",
    "fgm_table_b2",
    "rgb_table1",
    "sglb_demos",
    "sglb_table1",
    "sglb_table2",
    "sglb_table3",
    "trees_quality",
)


def stand_in(name, n=120, d=8, seed=0):
    """Return a small set in place of the named one: binary or numeric features, and a target that
    depends on them.
    """
    rng = np.random.default_rng(seed)
    X = (
        rng.integers(0, 2, (n, d)).astype(float)
        if name in BINARY
        else rng.normal(size=(n, d)).round(2)
    )
    signal = X[:, 0] - X[:, 1] + X[:, 2] * X[:, 3] + 0.5 * rng.normal(size=n)
    classes = name not in data.NUMBERS
    return data.Set(
        name,
        X,
        np.where(signal > np.median(signal), 1.0, -1.0) if classes else 20 + signal,
        classes,
    )


@needs_compiler
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name in LONG)) for name in FOUND]
)
def test_the_quick_form_runs_with_verdicts_and_a_figure(name, monkeypatch):
    from matplotlib.figure import Figure

    here = {
        one: made
        for one, made in trees_quality.MACHINES.items()
        if one in (trees_quality.OURS, "scikit-learn HGB")
    }
    monkeypatch.setattr(trees_quality, "MACHINES", here)  # the others take seconds to load
    one = FOUND[name]
    report = conduct(one, {each: stand_in(each) for each in one.data}, quick=True)
    assert len(report.table) > 0 and one.claims and one.source
    assert all(verdict.outcome in OUTCOMES and verdict.ours for verdict in report.verdicts)
    if one.draw is not None:
        figure = Figure(layout="constrained")
        one.draw(figure, report.table)
        assert figure.axes and all(axis.has_data() for axis in figure.axes)
    if one.animate is not None:
        show, n_frames = one.animate(Figure(layout="constrained"), report.table)
        for k in (0, n_frames - 1):
            show(k)


@pytest.mark.parametrize(
    ("small", "outcome"),
    [
        ([1.0, 1.1, 0.9, 1.0], "confirmed"),
        ([3.0, 3.2, 2.9, 3.1], "refuted"),
        ([2.0, 2.3, 1.7, 2.1], "undecided"),
    ],
)
def test_an_ordering_is_confirmed_refuted_or_left_open(small, outcome):
    assert judge.below(small, [2.0, 2.1, 2.0, 1.9]).outcome == outcome


def test_the_statistic_allows_for_splits_that_share_rows():
    """By hand: mean 0.5, variance 1 / 3 of four differences, t = 0.5 / sqrt((1 / 4 + 1 / 4) / 3) =
    sqrt(1.5), 3 degrees of freedom.
    """
    p, words = judge.resampled_t([0.0, 1.0, 0.0, 1.0])
    # t / sqrt(3), in the closed form of the distribution with 3 degrees of freedom
    x = np.sqrt(0.5)
    assert (
        p == pytest.approx(0.5 - (x / (1 + x**2) + np.arctan(x)) / np.pi, rel=1e-12)
        and "t = 1.2" in words
        and "2 of 4" in words
    )
    assert judge.resampled_t([1.0, 1.0])[0] == 0 and judge.resampled_t([0.0, 0.0])[0] == 0.5
    assert judge.resampled_t([1.0])[0] == 0.5 and judge.resampled_t([1.0, np.inf])[0] == 0.5


def test_a_claim_turned_around_is_refuted():
    """Claims of a figure can be refuted: exchange the results of gradient boosting and of one
    feature a step.
    """
    one = FOUND["rgbm_figure1"]
    # after step 1, and after the last one
    gaps = {1: (1.0, 0.005), 24: (1.0, 0.02), 123: (0.005, 0.005)}
    table = Table(
        {
            "learner": "leaf",
            "t": t,
            "seed": seed,
            "step": step,
            "gap": gap,
            "test": 0.3,
            "cpu": 1e-3 * t * step,
            "evaluations": t * step,
        }
        for t, both in gaps.items()
        for seed in range(3)
        for step, gap in zip((1, 400), both, strict=True)
    )
    verdicts = [claim.judge(table).outcome for claim in one.claims]
    assert verdicts[0] == "refuted" and verdicts[2] == "confirmed" and verdicts[3] == "refuted"


@pytest.mark.parametrize(
    ("source", "outcomes", "shown"),
    [
        (prints("270.05"), ("confirmed", "refuted"), "the paper prints 270.05"),
        (
            says("almost indistinguishable"),
            ("confirmed", "refuted"),
            'the paper says "almost indistinguishable"',
        ),
        (
            means("falling curves"),
            ("confirmed", "refuted"),
            "the paper says in effect: falling curves",
        ),
        (reference("7.464"), ("holds", "does not hold"), "our reference 7.464"),
        (reference(), ("holds", "does not hold"), "our reference"),
    ],
)
def test_only_what_a_paper_claims_is_confirmed_or_refuted(source, outcomes, shown):
    claims = tuple(
        Claim(str(holds), lambda table, holds=holds: judge.fact(holds, "1"), source)
        for holds in (True, False)
    )
    one = Experiment(
        name="small", source="Nobody", claims=claims, run=lambda sets, quick: Table([{"a": 1}])
    )
    assert tuple(verdict.outcome for verdict in conduct(one, {}).verdicts) == outcomes
    assert str(source) == shown


def test_the_list_and_the_files(tmp_path, monkeypatch):
    calls = CliRunner()
    shown = calls.invoke(main, [])
    assert shown.exit_code == 0 and all(name in shown.output for name in FOUND)
    small = Experiment(
        name="small",
        source="Nobody, Figure 1",
        data=("sonar",),
        claims=(Claim("one", lambda table: judge.near(table["a"][0], 1, 0), prints("1")),),
        run=lambda sets, quick: Table([{"a": len(sets), "quick": quick}]),
        draw=lambda figure, table: figure.subplots().plot(table["a"]),
    )
    monkeypatch.setattr("verification.experiments.__main__.experiments", lambda: {"small": small})
    monkeypatch.setattr("verification.experiments.__main__.load", stand_in)
    done = calls.invoke(main, ["--all", "--quick", "--out", str(tmp_path / "new")])
    assert done.exit_code == 0 and "confirmed" in done.output, done.output
    record = json.loads((tmp_path / "new" / "small.json").read_text(encoding="utf-8"))
    assert record["quick"] and record["claims"] == [
        {
            "claim": "one",
            "from": "the paper prints 1",
            "outcome": "confirmed",
            "ours": "1",
            "statistic": "within 0",
        }
    ]
    assert (tmp_path / "new" / "small.csv").read_text(encoding="utf-8") == "a,quick\n1,True\n"
    assert (tmp_path / "new" / "small.png").read_bytes()[1:4] == b"PNG"


def test_missing_data_are_one_sentence(tmp_path, monkeypatch):
    calls = CliRunner()
    (tmp_path / "data").mkdir()
    monkeypatch.setenv("COORDBOOST_SHARED", str(tmp_path))
    failed = calls.invoke(main, ["rgbm_figure1", "--out", str(tmp_path)])
    assert failed.exit_code == 1
    assert f"a9a.svm.gz is missing: it was looked for in {tmp_path / 'data'}" in failed.output
    monkeypatch.setattr(
        "verification.experiments.__main__.experiments",
        lambda: {"rgbm_figure1": FOUND["rgbm_figure1"]},
    )
    several = calls.invoke(main, ["--all", "--quick", "--out", str(tmp_path)])
    assert (
        several.exit_code == 0
        and "rgbm_figure1 is left out: a9a.svm.gz is missing" in several.output
    )
    monkeypatch.setenv("COORDBOOST_SHARED", str(tmp_path / "nowhere"))
    with pytest.raises(Absent, match="there is no folder with data"):
        data.load("sonar")
    assert calls.invoke(main, ["rgbm_figure11"]).exit_code == 2
