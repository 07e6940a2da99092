"""Lu, Karimireddy, Ponomareva, Mirrokni, Figures 1 to 4: training and test loss against the number
of trees.
"""

from itertools import pairwise

import numpy as np

from coordboost.reporting.plots.drawing import COLOURS
from verification.experiments import agbm_runs as agbm
from verification.experiments.drawing import legend_below, lines, name_axes
from verification.experiments.experiment import Claim, Experiment, Table, means, reference
from verification.experiments.judge import below, beside, every, fact

ETAS = (1.0, 0.1, 0.01)


def on_a1a(depth, n_trees):
    """Return the runs of Figures 1 and 4: a1a, GBM and three kinds of AGBM with three gamma, three
    step sizes.
    """

    def run(sets, quick):
        (data,) = sets.values()
        seeds, most = (range(3), n_trees // 2) if quick else (range(5), n_trees)

        def contestants(eta):
            return agbm.methods(eta, agbm.GAMMAS, agbm.OPTIONS, ("GBM",))

        return Table(agbm.curves(data, depth, ETAS, contestants, most, seeds))

    return run


def on_housing(etas, gammas, n_trees, kind=agbm.PRINTED):
    """Return the runs of Figures 2 and 3: housing, VAGBM and one kind of AGBM."""

    def run(sets, quick):
        (data,) = sets.values()
        seeds, most = (range(3), n_trees // 2) if quick else (range(5), n_trees)

        def contestants(eta):
            return agbm.methods(eta, gammas, (kind,), ("VAGBM",))

        return Table(agbm.curves(data, 5, etas, contestants, most, seeds))

    return run


def at(table, eta, method, column, trees=None):
    """Return `column` of a method at a number of trees (default: the last), by split."""
    subset = table.where(eta=eta, method=method)
    trees = max(subset.values("trees")) if trees is None else trees
    return subset.where(trees=trees).by("seed", column)


def lowest(table, eta, method, column, entry=None):
    """Return `entry` (default: `column`) at the number of trees where `column` is smallest, by
    split.
    """
    subset = table.where(eta=eta, method=method)
    runs = [subset.where(seed=seed) for seed in sorted(subset.values("seed"))]
    return np.array([run[entry or column][run[column].argmin()] for run in runs])


def kind_of(name):
    """Return the kind of AGBM that a method is, a key of ``agbm.OPTIONS``.

    None for other methods.
    """
    return f", {name.partition(', ')[2]}".rstrip(", ") if name.startswith("AGBM") else None


def names(table, kind=agbm.PRINTED):
    """Return the names of the methods that are AGBM of one kind."""
    return [name for name in table.values("method") if kind_of(name) == kind]


def faster(eta, kind=agbm.PRINTED):
    """Whether AGBM ends with a smaller training loss than GBM with as many trees, for every
    gamma.
    """
    return lambda table: every(
        below(at(table, eta, name, "train"), at(table, eta, "GBM", "train"), log=True)
        for name in names(table, kind)
    )


def larger_eta(table):
    """Whether a larger step fits faster, for GBM and for every gamma."""
    pairs = (
        (one, other, name)
        for one, other in ((1.0, 0.1), (0.1, 0.01))
        for name in ["GBM", *names(table)]
    )
    return every(
        below(at(table, one, name, "train"), at(table, other, name, "train"), log=True)
        for one, other, name in pairs
    )


def earlier(table):
    """Whether the test loss of AGBM with the largest gamma reaches its minimum with fewer trees
    than that of GBM, at eta = 0.1.
    """
    return below(*(lowest(table, 0.1, name, "test", "trees") for name in (names(table)[0], "GBM")))


def comparable(table):
    """Whether the smallest test loss of AGBM along the run is at most 5 % above that of GBM, at eta
    = 0.1, for every gamma.
    """
    return every(
        below(lowest(table, 0.1, name, "test"), lowest(table, 0.1, "GBM", "test"), factor=1.05)
        for name in names(table)
    )


def word(table):
    """Whether each run of AGBM with the guard that ends above its best iterate has a remark in its
    message.
    """
    starts = (
        row for row in table.rows if row["trees"] == 0 and kind_of(row["method"]) == agbm.GUARDED
    )
    of = [(row["eta"], row["method"], row["seed"]) for row in starts]
    runs = [table.where(eta=eta, method=name, seed=seed) for eta, name, seed in of]
    return agbm.none_silent(
        [run["train"][-1] / run["train"].min() for run in runs], [run["word"][-1] for run in runs]
    )


def diverges(eta, method):
    """Whether the last training loss is more than ten times the smallest one, on every split."""

    def judge(table):
        ratio = at(table, eta, method, "train") / lowest(table, eta, method, "train")
        return fact(
            (ratio > 10).all(),
            f"last / smallest loss from {ratio.min():.2g} to {ratio.max():.2g}",
            "above 10 on every split",
        )

    return judge


def converges(eta, gamma, kind=agbm.PRINTED):
    """Whether the last loss of AGBM is below 1/1000 of the first and at most twice the smallest
    one, on every split.
    """

    def judge(table):
        method = f"AGBM {gamma:g}{kind}"
        last = at(table, eta, method, "train")
        start = at(table, eta, method, "train", 0)
        good = (last <= 2 * lowest(table, eta, method, "train")) & (last < start / 1000)
        return fact(
            good.all(),
            f"last loss {last.max():.2g} after {start.max():.3g}",
            f"{good.sum()} of {len(good)} splits",
        )

    return judge


def sooner(table):
    """Whether VAGBM is below every AGBM after a tenth of the trees, eta = 0.3."""
    trees = max(table.values("trees")) // 10 // 2 * 2
    ours = at(table, 0.3, "VAGBM", "train", trees)
    return every(
        below(ours, at(table, 0.3, name, "train", trees), log=True) for name in names(table)
    )


def rises(eta):
    """Whether the last training loss of VAGBM is above its smallest one."""
    return lambda table: below(
        lowest(table, eta, "VAGBM", "train"), at(table, eta, "VAGBM", "train"), log=True
    )


def longer(table):
    """Whether the training loss of VAGBM reaches its minimum with more trees if the step is
    smaller.
    """
    best = [lowest(table, eta, "VAGBM", "train", "trees") for eta in ETAS]
    return every(below(one, other, log=True) for one, other in pairwise(best))


def final(eta, method):
    """Return a judge that shows the last training loss of a method; not judged."""
    return lambda table: beside(at(table, eta, method, "train"))


def shown(method):
    """Return the colour and the line of a method: a colour for each gamma, a line for each kind."""
    kind = kind_of(method)
    if kind is None:
        return {"GBM": "black", "VAGBM": COLOURS[1]}[method], "-"
    gamma = float(method.removeprefix("AGBM ").removesuffix(kind))
    order = {0.5: 0, 0.3: 1, 0.1: 2, 0.02: 3, 0.005: 4}
    colour = COLOURS[order[gamma] % len(COLOURS)]
    return colour, {agbm.PRINTED: "-", agbm.GUARDED: ":", agbm.PROGRAM: "--"}[kind]


def draw_six(figure, table):
    """Draw the training loss above and the test loss below, a column for each step.

    Full lines are Algorithm 2 as printed, dotted ones have the guard, dashed ones the sign of the
    program.
    """
    figure.set_size_inches(10.5, 7.2)
    axes = figure.subplots(2, 3, sharex=True)
    for column, eta in zip(axes.T, ETAS, strict=True):
        for axis, what in zip(column, ("train", "test"), strict=True):
            draw_methods(axis, table.where(eta=eta), what)
            title, below_it = (f"eta = {eta:g}", "") if what == "train" else ("", "trees")
            label = f"{what} loss" if eta == ETAS[0] else ""
            name_axes(axis, below_it, label, title, log_y=what == "train")
    for axis in axes[1]:
        axis.set_ylim(top=min(axis.get_ylim()[1], 1.0))
    legend_below(figure, axes[0, 0])


def draw_methods(axis, part, what):
    """Draw the mean of a loss over the splits against the trees, a line for each method."""
    for method in part.values("method"):
        colour, style = shown(method)
        ours = part.where(method=method)
        trees = sorted(ours.values("trees"))
        at_each = [ours.where(trees=n)[what].mean() for n in trees]
        wide = 2.0 if style == "-" else 1.4
        axis.plot(trees, at_each, color=colour, linestyle=style, linewidth=wide, label=method)


def draw_training(figure, table):
    """Draw the training loss, a panel for each step."""
    etas = table.values("eta")
    figure.set_size_inches(4.2 * len(etas), 4.4)
    axes = np.atleast_1d(figure.subplots(1, len(etas), sharey=True))
    for axis, eta in zip(axes, etas, strict=True):
        draw_methods(axis, table.where(eta=eta), "train")
        label = "training loss (cut at 1e8)" if eta == etas[0] else ""
        name_axes(axis, "trees", label, f"eta = {eta:g}", log_y=True)
        axis.set_ylim(bottom=max(axis.get_ylim()[0], 1e-10))
    legend_below(figure, axes[0])


def draw_both(figure, table):
    """Draw training and test loss of VAGBM, a panel each, a line for each step."""
    figure.set_size_inches(8.4, 4.4)
    axes = figure.subplots(1, 2, sharey=True)
    for axis, (what, words) in zip(axes, (("train", "training"), ("test", "test")), strict=True):
        lines(axis, table.where(method="VAGBM"), "trees", what, "eta", label="VAGBM, eta = {:g}")
        label = "mean loss (cut at 1e8)" if what == "train" else ""
        name_axes(axis, "trees", label, f"{words} loss", log_y=True)
    legend_below(figure, axes[0])


def claims_of_a1a():
    """Return the claims of the paper about Figures 1 and 4."""
    lower = means("lower curves for AGBM")
    return (
        *(
            Claim(
                f"eta = {eta:g}: AGBM fits faster than GBM with as many trees, for gamma 0.5, "
                "0.3 and 0.1",
                faster(eta),
                lower,
            )
            for eta in ETAS
        ),
        *(
            Claim(
                f"eta = {eta:g}: with the guard AGBM fits faster than GBM, too",
                faster(eta, agbm.GUARDED),
                reference(),
            )
            for eta in ETAS
        ),
        Claim(
            "with the program's sign AGBM fits faster than GBM, too, eta = 0.1",
            faster(0.1, agbm.PROGRAM),
            reference(),
        ),
        Claim("a larger eta fits faster", larger_eta, means("lower curves for larger eta")),
        Claim(
            "AGBM overfits earlier: its test loss is smallest at fewer trees (eta = 0.1, "
            "gamma = 0.5)",
            earlier,
            means("AGBM overfits earlier"),
        ),
        Claim(
            "the best test losses are comparable: at most 5 % above GBM's (eta = 0.1)",
            comparable,
            means("comparable"),
        ),
        Claim("final training loss, eta = 1, gamma = 0.5", final(1.0, "AGBM 0.5"), reference()),
        Claim("the same with the guard", final(1.0, "AGBM 0.5, guard"), reference()),
        Claim(
            "every run with the guard that ends above its best iterate notes it in its message",
            word,
            reference(),
        ),
    )


#: What is said on the page about the figures on a1a.
A1A = (
    "AGBM is Algorithm 2 as printed, without a guard; the guard of the package, and the sign of "
    "the correction in the authors' program, are curves of their own. gamma, depth and numbers of "
    "trees are those of the program."
)
EXPERIMENTS = (
    Experiment(
        name="agbm_figure1",
        source="Lu, Karimireddy et al., Figure 1",
        data=("a1a",),
        run=on_a1a(5, 200),
        draw=draw_six,
        claims=claims_of_a1a(),
        seconds=(6, 22),
        about=A1A,
    ),
    Experiment(
        name="agbm_figure2",
        source="Lu, Karimireddy et al., Figure 2",
        data=("housing",),
        draw=draw_training,
        seconds=(3, 15),
        run=on_housing((1.0, 0.3), (0.5, 0.1, 0.02, 0.005), 200),
        about="Without a guard, as in the paper; the values of gamma are ours.",
        claims=(
            Claim("eta = 1: VAGBM diverges fast", diverges(1.0, "VAGBM"), means("diverges")),
            Claim(
                "eta = 1: AGBM with a small gamma converges (0.005)",
                converges(1.0, 0.005),
                means("AGBM with a proper gamma converges"),
            ),
            Claim(
                "gamma is uncritical: gamma = 0.5 converges, too",
                converges(1.0, 0.5),
                means("not sensitive to gamma in (0, 1)"),
            ),
            Claim("eta = 0.3: VAGBM is faster at first", sooner, means("faster at first")),
            Claim(
                "eta = 0.3: then VAGBM stalls, and may rise again",
                rises(0.3),
                means("stalls, may diverge"),
            ),
        ),
    ),
    Experiment(
        name="agbm_figure2_guarded",
        source="Lu, Karimireddy et al., Figure 2, with our guard",
        data=("housing",),
        run=on_housing((1.0, 0.3), (0.5, 0.1, 0.02, 0.005), 200, agbm.GUARDED),
        draw=draw_training,
        seconds=(3, 15),
        about="The same with the guard of the package, which the paper does not have.",
        claims=(
            Claim(
                "every run with the guard that ends above its best iterate notes it in its message",
                word,
                reference(),
            ),
            Claim(
                "eta = 1: with the guard gamma = 0.5 converges, too",
                converges(1.0, 0.5, agbm.GUARDED),
                reference(),
            ),
        ),
    ),
    Experiment(
        name="agbm_figure3",
        source="Lu, Karimireddy et al., Figure 3",
        data=("housing",),
        draw=draw_both,
        seconds=(3, 20),
        run=on_housing(ETAS, (), 1000),
        about="VAGBM, as the text of the paper says; its caption says AGBM.",
        claims=(
            Claim(
                "VAGBM may diverge with a small step, too: with eta = 0.1 its loss rises again",
                rises(0.1),
                means("may diverge"),
            ),
            Claim("the smaller the step, the longer it is stable", longer, means("stable longer")),
        ),
    ),
    Experiment(
        name="agbm_figure4",
        source="Lu, Karimireddy et al., Figure 4",
        data=("a1a",),
        run=on_a1a(1, 400),
        draw=draw_six,
        claims=claims_of_a1a(),
        seconds=(6, 22),
        about=A1A,
    ),
)
