"""Lu and Mazumder, Figure 1: on a9a, t = 24 of 123 features per step do as well as all features, at
a fraction of the cost.
"""

import numpy as np

from verification.experiments import rgbm_runs as rgbm
from verification.experiments.drawing import legend_below, lines, name_axes
from verification.experiments.experiment import Claim, Experiment, Table, means, reference
from verification.experiments.judge import below, every

STEPS, GAP = 400, 0.01


def some(p):
    """Return the values of t: 1, 4, 24 and all, for 123 features."""
    return rgbm.geometric(p, 3)


def points(n_steps):
    """Return the steps that are evaluated: at least every second, to see when a gap is reached."""
    return sorted({*rgbm.growing(n_steps, 20), *range(2, n_steps + 1, 2)})


def run(sets, quick):
    """Run stumps with two leaf values and stumps of +1 and -1 on 10 splits.

    In the quick form only the former on 3 splits.
    """
    (data,) = sets.values()
    seeds, learners = (range(3), ("leaf",)) if quick else (range(10), ("leaf", "pm"))
    return Table(
        row
        for learner in learners
        for row in rgbm.curves(data, learner, some, lambda t, p: STEPS, points, seeds)
    )


def reaching(table, column, learner="leaf"):
    """Return a dict, t -> for each split the entry of `column` where the gap is first at most
    `GAP`, or the last one if it never is.
    """
    results = {}
    for t in table.where(learner=learner).values("t"):
        results[t] = []
        for seed in table.values("seed"):
            subset = table.where(learner=learner, t=t, seed=seed)
            there = np.flatnonzero(subset["gap"] <= GAP)
            results[t].append(subset[column][there[0] if len(there) else -1])
    return results


def alike(table):
    """Whether the second largest t needs at most a quarter more steps to the gap than all
    features.
    """
    *_, interior, everything = reaching(table, "step").values()
    return below(interior, everything, factor=1.25)


def as_good(table):
    """Whether the test loss of the second largest t after the last step is at most 1 % above that
    of all features.
    """
    subset = table.where(learner="leaf", step=STEPS)
    *_, interior, everything = (subset.where(t=t).by("seed", "test") for t in subset.values("t"))
    return below(interior, everything, factor=1.01)


def cheaper(table):
    """Whether a step with the second largest t takes less than half of the CPU time of one with all
    features.
    """
    subset = table.where(learner="leaf", step=STEPS)
    *_, interior, everything = (
        subset.where(t=t).by("seed", "cpu") / STEPS * 1e3 for t in subset.values("t")
    )
    verdict = below(interior, everything, factor=0.5)
    return verdict._replace(ours=verdict.ours + " ms")


def first(column, others):
    """Whether the second largest t reaches the gap before the `others`: all features (-1), one
    feature a step (0).
    """

    def judge(table):
        found = list(reaching(table, column).values())
        return every(below(found[-2], found[other]) for other in others)

    return judge


CLAIMS = (
    Claim(
        "t = 24 needs at most 1.25 times the iterations of t = 123 to a training gap of 0.01",
        alike,
        means("curves that nearly coincide"),
    ),
    Claim(
        "t = 24: the test loss after 400 iterations is at most 1 % larger",
        as_good,
        means("curves that nearly coincide"),
    ),
    Claim(
        "an iteration with t = 24 takes less than half the CPU time of one with t = 123",
        cheaper,
        means("curves in time far apart"),
    ),
    Claim(
        "t = 24 sorts the samples fewer times than t = 123 until a gap of 0.01",
        first("evaluations", [-1]),
        reference(),
    ),
    Claim(
        "t = 24 reaches it in less CPU time than t = 123 and t = 1",
        first("cpu", [-1, 0]),
        means("the lowest curve in time"),
    ),
)


#: Kinds of stumps and their names.
NAMES = {"leaf": "two leaf values", "pm": "+1 and -1"}


def draw(figure, table):
    """Draw training gap and test loss (rows) against iterations and CPU seconds (columns), for each
    kind of stumps.
    """
    learners = table.values("learner")
    figure.set_size_inches(4.2 * 2 * len(learners), 6.6)
    axes = figure.subplots(2, 2 * len(learners), sharey="row")
    for pair, learner in enumerate(learners):
        subset = table.where(learner=learner)
        for row, (column, words) in zip(
            axes, (("gap", "training gap"), ("test", "test loss")), strict=True
        ):
            steps, seconds = row[2 * pair : 2 * pair + 2]
            lines(steps, subset, "step", column, "t", label="t = {}")
            mean_in_time(seconds, subset, column)
            name_axes(
                steps, "iterations", "" if pair else words, NAMES[learner], log_y=column == "gap"
            )
            name_axes(seconds, "CPU seconds", "", NAMES[learner], log_x=True, log_y=column == "gap")
    legend_below(figure, axes[0, 0])


def mean_in_time(axis, part, column):
    """Draw the mean of `column` against the mean CPU time at each step, a line for each t."""
    together = []
    for t in part.values("t"):
        for step in part.where(t=t).values("step"):
            rows = part.where(t=t, step=step)
            together.append(
                {"t": t, "cpu": float(rows["cpu"].mean()), column: float(rows[column].mean())}
            )
    lines(axis, Table(together), "cpu", column, "t", label="t = {}")


EXPERIMENTS = (
    Experiment(
        name="rgbm_figure1",
        source="Lu, Mazumder, Figure 1",
        data=("a9a",),
        claims=CLAIMS,
        run=run,
        draw=draw,
        seconds=(8, 60),
    ),
)
