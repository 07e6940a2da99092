"""``coordboost fit``: run a method on a table, save, plot and resume the run.

``coordboost methods``: list the methods.
"""

from pathlib import Path

import click

from coordboost._utils.text import summary_line
from coordboost.reporting.cli.options import (
    COLUMNS,
    FOLDER,
    JSON,
    SEED,
    STEPS,
    TABLE,
    TARGET,
    WITH_CATEGORIES,
    MethodCommand,
    learners_of,
    loss_option,
    method_of,
    taken,
    takes,
    whole_number,
    with_options,
)
from coordboost.reporting.cli.output import progress, show
from coordboost.reporting.cli.tables import problem_of, stopped_early

#: Exit codes of interrupted and diverged runs, by the name of their status.
CODES = {"INTERRUPTED": 130, "DIVERGED": 1}
#: Options allowed together with --resume.
GOES_ON = ("resume", "steps", "until_gap", "time_limit", "out", "with_data", "as_json")


@click.command(cls=MethodCommand, later=(loss_option, COLUMNS, TABLE))
@click.argument("file", required=False)
@with_options(TARGET, STEPS)
@click.option(
    "--until-gap",
    "--gap",
    type=click.FloatRange(0),
    metavar="X",
    help="Stop when the certified gap is at most X times the loss of the constant model.",
)
@click.option(
    "--time-limit",
    "--seconds",
    type=click.FloatRange(0),
    metavar="X",
    help="Stop after X seconds of steps.",
)
@whole_number(
    "--early-stopping",
    1,
    None,
    "For trees: as many steps as are best on a tenth of the rows, tried to N steps beyond.",
)
@with_options(SEED, FOLDER)
@click.option("--resume", metavar="RUN", help="Continue a run file by --steps more steps.")
@click.option(
    "--data/--no-data",
    "with_data",
    default=True,
    help="Keep the table in the run file; without it use METHOD.json to predict.",
)
@JSON
@click.pass_context
def fit(
    ctx,
    file,
    method,
    learner,
    target,
    steps,
    until_gap,
    time_limit,
    early_stopping,
    seed,
    loss,
    center,
    scale,
    out,
    resume,
    with_data,
    as_json,
    **given,
):
    """Run a method on a table, save the run and plot its path.

    FILE is text (.csv, .tsv, .txt, also as .gz; - is standard input), .parquet, .arrow, .xlsx,
    .npz, a pair X.npy,y.npy, or svmlight (.svm, .libsvm, also as .gz). Text becomes 0/1 columns,
    for trees categories; dates become days.

    \b
    Examples:
      coordboost fit table.csv --target price --method ls_boost --eps 0.1 --steps 2000
      coordboost fit table.csv --target price --learner trees --method gbm --early-stopping 20
      coordboost fit --method ls_boost --help
    """  # noqa: D301
    from dataclasses import replace

    from coordboost.engine.run import load, solve
    from coordboost.engine.stopping import GapBelow, TimeLimit

    stop = [
        rule(limit)
        for rule, limit in ((GapBelow, until_gap), (TimeLimit, time_limit))
        if limit is not None
    ]
    if resume is not None:
        named = [
            name
            for name in ctx.params
            if ctx.get_parameter_source(name) == click.core.ParameterSource.COMMANDLINE
        ]
        if file is not None or any(name not in GOES_ON for name in named):
            raise click.UsageError(
                "--resume uses the table and the method of the run: it takes only --steps, "
                "--until-gap, --time-limit, --out, "
                "--no-data and --json."
            )
        run = load(resume)
        home = Path(resume)
        if "out" in named:
            out.mkdir(parents=True, exist_ok=True)
            home = out / home.name
        steps += run.n_steps
        with progress(
            run.method.name, steps - run.n_steps, quiet=as_json, since=run.n_steps
        ) as watch:
            run = run.resume(steps - run.n_steps, stop=stop, watch=watch)
    else:
        if file is None:
            raise click.UsageError("Missing argument 'FILE'.")
        reading = taken(given)
        if early_stopping is not None and learner not in WITH_CATEGORIES:
            raise click.UsageError(
                "--early-stopping is for --learner trees or families; `coordboost cv` chooses the "
                "number of steps of other learners."
            )
        learners = learners_of(learner, given, seed, method)
        options = {"center": center, "scale": scale, "learners": learners}
        chosen = method_of(method, given, steps, learner)
        reading["one_hot"] = learner not in WITH_CATEGORIES
        problem, table = problem_of(file, target, loss, reading, **options)
        out.mkdir(parents=True, exist_ok=True)
        home = out / f"{method}.run"
        validation = None
        if early_stopping is not None:
            with progress(f"{method}, rows held out", steps, quiet=as_json) as watch:
                watched = {"seed": seed, "stop": stop, "watch": watch}
                steps, validation = stopped_early(
                    table, loss, chosen, steps, early_stopping, **watched, **options
                )
        with progress(method, steps, quiet=as_json) as watch:
            run = solve(problem, chosen, steps, rng=seed, stop=stop, watch=watch)
        run = run if validation is None else replace(run, validation=validation)
    _keep(run, home, steps, with_data, as_json)


def _keep(run, file, steps, with_data, as_json):
    """Save the run first, then plot and print it.

    Exit with the code of its status, if ``CODES`` has one; with 1 if its loss has risen.
    """
    from coordboost.engine.storage.archive import write_text
    from coordboost.engine.storage.model import model_of

    files = [file, file.with_suffix(".png")]
    run.save(file, data=with_data)
    if not with_data:
        files.insert(1, file.with_suffix(".json"))
        write_text(files[1], model_of(run).text())
    row = drawn_summary(run, files[-1])
    show([row], [*on_rows_held_out(run), *hints(run, steps, row)], files, as_json)
    if run.status.name not in CODES and run.rise:
        raise SystemExit(1)
    if run.status.name in CODES:
        click.echo(
            f"coordboost: after {run.n_steps:,} steps {run.message}; saved in {file}", err=True
        )
        if run.status.name == "INTERRUPTED":
            left = max(steps - run.n_steps, 1)
            command = f"coordboost fit --resume {file} --steps {left}"
            command = (
                command
                if with_data
                else f"in Python, with the problem: coordboost.load({str(file)!r}, "
                f"problem).resume({left})"
            )
            click.echo(f"coordboost: to continue: {command}", err=True)
        raise SystemExit(CODES[run.status.name])


def on_rows_held_out(run):
    """Return a sentence about early stopping, if it chose the number of steps."""
    from coordboost.engine.held_out import EARLY

    found = run.validation
    if found is None or found["choose"] != EARLY:
        return []
    mean = found["mean"]
    at = found["at"][mean.index(min(mean))]
    ends = f"; after {found['at'][-1]:,} steps, the last, it was {mean[-1]:.6g}"
    if at == found["at"][-1]:
        rate = "" if run.method.parameters.get("rate") is None else ", or --rate"
        ends = f"; it was still falling: raise --steps{rate}"
    return [
        f"Mean loss on a tenth of the rows, held out: {min(mean):.6g} after {at:,} steps, the "
        f"smallest; the constant model has {mean[0]:.6g}{ends}. The run was made on all rows."
    ]


def drawn_summary(run, picture):
    """Plot the path of a run to the file `picture`, and return the row of ``report.summary``."""
    from coordboost.engine.refitted import with_intercept
    from coordboost.engine.storage.archive import write_figure
    from coordboost.reporting import report
    from coordboost.reporting.plots import path as plots
    from coordboost.reporting.plots.displays import ErrorDisplay

    models = with_intercept(run)
    optimum = report.optimum(models)
    if run.problem.countable:
        write_figure(picture, plots.figure([models], optimum=optimum))
    else:
        draw(
            picture,
            ErrorDisplay(
                run.losses / run.problem.weight.sum(),
                words="step",
                title=report.caption(run).replace("\n", ", "),
            ).plot,
        )
    return report.summary(models, optimum)


def draw(file, plot, *args, **options):
    """Write the plot that ``plot(*args, ax=..., **options)`` draws to `file`."""
    from matplotlib.figure import Figure

    from coordboost.engine.storage.archive import write_figure

    figure = Figure(layout="constrained")
    plot(*args, ax=figure.subplots(), **options)
    write_figure(file, figure)


def picture_file(file):
    """Return `file`, or refuse it at once if its ending is that of no picture."""
    from matplotlib.figure import Figure

    kinds = Figure().canvas.get_supported_filetypes()
    if file.suffix[1:].lower() not in kinds:
        raise click.BadParameter(
            f"{file.name} must end with one of {', '.join('.' + kind for kind in sorted(kinds))}.",
            param_hint="'--plot'",
        )
    return file


def hints(run, steps, row):
    """Return sentences on what is unusual about a run with a budget of `steps` steps, and why its
    row has no gap.
    """
    from coordboost._utils.checks import typed
    from coordboost.engine.run import too_long

    given = run.method.parameters
    start = run.problem.start_size if run.problem.countable else None
    sentences = []
    used = len(run.final.support)
    is_countable = start is not None
    if steps == 0:
        sentences.append("No step was made, because of --steps 0: this is the constant model.")
    elif run.n_steps == 0 and start == 0:
        sentences.append(
            "No step was made: no column is correlated with the target, so the constant model is "
            "the best one."
        )
    elif run.n_steps == 0:
        sentences.append(f"No step was made ({run.message}): this is the constant model.")
    elif advice := too_long(run):
        sentences.append(advice.replace("Try eps=", "Try --eps "))
    elif run.rise:
        sentences.append(f"The constant model is better: {run.message}. Try a shorter step.")
    elif (
        is_countable
        and isinstance(delta := given.get("delta"), int | float)
        and run.problem.n_learners > 1
        and used <= 1
    ):
        sentences.append(
            f"Only one coefficient is not 0, as delta = {delta:g} leaves no room for a second one: "
            "the best column alone would get "
            f"{start:.3g}. Try --delta {typed(2 * start)}."
        )
    elif is_countable and isinstance(lam := given.get("lam"), int | float) and not used:
        sentences.append(
            f"All coefficients are 0, as lam = {lam:g} is not below {start:.4g}, the largest "
            "correlation at the start. "
            f"Try --lam {typed(start / 10)}."
        )
    if row["gap"] is None and is_countable:
        sentences.append(
            "No gap is shown, as the loss is not strongly convex or the data are large: "
            "`coordboost certify` with --ball or --lam "
            "proves how close the run came to the best model of bounded l1 norm."
        )
    return sentences


@click.command()
@click.argument("name", required=False)
@click.pass_context
def methods(ctx, name):
    """List the methods with their options and sources; with a NAME, describe that method.

    FGM: Freund, Grigas, Mazumder. LM: Lu, Mazumder. SGLB: Ustimenko, Prokhorenkova.
    """
    from coordboost.methods.named import METHODS

    if name is not None:
        click.Choice(list(METHODS)).convert(name, None, ctx)
        fit.main(["--method", name, "--help"], "fit", parent=ctx.parent, standalone_mode=False)
        return
    for method, maker in METHODS.items():
        click.echo(f"{method}: {takes(method)}\n    {summary_line(maker)}")
