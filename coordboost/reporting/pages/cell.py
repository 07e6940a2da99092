"""What a cell of a notebook shows of a run or a path: a small table and a small picture."""

import hashlib
import math
from html import escape

import numpy as np

from coordboost.engine.result import StepPath, spaced
from coordboost.reporting import report

#: Points of a run in the picture, and columns drawn: those with the largest coefficients at the
#: end.
POINTS, COLUMNS = 60, 40
#: Columns with a name.
NAMED = 6
#: Coefficients of a larger path, and losses of a longer run, are not drawn: a cell must be quick.
LARGEST = 4_000_000
#: Width and height of the picture, in inches.
WIDTH, HEIGHT = 4.6, 2.6


def notebook_cell(path) -> str:
    """Return the HTML of a run or a path.

    *Cost*: a run is replayed at some 60 steps, one with trees is followed once.
    """
    rows = _of_run(path) if isinstance(path, StepPath) else _of_penalties(path)
    table = "".join(
        f'<tr><th scope="row" style="text-align: left">{escape(name)}</th>'
        f'<td style="text-align: left">{escape(text)}</td></tr>'
        for name, text in rows
    )
    drawn = _picture(path, hashlib.sha256(table.encode()).hexdigest())
    return (
        '<div style="display: flex; flex-wrap: wrap; align-items: center; gap: 1em">'
        f'<table aria-label="{escape(type(path).__name__)}">{table}</table>{drawn}</div>'
    )


def _of_run(path):
    """Return the rows about a run, pairs (name, text)."""
    problem = path.problem
    last = path.final
    rows = [
        ("method", report.caption(path.run).replace("\n", ", ")),
        ("learners", f"{problem.n_learners:,} {path.penalty_units}"),
        ("steps", f"{path.n_steps:,}"),
        ("in use", f"{len(last.support):,}"),
        ("l1 norm, columns of norm 1", f"{last.l1:.6g}"),
    ]
    if problem.has_data:
        rows.insert(1, ("rows", f"{problem.n_samples:,}"))
        rows.append(("loss", f"{last.loss:.6g}; at the start {problem.start_loss:.6g}"))
    return [*rows, ("ended", path.message)]


def _of_penalties(path):
    """Return the rows about a path of penalties, pairs (name, text)."""
    names = path.problem.column_names
    ends = path.coef_at(step=path.n_points - 1)
    rows = [
        ("path", type(path).__name__),
        ("columns", f"{len(names):,}, {path.penalty_units}"),
        ("points", f"{path.n_points:,}"),
    ]
    if hasattr(path, "alphas"):
        rows.append(("alpha", f"{path.alphas[0]:.4g} to {path.alphas[-1]:.4g}"))
    else:
        rows.append(("lam", f"{path.lam[0]:.4g} to {path.lam[-1]:.4g}"))
    rows.append(("in use at the end", f"{np.count_nonzero(np.atleast_2d(ends).any(axis=0)):,}"))
    if getattr(path, "beneath", None) is not None:
        rows.append(("relaxed", f"gamma = {path.gamma:g}; gaps are those of the Lasso beneath"))
    if hasattr(path, "gaps"):
        rows.append(("largest relative gap", f"{path.gaps.max(initial=0.0):.1e}"))
    return [*rows, ("ended", path.message)]


def _picture(path, salt):
    """Return the picture of a path as SVG, "" where there is none."""
    try:
        from coordboost.reporting.pages.pictures import picture_of
    except ImportError:  # without matplotlib the table is all
        return ""
    display = _display(path)
    if display is None:
        return ""
    try:
        found = picture_of(display.plot, HEIGHT, {"cell": WIDTH}, name=salt)
    except ImportError:
        return ""
    svg = str(found["cell"]["svg"]).replace("<svg", '<svg role="img" aria-label="the path"', 1)
    return f'<div style="background: white; width: {72 * WIDTH:.0f}px; max-width: 100%">{svg}</div>'


def _display(path):
    """Return the display of the coefficients, or of the losses of trees; None if there is none."""
    from coordboost.reporting.plots.displays import ErrorDisplay, ProfileDisplay

    problem = path.problem
    words = {"l1": "l1 norm, columns of norm 1", "coefs": "coefficient, columns of norm 1"}
    n_classes = 1
    if not problem.countable:
        known = isinstance(path, StepPath) and problem.has_data
        if not known or problem.n_samples * path.n_steps > LARGEST:
            return None
        return ErrorDisplay(path.losses / problem.total_weight, words="step")
    if isinstance(path, StepPath):
        at = spaced(path.n_steps, POINTS).tolist()
        used = np.argsort(-np.abs(path.final.beta), kind="stable")[:COLUMNS]
        found = [(state.l1, state.beta[used]) for state in path.run.replay(at)]
        l1 = np.array([norm for norm, _ in found])
        coefs = np.array([beta for _, beta in found])
        names = [problem.column_names[j] for j in problem.standardization.kept[used]]
    else:
        names = path._names()
        if path.n_points * len(names) > LARGEST:
            return None
        coefs = path.coef_path(unit_columns=True)
        n_classes = math.prod(coefs.shape[1:-1])
        coefs = coefs.reshape(path.n_points, -1)
        l1 = np.abs(coefs).sum(axis=1)
    options = {"words": words, "n_labels": NAMED, "n_classes": n_classes}
    return ProfileDisplay({"l1": l1}, coefs, names, **options)
