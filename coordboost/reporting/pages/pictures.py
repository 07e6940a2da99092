"""Pictures of a page: SVG for a broad page and for a telephone."""

import re
import warnings
from io import StringIO

#: Width of the plots for a broad page and for a telephone, in inches of 72 units.
WIDTHS = {"broad": 9.0, "narrow": 4.0}
#: The same, of plots that stand side by side on a broad page.
HALVES = {"broad": 4.4, "narrow": 4.0}


def pictures(draw, widths=WIDTHS, *, name=""):
    """Return the figure made by `draw` as SVG, broad and narrow, with the left and right ends of
    its axes as fractions of its width.

    Text is kept as text, in the fonts of the browser. Identifiers within the SVG differ between
    plots, as all are on one page; plots of one function differ by `name`.
    """
    from markupsafe import Markup
    from matplotlib import style

    found = {}
    for kind, width in widths.items():
        file = StringIO()
        salt = f"{draw.__qualname__}, {name}, {kind}"
        look = {
            "svg.fonttype": "none",
            "svg.hashsalt": salt,
            "font.sans-serif": ["DejaVu Sans", "sans-serif"],
        }
        with style.context(["default", look]), warnings.catch_warnings():
            warnings.filterwarnings(
                "ignore", message="Glyph"
            )  # a letter missing in the font that measures text
            fig = draw()
            fig.set_figwidth(width)
            fig.savefig(
                file,
                format="svg",
                transparent=True,
                metadata=dict.fromkeys(("Creator", "Date", "Format", "Type")),
            )
        size = fig.get_size_inches() * 72
        box = fig.axes[0].get_position()
        content = re.sub(
            r'<g id="[^"]*"', "<g", file.getvalue().partition("<svg")[2].partition(">")[2]
        )
        content = re.sub(
            r' d="[^"]*"', lambda line: re.sub(r"(\.\d)\d+", r"\1", line[0]), content
        )  # one decimal is enough
        svg = Markup(f'<svg viewBox="0 0 {size[0]:g} {size[1]:g}">{content}')
        found[kind] = {"svg": svg, "left": f"{box.x0:.4f}", "right": f"{box.x1:.4f}"}
    return found


def picture_of(plot, height=3.5, widths=WIDTHS, *, name=""):
    """Return the pictures of what ``plot(ax)`` draws, `height` inches high."""
    from matplotlib.figure import Figure

    def draw():
        fig = Figure(figsize=(6, height), layout="constrained")
        plot(fig.subplots())
        return fig

    return pictures(draw, widths, name=name)
