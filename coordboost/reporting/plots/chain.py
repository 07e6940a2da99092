"""Display of a Markov chain: its trace and, next to it, the distribution that it should have."""

from typing import Any, Self

from coordboost.reporting.plots.drawing import (
    COLOURS,
    Display,
    drawn_from,
    ink,
    name_axes,
    new_label,
)
from coordboost.theory.langevin import Chain, GridLaw, Normal

#: Maximum number of points drawn of a trace.
MOST = 4000


class ChainDisplay(Display):
    """One quantity of a chain along its steps.

    A histogram of the sample and its theoretical law stand at the right edge.

    Parameters
    ----------
    chain : Chain
        The sampled values.
    quantity : int, default 0
        Index of the quantity to draw.
    law : Normal or GridLaw, optional
        The distribution that the quantities should have, drawn next to the sample.
    words : str, optional
        The name of the vertical axis; default "coefficient" and its number.
    title : str
        Title of the picture; default split R-hat and the effective number of draws.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure of the picture
    lines_ : list of matplotlib Line2D, the traces
    side_ : Axes of the histogram and the law

    Examples
    --------
    >>> import coordboost as cb
    >>> from matplotlib.figure import Figure
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> method = cb.sglb(eps=0.05, beta=40.0, gamma=0.5, select=cb.rules.RandomSubset(1))
    >>> sample = cb.theory.langevin.chain(cb.solve(problem, method, 4_000), burn_in=500, every=10)
    >>> law = cb.theory.langevin.stationary(problem, method)
    >>> cb.plots.ChainDisplay.from_chain(sample, 0, law, ax=Figure().subplots()).ax_.get_title()
    'R-hat 1.002, 83 effective draws'
    """

    legend = False

    def __init__(
        self,
        chain: Chain,
        quantity: int = 0,
        law: Normal | GridLaw | None = None,
        *,
        words: str | None = None,
        title: str = "",
    ):
        self.chain = chain
        self.quantity = quantity
        self.law = law
        self.title = title
        self.words = f"coefficient {quantity}" if words is None else words

    @classmethod
    @drawn_from("a Chain, the result of theory.langevin", Chain)
    def from_chain(
        cls,
        chain: Chain,
        quantity: int = 0,
        law: Normal | GridLaw | None = None,
        *,
        words: str | None = None,
        title: str = "",
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Draw one quantity of a chain.

        Parameters
        ----------
        chain : Chain
            The sampled values.
        quantity : int, default 0
            Index of the quantity to draw.
        law : Normal or GridLaw, optional
            The distribution that the quantities should have, drawn next to the sample.
        words : str, optional
            The name of the vertical axis; default "coefficient" and its number.
        title : str
            Title of the picture; default split R-hat and the effective number of draws.
        ax : matplotlib Axes, optional
            Default: the Axes of a new figure.
        **options
            As for ``plot``: keywords of the traces, and ``legend``.

        Returns
        -------
        ChainDisplay
            The display, drawn.
        """
        return cls(chain, quantity, law, words=words, title=title).plot(ax, **options)

    def _draw(self, ax, line_kw):
        values = self.chain.values[:, :, self.quantity]
        thin = slice(None, None, -(-values.shape[1] // MOST))
        label = line_kw.pop("label", None)
        for k, trace in enumerate(values):
            name = new_label(ax, f"chain {k}" if label is None else label)
            self.lines_ += ax.plot(
                self.chain.steps[thin], trace[thin], **{"linewidth": 0.5, **line_kw}, label=name
            )
        side = self.side_ = ax.inset_axes([1.0, 0.0, 0.25, 1.0], sharey=ax)
        side.hist(
            values.ravel(),
            bins=60,
            density=True,
            orientation="horizontal",
            color=COLOURS[0],
            alpha=0.35,
            label="sample",
        )
        if self.law is not None:
            at, density = self.law.density(self.quantity)
            seen = density > 1e-3 * density.max()
            side.plot(density[seen], at[seen], color=ink(), linewidth=1.4, label="law")
        side.tick_params(labelleft=False, left=False, labelbottom=False, bottom=False)
        name_axes(side, "density")
        side.legend(fontsize="small", frameon=False, loc="upper right")
        ax.margins(x=0)
        name_axes(
            ax,
            "step",
            self.words,
            self.title
            or f"R-hat {self.chain.rhat[self.quantity]:.3f}, "
            f"{self.chain.ess[self.quantity]:,.0f} effective draws",
        )
