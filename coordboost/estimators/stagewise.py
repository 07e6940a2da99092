"""LS-Boost and forward stagewise regression as estimators."""

from dataclasses import dataclass
from functools import partial

from coordboost._checks import positive
from coordboost.data import validation
from coordboost.estimators.linear import RunBased
from coordboost.estimators.tasks import Classification, Regression
from coordboost.estimators.validated import ByCriterion, CrossValidated
from coordboost.methods import forward_stagewise, ls_boost, regularized_forward_stagewise
from coordboost.run import solve

STEPS = """n_steps : int, default 1000
        Steps of the run.
"""
INTERCEPT = """    loss : piece, optional
        ``Squared()`` for numbers, ``Logistic()`` for classes; or ``Huber(d)``, ``Poisson()``, ``Exponential()``, one of your own.
    refit_intercept : bool, default True
        For losses other than the squared one: every model of the path has the best intercept beside its coefficients, so
        cross-validation judges what `predict` gives. The run itself keeps that of its start.
"""
EPS = """eps : float, optional
        The length of a step, in the units of y. Default: a hundredth of the first step of coordinate descent.
    """


def first_step(problem):
    """The length of the first step of coordinate descent, 1 where there is none."""
    return problem.start_size / (problem.loss.sigma or 1.0) or 1.0


@dataclass(kw_only=True, eq=False, repr=False)
class Steps(RunBased):
    """An estimator whose path is a run of ``n_steps`` steps of the methods ``_methods(problem)``."""

    n_steps: int = 1000

    def _walks(self, problem, products=None):
        n_steps = validation.whole("n_steps", self.n_steps, 1)
        refit = validation.flag("refit_intercept", self.refit_intercept) and not problem.loss.quadratic

        def walk(part, products, method):
            run = solve(part, method, n_steps)
            return run.refit_intercept() if refit else run

        return [(walk(problem, products, method), partial(walk, method=method)) for method in self._methods(problem)]


@dataclass(kw_only=True, eq=False, repr=False)
class LSBoostMachine(Steps):
    """LS-Boost, for the squared loss."""

    eps: float = 0.1
    refit_intercept = False
    told = f"""eps : float, default 0.1
        The part of the step of least squares that is taken.
    {STEPS}"""

    loss = None

    def _methods(self, problem):
        return [ls_boost(self.eps)]


@dataclass(kw_only=True, eq=False, repr=False)
class StagewiseMachine(Steps):
    """Forward stagewise regression, for any loss."""

    eps: object = None
    loss: object = None
    refit_intercept: bool = True
    told = EPS + STEPS + INTERCEPT

    def _eps(self, problem):
        return first_step(problem) / 100 if self.eps is None else positive("eps", self.eps)

    def _methods(self, problem):
        return [forward_stagewise(self._eps(problem))]


@dataclass(kw_only=True, eq=False, repr=False)
class RegularizedMachine(StagewiseMachine):
    """Regularized forward stagewise regression, for any loss."""

    delta: object = None
    told = f"""{EPS}delta : float, optional
        The radius of the l1 ball of unit columns that the run stays in, and whose Lasso it approaches. Default: the length
        of the first step of coordinate descent.
    {STEPS}{INTERCEPT}"""

    def _methods(self, problem):
        delta = first_step(problem) if self.delta is None else self.delta
        return [regularized_forward_stagewise(self._eps(problem), delta)]


@dataclass(kw_only=True, eq=False, repr=False)
class ManyRadii(StagewiseMachine):
    """The same for several radii, each a path."""

    deltas: object = None
    n_deltas: int = 10
    told = f"""{EPS}deltas : sequence of float, optional
        Radii of l1 balls of unit columns, each the target of one path a fold. Default: `n_deltas` of them, evenly spaced up to the norm
        at the end of a run of forward stagewise with the same steps.
    n_deltas : int, default 10
    {STEPS}{INTERCEPT}"""

    def _methods(self, problem):
        eps = self._eps(problem)
        deltas = self.deltas
        if deltas is None:
            n = validation.whole("n_deltas", self.n_deltas, 1)
            top = max(solve(problem, forward_stagewise(eps), self.n_steps).final.l1, eps)
            deltas = [max(eps, top * k / n) for k in range(1, n + 1)]
        return [regularized_forward_stagewise(eps, delta) for delta in sorted(validation.numeric("deltas", deltas, 1).tolist())]


class LSBoostRegressor(Regression, LSBoostMachine):
    """LS-Boost: least squares by small steps along the best-correlated column.

    Parameters
    ----------
    {}
    *Source*: Freund, Grigas, Mazumder, *A New Perspective on Boosting in Linear Regression*, Section 2.
    """


@dataclass(kw_only=True, eq=False, repr=False)
class LSBoostRegressorCV(ByCriterion, Regression, LSBoostMachine):
    """LS-Boost, the number of steps chosen by cross-validation or by AIC, BIC or Cp.

    Parameters
    ----------
    {}
    *Source*: as ``LSBoostRegressor``; degrees of freedom: see ``coordboost.paths.freedom``.
    """


class ForwardStagewiseRegressor(Regression, StagewiseMachine):
    """Forward stagewise regression, FS_eps: steps of length eps along the best-correlated column.

    Parameters
    ----------
    {}
    *Source*: Freund, Grigas, Mazumder, *A New Perspective on Boosting in Linear Regression*, Section 3.
    """


@dataclass(kw_only=True, eq=False, repr=False)
class ForwardStagewiseRegressorCV(CrossValidated, Regression, StagewiseMachine):
    """Forward stagewise regression, the number of steps chosen by cross-validation.

    Parameters
    ----------
    {}
    *Source*: as ``ForwardStagewiseRegressor``.
    """


class RegularizedForwardStagewiseRegressor(Regression, RegularizedMachine):
    """Regularized forward stagewise regression, R-FS_{eps, delta}: approaches the Lasso in an l1 ball.

    Parameters
    ----------
    {}
    *Source*: Freund, Grigas, Mazumder, *A New Perspective on Boosting in Linear Regression*, Section 4.
    """


@dataclass(kw_only=True, eq=False, repr=False)
class RegularizedForwardStagewiseRegressorCV(CrossValidated, Regression, ManyRadii):
    """The same, radius and number of steps chosen by cross-validation.

    Parameters
    ----------
    {}
    *Source*: as ``RegularizedForwardStagewiseRegressor``.
    """


class ForwardStagewiseClassifier(Classification, StagewiseMachine):
    """Forward stagewise regression for classes: each against the rest, if more than two.

    Parameters
    ----------
    {}
    *Source*: as ``ForwardStagewiseRegressor``, with the pseudo-residual in the place of the residual.
    """


@dataclass(kw_only=True, eq=False, repr=False)
class ForwardStagewiseClassifierCV(CrossValidated, Classification, StagewiseMachine):
    """The same, the number of steps chosen by cross-validation, for each class its own.

    Parameters
    ----------
    {}
    *Source*: as ``ForwardStagewiseClassifier``.
    """
