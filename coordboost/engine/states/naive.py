"""The model state that computes correlations from the data.

Any loss, any dictionary, one scan per greedy step.
"""

from typing import NamedTuple

import numpy as np

from coordboost._numba import kernel, linesearch, verb
from coordboost._numba.sums import (
    base_at,
    curvature_of_each,
    refresh_residual,
    residual_into,
    sum_of_losses,
)
from coordboost.engine.states.base import ModelState, scan_work

scan = verb("scan")
correlations = verb("correlations")
add = verb("add")
column = verb("column")


@kernel
def never(state):
    """Default: a model state that never stops."""
    return False


@kernel
def as_it_is(state, k):
    """Default: a model state without noise."""


#: Whether a model state allows no further step: the run then goes back to its best step.
stopped = verb("stopped", never, inline=True)
#: Draw the noise of step k.
perturb = verb("perturb", as_it_is, inline=True)


def over(state, dictionary):
    """The model state `state` with another dictionary.

    Its inner model state, if it has one, gets it too.
    """
    inner = getattr(state, "inner", None)
    inside = {"inner": over(inner, dictionary)} if isinstance(inner, ModelState) else {}
    return state._replace(dictionary=dictionary, **inside)


#: With at least this many samples the start of a state is compiled, too: on 1,000 samples plain
#: Python takes as long as 50 tree steps.
MANY = 1 << 8


def begin_residual(loss, y, weight, base, pred, resid):
    """`refresh_residual` for calls from plain Python: compiled if there are many samples."""
    if len(y) >= MANY and y.dtype == np.float64:
        residual_into(loss, y, weight, base, pred, resid)
    else:
        refresh_residual(loss, y, weight, base, pred, resid)


@kernel
def copy_column(dictionary, j, out):
    """Out = B_j, in place."""
    learner = column(dictionary, j)
    for i in range(len(out)):
        out[i] = learner[i]


#: out = B_j, by a verb that a dictionary may have. It makes no temporary array, which would make
#: numba count references in the whole loop.
fill_column = verb("fill_column", copy_column)


def room_for_a_line(y):
    """An array for the field `line` of a model state with targets y.

    Its memory is not touched before the first search.
    """
    return np.zeros((2, len(y)), y.dtype)


class _NaiveState(NamedTuple):
    loss_function: object
    dictionary: object
    y: np.ndarray
    weight: np.ndarray
    base: float | np.ndarray
    pred: np.ndarray
    resid: np.ndarray
    rounding: float
    line: np.ndarray


class NaiveState(_NaiveState, ModelState):
    """`pred` and `resid` of length n_samples, updated in every step.

    *Cost* of a step: one scan (or the correlations of the candidates) and O(n_samples).

    Parameters
    ----------
    loss_function : Loss
        The loss of a sample.
    dictionary : Learners
        The columns B_j.
    y, weight : ndarray, (n_samples,)
        Targets, and weights of the samples.
    base : float or ndarray, (n_samples,)
        Added to `pred` inside the loss.
    pred : ndarray, (n_samples,)
        B beta.
    resid : ndarray, (n_samples,)
        -dloss/dpred.
    rounding : float
        Correlations that differ by no more than this tie.
    line : ndarray, (2, n_samples)
        Work space for a line search, its direction and its start: a step that allocates no array
        compiles in half the time.

    Examples
    --------
    The loop calls these methods. A step along the second learner lowers its correlation by the
    length of the step:

    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> state = cb.engine.NaiveState.start(problem)
    >>> state.scan().round(3)
    array([1.414, 2.753])
    >>> state.push(1, 0.0, 2.0)
    >>> state.scan().round(3)
    array([1.414, 0.753])
    """

    foresees = True
    from_data = True

    @classmethod
    def start(cls, problem):
        """The model state at beta = 0.

        Parameters
        ----------
        problem : Problem
            Any loss, any dictionary but an implicit one.

        Returns
        -------
        NaiveState
            With its own arrays.
        """
        y = problem.y
        pred = np.zeros_like(problem.y)
        resid = np.zeros_like(problem.y)
        line = room_for_a_line(y)
        state = cls(
            problem.loss,
            problem.dictionary,
            y,
            problem.weight,
            problem.base,
            pred,
            resid,
            problem.tie,
            line,
        )
        begin_residual(
            state.loss_function, state.y, state.weight, state.base, state.pred, state.resid
        )
        return state

    def renew(self, beta):
        """Recompute the state from the coefficients, so that rounding errors do not accumulate."""
        self.pred[:] = self.dictionary.combine(beta)
        begin_residual(self.loss_function, self.y, self.weight, self.base, self.pred, self.resid)

    def sought(self):
        """The vector that is correlated with the learners: the residual."""
        return self.resid

    def write_curvature(self, out):
        """Write the second derivatives of the weighted losses into `out`.

        They are those at the point where the residual is taken.

        Parameters
        ----------
        out : ndarray, (n_samples,)
            The array to fill.
        """
        curvature_of_each(self.loss_function, self.y, self.weight, self.base, self.pred, out)

    def scan(self):
        """All correlations <B_j, resid>, (n_learners,).

        Returns
        -------
        ndarray, (n_learners,)
            Computed from the data.

        Notes
        -----
        *Cost*: one scan.
        """
        return scan(self.dictionary, self.resid)

    def correlations(self, index):
        """The correlations of the learners `index`.

        Parameters
        ----------
        index : ndarray of int, (k,)
            Indices of learners.

        Returns
        -------
        ndarray, (k,)
            Correlations <B_j, resid>.
        """
        return correlations(self.dictionary, self.resid, index)

    def tie(self):
        return self.rounding

    def search_pair(self, i, a, j, b):
        direction = a * column(self.dictionary, i) + b * column(self.dictionary, j)
        return linesearch.line_search(
            self.loss_function, self.y, self.weight, self.base + self.pred, direction
        )

    def search(self, j, a, b):
        """By the line search of the loss, if it has its own; else by Newton steps inside a
        bracket.
        """
        direction = self.line[0]
        at = self.line[1]
        fill_column(self.dictionary, j, direction)
        for i in range(len(at)):
            direction[i], at[i] = (
                a * direction[i] - b * self.pred[i],
                base_at(self.base, i) + self.pred[i],
            )
        return linesearch.line_search(self.loss_function, self.y, self.weight, at, direction)

    def search_leaves(self, leaf, steps, whole):
        """Replace, in place, steps of leaves that raise the sum of the losses of their rows.

        They become the steps that minimise it.

        Parameters
        ----------
        leaf : ndarray of int, (n_samples,)
            The leaf of each row.
        steps : ndarray, (n_leaves,)
            The step of each leaf.
        whole : bool
            Whether all leaves take the step that minimises the sum.

        Returns
        -------
        bool
            Whether a step has changed.
        """
        at = self.line[1]
        for i in range(len(at)):
            at[i] = base_at(self.base, i) + self.pred[i]
        return linesearch.group_searches(
            self.loss_function, self.y, self.weight, at, leaf, steps, whole
        )

    def after(self, j, theta):
        """The sum of the losses at pred + theta B_j. *Cost*: one pass over the samples.

        Parameters
        ----------
        j : int
            The learner.
        theta : float
            The length of the step.

        Returns
        -------
        float
            The state stays as it is.
        """
        pred = self.pred.copy()
        add(self.dictionary, j, theta, pred)
        return sum_of_losses(self.loss_function, self.y, self.weight, self.base, pred)

    def push(self, j, shrink, theta):
        """Pred <- (1 - shrink) pred + theta B_j, and the residual there."""
        if shrink != 0:
            for i in range(len(self.pred)):
                self.pred[i] = (1 - shrink) * self.pred[i]
        if theta != 0:
            add(self.dictionary, j, theta, self.pred)
        refresh_residual(self.loss_function, self.y, self.weight, self.base, self.pred, self.resid)


def residual_work(problem):
    """Multiplications that the residual takes."""
    return (8 if problem.loss.quadratic else 100) * problem.n_samples


def naive_work(problem):
    """Multiplications of a greedy step of ``NaiveState``."""
    return scan_work(problem) + residual_work(problem) + 200
