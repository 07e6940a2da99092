"""Base classes of learners.

`Learners`, a matrix B given by its methods ("verbs"), and `LearnerFamily`, an implicit dictionary
given by a search.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from coordboost._utils.checks import no_data
from coordboost._utils.kinds import Piece


class Learners(Piece, ABC):
    """Weak learners, the unit columns B_j of a matrix.

    `scan` and `column` are required, the other methods follow from them.

    `v` has one entry per sample; `index`, `a`, `b` are arrays of learners; `weight` is
    (n_samples,). Loops over learners are compiled if the class is a named tuple whose `scan`,
    `correlations`, `dot`, `add` and `column` are kernels.

    Examples
    --------
    >>> import numpy as np
    >>> import coordboost as cb
    >>> class Waves(cb.learners.Learners):
    ...     n_samples, n_learners = 8, 3
    ...
    ...     def column(self, j):
    ...         return np.cos(np.pi * (j + 1) * (np.arange(8) + 0.5) / 8) / 2
    ...
    ...     def scan(self, v):
    ...         return np.array([self.column(j) @ v for j in range(3)])
    >>> problem = cb.Problem(Waves(), [3.0, 3, 3, 3, 1, 1, 1, 1])
    >>> cb.solve(problem, cb.ls_boost(1.0), 2).beta.round(3)
    array([ 2.563,  0.   , -0.9  ])
    """

    __slots__ = ()

    n_samples: int
    n_learners: int

    #: fill_column(j, out): write B_j into `out`, for loops over implicit dictionaries
    fill_column: Callable | None = None
    #: whether all learners are numbered from the start; False for a bank, whose `find` adds
    #: learners
    countable = True
    #: at(X): the same learners on new rows
    at: Callable | None = None
    #: whether noise may be added to the gradient: the fit of a learner is its correlation, or its
    #: leaf values are means
    takes_noise = True
    #: refit(j, v, scale, key): fit the learner just found to v and white noise, and return its
    #: length; None for unit columns
    refit: Callable | None = None
    #: search(v, k, above, stopped), of a bank: up to k learners above a level, their correlations,
    #: and a bound on those of all others
    search: Callable | None = None
    #: saved(n): the first n learners of a bank as a named tuple of arrays, whose `opened` restores
    #: the bank
    saved: Callable | None = None
    #: the table of families, a Families, from which a rule with `foresees` chooses
    families: Any = None
    #: the family of each learner, int64 (n_learners,)
    member: np.ndarray | None = None
    #: lengths(): the norm of each learner, scaled as its family prescribes
    lengths: Callable | None = None
    #: the group of each learner, (n_learners,), for group selection rules
    groups: np.ndarray | None = None
    #: number of columns, if learners are fits of blocks of columns; scan(v) then gives lengths of
    #: projections; has spread(beta)
    n_columns: int | None = None
    #: number of groups of an implicit dictionary that can be searched by groups: find_in(v, groups)
    n_groups: int | None = None
    #: the columns, if they are stored, (n_learners, n_samples)
    rows: np.ndarray | None = None
    #: whether k correlations cost only k / n_learners of a scan, though the columns are not stored
    #: as `rows`
    apart = False
    #: whether only non-zero entries are stored: data, row, start, scale, shift as in
    #: learners/sparse.py
    entries = False
    #: part(index, by): the learners `index`, each times its entry of `by`; None for a dense copy
    part: Callable | None = None
    #: whether reading dominates the cost, so that computing all Gram entries in one pass pays
    one_pass = False
    #: weighted(weight): the same learners with unit norm in that metric
    weighted: Callable | None = None
    #: whether unit norms and consistent methods are guaranteed by construction, so that a Problem
    #: need not check them
    proven = False
    #: the binned features on which the learners are defined, a Binned
    binned: Any = None
    #: the engine of parts on which the rows lie, a Parts
    parts: Any = None
    #: steps(beta): the shape function of each feature over its bins, if each learner j depends on
    #: one feature only, `feature[j]`
    steps: Callable | None = None
    #: what bins new rows, if `at` takes binned rows
    binning: Any = None
    #: standing(rows): the learners found so far on other rows (binned, if there is a `binning`)
    standing: Callable | None = None
    #: tree(j): learner j as a Tree
    tree: Callable | None = None
    #: of a bank: the current learner as a dictionary of one learner; None for a dense column
    current: Any = None
    #: see(j): make learner j the current one
    see: Callable | None = None
    #: leaf_steps(j), take_leaf_steps(j, steps, whole), of a bank of trees: the values of the leaves
    #: of the tree just grown
    leaf_steps: Callable | None = None
    take_leaf_steps: Callable | None = None
    #: whether each leaf may take a value of its own
    leafwise = False
    #: measure(write_curvature): let a bank update the second derivatives that its learners use;
    #: write_curvature(out) writes them
    measure: Callable | None = None
    #: number of parts of a scan; scan_share(v, k, out) fills the entries of part k
    shares: int | None = None
    #: multiplications in a scan; None for n_samples * n_learners
    scan_cost: int | None = None

    @abstractmethod
    def scan(self, v: np.ndarray) -> np.ndarray:
        """Return all correlations <B_j, v>, (n_learners,): the expensive method.

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
        """Return the unit column B_j, (n_samples,).

        Parameters
        ----------
        j : int
            The learner.

        Returns
        -------
        ndarray, (n_samples,)
            ``B[:, j]``; callers must not change it, as it may be the stored array.
        """

    def check(self) -> None:
        """Raise a ValueError if the fields are inconsistent."""
        return

    def without_data(self) -> "Learners":
        """Return the same learners without their columns on the training samples.

        Returns
        -------
        Learners
            What predictions for new rows need.
        """
        return AbsentColumns(self.n_samples, self.n_learners)

    def correlations(self, v: np.ndarray, index: np.ndarray) -> np.ndarray:
        """Return <B_j, v> for the learners `index`.

        *Cost*: one scan, unless a class overrides it with something cheaper.

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
        """Return the correlation <B_j, v> of one learner.

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
            The factor of its column.
        v : ndarray, (n_samples,)
            Usually the predictions; changed.
        """
        v += a * self.column(j)

    def gather(self, index: Any) -> np.ndarray:
        """Return the learners `index` as a dense (n_samples, len(index)) matrix.

        Parameters
        ----------
        index : array_like of int, (k,)
            Numbers of learners.

        Returns
        -------
        ndarray, (n_samples, k)
            In NumPy ``B[:, index]``.
        """
        return (
            np.column_stack([self.column(j) for j in index])
            if len(index)
            else np.zeros((self.n_samples, 0))
        )

    def combine(self, beta: np.ndarray) -> np.ndarray:
        """Return B beta, (n_samples,). *Cost*: only columns with a non-zero coefficient are read.

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
        """Return the Gram entries <B_i, diag(weight) B_j>, (len(a), len(b)).

        For the learners i in `a` and j in `b`.

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
        """Return B' diag(weight) B, (n_learners, n_learners). *Cost*: one matrix product.

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
        """Return an object that computes Gram entries without forming columns.

        Such as ``Counts`` of stumps; None by default.

        Parameters
        ----------
        weight : ndarray, (n_samples,)
            Weights of the samples.

        Returns
        -------
        object or None
            Its ``cross(a, b)`` gives Gram entries, its ``columns(learners, out)`` whole Gram
            columns.
        """
        return

    def name(self, j: int) -> str:
        """Return the name of a learner in tables and figures.

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


class AbsentColumns(Learners):
    """Learners whose columns were left out of a pickle: only their number is known.

    Parameters
    ----------
    n_samples, n_learners : int
        The size of the matrix.
    """

    def __init__(self, n_samples, n_learners):
        self.n_samples, self.n_learners = n_samples, n_learners

    def scan(self, v):
        raise no_data("a scan of all learners")

    def column(self, j):
        raise no_data("a column of a learner")


class LearnerFamily(ABC):
    """An implicit dictionary: a search finds the learners with the largest absolute correlation.

    A run numbers the learners as it finds them: see ``run.problem.feature_names``.

    Examples
    --------
    All sign vectors of m = 4 samples, scaled to unit norm, that begin with 1. The best one has the
    signs of v, up to its sign. The next best one differs from it where abs(v) is least, so its
    absolute correlation is smaller by twice that, times the size 1/2 of an entry.

    >>> import numpy as np
    >>> import coordboost as cb
    >>> class Signs(cb.learners.LearnerFamily):
    ...     n_samples = 4
    ...
    ...     def find(self, v, k, above):
    ...         best = tuple(np.where(v * v[0] >= 0, 1, -1).tolist())
    ...         corr = self.build(best) @ v
    ...         return (
    ...             ([best], [corr], abs(corr) - abs(v).min())
    ...             if abs(corr) > above
    ...             else ([], [], abs(corr))
    ...         )
    ...
    ...     def build(self, learner):
    ...         return np.array(learner) / 2
    >>> run = cb.solve(cb.Problem(Signs(), [3.0, 2, -1, 4], center=False), cb.ls_boost(1.0), 3)
    >>> run.problem.feature_names, run.beta
    (['(1, 1, -1, 1)', '(1, -1, 1, 1)', '(1, -1, -1, -1)'], array([ 5.,  2., -1.]))
    """

    __slots__ = ()

    n_samples: int

    #: at(X): the same family on new rows
    at: Callable | None = None
    #: whether learners depend on the second derivatives of the loss
    newton = False
    #: for_loss(loss, curvature), if they do: the same family, with limits for this loss and its sum
    #: of second derivatives at the start
    for_loss: Callable | None = None
    #: what bins new rows, if `at` takes binned rows
    binning: Any = None
    #: bank(weight): a bank of the family's own, which replaces find and build; None for a Bank of
    #: dense columns
    bank: Callable | None = None

    @abstractmethod
    def find(self, v: np.ndarray, k: int, above: float) -> tuple[Sequence[Any], Any, float]:
        """Return (learners, correlations, outside): up to k learners above a level.

        `outside` is a bound on the correlations of all others (``math.inf`` if unknown).

        Parameters
        ----------
        v : ndarray, (n_samples,)
            Usually a residual.
        k : int
            Maximum number of learners to return.
        above : float
            Only learners with an absolute correlation above this level are returned.

        Returns
        -------
        learners : sequence
            Hashable descriptions, such as tuples, of the learners with the largest correlations
            found; equal descriptions mean the same learner.
        correlations : array_like
            Their correlations with v, of either sign.
        outside : float
            No other learner has a larger absolute correlation with v. ``math.inf`` if the search
            proves no bound; there is then no certificate.
        """

    @abstractmethod
    def build(self, learner: Any) -> np.ndarray:
        """Return the unit column of a learner.

        Parameters
        ----------
        learner : object
            A description returned by `find`.

        Returns
        -------
        ndarray, (n_samples,)
            Of unit norm in the metric of the sample weights.
        """

    def name(self, learner: Any) -> str:
        """Return the name of a learner in tables and figures.

        Parameters
        ----------
        learner : object
            A description returned by `find`.

        Returns
        -------
        str
            By default the description as a string.
        """
        return str(learner)
