"""Tables that commands read, from files or standard input, and what rows held out say of a run."""

import shutil
import sys
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from coordboost.reporting.cli.output import say


@contextmanager
def table_file(file):
    """Yield the path of a table; for ``-`` that of a copy of standard input, text."""
    if file != "-":
        yield file
        return
    with TemporaryDirectory() as folder:
        path = str(Path(folder, "table.csv"))
        with open(path, "wb") as copy:
            if sys.stdin is not None:  # it may be closed
                shutil.copyfileobj(sys.stdin.buffer, copy)
        try:
            yield path
        except ValueError as error:
            raise ValueError(str(error).replace(path, "standard input")) from None


def problem_of(file, target, loss, reading, **options):
    """Read the table in `file`; return its problem and the table.

    Print inferred settings in one line on stderr.
    """
    from coordboost.data.table import read_table

    with table_file(file) as path:
        table = read_table(path, target, **reading)
    say(table.said)
    if table.recipe is not None and table.recipe.labels and not loss.two_class:
        no, yes = table.recipe.labels
        raise ValueError(
            f"the target {table.recipe.target!r} holds the labels {no!r} and {yes!r}: add --loss "
            "logistic"
        )
    return table.problem(loss, **options), table


def validated(table, loss, walk, folds, **options):
    """Cross-validate a table: the ``CrossValidation``, and a list with (X, y) of the validation
    rows of each fold.

    walk : function of a problem and of its validation rows X, y, weight, returns its path
    folds : pairs of rows to fit and rows held out
    options : of ``Table.problem``. Missing values are imputed from the training rows.
    """
    import numpy as np

    from coordboost.data.frames import is_frame
    from coordboost.model_selection.validate import of_folds, rows_quickly

    y = table.y
    weight = np.ones(len(y)) if table.weight is None else table.weight
    rows = [None] * len(folds)

    def walked(k):
        fit, held = folds[k]
        X = table.filled_from(fit)
        X = X.iloc if is_frame(X) else rows_quickly(X)
        rows[k] = X[held], y[held]
        part = {"X": X[fit], "y": y[fit], "weight": weight[fit], "groups": None, "recipe": None}
        problem = table._replace(**part).problem(loss, **options)
        return walk(problem, X[held], y[held], weight[held]), X[held]

    return of_folds(walked, y, weight, folds), rows


def stopped_early(table, loss, method, steps, patience, *, seed, stop, watch, **options):
    """Run a method on nine tenths of the rows until the loss on the others no longer falls.

    Return the best number of steps, and the record of the losses on the rows held out.
    """
    from coordboost.engine.held_out import EARLY, held_out
    from coordboost.engine.run import solve
    from coordboost.estimators.monitoring import EarlyStopping, RunLosses
    from coordboost.model_selection.splits import folds_of

    def walk(problem, X, y, weight):
        loss = problem.loss
        labels = loss.labels(y) if loss.labels else y
        binned = problem.binning.bin(X)
        fixed = (problem.constant, loss, method, method.step.phases)
        early = EarlyStopping(RunLosses(binned, labels, weight, *fixed), patience, 0.0)
        return solve(problem, method, steps, rng=seed, stop=[*stop, early], watch=watch)

    folds = folds_of(table.y, min(10, len(table.y)), seed)[:1]
    found, rows = validated(table, loss, walk, folds, **options)
    return found.best, held_out(found, steps, EARLY, rows)
