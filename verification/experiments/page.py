"""The page ``docs/experiments.md``, made of the stored results:
``python -m verification.experiments --page docs/experiments.md``.
"""

import re
from collections import Counter

from verification.experiments import results
from verification.experiments.experiment import OUTCOMES, experiments

HEAD = """# The experiments of the papers

`coordboost verify experiments` (in a checkout also `python -m verification.experiments`) lists
the figures and tables of the five papers that can be repeated, with the data and the time that
each needs. `python -m verification.experiments NAME` runs one: it prints every claim with our
numbers and a verdict, and saves the figure, the numbers (CSV) and the verdicts (JSON). `--quick`
takes fewer splits and steps, `--all` runs everything. See [where to get the data](data.md). How
true to the print each figure and table is stands in [the index](index-of-papers.md).

*Where claims come from.* Each claim is one of three kinds. *The paper prints* a number that
stands in the paper. *The paper says* a sentence, or shows a curve: a few words of it are quoted,
or its meaning is given after "in effect". *Our reference* is a number or a statement of ours,
which the paper does not have: it was computed once, and is compared so that a change of the code
is seen.

*Verdicts.* Orderings are tested on repeated random splits (80 % for training) by the t statistic
of Nadeau and Bengio (2003), one-sided, at 5 %. Claims of a paper are confirmed, refuted if the
contrary is as clear, or undecided. Claims of ours hold, or do not hold, or are undecided; nothing
is refuted that no paper claims. Draws of artificial data are independent and tested by the paired
t at 1 %. Where a paper leaves the protocol open, our numbers are shown next to the printed ones
without a verdict. "Close" and "comparable" are margins that we chose. Claims name their margins,
and the files state which were set after a first look at results. Orderings were not.

Written by `python -m verification.experiments --page docs/experiments.md` from the results of the
full forms in `verification/experiments/results`, which `python -m verification.experiments NAME
--keep` stores.
"""

#: Beginning of the names of the experiments of a paper: its heading, and what is said about all of
#: them.
PAPERS = {
    "fgm": (
        "Boosting in linear regression (Freund, Grigas, Mazumder)",
        "Of the numbers in its figures the paper prints the condition number 270.05 and the "
        "two limits of Remark A.1. The tables are printed in full.",
    ),
    "rgbm": (
        "Randomized gradient boosting machine (Lu and Mazumder)",
        "Stumps of +1 and -1, as the text has them, and stumps with two leaf values, as the "
        "authors' program has; a constant step 1 / sigma, at most 254 thresholds. The paper does "
        "not give steps and seeds. Time is CPU time of our code. An interior t is not always the "
        "fastest: if a pass over one feature costs less than the rest of a step, one feature a "
        "step is as good.",
    ),
    "agbm": (
        "Accelerated gradient boosting machine (Lu, Karimireddy, Ponomareva, Mirrokni)",
        "Trees on 100 quantiles, from f = 0. AGBM counts as two trees per iteration, and uses "
        "the paper's sign of the correction. `agbm_signs` is not in the paper: [which "
        "sign](accelerated.md#which-sign).",
    ),
    "sglb": (
        "SGLB (Ustimenko, Prokhorenkova)",
        "`sglb_table2` and `sglb_table3` use at most 5,000 rows, 20 and 5 splits, and 10 "
        "random settings with 300 trees; the paper has 200 settings with 1,000 trees, so "
        "levels differ. More splits would not decide, as splits share rows. `sglb_demos` "
        "shows [theory compared with chains](langevin.md#checked-numbers).",
    ),
    "rgb": (
        "RGB (Cortes, Mohri, Storcheus)",
        "For choices that the paper leaves open see [compared with "
        "XGBoost](regularized-boosting.md#compared-with-xgboost).",
    ),
    "": ("No paper", ""),
}

#: What the last full run found, in short, for experiments that have not been stored since.
EARLIER = {
    "fgm_table_b1": "LS-Boost and FS as good as the Lasso to 2 %: 10 of 24 comparisons with genes "
    "held out, 19 of 24 with fresh noise; FS has the smallest error in 5 of 12 cases; stepwise is "
    "worse than the Lasso in 5 and in 11 of 12; the best eps is inside the grid in 23 of 24.",
    "rgbm_figure1": "t = 24 of 123 features takes 63.2 iterations against 56.4, and .47 against "
    "1.72 ms of CPU time each; 5 of 5 claims confirmed.",
    "rgbm_figure5_a9a": "at equal CPU time t = 11 fits better than t = 123 (.3232 against .3247): "
    "confirmed; than t = 1: undecided.",
    "rgbm_figure5_rcv1": "t = 217 fits better than t = 47,236 (.021 against .47): confirmed; than "
    "t = 1 (.017): refuted.",
    "agbm_signs": "squared loss: no correction is better than the paper's sign (10 of 10 sets); "
    "logistic loss: the paper's sign is better for equal numbers of iterations (7 of 8), but not "
    "of trees.",
    "sglb_table2": "0-1 loss of SGLB below SGB: differences of -.18 to .57 points, standard errors "
    ".2 to .4; undecided on all six sets.",
    "sglb_table3": "logistic loss of SGLB below SGB: lower on 1, higher on 5 of 6; "
    "undecided on all.",
    "sglb_demos": "theory compared with chains: 87 numbers, all inside their errors.",
    "sglb_alarms": "false alarms of each of seven tests: 0 of 40,000.",
    "rgb_table1": "RGB, constants as printed, has fewer errors than XGBoost on 2 of 8 sets (12.56 "
    "against 11.42 %): refuted on 3 sets, undecided on 5; with the corrected constants on 3 of 8 "
    "(11.47 %).",
}


def page():
    """Return the page in Markdown, from the stored results."""
    known = experiments()
    parts = [HEAD]
    left = dict(known)
    for begin, (heading, words) in PAPERS.items():
        ours = [
            left.pop(name)
            for name in sorted(left, key=in_order)
            if name.startswith(f"{begin}_" if begin else "")
        ]
        stored = [(one, results.read(one.name)) for one in ours]
        missing = [one.name for one, found in stored if found is None]
        stored = [(one, found) for one, found in stored if found is not None]
        parts.append(f"\n## {heading}\n" + (f"\n{words}\n" if words else ""))
        if missing:
            parts.append(
                "\nWithout stored results of the present code, so only what an earlier run "
                "found:\n\n"
            )
            parts += [f"* `{name}`: {EARLIER.get(name, 'no run yet.')}\n" for name in missing]
        if stored:
            parts.append("\n" + summary(found for _, found in stored))
        parts += [section(one, found) for one, found in stored]
    return "".join(parts)


def in_order(name):
    """Return a key by which fgm_figure2 comes before fgm_figure10."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]


def summary(found):
    """Return a table with a line for each experiment that counts its verdicts."""
    out = f"| experiment | {' | '.join(OUTCOMES)} |\n|---|{'---|' * len(OUTCOMES)}\n"
    for result in found:
        counts = Counter(claim["outcome"] for claim in result["claims"])
        cells = " | ".join(str(counts[outcome] or "") for outcome in OUTCOMES)
        out += f"| `{result['name']}` | {cells} |\n"
    return out


def section(one, found):
    """Return the part of the page about one experiment: what is shown, and a table of its
    claims.
    """
    out = f"\n### `{one.name}`: {found['source']}\n\n"
    out += f"{one.about}\n\n" if one.about else ""
    out += "| claim | from | ours | verdict | statistic |\n|---|---|---|---|---|\n"
    for claim in found["claims"]:
        cells = (
            claim[key].replace("|", "&#124;")
            for key in ("claim", "from", "ours", "outcome", "statistic")
        )
        out += f"| {' | '.join(cells)} |\n"
    return out
