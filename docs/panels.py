"""Figures with panels in a row have a second picture for telephones, with the panels stacked.

The style sheet shows one of the two.
"""

from typing import Any

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

#: The width of stacked panels and the height of each, in inches.
WIDTH = 4.6
HEIGHT = 3.6
#: Classes of the pictures, in ``site.css``.
ROW, STACK = "panels-in-a-row", "panels-stacked"


def in_two_forms(block: Any, variables: dict[str, Any], settings: Any) -> str:
    """Save the figures of an example with panels in a row in both forms, and close them; the
    scraper of matplotlib takes the others.
    """
    from sphinx_gallery.scrapers import figure_rst

    images = []
    for number in plt.get_fignums():
        figure = plt.figure(number)
        if not in_a_row(figure):
            continue
        for form in (ROW, STACK):
            file = next(variables["image_path_iterator"])
            if form == STACK:
                stack(figure)
            figure.savefig(file)
            image = figure_rst([file], settings["src_dir"], figure.get_suptitle())
            images.append(image.replace("sphx-glr-single-img", form))
        plt.close(figure)
    return "".join(images)


def in_a_row(figure: Figure) -> bool:
    """Whether a figure is of several panels in one row, and nothing else."""
    specs = [panel.get_subplotspec() for panel in figure.axes]
    places = {spec.get_geometry() for spec in specs if spec is not None}
    are_apart = len(places) == len(specs) > 1
    return are_apart and all(place[0] == 1 for place in places) and not figure.legends


def stack(figure: Figure) -> None:
    """Put the panels of a figure below each other, each with the numbers on its axes."""
    panels = figure.axes
    rows = figure.add_gridspec(len(panels), 1)
    for panel, row in zip(panels, rows, strict=True):
        panel.set_subplotspec(row)
        if panel.get_shared_y_axes().joined(panel, panels[0]):
            panel.tick_params(labelleft=True)
            panel.set_ylabel(panels[0].get_ylabel())
    title = figure.get_suptitle()
    if title:
        figure.suptitle(title, wrap=True)
    figure.set_size_inches(WIDTH, HEIGHT * len(panels))
    figure.set_layout_engine("constrained")
