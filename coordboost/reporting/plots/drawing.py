"""Shared parts of the plots.

The Axes, the look (colour and line style) of a variable, and names beside the ends of lines.
"""

import inspect
from collections.abc import Callable
from functools import wraps

import numpy as np

from coordboost._utils.checks import Function, shown

__all__ = [
    "COLOURS",
    "LOOKS",
    "REST",
    "STYLES",
    "Bars",
    "BarsDisplay",
    "Beside",
    "ColumnsDisplay",
    "Display",
    "as_written",
    "axes",
    "beside",
    "drawn_from",
    "figure_size",
    "ink",
    "letter",
    "looks",
    "name_axes",
    "new_label",
    "room_for",
    "spread",
]

#: Okabe and Ito's colours, distinct under every common colour vision deficiency; without yellow,
#: which is hard to see on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
STYLES = ("-", (0, (5, 1.5)), (0, (1.2, 1.2)))
REST = "#BBBBBB"
#: Number of different looks, so of variables that can be told apart.
LOOKS = len(COLOURS) * len(STYLES)
#: Distance from one name beside lines to the next, and from the end of a line to its name, in font
#: sizes.
GAP, LEADER = 1.3, 1.6
#: Largest part of the height of a plot that a legend above its curves takes.
HALF = 0.5


def figure_size(width, height):
    """Return a figure size scaled by rcParams.

    `width` and `height` are for matplotlib's default of 6.4 x 4.8.
    """
    from matplotlib import rcParams

    return width * rcParams["figure.figsize"][0] / 6.4, height * rcParams["figure.figsize"][1] / 4.8


def letter():
    """Return the font size of names beside lines, in points."""
    from matplotlib.font_manager import FontProperties

    return FontProperties(size="small").get_size_in_points()


def ink():
    """Return the colour of text."""
    from matplotlib import rcParams

    return rcParams["text.color"]


def look(column):
    """Return colour and line style of a column.

    They depend on its number only, so they are the same in every plot.
    """
    return {
        "color": COLOURS[column % len(COLOURS)],
        "linestyle": STYLES[(column // len(COLOURS)) % len(STYLES)],
    }


def looks(columns):
    """Return the looks of the columns in one plot, a list.

    Columns with the same colour get different line styles while there are any.
    """
    out = []
    for column in columns:
        own = look(int(column))
        taken = [one["linestyle"] for one in out if one["color"] == look(int(column))["color"]]
        free = [style for style in STYLES if style not in taken]
        out.append({**own, "linestyle": free[0]} if own["linestyle"] in taken and free else own)
    return out


def drawn_from(
    words: str, *kinds: type, has: tuple[str, ...] = ()
) -> Callable[[Function], Function]:
    """Decorator of the class methods of displays: what they draw is checked.

    Parameters
    ----------
    words : str
        What it must be, for the message.
    kinds : type
        Its classes.
    has : tuple of str
        Or the attributes that it must have.
    """

    def lack(source):
        """Return why `source` cannot be drawn, "" if it can."""
        if isinstance(source, kinds):
            return ""
        return f"got {shown(source)}" if kinds else _lacking(source, has)

    def decorated(method: Function) -> Function:
        first = list(inspect.signature(method).parameters)[1]

        @wraps(method)
        def call(cls, *args, **kwargs):
            source = args[0] if args else kwargs.get(first)
            reason = lack(source)
            if reason:
                known = (getattr(cls, name) for name in dir(cls) if name.startswith("from_"))
                other = next((other for other in known if not other.lack(source)), None)
                hint = "" if other is None else f": {cls.__name__}.{other.__name__} draws that"
                name = f"{cls.__name__}.{method.__name__}"
                raise ValueError(f"{name} draws {words}, {reason.rstrip('.')}{hint}.")
            return method(cls, *args, **kwargs)

        call.lack = lack  # type: ignore[attr-defined]
        return call  # type: ignore[return-value]

    return decorated


def _lacking(source, attributes):
    """Return why an object does not have all of some attributes, "" if it has."""
    for name in attributes:
        try:
            getattr(source, name)
        except AttributeError as error:
            if isinstance(error, ValueError):  # it is not fitted, and says so
                raise
            known = hasattr(type(source), name)
            return f"but {error}" if known else f"got {shown(source)}"
    return ""


class Display:
    """Base class of plots that can be drawn again. Subclasses implement ``_draw(ax, line_kw)``.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure of the picture
    lines_ : list of matplotlib Line2D, its curves
    """

    #: Whether ``plot`` draws a legend by default.
    legend = True

    def plot(self, ax=None, *, legend=None, **line_kw):
        """Draw the picture.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Default: the Axes of a new figure. Existing curves stay, and the colour cycle of the
            Axes continues.
        legend : bool, optional
            Whether to draw a legend; every display has its own default.
        **line_kw : dict
            ``label``, ``color``, ``linestyle`` and other keywords of the lines, as for matplotlib's
            ``plot``.

        Returns
        -------
        The display

        Raises
        ------
        ValueError
            For a keyword that matplotlib's lines do not have.
        """
        line_kw = self._checked(line_kw)
        self.ax_ = axes(ax)
        self.figure_ = self.ax_.figure
        self.lines_ = []
        self._wanted = self.legend if legend is None else legend
        self._draw(self.ax_, line_kw)
        if self._wanted and self.ax_.get_legend_handles_labels()[0]:
            above_curves(self.ax_, self.ax_.legend())
        return self

    def _checked(self, line_kw):
        """Return the keywords of lines under their full names.

        Raise ValueError for an unknown one.
        """
        from matplotlib.cbook import normalize_kwargs
        from matplotlib.lines import Line2D

        line_kw = normalize_kwargs(line_kw, Line2D)
        for name in line_kw:
            if not hasattr(Line2D, f"set_{name}"):
                raise ValueError(
                    f"{type(self).__name__} has no option {shown(name)}, nor do matplotlib's "
                    "lines: see its docs."
                )
        return line_kw


class ColumnsDisplay(Display):
    """A display of many columns: some with a look and a name beside the line, the others grey."""

    legend = False

    def _looks(self, columns):
        """Return the looks of some columns, a list."""
        return looks(columns)

    def _draw_columns(self, ax, x, values, order, n, line_kw):
        """Draw values (n_points, n_columns) of the columns in `order`.

        The first n have a look, and a name while there is room.

        A ``label`` in `line_kw` is one legend entry for all lines; the names of the columns are
        then beside the lines only.
        """
        label = line_kw.pop("label", None)
        self.columns_ = np.sort(order[:n])
        ax.plot(
            x, values[:, order[n:]], **{"color": REST, "linewidth": 0.5, "zorder": 1, **line_kw}
        )
        for j, own in zip(self.columns_, self._looks(self.columns_), strict=True):
            name = "_nolegend_" if label is not None else new_label(ax, self.names[j])
            self.lines_ += ax.plot(x, values[:, j], **{"zorder": 2, **own, **line_kw}, label=name)
        if label is not None:
            # one entry for all lines, in the colour of text
            ax.plot([], [], **{"color": ink(), **line_kw}, label=as_written(label))
        if label is not None or not self._wanted:
            named = order[: min(n, room_for(ax))]
            colours = dict(zip(self.columns_, self.lines_, strict=True))
            ends = [(x[-1], values[-1, j]) for j in named]
            beside(
                ax, ends, [self.names[j] for j in named], [colours[j].get_color() for j in named]
            )


class Bars:
    """Horizontal bars on `ax`, as many of those in `order` as there is room for, at most `most`,
    with names of up to `n_lines` lines.

    drawn : the indices of the bars that are drawn, from top to bottom
    """

    def __init__(self, ax, most, order, n_lines=1):
        self.ax = ax
        self.drawn = order[: min(most, room_for(ax, 0.6 + n_lines))]

    def draw(self, lengths, names, form, errors=None, **bar_kw):
        """Draw the bars with names on the left and numbers behind them; return matplotlib's.

        errors : drawn as a line to either side of the end of each bar
        """
        ax = self.ax
        lengths = lengths[self.drawn]
        at = np.arange(len(lengths))
        ends = np.maximum(lengths, 0)
        if errors is not None:
            bar_kw = {"xerr": errors[self.drawn], "error_kw": {"linewidth": 0.8}, **bar_kw}
            ends = np.maximum(lengths + errors[self.drawn], 0)
        bars = ax.barh(at, lengths, **{"height": 0.7, **bar_kw})
        ax.set_yticks(at, [str(names[j]) for j in self.drawn], parse_math=False)
        ax.yaxis.set_inverted(True)
        look = {"textcoords": "offset points", "fontsize": "small", "va": "center"}
        for k, length in enumerate(lengths):
            ax.annotate(form.format(length), (ends[k], k), (2, 0), **look)
        ax.margins(x=0.12)
        ax.grid(False)
        return bars


class BarsDisplay(Display):
    """A display of bars with names, at most ``n_bars`` of them."""

    legend = False

    def _draw_bars(self, ax, lengths, names, order, words, errors=None, **bar_kw):
        """Draw the bars, the first of `order` on top; the axis says how many others there are."""
        n_lines = max((str(names[j]).count("\n") + 1 for j in order[: self.n_bars]), default=1)
        bars = Bars(ax, self.n_bars, order, n_lines)
        self.bars_ = bars.draw(lengths, names, "{:.3g}", errors, **bar_kw)
        others = len(order) - len(bars.drawn)
        name_axes(ax, f"{words}; {others:,} others" if others else words, "", self.title)


def axes(ax):
    """Return `ax`, or the Axes of a new pyplot figure of default size, which a notebook shows."""
    if ax is None:
        import matplotlib.pyplot as plt

        _, ax = plt.subplots(layout="constrained")
    if not (hasattr(ax, "figure") and hasattr(ax, "plot")):
        raise ValueError(f"ax must be an Axes of matplotlib, or None, got {shown(ax)}.")
    return ax


def above_curves(ax, legend):
    """Raise the upper end of the vertical axis, so that a legend that would cover curves is above
    them; not for one that takes more than half of the height.
    """
    figure = ax.figure
    while getattr(figure, "figure", figure) is not figure:  # of a subfigure
        figure = figure.figure
    figure.draw_without_rendering()  # the layout decides where the legend is
    box = legend.get_window_extent()
    share = (box.height + letter()) / ax.bbox.height
    outlines = [line.get_xydata() for line in ax.lines if len(line.get_xydata()) > 2]
    bands = [path.vertices for band in ax.collections for path in band.get_paths()]
    points = np.concatenate([np.empty((0, 2)), *outlines, *bands])
    is_covered = box.count_contains(ax.transData.transform(points)) > 0
    if not is_covered or share > HALF or ax.yaxis_inverted():
        return
    top = ax.transAxes.transform((0, 1 / (1 - share)))
    ax.set_ylim(top=ax.transData.inverted().transform(top)[1], auto=None)
    legend.set_loc("upper right")


def new_label(ax, words):
    """Return `words` as a legend label.

    Legends ignore the label if the legend of `ax` has these words already.
    """
    words = as_written(words)
    return "_nolegend_" if words in ax.get_legend_handles_labels()[1] else words


def as_written(words):
    """Return `words` with dollar signs escaped, so that they start no formula."""
    return str(words).replace("$", r"\$")


def name_axes(ax, x="", y="", title="", **title_kw):
    """Set the labels of the axes and the title, those that are not empty.

    title_kw : keywords of the title, such as ``fontsize``
    """
    if x:
        ax.set_xlabel(x)
    if y:
        ax.set_ylabel(y)
    if title:
        ax.set_title(title, **title_kw)


def room_for(ax, gap=GAP):
    """Return how many names fit below each other beside `ax`."""
    height = ax.get_position().height * ax.figure.bbox.height
    return max(1, int(height / (gap * letter() * ax.figure.dpi / 72)))


def spread(heights, gap, low, high):
    """Move heights to within [low, high] and at least `gap` apart.

    With the least sum of squared moves.

    If there is no room for that, `gap` is reduced.
    """
    from scipy.optimize import isotonic_regression

    heights = np.asarray(heights, dtype=float)
    gap = min(gap, (high - low) / max(len(heights) - 1, 1))
    order = np.argsort(heights, kind="stable")
    shift = gap * np.arange(len(heights))
    moved = (
        np.clip(
            isotonic_regression(heights[order] - shift).x, low, max(high - shift[-1:].sum(), low)
        )
        + shift
    )
    out = np.empty(len(heights))
    out[order] = moved
    return out


class Beside:
    """Position of a name: right of its Axes, at the height of the end of its line.

    It is shifted so that names do not overlap.

    Used as ``textcoords`` of an annotation. Matplotlib calls it at every drawing, so limits, layout
    and font size may change before.
    """

    def __init__(self, ax):
        self.ax = ax

    def __call__(self, renderer):
        from matplotlib.transforms import Affine2D

        names = list(names_beside(self.ax).values())
        box = self.ax.bbox
        heights = self.ax.transData.transform([name.xy for name in names])[:, 1]
        size = renderer.points_to_pixels(max(name.get_fontsize() for name in names))
        moved = spread(
            np.clip(heights, box.y0, box.y1), GAP * size, box.y0 + size / 2, box.y1 - size / 2
        )
        own = next(k for k, name in enumerate(names) if name.anncoords is self)
        return Affine2D().translate(box.x1 + LEADER * size, moved[own])


def names_beside(ax):
    """Return the names beside the lines of `ax`, a dict from text to annotation."""
    return {
        text.get_text(): text
        for text in ax.texts
        if isinstance(getattr(text, "anncoords", None), Beside)
    }


def beside(ax, ends, names, colours):
    """Write names right of `ax`, each linked to the end of its line.

    A name that exists already moves to the end further along the axis.

    ends : list of (x, y);  colours : of the leaders
    """
    there = names_beside(ax)
    for end, name, colour in zip(ends, map(str, names), colours, strict=True):
        if name not in there:
            leader = {
                "arrowstyle": "-",
                "color": colour,
                "linewidth": 0.6,
                "shrinkA": 0,
                "shrinkB": 0,
                "relpos": (0, 0.5),
            }
            there[name] = ax.annotate(
                name,
                end,
                (0, 0),
                textcoords=Beside(ax),
                fontsize="small",
                va="center",
                arrowprops=leader,
                parse_math=False,
                annotation_clip=False,
            )
        elif (end[0] > there[name].xy[0]) != ax.xaxis.get_inverted() and end[0] != there[name].xy[
            0
        ]:
            there[name].xy = end
            there[name].arrow_patch.set_color(colour)
    if there:
        _make_room(ax, there.values())


def _make_room(ax, names):
    """Shrink `ax` to make room for the names, as ``colorbar`` does.

    In figures without a layout engine.
    """
    from matplotlib.text import Text

    spec = ax.get_subplotspec()
    if spec is None or ax.figure.get_layout_engine() is not None:
        return
    cell = getattr(spec.get_gridspec(), "shared_cell", spec)
    place = cell.get_position(ax.figure)
    wide = (
        max(Text.get_window_extent(name).width for name in names)
        + 2 * letter() * ax.figure.dpi / 72
    )
    if cell.get_gridspec().ncols == 1:
        wide -= (1 - place.x1) * ax.figure.bbox.width
    part = min(wide / (place.width * ax.figure.bbox.width), 0.5)
    if part > 0:
        grid = cell.subgridspec(1, 2, width_ratios=(1 - part, part), wspace=0)
        grid.shared_cell = cell
        ax.set_subplotspec(grid[0])
