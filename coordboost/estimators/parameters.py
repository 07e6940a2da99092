"""The parameters that all estimators have, under scikit-learn's names where it has one, and what is said of them."""

import re
from dataclasses import dataclass

from sklearn.base import BaseEstimator

from coordboost.estimators.callbacks import CallbackSupportMixin
from coordboost.estimators.names import Named

#: Parameters that may change between two fits with ``warm_start``.
FREE = ("n_estimators", "warm_start", "random_state", "n_iter_no_change", "tol")
#: The part of the docstrings that all estimators share, in the place of {}.
SHARED = """loss : piece, optional
        ``Squared()`` for regression, ``Logistic()`` for classes; or ``Huber(d)``, ``Quantile(q)``, ``Poisson()``,
        ``Exponential()``, one of your own.
    learning_rate : float, default 0.1
        The part of the step 1 / sigma that is taken, sigma being the smoothness constant of the loss; of Newton's step where leaves
        take it.
    n_estimators : int, default 100
        Iterations.
    max_depth : int or None, default 3
        Most splits on the way to a leaf.
    max_leaf_nodes : int, optional
        Most leaves of a tree: where it binds, the leaf with the largest gain is split first.
    min_samples_leaf : int, default 20
        Fewest rows in a leaf. With fewer than twice as many rows no tree can split, and the model is a constant.
    min_gain : float, default 0
        What a split must gain, in units of the squared residual.
    l2_regularization : float, default 0
        Ridge penalty of leaf values.
    max_bins : int, default 255
        Most bins of a feature; missing values have one of their own.
    categorical_features : sequence of names, places or booleans, optional
        Features that hold categories, beside the columns of a data frame with the dtype ``category``.
    monotonic_cst : sequence or dict by name, optional
        1, 0 or -1 for each feature: predictions must not fall, may do either, must not rise with it.
    early_stopping : bool, default False
        Stop when rows that are held back say so, and keep the best iteration. Always where `fit` gets `X_val` and `y_val`.
    validation_fraction : float, default 0.1
        The part of the rows that is held back.
    n_iter_no_change : int, default 10
        So many iterations in a row without a better mean loss, by more than `tol`, end the fit; it is looked at every half of them, and
        the best of all iterations made is kept.
    tol : float, default 1e-7
        A part of the mean loss of the constant model on the rows held back, above the least that the loss declares there.
    warm_start : bool, default False
        Go on with the run where it ended, up to `n_estimators` iterations, on the same data.
    random_state : int, RandomState or None

    Attributes
    ----------
    run_ : Run
        The run behind the model: replayed, saved, certified as any other. ``runs_`` holds one for each class of three or more.
    n_iter_ : int
        Iterations that predictions use.
    train_score_, validation_score_ : (n_iter + 1,)
        Minus the mean loss after 0, 1, ... iterations (with three classes or more: of all runs together); the second with early
        stopping only, where it is best at `n_iter_`: of three classes or more each stays at its best. Those of the fit rows are
        computed when they are asked for.
    feature_importances_ : (n_features,)
        The gains of all splits by a feature, as parts of 1.
    n_features_in_, feature_names_in_

    Notes
    -----
    The fitted model holds the table in bins, a byte for each entry, so that the run can go on.
    """


def said_of(names):
    """The part of the docstrings that all estimators share, without what some machines have not, as far as it is not in `names`."""
    text = SHARED
    for name in {*Sized.__dataclass_fields__, *Bounded.__dataclass_fields__} - {*names}:
        text = re.sub(rf"    {name} : .*?(?=    \w+ : )", "", text, flags=re.DOTALL)
    return text


@dataclass(kw_only=True, eq=False, repr=False)
class Sized:
    """Trees whose size is limited."""

    max_depth: object = 3
    max_leaf_nodes: object = None


@dataclass(kw_only=True, eq=False, repr=False)
class Bounded:
    """Trees whose leaf values may be bounded."""

    monotonic_cst: object = None


@dataclass(kw_only=True, eq=False, repr=False)
class Parameters(Named, CallbackSupportMixin, BaseEstimator):
    """The parameters of all estimators, as ``__init__`` takes them."""

    loss: object = None
    learning_rate: float = 0.1
    n_estimators: int = 100
    min_samples_leaf: int = 20
    min_gain: float = 0.0
    l2_regularization: float = 0.0
    max_bins: int = 255
    categorical_features: object = None
    early_stopping: bool = False
    validation_fraction: float = 0.1
    n_iter_no_change: int = 10
    tol: float = 1e-7
    warm_start: bool = False
    random_state: object = None

    #: What is said of the parameters of one machine.
    told = ""

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        if cls.__doc__:
            cls.__doc__ = cls.__doc__.replace("{}", cls.told + said_of(cls.__dataclass_fields__))

    def settings(self):
        """What a run depends on beside its length."""
        return {key: value for key, value in self.get_params(deep=False).items() if key not in FREE}
