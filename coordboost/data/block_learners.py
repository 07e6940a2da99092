"""Blocks of columns that are fitted together: a family of learners."""

from typing import NamedTuple

import numpy as np

from coordboost._utils.checks import items_of, not_negative, shown
from coordboost.data import validation
from coordboost.learners.base import LearnerFamily
from coordboost.learners.blocks import BlockBank


class BlockFamily(LearnerFamily):
    """Blocks of given columns: what a ``Problem`` takes in place of X.

    rows : (n_columns, n_samples)
    l2 : ridge penalty
    member, start : block s is the columns ``member[start[s]:start[s + 1]]``
    """

    find = build = None  # type: ignore[assignment]  # the bank fits them

    def __init__(self, rows, l2, member, start):
        self.rows = rows
        self.l2 = l2
        self.member = member
        self.start = start

    def __repr__(self):
        return (
            f"<{len(self.start) - 1} blocks of {len(self.rows)} columns, {self.n_samples} samples>"
        )

    @property
    def n_samples(self):
        return self.rows.shape[1]

    def bank(self, weight):
        """An empty bank of fits of these blocks, unit vectors in the metric of `weight`."""
        return BlockBank(self, weight)

    def saved(self, values):
        """The family and some of its fits as plain arrays."""
        return SavedBlocks(
            self.rows, self.l2, self.member, self.start, np.ascontiguousarray(values)
        )

    def at(self, X):
        """The same family on new rows."""
        rows = _rows(X)
        if len(rows) != len(self.rows):
            raise ValueError(
                f"X must have the {len(self.rows)} columns of the fit, got {len(rows)}."
            )
        return BlockFamily(rows, self.l2, self.member, self.start)


class SavedBlocks(NamedTuple):
    """A bank of fits as a run file holds it: the columns, the blocks, and the fits made so far."""

    columns: np.ndarray
    l2: float
    blocks: np.ndarray
    blocks_start: np.ndarray
    fits: np.ndarray

    @property
    def n_samples(self):
        return self.columns.shape[1]

    @property
    def n_learners(self):
        return len(self.fits)

    def check(self):
        """Refuse parts that do not fit each other.

        Raises
        ------
        ValueError
            If they do not, naming the part.
        """
        n = len(self.columns)
        member = self.blocks
        start = self.blocks_start
        known = ((member >= 0) & (member < n)).all() and len(start) > 1
        if not (
            known and start[0] == 0 and start[-1] == len(member) and (np.diff(start) > 0).all()
        ):
            raise ValueError("the blocks are damaged.")
        not_negative("l2", self.l2)
        if self.fits.shape[1:] != (n,) or not (
            np.isfinite(self.fits).all() and np.isfinite(self.columns).all()
        ):
            raise ValueError("the columns of the blocks, or their fits, are damaged.")

    def opened(self, weight, binning):
        """Rebuild the saved bank."""
        return BlockBank(
            BlockFamily(self.columns, self.l2, self.blocks, self.blocks_start), weight, self.fits
        )


def blocks(X, blocks=None, *, l2=0.0):
    """Blocks of the columns of X, fitted together by least squares.

    ``Problem(blocks(X, [[0, 1], [2]]), y)`` boosts with least-squares fits.

    A step fits all columns of one block to the pseudo-residual, with the solution of least norm if
    there are several. The fit becomes a unit vector of B with a coefficient of its own; its
    correlation is the length of the fit. The model as coefficients of the columns is
    ``run.problem.dictionary.spread(run.beta)``.

    Parameters
    ----------
    X : array_like, (n_samples, n_columns)
        Columns as they are: nothing is centred or scaled.
    blocks : sequence of sequences of int, or labels (n_columns,), optional
        The columns of each block, which may share some; or the block of each column. Default: each
        column is a block.
    l2 : float
        Ridge penalty of the coefficients of a fit.

    Returns
    -------
    BlockFamily
        The learners of a ``Problem``.

    Raises
    ------
    ValueError
        For an empty block, or one that names a column that X does not have.

    Notes
    -----
    ``Greedy()`` takes the block that fits the pseudo-residual best, ``Weighted(p)`` and
    ``Groups(t)`` draw blocks; ``JointSubset(t)`` and ``RandomMask(q)`` fit the columns of several
    blocks at once. *Memory*: 8 n_columns bytes for a step. *Cost* of a step: 2 n_samples n_columns,
    and each candidate's size squared; a joint fit costs its size cubed. *Source*: Ustimenko and
    Prokhorenkova, *SGLB: Stochastic Gradient Langevin Boosting*, Section 2.

    Examples
    --------
    >>> import coordboost as cb
    >>> X, y = [[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5]
    >>> problem = cb.Problem(cb.data.blocks(X, [[0, 1]]), y)
    >>> run = cb.solve(problem, cb.sgb(1.0), 1)
    >>> run.predict(X).round(2)
    array([2.8 , 3.63, 3.24, 4.71])
    """
    rows = _rows(X)
    lists = [np.unique(_numbers(block)) for block in _lists(blocks, len(rows))]
    for block in lists:
        if len(block) == 0 or block[0] < 0 or block[-1] >= len(rows):
            raise ValueError(
                f"a block must name columns from 0 to {len(rows) - 1}, got {shown(block.tolist())}."
            )
    return BlockFamily(
        rows,
        not_negative("l2", l2),
        np.concatenate(lists),
        np.cumsum([0] + [len(block) for block in lists]),
    )


def _lists(blocks, n):
    """The columns of each block.

    They are given as lists of columns, or as one label for each of the n columns.
    """
    what = f"lists of columns, or a label for each of the {n} columns"
    given = items_of("blocks", range(n) if blocks is None else blocks, what)
    if not given:
        raise ValueError(f"blocks must be {what}, got {shown(blocks)}.")
    if all(np.ndim(entry) == 0 for entry in given):
        labels = np.asarray(given)
        if labels.shape != (n,) or labels.dtype.kind not in "iubU":
            raise ValueError(
                f"blocks must have a label, a whole number or a string, for each of the {n} "
                f"columns, got {shown(blocks)}."
            )
        return [np.flatnonzero(labels == label) for label in np.unique(labels)]
    return given


def _numbers(block):
    """The columns of a block as int64."""
    array = np.asarray(block)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise ValueError(f"a block must be a list of columns, whole numbers, got {shown(block)}.")
    return array.astype(np.int64)


def _rows(X):
    """The columns of X as rows of float64, checked."""
    X = validation.matrix(X)[0]
    validation.check_columns(X)
    return np.ascontiguousarray((X.toarray() if hasattr(X, "toarray") else X).T)
