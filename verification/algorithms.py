"""Rows about algorithms: what public functions of the package return, against references of a few
lines, laws over all draws, and values worked out by hand.

    check_norms = Algorithm(
        "RGBM, norms of Types 0 to 3", Drawn, "The mean size of the learner that wins.",
        norms, mean_over_draws,
    )
    SABOTAGE = {check_norms: {"the largest entry": check_norms.instead(largest)}}

The reference sees the case alone, never a result of the package.
"""

import functools

import numpy as np

import coordboost as cb
from coordboost.theory.bounds import BoundCheck

#: Relative slack of the rounding in a few hundred operations.
ROUNDING = 1e-9


class Algorithm:
    """One function of the package and its reference.

    Called with a case and a variant, it returns a ``BoundCheck``: both give the same numbers.

    Parameters
    ----------
    name : str
        Name of the row.
    of : type
        The cases that it is about.
    words : str
        What is equal.
    found, reference : callable
        Functions of a case that return a number, an array, or a list of these: from the package,
        and without it.
    slack : float
        Allowed difference, relative to the size of the numbers of the reference.
    level : str
        Level of evidence, as for ``BoundCheck``.
    """

    spaces = ()

    def __init__(self, name, of, words, found, reference, slack=ROUNDING, level="float"):
        self.statement = name
        self.of = of
        self.__doc__ = words
        self.found = functools.cache(found)
        self.reference = reference
        self.slack = slack
        self.level = level
        self.expected = {"printed": "verified"}

    def about(self, case):
        """Whether to call it on a case."""
        return isinstance(case, self.of)

    def __call__(self, case, variant):
        return self._compared(case, self.reference, variant)

    def instead(self, reference):
        """Return a sabotage: another reference on the same cases."""
        return lambda case: self._compared(case, reference, "printed")

    def _compared(self, case, reference, variant):
        found = flat(self.found(case))
        expected = flat(reference(case))
        if found.shape != expected.shape:
            return BoundCheck(
                self.statement, variant, "tight", len(found), len(expected), along="numbers"
            )
        slack = self.slack * (1 + np.abs(expected))
        return BoundCheck(
            self.statement, variant, "tight", found, expected, slack, self.level, along="entry"
        )


def flat(values):
    """Return numbers, arrays and lists of these as one array of floats."""
    if isinstance(values, list | tuple):
        return np.concatenate([np.zeros(0), *map(flat, values)])
    return np.asarray(values, dtype=float).ravel()


def unscaled(X, y, loss=cb.losses.Squared(), **options):  # noqa: B008  # it cannot be changed
    """Return a problem of the package with the columns of X, of norm 1, and y as they are."""
    return cb.Problem(X, y, loss, center=False, scale=False, **options)
