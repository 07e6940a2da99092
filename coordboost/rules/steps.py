r"""Step rules: how far to move along the selected learner, and by how much to shrink the old model.

``move(k, state, j, corr, beta_j) -> (shrink, theta)`` stands for the update::

    pred <- (1 - shrink) pred + unit theta B_j
    beta <- (1 - shrink) beta,  beta_j <- beta_j + unit theta

A *row* of the path is a stored step (j, shrink, theta). `unit` is a constant of the rule: forward
stagewise has theta = -1, 0 or 1 in units of eps, so its coefficients are exact counts. Optional:
``score(j, corr, beta_j)``, by which learners are ranked (default ``abs(corr)``; scores tie if they
differ by less than the rounding of a correlation), and ``bind(problem)``, which checks the rule
against the loss. ``verb("name")`` calls a method of a compiled object, such as the model state
(which has the residual and the correlations); a *kernel* is a function that can be compiled
(docs/architecture.md).

*Fitted learners*: a step of gradient boosting is a fraction of the fitted learner, with or without
noise, or of the line-search step along it.

*Momentum*: the steps of accelerated boosting, for two models f and h. With the mixing weight
:math:`w_m = 2 / (m + 2)` (theta_m in the paper) the gradient is taken at
:math:`g = (1 - w_m) f + w_m h`, and the next f starts there. A row of the path with shrink > 0
moves f: f <- (1 - shrink) f + shrink h, then f_j += theta. A row with shrink = 0 moves h: h_j +=
theta. The model state counts the rounds m since momentum last started, and provides the shrink of
the next row: w_m, 0, or the mark of a restart. Source: Lu, Karimireddy, Ponomareva, Mirrokni,
*Accelerating Gradient Boosting Machines*, Algorithms 2 and 4.

*Frank-Wolfe* on the l1 ball: plain steps, away steps and pairwise steps. A model in the ball of
radius :math:`\delta` is a convex combination of *vertices*
:math:`\mathrm{sign}(\beta_j)\, \delta e_j`, one for each nonzero coefficient, with the weights
:math:`|\beta_j| / \delta`, and of the origin with the remaining weight. A plain step moves towards
the best vertex. An away step moves away from the worst vertex of the model, at most until its
weight is 0. A pairwise step (a swap) moves weight from the worst vertex to the best one. The model
state finds both vertices and chooses the kind of step. Source: Guelat, Marcotte, *Some comments on
Wolfe's away step*, 1986; Lacoste-Julien, Jaggi, *On the global linear convergence of Frank-Wolfe
optimization variants*, 2015.
"""

import math
from collections import namedtuple
from typing import NamedTuple

import numpy as np

from coordboost._numba import kernel, verb
from coordboost._numba.linesearch import NO_SEARCH, sign, soft_threshold
from coordboost._utils.checks import as_floats, not_negative, positive, real, shown
from coordboost._utils.kinds import examples
from coordboost.losses.base import ANY_LOSS, sigma_of
from coordboost.rules.base import StepRule

#: search(state, j, a, b): the t that minimises the loss at pred + t (a B_j - b pred).
search = verb("search")
#: soft(rule, corr, beta_j): the change of the coefficient, see ``SoftThreshold.soft``.
soft = verb("soft")
#: after(state, j, theta): the sum of the losses at pred + theta B_j.
after = verb("after")


def sequence(name, values, instead=""):
    """Return `values` as a float64 vector of positive steps.

    `instead` ends the error message, with advice for a single number.
    """
    array = as_floats(values)
    if array.ndim != 1 or array.size == 0 or not (np.isfinite(array).all() and (array > 0).all()):
        raise ValueError(
            f"{name} must be a sequence of positive finite numbers, one per step, got "
            f"{shown(values)}.{instead}"
        )
    return array


class _ShrunkenStep(NamedTuple):
    rate: float | None = None


@examples({}, {"rate": 0.125})
class ShrunkenStep(_ShrunkenStep, StepRule):
    """theta = rate * corr: LS-Boost(eps) with rate = eps, coordinate descent with rate = 1 / sigma.

    Parameters
    ----------
    rate : float, optional
        Learning rate, without unit; None stands for 1 / sigma of the loss.

    Examples
    --------
    >>> import coordboost as cb
    >>> shrink, theta = cb.rules.ShrunkenStep(0.5).move(0, None, 0, corr=2.0, beta_j=0.0)
    >>> shrink, theta
    (0, 1.0)
    """

    @property
    def ls_boost_rate(self):
        return self.rate

    def bind(self, problem):
        sigma = sigma_of(problem.loss, "a constant step")
        if self.rate is None:
            return ShrunkenStep(1.0 / sigma)
        return ShrunkenStep(
            positive("rate", self.rate, 2.0 / sigma, f"between 0 and 2 / sigma = {2.0 / sigma:g}")
        )

    def move(self, k, state, j, corr, beta_j):
        return 0, self.rate * corr


@examples({})
class LineSearch(namedtuple("LineSearch", ""), StepRule):
    """theta minimises the loss along the learner.

    Examples
    --------
    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0], [2], [3]], [0, 1, 0], cb.losses.Logistic())
    >>> run = cb.solve(problem, cb.methods.gcd(cb.rules.LineSearch()), 1)
    >>> bool(abs(run.final.corr[0]) < 1e-6)
    True
    """

    ls_boost_rate = 1.0
    needs_convex = NO_SEARCH

    def move(self, k, state, j, corr, beta_j):
        return 0, search(state, j, 1, 0)


class _FixedStep(NamedTuple):
    eps: float
    delta: float = math.inf


@examples({"eps": 0.125}, {"eps": 0.125, "delta": 2.0})
class FixedStep(_FixedStep, StepRule):
    """theta = sign(corr) in units of eps: FS_eps, and R-FS_{eps,delta} with shrink = eps / delta.

    Parameters
    ----------
    eps : float
        Length of a step, in the units of the predictions.
    delta : float, default inf
        Radius of the l1 ball, in the units of the predictions.

    Examples
    --------
    >>> import coordboost as cb
    >>> shrink, theta = cb.rules.FixedStep(0.1, delta=2.0).move(0, None, 0, corr=2.0, beta_j=0.0)
    >>> shrink, theta
    (0.05, 1)
    """

    @property
    def unit(self):
        return self.eps

    @property
    def stagewise(self):
        return self.eps, self.delta

    def bind(self, problem):
        eps = positive("eps", self.eps)
        expected = f"at least eps = {self.eps!r} (the factor 1 - eps / delta must not be negative)"
        return FixedStep(eps, real("delta", self.delta, lambda number: number >= eps, expected))

    def move(self, k, state, j, corr, beta_j):
        return self.eps / self.delta, sign(corr)


class _StepSequence(NamedTuple):
    eps: np.ndarray


@examples({"eps": [1.0] * 12})
class StepSequence(_StepSequence, StepRule):
    """theta = eps[k] * sign(corr): FS with a sequence of steps.

    Parameters
    ----------
    eps : ndarray, (n_steps,)
        Lengths of the steps, in the units of the predictions.

    Examples
    --------
    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0], [2], [3]], [1.0, 2, 4])
    >>> cb.solve(problem, cb.forward_stagewise([1.0, 0.5, 0.25]), 3).beta
    array([1.75])
    """

    @property
    def horizon(self):
        return len(self.eps)

    def bind(self, problem):
        return StepSequence(
            sequence("eps", self.eps, " For the same in every step use FixedStep(eps).")
        )

    @property
    def stagewise(self):
        return self.eps, math.inf

    def move(self, k, state, j, corr, beta_j):
        return 0, self.eps[k] * sign(corr)


class _PathStep(NamedTuple):
    eps: float
    deltas: np.ndarray


@examples({"eps": 0.125, "deltas": [1.0 + step / 8 for step in range(12)]})
class PathStep(_PathStep, StepRule):
    """The step of PATH-R-FS_eps, with one radius per step.

    theta = sign(corr) in units of eps, shrink = eps / deltas[k].

    Parameters
    ----------
    eps : float
        Length of a step, in the units of the predictions.
    deltas : ndarray, (n_steps,)
        Radius of the l1 ball in each step, in the units of the predictions.

    Examples
    --------
    >>> import coordboost as cb
    >>> cb.path_forward_stagewise(0.1, [1.0, 2.0]).step
    PathStep(eps=0.1, deltas=array([1., 2.]))
    """

    @property
    def unit(self):
        return self.eps

    @property
    def horizon(self):
        return len(self.deltas)

    @property
    def stagewise(self):
        return self.eps, self.deltas

    def radius_at(self, k):
        """Return the radius of the l1 ball whose optimum beta is compared with after k steps."""
        return float(self.deltas[min(k, len(self.deltas) - 1)])

    def bind(self, problem):
        eps = positive("eps", self.eps)
        deltas = sequence("deltas", self.deltas, " For a single radius use FixedStep(eps, delta).")
        if not deltas[0] >= eps:
            raise ValueError(
                f"the smallest delta must be at least eps = {self.eps!r}, got {float(deltas[0])!r}."
            )
        if (np.diff(deltas) < 0).any():
            raise ValueError(
                "deltas must not decrease, else the path may leave the balls. Sort them."
            )
        return PathStep(eps, deltas)

    def move(self, k, state, j, corr, beta_j):
        return self.eps / self.deltas[k], sign(corr)


class _SoftThreshold(NamedTuple):
    lam: float
    rate: float | None = None


@examples({"lam": 0.5}, {"lam": 0.5, "rate": 0.25})
class SoftThreshold(_SoftThreshold, StepRule):
    """The exact minimiser along learner j of (quadratic bound of the loss) + lam * abs(beta_j).

    The score is the absolute value of the step. Source: Freund, Grigas and Mazumder, A.4.4 (eq.
    55).

    Parameters
    ----------
    lam : float
        Factor of the l1 norm of the coefficients in the objective, which has the sum of the losses,
        not their mean.
    rate : float, optional
        Learning rate, without unit; None stands for 1 / sigma of the loss.

    Examples
    --------
    >>> import coordboost as cb
    >>> rule = cb.rules.SoftThreshold(lam=0.5, rate=1.0)
    >>> shrink, theta = rule.move(0, None, 0, corr=2.0, beta_j=0.0)
    >>> shrink, theta
    (0, 1.5)
    """

    def bind(self, problem):
        return SoftThreshold(
            not_negative("lam", self.lam), ShrunkenStep(self.rate).bind(problem).rate
        )

    def soft(self, corr, beta_j):
        r"""Return the change of coefficient j that leads to the minimiser along it.

        The change is :math:`S(\beta_j + \rho c_j, \rho\lambda) - \beta_j`.

        S is soft thresholding, rho the `rate`. *Source*: Freund, Grigas and Mazumder, A.4.4 (eq.
        55).

        Parameters
        ----------
        corr : float
            The correlation <B_j, resid>.
        beta_j : float
            The current coefficient.

        Returns
        -------
        float
            The change of the coefficient.
        """
        return soft_threshold(beta_j + self.rate * corr, self.rate * self.lam, 1) - beta_j

    def score(self, j, corr, beta_j):
        return abs(soft(self, corr, beta_j))

    def move(self, k, state, j, corr, beta_j):
        return 0, soft(self, corr, beta_j)


class _RecordedMoves(NamedTuple):
    shrink: np.ndarray
    theta: np.ndarray


class RecordedMoves(_RecordedMoves, StepRule):
    """The moves of a recorded path, for a replay."""

    def move(self, k, state, j, corr, beta_j):
        return self.shrink[k], self.theta[k]


@kernel
def length_of_column(state, corr):
    """Return the length of a learner that is given as a unit column.

    It is its least-squares coefficient, the correlation.
    """
    return corr


#: fitted(state, corr): the *length* of the learner just found, that is, the coefficient of its unit
#: column in the fit to the residual.
fitted = verb("fitted", length_of_column)


@kernel
def without_noise(state, k, j, corr):
    """Return the length of learner j in the fit without noise."""
    return fitted(state, corr)


#: tempered(state, k, j, corr): the length of learner j in a fit to the residual plus the (Langevin)
#: noise of step k.
tempered = verb("tempered", without_noise)


class _RatedStep(NamedTuple):
    rate: float


class RatedStep(_RatedStep, StepRule):
    """Base of steps whose theta is the learning rate times a length along the learner."""

    #: The rate is below the first of these; what it must be, for the error message.
    rates: tuple = ()

    def bind(self, problem):
        return self._replace(rate=positive("rate", self.rate, *self.rates))


@examples({"rate": 0.5})
class FittedStep(RatedStep):
    """theta = rate * length of the fitted learner, with the learning rate of gradient boosting.

    The length of a column is its correlation. Trees with a ridge penalty or Newton leaves have
    another length.

    Parameters
    ----------
    rate : float
        Learning rate, without unit.

    Examples
    --------
    >>> import coordboost as cb
    >>> cb.gbm(0.1).step
    FittedStep(rate=0.1)
    """

    def bind(self, problem):
        rate = positive("rate", self.rate)
        return BoundedStep(rate) if _may_raise_loss(problem, rate) else FittedStep(rate)

    def move(self, k, state, j, corr, beta_j):
        return 0, self.rate * fitted(state, corr)


def _may_raise_loss(problem, rate):
    """Return whether a learner that a search has found, a tree, may raise a convex loss."""
    loss = problem.loss
    sums_over_samples = loss.residual is not None and loss.sum_of_losses is None
    if problem.countable or not loss.convex or not sums_over_samples:
        return False
    family = getattr(problem.dictionary, "family", None)
    if getattr(family, "newton", False):
        return loss.self_concordance is None
    return loss.sigma is None or 2 / loss.sigma < rate <= 1


@kernel
def within_line(state, j, corr):
    """Return the length of the learner just found.

    That of the line search, if the loss is larger there than at the start.
    """
    length = fitted(state, corr)
    if after(state, j, length) <= after(state, j, 0 * length):
        return length
    return search(state, j, 1, 0)


#: bounded(state, j, corr): the length of the learner just found, changed so that it does not raise
#: the loss; for a tree, leaf by leaf.
bounded = verb("bounded", within_line)


@examples({"rate": 0.5})
class BoundedStep(RatedStep):
    """As ``FittedStep`` for trees, but no leaf raises the sum of its losses.

    A leaf whose value would raise it takes the value that minimises it.

    ``FittedStep`` becomes this rule in a run where nothing else bounds the trees: for a convex loss
    without `sigma`; with Newton leaves, for one without `self_concordance`. At a rate of at most 1
    no step raises the loss. Under monotone constraints the tree as a whole is bounded, by a line
    search along it. *Cost*: a pass over the samples, and a line search for each leaf that needs
    one.

    Parameters
    ----------
    rate : float
        Learning rate, without unit.

    Examples
    --------
    >>> import coordboost as cb
    >>> X, y = [[0.0], [0], [1], [1]], [1.0, 2, 9, 4000]
    >>> run = cb.solve(cb.Problem(cb.data.trees(X), y, cb.losses.Poisson()), cb.gbm(0.5), 20)
    >>> run.method.step, bool((run.losses <= run.problem.start_loss).all())
    (BoundedStep(rate=0.5), True)
    """

    needs_convex = NO_SEARCH

    def move(self, k, state, j, corr, beta_j):
        return 0, self.rate * bounded(state, j, corr)


@kernel
def line_length(state, j, corr):
    """Return the length that minimises the loss along learner j."""
    return search(state, j, 1, 0)


#: minimised(state, j, corr): the length that minimises the loss along the learner just found; for a
#: tree, leaf by leaf.
minimised = verb("minimised", line_length)


@examples({"rate": 0.5})
class LeafSearch(RatedStep):
    """theta = rate * the tree whose leaves minimise the losses of their rows.

    For ``Quantile(q)`` a leaf is the weighted q-quantile of y - f.

    Learners without leaves, and trees with monotone constraints, have a line search along the
    learner: as ``DampedLineSearch``.

    *Source*: Friedman, Greedy function approximation: a gradient boosting machine, Algorithm 3 and
    equation (18).

    Parameters
    ----------
    rate : float
        Learning rate, without unit.

    Examples
    --------
    >>> import coordboost as cb
    >>> problem = cb.Problem(
    ...     cb.data.trees([[0.0], [0], [0], [1]], max_depth=1),
    ...     [1.0, 2, 3, 9],
    ...     cb.losses.Quantile(0.5),
    ... )
    >>> method = cb.rules.Method("leaf medians", cb.rules.Greedy(), cb.rules.LeafSearch(1.0))
    >>> cb.solve(problem, method, 1).predict([[0.0], [1.0]])
    array([2., 9.])
    """

    needs_convex = NO_SEARCH
    rates = (2, "between 0 and 2")

    def move(self, k, state, j, corr, beta_j):
        return 0, self.rate * minimised(state, j, corr)


@examples({"rate": 0.5})
class DampedLineSearch(RatedStep):
    """theta = rate * the step that minimises the loss along the learner.

    For any convex loss, smooth or not.

    *Source*: Friedman, Greedy function approximation: a gradient boosting machine, Algorithm 1, and
    Section 5 (learning rate).

    Parameters
    ----------
    rate : float
        Learning rate, without unit.

    Examples
    --------
    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0], [2], [3]], [1.0, 2, 9], cb.losses.Quantile(0.5))
    >>> method = cb.rules.Method("damped", cb.rules.Greedy(), cb.rules.DampedLineSearch(0.5))
    >>> run = cb.solve(problem, method, 20)
    >>> run.final.loss < problem.start_loss
    True
    """

    needs_convex = NO_SEARCH
    rates = (2, "between 0 and 2")

    @property
    def ls_boost_rate(self):
        return self.rate

    def move(self, k, state, j, corr, beta_j):
        return 0, self.rate * search(state, j, 1, 0)


class _Langevin(NamedTuple):
    rate: float
    shrink: float = 0.0


@examples({"rate": 0.125}, {"rate": 0.125, "shrink": 0.0078125})
class Langevin(_Langevin, StepRule):
    """theta = rate * length of the learner fitted to the noisy residual.

    The model is first multiplied by 1 - shrink.

    Without noise this is ``FittedStep(rate)`` with decay of the model.

    Parameters
    ----------
    rate : float
        Learning rate eps, without unit.
    shrink : float, default 0
        Decay of the model in a step (*model shrinkage*, not the learning rate): gamma eps.

    Examples
    --------
    >>> import coordboost as cb
    >>> cb.sglb(eps=0.1, gamma=0.5).step
    Langevin(rate=0.1, shrink=0.05)
    """

    def bind(self, problem):
        rate = positive("eps", self.rate)
        shrink = not_negative("gamma eps", self.shrink)
        if shrink >= 1:
            raise ValueError(
                f"gamma * eps must be below 1, got {shrink!r}: otherwise a step sets the "
                "model to 0, or changes its sign."
            )
        sigma_of(problem.loss, "Langevin boosting", ANY_LOSS)
        mu = problem.loss.mu or 0.0  # lower bound of the curvature of the loss
        if rate * mu + shrink >= 2:
            raise ValueError(
                f"eps * (gamma + mu) must be below 2 (mu = {mu:g}, the least curvature of the "
                f"loss), got {rate * mu + shrink:g}: the steps are unstable. Use a smaller eps."
            )
        return Langevin(rate, shrink)

    def move(self, k, state, j, corr, beta_j):
        return self.shrink, self.rate * tempered(state, k, j, corr)


#: tempo(state): (m, share_of_h, gamma_left). The round; the shrink of the next row: w_m if it moves
#: f, 0 if it moves h, and ``RESTART``, ``UNDO`` or ``SLOWER`` (coefficients.py) if momentum
#: restarts; the factor that multiplies gamma.
tempo = verb("tempo")
#: Reason, in error messages, why momentum needs a convex loss.
NO_THEOREM = "momentum has a guarantee for convex losses only; use sglb()"


@kernel
def mixing(m):
    """Return w_m, the weight of h in the point at which round m takes the gradient."""
    return 2 / (m + 2)


@kernel
def admissible(cosine):
    """Return the largest gamma that Theorem 4.1 (Lu et al.) allows.

    If all fits have a cosine >= `cosine` it is (1 - sqrt(1 - cosine^2))^2.
    """
    square = min(cosine * cosine, 1.0)
    return square * square / (1.0 + math.sqrt(1.0 - square)) ** 2


def with_checked_eta(rule, problem):
    """Return a rule of accelerated boosting; raise ValueError if its step size is too large."""
    sigma = sigma_of(problem.loss, "accelerated boosting", ANY_LOSS)
    positive("eta", rule.eta, 2.0 / sigma, f"between 0 and 2 / sigma = {2.0 / sigma:g}")
    return rule


class _TwoPhase(NamedTuple):
    eta: float
    gamma: float


class TwoPhase(_TwoPhase, StepRule):
    """AGBM: even steps move f by eta corr, odd steps move h by (gamma eta / w_m) corr.

    In odd steps corr is the correlation with the error-corrected residual: the residual plus a
    multiple of what the last fit to it left unexplained (engine/states/accelerated.py).
    """

    needs_convex = NO_THEOREM
    sequences = 2
    phases = 2

    def bind(self, problem):
        return with_checked_eta(self, problem)

    def move(self, k, state, j, corr, beta_j):
        m, share_of_h, gamma_left = tempo(state)
        mix = mixing(m)
        if share_of_h != 0:
            return share_of_h, self.eta * corr
        no_shrink = 0 * mix  # keeps the number type
        return no_shrink, self.gamma * gamma_left * self.eta / mix * corr


class _OnePhase(NamedTuple):
    eta: float


class OnePhase(_OnePhase, StepRule):
    """VAGBM: f moves by eta corr.

    The model state also moves h, along the same learner (engine/states/accelerated.py, push).
    """

    needs_convex = NO_THEOREM
    sequences = 2

    def bind(self, problem):
        return with_checked_eta(self, problem)

    def move(self, k, state, j, corr, beta_j):
        _, share_of_h, _ = tempo(state)
        return share_of_h, self.eta * corr


#: Kinds of rows (stored steps): a step towards a vertex, a step away from a vertex, the first row
#: of a swap, its second row.
FORWARD = 0
AWAY = 1
SWAP = 2
SWAPPED = 3

#: search_pair(state, i, a, j, b): the t that minimises the loss at pred + t (a B_i + b B_j).
search_pair = verb("search_pair")
#: turn(state): (kind, sign, other, other_sign, limit). The kind of this row; the sign of its
#: vertex; for a swap the learner of the second row and the sign of its vertex; the longest step of
#: the row, relative to the radius. For ``SWAPPED`` the limit is the absolute change of the
#: coefficient in the first row.
turn = verb("turn")

#: The radius, for the attributes `unit` (theta is relative to the radius), `frank_wolfe` and
#: `corrective` (also steps away from vertices) of step rules.
RADIUS = property(lambda rule: rule.radius)


class _OnBall(NamedTuple):
    radius: float


class BallStep(_OnBall, StepRule):
    """Base of steps towards a vertex of the l1 ball, or away from one.

    Theta is relative to the radius.
    """

    unit = RADIUS

    def bind(self, problem):
        return self._replace(radius=positive("radius", self.radius))


@examples({"radius": 2.0})
class DiminishingStep(BallStep):
    """Frank-Wolfe on the l1 ball with the step gamma = 2 / (k + 2).

    Parameters
    ----------
    radius : float
        Radius of the l1 ball, in the units of the predictions.

    Examples
    --------
    >>> import coordboost as cb
    >>> cb.rules.DiminishingStep(radius=3.0).move(2, None, 0, 1.0, 0.0)  # step 2: shrink, theta
    (0.5, 0.5)
    """

    frank_wolfe = RADIUS

    def move(self, k, state, j, corr, beta_j):
        gamma = 2 / (k + 2)
        return gamma, gamma * sign(corr)


@examples({"radius": 2.0})
class SegmentSearch(BallStep):
    """Frank-Wolfe on the l1 ball with the gamma in [0, 1] that minimises the loss.

    Parameters
    ----------
    radius : float
        Radius of the l1 ball, in the units of the predictions.

    Examples
    --------
    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> run = cb.solve(problem, cb.methods.frank_wolfe(2.0, cb.rules.SegmentSearch(2.0)), 50)
    >>> shorter = cb.solve(problem, cb.methods.frank_wolfe(2.0), 50)
    >>> run.certificate().upper <= shorter.certificate().upper
    True
    """

    frank_wolfe = RADIUS
    needs_convex = NO_SEARCH

    def move(self, k, state, j, corr, beta_j):
        s = sign(corr)
        gamma = min(max(search(state, j, self.radius * s, 1), 0), 1)
        return gamma, gamma * s


class AwayStep(BallStep):
    """Towards the best vertex or away from the worst one; exact line search.

    Whichever is the steeper descent direction.
    """

    corrective = RADIUS
    needs_convex = NO_SEARCH

    def move(self, k, state, j, corr, beta_j):
        kind, s, _, _, limit = turn(state)
        if kind == AWAY:
            gamma = min(max(search(state, j, -self.radius * s, -1), 0), limit)
            return -gamma, -gamma * s
        gamma = min(max(search(state, j, self.radius * s, 1), 0), 1)
        return gamma, gamma * s


class PairwiseStep(BallStep):
    """Move weight from the worst vertex to the best, in two rows.

    In one row if the worst is the origin. Exact line search.
    """

    corrective = RADIUS
    needs_convex = NO_SEARCH

    def swaps(self):
        """Whether weight moves from vertex to vertex: always."""
        return True

    def move(self, k, state, j, corr, beta_j):
        kind, s, other, other_s, limit = turn(state)
        if kind == SWAPPED:  # the same length as in the first row
            return 0, limit / self.radius * s
        if kind == SWAP:
            gamma = search_pair(state, j, -self.radius * s, other, self.radius * other_s)
            return 0, -s * min(max(gamma, 0), limit)
        gamma = search(state, j, self.radius * s, 0)
        return 0, s * min(max(gamma, 0), limit)
