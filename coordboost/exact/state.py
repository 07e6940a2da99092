"""Where the walk along an exact path is: the state that its kernels work on, and the names of its rows."""

from typing import NamedTuple

import numpy as np

LASSO, LAR, STAGEWISE = range(3)
DONE, SCAN, FULL, STALLED, CROWDED, INEXACT = range(6)
# rows of `of`: correlations at the last scan, now; their fall per unit of lam; coefficients now, at the last scan;
# direction of beta; sign of the correlation; scratch
SCANNED, NOW, FALL, BETA, ORIGIN, WAY, SIGN, WORK, SPARE = range(9)
# rows of `ids`: the learner; its place in the factor or -1; is tied; is barred at this corner; was active on the last segment
LEARNER, PLACE, TIED, BARRED, WAS = range(5)
# entries of `level`: now; the largest outside the candidates, and how fast it can grow; what ties; where to stop; what makes a candidate;
# the largest error of a corner
LAM, OUTSIDE, SLOPE, TIE, END, FLOOR, TOL = range(7)
# entries of `tally`: active learners; corners, coefficients and events in the record; corners since a scan, or -1 before candidates
# are chosen from it; corners in a row without progress; the kind of path; candidates; scans; candidates that the next scan is to
# choose; tied learners
ACTIVE, CORNERS, ENTRIES, EVENTS, FRESH, STILL, KIND, SIZE, SCANS, WANTED, TIES = range(11)
EPS = 2.3e-16


class Edge(NamedTuple):
    """Where the walk is, on m = tally[SIZE] candidates with room for `cap`, and the record of the corners passed.

    rows : (n_learners, n_samples), the learners where they are stored, else (0, n_samples);  root : (n_samples,), multiplies them, or
    empty;  scale : (n_learners,), likewise;  target : (n_samples,);  place : (n_learners,), among the candidates, or -1
    columns : (cap, n_samples), of the candidates;  gram : (cap, cap), or (0, cap) where products are taken of the columns
    of : (9, cap);  ids : (5, cap);  active : (most,);  factor : (most, most), of the active learners;  level, tally : see above
    corr, found : (n_learners,);  resid : (n_samples,);  scratch : (>= len(gram)^2, >= n_learners)
    lams : (corners,);  stops : where the coefficients of each corner end;  which, value : the non-zero coefficients, one corner after
    the other;  events : (3, ...) corner, learner, +1 where it starts to move and -1 where it stops
    """

    rows: np.ndarray
    root: np.ndarray
    scale: np.ndarray
    target: np.ndarray
    place: np.ndarray
    columns: np.ndarray
    gram: np.ndarray
    of: np.ndarray
    ids: np.ndarray
    active: np.ndarray
    factor: np.ndarray
    level: np.ndarray
    tally: np.ndarray
    corr: np.ndarray
    found: np.ndarray
    resid: np.ndarray
    scratch: np.ndarray
    lams: np.ndarray
    stops: np.ndarray
    which: np.ndarray
    value: np.ndarray
    events: np.ndarray
