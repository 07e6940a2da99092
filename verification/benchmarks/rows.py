"""One row for each kind of work and size that people have, ours against the strongest peers.

The rows are data: a name, what makes the table of numbers, the task with its options, and the ratio
to reach. Gaps are judged by ``judge``, the same for all; runs are interleaved; the time is that of
the processor, on one thread; memory is the peak beyond the data. Rows that compare two neighbours,
tables or options that differ a little, show cliffs and growth: a factor above 2 is too much.

    python -m verification.benchmarks rows --section docs/performance.md
"""

import contextlib
import importlib
import multiprocessing
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from operator import attrgetter

import numpy as np
import scipy.sparse

from verification.benchmarks import glm_peers as glm
from verification.benchmarks import small_peers as small
from verification.benchmarks.data import ar1, real
from verification.benchmarks.harness import Contestant, compete, ratios, wanted
from verification.benchmarks.lasso import contestant
from verification.benchmarks.lasso_peers import Peer
from verification.benchmarks.search import Search
from verification.sets import Absent, read

TARGETS = (1e-3, 1e-6)
#: Rounds, unless all contestants together take more seconds than this.
ROUNDS, LONG = 3, 1.5
#: Short runs are repeated to fill so many seconds; a peer may take so many seconds at a tolerance.
SHORT, LIMIT = 0.05, 5.0
#: The training loss of a peer that makes the same steps may differ by this.
SAME = 1e-6
CPU = attrgetter("cpu")
PACKAGES = ("adelie", "glmnet", "sklearn.linear_model", "lightgbm", "xgboost", "catboost")
#: Ratio of neighbours that is too much.
CLIFF = 2.0
#: A peak of memory needs a reason if it is above twice the data and so many MB.
MODEST = 3.0
#: Parts of the names of such rows, and what fills their memory.
FILLED_BY = {
    "a9a": "columns by rows, too",
    "FS, rcv1": "Gram columns",
    "FS, 60 x": "Gram columns",
    "1,000,000 steps": "16 bytes a step",
    "two 0": "the exact path",
    "7,129": "100 dense models",
    "khan": "100 dense models",
    "Lasso, rcv1": "100 dense models",
    "Lasso, rho .9": "the exact path",
    "copies": "the exact path",
    "200 x 200": "the exact path",
    "500 x 300": "the exact path",
    "1,000 x 1,000": "the exact path",
}


@dataclass(frozen=True)
class Row:
    """A row of the page.

    name : str
    data : function without arguments that returns X and y, or raises ``Absent``
    task : function (row, X, y) that yields tables
    reach : ours / best peer that is wanted
    options : arguments of the task
    """

    name: str
    data: Callable
    task: Callable
    reach: float
    options: dict = field(default_factory=dict)


def labels(data):
    """Return X and labels 0 and 1, whether y is above its median."""
    X, y = data
    return X, (y > np.median(y)).astype(float)


def counts(data, seed=0):
    """Return X and counts whose logarithmic means follow y."""
    X, y = data
    mean = np.exp(0.5 * (y - y.mean()) / y.std())
    return X, np.random.default_rng(seed).poisson(mean).astype(float)


def classes(data, n_classes):
    """Return X and classes 0, 1, ... of equal size, cut out of y."""
    X, y = data
    return X, np.digitize(y, np.quantile(y, np.arange(1, n_classes) / n_classes))


def genes(n_samples=44, n_columns=7129, seed=0):
    """Return columns that share ten factors, as gene expressions do, and y; the shape is that of
    the duke breast cancer data.
    """
    rng = np.random.default_rng(seed)
    factors = rng.standard_normal((n_samples, 10))
    X = factors @ rng.standard_normal((10, n_columns)) + rng.standard_normal((n_samples, n_columns))
    return np.asfortranarray(X), factors[:, 0] + 0.5 * rng.standard_normal(n_samples)


def frequencies(n_samples=4601, n_columns=57, seed=0):
    """Return logarithms of skewed frequencies with many zeros, of variance 1, and y; the shape is
    that of the spam data.
    """
    rng = np.random.default_rng(seed)
    kind = rng.random(n_samples) < 0.4
    rate = rng.gamma(0.3, 1.0, (2, n_columns))
    present = rng.random((n_samples, n_columns)) < 0.3
    X = np.log1p(present * rng.exponential(rate[kind.astype(int)]))
    return np.asfortranarray((X - X.mean(axis=0)) / X.std(axis=0)), kind.astype(float)


def stored_sparse(name):
    """Return a real data set, X in CSC without empty columns, y of unit norm; raise ``Absent``."""
    data = real(name)
    if data is None:
        raise Absent(name)
    X, y = data
    return scipy.sparse.csc_matrix(X[:, np.flatnonzero(np.diff(X.indptr))]), y


def stored_labels(name):
    """Return a real data set with labels 0 and 1."""
    X, y = read(name)
    X = scipy.sparse.csc_matrix(X) if scipy.sparse.issparse(X) else np.asfortranarray(X)
    return X, (y > y.min()).astype(float)


def stored_classes(name):
    """Return a real data set with classes 0, 1, ..."""
    X, y = read(name)
    return np.asfortranarray(X), np.unique(y, return_inverse=True)[1]


def facts(row, X, unit="run", **more):
    """Return what every table says about its row."""
    size = X.data.nbytes + X.indices.nbytes if scipy.sparse.issparse(X) else X.nbytes
    return {
        "name": row.name,
        "unit": unit,
        "shape": list(X.shape),
        "reach": row.reach,
        "data_mb": size / 2**20,
        **more,
    }


def raced(contestants, judge):
    """Return the rows of contestants, in interleaved rounds: one where they take long."""
    return compete(contestants, judge, lambda seconds: ROUNDS if seconds < LONG else 1, short=SHORT)


def paths(row, X, y, *, peers, kind=glm.Path, ours=glm.ours, targets=TARGETS, **options):
    """Yield tables of the whole path at each target of the gap, all at their loosest settings that
    the judge accepts; ours begins with the target itself.
    """
    path = kind.of(X, y, **options)
    entries = [
        (peer, Search(partial(peer.solve, path), path.gap, peer.ladder, peer.start, LIMIT, CPU))
        for peer in peers
        if peer.fits(X)
    ]
    for target in targets:
        ladder = tuple(target / 10**k for k in range(3))
        own = Search(partial(ours, path), path.gap, ladder, limit=np.inf)
        contestants = [contestant(Peer("coordboost", ours), own, target)]
        contestants += [contestant(peer, search, target) for peer, search in entries]
        rows = raced(contestants, lambda coefs: {"gap": path.gap(coefs)})
        summary = ratios(rows, "coordboost", fair=lambda each, most=target: each["gap"] <= most)
        yield {**facts(row, X, "path", target=target), **summary, "rows": rows}


def runs(row, X, y, *, of, judge=None, work=1, **options):
    """Yield the table of runs that do the same work, `work` times in a row."""

    def repeated(run):
        return lambda: [run() for _ in range(work)][-1]

    contestants = [
        Contestant(name, repeated(run), work) for name, run in of(X, y, **options).items()
    ]
    rows = raced(contestants, judge(X, y) if judge else lambda result: {})
    most = (1 + SAME) * rows[0].get("loss", np.inf) + SAME if judge is small.loss_of else np.inf
    summary = ratios(rows, "coordboost", fair=lambda each: each.get("loss", 0) <= most)
    yield {**facts(row, X, **options), **summary, "rows": rows}


def neighbours(row, X, y, *, factor=1.0, of=small.cliff, **options):
    """Yield the table of a run and of its neighbour, `factor` times as small."""
    (table,) = runs(row, X, y, of=of, **options)
    hard, easy = (each.get("cpu") for each in table["rows"][:2])
    options = {"over_neighbour": hard / easy / factor, "most": CLIFF} if hard and easy else {}
    table = {key: value for key, value in table.items() if not callable(value)}
    yield {**table, **options}


def sizes(row, X, y):
    """Yield a table of bytes of pickles for each kind of model."""
    for kind, found in small.pickled(X, y).items():
        rows = [{"name": name, "bytes": size} for name, size in found.items()]
        summary = ratios(rows, "coordboost", key="bytes")
        yield {**facts(row, X, f"pickle of {kind}"), **summary, "rows": rows}


def plain(X, y):
    """Return the arguments of ``lasso_path``: the table as it is."""
    return X, y, {}


def with_copies(X, y, noise):
    """Return the columns twice, the second time with noise."""
    more = noise * np.random.default_rng(1).standard_normal(X.shape)
    return np.asfortranarray(np.hstack([X, X + more])), y, {}


def half_of_rows(X, y):
    """Return the first half of the rows."""
    return np.asfortranarray(X[: len(X) // 2]), y[: len(y) // 2], {}


def half_of_columns(X, y):
    """Return the first half of the columns."""
    return np.asfortranarray(X[:, : X.shape[1] // 2]), y, {}


def wide_limits(X, y):
    """Return the table with limits that never matter."""
    return X, y, {"lower_limits": -1e9, "upper_limits": 1e9}


def positive(X, y):
    """Return the table with coefficients that may not be negative."""
    return X, y, {"positive": True}


def longer_grid(X, y):
    """Return the table with a grid ten times as long."""
    return X, y, {"eps": 1e-3}


def factors(X, y, unpenalised):
    """Return the table with penalty factors of 1 to 3, 0 for the first `unpenalised` columns."""
    factor = np.linspace(1, 3, X.shape[1])
    factor[:unpenalised] = 0
    return X, y, {"penalty_factor": factor}


GLM = {"peers": (glm.ADELIE, glm.GLMNET), "loss": "logistic"}
POISSON = {"peers": (glm.ADELIE,), "loss": "poisson"}
LASSO = {"peers": (glm.LARS, glm.ENET_GRAM, glm.GRAM, glm.ADELIE, glm.GLMNET)}
CLOSE = {"peers": (glm.LARS, glm.ENET_GRAM), "ratio": 1e-3, "targets": (1e-6,)}
TALL = {"peers": (glm.GRAM, glm.ENET_GRAM)}
NET = {"peers": (glm.GLMNET, glm.ADELIE, glm.ENET), "l1_ratio": 0.5}
RIDGE = {"peers": (glm.EIGH,), "l1_ratio": 0.0, "targets": (1e-6,)}
CLASSES = {"peers": (glm.GLMNET_CLASSES,), "kind": glm.Classes, "ours": glm.our_classes}
STAGEWISE = {"of": small.stagewise, "judge": small.loss_of}
SOFTMAX = {"of": small.grown_softmax, "judge": small.log_loss_of}


def tall(n_samples, n_columns):
    """Return normal columns with many more rows."""
    X, y = ar1(n_samples, n_columns, n_active=min(10, n_columns))
    return np.asfortranarray(X), y


def close(n_samples, n_columns):
    """Return columns with correlations of 0.9 between neighbours."""
    X, y = ar1(n_samples, n_columns, rho=0.9, n_active=20)
    return np.asfortranarray(X), y


def grown(n_samples, n_columns):
    """Return rows for trees, in C order."""
    X, y = ar1(n_samples, n_columns, n_active=5)
    return np.ascontiguousarray(X), y / y.std()


PATHS = (
    Row("logistic path, 500 x 10", lambda: labels(tall(500, 10)), paths, 0.6, GLM),
    Row("logistic path, 44 x 7,129", lambda: labels(genes()), paths, 0.6, GLM),
    Row("logistic path, 4,601 x 57", frequencies, paths, 0.6, GLM),
    Row("logistic path, a9a", lambda: stored_labels("a9a"), paths, 0.6, GLM),
    Row("Poisson path, 5,000 x 200", lambda: counts(tall(5_000, 200)), paths, 0.6, POISSON),
    Row("multinomial path, khan", lambda: stored_classes("khan"), paths, 0.6, CLASSES),
    Row("Lasso, 8,192 x 252", lambda: tall(8_192, 252), paths, 0.9, LASSO),
    Row("Lasso, 100,000 x 100", lambda: tall(100_000, 100), paths, 0.9, TALL),
    Row("Lasso, 1,000,000 x 30", lambda: tall(1_000_000, 30), paths, 0.9, TALL),
    *(
        Row(
            f"Lasso, rho .9, default grid, {n:,} x {p}",
            partial(close, n, p),
            paths,
            0.9,
            CLOSE,
        )
        for n, p in ((500, 201), (1_000, 300), (2_000, 500))
    ),
    Row("Lasso, rcv1_small", lambda: stored_sparse("rcv1_small"), paths, 0.9, LASSO),
    Row("elastic net .5, 44 x 7,129", genes, paths, 0.9, NET),
    Row("ridge path, 44 x 7,129", genes, paths, 1.1, RIDGE),
    Row("ridge path, 8,192 x 252", lambda: tall(8_192, 252), paths, 1.1, RIDGE),
    Row("ridge path, 100,000 x 100", lambda: tall(100_000, 100), paths, 1.1, RIDGE),
)
STEPS = (
    *(
        Row(
            f"{'LS-Boost' if rate else 'FS'}, {n:,} x {p}, {n_steps:,} steps",
            partial(tall, n, p),
            runs,
            1.2,
            {**STAGEWISE, "n_steps": n_steps, "rate": rate},
        )
        for n, p, n_steps, rate in (
            (5_000, 8, 10_000, None),
            (5_000, 8, 1_000_000, None),
            (5_000, 8, 10_000, 0.01),
            (1_000, 200, 10_000, None),
            (1_000, 200, 1_000_000, None),
            (1_000, 200, 10_000, 0.01),
            (1_000_000, 20, 100_000, None),
        )
    ),
    *(
        Row(f"FS, {name}, 1,000 steps", data, runs, 0.9, {**STAGEWISE, "n_steps": 1_000})
        for name, data in (
            ("1,000 x 2,000", lambda: ar1(1_000, 2_000)),
            ("1,000 x 10,000", lambda: ar1(1_000, 10_000)),
            ("60 x 20,000", lambda: genes(60, 20_000)),
            ("rcv1_small", lambda: stored_sparse("rcv1_small")),
        )
    ),
)
TREES = (
    *(
        Row(
            f"predict, {n_rows:,} x {p}, 100 trees of depth {depth}",
            partial(grown, 20_000, p),
            runs,
            1.0 if n_rows == 1 else 0.3,
            {
                "of": small.predicted,
                "depth": depth,
                "n_rows": n_rows,
                "work": 100 if n_rows == 1 else 1,
            },
        )
        for n_rows, p in ((1, 10), (1_000, 10), (100_000, 10), (100_000, 50))
        for depth in (3, 6)
    ),
    *(
        Row(f"softmax trees, {k} classes, 1,000 x 10", data, runs, 0.9, SOFTMAX)
        for k, data in ((k, lambda k=k: classes(grown(1_000, 10), k)) for k in (3, 7))
    ),
)
SMALL = (
    *(
        Row(f"warm, 100 x 5: {name}", lambda: tall(100, 5), runs, 1.5, {"of": of, "work": 10})
        for name, of in (
            ("one Lasso", small.fit_lasso),
            ("logistic", small.fit_logistic),
            ("LSBoostRegressor", small.fit_stagewise),
            ("predict one row", small.predict_linear),
            ("five folds, 20 penalties", small.five_folds),
        )
    ),
    Row("pickles, 20,000 x 50", lambda: grown(20_000, 50), sizes, 1.5),
)
NEIGHBOURS = tuple(
    Row(f"{name}", data, neighbours, 1.0, {"hard": hard, "easy": easy, "eps": 1e-2, **more})
    for name, data, hard, easy, more in (
        (
            "copies up to 1e-6 beside 400 x 200",
            lambda: tall(400, 200),
            partial(with_copies, noise=1e-6),
            plain,
            {"factor": 2.0},
        ),
        (
            "exact copies beside 400 x 200",
            lambda: tall(400, 200),
            partial(with_copies, noise=0.0),
            plain,
            {"factor": 2.0},
        ),
        (
            "150 x 150 beside 150 x 75",
            lambda: tall(150, 150),
            plain,
            half_of_columns,
            {"factor": 2.0},
        ),
        (
            "200 x 200 beside 200 x 100",
            lambda: tall(200, 200),
            plain,
            half_of_columns,
            {"factor": 2.0},
        ),
        ("limits of 1e9 beside none, 500 x 300", lambda: tall(500, 300), wide_limits, plain, {}),
        ("grid to 1e-3 beside 1e-2, 500 x 300", lambda: tall(500, 300), longer_grid, plain, {}),
        (
            "penalty factors beside none, 44 x 7,129",
            genes,
            partial(factors, unpenalised=0),
            plain,
            {},
        ),
        (
            "penalty factors, two 0, beside none, 44 x 7,129",
            genes,
            partial(factors, unpenalised=2),
            plain,
            {},
        ),
        ("positive beside any sign, 44 x 7,129", genes, positive, plain, {}),
        (
            "twice the rows, 8,192 x 252",
            lambda: tall(8_192, 252),
            plain,
            half_of_rows,
            {"factor": 2.0},
        ),
        (
            "twice the columns, 1,000 x 1,000",
            lambda: ar1(1_000, 1_000),
            plain,
            half_of_columns,
            {"factor": 2.0},
        ),
    )
)
HUBER = Row(
    "FS, Huber, 500 x 1,000, 3,000 steps beside 1,000",
    lambda: ar1(500, 1_000),
    neighbours,
    1.0,
    {"of": small.more_steps, "judge": small.scans_of, "n_steps": 1_000, "factor": 3.0},
)
ROWS = (*PATHS, *STEPS, *TREES, *SMALL, *NEIGHBOURS, HUBER)
QUICK = ("logistic path, 500 x 10", "FS, 5,000 x 8, 10,000 steps", "warm, 100 x 5: one Lasso")


def tables_of(name):
    """Return the tables of the row of this name, none if its data are absent."""
    warnings.simplefilter("ignore")  # peers warn of tolerances that they do not reach
    for package in PACKAGES:  # their loading does not count against the limit of a peer
        with contextlib.suppress(ImportError):
            importlib.import_module(package)
    row = next(row for row in ROWS if row.name == name)
    try:
        X, y = row.data()
    except Absent:
        return []
    return list(row.task(row, X, y, **row.options))


def tables(quick=False, only=(), limit=None):
    """Yield the tables of the requested rows whose data are available.

    Each row has a process of its own: memory that other rows left would hide what it takes.
    """
    for row in ROWS:
        if wanted(row.name, only) and (row.name in QUICK or not quick):
            with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as apart:
                yield from apart.submit(tables_of, row.name).result()


def filled_by(name):
    """Return what fills the memory of a row."""
    return next((what for part, what in FILLED_BY.items() if part in name), "unexplained")


def line(table):
    """Return the line of the page about one table."""
    ours = next(each for each in table["rows"] if each["name"] == "coordboost")
    time = f"{ours['bytes']:,} bytes" if "bytes" in ours else f"{1e3 * ours.get('cpu', np.nan):.3g}"
    ratio = table.get("ours_over_best")
    memory = ""
    if "peak_mb" in ours:
        memory = f"{ours['peak_mb']:.0f} ({table['data_mb']:.0f})"
        if ours["peak_mb"] > 2 * table["data_mb"] + MODEST:
            memory += f": {filled_by(table['name'])}"
    what = f", gap {table['target']:g}" if "target" in table else ""
    what += f", {table['unit']}" if "pickle" in table["unit"] else ""
    compared = "none" if ratio is None else f"{ratio:.2f} ({table['best_peer']})"
    if "over_neighbour" in table:
        compared += f"; neighbour {table['over_neighbour']:.2f}"
    return f"| {table['name']}{what} | {time} | {compared} | {table['reach']:g} | {memory} |"


def section(tables):
    """Return the section of the page: one line for each table."""
    head = (
        "| row | ours, ms | ours / best peer | to reach | MB beyond the data (data) |",
        "|---|---|---|---|---|",
    )
    return "\n".join([*head, *map(line, tables)])
