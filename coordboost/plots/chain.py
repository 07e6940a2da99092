"""The display of a chain: its trace, and the law that it should have beside it."""

from coordboost.plots.drawing import COLOURS, SMALL, Display, name_axes

#: Most points of a trace.
MOST = 4000


class ChainDisplay(Display):
    """One quantity of a chain along its steps, with the sample and the law at the right edge.

    Attributes
    ----------
    chain : Chain;  quantity : its number;  law : Normal, GridLaw or None
    """

    def __init__(self, chain, quantity=0, law=None, *, words="coefficient", title=""):
        self.chain, self.quantity, self.law, self.words, self.title = chain, quantity, law, words, title

    @classmethod
    def from_chain(cls, chain, quantity=0, law=None, *, words="coefficient", title="", ax=None):
        """Draw quantity number `quantity` of a chain; `law` is that of the same quantities."""
        return cls(chain, quantity, law, words=words, title=title).plot(ax)

    def _draw(self, ax):
        values = self.chain.values[:, :, self.quantity]
        thin = slice(None, None, -(-values.shape[1] // MOST))
        for k, trace in enumerate(values):
            ax.plot(self.chain.steps[thin], trace[thin], color=COLOURS[k % len(COLOURS)], linewidth=0.5)
        side = ax.inset_axes([1.0, 0.0, 0.25, 1.0], sharey=ax)
        side.hist(values.ravel(), bins=60, density=True, orientation="horizontal", color=COLOURS[0], alpha=0.35, label="sample")
        if self.law is not None:
            at, density = self.law.density(self.quantity)
            seen = density > 1e-3 * density.max()
            side.plot(density[seen], at[seen], color=COLOURS[1], linewidth=1.4, label="law")
        side.tick_params(labelleft=False, left=False, labelbottom=False, bottom=False)
        side.legend(fontsize=SMALL, frameon=False, loc="upper right")
        name_axes(ax, "step", self.words, self.title or f"R-hat {self.chain.rhat[self.quantity]:.3f}, "
                  f"{self.chain.ess[self.quantity]:,.0f} effective draws")  # fmt: skip
