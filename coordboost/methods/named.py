"""Named methods: each is a selection rule and a step rule, with its source.

Some have their own coefficient rule.

Names and order follow Freund, Grigas, Mazumder, *A New Perspective on Boosting in Linear Regression
via Subgradient Optimization and Relatives* (FGM), Lu, Mazumder, *Randomized Gradient Boosting
Machine* (LM), Lu, Karimireddy, Ponomareva, Mirrokni, *Accelerating Gradient Boosting Machines*,
Ustimenko, Prokhorenkova, *SGLB: Stochastic Gradient Langevin Boosting* (SGLB), and Cortes, Mohri,
Storcheus, *Regularized Gradient Boosting*.
"""

import inspect
import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from coordboost._numba.threads import on_one_thread
from coordboost._utils.checks import (
    checked_names,
    few,
    not_negative,
    number_of,
    positive,
    real,
    shown,
)
from coordboost._utils.kinds import checked_piece, examples
from coordboost.certificates.objectives import (
    L1Ball,
    L1Penalty,
    Unconstrained,
    dual_scale,
    interval,
    need_convexity,
)
from coordboost.data.problem import Problem
from coordboost.data.validation import flag
from coordboost.learners.families import Families, labels_of, lengths, table_of
from coordboost.rules.base import SelectionRule, StepRule
from coordboost.rules.coefficients import Refitted, TwoSequences, Vertices
from coordboost.rules.method import Method
from coordboost.rules.noise import Noise, Structure, inverse_temperatures, structure_of
from coordboost.rules.selection import Cyclic, Greedy, RandomSubset
from coordboost.rules.steps import (
    AwayStep,
    DiminishingStep,
    FittedStep,
    FixedStep,
    Langevin,
    LineSearch,
    OnePhase,
    PairwiseStep,
    PathStep,
    ShrunkenStep,
    SoftThreshold,
    StepSequence,
    TwoPhase,
    sequence,
)
from coordboost.rules.structural import FamilyStep, Structural

#: How a method is called.
CALL = "solve(Problem(X, y), {name}({arguments}), n_steps)"


@examples({}, {"eps": 0.5})
@checked_names(CALL)
def ls_boost(eps: float = 0.1) -> Method:
    """LS-Boost: small steps towards the least-squares coefficient of the best column.

    Each step adds eps * <B_j, r> to the coefficient of the unit column B_j with the largest abs
    inner product with the (pseudo-)residual r. *Source*: Freund, Grigas, Mazumder, Section 2.

    Parameters
    ----------
    eps : float, default 0.1
        Learning rate (shrinkage), without unit, 0 < eps < 2. For the squared loss 1 is matching
        pursuit; the paper's bounds are proved for eps <= 1.

    Returns
    -------
    Method
        For ``solve`` and ``iterate``.

    Examples
    --------
    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> run = cb.solve(problem, cb.ls_boost(1.0), 3)
    >>> run.beta.round(3), run.certificate().gap < 1e-12
    (array([1.414, 2.753]), True)
    """
    eps = positive("eps", eps, 2, "between 0 and 2 (LS-Boost diverges from 2 on)")
    return Method(
        "ls_boost",
        Greedy(),
        ShrunkenStep(eps),
        "Freund, Grigas, Mazumder, Section 2",
        Unconstrained(),
        {"eps": eps},
    )


@examples({"eps": 0.5})
@checked_names(CALL)
def forward_stagewise(eps: Any) -> Method:
    """Incremental forward stagewise regression, FS_eps: steps of fixed size.

    Each step adds eps * sign(<B_j, r>) to the coefficient of the unit column B_j with the largest
    abs inner product with the (pseudo-)residual r. A sequence gives the eps of each step. *Source*:
    Freund, Grigas, Mazumder, Section 3.

    Parameters
    ----------
    eps : float or sequence of float
        Change of one coefficient per step, for columns of Euclidean norm 1: a step changes the
        predictions by eps / sqrt(n_samples) in root mean square. In the units of the prediction:
        those of y for the squared loss, log-odds for the logistic loss. If eps is constant, every
        coefficient of a unit-norm column (``run.beta``) is an integer multiple of eps.

    Returns
    -------
    Method
        For ``solve`` and ``iterate``.

    Examples
    --------
    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> run = cb.solve(problem, cb.forward_stagewise(0.25), 10)
    >>> run.beta
    array([0.5, 2. ])
    """
    source = "Freund, Grigas, Mazumder, Section 3"
    rule: StepRule
    if hasattr(eps, "__len__") and getattr(eps, "ndim", True) and not isinstance(eps, str):
        eps = sequence("eps", eps)
        rule = StepSequence(eps)
    else:
        eps = positive("eps", eps, expected="a positive finite number, or a sequence of them")
        rule = FixedStep(eps)
    return Method("forward_stagewise", Greedy(), rule, source, Unconstrained(), {"eps": eps})


@examples({"eps": 0.5, "delta": 10.0})
@checked_names(CALL)
def regularized_forward_stagewise(eps: float, delta: float) -> Method:
    """R-FS_{eps,delta}: FS_eps with shrinkage of the coefficients (FGM, Section 4).

    Before each step of FS_eps all coefficients are multiplied by 1 - eps / delta.

    So the l1 norm of the coefficients never exceeds delta, and the run approaches the Lasso with
    that bound. delta = inf is FS_eps.

    Parameters
    ----------
    eps : float
        Change of one coefficient per step, for columns of Euclidean norm 1, as for
        ``forward_stagewise``.
    delta : float
        Bound on sum_j abs(beta_j), the coefficients of unit-norm columns; same unit as eps. At
        least eps.

    Returns
    -------
    Method
        For ``solve`` and ``iterate``.

    Examples
    --------
    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> run = cb.solve(problem, cb.regularized_forward_stagewise(0.01, delta=2.0), 2000)
    >>> print(run.certificate())
    L1Ball(radius=2.0): optimum in [1.382361009, 1.384826368], gap 0.00247
    >>> run.final.l1 <= 2.0
    True
    """
    expected = f"at least eps = {shown(eps)}"
    eps = positive("eps", eps)
    delta = real("delta", delta, lambda number: number >= eps, expected)
    target = L1Ball(delta) if delta < math.inf else Unconstrained()
    source = "Freund, Grigas, Mazumder, Section 4"
    parameters = {"eps": eps, "delta": delta}
    return Method(
        "regularized_forward_stagewise", Greedy(), FixedStep(eps, delta), source, target, parameters
    )


@examples({"eps": 0.5, "deltas": [float(delta) for delta in range(1, 13)]})
@checked_names(CALL)
def path_forward_stagewise(eps: float, deltas: ArrayLike) -> Method:
    """PATH-R-FS_eps: R-FS with the bound deltas[k] in step k (FGM, Section 5).

    It follows the Lasso path in one run.

    Parameters
    ----------
    eps : float
        Change of one coefficient per step, for columns of Euclidean norm 1, as for
        ``forward_stagewise``.
    deltas : sequence of float
        Bound on sum_j abs(beta_j) in each step, non-decreasing and at least eps; same unit as eps.

    Returns
    -------
    Method
        For ``solve`` and ``iterate``.

    Examples
    --------
    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> import numpy as np
    >>> run = cb.solve(problem, cb.path_forward_stagewise(0.01, np.linspace(0.1, 2.0, 500)), 500)
    >>> run.final.l1 <= 2.0
    True
    """
    eps = positive("eps", eps)
    advice = " For a single radius use regularized_forward_stagewise(eps, delta)."
    rule = PathStep(eps, sequence("deltas", deltas, advice)).bind(None)
    target = L1Ball(float(rule.deltas[-1]))
    source = "Freund, Grigas, Mazumder, Section 5"
    parameters = {"eps": eps, "deltas": rule.deltas}
    return Method("path_forward_stagewise", Greedy(), rule, source, target, parameters)


@examples({"delta": 10.0}, {"delta": 10.0, "step": 0.5})
@checked_names(CALL)
def frank_wolfe(delta: float, step: Any = None) -> Method:
    """Frank-Wolfe on the l1 ball of radius delta (FGM, A.4.5).

    Parameters
    ----------
    delta : float
        Bound on sum_j abs(beta_j), the coefficients of unit-norm columns, in the units of the
        prediction.
    step : float or step rule, optional
        None for 2 / (k + 2); ``SegmentSearch(delta)`` for the exact line search; a number in (0, 1]
        for a constant gamma, which is R-FS with eps = gamma * delta.

    Returns
    -------
    Method
        For ``solve`` and ``iterate``.

    Examples
    --------
    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> run = cb.solve(problem, cb.methods.frank_wolfe(2.0), 50)
    >>> print(run.certificate())
    L1Ball(radius=2.0): optimum in [1.340235382, 1.388505567], gap 0.0483
    """
    delta = positive("delta", delta)
    rule = DiminishingStep(delta) if step is None else step
    if number_of(step) is not None or isinstance(step, bool):
        expected = "a constant gamma in (0, 1], None, or SegmentSearch(delta)"
        step = positive("step", step, 1 + 1e-15, expected)
        rule = FixedStep(step * delta, delta)
    elif step is not None:
        radius = step.frank_wolfe if isinstance(step, StepRule) else None
        if radius is None:
            raise ValueError(
                "step must be None, a constant gamma in (0, 1], or SegmentSearch(delta), got "
                f"{shown(step)}."
            )
        if radius != delta:
            raise ValueError(
                f"step has the radius {radius!r}, the ball has delta = {delta!r}; give both the "
                "same radius."
            )
    source = "Frank-Wolfe; Freund, Grigas, Mazumder, A.4.5"
    parameters = {"delta": delta, "step": step}
    return Method("frank_wolfe", Greedy(), rule, source, L1Ball(delta), parameters)


@examples({"delta": 10.0})
@checked_names(CALL)
def frank_wolfe_away(delta: float) -> Method:
    """Frank-Wolfe with away steps on the l1 ball of radius delta.

    A step goes towards the best vertex, or away from the worst one of the model.

    Exact line search. For a strongly convex loss and linearly independent columns convergence is
    linear: each step that is not cut short reduces the error by a constant factor
    (docs/frank-wolfe.md). Lacoste-Julien, Jaggi, Algorithm 1.

    Parameters
    ----------
    delta : float
        Bound on sum_j abs(beta_j), the coefficients of unit-norm columns, in the units of the
        prediction.

    Returns
    -------
    Method
        For ``solve`` and ``iterate``.

    Examples
    --------
    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> run = cb.solve(problem, cb.methods.frank_wolfe_away(2.0), 10)
    >>> run.certificate().gap < 1e-12
    True
    """
    return _vertices("frank_wolfe_away", AwayStep, delta, "Algorithm 1")


@examples({"delta": 10.0})
@checked_names(CALL)
def frank_wolfe_pairwise(delta: float) -> Method:
    """Frank-Wolfe with pairwise steps on the l1 ball of radius delta.

    Weight moves from the model's worst vertex to the best one.

    Exact line search. A swap is two steps: the first removes the weight, the second adds it.
    Lacoste-Julien, Jaggi, Algorithm 2.

    Parameters
    ----------
    delta : float
        Bound on sum_j abs(beta_j), the coefficients of unit-norm columns, in the units of the
        prediction.

    Returns
    -------
    Method
        For ``solve`` and ``iterate``.

    Examples
    --------
    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> run = cb.solve(problem, cb.methods.frank_wolfe_pairwise(2.0), 10)
    >>> run.certificate().gap < 1e-12
    True
    """
    return _vertices("frank_wolfe_pairwise", PairwiseStep, delta, "Algorithm 2")


def _vertices(name, step, delta, algorithm):
    delta = positive("delta", delta)
    source = (
        "Lacoste-Julien, Jaggi, On the global linear convergence of Frank-Wolfe "
        f"optimization variants, {algorithm}"
    )
    return Method(name, Greedy(), step(delta), source, L1Ball(delta), {"delta": delta}, Vertices())


@examples({})
@checked_names(CALL)
def gcd(step: StepRule | None = None) -> Method:
    """Greedy coordinate descent = gradient boosting machine (LM, Algorithms 1 and 3, Type 0).

    Parameters
    ----------
    step : step rule, optional
        Length of the step; default ``ShrunkenStep()``, corr / sigma of the loss.

    Returns
    -------
    Method
        For ``solve`` and ``iterate``.

    Examples
    --------
    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> run = cb.solve(problem, cb.methods.gcd(cb.rules.LineSearch()), 2)
    >>> run.path.learner, run.certificate().gap < 1e-12
    (array([1, 0]), True)
    """
    return _descent("gcd", Greedy(), step, "Lu, Mazumder, Algorithms 2 and 3, Type 0", {})


@examples({}, {"rate": 0.5})
@checked_names(CALL)
def gbm(rate: float = 0.1) -> Method:
    """Gradient boosting with shrinkage (a learning rate).

    A step adds `rate` times the learner fitted to the pseudo-residual.

    For given columns, and for trees whose leaf values are means, this is ``ls_boost(rate)``. Trees
    with a ridge penalty on leaf values or with Newton leaves are scaled differently. Friedman
    (2001), Section 5; LM, Algorithm 1 without its line search.

    Parameters
    ----------
    rate : float, default 0.1
        Learning rate, without unit.

    Returns
    -------
    Method
        For ``solve`` and ``iterate``.

    Examples
    --------
    >>> import coordboost as cb
    >>> X, y = [[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5]
    >>> run = cb.solve(cb.Problem(cb.data.trees(X, max_depth=2), y), cb.gbm(0.1), 100)
    >>> run.predict(X).round(2)
    array([1., 2., 4., 5.])
    """
    rate = positive("rate", rate, 2, "between 0 and 2")
    source = "Friedman, Greedy function approximation: a gradient boosting machine, Section 5"
    return Method("gbm", Greedy(), FittedStep(rate), source, Unconstrained(), {"rate": rate})


@examples({})
@checked_names(CALL)
def rcd(step: StepRule | None = None) -> Method:
    """Random coordinate descent: one learner, drawn uniformly (LM, Type 1 with t = 1).

    Parameters
    ----------
    step : step rule, optional
        Length of the step; default ``ShrunkenStep()``, corr / sigma of the loss.

    Returns
    -------
    Method
        For ``solve`` and ``iterate``.

    Examples
    --------
    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> cb.solve(problem, cb.methods.rcd(), 6, rng=0).path.learner
    array([1, 1, 0, 0, 1, 1])
    """
    source = "Lu, Mazumder, Algorithms 2 and 3, Type 1, t = 1"
    return _descent("rcd", RandomSubset(1), step, source, {})


@examples({})
@checked_names(CALL)
def ccd(step: StepRule | None = None) -> Method:
    """Cyclic coordinate descent: learner k mod n at step k.

    Parameters
    ----------
    step : step rule, optional
        Length of the step; default ``ShrunkenStep()``, corr / sigma of the loss.

    Returns
    -------
    Method
        For ``solve`` and ``iterate``.

    Examples
    --------
    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> cb.solve(problem, cb.methods.ccd(), 6).path.learner
    array([0, 1, 0, 1, 0, 1])
    """
    return _descent("ccd", Cyclic(), step, "cyclic coordinate descent", {})


@examples({"t": 2})
@checked_names(CALL)
def rtgcd(
    t: Any = None, select: SelectionRule | None = None, step: StepRule | None = None
) -> Method:
    """Random-then-greedy coordinate descent: the best of some random learners.

    It is RGBM (LM, Algorithm 2; in terms of coefficients Algorithm 3).

    Parameters
    ----------
    t : int, optional
        Learners drawn for a step (Type 1).
    select : selection rule, optional
        The candidates of a step, instead of `t`, e.g. ``Groups(t)`` for Types 2 and 3.
    step : step rule, optional
        Length of the step; default ``ShrunkenStep()``, corr / sigma of the loss.

    Returns
    -------
    Method
        For ``solve`` and ``iterate``.

    Examples
    --------
    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> run = cb.solve(problem, cb.rtgcd(t=1), 6, rng=0)
    >>> run.certificate().gap < 1e-12
    True
    """
    if (t is None) == (select is None):
        raise ValueError(
            "rtgcd needs either t (number of candidates) or select (a selection rule), not both."
        )
    rule = RandomSubset(t) if select is None else select
    parameters = {"t": t, "select": select}
    return _descent("rtgcd", rule, step, "Lu, Mazumder, Algorithms 2 and 3", parameters)


def _descent(name, select, step, source, parameters):
    rule = ShrunkenStep() if step is None else step
    return Method(name, select, rule, source, Unconstrained(), {**parameters, "step": step})


@examples({"lam": 1.0})
@checked_names(CALL)
def lasso_cd(lam: float, select: SelectionRule | None = None) -> Method:
    """Lasso by coordinate descent: soft-threshold steps for L + lam * ||beta||_1.

    *Source*: FGM, A.4.4, eq. 55.

    Parameters
    ----------
    lam : float
        Penalty on the l1 norm of the coefficients of unit columns, where the loss is a sum. With n
        rows and columns of standard deviation 1 (scikit-learn's StandardScaler, glmnet's
        standardize=TRUE) it is sqrt(n) times scikit-learn's alpha or glmnet's lambda; with columns
        of norm 1 it is n times these. 0 with ``Greedy()`` is LS-Boost(1).
    select : selection rule, optional
        Default ``Cyclic()``; ``Greedy()`` (the largest step wins) or ``RandomSubset(t)``.

    Returns
    -------
    Method
        For ``solve`` and ``iterate``.

    Examples
    --------
    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> run = cb.solve(problem, cb.methods.lasso_cd(lam=2.0), 10)
    >>> run.beta.round(3)
    array([0.   , 0.753])
    >>> run.certificate().gap < 1e-12
    True
    """
    lam = not_negative("lam", lam)
    order = Cyclic() if select is None else select
    source = "Freund, Grigas, Mazumder, A.4.4"
    parameters = {"lam": lam, "select": select}
    return Method("lasso_cd", order, SoftThreshold(lam), source, L1Penalty(lam), parameters)


@examples({})
@checked_names(CALL)
def forward_stepwise() -> Method:
    """Forward stepwise: adds the best column and refits all coefficients.

    The best column is the one most correlated with the residual (FGM, Section 1; squared loss).

    Returns
    -------
    Method
        For ``solve`` and ``iterate``.

    Examples
    --------
    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> run = cb.solve(problem, cb.forward_stepwise(), 2)
    >>> run.path.learner, run.certificate().gap < 1e-12
    (array([1, 0]), True)
    """
    source = "Freund, Grigas, Mazumder, Section 1 (comparator)"
    return Method(
        "forward_stepwise", Greedy(), LineSearch(), source, Unconstrained(), {}, Refitted()
    )


@examples({"eta": 0.5, "gamma": 0.125})
@checked_names(CALL)
def agbm(eta: float, gamma: float | str, guard: bool = True, correction: int = 1) -> Method:
    """Accelerated gradient boosting machine (Lu et al., Algorithm 2).

    It has momentum, and a second learner in each round that corrects its error.

    A round has two steps, with one learner each: the first fits the residual at the mixing point g
    and moves the model f, the second fits the corrected residual and moves the momentum h.

    Parameters
    ----------
    eta : float
        Step size, in (0, 1 / sigma] by the theory, in sums over samples.
    gamma : float or "auto"
        Momentum in (0, 1], which must be small: Theorem 4.1 requires gamma <= Theta^4 / (4 +
        Theta^2), Theta the minimal cosine angle, and larger values can diverge. "auto" takes the
        largest gamma that the theorem allows: for the certified Theta (``momentum_limit``) if there
        are few learners, else for the worst cosine of the fits so far.
    guard : bool, default True
        If the loss rises above the bound of the theorem, the run returns to its best model and
        momentum restarts with a quarter of gamma; ``run.message`` reports it. Under the assumptions
        of the theorem this never happens (docs/accelerated.md).
    correction : {1, 0, -1}, default 1
        The sign with which the unfitted part of the corrected residual is added in the next round.
        The paper has 1; its authors' code has -1, which no theorem covers. 0 is no correction: one
        learner moves both models, a round is one step, and the method is ``vagbm(eta, gamma)``.

    Returns
    -------
    Method
        For ``solve`` and ``iterate``.

    Examples
    --------
    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> run = cb.solve(problem, cb.agbm(1.0, "auto"), 40)
    >>> run.certificate().gap < 0.01
    True
    """
    parameters = {"eta": eta, "gamma": gamma, "guard": guard, "correction": correction}
    return _accelerated("agbm", 0, "Algorithm 2", parameters)


@examples({"eta": 0.5, "gamma": 0.125, "period": 2})
@checked_names(CALL)
def agbmr(
    eta: float,
    gamma: float | str,
    period: int | None = None,
    guard: bool = True,
    correction: int = 1,
) -> Method:
    """AGBM with restart (Lu et al., Algorithm 3).

    Momentum restarts after `period` rounds, or whenever the loss rises.

    Parameters
    ----------
    eta : float
        Step size, in (0, 1 / sigma] by the theory, in sums over samples.
    gamma : float or "auto"
        Momentum, as for ``agbm``.
    period : int, optional
        Rounds until a restart. For a strongly convex loss ``ceil(sqrt(8 / (eta gamma mu)))`` rounds
        halve the gap in each period (Theorem 4.2; the paper prints half of this, which is too
        short). None is its Option 2: a move that increases the loss is undone.
    guard : bool, default True
        As for ``agbm``.
    correction : {1, 0, -1}, default 1
        As for ``agbm``.

    Returns
    -------
    Method
        For ``solve`` and ``iterate``.

    Examples
    --------
    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> run = cb.solve(problem, cb.agbmr(1.0, gamma=0.08, period=10), 40)
    >>> run.certificate().gap < 0.01
    True
    """
    rounds = -1  # until the loss rises
    if period is not None:
        expected = "a whole number >= 1 and below 2^62, or None"
        rounds = int(real("period", period, lambda n: 1 <= n < 1 << 62 and n == int(n), expected))
        period = rounds
    parameters = {
        "eta": eta,
        "gamma": gamma,
        "period": period,
        "guard": guard,
        "correction": correction,
    }
    return _accelerated("agbmr", rounds, "Algorithm 3", parameters)


@examples({"eta": 0.5}, {"eta": 0.5, "gamma": 0.5})
@checked_names(CALL)
def vagbm(eta: float, gamma: float = 1.0, guard: bool = False) -> Method:
    """Vanilla accelerated boosting: momentum without the correction, one learner per step.

    *Source*: Lu et al., Algorithm 4; gamma: Remark B.1.

    It has no guarantee: on five coordinates with y = 1 and eta = 1 it diverges.

    Parameters
    ----------
    eta : float
        Step size, in (0, 1 / sigma] by the theory, in sums over samples.
    gamma : float, default 1
        Momentum in (0, 1].
    guard : bool, default False
        As for ``agbm``.

    Returns
    -------
    Method
        For ``solve`` and ``iterate``.

    Examples
    --------
    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> run = cb.solve(problem, cb.vagbm(1.0, gamma=0.08), 40)
    >>> run.certificate().gap < 0.01
    True
    """
    parameters = {"eta": eta, "gamma": gamma, "guard": guard}
    return _accelerated("vagbm", 0, "Algorithm 4", parameters)


def _accelerated(name, period, algorithm, parameters):
    """Return a method with momentum, its `parameters` checked."""
    eta = positive("eta", parameters["eta"])
    gamma = parameters["gamma"]
    correction = number_of(parameters.get("correction", 0))
    if correction not in (1, 0, -1):
        raise ValueError(
            f"correction must be 1, -1 or 0 (none), got {shown(parameters['correction'])}."
        )
    correction = int(correction)
    follow_angle = isinstance(gamma, str) and gamma == "auto" and correction != 0
    if not follow_angle:
        expected = "in (0, 1], or 'auto'"
        if correction == 0:
            expected = "in (0, 1]; without a correction there is no 'auto'"
        gamma = positive("gamma", gamma, 1 + 1e-15, expected)
    guard = flag("guard", parameters["guard"])
    parameters |= {"eta": eta, "gamma": gamma, "guard": guard}
    if "correction" in parameters:
        parameters["correction"] = correction
    if correction:
        rule = TwoPhase(eta, 1.0 if follow_angle else gamma)
        share = 0.0
    else:
        rule = OnePhase(eta)
        share = gamma
    sequences = TwoSequences(
        share,
        period=period,
        guard=int(guard),
        correction=correction,
        follow_angle=int(follow_angle),
    )
    source = f"Lu, Karimireddy, Ponomareva, Mirrokni, {algorithm}"
    return Method(name, Greedy(), rule, source, Unconstrained(), parameters, sequences)


@examples({}, {"eps": 0.5, "gamma": 0.5, "subsample": 0.5})
@checked_names(CALL)
def sgb(
    eps: float = 0.1,
    gamma: float = 0.0,
    subsample: float = 1.0,
    select: SelectionRule | None = None,
) -> Method:
    """Stochastic gradient boosting (SGLB, Algorithm 1).

    A step adds eps times the learner fitted to a subsampled gradient.

    ``sgb(eps)`` is ``gbm(eps)``.

    Parameters
    ----------
    eps : float, default 0.1
        Learning rate, without unit.
    gamma : float, default 0
        In each step the old model is multiplied by 1 - gamma eps.
    subsample : float, default 1
        Fraction of the samples, in (0, 1], from which a gradient is estimated: each is drawn
        independently, with weight 1 / subsample.
    select : selection rule, optional
        The candidates of a step; default ``Greedy()``, all learners.

    Returns
    -------
    Method
        For ``solve`` and ``iterate``.

    Examples
    --------
    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> run = cb.solve(problem, cb.sgb(0.1, subsample=0.5), 100, rng=0)
    >>> run.final.loss < problem.start_loss
    True
    """
    eps = positive("eps", eps)
    gamma = not_negative("gamma", gamma)
    subsample = _subsample(subsample)
    noise = None if subsample == 1 else Noise(eps, subsample=subsample)
    parameters = {"eps": eps, "gamma": gamma, "subsample": subsample, "select": select}
    return _langevin("sgb", eps, gamma, select, noise, "Algorithm 1", parameters)


@examples(
    {"eps": 0.125, "beta": 50.0, "gamma": 0.0625},
    {"eps": 0.125, "beta": 50.0, "gamma": 0.0625, "subsample": 0.5},
)
@checked_names(CALL)
def sglb(
    eps: float = 0.1,
    beta: Any = 1e4,
    gamma: float = 1e-3,
    subsample: float = 1.0,
    select: SelectionRule | None = None,
    structure: Structure = Structure.OWN,
    shrink_first: bool = False,
) -> Method:
    """Stochastic gradient Langevin boosting (SGLB, Algorithm 2).

    Selection and fit have independent noise, and the model decays.

    As eps goes to 0, models are a sample from the Gibbs distribution proportional to exp(-beta
    (mean loss + gamma/2 ||Gamma F||^2)); see ``docs/langevin.md``. The constant that a ``Problem``
    subtracts, for the squared loss the mean of y, does not shrink: use ``center=False`` for
    Algorithm 2 as printed.

    Parameters
    ----------
    eps : float, default 0.1
        Learning rate, without unit.
    beta : float or sequence of float, default 1e4
        Inverse temperature; a sequence has one value for each step. The noise in each sample has
        standard deviation sqrt(2 N / (eps beta)), for N samples; CatBoost's diffusion_temperature
        is beta / N. ``inf`` is ``sgb``.
    gamma : float, default 1e-3
        In each step the old model is multiplied by 1 - gamma eps.
    subsample : float, default 1
        Fraction of the samples, in (0, 1], from which a gradient is estimated: each is drawn
        independently, with weight 1 / subsample.
    select : selection rule, optional
        The candidates of a step; default ``Greedy()``, all learners.
    structure : Structure, default ``Structure.OWN``
        Noise in the selection of a learner; with any other structure the limit is not the
        distribution above.
    shrink_first : bool, default False
        A variant: take the gradient at the model after its decay.

    Returns
    -------
    Method
        For ``solve`` and ``iterate``.

    Examples
    --------
    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> runs = [cb.solve(problem, cb.sglb(0.1, beta=100), 100, rng=seed) for seed in (0, 1)]
    >>> abs(runs[0].final.loss - runs[1].final.loss) > 1e-3
    True
    """
    eps = positive("eps", eps)
    beta = inverse_temperatures(beta)
    gamma = not_negative("gamma", gamma)
    subsample = _subsample(subsample)
    structure = structure_of(structure)
    shrink_first = flag("shrink_first", shrink_first)
    parameters = {
        "eps": eps,
        "beta": beta,
        "gamma": gamma,
        "subsample": subsample,
        "select": select,
        "structure": structure,
        "shrink_first": shrink_first,
    }
    ahead = float(gamma * eps) if shrink_first else 0.0
    plain = np.isinf(beta).all() and subsample == 1 and ahead == 0
    noise = None if plain else Noise(float(eps), beta, structure, subsample, ahead)
    return _langevin("sglb", eps, gamma, select, noise, "Algorithm 2", parameters)


def _subsample(subsample):
    return positive("subsample", subsample, 1 + 1e-15, "above 0 and at most 1")


def _langevin(name, eps, gamma, select, noise, algorithm, parameters):
    candidates = Greedy() if select is None else select
    rule = Langevin(eps, gamma * eps)
    source = f"Ustimenko, Prokhorenkova, SGLB, {algorithm}"
    return Method(name, candidates, rule, source, Unconstrained(), parameters, noise=noise)


class Structured(NamedTuple):
    r"""Structural risk: minimise the loss with a complexity penalty on each coefficient.

    The risk is :math:`L(\alpha) + m \beta \sum_j |\alpha_j|\, \Omega_{k(j)}`, beta the `penalty`,
    in sums over samples.

    alpha_j is the coefficient of the learner before normalisation: the coefficient of the unit
    column divided by the learner's norm. *Source*: Cortes, Mohri, Storcheus, eq. (7), times m. The
    lower bound is that of ``L1Penalty`` with a penalty for each learner; for trees it is the
    infimum of the loss.

    Parameters
    ----------
    penalty : float
        beta, the complexity penalty in units of the mean loss.
    families : Families, optional
        Families of columns; None for those of the problem's trees.

    Examples
    --------
    >>> import coordboost as cb
    >>> cb.rgb(0.01).target
    Structured(penalty=0.01, families=None)
    """

    penalty: float
    families: object = None

    def charges(self, problem: Problem, beta: np.ndarray) -> np.ndarray:
        r"""Return the penalty of each learner, (n_learners,).

        The penalty of learner j is :math:`m \beta\, |\alpha_j|\, \Omega_{k(j)}`.

        Parameters
        ----------
        problem : Problem
            Its `groups` are the families of its columns; trees are grown for a family.
        beta : ndarray, (n_learners,)
            Coefficients of the unit columns.

        Returns
        -------
        ndarray, (n_learners,)
            In sums over samples.

        Raises
        ------
        ValueError
            For trees that were not grown for a family, or if `families` does not fit the learners.
        """
        table = table_of(self.families, problem, "Structured")
        member = labels_of(problem) if problem.countable else problem.dictionary.member
        if (member < 0).any():
            raise ValueError(
                "Structured: a tree of this run was not grown for a family; take a run of "
                "rgb(penalty)."
            )
        alpha = np.abs(beta) / lengths(problem)[: len(beta)]
        return self.penalty * problem.weight.sum() * alpha * table.complexity[member[: len(beta)]]

    def prices(self, problem: Problem) -> tuple[np.ndarray, np.ndarray]:
        """Return the factors of abs(beta_j) and of beta_j^2 / 2 in the penalty, (n_learners,) each.

        Parameters
        ----------
        problem : Problem
            Its learners belong to families.

        Returns
        -------
        price, ridge : ndarray, (n_learners,)
            The penalties of coefficients 1, and zeros.
        """
        return self.charges(problem, np.ones(problem.n_learners)), np.zeros(problem.n_learners)

    @on_one_thread
    def certificate(self, problem: Problem, at: Any) -> Any:
        """Compute an interval that contains the optimum, from one model.

        Parameters
        ----------
        problem : Problem
            The problem to solve.
        at : Evaluation
            The model and its correlations; ``certify(problem, beta, target)`` makes it from the
            coefficients.

        Returns
        -------
        Certificate
            The witness has the loss and the scale of the dual point. Over implicit dictionaries the
            scale is 0, and the lower bound is the infimum of the loss.

        Raises
        ------
        ValueError
            For a loss that is not convex, and as `charges` does.

        Notes
        -----
        *Cost*: O(n_samples + n_learners), as `at` holds the correlations.
        """
        need_convexity(problem, repr(self))
        upper = at.upper(problem) + float(self.charges(problem, at.beta).sum())
        scale = 0.0
        if problem.countable:
            price, _ = self.prices(problem)
            size = np.abs(at.corr) + at.rounding_of_corr(problem)
            scale = dual_scale(price, size, *at.multiples(problem))
        lower = at.lower_end(problem, scale) if scale > 0 else -math.inf
        witness = {"loss": at.loss, "dual_scale": scale}
        return interval(self, problem, at, lower, upper, witness, scale=scale)


@examples({"penalty": 0.125}, {"penalty": 0.125, "sampling": 0.5})
@checked_names(CALL)
def rgb(
    penalty: float,
    n_candidates: int | None = 4,
    step: StepRule | None = None,
    families: Families | None = None,
    sampling: float = 2.0,
    revisit: bool = False,
) -> Method:
    r"""Regularised gradient boosting (Cortes et al., Algorithm 1).

    A step takes the learner of some drawn families that leads to the least risk.

    Parameters
    ----------
    penalty : float
        beta, the complexity penalty in units of the mean loss.
    n_candidates : int or None
        Number S of families drawn for a step; None for all of them. The paper gives no number.
    step : step rule, optional
        Default ``FamilyStep()``, with one constant for each family; ``FamilyStep(power=1)`` is the
        paper's step, which may increase the loss; ``ShrunkenStep()`` uses the constant of each
        learner, and ``ShrunkenStep(rate / sigma)`` multiplies that step by `rate`.
    families : Families, optional
        Families of columns; the `groups` of the problem assign columns to families. Trees bring
        theirs: ``Problem(tree_families(X), y)``.
    sampling : float
        Families are drawn with :math:`p_k \propto \lambda_k^{sampling}`: 2 fits the constants of
        ``FamilyStep()``, 1 is the paper's choice, 0 gives equal probabilities.
    revisit : bool
        Whether the trees of earlier steps are candidates again.

    Returns
    -------
    Method
        For ``solve`` and ``iterate``.

    Examples
    --------
    >>> import coordboost as cb
    >>> problem = cb.Problem(
    ...     cb.data.tree_families([[1.0], [2], [3], [4]], nodes=[1, 3]),
    ...     [1, -1, 1, -1],
    ...     cb.losses.Logistic(),
    ... )
    >>> run = cb.solve(problem, cb.rgb(penalty=0.01, n_candidates=None), 5)
    >>> run.final.loss < problem.start_loss
    True
    """
    penalty = not_negative("penalty", penalty)
    if n_candidates is not None:
        expected = "a whole number >= 1, or None for all families"
        n_candidates = int(
            real("n_candidates", n_candidates, lambda n: n >= 1 and n == int(n), expected)
        )
        few("n_candidates", n_candidates)
    revisit = flag("revisit", revisit)
    sampling = not_negative("sampling", sampling)
    parameters = {
        "penalty": penalty,
        "n_candidates": n_candidates,
        "step": step,
        "families": families,
        "sampling": sampling,
        "revisit": revisit,
    }
    drawn = 0 if n_candidates is None else n_candidates
    select = Structural(drawn, penalty, sampling, families, int(revisit))
    rule = FamilyStep(families=families) if step is None else checked_piece(StepRule, "step", step)
    rule = rule._replace(families=families) if rule.by_family else rule
    source = "Cortes, Mohri, Storcheus, Regularized Gradient Boosting, Algorithm 1"
    return Method("rgb", select, rule, source, Structured(penalty, families), parameters)


#: The methods by name, the functions of this module that declare examples: saved runs look up
#: their method here.
METHODS = {
    name: maker
    for name, maker in [*globals().items()]
    if inspect.isfunction(maker) and hasattr(maker, "EXAMPLES")
}
