"""Checks of single values, with messages: expected, got."""

import math
import os

import numpy as np

#: How far norms of learners may be from 1, and verbs of a dictionary from each other, relative to the norms of what they multiply.
NEAR = 1e-8


def typed(value):
    """A number that a person would type."""
    return f"{value:.1g}" if value < 1000 else f"{float(f'{value:.1g}'):.0f}"


def shown(value):
    """`value` on one short line."""
    try:
        text = " ".join(repr(value).split())
    except ValueError:  # a whole number of more digits than Python writes
        text = f"a {type(value).__name__} of more digits than can be shown"
    return text if len(text) <= 80 else text[:77] + "..."


def number_of(value):
    """`value` as a float: a real number of any type, also an array without axes; None for all else, and where it is too large."""
    kind = getattr(getattr(value, "dtype", None), "kind", "f")
    if isinstance(value, str | bytes | bytearray | bool | complex) or kind not in "fiu" or getattr(value, "ndim", 0):
        return None
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return None


def with_floats(piece):
    """A piece, a named tuple, whose numbers are floats where it declares them so: of other types its kernels would be compiled anew."""
    declared = {name: kind for cls in reversed(type(piece).__mro__) for name, kind in vars(cls).get("__annotations__", {}).items()}
    found = {
        name: number
        for name in getattr(piece, "_fields", ())
        if declared.get(name) in (float, float | None, "float", "float | None")
        and type(getattr(piece, name)) is not float
        and (number := number_of(getattr(piece, name))) is not None
    }
    return piece._replace(**found) if found else piece


class InfiniteConstant(ValueError):
    """No constant prediction is the best one: `why`, and what to do `instead`."""

    def __init__(self, why, instead="pass center=False to Problem, or more data"):
        super().__init__(why, instead)

    def __str__(self):
        return "; ".join(self.args) + "."


def nothing_varies(what):
    """The error of what needs a column that varies, and has none."""
    return ValueError(f"no column of X varies: {what}; give X a column that varies.")


def real(name, value, fits, expected):
    """`value` as a float for which ``fits`` holds; strings and booleans never do.

    Raises
    ------
    ValueError
        "`name` must be `expected`, got ...".
    """
    number = number_of(value)
    try:
        good = number is not None and bool(fits(number))
    except (ValueError, OverflowError):  # of int(nan), int(inf)
        good = False
    if not good:
        raise ValueError(f"{name} must be {expected}, got {shown(value)}.")
    return number


def positive(name, value, below=math.inf, expected="a positive finite number"):
    """`value` as a float in ``(0, below)``."""
    return real(name, value, lambda number: 0 < number < below, expected)


def not_negative(name, value):
    """`value` as a finite float >= 0."""
    return real(name, value, lambda number: 0 <= number < math.inf, "a finite number >= 0")


def square_is_normal(what, size, remedy):
    """Refuse numbers of which the largest, `size`, has a square that float64 cannot hold."""
    if size > 1e152 or 0 < size < 1e-152:
        raise ValueError(f"the largest {what} is {size:.3g}: its square is not a normal float64 number; rescale {remedy}.")


def file_name(name, value):
    """`value` as text, the path of a file: a whole number would be a file that is open already, and its end would close it."""
    path = os.fspath(value) if isinstance(value, str | os.PathLike) else None
    if not isinstance(path, str):
        raise ValueError(f"{name} must be the path of a file, a str or a pathlib.Path, got {shown(value)}.")
    return path


def checked_run(run):
    """`run`; raises unless it is a Run."""
    if isinstance(run, type) or not hasattr(run, "outcome"):
        raise ValueError(f"run must be a Run, as solve(...), load(file) and the run_ of an estimator are, got {shown(run)}.")
    return run


def function(name, value, what):
    """`value`, which can be called and is no class."""
    if isinstance(value, type) or not callable(value):
        raise ValueError(f"{name} must be {what}, got {shown(value)}.")
    return value


def items_of(name, value, expected):
    """`value` as a list: anything that can be gone through, but for text and dictionaries."""
    if isinstance(value, str | bytes | dict):
        raise ValueError(f"{name} must be {expected}, got {shown(value)}.")
    try:
        return list(value)
    except (TypeError, ValueError):  # the second of a file that is closed
        raise ValueError(f"{name} must be {expected}, got {shown(value)}.") from None


def as_floats(values):
    """`values` as a new float64 array; one NaN where they are no numbers, or too large."""
    try:
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        return np.full(1, np.nan)


def signs(name, y):
    """Map labels {0, 1} or {-1, +1} to {-1.0, +1.0}."""
    found = np.unique(y)
    if not (np.isin(found, (-1, 1)).all() or np.isin(found, (0, 1)).all()):
        those = ", ".join(f"{label:g}" for label in found[:5]) + (", ..." if len(found) > 5 else "")
        raise ValueError(f"{name} loss expects labels -1 and +1 (or 0 and 1), got {those}; recode y as y == positive_class.")
    return np.where(y > 0, 1.0, -1.0)
