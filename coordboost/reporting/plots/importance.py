"""Display of the importance of features, as bars."""

from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from coordboost._utils.checks import shown
from coordboost.data.frames import names_of
from coordboost.reporting.plots.drawing import (
    BarsDisplay,
    drawn_from,
)


def models_with_trees(estimator, kind):
    """Return the trees of a fitted estimator, a list of models; refuse other estimators."""
    models = getattr(estimator, "_models", None)
    if models is None:
        raise ValueError(
            f"{type(estimator).__name__} has no trees: kind={kind!r} is for estimators of trees; "
            + (
                "take kind='permutation', or RulesDisplay."
                if hasattr(estimator, "rules_")
                else "take 'permutation' or 'contributions'."
            )
        )
    return models


def importance_by_gain(estimator, X, y, options):
    """Return the share of each feature in the gains of all splits, and no errors."""
    models_with_trees(estimator, "gain")
    return estimator.feature_importances_, None


def importance_by_splits(estimator, X, y, options):
    """Return the number of splits by each feature, and no errors."""
    return sum(model.n_splits() for model in models_with_trees(estimator, "splits")), None


def importance_by_shuffling(estimator, X, y, options):
    """Return the mean fall of the score when a feature is shuffled, and its standard deviation."""
    from sklearn.inspection import permutation_importance

    if X is None or y is None:
        raise ValueError("kind='permutation' needs rows: pass X and y, best those of no fit.")
    found = permutation_importance(estimator, X, y, **options)
    return found.importances_mean, found.importances_std


def importance_by_contributions(estimator, X, y, options):
    """Return the mean size of the contributions of each feature, summed over classes."""
    if X is None:
        raise ValueError("kind='contributions' needs rows: pass X.")
    size = np.abs(estimator.contributions(X).values).mean(axis=0)
    return size if size.ndim == 1 else size.sum(axis=1), None


#: Kinds of importance: how it is computed, and the label of the axis.
KINDS: dict[str, tuple[Callable, str]] = {
    "gain": (importance_by_gain, "share of the gain"),
    "splits": (importance_by_splits, "number of splits"),
    "permutation": (importance_by_shuffling, "fall of the score when shuffled"),
    "contributions": (importance_by_contributions, "mean |contribution|"),
}


class ImportanceDisplay(BarsDisplay):
    """The importance of features, as bars, the most important first.

    Parameters
    ----------
    importances : ndarray, (n_features,)
        The lengths of the bars.
    names : sequence of str, (n_features,)
        Names of the features.
    errors : ndarray, (n_features,), optional
        Drawn as a line to either side of the end of each bar.
    words : str
        Label of the horizontal axis.
    n_bars : int, default 20
        Most bars; fewer are drawn where there is no room.
    title : str
        Title of the picture.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure of the picture
    bars_ : matplotlib's container of the bars

    Examples
    --------
    >>> import coordboost as cb
    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> model = cb.RandomizedGBMRegressor(random_state=0).fit(X, y)
    >>> display = cb.plots.ImportanceDisplay.from_estimator(model, ax=Figure().subplots())
    >>> sorted(text.get_text() for text in display.ax_.get_yticklabels()[:2])
    ['bmi', 's5']
    """

    def __init__(
        self,
        importances: np.ndarray,
        names: Sequence[str],
        *,
        errors: np.ndarray | None = None,
        words: str = "importance",
        n_bars: int = 20,
        title: str = "",
    ):
        self.importances = importances
        self.names = names
        self.errors = errors
        self.words = words
        self.n_bars = n_bars
        self.title = title

    @classmethod
    @drawn_from("a fitted estimator", has=("get_params",))
    def from_estimator(
        cls,
        estimator: Any,
        X: ArrayLike | None = None,
        y: ArrayLike | None = None,
        *,
        kind: str = "gain",
        n_bars: int = 20,
        title: str = "",
        ax: Any = None,
        permutation_options: dict[str, Any] | None = None,
        **options: Any,
    ) -> Self:
        """Draw the importance of the features of a fitted estimator.

        Parameters
        ----------
        estimator : estimator
            A fitted one.
        X, y : array_like, optional
            Rows and targets, for "permutation"; rows for "contributions".
        kind : {"gain", "splits", "permutation", "contributions"}, default "gain"
            The gains of all splits by a feature as a share of all gains
            (``feature_importances_``); the number of these splits, in trees that predictions use;
            by how much the score falls if the column is shuffled (scikit-learn's
            ``permutation_importance``), with its standard deviation over repetitions; the mean
            absolute contribution (SHAP value), summed over three classes or more. The first two are
            for trees, and measured in the fit.
        n_bars : int, default 20
            Most bars; fewer are drawn where there is no room.
        title : str
            Title of the picture.
        ax : matplotlib Axes, optional
            Default: the Axes of a new figure.
        permutation_options : dict, optional
            Arguments of ``permutation_importance``, such as ``n_repeats``, ``scoring`` and
            ``random_state``.
        **options
            As for ``plot``: keywords of the bars, as for matplotlib's ``barh``.

        Returns
        -------
        ImportanceDisplay
            The display, drawn.

        Raises
        ------
        ValueError
            For an unknown kind, for a kind that needs trees if there are none, and for missing
            rows.
        """
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(estimator)
        if not isinstance(kind, str) or kind not in KINDS:
            raise ValueError(
                f"kind must be one of {', '.join(map(repr, KINDS))}, got {shown(kind)}."
            )
        measure, words = KINDS[kind]
        importances, errors = measure(estimator, X, y, permutation_options or {})
        names = names_of(getattr(estimator, "feature_names_in_", None), len(importances))
        display = cls(importances, names, errors=errors, words=words, n_bars=n_bars, title=title)
        return display.plot(ax, **options)

    def _draw(self, ax, line_kw):
        order = np.argsort(-self.importances, kind="stable")
        order = order[self.importances[order] != 0]
        self._draw_bars(ax, self.importances, self.names, order, self.words, self.errors, **line_kw)
