r"""Losses of exponential form: :math:`a e^{s f} - c f` or :math:`a \log(1 + e^{s f})`, s = -1 or 1.

So are the logistic, the Poisson, the exponential and the gamma loss, weights included. One pass
over the samples gives the loss, residuals and curvatures, by an exponential that vectorises.

With r the residuals, minus the derivatives, and h the curvatures let
:math:`\kappa = \sum_i r_i / \sum_i h_i`, and :math:`\theta = \sigma (r - \kappa h)`. The curvature
of such a loss is a concave function of its derivative, and its slope in the derivative is at most 1
in size. So on the way from -r to -theta the curvature is at least
:math:`\sigma (1 - |\kappa|) h`, and by Taylor's formula the conjugates satisfy

.. math::
    \sum_i \ell_i(f_i) + \ell_i^*(-\theta_i) + \theta_i f_i \le
    \frac{(1 - \sigma)^2 \sum_i r_i^2 / h_i + (2 - \sigma) \sigma \kappa \sum_i r_i}
    {2 \sigma (1 - |\kappa|)}.

The right side needs no logarithms, and is of second order in 1 - sigma. The point theta is
orthogonal to constants: it is a dual point for a free intercept, whatever the intercept is now.
Where the intercept is fixed kappa is 0.
"""

from typing import NamedTuple

import numpy as np

from coordboost._numba import kernel, reduction
from coordboost._numba.decay import decay, log_one_plus

#: Above this exponent the package continues the exponential by its tangent: no longer of this form.
LARGEST_EXPONENT = 600.0
#: Smallest exponential that is divided by.
TINY = 1e-300


class _ExponentialForm(NamedTuple):
    size: np.ndarray
    sign: np.ndarray
    linear: np.ndarray
    bounded: bool


class ExponentialForm(_ExponentialForm):
    """The losses of samples: ``size exp(sign f) - linear f``.

    If `bounded`, they are ``size log(1 + exp(sign f))``.

    size, sign, linear : (n_samples,), with ``size >= 0``, ``sign`` -1 or 1, ``sign * linear >= 0``
    """

    __slots__ = ()

    def evaluate(self, pred, resid, curvature, sums):
        """Fill residuals and curvatures at the predictions, (n_samples,) each, and `sums` (1,) with
        the sum of the residuals.

        Return the loss, the sums of the curvatures and of resid^2 / curvature. The loss is infinite
        where an exponent is above LARGEST_EXPONENT.
        """
        loss, sums[0], sum_h, sum_q = exponential_sums(self, pred, resid, curvature)
        return loss, sum_h, sum_q

    def newton_shift(self, curvature, sums, total, shift):
        """Fill `shift` (1,) with Newton's step to the best intercept, kappa; return its size.

        total : the sum of the curvatures
        """
        shift[0] = sums[0] / total
        return abs(shift[0])

    def centre(self, resid, curvature, shift):
        """Subtract ``kappa * curvature`` from the residuals."""
        for i in range(len(resid)):
            resid[i] -= shift[0] * curvature[i]


@reduction
def exponential_sums(form, pred, resid, curvature):
    """Fill as `ExponentialForm.evaluate`, and return four sums: loss, residuals, curvatures,
    resid^2 / curvature.
    """
    size, sign, linear, bounded = form
    loss = 0.0
    sum_r = 0.0
    sum_h = 0.0
    sum_q = 0.0
    largest = 0.0
    for i in range(len(pred)):
        exponent = sign[i] * pred[i]
        z = max(decay(abs(exponent)), TINY)
        growth = size[i] * (1.0 / z if exponent > 0.0 else z)
        if bounded:
            share = 1.0 / (1.0 + z)
            resid[i] = -sign[i] * size[i] * (share if exponent > 0.0 else z * share)
            curvature[i] = size[i] * z * share * share
            loss += size[i] * (max(exponent, 0.0) + log_one_plus(z))
            sum_q += growth
        else:
            r = linear[i] - sign[i] * growth
            resid[i] = r
            curvature[i] = growth
            largest = max(largest, exponent)
            loss += growth - linear[i] * pred[i]
            sum_q += r * r / growth if r != 0.0 else 0.0
        sum_r += resid[i]
        sum_h += curvature[i]
    return loss if largest <= LARGEST_EXPONENT else np.inf, sum_r, sum_h, sum_q


@kernel
def bregman_bound(scale, size, along, sum_q):
    """The bound of the module's head, for the dual point ``scale (resid - kappa curvature)``.

    size, along : abs(kappa), and kappa times the sum of the residuals; 0 where the intercept is
        fixed
    sum_q : the sum of resid^2 / curvature
    """
    if not (size < 0.5 and scale > 0.0):
        return np.inf
    lost = (1.0 - scale) * (1.0 - scale) * sum_q if scale < 1.0 else 0.0
    return (lost + (2.0 - scale) * scale * along) / (2.0 * scale * (1.0 - size))


def form_at(problem):
    """The form of the loss of a problem, for its targets and weights, or None.

    A loss of your own has none: what it inherits may be changed.
    """
    loss = problem.loss
    if type(loss).__module__ != "coordboost.losses.standard" or loss.exponential_form is None:
        return None
    return loss.exponential_form(problem.y, problem.weight)
