"""Public functions ("doors") with values passed by mistake: an error of the package that names the
parameter, never one of a library.
"""

import inspect
import io
import os
import re
import subprocess
import sys
import traceback
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from doors import DOORS, FOLDER, RUN, SQUARED, STORED, STRANGE, X, Y
from public import MODULES, PUBLIC
from refusal import refused
from run_files import forged, header_of, npy, put_together, taken_apart

import coordboost as cb
from coordboost.reporting.cli import main

PACKAGE = str(Path(cb.__file__).parent)
#: Names that nobody calls with data: results of the package, rules, losses, model states, base
#: classes.
MADE = {
    "FamilySummary",
    "BoundCheck",
    "Certificate",
    "ConstantColumnWarning",
    "Contributions",
    "CrossValidation",
    "NaiveState",
    "Families",
    "IterationEstimate",
    "WorkingSetState",
    "CovarianceState",
    "CovarianceColumns",
    "InterruptedWarning",
    "Interval",
    "LeafStumps",
    "LongStepWarning",
    "LookaheadState",
    "METHODS",
    "Noise",
    "Run",
    "ShapeFunction",
    "State",
    "Status",
    "Structure",
    "Structured",
    "Stumps",
    "Table",
    "Dense",
    "Sparse",
    "best_of",
    "bounds",
    "langevin",
    "plots",
    "Unconstrained",
    "Law",
    "Report",
    "WorstCase",
    "performance",
    "Bootstrap",
    "MultinomialPath",
    "Loss",
    "SelectionRule",
    "StepRule",
    "CoefficientRule",
    "Learners",
    "LearnerFamily",
}
#: Functions of the theory that take a problem.
OF_A_PROBLEM = {"distance", "kappa", "lambda_pmin", "sampled_mca", "start_distance"}
#: Parameters that are functions: an error inside a user's function is the user's.
FUNCTIONS = ("fit", "watch", "stop", "step", "complexity", "draw")
#: Other words by which an error message names a parameter.
ALIASES = {
    "source": ("X ", "oracle", "file", "does not exist"),
    "X": ("column", "oracle", "Problem"),
    "runs": ("run ",),
    "X_val": ("X ",),
    "rate": ("eps",),
    "shrink": ("gamma eps",),
    "blocks": ("block",),
    "target": ("choose the target", "certificate"),
    "deltas": ("sequence",),
    "piece": ("loss", "rule"),
    "path": ("expected a name", "the data frame"),
    "file": ("not a coordboost run", "does not exist"),
    "statements": ("statement", "speak"),
    "method": ("law", "method", "ls_boost"),
    "run": ("noise", "run "),
    "problem": ("Problem",),
    "alpha": ("lam",),
    "of": ("Problem",),
}


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """Work in a temporary folder: some calls write a file called "text"."""
    monkeypatch.chdir(tmp_path)


def outcome(action):
    """Return the error that `action` raises, or None."""
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            action()
    except Exception as error:
        return error
    return None


def fault(name, parameter, error):
    """Return what is wrong with the error of a public function, or None."""
    if error is None:
        return None
    message = str(error)
    last = traceback.extract_tb(error.__traceback__)[-1].filename
    theirs = ".fit" in name or name.endswith(
        ("Regressor.predict", "Classifier.predict", "CertifiedLasso.predict")
    )
    ours = last.startswith(PACKAGE) or (theirs and f"{os.sep}sklearn{os.sep}" in last)
    if not isinstance(error, ValueError) and not (theirs and ours and type(error) is TypeError):
        return f"{type(error).__name__}: {message}"
    if not ours or "numba" in message.lower():
        return f"said in {last}: {message}"
    words = (parameter, *ALIASES.get(parameter, ()))
    named = theirs or any(word.lower() in message.lower() for word in words)
    return (
        None
        if named and ("\n" not in message or theirs)
        else f"no sentence about {parameter}: {message}"
    )


def faults(name, values):
    function, given, after = DOORS[name]
    for parameter, how in inspect.signature(function).parameters.items():
        for value in values if how.kind is not how.VAR_KEYWORD else ():
            own = parameter in FUNCTIONS and value in ("a function", "a maker")
            error = outcome(
                lambda p=parameter, v=value: after(function(**{**given, p: STRANGE[v]()}))
            )
            said = None if own else fault(name, parameter, error)
            if said:
                yield f"{parameter} = {value}: {said}"


def test_every_public_name_is_a_door_or_made_by_the_package():
    known = (
        {name.split(".")[0] for name in DOORS} | MADE | OF_A_PROBLEM | {"AcceleratedGBMClassifier"}
    )
    known |= {name for name in PUBLIC if name in MODULES or name.endswith("Display")}
    known |= {name for name, value in PUBLIC.items() if not any(getattr(value, "EXAMPLES", [1]))}
    estimators = {name for name, value in PUBLIC.items() if hasattr(value, "get_params")}
    assert set(PUBLIC) - estimators - known == set()


def test_doors_accept_good_input():
    def used(name):
        function, arguments, use = DOORS[name]
        return use(function(**arguments))

    errors = {name: outcome(partial(used, name)) for name in DOORS}
    assert {name: error for name, error in errors.items() if error} == {}


@pytest.mark.parametrize("name", DOORS)
def test_errors_are_those_of_the_package(name):
    """A quarter of the strange values, in turn for each function; the slow test has all."""
    assert list(faults(name, list(STRANGE)[list(DOORS).index(name) % 4 :: 4])) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", DOORS)
def test_errors_are_those_of_the_package_for_all_values(name):
    assert list(faults(name, STRANGE)) == []


@pytest.mark.parametrize(
    "kind", [cb.CertifiedLasso, cb.CertifiedLassoCV, cb.LSBoostRegressor, cb.RandomizedGBMRegressor]
)
def test_estimators_refuse_columns_in_a_store(kind):
    refused(
        lambda: kind().fit(cb.data.open_columns(STORED), Y),
        "X must be an array, a data frame or a sparse matrix",
    )


def test_a_number_is_no_file():
    """A number would be the descriptor of an open file: 1 is stdout."""
    for bad in (True, 1, 2.0, None, b"a.run"):
        refused(lambda bad=bad: cb.load(bad), "file must be the path of a file")
        refused(lambda bad=bad: RUN.save(bad), "file must be the path of a file")
    os.fstat(1)


def spoiled(run, field, value):
    """Save the run with one number of an array changed, and coefficients and digests that fit it;
    return the file.
    """
    file = Path(FOLDER.name) / "spoiled.run"
    run.save(file)
    members = taken_apart(file.read_bytes())
    arrays = {
        name: np.lib.format.read_array(io.BytesIO(data))
        for name, data in members.items()
        if name != "header.npy"
    }
    arrays[f"{field}.npy"].flat[0] = value
    arrays["beta.npy"][:] = 0
    np.add.at(arrays["beta.npy"], arrays["path.learner.npy"], arrays["path.theta.npy"])
    file.write_bytes(
        put_together(
            forged(
                {**members, **{name: npy(array) for name, array in arrays.items()}},
                header_of(members),
            )
        )
    )
    return file


@pytest.mark.parametrize("value", [1e155, -1e200, 1e308])
@pytest.mark.parametrize(
    "method",
    [cb.ls_boost(0.5), cb.methods.gcd(cb.rules.LineSearch()), cb.rtgcd(2)],
    ids=lambda one: one.name,
)
def test_a_run_file_that_ends_beyond_float64_is_refused(method, value):
    file = spoiled(cb.solve(SQUARED, method, 5, compile=False), "path.theta", value)
    refused(lambda: cb.load(file).resume(3), "the loss of its last model is not finite")


@pytest.mark.parametrize("loss", [cb.losses.Squared(), cb.losses.Huber(1.0)])
def test_a_resumed_run_goes_back_to_its_own_steps_at_most(loss):
    """Steps made before `resume` are kept, however long they are; new steps that leave float64 are
    not.
    """
    problem = cb.Problem(X, Y, loss)
    run = cb.solve(problem, cb.vagbm(1.0, 1.0), 4, compile=False)
    longer = run.resume(6000)
    assert longer.n_steps >= run.n_steps and np.isfinite(longer.final.loss)
    again = longer.resume(50)
    assert again.n_steps >= longer.n_steps and np.isfinite(again.final.loss)


def test_an_interval_without_an_end_is_shown(tmp_path):
    """An upper end beyond float64: the command writes a dash."""
    cb.solve(cb.Problem(X, 10 * Y), cb.ls_boost(0.5), 6, compile=False).save(tmp_path / "a.run")
    shown = CliRunner().invoke(main, ["certify", str(tmp_path / "a.run"), "--lam", "1e308"]).output
    assert re.search(r"upper +-\s", shown) and "inf" not in shown


COMMANDS = {
    "coef": ["coef", "RUN"],
    "coef as JSON": ["coef", "RUN", "--json"],
    "certify": ["certify", "RUN"],
    "check": ["check", "RUN"],
    "predict": ["predict", "RUN", "TABLE"],
    "mca": ["mca", "TABLE", "--target", "y"],
}


@pytest.fixture
def closed(monkeypatch):
    """Return a function that takes stdout or stderr from the process."""

    def close(*names):
        for name in names:
            monkeypatch.setattr(sys, name, None)

    return close


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_a_command_without_stdout_reports_it(words, closed, capfd, tmp_path):
    table = tmp_path / "table.csv"
    np.savetxt(table, np.column_stack([X, Y]), delimiter=",", header="a,b,c,y", comments="")
    cb.solve(cb.read_table(table, "y").problem(), cb.ls_boost(0.5), 6, compile=False).save(
        tmp_path / "a.run"
    )
    places = {"RUN": str(tmp_path / "a.run"), "TABLE": str(table)}
    closed("stdout")
    with pytest.raises(SystemExit) as ended:
        main([places.get(word, word) for word in words])
    assert ended.value.code == 1
    assert (
        capfd.readouterr().err
        == "coordboost: stdout: it is closed, so nothing can be printed; write to a file, or to "
        "/dev/null\n"
    )


@pytest.mark.parametrize("closing", ["2>&-", "<&- >&- 2>&-"])
def test_a_command_ends_as_it_should_whatever_is_closed(closing, tmp_path):
    RUN.save(tmp_path / "a.run")
    command = f'"{sys.executable}" -m coordboost coef "{tmp_path / "a.run"}" {closing}'
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr and done.returncode == (
        1 if ">&-" in closing.replace("2>&-", "") else 0
    )
