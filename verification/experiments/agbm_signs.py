"""Accelerated boosting: which sign the correction of the residual should have.

Ten sets, squared and logistic loss, trees of depth 3.

This is not a figure of the paper. Its Algorithm 2 adds the part that was not fitted, the program of
its authors subtracts it, and Remark B.1 leaves it out.
"""

import numpy as np
from scipy import stats

import coordboost as cb
from verification.experiments.along import losses
from verification.experiments.data import split
from verification.experiments.drawing import LINES, legend_below, name_axes
from verification.experiments.experiment import Claim, Experiment, Table, Verdict
from verification.experiments.judge import fact

SETS = (
    "housing",
    "year_1176",
    "a1a",
    "w1a",
    "german.numer",
    "diabetes",
    "sonar",
    "cancer",
    "ocr17_standin",
    "ocr49_standin",
)
#: Learning rates, in units of 1 / sigma; gamma; numbers of iterations that are compared.
RATES = (1.0, 0.25, 0.1)
GAMMAS = (1.0, 0.3, 0.1, 0.03, 0.01)
HORIZONS = (30, 50, 100, 200)
#: Signs of the correction, and their names in the legend. "gbm" has no momentum.
SIGNS = (1, -1, 0)
NAMES = {1: "the paper's sign", -1: "the program's sign", 0: "no correction", "gbm": "no momentum"}


def trials(rates, gammas):
    """Yield (sign, rate, gamma, eta -> method) of everything that is compared."""
    for rate in rates:
        yield "gbm", rate, 0.0, lambda eta: cb.methods.gcd(cb.rules.FittedStep(eta))
        for gamma in gammas:
            for sign in SIGNS:
                yield (
                    sign,
                    rate,
                    gamma,
                    lambda eta, g=gamma, s=sign: cb.agbm(eta, g, guard=False, correction=s),
                )


def curves(run, parts, n, steps):
    """Return mean losses on each part after 0, 1, ..., n iterations.

    Inf where a diverged run has ended before.
    """
    return [
        np.pad(
            found := losses(run, part, steps),
            (0, max(0, n + 1 - len(found))),
            constant_values=np.inf,
        )
        for part in parts
    ]


def turn(train):
    """Return the first iteration with more than twice the smallest loss so far, nan where there is
    none.
    """
    over = np.flatnonzero(train > 2 * np.minimum.accumulate(train))
    return float(over[0]) if len(over) else np.nan


def rows(data, loss, seed, rates, gammas, horizons):
    """Yield the rows of all trials on one split: 60 % training, 20 % validation, 20 % test.

    "gbm" makes up to twice the iterations.
    """
    rest, test = split(data, seed)
    fit, choose = split(rest, seed + 1000, 0.25)
    problem = cb.Problem(cb.data.trees(fit.X, max_depth=3), fit.y, loss)
    for sign, rate, gamma, method in trials(rates, gammas):
        steps, n = (1, 2 * max(horizons)) if sign == "gbm" else (2 if sign else 1, max(horizons))
        run = cb.solve(problem, method(rate / loss.sigma), n * steps)
        train, valid, tested = curves(run, (fit, choose, test), n, steps)
        for m in (*horizons, n) if sign == "gbm" else horizons:
            yield {
                "set": data.name,
                "loss": type(loss).__name__,
                "seed": seed,
                "sign": sign,
                "rate": rate,
                "gamma": gamma,
                "iterations": m,
                "train": train[m],
                "valid": valid[m],
                "test": tested[m],
                "ratio": train[m] / train[0],
                "turn": turn(train),
            }


def run(sets, quick):
    """Run the squared loss on all sets (with labels as numbers) and the logistic loss on those with
    classes; 3 splits, quick: 2.
    """
    chosen = [sets[name] for name in (("housing", "german.numer") if quick else SETS)]
    grid = (
        ((0.25,), (0.3, 0.03), (50, 100), (0, 1)) if quick else (RATES, GAMMAS, HORIZONS, range(3))
    )
    *grid, seeds = grid
    return Table(
        row
        for data in chosen
        for loss in (
            (cb.losses.Squared(), cb.losses.Logistic()) if data.classes else (cb.losses.Squared(),)
        )
        for seed in seeds
        for row in rows(data, loss, seed, *grid)
    )


def tuned(table, sign, loss, m, by, column, rates=RATES):
    """Return a dict, set -> mean of `column` over the splits.

    On each split rate and gamma minimise the column `by`.
    """
    results = {}
    for row in table.rows:
        if (row["sign"], row["loss"], row["iterations"]) == (sign, loss, m) and row[
            "rate"
        ] in rates:
            key = row["set"], row["seed"]
            best = results.get(key)
            if np.isfinite(row[by]) and (best is None or row[by] < best[by]):
                results[key] = row
    sets = dict.fromkeys(key[0] for key in results)
    return {
        one: float(np.mean([row[column] for key, row in results.items() if key[0] == one]))
        for one in sets
    }


def across(small, large):
    """Whether `small` is below `large` over the sets: Wilcoxon's signed-rank test of the log
    ratios.
    """
    ratios = np.array([np.log(max(small[one], 1e-300) / max(large[one], 1e-300)) for one in small])
    if len(ratios) < 6:
        return Verdict(
            "undecided",
            f"{int((ratios < 0).sum())} of {len(ratios)} sets",
            "six sets or more are needed",
        )
    p = float(stats.wilcoxon(ratios, alternative="less").pvalue)
    outcome = "confirmed" if p < 0.05 else "refuted" if p > 0.95 else "undecided"
    sentence = (
        f"{int((ratios < 0).sum())} of {len(ratios)} sets, median ratio "
        f"{np.exp(np.median(ratios)):.2g}"
    )
    return Verdict(outcome, sentence, f"signed ranks: p = {p:.2g}")


def beats(sign, other, loss, by, column, rates=RATES, trees=False):
    """Whether a sign beats another in `column` after the most iterations, both tuned by `by`.

    With `trees` the other has half as many.
    """

    def judge(table):
        *_, m = sorted(table.where(sign=sign).values("iterations"))
        return across(
            *(
                tuned(table, one, loss, at, by, column, rates)
                for one, at in ((sign, m), (other, m // 2 if trees else m))
            )
        )

    return judge


def turning(table):
    """Whether the loss with the paper's sign doubles after 8 to 12 / sqrt(eta gamma) rounds, in all
    runs that are long enough.
    """
    subset = table.where(sign=1, loss="Squared", iterations=100).rows
    at = np.array([row["turn"] * np.sqrt(row["rate"] * row["gamma"]) for row in subset])
    due = np.array([12 / np.sqrt(row["rate"] * row["gamma"]) <= 100 for row in subset])
    there = np.isfinite(at)
    low, middle, high = np.quantile(at[there], [0.05, 0.5, 0.95]) if there.any() else [np.nan] * 3
    turned = f"{int(there[due].sum())} of {int(due.sum())} runs that are long enough doubled"
    sentence = f"{turned}, at {low:.2g} to {high:.2g}, median {middle:.2g}"
    return fact(
        bool(there[due].all()) and low >= 8 and high <= 12, sentence, "5 % and 95 % of the runs"
    )


FEW = (0.25, 0.1)  # rates with eta <= 1 for both losses
CLAIMS = (
    Claim(
        "squared loss, 200 iterations, training rows: no correction is better than the paper's "
        "sign, with half the trees",
        beats(0, 1, "Squared", "train", "train"),
    ),
    Claim(
        "squared loss, 200 iterations, training rows: no correction is better than the program's "
        "sign, with half the trees",
        beats(0, -1, "Squared", "train", "train"),
    ),
    Claim(
        "squared loss, 200 iterations, test rows: no correction is better than the paper's sign",
        beats(0, 1, "Squared", "valid", "test"),
    ),
    Claim(
        "squared loss: with the paper's sign the loss has doubled after 8 to 12 / sqrt(eta "
        "gamma) rounds",
        turning,
    ),
    Claim(
        "logistic loss, eta <= 1, 200 iterations, training rows: the paper's sign is better than "
        "no correction",
        beats(1, 0, "Logistic", "train", "train", FEW),
    ),
    Claim(
        "logistic loss, eta <= 1, 200 iterations, training rows: the paper's sign is better than "
        "the program's",
        beats(1, -1, "Logistic", "train", "train", FEW),
    ),
    Claim(
        "logistic loss, eta <= 1, 200 iterations, test rows: the paper's sign is better than no "
        "correction",
        beats(1, 0, "Logistic", "valid", "test", FEW),
    ),
    Claim(
        "logistic loss, 200 trees, training rows: no correction is better than the paper's sign",
        beats(0, 1, "Logistic", "train", "train", trees=True),
    ),
)


def draw(figure, table):
    """Draw the median over the sets of training loss / first loss, at the best rate and gamma,
    against the number of iterations.
    """
    figure.set_size_inches(8.4, 3.6)
    for axis, loss in zip(figure.subplots(1, 2), ("Squared", "Logistic"), strict=True):
        for (sign, name), (colour, style) in zip(NAMES.items(), LINES, strict=False):
            at = [
                m
                for m in table.where(sign=sign, loss=loss).values("iterations")
                if m <= max(HORIZONS)
            ]
            middle = [
                np.median(list(tuned(table, sign, loss, m, "train", "ratio").values())) for m in at
            ]
            axis.plot(at, middle, color=colour, linestyle=style, label=name)
        name_axes(axis, "iterations", "training loss / initial loss", loss.lower(), log_y=True)
    legend_below(figure, axis)


EXPERIMENTS = (
    Experiment(
        name="agbm_signs",
        source="Lu, Karimireddy, Ponomareva, Mirrokni, Algorithm 2, Remark B.1",
        data=SETS,
        claims=CLAIMS,
        run=run,
        draw=draw,
        seconds=(4, 190),
    ),
)
