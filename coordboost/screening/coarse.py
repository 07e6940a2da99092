"""Stored learners in bytes: a look at all of them in a tenth of the time of a scan, which knows how far it may be off.

An entry is a whole number of steps, -127 to 127, and what is left over; a step is a part of the largest entry of the learner. So a
correlation is off by no more than the length of all that was left over, times that of the vector.
"""

import math

import numpy as np

from coordboost._generic import compiled, fused, reduction
from coordboost._protocol import DICTIONARY
from coordboost._tiles import slices
from coordboost.screening.scan import BLOCK, LITTLE, in_parallel

#: Steps in the largest entry of a learner.
STEPS = 127
#: Samples whose products are summed up in single precision.
DEPTH = 1024
#: What that takes from a sum, in parts of the lengths of both vectors: a rounding for each term, and those of the term itself.
ROUNDED = (DEPTH + 8) * 2.0**-24
#: A step that has an inverse.
SMALLEST = 1e-300


@reduction
def largest_entry(row):
    """The largest abs entry."""
    out = 0.0
    for q in range(len(row)):
        out = max(out, abs(row[q]))
    return out


@reduction
def count_steps(row, by, code):
    """Fill `code` with the entries of `row` times `by`, rounded; the squares of these, and of what is left over, summed up."""
    whole = rest = 0.0
    for q in range(len(row)):
        exact = row[q] * by
        steps = np.rint(exact)
        code[q] = np.int8(steps)
        whole += steps * steps
        rest += (exact - steps) * (exact - steps)
    return whole, rest


def encode_rows(rows, codes, step, error):
    """Fill `codes` (n_learners, n_samples), `step` and `error` (n_learners,)."""
    for j in range(len(rows)):
        step[j] = max(largest_entry(rows[j]) / STEPS, SMALLEST)
        whole, rest = count_steps(rows[j], 1.0 / step[j], codes[j])
        error[j] = step[j] * (math.sqrt(rest) + ROUNDED * math.sqrt(whole))


def _four_products(a, b, c, d, v, zero):
    w = x = y = z = zero
    for q in range(len(v)):
        w += np.float32(a[q]) * v[q]
        x += np.float32(b[q]) * v[q]
        y += np.float32(c[q]) * v[q]
        z += np.float32(d[q]) * v[q]
    return w, x, y, z


four_products = fused(_four_products)


def add_products(codes, v, out):
    """``out += codes @ v``, (n_learners,); `v` and the sums over `DEPTH` samples are float32."""
    last = len(codes) - 1
    for j in range(0, last + 1, 4):
        one, two, three, four = codes[j], codes[min(j + 1, last)], codes[min(j + 2, last)], codes[min(j + 3, last)]
        for top in range(0, len(v), DEPTH):
            end = top + DEPTH
            sums = four_products(one[top:end], two[top:end], three[top:end], four[top:end], v[top:end], np.float32(0))
            for q in range(min(4, last + 1 - j)):
                out[j + q] += sums[q]


class CoarseColumns:
    """The learners `rows` (n_learners, n_samples), at least one sample, in bytes.

    codes : int8 (n_learners, n_samples);  step : (n_learners,)
    error : (n_learners,), how far a correlation with a vector of length 1 may be off

    *Cost*: two passes over the learners; an eighth of their memory.
    """

    def __init__(self, rows):
        self.codes, (self.step, self.error) = np.empty(rows.shape, dtype=np.int8), np.empty((2, len(rows)))
        run, parts = compiled(encode_rows, ()), (rows, self.codes, self.step, self.error)
        in_parallel(lambda some: run(*(part[some] for part in parts)), self._parts(), rows.size)

    def scan(self, v):
        """The correlations with `v` (n_samples,), and how far each may be off, (n_learners,) both."""
        out, unit = np.zeros(len(self.codes)), float(np.abs(v).max()) or 1.0
        v, run = v / unit, compiled(add_products, ())
        single = v.astype(np.float32)
        in_parallel(lambda some: run(self.codes[some], single, out[some]), self._parts(), self.codes.size // 8)
        return out * (unit * self.step), self.error * (unit * float(np.linalg.norm(v)))

    def _parts(self):
        return slices(len(self.step), BLOCK)


def coarse_of(dictionary):
    """What gives quick looks at the learners, those of stored ones in bytes; None where a scan is as quick."""
    rows = DICTIONARY.of(dictionary, "rows")
    if rows is None or rows.size <= LITTLE:
        return DICTIONARY.verb(dictionary, "coarse")()
    return CoarseColumns(rows)
