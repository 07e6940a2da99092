"""Base classes of learners: the matrix B as a noun with verbs, and families that a search goes through."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np


class Learners(ABC):
    """Weak learners, the unit columns B_j of a matrix: what is not brought follows from `scan` and `column`.

    `v` has one entry per sample; `index`, `a`, `b` are arrays of learners; `weight` is (n_samples,). Loops over learners are compiled where
    they are a named tuple whose `scan`, `correlations`, `dot`, `add` and `column` are kernels.

    Examples
    --------
    >>> import numpy as np
    >>> import coordboost as cb
    >>> class Waves(cb.learners.Learners):
    ...     n_samples, n_learners = 8, 3
    ...     def column(self, j):
    ...         return np.cos(np.pi * (j + 1) * (np.arange(8) + 0.5) / 8) / 2
    ...     def scan(self, v):
    ...         return np.array([self.column(j) @ v for j in range(3)])
    >>> problem = cb.Problem(Waves(), [3.0, 3, 3, 3, 1, 1, 1, 1])
    >>> cb.solve(problem, cb.ls_boost(1.0), 2).beta.round(3)
    array([ 2.563,  0.   , -0.9  ])
    """

    __slots__ = ()

    n_samples: int
    n_learners: int

    #: fill_column(j, out): out = B_j in place, for loops over learners that are found
    fill_column: Callable | None = None
    #: all learners have a number; else it is a Bank, and `find` finds them
    countable = True
    #: at(X), the same learners on new rows
    at: Callable | None = None
    #: the fit of a learner is its correlation, or its leaves are means: noise may be added to the gradient
    takes_noise = True
    #: refit(j, v, scale, key), the learner just found fitted to v and white noise: its length; default a unit column
    refit: Callable | None = None
    #: saved(n), a bank's first n learners as a named tuple of arrays, whose `opened` makes it a bank again
    saved: Callable | None = None
    #: a Families, the table of the families that a rule which foresees chooses from
    families: Any = None
    #: int64 (n_learners,), the family of each learner
    member: np.ndarray | None = None
    #: lengths(), those of the learners in their families
    lengths: Callable | None = None
    #: (n_learners,), the groups that a group selection rule draws from
    groups: np.ndarray | None = None
    #: learners are fits of blocks of so many columns; scan(v), lengths of projections on the blocks; spread(beta)
    n_columns: int | None = None
    #: their number, in an implicit dictionary that can be searched by groups: find_in(v, groups)
    n_groups: int | None = None
    #: the columns where they are stored, (n_learners, n_samples)
    rows: np.ndarray | None = None
    #: learners are kept one by one, though not as `rows`: a few correlations cost their part of a scan
    apart = False
    #: the entries that are not 0 are stored: data, row, start, scale, shift as in learners/sparse.py
    entries = False
    #: part(index, by), the learners `index` times `by`; default a dense copy
    part: Callable | None = None
    #: reading the columns is what costs, so that all Gram entries in one pass are worth it
    one_pass = False
    #: weighted(weight), the same learners with unit norm in that metric
    weighted: Callable | None = None
    #: `weighted` makes columns of unit norm of any data, and the verbs agree: there is no need to look at them
    proven = False
    #: the features in bins that it looks at, a Binned
    binned: Any = None
    #: steps(beta), the model of each feature as a function of its bins, where each learner is a function of one; `feature` says of which
    steps: Callable | None = None
    #: what puts new rows into bins, where `at` takes rows in bins
    binning: Any = None
    #: standing(rows), the learners found so far on other rows (in bins, if `binning` says how)
    standing: Callable | None = None
    #: tree(j), learner j as a Tree
    tree: Callable | None = None
    #: of a bank: the learner at hand, a piece with one learner; default a dense column
    hand: Any = None
    #: see(j) has learner j at hand
    see: Callable | None = None
    #: measure(write_curvature), of a bank whose learners depend on second derivatives: write_curvature(out) writes them
    measure: Callable | None = None
    #: the parts that a scan is made of; scan_share(v, k, out) fills the entries of part k
    shares: int | None = None
    #: multiplications in a scan, default n_samples * n_learners
    scan_cost: int | None = None

    @abstractmethod
    def scan(self, v: np.ndarray) -> np.ndarray:
        """All correlations <B_j, v>, (n_learners,): the expensive verb.

        Parameters
        ----------
        v : ndarray, (n_samples,)
            Usually a residual.

        Returns
        -------
        ndarray, (n_learners,)
            In NumPy ``B.T @ v``.
        """

    @abstractmethod
    def column(self, j: int) -> np.ndarray:
        """B_j, (n_samples,), of unit norm.

        Parameters
        ----------
        j : int
            The learner.

        Returns
        -------
        ndarray, (n_samples,)
            ``B[:, j]``; a caller must not change it, as it may be the stored one.
        """

    def check(self) -> None:
        """Refuse fields that do not fit each other."""
        return

    def correlations(self, v: np.ndarray, index: np.ndarray) -> np.ndarray:
        """<B_j, v> for the learners `index`. *Cost*: one scan, where learners do not bring a cheaper way.

        Parameters
        ----------
        v : ndarray, (n_samples,)
            Usually a residual.
        index : ndarray of int, (k,)
            Numbers of learners.

        Returns
        -------
        ndarray, (k,)
            In NumPy ``B[:, index].T @ v``.
        """
        return self.scan(v)[index]

    def dot(self, j: int, v: np.ndarray) -> float:
        """<B_j, v>.

        Parameters
        ----------
        j : int
            The learner.
        v : ndarray, (n_samples,)
            Usually a residual.

        Returns
        -------
        float
            In NumPy ``B[:, j] @ v``.
        """
        return self.column(j) @ v

    def add(self, j: int, a: float, v: np.ndarray) -> None:
        """Add a * B_j to `v`, in place.

        Parameters
        ----------
        j : int
            The learner.
        a : float
            What its column is multiplied by.
        v : ndarray, (n_samples,)
            Usually the predictions; changed.
        """
        v += a * self.column(j)

    def gather(self, index: Any) -> np.ndarray:
        """The learners `index` as a dense (n_samples, len(index)) matrix.

        Parameters
        ----------
        index : array_like of int, (k,)
            Numbers of learners.

        Returns
        -------
        ndarray, (n_samples, k)
            In NumPy ``B[:, index]``.
        """
        return np.column_stack([self.column(j) for j in index]) if len(index) else np.zeros((self.n_samples, 0))

    def combine(self, beta: np.ndarray) -> np.ndarray:
        """B beta, (n_samples,). *Cost*: the columns with a coefficient.

        Parameters
        ----------
        beta : ndarray, (n_learners,)
            Coefficients.

        Returns
        -------
        ndarray, (n_samples,)
            Predictions.
        """
        support = np.flatnonzero(beta)
        return self.gather(support) @ beta[support]

    def cross(self, a: np.ndarray, b: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """The Gram entries <B_i, diag(weight) B_j> of the learners i in `a` and j in `b`, (len(a), len(b)).

        Parameters
        ----------
        a, b : ndarray of int
            Numbers of learners.
        weight : ndarray, (n_samples,)
            Weights of the samples.

        Returns
        -------
        ndarray, (len(a), len(b))
            In NumPy ``(B[:, a].T * weight) @ B[:, b]``.
        """
        left = self.gather(a)
        return (left.T * weight) @ (left if b is a else self.gather(b))

    def gram(self, weight: np.ndarray) -> np.ndarray:
        """B' diag(weight) B, (n_learners, n_learners). *Cost*: one product of matrices.

        Parameters
        ----------
        weight : ndarray, (n_samples,)
            Weights of the samples.

        Returns
        -------
        ndarray, (n_learners, n_learners)
            The Gram matrix.
        """
        every = np.arange(self.n_learners)
        return self.cross(every, every, weight)

    def products(self, weight: np.ndarray) -> Any:
        """What gives Gram entries without columns, as ``learners/stumps/counts.py`` does; None where nothing does.

        Parameters
        ----------
        weight : ndarray, (n_samples,)
            Weights of the samples.

        Returns
        -------
        object or None
            Its ``cross(a, b)`` gives Gram entries, its ``columns(learners, out)`` whole Gram columns.
        """
        return

    def name(self, j: int) -> str:
        """What the learner is called in tables and figures.

        Parameters
        ----------
        j : int
            The learner.

        Returns
        -------
        str
            By default its number: "x3".
        """
        return f"x{j}"


class LearnerFamily(ABC):
    """An implicit dictionary: a search finds those with the largest correlation.

    A run numbers the learners as it finds them: see ``run.problem.feature_names``.

    Examples
    --------
    All 2^m sign vectors of m samples, of each two opposite ones the one that begins with 1. The best is that of the signs of v; the next
    differs from it where abs(v) is least, and its correlation is smaller by twice that, times the length 1/2 of an entry.

    >>> import numpy as np
    >>> import coordboost as cb
    >>> class Signs(cb.learners.LearnerFamily):
    ...     n_samples = 4
    ...     def find(self, v, k, above):
    ...         best = tuple(np.where(v * v[0] >= 0, 1, -1).tolist())
    ...         corr = self.build(best) @ v
    ...         return ([best], [corr], abs(corr) - abs(v).min()) if abs(corr) > above else ([], [], abs(corr))
    ...     def build(self, learner):
    ...         return np.array(learner) / 2
    >>> run = cb.solve(cb.Problem(Signs(), [3.0, 2, -1, 4], center=False), cb.ls_boost(1.0), 3)
    >>> run.problem.feature_names, run.beta
    (['(1, 1, -1, 1)', '(1, -1, 1, 1)', '(1, -1, -1, -1)'], array([ 5.,  2., -1.]))
    """

    __slots__ = ()

    n_samples: int

    #: at(X), the same family on new rows
    at: Callable | None = None
    #: learners depend on the second derivatives of the loss
    newton = False
    #: what puts new rows into bins, where `at` takes rows in bins
    binning: Any = None
    #: bank(weight), the family's own, which makes find and build needless; default a Bank of dense columns
    bank: Callable | None = None

    @abstractmethod
    def find(self, v: np.ndarray, k: int, above: float) -> tuple[Sequence[Any], Any, float]:
        """(learners, correlations, outside): up to k learners above a level, and a bound on all others (``math.inf`` if unknown).

        Parameters
        ----------
        v : ndarray, (n_samples,)
            Usually a residual.
        k : int
            Most learners to be found.
        above : float
            Learners are left out whose abs correlation is no larger than this.

        Returns
        -------
        learners : sequence
            Descriptions that have a hash, such as tuples: equal ones are the same learner. The largest correlations that were found.
        correlations : array_like
            Theirs with v, of either sign.
        outside : float
            No other learner has a larger abs correlation with v; ``math.inf`` where the search is no proof, and then no certificate
            rests on it.
        """

    @abstractmethod
    def build(self, learner: Any) -> np.ndarray:
        """The column of a learner, of unit norm.

        Parameters
        ----------
        learner : object
            A description that `find` gave.

        Returns
        -------
        ndarray, (n_samples,)
            Of unit norm in the metric of the sample weights.
        """
