"""The sentences of the door for single values: expected, got."""

import math

#: How far norms of learners may be from 1, and verbs of a dictionary from each other, relative to the norms of what they multiply.
NEAR = 1e-8


def shown(value):
    """`value` on one short line."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 80 else text[:77] + "..."


def real(name, value, fits, expected):
    """`value` as a float for which ``fits`` holds; strings and booleans never do.

    Raises
    ------
    ValueError
        "`name` must be `expected`, got ...".
    """
    try:
        good = not isinstance(value, str | bytes | bool) and bool(fits(float(value)))
    except (TypeError, ValueError):
        good = False
    if not good:
        raise ValueError(f"{name} must be {expected}, got {shown(value)}.")
    return float(value)


def positive(name, value, below=math.inf, expected="a positive finite number"):
    """`value` as a float in ``(0, below)``."""
    return real(name, value, lambda number: 0 < number < below, expected)


def not_negative(name, value):
    """`value` as a finite float >= 0."""
    return real(name, value, lambda number: 0 <= number < math.inf, "a finite number >= 0")


def instance(name, value, verb, expected):
    """`value`, an object (not a class) that has the attribute `verb`."""
    if isinstance(value, type) or not hasattr(value, verb):
        raise ValueError(f"{name} must be {expected}, got {shown(value)}.")
    return value
