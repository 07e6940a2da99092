"""The estimators of regularised gradient boosting: trees of several sizes, chosen by the loss and a price for complexity."""

from dataclasses import dataclass

from coordboost._checks import not_negative
from coordboost.data.families import tree_families
from coordboost.estimators import tables
from coordboost.estimators.base import Boosted
from coordboost.estimators.parameters import Bounded
from coordboost.estimators.tasks import StagedClassification, StagedRegression
from coordboost.families import account
from coordboost.methods import rgb
from coordboost.pieces.steps import DampedSearch, Proportional
from coordboost.pieces.structural import FamilyStep


@dataclass(kw_only=True, eq=False, repr=False)
class StructuralMachine(Bounded, Boosted):
    """Gradient boosting in which families of trees compete for every step."""

    penalty: object = None
    nodes: object = (1, 2, 4, 8, 16, 32)
    bounds: object = (1.0,)
    q: float = 2.0
    n_candidates: object = None
    power: object = None
    told = """penalty : float, optional
        The price of complexity in units of the mean loss: with a larger one smaller trees are chosen. Complexities are divided by the
        largest. Default: 0.01 for a loss of classes, which has no unit; for others 0.02 times what the constant model loses above the
        least that the loss declares, so that the unit of y does not count: 0.01 where the variance of y is 1. ``penalty_`` is what
        was taken.
    nodes : sequence of int, default (1, 2, 4, 8, 16, 32)
        Numbers of splits: a family of trees for each, and for each of the `bounds`.
    bounds : sequence of float, default (1.0,)
        Bounds of the norm of leaf values. They count where `power` is given, and for how families are drawn.
    q : float from 1 to inf, default 2
        The norm of leaf values.
    n_candidates : int, optional
        Families drawn for a tree, in proportion to the square of their bounds. Default: all of them, which costs the same growth.
    power : 1 or 2, optional
        Steps with one constant for the family, sigma bound^power, in the place of `learning_rate`: 2 never increases the loss, 1 is
        the paper's. Default: the learner's own constant, of which `learning_rate` is taken.
    """

    def _newton(self, loss):
        return False

    def _family(self, X, newton):
        return tree_families(
            X, nodes=self.nodes, bounds=self.bounds, q=self.q, min_samples=self.min_samples_leaf, min_gain=self.min_gain,
            l2=self.l2_regularization, monotone=self.monotonic_cst, max_bins=self.max_bins,
            categorical=tables.names_or_places(self.categorical_features),
        )  # fmt: skip

    def _method(self, problem, rate):
        loss = problem.loss
        own = DampedSearch(rate) if loss.sigma is None else Proportional(rate)
        usual = 0.01 if loss.two_class else 0.02 * problem.start_excess / float(problem.weight.sum())
        self.penalty_ = usual if self.penalty is None else not_negative("penalty", self.penalty)
        return rgb(self.penalty_, self.n_candidates, own if self.power is None else FamilyStep(self.power))

    @property
    def account_(self):
        """The bill of the run: how often each family was chosen, and what its trees cost; see ``account``."""
        return account(self.run_, self.n_iter_)


class RegularizedGBMRegressor(StagedRegression, StructuralMachine):
    """Gradient boosting with trees of several sizes, chosen by the loss and a price for complexity, for numbers.

    Parameters
    ----------
    {}
    *Source*: Cortes, Mohri and Storcheus, *Regularized Gradient Boosting*, Algorithm 1; with all families at once, and a learning rate.
    """


class RegularizedGBMClassifier(StagedClassification, StructuralMachine):
    """Gradient boosting with trees of several sizes, chosen by the loss and a price for complexity, for classes.

    Each class against the rest, if there are more than two.

    Parameters
    ----------
    {}
    *Source*: Cortes, Mohri and Storcheus, *Regularized Gradient Boosting*, Algorithm 1; with all families at once, and a learning rate.
    """
