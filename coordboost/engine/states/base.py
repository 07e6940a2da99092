"""The base class of model states: what the loop steps on."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np


class ModelState(ABC):
    """The state of a model that the loop looks at and moves; the class method ``start(problem)`` makes it at beta = 0."""

    __slots__ = ()

    #: renew(beta): the state recomputed from the coefficients
    renew: Callable | None = None
    #: the stores that it keeps the model of, where these are not the plain ones; start(problem, store) then
    carries: tuple | None = None
    #: it is for learners that have numbers from the start
    countable = True
    #: the rows of a path are enough to bring it where they lead, without another look at the data
    follows = True
    #: it needs the squared loss
    quadratic = False
    #: it begins with the Gram matrix of all learners, and no step looks at the data
    from_gram = False
    #: after(j, theta), the sum of the losses at pred + theta B_j, up to a number that is the same for all j
    foresees = False
    #: it needs a method for which the largest correlation of all wins
    greedy = False
    #: the prediction of the model, (n_samples,), where it holds one
    pred: np.ndarray | None = None
    #: sought(), what is correlated with the learners, (n_samples,), where it holds that
    sought: Callable | None = None
    #: decide(step, beta, corr), of a model state that says whose turn it is: the learner of the next row
    decide: Callable | None = None
    #: it can be given noise: start(problem, store, noise) then
    perturbs = False
    #: room(problem, n), the same model state with room for n more learners, where they come one by one
    room: Callable | None = None
    #: the dictionary whose verbs it calls
    dictionary: Any = None
    #: the step to go back to, where the run has left what its theorem allows; then slow_down()
    best_rows: int | None = None
    #: a word about the run so far, for its message
    remark = ""
    #: scans, or searches of an implicit dictionary, in every step
    searches = 0
    #: the correlations that a rule looks at are computed from the data, and count as parts of a scan
    from_data = False

    @abstractmethod
    def tie(self) -> float:
        """Correlations that differ by no more than this are the same but for rounding.

        Returns
        -------
        float
            In the units of the correlations; 0 in exact arithmetic.
        """

    @abstractmethod
    def push(self, j: int, shrink: float, theta: float) -> None:
        """Make the step: pred <- (1 - shrink) pred + theta B_j.

        Parameters
        ----------
        j : int
            The learner.
        shrink : float
            What the model loses first, as a part of 1.
        theta : float
            How far the step goes along the learner.
        """
