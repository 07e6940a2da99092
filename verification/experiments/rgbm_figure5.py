"""Lu and Mazumder, Figure 5 and Table 1: training gap and test loss against time, four data sets,
five values of t each.

Both kinds of stumps are run: those of +1 and -1, which the text of the paper has, and those with
two leaf values, which the program of its authors has.
"""

import numpy as np

from verification.experiments import rgbm_runs as rgbm
from verification.experiments.drawing import legend_below, name_axes
from verification.experiments.experiment import Claim, Experiment, Table, means, prints
from verification.experiments.judge import below, beside, fact
from verification.experiments.rgbm_figure1 import mean_in_time

#: Data set -> steps with t = p. A smaller t makes p / t times as many.
STEPS = {"a9a": 200, "colon-cancer": 200, "rcv1_small": 20, "year_1176": 200}
#: Kinds of stumps, the paper's first, and their names.
LEARNERS = {"pm": "stumps of +1 and -1", "leaf": "stumps with two leaf values"}
#: Samples and features, as printed.
PRINTED = {
    "a9a": (32561, 123),
    "colon-cancer": (62, 2000),
    "rcv1_small": (20242, 47236),
    "year_1176": (463715, 90),
}
#: Most steps of one run: for rcv1, t = 1 would make almost a million.
LONGEST = 50_000


def run_of(name):
    """Return the runs of one data set: 5 splits, both kinds of stumps.

    Quick: 2 splits, a tenth of the steps.
    """

    def run(sets, quick):
        seeds, steps = (range(2), max(4, STEPS[name] // 10)) if quick else (range(5), STEPS[name])

        def steps_of(t, p):
            return min(LONGEST, int(steps * p / t))

        return Table(
            row
            for learner in LEARNERS
            for row in rgbm.curves(
                sets[name], learner, rgbm.geometric, steps_of, rgbm.growing, seeds
            )
        )

    return run


def at_equal_time(table, column):
    """Return a dict, t -> for each split the last entry of `column` within the CPU time of the
    shortest run of this split.
    """
    found = {t: [] for t in table.values("t")}
    for seed in table.values("seed"):
        parts = {t: table.where(t=t, seed=seed) for t in found}
        until = min(part["cpu"].max() for part in parts.values())
        for t, part in parts.items():
            within = part[column][part["cpu"] <= until]
            found[t].append(within[-1] if len(within) else np.inf)
    return found


def medium(found):
    """Return the middle one of the values of t."""
    return list(found)[len(found) // 2]


def ahead(column, of):
    """Whether the medium t is below the smallest one (0) or all features (-1), at equal time."""

    def judge(table):
        found = at_equal_time(table, column)
        return below(found[medium(found)], list(found.values())[of])

    return judge


def best_test(table):
    """Whether the smallest test loss of the runs with the medium t is below that with all
    features.
    """
    ts = medium(table.values("t")), last(table)
    return below(
        *([table.where(t=t, seed=seed)["test"].min() for seed in table.values("seed")] for t in ts)
    )


def last(table):
    """Return the largest t: all features."""
    return table.values("t")[-1]


def turns(table):
    """Whether runs with all features overfit: the last test loss is above the smallest one."""
    ends = [table.where(t=last(table), seed=seed)["test"] for seed in table.values("seed")]
    return below([end.min() for end in ends], [end[-1] for end in ends])


def follows(table):
    """Whether the test loss at the smallest training loss is at most 1 % above the smallest test
    loss of the split, over all runs.
    """
    parts = [table.where(seed=seed) for seed in table.values("seed")]
    return below(
        [part["test"][part["loss"].argmin()] for part in parts],
        [part["test"].min() for part in parts],
        factor=1.01,
    )


def claims_of(name):
    """Return the claims of the paper about all data sets, and about this one, for both kinds of
    stumps.
    """
    lowest = means("the medium t has the lowest curve")
    common = (
        Claim(
            "at equal CPU time a medium t has a smaller training gap than t = p",
            ahead("loss", -1),
            lowest,
        ),
        Claim(
            "at equal CPU time a medium t has a smaller training gap than t = 1",
            ahead("loss", 0),
            lowest,
        ),
    )
    better = Claim(
        "a medium t has a better best test loss than t = p",
        best_test,
        means("often a medium t has the best test loss"),
    )
    special = {
        "a9a": (
            Claim(
                "n is much larger than p: where the training loss is smallest the test loss is, "
                "too, to 1 %",
                follows,
                means("test losses follow training losses"),
            ),
        ),
        "colon-cancer": (
            Claim(
                "the smallest training loss generalises badly: the test loss of t = p rises again",
                turns,
                means("the smallest training loss generalises badly"),
            ),
            better,
        ),
        "rcv1_small": (better,),
        "year_1176": (better,),
    }
    return tuple(
        claim._replace(words=f"{words}: {claim.words}", judge=of_learner(learner, claim.judge))
        for learner, words in LEARNERS.items()
        for claim in common + special[name]
    )


def of_learner(learner, judge):
    """Return a judge of the rows of one kind of stumps."""
    return lambda table: judge(table.where(learner=learner))


def draw(figure, table):
    """Draw training gap (training loss where the minimum is unknown) and test loss against CPU
    seconds, a row for each learner.
    """
    figure.set_size_inches(8.4, 7.2)
    axes = figure.subplots(2, 2, sharey="col")
    gap = "gap" if np.isfinite(table["gap"]).all() else "loss"
    names = {"gap": "training gap", "loss": "training loss", "test": "test loss"}
    wide = table["test"].max() > 20 * table["test"].min()
    for row, (learner, words) in zip(axes, LEARNERS.items(), strict=True):
        for axis, column in zip(row, (gap, "test"), strict=True):
            mean_in_time(axis, table.where(learner=learner), column)
            name_axes(
                axis,
                "CPU seconds",
                names[column],
                words,
                log_x=True,
                log_y=column != "test" or wide,
            )
    legend_below(figure, axes[0, 0], 5)


def sizes(sets, quick):
    """Return the table of samples and features."""
    return Table(
        {"data": name, "samples": one.X.shape[0], "features": one.X.shape[1]}
        for name, one in sets.items()
    )


def size_of(name):
    """Return a judge that shows our size beside the printed one.

    Only the complete data sets are judged.
    """

    def judge(table):
        row = table.where(data=name).rows[0]
        ours = f"{row['samples']} x {row['features']}"
        return (
            fact((row["samples"], row["features"]) == PRINTED[name], ours)
            if name in ("a9a", "colon-cancer")
            else beside(ours)
        )

    return judge


#: What is said on the page.
ABOUT = {
    "rcv1_small": "A small part of rcv1 stands for it.",
    "year_1176": "A small part of YearPredictionMSD stands for it.",
}
EXPERIMENTS = (
    Experiment(
        name="rgbm_table1",
        source="Lu, Mazumder, Table 1",
        data=tuple(STEPS),
        run=sizes,
        seconds=(0, 0),
        claims=tuple(
            Claim(name, size_of(name), prints(f"{n} x {p}")) for name, (n, p) in PRINTED.items()
        ),
    ),
    *(
        Experiment(
            name=f"rgbm_figure5_{name.partition('_')[0].partition('-')[0]}",
            source=f"Lu, Mazumder, Figure 5, {name}",
            data=(name,),
            claims=claims_of(name),
            run=run_of(name),
            draw=draw,
            seconds=seconds,
            about=ABOUT.get(name, ""),
        )
        for name, seconds in (
            ("a9a", (7, 130)),
            ("colon-cancer", (2, 13)),
            ("rcv1_small", (15, 60)),
            ("year_1176", (1, 10)),
        )
    ),
)
