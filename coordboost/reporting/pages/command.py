"""The command that reproduces a run, from the record in the run of its table, method and
problem.
"""

import inspect
import re

import numpy as np

from coordboost.certificates.objectives import L1Penalty
from coordboost.data.columns import CATEGORY, DATE, TWO_WAYS, Cells
from coordboost.methods.named import METHODS
from coordboost.rules.steps import LineSearch, SegmentSearch

#: Parameters of methods that are not written as one number on the command line, or not available
#: there.
NO_NUMBERS = ("step", "deltas", "select", "families", "structure")


def command(run, recipe):
    """Return ``coordboost fit TABLE ...``, or ``cv`` if it chose the steps.

    None if the command line cannot express the run.

    Options on the format of the file, such as ``--sep``, are left out.
    """
    chosen = run.outcome.validation
    chosen = None if chosen is None or chosen["choose"] is None else chosen
    steps = run.n_steps if chosen is None else chosen["steps"]
    words = _of_method(run, steps)
    if (
        words is None
        or (run.problem.weight != 1).any()
        or (chosen is not None and isinstance(run.method.target, L1Penalty))
    ):
        return None
    loss = run.problem.loss
    standardization = run.problem.standardization
    name = type(loss).__name__.lower()
    told = [] if loss == type(loss)() else [f":{float(loss[0])!r}"]
    words += [] if name == "squared" else [f"--loss {''.join([name, *told])}"]
    words += [] if run.problem.constant or standardization.mean.any() else ["--no-center"]
    words += ["--no-scale"] if (standardization.norm == 1).all() else []
    words += [f"--steps {steps}", f"--seed {run.seed}"]
    words += (
        [] if chosen is None else [f"--folds {chosen['folds']}", f"--choose {chosen['choose']}"]
    )
    target = [] if recipe is None else [f"--target {for_shell(recipe.target)}"]
    verb = "fit" if chosen is None else "cv"
    return " ".join(
        [
            f"coordboost {verb} TABLE",
            *target,
            f"--method {run.method.name}",
            *words,
            *_of_table(recipe),
        ]
    )


def _of_method(run, steps):
    """Return the options of the method, a list, or None if the command line cannot express them."""
    if run.method.name not in METHODS:
        return None
    usual = {
        name: one.default
        for name, one in inspect.signature(METHODS[run.method.name]).parameters.items()
    }
    words = []
    for name, value in run.method.parameters.items():
        flag = "--" + name.replace("_", "-")
        if isinstance(value, bool):
            words += (
                [] if value == usual[name] else [flag if value else flag.replace("--", "--no-")]
            )
        elif (
            name not in NO_NUMBERS
            and value is not None
            and np.size(value) == 1
            and not isinstance(value, str)
        ):
            words.append(f"{flag} {np.asarray(value).item()!r}")
        elif name == "deltas" and np.array_equal(value, np.geomspace(value[0], value[-1], steps)):
            words.append(f"--deltas {float(value[0])!r}:{float(value[-1])!r}")
        elif name == "step" and isinstance(value, LineSearch | SegmentSearch):
            words.append("--line-search")
        elif not np.array_equal(value, usual.get(name)):
            return None
    return words


def _of_table(recipe):
    """Return the options on the columns of the table, a list."""
    if recipe is None:
        return []
    cells = Cells(decimal=recipe.marks[0], thousands=recipe.marks[1]) if recipe.marks else Cells()
    numbers = [
        one.name for one in recipe.variables if one.kind == CATEGORY and _numbers(cells, one.levels)
    ]
    forms = {one.levels[0] for one in recipe.variables if one.kind == DATE}
    either = forms & {form for pair in TWO_WAYS.items() for form in pair} if len(forms) == 1 else ()
    given = {"drop": recipe.dropped, "text": numbers, "na": recipe.na, "date-format": either}
    words = [f"--{name} {for_shell(one)}" for name, values in given.items() for one in values]
    return words + ([] if recipe.impute is None else [f"--impute {recipe.impute}"])


def _numbers(cells, words):
    """Whether all `words` would be read as numbers without ``--text``."""
    return all(cells.number(word) is not None for word in words)


def for_shell(name):
    """Return `name` quoted for a POSIX shell."""
    return "'" + name.replace("'", "'\\''") + "'"


def for_shell_if_needed(name):
    """Return `name`, quoted if it has characters that may be special in a shell."""
    return name if re.fullmatch(r"[\w./-]+", name) else for_shell(name)
