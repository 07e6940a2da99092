"""The Lasso path of 100 alphas at a certified gap: seconds of each package at its loosest setting
that reaches the target.

All are judged by the same number: the largest duality gap over the path, relative to the null loss,
computed here from the data and the returned coefficients.
"""

import warnings
from functools import partial

import numpy as np
import scipy.sparse

from verification.benchmarks.data import ar1, real, sparse_normal, with_products
from verification.benchmarks.harness import Contestant, compete, ratios, reason, wanted
from verification.benchmarks.lasso_peers import PEERS, Grid, ours
from verification.benchmarks.search import Search

N_ALPHAS = 100
TARGETS = (1e-3, 1e-6)  # loosest first: the runs of its search serve the next target, too


def standardised(X, y):
    """Return what every contestant is given: X with unit columns, centred and in Fortran order if
    dense, and y of unit norm.
    """
    X = scipy.sparse.csc_array(X) if scipy.sparse.issparse(X) else X - X.mean(axis=0)
    norms = (
        np.sqrt(X.multiply(X).sum(axis=0))
        if scipy.sparse.issparse(X)
        else np.linalg.norm(X, axis=0)
    )
    kept = np.flatnonzero(norms > 0)
    X = X[:, kept] * (1 / norms[kept])[None, :]
    return csc32(X) if scipy.sparse.issparse(X) else np.asfortranarray(X), y / np.linalg.norm(y)


def csc32(X):
    """Return X as a CSC matrix with 32-bit indices: celer, skglm and adelie accept no others."""
    X = scipy.sparse.csc_matrix(X)
    X.sort_indices()
    return scipy.sparse.csc_matrix((X.data, np.int32(X.indices), np.int32(X.indptr)), shape=X.shape)


def grid_of(X, y, eps, n_alphas=N_ALPHAS, limit=120.0):
    """Return the `Grid` of the standardised data: alphas from the smallest one with an empty model
    (alpha_max) down to eps times it.
    """
    X, y = standardised(X, y)
    return Grid(X, y, np.geomspace(1.0, eps, n_alphas) * np.abs(X.T @ y).max() / len(y), limit)


def worst_gap(X, y, alphas, coefs, intercept=False):
    """Return the largest duality gap over the path, relative to ||y||^2 / 2.

    For an unpenalised intercept, y and columns are centred.
    """
    coefs = coefs.toarray() if scipy.sparse.issparse(coefs) else coefs
    resid = y[:, None] - X @ coefs
    if intercept:
        y = y - y.mean()
        resid = resid - resid.mean(axis=0)
    corr = np.abs(X.T @ resid).max(axis=0)
    lam = alphas * len(y)
    scale = np.minimum(1.0, lam / np.maximum(corr, 1e-300))
    primal = (resid**2).sum(axis=0) / 2 + lam * np.abs(coefs).sum(axis=0)
    dual = scale * (y @ resid) - scale**2 * (resid**2).sum(axis=0) / 2
    return float((primal - dual).max() / (y @ y / 2))


def searches(grid, peers=PEERS):
    """Yield (peer, search for its setting) for all peers that accept such data."""
    for peer in peers:
        if peer.fits(grid.X):
            ladder = partial(peer.ladder, grid) if callable(peer.ladder) else peer.ladder
            judge = partial(worst_gap, grid.X, grid.y, grid.alphas)
            yield peer, Search(partial(peer.solve, grid), judge, ladder, peer.start, grid.limit)


def contestant(peer, search, target):
    """Return a peer at its loosest setting for the target.

    If there is none, a contestant whose note has the reason.
    """
    try:
        setting = search.loosest(target)
    except Exception as error:  # not installed, too slow, or fails on this problem
        return Contestant(peer.name, None, note=reason(error))
    note = f"{peer.setting} {setting:g}" if peer.setting else ""
    return Contestant(peer.name, lambda: search.solve(setting), note=note)


def path(name, grid, entries, target, rounds=None):
    """Return one table: the whole path at the certified relative gap `target`, for our path and the
    `entries` of `searches`.
    """
    contestants = [Contestant("coordboost", lambda: ours(grid, target))]
    contestants += [contestant(peer, search, target) for peer, search in entries]
    table = compete(
        contestants, lambda coefs: {"gap": worst_gap(grid.X, grid.y, grid.alphas, coefs)}, rounds
    )
    summary = ratios(table, "coordboost", fair=lambda row: row["gap"] <= target)
    eps = float(f"{grid.alphas[-1] / grid.alphas[0]:.6g}")
    return {
        "name": name,
        "unit": "path",
        "eps": eps,
        "target": target,
        "shape": list(grid.X.shape),
        **summary,
        "rows": table,
    }


DESIGNS = {
    "leukemia": lambda: real("leukemia"),
    "colon-cancer": lambda: real("colon-cancer"),
    "tall 10,000 x 500": lambda: ar1(10_000, 500, snr=5.0),
    "higgs_subset, all products": lambda: with_products(real("higgs_subset")),
    "wide 1,000 x 10,000": lambda: ar1(1_000, 10_000, snr=5.0),
    "rcv1_small, sparse": lambda: real("rcv1_small"),
    "sparse 20,000 x 50,000": lambda: sparse_normal(20_000, 50_000),
}
QUICK = ("leukemia", "colon-cancer")


def designs(quick, only=()):
    """Yield (name, (X, y)) of every requested design whose data are available."""
    for name, make in DESIGNS.items():
        if wanted(name, only) and (name in QUICK or not quick):
            data = make()
            if data is not None:
                yield name, data


def tables(quick=False, only=(), limit=120.0):
    """Yield the tables, smallest first."""
    # peers warn of tolerances that they do not reach; the column of gaps shows it
    warnings.simplefilter("ignore")
    for name, (X, y) in designs(quick, only):
        for eps in (1e-2, 1e-3):
            grid = grid_of(X, y, eps, limit=limit)
            entries = list(searches(grid))
            for target in TARGETS:
                yield path(name, grid, entries, target)
