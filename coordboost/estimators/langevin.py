"""The estimators of Langevin boosting.

They sample plausible models, as from a Bayesian posterior, and average them.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from coordboost._utils.checks import few, not_negative, positive, real, shown
from coordboost.data import validation
from coordboost.estimators.base import Classification, Regression, checked_call
from coordboost.estimators.on_dask import lazily
from coordboost.estimators.trees import RandomizedGBMRegressor, _BaseBooster
from coordboost.methods.named import sglb
from coordboost.theory.langevin import regime
from coordboost.theory.langevin.chains import predictions_at

#: Fewest rows from which the variance of the noise is estimated on rows held out.
FEW = 50
#: Limits of the default gamma: a run has at least TIME / (gamma eps) iterations, and gamma eps is
#: at most MOST, which takes precedence.
TIME, MOST = 10.0, 0.1
#: Parameters that the chain shares with the model that estimates the variance of the noise.
PILOT = (
    "max_depth",
    "max_leaf_nodes",
    "min_samples_leaf",
    "max_bins",
    "categorical_features",
    "min_samples_category",
    "max_split_categories",
    "category_smoothing",
)


class Uncertainty(NamedTuple):
    """Uncertainty per row, (n_samples,), in two parts.

    `knowledge` (epistemic, shrinks with more data) and `data` (aleatoric).
    """

    knowledge: np.ndarray
    data: np.ndarray

    @property
    def total(self):
        return self.knowledge + self.data


class _LangevinGBM(_BaseBooster):
    """Abstract base of the estimators of Langevin boosting.

    With noise and shrinkage, the later models of a run are the members of an ensemble.
    """

    #: Noise needs leaf values that are means, without bounds.
    monotonic_cst = None

    def _check_parameters(self):
        super()._check_parameters()
        real(
            "burn_in",
            self.burn_in,
            lambda part: 0 <= part < 1,
            "a fraction of the iterations in [0, 1)",
        )
        few("n_members", validation.whole("n_members", self.n_members, 1), 100_000)
        for name, limit in (("max_depth", 1), ("max_leaf_nodes", 2)):
            if getattr(self, name) is not None:
                validation.whole(name, getattr(self, name), limit)
        for name, check in (
            ("beta", positive),
            ("gamma", not_negative),
            ("noise_variance", positive),
        ):
            if getattr(self, name, None) is not None:
                check(name, getattr(self, name))

    def _begin(self, X, y, weight, offset):
        if offset is not None:
            raise ValueError(
                f"{type(self).__name__} takes no offset, as its prior and noise refer to y: fit a "
                "squared loss to y - offset, "
                "or take another estimator."
            )
        loss = self._get_loss()
        total = float(len(y) if weight is None else weight.sum())
        if self.beta is None and total < 2:
            raise ValueError(
                f"the sum of sample_weight is {total:.3g}, but weights count observations here: "
                "scale them, so that it is 2 or more, or "
                "pass beta."
            )
        # losses of y - f depend on the unit of y
        scale = self._noise(X, y, weight) if loss.location else 1.0
        spread = float(np.cov(y, aweights=weight)) if loss.location and len(y) > 1 else 4.0
        self.noise_variance_ = scale if loss.quadratic else None
        self.beta_ = (
            (total / scale if scale > 0 else np.inf) if self.beta is None else float(self.beta)
        )
        # beyond 2^1000 leaves only the number of rows limits them
        leaves = 2.0 ** (6 if self.max_depth is None else min(self.max_depth, 1000))
        leaves = min(leaves, total, leaves if self.max_leaf_nodes is None else self.max_leaf_nodes)
        self._prior = scale / spread * leaves / total if spread > 0 else 0.0
        return super()._begin(X, y, weight, None)

    def _merge_copies(self, family, y, weight):
        """Merge equal rows and add their weights.

        Unless limits of leaves or random parts of the rows count single rows.

        Independent noise of variances w and v in two rows of the same leaves adds up to noise of
        variance w + v: the distribution of the run does not change. After merging, its numbers are
        also the same for copies and for weights, and for any order of the rows.
        """
        if self.min_samples_leaf > 1 or self.subsample < 1:
            return family, y, weight
        binned = family.binned
        if binned.parts is not None:
            raise ValueError(
                "min_samples_leaf=1 merges equal rows, and these lie on a Dask cluster: pass "
                "min_samples_leaf=2 or more."
            )
        first, weight = as_a_set(binned.codes, y, weight)
        codes = np.ascontiguousarray(binned.codes[:, first])
        return (
            family.at(binned._replace(codes=codes)),
            y[first],
            None if (weight == 1).all() else weight,
        )

    def _noise(self, X, y, weight):
        """Estimate the variance of the noise as twice the validation loss of boosting.

        With fewer than FEW rows, half the variance of y.
        """
        if getattr(self, "noise_variance", None) is not None:
            return float(self.noise_variance)
        if len(y) < FEW:
            return float(np.average((y - np.average(y, weights=weight)) ** 2, weights=weight)) / 2
        pilot = RandomizedGBMRegressor(
            loss=self.loss,
            max_features=None,
            early_stopping=True,
            validation_fraction=0.25,
            random_state=self._seed,
            **{name: getattr(self, name) for name in PILOT},
        )
        pilot.fit(X, y, weight)
        return -2.0 * float(pilot.validation_score_.max())

    def _method(self, problem, rate):
        smallest = TIME / (rate * self.n_estimators)
        if self.gamma is None and math.isinf(smallest):
            raise ValueError(
                f"learning_rate={shown(self.learning_rate)} is too small: the default gamma, "
                f"{TIME:g} / (learning_rate n_estimators), is infinite. Take a larger one, or pass "
                "gamma."
            )
        self.gamma_ = (
            min(max(self._prior, smallest), MOST / rate)
            if self.gamma is None
            else float(self.gamma)
        )
        return sglb(rate, self.beta_, self.gamma_, self.subsample)

    def diagnose(self):
        """Describe whether the theorems of Langevin boosting apply to this fit.

        The result is a list with one sentence for each run.
        """
        return [str(regime(run)) for run in self.runs_]

    def _members(self, binned):
        """Return the raw predictions of the members, (n_members, n_samples, n_models)."""
        return np.stack([self._members_of(model, binned) for model in self._models], axis=-1)

    def _iterations_of(self, model):
        """Return the iterations after which the members are taken, (n_members,)."""
        last = model.n_iter
        steps = np.unique(
            np.linspace(min(float(self.burn_in) * last + 1, last), last, self.n_members).astype(int)
        )
        # a short chain repeats its first member
        again = np.full(self.n_members - len(steps), steps[0])
        return np.concatenate([again, steps])

    def _members_of(self, model, binned):
        trees = model.run.problem.dictionary.standing(binned)
        at = self._iterations_of(model)
        return np.stack([member.copy() for member in predictions_at(model.run, at, trees)])

    def _coefficients(self, model):
        """Return the mean of the coefficients of the members."""
        at = self._iterations_of(model)
        total = np.zeros(model.run.problem.n_learners)
        for state in model.run.replay(at):
            total[: len(state.beta)] += state.beta
        return total / len(at)

    def _raw_of(self, binned):
        return self._members(binned).mean(axis=0)


def as_a_set(codes, y, weight):
    """Merge equal rows.

    Return the index of the first copy of each (n,), and the sum of the weights of its copies (n,).

    codes : (n_features, n_samples), any whole numbers
    y, weight : (n_samples,), weight None for ones The merged rows, sorted, do not depend on the
        order of the rows. *Cost*: a sort of the rows.
    """
    keys = np.ascontiguousarray(
        np.hstack([codes.T.view(np.uint8), (y + 0.0)[:, None].view(np.uint8)])
    )
    _, first, place = np.unique(
        keys.view(np.dtype((np.void, keys.shape[1])))[:, 0], return_index=True, return_inverse=True
    )
    return first, np.bincount(place, weight)


def entropy(p):
    """Return the entropy of probabilities (..., n_classes), in nats."""
    return -np.sum(p * np.log(np.where(p > 0, p, 1.0)), axis=-1)


class LangevinGBMRegressor(Regression, _LangevinGBM):
    """Stochastic gradient Langevin boosting, with predictive intervals, for regression.

    The models of the last iterations are random samples of models that are plausible given the
    data; predictions average them. The run is also called a chain.

    Parameters
    ----------
    loss : loss, optional
        Default ``Squared()``. Also ``Huber(d)``, or one of your own with a Lipschitz derivative.
    learning_rate : float, default 0.3
        Shrinkage of each tree: it is multiplied by `learning_rate` / sigma, sigma the Lipschitz
        constant of the loss's derivative (1 for the squared and Huber losses, 1/4 for the
        logistic).
    n_estimators : int, default 2000
        Number of iterations.
    max_depth : int or None, default 3
        Maximum depth of a tree (splits from the root to a leaf). None or -1 for no limit, or a
        depth above 10, needs `max_leaf_nodes` as well.
    max_leaf_nodes : int, optional
        Maximum number of leaves; if set, trees grow best-first (largest gain first) until it or
        `max_depth` is reached.
    min_samples_leaf : int, default 20
        Minimum number of rows in a leaf. With fewer than twice as many rows no tree can split, and
        the model is a constant.
    min_gain : float, default 0.0
        A split must reduce the weighted sum of squared residuals (no factor 1/2, not the mean) by
        more than this.
    l2_regularization : float, default 0.0
        Ridge penalty on leaf values, added to the sum of weights in a leaf.
    max_bins : int, default 255
        Maximum number of bins per numeric feature; missing values get one more. A categorical
        feature may have up to 4,064 levels.
    categorical_features : sequence of names, indices or booleans, optional
        Categorical features, in addition to the columns of a data frame that have the dtype
        ``category``, or hold text (none of it a number).
    min_samples_category : int, default 10
        A category with fewer rows in a node is not chosen in its split: it goes with those that are
        not chosen.
    max_split_categories : int or None, default 4
        A split chooses at most this many categories, and at most half of them, rounded up: those
        with the lowest, or with the highest values. The others are the other side. None: any
        number.
    category_smoothing : float, default 20.0
        In the gain and the values of both sides of a split by categories, the weight of this many
        rows is added to `l2_regularization`; a row has the mean weight (with Newton leaves: second
        derivative) in the node.
    noise_variance : float, optional
        Variance of the target around its mean, squared loss only. Default: twice the validation
        loss of gradient boosting; with fewer than 50 rows half the variance of y.
    beta : float, optional
        Inverse temperature, in the unit 1 / (mean loss): the larger it is, the closer the sampled
        models are to the minimum of the loss. Default for the squared loss: N / (noise variance), N
        the sum of the weights; the models are then samples from the Bayesian posterior. For other
        losses of y - f, such as ``Huber(d)``, the noise variance is taken as twice the validation
        loss of gradient boosting. For losses without a unit, such as the logistic, the default is
        N. CatBoost's `diffusion_temperature` is beta / N. Weights count observations: doubling them
        all doubles the data.
    gamma : float, optional
        Shrinkage: each iteration multiplies the model by 1 - gamma eps, eps = `learning_rate` /
        sigma. Default: such that the prior, the distribution of predictions without data, has the
        standard deviation of the target for losses of y - f, and 2 for others. Then raised to 10 /
        (eps `n_estimators`) if it is smaller, as the run forgets its start over some 1 / (gamma
        eps) iterations; at most 0.1 / eps.
    subsample : float, default 1.0
        Fraction of the rows drawn at random for each gradient.
    n_members : int, default 100
        Number of sampled models, evenly spaced in the run, over which predictions are averaged.
    burn_in : float, default 0.5
        Fraction of the iterations before the first of these models.
    early_stopping : bool, optional
        True: hold out `validation_fraction` of the rows at random (stratified by class for
        classifiers) and stop by `n_iter_no_change`, unless `fit` is given rows to validate on.
        False: never stop; rows given to `fit` are only scored. Default: stop if `fit` is given such
        rows.
    validation_fraction : float, default 0.1
        Fraction of the rows that early stopping holds out.
    n_iter_no_change : int, default 10
        Stop when `n_iter_no_change` successive iterations have not lowered the mean validation loss
        by more than `tol`. Checked every ``max(1, n_iter_no_change // 2)`` iterations, so a few
        more trees may be grown; members are taken from the iterations up to the best one.
    tol : float, default 1e-7
        Least improvement of the validation loss that counts for `n_iter_no_change`, as a fraction
        of (mean validation loss of the constant model - smallest value that the loss can take
        there, 0 for most losses).
    warm_start : bool, default False
        Continue the run of the last `fit`, up to `n_estimators` iterations, on the same data.
    random_state : int, RandomState instance or None, default None
        Seed of all random draws.
    n_jobs : int, optional
        Maximum number of threads of a fit. None or -1: one for each core, but at most 32, and at
        most OMP_NUM_THREADS. The model is the same for any number, bit for bit.
    verbose : int, default 0
        Print a line every `verbose` iterations and one at the end: the mean losses, the best
        iteration so far on the (last) validation rows, and the seconds since the fit began. On a
        terminal a bar below them shows the time left. 0: print nothing.

    Attributes
    ----------
    run_ : Run
        The run behind the model (see ``coordboost.engine.Run``); it can be replayed, saved and
        resumed. Its certificate (an interval around the smallest loss) is of little use: no useful
        lower bound is known for trees. With three classes or more: see ``runs_``.
    runs_ : list of Run
        The runs: one, or one for each class if there are three or more.
    n_iter_ : int
        Number of iterations that predictions use.
    train_score_ : ndarray of shape (n_iter + 1,)
        Minus the mean loss on the training rows (higher is better) after 0, 1, ... iterations; for
        three classes or more, summed over the classes' runs. Computed on access.
    validation_score_ : ndarray of shape (n_iter + 1,)
        As `train_score_`, on the validation rows; only with early stopping. For three classes or
        more, a class that has passed its best iteration keeps its loss from there, so the maximum
        is at `n_iter_`.
    evals_result_ : dict
        The mean losses on the rows given to `fit`, or held out, after 0, 1, ... iterations:
        ``{name: {"loss": ndarray of shape (n_iter + 1,)}}``; only if there are such rows.
    feature_importances_ : ndarray of shape (n_features,)
        Sum of the gains of all splits by a feature, divided by the total over all features.
    beta_ : float
        The inverse temperature used.
    gamma_ : float
        The shrinkage used.
    noise_variance_ : float or None
        Variance of the target around its mean, for the squared loss.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns of X, if all of them are strings.

    Notes
    -----
    *Source*: Ustimenko and Prokhorenkova, *SGLB: Stochastic Gradient Langevin Boosting*, Algorithm
    2.

    The fitted model stores the binned table, one byte for each entry, so that the run can be
    continued.

    Examples
    --------
    >>> import coordboost as cb
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = cb.LangevinGBMRegressor(n_estimators=200, random_state=0).fit(X, y)
    >>> round(model.score(X, y), 1)
    0.5
    >>> model.predict_interval(X[:3]).shape
    (3, 2)
    """

    def __init__(
        self,
        *,
        loss=None,
        learning_rate=0.3,
        n_estimators=2000,
        max_depth=3,
        max_leaf_nodes=None,
        min_samples_leaf=20,
        min_gain=0.0,
        l2_regularization=0.0,
        max_bins=255,
        categorical_features=None,
        min_samples_category=10,
        max_split_categories=4,
        category_smoothing=20.0,
        noise_variance=None,
        beta=None,
        gamma=None,
        subsample=1.0,
        n_members=100,
        burn_in=0.5,
        early_stopping=None,
        validation_fraction=0.1,
        n_iter_no_change=10,
        tol=1e-7,
        warm_start=False,
        random_state=None,
        n_jobs=None,
        verbose=0,
    ):
        super().__init__(
            loss=loss,
            learning_rate=learning_rate,
            n_estimators=n_estimators,
            min_samples_leaf=min_samples_leaf,
            min_gain=min_gain,
            l2_regularization=l2_regularization,
            max_bins=max_bins,
            categorical_features=categorical_features,
            min_samples_category=min_samples_category,
            max_split_categories=max_split_categories,
            category_smoothing=category_smoothing,
            early_stopping=early_stopping,
            validation_fraction=validation_fraction,
            n_iter_no_change=n_iter_no_change,
            tol=tol,
            warm_start=warm_start,
            random_state=random_state,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.noise_variance = noise_variance
        self.beta = beta
        self.gamma = gamma
        self.subsample = subsample
        self.n_members = n_members
        self.burn_in = burn_in

    @checked_call
    def predict_uncertainty(self, X: Any) -> Uncertainty:
        """Variances for the rows of X, in two parts.

        The parts are the variance of the predicted mean over the members, and of the target around
        its mean.

        Parameters
        ----------
        X : array_like, data frame or scipy sparse matrix, (n_samples, n_features)
            The rows.

        Returns
        -------
        Uncertainty
            ``knowledge``, the variance of the predictions over the members, (n_samples,), and
            ``data``, (n_samples,), the value ``noise_variance_`` for all rows; NaN for losses other
            than the squared one. In the squared units of y.

        Notes
        -----
        *Cost*: each tree of the chain once on each row.
        """
        members = self._members(self._bin(X))[:, :, 0]
        noise = np.nan if self.noise_variance_ is None else self.noise_variance_
        return Uncertainty(
            members.var(axis=0, ddof=1 if len(members) > 1 else 0), np.full(members.shape[1], noise)
        )

    @checked_call
    def predict_interval(
        self, X: Any, level: float = 0.9, *, observation: bool = True
    ) -> np.ndarray:
        """Central intervals for the rows of X.

        Parameters
        ----------
        X : array_like, data frame or scipy sparse matrix, (n_samples, n_features)
            The rows.
        level : float, default 0.9
            The probability of the interval, between 0 and 1.
        observation : bool, default True
            True: intervals of new targets. False: intervals of their mean.

        Returns
        -------
        ndarray, (n_samples, 2)
            Lower and upper ends on the scale of y: quantiles of a normal distribution with the mean
            and the variance of the members; for new targets, plus the variance of the noise.

        Raises
        ------
        ValueError
            For a level that is not between 0 and 1; for new targets and a loss other than the
            squared one.

        Notes
        -----
        *Cost*: each tree of the chain once on each row.
        """
        positive("level", level, 1, "between 0 and 1")
        if observation and self.noise_variance_ is None:
            raise ValueError(
                "the variance of a new target is known for the squared loss only; pass "
                "observation=False."
            )
        members = self._members(self._bin(X))[:, :, 0]
        variance = members.var(axis=0, ddof=1 if len(members) > 1 else 0) + (
            self.noise_variance_ if observation else 0.0
        )
        half = stats.norm.ppf((1 + level) / 2) * np.sqrt(variance)
        ends = [members.mean(axis=0) - half, members.mean(axis=0) + half]
        return np.stack([self._decide(end[:, None]) for end in ends], axis=1)


class LangevinGBMClassifier(Classification, _LangevinGBM):
    """Stochastic gradient Langevin boosting, with intervals of probabilities, for classification.

    The models of the last iterations are random samples of models that are plausible given the
    data; predictions average them. The run is also called a chain.

    Three classes or more are one-vs-rest: one model for each class, and probabilities are
    normalised to sum to 1.

    Parameters
    ----------
    loss : loss, optional
        Default ``Logistic()``. Also one of your own with ``two_class = True`` and a Lipschitz
        derivative.
    learning_rate : float, default 0.3
        Shrinkage of each tree: it is multiplied by `learning_rate` / sigma, sigma the Lipschitz
        constant of the loss's derivative (1 for the squared and Huber losses, 1/4 for the
        logistic).
    n_estimators : int, default 2000
        Number of iterations.
    max_depth : int or None, default 3
        Maximum depth of a tree (splits from the root to a leaf). None or -1 for no limit, or a
        depth above 10, needs `max_leaf_nodes` as well.
    max_leaf_nodes : int, optional
        Maximum number of leaves; if set, trees grow best-first (largest gain first) until it or
        `max_depth` is reached.
    min_samples_leaf : int, default 20
        Minimum number of rows in a leaf. With fewer than twice as many rows no tree can split, and
        the model is a constant.
    min_gain : float, default 0.0
        A split must reduce the weighted sum of squared residuals (no factor 1/2, not the mean) by
        more than this.
    l2_regularization : float, default 0.0
        Ridge penalty on leaf values, added to the sum of weights in a leaf.
    max_bins : int, default 255
        Maximum number of bins per numeric feature; missing values get one more. A categorical
        feature may have up to 4,064 levels.
    categorical_features : sequence of names, indices or booleans, optional
        Categorical features, in addition to the columns of a data frame that have the dtype
        ``category``, or hold text (none of it a number).
    min_samples_category : int, default 10
        A category with fewer rows in a node is not chosen in its split: it goes with those that are
        not chosen.
    max_split_categories : int or None, default 4
        A split chooses at most this many categories, and at most half of them, rounded up: those
        with the lowest, or with the highest values. The others are the other side. None: any
        number.
    category_smoothing : float, default 20.0
        In the gain and the values of both sides of a split by categories, the weight of this many
        rows is added to `l2_regularization`; a row has the mean weight (with Newton leaves: second
        derivative) in the node.
    beta : float, optional
        Inverse temperature, in the unit 1 / (mean loss): the larger it is, the closer the sampled
        models are to the minimum of the loss. Default for the squared loss: N / (noise variance), N
        the sum of the weights; the models are then samples from the Bayesian posterior. For other
        losses of y - f, such as ``Huber(d)``, the noise variance is taken as twice the validation
        loss of gradient boosting. For losses without a unit, such as the logistic, the default is
        N. CatBoost's `diffusion_temperature` is beta / N. Weights count observations: doubling them
        all doubles the data.
    gamma : float, optional
        Shrinkage: each iteration multiplies the model by 1 - gamma eps, eps = `learning_rate` /
        sigma. Default: such that the prior, the distribution of predictions without data, has the
        standard deviation of the target for losses of y - f, and 2 for others. Then raised to 10 /
        (eps `n_estimators`) if it is smaller, as the run forgets its start over some 1 / (gamma
        eps) iterations; at most 0.1 / eps.
    subsample : float, default 1.0
        Fraction of the rows drawn at random for each gradient.
    n_members : int, default 100
        Number of sampled models, evenly spaced in the run, over which predictions are averaged.
    burn_in : float, default 0.5
        Fraction of the iterations before the first of these models.
    early_stopping : bool, optional
        True: hold out `validation_fraction` of the rows at random (stratified by class for
        classifiers) and stop by `n_iter_no_change`, unless `fit` is given rows to validate on.
        False: never stop; rows given to `fit` are only scored. Default: stop if `fit` is given such
        rows.
    validation_fraction : float, default 0.1
        Fraction of the rows that early stopping holds out.
    n_iter_no_change : int, default 10
        Stop when `n_iter_no_change` successive iterations have not lowered the mean validation loss
        by more than `tol`. Checked every ``max(1, n_iter_no_change // 2)`` iterations, so a few
        more trees may be grown; members are taken from the iterations up to the best one.
    tol : float, default 1e-7
        Least improvement of the validation loss that counts for `n_iter_no_change`, as a fraction
        of (mean validation loss of the constant model - smallest value that the loss can take
        there, 0 for most losses).
    warm_start : bool, default False
        Continue the run of the last `fit`, up to `n_estimators` iterations, on the same data.
    random_state : int, RandomState instance or None, default None
        Seed of all random draws.
    n_jobs : int, optional
        Maximum number of threads of a fit. None or -1: one for each core, but at most 32, and at
        most OMP_NUM_THREADS. The model is the same for any number, bit for bit.
    verbose : int, default 0
        Print a line every `verbose` iterations and one at the end: the mean losses, the best
        iteration so far on the (last) validation rows, and the seconds since the fit began. On a
        terminal a bar below them shows the time left. 0: print nothing.
    class_weight : dict or "balanced", optional
        Weight of each class, which multiplies the `sample_weight` of its rows (also of rows that
        early stopping holds out, but not of `X_val`). "balanced": all classes get the same sum of
        weights, and the sum over all rows stays.

    Attributes
    ----------
    run_ : Run
        The run behind the model (see ``coordboost.engine.Run``); it can be replayed, saved and
        resumed. Its certificate (an interval around the smallest loss) is of little use: no useful
        lower bound is known for trees. With three classes or more: see ``runs_``.
    runs_ : list of Run
        The runs: one, or one for each class if there are three or more.
    n_iter_ : int
        Number of iterations that predictions use.
    train_score_ : ndarray of shape (n_iter + 1,)
        Minus the mean loss on the training rows (higher is better) after 0, 1, ... iterations; for
        three classes or more, summed over the classes' runs. Computed on access.
    validation_score_ : ndarray of shape (n_iter + 1,)
        As `train_score_`, on the validation rows; only with early stopping. For three classes or
        more, a class that has passed its best iteration keeps its loss from there, so the maximum
        is at `n_iter_`.
    evals_result_ : dict
        The mean losses on the rows given to `fit`, or held out, after 0, 1, ... iterations:
        ``{name: {"loss": ndarray of shape (n_iter + 1,)}}``; only if there are such rows.
    feature_importances_ : ndarray of shape (n_features,)
        Sum of the gains of all splits by a feature, divided by the total over all features.
    beta_ : float
        The inverse temperature used.
    gamma_ : float
        The shrinkage used.
    noise_variance_ : float or None
        Variance of the target around its mean, for the squared loss.
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns of X, if all of them are strings.

    Notes
    -----
    *Source*: Ustimenko and Prokhorenkova, *SGLB: Stochastic Gradient Langevin Boosting*, Algorithm
    2.

    The fitted model stores the binned table, one byte for each entry, so that the run can be
    continued.

    Examples
    --------
    >>> import coordboost as cb
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = cb.LangevinGBMClassifier(n_estimators=200, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.9
    True
    >>> model.predict_interval(X[:3]).shape
    (3, 2, 2)
    """

    def __init__(
        self,
        *,
        loss=None,
        learning_rate=0.3,
        n_estimators=2000,
        max_depth=3,
        max_leaf_nodes=None,
        min_samples_leaf=20,
        min_gain=0.0,
        l2_regularization=0.0,
        max_bins=255,
        categorical_features=None,
        min_samples_category=10,
        max_split_categories=4,
        category_smoothing=20.0,
        beta=None,
        gamma=None,
        subsample=1.0,
        n_members=100,
        burn_in=0.5,
        early_stopping=None,
        validation_fraction=0.1,
        n_iter_no_change=10,
        tol=1e-7,
        warm_start=False,
        random_state=None,
        n_jobs=None,
        verbose=0,
        class_weight=None,
    ):
        super().__init__(
            loss=loss,
            learning_rate=learning_rate,
            n_estimators=n_estimators,
            min_samples_leaf=min_samples_leaf,
            min_gain=min_gain,
            l2_regularization=l2_regularization,
            max_bins=max_bins,
            categorical_features=categorical_features,
            min_samples_category=min_samples_category,
            max_split_categories=max_split_categories,
            category_smoothing=category_smoothing,
            early_stopping=early_stopping,
            validation_fraction=validation_fraction,
            n_iter_no_change=n_iter_no_change,
            tol=tol,
            warm_start=warm_start,
            random_state=random_state,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        self.class_weight = class_weight
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.beta = beta
        self.gamma = gamma
        self.subsample = subsample
        self.n_members = n_members
        self.burn_in = burn_in

    def _member_probabilities(self, X):
        return np.stack([self._probabilities(raw) for raw in self._members(self._bin(X))])

    @checked_call
    @lazily
    def predict_proba(self, X):
        """The probability of each class, (n_samples, n_classes): the mean over the members."""
        return self._member_probabilities(X).mean(axis=0)

    @checked_call
    @lazily
    def predict(self, X):
        """The most probable class of each row, (n_samples,)."""
        best = self.predict_proba(X).argmax(axis=1)
        return self.classes_[best]

    @checked_call
    @lazily
    def decision_function(self, X):
        """The log odds of the second class, (n_samples,).

        With more than two, the probability of each class, (n_samples, n_classes).
        """
        p = self.predict_proba(X)
        if p.shape[1] > 2:
            return p
        low = np.finfo(float).tiny
        return np.log(np.maximum(p[:, 1], low)) - np.log(np.maximum(p[:, 0], low))

    @checked_call
    def predict_uncertainty(self, X: Any) -> Uncertainty:
        """Entropy of the class of each row of X, in nats, in two parts.

        The parts come from the disagreement of the members, and from within them.

        Parameters
        ----------
        X : array_like, data frame or scipy sparse matrix, (n_samples, n_features)
            The rows.

        Returns
        -------
        Uncertainty
            ``data``, (n_samples,), the mean entropy of the members, and ``knowledge``,
            (n_samples,), the excess of the entropy of their mean over it: the mutual information of
            class and member.

        Notes
        -----
        *Cost*: each tree of the chain once on each row.
        """
        p = self._member_probabilities(X)
        total = entropy(p.mean(axis=0))
        each = entropy(p).mean(axis=0)
        return Uncertainty(np.maximum(total - each, 0.0), each)

    @checked_call
    def predict_interval(self, X: Any, level: float = 0.9) -> np.ndarray:
        """Central intervals of the probability of each class over the members.

        Parameters
        ----------
        X : array_like, data frame or scipy sparse matrix, (n_samples, n_features)
            The rows.
        level : float, default 0.9
            The share of the members in the interval, between 0 and 1.

        Returns
        -------
        ndarray, (n_samples, n_classes, 2)
            Lower and upper quantiles of the probabilities of the members.

        Raises
        ------
        ValueError
            For a level that is not between 0 and 1.

        Notes
        -----
        *Cost*: each tree of the chain once on each row.
        """
        positive("level", level, 1, "between 0 and 1")
        return np.moveaxis(
            np.quantile(self._member_probabilities(X), [(1 - level) / 2, (1 + level) / 2], axis=0),
            0,
            -1,
        )
