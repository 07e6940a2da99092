r"""Multinomial Lasso paths in compiled code: the learners of all classes in one path.

``lasso/newton_path.py`` follows a path with one intercept for each class and one coefficient for
each class and learner. The losses are a `ClassForm`: its quadratic model has the whole Hessian,
where classes are coupled.
"""

from typing import NamedTuple

import numpy as np

from coordboost._numba import kernel, verb
from coordboost.lasso.classes import ClassSolution
from coordboost.lasso.newton_path import NewtonPath
from coordboost.lasso.path_columns import PathColumns, path_columns
from coordboost.losses.multinomial import (
    laplacian_factor,
    solve_laplacian,
    spread_over_classes,
    weights_of,
)

#: Most steps in a row that hardly lower the gap: at small penalties many do, and block descent is
#: slower still.
PATIENCE = 60

#: The fields of a penalty that are those of its learners.
PER_LEARNER = ("ridge", "lower", "upper")

scan = verb("scan")
correlations = verb("correlations")
combine = verb("combine")


class _ClassColumns(NamedTuple):
    columns: object
    n_learners: int
    n_classes: int


class ClassColumns(_ClassColumns, PathColumns):
    """The learners of each class in turn: learner ``k n_learners + j`` adds `columns` j to the
    predictions of class k.

    The metric is that of the multinomial loss: see `ClassForm`. A column is centred by subtracting
    what intercepts of the classes can make of it in that metric; `means` are these intercepts.
    """

    __slots__ = ()

    @property
    def scan_cost(self):
        return self.n_classes * self.columns.scan_cost

    def scan(self, v, out):
        n_samples = len(v) // self.n_classes
        p = self.n_learners
        for k in range(self.n_classes):
            part = v[k * n_samples : (k + 1) * n_samples]
            scan(self.columns, part, out[k * p : (k + 1) * p])

    def correlations(self, v, index, out):
        n_samples = len(v) // self.n_classes
        place, begin, learner = by_class(index, self.n_learners, self.n_classes)
        product = np.empty(len(index))
        for k in range(self.n_classes):
            part = v[k * n_samples : (k + 1) * n_samples]
            start = begin[k]
            end = begin[k + 1]
            correlations(self.columns, part, learner[start:end], product[start:end])
        for q in range(len(index)):
            out[place[q]] = product[q]

    def combine(self, coef, index, out):
        n_samples = len(out) // self.n_classes
        place, begin, learner = by_class(index, self.n_learners, self.n_classes)
        sorted_coef = np.empty(len(index))
        for q in range(len(index)):
            sorted_coef[q] = coef[place[q]]
        for k in range(self.n_classes):
            part = out[k * n_samples : (k + 1) * n_samples]
            start = begin[k]
            end = begin[k + 1]
            combine(self.columns, sorted_coef[start:end], learner[start:end], part)

    def gram(self, index, first, metric, total, free, means, gram):
        m = len(index)
        n_classes = self.n_classes
        n_samples = len(metric) // n_classes
        weight = weights_of(metric, n_classes)
        factor = laplacian_factor(metric, weight, n_classes)
        column = np.empty(n_samples)
        spread = np.empty(len(metric))
        one = np.ones(1)
        sums = np.empty(n_classes)
        product = np.empty(m)
        for b in range(first, m):
            own = index[b] // self.n_learners
            learner = np.full(1, index[b] % self.n_learners)
            combine(self.columns, one, learner, column)
            spread_over_classes(column, own, metric, weight, spread, sums)
            correlations(self, spread, index[: b + 1], product[: b + 1])
            solve_laplacian(factor, sums, means[b * n_classes : (b + 1) * n_classes])
            for a in range(b + 1):
                if free:
                    for k in range(n_classes):
                        product[a] -= means[a * n_classes + k] * sums[k]
                gram[a, b] = product[a]
                gram[b, a] = product[a]


@kernel
def by_class(index, n_learners, n_classes):
    """Sort the learners of a set by their classes.

    Return their places in the set, where each class begins, and their numbers within the class.
    """
    begin = np.zeros(n_classes + 1, dtype=np.int64)
    for a in range(len(index)):
        begin[index[a] // n_learners + 1] += 1
    for k in range(n_classes):
        begin[k + 1] += begin[k]
    end = begin.copy()
    place = np.empty(len(index), dtype=np.int64)
    learner = np.empty(len(index), dtype=np.int64)
    for a in range(len(index)):
        k = index[a] // n_learners
        place[end[k]] = a
        learner[end[k]] = index[a] - k * n_learners
        end[k] += 1
    return place, begin, learner


def by_class_path(task, lams, tol):
    """The multinomial Lasso of a `ClassProblem` at the penalties `lams`, largest first.

    Return a `ClassSolution`, of the first penalties only where rounding or the size of the models
    ends the compiled path; and whether it was interrupted. None where learners are not stored, and
    for ridge alone.
    """
    table = path_columns(task.columns)
    penalty = task.columns.penalty
    if table is None or penalty.lam == 0:
        return None, False
    n_classes = len(task.start)
    n_learners = task.columns.n_learners
    path = NewtonPath(
        task.form,
        ClassColumns(table, n_learners, n_classes),
        penalty._replace(
            **{name: np.tile(getattr(penalty, name), n_classes) for name in PER_LEARNER}
        ),
        task.constant().ravel(),
        task.null,
        0.0,
        lams,
        tol,
        task.free,
        n_classes,
        PATIENCE,
    )
    interrupted = path.run()
    done = path.done
    solved = path.solved()
    gammas = solved.coefs.reshape((done * n_classes, n_learners)).tocsr()
    shifts = task.start + path.shifts[:done]
    bounds = task.bounds_of(lams[:done], gammas, shifts, path.solutions["worst"][:done])
    return ClassSolution(gammas, shifts, bounds, n_classes * solved.n_scans), interrupted
