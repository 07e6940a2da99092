"""Raw columns in memory: an array, a data frame or a sparse matrix, with the verbs that the door asks of columns."""

import copy

import numpy as np
import scipy.sparse

from coordboost.data import validation
from coordboost.data.names import places_of
from coordboost.data.standardize import standardize_dense, standardize_sparse


class MemoryColumns:
    """Raw columns `X`, float64 (n_samples, n_columns), an array (perhaps the caller's own) or CSC.

    names : those of a data frame, or None;  named : whether they are names, not numbers;  copy : whether X may not be overwritten
    """

    def __init__(self, X, copy=True):
        self.named = validation.is_frame(X) and all(isinstance(name, str) for name in X.columns)
        self.X, self.names = validation.matrix(X)
        self._given = X if isinstance(X, np.ndarray) else self.X
        self.shape, self.copy = self.X.shape, copy or not isinstance(X, np.ndarray)

    def standardized(self, weight, center, scale):
        """A dictionary of the columns, and the way back."""
        if scipy.sparse.issparse(self.X):
            return standardize_sparse(self.X, weight, center, scale, self.names)
        return standardize_dense(self.X, weight, center, scale, self.names, self.copy)

    def varies(self, columns, rows):
        """Which of some columns hold two different numbers in the `rows` that count (n_samples,); whole numbers as they were given."""
        if scipy.sparse.issparse(self.X):
            part = self.X[:, columns][rows]
            return (part.min(axis=0).toarray() != part.max(axis=0).toarray()).ravel()
        return np.array([(self._given[rows, j] != self._given[rows, j][:1]).any() for j in columns], dtype=bool)

    def ordered(self, place):
        """The same with the column ``place[j]`` at j."""
        moved = copy.copy(self)
        moved.X, moved.names = self.X[:, place], [self.names[j] for j in place]
        return moved

    def combine(self, coef):
        """The sum of the columns times `coef`, (n_samples,)."""
        validation.check_columns(self.X, names=self.names)
        return self.X @ coef

    def part(self, columns, rows):
        """Some columns of the rows in a slice, (n_rows, len(columns)), sparse where X is."""
        out = self.X[:, columns][rows] if scipy.sparse.issparse(self.X) else self.X[rows][:, columns]
        validation.check_columns(out)
        return out


def columns_of(X, copy=True):
    """`X` with the verbs of ``MemoryColumns``: as it is where it has them."""
    return X if hasattr(X, "standardized") else MemoryColumns(X, copy)


class RecipeColumns(MemoryColumns):
    """The columns that a recipe made out of a table: a Problem on them predicts for new tables.

    X : float64 (n_samples, n_columns), an array or CSC;  recipe : ``coordboost.data.recipe.Recipe``
    """

    def __init__(self, X, recipe):
        super().__init__(X)
        self.recipe, self.names, self.named = recipe, recipe.columns, True


def columns_as_in(X, problem):
    """New rows as columns with verbs, in the order of the columns of the `problem` of the fit.

    What made columns of a data frame there, its recipe, makes them here.

    Raises
    ------
    ValueError
        If there are more or fewer columns, or others by name.
    """
    if problem.recipe is not None and validation.is_frame(X):
        X = problem.recipe.numbers(validation.as_pandas(X))
    X, names = columns_of(X), problem.column_names
    place = places_of(names, X.names if X.named else None, problem.named)
    if X.shape[1] != len(names):
        raise ValueError(f"X must have {len(names)} columns as in the fit, got {X.shape[1]}.")
    return X if place is None else X.ordered(place)
