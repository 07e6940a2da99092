"""Golden values as the two specifications print them: `Fraction` where exact, float with the
printed digits otherwise.

Columns are numbered from 0 here, from 1 in the papers. `None`: not printed.
"""

from fractions import Fraction as F
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np


class Row(NamedTuple):
    beta: tuple  # iterate k
    loss: F = None  # L_n(beta)
    corr: F = None  # C_k = ||X' resid||_inf
    pick: int = None  # column chosen at step k
    omega: F = None  # omega_delta(beta)


def _rows(*rows):
    return np.array([[F(x) for x in row] for row in rows], dtype=object)


# Freund, Grigas, Mazumder: n = p = 3, unit columns, not centred, no ties.
# ---------------------------------------------

X = _rows((1, "3/5", 0), (0, "4/5", "3/5"), (0, 0, "4/5"))
Y = _rows((3, 1, 2))[0]
LEAST_SQUARES = _rows(("27/8", "-5/8", "5/2"))[0]
# 1 -+ sqrt(0.5904); printed: ...0916
LAMBDA_PMIN, LAMBDA_MAX, KAPPA = (0.2316250915, 1.7683749085, 12.9519646618)
GAMMA = {F(1, 2): 0.9855234318, F(1): 0.9806979090}  # contraction factor (8) of LS-Boost(eps)
DELTA_MAX = F(13, 2)

LS_BOOST_HALF = [
    Row((0, 0, 0), F(7, 3), F(3), 0),
    Row((F(3, 2), 0, 0), F(29, 24), F(11, 5), 2),
    Row((F(3, 2), 0, F(11, 10)), F(181, 300), F(3, 2), 0),
    Row((F(9, 4), 0, F(11, 10)), F(773, 2400), F(11, 10), 2),
    Row((F(9, 4), 0, F(33, 20)), F(41, 240), F(3, 4), 0),
]

FS_QUARTER = [
    Row((0, 0, 0)),
    Row((F(1, 4), 0, 0), F(67, 32), F(11, 4)),
    Row((F(1, 2), 0, 0), F(15, 8), F(5, 2)),
    Row((F(3, 4), 0, 0), F(161, 96), F(9, 4)),
    Row((F(1), 0, 0), F(3, 2), F(11, 5)),
    Row((F(1), 0, F(1, 4)), F(637, 480), F(2)),
    Row((F(5, 4), 0, F(1, 4)), F(281, 240), F(39, 20)),
]

RFS_QUARTER_2 = [  # R-FS(1/4, delta = 2)
    Row((0, 0, 0), omega=F(3)),
    Row((F(1, 4), 0, 0), omega=F(77, 32)),
    Row((F(15, 32), 0, 0), F(11681, 6144), omega=F(3969, 2048)),
    Row((F(169, 256), 0, 0), F(228827, 131072), omega=F(205457, 131072)),
    Row((F(1695, 2048), 0, 0), F(40765121, 25165824), F(11, 5), 2, F(54569413, 41943040)),
    Row((F(11865, 16384), 0, F(1, 4)), F(12269979317, 8053063680), omega=F(3242739381, 2684354560)),
]

PATH_DELTAS = [F(1, 2) * (1 + F(k, 2)) for k in range(5)]
PATH_QUARTER = [  # PATH(1/4) on PATH_DELTAS; omega at delta_k
    Row((0, 0, 0)),
    Row((F(1, 4), 0, 0), omega=F(11, 6)),
    Row((F(5, 12), 0, 0), F(1681, 864), omega=F(217, 144)),
    Row((F(9, 16), 0, 0), F(2801, 1536), omega=F(429, 320)),
    Row((F(7, 10), 0, 0), F(343, 200), omega=F(92, 75)),
]

LASSO_KNOTS = {  # delta: beta
    F(0): (0, 0, 0),
    F(4, 5): (F(4, 5), 0, 0),
    F(322, 65): (F(187, 65), 0, F(27, 13)),
    F(13, 2): tuple(LEAST_SQUARES),
}
LASSO = {  # delta: (beta, L_n)
    F(1, 2): ((F(1, 2), 0, 0), F(15, 8)),
    F(1): ((F(9, 10), 0, F(1, 10)), F(449, 300)),  # 1.4966666667
    F(2): ((F(7, 5), 0, F(3, 5)), F(22, 25)),
    F(3): ((F(19, 10), 0, F(11, 10)), F(43, 100)),
}

# Lu, Mazumder.
# --------------------------------------------------------------------------------------------------

GAMMA_3_7 = [F(n, 35) for n in (15, 10, 6, 3, 1, 0, 0)]
GAMMA_10_40_FIRST = F(1, 4)
# GBM, B = I_3, squared loss: picks, sums of the loss, bound 7 (2/3)^M of Theorem 4.1
GBM_Y = _rows((3, 2, 1))[0]
GBM_PICKS = [0, 1, 2]
GBM_LOSSES = [F(7), F(5, 2), F(1, 2), F(0)]
GBM_BOUNDS = [7.0, 4.667, 3.111, 2.074]


# Prostate cancer (FGM): 97 rows; response lcavol, centred, not rescaled; predictors centred, unit
# norm, as in `names`.
PROSTATE = SimpleNamespace(
    names=("lweight", "age", "lbph", "svi", "lcp", "gleason", "pgg45", "lpsa"),
    norm_y=11.548118,
    A=9.496701,
    L_0=0.68741770,
    L_star=0.22253453,
    lambda_pmin=0.22304014,
    lambda_max=3.32482600,
    kappa=35.867984,
    delta_max=18.4586872,
    least_squares=(-0.1088, 1.6131, -1.3240, -0.6205, 5.0304, 1.3956, -1.9668, 6.3995),
    corr_0=(3.2395, 2.5983, 0.3158, 6.2226, 7.7986, 4.9936, 5.0079, 8.4816),
    entry_order=("lpsa", "lcp", "age", "gleason", "lbph", "pgg45", "svi", "lweight"),
    knots={  # ||beta||_1: beta, three decimals; the last knot, 18.4587, is least_squares
        0.0: (0, 0, 0, 0, 0, 0, 0, 0),
        1.5139: (0, 0, 0, 0, 0, 0, 0, 1.514),
        8.9066: (0, 0, 0, 0, 3.696, 0, 0, 5.210),
        9.4495: (0, 0.230, 0, 0, 3.863, 0, 0, 5.356),
        9.8481: (0, 0.376, 0, 0, 3.947, 0.076, 0, 5.450),
        11.6599: (0, 0.923, -0.685, 0, 4.015, 0.235, 0, 5.802),
        14.7192: (0, 1.268, -1.000, 0, 4.405, 0.930, -1.118, 5.998),
        17.1677: (0, 1.486, -1.243, -0.420, 4.827, 1.259, -1.692, 6.241),
    },
)
