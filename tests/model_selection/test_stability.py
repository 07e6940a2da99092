"""Stability selection and bootstrap frequencies: orders of entry, frequencies by hand, bounds in
fractions.
"""

from fractions import Fraction

import numpy as np
import pytest
from matplotlib.figure import Figure
from refusal import case, refusals, refused
from sklearn.datasets import load_diabetes

import coordboost as cb

RNG = np.random.default_rng(2)
X = RNG.normal(size=(80, 12)) * np.arange(1, 13)
Y = X[:, 3] + X[:, 5] / 2 + RNG.normal(size=80)


def fs(X, y, weight):
    return cb.solve(cb.Problem(X, y, sample_weight=weight), cb.forward_stagewise(0.5), 60)


def stability(orders, n_columns):
    """The result of a stability selection with these orders of entry on the halves."""
    return type(cb.model_selection.stability_selection(fs, X, Y, n_pairs=1))(
        orders, n_columns, True
    )


@pytest.mark.filterwarnings("ignore::coordboost.data.ConstantColumnWarning")
def test_orders_of_entry():
    problem = cb.Problem(np.column_stack([np.ones(80), X]), Y)
    run = cb.solve(problem, cb.forward_stagewise(0.05), 2000)
    exact = cb.exact_path(problem)
    grid = cb.lasso_path(problem, n_alphas=2000, eps=1e-4)
    orders = [path.order_of_entry() for path in (run, exact, grid)]
    assert orders[0][:6].tolist() == orders[1][:6].tolist() == orders[2][:6].tolist()
    assert orders[1][0] in (4, 6) and sorted(orders[1]) == list(range(1, 13))


def test_frequencies_are_counts_of_halves():
    found = cb.model_selection.stability_selection(fs, X, Y, n_pairs=4, rng=1)
    rng = np.random.default_rng(1)
    counts = np.zeros(12)
    for _ in range(4):
        order = rng.permutation(80)
        for half in (order[:40], order[40:]):
            rows = np.sort(half)
            first = list(dict.fromkeys(fs(X[rows], Y[rows], None).path.learner.tolist()))[:3]
            counts[first] += 1
    np.testing.assert_array_equal(found.frequencies(3), counts / 8)
    np.testing.assert_array_equal(found.paths(3)[2], counts / 8)
    assert found.selected(3, 0.9).tolist() == np.flatnonzero(counts >= 7.2).tolist() and {
        3,
        5,
    } <= set(found.selected(3, 0.9))
    again = cb.model_selection.stability_selection(fs, X, Y, n_pairs=4, rng=1, n_threads=3)
    assert all((a == b).all() for a, b in zip(found.orders, again.orders, strict=True))


def test_bootstrap_draws_are_repeated_rows():
    found = cb.model_selection.bootstrap_frequencies(fs, X, Y, n_draws=3, rng=5)
    draw = np.random.default_rng(5).integers(0, 80, 80)
    repeated = fs(X[np.sort(draw)], Y[np.sort(draw)], None)
    assert found.orders[0].tolist() == repeated.order_of_entry().tolist()
    refused(lambda: found.bounds(3, 0.8), "the bounds hold only for pairs of halves")


@pytest.mark.parametrize(
    ("threshold", "worst", "unimodal"),
    [
        (Fraction(3, 5), Fraction(125, 1000), 1 / (2 * (Fraction(1, 5) - Fraction(1, 100)))),
        (
            Fraction(9, 10),
            Fraction(125, 4000),
            4 * (Fraction(1, 10) + Fraction(1, 100)) / (1 + Fraction(1, 50)),
        ),
    ],
)
def test_bounds_in_fractions(threshold, worst, unimodal):
    """Fifty pairs, q = 5 of 1000 columns: q^2 / p = 1/40."""
    found = stability((np.arange(5),) * 100, 1000)
    bounds = found.bounds(5, float(threshold))
    assert (
        bounds["worst"]
        == pytest.approx(float(worst))
        == pytest.approx(0.025 / float(2 * threshold - 1))
    )
    assert bounds["unimodal"] == pytest.approx(float(unimodal / 40))


def test_the_bounds_hold_on_noise():
    """Pure noise: every selected column is an error; the mean number over 20 tables is below the
    bound.
    """
    errors = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        found = cb.model_selection.stability_selection(
            fs, rng.normal(size=(40, 30)), rng.normal(size=40), n_pairs=10, rng=seed
        )
        errors.append(len(found.selected(4, 0.6)))
    bounds = found.bounds(4, 0.6)
    assert np.mean(errors) <= bounds["unimodal"] <= bounds["worst"]
    assert np.isinf(found.bounds(4, 0.51)["unimodal"]) and np.isinf(
        found.bounds(20, 0.9)["unimodal"]
    )


test_what_is_refused = refusals(
    case(
        "pairs",
        lambda: cb.model_selection.stability_selection(fs, X, Y, n_pairs=0),
        "n_pairs must be a whole number >= 1",
    ),
    case(
        "threshold",
        lambda: stability((np.arange(3),), 9).bounds(2, 0.5),
        "threshold must be above 1/2",
    ),
    *(
        case(
            f"more than the columns, {verb}",
            lambda verb=verb, more=more: getattr(stability((np.arange(3),), 9), verb)(10, *more),
            "q must be at most 9, the number of columns, got 10",
        )
        for verb, more in (
            ("frequencies", ()),
            ("paths", ()),
            ("selected", (0.9,)),
            ("bounds", (0.9,)),
        )
    ),
    case(
        "threshold of a selection",
        lambda: stability((np.arange(3),), 9).selected(2, 1.5),
        "threshold must be above 0 and at most 1",
    ),
    case(
        "q", lambda: stability((np.arange(3),), 9).frequencies(0), "q must be a whole number >= 1"
    ),
)


def test_names_of_a_frame():
    """They are in the text and in the picture, whose ticks are shares and whole numbers."""
    X, y = load_diabetes(return_X_y=True, as_frame=True)

    def fit(X, y, weight):
        return cb.exact_path(cb.Problem(X, y, sample_weight=weight), max_knots=5)

    for draw, options in (
        (cb.model_selection.stability_selection, {"n_pairs": 3}),
        (cb.model_selection.bootstrap_frequencies, {"n_draws": 6}),
    ):
        found = draw(fit, X, y, **options)
        assert found.names == tuple(X.columns)
        assert "bmi" in repr(found) and "\n" not in repr(found) and len(repr(found)) < 120
        assert "x2" in repr(draw(fit, X.to_numpy(), y, **options))
        ax = cb.plots.StabilityDisplay.from_stability(found, 3, ax=Figure().subplots()).ax_
        assert {line.get_label() for line in ax.lines} >= {"bmi", "s5"}
        assert max(ax.get_yticks()) == 1 and min(ax.get_yticks()) == 0
        assert all(tick == int(tick) for tick in ax.get_xticks())
