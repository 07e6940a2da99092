"""The first five minutes: three boosting methods, the Lasso and least squares on ten measurements of 442 diabetes patients."""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from coordboost import report
from coordboost.methods import forward_stagewise, forward_stepwise, lasso_cd, ls_boost, regularized_forward_stagewise
from coordboost.plots import path as plots
from coordboost.problem import Problem
from coordboost.solve import solve
from coordboost.stopping import GapBelow

TITLE = "Diabetes data: boosting walks from the constant model to least squares"


class Quickstart(NamedTuple):
    """rows : list of dict;  text : list of str;  figure : Figure;  runs : dict of name to Run;  files : list of Path."""

    rows: list
    text: list
    figure: object
    runs: dict
    files: list


class LassoPath(NamedTuple):
    """lam : (n_points,), decreasing;  runs : one certified run each;  gap : the largest certified gap, in parts of the null loss."""

    lam: np.ndarray
    runs: list
    gap: float


def diabetes():
    """The diabetes data of scikit-learn (Efron et al. 2004) as a problem: 442 patients, 10 raw columns, disease progression."""
    from sklearn.datasets import load_diabetes

    data = load_diabetes(scaled=False)
    return Problem(data.data, data.target, feature_names=data.feature_names)


def lasso_path(problem, n_points=40, *, smallest=1e-5, tolerance=1e-8, n_steps=100_000):
    """Certified Lasso solutions at penalties chosen so that their l1 norms cover the path evenly.

    Parameters
    ----------
    problem : Problem
    n_points : int
    smallest : float
        The last penalty, in parts of the first one that gives the zero model.
    tolerance : float
        Certified gap at which a solution is taken, in parts of the loss at zero.
    n_steps : int
        Largest number of steps a solution may take.

    Notes
    -----
    The widest interval of l1 norms is halved (in the penalty) until there are enough points. *Cost*: n_points cold starts.
    """
    top = float(np.abs(problem.scan(problem.resid(np.zeros(problem.n_samples)))).max())
    null = problem.value(np.zeros(problem.n_samples))

    def point(lam):
        return lam, solve(problem, lasso_cd(lam), n_steps, stop=GapBelow(tolerance))

    points = [point(top), point(smallest * top)]
    while len(points) < n_points:
        widest = int(np.argmax(np.diff([run.final.l1 for _, run in points])))
        points.insert(widest + 1, point((points[widest][0] + points[widest + 1][0]) / 2))
    lam, runs = zip(*points, strict=True)
    return LassoPath(np.array(lam), list(runs), max(run.certificate().gap for run in runs) / null)


def quickstart(out=None):
    """Run LS-Boost, FS and R-FS on the diabetes data beside the Lasso and least squares.

    Parameters
    ----------
    out : path, optional
        Folder for the figure and one run file per method, made if it does not exist; None writes nothing.

    Returns
    -------
    Quickstart
    """
    if out is not None:
        Path(out).mkdir(parents=True, exist_ok=True)
    problem = diabetes()
    least = solve(problem, forward_stepwise(), problem.n_learners)
    path = lasso_path(problem)
    nearest = min(path.runs, key=lambda run: abs(run.final.l1 - 0.6 * least.final.l1))
    shown = [
        solve(problem, ls_boost(0.1), 20_000),
        solve(problem, forward_stagewise(1.0), 8_000),
        solve(problem, regularized_forward_stagewise(1.0, nearest.final.l1), 20_000),
    ]
    runs = {run.method.name: run for run in (*shown, nearest, least)}
    optimum = report.optimum(least)
    rows = [report.summary(run, optimum) for run in runs.values()]
    lasso = plots.trace([run.final for run in path.runs])
    figure = plots.figure(shown, lasso, TITLE, optimum=optimum)
    return Quickstart(rows, _text(path, rows), figure, runs, [] if out is None else _write(Path(out), runs, figure))


def _write(out, runs, figure):
    """The figure and the run files, in the folder `out`."""
    files = [out / f"{name}.run" for name in runs]
    for file, run in zip(files, runs.values(), strict=True):
        run.save(file)
    figure.savefig(out / "quickstart.png", dpi=150)
    return [out / "quickstart.png", *files]


def _text(path, rows):
    """What is seen, and what the rows of the table mean."""
    _, _, regular, lasso, _ = rows
    return [
        "All methods start at the constant model (training error "
        f"{regular['null_error']:.0f}, l1 norm 0) and bring in one measurement after the other, on nearly the same profiles as the "
        "Lasso (grey in the figure), which has the smallest error possible at each l1 norm. LS-Boost and FS go on to least squares; "
        "R-FS shrinks all coefficients by the factor 1 - eps/delta in every step, so it never leaves the l1 ball of radius delta "
        f"and ends near the Lasso on that ball: training error {regular['training_error']:.3f} against {lasso['training_error']:.3f}.",
        "Training error is half the mean squared residual; 'above optimum' is in % of that of the constant model. The certified "
        "gap, in parts of the same, proves how close the model is to the best one of the kind named below it: the optimum is "
        "least squares, the constrained Lasso (l1 <= delta), or the penalised Lasso (lam times the l1 norm added to the loss).",
        "A scan computes the correlation of every column with the residual once, from the data. Seconds include compilation, "
        f"which happens once per machine. The {len(path.runs)} Lasso solutions in the figure are certified to a gap of "
        f"{path.gap:.0e} each.",
    ]
