"""The angle of an implicit dictionary: the least cosine over sampled vectors, recomputed in NumPy,
reported as an upper end only.
"""

import numpy as np
import pytest

import coordboost as cb
from coordboost.theory.sampled import sampled_mca

RNG = np.random.default_rng(2)
X = RNG.normal(size=(12, 2)).round(1)
Y = RNG.normal(size=12)
WEIGHT = RNG.integers(1, 4, 12).astype(float)


def naive(X, weight, c, n_steps):
    """The least cosine between the residuals of c and their best fit on two leaves, in the metric
    of the weights.
    """
    cosines = []
    for _ in range(n_steps):
        sides = [x <= cut for x in X.T for cut in np.unique(x)[:-1]]
        fits = [
            np.where(s, np.average(c[s], weights=weight[s]), np.average(c[~s], weights=weight[~s]))
            for s in sides
        ]
        best = max(fits, key=lambda fit: weight @ fit**2)
        cosines.append(np.sqrt(weight @ best**2 / (weight @ c**2)))
        c = c - best
    return min(cosines)


@pytest.mark.parametrize("weight", [np.ones(12), WEIGHT], ids=["equal", "weighted"])
def test_trees_of_depth_1_are_the_naive_splits(weight):
    problem = cb.Problem(cb.data.trees(X, max_depth=1), Y, sample_weight=weight)
    starts = RNG.normal(size=(3, 12))
    found = sampled_mca(problem, starts=starts, n_steps=8)
    assert found.lower == 0 and found.upper == pytest.approx(
        min(naive(X, weight, c, 8) for c in starts), rel=1e-12
    )
    # the direction is the vector times the roots of the weights, of length 1; one step from it
    # gives the same upper end
    assert np.linalg.norm(found.witness["direction"]) == pytest.approx(1, abs=1e-15)
    again = sampled_mca(problem, starts=found.witness["direction"] / np.sqrt(weight), n_steps=1)
    assert again.upper == pytest.approx(found.upper, rel=1e-12)
    assert "smallest cosine of 24 vectors; no lower bound is proved" in found.witness["method"]


def test_it_is_an_upper_end_of_known_angles():
    for learners in (cb.data.leaf_stumps(X), cb.data.stumps(X), np.eye(12)):
        problem = cb.Problem(learners, Y, center=False, scale=False)
        angle = cb.theory.mca(problem)
        sampled = sampled_mca(problem, rng=1)
        assert sampled.upper >= angle.lower - 1e-12
        at = sampled_mca(problem, starts=angle.witness["direction"], n_steps=1)
        assert at.upper == pytest.approx(angle.upper, rel=1e-9)
    # random signs are the worst vectors for the unit vectors
    assert sampled.upper == pytest.approx(12**-0.5, rel=1e-12)


def test_drawn_starts_are_in_the_range_of_the_learners():
    """Part of a vector outside the range is orthogonal to all learners: as the rest is fitted, the
    cosine would fall to 0.
    """
    B = np.linalg.qr(RNG.normal(size=(12, 2)))[0]
    problem = cb.Problem(B, Y, center=False, scale=False)
    # cosines with two orthonormal learners
    assert sampled_mca(problem, starts=9).upper > 2**-0.5 - 1e-12
    assert sampled_mca(problem, starts=RNG.normal(size=12)).upper < 0.1
    assert sampled_mca(problem, rng=1).upper == sampled_mca(problem, rng=1).upper


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"starts": 0}, "starts must be a whole number >= 1"),
        ({"starts": np.ones(5)}, r"finite vectors \(n_starts, 12\)"),
        (
            {"starts": np.full(12, np.nan)},
            r"starts must be finite numbers, got NaN or infinity \(first at index 0",
        ),
        ({"starts": ["one", "two"]}, "starts must hold real numbers"),
        ({"starts": np.zeros(12)}, "every start is 0"),
        ({"n_steps": 0}, "n_steps must be"),
    ],
)
def test_what_it_refuses(given, words):
    with pytest.raises(ValueError, match=words):
        sampled_mca(cb.Problem(X, Y), **given)
