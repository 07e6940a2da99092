"""A self-contained HTML page about a run: data, method, path, certificate, bounds, how to cite, how
to reproduce; no network, no rows. Pages of estimators and of Lasso paths are made in ``estimator``.

This file computes the content. ``page.html.jinja`` has the text and the layout,
``coordboost.reporting.plots`` draws the plots.
"""

import math
import os
import sys
from html import escape, unescape
from types import SimpleNamespace
from typing import Any

import numpy as np

from coordboost._utils.checks import checked_run, file_name, shown
from coordboost._utils.text import summary_line
from coordboost.certificates.objectives import Unconstrained
from coordboost.data.columns import CATEGORY
from coordboost.engine.held_out import held_out
from coordboost.engine.refitted import with_intercept
from coordboost.engine.result import spaced
from coordboost.engine.storage.archive import write_text
from coordboost.engine.storage.model import RunModel, model_of
from coordboost.model_selection.validate import CrossValidation
from coordboost.paths.places import PiecewiseLinear
from coordboost.paths.scoring import MEAN_LOSS
from coordboost.reporting import report
from coordboost.reporting.pages.command import command, for_shell_if_needed
from coordboost.reporting.pages.judged import of_run, parts_of, target_of
from coordboost.reporting.pages.pictures import pictures

#: In the plot of the path: the maximum numbers of coloured lines with a name, of grey lines, and of
#: letters of a name.
NAMED, GREY, LETTERS = 6, 150, 20


class Page(str):
    """The HTML of a page, a ``str`` that a notebook displays as a page."""

    __slots__ = ()

    def __repr__(self):
        title = unescape(self.partition("<title>")[2].partition("</title>")[0])
        return f"<Page {title!r}, {len(self) / 1000:.0f} kB of HTML>"

    def _repr_html_(self):
        style = "width: 100%; height: 600px; border: 1px solid #d9dde5"
        return f'<iframe style="{style}" srcdoc="{escape(self)}"></iframe>'


def html_report(
    run: Any,
    out: str | os.PathLike[str] | None = None,
    *,
    run_file: str = "the.run",
    cross_validation: CrossValidation | None = None,
    X: Any = None,
    y: Any = None,
) -> Page:
    """Make a self-contained HTML page about a run, an estimator or a path.

    Of a run it is the page of ``coordboost report``.

    Parameters
    ----------
    run : Run, estimator or path
        A run over the columns of a table, trees or stumps; a fitted estimator of the package; or
        what ``lasso_path`` or ``exact_path`` returns.
    out : path, optional
        File to write, in UTF-8; an existing file is replaced.
    run_file : str, default "the.run"
        Name of the run file, written by ``run.save(run_file)``, for the commands on the page.
    cross_validation : CrossValidation, optional
        The cross-validation that chose the number of steps: ``cross_validation_`` of an estimator,
        or the result of ``cross_validate``. The page then shows validation losses. A run of
        ``coordboost cv`` has its own.
    X, y : array_like or data frame, (n_samples, n_features), and array_like, (n_samples,), optional
        For an estimator: rows to compare predictions with the target; give some that the fit has
        not seen. Default: with trees the rows of the fit, else none.

    Returns
    -------
    Page
        The HTML, a ``str``; a notebook displays it as a page.

    Raises
    ------
    ValueError
        If `run` is neither a run nor a fitted estimator nor a path, has learners other than
        columns, trees and stumps, or a user-defined loss; if `out` is a folder; if
        `cross_validation` has fewer points than the run or another measure than the mean loss; or
        if `X` and `y` do not fit.

    Notes
    -----
    *Cost*: a replay at some 200 steps for the plots, and of all steps where theorems apply to the
    run.

    Examples
    --------
    >>> import coordboost as cb
    >>> from sklearn.datasets import load_diabetes
    >>> run = cb.solve(cb.Problem(*load_diabetes(return_X_y=True)), cb.ls_boost(0.1), 200)
    >>> cb.html_report(run)  # doctest: +ELLIPSIS
    <Page 'ls boost for y', ... kB of HTML>
    """
    from sklearn.base import BaseEstimator

    out = None if out is None else file_name("out", out)
    if isinstance(run, BaseEstimator):
        if cross_validation is not None:
            raise ValueError(
                "cross_validation is for a run: an estimator that was chosen by cross-validation "
                "shows its own."
            )
        from coordboost.reporting.pages.estimator import shown_of_estimator

        return _written("model.html.jinja", shown_of_estimator(run, X, y), out)
    if isinstance(run, PiecewiseLinear):
        if any(given is not None for given in (cross_validation, X, y)):
            raise ValueError(
                "cross_validation is for a run, X and y are for an estimator, such as "
                "CertifiedLassoCV: a path is shown as it is."
            )
        from coordboost.reporting.pages.estimator import shown_of_path

        return _written("model.html.jinja", shown_of_path(run), out)
    checked_run(run)
    if X is not None or y is not None:
        raise ValueError("X and y are for an estimator: a run is shown on the rows of its fit.")
    run_file = file_name("run_file", run_file)
    validation = run.validation
    if cross_validation is not None:
        known = (
            isinstance(cross_validation, CrossValidation) and cross_validation.measure == MEAN_LOSS
        )
        points = cross_validation.losses.shape[1] if known else 0
        if points <= run.n_steps:
            raise ValueError(
                "cross_validation must be the CrossValidation, by mean loss, of paths with at "
                f"least the {run.n_steps} steps of the run, got {shown(cross_validation)}."
            )
        validation = held_out(cross_validation, points - 1)
    return _written("page.html.jinja", _shown(run, run_file, validation), out)


def _written(template, variables, out):
    """Return the page that a template makes of the variables; write it to `out`, if given."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    room = Environment(
        loader=PackageLoader("coordboost.reporting", "pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    text = Page(room.get_template(template).render(variables))
    if out is not None:
        write_text(out, text)
    return text


def _shown(run, file, validation):
    """Return the variables of the template, a dict.

    `validation` is the record of validation losses (``held_out``), or None.
    """
    models = with_intercept(run)
    problem = run.problem
    linear = problem.binning is None
    model = model_of(run) if linear else RunModel(run, run.n_steps)
    last = models.final
    checks = _checks(run)
    return {
        "run": run,
        "model": model,
        "linear": linear,
        "held": validation,
        "used": len(last.support),
        "error": last.loss / problem.total_weight,
        "null_error": problem.start_loss / problem.total_weight,
        "adds_to": report.adds_to(model),
        "data": _data(problem, model),
        "parameters": report.parameters(run.method),
        "checks": checks,
        "all_hold": not isinstance(checks, str) and all(row[2] == "yes" for row in checks),
        **_of_versions(run, model, linear, file),
        **_of_proof(models, last),
        **({} if validation is None else _of_rows_held_out(run, validation)),
        **(_of_path(models) if linear else _of_errors(run)),
        **_of_coefficients(model),
        "parts": None if linear else parts_of(*of_run(run), problem.dictionary.binned),
        "certified": problem.countable,
    }


def _of_versions(run, model, linear, file):
    """Return what names the run, and what repeats it."""
    import scipy

    from coordboost.methods.named import METHODS

    recipe = model.recipe
    target = "y" if recipe is None else " = ".join([recipe.target, *recipe.labels[1:]])
    maker = METHODS.get(run.method.name)
    version = sys.modules["coordboost"].__version__
    return {
        "target": target,
        "file": for_shell_if_needed(file),
        "version": version,
        "title": f"{run.method.name.replace('_', ' ')} for {target}",
        "what": summary_line(maker) if maker else "",
        "again": command(run, recipe),
        "versions": f"coordboost {version}, Python {sys.version.split()[0]}, NumPy "
        f"{np.__version__}, SciPy {scipy.__version__}",
    }


def _of_proof(models, last):
    """Return what the certificate of the `last` model proves, and how to judge it."""
    from coordboost.certificates.independent import MAX_ENTRIES

    problem = models.problem
    reached = report.reached(models)
    verdict = report.verdict(problem, models.certificate(reached))
    judged = type(reached) is not Unconstrained or problem.loss.mu is not None
    best = f"the {verdict['target']}"
    if verdict["target"] == "optimum":
        best = "the best of all models of these columns"
    return {
        "proved": verdict["model"],
        "interval": report.interval_rows(verdict["model"]),
        "verdict": report.verdict_text(verdict),
        "best": best,
        "radius": repr(reached.radius) if reached != last.target else "",
        "small": judged
        and problem.countable
        and problem.n_samples * problem.n_learners <= MAX_ENTRIES,
    }


def _of_coefficients(model):
    """Return the rows of the columns in use, those with the largest effects first."""
    used = [row for row in model.rows if row["coefficient"]]
    rows = sorted(used, key=lambda row: -abs(row["effect"]))
    return {
        "coefs": rows,
        "top": max([abs(row["effect"]) for row in rows], default=0.0) or 1.0,
    }


def _of_rows_held_out(run, validation):
    """Return validation scores of this and the constant model, rows (name, this, constant), and
    plots of them over the steps.
    """
    from matplotlib.figure import Figure

    from coordboost.reporting.plots.choices import CrossValidationDisplay

    at = np.array(validation["at"])
    mean = np.array(validation["mean"])
    error = np.array(validation["error"])
    curves = validation["measures"]
    here = int(np.argmin(np.abs(at - run.n_steps)))
    best = int(np.argmin(mean))
    forms = {"accuracy": lambda value: f"{100 * value:.3g} %", "AUC": lambda value: f"{value:.3g}"}
    rows = [
        (name, form(curves[name][here]), form(curves[name][0]))
        for name, form in forms.items()
        if name in curves
    ]
    if run.problem.loss.quadratic:
        rows.append(
            (
                "root mean squared error",
                *(f"{math.sqrt(max(2 * mean[i], 0.0)):.5g}" for i in (here, 0)),
            )
        )
    rows.append(("mean loss", *(f"{mean[i]:.5g} \u00b1 {error[i]:.2g}" for i in (here, 0))))
    if mean[0] > 0:
        rows.append(
            ("fraction of the loss explained", f"{100 * (1 - mean[here] / mean[0]):.3g} %", "0 %")
        )

    def draw():
        fig = Figure(figsize=(6, 6 if curves else 3.5), layout="constrained")
        axes = fig.subplots(2 if curves else 1, sharex=True, squeeze=False)[:, 0]
        one_se = int(np.argmax(mean <= mean[best] + error[best]))
        seen = SimpleNamespace(
            mean=mean,
            error=error,
            best=best,
            one_se=one_se,
            losses=range(validation["folds"]),
            grids=[],
            measure=MEAN_LOSS,
        )
        CrossValidationDisplay(seen, at, words="steps").plot(axes[0])
        for name, values in curves.items():
            axes[1].plot(at, 100 * np.array(values), label=f"{name}, %")
            axes[1].legend()
            axes[1].set_xlabel(axes[0].xaxis.label.get_text())
        axes[0].label_outer()
        return fig

    return {
        "judged": rows,
        "at_the_end": at[best] == validation["steps"] > 0,
        "held_out": pictures(draw),
    }


def _of_path(models):
    """Return coefficients and training error along the path: plots, and the numbers that the page
    shows for a chosen step.
    """
    from matplotlib.figure import Figure

    from coordboost.reporting.plots.displays import ProfileDisplay
    from coordboost.reporting.plots.path import trace

    at = spaced(models.n_steps)
    traced = trace(models.replay(at.tolist()))
    order = np.argsort(-np.abs(traced.beta).max(axis=0), kind="stable")[: NAMED + GREY]
    names = [models.problem.feature_names[j] for j in order]
    beta = traced.beta[:, order]
    short = [name if len(name) <= LETTERS else name[: LETTERS - 1] + "\u2026" for name in names]
    labels = {"l1": "l1 norm, columns of norm 1", "coefs": "coefficient, columns of norm 1"}
    profile = ProfileDisplay({"l1": traced.l1}, beta, short, words=labels, n_labels=NAMED)

    def draw():
        fig = Figure(figsize=(6, 6), layout="constrained")
        above, below = fig.subplots(2, sharex=True, height_ratios=(3, 1))
        profile.plot(above).ax_.set_xlabel("")
        below.plot(traced.l1, 100 * traced.error, color="black")
        below.set(xlabel=labels["l1"], ylabel="training error, %", ylim=(0, None), xmargin=0)
        return fig

    drawn = pictures(draw)

    def said(values):
        return [f"{value:.4g}" for value in values]

    points = {
        "step": at.tolist(),
        "x": np.round(traced.l1 / (traced.l1.max() or 1.0), 5).tolist(),
        "l1": said(traced.l1),
        "error": said(100 * traced.error),
        "lines": [
            {"name": names[j], "colour": line.get_color(), "values": said(beta[:, j])}
            for j, line in zip(profile.columns_, profile.lines_, strict=True)
        ],
    }
    return {"path": drawn, "points": points}


def _of_errors(run):
    """Return a plot of the training error along a path with too many learners for a plot of
    coefficients.
    """
    from matplotlib.figure import Figure

    from coordboost.reporting.plots.displays import ErrorDisplay

    def draw():
        fig = Figure(figsize=(6, 3.5), layout="constrained")
        ErrorDisplay(run.losses / run.problem.weight.sum(), words="step").plot(fig.subplots())
        return fig

    return {"path": pictures(draw), "points": None}


def _data(problem, model):
    """Return pairs (name, value) that describe the table of the fit, without any of its rows."""
    recipe = model.recipe
    y = target_of(problem)
    labels = () if recipe is None else recipe.labels
    target = f"mean {np.average(y, weights=problem.weight):.5g}, standard deviation {y.std():.5g}"
    if model.two_class:
        share = 100 * float(np.average(y > 0, weights=problem.weight))
        no, yes = labels or ("first class", "second class")
        target = f"{yes} {share:.3g} %, {no} {100 - share:.3g} %"
    constant = f", of which {len(problem.dropped)} are constant" if problem.dropped else ""
    rows = [
        ("rows", f"{problem.n_samples:,}"),
        ("columns", f"{len(model.names):,}{constant}"),
        ("target", target),
    ]
    if recipe is not None:
        kinds = [variable.kind for variable in recipe.variables]
        rows.append(
            (
                "variables",
                ", ".join(f"{kinds.count(kind)} of kind {kind}" for kind in dict.fromkeys(kinds)),
            )
        )
        if labels:
            rows.append(("classes", f"0 is {labels[0]}, 1 is {labels[1]}"))
        gaps = {None: "none", "drop": "rows with missing values were left out"}
        rows.append(("missing values", gaps.get(recipe.impute, f"imputed ({recipe.impute})")))
        for variable in [variable for variable in recipe.variables if variable.kind == CATEGORY][
            :30
        ]:
            rows.append(
                (
                    f"categories of {variable.name}",
                    ", ".join(variable.levels[:12]) + (" ..." if len(variable.levels) > 12 else ""),
                )
            )
    return rows


def _checks(run):
    """Check the theorems that apply to the run: return rows of a table, or a str that says why none
    applies.
    """
    from coordboost.theory.bounds import check

    try:
        found = check(run)
    except ValueError as error:
        return str(error).rstrip(".")
    return [
        (
            bound.name,
            bound.variant,
            "yes" if bound.holds else "NO",
            "-" if math.isnan(bound.tightest) else f"{bound.tightest:.3g}",
            bound.claim,
        )
        for bound in found
    ]
