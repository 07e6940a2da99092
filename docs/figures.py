"""All figures of the course and the gallery, for slides:
``python docs/figures.py FOLDER [svg|pdf|png] [--only WORD]``.
"""

import argparse
import runpy
from pathlib import Path

HERE = Path(__file__).parent


def draw(page, folder, kind="svg"):
    """Run one page and save its figures; their paths."""
    import matplotlib.pyplot as plt

    with plt.rc_context({"svg.fonttype": "none"}):  # words stay words
        runpy.run_path(str(page))
        paths = [
            folder
            / f"{page.relative_to(HERE).parts[0]}_{page.stem.removeprefix('plot_')}_{number}.{kind}"
            for number in plt.get_fignums()
        ]
        for number, path in zip(plt.get_fignums(), paths, strict=True):
            plt.figure(number).savefig(path)
    plt.close("all")
    return paths


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("agg")
    parser = argparse.ArgumentParser(description="Draw the figures of the course and the gallery.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("kind", nargs="?", default="svg", choices=["svg", "pdf", "png"])
    parser.add_argument(
        "--only", default="", metavar="WORD", help="pages with this in their name, as plot_3"
    )
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    for page in sorted([*HERE.glob("course/plot_*.py"), *HERE.glob("gallery/*/plot_*.py")]):
        if given.only in page.stem:
            print(*draw(page, given.folder, given.kind), sep="\n")
