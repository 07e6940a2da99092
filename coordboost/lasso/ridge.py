"""Ridge with the squared loss: all penalties from the eigenvectors of one Gram matrix."""

import numpy as np
import scipy.sparse
from scipy.linalg import eigh

from coordboost.lasso.workingset import Solved

#: Columns gathered at a time for a Gram matrix of the samples.
FEW_COLUMNS = 1024


def by_eigenvectors(columns, lams, tol):
    """Ridge with the squared loss at the penalties `lams`; return a `Solved`.

    All penalties come from the eigenvectors of one Gram matrix, of samples or of columns.

    The coefficients are ``C'a / ridge^(1/2)`` or ``a / ridge^(1/2)``, C the columns over
    ridge^(1/2), with (CC' + lam) a = y, or (C'C + lam) a = C'y. With e the residual of that
    equation the gap is ``e'CC'e / (2 lam)`` or ``e'e / (2 lam)``. *Cost*: the smaller Gram matrix
    and its eigenvectors; two passes over all columns if it is that of the samples.
    """
    by = columns.penalty.ridge**-0.5
    wide = columns.n_samples < columns.n_learners
    everything = np.arange(columns.n_learners)

    def pieces():
        for some in np.array_split(everything, 1 + columns.n_learners // FEW_COLUMNS):
            piece = np.empty((len(some), columns.n_samples))
            columns.gather(some, piece)
            yield some, piece * by[some, None]

    if wide:
        gram = np.zeros((columns.n_samples,) * 2)
        goal = columns.y
        for _, piece in pieces():
            gram += piece.T @ piece
    else:
        held = columns.hold(with_gram=True, columns=False)
        held.add(everything)
        gram = by[:, None] * held.gram[: len(by), : len(by)] * by
        goal = by * columns.zero
    values, vectors = eigh(gram)
    shrunk = np.maximum(values, 0.0)[:, None] + lams
    part = np.zeros((len(goal), len(lams)))
    rest = np.repeat(goal[:, None], len(lams), axis=1)
    for _ in range(2):  # the second pass corrects the rounding of the first
        part += vectors @ (vectors.T @ rest / shrunk)
        rest = goal[:, None] - gram @ part - lams * part
    size = np.einsum("ij,ij->j", rest, gram @ rest if wide else rest)
    if wide:
        part = np.concatenate([piece @ part for _, piece in pieces()])
    with np.errstate(over="ignore"):  # for a tiny penalty all that is left is rounding
        gaps = np.maximum(size, 0.0) / (2 * lams) / (columns.null or 1.0)
    return Solved(scipy.sparse.csr_array((by[:, None] * part).T), gaps, 1 + wide)
