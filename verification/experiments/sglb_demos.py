"""Langevin boosting: numbers predicted by its theory, compared with computations and simulations.

The quick form has no simulations.
"""

import numpy as np

from verification.experiments.experiment import Claim, Experiment, Table, Verdict
from verification.experiments.sglb_chains import CHAINS
from verification.experiments.sglb_laws import LAWS

WORDS = {
    "blocks": "squared loss, random blocks: the exact law at every eps, and the Gibbs law as "
    "eps falls",
    "choice": "law of a selection rule: error O(eps) if it ignores signs, else O(sqrt(eps)); never "
    "above the bound",
    "transient": "moments before the limit: errors halve with eps",
    "controls": "noise in the leaves only, or one noise for both: not the Gibbs law",
    "wells": "two wells: the Gibbs law, and chains that leave the worse well",
    "two columns": "two columns, non-convex loss: the law depends on how often a column is "
    "selected",
    "logistic": "logistic loss: mean energy below d / beta, excess below its bound",
    "gap": "fixed design: the gap between the losses on new and on training targets",
    "ridge": "ridge leaves need noise with a matching covariance",
    "leaf noise": "CatBoost's diffusion temperature is beta / N",
}


def run(sets, quick):
    """Return a table with a row for each number."""
    return Table([line for demo in (LAWS if quick else LAWS + CHAINS) for line in demo(quick)])


def holds(demo):
    """Whether all numbers of a demo are within their errors."""

    def judge(table):
        subset = table.where(demo=demo)
        if not len(subset):
            return Verdict("not judged", "not in the quick form")
        bad = [what for what, good in zip(subset["what"], subset["holds"], strict=True) if not good]
        sentence = f"{len(subset) - len(bad)} of {len(subset)} numbers within their errors"
        return Verdict("refuted" if bad else "confirmed", sentence, "; ".join(bad))

    return judge


def draw(figure, table):
    """Draw the total variations of both choices, and the bound, against eps."""
    axis = figure.subplots()
    subset = table.where(demo="choice")
    figure.set_size_inches(5.2, 3.6)
    for name, style in (
        ("bound", "k-"),
        ("greedy: total variation", "o-"),
        ("signed greedy: total variation", "s-"),
    ):
        lines = [line for line in subset.rows if line["what"].startswith(f"{name} at eps")]
        eps = [float(line["what"].rpartition("=")[2]) for line in lines]
        axis.loglog(
            eps, np.maximum([line["ours"] for line in lines], 1e-4), style, markersize=4, label=name
        )
    axis.set_xlabel("eps")
    axis.set_ylabel("total variation from the limit")
    axis.legend(fontsize=7, frameon=False)


EXPERIMENTS = (
    Experiment(
        name="sglb_demos",
        source="Ustimenko, Prokhorenkova, Theorem 1, Theorem 2, Theorem 3",
        run=run,
        draw=draw,
        seconds=(3, 60),
        claims=tuple(Claim(words, holds(demo)) for demo, words in WORDS.items()),
    ),
)
