"""What rounding may do to the kernels of a loss: 16 roundings of the terms that a short formula has."""

import numpy as np

ROUNDOFF = float(np.finfo(float).eps) / 2


def ulps(*terms):
    """Rounding of a short formula with these terms."""
    return 16 * ROUNDOFF * sum(map(abs, terms))


def rounding(loss, y, f):
    """Rounding of a value or residual at y, f: a difference may be as wrong as its terms."""
    return ulps(loss.value(y, f), (1 + abs(f)) * (abs(loss.residual(y, f)) + abs(y)), f)
