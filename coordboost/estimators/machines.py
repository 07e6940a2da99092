"""The four estimators: two machines, each for numbers and for classes."""

from dataclasses import dataclass

import numpy as np

from coordboost._checks import shown
from coordboost.data import validation
from coordboost.estimators.base import Boosted
from coordboost.estimators.parameters import Bounded, Sized
from coordboost.estimators.tasks import StagedClassification, StagedRegression
from coordboost.methods import agbm, gcd, rtgcd
from coordboost.pieces.selection import Groups
from coordboost.pieces.steps import DampedSearch, Fitted


@dataclass(kw_only=True, eq=False, repr=False)
class RandomizedMachine(Sized, Bounded, Boosted):
    """Gradient boosting in which every tree looks at features drawn for it."""

    max_features: object = 0.5
    newton: object = None
    told = """max_features : int, float, "sqrt" or None, default 0.5
        Features that a tree may split by, drawn anew for each: a number, a part of all, their root; None for all.
    newton : bool, optional
        Whether leaf values and gains take second derivatives. Default: where the loss is not smooth (sigma is None) and has them. Where
        it has none, ``Quantile(q)``, every tree is followed by a line search.
    """

    def _newton(self, loss):
        rough = loss.sigma is None and loss.curvature is not None
        return rough if self.newton is None else validation.flag("newton", self.newton)

    def _method(self, problem, rate):
        loss, n_features = problem.loss, problem.binning.n_features
        searched = loss.sigma is None and loss.curvature is None
        t, step = n_drawn(self.max_features, n_features), DampedSearch(rate) if searched else Fitted(rate)
        return gcd(step) if t == n_features else rtgcd(select=Groups(t), step=step)


@dataclass(kw_only=True, eq=False, repr=False)
class AcceleratedMachine(Sized, Bounded, Boosted):
    """Gradient boosting with momentum, with or without a second tree an iteration that corrects it."""

    gamma: object = 0.1
    correction: int = 0
    told = """gamma : float or "auto", default 0.1
        The part of the momentum step, see ``agbm``. A run that it makes diverge goes back to its best model and takes a quarter of it.
    correction : 0, 1 or -1, default 0
        Whether a second tree an iteration corrects the momentum: 0 for none; 1 is the method of the paper, which wants a smaller gamma for
        the squared loss; -1 is that of its authors' program. Which one is better when: docs/accelerated.md.
    """

    def _newton(self, loss):
        return False

    def _method(self, problem, rate):
        return agbm(rate, self.gamma, correction=self.correction)


def n_drawn(max_features, n_features):
    """How many features a tree looks at."""
    if max_features is None:
        return n_features
    if isinstance(max_features, str):
        if max_features == "sqrt":
            return max(1, int(np.sqrt(n_features)))
    elif isinstance(max_features, int | np.integer) and not isinstance(max_features, bool):
        if 1 <= max_features <= n_features:
            return int(max_features)
    elif isinstance(max_features, float) and 0 < max_features <= 1:
        return max(1, int(max_features * n_features))
    raise ValueError(
        f"max_features must be a number of features from 1 to {n_features}, a part in (0, 1], 'sqrt' or None, got {shown(max_features)}."
    )


class RandomizedGBMRegressor(StagedRegression, RandomizedMachine):
    """Gradient boosting with trees that look at features drawn at random, for numbers.

    Parameters
    ----------
    {}
    *Source*: Lu and Mazumder, *Randomized Gradient Boosting Machine*, Algorithm 2 with Type 3 and a constant step.
    """


class RandomizedGBMClassifier(StagedClassification, RandomizedMachine):
    """Gradient boosting with trees that look at features drawn at random, for classes: each against the rest, if more than two.

    Parameters
    ----------
    {}
    *Source*: Lu and Mazumder, *Randomized Gradient Boosting Machine*, Algorithm 2 with Type 3 and a constant step.
    """


class AcceleratedGBMRegressor(StagedRegression, AcceleratedMachine):
    """Accelerated gradient boosting, for numbers: trees with momentum.

    Parameters
    ----------
    {}
    *Source*: Lu, Karimireddy, Ponomareva, Mirrokni, *Accelerating Gradient Boosting Machines*, Remark B.1; with a correction Algorithm 2.
    """


class AcceleratedGBMClassifier(StagedClassification, AcceleratedMachine):
    """Accelerated gradient boosting, for classes: trees with momentum, each class against the rest if there are more than two.

    Parameters
    ----------
    {}
    *Source*: Lu, Karimireddy, Ponomareva, Mirrokni, *Accelerating Gradient Boosting Machines*, Remark B.1; with a correction Algorithm 2.
    """
