r"""The Lasso path of a loss of exponential form by proximal Newton steps, in compiled code.

For each penalty, largest first, steps are made until the duality gap over all learners is met:

1. the gap: on the working set, and by a scan of all learners where that is small enough, or costs
   little. Learners whose correlation reaches the penalty join the set; at the first step of a
   penalty those that may reach it by the strong rule;
2. a quadratic model, in the metric of the curvatures of an earlier point as long as steps in it
   leave only a small part of the gap. Columns that join get their products in that metric;
3. coordinate descent on its Gram matrix until the gap of the model is small;
4. a step there, halved until the objective falls. The intercept, if it is free, has its best value
   after every step.

The dual point is orthogonal to constants even where the residuals do not quite sum to 0, and its
gap needs no logarithms: see ``losses/exponential.py``. The penalty may have quadratic terms and
limits: see ``lasso/penalty.py``. The quadratic terms are extra rows of the squared loss.

A call of `follow_path` ends after so much work, so that Ctrl-C is heard between two calls, and
where the arrays have to grow.

Sources: Friedman, Hastie, Tibshirani, *Regularization paths for generalized linear models via
coordinate descent*; Tibshirani et al., *Strong rules for discarding predictors in lasso-type
problems*; Lee, Sun, Saunders, *Proximal Newton-type methods for minimizing composite functions*.
"""

import math
from typing import NamedTuple

import numpy as np
import scipy.sparse

from coordboost._numba import compiled, kernel, record, reduction, verb
from coordboost._utils.interrupt import interruptible
from coordboost.lasso.blocks import CovarianceUpdates, descend
from coordboost.lasso.path_columns import path_columns
from coordboost.lasso.workingset import GOAL, SMALLEST_GAP, Solved
from coordboost.losses.exponential import bregman_bound, form_at

#: After a step that leaves a larger part of the gap, the metric is renewed.
SLOW = 0.2
#: The model is solved until its gap is this part of the gap before the step, or of the goal.
INEXACT, WITHIN_GOAL = 0.05, 0.3
#: Rounds of coordinate descent in a step, and the part of the goal that ends its sweeps: see
#: ``descend``.
ROUNDS, FLAT = 30, 0.1
#: Smallest weight of a sample in the metric, relative to the mean.
FLOOR = 1e-12
#: A free intercept is at its best where the sum of the residuals is this part of the sum of the
#: curvatures. SHIFTS: most Newton steps to it, each of a size of at most LONGEST.
SETTLED, SHIFTS, LONGEST = 1e-13, 60, 2.0
#: HALVINGS: most halvings of a step. SMALL_SLOPE: largest slope at the end of a step, relative to
#: that at its start. ROUNDING: relative rounding of a sum, divided by the root of the terms.
HALVINGS, SMALL_SLOPE, ROUNDING = 40, 0.9, 1e-15
#: More learners than CROWD that reach the penalty join only if their correlation is FOREMOST times
#: the largest; until the others have joined, a fit on the set goes to ROUGH times the gap.
CROWD, FOREMOST, ROUGH = 100, 0.7, 0.1
#: MOST: most steps for a penalty. IDLE: most steps in a row that lower the gap by less than 1 %.
MOST, IDLE = 600, 4
#: A gap of this part of the loss at 0 may be nothing but rounding: then it is the answer.
ROUNDED = 1e-13
#: Learners that the arrays have room for at the start, and at most.
ROOM, LARGEST = 64, 4096
#: Multiplications of one call of `follow_path`: some tenths of a second.
WORK = 2.0e8
#: Why `follow_path` returns.
GOING_ON, ENDED, NO_ROOM, STUCK = 0, 1, 2, 3

evaluate = verb("evaluate")
newton_shift = verb("newton_shift")
centre = verb("centre")
scan = verb("scan")
correlations = verb("correlations")
combine = verb("combine")
gram_of = verb("gram")


class Task(NamedTuple):
    """What stays the same along a path.

    form, columns : the losses, and the learners
    ridge, lower, upper : (n_learners,), the penalty: see ``Penalty``
    has_ridge, free : whether any ridge is not 0, and whether the intercept is free
    base : the predictions without coefficients and shifts, as those in ``Samples``
    infimum : lower bound of the loss
    lams : (n_lams,), the penalties, decreasing
    goal, rounding : the gap to reach, and one that may be nothing but rounding
    """

    form: object
    columns: object
    ridge: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    has_ridge: bool
    free: bool
    base: np.ndarray
    infimum: float
    lams: np.ndarray
    goal: float
    rounding: float


class Samples(NamedTuple):
    """One number for each sample; with several intercepts, one for each of them and each sample,
    those of the first intercept first.

    pred, resid, curvature : of the present model; `resid` is centred in the metric of the
        curvatures where the intercept is free
    metric : the curvatures of the quadratic model
    trial, move : a prediction that is tried, and the change on the way there
    """

    pred: np.ndarray
    resid: np.ndarray
    curvature: np.ndarray
    metric: np.ndarray
    trial: np.ndarray
    move: np.ndarray


class Intercepts(NamedTuple):
    """One number for each intercept: each has predictions of its own for all samples.

    shift, trial : of the present model and of that which is tried, less those at the start
    move : the change on the way there
    sums : of the residuals
    newton : Newton's step to the best ones
    """

    shift: np.ndarray
    trial: np.ndarray
    move: np.ndarray
    sums: np.ndarray
    newton: np.ndarray


class Members(NamedTuple):
    """The working set: one number for each of its learners, and some for all learners.

    learner, coef, neg_grad : the learners, coefficients, negative gradients of the smooth part
    change, target, start : the step, the minimiser of the quadratic model, and the negative
        gradients of the model at coefficients 0
    ridge, lower, upper : of the penalty, `ridge` times lam
    gram, squares : the Gram matrix of the model, and its diagonal without the ridge
    means : by how much each intercept falls in the model where a coefficient grows by 1: the means
        of the columns in the metric
    place : 0, 1, ...
    coefs : (n_lams, room), the solutions
    corr, inside : (n_learners,), correlations at the last scan, and who is in the set
    """

    learner: np.ndarray
    coef: np.ndarray
    neg_grad: np.ndarray
    change: np.ndarray
    target: np.ndarray
    start: np.ndarray
    ridge: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    gram: np.ndarray
    squares: np.ndarray
    means: np.ndarray
    place: np.ndarray
    coefs: np.ndarray
    corr: np.ndarray
    inside: np.ndarray


@kernel
def settle(task, samples, intercepts, pred, at):
    """Evaluate the losses at `pred`, which is moved to the best intercepts if they are free."""
    newton = intercepts.newton
    size = 0.0
    last = math.inf
    for _ in range(SHIFTS):
        at.loss, at.sum_h, at.sum_q = evaluate(
            task.form, pred, samples.resid, samples.curvature, intercepts.sums
        )
        if not task.free:
            break
        size = newton_shift(task.form, samples.curvature, intercepts.sums, at.sum_h, newton)
        hopeless = size > 0.5 * last and size <= 1e-8
        if not size > SETTLED or hopeless:
            break
        last = size
        for c in range(len(newton)):
            newton[c] = min(max(newton[c], -LONGEST), LONGEST)
            intercepts.trial[c] += newton[c]
        shift_all(pred, newton)
    at.off = 0.0
    at.off_along = 0.0
    if task.free:
        centre(task.form, samples.resid, samples.curvature, newton)
        at.off = size
        for c in range(len(newton)):
            at.off_along += newton[c] * intercepts.sums[c]
    at.scanned = 0


@kernel
def shift_all(pred, shift):
    """Add each shift to its predictions."""
    n_samples = len(pred) // len(shift)
    for c in range(len(shift)):
        for i in range(c * n_samples, (c + 1) * n_samples):
            pred[i] += shift[c]


@kernel
def gap_from(task, members, at, everywhere):
    """The duality gap at the present negative gradients: on the set, or of all learners.

    The dual point is the largest multiple, at most 1, of the residual and of that of the quadratic
    terms, such that no correlation exceeds lam. Correlations on the side of a limit do not
    restrict it; their excess over lam, times the limit, is added.
    """
    lam = task.lams[at.k]
    l1 = 0.0
    along = 0.0
    square = 0.0
    worst = 0.0
    excess = 0.0
    for a in range(at.m):
        coef = members.coef[a]
        neg_grad = members.neg_grad[a]
        l1 += abs(coef)
        along += coef * neg_grad
        square += members.ridge[a] * coef * coef
        limit = members.upper[a] if neg_grad > 0.0 else -members.lower[a]
        if limit == math.inf:
            worst = max(worst, abs(neg_grad))
        elif abs(neg_grad) > lam:
            excess += (abs(neg_grad) - lam) * limit
    at.worst = worst
    if everywhere:
        for j in range(len(members.corr)):
            corr = members.corr[j]
            limit = task.upper[j] if corr > 0.0 else -task.lower[j]
            if members.inside[j] or limit == 0.0:
                continue
            at.worst = max(at.worst, abs(corr))
            if limit == math.inf:
                worst = max(worst, abs(corr))
            elif abs(corr) > lam:
                excess += (abs(corr) - lam) * limit
    scale = lam / worst if worst > lam else 1.0
    return lam * l1 - scale * along + excess + lost_by_scaling(task, at, scale, square)


@kernel
def lost_by_scaling(task, at, scale, square):
    """What the losses and the quadratic terms of the penalty add to the gap."""
    lost = bregman_bound(scale, at.off, at.off_along, at.sum_q)
    if scale < 1.0:  # far from the optimum convexity gives more
        above = max(at.loss - task.infimum, 0.0)
        at_one = bregman_bound(1.0, at.off, at.off_along, at.sum_q)
        lost = min(lost, (1.0 - scale) * above + scale * at_one)
    return lost + (1.0 - scale) * (1.0 - scale) * square / 2.0


@kernel
def ridge_of(ridge, coef):
    """The quadratic part of the penalty, times 2."""
    square = 0.0
    for a in range(len(coef)):
        square += ridge[a] * coef[a] * coef[a]
    return square


@kernel
def measure_gap(task, samples, members, at):
    """Set the gap of the present model; of all learners, unless that on the set is too large."""
    m = at.m
    index = members.learner[:m]
    everywhere = at.scanned == 1 or 2 * m > len(members.corr)
    for _ in range(2):
        if not everywhere:
            correlations(task.columns, samples.resid, index, members.neg_grad[:m])
        elif not at.scanned:
            scan(task.columns, samples.resid, members.corr)
            at.scanned = 1
            at.scans += 1
            at.work += at.scan_cost
        for a in range(m):
            corr = members.corr[index[a]] if everywhere else members.neg_grad[a]
            members.neg_grad[a] = corr - members.ridge[a] * members.coef[a]
        at.gap = gap_from(task, members, at, everywhere)
        if everywhere:
            at.full_gap = at.gap
            return
        goal = max(task.goal, ROUGH * at.full_gap) if at.crowded else task.goal
        if not (at.gap <= goal or at.forced):
            return
        everywhere = True


@kernel
def let_join(task, members, at):
    """Let violators join the set. Return whether there is room.

    At the first step of a penalty those that the strong rule cannot exclude.
    """
    lam = task.lams[at.k]
    level = lam
    if at.steps == 0:
        level = min(2.0 * lam - at.worst, lam)
    n = reaching(task, members, level)
    at.crowded = 0
    if n > max(CROWD, at.m):
        level = max(level, FOREMOST * at.worst)
        crowd = reaching(task, members, level)
        at.crowded = 1 if crowd < n else 0
        n = crowd
    if at.m + n > len(members.learner):
        at.wanted = at.m + n
        return False
    if n > 0:
        at.idle = 0
        at.best = math.inf
        at.last = math.inf
    for j in range(len(members.corr)):
        if joins(task, members, j, level):
            members.inside[j] = True
            a = at.m
            members.learner[a] = j
            members.coef[a] = 0.0
            members.neg_grad[a] = members.corr[j]
            members.ridge[a] = lam * task.ridge[j]
            members.lower[a] = task.lower[j]
            members.upper[a] = task.upper[j]
            at.m += 1
    return True


@kernel
def joins(task, members, j, level):
    """Whether learner j is outside the set, and its correlation reaches the level."""
    corr = members.corr[j]
    allowed = task.upper[j] > 0.0 if corr > 0.0 else task.lower[j] < 0.0
    return not members.inside[j] and allowed and abs(corr) >= level


@kernel
def reaching(task, members, level):
    """The number of learners that would join at this level."""
    n = 0
    for j in range(len(members.corr)):
        if joins(task, members, j, level):
            n += 1
    return n


@kernel
def form_model(task, samples, members, at):
    """Complete the Gram matrix; in the metric of the present curvatures if that is renewed."""
    m = at.m
    n_samples = len(samples.pred)
    if at.in_gram == 0:
        floor = FLOOR * at.sum_h / n_samples
        at.metric_total = 0.0
        for i in range(n_samples):
            samples.metric[i] = max(samples.curvature[i], floor)
            at.metric_total += samples.metric[i]
        at.models += 1
    first = at.in_gram
    means = members.means
    gram = members.gram
    index = members.learner[:m]
    if first < m:
        gram_of(task.columns, index, first, samples.metric, at.metric_total, task.free, means, gram)
        at.work += float(n_samples) * m * (m - first)
    for b in range(first, m):
        members.squares[b] = gram[b, b]
    at.in_gram = m


@kernel
def minimise_model(task, members, at):
    """Set the target to the minimiser of the quadratic model, by coordinate descent."""
    m = at.m
    gram = members.gram
    coef = members.coef
    start = members.start[:m]
    square = at.sum_q + ridge_of(members.ridge, coef[:m])
    for b in range(m):
        gram[b, b] = members.squares[b] + members.ridge[b]
        start[b] = members.neg_grad[b]
        members.target[b] = coef[b]
    for a in range(m):
        if coef[a] != 0.0:
            for b in range(m):
                start[b] += coef[a] * gram[a, b]
    for b in range(m):
        square += coef[b] * (start[b] + members.neg_grad[b])
    updates = CovarianceUpdates(
        gram,
        start,
        members.neg_grad[:m],
        square / 2.0,
        math.nan,
        task.lams[at.k],
        members.ridge[:m],
        members.lower[:m],
        members.upper[:m],
    )
    goal = max(WITHIN_GOAL * task.goal, INEXACT * at.gap)
    descend(updates, members.target[:m], members.place[:m], goal, FLAT, ROUNDS)
    at.work += 20.0 * m * m


@kernel
def make_step(task, samples, intercepts, members, at):
    """Go to the minimiser of the model, halving the step until the objective falls; return it.

    Rounding may hide whether it falls: near the optimum, and along dependent columns. Then the
    slope at the end decides, which has to be less steep than at the start, or nothing but rounding.
    """
    m = at.m
    n_samples = len(samples.pred)
    lam = task.lams[at.k]
    coef = members.coef[:m]
    change = members.change[:m]
    target = members.target[:m]
    move = samples.move
    before = objective(lam, members.ridge, coef, at.loss)
    for a in range(m):
        change[a] = target[a] - coef[a]
    move_intercepts(task, intercepts, members.means, change)
    # the goal is formed from the coefficients, so that rounding does not add up from step to step
    combine(task.columns, target, members.learner[:m], move)
    move_to_goal(task, samples, intercepts)
    start_slope = inner(samples.resid, move)
    start_slope -= penalty_slope(lam, members.ridge, coef, change, False)
    rounding = ROUNDING * math.sqrt(n_samples) * abs(before)
    step = 1.0
    for halvings in range(HALVINGS + 1):
        if halvings == HALVINGS:
            step = 0.0
        for c in range(len(intercepts.shift)):
            intercepts.trial[c] = intercepts.shift[c] + step * intercepts.move[c]
        for i in range(n_samples):
            samples.trial[i] = samples.pred[i] + step * move[i]
        for a in range(m):
            target[a] = coef[a] + step * change[a]
        settle(task, samples, intercepts, samples.trial, at)
        fall = before - objective(lam, members.ridge, target, at.loss)
        end_slope = penalty_slope(lam, members.ridge, target, change, True)
        end_slope -= inner(samples.resid, move)
        if fall >= -rounding and end_slope <= max(SMALL_SLOPE * start_slope, rounding):
            break
        step /= 2.0
    accept(samples, intercepts, members, at)
    return step


@kernel
def move_intercepts(task, intercepts, means, change):
    """Set the change of the intercepts that is best in the model for a change of coefficients."""
    move = intercepts.move
    n_shifts = len(move)
    for c in range(n_shifts):
        move[c] = 0.0
        if task.free:
            for a in range(len(change)):
                move[c] -= means[n_shifts * a + c] * change[a]


@kernel
def move_to_goal(task, samples, intercepts):
    """Make of the sum of the columns, in `move`, the way there from the present predictions."""
    n_samples = len(samples.move) // len(intercepts.shift)
    for c in range(len(intercepts.shift)):
        level = intercepts.shift[c] + intercepts.move[c]
        for i in range(c * n_samples, (c + 1) * n_samples):
            samples.move[i] += task.base[i] + level - samples.pred[i]


@kernel
def accept(samples, intercepts, members, at):
    """Make the trial the present model."""
    for i in range(len(samples.pred)):
        samples.pred[i] = samples.trial[i]
    for a in range(at.m):
        coef = members.target[a]
        members.coef[a] = min(max(coef, members.lower[a]), members.upper[a])
    for c in range(len(intercepts.shift)):
        intercepts.shift[c] = intercepts.trial[c]


@reduction
def inner(resid, move):
    """The inner product, in any order."""
    total = 0.0
    for i in range(len(resid)):
        total += resid[i] * move[i]
    return total


@kernel
def objective(lam, ridge, coef, loss):
    """The loss plus the penalty."""
    total = 0.0
    for a in range(len(coef)):
        total += abs(coef[a])
    return loss + lam * total + ridge_of(ridge, coef) / 2.0


@kernel
def penalty_slope(lam, ridge, coef, change, backwards):
    """The derivative of the penalty along `change`; that from behind if `backwards`."""
    slope = 0.0
    for a in range(len(coef)):
        sign = 1.0 if coef[a] > 0.0 else -1.0
        if coef[a] == 0.0:
            sign = 1.0 if (change[a] > 0.0) != backwards else -1.0
        slope += (lam * sign + ridge[a] * coef[a]) * change[a]
    return slope


@kernel
def keep(task, intercepts, members, at, shifts, gaps):
    """Store the solution of the present penalty, and go on to the next one."""
    k = at.k
    for a in range(at.m):
        members.coefs[k, a] = members.coef[a]
    for c in range(len(intercepts.shift)):
        shifts[k, c] = intercepts.shift[c]
    gaps[k] = at.gap
    at.k += 1
    at.steps = 0
    at.idle = 0
    at.crowded = 0
    at.forced = 0
    at.best = math.inf
    at.last = math.inf
    if at.k < len(task.lams):
        for a in range(at.m):
            members.ridge[a] = task.lams[at.k] * task.ridge[members.learner[a]]


def follow_path(task, samples, intercepts, members, at, shifts, gaps):
    """Solve for one penalty after the other.

    Return why it ended: the last penalty, enough work for one call, no room, or steps without
    progress.
    """
    at.work = 0.0
    while at.k < len(task.lams):
        if at.begun:  # else a step without learners finds the intercept
            if at.work > WORK:
                return GOING_ON
            measure_gap(task, samples, members, at)
            if at.gap <= task.goal or at.forced:
                keep(task, intercepts, members, at, shifts, gaps)
                if at.interrupted:
                    return ENDED
                continue
            at.idle = 0 if at.gap <= 0.99 * at.best else at.idle + 1
            at.best = min(at.best, at.gap)
            if 0.1 * at.last < at.gap <= task.rounding:
                at.forced = 1
                continue
            if at.idle > IDLE or at.steps == MOST:
                return STUCK
            if at.scanned and not let_join(task, members, at):
                return NO_ROOM
            if at.gap > SLOW * at.last and not at.renewed:
                at.in_gram = 0
            at.renewed = 1 if at.in_gram == 0 else 0
            at.last = at.gap
            form_model(task, samples, members, at)
            minimise_model(task, members, at)
            at.steps += 1
            at.work += float(len(samples.pred)) * (at.m + 10)
        step = make_step(task, samples, intercepts, members, at)
        if not at.begun:
            at.begun = 1
            if not math.isfinite(at.loss + at.sum_h):
                return STUCK
        if step < 1.0:
            at.in_gram = 0
            if step == 0.0:
                at.idle += IDLE
    return ENDED


class NewtonPath:
    """A path of a loss of exponential form, on stored columns.

    Parameters
    ----------
    form : ExponentialForm
        The losses.
    table : PathColumns
        The learners.
    penalty : Penalty
        At lam = 1, with an l1 part.
    base : ndarray
        The predictions without coefficients, for all samples; of several intercepts, one after the
        other.
    null_loss, infimum : float
        The loss at 0 less the infimum, and the infimum.
    lams : ndarray, (n_lams,), decreasing
    tol : float
        The gap to reach, over the loss at 0.
    free : bool
        Whether to fit the intercepts.
    n_shifts : int
        Number of intercepts.

    Attributes
    ----------
    done : int
        Number of penalties that are solved.
    shifts : ndarray, (n_lams, n_shifts)
        Of those: the intercepts less those at the start.
    gaps : ndarray, (n_lams,)
        The duality gaps over the loss at 0.
    """

    @classmethod
    def of(cls, columns, lams, tol, free):
        """The path of the loss of a problem, or None where it has no such form, the learners are
        not stored, or the penalty is ridge alone.

        Parameters
        ----------
        columns : ScaledColumns, not weighted
        """
        problem = columns.problem
        form = form_at(problem)
        table = path_columns(columns)
        if form is None or table is None or columns.penalty.lam == 0:
            return None
        base = np.full(problem.n_samples, problem.base, dtype=np.float64)
        infimum = float(problem.infimum)
        null_loss = problem.start_excess
        return cls(form, table, columns.penalty, base, null_loss, infimum, lams, tol, free)

    def __init__(self, form, table, penalty, base, null_loss, infimum, lams, tol, free, n_shifts=1):
        self.null_loss = null_loss
        self.n_learners = len(penalty.ridge)
        self.task = Task(
            form,
            table,
            penalty.ridge,
            penalty.lower,
            penalty.upper,
            penalty.has_ridge,
            free,
            base,
            infimum,
            np.ascontiguousarray(lams),
            max(GOAL * tol, SMALLEST_GAP) * null_loss,
            ROUNDED * null_loss,
        )
        self.samples = Samples(*(np.empty(len(base)) for _ in Samples._fields))
        self.intercepts = Intercepts(*(np.zeros(n_shifts) for _ in Intercepts._fields))
        self.members = self._members(min(ROOM, self.n_learners))
        self.at = record(
            k=0, m=0, in_gram=0, scanned=0, scans=0, models=0, steps=0, idle=0, crowded=0,
            renewed=0, begun=0, wanted=0, interrupted=0, forced=0,
            loss=math.inf, off=0.0, off_along=0.0, sum_h=0.0, sum_q=0.0, gap=math.inf,
            full_gap=math.inf, last=math.inf, best=math.inf, worst=0.0,
            metric_total=0.0, work=0.0, scan_cost=float(table.scan_cost),
        )  # fmt: skip
        self.shifts = np.zeros((len(lams), n_shifts))
        self.gaps = np.zeros(len(lams))
        self.samples.pred[:] = base
        self.samples.resid[:] = 0.0
        self.compiled_path = compiled(follow_path, (form, table))

    @property
    def done(self):
        return int(self.at.k)

    def run(self):
        """Solve for the penalties until the last one, an interruption, or no progress.

        Return whether it was interrupted. Then the model of the first penalty is kept, even if it
        is not finished.
        """
        with interruptible(lambda: self.done == 0) as interrupted:
            why = GOING_ON
            while why in (GOING_ON, NO_ROOM):
                why = self._follow()
                if why == NO_ROOM:
                    if self.at.wanted > LARGEST:
                        break
                    self._make_room()
                if why != ENDED and interrupted():
                    if self.done == 0:
                        self.at.interrupted = 1
                        self.at.forced = 1
                        self._follow()
                    return True
        return False

    def _follow(self):
        return self.compiled_path(
            self.task,
            self.samples,
            self.intercepts,
            self.members,
            self.at,
            self.shifts,
            self.gaps,
        )

    def _make_room(self):
        """Enlarge the arrays of the working set."""
        wanted = int(self.at.wanted)
        room = min(max(2 * wanted, 2 * ROOM), self.n_learners, max(LARGEST, wanted))
        old = self.members
        self.members = self._members(room)
        for before, after in zip(old, self.members, strict=True):
            if before is old.gram:
                after[: len(before), : len(before)] = before
            else:
                after[..., : before.shape[-1]] = before
        self.members.place[:] = np.arange(room)

    def _members(self, room):
        """A working set without learners."""
        return Members(
            learner=np.zeros(room, dtype=np.int64),
            coef=np.zeros(room),
            neg_grad=np.zeros(room),
            change=np.zeros(room),
            target=np.zeros(room),
            start=np.zeros(room),
            ridge=np.zeros(room),
            lower=np.zeros(room),
            upper=np.zeros(room),
            gram=np.zeros((room, room)),
            squares=np.zeros(room),
            means=np.zeros(room * len(self.intercepts.shift)),
            place=np.arange(room),
            coefs=np.zeros((len(self.task.lams), room)),
            corr=np.zeros(self.n_learners),
            inside=np.zeros(self.n_learners, dtype=np.bool_),
        )

    def solved(self):
        """The models so far, a `Solved`."""
        done = self.done
        coefs = self.members.coefs[:done, : self.at.m]
        used = coefs != 0.0
        stops = np.append(0, np.cumsum(np.count_nonzero(used, axis=1)))
        learner = self.members.learner[np.nonzero(used)[1]]
        shape = (done, self.n_learners)
        return Solved(
            scipy.sparse.csr_array((coefs[used], learner, stops), shape=shape),
            self.gaps[:done] / self.null_loss,
            int(self.at.scans),
            self.shifts[:done, 0],
        )
