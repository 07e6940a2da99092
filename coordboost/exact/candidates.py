"""Candidates of an exact path, chosen from a scan of all learners; where these are stored, without leaving compiled code."""

import math

import numpy as np

from coordboost._generic import kernel, leaf
from coordboost.exact.products import has_gram, residual
from coordboost.exact.segments import advance
from coordboost.exact.state import (
    BETA,
    CROWDED,
    FLOOR,
    FRESH,
    LAM,
    LEARNER,
    NOW,
    ORIGIN,
    OUTSIDE,
    PLACE,
    SCAN,
    SCANNED,
    SCANS,
    SIZE,
    SLOPE,
    TIE,
    WANTED,
    WAS,
)
from coordboost.screening.columns import cross

#: The Gram matrix of the candidates may cost this many times as many products as the scans: products of blocks are that much faster.
RATIO = 3
#: Without one, walking on them may cost this share of a scan.
SHARE = 0.1
#: All of so few learners become candidates once a quarter of them are.
SMALL = 1024
#: How finely abs correlations are told apart when candidates are chosen.
BINS = 1024


@kernel
def wanted(edge):
    """How many candidates are to cost as much as the scans: twice as many where the last ones led nowhere."""
    n_learners, count = len(edge.place), edge.tally
    if has_gram(edge):
        count[WANTED] = max(count[WANTED], int(math.sqrt(RATIO * count[SCANS] * n_learners)))
        if n_learners <= SMALL and count[WANTED] > n_learners // 4:
            count[WANTED] = n_learners
    elif count[SIZE] > 0 and count[FRESH] * count[SIZE] < SHARE * n_learners:
        count[WANTED] += count[WANTED] // 2
        if count[FRESH] == 0:
            return min(n_learners, max(count[WANTED], 2 * count[SIZE]))
    return min(n_learners, count[WANTED])


@kernel
def threshold(corr, most, low, top, counts):
    """A number from `low` to `top` that about `most` abs correlations reach, and not fewer unless it is `low`: by counting in bins."""
    n_bins, by = len(counts), len(counts) / (top - low)
    counts[:] = 0.0
    for j in range(len(corr)):
        size = abs(corr[j])
        if size >= low:
            counts[min(int((size - low) * by), n_bins - 1)] += 1.0
    reach, b = counts[n_bins - 1], n_bins - 1
    while reach < most and b > 0:
        b -= 1
        reach += counts[b]
    return low + b / by if reach >= most else low


@kernel
def evict(edge, corr):
    """Let go of candidates not in the model, not moving, nor with a correlation above the floor."""
    of, ids, here, kept = edge.of, edge.ids, edge.found, 0
    for i in range(edge.tally[SIZE]):
        if of[BETA, i] != 0.0 or ids[PLACE, i] >= 0 or ids[WAS, i] or abs(corr[ids[LEARNER, i]]) >= edge.level[FLOOR]:
            here[kept] = i
            kept += 1
    for k in range(edge.tally[SIZE]):
        edge.place[ids[LEARNER, k]] = -1
    for k in range(kept):
        i = here[k]
        to, column = edge.columns[k], edge.columns[i]
        for q in range(len(column)):
            to[q] = column[q]
        for r in range(len(of)):
            of[r, k] = of[r, i]
        for r in range(len(ids)):
            ids[r, k] = ids[r, i]
        edge.place[ids[LEARNER, k]] = k
        if ids[PLACE, k] >= 0:
            edge.active[ids[PLACE, k]] = k
    edge.tally[SIZE] = kept


@leaf
def choose(edge, corr):
    """How many learners are to become candidates by their correlations `corr` (n_learners,): the largest, in edge.found, increasing."""
    n_learners, level, n, most = len(corr), edge.level, 0, wanted(edge)
    before, level[FLOOR], level[OUTSIDE], level[SLOPE] = level[FLOOR], -1.0, -1.0, 0.0
    if most < n_learners:
        low, bins = min(0.5 * before, 0.5 * level[LAM]), edge.scratch[:BINS]
        found = threshold(corr, most, low, level[LAM], bins) if low > 0.0 else low
        if found <= low:
            found = threshold(corr, most, 0.0, level[LAM], bins)
        level[FLOOR] = min(found, level[LAM] - 2.0 * level[TIE])
    if not has_gram(edge):  # what its entries have cost is not thrown away
        evict(edge, corr)
    for j in range(n_learners):
        if edge.place[j] < 0:
            if abs(corr[j]) >= level[FLOOR]:
                edge.found[n] = j
                n += 1
            else:
                level[OUTSIDE] = max(level[OUTSIDE], abs(corr[j]))
                level[SLOPE] = max(level[SLOPE], edge.scale[j] if len(edge.scale) else 1.0)
    return n


@leaf
def gather(edge, new):
    """Columns of the new candidates from the stored learners."""
    m = edge.tally[SIZE]
    for i in range(len(new)):
        row, column = edge.rows[new[i]], edge.columns[m + i]
        by = edge.scale[new[i]] if len(edge.scale) else 1.0
        for q in range(len(row)):
            column[q] = by * row[q] if len(edge.root) == 0 else by * (edge.root[q] * row[q])


@kernel
def join(edge, new, corr):
    """The learners `new`, whose columns are there already, become candidates; the walk starts anew from the correlations `corr`."""
    of, ids, m = edge.of, edge.ids, edge.tally[SIZE]
    room = m + len(new)
    if len(new):
        if has_gram(edge):
            cross(edge.columns, edge.gram, m, room, edge.scratch)
        of[:, m:room], ids[:, m:room] = 0.0, 0
    for i in range(m, room):
        ids[LEARNER, i], ids[PLACE, i] = new[i - m], -1
        edge.place[new[i - m]] = i
    for i in range(room):
        of[NOW, i] = of[SCANNED, i] = corr[ids[LEARNER, i]]
        of[ORIGIN, i] = of[BETA, i]
    edge.tally[SIZE], edge.tally[FRESH] = room, 0


@kernel
def scan(edge):
    """The correlations of the stored learners with the residual, in edge.corr."""
    residual(edge)
    for i in range(len(edge.root)):
        edge.resid[i] *= edge.root[i]
    np.dot(edge.rows, edge.resid, edge.corr)
    for j in range(len(edge.scale)):
        edge.corr[j] *= edge.scale[j]


def wander(edge, most):
    """Walk until the end, until the record is full, or until something is needed that cannot be done here: a scan, or more room."""
    count, stored = edge.tally, len(edge.rows) > 0
    while True:
        if count[FRESH] >= 0:
            status = advance(edge, most)
            if status != SCAN or not stored:
                return status
            scan(edge)
            count[SCANS] += 1
        n = choose(edge, edge.corr)
        if count[SIZE] + n > len(edge.columns):
            count[FRESH] = -1  # the scan is made, and there to choose from
            return CROWDED
        gather(edge, edge.found[:n])
        join(edge, edge.found[:n], edge.corr)
