"""Table 1 of SGLB with other packages: their settings give the algorithm of the table, and their
noise has the claimed variance.
"""

import numpy as np
import pytest
from reference_sets import needs_compiler

import coordboost as cb
from coordboost.theory.langevin import chain
from verification.experiments import sglb_peers
from verification.experiments.sglb_peers import EPS, GAMMA, PEERS, Setting, logistic, smoothed

N = 200
LOSSES = {logistic: cb.losses.Logistic(), smoothed: cb.losses.SmoothZeroOne(0.1)}


def levels(seed=0):
    """Two columns of six values each, so that every package has the same five bin borders, and
    labels.
    """
    rng = np.random.default_rng(seed)
    X = np.stack(
        [rng.permutation(np.arange(N) % 6), rng.permutation(np.arange(N) % 6)], axis=1
    ).astype(float)
    return X, np.where(X[:, 0] - X[:, 1] + 2 * rng.normal(size=N) > 0, 1.0, -1.0)


def ours(X, y, loss, method, n_trees):
    run = cb.solve(
        cb.Problem(cb.data.trees(X, max_depth=1, max_bins=6), y, loss, center=False),
        method,
        n_trees,
    )
    return chain(run, 10, every=10, X=X).values[0]


@pytest.mark.parametrize("slope", LOSSES, ids=lambda slope: slope.__name__)
def test_slopes_are_those_of_our_losses(slope):
    for y in (-1.0, 1.0):
        for f in (-800.0, -1.3, 0.0, 0.02, 2.5, 800.0):
            assert (
                abs(slope(np.array([y]), np.array([f]))[0] - LOSSES[slope].residual(y, f)) < 1e-14
            )


def test_only_installed_packages_run(monkeypatch):
    monkeypatch.setattr(
        sglb_peers.importlib.util, "find_spec", lambda name: name == "hessboost" or None
    )
    assert list(sglb_peers.present()) == ["hessboost"]


@pytest.mark.peers
@needs_compiler
@pytest.mark.parametrize("slope", LOSSES, ids=lambda slope: slope.__name__)
@pytest.mark.parametrize("name", PEERS)
def test_without_noise_they_make_our_trees(name, slope):
    pytest.importorskip(name.lower())
    X, y = levels()
    theirs = PEERS[name](X, y, X, Setting(slope), 0, 60)
    # single precision, numbers of size 1
    np.testing.assert_allclose(theirs, ours(X, y, LOSSES[slope], cb.sgb(EPS), 60), atol=1e-4)


@pytest.mark.peers
@needs_compiler
def test_their_shrinkage_is_ours_with_shrink_first():
    pytest.importorskip("hessboost")
    X, y = levels()
    theirs = sglb_peers.hessboost(X, y, X, Setting(logistic, beta=1e12 * N), 0, 200)
    expected = ours(
        X, y, cb.losses.Logistic(), cb.sglb(EPS, 1e12 * N, GAMMA, shrink_first=True), 200
    )
    # single precision, and noise of 4e-6 in each leaf
    np.testing.assert_allclose(theirs, expected, atol=1e-3)
    assert np.abs(theirs - ours(X, y, cb.losses.Logistic(), cb.sgb(EPS), 200)).max() > 5e-3


@pytest.mark.peers
@pytest.mark.parametrize(("name", "searched"), [("CatBoost", False), ("hessboost", True)])
def test_noise_of_leaves_and_of_the_search(name, searched):
    """beta = N T, zero gradients: the sum of ten trees has ten times the variance of a leaf, 2 EPS
    / (T n); noise in the search or not.
    """
    pytest.importorskip(name.lower())
    X = levels()[0]

    def flat(y, f):
        return 0.0 * f

    seeds = 400
    T = 100.0
    y = np.tile([-1.0, 1.0], N // 2)
    found = np.stack(
        [PEERS[name](X, y, X, Setting(flat, N * T), seed, 10)[0] for seed in range(seeds)]
    )
    variance = 10 * 2 * EPS / T * 2 / N  # over the rows, the mean of 1 / n for two leaves is 2 / N
    error = np.sqrt(2 / (2 * seeds))  # a run has the noise of at least two leaves
    assert abs(np.square(found).mean() / variance - 1) < 5 * error
    splits = [len(np.unique(row.round(7))) for row in found]
    assert min(splits) > 2 if searched else max(splits) == 2
