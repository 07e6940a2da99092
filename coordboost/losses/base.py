"""The base class of losses: what each must have, and what it may declare, with its default.

A loss of the package, and one of a user's own, is a named tuple that inherits from ``Loss``: its fields are data, its methods kernels. An
attribute of the base stands for what a loss does not declare; ``None`` for a method that it does not have.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np

#: What can be done with any loss.
ANY_LOSS = "gbm(rate), or RandomizedGBMRegressor and RandomizedGBMClassifier, which take any loss"


class Loss(ABC):
    """A loss: the objective is the sum of ``weight * value(y, f)`` over the samples.

    Examples
    --------
    >>> import math
    >>> from typing import NamedTuple
    >>> import coordboost as cb
    >>> class LogCosh(NamedTuple("_LogCosh", []), cb.losses.Loss):
    ...     sigma = 1.0
    ...     infimum = 0.0
    ...     location = True
    ...     def value(self, y, f):
    ...         return math.log(math.cosh(y - f))
    ...     def residual(self, y, f):
    ...         return math.tanh(y - f)
    >>> problem = cb.Problem([[1.0], [2], [3]], [1.0, 2, 4], LogCosh())
    >>> cb.solve(problem, cb.methods.gcd(), 50).final.loss < problem.start_loss
    True
    """

    __slots__ = ()

    expected = "a loss object such as Squared() or Huber(1.0)"

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
        """The loss of the prediction `f` for the target `y`.

        Parameters
        ----------
        y : float
            Target.
        f : float
            Prediction.

        Returns
        -------
        float
            In the units of the objective.
        """

    @abstractmethod
    def residual(self, y, f):
        """Minus the derivative of `value` in `f`.

        Parameters
        ----------
        y : float
            Target.
        f : float
            Prediction.

        Returns
        -------
        float
            For a loss that is not smooth minus a subgradient.
        """

    def check(self):
        """Refuse parameters that do not fit."""
        return


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
