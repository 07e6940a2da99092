"""The best intercept for given coefficients, for any loss."""

import math

import numpy as np

from coordboost._numba import compiled, is_piece
from coordboost._numba.sums import residual_of_each
from coordboost._utils.root import falling_root, farthest_constant
from coordboost.certificates.objectives import Evaluation, L1Ball, L1Penalty, Unconstrained

#: A sum of residuals up to this part of the sum of their abs values counts as 0: a few roundings of
#: the sum.
ROUNDED = 4 * np.finfo(float).eps
#: The same for the squared loss, where only the square of the sum matters.
CENTRED = 1e-8
#: LEANS: a constant is far enough out if the sum of its residuals is at least this part of the sum
#: of their abs values. LONGER: how often it may be multiplied by 4.
LEANS, LONGER = 0.1, 30


def best_shift(problem, pred):
    """Return the constant to add to predictions such that the residuals sum to 0.

    The predictions are `pred` = B beta (n_samples,).

    For the squared loss on centred columns it is 0 for any coefficients. *Cost*: some ten passes
    over the samples.
    """
    return Shifts(problem).beside(pred)


class Shifts:
    """Best shifts for predictions that change little by little.

    Each search starts from the shift before.

    The sum of the residuals falls as the shift grows. Secant steps and steps that double bracket
    its root, and ``brentq`` finds it. Each search starts with the slope that the last one found, so
    that it takes four passes over the samples. If the sum never changes its sign, as for labels of
    one class, the shift brings every prediction to ``CAP``.
    """

    def __init__(self, problem):
        self.problem = problem
        self.near = 0.0
        self.slope = 0.0
        self.refresh = None
        # a loss of y - f has the unit of y
        self.step = self.unit = (
            (float(np.abs(problem.y).max()) or 1.0) if problem.loss.location else 1.0
        )

    def beside(self, pred):
        """The shift for `pred` = B beta (n_samples,)."""
        if self.problem.loss.quadratic:
            return float(self.problem.resid(pred).sum() / self.problem.weight.sum())
        limits = self._limits(pred)
        shift, self.slope = falling_root(
            lambda at: self._sum(pred, at),
            self.near,
            self.step,
            limits,
            1e-15 * self.unit,
            self.slope,
        )
        if shift is None:
            return float(limits[int(self.problem.resid(pred + self.near).sum() > 0)])
        self.step = max(16 * abs(shift - self.near), 1e-6 * (self.unit + abs(shift)))
        self.near = shift
        loss = self.problem.loss
        if self.refresh is None and is_piece(loss) and loss.refresh_residual is None:
            # from the second search on it is worth compiling
            self.refresh = compiled(residual_of_each, (loss,))
        return shift

    def _sum(self, pred, shift):
        """The sum of the residuals; 0 if it is only rounding."""
        problem = self.problem
        if self.refresh is None:
            resid = problem.resid(pred + shift)
        else:
            resid = np.empty(len(pred))
            self.refresh(problem.loss, problem.y, problem.weight, problem.base + shift, pred, resid)
        total = float(resid.sum())
        return 0.0 if abs(total) <= ROUNDED * float(np.abs(resid).sum()) else total

    def _limits(self, pred):
        """The shifts that bring every prediction to ``-CAP`` and to ``CAP``, in the unit of the
        targets; 0 if they are there already.
        """
        counted = (pred + self.problem.base)[self.problem.weight > 0]
        low = float(counted.min())
        high = float(counted.max())
        cap = farthest_constant(self.problem.y, self.problem.loss.location)
        return min(-cap - high, 0.0), max(cap - low, 0.0)


class Farthest:
    r"""A bound of the distance of an optimal intercept from the start.

    With the residual r at the constant prediction c convexity gives
    :math:`L(b, \beta) \ge L(c) - (b - c) \sum_i r_i - \sum_j |c_j| |\beta_j|`,
    :math:`c_j = \langle B_j, r \rangle`. At an optimum L is at most the objective U of any model,
    and :math:`\sum_j p_j |\beta_j| + q_j \beta_j^2 / 2 \le U - I`, I the infimum, p and q the
    factors of the penalty. One constant on each side of the best one gives one end of a range; it
    must be so far out that the sum of its residuals is clearly not 0.

    scan : correlations with the learners that `price` belongs to, by default those of the problem
    """

    def __init__(self, problem, scan=None):
        self.problem = problem
        self.ends = []
        self.scan = problem.scan if scan is None else scan
        # a loss of y - f has the unit of y
        unit = (
            float(np.average(np.abs(problem.y), weights=problem.weight))
            if problem.loss.location
            else 1.0
        )
        for side in (1.0, -1.0):
            self.ends.append(self._end(side * (unit or 1.0)))

    def _end(self, c):
        """Move c outwards until far enough.

        Return c, its loss, the sum of residuals (> 0 if they point back), all abs correlations.
        """
        for _ in range(LONGER):
            pred = np.full(self.problem.n_samples, c)
            resid = self.problem.resid(pred)
            push = -math.copysign(1.0, c) * float(resid.sum())
            if push >= LEANS * float(np.abs(resid).sum()):
                break
            c *= 4.0
        return c, self.problem.value(pred), push, np.abs(self.scan(resid))

    def most(self, upper, price, square=0.0):
        """Bound the distance from the start where the objective is at most `upper`.

        Price, square : a number, or (n_learners,).
        """
        room = upper - self.problem.infimum
        with np.errstate(divide="ignore", invalid="ignore"):
            by_price = [room * float(np.max(size / price)) for *_, size in self.ends]
            by_square = [
                math.sqrt(2 * max(room, 0.0) * float(np.sum(size * size / square)))
                for *_, size in self.ends
            ]
        return self._most(upper, np.fmin(by_price, by_square).tolist())

    def in_ball(self, upper, radius):
        """The same bound for coefficients in an l1 ball."""
        return self._most(upper, [radius * float(size.max()) for *_, size in self.ends])

    def _most(self, upper, along):
        far = 0.0
        for (c, loss, push, _), most in zip(self.ends, along, strict=True):
            if not push > 0 or math.isnan(most):
                return math.inf
            far = max(far, abs(c) + max(upper - loss + most, 0.0) / push)
        return far


def certified(problem, beta, shift, target, reach=None):
    """Compute the interval around the optimum from the coefficients and the intercept of a model.

    Parameters
    ----------
    beta : (n_learners,)
    shift : what its intercept adds to the constant prediction of the problem
    target : Priced
    reach : Farthest, optional
        Given if the intercept is part of the problem. The lower end is then computed at the best
        intercept, where the residuals sum to 0; the rounding left in the sum, times a bound of the
        distance of the best intercept, is subtracted. Another intercept of the model only raises
        the upper end. Without `reach` the constant prediction is fixed, except for the squared loss
        on centred columns.
    """
    squared = problem.loss.quadratic
    if reach is None and not (squared and centred(problem)):
        return target.certificate(problem, Evaluation.point(problem, beta))
    owner = moved_by(problem, shift) if shift != 0 else problem
    own = Evaluation.point(owner, beta)
    sum_of, size = _sums(own)
    dual, base = own, owner
    if abs(sum_of) > (CENTRED if squared else ROUNDED) * size:
        extra = best_shift(owner, own.pred)
        base = moved_by(owner, extra)
        shift = shift + extra
        dual = Evaluation.point(base, beta)
        sum_of, _ = _sums(dual)
    if squared:
        slack = sum_of**2 / (2 * float(problem.weight.sum()))
    else:
        upper = own.upper(owner) + target.value(own.beta)
        off = abs(sum_of) + dual.rounding_of_corr(base) * math.sqrt(float(problem.weight.sum()))
        slack = (
            off * (reach.most(upper, target.price, target.ridge) + abs(shift)) if off > 0 else 0.0
        )
    return target.certificate(base, dual, (owner, own), slack)


def beside_any(certificate, problem, at, shift, reach):
    """Extend a `certificate` for one fixed intercept to the problem with a free intercept.

    problem, at : the problem with that intercept as its constant, and the point
    shift : that intercept minus the one at the start
    reach : Farthest, from the start
    """
    target = certificate.target
    upper = certificate.upper
    if certificate.lower <= problem.infimum:
        return certificate
    total = float(problem.weight.sum())
    off = abs(_sums(at)[0]) + at.rounding_of_corr(problem) * math.sqrt(total)
    if off == 0:
        return certificate
    if isinstance(target, Unconstrained):  # constants are orthogonal to the columns
        slack = off * off / (2 * problem.loss.mu * total)
    elif isinstance(target, L1Ball):
        slack = off * (reach.in_ball(upper, target.radius) + abs(shift))
    else:
        price = (
            target.lam
            if isinstance(target, L1Penalty)
            else target.charges(problem, np.ones(len(at.beta)))
        )
        slack = off * (reach.most(upper, price) + abs(shift))
    return certificate.moved(max(certificate.lower - slack, problem.infimum))


def _sums(at):
    """The sum of the residuals, and of their abs values."""
    return float(at.resid.sum()), float(np.abs(at.resid).sum())


def moved_by(problem, shift):
    """The problem whose constant prediction is larger by `shift`."""
    if not problem.has_data:
        return problem.replace(constant=problem.constant + shift)
    if problem.loss.location:
        return problem.replace(y=problem.y - shift, constant=problem.constant + shift)
    return problem.replace(constant=problem.constant + shift, base=problem.base + shift)


def left_open(problem):
    """Whether the best intercept of models of columns changes during a run.

    It does if there is one, and the loss is not the squared loss.

    Without centring there is no intercept. This is inferred: a constant of 0 with columns of mean 0
    counts as no intercept.
    """
    if not problem.countable or problem.binning is not None or problem.loss.quadratic:
        return False
    return centred(problem)


def centred(problem):
    """Whether a problem of columns has an intercept.

    This is inferred from a constant or a mean of the columns that is not 0.
    """
    return bool(problem.constant != 0 or problem.standardization.mean.any())
