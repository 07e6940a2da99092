"""The model state of accelerated boosting.

It has two models, f and h, and the residual at a point between them.
"""

import math
from typing import NamedTuple

import numpy as np

from coordboost._numba import kernel, verb
from coordboost._numba.sums import (
    BLOCK,
    curvature_of_each,
    first_rows,
    refresh_residual,
    sum_of_blocks,
    sum_of_losses,
)
from coordboost.engine.states.base import ModelState
from coordboost.engine.states.naive import begin_residual, fill_column
from coordboost.rules.coefficients import RESTART, SLOWER, UNDO, TwoSequences, mix_models
from coordboost.rules.steps import admissible, mixing

scan = verb("scan")
correlations = verb("correlations")
add = verb("add")

#: The smallest share of gamma with which momentum restarts.
LEAST = 1e-15


@kernel
def write_fit(state, j):
    """Copy learner j into ``state.unit``, and write the sums of blocks of rows.

    They are its inner product with ``state.looked``, and the square of the latter.
    """
    looked = state.looked  # contains the weight as a factor
    fill_column(state.dictionary, j, state.unit)
    for block in range(len(state.sums)):
        start = block * BLOCK
        fit = 0 * looked[start]
        square = 0 * looked[start]
        for i in range(start, min(start + BLOCK, len(looked))):
            fit += looked[i] * state.unit[i]
            if state.follow_angle != 0 and state.weight[i] > 0:
                square += looked[i] * looked[i] / state.weight[i]
        state.sums[block, 0] = fit
        state.sums[block, 1] = square


@kernel
def look_between(state):
    """Write the residual at g = (1 - theta_m) f + theta_m h into ``state.looked``."""
    mix = mixing(state.clock[0])
    for i in range(len(state.mixed)):
        state.mixed[i] = (1 - mix) * state.f[i] + mix * state.h[i]
    refresh_residual(
        state.loss_function, state.y, state.weight, state.base, state.mixed, state.looked
    )


@kernel
def restart_momentum(state):
    """Restart momentum at f."""
    for i in range(len(state.f)):
        state.h[i] = state.f[i]
        state.unfitted[i] = 0 * state.f[i]
    state.clock[0] = 0 * state.clock[0]
    look_between(state)


@kernel
def follow_fit(state, fit, square):
    """Update the worst cosine of the fits, and with it the admissible gamma.

    `fit` is the inner product of a learner with ``looked``, `square` the square of the latter.
    """
    angle = state.angle
    angle[1] = angle[2]
    if square > 0.0:
        angle[0] = min(angle[0], abs(fit) / math.sqrt(square))
        angle[2] = max(admissible(angle[0]), LEAST)


@kernel
def next_round(state):
    """Begin the next round, with momentum restarted if its period is over."""
    clock = state.clock
    clock[0] += 1
    if state.period > 0 and clock[0] == state.period:
        clock[1] = RESTART
        restart_momentum(state)
    else:
        clock[1] = mixing(clock[0])
        look_between(state)


@kernel
def observe(state, loss):
    """Check the loss after a move of f; return whether the move was undone.

    Under the assumptions of its theorem the loss of round m exceeds the loss where momentum began
    by at most (m - 1) / (m + 1)^2 times the difference between that loss and the infimum.
    """
    clock = state.clock
    watch = state.watch
    m = clock[0] + 1
    if state.period < 0 and m > 1 and loss > watch[1]:
        for i in range(len(state.f)):
            state.f[i] = state.before[i]
        clock[1] = UNDO
        restart_momentum(state)
        return True
    watch[1] = loss
    if loss < watch[2]:
        watch[2], watch[4] = loss, clock[3]
    rounding = state.n_samples * 1e-15 * (abs(loss) + abs(watch[0]))
    allowed = (m - 1) / (m + 1) ** 2 * (watch[0] - state.infimum) + rounding
    if state.guard != 0 and clock[2] > LEAST and not loss - watch[0] <= allowed:
        watch[3] = 1.0
    return False


@kernel
def begin_row(state, j, shrink, theta):
    """Begin a row of the path: move f, and write the sums over rows that the row needs."""
    clock = state.clock
    clock[3] += 1
    if shrink != 0:
        if shrink < 0:
            clock[2] = clock[2] / 4 if shrink == SLOWER else clock[2]
            state.watch[0] = state.watch[1]
            restart_momentum(state)
        mix_models(state.f, state.h, state.before, shrink)
        add(state.dictionary, j, theta, state.f)
    # in the first round of AGBM the learner of f is the best for h, too
    first = state.share == 0 and state.follow_angle != 0 and clock[0] == 0
    if shrink == 0 or first:
        write_fit(state, j)


@kernel
def end_row(state, j, shrink, theta, fit, square, loss):
    """End a row of the path: move h, or look where the next learner is sought.

    fit, square, loss : the sums over all rows: see ``write_fit``, and the losses of f
    """
    clock = state.clock
    if shrink == 0:
        if state.follow_angle != 0:
            follow_fit(state, fit, square)
        for i in range(len(state.looked)):
            state.unfitted[i] = state.looked[i] - state.weight[i] * (fit * state.unit[i])
        add(state.dictionary, j, theta, state.h)
        next_round(state)
        return
    if (state.guard != 0 or state.period < 0) and observe(state, loss):
        return
    mix = shrink if shrink > 0 else mixing(clock[0])
    if state.share == 0:  # AGBM: the next row moves h and uses the corrected residual
        # no correction in the first round: this learner is the best for h, too
        if state.follow_angle != 0 and clock[0] == 0:
            follow_fit(state, fit, square)
        # 1 - mix / 2 = (m + 1) / (m + 2)
        memory = state.correction * (1 - mix / 2) * state.angle[1] / state.angle[2]
        for i in range(len(state.looked)):
            state.looked[i] += memory * state.unfitted[i]
        clock[1] = 0
    else:
        add(state.dictionary, j, state.share * clock[2] * theta / mix, state.h)
        next_round(state)


class _AcceleratedState(NamedTuple):
    loss_function: object
    dictionary: object
    y: np.ndarray
    weight: np.ndarray
    base: float | np.ndarray
    f: np.ndarray
    h: np.ndarray
    before: np.ndarray
    mixed: np.ndarray
    looked: np.ndarray
    unfitted: np.ndarray
    unit: np.ndarray
    clock: np.ndarray
    watch: np.ndarray
    angle: np.ndarray
    correction: int
    follow_angle: int
    share: float
    period: int
    guard: int
    infimum: float
    rounding: float
    n_samples: int
    sums: np.ndarray


class AcceleratedState(_AcceleratedState, ModelState):
    """Predictions f and h (n_samples,), and `looked`.

    The latter is what is correlated with the learners: the residual r at g, or the corrected c.

    AGBM uses r in even steps and c in odd ones; c <- r + correction alpha_{m-1} / alpha_m (c -
    fit), where fit is the fit of its last learner (c - fit is kept in `unfitted`), and alpha_m =
    gamma_m / theta_m. VAGBM (`share` > 0) always uses r. *Cost* of a step: one scan (or the
    correlations of the candidates) and O(n_samples).

    f, h, before : the two models, and with `period` -1 f one move before
    mixed : g
    looked, unfitted : see above, with the weights
    clock : the round m since momentum began; the `shrink` of the next row (``theta_m``, 0 if it
        moves h, ``RESTART``, ``UNDO`` or ``SLOWER``); the share of gamma that is left; rows so far
    unit : work space for a learner
    watch : with `guard` or `period` -1, the losses where momentum began, at f now, at the best f;
        whether the run has exceeded the bound of its theorem; the rows at the best f
    angle : with `follow_angle`, the worst cosine of the fits so far, and the gamma that it allowed
        one round ago and allows now; else ones
    n_samples : number of rows, of all parts if these are those of one part
    sums : (n_blocks, 2), see ``write_fit``

    Source: Lu, Karimireddy, Ponomareva, Mirrokni, *Accelerating Gradient Boosting Machines*,
    Algorithms 2 to 4.
    """

    carries = (TwoSequences,)
    from_data = True

    @classmethod
    def start(cls, problem, coefficients):
        """The model state at f = h = 0."""
        f, h, mixed, looked, unfitted, unit = (0 * problem.y for _ in range(6))
        before = f.copy() if coefficients.period < 0 else f[:0]
        zero = 0 * problem.y.sum()
        guard = coefficients.guard and problem.infimum > -math.inf
        clock, watch, angle = map(
            np.array, ([zero, mixing(zero), 1 + zero, zero], [zero] * 5, [1 + zero] * 3)
        )
        state = cls(
            problem.loss,
            problem.dictionary,
            problem.y,
            problem.weight,
            problem.base,
            f,
            h,
            before,
            mixed,
            looked,
            unfitted,
            unit,
            clock,
            watch,
            angle,
            coefficients.correction,
            coefficients.follow_angle,
            coefficients.share,
            coefficients.period,
            int(guard),
            problem.infimum if guard else 0.0,
            problem.tie,
            problem.n_samples,
            np.zeros((len(first_rows(len(problem.y))), 2), problem.y.dtype),
        )
        begin_residual(
            state.loss_function, state.y, state.weight, state.base, state.mixed, state.looked
        )
        if state.watches:
            state.watch[:3] = problem.start_loss
        return state

    @property
    def watches(self):
        """Whether losses are computed during the run."""
        return self.guard != 0 or self.period < 0

    @property
    def pred(self):
        """The prediction of the model, f."""
        return self.f

    @property
    def best_rows(self):
        """The number of steps after which f had its least loss.

        None unless the run has exceeded the bound of its theorem.
        """
        return int(self.watch[4]) if self.watch[3] != 0 else None

    @property
    def remark(self):
        """A remark if f was better at an earlier step, or if momentum was restarted with a smaller
        gamma.
        """
        quarters = round(-math.log(float(self.clock[2]), 4))
        went = (
            f"the loss exceeded the bound of the theorem: {quarters} time(s) the run returned "
            "to its best model, and momentum "
        )
        begun = f"{went}restarted with a quarter of gamma" if quarters else ""
        passed = (
            f"the loss was lower after step {int(self.watch[4]):,}"
            if self.watch[2] < self.watch[1]
            else ""
        )
        return "; ".join(filter(None, (begun, passed)))

    def slow_down(self):
        """Restart momentum with a quarter of gamma."""
        self.clock[1] = SLOWER
        restart_momentum(self)

    def tempo(self):
        """The round, the `shrink` of the next row, and the share of gamma that is left."""
        return self.clock[0], self.clock[1], self.clock[2] * self.angle[2]

    def sought(self):
        """The vector that is correlated with the learners."""
        return self.looked

    def write_curvature(self, out):
        """Write the second derivatives, at the point where the residual is taken, into `out`."""
        curvature_of_each(self.loss_function, self.y, self.weight, self.base, self.mixed, out)

    def scan(self):
        return scan(self.dictionary, self.looked)

    def correlations(self, index):
        return correlations(self.dictionary, self.looked, index)

    def tie(self):
        return self.rounding

    def stopped(self):
        """Whether the run has exceeded the bound of its theorem."""
        return self.watch[3] != 0

    def begin_row(self, j, shrink, theta):
        """Begin a row: see the function of this name."""
        begin_row(self, j, shrink, theta)

    def end_row(self, j, shrink, theta, fit, square, loss):
        """End a row, with the sums over all rows of all parts."""
        end_row(self, j, shrink, theta, fit, square, loss)

    def push(self, j, shrink, theta):
        """Make one row of the path: it moves f if shrink is not 0, and h if shrink is 0."""
        begin_row(self, j, shrink, theta)
        loss = 0 * theta
        if shrink != 0 and (self.guard != 0 or self.period < 0):
            loss = sum_of_losses(self.loss_function, self.y, self.weight, self.base, self.f)
        fit = sum_of_blocks(self.sums, 0)
        end_row(self, j, shrink, theta, fit, sum_of_blocks(self.sums, 1), loss)
