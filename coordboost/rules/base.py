"""Base classes of rules: the verbs that each must have, and what it may declare, with its default.

A rule of the package, and one of a user's own, is a named tuple that inherits from the base of its kind: its fields are data, its methods
kernels. An attribute of a base stands for what a rule does not declare; ``None`` for a method that it does not have.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from coordboost.data.problem import Problem


class SelectionRule(ABC):
    """Which learners are looked at in a step, and which of them wins.

    Examples
    --------
    >>> from typing import NamedTuple
    >>> import coordboost as cb
    >>> class Last(NamedTuple("_Last", []), cb.rules.SelectionRule):
    ...     def pick(self, state, step, beta, drawn, k):
    ...         corr = state.scan()
    ...         return len(corr) - 1, corr[-1]
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> cb.solve(problem, cb.rules.Method("last", Last(), cb.rules.LineSearch()), 2, compile=False).path.learner
    array([1, 1])
    """

    __slots__ = ()

    expected = "a selection rule such as Greedy() or RandomSubset(10)"

    #: numbers drawn for a step
    width = 0
    #: draw(rng, n_rows, n_learners), whole numbers (n_rows, width)
    draw: Callable | None = None
    #: the numbers are 0, 1, ..., less than this; default n_learners
    draws_below: int | None = None
    #: looks at all learners, and the largest score wins
    greedy = False
    #: looks at all learners of some groups, and the largest score wins
    grouped = False
    #: by_groups(), of a rule that draws learners: the one that draws groups instead, over an implicit dictionary
    by_groups: Callable | None = None
    #: the choice does not depend on the residual
    blind = False
    #: chances(corr (n, n_learners), square (n,), rng), of learners, for n residuals; and whether they are those of all
    chances: Callable | None = None
    #: unions(draws, rng), of a rule that fits several blocks at once: masks (n, n_blocks), and their probabilities
    unions: Callable | None = None
    #: it looks at the residual, too: sought(state)
    sees_residual = False
    #: looks at the learners of some families, and at the losses that their steps lead to
    foresees = False
    #: it can work on blocks of columns that are fitted together, and not only on learners that can be counted
    of_blocks = False
    #: norm(a), under which expected progress is measured
    norm: Callable | None = None
    #: dual_norm(b)
    dual_norm: Callable | None = None
    #: weights(n), those of the norm, (n,)
    weights: Callable | None = None

    def looked_at(self, drawn: np.ndarray, n_learners: int) -> int:
        """How many correlations some steps take.

        Parameters
        ----------
        drawn : ndarray of int64, (n_steps, width)
            What was drawn for these steps.
        n_learners : int
            Learners of the problem.

        Returns
        -------
        int
            By default one for each number drawn, and all of them where none is.
        """
        return drawn.size if self.width else len(drawn) * n_learners

    def bind(self, problem: Problem) -> "SelectionRule":
        """The rule checked against the problem and filled in from it.

        Parameters
        ----------
        problem : Problem
            What the rule is for.

        Returns
        -------
        SelectionRule
            The rule itself, or a copy.
        """
        return self

    @abstractmethod
    def pick(self, state: Any, step: Any, beta: Any, drawn: np.ndarray, k: int) -> tuple[int, float]:
        """The learner of step k and its correlation.

        Parameters
        ----------
        state : object
            The model state, whose verbs give correlations.
        step : StepRule
            For its `score`, what learners compete by.
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


class StepRule(ABC):
    """How far a step goes along the learner that was picked.

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

    #: how many sequences of coefficients it moves
    sequences = 1
    #: how many steps are a round
    phases = 1
    #: coefficients are this times what the rule's theta sum to
    unit = 1.0
    #: why it needs a convex loss, in words
    needs_convex: str | None = None
    #: score(j, corr, beta_j), what learners compete by; default the size of the correlation
    score: Callable | None = None
    #: theta is this times corr, for the squared loss: a step of LS-Boost
    ls_boost_rate: float | None = None
    #: (eps, delta): theta is eps sign(corr) and shrink eps / delta; numbers, or one for each step
    stagewise: tuple | None = None
    #: the radius of the l1 ball that a step of Frank-Wolfe is for
    frank_wolfe: float | None = None
    #: the same for steps towards a vertex or away from one; shrink may be negative
    corrective: float | None = None
    #: its steps depend on the family of a learner: the table is its field `families`
    by_family = False
    #: most steps
    horizon: int | None = None
    #: radius_at(k) of the ball that the model after k steps is compared with
    radius_at: Callable | None = None

    def bind(self, problem: Problem) -> "StepRule":
        """The rule checked against the problem and filled in from it.

        Parameters
        ----------
        problem : Problem
            What the rule is for.

        Returns
        -------
        StepRule
            The rule itself, or a copy.
        """
        return self

    @abstractmethod
    def move(self, k: int, state: Any, j: int, corr: float, beta_j: float) -> tuple[float, float]:
        """How far step k goes: coefficients are multiplied by 1 - shrink, then theta is added to that of learner j.

        Parameters
        ----------
        k : int
            Step number, from 0.
        state : object
            The model state, whose ``search(j, a, b)`` is a line search.
        j : int
            The learner picked.
        corr : float
            Its correlation <B_j, resid>.
        beta_j : float
            Its coefficient, in units of theta.

        Returns
        -------
        shrink : float
            From 0, which leaves the model as it is, to 1.
        theta : float
            In multiples of `unit`.
        """


class CoefficientRule(ABC):
    """What the steps of a path do to the coefficients, which it keeps.

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

    expected = "a store of coefficients such as Single()"

    #: a row of the path is the whole update: beta <- (1 - shrink) beta, then beta_j <- beta_j + unit theta
    plain = False
    #: how many sequences of coefficients the rows move
    sequences = 1
    #: it is for steps that also move away from vertices
    corrective = False
    #: room(n), the same store with room for n learners, where they come one by one
    room: Callable | None = None
    #: follow(dictionary, unit), the predictions on other rows that the rows of a path move, from 0
    follow: Callable | None = None
    #: gamma of the step follows the worst cosine of the fits, where none is certified
    follow_angle = 0
    #: coefficient(j) is beta_j at any step; else it is 0, for rules that do not ask
    knows_coefficient = True

    @abstractmethod
    def start(self, problem: Problem) -> "CoefficientRule":
        """The same rule at beta = 0.

        Parameters
        ----------
        problem : Problem
            For the number of learners.

        Returns
        -------
        CoefficientRule
            With memory of its own.
        """

    @abstractmethod
    def accumulate(self, j: int, shrink: float, theta: float) -> None:
        """Make the update of one row of the path.

        Parameters
        ----------
        j : int
            The learner.
        shrink : float
            What coefficients lose first, as a part of 1.
        theta : float
            What is added to that of learner j, in units of the step rule.
        """

    @abstractmethod
    def coefficient(self, j: int) -> float:
        """beta_j in the units of theta.

        Parameters
        ----------
        j : int
            The learner.

        Returns
        -------
        float
            In the units of theta.
        """

    @abstractmethod
    def beta(self, unit: float) -> np.ndarray:
        """The coefficients (n_learners,), `unit` being that of the step rule.

        Parameters
        ----------
        unit : float
            That of the step rule.

        Returns
        -------
        ndarray, (n_learners,)
            Coefficients of the unit columns.
        """
