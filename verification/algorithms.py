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
from dataclasses import dataclass

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


@dataclass(frozen=True, eq=False)
class Feature:
    """One feature x (n,), targets y and labels, -1 and 1 equally often: what estimators with one
    split a tree are fitted to.
    """

    x: np.ndarray
    y: np.ndarray
    label: np.ndarray
    rate: float = 0.3
    rounds: int = 4

    @property
    def X(self):
        """The feature as a matrix."""
        return self.x[:, None]

    def options(self):
        """Return the parameters of the estimators."""
        return {"learning_rate": self.rate, "n_estimators": self.rounds, "min_samples_leaf": 1}

    def stump(self, resid):
        """Return the fit with one split that is nearest to the residual, (n,)."""
        fits = []
        for cut in np.unique(self.x)[:-1]:
            left = self.x <= cut
            fits.append(np.where(left, resid[left].mean(), resid[~left].mean()))
        return min(fits, key=lambda fit: ((resid - fit) ** 2).sum())

    def boosted(self, rate=None, ridge=0.0, gamma=None):
        """Return the models of a regression and of a classification, (rounds + 1, n) each.

        f <- base + (1 - ridge rate / sigma) (f - base) + rate / sigma b, b the stump for the
        residual at f. With gamma the residual is that at (1 - theta) f + theta h, theta = 2 / (m +
        2), and h moves by gamma rate / (sigma theta) b.
        """
        rate = self.rate if rate is None else rate
        squared = (self.y.mean(), 1.0, lambda f: self.y - f)
        logistic = (0.0, 0.25, lambda f: self.label / (1 + np.exp(self.label * f)))
        models = []
        for base, sigma, residual in (squared, logistic):
            f = np.full(len(self.x), base)
            h = f
            path = [f]
            for m in range(self.rounds):
                theta = 0.0 if gamma is None else 2 / (m + 2)
                g = (1 - theta) * f + theta * h
                stump = self.stump(residual(g))
                f = base + (1 - ridge * rate / sigma) * (g - base) + rate / sigma * stump
                h = h if gamma is None else h + gamma * rate / (sigma * theta) * stump
                path.append(f)
            models.append(np.array(path))
        return models


def feature():
    """Return twelve rows of one feature."""
    rng = np.random.default_rng(0)
    x = rng.permutation(12) / 11
    return Feature(x, np.sin(4 * x) + rng.normal(size=12) / 10, np.tile([1, -1], 6))
