"""The display of a chain: its trace, and the law that it should have beside it."""

from coordboost.reporting.plots.drawing import COLOURS, Display, ink, name_axes, new_label

#: Most points of a trace.
MOST = 4000


class ChainDisplay(Display):
    """One quantity of a chain along its steps, with the sample and the law at the right edge.

    Attributes
    ----------
    chain : Chain;  quantity : its number;  law : Normal, GridLaw or None
    lines_ : the traces;  side_ : the Axes of the sample and the law
    """

    legend = False

    def __init__(self, chain, quantity=0, law=None, *, words=None, title=""):
        self.chain, self.quantity, self.law, self.title = chain, quantity, law, title
        self.words = f"coefficient {quantity}" if words is None else words

    @classmethod
    def from_chain(cls, chain, quantity=0, law=None, *, words=None, title="", ax=None, **options):
        """Draw quantity number `quantity` of a chain; `law` is that of the same quantities.

        `options` are those of ``plot``, for the traces.
        """
        return cls(chain, quantity, law, words=words, title=title).plot(ax, **options)

    def _draw(self, ax, line_kw):
        values = self.chain.values[:, :, self.quantity]
        thin = slice(None, None, -(-values.shape[1] // MOST))
        label = line_kw.pop("label", None)
        for k, trace in enumerate(values):
            name = new_label(ax, f"chain {k}" if label is None else label)
            self.lines_ += ax.plot(self.chain.steps[thin], trace[thin], **{"linewidth": 0.5, **line_kw}, label=name)
        side = self.side_ = ax.inset_axes([1.0, 0.0, 0.25, 1.0], sharey=ax)
        side.hist(values.ravel(), bins=60, density=True, orientation="horizontal", color=COLOURS[0], alpha=0.35, label="sample")
        if self.law is not None:
            at, density = self.law.density(self.quantity)
            seen = density > 1e-3 * density.max()
            side.plot(density[seen], at[seen], color=ink(), linewidth=1.4, label="law")
        side.tick_params(labelleft=False, left=False, labelbottom=False, bottom=False)
        side.set_xlabel("density")
        side.legend(fontsize="small", frameon=False, loc="upper right")
        ax.margins(x=0)
        name_axes(ax, "step", self.words, self.title or f"R-hat {self.chain.rhat[self.quantity]:.3f}, "
                  f"{self.chain.ess[self.quantity]:,.0f} effective draws")  # fmt: skip
