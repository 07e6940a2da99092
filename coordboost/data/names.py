"""Names of columns: given or made up, and the places where a data frame holds them."""

from collections.abc import Sequence
from itertools import islice

import numpy as np

from coordboost._checks import items_of


class Names(Sequence):
    """Names that are formed when they are asked for: ``name(j)`` for each j of `numbers`."""

    def __init__(self, name, numbers):
        self.name, self.numbers = name, numbers

    def __len__(self):
        return len(self.numbers)

    def __getitem__(self, i):
        return self.name(self.numbers[i])


def names_of(given, n_columns):
    """Names of the columns, x0, x1, ... for None."""
    if given is None:
        return Names("x{}".format, range(n_columns))
    what = f"a list of names, one for each of the {n_columns} columns of X"
    names = [str(name) for name in items_of("feature_names", given, what)]
    if len(names) != n_columns:
        raise ValueError(f"feature_names must be {what}, got {len(names)} names.")
    return names


def places_of(known, given, named):
    """The places in `given` of the columns `known`, where both have names and those stand in another order; else None.

    Raises
    ------
    ValueError
        If names are missing, unknown or repeated.
    """
    if given is None:
        return None
    given, known = list(given), list(known)
    if given == known or not (named or set(given) == set(known)):
        return None
    unseen = [name for name in given if name not in set(known)]
    missing = [name for name in known if name not in set(given)]
    if unseen or missing:
        parts = [
            f"{what}: {listed(names)}."
            for what, names in (
                ("Feature names unseen at fit time", unseen),
                ("Feature names seen at fit time, yet now missing", missing),
            )
            if names
        ]
        raise ValueError(" ".join(["The feature names should match those that were passed during fit.", *parts]))
    if len(given) != len(known) or len(set(known)) < len(known):
        repeated = next(name for name in given if max(given.count(name), known.count(name)) > 1)
        raise ValueError(
            f"X cannot be put in the order of the fit by names that repeat: {repeated!r}; give each column a name of its own."
        )
    place = {name: j for j, name in enumerate(given)}
    return np.array([place[name] for name in known])


def listed(names):
    """The first of some names, for a sentence."""
    return ", ".join(islice(names, 5)) + (", ..." if len(names) > 5 else "")
