"""exp(-a) for a >= 0, and log(1 + z) for z in [0, 1], by arithmetic alone.

Compilers can vectorise loops over it, and the result is bitwise equal on all machines.

With the exponential of the C library there is one call per sample: in a step with the logistic loss
that takes five times as long as the rest of the step.
"""

import numpy as np

from coordboost._numba import kernel

#: 1 / log 2, and log 2 in two parts. The first part ends in 21 zero bits, so its products with
#: whole numbers k are exact.
_PER_HALVING = 1.4426950408889634
_HALVING = float.fromhex("0x1.62e42fee00000p-1")
_REST = float.fromhex("0x1.a39ef35793c76p-33")
#: From here on exp(-a) is 0.
_FAR = 800.0
#: Add this to a number and subtract it again: the number is then rounded to a whole number.
_ROUNDS = 1.5 * 2.0**52
#: 2^-k.
_HALVED = 0.5 ** np.arange(1024)
#: exp(r) = 1 + r + r^2 (C[0] + C[1] r + ... + C[9] r^9) for abs(r) <= log(2) / 2, through ten
#: Chebyshev points of this interval.
_C0 = 0.5000000000000001
_C1 = 0.16666666666666669
_C2 = 0.041666666666624164
_C3 = 0.008333333333330065
_C4 = 0.0013888888917196719
_C5, _C6, _C7 = 0.00019841269863040545, 2.4801521322368692e-05, 2.7557268480310024e-06
_C8, _C9 = 2.7620075879983367e-07, 2.5100375832561234e-08
#: log(1 + z) = 2 atanh(s) with s = z / (2 + z): s times a polynomial in s^2 <= 1/9, through ten
#: Chebyshev points.
_L0, _L1, _L2 = 2.0, 0.6666666666668257, 0.3999999999528845
_L3, _L4, _L5 = 0.285714291115633, 0.22222190865587005, 0.18182859700221815
_L6, _L7 = 0.1536367759676755, 0.13591295140357632
_L8, _L9 = 0.09880831046759332, 0.17780694415326126


@kernel
def decay(a):
    """``exp(-a)`` for a >= 0; NaN of NaN.

    *Numerics*: within 1.1 units in the last place; below 2^-1022 within 1.6. *Source*: W. J. Cody
    and W. Waite, Software Manual for the Elementary Functions, 1980: -a = r - k log 2.
    """
    near = a if a < _FAR else _FAR  # for NaN near is _FAR, so k is a number; r is NaN
    far = _FAR if a > _FAR else a
    whole = (near * _PER_HALVING + _ROUNDS) - _ROUNDS
    r = (whole * _HALVING - far) + whole * _REST
    s = r * r
    high = (_C4 + r * _C5) + s * (_C6 + r * _C7) + s * s * (_C8 + r * _C9)
    low = (_C0 + r * _C1) + s * (_C2 + r * _C3) + s * s * high
    k = int(whole)
    half = k >> 1  # two factors, as 2^-k itself may underflow
    return (1.0 + (r + s * low)) * _HALVED[half] * _HALVED[k - half]


@kernel
def log_one_plus(z):
    """``log(1 + z)`` for z in [0, 1].

    *Numerics*: within 3 units in the last place.
    """
    s = z / (2.0 + z)
    t = s * s
    high = (_L6 + t * _L7) + t * t * (_L8 + t * _L9)
    low = (_L0 + t * _L1) + t * t * ((_L2 + t * _L3) + t * t * (_L4 + t * _L5))
    cube = t * t * t
    return s * (low + cube * cube * high)


def sigmoid(f):
    """Return ``1 / (1 + exp(-f))`` of an array, by scipy, which is imported at the first call."""
    from scipy.special import expit

    return expit(f)
