"""Where an exact path is: the state that its kernels work on."""

from typing import NamedTuple

import numpy as np

from coordboost._generic import record

#: The kinds of path, and why kernels return.
LASSO, LAR, STAGEWISE = range(3)
DONE, SCAN, FULL, STALLED, CROWDED, INEXACT = range(6)
EPS = 2.3e-16


class PathState(NamedTuple):
    """A point of an exact path, on `now.n_candidates` candidates with room for `cap`, and the record of the corners passed.

    The active learners are those that move. The factor is that of their Gram matrix.
    """

    now: np.record  # numbers that change from corner to corner, see `numbers`
    # stored learners
    rows: np.ndarray  # (n_learners, n_samples), or (0, n_samples) where they are not stored
    root: np.ndarray  # (n_samples,), multiplies them, or empty
    scale: np.ndarray  # (n_learners,), likewise
    target: np.ndarray  # (n_samples,)
    place: np.ndarray  # (n_learners,), among the candidates, or -1
    # the candidates, (cap, ...) each; the first three, and `place`, are those of a ``HeldColumns``
    columns: np.ndarray  # (cap, n_samples)
    gram: np.ndarray  # (cap, cap), or (0, cap) where products are taken of the columns
    learner: np.ndarray  # which learner it is
    rank: np.ndarray  # its place among the active learners, or -1
    tied: np.ndarray  # its abs correlation is lam
    barred: np.ndarray  # it cannot become active at this corner
    was_active: np.ndarray  # on the last segment
    corr: np.ndarray  # correlation
    corr_rate: np.ndarray  # how much the correlation falls where lam falls by 1
    scanned_corr: np.ndarray  # correlation at the last scan
    beta: np.ndarray  # coefficient
    scanned_beta: np.ndarray  # coefficient at the last scan
    chord: np.ndarray  # how much the coefficient grew where lam fell by 1, between the last two scans
    chord_rate: np.ndarray  # how much the correlation fell, likewise
    direction: np.ndarray  # how much the coefficient grows where lam falls by 1
    sign: np.ndarray  # of the correlation, where tied
    work: np.ndarray  # scratch
    spare: np.ndarray  # scratch
    # the active learners
    active: np.ndarray  # (most,), candidates
    factor: np.ndarray  # (most, most)
    # scratch
    all_corr: np.ndarray  # (n_learners,), correlations of a scan
    before: np.ndarray  # (n_learners,), those of the scan before
    size: np.ndarray  # (n_learners,), how near to the level a correlation is, or will be
    found: np.ndarray  # (n_learners,)
    resid: np.ndarray  # (n_samples,)
    lost: np.ndarray  # (n_samples,), what rounding took from it
    scratch: np.ndarray  # (>= len(gram)^2, >= n_learners)
    # the record
    lams: np.ndarray  # (corners,)
    levels: np.ndarray  # (corners,), at least the largest abs correlation of any learner
    stops: np.ndarray  # (corners,), where the coefficients of each corner end
    where: np.ndarray  # learners of the non-zero coefficients, one corner after the other
    value: np.ndarray  # the coefficients
    events: np.ndarray  # (3, ...) corner, learner, +1 where it starts to move and -1 where it stops


#: The arrays with an entry for each candidate.
WHOLE, REAL = (
    ("rank", "tied", "barred", "was_active"),
    ("corr", "corr_rate", "scanned_corr", "beta", "scanned_beta", "chord", "chord_rate", "direction", "sign", "work", "spare"),
)


def numbers(kind, tie, end, tolerance, square, wanted):
    """The numbers of a path that has not begun."""
    return record(
        kind=kind,
        tie=tie,  # correlations that differ by no more tie
        end=end,  # the level to stop at
        tolerance=tolerance,  # largest error of a corner
        square=square,  # that of the target
        lam=0.0,  # the level: the largest abs correlation
        outside=-1.0,  # largest abs correlation outside the candidates at the last scan, or -1
        outside_norm=1.0,  # largest norm of a column outside
        ahead=0.0,  # largest abs correlation outside at the horizon, where the residual goes on as between the last two scans
        horizon=0.0,  # the fall of lam since the last scan up to which the learners outside are known
        scanned_lam=0.0,  # the level at the last scan
        share=0.0,  # 1 over its fall between the last two scans, or 0 where that is not followed
        floor=-1.0,  # size that made a candidate
        n_candidates=0,
        n_active=0,
        n_tied=0,
        n_scans=1,  # the first is at beta = 0
        wanted=wanted,  # candidates that the next scan is to choose
        since_scan=-1,  # corners since the last scan, or -1 before candidates are chosen from it
        idle=0,  # corners in a row without progress
        n_corners=0,  # in the record
        n_entries=0,
        n_events=0,
    )
