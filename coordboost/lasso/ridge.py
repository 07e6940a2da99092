"""Ridge with the squared loss: all penalties from the eigenvectors of one Gram matrix."""

import math

import numpy as np
import scipy.sparse
from scipy.linalg import eigh

from coordboost.lasso.workingset import Solved

#: Columns gathered at a time for a Gram matrix of the samples.
FEW_COLUMNS = 1024
#: A gap up to this part of the tolerance needs no second pass.
SHARP = 1e-3


def by_eigenvectors(columns, lams, tol):
    """Ridge with the squared loss at the penalties `lams`; return a `Solved`.

    The columns are divided by the root of their factors in the penalty; let C be these columns. All
    penalties come from the eigenvectors of one Gram matrix, of samples or of columns: the
    coefficients of C are C'a with (CC' + lam) a = y, or a with (C'C + lam) a = C'y. With e the
    residual of that equation the gap is ``e'CC'e / (2 lam)`` or ``e'e / (2 lam)``. *Cost*: the
    smaller Gram matrix and its eigenvectors; two passes over all columns if it is that of the
    samples.
    """
    root = columns.penalty.ridge**-0.5
    if columns.n_samples < columns.n_learners:
        return _by_samples(columns, root, lams, tol)
    gram = _gram_of_columns(columns) * root[:, None] * root
    coefs, gaps = _solve(gram, root * columns.zero, lams, False, SHARP * tol * columns.null)
    coefs *= root
    return Solved(_stored(coefs), gaps / (columns.null or 1.0), 1)


def _gram_of_columns(columns):
    """The inner products of all columns, (n_learners, n_learners)."""
    if columns.problem.stored:
        return columns.gram_matrix()
    store = columns.hold(with_gram=True, columns=False)
    store.add(np.arange(columns.n_learners))
    return store.gram[: columns.n_learners, : columns.n_learners]


def _by_samples(columns, root, lams, tol):
    """As `by_eigenvectors`, for fewer samples than learners; `root` divides the columns."""
    even = (root == root[0]).all()
    # one number multiplies the Gram matrix, and the columns need no copy
    factor = None if even else root
    scale = float(root[0]) ** 2 if even else 1.0
    gram = np.zeros((columns.n_samples, columns.n_samples))
    for _, block in _blocks(columns, factor):
        gram += block.T @ block
    gram *= scale
    solution, gaps = _solve(gram, columns.y, lams, True, SHARP * tol * columns.null)
    solution *= scale
    coefs = np.empty((len(lams), columns.n_learners))
    if columns.of_stored:
        # products with the stored rows are scaled, which is less work than to scale the rows
        np.matmul(solution, columns.rows.T, out=coefs)
        by_learner = [by for by in (columns.scale, factor, factor) if by is not None]
    else:
        for learners, block in _blocks(columns, factor):
            np.matmul(solution, block.T, out=coefs[:, learners])
        by_learner = [] if even else [root]
    if by_learner:
        coefs *= math.prod(by_learner)
    return Solved(_stored(coefs), gaps / (columns.null or 1.0), 2)


def _blocks(columns, factor):
    """Yield slices of the learners and their columns times `factor`, one in a row.

    There is one block if they are stored like that. A block is valid until the next one.
    """
    whole = factor is None and columns.of_stored and columns.scale is None
    size = columns.n_learners if whole else FEW_COLUMNS
    buffer = None if whole else np.empty((min(size, columns.n_learners), columns.n_samples))
    for start in range(0, columns.n_learners, size):
        learners = slice(start, min(start + size, columns.n_learners))
        yield learners, columns.block(learners, factor, buffer)


def _solve(gram, right, lams, of_samples, goal):
    """The solutions of ``(gram + lam) x = right``, (n_lams, n), and their gaps, (n_lams,).

    A second pass corrects the rounding of the first, if a gap is above `goal`.
    """
    values, vectors = eigh(gram, driver="evd", check_finite=False)
    shrunk = np.maximum(values, 0.0) + lams[:, None]
    solution = np.zeros((len(lams), len(right)))
    error = np.tile(right, (len(lams), 1))
    for _ in range(2):
        solution += error @ vectors / shrunk @ vectors.T
        error = right - solution @ gram - lams[:, None] * solution
        square = np.einsum("ij,ij->i", error, error @ gram if of_samples else error)
        with np.errstate(over="ignore"):  # for a tiny penalty all that is left is rounding
            gaps = np.maximum(square, 0.0) / (2 * lams)
        if (gaps <= goal).all():
            break
    return solution, gaps


def _stored(coefs):
    """A dense array as a CSR array with all its entries."""
    n, p = coefs.shape
    kind = np.int32 if n * p < 2**31 else np.int64
    indices = np.tile(np.arange(p, dtype=kind), n)
    begin = p * np.arange(n + 1, dtype=kind)
    stored = scipy.sparse.csr_array((coefs.ravel(), indices, begin), shape=coefs.shape)
    stored.has_canonical_format = True  # which is not checked again
    return stored
