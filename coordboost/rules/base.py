"""Base classes of rules.

The methods that each must have, and the attributes that it may declare, with their defaults.

A rule, of the package or your own, is a named tuple that inherits from the base class of its kind:
its fields are data, its methods are kernels. The attributes of the base class are the defaults;
``None`` stands for a method that a rule does not have.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from coordboost._utils.kinds import Piece
from coordboost.data.problem import Problem


class SelectionRule(Piece, ABC):
    """Choose the learner of a step: which learners are candidates, and which of them is selected.

    Examples
    --------
    >>> from typing import NamedTuple
    >>> import coordboost as cb
    >>> class Last(NamedTuple("_Last", []), cb.rules.SelectionRule):
    ...     def pick(self, state, step, beta, drawn, k):
    ...         corr = state.scan()
    ...         return len(corr) - 1, corr[-1]
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> method = cb.rules.Method("last", Last(), cb.rules.LineSearch())
    >>> cb.solve(problem, method, 2, compile=False).path.learner
    array([1, 1])
    """

    __slots__ = ()

    expected = "a selection rule such as Greedy() or RandomSubset(10)"

    #: how many random numbers a step uses
    width = 0
    #: draw(rng, n_rows, n_learners), the random integers of n_rows steps, (n_rows, width)
    draw: Callable | None = None
    #: the integers are from 0 to this minus 1; default n_learners
    draws_below: int | None = None
    #: the candidates are all learners, and the largest score is selected
    greedy = False
    #: the candidates are all learners of some groups, and the largest score is selected
    grouped = False
    #: by_groups(), for a rule that draws learners: the rule that draws groups instead, over an
    #: implicit dictionary
    by_groups: Callable | None = None
    #: the choice does not depend on the residual
    blind = False
    #: chances(corr (n, n_learners), square (n,), rng): the probability of each learner, for n
    #: residuals with squared norms `square`; and whether these probabilities are the same for all
    #: residuals
    chances: Callable | None = None
    #: unions(draws, rng), for a rule that fits several blocks at once: masks (n, n_blocks), and
    #: their probabilities
    unions: Callable | None = None
    #: uses the residual itself, by sought(state), and not only correlations
    sees_residual = False
    #: the candidates are learners of some families, compared by the losses after their steps
    foresees = False
    #: also works on blocks of columns that are fitted together
    of_blocks = False
    #: norm(a), in which the expected progress of a step is measured
    norm: Callable | None = None
    #: dual_norm(b)
    dual_norm: Callable | None = None
    #: weights(n), the weights of the norm, (n,)
    weights: Callable | None = None

    def looked_at(self, drawn: np.ndarray, n_learners: int) -> int:
        """Return how many correlations some steps compute.

        Parameters
        ----------
        drawn : ndarray of int64, (n_steps, width)
            The random numbers of these steps.
        n_learners : int
            Learners of the problem.

        Returns
        -------
        int
            By default one for each number drawn, and one for each learner if nothing is drawn.
        """
        return drawn.size if self.width else len(drawn) * n_learners

    def bind(self, problem: Problem) -> "SelectionRule":
        """Check the rule against the problem, and fill in the fields that depend on it.

        Parameters
        ----------
        problem : Problem
            The problem to solve.

        Returns
        -------
        SelectionRule
            The rule itself, or a copy.
        """
        return self

    @abstractmethod
    def pick(
        self, state: Any, step: Any, beta: Any, drawn: np.ndarray, k: int
    ) -> tuple[int, float]:
        """Return the learner of step k and its correlation.

        Parameters
        ----------
        state : object
            The model state, whose verbs give correlations.
        step : StepRule
            The step rule; its `score` ranks the learners.
        beta : CoefficientRule
            The coefficients.
        drawn : ndarray, (width,)
            The numbers drawn for the step.
        k : int
            Step number, from 0.

        Returns
        -------
        j : int
            The learner.
        corr : float
            <B_j, resid>.
        """


class StepRule(Piece, ABC):
    """The length of a step along the selected learner.

    Examples
    --------
    >>> from typing import NamedTuple
    >>> import coordboost as cb
    >>> class Halving(NamedTuple("_Halving", [("eps", float)]), cb.rules.StepRule):
    ...     def move(self, k, state, j, corr, beta_j):
    ...         return 0.0, (self.eps if corr > 0 else -self.eps) / 2**k
    >>> problem = cb.Problem([[1.0], [2], [3]], [1.0, 2, 4])
    >>> cb.solve(problem, cb.rules.Method("halving", cb.rules.Greedy(), Halving(1.0)), 3).beta
    array([1.75])
    """

    __slots__ = ()

    expected = "a step rule such as LineSearch() or ShrunkenStep(0.1)"

    #: number of coefficient sequences that it moves
    sequences = 1
    #: number of steps in a round
    phases = 1
    #: theta counts in this unit: a coefficient is `unit` times its sum of theta
    unit = 1.0
    #: why it needs a convex loss, for the error message
    needs_convex: str | None = None
    #: `move` uses ``state.pred``, the prediction of the model (n_samples,): the run then takes a
    #: model state that has it, with a scan in each greedy step
    sees_prediction = False
    #: score(j, corr, beta_j): the learner with the largest score is selected; default abs(corr)
    score: Callable | None = None
    #: for the squared loss theta is this times corr: a step of LS-Boost
    ls_boost_rate: float | None = None
    #: (eps, delta): theta is eps sign(corr) and shrink is eps / delta; each a number, or an array
    #: with one for each step
    stagewise: tuple | None = None
    #: radius of the l1 ball, for Frank-Wolfe steps
    frank_wolfe: float | None = None
    #: radius of the l1 ball, for steps that also move away from vertices; shrink may be negative
    corrective: float | None = None
    #: its steps depend on the family of the learner; it has the field `families`, a table
    by_family = False
    #: largest number of steps; None for no limit
    horizon: int | None = None
    #: radius_at(k): the model after k steps is compared with the optimum in the l1 ball of this
    #: radius
    radius_at: Callable | None = None

    def bind(self, problem: Problem) -> "StepRule":
        """Check the rule against the problem, and fill in the fields that depend on it.

        Parameters
        ----------
        problem : Problem
            The problem to solve.

        Returns
        -------
        StepRule
            The rule itself, or a copy.
        """
        return self

    @abstractmethod
    def move(self, k: int, state: Any, j: int, corr: float, beta_j: float) -> tuple[float, float]:
        """Return the update of step k.

        Coefficients are multiplied by 1 - shrink, then `unit` theta is added to coefficient j.

        Parameters
        ----------
        k : int
            Step number, from 0.
        state : object
            The model state; its ``search(j, a, b)`` is a line search, and ``pred`` the prediction
            if the rule declares `sees_prediction`.
        j : int
            The selected learner.
        corr : float
            Its correlation <B_j, resid>.
        beta_j : float
            Its coefficient, in units of theta.

        Returns
        -------
        shrink : float
            The model is multiplied by 1 - shrink; from 0 to 1.
        theta : float
            In multiples of `unit`.
        """


class CoefficientRule(Piece, ABC):
    """Hold the coefficients, and update them by the rows of a path.

    Examples
    --------
    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> rule = cb.ls_boost(0.1).coefficients.start(problem)
    >>> rule.accumulate(1, 0.0, 2.5)
    >>> rule.coefficient(1), rule.beta(1.0)
    (np.float64(2.5), array([0. , 2.5]))
    """

    __slots__ = ()

    expected = "a coefficient rule such as Single()"

    #: a row of the path is the whole update: beta <- (1 - shrink) beta, then beta_j <- beta_j +
    #: unit theta
    plain = False
    #: number of coefficient sequences that the rows move
    sequences = 1
    #: for steps that also move away from vertices
    corrective = False
    #: room(n), the same store with room for n learners, for implicit dictionaries, whose learners
    #: are found one by one
    room: Callable | None = None
    #: follow(dictionary, unit), predictions on other samples, starting at 0, that the rows of a
    #: path update
    follow: Callable | None = None
    #: gamma is bounded by the worst cosine of the fits so far, if no minimal cosine angle is
    #: certified
    follow_angle = 0
    #: coefficient(j) is beta_j at any step; if False it returns 0, for rules that do not use it
    knows_coefficient = True

    @abstractmethod
    def start(self, problem: Problem) -> "CoefficientRule":
        """Return the same rule at beta = 0.

        Parameters
        ----------
        problem : Problem
            For the number of learners.

        Returns
        -------
        CoefficientRule
            With its own memory.
        """

    @abstractmethod
    def accumulate(self, j: int, shrink: float, theta: float) -> None:
        """Update the coefficients by one row of the path.

        Parameters
        ----------
        j : int
            The learner.
        shrink : float
            All coefficients are first multiplied by 1 - shrink.
        theta : float
            Then added to coefficient j, in units of the step rule.
        """

    @abstractmethod
    def coefficient(self, j: int) -> float:
        """Return beta_j in the units of theta.

        Parameters
        ----------
        j : int
            The learner.

        Returns
        -------
        float
            The coefficient.
        """

    @abstractmethod
    def beta(self, unit: float) -> np.ndarray:
        """Return the coefficients (n_learners,).

        Parameters
        ----------
        unit : float
            The `unit` of the step rule.

        Returns
        -------
        ndarray, (n_learners,)
            Coefficients of the unit columns.
        """
