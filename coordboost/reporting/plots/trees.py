"""Display of one tree: the root on the left, the leaves below each other on the right."""

import textwrap
from typing import Any, NamedTuple, Self

import numpy as np

from coordboost._utils.checks import shown
from coordboost.engine.result import StepPath
from coordboost.engine.run import Run
from coordboost.reporting.plots.drawing import (
    COLOURS,
    Display,
    drawn_from,
    letter,
    name_axes,
)

#: Height from one leaf to the next: room for the two lines of a leaf and its frame. All lengths
#: here are in font sizes.
PITCH = 3.6
#: Distance from the boxes of one depth to the next: room for the word "missing" at an edge.
GAP = 6.5
#: Distance from the right end of the boxes of one depth to the bend of the edges to their children.
TURN = 1.2
#: Distance between the text of a box and its frame.
PAD = 0.3
#: Maximum number of letters in a line of a split, and of lines; the replacement for letters that
#: are cut.
WIDEST, LINES, MORE = 26, 2, " ..."


class Node(NamedTuple):
    """A node of the picture.

    words : list of str, the lines of its box
    leaf : bool
    depth : int
    height : float, vertical position: leaves are at 0, 1, ..., splits midway between their children
    parent : int, -1 for the root
    edge : str, "yes" or "no", the branch of its parent
    missing : bool, whether missing values come here
    """

    words: list
    leaf: bool
    depth: int
    height: float
    parent: int = -1
    edge: str = ""
    missing: bool = False


def lines_of(split):
    """Return the text of a ``Split`` as lines.

    If it is too long, the middle of the name is cut rather than the condition.
    """
    lines = textwrap.wrap(
        f"{split.name} {split.condition}", WIDEST, max_lines=LINES, placeholder=MORE
    )
    if not lines[-1].endswith(MORE) or len(split.name) <= WIDEST:
        return lines
    begin = (WIDEST - len(MORE)) // 2
    short = split.name[:begin] + MORE + split.name[begin + len(MORE) - WIDEST :]
    return [short, *textwrap.wrap(split.condition, WIDEST, max_lines=LINES - 1, placeholder=MORE)]


def nodes_of(tree, splits):
    """Return the nodes to draw for a tree, a list.

    Each node comes before its children, the left subtree first.

    tree : Tree;  splits : list of Split, one for each node, None for a leaf
    """
    out = []
    heights = iter(range(tree.n_leaves))

    def visit(at, depth, *edge):
        place = len(out)
        samples = f"{tree.n_samples[at]:,} samples"
        out.append(None)
        if tree.feature[at] < 0:
            words = [f"{tree.values[tree.left[at]]:.6g}", samples]
            height = float(next(heights))
        else:
            left = tree.left[at]
            missing = splits[at].missing
            words = [*lines_of(splits[at]), samples, f"gain {tree.gain[at]:.3g}"]
            yes = visit(left, depth + 1, place, "yes", missing)
            height = (yes + visit(left + 1, depth + 1, place, "no", not missing)) / 2
        out[place] = Node(words, tree.feature[at] < 0, depth, height, *edge)
        return height

    visit(0, 0)
    return out


def width_of(words):
    """Return the width of a line of text, in font sizes."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    return text_to_path.get_text_width_height_descent(
        words, FontProperties(size=1.0), ismath=False
    )[0]


class TreeDisplay(Display):
    """A tree: splits with their training samples and gain, leaves with their value and samples.

    A sample takes the "yes" edge if the condition of the split holds; "missing" marks the edge for
    missing values. The font is as large as `ax` allows; without `ax`, the figure is as large as the
    tree.

    Parameters
    ----------
    nodes : list of Node
        The nodes, each before its children, the root first, as ``from_run`` makes them.
    title : str
        Title of the picture.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure of the picture
    lines_ : list of matplotlib Line2D, the edges
    boxes_ : list of matplotlib Text, one for each node

    Examples
    --------
    >>> import coordboost as cb
    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> run = cb.solve(cb.Problem(cb.data.trees(X, max_depth=2), y), cb.gbm(0.1), 1)
    >>> display = cb.plots.TreeDisplay.from_run(run, ax=Figure().subplots())
    >>> display.nodes[0].words
    ['s5 <= -0.00376118', '442 samples', 'gain 7.64e+05']
    """

    legend = False

    def __init__(self, nodes: list[Node], *, title: str = ""):
        self.nodes, self.title = nodes, title
        widths = np.zeros(1 + max(node.depth for node in nodes))
        for node in nodes:
            widths[node.depth] = max(widths[node.depth], 2 * PAD + max(map(width_of, node.words)))
        self._right = np.cumsum(widths + GAP) - GAP
        self._centre = self._right - widths / 2
        self._size = self._right[-1] + 2, PITCH * (sum(node.leaf for node in nodes) + 0.3)

    @classmethod
    @drawn_from("a tree of a run on cb.data.trees(X)", StepPath)
    def from_run(
        cls, run: Run, j: int = 0, *, title: str | None = None, ax: Any = None, **options: Any
    ) -> Self:
        """Draw tree number `j` of a run.

        Its leaf values are multiplied by the coefficient of the tree in the model.

        Parameters
        ----------
        run : Run, on ``trees(X)``
        j : int, default 0
        title : str, optional
            Default: the name of the tree.
        ax : matplotlib Axes, optional
        **options
            Keywords of the edges, as for ``plot``.

        Returns
        -------
        TreeDisplay

        Raises
        ------
        ValueError
            If the learners are no trees, or there is no tree `j`.
        """
        return cls._of(run, j, run.run.beta, title, ax, options)

    @classmethod
    @drawn_from("a tree of a fitted estimator with trees and one run", has=("run_", "_models"))
    def from_estimator(
        cls,
        estimator: Any,
        iteration: int = 1,
        *,
        title: str | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Draw the tree of an iteration of a fitted tree estimator that has one run.

        If an iteration has two trees, it is the first.

        For an estimator with a run for each class, use ``from_run`` with one of
        ``estimator.runs_``.

        Parameters
        ----------
        estimator : estimator
            A fitted tree estimator, such as ``RandomizedGBMRegressor``.
        iteration : int, default 1
            From 1 to the number of iterations of the model.
        title : str, optional
            Default: the iteration.
        ax : matplotlib Axes, optional
            Default: the Axes of a new figure.
        **options
            As for ``plot``: keywords of the edges, and ``legend``.

        Returns
        -------
        TreeDisplay
            The display, drawn.

        Raises
        ------
        ValueError
            If the model has no such iteration.
        """
        run = estimator.run_
        model = estimator._models[0]
        if not 1 <= iteration <= model.n_iter:
            raise ValueError(f"iteration must be from 1 to {model.n_iter}, got {shown(iteration)}.")
        j = int(run.path.learner[(iteration - 1) * model.steps])
        title = f"iteration {iteration}" if title is None else title
        return cls._of(run, j, model.beta, title, ax, options)

    @classmethod
    def _of(cls, run, j, beta, title, ax, options):
        bank = run.problem.dictionary
        if bank.tree is None:
            raise ValueError(
                "the learners of this run are not trees: make a run on cb.data.trees(X)."
            )
        if j not in range(len(beta)):
            raise ValueError(
                f"j must be the number of a tree, from 0 to {len(beta) - 1}, got {shown(j)}."
            )
        tree = bank.tree(j)
        nodes = nodes_of(tree._replace(values=beta[j] * tree.values), bank.splits(j))
        return cls(nodes, title=bank.name(j) if title is None else title).plot(ax, **options)

    def plot(self, ax=None, **line_kw):
        """Draw on `ax`, a matplotlib Axes, or on those of a new figure; return the display.

        A new figure is as large as the tree needs, with the font size of rcParams. `line_kw` are
        keywords of the edges.
        """
        if ax is None:
            import matplotlib.pyplot as plt

            size = letter() / 72
            width, height = (size * part for part in self._size)
            figure = plt.figure(figsize=(width, height + 3 * size))
            ax = figure.add_axes((0, 0, 1, height / (height + 3 * size)))
        return super().plot(ax, **line_kw)

    def _draw(self, ax, line_kw):
        box, (width, height) = ax.get_position(), self._size
        room = box.width * ax.figure.bbox.width / width, box.height * ax.figure.bbox.height / height
        self._font = min(letter(), min(room) * 72 / ax.figure.dpi)
        ax.set(xlim=(-1, width - 1), ylim=(height / PITCH - 0.65, -0.65))
        ax.set_axis_off()
        name_axes(ax, title=self.title, parse_math=False)
        self.boxes_ = [self._box(ax, node) for node in self.nodes]
        for node in self.nodes[1:]:
            self._edge(ax, node, line_kw)

    def _box(self, ax, node):
        """Draw the text of a node in a frame: blue for splits, orange for leaves."""
        frame = {
            "boxstyle": f"round,pad={PAD}",
            "facecolor": ax.figure.get_facecolor(),
            "linewidth": 0.9,
        }
        frame["edgecolor"] = COLOURS[int(node.leaf)]
        at = (self._centre[node.depth], node.height)
        words = "\n".join(node.words)
        return ax.text(
            *at, words, fontsize=self._font, ha="center", va="center", bbox=frame, parse_math=False
        )

    def _edge(self, ax, node, line_kw):
        """Draw the edge from the parent to a node, behind the boxes.

        It has its label and "missing".
        """
        parent = self.nodes[node.parent]
        turn = self._right[parent.depth] + TURN
        along = [self._centre[parent.depth], turn, turn, self._centre[node.depth]]
        self.lines_ += ax.plot(
            along,
            [parent.height] * 2 + [node.height] * 2,
            **{"color": "#888888", "linewidth": 0.8, "zorder": 1, **line_kw},
        )
        middle = (turn + self._right[parent.depth] + GAP) / 2
        for words, side, apart in (
            (node.edge, "bottom", -0.03),
            ("missing" if node.missing else "", "top", 0.03),
        ):
            ax.text(
                middle, node.height + apart, words, fontsize=0.9 * self._font, ha="center", va=side
            )
