"""A picture for each of some values, with a slider: a window of its own, or frames on a page."""

import base64
import html
from collections.abc import Callable, Sequence
from io import BytesIO
from typing import Any

from coordboost._utils.checks import function, items_of, positive, shown
from coordboost.data import validation
from coordboost.data.problem import Problem
from coordboost.engine.run import solve
from coordboost.lasso.homotopy.homotopy import exact_path
from coordboost.lasso.path import lasso_path
from coordboost.methods.named import forward_stagewise
from coordboost.reporting.plots.gaps import GapDisplay
from coordboost.rules.method import checked_method

#: Shows the frame that the slider is at, and its value beside the slider.
MOVE = (
    "const page = this.parentElement.parentElement; const frames = page.querySelectorAll('img');"
    "frames.forEach((frame, k) => frame.hidden = k != this.value);"
    "const shown = frames[this.value].alt;"
    "page.querySelector('output').textContent = shown;"
    "this.setAttribute('aria-valuetext', shown)"
)
#: Values of a default exploration: step lengths, as parts of the largest correlation; learning
#: rates, for methods that take no such lengths; the index of the first that is shown.
PARTS = (0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005)
RATES = (1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01)
FIRST = 3


class Explorer:
    """A picture that depends on one value, and a slider for that value.

    In a script, ``show()`` opens a window with matplotlib's slider. A notebook shows one frame for
    each value, and a slider that needs no running kernel; so does ``to_html()``.

    Parameters
    ----------
    draw : callable
        ``draw(figure, value)`` draws into an empty Figure or SubFigure of matplotlib.
    values : sequence
        What the slider goes through.
    label : str
        What the values are.
    start : int, default 0
        The index of the first value to show.
    figsize : tuple of float, default (8, 4)
        Width and height of a frame, in inches.

    Attributes
    ----------
    slider_ : matplotlib.widgets.Slider
        After ``show``.

    Raises
    ------
    ValueError
        If `draw` is no function, or there are no values.

    Examples
    --------
    >>> import coordboost as cb
    >>> def draw(figure, power):
    ...     figure.subplots().plot(range(10), [x**power for x in range(10)])
    >>> powers = cb.plots.Explorer(draw, [1, 2, 3], "power")
    >>> powers.to_html().count("<img")
    3
    """

    def __init__(
        self,
        draw: Callable[[Any, Any], Any],
        values: Sequence[Any],
        label: str,
        start: int = 0,
        figsize: tuple[float, float] = (8, 4),
    ) -> None:
        self.draw = function("draw", draw, "a function draw(figure, value)")
        self.values = items_of("values", values, "a sequence, what the slider goes through")
        if not self.values:
            raise ValueError("values is empty: give the slider at least one value.")
        self.label = _text(label)
        self.start = validation.whole("start", start, 0, len(self.values))
        width, height = validation.vector("figsize", figsize, 2, "side of the picture")
        self.figsize = positive("figsize", float(width)), positive("figsize", float(height))

    def show(self) -> Any:
        """Open the picture with its slider.

        Returns
        -------
        matplotlib.figure.Figure
            The window.
        """
        import matplotlib.pyplot as plt
        from matplotlib.widgets import Slider

        width, height = self.figsize
        figure = plt.figure(figsize=(width, height + 0.5), layout="constrained")
        parts: Any = figure.subfigures(2, 1, height_ratios=(height, 0.5))
        picture, control = parts
        last = len(self.values) - 1
        slider = Slider(control.add_subplot(), self.label, 0, last, valinit=self.start, valstep=1)

        def move(place: float) -> None:
            value = self.values[int(place)]
            slider.valtext.set_text(_as_text(value))
            picture.clear()
            self.draw(picture, value)
            figure.canvas.draw_idle()

        move(self.start)
        slider.on_changed(move)
        self.slider_ = slider
        plt.show(block=False)
        return figure

    def frame(self, k: int) -> bytes:
        """The picture for one value.

        Parameters
        ----------
        k : int
            The index of the value.

        Returns
        -------
        bytes
            A file in the format SVG.
        """
        from matplotlib import rc_context
        from matplotlib.figure import Figure

        figure = Figure(figsize=self.figsize, layout="constrained")
        self.draw(figure, self.values[k])
        file = BytesIO()
        with rc_context({"svg.hashsalt": "explorer"}):  # the same bytes each time
            figure.savefig(file, format="svg", metadata={"Date": None})
        return file.getvalue()

    def to_html(self) -> str:
        """All frames and a slider, as HTML that needs nothing else.

        Returns
        -------
        str
            A ``<figure>``. *Cost*: one picture for each value.
        """
        frames = []
        for k, value in enumerate(self.values):
            picture = base64.b64encode(self.frame(k)).decode("ascii")
            name = html.escape(f"{self.label} = {_as_text(value)}", quote=True)
            hidden = "" if k == self.start else " hidden"
            frames.append(
                f'<img src="data:image/svg+xml;base64,{picture}" alt="{name}"{hidden} '
                'style="max-width: 100%">'
            )
        shown = html.escape(f"{self.label} = {_as_text(self.values[self.start])}", quote=True)
        name = html.escape(self.label, quote=True)
        return (
            '<figure class="explorer"><div><input type="range" style="width: 60%" min="0" '
            f'max="{len(frames) - 1}" value="{self.start}" oninput="{MOVE}" '
            f'aria-label="{name}" aria-valuetext="{shown}"> <output>{shown}</output></div>'
            + "".join(frames)
            + "</figure>"
        )

    def _repr_html_(self) -> str:
        return self.to_html()


def explore(
    problem: Problem,
    method: Callable[[float], Any] = forward_stagewise,
    values: Sequence[float] | None = None,
    *,
    label: str = "eps",
    n_steps: int = 2000,
) -> Explorer:
    """Return a slider over one parameter of a method: the path of its run, and the gap.

    The path of the Lasso is drawn in thick grey lines: exactly for the squared loss, on a grid of
    penalties for other convex losses.

    Parameters
    ----------
    problem : Problem
        With countable learners.
    method : callable, default ``forward_stagewise``
        ``method(value)`` returns the method.
    values : sequence of float, optional
        Of the parameter. Default: 0.5 to 0.005 times the largest correlation at the start, the step
        lengths of forward stagewise; for a method that refuses these, as ``ls_boost`` does, the
        learning rates 1 to 0.01.
    label : str
        Name of the parameter.
    n_steps : int
        Length of the runs, one for each value.

    Returns
    -------
    Explorer
        Call ``show()`` for a window; in a notebook it shows itself.

    Raises
    ------
    ValueError
        For invalid input, values that the method refuses, and learners that are not countable.

    Examples
    --------
    >>> import coordboost as cb
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True, scaled=False)
    >>> slider = cb.plots.explore(cb.Problem(X, y), n_steps=100)
    >>> len(slider.values)
    7
    """
    if not isinstance(problem, Problem):
        raise ValueError(f"problem must be a Problem, got {shown(problem)}.")
    validation.countable("explore", problem)
    function("method", method, "a function that returns a method for a value")
    n_steps = validation.whole("n_steps", n_steps, 1)
    start = 0
    if values is None:
        start = FIRST
        values = [float(f"{part * problem.start_size:.2g}") for part in PARTS]
        values = values if _takes(method, values) else RATES
    values = validation.numeric("values", values, 1).tolist()
    methods = {value: checked_method(method(value)) for value in values}
    lasso = _lasso(problem)

    def draw(figure: Any, value: float) -> None:
        run = solve(problem, methods[value], n_steps)
        left, right = figure.subplots(1, 2)
        if lasso is not None:
            lasso.plot(against="l1", ax=left, color="0.8", linewidth=3, n_labels=0, legend=False)
        run.plot(against="l1", ax=left, legend=False)
        left.set_title(f"{label} = {_as_text(value)}")
        gaps = GapDisplay.from_run(run, ax=right, legend=False)
        right.set_title(gaps.caution or "how far from the optimum, at most")

    return Explorer(draw, values, label, start)


def _takes(method: Callable[[float], Any], values: Sequence[float]) -> bool:
    """Whether a method takes all these values of its parameter."""
    try:
        return all(method(value) is not None for value in values)
    except ValueError:
        return False


def _lasso(problem: Problem) -> Any:
    """The path of the Lasso, None for a loss that is not convex."""
    if problem.loss.quadratic:
        return exact_path(problem)
    return lasso_path(problem) if problem.loss.convex else None


def _as_text(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _text(label: Any) -> str:
    if not isinstance(label, str):
        raise ValueError(f"label must be text, the name of the values, got {shown(label)}.")
    return label
