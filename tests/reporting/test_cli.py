"""The command line prints what the package computes, and refuses bad input in one line."""

import gzip
import inspect
import json
import subprocess
import sys

import numpy as np
import pytest
from click.testing import CliRunner
from command_line import call, fine, flags, said

import coordboost
from coordboost import Problem, load, ls_boost, rtgcd, solve
from coordboost.losses import Logistic
from coordboost.methods import METHODS, gcd
from coordboost.reporting.cli import main

pytestmark = pytest.mark.usefixtures("in_python")
#: The options of each method that is tried: its first example, as flags.
TRIALS = {name: flags(**maker.EXAMPLES[0]) for name, maker in METHODS.items()}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working directory with small tables."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    X = np.round(rng.standard_normal((30, 4)), 3)
    y = np.round(X @ [3.0, -2.0, 0.0, 1.0] + rng.standard_normal(30), 3)
    np.savetxt("t.csv", np.column_stack([X, y]), delimiter=",", header="a,b,c,d,price", comments="")
    np.savetxt(
        "flat.csv",
        np.column_stack([X[:, :2], np.ones(30), y]),
        delimiter=",",
        header="a,b,same,y",
        comments="",
    )
    np.savez("t.npz", X=X, y=y > 0)
    rows = [
        f"{int(label > 0)} " + " ".join(f"{j + 1}:{x}" for j, x in enumerate(row))
        for row, label in zip(X, y, strict=True)
    ]
    with gzip.open("t.svm.gz", "wt") as file:
        file.write("\n".join(rows) + "\n")
    (tmp_path / "text.csv").write_text("a,y\n1,2\nx,3\n")
    return tmp_path


def test_every_help_page_shows_examples_and_exit_codes():
    text = fine("--help").stdout
    assert "130" in text and "coordboost fit" in text
    for command in main.commands:
        lines = CliRunner().invoke(main, [command, "-h"], terminal_width=100).output.splitlines()
        assert len(lines) <= 50, command


def test_every_method_lists_its_options():
    listed = fine("methods").stdout
    for name, maker in METHODS.items():
        told = fine("methods", name).stdout
        assert (
            f"\n{name}: " in f"\n{listed}"
            and " ".join(inspect.getdoc(maker).split("\n\n")[0].split()) in listed
            and inspect.getdoc(maker) in told
        )
        assert told == fine("fit --help --method", name).stdout and all(
            f"  {one}" in told for one in TRIALS[name].split()[::2]
        )
    assert (
        "--eps X" in fine("methods ls_boost").stdout
        and "[default: 0.1]" in fine("methods ls_boost").stdout
    )
    assert "--no-guard" in fine("methods agbm").stdout and call("methods lars").exit_code == 2


def test_version_is_that_of_the_package():
    assert fine("--version").stdout.split()[-1] == coordboost.__version__


@pytest.mark.parametrize("name", TRIALS)
def test_every_method_runs_and_its_files_are_written(folder, name):
    result = fine("path t.csv --target price --steps 3 --out o --json --method", name, TRIALS[name])
    row = json.loads(result.stdout)["rows"][0]
    run = load(folder / "o" / f"{name}.run")
    assert row["method"] == name == run.method.name and row["steps"] == run.n_steps == 3
    assert row["training_error"] == run.final.loss / 30 and (folder / "o" / f"{name}.png").is_file()


def test_json_is_the_run_of_the_package_and_nothing_else(folder):
    result = fine("path t.csv --target price --method ls_boost --eps 0.3 --steps 50 --json")
    table = np.loadtxt("t.csv", delimiter=",", skiprows=1)
    run = solve(Problem(table[:, :4], table[:, 4]), ls_boost(0.3), 50)
    said = json.loads(result.stdout)
    assert result.stderr == "" and said["files"] == [
        "coordboost-out/ls_boost.run",
        "coordboost-out/ls_boost.png",
    ]
    assert load(said["files"][0]).beta.tobytes() == run.beta.tobytes()
    assert load(said["files"][0]).problem.feature_names == ["a", "b", "c", "d"]


def test_table_is_readable_in_a_pipe(folder):
    result = fine(
        "path t.csv --target price --method regularized_forward_stagewise --eps 0.01 --delta 5 "
        "--steps 500"
    )
    assert result.stderr == "" and "\x1b" not in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 100
    for words in (
        "eps = 0.01",
        "training error",
        "certified gap",
        "Lasso, l1 <= 5",
        "regularized_forward_stagewise.run",
    ):
        assert words in result.stdout


@pytest.mark.parametrize(
    "words, method, loss",
    [("rtgcd --t 2", rtgcd(2), None), ("gcd --loss logistic:0.1", gcd(), Logistic(0.1))],
)
def test_sparse_data_and_losses_and_seeds(words, method, loss, folder):
    fine(f"path {'t.npz' if loss else 't.svm.gz'} --method {words} --steps 40 --seed 7 --out o")
    with np.load("t.npz") as archive:
        stored = dict(archive)
    run = solve(Problem(stored["X"], stored["y"], loss), method, 40, rng=7)
    saved = load(f"o/{method.name}.run")
    assert saved.path.learner.tolist() == run.path.learner.tolist()
    np.testing.assert_allclose(saved.coef, run.coef, rtol=1e-9)


def test_an_unknown_gap_is_explained(folder):
    result = fine("path t.npz --method gcd --loss exponential --line-search --steps 5 --json")
    said = json.loads(result.stdout)
    assert said["rows"][0]["gap"] is None and "--ball" in said["text"][0]


def test_constant_columns_are_noted_in_one_line(folder):
    result = fine("path flat.csv --method gcd --steps 5 --json")
    assert (
        result.stderr == "note: 1 constant column(s) set aside, their coefficients are 0: same.\n"
    )
    json.loads(result.stdout)


BAD_INPUT = [
    ("path none.csv --method gcd", "no such file"),
    ("path text.csv --method gcd", "line 3, column 'a' holds 'x' among numbers"),
    ("path t.csv --method gcd", "no column 'y'"),
    ("path t.csv --target price --method ls_boost --eps 2", "eps must be"),
    ("path t.csv --target price --method ls_boost --eps nan", "eps must be"),
    (
        "path t.csv --target price --method regularized_forward_stagewise --eps 2 --delta 1",
        "delta must be",
    ),
    (
        "path t.csv --target price --method path_forward_stagewise --eps 1 --deltas 9:2",
        "must not decrease",
    ),
    ("path t.csv --target price --method gcd --loss logistic", "expects labels"),
    ("path t.npz --method gcd --loss exponential", "use --line-search"),
    ("path t.npz --method gcd --loss huber:-1", "d must be"),
    ("path t.csv --target price --method gcd --no-scale", "Leave out --no-scale"),
    ("path t.csv --target price --method rtgcd --t 9", "from 1 to 4"),
    ("path t.csv --target price --method gcd --out t.csv/o", "t.csv"),
    ("certify none.run", "does not exist"),
    ("certify t.csv", "not a coordboost run"),
    ("quickstart --out t.csv/o", "t.csv"),
]
WRONG_USAGE = [
    ("walk", "No such command"),
    ("path t.csv", "--method"),
    ("path t.csv --method lars", "ls_boost"),
    ("path t.csv --method forward_stagewise", "needs --eps; it takes --eps."),
    ("path t.csv --method rtgcd", "needs --t; it takes --t [--line-search]."),
    (
        "path t.csv --method ls_boost --delta 3 --lam 1",
        "does not take --delta, --lam; it takes [--eps].",
    ),
    ("path t.csv --method ls_boost --line-search", "does not take --line-search"),
    ("path t.csv --method ls_boost --steps -1", "--steps"),
    ("path t.csv --method ls_boost --loss hinge", "squared, huber"),
    ("path t.csv --method ls_boost --loss squared:2", "squared, huber"),
    ("path t.csv --method path_forward_stagewise --eps 1 --deltas 9", "A:B"),
    ("path t.csv --method ls_boost --out t.csv", "is a file"),
    ("certify x.run --ball 1 --lam 1", "give one of them"),
    ("certify x.run --ball -1", ">= 0"),
    ("certify x.run --lam nan", ">= 0"),
]


@pytest.mark.parametrize(("words", "sentence"), BAD_INPUT)
def test_bad_input_is_one_line_on_stderr_and_exit_code_1(folder, words, sentence):
    result = call(words)
    assert result.exit_code == 1 and result.stdout == ""
    assert (
        result.stderr.startswith("coordboost: ")
        and result.stderr.count("\n") == 1
        and sentence in result.stderr
    )


@pytest.mark.parametrize(("words", "sentence"), WRONG_USAGE)
def test_wrong_usage_says_what_is_right_and_exits_with_2(folder, words, sentence):
    result = call(words)
    assert result.exit_code == 2 and result.stdout == ""
    assert sentence in result.stderr and "-h" in result.stderr


def test_certify_prints_the_interval_of_the_model(folder):
    fine(
        "path t.csv --target price --method regularized_forward_stagewise --eps 0.01 --delta 5 "
        "--steps 900 --out o"
    )
    run = load("o/regularized_forward_stagewise.run")
    own = said("certify o/regularized_forward_stagewise.run")
    assert (
        own["model"]["upper"] == run.certificate().upper
        and own["model"]["lower"] == run.certificate().lower
    )
    other = said("certify o/regularized_forward_stagewise.run --lam 2")
    assert other["target"] == "Lasso, lam = 2" and other["model"]["gap"] > own["model"]["gap"]
    text = fine("certify o/regularized_forward_stagewise.run --ball 3").stdout
    assert "Lasso, l1 <= 3" in text and "lower" in text and "no model can beat" in text


def test_certify_asks_an_independent_solver(folder):
    fine("path t.csv --target price --method ls_boost --eps 0.5 --steps 300 --out o")
    found = said("certify o/ls_boost.run --independent")
    solver = next(name for name in found if name in ("OSQP", "CLARABEL"))
    assert found["agree"] is True and found[solver]["upper"] == pytest.approx(
        found["model"]["upper"], rel=1e-9
    )
    assert "overlap" in fine("certify o/ls_boost.run --independent").stdout


def test_the_module_is_the_command():
    done = subprocess.run(
        [sys.executable, "-m", "coordboost", "--version"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split()[-1] == coordboost.__version__


def test_help_loads_neither_plots_nor_solvers():
    code = (
        "import sys, contextlib, io\nfrom coordboost.reporting.cli import main\n"
        "with contextlib.redirect_stdout(io.StringIO()):\n    main(['path', '--help'], "
        "standalone_mode=False)\n"
        "print(*(name for name in ('matplotlib', 'sklearn', 'cvxpy', 'rich', 'pandas') if name in "
        "sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_the_help_converts_penalties_as_scikit_learn_needs_it(folder):
    """lam = sqrt(n) alpha with columns of standard deviation 1, n alpha with columns of norm 1."""
    from sklearn.linear_model import Lasso

    text = " ".join(fine("methods lasso_cd").stdout.split())
    assert (
        "it is sqrt(n) times scikit-learn's alpha or glmnet's lambda; with columns of norm 1 it is "
        "n times these" in text
    )
    table = np.loadtxt("t.csv", delimiter=",", skiprows=1)
    lam = 2.0
    X = table[:, :4] - table[:, :4].mean(axis=0)
    y = table[:, 4]
    fine(f"path t.csv --target price --method lasso_cd --lam {lam} --steps 3000 --out o")
    own = load("o/lasso_cd.run").predict(table[:, :4])
    for columns, alpha in (
        (X / X.std(axis=0), lam / 30**0.5),
        (X / np.linalg.norm(X, axis=0), lam / 30),
    ):
        np.testing.assert_allclose(
            Lasso(alpha, tol=1e-14, max_iter=10**5).fit(columns, y).predict(columns),
            own,
            rtol=0,
            atol=1e-9,
        )
