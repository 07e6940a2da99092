"""The quick start, on ten measurements of 442 diabetes patients.

Three boosting methods, the Lasso and least squares.
"""

from pathlib import Path
from typing import NamedTuple

from coordboost._utils.interrupt import uncut
from coordboost.certificates.objectives import L1Penalty
from coordboost.data.problem import Problem
from coordboost.engine.result import State
from coordboost.engine.run import solve
from coordboost.engine.stopping import GapBelow
from coordboost.engine.storage.archive import write_figure
from coordboost.lasso.path import lasso_path
from coordboost.methods.named import (
    forward_stagewise,
    forward_stepwise,
    lasso_cd,
    ls_boost,
    regularized_forward_stagewise,
)
from coordboost.reporting import report
from coordboost.reporting.plots import path as plots

TITLE = "Diabetes data: boosting paths from the constant model to least squares"


class Quickstart(NamedTuple):
    """rows : list of dict; text : list of str; figure : Figure; runs : dict of name to Run.

    Files : list of Path.
    """

    rows: list
    text: list
    figure: object
    runs: dict
    files: list


def diabetes():
    """Return the diabetes data of scikit-learn as a problem.

    It has 442 patients, 10 raw columns, disease progression (Efron et al. 2004).
    """
    from sklearn.datasets import load_diabetes

    data = load_diabetes(scaled=False)
    return Problem(data.data, data.target, feature_names=data.feature_names)


def lasso_states(path):
    """Return the models of a Lasso path as states, largest penalty first.

    Each has its penalty as target.
    """
    problem = path.problem
    lams = path.alphas * path.problem.weight.sum()
    return [
        State(problem, L1Penalty(float(lam)), k, problem.unit(coef))
        for k, (lam, coef) in enumerate(zip(lams, path.coefs.T, strict=True))
    ]


@uncut()
def quickstart(out=None):
    """Compare LS-Boost, FS and R-FS with the Lasso and least squares on the diabetes data.

    Parameters
    ----------
    out : path, optional
        Folder for the figure and one run file per method, created if missing; None writes nothing.

    Returns
    -------
    Quickstart
    """
    if out is not None:
        Path(out).mkdir(parents=True, exist_ok=True)
    problem = diabetes()
    least = solve(problem, forward_stepwise(), problem.n_learners)
    # the exact path would compile for much longer
    path = lasso_path(problem, eps=1e-5, tol=1e-8, solver="cd")
    lasso = lasso_states(path)
    middle = min(lasso, key=lambda state: abs(state.l1 - 0.6 * least.final.l1))
    nearest = solve(problem, lasso_cd(middle.target.lam), 100_000, stop=GapBelow(1e-8))
    shown = [
        solve(problem, ls_boost(0.1), 20_000),
        solve(problem, forward_stagewise(1.0), 8_000),
        solve(problem, regularized_forward_stagewise(1.0, nearest.final.l1), 20_000),
    ]
    runs = {run.method.name: run for run in (*shown, nearest, least)}
    optimum = report.optimum(least)
    rows = [report.summary(run, optimum) for run in runs.values()]
    figure = plots.figure(shown, plots.trace(lasso), TITLE, optimum=optimum)
    return Quickstart(
        rows,
        _text(path, rows),
        figure,
        runs,
        [] if out is None else _write(Path(out), runs, figure),
    )


def _write(out, runs, figure):
    """Write the figure and the run files to the folder `out`; return their paths."""
    files = [out / f"{name}.run" for name in runs]
    for file, run in zip(files, runs.values(), strict=True):
        run.save(file)
    write_figure(out / "quickstart.png", figure)
    return [out / "quickstart.png", *files]


def _text(path, rows):
    """Return paragraphs that explain the figure and the rows of the table."""
    _, _, regular, lasso, _ = rows
    return [
        f"All methods start at the constant model (training error {regular['null_error']:.0f}, l1 "
        "norm 0) and add one measurement after the other, with nearly the same profiles as the "
        "Lasso (grey in the figure), which has the smallest error possible at each l1 norm. "
        "LS-Boost and FS go on to least squares; R-FS shrinks all coefficients by the factor 1 - "
        "eps/delta in every step, so it never leaves the l1 ball of radius delta and ends near "
        f"the Lasso on that ball: training error {regular['training_error']:.3f} against "
        f"{lasso['training_error']:.3f}.",
        "Training error is half the mean squared residual; 'above optimum' is in % of the error "
        "of the constant model. The certified gap, relative to the same error, proves how close "
        "the model is to the best one of the kind named below it: the optimum is least squares, "
        "the constrained Lasso (l1 <= delta), or the penalised Lasso (lam times the l1 norm added "
        "to the loss).",
        "A scan computes the correlation of every column with the residual once, from the data. "
        f"Seconds include compilation, which happens once per machine. The {len(path.alphas)} "
        f"Lasso solutions in the figure are certified to a gap of {path.gaps.max():.0e} each.",
    ]
