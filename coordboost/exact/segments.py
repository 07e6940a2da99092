"""The segments of an exact path between two scans: how far to the next corner, is that certain, go there, write it down."""

import math

from coordboost._generic import inlined
from coordboost._machine import apart
from coordboost.exact.corners import deactivate, find_direction, list_directions
from coordboost.exact.products import candidate_products
from coordboost.exact.rounding import TRACKED, is_exact, refine
from coordboost.exact.state import DONE, EPS, FULL, INEXACT, LASSO, SCAN, STALLED
from coordboost.screening.sphere import farthest


@inlined
def step_length(path):
    """The fall of lam to the next corner, and the candidate whose coefficient reaches 0 there, or -1.

    What crosses the level so near the end, or so slowly, that it exceeds it there by no more than rounding is no corner.
    """
    now = path.now
    corr, rate, direction, beta, sign = path.corr, path.corr_rate, path.direction, path.beta, path.sign
    lam, whole, least, leaving, shrinks = now.lam, now.lam - now.end, now.lam - now.end, -1, now.kind == LASSO
    for j in range(now.n_candidates):
        if path.rank[j] >= 0:
            if shrinks and direction[j] * sign[j] < 0.0:
                t = max(0.0, -beta[j] / direction[j])
                if t < least and whole - t > 2.0 * now.tie:
                    least, leaving = t, j
        else:
            tied = path.tied[j]
            up, down = 1.0 - rate[j], 1.0 + rate[j]
            if up > 0.0 and (lam - corr[j]) < least * up and not (tied and sign[j] > 0.0):
                t = (lam - corr[j]) / up
                if t >= 0.0 and (whole - t) * min(up, 1.0) > 2.0 * now.tie:
                    least, leaving = t, -1
            if down > 0.0 and (lam + corr[j]) < least * down and not (tied and sign[j] < 0.0):
                t = (lam + corr[j]) / down
                if 0.0 <= t < least and (whole - t) * min(down, 1.0) > 2.0 * now.tie:
                    least, leaving = t, -1
    return least, leaving


@inlined
def strayed(path):
    """How far the residual is from where it was taken to go, squared, where lam falls by t: ``square + t * along + t * t * speed``.

    It was taken to go on from the last scan as it went between the last two.
    """
    now, chord, chord_rate = path.now, path.chord, path.chord_rate
    square, along, speed, gone = 0.0, 0.0, 0.0, now.scanned_lam - now.lam
    for j in range(now.n_candidates):
        moved, way = path.beta[j] - path.scanned_beta[j] - gone * chord[j], path.direction[j] - chord[j]
        if moved != 0.0 or way != 0.0:
            fallen, rate = path.scanned_corr[j] - path.corr[j] - gone * chord_rate[j], path.corr_rate[j] - chord_rate[j]
            square += moved * fallen
            along += moved * rate + way * fallen
            speed += way * rate
    return square, along, speed


@inlined
def is_certain(path, far, fall):
    """Whether no learner outside the candidates reaches the level before it has fallen by `fall`; `far` as `strayed` says.

    Along a line an abs correlation is convex: between the last scan and the horizon it is at most the mixture of both.
    """
    now, (square, along, speed) = path.now, far
    if now.outside < 0.0:
        return True
    gone, rho = now.scanned_lam - now.lam + fall, math.sqrt(max(square + fall * (along + fall * speed), 0.0))
    if now.share > 0.0 and gone > now.horizon:
        return False
    size = now.outside + (now.ahead - now.outside) * gone / now.horizon if now.share > 0.0 else now.outside
    return farthest(size, rho, now.outside_norm) + now.tie < now.lam - fall


@inlined
def note_events(path):
    """Write down which learners start and stop at this corner."""
    now = path.now
    for j in range(now.n_candidates):
        here = 1 if path.rank[j] >= 0 else 0
        if here != path.was_active[j]:
            e = now.n_events
            path.events[0, e], path.events[1, e], path.events[2, e] = now.n_corners, path.learner[j], 2 * here - 1
            now.n_events = e + 1
            path.was_active[j] = here


@inlined
def note_corner(path):
    """Write down the coefficients, and what no abs correlation exceeds: of those outside the candidates it is certain already."""
    now = path.now
    beta, e, level, length = path.beta, now.n_entries, now.lam, 1.0
    for j in range(now.n_candidates):
        if abs(path.corr[j]) > level:  # rarely: a maximum would wait for the one before
            level = abs(path.corr[j])
        if beta[j] != 0.0:
            path.where[e], path.value[e] = path.learner[j], beta[j]
            length += abs(beta[j])
            e += 1
    now.n_entries = e
    path.lams[now.n_corners], path.levels[now.n_corners] = now.lam, level + TRACKED * length
    path.stops[now.n_corners] = e
    now.n_corners += 1


@inlined
def certain_part(path, far, fall):
    """The largest part of `fall` that is certain, by bisection."""
    low, high = 0.0, fall
    for _ in range(12):
        middle = 0.5 * (low + high)
        if is_certain(path, far, middle):
            low = middle
        else:
            high = middle
    return low


@inlined
def fall_by(path, fall, leaving):
    """The state where lam has fallen by `fall`; at the next corner, where that is all of the segment."""
    now = path.now
    beta, direction, corr, active, k = path.beta, path.direction, path.corr, path.active, now.n_active
    note_events(path)
    for j in range(now.n_candidates):
        corr[j] -= fall * path.corr_rate[j]
    before = now.lam
    now.lam = before - fall if before - fall > now.end + now.tie else now.end
    for i in range(k - 1, -1, -1):
        j = active[i]
        old = beta[j]
        beta[j] = old + fall * direction[j]
        if now.kind == LASSO and direction[j] * path.sign[j] < 0.0 and (j == leaving or abs(beta[j]) <= 1e-12 * abs(old)):
            beta[j] = 0.0
            deactivate(path, j)
    refine(path)
    now.since_scan += 1
    now.idle = now.idle + 1 if fall <= 4.0 * EPS * before else 0


@apart
def trace_segments(path, most):
    """Go on until the end, until only a scan can tell, for `most` corners, or until the record is full."""
    now = path.now
    m = now.n_candidates
    refine(path)
    while True:
        if now.n_corners == len(path.lams) or now.n_entries + m > len(path.where) or now.n_events + m > path.events.shape[1]:
            return FULL
        if now.since_scan >= most:
            return SCAN
        find_direction(path)
        list_directions(path)
        candidate_products(path, path.spare, path.corr_rate)
        fall, leaving = step_length(path)
        far = strayed(path) if now.outside >= 0.0 else (0.0, 0.0, 0.0)
        if not is_certain(path, far, fall):
            fall = certain_part(path, far, fall)
            if fall > 0.0:
                fall_by(path, fall, -1)
                now.since_scan -= 1  # no corner
            return SCAN
        fall_by(path, fall, leaving)
        if not is_exact(path):
            return INEXACT
        note_corner(path)
        if now.lam <= now.end:
            note_events(path)
            return DONE
        if now.idle > 4 * m + 100:
            return STALLED
