"""The sum of the losses at some predictions, and the pseudo-residual there: a pass over the samples for each."""

import math
from functools import partial

import numpy as np
from numba import types
from numba.extending import overload

from coordboost._numba import compiled, interpreted, is_piece, kernel, verb
from coordboost._numba.linesearch import residual

value = verb("value")


def base_at(base, i):
    """What is added to the prediction of sample i: `base` itself where it is one number for all of them, else its entry."""
    return base[i] if isinstance(base, np.ndarray) else base


@overload(base_at)
def _base_at(base, i):
    return (lambda base, i: base[i]) if isinstance(base, types.Array) else (lambda base, i: base)


@kernel
def rest_of(total, term):
    """What rounding takes from ``total + term``."""
    more = total + term
    return (total - more) + term if abs(total) >= abs(term) else (term - more) + total


@kernel
def with_rest(total, rest):
    """The sum, with what was lost on the way; one out of the range of float64 is what it is."""
    return total + rest if rest == rest else total


@kernel
def sum_of_each(loss, y, weight, base, pred):
    """Sum of the weighted losses at ``base + pred``, with what rounding takes from each addition: equal terms are rounded alike.

    base : a number, or (n_samples,)
    """
    out = 0 * (weight[0] * pred[0])
    rest = out
    for i in range(len(y)):
        term = weight[i] * value(loss, y[i], base_at(base, i) + pred[i])
        rest += rest_of(out, term)
        out += term
    return with_rest(out, rest)


#: A loss that is one function of all predictions together brings this verb itself, and ``refresh_residual``.
sum_of_losses = verb("sum_of_losses", sum_of_each)


@kernel
def residual_of_each(loss, y, weight, base, pred, resid):
    """resid = -dloss/dpred, in place."""
    for i in range(len(y)):
        resid[i] = weight[i] * residual(loss, y[i], base_at(base, i) + pred[i])


#: A loss that is one function of all predictions together brings this verb itself.
refresh_residual = verb("refresh_residual", residual_of_each)


def total_of(loss, y, weight, base, pred):
    """`sum_of_losses` as a float, compiled where the loss is a sum over the samples and a piece."""
    return totals_of(loss, y, weight, base, [pred])[0]


def totals_of(loss, y, weight, base, preds):
    """The same at several predictions, a list."""
    own = loss.sum_of_losses
    total = partial(_ready(sum_of_each, loss), loss) if own is None else own
    return [float(total(y, weight, base, pred)) for pred in preds]


def surely_finite(loss, y, weight, base, pred):
    """Whether the sum of the losses is known to be a number from the largest prediction, target and weight; False where it may be one.

    A convex function of y - f alone, or of f and a label -1 or +1, is largest at an end. *Cost*: passes that sum up nothing.
    """
    alone, labels = loss.location, loss.two_class
    known = loss.sum_of_losses is None and loss.convex and loss.infimum == 0
    if not known or not (alone or labels):
        return False
    far = 2 * (float(np.abs(base).max()) + sum(max(float(values.max()), -float(values.min())) for values in (y, pred)))
    try:
        ends = [loss.value(target, f) for target in ((0.0,) if alone else (-1.0, 1.0)) for f in (-far, far)]
    except OverflowError:
        return False
    return math.isfinite(far) and math.isfinite(len(y) * float(weight.max()) * sum(ends))


def residual_into(loss, y, weight, base, pred, resid):
    """`refresh_residual`, compiled where the loss is a sum over the samples and a piece."""
    if loss.refresh_residual is not None:
        loss.refresh_residual(y, weight, base, pred, resid)
    else:
        _ready(residual_of_each, loss)(loss, y, weight, base, pred, resid)


def _ready(function, loss):
    """`function` for a loss, as fast as can be."""
    return compiled(function, (loss,)) if is_piece(loss) else interpreted(function)
