# ruff: noqa
from coordboost._numba import compiled, interpreted, is_piece, record, source_stamp
from coordboost._numba import kernel, reduction, verb as generic
from coordboost._numba.compiling import _APART
leaf = inlined = kernel
fused = reduction
