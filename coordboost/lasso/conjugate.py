"""Conjugate gradients on the support of a Lasso at fixed signs, on stored entries: for supports too large or dependent for a factor."""

import math

from coordboost._generic import kernel
from coordboost.lasso.entries import column_correlation, subtract

#: Restarts, one for each coefficient that reaches 0; steps between two of them.
RESTARTS, STEPS = 100, 50
#: Part of the gap asked for at which the gradients are small enough; steps that leave more than this part of the largest are the last.
PART, LEFT = 0.1, 0.5


@kernel
def first_zero(gamma, support, n, way):
    """The step at which the first coefficient reaches 0 on the `way`, and its position in the support, or -1."""
    most, leaving = 1e300, -1
    for i in range(n):
        value = gamma[support[i]]
        if value * way[i] < 0.0 and abs(value) < most * abs(way[i]):
            most, leaving = abs(value / way[i]), i
    return most, leaving


@kernel
def image_of(held, support, n, way, image, aside):
    """The combination of the columns `support` by `way`, in `image`, its sum in aside.total; its squared norm, ridge and all."""
    curved, aside.off, aside.total = 0.0, 0.0, 0.0
    for q in range(len(image)):
        image[q] = 0.0
    for i in range(n):
        subtract(held, image, aside, support[i], -way[i])
        curved += held.ridge[support[i]] * way[i] * way[i]
    for q in range(len(image)):
        image[q] -= aside.off * held.one[q]
        curved += image[q] * image[q]
    aside.off = 0.0
    return curved


@kernel
def conjugate_steps(held, support, n, resid, drift, gamma, enough, grad, way, image, aside):
    """Steps from the gradient `grad` until no entry of it is above `enough`, or until a coefficient is 0."""
    square = 0.0
    for i in range(n):
        way[i] = grad[i]
        square += grad[i] * grad[i]
    for _ in range(STEPS):
        curved = image_of(held, support, n, way, image, aside)
        if curved <= 0.0:
            return
        most, leaving = first_zero(gamma, support, n, way)
        step = min(square / curved, most)
        for i in range(n):
            gamma[support[i]] += step * way[i]
        for q in range(len(image)):
            resid[q] -= step * image[q]
        drift.total -= step * aside.total
        if step == most:
            gamma[support[leaving]] = 0.0
            return
        worst, before, square = 0.0, square, 0.0
        for i in range(n):
            grad[i] -= step * (column_correlation(held, image, aside, support[i]) + held.ridge[support[i]] * way[i])
            worst = max(worst, abs(grad[i]))
            square += grad[i] * grad[i]
        if worst <= enough:
            return
        for i in range(n):
            way[i] = grad[i] + square / before * way[i]


def descend_on_support(held, support, n, resid, drift, gamma, lam, goal, grad, way, image, aside):
    """Minimise for the signs that the n learners `support` have; who is at 0 or reaches it leaves, and it starts anew from there.

    grad, way : (>= n,);  image : (n_samples,), all of them room;  aside : a record as `drift`
    """
    worst = math.inf
    for _ in range(RESTARTS):
        there, before, n = n, worst, 0
        l1, worst = 0.0, 0.0
        for i in range(there):
            j = support[i]
            if gamma[j] != 0.0:
                support[n] = j
                grad[n] = (
                    column_correlation(held, resid, drift, j) - held.ridge[j] * gamma[j] - (lam if gamma[j] > 0.0 else -lam)
                )
                l1 += abs(gamma[j])
                worst = max(worst, abs(grad[n]))
                n += 1
        if worst * l1 <= PART * goal or (n == there and worst > LEFT * before):
            return
        conjugate_steps(held, support, n, resid, drift, gamma, PART * goal / l1, grad, way, image, aside)
