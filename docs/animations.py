"""Animations of examples as GIFs: they play from the disk, without a script and without a
network.
"""

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.animation import Animation
from sphinx_gallery.scrapers import figure_rst


def as_gif(block: Any, variables: dict[str, Any], settings: Any) -> str:
    """Save the animations that stand in variables of an example, and close their figures; the
    scraper of matplotlib takes the others.
    """
    files = []
    for animation in variables["example_globals"].values():
        if isinstance(animation, Animation) and plt.fignum_exists(animation._fig.number):
            files.append(Path(next(variables["image_path_iterator"])).with_suffix(".gif"))
            animation.save(files[-1], writer="pillow", dpi=80)
            plt.close(animation._fig)
    return figure_rst(files, settings["src_dir"]) if files else ""
