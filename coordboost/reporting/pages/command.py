"""The command that reproduces a run, from the record in the run of its table, method and
problem.
"""

import inspect
import re

import numpy as np

from coordboost._numba.sums import total_curvature
from coordboost.certificates.objectives import L1Penalty
from coordboost.data.columns import CATEGORY, DATE, TWO_WAYS, Cells
from coordboost.data.tree_learners import LIGHTEST
from coordboost.engine.held_out import EARLY
from coordboost.learners.trees import Growth
from coordboost.methods.named import METHODS
from coordboost.rules.selection import Groups
from coordboost.rules.steps import LineSearch, SegmentSearch

#: Parameters of methods that are not written as one number on the command line, or not available
#: there.
NO_NUMBERS = ("step", "deltas", "select", "families", "structure")
#: Limits of trees that are options, and their defaults there.
LIMITS = {
    "max_depth": 3,
    "max_leaves": -1,
    "min_samples": 1,
    "min_gain": 0.0,
    "l2": 0.0,
    "subsample": 1.0,
    "min_samples_category": 1,
    "max_split_categories": -1,
    "category_smoothing": 0.0,
}


def command(run, recipe):
    """Return ``coordboost fit TABLE ...``, or ``cv`` if it chose the steps.

    None if the command line cannot express the run.

    Options on the format of the file, such as ``--sep``, are left out.
    """
    chosen = run.validation
    chosen = None if chosen is None or chosen["choose"] in (None, EARLY) else chosen
    steps = run.n_steps if chosen is None else chosen["steps"]
    options = _of_method(run, steps)
    by_bins = run.problem.binning is not None
    learners = _of_trees(run) if by_bins else []
    if (
        options is None
        or learners is None
        or (run.problem.weight != 1).any()
        or (chosen is not None and isinstance(run.method.target, L1Penalty))
    ):
        return None
    loss = run.problem.loss
    standardization = run.problem.standardization
    name = type(loss).__name__.lower()
    argument = [] if loss == type(loss)() else [f":{float(loss[0])!r}"]
    options += [] if name == "squared" else [f"--loss {''.join([name, *argument])}"]
    is_centered = run.problem.constant or (not by_bins and standardization.mean.any())
    options += [] if is_centered else ["--no-center"]
    options += ["--no-scale"] if not by_bins and (standardization.norm == 1).all() else []
    options += [f"--steps {steps}", f"--seed {run.seed}"]
    options += (
        [] if chosen is None else [f"--folds {chosen['folds']}", f"--choose {chosen['choose']}"]
    )
    target = [] if recipe is None else [f"--target {for_shell(recipe.target)}"]
    verb = "fit" if chosen is None else "cv"
    return " ".join(
        [
            f"coordboost {verb} TABLE",
            *target,
            *learners,
            f"--method {run.method.name}",
            *options,
            *_of_table(recipe),
        ]
    )


def _of_method(run, steps):
    """Return the options of the method, a list, or None if the command line cannot express them."""
    if run.method.name not in METHODS:
        return None
    usual = {
        name: parameter.default
        for name, parameter in inspect.signature(METHODS[run.method.name]).parameters.items()
    }
    options = []
    for name, value in run.method.parameters.items():
        flag = "--" + name.replace("_", "-")
        if isinstance(value, bool):
            options += (
                [] if value == usual[name] else [flag if value else flag.replace("--", "--no-")]
            )
        elif (
            name not in NO_NUMBERS
            and value is not None
            and np.size(value) == 1
            and not isinstance(value, str)
        ):
            options.append(f"{flag} {np.asarray(value).item()!r}")
        elif name == "deltas" and np.array_equal(value, np.geomspace(value[0], value[-1], steps)):
            options.append(f"--deltas {float(value[0])!r}:{float(value[-1])!r}")
        elif name == "select" and type(value) is Groups and run.problem.binning is not None:
            options.append(f"--t {value.t}")
        elif name == "step" and isinstance(value, LineSearch | SegmentSearch):
            options.append("--line-search")
        elif not np.array_equal(value, usual.get(name)):
            return None
    return options


def _of_trees(run):
    """Return the options of the trees of a run, a list, or None for other learners and limits.

    Limits that the command line does not have must be as it makes them.
    """
    problem = run.problem
    family = getattr(problem.dictionary, "family", None)
    if family is None or len(family.families.bound) or family.penalty.any():
        return None
    growth = family.growth
    least = 0.0
    if family.newton:
        least = LIGHTEST * total_curvature(problem.loss, problem.y, problem.weight, problem.base)
    other = growth._replace(**{name: getattr(Growth(), name) for name in LIMITS})
    usual = Growth(
        min_weight=least,
        damping=growth.damping,
        seed=growth.seed if growth.subsample == 1 else run.seed,
    )
    if not all(map(np.array_equal, other, usual)) or growth.max_depth < 0:
        return None
    limits = {name: getattr(growth, name) for name in LIMITS}
    given = {name: value for name, value in limits.items() if value != LIMITS[name]}
    if problem.binning.max_bins != 255:
        given["max_bins"] = problem.binning.max_bins
    options = [f"--{name.replace('_', '-')} {value}" for name, value in given.items()]
    return ["--learner trees", *options, *(["--newton"] if family.newton else [])]


def _of_table(recipe):
    """Return the options on the columns of the table, a list."""
    if recipe is None:
        return []
    cells = Cells(decimal=recipe.marks[0], thousands=recipe.marks[1]) if recipe.marks else Cells()
    categories = [variable for variable in recipe.variables if variable.kind == CATEGORY]
    numbers = [variable.name for variable in categories if _numbers(cells, variable.levels)]
    forms = {variable.levels[0] for variable in recipe.variables if variable.kind == DATE}
    either = forms & {form for pair in TWO_WAYS.items() for form in pair} if len(forms) == 1 else ()
    given = {"drop": recipe.dropped, "text": numbers, "na": recipe.na, "date-format": either}
    options = [f"--{name} {for_shell(value)}" for name, values in given.items() for value in values]
    return options + ([] if recipe.impute is None else [f"--impute {recipe.impute}"])


def _numbers(cells, levels):
    """Whether all `levels` would be read as numbers without ``--text``."""
    return all(cells.number(word) is not None for word in levels)


def for_shell(name):
    """Return `name` quoted for a POSIX shell."""
    return "'" + name.replace("'", "'\\''") + "'"


def for_shell_if_needed(name):
    """Return `name`, quoted if it has characters that may be special in a shell."""
    return name if re.fullmatch(r"[\w./-]+", name) else for_shell(name)
