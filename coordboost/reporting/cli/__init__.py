"""The command line.

Each command makes a few calls of the package and prints a table on stdout or, with ``--json``, only
JSON.
"""

import errno
import warnings

import click

from coordboost.reporting.cli.check import certify, check, mca
from coordboost.reporting.cli.cv import cv, lasso
from coordboost.reporting.cli.fit import fit, methods
from coordboost.reporting.cli.models import coef, compare, predict, report
from coordboost.reporting.cli.options import FOLDER, JSON, in_options
from coordboost.reporting.cli.output import note, show, streams
from coordboost.reporting.cli.verify import docs, verify
from coordboost.reporting.cli.warmup import warmup

BAD, INTERRUPTED, TERMINATED = 1, 130, 143


#: Advice in error messages: the Python words, and the options of the command line that replace
#: them.
PHRASES = {
    "step=LineSearch()": "--line-search",
    "unknown_as_none=True in table.frame(rows) or recipe.numbers(frame)": "--unknown none",
    "save it with data=True": "leave out --no-data",
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
        from coordboost._utils.interrupt import terminable

        with streams(), terminable() as terminated:
            try:
                done = self._invoked(ctx)
            except KeyboardInterrupt:
                click.echo(
                    f"coordboost: {'terminated' if terminated() else 'interrupted'}", err=True
                )
                ctx.exit(TERMINATED if terminated() else INTERRUPTED)
            except SystemExit as end:
                if end.code == INTERRUPTED and terminated():  # `fit` has saved the interrupted run
                    raise SystemExit(TERMINATED) from None
                raise
            if terminated():  # SIGTERM came too late to interrupt the run
                ctx.exit(TERMINATED)
            return done

    def _invoked(self, ctx):
        from coordboost._utils.interrupt import InterruptedWarning
        from coordboost._utils.warned import ConstantColumnWarning, LongStepWarning

        try:
            with warnings.catch_warnings():
                # `fit` prints both in its own words
                for category in (InterruptedWarning, LongStepWarning):
                    warnings.filterwarnings("ignore", category=category)
                warnings.filterwarnings("always", category=ConstantColumnWarning)
                warnings.showwarning = lambda message, *_, **__: note(f"note: {message}")
                return super().invoke(ctx)
        except (ValueError, OSError) as error:
            if getattr(error, "errno", None) == errno.EPIPE:
                raise
            note(f"coordboost: {_sentence(error)}")
            ctx.exit(BAD)


@click.group(
    cls=Commands,
    context_settings={
        "help_option_names": ["-h", "--help"],
        "max_content_width": 110,
        "show_default": True,
    },
)
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
      1    bad data, file or parameter (one line on stderr); a certificate or bound that fails;
           a diverged run, or one whose loss ends above its start: it is saved
      2    wrong usage
      130  interrupted by Ctrl-C: fit saves the run and prints how to resume it;
           a second Ctrl-C stops at once
      143  the same after SIGTERM, as sent by `timeout` and job queues
    """  # noqa: D301


@main.command()
@FOLDER
@JSON
def quickstart(out, as_json):
    """Compare boosting, the Lasso and least squares.

    Runs LS-Boost, FS, R-FS, the Lasso and least squares on the diabetes data of scikit-learn. Takes
    a few seconds; the first time it also compiles, which takes longer. Writes quickstart.png and
    one run file per method.
    """
    from coordboost.reporting.quickstart import quickstart

    done = quickstart(out)
    show(done.rows, done.text, done.files, as_json)


for one in (
    fit,
    methods,
    cv,
    lasso,
    coef,
    predict,
    report,
    compare,
    certify,
    check,
    mca,
    warmup,
    verify,
    docs,
):
    main.add_command(one)
main.add_command(fit, "path")
