"""Display of the rules of a model, as bars with their text."""

import textwrap
from typing import Any, Self

import numpy as np

from coordboost._utils.checks import shown
from coordboost.reporting.plots.drawing import BarsDisplay

#: Letters of a rule on one line.
WIDE = 30


class RulesDisplay(BarsDisplay):
    """The coefficients of the rules of a model, as bars, the largest first.

    Parameters
    ----------
    coefficients : ndarray, (n_rules,)
        What each rule adds to the prediction where it holds.
    rules : sequence of str, (n_rules,)
        Their text.
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
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    >>> model = cb.estimators.CertifiedRulesRegressor(n_alphas=3, eps=0.5, depth=1).fit(X, y)
    >>> display = cb.plots.RulesDisplay.from_estimator(model, ax=Figure().subplots())
    >>> display.rules[0] in [text.get_text() for text in display.ax_.get_yticklabels()]
    True
    """

    def __init__(self, coefficients, rules, *, n_bars: int = 20, title: str = ""):
        self.coefficients = coefficients
        self.rules = rules
        self.n_bars = n_bars
        self.title = title

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, n_bars: int = 20, title: str = "", ax: Any = None, **options: Any
    ) -> Self:
        """Draw the rules of a fitted estimator of rules.

        Parameters
        ----------
        estimator : CertifiedRulesRegressor, CertifiedRulesClassifier or one with CV
            A fitted one, of one model: not of three classes or more.
        n_bars : int, default 20
            Most bars; fewer are drawn where there is no room.
        title : str
            Title of the picture.
        ax : matplotlib Axes, optional
            Default: the Axes of a new figure.
        **options
            As for ``plot``: keywords of the bars, as for matplotlib's ``barh``.

        Returns
        -------
        RulesDisplay
            The display, drawn.

        Raises
        ------
        ValueError
            For an estimator without rules, and for three classes or more.
        """
        if not hasattr(estimator, "rules_"):
            raise ValueError(
                f"RulesDisplay needs an estimator of rules, such as CertifiedRulesRegressor, got "
                f"{shown(estimator)}."
            )
        frame = estimator.rules_()
        if "class" in frame:
            raise ValueError(
                "there are several models, one for each class: pass the rows of rules_() of one as "
                "RulesDisplay(frame['coefficient'].to_numpy(), frame['rule'].tolist()).plot()."
            )
        coefficients = frame["coefficient"].to_numpy()
        display = cls(coefficients, frame["rule"].tolist(), n_bars=n_bars, title=title)
        return display.plot(ax, **options)

    def _draw(self, ax, line_kw):
        order = np.argsort(-np.abs(self.coefficients), kind="stable")
        names = [textwrap.fill(rule, WIDE, break_long_words=False) for rule in self.rules]
        self._draw_bars(ax, self.coefficients, names, order, "coefficient", **line_kw)
