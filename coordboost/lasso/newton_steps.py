r"""Steps of a Newton path: the gap, the working set, the quadratic model, the line search.

``lasso/newton_path.py`` says in which order, and gives the sources. A path is held by few arrays,
as each array of each compiled function takes time to compile: the rows of `samples` and `members`
and the records of `learners` and `solutions` have names. Parts that are called once are `inlined`
in the path, and are compiled once.

What all functions share:

form, columns : the losses, an ``ExponentialForm`` or a ``ClassForm``; the learners, ``PathColumns``
samples : see PRED
intercepts : see SHIFT
learners : (n_learners,), see LEARNER
corr : (n_learners,), correlations at the last scan
index, members : the working set: which learners it has, and their numbers, see COEF
gram : the Gram matrix of the model, for the first members
means : by how much each intercept falls in the model where a coefficient grows by 1: the means of
    the columns in the metric
at : record of numbers, see `first_record`
"""

import math
from typing import NamedTuple

import numpy as np

from coordboost._numba import inlined, kernel, record, verb
from coordboost.lasso.blocks import GramUpdates, descend
from coordboost.lasso.path_columns import inner
from coordboost.losses.exponential import TINY, bregman_bound

#: The model is solved until its gap is this part of the gap before the step, or of the goal.
INEXACT, WITHIN_GOAL = 0.05, 0.3
#: Rounds of coordinate descent in a step, and the part of the goal that ends its sweeps: see
#: ``descend``. FAIR: where they leave a larger part of the gap, steps at fixed signs help.
ROUNDS, FLAT = 30, 0.1
FAIR = 0.5
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

evaluate = verb("evaluate")
newton_shift = verb("newton_shift")
centre = verb("centre")
scan = verb("scan")
correlations = verb("correlations")
combine = verb("combine")
gram_of = verb("gram")

#: Rows of the samples: one number for each sample; with several intercepts, one for each of them
#: and each sample, those of the first intercept first. PRED, RESID, CURVATURE: predictions,
#: residuals and curvatures of the present model; the residuals are centred in the metric of the
#: curvatures where the intercept is free. METRIC: the curvatures of the quadratic model. TRIAL,
#: MOVE: a prediction that is tried, and the change on the way there. BASE: predictions without
#: coefficients and shifts.
SAMPLE_ROWS = 7
PRED, RESID, CURVATURE, METRIC, TRIAL, MOVE, BASE = range(SAMPLE_ROWS)
#: Rows of the intercepts: each has predictions of its own for all samples. SHIFT, TRIAL_SHIFT: of
#: the present model and of that which is tried, less those at the start. SHIFT_MOVE: the change on
#: the way there. SUMS: of the residuals. NEWTON: Newton's step to the best ones.
INTERCEPT_ROWS = 5
SHIFT, TRIAL_SHIFT, SHIFT_MOVE, SUMS, NEWTON = range(INTERCEPT_ROWS)
#: Rows of the members. COEF, NEG_GRAD: coefficients, and negative gradients of the smooth part.
#: TARGET, MODEL_GRAD: the minimiser of the quadratic model, and the model's negative gradients.
#: RIDGE, LOWER, UPPER: the penalty, its ridge times lam. SQUARE: the diagonal of the Gram matrix
#: without the ridge.
MEMBER_ROWS = 8
COEF, NEG_GRAD, TARGET, MODEL_GRAD, RIDGE, LOWER, UPPER, SQUARE = range(MEMBER_ROWS)
#: A learner: its penalty, see ``Penalty``; its abs correlation if it may join the set, else 0; and
#: whether it is inside.
LEARNER = np.dtype(
    (
        np.record,
        [("ridge", "f8"), ("lower", "f8"), ("upper", "f8"), ("violation", "f8"), ("inside", "i8")],
    )
)
#: A penalty, the duality gap of its solution, and the largest abs correlation there.
SOLUTION = np.dtype((np.record, [("lam", "f8"), ("gap", "f8"), ("worst", "f8")]))


def first_record(lam, goal, rounding, free, infimum, patience, scan_cost):
    """Return the numbers of a path before its first step, a record.

    k, lam : the penalty that is solved for, the k-th
    m, in_gram : the size of the working set, and of the Gram matrix
    steps, idle : steps for this penalty, and those in a row that hardly lower the gap
    turns : steps at fixed signs for this quadratic model
    scanned, scans : whether `corr` is of the present model; the number of scans so far
    begun, renewed : whether the path has begun, and the metric is that of the last step
    crowded : whether learners that reach the penalty have to wait
    forced, interrupted : whether to end with the present model for this penalty, and altogether
    wanted : the room that is needed
    gap, full_gap : the present gap, and the last one of all learners
    last, best : the gap before the last step, and the smallest one for this penalty
    worst : the largest abs correlation that restricts the dual point or may join
    loss, sum_h, sum_q : of the model that was evaluated last: see ``ExponentialForm.evaluate``
    off, off_along : how far the intercepts are from the best: see ``bregman_bound``
    metric_total : the sum of the metric
    work : multiplications of this call
    free, goal, rounding, infimum, patience, scan_cost : whether the intercept is free; the gap to
        reach, and one that may be nothing but rounding; a lower bound of the loss; most steps in a
        row that hardly lower the gap; multiplications of a scan
    """
    return record(
        **dict.fromkeys(("k", "m", "in_gram", "steps", "idle", "turns", "scanned", "scans"), 0),
        **dict.fromkeys(("begun", "renewed", "crowded", "forced", "interrupted", "wanted"), 0),
        **dict.fromkeys(("gap", "full_gap", "last", "best", "loss"), math.inf),
        **dict.fromkeys(("worst", "off", "off_along", "sum_h", "sum_q"), 0.0),
        **dict.fromkeys(("metric_total", "work"), 0.0),
        lam=float(lam),
        goal=float(goal),
        rounding=float(rounding),
        free=int(free),
        infimum=float(infimum),
        patience=int(patience),
        scan_cost=float(scan_cost),
    )


@inlined
def settle(form, samples, intercepts, at):
    """Evaluate the losses at the trial, which is moved to the best intercepts if they are free."""
    pred = samples[TRIAL]
    resid = samples[RESID]
    curvature = samples[CURVATURE]
    sums = intercepts[SUMS]
    newton = intercepts[NEWTON]
    n_samples = len(pred) // len(newton)
    at.off = 0.0
    at.off_along = 0.0
    last = math.inf
    for _ in range(SHIFTS):
        at.loss, at.sum_h, at.sum_q = evaluate(form, pred, resid, curvature, sums)
        if not at.free:
            break
        at.off = newton_shift(form, curvature, sums, at.sum_h, newton)
        hopeless = at.off > 0.5 * last and at.off <= 1e-8
        if not at.off > SETTLED or hopeless:
            break
        last = at.off
        for c in range(len(newton)):
            newton[c] = min(max(newton[c], -LONGEST), LONGEST)
            intercepts[TRIAL_SHIFT, c] += newton[c]
            for i in range(c * n_samples, (c + 1) * n_samples):
                pred[i] += newton[c]
    if at.free:
        centre(form, resid, curvature, newton)
        for c in range(len(newton)):
            at.off_along += newton[c] * sums[c]
    at.scanned = 0


@inlined
def scaled_gap(members, m, coef, neg_grad, lam, worst, excess):
    """Return the duality gap, less what the losses and the quadratic terms add to it; the scale of
    the dual point; the largest abs correlation that restricts it; the quadratic terms, times 2.

    The dual point is the largest multiple, at most 1, of the residual and of that of the quadratic
    terms, such that no correlation exceeds lam. Correlations on the side of a limit do not
    restrict it; their excess over lam, times the limit, is added.

    coef, neg_grad : rows of the members
    worst, excess : of the other learners
    """
    l1 = 0.0
    along = 0.0
    square = 0.0
    for a in range(m):
        value = members[coef, a]
        corr = members[neg_grad, a]
        size = abs(corr)
        limit = members[UPPER, a] if corr > 0.0 else -members[LOWER, a]
        l1 += abs(value)
        along += value * corr
        square += members[RIDGE, a] * value * value
        if limit == math.inf:
            worst = max(worst, size)
        elif size > lam:
            excess += (size - lam) * limit
    scale = lam / worst if worst > lam else 1.0
    return lam * l1 - scale * along + excess, scale, worst, square


@kernel
def look_outside(learners, corr, lam):
    """Find who may join the set.

    Return the largest abs correlation outside it, that of those without a limit on its side, and
    what the others add to the gap.
    """
    largest = 0.0
    worst = 0.0
    excess = 0.0
    for j in range(len(corr)):
        learner = learners[j]
        size = abs(corr[j])
        limit = learner.upper if corr[j] > 0.0 else -learner.lower
        if learner.inside or limit == 0.0:
            size = 0.0
        learner.violation = size
        largest = max(largest, size)
        if limit == math.inf:
            worst = max(worst, size)
        elif size > lam:
            excess += (size - lam) * limit
    return largest, worst, excess


@inlined
def measure_gap(columns, samples, learners, corr, index, members, at):
    """Set the gap of the present model; of all learners, unless that on the set is too large."""
    m = at.m
    resid = samples[RESID]
    largest = 0.0
    worst = 0.0
    excess = 0.0
    everywhere = at.scanned == 1 or 2 * m > len(corr)
    for _ in range(2):
        if not everywhere:
            correlations(columns, resid, index[:m], members[NEG_GRAD][:m])
        else:
            if not at.scanned:
                scan(columns, resid, corr)
                at.scanned = 1
                at.scans += 1
                at.work += at.scan_cost
            for a in range(m):
                members[NEG_GRAD, a] = corr[index[a]]
            largest, worst, excess = look_outside(learners, corr, at.lam)
        for a in range(m):
            members[NEG_GRAD, a] -= members[RIDGE, a] * members[COEF, a]
        gap, scale, worst, square = scaled_gap(members, m, COEF, NEG_GRAD, at.lam, worst, excess)
        at.gap = gap + lost_by_scaling(at, scale, square)
        if everywhere:
            at.full_gap = at.gap
            at.worst = max(worst, largest)
            return
        goal = max(at.goal, ROUGH * at.full_gap) if at.crowded else at.goal
        if not (at.gap <= goal or at.forced):
            return
        everywhere = True


@inlined
def lost_by_scaling(at, scale, square):
    """What the losses and the quadratic terms of the penalty add to the gap."""
    lost = bregman_bound(scale, at.off, at.off_along, at.sum_q)
    if scale < 1.0:  # far from the optimum convexity gives more
        above = max(at.loss - at.infimum, 0.0)
        at_one = bregman_bound(1.0, at.off, at.off_along, at.sum_q)
        lost = min(lost, (1.0 - scale) * above + scale * at_one)
    return lost + (1.0 - scale) * (1.0 - scale) * square / 2.0


@inlined
def let_join(learners, corr, index, members, at):
    """Let violators join the set. Return whether there is room.

    At the first step of a penalty those that the strong rule cannot exclude.
    """
    lam = at.lam
    level = lam
    if at.steps == 0:
        level = max(min(2.0 * lam - at.worst, lam), TINY)
    foremost = max(level, FOREMOST * at.worst)
    n = 0
    n_foremost = 0
    for j in range(len(corr)):
        violation = learners[j].violation
        n += violation >= level
        n_foremost += violation >= foremost
    at.crowded = 0
    if n > CROWD and n > at.m:
        at.crowded = 1 if n_foremost < n else 0
        level = foremost
        n = n_foremost
    if at.m + n > len(index):
        at.wanted = at.m + n
        return False
    if n == 0:
        return True
    at.idle = 0
    at.best = math.inf
    at.last = math.inf
    for j in range(len(corr)):
        learner = learners[j]
        if learner.violation >= level:
            learner.inside = 1
            a = at.m
            index[a] = j
            members[COEF, a] = 0.0
            members[NEG_GRAD, a] = corr[j]
            members[RIDGE, a] = lam * learner.ridge
            members[LOWER, a] = learner.lower
            members[UPPER, a] = learner.upper
            at.m += 1
    return True


@inlined
def form_model(columns, samples, index, members, gram, means, at):
    """Complete the Gram matrix; in the metric of the present curvatures if that is renewed."""
    m = at.m
    first = at.in_gram
    metric = samples[METRIC]
    curvature = samples[CURVATURE]
    if first == 0:
        floor = FLOOR * at.sum_h / len(metric)
        total = 0.0
        for i in range(len(metric)):
            metric[i] = max(curvature[i], floor)
            total += metric[i]
        at.metric_total = total
    if first == m:
        return
    gram_of(columns, index[:m], first, metric, at.metric_total, at.free, means, gram)
    at.work += float(len(metric)) * m * (m - first)
    for b in range(first, m):
        members[SQUARE, b] = gram[b, b]
    at.in_gram = m


class _QuadraticModel(NamedTuple):
    members: np.ndarray
    gram: np.ndarray
    neg_grad: np.ndarray
    square: float
    lam: float
    ridge: np.ndarray
    lower: np.ndarray
    upper: np.ndarray


class QuadraticModel(_QuadraticModel, GramUpdates):
    """The quadratic model of the losses and of the quadratic terms.

    members : its origin: coefficients and negative gradients there
    gram : (>= m, >= m), with the ridge in its diagonal
    neg_grad : (m,), the present negative gradients
    square : twice its value at the origin
    lam, ridge, lower, upper : the penalty
    """

    __slots__ = ()

    def gap(self, coef):
        members = self.members
        neg_grad = self.neg_grad
        square = self.square
        for a in range(len(coef)):
            square -= (coef[a] - members[COEF, a]) * (members[NEG_GRAD, a] + neg_grad[a])
        gap, scale, _, _ = scaled_gap(members, len(coef), TARGET, MODEL_GRAD, self.lam, 0.0, 0.0)
        return gap + (1.0 - scale) * (1.0 - scale) * max(square, 0.0) / 2.0


@inlined
def start_model(members, gram, at):
    """Begin the minimisation of the quadratic model at the present coefficients."""
    for a in range(at.m):
        gram[a, a] = members[SQUARE, a] + members[RIDGE, a]
        members[MODEL_GRAD, a] = members[NEG_GRAD, a]
        members[TARGET, a] = members[COEF, a]


@inlined
def minimise_model(everyone, members, gram, at):
    """Move the target towards the minimiser of the quadratic model, by coordinate descent.

    Return whether its gap is small enough, or some rounds lowered it to a fair part of the gap.

    everyone : 0, 1, ...
    """
    m = at.m
    ridge = members[RIDGE]
    square = at.sum_q
    for a in range(m):
        square += ridge[a] * members[COEF, a] * members[COEF, a]
    model = QuadraticModel(
        members,
        gram,
        members[MODEL_GRAD][:m],
        square,
        at.lam,
        ridge,
        members[LOWER],
        members[UPPER],
    )
    goal = max(WITHIN_GOAL * at.goal, INEXACT * at.gap)
    gap, _ = descend(model, members[TARGET][:m], everyone[:m], goal, FLAT, ROUNDS)
    at.work += 20.0 * m * m
    return gap <= max(goal, FAIR * at.gap)


@inlined
def make_step(form, columns, samples, intercepts, index, members, means, at):
    """Go to the minimiser of the model, halving the step until the objective falls; return it.

    Rounding may hide whether it falls: near the optimum, and along dependent columns. Then the
    slope at the end decides, which has to be less steep than at the start, or nothing but rounding.
    """
    m = at.m
    resid = samples[RESID]
    move = samples[MOVE]
    n_samples = len(move)
    # the goal is formed from the coefficients, so that rounding does not add up from step to step
    combine(columns, members[TARGET][:m], index[:m], move)
    n_shifts = intercepts.shape[1]
    for c in range(n_shifts):
        change = 0.0
        if at.free:
            for a in range(m):
                change -= means[n_shifts * a + c] * (members[TARGET, a] - members[COEF, a])
        intercepts[SHIFT_MOVE, c] = change
        level = intercepts[SHIFT, c] + change
        for i in range(c * n_samples // n_shifts, (c + 1) * n_samples // n_shifts):
            move[i] += samples[BASE, i] + level - samples[PRED, i]
    cost, slope = penalty_along(members, m, at.lam, 0.0)
    before = at.loss + cost
    start_slope = inner(resid, move) - slope
    rounding = ROUNDING * math.sqrt(n_samples) * abs(before)
    step = 1.0
    for halvings in range(HALVINGS + 1):
        if halvings == HALVINGS:
            step = 0.0
        for c in range(n_shifts):
            intercepts[TRIAL_SHIFT, c] = intercepts[SHIFT, c] + step * intercepts[SHIFT_MOVE, c]
        for i in range(n_samples):
            samples[TRIAL, i] = samples[PRED, i] + step * move[i]
        settle(form, samples, intercepts, at)
        cost, slope = penalty_along(members, m, at.lam, step)
        fall = before - (at.loss + cost)
        end_slope = slope - inner(resid, move)
        if fall >= -rounding and end_slope <= max(SMALL_SLOPE * start_slope, rounding):
            break
        step /= 2.0
    for i in range(n_samples):
        samples[PRED, i] = samples[TRIAL, i]
    for a in range(m):
        coef = members[COEF, a]
        value = coef + step * (members[TARGET, a] - coef)
        members[COEF, a] = min(max(value, members[LOWER, a]), members[UPPER, a])
    for c in range(n_shifts):
        intercepts[SHIFT, c] = intercepts[TRIAL_SHIFT, c]
    return step


@kernel
def penalty_along(members, m, lam, step):
    """The penalty a part `step` of the way from the coefficients to the target, and its slope.

    The slope is the derivative in the step: at the start that ahead, else that from behind.
    """
    l1 = 0.0
    square = 0.0
    slope = 0.0
    for a in range(m):
        change = members[TARGET, a] - members[COEF, a]
        value = members[COEF, a] + step * change
        ridge = members[RIDGE, a]
        sign = 1.0 if value > 0.0 else -1.0
        if value == 0.0:
            sign = 1.0 if (change > 0.0) == (step == 0.0) else -1.0
        l1 += abs(value)
        square += ridge * value * value
        slope += (lam * sign + ridge * value) * change
    return lam * l1 + square / 2.0, slope


@inlined
def keep(learners, intercepts, index, members, coefs, shifts, solutions, at):
    """Store the solution of the present penalty, and go on to the next one."""
    solutions[at.k].gap = at.gap
    solutions[at.k].worst = at.worst
    for c in range(intercepts.shape[1]):
        shifts[at.k, c] = intercepts[SHIFT, c]
    for a in range(at.m):
        coefs[at.k, a] = members[COEF, a]
    at.k += 1
    at.steps = 0
    at.idle = 0
    at.crowded = 0
    at.forced = 0
    at.best = math.inf
    at.last = math.inf
    if at.k < len(solutions):
        at.lam = solutions[at.k].lam
        for a in range(at.m):
            members[RIDGE, a] = at.lam * learners[index[a]].ridge
