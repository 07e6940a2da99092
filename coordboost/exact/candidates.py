"""Candidates of an exact path, chosen from a scan of all learners; where these are stored, without leaving compiled code."""

import math

import numpy as np

from coordboost._generic import inlined, kernel
from coordboost._machine import apart
from coordboost.exact.products import fill_residual, has_gram
from coordboost.exact.segments import trace_segments
from coordboost.exact.state import CROWDED, SCAN
from coordboost.screening.best import BINS, rough_level
from coordboost.screening.columns import gather_rows

#: The Gram matrix of the candidates may cost this many times as many products as the scans: products of blocks are that much faster.
RATIO = 3
#: Without one, the segments on them may cost this share of a scan.
SHARE = 0.1
#: The residual is taken to go on as between the last two scans until lam has fallen by this part, where it fell by so much between them:
#: rounding of the rates is then below that of ties.
AHEAD, LEAST = 0.4, 0.01
#: All of so few learners become candidates once a quarter of them are.
SMALL = 1024
#: So many candidates at a time get their products with those before, where all of them are new: the others are mirror images.
LOT = 32


@kernel
def n_wanted(path):
    """How many candidates are to cost as much as the scans: twice as many where the last ones led nowhere."""
    now = path.now
    n_learners = len(path.place)
    if has_gram(path):
        now.wanted = max(now.wanted, int(math.sqrt(RATIO * now.n_scans * n_learners)))
        if n_learners <= SMALL and now.wanted > n_learners // 4:
            now.wanted = n_learners
    elif now.n_candidates > 0 and now.since_scan * now.n_candidates < SHARE * n_learners:
        now.wanted += now.wanted // 2
        if now.since_scan == 0:
            return min(n_learners, max(now.wanted, 2 * now.n_candidates))
    return min(n_learners, now.wanted)


@inlined
def ahead_of(path, corr, j):
    """The correlation of learner j at the horizon, where the residual goes on as between the last two scans."""
    return corr[j] - path.now.horizon * path.now.share * (path.before[j] - corr[j])


@kernel
def size_up(path, corr):
    """The sizes of the correlations `corr` (n_learners,), by the level: now, or at the horizon, whichever is larger."""
    now, size = path.now, path.size
    fallen = now.scanned_lam - now.lam
    follows = fallen >= LEAST * now.lam
    now.share = 1.0 / fallen if follows else 0.0
    now.horizon = min(AHEAD * now.lam, now.lam - now.end + 2.0 * now.tie)
    scale = now.lam / (now.lam - now.horizon)
    for j in range(len(corr)):
        size[j] = max(abs(corr[j]), scale * abs(ahead_of(path, corr, j))) if follows else abs(corr[j])


@kernel
def drop_candidates(path):
    """Let go of candidates not in the model, now or at the last scan, not moving, nor with a size above the floor."""
    now = path.now
    here, kept = path.found, 0
    for i in range(now.n_candidates):
        held = path.beta[i] != 0.0 or path.scanned_beta[i] != 0.0
        if held or path.rank[i] >= 0 or path.was_active[i] or path.size[path.learner[i]] >= now.floor:
            here[kept] = i
            kept += 1
    for k in range(now.n_candidates):
        path.place[path.learner[k]] = -1
    for k in range(kept):
        i = here[k]
        if i > k:
            to, column = path.columns[k], path.columns[i]
            for q in range(len(column)):
                to[q] = column[q]
        path.learner[k], path.rank[k] = path.learner[i], path.rank[i]
        path.tied[k], path.was_active[k] = path.tied[i], path.was_active[i]
        path.beta[k], path.direction[k], path.sign[k] = path.beta[i], path.direction[i], path.sign[i]
        path.scanned_beta[k] = path.scanned_beta[i]
        path.place[path.learner[k]] = k
        if path.rank[k] >= 0:
            path.active[path.rank[k]] = k
    now.n_candidates = kept


@apart
def choose_candidates(path, corr):
    """How many learners are to become candidates by their correlations `corr` (n_learners,): the largest, in path.found, increasing."""
    now, size = path.now, path.size
    n_learners, n, most = len(corr), 0, n_wanted(path)
    before, now.floor, now.outside, now.ahead, now.outside_norm = now.floor, -1.0, -1.0, 0.0, 0.0
    size_up(path, corr)
    if most < n_learners:
        low, bins = min(0.5 * before, 0.5 * now.lam), path.scratch[:BINS]
        found = rough_level(size, most, low, now.lam, bins) if low > 0.0 else low
        if found <= low:
            found = rough_level(size, most, 0.0, now.lam, bins)
        now.floor = min(found, now.lam - 2.0 * now.tie)
    if not has_gram(path):  # what its entries have cost is not thrown away
        drop_candidates(path)
    for j in range(n_learners):
        if path.place[j] < 0:
            if size[j] >= now.floor:
                path.found[n] = j
                n += 1
            else:
                now.outside = max(now.outside, abs(corr[j]))
                now.ahead = max(now.ahead, abs(ahead_of(path, corr, j)))
                now.outside_norm = max(now.outside_norm, path.scale[j] if len(path.scale) else 1.0)
    return n


@kernel
def extend_gram(path, m, room):
    """Gram entries of the candidates m to room with those before, and with each other."""
    new = path.scratch[: (room - m) * room].reshape(room - m, room)
    np.dot(path.columns[m:room], path.columns[:room].T, new)
    for i in range(room - m):  # one by one: numba takes seconds to compile what it would say if shapes were different
        for k in range(room):
            path.gram[m + i, k] = new[i, k]
    for k in range(m):
        for i in range(room - m):
            path.gram[k, m + i] = new[i, k]


@kernel
def add_candidates(path, new, corr):
    """The learners `new`, whose columns are there already, become candidates; tracking starts anew from the correlations `corr`."""
    now = path.now
    m, room = now.n_candidates, now.n_candidates + len(new)
    if len(new) and has_gram(path):
        lot = LOT if m == 0 and room % LOT == 0 else len(new)  # BLAS rounds products in lots that are not whole in another way
        for first in range(m, room, lot):
            extend_gram(path, first, first + lot)
    for i in range(m, room):
        path.learner[i], path.rank[i], path.tied[i], path.was_active[i] = new[i - m], -1, 0, 0
        path.beta[i], path.scanned_beta[i], path.direction[i], path.sign[i] = 0.0, 0.0, 0.0, 0.0
        path.place[new[i - m]] = i
    for i in range(room):
        j = path.learner[i]
        path.corr[i] = path.scanned_corr[i] = corr[j]
        path.chord[i], path.chord_rate[i] = (
            now.share * (path.beta[i] - path.scanned_beta[i]),
            now.share * (path.before[j] - corr[j]),
        )
        path.scanned_beta[i] = path.beta[i]
    for j in range(len(corr)):
        path.before[j] = corr[j]
    now.n_candidates, now.since_scan, now.scanned_lam = room, 0, now.lam


@kernel
def scan_stored(path):
    """The correlations of the stored learners with the residual, in path.all_corr."""
    fill_residual(path)
    for i in range(len(path.root)):
        path.resid[i] *= path.root[i]
    np.dot(path.rows, path.resid, path.all_corr)
    for j in range(len(path.scale)):
        path.all_corr[j] *= path.scale[j]


def trace_path(path, most):
    """Go on until the end, until the record is full, or until something is needed that cannot be done here: a scan, or more room.

    Where the learners are stored it scans by itself. Returns why it ended, and how many corners, coefficients and events are in the
    record, which begins anew.
    """
    now = path.now
    now.n_corners = now.n_entries = now.n_events = now.idle = 0
    stored = len(path.rows) > 0
    while True:
        if now.since_scan >= 0:
            status = trace_segments(path, most)
            if status != SCAN or not stored:
                break
            scan_stored(path)
            now.n_scans += 1
        n = choose_candidates(path, path.all_corr)
        if now.n_candidates + n > len(path.columns):
            now.since_scan = -1  # the scan is made, and there to choose from
            status = CROWDED
            break
        m = now.n_candidates
        gather_rows(path.rows, path.root, path.scale, path.found[:n], path.columns[m : m + n])
        add_candidates(path, path.found[:n], path.all_corr)
    return status, now.n_corners, now.n_entries, now.n_events
