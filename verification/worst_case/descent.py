"""Worst cases of descent on a smooth convex function: gradient boosting, accelerated boosting,
LS-Boost.

sigma = 1, L* = 0, and the start is 0. Learners are fitted to gradients, so the fitted learners are
subtracted from the model.
"""

from fractions import Fraction

from coordboost.theory.performance import UnknownLoss
from verification.worst_case.models import Model


def _model(method, n, theta, mu=0, margin=0):
    """Return the ``Model`` of n steps of a method: the programme, the fitted learners and the
    points of the function.
    """
    loss = UnknownLoss(mu, theta, margin)
    programme = loss.finished(method(loss, n))
    targets, columns = zip(*loss.fits, strict=True)
    return Model(
        programme,
        loss.points,
        list(columns),
        [],
        list(targets),
        loss.minimiser,
        loss.mu,
        loss.angle,
    )


def gbm(n, theta, mu=0, margin=0):
    """Model of L(f_n) for GBM with steps 1 / sigma, under ||f_k - f*|| <= 1 for all k.

    For mu > 0 under L(0) <= 1.
    """

    def method(loss, n):
        x = loss.start
        met = [loss.start]
        for _ in range(n):
            x = x - loss.fit(loss.gradient(x))
            met.append(x)
        for unit in (
            [loss(loss.start)] if mu else [(x - loss.minimiser) @ (x - loss.minimiser) for x in met]
        ):
            loss.assume(unit)
        return loss(x)

    return _model(method, n, theta, mu, margin)


def agbm(n, theta, gamma, sign=1, margin=0):
    """Model of L(f_n) for AGBM with eta = 1, under ||f*|| <= 1.

    `sign` is the sign of the correction, 0 for VAGBM.
    """
    gamma = Fraction(gamma)

    def method(loss, n):
        f = h = left = loss.start
        for m in range(n):
            mix = Fraction(2, m + 2)
            g = (1 - mix) * f + mix * h
            looked = loss.gradient(g)
            fit = loss.fit(looked)
            f = g - fit
            if m < n - 1:
                corrected = looked + Fraction(sign * (m + 1), m + 2) * left
                second = fit if m == 0 or sign == 0 else loss.fit(corrected)
                left = corrected - second
                h = h - gamma / mix * second
        return loss(f)

    return _model(method, n, theta, 0, margin)


def ls_boost(n, theta, eps, margin=0):
    """Model of ||r_n||^2 for LS-Boost, under ||r_0|| <= 1 and with a least-squares residual of
    0.
    """

    def method(loss, n):
        x = loss.start
        for _ in range(n):
            x = x - Fraction(eps) * loss.fit(loss.gradient(x))
        return 2 * loss(x)

    return _model(method, n, theta, 1, margin)
