"""Checks of single values, with error messages of the form "expected, got"."""

import inspect
import math
import os
from collections.abc import Callable
from difflib import get_close_matches
from functools import lru_cache, wraps
from typing import TypeVar

import numpy as np

Function = TypeVar("Function", bound=Callable)

#: Tolerance for norms of learners (from 1), and for verbs of a dictionary (from each other),
#: relative to the product of the norms.
NEAR = 1e-8


def no_data(what):
    """Return a ValueError: `what` needs the training data, which a pickle has left out."""
    return ValueError(
        f"{what} needs the training data, which pickles of estimators leave out; to keep the data, "
        "pickle the fitted estimator inside `with coordboost.estimators.keep_data():`."
    )


def typed(value):
    """Format a number with one significant digit, as a person would type it."""
    return f"{value:.1g}" if value < 1000 else f"{float(f'{value:.1g}'):.0f}"


def shown(value):
    """Return the repr of `value` on one line of at most 80 characters."""
    try:
        text = " ".join(repr(value).split())
    except ValueError:  # a whole number of more digits than Python writes
        text = f"a {type(value).__name__} with too many digits to show"
    return text if len(text) <= 80 else text[:77] + "..."


def number_of(value):
    """Return a real number of any type, or an array without axes, as a float.

    None for everything else, or if it is too large.
    """
    kind = getattr(getattr(value, "dtype", None), "kind", "f")
    if (
        isinstance(value, str | bytes | bytearray | bool | complex)
        or kind not in "fiu"
        or getattr(value, "ndim", 0)
    ):
        return None
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return None


@lru_cache(maxsize=256)
def _float_fields(cls):
    """Names of the fields of a class of pieces that are declared as floats."""
    declared = {
        name: kind
        for base in reversed(cls.__mro__)
        for name, kind in vars(base).get("__annotations__", {}).items()
    }
    floats = (float, float | None, "float", "float | None")
    return [name for name in getattr(cls, "_fields", ()) if declared.get(name) in floats]


def with_floats(piece):
    """Convert the fields of a piece that are declared as floats to float: other types would compile
    its kernels again.
    """
    found = {
        name: number
        for name in _float_fields(type(piece))
        if type(getattr(piece, name)) is not float
        and (number := number_of(getattr(piece, name))) is not None
    }
    return piece._replace(**found) if found else piece


#: Parameters by other names, of other packages or other functions here: the names to try.
ELSEWHERE = {
    "seed": ("rng",),
    "random_state": ("rng",),
    "callback": ("watch",),
    "n_iter": ("n_steps",),
    "max_iter": ("n_steps",),
    "n_estimators": ("n_steps",),
    "learning_rate": ("eps", "rate", "eta", "step"),
    "rate": ("eps", "eta"),
    "eps": ("rate", "eta", "step"),
    "step_size": ("eps", "rate", "eta", "step"),
    "radius": ("delta",),
    "alpha": ("lam", "alphas"),
    "lambda_": ("alphas", "alpha"),
    "s": ("alpha",),
    "nlambda": ("n_alphas",),
    "lambda_min_ratio": ("eps",),
    "standardize": ("unit_columns",),
    "normalize": ("unit_columns",),
    "intercept": ("fit_intercept",),
    "weights": ("sample_weight",),
    "thresh": ("tol",),
    "family": ("loss",),
    "exclude": ("penalty_factor",),
    "newx": ("X",),
    "newoffset": ("offset",),
    "mode": ("fraction",),
    "type": ("kind",),
    "nfolds": ("folds",),
    "foldid": ("folds",),
    "cv": ("folds",),
    "type_measure": ("scoring",),
    "momentum": ("gamma",),
    "temperature": ("beta",),
}


def checked_names(call: str) -> Callable[[Function], Function]:
    """Decorator: arguments that a function does not take, or lacks, are refused in a sentence that
    says what to pass.

    call : an example of a call, for functions to which people pass X and y by mistake
    """

    def decorated(function: Function) -> Function:
        parameters = inspect.signature(function).parameters
        name = function.__name__
        positional = [
            key
            for key, parameter in parameters.items()
            if parameter.kind is parameter.POSITIONAL_OR_KEYWORD
        ]
        needed = [key for key in positional if parameters[key].default is inspect.Parameter.empty]
        example = call.format(name=name, arguments=", ".join(needed or positional[:1]))

        @wraps(function)
        def checked(*args, **kwargs):
            if len(args) > len(positional):
                takes = f"takes {' and '.join(positional)}" if positional else "takes nothing"
                raise TypeError(
                    f"{name} {takes}, got {len(args)} arguments: data go into a Problem, {example}."
                )
            _refuse_strange(name, parameters, kwargs)
            missing = [key for key in needed[len(args) :] if key not in kwargs]
            if missing:
                raise TypeError(f"{name} needs {' and '.join(missing)}, as in {example}.")
            return function(*args, **kwargs)

        return checked  # type: ignore[return-value]

    return decorated


def known_names(function: Function) -> Function:
    """Decorator: arguments by names that a function or method does not take are refused in a
    sentence that says which of its own is meant.
    """
    parameters = [name for name in inspect.signature(function).parameters if name != "self"]

    @wraps(function)
    def checked(*args, **kwargs):
        _refuse_strange(function.__name__, parameters, kwargs)
        return function(*args, **kwargs)

    return checked  # type: ignore[return-value]


def _refuse_strange(name, parameters, kwargs):
    """Raise a TypeError for the first of `kwargs` that is not among `parameters`."""
    strange = next((key for key in kwargs if key not in parameters and key != "self"), None)
    if strange is None:
        return
    elsewhere = [key for key in ELSEWHERE.get(strange, ()) if key in parameters]
    near = elsewhere or get_close_matches(strange, parameters, 1)
    hint = f"perhaps {near[0]} is meant" if near else f"it has {', '.join(parameters) or 'none'}"
    raise TypeError(f"{name} has no parameter {strange!r}: {hint}.")


#: Largest number of rounds, penalties, candidates, ...: each takes memory, or a pass.
MOST = 10_000_000


def few(name, number, most=MOST):
    """Return `number`, a checked count; raise if it is above `most`."""
    if number > most:
        raise ValueError(f"{name} must be at most {most:,}, got {shown(number)}.")
    return number


class InfiniteConstant(ValueError):
    """The best constant prediction is not finite. `why` is the reason, `instead` the advice."""

    def __init__(self, why, instead="pass center=False to Problem, or more data"):
        super().__init__(why, instead)

    def __str__(self):
        return "; ".join(self.args) + "."


def nothing_varies(what):
    """Return the error for data without a column that varies."""
    return ValueError(f"no column of X varies: {what}; give X a column that varies.")


def real(name, value, fits, expected):
    """Return `value` as a float for which ``fits(value)`` is true.

    Strings and booleans are refused.

    Raises
    ------
    ValueError
        "`name` must be `expected`, got ...".
    """
    number = number_of(value)
    try:
        good = number is not None and bool(fits(number))
    except (ValueError, OverflowError):  # from int(nan), int(inf)
        good = False
    if not good:
        raise ValueError(f"{name} must be {expected}, got {shown(value)}.")
    return number


def positive(name, value, below=math.inf, expected="a positive finite number"):
    """Return `value` as a float in ``(0, below)``."""
    return real(name, value, lambda number: 0 < number < below, expected)


def not_negative(name, value):
    """Return `value` as a finite float >= 0."""
    return real(name, value, lambda number: 0 <= number < math.inf, "a finite number >= 0")


def square_is_normal(what, size, remedy):
    """Raise ValueError if the square of `size`, the largest number, is out of the range of normal
    float64 numbers.
    """
    if size > 1e152 or 0 < size < 1e-152:
        raise ValueError(
            f"the largest {what} is {size:.3g}: its square is not a normal float64 number; rescale "
            f"{remedy}."
        )


def file_name(name, value):
    """Return `value` as text, the path of a file.

    ``open`` would take an integer as the descriptor of an open file, and close it.
    """
    path = os.fspath(value) if isinstance(value, str | os.PathLike) else None
    if not isinstance(path, str):
        raise ValueError(
            f"{name} must be the path of a file, a str or a pathlib.Path, got {shown(value)}."
        )
    if not path or "\0" in path:
        raise ValueError(
            f"{name} must be the path of a file, without a NUL character, got {shown(path)}."
        )
    return path


def no_folder(path):
    """Return `path`; raise ValueError if it is the path of a folder."""
    if os.path.isdir(path):
        raise ValueError(f"{path} is a folder: name a file in it.")
    return path


def readable_file(path):
    """Return `path`.

    Raise ValueError if there is anything but a regular file: a device or a pipe may never end.
    """
    if os.path.exists(no_folder(path)) and not os.path.isfile(path):
        raise ValueError(
            f"{path} is a device or a pipe: write what it gives to a file, and name that file."
        )
    return path


def checked_run(run):
    """Return `run`; raise ValueError unless it is a Run."""
    if isinstance(run, type) or not hasattr(run, "anchor"):
        raise ValueError(
            "run must be a Run, from solve(...), load(file) or the run_ of an estimator, got "
            f"{shown(run)}."
        )
    return run


def function(name, value, what):
    """Return `value`; raise ValueError unless it is callable and no class."""
    if isinstance(value, type) or not callable(value):
        raise ValueError(f"{name} must be {what}, got {shown(value)}.")
    return value


def items_of(name, value, expected):
    """Return an iterable `value` as a list; text and dictionaries are refused."""
    if isinstance(value, str | bytes | dict):
        raise ValueError(f"{name} must be {expected}, got {shown(value)}.")
    try:
        return list(value)
    except (TypeError, ValueError):  # a ValueError comes from a closed file
        raise ValueError(f"{name} must be {expected}, got {shown(value)}.") from None


def as_floats(values):
    """Return `values` as a new float64 array.

    An array of one NaN if they are not numbers (booleans are none), or too large.
    """
    try:
        if np.asarray(values).dtype == bool:
            return np.full(1, np.nan)
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        return np.full(1, np.nan)


def signs(name, y):
    """Map labels {0, 1} or {-1, +1} to {-1.0, +1.0}."""
    found = np.unique(y)
    if not (np.isin(found, (-1, 1)).all() or np.isin(found, (0, 1)).all()):
        labels = ", ".join(f"{label:g}" for label in found[:5])
        labels += ", ..." if len(found) > 5 else ""
        raise ValueError(
            f"{name} loss expects labels -1 and +1 (or 0 and 1), got {labels}; recode y as y == "
            "positive_class."
        )
    return np.where(y > 0, 1.0, -1.0)
