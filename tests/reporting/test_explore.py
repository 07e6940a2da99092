"""Pictures with a slider: one frame for each value, on a page and in a window."""

import base64
import re

import matplotlib
import matplotlib.figure
import numpy as np
import pytest
from sklearn.datasets import load_diabetes

import coordboost as cb

matplotlib.use("agg")
X, Y = load_diabetes(return_X_y=True, scaled=False)


def draw_powers(figure, power):
    figure.subplots().plot(np.arange(5.0) ** power)


def test_a_page_has_a_frame_for_each_value_and_shows_the_first():
    page = cb.plots.Explorer(draw_powers, [1, 2, 3], "power").to_html()
    frames = re.findall(r'base64,([^"]+)" alt="([^"]+)"( hidden)?', page)
    assert [name for _, name, _ in frames] == ["power = 1", "power = 2", "power = 3"]
    assert [bool(hidden) for *_, hidden in frames] == [False, True, True]
    pictures = {base64.b64decode(frame) for frame, *_ in frames}
    assert len(pictures) == 3 and all(b"<svg" in picture for picture in pictures)
    assert 'min="0" max="2" value="0"' in page and "<output>power = 1</output>" in page


def test_a_page_is_the_same_each_time_and_escapes_words():
    explorer = cb.plots.Explorer(draw_powers, ["1"], '<b "x">')
    explorer.draw = lambda figure, value: draw_powers(figure, int(value))
    assert explorer.to_html() == explorer._repr_html_()
    assert "<b" not in explorer.to_html() and "&lt;b &quot;x&quot;&gt; = 1" in explorer.to_html()


def test_the_slider_of_a_window_draws_the_value_that_it_is_moved_to():
    explorer = cb.plots.Explorer(draw_powers, [1, 2, 3], "power", start=1)
    figure = explorer.show()
    picture = figure.subfigs[0]
    assert picture.axes[0].lines[0].get_ydata()[-1] == 16
    explorer.slider_.set_val(2)
    assert len(picture.axes) == 1 and picture.axes[0].lines[0].get_ydata()[-1] == 64
    assert explorer.slider_.valtext.get_text() == "3"
    matplotlib.pyplot.close(figure)


def test_explore_draws_the_path_beside_the_lasso_and_the_gap():
    explorer = cb.plots.explore(cb.Problem(X, Y), values=[50.0, 5.0], n_steps=200)
    figure = matplotlib.figure.Figure()
    explorer.draw(figure, 5.0)
    left, right = figure.axes
    lasso, run = (
        sum(abs(line.get_ydata()[-1]) for line in lines)
        for lines in (left.lines[:10], left.lines[10:20])
    )
    assert lasso > run > 0
    gaps = right.lines[0].get_ydata()
    assert gaps[-1] < gaps[0]
    assert left.get_title() == "eps = 5"


def test_step_lengths_follow_the_scale_of_the_target():
    some = cb.plots.explore(cb.Problem(X, Y)).values
    assert cb.plots.explore(cb.Problem(X, 1000 * Y)).values == pytest.approx(
        [1000 * value for value in some], rel=1e-9
    )
    assert sorted(some, reverse=True) == some


def test_other_losses_have_the_lasso_too_and_say_that_the_gap_is_coarse():
    labels = np.where(np.median(Y) < Y, 1.0, -1.0)
    problem = cb.Problem(X, labels, cb.losses.Logistic())
    figure = matplotlib.figure.Figure()
    cb.plots.explore(problem, values=[0.5], n_steps=50).draw(figure, 0.5)
    left, right = figure.axes
    assert sum(line.get_linewidth() == 3 for line in left.lines) == 10
    assert "infimum" in right.get_title()


def test_losses_that_are_not_convex_have_no_grey_path():
    figure = matplotlib.figure.Figure()
    problem = cb.Problem(X, Y / 50, cb.losses.Welsch())
    cb.plots.explore(problem, values=[0.5], n_steps=50).draw(figure, 0.5)
    assert all(line.get_linewidth() < 3 for line in figure.axes[0].lines)


def test_values_suit_the_method():
    """Learning rates where the method takes no step lengths; what it refuses is refused at once."""
    slider = cb.plots.explore(cb.Problem(X, Y), cb.ls_boost, n_steps=20)
    assert max(slider.values) == 1.0
    assert slider.to_html().count("<img") == len(slider.values)
    with pytest.raises(ValueError, match="eps must be"):
        cb.plots.explore(cb.Problem(X, Y), cb.ls_boost, [0.1, 3.0])


def test_what_cannot_be_explored_is_refused():
    with pytest.raises(ValueError, match="at least one value"):
        cb.plots.Explorer(draw_powers, [], "power")
    with pytest.raises(ValueError, match="explore needs an explicit dictionary"):
        cb.plots.explore(cb.Problem(cb.data.trees(X, max_depth=2), Y))
