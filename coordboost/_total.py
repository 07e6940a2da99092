"""The sum of the losses at some predictions, and the pseudo-residual: one pass over the samples."""

import numpy as np

from coordboost._generic import compiled, generic, inlined, interpreted, is_piece, kernel
from coordboost._linesearch import residual
from coordboost._protocol import LOSS

value = generic("value")


@inlined
def rest_of(total, term):
    """What rounding takes from ``total + term``."""
    more = total + term
    return (total - more) + term if abs(total) >= abs(term) else (term - more) + total


@inlined
def with_rest(total, rest):
    """The sum, with what was lost on the way; one out of the range of float64 is what it is."""
    return total + rest if rest == rest else total


@kernel
def sum_of_each(loss, y, weight, base, pred):
    """Sum of the weighted losses at ``base + pred``, with what rounding takes from each addition: equal terms are rounded alike."""
    out = 0 * (weight[0] * pred[0])
    rest = out
    for i in range(len(y)):
        term = weight[i] * value(loss, y[i], base + pred[i])
        rest += rest_of(out, term)
        out += term
    return with_rest(out, rest)


#: A loss that is one function of all predictions together brings this verb itself, and ``refresh_residual``.
sum_of_losses = generic("sum_of_losses", sum_of_each)


@kernel
def residual_at(i, loss, y, weight, base, pred, even):
    """The pseudo-residual of sample i; `even` where every weight is 1, which then need not be read."""
    out = residual(loss, y[i], base + pred[i])
    return out if even else weight[i] * out


def total(loss, y, weight, base, pred, resid):
    """Sum of the weighted losses, as `sum_of_each`; `resid` is filled on the way."""
    out = 0 * (weight[0] * pred[0])
    rest = out
    for i in range(len(y)):
        term = weight[i] * value(loss, y[i], base + pred[i])
        rest += rest_of(out, term)
        out += term
        resid[i] = residual_at(i, loss, y, weight, base, pred, False)
    return with_rest(out, rest)


def total_of(loss, y, weight, base, pred):
    """The sum and the pseudo-residual (n_samples,) at ``base + pred``, compiled where the loss is a piece."""
    resid = np.empty(len(y))
    if LOSS.of(loss, "sum_of_losses") is not None:
        loss.refresh_residual(y, weight, base, pred, resid)
        return float(loss.sum_of_losses(y, weight, base, pred)), resid
    run = compiled(total, (loss,)) if is_piece(loss) else interpreted(total)
    return float(run(loss, y, weight, base, pred, resid)), resid
