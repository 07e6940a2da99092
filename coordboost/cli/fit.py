"""``coordboost fit``: one method on one table, kept, drawn, and taken further."""

from pathlib import Path

import click

from coordboost.cli.methods import METHOD_OPTIONS, NO_METHOD, MethodCommand, hints, loss_of, method_of
from coordboost.cli.output import TABLE_OPTIONS, progress, read, show, taken, with_options

#: Exit codes of runs that did not end by themselves, by the name of their status.
CODES = {"INTERRUPTED": 130, "DIVERGED": 1}
#: Options that make sense for a run that goes on.
GOES_ON = ("resume", "steps", "until_gap", "time_limit", "out", "with_data", "as_json")

FIT_OPTIONS = [
    click.option("--target", metavar="NAME", help="Column or array (.npz) to predict.  [default: y]"),
    *METHOD_OPTIONS,
    click.option("--steps", type=click.IntRange(0), default=1000, show_default=True, metavar="N", help="How many to make."),
    click.option(
        "--until-gap", "--gap", type=click.FloatRange(0), metavar="X",
        help="End at the first step whose certified gap is at most X times the loss of the constant model.",
    ),
    click.option("--time-limit", "--seconds", type=click.FloatRange(0), metavar="X", help="End after so many seconds of steps."),
    click.option("--seed", type=click.IntRange(0), default=0, show_default=True, metavar="N", help="Seed of random choices."),
    click.option(
        "--loss", default="squared", show_default=True, metavar="NAME[:D]",
        help="squared, huber[:d], logistic[:d] or exponential (two classes), poisson (counts).",
    ),
    click.option(
        "--center/--no-center", default=True, help="Centre the columns, start from the best constant model.  [default: center]"
    ),
    click.option(
        "--scale/--no-scale", default=True, help="Divide columns by their norms, unless these are 1 already.  [default: scale]"
    ),
    *TABLE_OPTIONS,
    click.option(
        "--out", type=click.Path(file_okay=False, path_type=Path), default="coordboost-out", show_default=True,
        help="Folder for METHOD.run and METHOD.png; older files of these names are replaced.",
    ),
    click.option("--resume", metavar="RUN", help="Go on with a run file, by --steps more steps, as if it had never stopped."),
    click.option(
        "--data/--no-data", "with_data", default=True,
        help="Keep the table in the run file; without it METHOD.json holds the model for predict.  [default: data]",
    ),
    click.option("--json", "as_json", is_flag=True, help="Print JSON instead of the table."),
]  # fmt: skip


@click.command(cls=MethodCommand)
@click.argument("file", required=False)
@with_options(FIT_OPTIONS)
@click.pass_context
def fit(ctx, file, target, steps, until_gap, time_limit, seed, loss, center, scale, out, resume, with_data, as_json, **given):
    """Run a method on a table, keep and draw its path.

    FILE is text (.csv, .tsv, .txt, also as .gz), .parquet, .arrow, .xlsx, .npz, a pair X.npy,y.npy, or svmlight (.svm, .libsvm,
    also as .gz). How a text file is written is guessed and said. Text becomes a 0/1 column for each word, dates become days.

    \b
    Examples:
      coordboost fit table.csv --target price --method ls_boost --eps 0.1 --steps 2000
      coordboost fit table.csv --target price --method forward_stagewise --eps 0.01 --impute median
      coordboost fit labels.svm.gz --method rtgcd --t 50 --loss logistic --steps 5000
      coordboost fit --resume coordboost-out/ls_boost.run --steps 1000

    regularized_forward_stagewise (R-FS) shrinks all coefficients by the factor 1 - eps/delta before each step of
    forward_stagewise. So their l1 norm never exceeds delta, and the run ends near the Lasso solution with that bound.
    `coordboost path` is the same command.
    """  # noqa: D301
    from coordboost.run import solve
    from coordboost.stopping import GapBelow, TimeLimit

    stop = [rule(limit) for rule, limit in ((GapBelow, until_gap), (TimeLimit, time_limit)) if limit is not None]
    if resume is not None:
        _go_on(ctx, file, resume, steps, stop, out, with_data, as_json)
        return
    if file is None or given["method"] is None:
        missing = "Missing argument 'FILE'." if file is None else NO_METHOD
        raise click.UsageError(missing)
    table_options = taken(given)
    chosen = method_of(given.pop("method"), given, steps)
    problem = problem_of(file, target, loss_of(loss), center, scale, table_options)[0]
    out.mkdir(parents=True, exist_ok=True)
    with progress(chosen.name, steps, quiet=as_json) as watch:
        run = solve(problem, chosen, steps, rng=seed, stop=stop, watch=watch)
    _report(run, out / f"{run.method.name}.run", steps, with_data, as_json)


def problem_of(file, target, loss, center, scale, table_options):
    """The problem that the table in `file` poses, and the table."""
    table = read(file, target, table_options)
    if table.recipe is not None and table.recipe.labels and not loss.two_class:
        no, yes = table.recipe.labels
        raise ValueError(f"the target {table.recipe.target!r} holds the words {no!r} and {yes!r}: add --loss logistic")
    return table.problem(loss, center=center, scale=scale), table


def _go_on(ctx, file, resume, steps, stop, out, with_data, as_json):
    """Take a saved run further, and write it back, or to the folder that was named."""
    from coordboost.run import load

    told = [name for name in ctx.params if ctx.get_parameter_source(name) == click.core.ParameterSource.COMMANDLINE]
    if file is not None or any(name not in GOES_ON for name in told):
        raise click.UsageError(
            "--resume goes on with the table and the method of the run: it takes --steps, --until-gap, --time-limit, --out, --no-data "
            "and --json alone."
        )
    run, home = load(resume), Path(resume)
    if "out" in told:
        out.mkdir(parents=True, exist_ok=True)
        home = out / home.name
    with progress(run.method.name, steps, quiet=as_json, since=run.n_steps) as watch:
        longer = run.resume(steps, stop=stop, watch=watch)
    _report(longer, home, run.n_steps + steps, with_data, as_json)


def unknown(row):
    """What is said where no gap is known, in a list."""
    said = (
        "No gap is shown, as the loss is not strongly convex or the data are large: `coordboost certify` with --ball or --lam "
        "proves how close the run came to the best model of bounded l1 norm."
    )
    return [said] if row["gap"] is None else []


def _report(run, file, steps, with_data, as_json):
    """Save the run before anything else, then draw and print it; exit with the code that its status asks for."""
    from coordboost import report
    from coordboost.paths.refitted import with_intercept
    from coordboost.plots import path as plots
    from coordboost.storage.archive import write_figure, write_text
    from coordboost.storage.model import model_of

    picture, model, files = file.with_suffix(".png"), file.with_suffix(".json"), [file]
    run.save(file, data=with_data)
    if not with_data:
        write_text(model, model_of(run).text())
        files.append(model)
    models = with_intercept(run)
    optimum = report.optimum(models)
    write_figure(picture, plots.figure([models], optimum=optimum))
    row = report.summary(models, optimum)
    show([row], [*hints(run, steps), *unknown(row)], [*files, picture], as_json)
    if run.status.name in CODES:
        click.echo(f"coordboost: after {run.n_steps:,} steps {run.message}; saved in {file}", err=True)
        if run.status.name == "INTERRUPTED":
            left = max(steps - run.n_steps, 1)
            way = f"coordboost fit --resume {file} --steps {left}"
            way = way if with_data else f"in Python, with the problem: coordboost.load({str(file)!r}, problem).resume({left})"
            click.echo(f"coordboost: to go on: {way}", err=True)
        raise SystemExit(CODES[run.status.name])
