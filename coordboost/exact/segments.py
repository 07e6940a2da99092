"""The walk along an exact path between two scans: how far to the next corner, is it certain, go there, write it down."""

import math

from coordboost._generic import kernel, leaf
from coordboost.exact.corners import let_out, list_ways, settle
from coordboost.exact.products import all_along
from coordboost.exact.rounding import is_exact, refresh
from coordboost.exact.state import (
    ACTIVE,
    BETA,
    CORNERS,
    DONE,
    END,
    ENTRIES,
    EPS,
    EVENTS,
    FALL,
    FRESH,
    FULL,
    INEXACT,
    KIND,
    LAM,
    LASSO,
    LEARNER,
    NOW,
    ORIGIN,
    OUTSIDE,
    PLACE,
    SCAN,
    SCANNED,
    SIGN,
    SIZE,
    SLOPE,
    SPARE,
    STALLED,
    STILL,
    TIE,
    TIED,
    WAS,
    WAY,
)


@kernel
def reach(edge):
    """The fall of lam to the next corner, and the candidate whose coefficient reaches 0 there, or -1."""
    of, ids, lam = edge.of, edge.ids, edge.level[LAM]
    now, fall, way, beta, sign = of[NOW], of[FALL], of[WAY], of[BETA], of[SIGN]
    least, leaving, rate, shrinks = lam - edge.level[END], -1, 1.0, edge.tally[KIND] == LASSO
    for j in range(edge.tally[SIZE]):
        if ids[PLACE, j] >= 0:
            if shrinks and way[j] * sign[j] < 0.0:
                t = max(0.0, -beta[j] / way[j])
                if t < least:
                    least, leaving, rate = t, j, 1.0
        else:
            tied = ids[TIED, j]
            up, down = 1.0 - fall[j], 1.0 + fall[j]
            t, by = -1.0, 1.0
            if up > 0.0 and (lam - now[j]) < least * up and not (tied and sign[j] > 0.0):
                t, by = (lam - now[j]) / up, up
            if down > 0.0 and (lam + now[j]) < least * down and not (tied and sign[j] < 0.0):
                s = (lam + now[j]) / down
                if t < 0.0 or s < t:
                    t, by = s, down
            if t >= 0.0:
                least, leaving, rate = t, -1, min(by, 1.0)
    # what crosses the level so near the end exceeds it there by no more than rounding
    if (lam - least - edge.level[END]) * rate <= 2.0 * edge.level[TIE]:
        return lam - edge.level[END], -1
    return least, leaving


@kernel
def certain(edge, fall):
    """Whether no learner outside the candidates reaches the level before the corner."""
    of, level = edge.of, edge.level
    if level[OUTSIDE] < 0.0:
        return True
    square, way, beta, origin = 0.0, of[WAY], of[BETA], of[ORIGIN]
    for j in range(edge.tally[SIZE]):
        moved = beta[j] + fall * way[j] - origin[j]
        if moved != 0.0:
            square += moved * (of[SCANNED, j] - of[NOW, j] + fall * of[FALL, j])
    return level[OUTSIDE] + level[SLOPE] * math.sqrt(max(square, 0.0)) * (1.0 + 1e-9) + level[TIE] < level[LAM] - fall


@kernel
def note_events(edge):
    """Write down which learners start and stop at this corner."""
    ids, count = edge.ids, edge.tally
    for j in range(edge.tally[SIZE]):
        here = 1 if ids[PLACE, j] >= 0 else 0
        if here != ids[WAS, j]:
            e = count[EVENTS]
            edge.events[0, e], edge.events[1, e], edge.events[2, e] = count[CORNERS], ids[LEARNER, j], 2 * here - 1
            count[EVENTS] = e + 1
            ids[WAS, j] = here


@kernel
def note_corner(edge):
    """Write down the coefficients."""
    count, beta = edge.tally, edge.of[BETA]
    e = count[ENTRIES]
    for j in range(count[SIZE]):
        if beta[j] != 0.0:
            edge.which[e], edge.value[e] = edge.ids[LEARNER, j], beta[j]
            e += 1
    count[ENTRIES] = e
    edge.lams[count[CORNERS]] = edge.level[LAM]
    edge.stops[count[CORNERS]] = e
    count[CORNERS] += 1


@kernel
def surely(edge, fall):
    """The largest part of `fall` that is certain, by bisection."""
    low, high = 0.0, fall
    for _ in range(12):
        middle = 0.5 * (low + high)
        if certain(edge, middle):
            low = middle
        else:
            high = middle
    return low


@kernel
def go(edge, fall, leaving):
    """The state where lam has fallen by `fall`; at the next corner, where that is all of the segment."""
    of, active, k = edge.of, edge.active, edge.tally[ACTIVE]
    note_events(edge)
    beta, way, now = of[BETA], of[WAY], of[NOW]
    for j in range(edge.tally[SIZE]):
        now[j] -= fall * of[FALL, j]
    before = edge.level[LAM]
    edge.level[LAM] = before - fall if before - fall > edge.level[END] + edge.level[TIE] else edge.level[END]
    for i in range(k - 1, -1, -1):
        j = active[i]
        old = beta[j]
        beta[j] = old + fall * way[j]
        if edge.tally[KIND] == LASSO and way[j] * of[SIGN, j] < 0.0 and (j == leaving or abs(beta[j]) <= 1e-12 * abs(old)):
            beta[j] = 0.0
            let_out(edge, j)
    refresh(edge)
    edge.tally[FRESH] += 1
    edge.tally[STILL] = edge.tally[STILL] + 1 if fall <= 4.0 * EPS * before else 0


@leaf
def advance(edge, most):
    """Walk until the end, until only a scan can tell, for `most` corners, or until the record is full."""
    count, m = edge.tally, edge.tally[SIZE]
    refresh(edge)
    while True:
        if count[CORNERS] == len(edge.lams) or count[ENTRIES] + m > len(edge.which) or count[EVENTS] + m > edge.events.shape[1]:
            return FULL
        if count[FRESH] >= most:
            return SCAN
        settle(edge)
        list_ways(edge)
        all_along(edge, edge.of[SPARE], edge.of[FALL])
        fall, leaving = reach(edge)
        if not certain(edge, fall):
            fall = surely(edge, fall)
            if fall > 0.0:
                go(edge, fall, -1)
                count[FRESH] -= 1  # no corner
            return SCAN
        go(edge, fall, leaving)
        if not is_exact(edge):
            return INEXACT
        note_corner(edge)
        if edge.level[LAM] <= edge.level[END]:
            note_events(edge)
            return DONE
        if count[STILL] > 4 * m + 100:
            return STALLED
