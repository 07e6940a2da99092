"""Ustimenko and Prokhorenkova, Tables 2 and 3: stochastic gradient boosting and Langevin boosting,
tuned on validation rows.

As in the paper: 65, 15 and 20 % of the rows for training, validation and test; settings drawn from
the distributions of the paper; the iteration chosen on the validation rows; the smoothed 0-1 loss
of width 0.1 (Table 2) or the logistic loss (Table 3). Both methods get the same learning rates and
depths, so that these do not decide by chance. The paper has 200 settings, 1,000 trees and all rows;
here there are 10 settings, 300 trees of depth 4 to 8, at most 5,000 rows per split, and 20 splits
for Table 2 and 5 for Table 3, which take 11 and 2 minutes of CPU. The paper's diffusion temperature
T is beta / N. Categories become means of the label over training rows, of other folds (of five) for
training rows; the paper does not describe CatBoost's encoding. click_small is a tenth of Click,
higgs_subset a small part of Higgs.
"""

from typing import NamedTuple

import numpy as np
from scipy.stats import binomtest

import coordboost as cb
from coordboost.theory.langevin import chain
from verification.experiments import data
from verification.experiments.experiment import Claim, Experiment, Table, Verdict, means, prints
from verification.experiments.judge import LEVEL, below
from verification.sets import Absent

ROWS = 5_000
TREES = 300
TRIALS = 10
EVERY = 10
#: Splits of Tables 2 and 3.
SPLITS = (20, 5)
IDS = (
    "url_hash",
    "ad_id",
    "advertiser_id",
    "query_id",
    "keyword_id",
    "title_id",
    "description_id",
    "user_id",
)
#: Label column, its positive value, columns to leave out, and numeric columns that are categories
#: (None: all columns are).
SETS = {
    "adult": ("income", ">50K", ("part",), ()),
    "amazon": ("target", "1", (), None),
    "click_small": ("click", "1", (), IDS),
    "higgs_subset": None,
    "internet": ("Who_Pays_for_Access_Work", "1", (), None),
    "kick": ("IsBadBuy", "1", ("RefId",), ()),
}
#: Printed 0-1 loss in % and logistic loss: SGB, SGLB.
PRINTED = {
    "adult": ("13.2, 12.8", "0.274, 0.276"),
    "amazon": ("5.2, 4.8", "0.144, 0.145"),
    "click_small": ("16, 15.9", "0.395, 0.394"),
    "higgs_subset": ("25.2, 24.8", "0.480, 0.479"),
    "internet": ("10.1, 9.8", "0.226, 0.225"),
    "kick": ("9.7, 9.6", "0.288, 0.289"),
}
MISSING = ("", "?", "NULL", "NOT AVAIL")


class Raw(NamedTuple):
    """Columns as they are read.

    numbers : float (n, .), NaN where missing
    names : int64 (n, .), codes of categories
    y : -1.0 and 1.0
    """

    numbers: np.ndarray
    names: np.ndarray
    y: np.ndarray


def read(name):
    """Return the `Raw` columns of a data set. *Raises* ``Absent`` if it is not available."""
    if SETS[name] is None:
        one = data.load(name)
        return Raw(one.X, np.zeros((len(one.y), 0), dtype=np.int64), one.y)
    import pandas as pd

    (label, positive, aside, ids), frame = SETS[name], data.frame(name)
    y = np.where(frame[label] == positive, 1.0, -1.0)
    frame = frame.drop(columns=[label, *aside])
    numbers = []
    names = []
    for column in frame:
        known = frame[column].where(~frame[column].isin(MISSING))
        number = pd.to_numeric(known, errors="coerce")
        named = ids is None or column in ids or (number.isna() & known.notna()).any()
        (names if named else numbers).append(
            pd.factorize(frame[column])[0] if named else number.to_numpy(float)
        )
    n = len(y)
    return Raw(
        np.array(numbers).T.reshape(n, -1), np.array(names, dtype=np.int64).T.reshape(n, -1), y
    )


def synthetic(seed=0, n=600):
    """Return synthetic data with noisy labels, for the quick form."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 6))
    y = np.where(X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=n) > 0, 1.0, -1.0)
    return Raw(X, rng.integers(0, 5, (n, 1)), y)


def encoding(codes, y, of):
    """Return, for each code, the smoothed mean of y over the rows `of`."""
    size = codes.max() + 1
    total = np.bincount(codes[of], y[of], size)
    count = np.bincount(codes[of], minlength=size)
    return (total + 10 * y[of].mean()) / (count + 10)


def split(raw, seed):
    """Return (X, y) of the training, validation and test rows."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(raw.y))[:ROWS]
    fit, choose, test = np.split(order, [int(0.65 * len(order)), int(0.8 * len(order))])
    fold = rng.integers(0, 5, len(fit))
    encoded = np.zeros((len(raw.y), raw.names.shape[1]))
    for j, codes in enumerate(raw.names.T):
        encoded[:, j] = encoding(codes, raw.y, fit)[codes]
        for one in range(5):
            encoded[fit[fold == one], j] = encoding(codes, raw.y, fit[fold != one])[
                codes[fit[fold == one]]
            ]
    X = np.hstack([raw.numbers, encoded])
    return [(X[rows], raw.y[rows]) for rows in (fit, choose, test)]


def setting(rng, noisy, n):
    """Draw (method, depth, l2) from the distributions of the paper.

    With the same `rng`, both methods get the same rate and depth.
    """
    rate = 10 ** rng.uniform(-5, 0)
    depth = int(rng.integers(4, 9))
    one = rng.random()
    two = rng.random()
    if noisy:
        return cb.sglb(rate, n * 10 ** (2 + 3 * one), 10 ** (-5 + 3 * two)), depth, 0.0
    return cb.sgb(rate, subsample=max(one, 0.05)), depth, 10 ** (2 * two - 1)


def error(margins, smoothed):
    """Return the 0-1 loss in %, or the mean logistic loss, of margins (n_models, n_rows)."""
    return 100 * (margins <= 0).mean(axis=1) if smoothed else np.logaddexp(0, -margins).mean(axis=1)


def tuned(parts, smoothed, noisy, seed, n_trials, n_trees):
    """Return the test loss at the setting and iteration with the smallest validation loss."""
    (X, y), (held, label), (new, truth) = parts
    rng = np.random.default_rng(seed)
    best = (np.inf, np.inf)
    for _ in range(n_trials):
        method, depth, l2 = setting(rng, noisy, len(y))
        family = cb.data.trees(X, max_depth=depth, max_bins=64, l2=l2)
        problem = cb.Problem(
            family,
            y,
            cb.losses.SmoothZeroOne(0.1) if smoothed else cb.losses.Logistic(),
            center=False,
        )
        run = cb.solve(problem, method, n_trees, rng=seed)
        margins = (
            chain(run, EVERY, every=EVERY, X=np.vstack([held, new])).values[0] * np.r_[label, truth]
        )
        chosen, tested = (error(part, smoothed) for part in np.split(margins, [len(label)], axis=1))
        best = min(best, (chosen.min(), tested[chosen.argmin()]))
    return best[1]


def run(smoothed, n_splits):
    """Return the function that runs one table: a row for each set, split and method."""

    def made(sets, quick):
        rows = []
        for name in ("synthetic",) if quick else SETS:
            try:
                raw = synthetic() if quick else read(name)
            except Absent:
                continue
            for seed in range(2 if quick else n_splits):
                parts = split(raw, seed)
                for noisy, method in ((0, "SGB"), (1, "SGLB")):
                    found = tuned(
                        parts, smoothed, noisy, seed, *((2, 20) if quick else (TRIALS, TREES))
                    )
                    rows.append({"set": name, "seed": seed, "method": method, "loss": found})
        return Table(rows)

    return made


def losses(table, name, method):
    """Return the losses on a set, by split."""
    return table.where(set=name, method=method).by("seed", "loss")


def better(name):
    """Whether SGLB is below SGB on a set."""

    def judge(table):
        if not len(table.where(set=name)):
            return Verdict("not judged", "not in the quick form, or no data")
        return below(losses(table, name, "SGLB"), losses(table, name, "SGB"), share=20 / 65)

    return judge


def mostly(table):
    """Whether SGLB is below SGB on average on more sets than it is above: a sign test."""
    signs = [
        np.sign(np.mean(losses(table, name, "SGB") - losses(table, name, "SGLB")))
        for name in table.values("set")
    ]
    lower = signs.count(1)
    higher = signs.count(-1)
    p = binomtest(lower, lower + higher, alternative="greater").pvalue if lower + higher else 1.0
    q = binomtest(higher, lower + higher, alternative="greater").pvalue if lower + higher else 1.0
    outcome = "confirmed" if p < LEVEL else "refuted" if q < LEVEL else "undecided"
    return Verdict(
        outcome,
        f"lower on {lower}, higher on {higher} of {len(signs)} sets",
        f"sign test, p = {p:.2g}",
    )


def claims(table):
    """Return a claim for each set, and one for most sets."""
    each = [
        Claim(f"SGLB below SGB on {name}", better(name), prints(PRINTED[name][table]))
        for name in SETS
    ]
    return (
        *each,
        Claim(
            "SGLB below SGB on most sets",
            mostly,
            means(("lower on 7, higher on 1 of 10", "lower on 6, higher on 4 of 10")[table]),
        ),
    )


EXPERIMENTS = tuple(
    Experiment(
        name=f"sglb_table{2 + at}",
        source=f"Ustimenko, Prokhorenkova, Table {2 + at}",
        claims=claims(at),
        run=run(at == 0, SPLITS[at]),
        seconds=(1, 30 * SPLITS[at]),
        about=(
            f"Six of the ten sets (adult, amazon, click_small, higgs_subset, internet, kick), at "
            f"most {ROWS:,} rows, {SPLITS[at]} splits, {TRIALS} random settings, {TREES} trees of "
            f"depth 4 to 8. The paper has ten sets with all rows, 200 settings, 1,000 trees, depth "
            f"6 to 10."
        ),
    )
    for at in (0, 1)
)
