r"""Singular values of the weak-learner matrix and its numerical rank.

A certified span of its columns.

A certificate for least squares needs :math:`\|P\rho\|`, P the projection on the span S of the
columns :math:`\tilde b_j` (each times the root of the weights), or an upper bound: a larger span
only lowers the lower end. With orthonormal directions U and any unit vector :math:`x = \tilde B v`
of S

.. math:: \langle\rho, x\rangle
    = \langle U^T\rho, U^T x\rangle + \langle\rho, (I - UU^T)\tilde B v\rangle
    \le \|U^T\rho\| + \|\rho\|\, E / \sigma, \qquad E = \|(I - UU^T)\tilde B\|_F, \quad
    \|v\| \le 1/\sigma .

E is measured, so the bound holds however U was computed; E / sigma is the *tilt*. E includes the
rounding of the standardisation, so the bound holds for the exact standardised columns too. If a
singular value sigma is near rounding, the bound is useless. Columns close to the span of the others
are therefore treated separately: their distance is computed in integers of any length, without
rounding. It gives a direction of its own, or shows that the column depends on the others. If that
costs too much, the span is taken to be the whole space.
"""

import math
from typing import NamedTuple

import numpy as np
import scipy  # its linalg is loaded where it is used

#: Largest number of entries of B for a dense SVD; else the largest smaller side of B for a Gram
#: matrix.
MAX_ENTRIES, MAX_SIDE = 4_000_000, 4_000


class Spectrum(NamedTuple):
    r"""Thin SVD of :math:`\tilde B = W^{1/2} B` cut at its numerical rank.

    left : (n_samples, rank)
    singular : (rank,), decreasing
    n_learners : int
    cut : relative tolerance used
    beyond : first singular value below the cut relative to the largest, 0 if there is none (an
        ambiguous rank shows here)

    *Source*: Freund et al., Section 1.3 (rank = number of singular values above max(n, p) u times
    the largest).
    """

    left: np.ndarray
    singular: np.ndarray
    n_learners: int
    cut: float
    beyond: float

    @classmethod
    def of(cls, problem):
        """The spectrum of the problem's dictionary.

        *Cost*: O(n p min(n, p)).

        Raises
        ------
        ValueError
            If both sides are larger than the limits of this module.
        """
        m = problem.n_samples
        n = problem.n_learners
        root = np.sqrt(problem.weight)
        if m * n <= MAX_ENTRIES:
            tilde = root[:, None] * problem.gather(np.arange(n))
            left, singular, _ = scipy.linalg.svd(tilde, full_matrices=False, check_finite=False)
        elif min(m, n) <= MAX_SIDE:
            left, singular = _through_gram(problem, root)
        else:
            raise ValueError(
                f"B is {m} x {n}: too large for its spectrum; certify against L1Ball or L1Penalty, "
                "which need one scan."
            )
        cut = max(m, n) * np.finfo(float).eps
        rank = int((singular > cut * singular[0]).sum())
        beyond = float(singular[rank] / singular[0]) if 0 < rank < len(singular) else 0.0
        return cls(left[:, :rank], singular[:rank], n, float(cut), beyond)

    @property
    def rank(self):
        return len(self.singular)

    @property
    def lambda_pmin(self):
        """Smallest non-zero eigenvalue of B'WB, inf where there is none."""
        return float(self.singular[-1] ** 2) if self.rank else math.inf

    @property
    def lambda_max(self):
        """Largest eigenvalue of B'WB."""
        return float(self.singular[0] ** 2) if self.rank else 0.0

    @property
    def kappa(self):
        """n_learners / lambda_pmin >= 1."""
        return self.n_learners / self.lambda_pmin

    def project(self, problem, resid):
        """Coordinates (rank,) of the projection of ``W^{-1/2} resid`` on the columns.

        Weights of 0 carry no residual.
        """
        return self.left.T @ unweighted(problem, resid)

    def solution(self, problem, resid):
        """The coefficients of smallest norm, (n_learners,), that fit ``W^{-1} resid`` best.

        *Cost*: one scan.
        """
        inside = self.project(problem, resid)
        return problem.scan(np.sqrt(problem.weight) * (self.left @ (inside / self.singular**2)))

    def least_squares(self, problem):
        """The least-squares solution of smallest norm, (n_learners,). *Cost*: one scan."""
        return self.solution(problem, problem.resid(np.zeros(problem.n_samples)))


def unweighted(problem, resid):
    """``W^{-1/2} resid``, (n_samples,)."""
    root = np.sqrt(problem.weight)
    return np.divide(resid, root, out=np.zeros_like(resid), where=root > 0)


def _through_gram(problem, root):
    """Left vectors and singular values from the Gram matrix of the smaller side of W^{1/2} B.

    Squaring hides singular values below 1e-8 of the largest, so the span of the small ones is
    factored once more, unsquared.
    """
    dictionary = problem.dictionary
    m = problem.n_samples
    n = problem.n_learners
    wide = m < n
    if wide:
        pieces = (
            root[:, None] * problem.gather(np.arange(k, min(k + 1024, n)))
            for k in range(0, n, 1024)
        )
        side = sum(piece @ piece.T for piece in pieces)
    else:
        side = dictionary.gram(problem.weight)
    values, vectors = scipy.linalg.eigh(side)
    singular = np.sqrt(np.maximum(values[::-1], 0))
    vectors = vectors[:, ::-1]
    large = singular > 1e-5 * singular[0]
    left = (
        vectors[:, large] if wide else _images(problem, root, vectors[:, large]) / singular[large]
    )
    if large.all():
        return left, singular
    others = vectors[:, ~large]
    outer, small, inner = scipy.linalg.svd(_images(problem, root, others), full_matrices=False)
    return np.column_stack([left, others @ inner.T if wide else outer]), np.concatenate(
        [singular[large], small]
    )


def _images(problem, root, vectors):
    """W^{1/2} B times `vectors` (n_learners, k); if B is wide its transpose times (n_samples, k).

    One product if columns are stored.
    """
    rows = problem.dictionary.rows
    wide = problem.n_samples < problem.n_learners
    if rows is not None:
        return rows @ (root[:, None] * vectors) if wide else root[:, None] * (rows.T @ vectors)
    combine = problem.dictionary.combine
    return np.column_stack(
        [problem.scan(root * v) if wide else root * combine(v) for v in vectors.T]
    )


#: Columns with a smaller relative distance to the span of others are treated separately: the tilt
#: of the rest is squared in a gap.
NEAR = 1e-8
#: Bits after the point of a coefficient; a column closer than 2^-DEPENDENT to the span of the
#: others depends on them.
BITS, DEPENDENT = 320, 200
#: Largest number of integer products for all near columns: some seconds.
MAX_PRODUCTS = 20_000_000
#: Rounds of orthogonalising a column against the others: each gains 8 digits.
ROUNDS = 40
U = float(np.finfo(float).eps)


class Span(NamedTuple):
    """A span that contains, up to `tilt`, the columns times the root of the weights.

    left : orthonormal directions (n_samples, rank), None for the whole space
    tilt : how far a unit vector of the exact span may lie outside these directions
    """

    left: np.ndarray | None
    tilt: float

    @classmethod
    def of(cls, problem, spectrum):
        """The span of a problem's columns.

        *Cost*: two products of the size of the SVD, if no column is near the span of others.
        """
        if not spectrum.rank:
            return cls(spectrum.left, 0.0)
        if problem.reduced is not None and problem.reduced.n_lost:
            return cls(None, 0.0)  # sums of products do not tell where these columns point
        root = np.sqrt(problem.weight)
        samples = np.flatnonzero(root)
        good = spectrum.singular > NEAR * spectrum.singular[0]
        if good.sum() == len(samples):
            return cls(None, 0.0)
        if good.all() and spectrum.rank == problem.n_learners:
            smallest = float(spectrum.singular[-1])
            return _checked(
                cls(spectrum.left, 0.0), problem, root, np.arange(problem.n_learners), smallest
            )
        if problem.n_samples * problem.n_learners > MAX_ENTRIES:
            return cls(None, 0.0)
        return _apart(cls, problem, root, samples)

    def most(self, rho):
        """An upper bound of the norm of the projection of `rho` (n_samples,) on the exact span."""
        size = float(np.linalg.norm(rho))
        inside = size if self.left is None else float(np.linalg.norm(self.left.T @ rho))
        return min(size, inside + self.tilt * size) + 4 * U * size


def rounded(problem):
    """A bound of the rounding error of the standardisation in each unit column, (n_learners,).

    A subtraction and a product round every entry, and the rounding of the mean shifts all entries
    alike.
    """
    standardization = problem.standardization
    return U * (
        1.0 + np.abs(standardization.mean) * math.sqrt(problem.weight.sum()) / standardization.norm
    )


def _checked(span, problem, root, index, smallest):
    """Return `span` with the measured tilt of the columns `index`, whose smallest singular value is
    `smallest`.
    """
    left = span.left
    outside = 0.0
    for start in range(0, len(index), 1024):
        columns = root[:, None] * problem.gather(index[start : start + 1024])
        outside += float(((columns - left @ (left.T @ columns)) ** 2).sum())
    skew = float(np.linalg.norm(left.T @ left - np.eye(left.shape[1])))
    moved = float(np.linalg.norm(rounded(problem)[index]))
    error = math.sqrt(outside) + moved + 4 * U * math.sqrt(len(index) * left.shape[1])
    return (
        Span(left, error / (smallest - error) + skew + span.tilt)
        if smallest > 2 * error
        else Span(None, 0.0)
    )


def _apart(cls, problem, root, samples):
    """The span if some columns are near the span of others."""
    table = problem.gather(np.arange(problem.n_learners))[samples]
    distinct = np.unique(table, axis=1, return_index=True)[1]
    outer, upper, order = scipy.linalg.qr(
        root[samples, None] * table[:, distinct], mode="economic", pivoting=True
    )
    diagonal = np.abs(np.diag(upper))
    rank = int((diagonal > NEAR * diagonal[0]).sum())
    far = distinct[order[:rank]]
    near = distinct[order[rank:]]
    if rank == len(samples) or len(near) * table.size > MAX_PRODUCTS:
        return cls(None, 0.0)
    apart = Apart(table, root[samples], far, outer[:, :rank], upper[:rank, :rank], rounded(problem))
    for j in near:
        if not apart.take(j) or apart.left.shape[1] == len(samples):
            return cls(None, 0.0)
    left = np.zeros((problem.n_samples, apart.left.shape[1]))
    left[samples] = apart.left
    smallest = float(scipy.linalg.svdvals(upper[:rank, :rank])[-1])
    return _checked(cls(left, apart.tilt), problem, root, far, smallest)


def whole_numbers(table):
    """Return a float64 array times a power of two, as integers of any length.

    The second result is the exponent of that power.
    """
    mantissa, exponent = np.frexp(table)
    last = 53 - int(exponent[mantissa != 0].min(initial=53))
    ints = (mantissa * 2.0**53).astype(np.int64).astype(object)
    return ints << np.maximum(exponent - 53 + last, 0).astype(object), last


def shifted(numbers, places):
    """Return float64 `numbers` times 2^places, truncated to integers of any length."""
    return np.array([int(math.ldexp(number, places)) for number in numbers.tolist()], dtype=object)


class Apart:
    """Directions of columns that are near the span of others.

    A direction is ``table @ coef`` in integers, so it lies in the span whatever the coefficients
    are; these are corrected until it is orthogonal to all directions before it.

    Parameters
    ----------
    table : (n_samples, n_learners), the columns
    root : (n_samples,), roots of their weights
    far : (rank,), columns whose span has the orthonormal directions `outer` (n_samples, rank)
        root * table[:, far] = outer @ upper
    moved : (n_learners,), bound of the rounding error of the standardisation in each column
    """

    def __init__(self, table, root, far, outer, upper, moved):
        self.table, self.last = whole_numbers(table)
        self.root = root
        self.far = far
        self.left = outer
        self.upper = upper
        self.moved = moved
        self.tilt = 0.0
        self.kept = []

    def at(self, coef):
        """``root * table @ coef`` as float64 with a norm near 1.

        The second result is the exponent of the power of two to multiply it by.
        """
        used = np.flatnonzero(coef != 0)
        numbers = self.table[:, used] @ coef[used]
        spare = max(max(abs(number).bit_length() for number in numbers) - 62, 0)
        image = self.root * (numbers >> spare).astype(np.float64)
        size = float(np.linalg.norm(image)) or 1.0
        power = math.frexp(size)[1]
        return image * 2.0**-power, power + spare - self.last - BITS

    def take(self, j):
        """Add the direction of column `j` orthogonal to the others, unless it depends on them.

        False if ``ROUNDS`` do not suffice.
        """
        coef = np.zeros(len(self.moved), dtype=object)
        rank = len(self.far)
        coef[j] = 1 << BITS
        for _ in range(ROUNDS):
            image, power = self.at(coef)
            size = float(np.linalg.norm(image))
            if size == 0 or power < -DEPENDENT:
                return True
            along = self.left.T @ image
            if np.linalg.norm(along) <= NEAR * size:
                return self._keep(coef, (image - self.left @ along) / size, size, power)
            coef[self.far] -= shifted(
                scipy.linalg.solve_triangular(self.upper, along[:rank]), power + BITS
            )
            for (other, its_size, its_power), share in zip(self.kept, along[rank:], strict=True):
                coef -= (
                    other * int(math.ldexp(share / its_size, power - its_power + BITS))
                ) >> BITS
        return False

    def _keep(self, coef, direction, size, power):
        """Store a direction of length `size` 2^power, and add to the tilt.

        It grows by how much the rounding of the columns turned the direction.
        """
        self.kept.append((coef, size, power))
        self.left = np.column_stack([self.left, direction / np.linalg.norm(direction)])
        turned = float(
            sum(abs(c / (1 << BITS)) * m for c, m in zip(coef, self.moved, strict=True) if c)
        ) / math.ldexp(size, power)
        # else the exact column may depend on the others: the stored direction only enlarges the
        # span
        if turned < 1:
            self.tilt = math.hypot(self.tilt, turned / (1 - turned), 4 * U)
        return True
