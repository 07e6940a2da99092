"""``coordboost cv``: how many steps are best for rows that the model has not seen."""

import click

from coordboost.cli.fit import FIT_OPTIONS, problem_of, unknown
from coordboost.cli.methods import NO_METHOD, MethodCommand, hints, loss_of, method_of
from coordboost.cli.output import progress, show, taken, with_options, without

#: What is said where the first of all models is the best.
NONE_BETTER = "No model is better than the constant one on rows held out: these columns do not predict the target."
CHOICES = {"best": "best", "one-se": "one_se"}
#: Some options of ``fit`` make no sense where several paths are made.
CV_OPTIONS = without(FIT_OPTIONS, "resume", "with_data", "until_gap", "time_limit", "as_json")


FOLDS = click.option(
    "--folds", type=click.IntRange(2), default=5, show_default=True, metavar="N", help="Parts that are held out in turn."
)


def choose_option(words):
    """What is taken of what was tried; `words` say it."""
    return click.option("--choose", type=click.Choice(list(CHOICES)), default="best", show_default=True, help=words)


@click.command(cls=MethodCommand)
@click.argument("file")
@with_options(CV_OPTIONS)
@FOLDS
@choose_option("The steps with the smallest error on rows held out, or the fewest within one standard error of it.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of the table.")
def cv(file, target, steps, seed, loss, center, scale, out, folds, choose, as_json, **given):
    """Choose the number of steps by cross-validation, and fit so many.

    Each fold makes one path on the other rows, and every step of it is judged on the rows of the fold. What fills gaps comes from those
    other rows, too, and a word that is not in them has no coefficient. The run with the chosen number of steps on all rows is kept as
    METHOD-cv.run, for coef, predict, report. A penalty is chosen by `coordboost lasso FILE --cv`.
    """
    from dataclasses import replace

    from coordboost.interrupt import uncut
    from coordboost.paths.refitted import with_intercept
    from coordboost.paths.scoring import held_out
    from coordboost.run import Run, solve

    if given["method"] is None:
        raise click.UsageError(NO_METHOD)
    table_options = taken(given)
    chosen = method_of(given.pop("method"), given, steps)
    _refuse_penalty(chosen, file)
    problem, table = problem_of(file, target, loss_of(loss), center, scale, table_options)
    out.mkdir(parents=True, exist_ok=True)

    def walk(part):
        return with_intercept(solve(part, chosen, steps, rng=seed))

    found, rows = validated(table, problem.loss, walk, folds, seed, center=center, scale=scale)
    k = found.chosen(CHOICES[choose])
    with uncut(), progress(chosen.name, k, quiet=as_json) as watch:  # a part of the run would not be what was chosen
        run = solve(problem, chosen, k, rng=seed, watch=watch)
    run = Run(replace(run.outcome, validation=held_out(found, steps, choose, rows)))
    _report(run, found, out, choose, steps, as_json)


def _refuse_penalty(method, file):
    """Refuse a method that goes to one penalised optimum: on the way to it there are no models to choose from."""
    from coordboost.pages.command import for_shell_if_needed
    from coordboost.targets import Penalty

    if isinstance(method.target, Penalty):
        raise click.UsageError(
            f"{method.name} goes to one model, the Lasso with --lam, and any step before is short of it: there is no number of steps to "
            f"choose. `coordboost lasso {for_shell_if_needed(file)} --cv` chooses the penalty; `coordboost fit` with the same options goes "
            "to this one."
        )


def validated(table, loss, walk, folds, seed, **way):
    """The ``CrossValidation`` of a table, and (X, y) of the rows held out of each fold, a list.

    walk : gives the path of a problem;  way : what ``Problem`` takes. What fills gaps comes from the rows that are fitted.
    """
    import numpy as np

    from coordboost.paths.validate import folds_of, of_folds, rows_quickly
    from coordboost.problem import Problem

    parts, y = folds_of(table.y, folds, seed), table.y
    rows = [None] * len(parts)

    def walked(k):
        fit, held = parts[k]
        X = rows_quickly(table.filled_from(fit))
        rows[k] = X[held], y[held]
        return walk(Problem(X[fit], y[fit], loss, feature_names=table.feature_names, **way)), X[held]

    return of_folds(walked, y, np.ones(len(y)), parts), rows


def _report(run, found, out, choose, steps, as_json):
    """Save and draw the run, print what was found."""
    from matplotlib.figure import Figure

    from coordboost import report
    from coordboost.paths.refitted import with_intercept
    from coordboost.plots import path as plots
    from coordboost.plots.choices import CrossValidationDisplay
    from coordboost.storage.archive import write_figure

    name = f"{run.method.name}-cv"
    files = [out / f"{name}.run", out / f"{name}.png", out / f"{name}-path.png"]
    run.save(files[0])
    curve = Figure(layout="constrained")
    CrossValidationDisplay.from_cross_validation(
        found, words="step", title=report.caption(run).replace("\n", ", "), ax=curve.subplots()
    )
    write_figure(files[1], curve)
    models = with_intercept(run)
    optimum = report.optimum(models)
    write_figure(files[2], plots.figure([models], optimum=optimum))
    k = run.n_steps
    row = {**report.summary(models, optimum), "cv_error": float(found.mean[k]), "cv_standard_error": float(found.error[k])}
    row |= {"cv_best_step": found.best, "cv_one_se_step": found.one_se, "folds": len(found.losses)}
    text = [
        f"Mean loss on rows held out, {len(found.losses)} folds: {found.mean[k]:.6g} +- {found.error[k]:.4g} (standard error) at step "
        f"{k:,}, chosen as {choose}; the constant model has {found.mean[0]:.6g}. Smallest at step {found.best:,}; step {found.one_se:,} is "
        "the first within one standard error."
    ]
    if found.best == len(found.mean) - 1 and steps > 0:
        text.append(f"The smallest error is at the last step: more may be better, try --steps {10 * steps}.")
    if found.best == 0:
        text.append(NONE_BETTER)
    show([row], [*text, *hints(run, k), *unknown(row)], files, as_json)
