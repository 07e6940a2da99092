"""Base classes of losses and rules: the verbs that each must have, and what it may declare, with its default.

A piece of the package, and one of a user's own, is a named tuple that inherits from the base of its kind: its fields are data, its methods
kernels. An attribute of a base stands for what a piece does not declare; ``None`` for a method that it does not have.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np

from coordboost._checks import shown

#: What can be done with any loss.
ANY_LOSS = "gbm(rate), or RandomizedGBMRegressor and RandomizedGBMClassifier, which take any loss"


class Loss(ABC):
    """A loss: the objective is the sum of ``weight * value(y, f)`` over the samples."""

    __slots__ = ()

    #: curvature(y, f), the second derivative
    curvature: Callable | None = None
    #: line_search(y, weight, f, direction), in closed form
    line_search: Callable | None = None
    #: smoothness constant
    sigma: float | None = None
    #: constant of strong convexity
    mu: float | None = None
    #: largest known lower bound of value(y, .): a number, or a function of the targets (n_samples,)
    infimum: Callable | float = -math.inf
    #: the loss is (y - f)^2 / 2: correlations are linear in the coefficients
    quadratic = False
    #: value(y, .) is convex; else no certificate, bound or line search is to be had
    convex = True
    #: level_radius(total): most that the norm of y - f can be where losses sum to at most `total`
    level_radius: Callable | None = None
    #: the loss depends on y - f alone: an offset can be taken out of y
    location = False
    #: labels(y) checks and maps the targets
    labels: Callable | None = None
    #: sum_of_losses(y, weight, base, pred), of a loss that is no sum over samples; `value` and `residual` are None then
    sum_of_losses: Callable | None = None
    #: refresh_residual(y, weight, base, pred, resid): the residual in place, of such a loss
    refresh_residual: Callable | None = None
    #: targets are labels -1 and +1
    two_class = False
    #: inverse_link(f), predictions f, an array or one, on the scale of the target; default `mean`
    inverse_link: Callable | None = None
    #: mean(f), the mean of the target (of labels as 0 and 1) at predictions f, an array; default f
    mean: Callable | None = None
    #: constant(y, weight), the best constant prediction; else found where the residuals sum to 0
    constant: Callable | None = None

    @abstractmethod
    def value(self, y, f):
        """The loss of the prediction `f` for the target `y`."""

    @abstractmethod
    def residual(self, y, f):
        """Minus the derivative of `value` in `f`."""

    def check(self):
        """Refuse parameters that do not fit."""
        return


class SelectionRule(ABC):
    """Which learners are looked at in a step, and which of them wins."""

    __slots__ = ()

    #: numbers drawn for a step
    width = 0
    #: draw(rng, n_rows, n_learners), whole numbers (n_rows, width)
    draw: Callable | None = None
    #: draw_in_parts(rng, n_rows, n_learners), the same rows in parts: an iterator
    draw_in_parts: Callable | None = None
    #: the numbers are 0, 1, ..., less than this; default n_learners
    draws_below: int | None = None
    #: looks at all learners, and the largest score wins
    greedy = False
    #: looks at all learners of some groups, and the largest score wins
    grouped = False
    #: the choice does not depend on the residual
    blind = False
    #: chances(corr (n, n_learners), square (n,), rng), of learners, for n residuals; and whether they are those of all
    chances: Callable | None = None
    #: unions(draws, rng), of a rule that fits several blocks at once: masks (n, n_blocks), and their probabilities
    unions: Callable | None = None
    #: it looks at the residual, too: sought(view)
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

    def bind(self, problem):
        """The rule checked against the problem and filled in from it."""
        return self

    @abstractmethod
    def pick(self, view, step, beta, drawn, k):
        """The learner of step k and its correlation, (int, float); `drawn` has the `width` numbers of the step."""


class StepRule(ABC):
    """How far a step goes along the learner that was picked."""

    __slots__ = ()

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
    ls_rate: float | None = None
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

    def bind(self, problem):
        """The rule checked against the problem and filled in from it."""
        return self

    @abstractmethod
    def move(self, k, view, j, corr, beta_j):
        """(shrink, theta): coefficients are multiplied by 1 - shrink, then theta is added to that of learner j."""


class CoefficientRule(ABC):
    """What the steps of a path do to the coefficients, which it keeps."""

    __slots__ = ()

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
    #: coefficient(j) tells beta_j at any step; else it is 0, for rules that do not ask
    told = True

    @abstractmethod
    def start(self, problem):
        """The same rule at beta = 0."""

    @abstractmethod
    def accumulate(self, j, shrink, theta):
        """Make the update of one row of the path."""

    @abstractmethod
    def coefficient(self, j):
        """beta_j in the units of theta."""

    @abstractmethod
    def beta(self, unit):
        """The coefficients (n_learners,), `unit` being that of the step rule."""


#: What each kind is called, and what to pass where one is expected.
EXPECTED = {
    Loss: "a loss object such as Squared() or Huber(1.0)",
    SelectionRule: "a selection rule such as Full() or Subset(10)",
    StepRule: "a step rule such as LineSearch() or Proportional(0.1)",
    CoefficientRule: "a store of coefficients such as Single()",
}


def checked_piece(kind, name, piece, expected=None):
    """`piece`, an object of the base class `kind` that has all of its verbs.

    Raises
    ------
    ValueError
        "`name` must be ..., got ...", and which verb is missing, or from which class to inherit.
    """
    missing = [verb for verb in ("n_samples", "n_learners") if verb in kind.__annotations__ and not hasattr(piece, verb)]
    missing += sorted(getattr(type(piece), "__abstractmethods__", ()))
    if isinstance(piece, kind) and not missing:
        return piece
    hint = ""
    if isinstance(piece, kind):
        hint = f" It lacks {', '.join(missing)}."
    elif any(hasattr(piece, verb) for verb in kind.__abstractmethods__):
        hint = f" A class of your own inherits from coordboost.{kind.__name__}."
    raise ValueError(f"{name} must be {expected or EXPECTED[kind]}, got {shown(piece)}.{hint}")


def pieces_of(kind):
    """The classes of the package that inherit from the base class `kind`, by name: those that have been loaded."""
    below = [one for cls in kind.__subclasses__() for one in (cls, *pieces_of(cls).values())]
    return {cls.__name__: cls for cls in below if cls.__module__.startswith("coordboost.") and not cls.__abstractmethods__}


def sigma_of(loss, what, instead="step=LineSearch() where the method takes it, gbm(rate) or forward_stagewise(eps)"):
    """The smoothness constant of a loss, without which there is no `what`."""
    if loss.sigma is None:
        raise ValueError(
            f"{type(loss).__name__} declares no smoothness constant sigma, which {what} needs: use {instead}, or declare sigma."
        )
    return loss.sigma


def link_of(loss):
    """What brings predictions to the scale of the target, a function, or None."""
    return loss.inverse_link or loss.mean


def on_scale_of_y(loss, pred):
    """What predictions (n_samples,) of the loop mean on the scale of the target: as the loss has it, by default they themselves."""
    link = link_of(loss)
    if link is None:
        return pred
    try:
        return np.asarray(link(pred), dtype=np.float64)
    except TypeError:  # written for one number, as the kernels of a loss are
        return np.vectorize(link, otypes=[np.float64])(pred)
