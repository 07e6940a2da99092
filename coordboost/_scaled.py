"""A vector that is kept as scale * values: a shrinkage of all its entries is one multiplication."""

from coordboost._numba import kernel


@kernel
def shrink_all(values, scale, shrink):
    """``scale * values`` times 1 - shrink, `scale` being (1,). Where the scale is too small or too large, the values take it over."""
    if shrink != 0:
        scale[0] = (1 - shrink) * scale[0]
        if not 1e-100 < scale[0] < 1e100:
            for i in range(len(values)):
                values[i] = scale[0] * values[i]
            scale[0] = 1 + 0 * scale[0]
