r"""The optimum that a run approaches, as an interval that anyone can recompute.

The interval is ``lower <= L* <= upper``.

All bounds hold for every convex loss. For other losses only the infimum bounds the optimum; L1Ball
and L1Penalty refuse them. With :math:`c = B^T r` the correlations of the residual at :math:`\beta`
and :math:`g = \langle r, B\beta\rangle`, convexity gives :math:`L(b) \ge L(\beta) + g - c^T b` for
every b; L1Ball and L1Penalty bound :math:`c^T b`. Other bounds: strong convexity (Unconstrained),
the dual of the squared loss, and the infimum, :math:`L(b) \ge` ``problem.infimum``. It is -inf for
a loss that declares none: the lower end may then be -inf. *Numerics*: both ends are moved out by a
bound of their rounding. ``verb("name")`` calls a method of a compiled object, a *piece*
(docs/architecture.md).
"""

import math
from dataclasses import dataclass, field, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from typing import NamedTuple

import numpy as np
from scipy.linalg import svdvals

from coordboost._numba import compiled, is_piece, ready, verb
from coordboost._numba.sums import base_at
from coordboost._numba.threads import on_one_thread
from coordboost._utils.checks import NEAR, not_negative, shown
from coordboost.certificates.declarations import contradiction, miscounted
from coordboost.certificates.dual import best_multiple
from coordboost.data.problem import Problem
from coordboost.data.spectrum import unweighted
from coordboost.losses.exponential import bregman_bound, form_at

value = verb("value")
evaluate = verb("evaluate")


def magnitude(loss, y, weight, base, pred):
    """Sum of the absolute values of the weighted losses."""
    total = 0 * (weight[0] * pred[0])
    for i in range(len(y)):
        total += weight[i] * abs(value(loss, y[i], base_at(base, i) + pred[i]))
    return total


def sizes(problem, pred):
    """``magnitude`` at the predictions `pred` (n_samples,), compiled where the loss is a piece."""
    run = compiled(magnitude, (problem.loss,)) if is_piece(problem.loss) else magnitude
    return float(run(problem.loss, problem.y, problem.weight, problem.base, pred))


def need_convexity(problem, what):
    """Refuse a loss that declares not to be convex: a bound over all models needs convexity.

    Raises
    ------
    ValueError
        For such a loss.
    """
    if not problem.loss.convex:
        raise ValueError(
            f"{type(problem.loss).__name__} is not convex: there is no certificate for {what}. "
            "Unconstrained() gives the infimum of "
            "the loss and the loss of the model."
        )


def known_target(target):
    """Return `target`, or raise if it is not a target.

    Runs and paths are refused: they have a problem of their own.
    """
    if isinstance(target, type) or not hasattr(target, "certificate") or hasattr(target, "problem"):
        raise ValueError(
            "target must be Unconstrained(), L1Ball(radius) or L1Penalty(lam), got "
            f"{shown(target)}."
        )
    return target


def outwards(lower, upper, digits):
    """Format the ends of an interval with `digits` digits, at most 15.

    The lower end is rounded down, the upper end up.
    """
    ends = (lower, ROUND_FLOOR), (upper, ROUND_CEILING)
    rounded = (
        Context(prec=digits, rounding=rounding).create_decimal_from_float(float(end))
        for end, rounding in ends
    )
    return tuple(f"{float(end):.{digits}g}" for end in rounded)


#: A penalty of at most this many times the rounding of a correlation, or of a unit column, is
#: faint: for how many columns this matters.
FAINT, MOST_FAINT = 1e6, 256
EPS = float(np.finfo(float).eps)
TINY = float(np.finfo(float).tiny)
#: Why a certificate may have no lower end: the usual reason.
NO_INFIMUM = "the loss declares no infimum"


@dataclass(frozen=True)
class Certificate:
    """An interval around an optimum: ``lower <= L* <= upper``.

    L* is the optimum of `target`, in sums over samples, penalty included.

    ``gap = upper - lower``. Without a known lower bound `lower` is -inf, `gap` is inf, and `reason`
    says why.

    Parameters
    ----------
    target : Unconstrained, L1Ball or L1Penalty
        The objective.
    lower, upper : float
        The ends of the interval.
    witness : dict
        Numbers that explain the interval, such as the largest abs correlation.
    about : str, default ""
        What the optimum is of, where that is not plain from the target.
    refuted : str
        What a loss or learners of your own declare and is seen to be false, in words; "" if nothing
        is.

    Examples
    --------
    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> one = cb.certify(problem, [1.0, 2.5])
    >>> one.lower <= one.upper, round(one.gap, 3)
    (True, 0.118)
    """

    target: object
    lower: float
    upper: float
    witness: dict = field(default_factory=dict)
    about: str = ""
    refuted: str = ""

    @property
    def gap(self) -> float:
        """Upper - lower; inf without a known lower bound."""
        return self.upper - self.lower

    def moved(self, lower: float) -> "Certificate":
        """Return a copy with another lower end, cut off at the upper end.

        Parameters
        ----------
        lower : float
            A valid lower bound of the optimum.

        Returns
        -------
        Certificate
            A copy.
        """
        return replace(self, lower=min(lower, self.upper))

    @property
    def known(self) -> bool:
        """Whether a lower bound is known."""
        return self.lower > -math.inf

    @property
    def reason(self) -> str:
        """Why no lower bound is known, in words; "" if one is."""
        return "" if self.known else f"no lower bound is known: {self.refuted or NO_INFIMUM}"

    def __repr__(self) -> str:
        lower, upper = outwards(self.lower, self.upper, 10)
        of = f"{self.about}, {self.target!r}" if self.about else repr(self.target)
        if not self.known:
            return f"{of}: optimum at most {upper}; {self.reason}"
        return f"{of}: optimum in [{lower}, {upper}], gap {self.gap:.3g}"


def rounding_part(problem, n_terms):
    """Bound of the rounding in a sum of products, relative to the product of the norms.

    A sum of m products is taken to be off by at most 4 u sqrt(m) times the norms, u the unit
    roundoff: rounding errors of mean zero stay inside with probability 1 - 2 exp(-4^2 / 2), to
    first order in u: for each sum, not for all sums together. If all products are equal, the
    rounding errors may have the same sign: added one after another, they sum to at most u m / 3
    (u S / 2 while the partial sum grows from S / 2 to S, and so on). Learners with stored rows do
    not add products one after another: there this is 0. *Source*: Ipsen, Zhou, *Probabilistic error
    analysis for inner products*.

    n_terms : int or ndarray, the coefficients of a model that are not 0; m is at least the number
        of rows
    """
    m = np.maximum(problem.n_summed, n_terms)
    alike = 0.0 if problem.stored else m / 6
    return EPS * np.maximum(2 * np.sqrt(m), alike)


class Evaluation(NamedTuple):
    """A point, with the predictions, the loss, the residual and the correlations there."""

    beta: np.ndarray
    pred: np.ndarray
    loss: float
    resid: np.ndarray
    corr: np.ndarray

    @classmethod
    def point(cls, problem, beta, corr=True):
        """Compute all fields from `beta`.

        *Cost*: one scan; none with ``corr=False``, which leaves the correlations out.
        """
        beta = np.asarray(beta, dtype=np.float64)
        pred = problem.combine(beta)
        resid = problem.resid(pred)
        return cls(beta, pred, problem.value(pred), resid, problem.scan(resid) if corr else None)

    def scaled(self, problem, by):
        """The model times `by`, without its correlations."""
        pred = self.pred * by
        return self._replace(
            beta=self.beta * by,
            pred=pred,
            loss=problem.value(pred),
            resid=problem.resid(pred),
            corr=None,
        )

    @property
    def l1(self):
        """Sum of abs(beta)."""
        return float(np.abs(self.beta).sum())

    def part(self, problem):
        """Bound of the rounding in a sum of products: see ``rounding_part``."""
        return float(rounding_part(problem, np.count_nonzero(self.beta)))

    def rounding_of_corr(self, problem):
        """Bound of the rounding in a correlation.

        It also holds for any other inner product of `resid` with a unit vector.
        """
        return self.part(problem) * problem.size(self.resid) + self.off(problem, 1.0)

    def rounding(self, problem, radius):
        """Bound of the rounding in ``loss + <resid, pred> - radius max|corr|``."""
        return self.rounding_of_corr(problem) * (radius + self.l1) + self.sums(problem) + TINY

    def sums(self, problem):
        """Bound of the rounding in the sum of the losses.

        The sum is compensated, so only the rounding of its terms is left.
        """
        rounding = 2 * EPS * math.sqrt(problem.n_summed) * self.size(problem)
        return rounding + self.off(problem) / 2

    def off(self, problem, size=None):
        """Bound of the error of products of the residual and a vector of a norm of at most `size`
        in the span of the learners and y, if these are known by their moments alone.

        Each product of two of them, over their norms, is off by at most ``reduced.error``, and the
        residual is y less l1 of them. Default of `size`: the product of the residual with itself.
        """
        if problem.reduced is None:
            return 0.0
        of_residual = self.l1 + problem.size(problem.start_resid)
        return problem.reduced.error * of_residual * (of_residual if size is None else size)

    def upper(self, problem):
        """Upper bound of the loss of the model.

        `loss` is that of rounded predictions, whose error grows with the coefficients.

        This error is at most e = ``part * l1`` in norm, and changes the loss by at most
        ``size(resid) e + sigma e^2 / 2``. The second term is left out where the loss declares no
        sigma.
        """
        error = self.part(problem) * self.l1
        bend = (problem.loss.sigma or 0.0) * error * error / 2
        return self.loss + self.rounding_of_corr(problem) * self.l1 + bend + self.sums(problem)

    def size(self, problem):
        """Magnitude of the terms of the loss, for bounds of rounding.

        It is the loss, or for a loss with negative values a sum of abs values.

        Negative values often come from differences, such as Poisson's exp(f) - y f, with the
        rounding error of the larger term. Where the values are small, they do not show how large
        that term is: so the sizes of the losses at f = 0 and of the infimum are added. <resid,
        pred> has its own allowance.
        """
        if problem.infimum >= 0:
            return abs(self.loss)
        known = abs(problem.infimum) if problem.infimum > -math.inf else 0.0
        return sizes(problem, self.pred) + sizes(problem, 0.0 * self.pred) + known

    def checked_infimum(self, problem):
        """Return the infimum of the problem, after comparing it with the loss of this model.

        Raises
        ------
        ValueError
            If the loss is smaller by more than rounding: then the declared infimum is wrong.
        """
        if self.loss < problem.infimum - self.rounding(problem, 0.0):
            raise ValueError(
                f"the loss of this model is {self.loss:.6g}, below the infimum "
                f"{problem.infimum:.6g} that "
                f"{type(problem.loss).__name__} declares; correct its `infimum`, or leave it out."
            )
        return problem.infimum

    def multiples(self, problem):
        """What decides on the best multiple of the residual as dual point.

        Its product with the targets, its square, and the largest multiple that is valid: a, b and
        the limit of s in ``coordboost.certificates.dual``.
        """
        inner = float((self.resid * self.pred).sum())
        if problem.loss.quadratic:
            return 2 * self.loss + inner, 2 * self.loss, math.inf
        return self.loss + inner - self.checked_infimum(problem), 0.0, 1.0

    def lower_end(self, problem, scale):
        """Lower end for a penalty that is at least ``scale * c^T b`` at every b.

        The rounding is not yet subtracted.
        """
        inner = float((self.resid * self.pred).sum())
        infimum = self.checked_infimum(problem)
        lower = (
            scale * (self.loss + inner) + (1 - scale) * infimum if scale < 1 else self.loss + inner
        )
        if problem.loss.quadratic:
            # dual of the squared loss at theta = scale * resid:
            # scale <r, y> - scale^2 <r, r / w> / 2
            rss = 2 * self.loss
            lower = scale * (rss + inner) - scale * scale * rss / 2
        elif 0 < scale < 1 and (form := form_at(problem)) is not None:
            lost = bregman_bound(scale, 0.0, 0.0, self._relative_square(problem, form))
            lower = max(lower, self.loss + scale * inner - lost * (1 + NEAR))
        return lower

    def second_order(self, problem):
        """The same as `multiples`, for a bound of second order near s = 1; None if there is none.

        With q the sum of resid^2 / curvature it is ``L + s g - (1 - s)^2 q / 2``, up to third
        order.
        """
        form = form_at(problem)
        square = math.nan if form is None else self._relative_square(problem, form)
        if not math.isfinite(square):
            return None
        return float((self.resid * self.pred).sum()) + square, square, 1.0

    def _relative_square(self, problem, form):
        """The sum of resid^2 / curvature."""
        work = np.empty((2, problem.n_samples))
        return ready(evaluate, form)(form, problem.base + self.pred, *work, np.empty(1))[2]


class Unconstrained(NamedTuple):
    r"""The optimum over all coefficients: least squares, for the squared loss.

    :math:`L(\beta) - L^* \le \|P r\|^2 / (2\mu)`, P the projection on the columns (in the metric of
    the weights); equality for the squared loss. Without strong convexity the lower end is the
    infimum. *Cost*: one thin SVD of B. *Source*: Freund et al., Sections 1.3, 3.

    Examples
    --------
    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> print(cb.certify(problem, [1.0, 2.5], cb.certificates.Unconstrained()))
    Unconstrained(): optimum in [0.2105263157, 0.3283144216], gap 0.118
    """

    @on_one_thread
    def certificate(self, problem: Problem, at: Evaluation) -> Certificate:
        """Compute an interval around the optimum from one model.

        Parameters
        ----------
        problem : Problem
            The data, the loss and the learners.
        at : Evaluation
            The model and its correlations; ``certify(problem, beta, target)`` makes it from the
            coefficients.

        Returns
        -------
        Certificate
            The witness has the largest abs correlation. For a strongly convex loss it also has the
            rank and the least non-zero eigenvalue of B'WB, and `tilt`, how far a unit vector of the
            column space may lie outside the computed basis; for the squared loss the distance of
            the coefficients to the nearest solution.

        Raises
        ------
        ValueError
            If the loss of the model is below the infimum that the loss declares.

        Notes
        -----
        *Cost*: for a strongly convex loss a thin SVD of B, once for each problem.
        """
        mu = problem.loss.mu
        worst = float(np.abs(at.corr).max())
        upper = at.upper(problem)
        if mu is None or not problem.dictionary.countable:
            return interval(self, problem, at, -math.inf, upper, {"max_abs_corr": worst})
        spectrum = problem.spectrum
        most = problem.span.most(unweighted(problem, at.resid))
        inside = spectrum.project(problem, at.resid)
        unit = most or 1.0  # in this unit no square leaves the range of float64
        witness = {
            "max_abs_corr": worst,
            "lambda_pmin": spectrum.lambda_pmin,
            "rank": spectrum.rank,
            "tilt": problem.span.tilt,
            "distance_to_solutions": float(np.linalg.norm(inside / unit / spectrum.singular))
            * unit
            / mu,
        }
        return interval(self, problem, at, at.loss - most * most / (2 * mu), upper, witness)

    def prices(self, problem: Problem) -> tuple[np.ndarray, np.ndarray]:
        """Return the factors of abs(beta_j) and beta_j^2 / 2 in the penalty, (n_learners,) each.

        Parameters
        ----------
        problem : Problem
            For the number of learners.

        Returns
        -------
        price, ridge : ndarray, (n_learners,)
            Both are 0: there is no penalty.
        """
        return np.zeros(problem.n_learners), np.zeros(problem.n_learners)


class L1Ball(NamedTuple):
    r"""The constrained Lasso: minimise L subject to :math:`\|\beta\|_1 \le` radius.

    Gap = radius * omega, :math:`\omega = \|c\|_\infty - g / \text{radius}`. *Source*: Freund et
    al., eq. (45), Proposition A.6. A point outside the ball still gives a lower end; the upper end
    is then that of the point scaled back into it.

    Parameters
    ----------
    radius : float
        Of the l1 ball, in the units of the predictions.

    Examples
    --------
    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> print(cb.certify(problem, [0.0, 1.5], cb.certificates.L1Ball(2.0)))
    L1Ball(radius=2.0): optimum in [1.046572875, 1.995516791], gap 0.949
    """

    radius: float

    @on_one_thread
    def certificate(self, problem: Problem, at: Evaluation) -> Certificate:
        """Compute an interval around the optimum from one model.

        Parameters
        ----------
        problem : Problem
            The data, the loss and the learners.
        at : Evaluation
            The model and its correlations; ``certify(problem, beta, target)`` makes it from the
            coefficients.

        Returns
        -------
        Certificate
            The witness has omega, the l1 norm of the model and its largest abs correlation.

        Raises
        ------
        ValueError
            For a loss that is not convex, or a negative radius; if the loss of the model is below
            the infimum that the loss declares.

        Notes
        -----
        *Cost*: O(n_samples + n_learners); one more pass over the samples for a model outside the
        ball, which is scaled back.
        """
        need_convexity(problem, repr(self))
        not_negative("L1Ball: the radius", self.radius)
        worst = float(np.abs(at.corr).max())
        inner = float((at.resid * at.pred).sum())
        lower = at.loss + inner - (self.radius * worst if self.radius > 0 else 0.0)
        inside = (
            at if at.l1 <= self.radius * (1 + 1e-12) else at.scaled(problem, self.radius / at.l1)
        )
        upper = inside.upper(problem)
        omega = worst - inner / self.radius if self.radius > 0 else worst
        witness = {"omega": omega, "l1": at.l1, "max_abs_corr": worst}
        return interval(self, problem, at, lower, upper, witness, radius=self.radius)

    def prices(self, problem: Problem) -> tuple[np.ndarray, np.ndarray]:
        """Return the factors of abs(beta_j) and beta_j^2 / 2 in the penalty, (n_learners,) each.

        Parameters
        ----------
        problem : Problem
            For the number of learners.

        Returns
        -------
        price, ridge : ndarray, (n_learners,)
            Both are 0: the ball is a constraint, not a penalty.
        """
        return np.zeros(problem.n_learners), np.zeros(problem.n_learners)


class L1Penalty(NamedTuple):
    r"""The penalised Lasso: minimise :math:`L(\beta) + \text{lam} \|\beta\|_1`.

    L is the sum of the losses, not their mean.

    Lower end, with :math:`s = \min(1, \text{lam} / \|c\|_\infty)` and I the infimum:
    :math:`s\,(L + g) + (1 - s)\,I`, since :math:`L(b) \ge s\,(L + g - c^T b) + (1 - s)\,I` and
    :math:`\text{lam} \|b\|_1 \ge s\,c^T b`; for the squared loss the dual value at the best
    multiple s r of the residual, :math:`s \le \text{lam} / \|c\|_\infty`; for the logistic, the
    Poisson, the exponential and the gamma loss the larger of this and a bound of the dual value,
    :math:`L + s\,g - (1 - s)^2 / (2 s) \sum_i r_i^2 / h_i`, h the curvatures.

    Parameters
    ----------
    lam : float
        The penalty on the l1 norm: n_samples times scikit-learn's alpha, with weights their sum
        times alpha.

    Examples
    --------
    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> print(cb.certify(problem, [0.0, 1.5], cb.certificates.L1Penalty(1.0)))
    L1Penalty(lam=1.0): optimum in [3.153323836, 3.495516791], gap 0.342
    """

    lam: float

    @on_one_thread
    def certificate(self, problem: Problem, at: Evaluation) -> Certificate:
        """Compute an interval around the optimum from one model.

        Parameters
        ----------
        problem : Problem
            The data, the loss and the learners.
        at : Evaluation
            The model and its correlations; ``certify(problem, beta, target)`` makes it from the
            coefficients.

        Returns
        -------
        Certificate
            The witness has the largest abs correlation and s, the scale of the dual point.

        Raises
        ------
        ValueError
            For a loss that is not convex, or a negative `lam`; if the loss of the model is below
            the infimum that the loss declares.

        Notes
        -----
        *Cost*: O(n_samples + n_learners), as `at` holds the correlations.
        """
        need_convexity(problem, repr(self))
        not_negative("L1Penalty: lam", self.lam)
        worst = float(np.abs(at.corr).max())
        upper = at.upper(problem) + self.lam * at.l1
        size = np.array([worst + at.rounding_of_corr(problem)])
        scale = dual_scale(np.array([self.lam]), size, *at.multiples(problem))
        lower = at.lower_end(problem, scale)
        witness = {"max_abs_corr": worst, "dual_scale": scale}
        return interval(self, problem, at, lower, upper, witness, scale=scale)

    def prices(self, problem: Problem) -> tuple[np.ndarray, np.ndarray]:
        """Return the factors of abs(beta_j) and beta_j^2 / 2 in the penalty, (n_learners,) each.

        Parameters
        ----------
        problem : Problem
            For the number of learners.

        Returns
        -------
        price, ridge : ndarray, (n_learners,)
            `lam` for every learner, and 0.
        """
        return np.full(problem.n_learners, float(self.lam)), np.zeros(problem.n_learners)


class Priced(NamedTuple):
    r"""As ``L1Penalty``, with penalty weights for each learner.

    The objective is :math:`L(\beta) + \sum_j p_j |\beta_j| + q_j \beta_j^2 / 2`.

    There may be limits :math:`l_j \le \beta_j \le u_j`, with :math:`l_j \le 0 \le u_j`. For every s
    the penalty is at least :math:`s\,c^T b` less its conjugate,
    :math:`\sum_j \max_b (s |c_j| - p_j) b - q_j b^2 / 2`, b from 0 to the limit on the side of c_j.
    The conjugate is infinite where s |c_j| exceeds p_j and there is neither a quadratic term nor a
    limit. A point outside the limits still gives a lower end; the upper end is then that of the
    point moved to the limits.

    target : the target that a certificate displays
    price, ridge, lower, upper : p, q, l and u, (n_learners,)
    """

    target: object
    price: np.ndarray
    ridge: np.ndarray
    lower: np.ndarray
    upper: np.ndarray

    def value(self, beta):
        """The penalty of the coefficients.

        Those of 0 cost nothing, also where the weight is infinite.
        """
        some = np.flatnonzero(beta)
        size = np.abs(beta[some])
        with np.errstate(over="ignore"):
            squares = np.where(self.ridge[some] > 0, size * self.ridge[some] * size, 0.0)
            return float(size @ self.price[some] + squares.sum() / 2)

    @on_one_thread
    def certificate(self, problem, at, model=None, slack=0.0, covered=None):
        """Compute an interval around the optimum.

        model : a problem with another constant, and a point of it, whose objective is the upper
            end; by default ``(problem, at)``
        slack : an additional amount to subtract from the lower end
        covered : (n_learners,), which columns have no penalty, where `slack` covers what their
            correlations may add
        """
        need_convexity(problem, repr(self.target))
        owner, own = (problem, at) if model is None else model
        inside = np.clip(own.beta, self.lower, self.upper)
        if (inside != own.beta).any():
            own = Evaluation.point(owner, inside, corr=False)
        penalty = self.value(own.beta)
        # penalty weights contain norms of columns, which are rounded
        relative = 4 * max(own.part(owner), at.part(problem))
        upper = own.upper(owner) + penalty * (1 + relative)
        masks = self._projected(problem, at, relative) if covered is None else [covered]
        lower, scale = max(
            self._lower_end(problem, at, relative, projected, covered is not None)
            for projected in masks
        )
        witness = {"max_abs_corr": float(np.abs(at.corr).max()), "dual_scale": scale}
        slack = slack + relative * penalty
        return interval(self.target, problem, at, lower, upper, witness, slack=slack, scale=scale)

    def _projected(self, problem, at, relative):
        """Yield masks of columns whose part may be taken out of the dual point, so that their
        correlations are exactly 0.

        First those without a penalty. Then, for the squared loss, also those whose penalty is so
        small that the rounding of a correlation counts beside it, as for columns of large norm on
        the scale of X: without that their conjugate would be that of the rounding.
        """
        free = (self.lower == -math.inf) & (self.upper == math.inf)
        unpenalised = free & (self.price == 0) & (self.ridge == 0)
        yield unpenalised
        faint = (
            free
            & (self.price <= FAINT * at.rounding_of_corr(problem))
            & (self.ridge <= FAINT * relative)
        )
        n = np.count_nonzero(faint)
        if problem.loss.quadratic and np.count_nonzero(unpenalised) < n <= min(
            problem.n_samples, MOST_FAINT
        ):
            yield faint

    def _lower_end(self, problem, at, relative, projected, covered):
        """A lower end, and the scale of its dual point.

        The point is the residual less its projection on the columns `projected`; the residual
        itself if these are `covered`.
        """
        error = 0.0
        if projected.any() and not covered:
            error = self._orthogonality_error(problem, at, projected)
        if error == math.inf:
            return -math.inf, 0.0
        slack = error * (problem.size(problem.weight * problem.y) + problem.size(at.resid))
        # all correlations with a column of zeros are 0
        if len(at.corr) > 1 or problem.gather([0]).any():
            error += at.rounding_of_corr(problem)
        size = np.where(projected, 0.0, np.abs(at.corr) + error)
        limit = self._limit(at.corr, error)
        price = self.price * (1 - relative)
        ridge = self.ridge * (1 - relative)
        ends = []
        for multiples in (at.multiples(problem), at.second_order(problem)):
            if multiples is None:
                continue
            scale = self._best_scale(multiples, price, ridge, size, limit)
            conjugate = penalty_conjugate(price, ridge, scale * size, limit)
            lower = at.lower_end(problem, scale) - conjugate - slack * max(scale, 1.0) ** 2
            ends.append((lower, scale))
        return max(ends)

    def _best_scale(self, multiples, price, ridge, size, limit):
        """The multiple of the residual with the largest lower end, or one close to it."""
        if ridge.any() or (limit[(size > 0) & (limit > 0)] < math.inf).any():
            return compiled(best_multiple)(*multiples, price, ridge, size, limit)
        open_ = limit == math.inf
        return dual_scale(price[open_], size[open_], *multiples)

    def _orthogonality_error(self, problem, at, unpenalised):
        """Bound the norm of the residual's projection on the unpenalised columns.

        The dual point is the residual minus this projection.

        For other losses than the squared one inf, unless there is nothing to project. *Cost*: the
        singular values of these columns.
        """
        some = np.flatnonzero(unpenalised)
        if not at.resid.any():
            return 0.0
        if not problem.loss.quadratic:
            return 0.0 if len(some) == 1 and not problem.gather(some).any() else math.inf
        sizes = svdvals(problem.gather(some) * np.sqrt(problem.weight)[:, None])
        nonzero = sizes[sizes > max(problem.n_samples, len(some)) * EPS * sizes[0]]
        off = float(np.linalg.norm(at.corr[some])) + math.sqrt(len(some)) * at.rounding_of_corr(
            problem
        )
        return off / float(nonzero[-1]) if len(nonzero) else 0.0

    def _limit(self, corr, error):
        """Limit of each coefficient on the side of its correlation.

        The larger limit where `error` hides the sign, (n_learners,).
        """
        return np.where(
            corr > error,
            self.upper,
            np.where(corr < -error, -self.lower, np.maximum(self.upper, -self.lower)),
        )

    def prices(self, problem: Problem) -> tuple[np.ndarray, np.ndarray]:
        """Return the factors of abs(beta_j) and beta_j^2 / 2 in the penalty, (n_learners,) each."""
        return self.price, self.ridge


def dual_scale(price, size, along, square, most):
    """Return the best multiple s of the residual such that ``s * size <= price`` for all learners.

    size : ndarray
        The abs correlations.
    along, square, most
        See ``Evaluation.multiples``.
    """
    if not len(size):
        return float(best_multiple(along, square, most, price, size, size, size))
    with np.errstate(over="ignore"):
        ratio = np.divide(price, size, out=np.full_like(size, math.inf), where=size > 0)
        j = slice(ratio.argmin(), ratio.argmin() + 1)  # the learner that limits the multiple
        no_ridge = np.zeros(1)
        no_limit = np.full(1, math.inf)
        return float(best_multiple(along, square, most, price[j], no_ridge, size[j], no_limit))


def penalty_conjugate(price, ridge, size, limit):
    """The conjugate of the penalty at abs correlations `size`: see ``Priced``."""
    excess = size - price * (1 + 2.0**-50)  # scaled sizes are rounded
    positive = excess > 0
    excess = excess[positive]
    ridge = ridge[positive]
    limit = limit[positive]
    with np.errstate(over="ignore"):  # the conjugate may be beyond the range of float64
        most = np.minimum(
            np.divide(excess, ridge, out=np.full_like(excess, math.inf), where=ridge > 0), limit
        )
        # ridge * most / 2, without a product of 0 and infinity
        half = np.where(ridge > 0, excess / 2, 0.0)
        at_limit = (most == limit) & (limit > 0) & (limit < math.inf)
        half[at_limit] = (
            np.minimum(ridge[at_limit], excess[at_limit] / limit[at_limit]) * limit[at_limit] / 2
        )
        return float(((excess - half) * most).sum())


def interval(target, problem, at, lower, upper, witness, *, radius=0.0, slack=0.0, scale=1.0):
    """Make a certificate (the only place that does).

    `lower`, computed at the point `at`, is rounded down; `upper` is rounded up already.

    radius : bound of the l1 norm of the coefficients that multiply the correlations
    slack : an additional amount to subtract from `lower`
    scale : the multiple of the residual that gave `lower`; rounding grows with its square
    """
    infimum = min(at.checked_infimum(problem), upper)
    by_convexity = lower > -math.inf
    refuted = contradiction(problem, at.pred, upper, by_convexity) or (
        miscounted(problem, at.resid, at.corr) if by_convexity else ""
    )
    if refuted:
        return Certificate(target, -math.inf, upper, witness, refuted=refuted)
    end = lower - at.rounding(problem, radius) * max(scale, 1.0) ** 2 - slack
    # a lower end that is no number is none
    return Certificate(target, end if end > infimum else infimum, upper, witness)
