"""Boosting as a posterior: the estimators of Langevin boosting, whose members are models of one chain."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import stats

from coordboost._checks import not_negative, positive, real
from coordboost.data import validation
from coordboost.estimators import tables
from coordboost.estimators.base import Boosted
from coordboost.estimators.machines import RandomizedGBMRegressor
from coordboost.estimators.names import called_by_name
from coordboost.estimators.parameters import Sized
from coordboost.estimators.tasks import Classification, Regression
from coordboost.langevin import regime
from coordboost.langevin.chains import predictions_at
from coordboost.methods import sglb

#: Fewest rows from which the variance of the noise is estimated on rows held back.
FEW = 50
#: Time constants that a chain has at least where gamma is chosen for it, and the most that an iteration then forgets.
TIME, MOST = 10.0, 0.1


class Uncertainty(NamedTuple):
    """What is not known of rows, (n_samples,): of the model, which more data would tell, and of the target itself."""

    knowledge: np.ndarray
    data: np.ndarray

    @property
    def total(self):
        return self.knowledge + self.data


@dataclass(kw_only=True, eq=False, repr=False)
class LangevinMachine(Sized, Boosted):
    """Gradient boosting with noise and shrinkage, whose later models are members of an ensemble."""

    learning_rate: float = 0.3
    n_estimators: int = 2000
    beta: object = None
    gamma: object = None
    subsample: float = 1.0
    n_members: int = 100
    burn_in: float = 0.5
    told = """beta : float, optional
        Inverse temperature, in units of one over the mean loss. Default: the loss is the likelihood of the posterior, N / `noise_variance`
        for the squared loss, N being the sum of the weights. For other losses of y - f, such as ``Huber(d)``, the noise is measured in
        the same way, as twice the loss of gradient boosting on rows held back; for losses without a unit it is N. CatBoost's
        `diffusion_temperature` is beta / N. Weights count observations: twice as large ones are twice as many data, and less noise.
    gamma : float, optional
        Shrinkage. Default: a prior as wide as the target for losses of y - f, of standard deviation 2 for other predictions; tighter
        where the chain would else be shorter than ten of its time constants, 1 / (gamma eps) iterations each.
    subsample : float, default 1
        The part of the rows that a gradient is estimated from.
    n_members : int, default 100
        Models of the chain that predictions are averaged over, evenly spaced.
    burn_in : float, default 0.5
        The part of the iterations before the first of them.
    """

    #: Noise needs leaf values that are means, without bounds.
    monotonic_cst = None

    def _newton(self, loss):
        return False

    def _begin(self, X, y, weight):
        loss, total = self._loss(), float(len(y) if weight is None else weight.sum())
        real("burn_in", self.burn_in, lambda part: 0 <= part < 1, "a part of the iterations in [0, 1)")
        validation.whole("n_members", self.n_members, 1)
        if self.beta is None and total < 2:
            raise ValueError(
                f"the sum of sample_weight is {total:.3g}, and weights count observations here: multiply them, so that it is 2 or more, or "
                "pass beta."
            )
        measured = loss.location  # the loss has a unit, that of y
        scale = self._noise(X, y, weight) if measured else 1.0
        self.noise_variance_ = scale if loss.quadratic else None
        spread = float(np.cov(y, aweights=weight)) if measured and len(y) > 1 else 4.0
        self.beta_ = (total / scale if scale > 0 else np.inf) if self.beta is None else positive("beta", self.beta)
        leaves = 2.0 ** (6 if self.max_depth is None else validation.whole("max_depth", self.max_depth, 1))
        most = leaves if self.max_leaf_nodes is None else validation.whole("max_leaf_nodes", self.max_leaf_nodes, 2)
        leaves = min(leaves, most, total)
        self._prior = scale / spread * leaves / total if spread > 0 else 0.0
        return super()._begin(X, y, weight)

    def _alike(self, family, y, weight):
        """The rows as a set, where nothing but the noise tells two copies of a row from one of weight 2.

        Noise of variances w and v in two rows that share every leaf adds up to noise of variance w + v: the law of the run is the same,
        and so are its numbers now, also in another order of the rows. Limits of leaves count rows, and so do parts of them.
        """
        if self.min_samples_leaf > 1 or self.subsample < 1:
            return family, y, weight
        binned = family.binned
        first, weight = tables.as_a_set(binned.codes, y, weight)
        codes = np.ascontiguousarray(binned.codes[:, first])
        return family.at(binned._replace(codes=codes)), y[first], None if (weight == 1).all() else weight

    def _noise(self, X, y, weight):
        """Twice the mean loss that is left: for the squared loss the variance of the noise."""
        given = self.settings().get("noise_variance")
        if given is not None:
            return positive("noise_variance", given)
        if len(y) < FEW:
            return float(np.average((y - np.average(y, weights=weight)) ** 2, weights=weight)) / 2
        same = {key: value for key, value in self.settings().items() if key in PILOT}
        pilot = RandomizedGBMRegressor(
            loss=self.loss, max_features=None, early_stopping=True, validation_fraction=0.25, random_state=self._seed, **same
        )
        pilot.fit(X, y, weight)
        return -2.0 * float(pilot.validation_score_.max())

    def _method(self, problem, rate):
        least = TIME / (rate * self.n_estimators)
        self.gamma_ = min(max(self._prior, least), MOST / rate) if self.gamma is None else not_negative("gamma", self.gamma)
        return sglb(rate, self.beta_, self.gamma_, self.subsample)

    def diagnose(self):
        """Whether the theorems of Langevin boosting speak of this fit, in words: one sentence for each run."""
        return [str(regime(run)) for run in self.runs_]

    def _members(self, X):
        """Raw predictions of the members, (n_members, n_samples, n_models)."""
        binned = self._bins(X)
        return np.stack([self._drawn(model, binned) for model in self._models], axis=-1)

    def _drawn(self, model, binned):
        last = model.n_iter
        steps = np.unique(np.linspace(min(float(self.burn_in) * last + 1, last), last, self.n_members).astype(int))
        steps = np.concatenate(
            [np.full(self.n_members - len(steps), steps[0]), steps]
        )  # a short chain counts its first more than once
        return np.stack([one.copy() for one in predictions_at(model.run, steps, model.run.problem.dictionary.standing(binned))])

    def _raw(self, X):
        return self._members(X).mean(axis=0)


#: What the pilot of the noise variance takes over.
PILOT = ("max_depth", "max_leaf_nodes", "min_samples_leaf", "max_bins", "categorical_features")


@dataclass(kw_only=True, eq=False, repr=False)
class LangevinGBMRegressor(Regression, LangevinMachine):
    """Stochastic gradient Langevin boosting, for numbers: predictions with intervals, from the models of one chain.

    Parameters
    ----------
    noise_variance : float, optional
        Variance of the target around its mean, squared loss only. Default: the loss of gradient boosting on rows held back.
    {}
    *Source*: Ustimenko and Prokhorenkova, *SGLB: Stochastic Gradient Langevin Boosting*, Algorithm 2.
    """

    noise_variance: object = None

    @called_by_name
    def predict_uncertainty(self, X):
        """Variances of the rows of X: of the mean over the members, and of the target around it. An ``Uncertainty``.

        The second is `noise_variance_`, the same for all rows; NaN for losses other than the squared one.
        """
        members = self._members(X)[:, :, 0]
        noise = np.nan if self.noise_variance_ is None else self.noise_variance_
        return Uncertainty(members.var(axis=0, ddof=1 if len(members) > 1 else 0), np.full(members.shape[1], noise))

    @called_by_name
    def predict_interval(self, X, level=0.9, *, observation=True):
        """Central intervals for the rows of X, (n_samples, 2).

        Parameters
        ----------
        X : rows
        level : float in (0, 1)
        observation : bool, default True
            For new targets; with False for their mean.
        """
        positive("level", level, 1, "between 0 and 1")
        if observation and self.noise_variance_ is None:
            raise ValueError("the variance of a new target is known for the squared loss only; pass observation=False.")
        members = self._members(X)[:, :, 0]
        variance = members.var(axis=0, ddof=1 if len(members) > 1 else 0) + (self.noise_variance_ if observation else 0.0)
        half = stats.norm.ppf((1 + level) / 2) * np.sqrt(variance)
        ends = [members.mean(axis=0) - half, members.mean(axis=0) + half]
        return np.stack([self._mean(end[:, None]) for end in ends], axis=1)


class LangevinGBMClassifier(Classification, LangevinMachine):
    """Stochastic gradient Langevin boosting, for classes: probabilities are means over the models of a chain.

    Parameters
    ----------
    {}
    *Source*: Ustimenko and Prokhorenkova, *SGLB: Stochastic Gradient Langevin Boosting*, Algorithm 2.
    """

    def _member_probabilities(self, X):
        return np.stack([self._probabilities(raw) for raw in self._members(X)])

    @called_by_name
    def predict_proba(self, X):
        """The probability of each class, (n_samples, n_classes): the mean over the members."""
        return self._member_probabilities(X).mean(axis=0)

    @called_by_name
    def predict(self, X):
        """The likeliest class of each row, (n_samples,)."""
        best = self.predict_proba(X).argmax(axis=1)
        return self.classes_[best]

    @called_by_name
    def decision_function(self, X):
        """The log odds of the second class, (n_samples,); the probability of each, where there are more than two."""
        p = self.predict_proba(X)
        if p.shape[1] > 2:
            return p
        low = np.finfo(float).tiny
        return np.log(np.maximum(p[:, 1], low)) - np.log(np.maximum(p[:, 0], low))

    @called_by_name
    def predict_uncertainty(self, X):
        """Entropies of the class of the rows of X, in nats: what the members disagree on, and what each leaves open. ``Uncertainty``."""
        p = self._member_probabilities(X)
        total, each = entropy(p.mean(axis=0)), entropy(p).mean(axis=0)
        return Uncertainty(np.maximum(total - each, 0.0), each)

    @called_by_name
    def predict_interval(self, X, level=0.9):
        """Central intervals of the probability of each class over the members, (n_samples, n_classes, 2)."""
        positive("level", level, 1, "between 0 and 1")
        return np.moveaxis(np.quantile(self._member_probabilities(X), [(1 - level) / 2, (1 + level) / 2], axis=0), 0, -1)


def entropy(p):
    """Entropy of probabilities (..., n_classes)."""
    return -np.sum(p * np.log(np.where(p > 0, p, 1.0)), axis=-1)
