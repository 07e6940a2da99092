"""The rows of the page on performance: the judge of gaps, the tasks on tiny tables, the section of
the page.
"""

from pathlib import Path

import numpy as np
import pytest

import coordboost as cb
from verification.benchmarks import glm_peers, judge, markdown, rows, small_peers
from verification.benchmarks.data import ar1
from verification.benchmarks.lasso_peers import Peer

N, P = 60, 8
RNG = np.random.default_rng(0)
X = np.asfortranarray(RNG.standard_normal((N, P)) + 1)
Y = X[:, 0] - X[:, 1] + RNG.standard_normal(N)
TARGETS = {
    "squared": Y,
    "logistic": (np.median(Y) < Y).astype(float),
    "poisson": RNG.poisson(np.exp(0.3 * Y)).astype(float),
}


def objective(path, w):
    """The mean loss at the best intercept, and the penalty, over the loss of the constant model."""
    terms = judge.LOSSES[path.loss]
    f = (path.X @ w)[:, None]
    loss = terms.value(path.y, f + terms.intercept(path.y, f))[0]
    constant = np.zeros((N, 1))
    null = terms.value(path.y, constant + terms.intercept(path.y, constant))[0]
    shares = path.l1_ratio, (1 - path.l1_ratio) / 2
    return (loss + path.alphas[0] * (shares[0] * abs(w).sum() + shares[1] * w @ w)) / null


@pytest.mark.parametrize("l1_ratio", [1.0, 0.5])
@pytest.mark.parametrize("loss", TARGETS)
def test_the_gap_of_the_judge_is_0_at_the_optimum_and_bounds_the_excess_elsewhere(loss, l1_ratio):
    whole = glm_peers.Path.of(X, TARGETS[loss], loss, l1_ratio)
    path = glm_peers.Path(X, whole.y, whole.alphas[40:41], loss, l1_ratio)
    best = glm_peers.ours(path, 1e-11)
    assert -1e-12 <= path.gap(best) <= 1e-9
    for size in (0.01, 0.3):
        w = best[:, 0] + size * RNG.standard_normal(P)
        excess = objective(path, w) - objective(path, best[:, 0])
        assert path.gap(w[:, None]) >= excess > 0


@pytest.mark.parametrize("l1_ratio", [0.5, 0.0])
def test_the_judge_takes_the_best_multiple_of_a_residual(l1_ratio):
    """So an approximate elastic net is judged as its certificate judges it."""
    path = glm_peers.Path.of(X, Y, "squared", l1_ratio)
    path = glm_peers.Path(X, path.y, path.alphas[20:60:10], "squared", l1_ratio)
    best = glm_peers.ours(path, 1e-11)
    found = cb.Problem(X, path.y)
    for k in range(4):
        coef = 0.9 * best[:, [k]]
        one = glm_peers.Path(X, path.y, path.alphas[[k]], "squared", l1_ratio)
        target = cb.lasso_path(found, alphas=one.alphas, l1_ratio=l1_ratio, unit_columns=False)
        point = cb.certify(found, found.unit(coef[:, 0]), target.target(0))
        assert one.gap(coef) <= point.gap / found.start_loss * (1 + 1e-6) + 1e-12


def test_bounds_from_sums_of_products_are_the_bounds():
    path = glm_peers.Path.of(X, Y)
    w = RNG.standard_normal((P, 100))
    found = judge.bounds_of_gram(X, path.y, path.alphas, w)
    np.testing.assert_allclose(found, judge.bounds(X, path.y, path.alphas, w), rtol=1e-9)


def test_bounds_of_two_classes_are_those_of_the_logistic_loss_with_half_of_the_coefficients():
    label = TARGETS["logistic"].astype(int)
    w = RNG.standard_normal((P, 1))
    alphas = np.array([0.05])
    halves = np.stack([-w.T / 2, w.T / 2], axis=1)
    found = judge.bounds_of_classes(X, label, alphas, halves)
    expected = judge.bounds(X, TARGETS["logistic"], alphas, w, "logistic")
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def only(task, data=(X, Y), **options):
    """The tables of a task on a tiny table."""
    row = rows.Row("tiny", lambda: data, task, 0.5, options)
    return list(task(row, *data, **options))


def test_a_path_has_a_table_for_each_target_with_gaps_of_the_judge():
    tables = only(rows.paths, peers=(glm_peers.ENET, Peer("absent", lambda *_: 1 / 0)))
    assert [table["target"] for table in tables] == [1e-3, 1e-6]
    for table in tables:
        ours, peer, absent = table["rows"]
        assert max(ours["gap"], peer["gap"]) <= table["target"]
        assert "ZeroDivisionError" in absent["note"] and table["reach"] == 0.5
        assert table["best_peer"] == "scikit-learn enet_path" and table["data_mb"] > 0


def test_stagewise_contestants_have_the_same_loss():
    options = {"of": small_peers.stagewise, "judge": small_peers.loss_of, "n_steps": 60}
    (table,) = only(rows.runs, ar1(50, 600, n_active=3), **options)
    losses = [row["loss"] for row in table["rows"]]
    assert losses[0] == pytest.approx(losses[1], abs=1e-9) and losses[0] < 1


def test_neighbours_have_a_ratio_of_their_own():
    (table,) = only(rows.neighbours, hard=rows.longer_grid, easy=rows.plain, eps=1e-2, factor=2.0)
    hard, easy, _ = table["rows"]
    assert table["over_neighbour"] == pytest.approx(hard["cpu"] / easy["cpu"] / 2)
    assert "neighbour" in rows.line(table)


def test_names_of_rows_are_unique():
    names = [row.name for row in rows.ROWS]
    assert len(names) == len(set(names)) and set(rows.QUICK) <= set(names)


def test_the_section_is_written_between_its_marks(tmp_path):
    page = tmp_path / "page.md"
    begin, end = markdown.marks("rows")
    page.write_text(f"before\n{begin}\nold\n{end}\nafter\n")
    table = {
        "name": "tiny",
        "unit": "path",
        "target": 1e-3,
        "reach": 0.5,
        "data_mb": 2.0,
        "best_peer": "peer",
        "ours_over_best": 0.25,
        "rows": [{"name": "coordboost", "cpu": 0.0123, "peak_mb": 3.4}],
    }
    pickled = {**table, "unit": "pickle of trees", "rows": [{"name": "coordboost", "bytes": 1234}]}
    del pickled["target"]
    markdown.write_section(page, "rows", rows.section([table, pickled]))
    text = page.read_text()
    assert text.startswith("before") and text.endswith("after\n") and "old" not in text
    assert "| tiny, gap 0.001 | 12.3 | 0.25 (peer) | 0.5 | 3 (2) |" in text
    much = {**table, "name": "FS, 5,000 x 8, 1,000,000 steps", "data_mb": 0.1}
    assert rows.line(much).endswith("| 3 (0): 16 bytes a step |")
    assert "| tiny, pickle of trees | 1,234 bytes | 0.25 (peer) | 0.5 |  |" in text


def test_every_row_of_the_page_has_its_memory_and_a_reason_if_that_is_much():
    page = (Path(__file__).parents[2] / "docs" / "performance.md").read_text(encoding="utf-8")
    begin, end = markdown.marks("rows")
    lines = page[page.index(begin) : page.index(end)].splitlines()[3:]
    cells = {each.split(" | ")[0][2:]: each.split(" | ")[-1].strip(" |") for each in lines}
    assert {name.split(", gap ")[0].split(", pickle of ")[0] for name in cells} == {
        row.name for row in rows.ROWS
    }
    for name, memory in cells.items():
        if "pickle" not in name:
            peak, data = memory.split(":")[0].rstrip(")").split(" (")
            assert int(peak) <= 2 * int(data) + rows.MODEST + 1 or rows.filled_by(name) in memory
            assert "unexplained" not in memory


@pytest.mark.slow
def test_a_row_is_measured_in_a_process_of_its_own():
    name = "warm, 100 x 5: predict one row"
    (table,) = rows.tables(only=[name])
    assert table["name"] == name and table["rows"][0]["peak_mb"] < 20


@pytest.mark.parametrize(
    ("suite", "name"),
    [("rows", "performance"), ("defaults", "performance"), ("rule_models", "rules")],
)
def test_the_pages_have_the_marks(suite, name):
    page = (Path(__file__).parents[2] / "docs" / f"{name}.md").read_text(encoding="utf-8")
    assert all(page.count(mark) == 1 for mark in markdown.marks(suite))
