"""Plots of minimal cosine angles: what is drawn equals the geometry recomputed here."""

from itertools import combinations

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy.spatial import ConvexHull

import coordboost as cb

plt.switch_backend("Agg")
RNG = np.random.default_rng(3)
P = cb.plots
SOLID = {"subplot_kw": {"projection": "3d"}}


def unit(B):
    return B / np.linalg.norm(B, axis=0)


@pytest.mark.parametrize("rank", [2, 3])
def test_the_ball_touches_the_hull_in_the_reported_direction(rank):
    B = unit(RNG.normal(size=(rank, 6)))
    display = P.AngleDisplay.from_learners(B, ax=Figure().subplots(**(SOLID if rank == 3 else {})))
    both = np.hstack([B, -B]).T
    known = ConvexHull(both)
    assert np.allclose(display.learners, B)
    assert np.allclose(np.sort(display.hull, axis=0), np.sort(both[known.vertices], axis=0))
    assert -known.equations[:, -1].max() == pytest.approx(display.angle.upper)
    assert np.abs(B.T @ display.direction).max() == pytest.approx(
        display.angle.upper * np.linalg.norm(display.direction)
    )
    across, *rest = display.lines_
    end = np.transpose(across.get_data_3d() if rank == 3 else across.get_data())[1]
    assert np.linalg.norm(end) == pytest.approx(1) and end @ display.direction == pytest.approx(
        np.linalg.norm(display.direction)
    )
    assert len(rest) == (0 if rank == 3 else 2) and display.ax_.get_legend() is not None


def test_the_support_function_of_the_hull_is_the_norm_of_a_random_rule():
    B = unit(RNG.normal(size=(2, 5)))
    display = P.AngleDisplay.from_learners(
        B, cb.rules.RandomSubset(2), ax=Figure().subplots(), legend=False
    )
    for c in RNG.normal(size=(20, 2)):
        known = np.mean(
            [np.abs(B[:, list(pair)].T @ c).max() for pair in combinations(range(5), 2)]
        )
        assert (display.hull @ c).max() == pytest.approx(known)
    assert display.ax_.get_legend() is None


def test_learners_of_many_samples_are_drawn_in_their_range():
    B = RNG.normal(size=(9, 2)) @ RNG.normal(size=(2, 4))
    display = P.AngleDisplay.from_learners(B)
    assert np.allclose(display.learners.T @ display.learners, unit(B).T @ unit(B))
    assert (
        "range" in display.ax_.get_xlabel()
        and display.ax_.get_title() == f"minimal cosine angle {display.angle.upper:.4g}"
    )
    again = display.plot(color="k")
    assert again is display and again.lines_[0].get_color() == "k"
    solid = P.AngleDisplay.from_learners(RNG.normal(size=(3, 4)))
    assert solid.ax_.get_zlabel() == "sample 2"
    plt.close("all")


def test_stumps_of_one_feature_have_a_formula():
    """The exact angle, from all sign vectors, equals the formula of docs/geometry.md for up to 12
    learners.
    """
    counts = range(1, 13)
    stumps = [
        cb.Problem(cb.data.stumps(np.arange(k + 1)[:, None]), np.arange(k + 1)) for k in counts
    ]
    display = P.AngleCurveDisplay.from_learners(
        stumps[::-1], label="stumps", ax=Figure().subplots()
    )
    assert list(display.n_learners) == [*counts]
    known = [k**2 - 1 if k % 2 == 0 else k**2 + (k - 1) / 2 for k in counts]
    assert [angle.upper**-2 for angle in display.angles] == pytest.approx(known)
    assert (
        np.allclose(display.lines_[0].get_ydata(), np.power(known, -0.5))
        and not display.ax_.collections
    )


def test_intervals_are_bands():
    many = [RNG.normal(size=(12, k)) for k in (14, 30)]
    display = P.AngleCurveDisplay.from_learners(many, ax=Figure().subplots())
    assert all(angle.lower < angle.upper * (1 - 1e-6) for angle in display.angles)
    (band,) = display.ax_.collections
    corners = band.get_paths()[0].vertices
    for k, angle in zip((14, 30), display.angles, strict=True):
        assert {angle.lower, angle.upper} <= set(corners[corners[:, 0] == k, 1])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: P.AngleDisplay.from_learners(np.eye(4)), "they span 4"),
        (lambda: P.AngleDisplay.from_learners([[1.0], [2]]), "they span 1"),
        (
            lambda: P.AngleDisplay.from_learners(np.eye(3), ax=Figure().subplots()),
            'projection="3d"',
        ),
        (
            lambda: P.AngleDisplay.from_learners(np.eye(2), ax=Figure().subplots(**SOLID)),
            "an Axes of 2 dimensions",
        ),
        (
            lambda: P.AngleDisplay.from_learners(np.eye(2), ax=Figure().subplots(), colour="k"),
            "no option",
        ),
        (lambda: P.AngleCurveDisplay.from_learners([]), "at least"),
        (lambda: P.AngleCurveDisplay.from_learners("ab"), "a list of problems"),
        (lambda: P.AngleCurveDisplay.from_learners([3]), "B must have 2"),
    ],
)
def test_what_cannot_be_drawn_is_refused_in_a_sentence(call, words):
    with pytest.raises(ValueError, match=words):
        call()
