"""The command line: every command is a few calls of the package, its output a table or, with ``--json``, JSON alone on stdout."""

import errno
import inspect
import json
import sys
import warnings
from contextlib import contextmanager
from pathlib import Path

import click
import numpy as np

from coordboost.losses import Exponential, Huber, Logistic, Squared
from coordboost.methods import METHODS
from coordboost.solve import Status, solve
from coordboost.steps import BallSearch, LineSearch
from coordboost.targets import Ball, Penalty

LOSSES = {"squared": Squared, "huber": Huber, "logistic": Logistic, "exponential": Exponential}
#: The options that methods take, by the name of the parameter they are handed on as.
OPTIONS = {"eps": "--eps", "delta": "--delta", "deltas": "--deltas", "t": "--t", "lam": "--lam", "step": "--line-search"}
BAD, INTERRUPTED = 1, 130
FOLDER = click.Path(file_okay=False, path_type=Path)
HELP = {"help_option_names": ["-h", "--help"], "max_content_width": 110}


class Commands(click.Group):
    """A group that turns an error into one line on stderr and an exit code."""

    def invoke(self, ctx):
        """Run the command; see the exit codes in the help of ``main``."""
        try:
            with warnings.catch_warnings():
                warnings.showwarning = lambda message, *_: click.echo(f"note: {message}", err=True)
                return super().invoke(ctx)
        except (ValueError, OSError) as error:
            if getattr(error, "errno", None) == errno.EPIPE:
                raise
            click.echo(f"coordboost: {error}", err=True)
            ctx.exit(BAD)
        except KeyboardInterrupt:
            click.echo("coordboost: interrupted", err=True)
            ctx.exit(INTERRUPTED)


def _parameters(name):
    """The parameters of a named method that the command line can give: name to whether it must be given."""
    known = inspect.signature(METHODS[name]).parameters.items()
    return {key: value.default is inspect.Parameter.empty for key, value in known if key in OPTIONS}


def _takes(name):
    options = [OPTIONS[key] if must else f"[{OPTIONS[key]}]" for key, must in _parameters(name).items()]
    return " ".join(options) or "no options of its own"


def _methods_help():
    """A paragraph that lists the methods; \\b keeps its line breaks."""
    lines = [f"  {name}: {_takes(name)}\n    {inspect.getdoc(maker).splitlines()[0]}" for name, maker in METHODS.items()]
    head = "Methods, the options that each takes, and their sources (FGM: Freund, Grigas, Mazumder; LM: Lu, Mazumder):"
    return "\n".join(["\b", head, *lines])


@click.group(cls=Commands, context_settings=HELP)
@click.version_option(package_name="coordboost", prog_name="coordboost")
def main():
    """Boosting as convex optimisation over the coefficients of weak learners.

    \b
    Start here:
      coordboost quickstart
      coordboost path data.csv --target price --method ls_boost --eps 0.1 --steps 2000
      coordboost certify coordboost-out/ls_boost.npz --independent

    \b
    Exit codes:
      0    fine
      1    bad data, file or parameter (one line on stderr), a diverged run, contradicting certificates
      2    wrong usage
      130  interrupted by Ctrl-C: the steps made are saved; press it twice to stop at once
    """


@main.command()
@click.option("--out", type=FOLDER, default="coordboost-out", show_default=True, help="Folder for figure and runs.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of the table.")
def quickstart(out, as_json):
    """Compare three boosting methods with the Lasso and least squares on the diabetes data of scikit-learn.

    Takes a few seconds, the first time some more to compile. Writes quickstart.png and one run file per method.
    """
    from coordboost.quickstart import quickstart

    done = quickstart(out)
    _show(done.rows, done.text, done.files, as_json)


_PATH_OPTIONS = [
    click.option("--target", metavar="NAME", help="Column (CSV) or array (npz) to predict.  [default: y]"),
    click.option("--method", required=True, type=click.Choice(list(METHODS)), metavar="NAME", help="See below."),
    click.option(
        "--eps", type=float, metavar="X", help="Step size. ls_boost: the share of the best single step, 0 < eps < 2, "
        "no unit. Stagewise methods: how much one coefficient changes in a step, in the unit of the target.",
    ),  # fmt: skip
    click.option(
        "--delta", type=float, metavar="X", help="Radius: the largest l1 norm of the standardised coefficients, in the "
        "unit of the target.",
    ),  # fmt: skip
    click.option("--deltas", metavar="A:B", help="One radius per step, growing from A to B by a constant factor."),
    click.option("--t", type=int, metavar="N", help="How many random learners a step looks at."),
    click.option(
        "--lam", type=float, metavar="X", help="Penalty on the l1 norm, the loss being a sum: the number of samples "
        "times scikit-learn's alpha.",
    ),  # fmt: skip
    click.option("--line-search", is_flag=True, help="Go to the minimum along the chosen learner."),
    click.option("--steps", type=click.IntRange(0), default=1000, show_default=True, metavar="N", help="How many."),
    click.option("--seed", type=click.IntRange(0), default=0, show_default=True, metavar="N", help="Of random choices."),
    click.option(
        "--loss", default="squared", show_default=True, metavar="NAME[:D]", help="squared, huber[:d], logistic[:d] or "
        "exponential; the last two want a target of two labels, 0 and 1 or -1 and 1.",
    ),  # fmt: skip
    click.option("--center/--no-center", default=True, help="Centre columns and target.  [default: center]"),
    click.option(
        "--scale/--no-scale", default=True, help="Divide columns by their norms; with --no-scale the norms must be 1 "
        "already.  [default: scale]",
    ),  # fmt: skip
    click.option(
        "--out", type=FOLDER, default="coordboost-out", show_default=True, help="Folder for NAME.npz (the run) and "
        "NAME.png, NAME being the method. Older files of that name are replaced.",
    ),  # fmt: skip
    click.option("--json", "as_json", is_flag=True, help="Print JSON instead of the table."),
]  # fmt: skip


def _with(options):
    def decorate(command):
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


@main.command(epilog=_methods_help())
@click.argument("file")
@_with(_PATH_OPTIONS)
def path(
    file, target, method, eps, delta, deltas, t, lam, line_search, steps, seed, loss, center, scale, out, as_json
):  # fmt: skip
    """Run a METHOD on the table in FILE and keep every step.

    FILE is .csv, .npz, a pair X.npy,y.npy, or svmlight (.svm, .svmlight, .libsvm); .csv and svmlight also with .gz.

    \b
    Examples:
      coordboost path data.csv --target price --method ls_boost --eps 0.1 --steps 2000
      coordboost path data.csv --target price --method forward_stagewise --eps 0.01 --steps 20000
      coordboost path data.svm.gz --method rtgcd --t 50 --loss logistic --steps 5000

    regularized_forward_stagewise (R-FS) shrinks all coefficients by the factor 1 - eps/delta before each step of
    forward_stagewise. So the l1 norm never exceeds delta, and the run ends near the Lasso solution with that bound.
    """
    if line_search:
        step = LineSearch() if delta is None else BallSearch(delta)
    else:
        step = None
    radii = None if deltas is None else _radii(deltas, steps)
    given = {"eps": eps, "delta": delta, "deltas": radii, "t": t, "lam": lam, "step": step}
    chosen = _method(method, {key: value for key, value in given.items() if value is not None})
    problem = _problem(file, target, _loss(loss), center, scale)
    out.mkdir(parents=True, exist_ok=True)
    with _progress(method, steps, quiet=as_json) as watch:
        run = solve(problem, chosen, steps, rng=seed, watch=watch)
    _report(run, out, as_json)


def _report(run, out, as_json):
    """Save the run before anything else, then draw and print it; exit with the code that its status asks for."""
    from coordboost import plots, report

    files = [out / f"{run.method.name}.npz", out / f"{run.method.name}.png"]
    run.save(files[0])
    optimum = report.optimum(run)
    row = report.summary(run, optimum)
    plots.figure([run], None, optimum=optimum).savefig(files[1], dpi=150)
    text = [] if run.status is Status.COMPLETED else [f"After {run.n_steps:,} steps: {run.message}."]
    _show([row], text, files, as_json)
    code = {Status.INTERRUPTED: INTERRUPTED, Status.DIVERGED: BAD}.get(run.status, 0)
    if code:
        click.echo(f"coordboost: {run.message}; saved in {files[0]}", err=True)
        raise SystemExit(code)


def _method(name, given):
    """The named method from the options given; a usage error says what it takes."""
    accepted = _parameters(name)
    foreign = [OPTIONS[key] for key in given if key not in accepted]
    missing = [OPTIONS[key] for key, must in accepted.items() if must and key not in given]
    if foreign or missing:
        fault = f"does not take {', '.join(foreign)}" if foreign else f"needs {', '.join(missing)}"
        raise click.UsageError(f"{name} {fault}; it takes {_takes(name)}.")
    return METHODS[name](**given)


def _radii(text, steps):
    """Radii, one per step, from ``A:B``."""
    try:
        first, last = map(float, text.split(":"))
        return np.geomspace(first, last, steps)
    except ValueError:
        raise click.BadParameter(f"expected two positive numbers A:B, got {text!r}.", param_hint="--deltas") from None


def _loss(text):
    """A loss from ``name`` or ``name:d``."""
    name, colon, d = text.partition(":")
    try:
        return LOSSES[name](float(d)) if colon else LOSSES[name]()
    except (KeyError, TypeError, ValueError):
        raise click.BadParameter(f"expected squared, huber[:d], logistic[:d] or exponential, got {text!r}.", param_hint="--loss") from None


def _problem(file, target, loss, center, scale):
    from coordboost.problem import Problem
    from coordboost.readers import read_table

    table = read_table(file, target)
    return Problem(table.X, table.y, loss, center=center, scale=scale, feature_names=table.feature_names)


@main.command()
@click.argument("run")
@click.option("--independent", is_flag=True, help="Also let a general convex solver (cvxpy) solve the problem, and compare.")
@click.option("--ball", "radius", type=click.FloatRange(0), metavar="R", help="Compare with the Lasso with l1 norm at most R.")
@click.option("--lam", type=click.FloatRange(0), metavar="L", help="Compare with the Lasso with penalty L times the l1 norm.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of the table.")
def certify(run, independent, radius, lam, as_json):
    """Prove how close the model in the file RUN is to the optimum, from its data and coefficients alone.

    The smallest possible loss (a sum over samples) lies between the two ends printed. Without --ball and --lam it is
    that of the problem which the method of the run solves: least squares for ls_boost and forward_stagewise, the Lasso
    for regularized_forward_stagewise.
    """
    from coordboost import report
    from coordboost.certify import certify
    from coordboost.storage import load

    if radius is not None and lam is not None:
        raise click.UsageError("--ball and --lam name two different optima; give one of them.")
    done = load(run)
    target = Ball(radius) if radius is not None else Penalty(lam) if lam is not None else done.final.target
    found = report.verdict(done.problem, certify(done.problem, done.beta, target, independent=independent))
    if as_json:
        click.echo(json.dumps(found, indent=2))
    else:
        _print(report.verdict_table(found))
    if not found.get("agree", True):
        raise ValueError("the two intervals do not overlap, so one of the certificates is wrong: please report this.")


@contextmanager
def _progress(words, n_steps, *, quiet):
    """Yield a function that moves a progress bar on stderr, or None where nobody would see it."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(words, total=n_steps)
        yield lambda state: bar.update(task, completed=state.k)


def _show(rows, text, files, as_json):
    if as_json:
        click.echo(json.dumps({"rows": rows, "text": text, "files": [str(file) for file in files]}, indent=2))
        return
    from coordboost import report

    _print(report.table(rows), *text)
    click.echo("Written: " + ", ".join(str(file) for file in files))


def _print(*parts):
    from rich.console import Console

    console = Console(highlight=False, width=None if sys.stdout.isatty() else 100)
    for part in parts:
        console.print(part, markup=False)
        console.print()
