"""Options of the commands: the common ones, and those of the methods, taken from the signatures of
the method functions.
"""

import inspect
import math
import re
from functools import cache, partial, reduce
from pathlib import Path

import click

LOSSES = ("squared", "huber", "logistic", "exponential", "poisson", "gamma", "tweedie")
#: Parameters of methods that are rules, available in Python only; parameters that are integers
#: though their default is None.
IN_PYTHON = ("select", "families", "structure")
WHOLE = ("t", "period", "max_leaves")
#: Value of --learner -> the function in coordboost.data that makes these learners; the parameters
#: that the command line passes to it.
LEARNERS = {"trees": "trees", "stumps": "stumps", "families": "tree_families"}
LIMITS = ("max_depth", "max_leaves", "min_samples", "min_gain", "l2", "newton", "max_bins")
#: Error message without --method.
NO_METHOD = (
    "Missing option '--method', for example --method ls_boost --eps 0.1. `coordboost "
    "methods` lists all methods."
)
#: Options of the table reader, with metavar and help. The reader infers what is not given, and
#: reports it.
OF_TABLES = {
    "sep": ("C", "Separator of cells; 's' for spaces, 't' for tabs.  [default: guessed]"),
    "decimal": ("C", "The decimal mark.  [default: guessed]"),
    "thousands": ("C", "The thousands separator.  [default: none]"),
    "encoding": ("NAME", "Encoding, such as cp1252.  [default: guessed]"),
    "na": ("WORD", "A word for missing values, as NA. Repeatable."),
    "text": ("NAME", "A column to take as text. Repeatable."),
    "drop": ("NAME", "A column to leave out. Repeatable."),
    "date_format": ("FORMAT", 'Format, as "%d/%m/%Y".  [default: guessed]'),
    "sheet": ("NAME", "The sheet of a workbook.  [default: the first]"),
    "impute": (
        "HOW",
        "Missing values: median, indicator (median and 0/1 columns), drop (rows).  [default: "
        "refused]",
    ),
}
SEPARATORS = {"s": r"\s+", "t": "\t", "\\t": "\t"}


def whole_number(flag, least, default, words):
    """Return an option that is an integer, at least `least`."""
    return click.option(flag, type=click.IntRange(least), default=default, metavar="N", help=words)


def file_option(flag, words):
    """Return an option that names a file to write."""
    return click.option(
        flag, type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help=words
    )


def option_name(parameter):
    """Return the flag of a parameter: ``--max-depth`` for ``max_depth``."""
    return "--" + parameter.replace("_", "-")


def _loss(ctx, param, text):
    """Return the loss for the text ``name`` or ``name:d``."""
    from coordboost.losses import standard as losses

    name, colon, d = text.partition(":")
    try:
        loss = getattr(losses, name.capitalize() if name in LOSSES else "")
        return loss(float(d)) if colon else loss()
    except (AttributeError, TypeError, ValueError):
        raise click.BadParameter(
            f"expected one of {', '.join(LOSSES)}, some with a number as in huber:1.5, got "
            f"{text!r}."
        ) from None


def _size(ctx, param, value):
    """Return `value`, a finite number >= 0 or None."""
    if value is not None and not 0 <= value < math.inf:
        raise click.BadParameter(f"expected a finite number >= 0, got {value:g}.")
    return value


def size_option(flag, name, metavar, words):
    """Return an option that is a finite number >= 0."""
    return click.option(flag, name, type=float, callback=_size, metavar=metavar, help=words)


JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of the table.")
TARGET = click.option(
    "--target", metavar="NAME", help="Column or array (.npz) to predict.  [default: y]"
)
STEPS = whole_number("--steps", 0, 1000, "Number of steps.")
SEED = whole_number("--seed", 0, 0, "Seed of random choices.")
LOSS = click.option(
    "--loss",
    default="squared",
    metavar="NAME[:D]",
    callback=_loss,
    help="squared, huber[:d], logistic[:d], exponential (two classes), poisson (counts), gamma, "
    "tweedie[:p] (sizes).",
)
CENTER = click.option(
    "--center/--no-center", default=True, help="Centre the columns, start from the best constant."
)
SCALE = click.option("--scale/--no-scale", default=True, help="Divide columns by their norms.")
FOLDER = click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default="coordboost-out",
    help="Folder for the files written; existing ones are replaced.",
)
FOLDS = whole_number("--folds", 2, 5, "Number of folds, held out in turn.")
CHOOSE = click.option(
    "--choose",
    type=click.Choice(["best", "one-se"]),
    default="best",
    help="The model with the smallest error on rows held out, or the simplest within one "
    "standard error.",
)
TABLE_OPTIONS = {
    name: click.option(
        option_name(name), metavar=metavar, multiple="Repeatable" in words, help=words
    )
    for name, (metavar, words) in OF_TABLES.items()
}


def with_options(*options):
    """Return a decorator that adds all of `options` to a command, in this order."""
    return lambda command: reduce(lambda made, option: option(made), reversed(options), command)


def in_options(text):
    """Return `text` with the table options written as flags: ``na=`` becomes ``--na ``."""
    return re.sub(rf"\b({'|'.join(OF_TABLES)})=", lambda found: f"{option_name(found[1])} ", text)


def taken(given):
    """Remove the options of the table reader from `given`, and return those that are set."""
    found = {name: given.pop(name) for name in OF_TABLES if name in given}
    found["sep"] = SEPARATORS.get(found.get("sep"), found.get("sep"))
    return {name: value for name, value in found.items() if value not in (None, ())}


@cache
def _parameters(method):
    """Return the parameters of a named method that the command line can set, with their
    defaults.
    """
    from coordboost.methods.named import METHODS

    known = inspect.signature(METHODS[method]).parameters.values()
    return {one.name: one.default for one in known if one.name not in IN_PYTHON}


def _maker(learner):
    """Return the function of coordboost.data that makes these learners from a table."""
    from coordboost import data

    return getattr(data, LEARNERS[learner])


@cache
def _limits(learner):
    """Return the parameters in ``LIMITS`` that the function for these learners takes, with their
    defaults.
    """
    known = inspect.signature(_maker(learner)).parameters.values()
    return {one.name: one.default for one in known if one.name in LIMITS}


def _must(name, default):
    """Whether a parameter is required.

    So is t: it is optional only next to a selection rule, which needs Python.
    """
    return default is inspect.Parameter.empty or name == "t"


@cache
def _option(name, default, hidden):
    """Return the option for a parameter of a method or of learners."""
    flag = option_name(name)
    value = None if hidden or _must(name, default) else default
    words = "Required." if _must(name, default) else None
    if name == "step":
        words = "Go to the minimum along the chosen learner."
        return click.Option(
            ["--line-search", name], is_flag=True, default=None, help=words, hidden=hidden
        )
    if name == "deltas":
        words = "One radius per step, growing from A to B by a constant factor."
        return click.Option([flag], metavar="A:B", help=words, hidden=hidden)
    if isinstance(default, bool):
        return click.Option([f"{flag}/--no-{flag[2:]}"], default=value, hidden=hidden)
    kind, metavar = (int, "N") if isinstance(default, int) or name in WHOLE else (float, "X")
    return click.Option(
        [flag], type=kind, metavar=metavar, default=value, help=words, hidden=hidden
    )


@cache
def _named_options():
    from coordboost.methods.named import METHODS

    words = {
        "--method": (
            METHODS,
            "One of `coordboost methods`; with --help, describe it and its options.",
        ),
        "--learner": (
            LEARNERS,
            "trees, stumps or families (of trees); with --help, describe them.  [default: columns]",
        ),
    }
    return [
        click.Option([flag], type=click.Choice(list(known)), metavar="NAME", help=said)
        for flag, (known, said) in words.items()
    ]


def takes(method):
    """Return the options of a method as text, optional ones in brackets."""
    words = []
    for name, default in _parameters(method).items():
        flag = _option(name, default, False).opts[0]
        words.append(flag if _must(name, default) else f"[{flag}]")
    return " ".join(words) or "no options of its own"


class MethodCommand(click.Command):
    """A command with ``--method NAME`` and ``--learner NAME``, which add the parameters of that
    method and these learners as options.
    """

    def parse_args(self, ctx, args):
        """Find the method and the learners first, as the options depend on them."""
        from coordboost.methods.named import METHODS

        for name, known in (("method", METHODS), ("learner", LEARNERS)):
            found = re.search(rf"--{name}[ =](\S+)", " ".join(args))
            ctx.meta[name] = found[1] if found and found[1] in known else None
        return super().parse_args(ctx, args)

    def get_params(self, ctx):
        """Common options, and those of the method.

        Options of other methods are hidden: giving one yields a clear error message.
        """
        from coordboost.methods.named import METHODS

        own = self._own(ctx)
        others = {name: default for one in METHODS for name, default in _parameters(one).items()}
        others |= {name: default for one in LEARNERS for name, default in _limits(one).items()}
        hidden = [
            _option(name, default, True) for name, default in others.items() if name not in own
        ]
        return [
            *_named_options(),
            *(_option(name, default, False) for name, default in own.items()),
            *hidden,
            *super().get_params(ctx),
        ]

    def _own(self, ctx):
        """Return the parameters of the chosen method and learners, with their defaults."""
        method = ctx.meta.get("method")
        learner = ctx.meta.get("learner")
        return (_parameters(method) if method else {}) | (_limits(learner) if learner else {})

    def format_help(self, ctx, formatter):
        """Describe the method or the learners, if one is named, with their options.

        Else write the usual help.
        """
        from coordboost.methods.named import METHODS

        method = ctx.meta.get("method")
        learner = ctx.meta.get("learner")
        meant = {"method": method and METHODS[method], "learner": learner and _maker(learner)}
        meant = {name: maker for name, maker in meant.items() if maker}
        if not meant:
            super().format_help(ctx, formatter)
            return
        for name, maker in meant.items():
            formatter.write(f"{ctx.meta[name]}: {inspect.getdoc(maker)}\n")
        with formatter.section(f"Its options, besides those of `{ctx.command_path} --help`"):
            records = [
                _option(name, default, False).get_help_record(ctx)
                for name, default in self._own(ctx).items()
            ]
            formatter.write_dl(
                [(" ".join(f"--{name} {ctx.meta[name]}" for name in meant), ""), *records]
            )


def learners_of(name, given):
    """Return the function that makes the learners `name` from X and names, None for columns.

    Removes their options from `given`.
    """
    known = _limits(name) if name else {}
    given = {key: given.pop(key) for key in LIMITS if given.get(key) is not None}
    if foreign := [option_name(key) for key in given if key not in known]:
        has = ", ".join(map(option_name, known)) or "no such option"
        raise click.UsageError(
            f"{', '.join(foreign)}: {f'--learner {name}' if name else 'a table without --learner'} "
            f"takes {has}."
        )
    return partial(_maker(name), **given) if name else None


def method_of(name, given, steps, learner=None):
    """Return the named method with the options in `given`.

    Raise a usage error that lists its options if they do not fit.
    """
    import numpy as np

    from coordboost.methods.named import METHODS
    from coordboost.rules.selection import Groups
    from coordboost.rules.steps import LineSearch, SegmentSearch

    if name is None:
        raise click.UsageError(NO_METHOD)
    known = _parameters(name)
    given = {key: value for key, value in given.items() if value is not None and key not in LIMITS}
    flags = {
        key: "--line-search" if key == "step" else option_name(key) for key in [*given, *known]
    }
    foreign = [flags[key] for key in given if key not in known]
    missing = [
        flags[key] for key, default in known.items() if _must(key, default) and key not in given
    ]
    if foreign or missing:
        fault = f"does not take {', '.join(foreign)}" if foreign else f"needs {', '.join(missing)}"
        raise click.UsageError(f"{name} {fault}; it takes {takes(name)}.")
    if "step" in given:
        given["step"] = SegmentSearch(given["delta"]) if "delta" in given else LineSearch()
    if "t" in given and learner in ("trees", "families"):
        given["select"] = Groups(given.pop("t"))  # trees are searched feature by feature
    if "deltas" in given:
        try:
            first, last = map(float, given["deltas"].split(":"))
            given["deltas"] = np.geomspace(first, last, steps)
        except ValueError:
            text = f"expected two positive numbers A:B, got {given['deltas']!r}."
            raise click.BadParameter(text, param_hint="--deltas") from None
    return METHODS[name](**given)
