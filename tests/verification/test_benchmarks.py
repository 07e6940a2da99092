"""The benchmark harness: clocks, rounds, the search for tolerances, ratios, tables in Markdown, the
command line.
"""

import json

import pytest
from click.testing import CliRunner

from verification.benchmarks import __main__ as front
from verification.benchmarks import boosting, lasso, markdown
from verification.benchmarks.data import sparse_normal
from verification.benchmarks.harness import Contestant, Timed, compete, ratios
from verification.benchmarks.lasso_peers import PEERS, Peer
from verification.benchmarks.search import Search


def seen(result):
    return {"seen": result}


def test_a_contestant_with_its_own_clock_is_timed_by_it():
    (row,) = compete(
        [Contestant("own", lambda: Timed("result", 3.0, 5.0), work=2.0)], seen, rounds=2
    )
    assert row["seen"] == "result"
    assert (row["cpu"], row["cpu_min"], row["cpu_max"], row["wall"], row["first_call"]) == (
        1.5,
        1.5,
        1.5,
        2.5,
        5.0,
    )


def test_a_contestant_that_fails_gets_a_row_with_a_note():
    twice = iter("ab")  # the first call is evaluated, the second is timed, the third fails
    failing = Contestant("at once", lambda: 1 / 0)
    silent = Contestant("not here", None, note="it is not installed")
    good = Contestant("good", lambda: Timed(0, 1.0, 1.0))
    rows = compete(
        [
            failing,
            silent,
            Contestant("later", lambda: Timed(next(twice), 1.0, 1.0, apart=True)),
            good,
        ],
        seen,
        rounds=3,
    )
    assert rows[0] == {"name": "at once", "note": "ZeroDivisionError: division by zero"}
    assert rows[1] == {"name": "not here", "note": "it is not installed"}
    assert rows[2]["rounds"] == 1 and rows[2]["note"].startswith("StopIteration")
    assert rows[3]["rounds"] == 3


def test_the_best_peer_is_fair_and_not_one_of_ours():
    rows = [
        {"name": "ours", "cpu": 2.0, "gap": 0.0},
        {"name": "ours, slowly", "cpu": 0.5, "gap": 0.0},
        {"name": "unfair", "cpu": 1.0, "gap": 1.0},
        {"name": "fair", "cpu": 4.0, "gap": 0.0},
        {"name": "absent", "note": "why"},
    ]
    summary = ratios(rows, "ours", fair=lambda row: row["gap"] < 0.5)
    assert summary == {"best_peer": "fair", "ours_over_best": 0.5}
    assert [row.get("over_best") for row in rows] == [0.5, 0.125, 0.25, 1.0, None]
    assert [row.get("ratio") for row in rows] == [1.0, 0.25, 0.5, 2.0, None]


LADDER = (1.0, 0.1, 0.01, 0.001)


@pytest.mark.parametrize("start", range(len(LADDER)))
def test_the_search_finds_the_loosest_setting_from_anywhere_and_runs_none_twice(start):
    calls = []
    search = Search(
        lambda setting: calls.append(setting) or setting, lambda result: 2 * result, LADDER, start
    )
    assert [search.loosest(target) for target in (0.3, 0.03, 0.3)] == [0.1, 0.01, 0.1]
    assert len(calls) == len(set(calls))


def test_a_peer_over_the_time_limit_is_not_tried_at_tighter_settings():
    calls = []

    def solve(setting):
        calls.append(setting)
        return Timed(setting, 1.0, 1.0 / setting)

    search = Search(solve, lambda result: result, LADDER, limit=50.0)
    assert search.loosest(0.5) == 0.1
    for _ in range(2):
        with pytest.raises(TimeoutError, match=r"limit of 50 s: 0\.01 took 100 s, gap 1\.0e-02"):
            search.loosest(1e-2)
    assert calls == [1.0, 0.1, 0.01]


def test_a_lasso_table_has_our_row_beside_those_of_the_peers():
    grid = lasso.grid_of(*sparse_normal(60, 40, density=0.2, n_active=5), 1e-2, n_alphas=20)
    exact = [peer for peer in PEERS if peer.name == "scikit-learn lasso_path"]
    table = lasso.path(
        "tiny",
        grid,
        list(lasso.searches(grid, [*exact, Peer("absent", lambda *_: 1 / 0)])),
        1e-3,
        rounds=1,
    )
    ours, peer, absent = table["rows"]
    assert max(ours["gap"], peer["gap"]) <= 1e-3 and peer["note"].startswith("tol ")
    assert absent == {"name": "absent", "note": "ZeroDivisionError: division by zero"}
    assert (table["best_peer"], table["eps"], table["shape"]) == (
        "scikit-learn lasso_path",
        0.01,
        [60, 40],
    )


TABLE = {
    "name": "tiny",
    "unit": "path",
    "eps": 0.01,
    "shape": [72, 3571],
    "best_peer": "peer",
    "ours_over_best": 0.5,
    "rows": [
        {
            "name": "ours",
            "note": "",
            "gap": 1e-7,
            "cpu": 0.01234,
            "cpu_min": 0.01,
            "cpu_max": 0.02,
            "over_best": 0.5,
            "rounds": 5,
        },
        {"name": "absent", "note": "a | b"},
    ],
}


def test_a_table_in_markdown():
    assert markdown.section(TABLE).splitlines() == [
        "### tiny",
        "",
        "eps 0.01, shape 72 x 3571.",
        "",
        "**ours / best peer (peer): 0.5**",
        "",
        "| contestant | CPU seconds per path, median | [min, max] | gap | ratio to best peer | "
        "rounds | note |",
        "| --- | ---: | ---: | ---: | ---: | ---: | --- |",
        "| ours | 0.0123 | [0.01, 0.02] | 1e-07 | 0.5 | 5 |  |",
        "| absent |  |  |  |  |  | a \\| b |",
    ]
    assert "no peer did the same work" in markdown.section(
        TABLE | {"best_peer": None, "ours_over_best": None}
    )


def test_the_command_line_writes_both_files(monkeypatch, tmp_path):
    asked = []
    monkeypatch.setattr(boosting, "tables", lambda *args: asked.append(args) or iter([TABLE]))
    monkeypatch.setattr(front.r, "versions", lambda: {"R": "4.2.2"})
    out = tmp_path / "out.json"
    page = tmp_path / "page.md"
    words = [
        "boosting",
        "--only",
        "tiny",
        "--only",
        "x",
        "--limit",
        "9",
        "--out",
        str(out),
        "--markdown",
        str(page),
    ]
    done = CliRunner().invoke(front.main, words, catch_exceptions=False)
    assert done.exit_code == 0 and asked == [(False, ("tiny", "x"), 9.0)]
    assert json.loads(out.read_text())["tables"] == [{"suite": "boosting", **TABLE}]
    assert markdown.section(TABLE) in page.read_text() and "R 4.2.2" in page.read_text()


def test_the_command_line_refuses_an_unknown_design():
    done = CliRunner().invoke(front.main, ["--only", "no such design"])
    assert done.exit_code == 2 and "no design with no such design in its name" in done.output
