"""What the displays share: an Axes to draw on, colours, and names beside lines."""

import numpy as np

from coordboost.plots.path import COLOURS, REST, SMALL, STYLES, spread

__all__ = ["COLOURS", "REST", "SMALL", "axes", "beside", "look", "name_axes"]


class Display:
    """A picture that can be drawn again; a display says how in ``_draw(ax)``."""

    def plot(self, ax=None):
        """Draw on `ax`, a matplotlib Axes, or on one of a new figure; the display itself."""
        self.ax_ = axes(ax)
        self.figure_ = self.ax_.figure
        self._draw(self.ax_)
        return self


def axes(ax):
    """`ax`, or one of a new figure: pyplot's, so that a notebook shows it."""
    if ax is None:
        import matplotlib.pyplot as plt

        _, ax = plt.subplots(figsize=(6.4, 4.6), layout="constrained")
    return ax


def look(place):
    """Colour and line style of the line number `place`."""
    return {"color": COLOURS[place % len(COLOURS)], "linestyle": STYLES[(place // len(COLOURS)) % len(STYLES)]}


def room_for(ax, gap=1.3):
    """How many names fit below each other."""
    return max(1, int(_size(ax)[1] / (gap * SMALL * ax.figure.dpi / 72)))


def _size(ax):
    """Width and height in pixels; a layout that comes later changes them little."""
    box = ax.get_position()
    return box.width * ax.figure.bbox.width, box.height * ax.figure.bbox.height


def beside(ax, ends, names, colours):
    """Names right of the ends of lines, moved apart, inside the Axes: room is made on the right.

    ends : list of (x, y);  colours : of the leaders
    """
    if not names:
        return
    width, height = _size(ax)
    left, right = ax.get_xlim()
    log = ax.get_xscale() == "log"
    forth, back = (np.log10, lambda x: 10.0**x) if log else (float, float)
    longest = (max(map(len, names)) + 2) * 0.6 * SMALL * ax.figure.dpi / 72
    begin, stop = forth(left), forth(right)
    ax.set_xlim(left, back(begin + (stop - begin) / (1 - min(longest / width, 0.5) - 0.05)))
    ax.set_ylim(*ax.get_ylim())
    # in parts of the Axes from here on
    there = [tuple(ax.transAxes.inverted().transform(ax.transData.transform(end))) for end in ends]
    gap, edge = 1.3 * SMALL * ax.figure.dpi / 72 / height, there[0][0]
    moved = spread([y for _, y in there], gap, gap / 2, 1 - gap / 2)
    for (x, y), up, name, colour in zip(there, moved, names, colours, strict=True):
        ax.plot([x, edge + 0.01, edge + 0.035], [y, y, up], color=colour, linewidth=0.6, transform=ax.transAxes)
        ax.text(edge + 0.042, up, name, fontsize=SMALL, va="center", color="#222222", transform=ax.transAxes)


def name_axes(ax, x, y, title=""):
    """Words at the axes."""
    ax.set_xlabel(x, fontsize=SMALL + 1)
    ax.set_ylabel(y, fontsize=SMALL + 1)
    ax.set_title(title, fontsize=SMALL + 1)
    ax.tick_params(labelsize=SMALL)
