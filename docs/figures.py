"""All pictures of the course and the gallery, for slides:
``python docs/figures.py FOLDER [svg|pdf|png] [--only WORD]``.

A figure becomes a file of the chosen kind, an animation a GIF, and a slider a page in HTML that
holds all its pictures and needs nothing else.
"""

import argparse
import ast
from pathlib import Path

HERE = Path(__file__).parent
#: Around a slider, so that it is a page of its own.
PAGE = '<!DOCTYPE html>\n<html lang="en"><meta charset="utf-8"><title>{}</title>\n{}\n</html>\n'


def run(page):
    """Run one page, as the site does: its variables, and the values of the expressions that stand
    alone.
    """
    variables = {"__name__": "__main__"}
    shown = []
    for statement in ast.parse(page.read_text(encoding="utf-8"), str(page)).body:
        if isinstance(statement, ast.Expr):
            expression = compile(ast.Expression(statement.value), str(page), "eval")
            shown.append(eval(expression, variables))
        else:
            exec(compile(ast.Module([statement], []), str(page), "exec"), variables)
    return variables, shown


def save(values, folder, name, kind="svg"):
    """Save the animations and sliders among some values, and all open figures; their paths."""
    import matplotlib.pyplot as plt
    from matplotlib.animation import Animation

    import coordboost

    values = {id(value): value for value in values}.values()  # each once
    paths = []
    sliders = [value for value in values if isinstance(value, coordboost.plots.Explorer)]
    for number, slider in enumerate(sliders, 1):
        paths.append(folder / f"{name}_slider_{number}.html")
        paths[-1].write_text(PAGE.format(name, slider.to_html()), encoding="utf-8")
    animations = [value for value in values if isinstance(value, Animation)]
    for number, animation in enumerate(animations, 1):
        paths.append(folder / f"{name}_animation_{number}.gif")
        animation.save(paths[-1], writer="pillow", dpi=80)
        plt.close(animation._fig)
    with plt.rc_context({"svg.fonttype": "none"}):  # words stay words
        for number in plt.get_fignums():
            paths.append(folder / f"{name}_{number}.{kind}")
            plt.figure(number).savefig(paths[-1])
    plt.close("all")
    return paths


def draw(page, folder, kind="svg"):
    """Run one page and save its pictures; their paths."""
    from matplotlib import rc_context

    name = f"{page.relative_to(HERE).parts[0]}_{page.stem.removeprefix('plot_')}"
    with rc_context():  # the settings of one page are not those of the next
        variables, shown = run(page)
        return save([*variables.values(), *shown], folder, name, kind)


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("agg")
    parser = argparse.ArgumentParser(description="Draw the pictures of the course and the gallery.")
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
