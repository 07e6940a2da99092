"""Options of the commands.

Most are parameters of functions of the package: signatures and docstrings give their names, types,
defaults and help. They are read when a command runs, as importing the functions takes time.
"""

import importlib
import inspect
import math
import re
from functools import cache, partial, reduce
from pathlib import Path
from typing import Any, NamedTuple

import click

#: Parameters of methods that are rules, available in Python only.
IN_PYTHON = ("select", "families", "structure")
#: Value of --learner -> the function in coordboost.data that makes these learners; the parameters
#: that the command line passes to it.
LEARNERS = {"trees": "trees", "stumps": "stumps", "families": "tree_families"}
LIMITS = (
    "max_depth",
    "max_leaves",
    "min_samples",
    "min_gain",
    "l2",
    "newton",
    "subsample",
    "max_bins",
    "min_samples_category",
    "max_split_categories",
    "category_smoothing",
)
#: Learners that take text as categories, and missing values as they are.
WITH_CATEGORIES = ("trees", "families")
#: Error message without --method.
NO_METHOD = (
    "Missing option '--method', for example --method ls_boost --eps 0.1. `coordboost "
    "methods` lists all methods."
)
#: Parameters whose values are written in another way than in Python: what is special about their
#: options.
IN_SHELL: dict[str, dict[str, Any]] = {
    "step": {"is_flag": True, "help": "Go to the minimum along the chosen learner."},
    "deltas": {
        "metavar": "A:B",
        "help": "One radius per step, growing from A to B by a constant factor.",
    },
    "sep": {
        "metavar": "C",
        "help": "The separator, or s (spaces), t (tabs); guessed.",
    },
}
METAVARS = {int: "N", float: "X", str: "TEXT"}
SEPARATORS = {"s": r"\s+", "t": "\t", "\\t": "\t"}
#: An entry of a docstring: names, types, and the text below them.
ENTRY = re.compile(r"^(\w+(?:, \w+)*) : (.+)\n((?:    .*\n)+)", re.MULTILINE)


class Parameter(NamedTuple):
    """A parameter of a function of the package, which is an option of a command."""

    name: str
    default: Any  # inspect.Parameter.empty if there is none
    type: str  # as the docstring says it
    text: str  # the first sentence of the docstring about it

    @property
    def required(self):
        """Whether it must be given; so must t, optional only next to a rule, which needs Python."""
        return self.default is inspect.Parameter.empty or self.name == "t"

    def option(self, text=None, hidden=False):
        """Return its option, with the help `text`.

        A hidden one has no default, so that only given values are seen.
        """
        flag = option_name(self.name)
        kind = float
        if self.type.startswith("str"):
            kind = str
        elif isinstance(self.default, int) or self.type.startswith("int"):
            kind = int
        special = IN_SHELL.get(self.name, {"type": kind, "metavar": METAVARS[kind]})
        if isinstance(self.default, bool):
            flag = f"{flag}/--no-{flag[2:]}"
            special = {}
        elif isinstance(self.default, tuple):
            special = {"multiple": True, "metavar": "TEXT", "help": f"{text} Repeatable."}
        common = {
            "default": None if hidden or self.required else self.default,
            "help": "Required." if self.required else text,
            "hidden": hidden,
        }
        return click.Option([flag, self.name], **common | special)


@cache
def parameters_of(maker):
    """Return the parameters of a function, or a class, with what its docstring says about them."""
    entries = {}
    for names, kinds, text in ENTRY.findall(f"{inspect.getdoc(maker)}\n"):
        sentence = re.split(r"(?<=\.)\s", " ".join(text.split()))[0]
        kinds = kinds.split(", ")
        for k, name in enumerate(names.split(", ")):
            entries[name] = kinds[min(k, len(kinds) - 1)], sentence
    known = inspect.signature(maker).parameters
    return {
        name: Parameter(name, known[name].default, *entries.get(name, ("", ""))) for name in known
    }


def whole_number(flag, minimum, default, text):
    """Return an option that is an integer, at least `least`."""
    return click.option(flag, type=click.IntRange(minimum), default=default, metavar="N", help=text)


def file_option(flag, text):
    """Return an option that names a file to write."""
    return click.option(
        flag, type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help=text
    )


def option_name(parameter):
    """Return the flag of a parameter: ``--max-depth`` for ``max_depth``."""
    return "--" + ("line-search" if parameter == "step" else parameter.replace("_", "-"))


def _size(ctx, param, value):
    """Return `value`, a finite number >= 0 or None."""
    if value is not None and not 0 <= value < math.inf:
        raise click.BadParameter(f"expected a finite number >= 0, got {value:g}.")
    return value


def size_option(flag, name, metavar, text):
    """Return an option that is a finite number >= 0."""
    return click.option(flag, name, type=float, callback=_size, metavar=metavar, help=text)


JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of the table.")
TARGET = click.option(
    "--target", metavar="NAME", help="Column or array (.npz) to predict.  [default: y]"
)
STEPS = whole_number("--steps", 0, 1000, "Number of steps.")
SEED = whole_number("--seed", 0, 0, "Seed of random choices.")
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


def with_options(*options):
    """Return a decorator that adds all of `options` to a command, in this order."""
    return lambda command: reduce(lambda made, option: option(made), reversed(options), command)


@cache
def loss_option():
    """The loss, by the name of its class: ``huber:1.5`` is ``Huber(1.5)``."""
    names = [
        f"{name}[:d]" if inspect.signature(kind).parameters else name
        for name, kind in _losses().items()
    ]
    return [
        click.Option(
            ["--loss"],
            default="squared",
            metavar="NAME[:D]",
            callback=_loss,
            help=f"{', '.join(names)}.",
        )
    ]


def _losses():
    """Return the classes of losses by their names in the shell."""
    from coordboost import losses
    from coordboost._utils.kinds import pieces_of

    kinds = pieces_of(losses.Loss)
    return {re.sub("(?<!^)(?=[A-Z])", "_", name).lower(): kinds[name] for name in kinds}


def _loss(ctx, param, text):
    """Return the loss for the text ``name`` or ``name:d``."""
    known = _losses()
    name, colon, d = text.partition(":")
    try:
        return known[name](float(d)) if colon else known[name]()
    except (KeyError, TypeError, ValueError):
        raise click.BadParameter(
            f"expected one of {', '.join(known)}, some with a number as in huber:1.5, got {text!r}."
        ) from None


@cache
def mirrored(module, maker, *names):
    """Options for parameters of a function of the package, by default for all."""
    known = parameters_of(getattr(importlib.import_module(f"coordboost.{module}"), maker))
    return [known[name].option(known[name].text) for name in names or known]


COLUMNS = partial(mirrored, "data.problem", "Problem", "center", "scale")
#: The reader of tables infers what is not given, and reports it.
TABLE = partial(mirrored, "data.files", "Options")


def in_options(text):
    """Return `text` with the table options written as flags: ``na=`` becomes ``--na ``."""
    names = "|".join(option.name for option in TABLE())
    return re.sub(rf"\b({names})=", lambda found: f"{option_name(found[1])} ", text)


def taken(given):
    """Remove the options of the table reader from `given`, and return those that are set."""
    found = {option.name: given.pop(option.name, None) for option in TABLE()}
    found["sep"] = SEPARATORS.get(found["sep"], found["sep"])
    return {name: value for name, value in found.items() if value not in (None, ())}


class Command(click.Command):
    """A command with options made when it runs.

    Each entry of `later` is made by a function without arguments.
    """

    def __init__(self, *args, later=(), **attributes):
        super().__init__(*args, **attributes)
        self.later = later

    def get_params(self, ctx):
        """Return all options."""
        made = [option for options in self.later for option in options()]
        *written, usage = super().get_params(ctx)
        return [*written, *made, usage]


@cache
def _of_method(name):
    """Return the parameters of a named method that the command line can set."""
    from coordboost.methods.named import METHODS

    return {
        key: parameter
        for key, parameter in parameters_of(METHODS[name]).items()
        if key not in IN_PYTHON
    }


def _maker(learner):
    """Return the function of coordboost.data that makes these learners from a table."""
    from coordboost import data

    return getattr(data, LEARNERS[learner])


@cache
def _of_learner(name):
    """Return the parameters in ``LIMITS`` that the function for these learners takes."""
    known = parameters_of(_maker(name))
    return {key: known[key] for key in LIMITS if key in known}


@cache
def _named_options():
    from coordboost.methods.named import METHODS

    texts = {
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
        click.Option([flag], type=click.Choice(list(known)), metavar="NAME", help=text)
        for flag, (known, text) in texts.items()
    ]


def takes(method):
    """Return the options of a method as text, optional ones in brackets."""
    flags = [
        option_name(name) if parameter.required else f"[{option_name(name)}]"
        for name, parameter in _of_method(method).items()
    ]
    return " ".join(flags) or "no options of its own"


class MethodCommand(Command):
    """A command with ``--method NAME`` and ``--learner NAME``.

    They add the parameters of that method and these learners as options.
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
        others = {}
        for parameters in (*map(_of_method, METHODS), *map(_of_learner, LEARNERS)):
            others |= parameters
        return [
            *_named_options(),
            *(parameter.option() for parameter in own.values()),
            *(others[name].option(hidden=True) for name in others if name not in own),
            *super().get_params(ctx),
        ]

    def _own(self, ctx):
        """Return the parameters of the chosen method and learners."""
        method = ctx.meta.get("method")
        learner = ctx.meta.get("learner")
        return (_of_method(method) if method else {}) | (_of_learner(learner) if learner else {})

    def format_help(self, ctx, formatter):
        """Describe the method or the learners, if one is named, with their options; else write the
        usual help.
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
                parameter.option().get_help_record(ctx) for parameter in self._own(ctx).values()
            ]
            formatter.write_dl(
                [(" ".join(f"--{name} {ctx.meta[name]}" for name in meant), ""), *records]
            )


def learners_of(name, given, seed, method):
    """Return the function that makes the learners `name` from X and names, None for columns.

    Removes their options from `given`, but those that the method has as well; `seed` draws the rows
    of each tree.
    """
    known = _of_learner(name) if name else {}
    own = [key for key in LIMITS if method is None or key not in _of_method(method)]
    given = {key: given.pop(key) for key in own if given.get(key) is not None}
    if foreign := [option_name(key) for key in given if key not in known]:
        has = ", ".join(map(option_name, known)) or "no such option"
        raise click.UsageError(
            f"{', '.join(foreign)}: {f'--learner {name}' if name else 'a table without --learner'} "
            f"takes {has}."
        )
    if "subsample" in given:
        given["seed"] = seed
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
    known = _of_method(name)
    given = {key: value for key, value in given.items() if value is not None}
    foreign = [option_name(key) for key in given if key not in known]
    missing = [option_name(key) for key in known if known[key].required and key not in given]
    if foreign or missing:
        fault = f"does not take {', '.join(foreign)}" if foreign else f"needs {', '.join(missing)}"
        raise click.UsageError(f"{name} {fault}; it takes {takes(name)}.")
    if "step" in given:
        given["step"] = SegmentSearch(given["delta"]) if "delta" in given else LineSearch()
    if "t" in given and learner in ("trees", "families"):
        given["select"] = Groups(given.pop("t"))  # trees are searched feature by feature
    if "deltas" in given:
        try:
            start, end = map(float, given["deltas"].split(":"))
            given["deltas"] = np.geomspace(start, end, steps)
        except ValueError:
            text = f"expected two positive numbers A:B, got {given['deltas']!r}."
            raise click.BadParameter(text, param_hint="--deltas") from None
    return METHODS[name](**given)
