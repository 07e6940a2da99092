"""The view that works on the data themselves: any loss, any dictionary, one scan per greedy step."""

from typing import NamedTuple

import numpy as np

from coordboost._numba import kernel, linesearch, verb
from coordboost._numba.sums import refresh_residual, residual_into, residual_of_each, sum_of_losses
from coordboost.engine.states.base import ModelState

scan = verb("scan")
correlations = verb("correlations")
add = verb("add")
column = verb("column")


@kernel
def never(view):
    """A view that goes on."""
    return False


@kernel
def as_it_is(view, k):
    """A view without noise."""


#: Whether a view has come to where no step may be made: the run goes back from there.
stopped = verb("stopped", never)
#: Draw the noise of step k.
perturb = verb("perturb", as_it_is)


def over(view, dictionary):
    """`view` of another dictionary."""
    own = view.over
    return view._replace(dictionary=dictionary) if own is None else own(dictionary)


#: Samples from which on setting up a view is compiled, too: in plain Python it takes as long as 50 steps with trees on 1,000 samples.
MANY = 1 << 8


def begin_residual(loss, y, weight, base, pred, resid):
    """As `refresh_residual`, from plain Python: compiled for many samples."""
    if len(y) >= MANY and y.dtype == np.float64:
        residual_into(loss, y, weight, base, pred, resid)
    else:
        refresh_residual(loss, y, weight, base, pred, resid)


@kernel
def fill_curvature(loss, y, weight, base, pred, out):
    """The second derivatives of the weighted losses, in place."""
    for i in range(len(y)):
        out[i] = weight[i] * linesearch.curvature(loss, y[i], base + pred[i])


@kernel
def add_then_refresh(dictionary, j, a, loss, y, weight, base, pred, resid, even):
    """pred += a B_j, and then the residual."""
    add(dictionary, j, a, pred)
    residual_of_each(loss, y, weight, base, pred, resid)


#: The same in one pass over the samples, which saves a third of the memory traffic: a verb that a dictionary may have.
add_and_refresh = verb("add_and_refresh", add_then_refresh)


@kernel
def copy_column(dictionary, j, out):
    """out = B_j, in place."""
    learner = column(dictionary, j)
    for i in range(len(out)):
        out[i] = learner[i]


#: The same without an array on the way, for which the whole loop would count references: a verb that a dictionary may have.
fill_column = verb("fill_column", copy_column)

#: The loss is a sum over the samples, which may be looked at one by one; it is, and every weight is 1.
SEPARABLE, EVEN = 1, 2


def separable(problem):
    """`SEPARABLE` or `EVEN`; 0 for a loss that is one function of all predictions together."""
    if problem.loss.refresh_residual is not None:
        return 0
    return EVEN if (problem.weight == 1).all() else SEPARABLE


@kernel
def push_model(view, j, shrink, theta):
    """pred <- (1 - shrink) pred + theta B_j, and the residual there."""
    if shrink != 0:
        for i in range(len(view.pred)):
            view.pred[i] = (1 - shrink) * view.pred[i]
    if theta != 0 and view.separable != 0:
        even = view.separable == EVEN
        add_and_refresh(view.dictionary, j, theta, view.loss, view.y, view.weight, view.base, view.pred, view.resid, even)
    else:
        if theta != 0:
            add(view.dictionary, j, theta, view.pred)
        refresh_residual(view.loss, view.y, view.weight, view.base, view.pred, view.resid)


def room_for_a_line(y):
    """The field `line` of a view of the targets y; its memory is not touched before a search."""
    return np.zeros((2, len(y)), y.dtype)


class _NaiveState(NamedTuple):
    loss: object
    dictionary: object
    y: np.ndarray
    weight: np.ndarray
    base: float
    pred: np.ndarray
    resid: np.ndarray
    rounding: float
    line: np.ndarray
    separable: int = 0


class NaiveState(_NaiveState, ModelState):
    """`pred` and `resid` of length n_samples, updated in every step: in one pass where the loss is `separable`.

    line : (2, n_samples), room for a direction, and where a search along it begins: a step that makes no array compiles in half the time

    *Cost* of a step: one scan (or the correlations of the candidates) and O(n_samples).
    """

    foresees = True

    @classmethod
    def start(cls, problem):
        """The view at beta = 0."""
        y, rest = problem.y, (problem.tie, room_for_a_line(problem.y), separable(problem))
        pred, resid = np.zeros_like(y), np.zeros_like(y)
        view = cls(problem.loss, problem.dictionary, y, problem.weight, problem.base, pred, resid, *rest)
        begin_residual(view.loss, view.y, view.weight, view.base, view.pred, view.resid)
        return view

    def renew(self, beta):
        """Recompute the state from the coefficients, to stop the rounding from piling up."""
        self.pred[:] = self.dictionary.combine(beta)
        begin_residual(self.loss, self.y, self.weight, self.base, self.pred, self.resid)

    def looks(self, width, n_learners):
        """How many correlations with the data a step of a rule with `width` candidates takes."""
        return width if width else n_learners

    def sought(self):
        """What is correlated with the learners."""
        return self.resid

    def weigh(self, out):
        """The second derivatives where the residual is taken, in place."""
        fill_curvature(self.loss, self.y, self.weight, self.base, self.pred, out)

    def scan(self):
        return scan(self.dictionary, self.resid)

    def correlations(self, index):
        return correlations(self.dictionary, self.resid, index)

    def tie(self):
        return self.rounding

    def search(self, j, a, b):
        """The t that minimises the loss at pred + t (a B_j - b pred)."""
        direction, at = self.line[0], self.line[1]
        fill_column(self.dictionary, j, direction)
        for i in range(len(at)):
            direction[i], at[i] = a * direction[i] - b * self.pred[i], self.base + self.pred[i]
        return linesearch.line_search(self.loss, self.y, self.weight, at, direction)

    def after(self, j, theta):
        """The sum of the losses at pred + theta B_j."""
        pred = self.pred.copy()
        add(self.dictionary, j, theta, pred)
        return sum_of_losses(self.loss, self.y, self.weight, self.base, pred)

    def push(self, j, shrink, theta):
        """pred <- (1 - shrink) pred + theta B_j."""
        push_model(self, j, shrink, theta)
