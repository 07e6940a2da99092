"""The command line: every command is a few calls of the package; its output is a table or, with ``--json``, JSON alone on stdout."""

import errno
import json
import math
import warnings
from pathlib import Path

import click

from coordboost.cli.check import check, mca
from coordboost.cli.compare import compare
from coordboost.cli.cv import cv
from coordboost.cli.fit import fit
from coordboost.cli.lasso import lasso
from coordboost.cli.models import coef, predict, report
from coordboost.cli.output import in_options, print_parts, show, streams
from coordboost.cli.warmup import warmup

BAD, INTERRUPTED, TERMINATED = 1, 130, 143


#: What the command line calls the ways out that error messages name in Python.
PHRASES = {
    "step=LineSearch()": "--line-search",
    "unknown_as_none=True in table.frame(rows) or recipe.numbers(frame)": "--unknown none",
    "Pass scale=True": "Leave out --no-scale",
    "pass center=False to Problem": "pass --no-center",
}


def _sentence(error):
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    text = str(error)
    for python, option in PHRASES.items():
        text = text.replace(python, option)
    return in_options(text)


class Commands(click.Group):
    """A group that turns an error into one line on stderr and an exit code."""

    def invoke(self, ctx):
        """Run the command; the help of ``main`` lists the exit codes."""
        from coordboost.interrupt import terminable

        with streams(), terminable() as terminated:
            try:
                done = self._invoked(ctx)
            except KeyboardInterrupt:
                click.echo(f"coordboost: {'terminated' if terminated() else 'interrupted'}", err=True)
                ctx.exit(TERMINATED if terminated() else INTERRUPTED)
            except SystemExit as end:
                if end.code == INTERRUPTED and terminated():  # a run that was cut short is saved
                    raise SystemExit(TERMINATED) from None
                raise
            if terminated():  # too late to cut anything short
                ctx.exit(TERMINATED)
            return done

    def _invoked(self, ctx):
        from coordboost.data.validation import ConstantColumnWarning
        from coordboost.interrupt import InterruptedWarning
        from coordboost.run import LongStepWarning

        try:
            with warnings.catch_warnings():
                for said in (InterruptedWarning, LongStepWarning):  # how to go on, and as a hint
                    warnings.filterwarnings("ignore", category=said)
                warnings.filterwarnings("always", category=ConstantColumnWarning)
                warnings.showwarning = lambda message, *_, **__: click.echo(f"note: {message}", err=True)
                return super().invoke(ctx)
        except (ValueError, OSError) as error:
            if getattr(error, "errno", None) == errno.EPIPE:
                raise
            click.echo(f"coordboost: {_sentence(error)}", err=True)
            ctx.exit(BAD)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(package_name="coordboost", prog_name="coordboost")
def main():
    """Boosting as convex optimisation over the coefficients of weak learners.

    \b
    Start here:
      coordboost quickstart
      coordboost fit table.csv --target price --method ls_boost --eps 0.1 --steps 2000
      coordboost cv table.csv --target price --method ls_boost --eps 0.1 --steps 2000
      coordboost lasso table.csv --target price --cv
      coordboost coef coordboost-out/ls_boost.run
      coordboost predict coordboost-out/ls_boost.run new.csv --out predictions.csv
      coordboost report coordboost-out/ls_boost.run --out page.html
      coordboost certify coordboost-out/ls_boost.run --independent

    \b
    Exit codes:
      0    fine
      1    bad data, file or parameter (one line on stderr); a diverged run; certificates that contradict
      2    wrong usage
      130  interrupted by Ctrl-C: the steps made are saved, and how to go on is said; a second one acts at once
      143  the same by SIGTERM, as `timeout` and job queues send it
    """  # noqa: D301


main.add_command(fit)
main.add_command(fit, "path")
for one in (cv, lasso, coef, predict, report, compare, mca, warmup):
    main.add_command(one)
main.add_command(check)


@main.command()
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default="coordboost-out",
    show_default=True,
    help="Folder for the figure and the runs; older files of the same names are replaced.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of the table.")
def quickstart(out, as_json):
    """Compare boosting, the Lasso and least squares.

    Runs LS-Boost, FS and R-FS beside them on the diabetes data of scikit-learn. Takes a few seconds, the first time some
    more to compile. Writes quickstart.png and one run file per method.
    """
    from coordboost.quickstart import quickstart

    done = quickstart(out)
    show(done.rows, done.text, done.files, as_json)


def _size(ctx, param, value):
    """A finite number >= 0, or None."""
    if value is not None and not 0 <= value < math.inf:
        raise click.BadParameter(f"expected a finite number >= 0, got {value:g}.")
    return value


@main.command()
@click.argument("run")
@click.option("--independent", is_flag=True, help="Also let a general convex solver (cvxpy) solve the problem, and compare.")
@click.option(
    "--ball", "radius", type=float, callback=_size, metavar="R", help="Compare with the best model whose l1 norm is at most R."
)
@click.option(
    "--lam", type=float, callback=_size, metavar="X", help="Compare with the best model under a penalty of X times the l1 norm."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of the table.")
def certify(run, independent, radius, lam, as_json):
    """Prove how close a saved model is to the best one.

    Everything is recomputed from the data and the coefficients in the file RUN. The smallest possible loss (a sum over
    samples) lies between the two ends printed. Without --ball and --lam it is that of the problem which the method of
    the run solves: least squares for ls_boost and forward_stagewise with the squared loss, the Lasso for
    regularized_forward_stagewise; where nothing is known of that, as without a bound of the coefficients for the logistic
    loss, the ball of the l1 norm that the model has. l1 norms are those of the standardised coefficients.
    """
    from coordboost import report
    from coordboost.certificates import certify
    from coordboost.paths.refitted import with_intercept
    from coordboost.run import load
    from coordboost.targets import Ball, Penalty

    if radius is not None and lam is not None:
        raise click.UsageError("--ball and --lam name two different optima; give one of them.")
    done = with_intercept(load(run))
    last = done.final
    target = Ball(radius) if radius is not None else Penalty(lam) if lam is not None else report.reached(done)
    found = report.verdict(done.problem, certify(last.problem, last.beta, target, independent=independent))
    if as_json:
        click.echo(json.dumps(found, indent=2))
    else:
        print_parts(report.verdict_table(found), *report.verdict_text(found))
