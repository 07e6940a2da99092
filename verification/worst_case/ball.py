"""Worst cases of methods with fixed step lengths: forward stagewise, with and without shrinkage,
and Frank-Wolfe on the l1 ball.

The stagewise programmes are written for residuals: ||y|| <= 1, the learners are unit vectors, and
the learner chosen in a step has the largest absolute correlation. The Frank-Wolfe programmes have
sigma = 1. The set is either the l1 ball of diameter 1 in the space of predictions, with the start
at its centre, or any convex set of diameter 1, as in Jaggi's theorem.
"""

from fractions import Fraction

from coordboost.theory.performance import NULL, Form, Point, smooth_convex
from verification.worst_case.models import Model

HALF = Fraction(1, 2)


def _not_beyond(programme, limit, forms, margin=0):
    """Require that the absolute values of `forms` are at most `limit` - `margin`."""
    programme.require(*(limit - margin - sign * form for form in forms for sign in (1, -1)))


def stagewise(n, eps, delta=None, measure="corr", margin=0):
    """Model of FS_eps or R-FS_{eps, delta}: the minimum over steps 0, ..., n of the largest
    correlation ("corr"), "omega" or the "gap".
    """
    eps = Fraction(eps)
    margin = Fraction(margin)
    model = Model()
    shrink = 0 if delta is None else eps / Fraction(delta)
    programme = model.programme
    y = model.target = resid = programme.vector()
    programme.require(1 - y @ y)
    seen = []
    for _ in range(n + 1):
        learner = programme.vector()
        programme.require_equal(learner @ learner, 1)
        seen.append((resid, learner))
        resid = (1 - shrink) * resid + shrink * y - eps * learner
    for i, (resid, learner) in enumerate(seen):
        programme.require(learner @ resid)
        _not_beyond(
            programme,
            learner @ resid,
            [g @ resid for j, (_, g) in enumerate(seen) if j != i],
            margin,
        )
    model.columns = [learner for _, learner in seen]
    measures = {"corr": _correlations, "omega": _omegas, "gap": _gaps}
    programme.objective = programme.number()  # the minimum over the steps
    programme.require(
        *(form - programme.objective for form in measures[measure](model, seen, delta))
    )
    return model


def _correlations(model, seen, delta):
    return [learner @ resid for resid, learner in seen]


def _omegas(model, seen, delta):
    return [
        learner @ resid - 1 / Fraction(delta) * (resid @ (model.target - resid))
        for resid, learner in seen
    ]


def _gaps(model, seen, delta):
    """Return L(beta_i) - L*_delta for all i.

    The optimum is delta z, with z in the convex hull of the learners and their opposites.
    """
    programme = model.programme
    z = model.programme.vector()
    programme.require(1 - z @ z)
    best = model.target - Fraction(delta) * z
    for resid, learner in seen:
        _not_beyond(programme, learner @ resid, [z @ resid])
    _not_beyond(programme, z @ best, [learner @ best for _, learner in seen])
    model.inside = [z]
    return [HALF * (resid @ resid - best @ best) for resid, _ in seen]


def frank_wolfe(n, anywhere=False, margin=0):
    """Model of f(x_n) - f(x*) for Frank-Wolfe with steps 2 / (k + 2): from the centre of an l1
    ball, or `anywhere` in any convex set.
    """
    model = Model(radius=0.5)
    programme = model.programme
    # gradient of f at x*; the other gradients are stored as differences from it
    slope = programme.functional()
    # without loss of generality: any set may be translated
    star = Point(NULL if anywhere else programme.vector(), slope, Form.of(0))
    points = [star]
    x = programme.vector() if anywhere else NULL
    results = []
    start = [x] if anywhere else []
    for k in range(n + 1):
        points.append(Point(x, slope + programme.vector(), programme.number()))
        if k < n:
            results.append((points[-1].gradient, programme.vector()))
            gamma = Fraction(2, k + 2)
            x = (1 - gamma) * x + gamma * results[-1][1]
    smooth_convex(programme, points)
    vertices = [vertex for _, vertex in results]
    (_anywhere if anywhere else _in_ball)(
        programme, results, [*vertices, star.x, *start], star, Fraction(margin)
    )
    model.points, model.columns, model.inside = points, vertices, [star.x]
    programme.objective = points[-1].value
    return model


def _in_ball(programme, found, others, star, margin):
    """Require that all points lie in the ball of diameter 1, that each vertex found is the best of
    all, and that x* is optimal.
    """
    for g, vertex in found:
        _not_beyond(
            programme,
            -1 * (g @ vertex),
            [g @ other for other in others if other is not vertex],
            margin,
        )
    _not_beyond(
        programme, -1 * (star.gradient @ star.x), [star.gradient @ vertex for _, vertex in found]
    )
    programme.require(*(Fraction(1, 4) - other @ other for other in others))


def _anywhere(programme, found, others, star, margin):
    """Require that no two points are farther apart than 1, that each vertex found is the best of
    all, and that x* is optimal.
    """
    for g, vertex in found:
        programme.require(*(g @ other - g @ vertex for other in others if other is not vertex))
    programme.require(
        *(star.gradient @ (other - star.x) for other in others if other is not star.x)
    )
    for i, one in enumerate(others):
        programme.require(*(1 - (one - other) @ (one - other) for other in others[:i]))
