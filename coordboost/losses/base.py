"""The base class of losses.

The methods that each must have, and the attributes that it may declare, with their defaults.

A loss, of the package or your own, is a named tuple that inherits from ``Loss``: its fields are
data, its methods are kernels. The attributes of the base class are the defaults; ``None`` stands
for a method that a loss does not have.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np

from coordboost._utils.kinds import Piece
from coordboost.losses.exponential import ExponentialForm

#: Methods that take any loss, for error messages.
ANY_LOSS = "gbm(rate), or RandomizedGBMRegressor and RandomizedGBMClassifier, which take any loss"


class Loss(Piece, ABC):
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
    ...
    ...     def value(self, y, f):
    ...         return math.log(math.cosh(y - f))
    ...
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
    #: generalised self-concordance: the C with abs(third derivative) <= C * curvature, 0 if the
    #: curvature is constant; Newton leaves of trees need it to stay on their side of the minimum
    #: (docs/trees.md), without it they are bounded by line searches
    self_concordance: float | None = None
    #: lower bound of value(y, .), the best that is known: a number, or a function of the targets
    #: (n_samples,)
    infimum: Callable | float = -math.inf
    #: the loss is (y - f)^2 / 2: correlations are linear in the coefficients
    quadratic = False
    #: value(y, .) is convex; otherwise there is no certificate, bound or line search. Certificates
    #: try it on the data at hand
    convex = True
    #: level_radius(total): upper bound of the norm of y - f if the losses sum to at most `total`
    level_radius: Callable | None = None
    #: the loss depends on y - f alone, so an offset can be subtracted from y
    location = False
    #: labels(y) checks and maps the targets
    labels: Callable | None = None
    #: sum_of_losses(y, weight, base, pred), only for a loss that is no sum over samples; its
    #: `value` and `residual` are None
    sum_of_losses: Callable | None = None
    #: refresh_residual(y, weight, base, pred, resid): the residual in place, only for such a loss
    refresh_residual: Callable | None = None
    #: targets are labels -1 and +1
    two_class = False
    #: inverse_link(f) maps predictions, a number or an array, to the scale of the target; default
    #: `mean`
    inverse_link: Callable | None = None
    #: mean(f), the mean of the target (labels as 0 and 1) given predictions f, an array; default f
    mean: Callable | None = None
    #: exponential_form(y, weight), for losses of the package: see ``losses/exponential.py``; it may
    #: return None
    exponential_form: Callable[..., ExponentialForm | None] | None = None
    #: constant(y, weight), the best constant prediction; by default the root of the sum of the
    #: residuals
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
            For a loss that is not smooth, minus a subgradient.
        """

    def check(self):
        """Raise ValueError for invalid parameters."""
        return


def sigma_of(
    loss,
    what,
    instead="step=LineSearch() where the method takes it, gbm(rate) or forward_stagewise(eps)",
):
    """Return the smoothness constant of a loss.

    Raise ValueError, with `what` needs it, if there is none.
    """
    if loss.sigma is None:
        raise ValueError(
            f"{type(loss).__name__} declares no smoothness constant sigma, which {what} needs: use "
            f"{instead}, or declare sigma."
        )
    return loss.sigma


def link_of(loss):
    """Return the function that maps predictions to the scale of the target, or None."""
    return loss.inverse_link or loss.mean


def on_scale_of_y(loss, pred):
    """Map predictions (n_samples,) to the scale of the target by `link_of`.

    Without a link return them as they are.
    """
    link = link_of(loss)
    if link is None:
        return pred
    if len(pred) == 1:  # older versions of NumPy take an array of one number for a number
        return np.array([link(pred[0])], dtype=np.float64)
    try:
        return np.asarray(link(pred), dtype=np.float64)
    except TypeError:  # the link takes one number, like a kernel
        return np.vectorize(link, otypes=[np.float64])(pred)
