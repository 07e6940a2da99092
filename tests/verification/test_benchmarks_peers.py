"""R in a process of its own, and every peer on a tiny problem; without Rscript, a row with a
note.
"""

import numpy as np
import pytest

import coordboost as cb
from verification.benchmarks import boosting, frank_wolfe, langevin, lasso, r, trees
from verification.benchmarks.data import ar1, sparse_normal, unit
from verification.benchmarks.lasso_peers import PEERS

ECHO = (
    "work <- function() sum(y)\nanswer <- function(fit) list(total = fit, entries = "
    "as.matrix(X), given = given)"
)
EPS = np.finfo(float).eps


def needs_r(*packages):
    """Skip without Rscript or one of the packages."""
    missing = {"R", *(f"R {name}" for name in packages)} - set(r.versions())
    if missing:
        pytest.skip(f"not here: {', '.join(sorted(missing))}")


@pytest.fixture
def no_r(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))


def test_without_rscript_a_script_is_refused_in_words(no_r):
    with pytest.raises(FileNotFoundError, match="Rscript is not on PATH"):
        r.Desk(np.eye(2), np.ones(2)).run("stats", ECHO)
    assert r.versions() == {}


def test_without_rscript_the_tables_have_rows_with_a_note(no_r):
    X, y = ar1(20, 10, n_active=3)
    grid = lasso.grid_of(X, y, 0.1, n_alphas=5)
    peers = [peer for peer in PEERS if peer.name.startswith("R ")]
    tables = [
        boosting.steps("tiny", X, y, cb.ls_boost(0.1), 5, peers=[boosting.mboost], rounds=1),
        boosting.knots("tiny", X, y, 3, rounds=1),
        lasso.path("tiny", grid, list(lasso.searches(grid, peers)), 1e-3, rounds=1),
    ]
    rows = [row for table in tables for row in table["rows"] if row["name"].startswith("R ")]
    assert len(rows) == 5 and all(
        "Rscript is not on PATH" in row["note"] and "cpu" not in row for row in rows
    )
    assert all("cpu" in table["rows"][0] for table in tables)


def test_runs_on_one_model_state_alone_make_the_same_steps():
    X, y = ar1(30, 250, n_active=3)
    table = boosting.states(
        "tiny", cb.Problem(X, y), cb.forward_stagewise(0.05), 40, boosting.SQUARED, rounds=1
    )
    assert [row["same_picks"] for row in table["rows"]] == [40, 40]
    assert table["ours_over_best"] > 0 and table["n_scans"] >= 1


@pytest.mark.peers
def test_mboost_makes_our_steps():
    needs_r("mboost")
    steps = 300
    table = boosting.steps(
        "tiny", *ar1(60, 100), cb.ls_boost(0.05), steps, peers=[boosting.mboost], rounds=1
    )
    row = table["rows"][-1]
    assert (row["steps"], row["same_picks"]) == (steps, steps)
    assert (
        row["beta_off"] <= steps * 60 * EPS
    )  # each step adds the rounding of an inner product of 60 terms; |y| = 1
    assert row["cpu"] > 0


@pytest.mark.peers
def test_lars_has_our_knots():
    needs_r("lars")
    row = boosting.knots("tiny", *ar1(60, 100), 30, rounds=1)["rows"][-1]
    assert (
        row["knots"] == 30 and row["beta_off"] <= 30 * 60 * 30 * EPS
    )  # 30 solves with inner products of 60 terms, condition 30


TINY = {"dense": ar1(40, 60, n_active=5), "sparse": sparse_normal(60, 40, density=0.2, n_active=5)}


@pytest.mark.peers
@pytest.mark.filterwarnings("ignore")  # peers warn of loose tolerances
@pytest.mark.parametrize(
    ("peer", "data"),
    [(peer, data) for data in TINY for peer in PEERS if peer.fits(TINY[data][0])],
    ids=lambda value: getattr(value, "name", value),
)
def test_every_peer_reaches_the_target_by_our_evaluation(peer, data):
    if peer.name.startswith("R "):
        needs_r(peer.name.split(",")[0][2:])
    elif not peer.name.startswith("scikit-learn"):
        pytest.importorskip("glmnet" if peer.name == "python-glmnet" else peer.name.split()[0])
    grid = lasso.grid_of(*TINY[data], 0.05, n_alphas=10)
    row = lasso.path("tiny", grid, list(lasso.searches(grid, [peer])), 1e-6, rounds=1)["rows"][-1]
    assert row["gap"] <= 1e-6 and row["cpu"] >= 0, row


@pytest.mark.peers
@pytest.mark.parametrize("logistic", [False, True])
def test_trees_of_all_packages_reach_the_same_loss(logistic):
    """Our Newton leaves are damped: as many trees end between the start and the loss of the others.

    XGBoost and CatBoost bound leaves in another way, or grow other trees.
    """
    table = trees.trees("tiny", (2000, 10, 5), 3, logistic, rounds=1)
    rows = {row["name"]: row for row in table["rows"] if not row["note"]}
    assert all(row["cpu"] > 0 for row in rows.values()) and len(rows) > 1
    undamped = ["LightGBM", "scikit-learn HGB"] + ([] if logistic else ["coordboost"])
    losses = [rows[name]["loss"] for name in undamped if name in rows]
    assert losses == pytest.approx([losses[-1]] * len(losses), rel=1e-3 if logistic else 1e-5)
    if logistic:
        assert max(losses) < rows["coordboost, Newton"]["loss"] < np.log(2)


@pytest.mark.peers
def test_stumps_reach_the_loss_of_trees_of_depth_1():
    table = trees.stumps("tiny", (2000, 10, 40), rounds=1)
    rows = {row["name"]: row for row in table["rows"] if not row["note"]}
    for name in (
        "coordboost, trees",
        "LightGBM",
        "scikit-learn HGB",
    ):  # peers keep residuals in float32
        assert name not in rows or rows[name]["loss"] == pytest.approx(
            rows["coordboost, stumps"]["loss"], rel=1e-5
        )
    assert table["best_peer"] in trees.PEERS


@pytest.mark.peers
@pytest.mark.parametrize("depth", [0, 2])
def test_noise_is_compared_with_no_noise_and_with_peers(depth):
    table = langevin.steps("tiny", (2000, 5), depth, 10, rounds=1)
    rows = {row["name"]: row for row in table["rows"] if not row["note"]}
    assert table["ratio to no noise"] == pytest.approx(
        rows["coordboost"]["cpu"] / rows["no noise"]["cpu"]
    )
    assert all(0 < row["loss"] < 5 for row in rows.values())
    assert table["best_peer"] in (None, "CatBoost langevin", "hessboost langevin")


def test_without_copt_its_rows_have_a_note(monkeypatch):
    monkeypatch.setattr(frank_wolfe.importlib.util, "find_spec", lambda name: None)
    rows = frank_wolfe.table("tiny", *ar1(60, 8, n_active=4), 1e-6, rounds=1)["rows"]
    theirs = [row for row in rows if row["name"].startswith("copt")]
    assert len(theirs) == 3 and all(
        row["note"] == "copt is not installed" and "cpu" not in row for row in theirs
    )
    assert all(row["gap"] <= 1e-6 for row in rows if row not in theirs)


@pytest.mark.peers
def test_copt_reaches_the_gap_but_its_pairwise_steps_stall_unless_repaired():
    """On scikit-learn's diabetes data, copt drops a vertex and then inserts it again with weight
    0.
    """
    pytest.importorskip("copt")
    from sklearn.datasets import load_diabetes

    X, y = load_diabetes(return_X_y=True)
    found = frank_wolfe.table("diabetes", X, unit(y), 1e-6, rounds=1)
    rows = {row["name"]: row for row in found["rows"]}
    stalled = rows.pop("copt, pairwise")
    assert all(row["gap"] <= 1e-6 for row in rows.values()), rows
    assert stalled["gap"] > 1e-3 and stalled["steps"] == frank_wolfe.MOST - 1
    assert found["best_peer"].startswith("copt, pairwise, repaired")
