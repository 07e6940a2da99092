"""Cross-validation: ``coordboost cv`` chooses the number of steps, ``coordboost lasso`` the
penalty.
"""

import click

from coordboost.reporting.cli.fit import draw, drawn_summary, hints, picture_file
from coordboost.reporting.cli.options import (
    CHOOSE,
    COLUMNS,
    FOLDER,
    FOLDS,
    JSON,
    SEED,
    STEPS,
    TABLE,
    TARGET,
    WITH_CATEGORIES,
    Command,
    MethodCommand,
    file_option,
    learners_of,
    loss_option,
    method_of,
    taken,
    whole_number,
    with_options,
)
from coordboost.reporting.cli.output import progress, show
from coordboost.reporting.cli.tables import problem_of, validated

#: Printed if the constant model has the smallest validation loss.
NONE_BETTER = (
    "No model is better than the constant one on rows held out: these columns do not "
    "predict the target."
)


@click.command(cls=MethodCommand, later=(loss_option, COLUMNS, TABLE))
@click.argument("file")
@with_options(TARGET, STEPS, SEED, FOLDER, FOLDS, CHOOSE, JSON)
def cv(
    file,
    method,
    learner,
    target,
    steps,
    seed,
    loss,
    center,
    scale,
    out,
    folds,
    choose,
    as_json,
    **given,
):
    """Choose the number of steps by cross-validation, then run the method for that many steps.

    For each fold the method runs once on the other rows, and every step is scored on the rows of
    the fold. Missing values are imputed from those other rows only; a category that does not occur
    there has no coefficient. The final run, on all rows, is saved as METHOD-cv.run, for coef,
    predict and report. `coordboost lasso FILE --cv` chooses a penalty.
    """
    from dataclasses import replace

    from coordboost._utils.interrupt import uncut
    from coordboost.certificates.objectives import L1Penalty
    from coordboost.engine.held_out import held_out
    from coordboost.engine.refitted import with_intercept
    from coordboost.engine.run import solve
    from coordboost.model_selection.splits import folds_of
    from coordboost.reporting import report
    from coordboost.reporting.pages.command import for_shell_if_needed
    from coordboost.reporting.plots.choices import CrossValidationDisplay

    reading = taken(given)
    options = {
        "center": center,
        "scale": scale,
        "learners": learners_of(learner, given, seed, method),
    }
    reading["one_hot"] = learner not in WITH_CATEGORIES
    chosen = method_of(method, given, steps, learner)
    if isinstance(chosen.target, L1Penalty):
        raise click.UsageError(
            f"{method} converges to one model, the Lasso with --lam, so there is no number of "
            "steps to "
            f"choose. `coordboost lasso {for_shell_if_needed(file)} --cv` chooses the penalty; "
            "`coordboost fit` with the same options "
            "fits this one."
        )
    problem, table = problem_of(file, target, loss, reading, **options)
    out.mkdir(parents=True, exist_ok=True)

    def walk(fold, *held):
        return with_intercept(solve(fold, chosen, steps, rng=seed))

    found, rows = validated(table, loss, walk, folds_of(table.y, folds, seed), **options)
    k = found.chosen(choose.replace("-", "_"))
    with (
        uncut(),
        progress(method, k, quiet=as_json) as watch,
    ):  # an interrupted run would have fewer steps than chosen
        run = solve(problem, chosen, k, rng=seed, watch=watch)
    run = replace(run, validation=held_out(found, steps, choose, rows))
    files = [out / f"{method}-cv{end}" for end in (".run", ".png", "-path.png")]
    run.save(files[0])
    draw(
        files[1],
        CrossValidationDisplay.from_cross_validation,
        found,
        words="step",
        title=report.caption(run).replace("\n", ", "),
    )
    row = {
        **drawn_summary(run, files[2]),
        **_errors(found, k),
        "cv_best_step": found.best,
        "cv_one_se_step": found.one_se,
    }
    text = _choice(
        found,
        k,
        choose,
        "step {:,}",
        range(len(found.mean)),
        f"more may be better, try --steps {10 * steps}",
    )
    show([row], [*text, *hints(run, k, row)], files, as_json)


def _errors(found, k):
    return {
        "cv_error": float(found.mean[k]),
        "cv_standard_error": float(found.error[k]),
        "folds": len(found.losses),
    }


def _choice(found, k, choose, place, values, further):
    """Return sentences on the model that was chosen.

    place : format of the name of a model, as "step {:,}"
    values : its number for each model
    further : advice if the last is the best
    """
    chosen, best, simplest = (place.format(values[step]) for step in (k, found.best, found.one_se))
    text = [
        f"Mean loss on rows held out, {len(found.losses)} folds: {found.mean[k]:.6g} +- "
        f"{found.error[k]:.4g} (standard error) at {chosen}, "
        f"chosen as {choose}; the constant model has {found.mean[0]:.6g}. Smallest at {best}; "
        f"{simplest} is the first within one standard "
        "error."
    ]
    if 0 < found.best == len(found.mean) - 1:
        text.append(f"The smallest error is at the end: {further}.")
    return [*text, NONE_BETTER] if found.best == 0 else text


@click.command(cls=Command, later=(loss_option, TABLE))
@click.argument("file")
@with_options(TARGET, SEED)
@click.option(
    "--alpha",
    type=click.FloatRange(0, min_open=True),
    metavar="X",
    help="The penalty of the mean loss.",
)
@click.option("--cv", "choosing", is_flag=True, help="Choose the penalty on rows held out.")
@with_options(
    FOLDS,
    CHOOSE,
    whole_number("--n-alphas", 2, 100, "Number of penalties to choose from, with --cv."),
)
@click.option(
    "--eps",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=1e-3,
    metavar="X",
    help="The smallest of them, relative to the smallest penalty at which all coefficients are 0.",
)
@click.option(
    "--scale/--no-scale",
    default=True,
    help="Penalise columns of standard deviation 1, as glmnet does, or columns as they are, as "
    "scikit-learn.",
)
@with_options(
    file_option(
        "--plot", "Draw the path, with the model marked, to a file: .pdf, .svg, .png and others."
    ),
    FOLDER,
    JSON,
)
def lasso(
    file,
    target,
    seed,
    loss,
    alpha,
    choosing,
    folds,
    choose,
    n_alphas,
    eps,
    scale,
    plot,
    out,
    as_json,
    **given,
):
    """Fit the Lasso to a table at one penalty, or choose it by cross-validation.

    The model has a certificate. The objective is the mean loss plus alpha times the l1 norm, as in
    glmnet and scikit-learn. With --cv the path at all penalties is computed for each fold, on the
    other rows. The model is saved for coef and predict: as lasso.json, with --cv as lasso-cv.json
    and two plots.

    \b
    Examples:
      coordboost lasso table.csv --target price --cv
      coordboost lasso table.csv --target price --cv --choose one-se --loss poisson
      coordboost lasso table.csv --target price --alpha 0.1 --plot path.pdf
    """  # noqa: D301
    from coordboost._utils.interrupt import uncut
    from coordboost.certificates.objectives import outwards
    from coordboost.engine.storage.archive import write_text
    from coordboost.engine.storage.model import model_with
    from coordboost.lasso.path import lasso_path
    from coordboost.model_selection.splits import folds_of

    if choosing == (alpha is not None):
        raise click.UsageError(
            "give --alpha X for one penalty, or --cv to choose it on rows held out."
        )
    picture = None if plot is None else picture_file(plot)
    problem, table = problem_of(file, target, loss, taken(given))
    out.mkdir(parents=True, exist_ok=True)

    def path_of(fold, **grid):
        factor = fold.standardization.deviations(fold.weight.sum()) if scale else None
        with uncut():
            return lasso_path(
                fold, penalty_factor=factor, unit_columns=False, refit_intercept=True, **grid
            )

    files = [out / "lasso.json"]
    text = []
    errors = {}
    k = 0
    if choosing:
        files = [out / f"lasso-cv{end}" for end in (".json", ".png", "-path.png")]
        path = path_of(problem, n_alphas=n_alphas, eps=eps)
        found = validated(
            table,
            loss,
            lambda fold, *held: path_of(fold, alphas=path.alphas),
            folds_of(table.y, folds, seed),
        )
        k, errors, text = _chosen_penalty(found[0], path, choose, eps, files[1:])
    else:
        path = path_of(problem, alphas=[alpha])
    if picture is not None:
        whole = path
        if not choosing:
            ends = path_of(problem, n_alphas=n_alphas, eps=eps).alphas
            whole = path_of(problem, alphas=sorted({*ends.tolist(), alpha}, reverse=True))
        _draw_path(picture, whole, float(path.alphas[k]))
        files.append(picture)
    alpha = float(path.alphas[k])
    coef = path.coefs[:, k]
    certificate = path.certificate(k)
    total = problem.weight.sum()
    write_text(
        files[0],
        model_with(problem, coef, float(path.intercepts[k]), f"lasso, alpha = {alpha:.6g}").text(),
    )
    ends = outwards(certificate.lower / total, certificate.upper / total, 10)
    text.append(
        "Penalty included, the mean loss of the best model is in [{}, {}]; this model reaches the "
        "upper end.".format(*ends)
    )
    if path.message != "complete":
        text.append(f"The path is not complete: {path.message}.")
    if not choosing and not coef.any():
        text.append(
            f"All coefficients are 0: alpha = {alpha:g} is too large. Try a smaller one, or --cv."
        )
    row = _lasso_row(path, k, certificate) | errors
    show([row], text, files, as_json)


def _chosen_penalty(found, path, choose, eps, pictures):
    """The chosen alpha, its errors on rows held out, and what is said of it; draw both pictures."""
    from coordboost.reporting.plots.choices import CrossValidationDisplay

    k = found.chosen(choose.replace("-", "_"))
    alphas = path.alphas.tolist()
    errors = {
        **_errors(found, k),
        "cv_best_alpha": alphas[found.best],
        "cv_one_se_alpha": alphas[found.one_se],
    }
    advice = f"a smaller penalty may be better, try --eps {eps / 10:g}"
    text = _choice(found, k, choose, "alpha = {:.6g}", alphas, advice)
    draw(
        pictures[0],
        CrossValidationDisplay.from_cross_validation,
        found,
        path.alphas,
        path=path,
        words=f"alpha (mean loss, {path.penalty_units})",
        title="Lasso",
    )
    _draw_path(pictures[1], path, alphas[k])
    return k, errors, text


def _draw_path(file, path, alpha):
    """Draw a path against alpha to a file; a line marks the model at `alpha`, one of its own."""
    k = path.alphas.tolist().index(alpha)
    title = f"Lasso, alpha = {alpha:.4g}: {(path.coefs[:, k] != 0).sum()} columns"
    draw(file, path.plot, against="alpha", model=k, title=title)


def _lasso_row(path, k, certificate):
    """The numbers of the model at the alpha number `k`, a dict."""
    problem = path.problem
    alpha = float(path.alphas[k])
    return {
        "method": "lasso",
        "parameters": f"alpha = {alpha:.4g}",
        "alpha": alpha,
        "penalised": path.penalty_units,
        "training_error": float(path.profile()[0]["loss"][k]),
        "null_error": float(problem.start_loss / problem.weight.sum()),
        "l1": float(path.l1[k]),
        "nonzeros": int((path.coefs[:, k] != 0).sum()),
        "gap": float(certificate.witness["relative_gap"]),
        "target": f"Lasso, alpha = {alpha:.4g}",
        "message": path.message,
    }
