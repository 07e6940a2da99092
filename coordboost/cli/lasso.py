"""``coordboost lasso``: the certified Lasso at one penalty, or at the one that rows held out choose."""

from pathlib import Path

import click

from coordboost.cli.cv import CHOICES, FOLDS, NONE_BETTER, choose_option, validated
from coordboost.cli.fit import FIT_OPTIONS, problem_of
from coordboost.cli.methods import METHOD_OPTIONS, loss_of
from coordboost.cli.output import show, taken, with_options, without

OF_RUNS = [option(lambda: None).__click_params__[0].name for option in METHOD_OPTIONS]
#: Some options of ``fit`` are about steps, and the Lasso has its own unit of columns.
LASSO_OPTIONS = without(
    FIT_OPTIONS, *OF_RUNS, "resume", "with_data", "until_gap", "time_limit", "steps", "center", "scale", "out", "as_json"
)


@click.command()
@click.argument("file")
@with_options(LASSO_OPTIONS)
@click.option("--alpha", type=click.FloatRange(0, min_open=True), metavar="X", help="The penalty of the mean loss.")
@click.option("--cv", "choosing", is_flag=True, help="Choose the penalty on rows held out.")
@FOLDS
@choose_option("The penalty with the smallest error on rows held out, or the largest within one standard error of it.")
@click.option(
    "--n-alphas", type=click.IntRange(2), default=100, show_default=True, metavar="N", help="Penalties to choose from, of --cv."
)
@click.option(
    "--eps", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=1e-3, show_default=True, metavar="X",
    help="The smallest of them, in parts of the smallest that gives 0.",
)  # fmt: skip
@click.option(
    "--scale/--no-scale", default=True,
    help="Penalise columns of standard deviation 1, as glmnet does, or columns as they are, as scikit-learn.  [default: scale]",
)  # fmt: skip
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), default="coordboost-out", show_default=True,
    help="Folder for what is written; older files of these names are replaced.",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of the table.")
def lasso(file, target, seed, loss, alpha, choosing, folds, choose, n_alphas, eps, scale, out, as_json, **given):
    """Fit the Lasso to a table at one penalty, or choose it by cross-validation; with a certificate.

    The penalty is that of the mean loss, as in glmnet and scikit-learn. Each fold makes the path of the other rows at all penalties. The
    model is kept as lasso.json, with --cv as lasso-cv.json beside two pictures, for coef and predict.

    \b
    Examples:
      coordboost lasso table.csv --target price --cv
      coordboost lasso table.csv --target price --cv --choose one-se --loss poisson
      coordboost lasso table.csv --target price --alpha 0.1
    """  # noqa: D301
    from coordboost.interrupt import uncut
    from coordboost.lasso.path import lasso_path

    if choosing == (alpha is not None):
        raise click.UsageError("give --alpha X for one penalty, or --cv to choose it on rows held out.")
    problem, table = problem_of(file, target, loss_of(loss), True, True, taken(given))
    out.mkdir(parents=True, exist_ok=True)

    def walk(part, **grid):
        factor = part.standardization.deviations(part.weight.sum()) if scale else None
        with uncut():
            return lasso_path(part, penalty_factor=factor, unit_columns=False, refit_intercept=True, **grid)

    if not choosing:
        path = walk(problem, alphas=[alpha])
        _report(path, 0, {}, [], "lasso", out, as_json)
        return
    path = walk(problem, n_alphas=n_alphas, eps=eps)
    found = validated(table, problem.loss, lambda part: walk(part, alphas=path.alphas), folds, seed)[0]
    k = found.chosen(CHOICES[choose])
    row = {"cv_error": float(found.mean[k]), "cv_standard_error": float(found.error[k]), "folds": folds}
    row |= {"cv_best_alpha": float(path.alphas[found.best]), "cv_one_se_alpha": float(path.alphas[found.one_se])}
    text = [
        f"Mean loss on rows held out, {folds} folds: {found.mean[k]:.6g} +- {found.error[k]:.4g} (standard error) at alpha = "
        f"{path.alphas[k]:.6g}, chosen as {choose}; the constant model has {found.mean[0]:.6g}. Smallest at {row['cv_best_alpha']:.6g}; "
        f"{row['cv_one_se_alpha']:.6g} is the largest within one standard error."
    ]
    if found.best == path.n_points - 1:
        text.append(f"The smallest error is at the smallest penalty: less may be better, try --eps {eps / 10:g}.")
    if found.best == 0:
        text.append(NONE_BETTER)
    _report(path, k, row, text, "lasso-cv", out, as_json, found)


def _report(path, k, row, text, name, out, as_json, found=None):
    """Keep the model at the k-th penalty, draw what there is to see, print what was found."""
    from matplotlib.figure import Figure

    from coordboost.plots.choices import CrossValidationDisplay
    from coordboost.plots.displays import penalty_units
    from coordboost.storage.archive import write_figure, write_text
    from coordboost.storage.model import model_with
    from coordboost.targets import outwards

    problem, alpha, coef = path.problem, float(path.alphas[k]), path.coefs[:, k]
    certificate = path.certificate(k)
    files = [out / f"{name}.json"]
    write_text(files[0], model_with(problem, coef, float(path.intercepts[k]), f"lasso, alpha = {alpha:.6g}").text())
    if found is not None:
        files += [out / f"{name}.png", out / f"{name}-path.png"]
        curve, profile = Figure(layout="constrained"), Figure(layout="constrained")
        words = f"alpha (penalty of the mean loss, {penalty_units(path)})"
        CrossValidationDisplay.from_cross_validation(
            found, path.alphas, path=path, words=words, title="Lasso", ax=curve.subplots()
        )
        path.plot(ax=profile.subplots())
        write_figure(files[1], curve)
        write_figure(files[2], profile)
    fitted, null, total = path.profile()[0]["loss"][k], problem.start_loss, problem.weight.sum()
    gap = float(certificate.witness["relative_gap"])
    row = {
        "method": "lasso", "parameters": f"alpha = {alpha:.4g}", "alpha": alpha, "penalised": penalty_units(path),
        "training_error": float(fitted), "null_error": float(null / total), "l1": float(path.l1[k]),
        "nonzeros": int((coef != 0).sum()), "gap": gap, "target": f"Lasso, alpha = {alpha:.4g}", "message": path.message, **row,
    }  # fmt: skip
    ends = outwards(certificate.lower / total, certificate.upper / total, 10)
    text = [*text, "Penalty included, the mean loss of the best model is in [{}, {}]; this model has the upper end.".format(*ends)]
    if path.message != "complete":
        text.append(f"The path is not complete: {path.message}.")
    if found is None and not coef.any():
        text.append(f"No coefficient moves: alpha = {alpha:g} is too large. Try a smaller one, or --cv.")
    show([row], text, files, as_json)
