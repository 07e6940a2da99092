"""Lu, Karimireddy, Ponomareva, Mirrokni, Figures 1 to 4: training and test loss against the number of trees."""

from itertools import pairwise

import numpy as np

from verification.experiments import agbm_runs as agbm
from verification.experiments.drawing import legend_below, lines, name_axes
from verification.experiments.experiment import Claim, Experiment, Table
from verification.experiments.judge import below, every, fact

ETAS = (1.0, 0.1, 0.01)


def on_a1a(depth, n_trees):
    """Return the runs of Figures 1 and 4: a1a, GBM and AGBM with three gamma, three step sizes."""

    def run(sets, quick):
        (data,) = sets.values()
        seeds, most = (range(3), n_trees // 2) if quick else (range(5), n_trees)

        def contestants(eta):
            found = agbm.methods(eta, agbm.GAMMAS, (1, -1))
            return {name: one for name, one in found.items() if name != "VAGBM"}

        return Table(agbm.curves(data, depth, ETAS, contestants, most, seeds))

    return run


def on_housing(etas, gammas, n_trees, guard=False):
    """Return the runs of Figures 2 and 3: housing; by default without a guard, as in the paper."""

    def run(sets, quick):
        (data,) = sets.values()
        seeds, most = (range(3), n_trees // 2) if quick else (range(5), n_trees)
        return Table(agbm.curves(data, 5, etas, lambda eta: agbm.methods(eta, gammas, (1,), guard), most, seeds))

    return run


def at(table, eta, method, column, trees=None):
    """Return `column` of a method at a number of trees (default: the last), by split."""
    part = table.where(eta=eta, method=method)
    trees = max(part.values("trees")) if trees is None else trees
    return part.where(trees=trees).by("seed", column)


def lowest(table, eta, method, column, entry=None):
    """Return `entry` (default: `column`) at the number of trees where `column` is smallest, by split."""
    part = table.where(eta=eta, method=method)
    runs = [part.where(seed=seed) for seed in sorted(part.values("seed"))]
    return np.array([run[entry or column][run[column].argmin()] for run in runs])


def names(table, start="AGBM", sign=1):
    """Return the methods whose names begin with `start`, with one sign of the correction."""
    return [name for name in table.values("method") if name.startswith(start) and name.endswith("sign -") == (sign < 0)]


def faster(eta, sign=1):
    """Whether AGBM ends with a smaller training loss than GBM with as many trees, for every gamma."""
    return lambda table: every(
        below(at(table, eta, name, "train"), at(table, eta, "GBM", "train"), log=True) for name in names(table, sign=sign)
    )


def larger_eta(table):
    """Whether a larger step fits faster, for GBM and for every gamma."""
    pairs = ((one, other, name) for one, other in ((1.0, 0.1), (0.1, 0.01)) for name in ["GBM", *names(table)])
    return every(below(at(table, one, name, "train"), at(table, other, name, "train"), log=True) for one, other, name in pairs)


def earlier(table):
    """Whether the test loss of AGBM with the largest gamma reaches its minimum with fewer trees than that of GBM, at eta = 0.1."""
    return below(*(lowest(table, 0.1, name, "test", "trees") for name in (names(table)[0], "GBM")))


def comparable(table):
    """Whether the smallest test loss of AGBM along the run is at most 5 % above that of GBM, at eta = 0.1, for every gamma."""
    return every(
        below(lowest(table, 0.1, name, "test"), lowest(table, 0.1, "GBM", "test"), factor=1.05) for name in names(table)
    )


def word(table):
    """Whether each run of AGBM that ends above its best iterate has a remark in its message."""
    of = [
        (row["eta"], row["method"], row["seed"]) for row in table.rows if row["trees"] == 0 and row["method"].startswith("AGBM")
    ]
    runs = [table.where(eta=eta, method=name, seed=seed) for eta, name, seed in of]
    return agbm.none_silent([run["train"][-1] / run["train"].min() for run in runs], [run["word"][-1] for run in runs])


def diverges(eta, method):
    """Whether the last training loss is more than ten times the smallest one, on every split."""

    def judge(table):
        ratio = at(table, eta, method, "train") / lowest(table, eta, method, "train")
        return fact(
            (ratio > 10).all(), f"last / smallest loss from {ratio.min():.2g} to {ratio.max():.2g}", "above 10 on every split"
        )

    return judge


def converges(eta, gamma):
    """Whether the last loss of AGBM is below 1/1000 of the first and at most twice the smallest one, on every split."""

    def judge(table):
        method = f"AGBM {gamma:g}"
        last, start = at(table, eta, method, "train"), at(table, eta, method, "train", 0)
        good = (last <= 2 * lowest(table, eta, method, "train")) & (last < start / 1000)
        return fact(good.all(), f"last loss {last.max():.2g} after {start.max():.3g}", f"{good.sum()} of {len(good)} splits")

    return judge


def sooner(table):
    """Whether VAGBM is below every AGBM after a tenth of the trees, eta = 0.3."""
    trees = max(table.values("trees")) // 10 // 2 * 2
    ours = at(table, 0.3, "VAGBM", "train", trees)
    return every(below(ours, at(table, 0.3, name, "train", trees), log=True) for name in names(table))


def rises(eta):
    """Whether the last training loss of VAGBM is above its smallest one."""
    return lambda table: below(lowest(table, eta, "VAGBM", "train"), at(table, eta, "VAGBM", "train"), log=True)


def longer(table):
    """Whether the training loss of VAGBM reaches its minimum with more trees if the step is smaller."""
    best = [lowest(table, eta, "VAGBM", "train", "trees") for eta in ETAS]
    return every(below(one, other, log=True) for one, other in pairwise(best))


def draw_six(figure, table):
    """Draw the training loss above and the test loss below, a column for each step."""
    figure.set_size_inches(10.5, 6.4)
    axes = figure.subplots(2, 3, sharex=True)
    for column, eta in zip(axes.T, ETAS, strict=True):
        for axis, what in zip(column, ("train", "test"), strict=True):
            lines(axis, table.where(eta=eta), "trees", what, "method")
            title, below_it = (f"eta = {eta:g}", "") if what == "train" else ("", "trees")
            name_axes(axis, below_it, f"{what} loss" if eta == ETAS[0] else "", title, log_y=what == "train")
    for axis in axes[1]:
        axis.set_ylim(top=min(axis.get_ylim()[1], 1.0))
    legend_below(figure, axes[0, 0])


def draw_training(figure, table):
    """Draw the training loss, a panel for each step."""
    etas = table.values("eta")
    figure.set_size_inches(4.2 * len(etas), 4.4)
    axes = np.atleast_1d(figure.subplots(1, len(etas), sharey=True))
    for axis, eta in zip(axes, etas, strict=True):
        part = table.where(eta=eta)
        lines(axis, part, "trees", "train", "method")
        name_axes(axis, "trees", "training loss (cut at 1e8)" if eta == etas[0] else "", f"eta = {eta:g}", log_y=True)
        axis.set_ylim(bottom=max(axis.get_ylim()[0], 1e-10))
    legend_below(figure, axes[0])


def claims_of_a1a():
    """Return the claims of the paper about Figures 1 and 4."""
    return (
        *(Claim(f"eta = {eta:g}: AGBM fits faster than GBM with as many trees, for gamma 0.5, 0.3 and 0.1", faster(eta), "lower curves")
          for eta in ETAS),
        Claim("with the program's sign AGBM fits faster than GBM, too, eta = 0.1", faster(0.1, -1), "lower curves"),
        Claim("a larger eta fits faster", larger_eta, "lower curves"),
        Claim("AGBM overfits earlier: its test loss is smallest at fewer trees (eta = 0.1, gamma = 0.5)", earlier),
        Claim("the best test losses are comparable: at most 5 % above GBM's (eta = 0.1)", comparable, "comparable"),
        Claim("every run that ends above its best iterate notes it in its message", word),
    )  # fmt: skip


EXPERIMENTS = (
    Experiment(
        name="agbm_figure1", source="Lu, Karimireddy et al., Figure 1", data=("a1a",), run=on_a1a(5, 200), draw=draw_six,
        claims=claims_of_a1a(), seconds=(4, 15),
    ),
    Experiment(
        name="agbm_figure2", source="Lu, Karimireddy et al., Figure 2", data=("housing",), draw=draw_training, seconds=(3, 15),
        run=on_housing((1.0, 0.3), (0.5, 0.1, 0.02, 0.005), 200),
        claims=(
            Claim("eta = 1: VAGBM diverges fast", diverges(1.0, "VAGBM"), "diverges"),
            Claim("eta = 1: AGBM with a small gamma converges (0.005)", converges(1.0, 0.005), "converges"),
            Claim("gamma is uncritical: gamma = 0.5 converges, too", converges(1.0, 0.5), "not sensitive"),
            Claim("eta = 0.3: VAGBM is faster at first", sooner, "faster at first"),
            Claim("eta = 0.3: then VAGBM stalls, and may rise again", rises(0.3), "stalls, may diverge"),
        ),
    ),
    Experiment(
        name="agbm_figure2_guarded", source="Lu, Karimireddy et al., Figure 2, with our guard", data=("housing",), draw=draw_training,
        run=on_housing((1.0, 0.3), (0.5, 0.1, 0.02, 0.005), 200, True), seconds=(3, 15),
        claims=(
            Claim("every run that ends above its best iterate notes it in its message", word),
            Claim("eta = 1: with the guard gamma = 0.5 converges, too", converges(1.0, 0.5)),
        ),
    ),
    Experiment(
        name="agbm_figure3", source="Lu, Karimireddy et al., Figure 3", data=("housing",), draw=draw_training, seconds=(3, 20),
        run=on_housing(ETAS, (), 1000),
        claims=(
            Claim("VAGBM may diverge with a small step, too: with eta = 0.1 its loss rises again", rises(0.1), "may diverge"),
            Claim("the smaller the step, the longer it is stable", longer, "stable longer"),
        ),
    ),
    Experiment(
        name="agbm_figure4", source="Lu, Karimireddy et al., Figure 4", data=("a1a",), run=on_a1a(1, 400), draw=draw_six,
        claims=claims_of_a1a(), seconds=(4, 15),
    ),
)  # fmt: skip
