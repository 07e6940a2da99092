"""Results of the package, stored in ``snapshots.npz``: ``python tests/snapshots.py`` computes and
writes them anew.

A *case* is a name and a function that returns named arrays. A change of the code must not change
these results. Data are generic, so that no choice of a learner depends on the last bit. Only public
names are used.
"""

import itertools
import json
import os
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import coordboost as cb

FILE = Path(__file__).with_suffix(".npz")
RNG = np.random.default_rng(2024)
N, P, STEPS = 36, 12, 30
X = RNG.normal(size=(N, P)) + RNG.normal(size=(N, 1))
Y = X @ (RNG.normal(size=P) * (RNG.random(P) < 0.6)) + RNG.normal(size=N)
WEIGHT = 0.5 + RNG.random(N)
GROUPS = [j % 4 for j in range(P)]
LABELS = np.where(np.median(Y) < Y, 1.0, -1.0)
COUNTS = RNG.poisson(np.exp(0.4 * X[:, 0])).astype(float)

LOSSES = {
    "squared": (cb.losses.Squared(), Y),
    "huber": (cb.losses.Huber(0.7), Y),
    "logistic": (cb.losses.Logistic(0.01), LABELS),
    "exponential": (cb.losses.Exponential(), LABELS),
    "poisson": (cb.losses.Poisson(), COUNTS),
    "quantile": (cb.losses.Quantile(0.3), Y),
    "welsch": (cb.losses.Welsch(), Y),
    "smooth 0-1": (cb.losses.SmoothZeroOne(0.5), LABELS),
}
METHODS = {
    "ls_boost": cb.ls_boost(0.3),
    "forward_stagewise": cb.forward_stagewise(0.11),
    "forward_stagewise, sequence": cb.forward_stagewise(1 / np.arange(2, STEPS + 2)),
    "regularized_forward_stagewise": cb.regularized_forward_stagewise(0.13, 3.1),
    "path_forward_stagewise": cb.path_forward_stagewise(0.12, np.linspace(0.4, 3.0, STEPS)),
    "frank_wolfe": cb.methods.frank_wolfe(2.7),
    "frank_wolfe, constant": cb.methods.frank_wolfe(2.7, 0.05),
    "frank_wolfe, search": cb.methods.frank_wolfe(2.7, cb.rules.SegmentSearch(2.7)),
    "frank_wolfe_away": cb.methods.frank_wolfe_away(2.7),
    "frank_wolfe_pairwise": cb.methods.frank_wolfe_pairwise(2.7),
    "gcd": cb.methods.gcd(),
    "gcd, line search": cb.methods.gcd(cb.rules.LineSearch()),
    "gbm": cb.gbm(0.2),
    "rcd": cb.methods.rcd(),
    "ccd": cb.methods.ccd(),
    "rtgcd": cb.rtgcd(4),
    "rtgcd, groups": cb.rtgcd(select=cb.rules.Groups(2)),
    "rtgcd, weighted": cb.rtgcd(select=cb.rules.Weighted(np.arange(1.0, 5.0) / 10)),
    "rtgcd, softmax": cb.rtgcd(select=cb.rules.Softmax(1.5)),
    "lasso_cd": cb.methods.lasso_cd(1.3),
    "lasso_cd, greedy": cb.methods.lasso_cd(1.3, cb.rules.Greedy()),
    "forward_stepwise": cb.forward_stepwise(),
    "agbm": cb.agbm(0.2, 0.1),
    "agbm, correction of the program": cb.agbm(0.2, 0.1, correction=-1),
    "agbmr": cb.agbmr(0.2, 0.1),
    "agbmr, period": cb.agbmr(0.2, 0.1, period=4),
    "vagbm": cb.vagbm(0.2, 0.5),
    "sgb": cb.sgb(0.2, subsample=0.6),
    "sglb": cb.sglb(0.1, beta=50.0, gamma=0.1),
    "sglb, shrink first": cb.sglb(
        0.1,
        beta=50.0,
        gamma=0.1,
        select=cb.rules.RandomSubset(3),
        structure=cb.rules.Structure.NONE,
        shrink_first=True,
    ),
    "rgb": cb.rgb(
        0.01,
        families=cb.learners.Families(
            np.array([1.0, 2.0, 3.0, 4.0]), np.array([0.1, 0.4, 0.7, 1.0])
        ),
    ),
}
#: Model states by their names in the file.
STATES = {
    "Explicit": cb.engine.NaiveState,
    "Gram": cb.engine.CovarianceState,
    "GramColumns": cb.engine.CovarianceColumns,
    "Lookahead": cb.engine.LookaheadState,
    "Gathered": cb.engine.WorkingSetState,
}


def walk(run):
    """Return the steps and the coefficients of a run."""
    path = run.path
    return {"learner": path.learner, "shrink": path.shrink, "theta": path.theta, "beta": run.beta}


def table(loss="squared", **options):
    """Return the problem with a loss of LOSSES."""
    loss, y = LOSSES[loss]
    return cb.Problem(X, y, loss, sample_weight=WEIGHT, groups=GROUPS, **options)


def stepped(method, loss, model_state=None, compile=False):
    """Return the run of a method; None if it is refused."""
    n_steps = 8 if method == "forward_stepwise" else STEPS
    try:
        return cb.solve(
            table(loss), METHODS[method], n_steps, rng=3, model_state=model_state, compile=compile
        )
    except ValueError:
        return None


def takes(method, loss):
    """Return the names of the model states on which a method runs with a loss."""
    return [name for name, state in STATES.items() if stepped(method, loss, state) is not None]


# Trees and stumps.
# --------------------------------------------------------------------------------------------------

M, D = 150, 6
ROWS = np.random.default_rng(77)
T = ROWS.normal(size=(M, D))
T[:, 4] = ROWS.integers(0, 7, M)
T[ROWS.random((M, D)) < 0.07] = np.nan
GROWN_Y = (
    np.nan_to_num(T[:, 0]) * (np.nan_to_num(T[:, 1]) > 0)
    + np.sin(np.nan_to_num(T[:, 4]))
    + 0.3 * ROWS.normal(size=M)
)
TREE_WEIGHT = 0.5 + ROWS.random(M)
TREE_LABELS = np.where(np.median(GROWN_Y) < GROWN_Y, 1.0, -1.0)
TREES = {
    "depth 1": {"max_depth": 1},
    "depth 2": {"max_depth": 2},
    "depth 6": {"max_depth": 6, "min_samples": 2},
    "seven leaves": {"max_depth": None, "max_leaves": 7, "min_samples": 4},
    "categories": {"max_depth": 3, "categorical": [4], "l2": 0.7},
    "monotone": {"max_depth": 4, "monotone": [1, -1, 0, 0, 0, 1]},
    "newton": {"max_depth": 3, "newton": True, "categorical": [4], "l2": 0.1},
    "newton, monotone": {
        "max_depth": 3,
        "newton": True,
        "monotone": [1, -1, 0, 0, 0, 1],
        "max_leaves": 6,
    },
    "penalties": {
        "max_depth": 3,
        "min_gain": 0.3,
        "penalty": [2.0, 0.0, 0.0, 0.5, 0.1, 0.0],
        "min_weight": 7.5,
    },
    "few bins": {"max_depth": 3, "max_bins": 9},
    "every value": {"max_depth": 3, "exact": True},
}
TREE_METHODS = {
    "gbm": cb.gbm(0.3),
    "groups": cb.rtgcd(select=cb.rules.Groups(2)),
    "agbm": cb.agbm(0.3, 0.1),
    "frank_wolfe": cb.methods.frank_wolfe(30.0),
    "sglb": cb.sglb(0.1, beta=200.0, gamma=0.05, subsample=0.8),
}


def grown(options, method, loss="squared", n_steps=3):
    """A run over trees."""
    loss, y = (
        (cb.losses.Logistic(), TREE_LABELS)
        if loss == "logistic"
        else (cb.losses.Squared(), GROWN_Y)
    )
    return cb.solve(
        cb.Problem(cb.data.trees(T, **options), y, loss, sample_weight=TREE_WEIGHT),
        method,
        n_steps,
        rng=5,
    )


def nodes(run):
    """The rules of every tree as text, its values on the rows, and the steps."""
    bank = run.problem.dictionary
    texts = np.array([bank.text(j) for j in range(run.problem.n_learners)])
    values = [np.unique(bank.column(j), return_inverse=True) for j in range(run.problem.n_learners)]
    leaf = np.array([where for _, where in values], dtype=np.uint8).reshape(len(values), -1)
    return {
        "text": texts,
        "values": np.concatenate([of for of, _ in values]),
        "leaf": leaf,
        **walk(run),
    }


def tree_cases():
    """Every kind of tree by gradient boosting with both losses, and every method with one kind."""
    for name, loss in itertools.product(TREES, ("squared", "logistic")):
        yield (
            f"trees/{name}/{loss}",
            lambda name=name, loss=loss: nodes(grown(TREES[name], TREE_METHODS["gbm"], loss)),
        )
    for name, method in TREE_METHODS.items():
        options = {"max_depth": 3, "categorical": [4], "min_samples": 3}
        yield (
            f"trees by/{name}",
            lambda options=options, method=method: nodes(grown(options, method)),
        )
    yield "trees in families", lambda: nodes(families())
    for name, family in {"stumps": cb.data.stumps, "leaf stumps": cb.data.leaf_stumps}.items():
        make = {"categorical": [4]} if family is cb.data.leaf_stumps else {}
        yield name, lambda family=family, make=make: counted(family(np.nan_to_num(T), **make))


def families():
    """Regularised boosting over trees in families."""
    made = cb.data.tree_families(
        T, nodes=(1, 2, 4), bounds=(0.1, 0.5, 2.0), categorical=[4], l2=0.1
    )
    return cb.solve(cb.Problem(made, GROWN_Y), cb.rgb(0.02, n_candidates=4), 6, rng=2)


def counted(family):
    """Return the steps, coefficients and predictions on new rows of a run over all stumps."""
    run = cb.solve(cb.Problem(family, GROWN_Y, sample_weight=TREE_WEIGHT), cb.ls_boost(0.3), 20)
    steps = walk(run)
    beta = steps.pop("beta")
    used = np.flatnonzero(beta)
    names = np.array([run.problem.feature_names[j] for j in used])
    return {
        **steps,
        "used": used,
        "coef": beta[used],
        "names": names,
        "predict": run.predict(np.nan_to_num(T[::-7]) + 0.01),
    }


THREADS = """
    import numpy as np, coordboost as cb, hashlib, sys
    rng = np.random.default_rng(8)
    X = rng.normal(size=(24_000, 50)); X[:, 3] = rng.integers(0, 9, len(X)); X[:50, 7] = np.nan
    y = X[:, 0] * X[:, 1] + np.sin(X[:, 3]) + rng.normal(size=len(X))
    weight, rising, bits = 0.5 + rng.random(len(X)), [1, -1, 0, 0, 1] + [0] * 45, hashlib.sha256()
    def solve(options, method, loss=None, weight=None):
        target = np.sign(y) if loss else y
        made = cb.Problem(cb.data.trees(X, **options), target, loss, sample_weight=weight)
        run = cb.solve(made, method, 3, rng=4)
        bits.update(run.pred.tobytes() + run.path.learner.tobytes())
        bits.update(run.problem.dictionary.trees.goes_left.tobytes())
        return run
    run = solve({"max_depth": 5, "categorical": [3], "min_samples": 20}, cb.gbm(0.3))
    np.save(sys.argv[1], np.concatenate([run.path.theta, run.predict(X[::240])]))
    leaves = {"max_depth": None, "max_leaves": 13, "l2": 1.0, "categorical": [3]}
    solve(leaves, cb.gbm(0.3), None, weight)
    rule = {"min_samples_category": 20, "max_split_categories": 3, "category_smoothing": 99.0}
    solve({**leaves, **rule}, cb.gbm(0.3), None, weight)
    solve({"max_depth": 4, "monotone": rising}, cb.gbm(0.3))
    solve({"max_depth": 3, "newton": True}, cb.agbm(0.5, 0.1), cb.losses.Logistic())
    solve({}, cb.rtgcd(select=cb.rules.Groups(20)))
    solve({}, cb.sglb(0.1, 100.0, subsample=0.5))
    print(bits.hexdigest())
"""


def on_threads(threads):
    """Run THREADS in a process of its own: trees on a table large enough for several threads.
    Return numbers and a digest of all bits.
    """
    environment = {
        **os.environ,
        "OMP_NUM_THREADS": str(threads),
        "PYTHONPATH": str(Path(__file__).resolve().parents[1]),
    }
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "numbers.npy")
        order = [sys.executable, "-c", textwrap.dedent(THREADS), str(file)]
        digest = subprocess.run(
            order, env=environment, check=True, capture_output=True, text=True
        ).stdout.strip()
        return np.load(file), digest


# Paths.
# --------------------------------------------------------------------------------------------------


def wide():
    """More columns than rows, with copies and a near copy."""
    rng = np.random.default_rng(31)
    X = rng.normal(size=(25, 60)) + rng.normal(size=(25, 1))
    X[:, 59] = -X[:, 2]
    return X, X[:, :4] @ np.array([1.0, -2.0, 1.5, 0.5]) + rng.normal(size=25)


def exact(kind, X, y):
    path = cb.exact_path(
        X, y, kind=kind, lam_min=1e-3 * float(np.abs((X - X.mean(0)).T @ (y - y.mean())).max())
    )
    return {"lam": path.lam, "beta": path.beta.toarray()}


def grid(X, y, **options):
    """A Lasso path, with the interval of each optimum."""
    path = cb.lasso_path(X, y, n_alphas=12, eps=1e-2, tol=1e-6, unit_columns=False, **options)
    loss = path.problem.start_loss
    ends = [path.certificate(k) for k in range(len(path.alphas))]
    return {
        "alphas": path.alphas,
        "lower": np.array([end.lower for end in ends]),
        "upper": np.array([end.upper for end in ends]),
        "loss": loss,
    }


GRIDS = {
    "squared": {},
    "squared, descent": {"solver": "cd"},
    "elastic net": {"l1_ratio": 0.6},
    "penalty factor": {"penalty_factor": np.linspace(0.5, 2.0, 60)},
    "logistic": {"loss": cb.losses.Logistic()},
    "logistic, free intercept": {"loss": cb.losses.Logistic(), "refit_intercept": True},
    "huber": {"loss": cb.losses.Huber(1.0)},
}


def path_cases():
    for kind, (name, make) in itertools.product(
        ("lasso", "lar", "stagewise"), {"tall": lambda: (X, Y), "wide": wide}.items()
    ):
        yield f"exact/{kind}/{name}", lambda kind=kind, make=make: exact(kind, *make())


# Tables.
# --------------------------------------------------------------------------------------------------

CSV = """price;size;town;sold;note;rooms
1,5;10,0;Ulm;2021-03-04;a;3
2,5;12,5;Bonn;2021-05-01;b;
3,0;NA;Ulm;2022-01-31;a;2
4,25;20,0;Jena;2020-02-29;a;4
5,0;22,25;Bonn;2021-12-24;b;5
3,5;15,0;Jena;2022-07-07;b;3
"""


def read():
    """Return what is read from a text file with decimal commas, categories, dates and missing
    values.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "table.csv")
        file.write_text(CSV, encoding="utf-8")
        found = cb.read_table(file, "price", impute="indicator")
        again = found.frame(file).to_numpy(float)
    return {
        "X": np.asarray(found.X),
        "y": found.y,
        "names": np.array(found.feature_names),
        "groups": np.array(found.groups),
        "again": again,
    }


def framed():
    """Return results of an estimator and of trees on a data frame with categories, booleans and
    missing numbers.
    """
    import pandas as pd

    rng = np.random.default_rng(12)
    n = 60
    frame = pd.DataFrame(
        {
            "size": rng.normal(size=n),
            "town": pd.Categorical(rng.choice(["Ulm", "Bonn", "Jena"], n)),
            "rooms": np.where(rng.random(n) < 0.1, np.nan, rng.integers(1, 9, n)),
            "new": rng.random(n) < 0.5,
        }
    )
    y = (
        frame["size"]
        + (frame["town"] == "Ulm")
        + 0.2 * frame["rooms"].fillna(3)
        + 0.1 * rng.normal(size=n)
    )
    model = cb.RandomizedGBMRegressor(
        n_estimators=10,
        max_depth=3,
        max_features=0.5,
        max_leaf_nodes=None,
        min_samples_category=1,
        max_split_categories=None,
        category_smoothing=0.0,
        random_state=0,
    ).fit(frame, y)
    run = cb.solve(cb.Problem(cb.data.trees(frame, max_depth=2), y), cb.gbm(0.3), 4)
    return {
        "names": model.feature_names_in_.astype(str),
        "predict": model.predict(frame[::5]),
        "trees": run.predict(frame[::5]),
        **nodes(run),
    }


# Runs and files.
# --------------------------------------------------------------------------------------------------


def draws(seed):
    """Langevin draws of one seed."""
    from coordboost.theory.langevin import chain

    run = cb.solve(
        table(),
        cb.sglb(eps=0.02, beta=40.0, gamma=0.2, select=cb.rules.RandomSubset(1)),
        200,
        rng=seed,
    )
    return {"draws": chain(run, burn_in=100, every=10).values}


SAVED = {
    "columns": lambda: (
        cb.solve(table(), METHODS["regularized_forward_stagewise"], STEPS),
        X[::3] + 0.1,
    ),
    "trees": lambda: (grown(TREES["categories"], TREE_METHODS["gbm"]), T[::5]),
    "stumps": lambda: (
        cb.solve(cb.Problem(cb.data.leaf_stumps(T), GROWN_Y), cb.ls_boost(0.3), 10),
        T[::5],
    ),
    "accelerated": lambda: (cb.solve(table("logistic"), METHODS["agbm"], STEPS), X[::3] + 0.1),
    "sampled": lambda: (cb.solve(table(), METHODS["sglb"], STEPS, rng=4), X[::3] + 0.1),
}


def reloaded(name):
    """Predictions of a run before and after it is saved, and after it is resumed from there."""
    run, rows = SAVED[name]()
    with tempfile.TemporaryDirectory() as folder:
        run.save(Path(folder, "a.run"))
        again = cb.load(Path(folder, "a.run"))
    return {
        "before": run.predict(rows),
        "after": again.predict(rows),
        "resumed": again.resume(5).predict(rows),
    }


def cases():
    """Yield the cases that are compared number by number."""
    for method, loss in itertools.product(METHODS, LOSSES):
        yield f"steps/{method}/{loss}", lambda method=method, loss=loss: walk(stepped(method, loss))
    yield from tree_cases()
    yield from path_cases()
    yield "read", read
    yield "frame", framed
    for seed in (0, 1, 7):
        yield f"draws/{seed}", lambda seed=seed: draws(seed)
    for name in SAVED:
        yield f"saved/{name}", lambda name=name: reloaded(name)


def intervals():
    """Yield the cases of Lasso paths, whose results may differ within their intervals."""
    X, y = wide()
    labels = np.where(y > np.median(y), 1.0, -1.0)
    for name, options in GRIDS.items():
        yield (
            name,
            lambda name=name, options=options: grid(
                X, labels if "logistic" in name else y, **options
            ),
        )


def main():
    kept = {}
    states = {}
    for method, loss in itertools.product(METHODS, LOSSES):
        states[f"{method}/{loss}"] = None if stepped(method, loss) is None else takes(method, loss)
    for name, make in cases():
        if not name.startswith("steps/") or states[name.removeprefix("steps/")] is not None:
            kept |= {f"{name}/{part}": value for part, value in make().items()}
    for name, make in intervals():
        kept |= {f"interval/{name}/{part}": value for part, value in make().items()}
    kept |= {"threads/numbers": on_threads(1)[0], "states": np.array(json.dumps(states))}
    np.savez_compressed(FILE, **packed(kept))
    print(f"{len(kept)} arrays, {FILE.stat().st_size} bytes")


def packed(arrays):
    """Pack many small arrays into one for each kind, with an index: each member of an archive costs
    some 300 bytes.
    """
    index = []
    parts = {"f": [], "i": [], "U": []}
    for name, array in arrays.items():
        array = np.asarray(array)
        kind = {"u": "i", "b": "i"}.get(array.dtype.kind, array.dtype.kind)
        index.append((name, kind, array.shape))
        parts[kind].append(array.ravel())
    return {kind: np.concatenate(parts[kind]) for kind in "fi"} | {
        "U": np.array(json.dumps([text for part in parts["U"] for text in part.tolist()])),
        "index": np.array(json.dumps(index)),
    }


def kept():
    """Return the arrays of the file by name."""
    with np.load(FILE) as file:
        parts = {"f": file["f"], "i": file["i"], "U": np.array(json.loads(str(file["U"])))}
        index = json.loads(str(file["index"]))
        at = dict.fromkeys(parts, 0)
        out = {}
    for name, kind, shape in index:
        size = int(np.prod(shape, dtype=int))
        out[name] = parts[kind][at[kind] : at[kind] + size].reshape(shape)
        at[kind] += size
    return out


if __name__ == "__main__":
    main()
