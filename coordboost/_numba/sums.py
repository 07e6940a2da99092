"""The sum of the losses, and the pseudo-residual, at given predictions.

Each is one pass over the samples.
"""

import math
from functools import partial

import numpy as np
from numba import types
from numba.extending import overload

from coordboost._numba import compiled, interpreted, is_piece, kernel, verb
from coordboost._numba.linesearch import curvature, residual

value = verb("value")

#: Rows of a block. Sums of floats over rows are those of blocks, added in the order of the blocks:
#: so rows that lie in parts of whole blocks have the sums of all rows in one place, bit for bit.
BLOCK = 1 << 14


def base_at(base, i):
    """Return the offset of sample i: `base` itself if it is a number, else its entry i."""
    return base[i] if isinstance(base, np.ndarray) else base


@overload(base_at)
def _base_at(base, i):
    return (lambda base, i: base[i]) if isinstance(base, types.Array) else (lambda base, i: base)


@kernel
def rest_of(total, term):
    """Return the rounding error of ``total + term``."""
    more = total + term
    return (total - more) + term if abs(total) >= abs(term) else (term - more) + total


@kernel
def with_rest(total, compensation):
    """Return the sum plus its collected rounding errors.

    The sum alone if these are NaN, after overflow.
    """
    return total + compensation if compensation == compensation else total


@kernel
def sum_of_block(loss, y, weight, base, pred, start, stop):
    """Sum of the weighted losses of the rows from `start` to `stop`, by compensated summation."""
    total = 0 * (weight[0] * pred[0])
    compensation = total
    for i in range(start, stop):
        term = weight[i] * value(loss, y[i], base_at(base, i) + pred[i])
        compensation += rest_of(total, term)
        total += term
    return with_rest(total, compensation)


@kernel
def sum_of_each(loss, y, weight, base, pred):
    """Sum of the weighted losses at ``base + pred``: compensated sums of blocks, in order.

    base : a number, or (n_samples,)
    """
    total = 0 * (weight[0] * pred[0])
    compensation = total
    for start in range(0, len(y), BLOCK):
        term = sum_of_block(loss, y, weight, base, pred, start, min(start + BLOCK, len(y)))
        compensation += rest_of(total, term)
        total += term
    return with_rest(total, compensation)


@kernel
def write_losses(loss, y, weight, base, pred, sums):
    """Write the sum of the losses of each block of rows: those that ``sum_of_each`` adds."""
    for block in range(len(sums)):
        start = block * BLOCK
        stop = min(start + BLOCK, len(y))
        sums[block] = sum_of_block(loss, y, weight, base, pred, start, stop)


@kernel
def sum_of_blocks(sums, k):
    """Return the compensated sum of column k of the sums of blocks, as ``sum_of_each`` adds them.

    sums : (n_blocks, ...), in the order of the blocks
    """
    total = 0
    compensation = 0
    for block in range(len(sums)):
        compensation += rest_of(total, sums[block, k])
        total += sums[block, k]
    return with_rest(total, compensation)


def first_rows(n_samples):
    """Return the number of the first row of each block of `n_samples` rows."""
    return np.arange(0, n_samples, BLOCK)


#: A loss that is no sum over the samples defines this verb itself, and ``refresh_residual``.
sum_of_losses = verb("sum_of_losses", sum_of_each)


@kernel
def residual_of_each(loss, y, weight, base, pred, resid):
    """Resid = -dloss/dpred, in place."""
    for i in range(len(y)):
        resid[i] = weight[i] * residual(loss, y[i], base_at(base, i) + pred[i])


#: A loss that is no sum over the samples defines this verb itself.
refresh_residual = verb("refresh_residual", residual_of_each)


@kernel
def curvature_of_each(loss, y, weight, base, pred, out):
    """Write the second derivatives of the weighted losses into `out`."""
    for i in range(len(y)):
        out[i] = weight[i] * curvature(loss, y[i], base_at(base, i) + pred[i])


def total_curvature(loss, y, weight, base):
    """Return the sum of the second derivatives of the weighted losses where the model is 0."""
    curvatures = np.empty(len(y))
    curvature_into(loss, y, weight, base, np.zeros(len(y)), curvatures)
    return float(curvatures[weight > 0].sum())


def total_of(loss, y, weight, base, pred):
    """Return `sum_of_losses` as a float.

    It is compiled if the loss is a piece and a sum over the samples.
    """
    return totals_of(loss, y, weight, base, [pred])[0]


def totals_of(loss, y, weight, base, preds):
    """Return `total_of` at each vector of `preds`, as a list."""
    own = loss.sum_of_losses
    total = partial(_ready(sum_of_each, loss), loss) if own is None else own
    return [float(total(y, weight, base, pred)) for pred in preds]


def surely_finite(loss, y, weight, base, pred):
    """Whether the largest prediction, target and weight prove that the sum of the losses is finite.

    False if it is not known.

    A convex function of y - f alone, or of f and a label -1 or +1, is largest at an end of its
    range. *Cost*: the extremes of the arrays.
    """
    alone = loss.location
    labels = loss.two_class
    known = loss.sum_of_losses is None and loss.convex and loss.infimum == 0
    if not known or not (alone or labels):
        return False
    far = 2 * (
        float(np.abs(base).max())
        + sum(max(float(values.max()), -float(values.min())) for values in (y, pred))
    )
    try:
        ends = [
            loss.value(target, f)
            for target in ((0.0,) if alone else (-1.0, 1.0))
            for f in (-far, far)
        ]
    except OverflowError:
        return False
    return math.isfinite(far) and math.isfinite(len(y) * float(weight.max()) * sum(ends))


def residual_into(loss, y, weight, base, pred, resid):
    """Run `refresh_residual`, compiled if the loss is a piece and a sum over the samples."""
    if loss.refresh_residual is not None:
        loss.refresh_residual(y, weight, base, pred, resid)
    else:
        _ready(residual_of_each, loss)(loss, y, weight, base, pred, resid)


def curvature_into(loss, y, weight, base, pred, out):
    """Run `curvature_of_each`, compiled if the loss is a piece."""
    _ready(curvature_of_each, loss)(loss, y, weight, base, pred, out)


def _ready(function, loss):
    """Return `function` compiled for `loss` if possible, else interpreted."""
    return compiled(function, (loss,)) if is_piece(loss) else interpreted(function)
