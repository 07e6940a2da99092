"""The Lasso and the elastic net with a certificate, as estimators."""

from dataclasses import dataclass
from functools import partial

import numpy as np

from coordboost._checks import positive
from coordboost.data import validation
from coordboost.estimators.linear import Linear
from coordboost.estimators.tasks import Classification, Regression
from coordboost.estimators.validated import ByCriterion, CrossValidated
from coordboost.lasso.path import ROUNDED, lasso_path
from coordboost.pieces.losses import Poisson

STANDARDIZE = """standardize : bool, default False
        Whether the penalty is on columns of standard deviation 1, as in R's glmnet by default, or on the columns as they are, as in
        scikit-learn. Coefficients are on the scale of X in either case.
    tol : float, default 1e-6
        Certified duality gap, relative to the loss of the constant model. Where rounding does not let it be reached, a
        ``ConvergenceWarning`` says how far it came.
"""
LOSS_TOLD = """    loss : piece, optional
        ``Squared()`` for numbers, ``Logistic()`` for classes; or any loss that ``lasso_path`` takes. The intercept is not penalised.
        With ``Logistic()`` and columns of standard deviation 1 every coefficient is 0 from alpha = 1/2 on.
"""
ONE = """alpha : float, default 1
        Penalty of the mean loss, as in scikit-learn's ``Lasso``: the squared loss has a factor 1/2. C of ``LogisticRegression`` is
        1 / (alpha n_samples).
    """
MANY = """alphas : sequence of float, optional
        Penalties to choose from. Default: `n_alphas` of them from the smallest that gives 0 down to `eps` times that.
    n_alphas : int, default 100
    eps : float, default 1e-3
    """


@dataclass(kw_only=True, eq=False, repr=False)
class Penalised(Linear):
    """An estimator whose path is a grid of penalties."""

    standardize: bool = False
    tol: float = 1e-6
    by_gram = True

    def _net(self):
        return [1.0]

    def _short_of(self, path, place):
        gap, alpha = float(path.gaps[int(place.step)]), float(path.alphas[int(place.step)])
        if gap <= self.tol * ROUNDED:
            return ""
        return (
            f"the gap at alpha = {alpha:.6g} is {gap:.2g} of the loss of the constant model, above tol = {self.tol:g}: the optimum is "
            "within certificate_. Pass a larger tol or alpha; targets and weights of moderate size lose less to rounding."
        )

    def _walks(self, problem, products=None):
        standardize = validation.flag("standardize", self.standardize)

        def walk(problem, products, grid, l1_ratio):
            factor = problem.standardization.deviations(problem.weight.sum()) if standardize else None
            given = {**grid, "tol": self.tol, "penalty_factor": factor, "l1_ratio": l1_ratio, "products": products}
            return lasso_path(problem, unit_columns=False, refit_intercept=True, **given)

        out = []
        for l1_ratio in self._net():
            path = walk(problem, products, self._grid(), l1_ratio)
            out.append((path, partial(walk, grid={"alphas": path.alphas}, l1_ratio=l1_ratio)))
        return out


@dataclass(kw_only=True, eq=False, repr=False)
class OnePenalty(Penalised):
    """One penalty."""

    alpha: float = 1.0

    def _grid(self):
        return {"alphas": [positive("alpha", self.alpha)]}


@dataclass(kw_only=True, eq=False, repr=False)
class Grid(Penalised):
    """A grid of penalties."""

    alphas: object = None
    n_alphas: int = 100
    eps: float = 1e-3

    def _grid(self):
        return {"alphas": self.alphas, "n_alphas": self.n_alphas, "eps": self.eps}

    @property
    def alpha_(self):
        """The penalty that was chosen."""
        return float(self.path_.alphas[int(self.place_.step)])


@dataclass(kw_only=True, eq=False, repr=False)
class LassoMachine(OnePenalty):
    """The Lasso of any loss at one penalty."""

    loss: object = None
    told = ONE + STANDARDIZE + LOSS_TOLD


@dataclass(kw_only=True, eq=False, repr=False)
class LassoGrid(Grid):
    """The Lasso of any loss at many penalties."""

    loss: object = None
    told = MANY + STANDARDIZE + LOSS_TOLD


@dataclass(kw_only=True, eq=False, repr=False)
class NetMachine(OnePenalty):
    """The elastic net at one penalty."""

    l1_ratio: float = 0.5
    loss = None
    told = f"""{ONE}l1_ratio : float, default 0.5
        The part of the penalty that is the sum of abs coefficients; the rest is half the sum of their squares.
    {STANDARDIZE}"""

    def _net(self):
        return [self.l1_ratio]


@dataclass(kw_only=True, eq=False, repr=False)
class NetGrid(Grid):
    """The elastic net at many penalties."""

    l1_ratio: object = 0.5
    loss = None
    told = f"""{MANY}l1_ratio : float or sequence of float, default 0.5
        As for ``CertifiedElasticNet``; of a sequence the best is chosen, too.
    {STANDARDIZE}"""

    def _net(self):
        return np.sort(np.atleast_1d(self.l1_ratio))[::-1].tolist()


class Counting(Regression):
    """Counts or rates, whose mean is the exponential of the model."""

    loss = None

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = True
        return tags

    def _loss(self):
        return Poisson()


@dataclass(kw_only=True, eq=False, repr=False)
class CountMachine(OnePenalty):
    """Poisson regression at one penalty."""

    told = ONE + STANDARDIZE


@dataclass(kw_only=True, eq=False, repr=False)
class CountGrid(Grid):
    """Poisson regression at many penalties."""

    told = MANY + STANDARDIZE


class CertifiedLasso(Regression, LassoMachine):
    """The Lasso, with an interval around its optimum.

    Parameters
    ----------
    {}
    *Source*: see ``lasso_path``.
    """


@dataclass(kw_only=True, eq=False, repr=False)
class CertifiedLassoCV(ByCriterion, Regression, LassoGrid):
    """The Lasso, its penalty chosen by cross-validation or by AIC, BIC or Cp.

    Parameters
    ----------
    {}
    *Source*: see ``lasso_path``; degrees of freedom: see ``coordboost.paths.freedom``.
    """


class CertifiedElasticNet(Regression, NetMachine):
    """The elastic net, with an interval around its optimum.

    Parameters
    ----------
    {}
    *Source*: see ``lasso_path``.
    """


@dataclass(kw_only=True, eq=False, repr=False)
class CertifiedElasticNetCV(ByCriterion, Regression, NetGrid):
    """The elastic net, its penalties chosen by cross-validation or by AIC, BIC or Cp.

    Parameters
    ----------
    {}
    *Source*: see ``lasso_path``.
    """


@dataclass(kw_only=True, eq=False, repr=False)
class CertifiedLassoClassifier(Classification, LassoMachine):
    """The Lasso for classes, with an interval around its optimum: each class against the rest, if more than two.

    Parameters
    ----------
    {}
    *Source*: see ``lasso_path``.
    """

    alpha: float = 0.01
    told = LassoMachine.told.replace("default 1", "default 0.01", 1)


@dataclass(kw_only=True, eq=False, repr=False)
class CertifiedLassoClassifierCV(CrossValidated, Classification, LassoGrid):
    """The same, the penalty chosen by cross-validation, for each class its own.

    Parameters
    ----------
    {}
    *Source*: see ``lasso_path``.
    """


class CertifiedPoissonRegressor(Counting, CountMachine):
    """Poisson regression with an l1 penalty, for counts or rates, with an interval around its optimum.

    Parameters
    ----------
    {}
    *Source*: see ``lasso_path``.
    """


@dataclass(kw_only=True, eq=False, repr=False)
class CertifiedPoissonRegressorCV(CrossValidated, Counting, CountGrid):
    """The same, the penalty chosen by cross-validation.

    Parameters
    ----------
    {}
    *Source*: see ``lasso_path``.
    """
