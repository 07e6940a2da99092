"""Freund, Grigas, Mazumder, Figures 1, 4 and 5: boosting on Gaussian designs with increasing
correlation of the columns. No data.
"""

from itertools import pairwise, product

import numpy as np

import coordboost as cb
from verification.experiments.drawing import legend_below, lines, name_axes
from verification.experiments.experiment import Claim, Experiment, Table, means, reference
from verification.experiments.fgm_data import gaussian, problem_of
from verification.experiments.fgm_runs import errors, norms, reached, steps_of
from verification.experiments.judge import every, fact, fewer, from_same, less, near

RHOS = (0.0, 0.5, 0.9)
#: Name -> (method, its eps, number of steps times eps).
CONTESTANTS = {
    "LS-Boost": (cb.ls_boost, (1.0, 0.5, 0.1, 0.01), 600),
    "FS": (cb.forward_stagewise, (1e-2, 1e-3, 1e-4), 15),
}


def decay(sets, quick):
    """Compute the curves of the first draw and, for all draws, the steps to 10 % and 1 % of the
    error and to 90 % of the l1 norm.
    """
    rows = []
    for seed, rho in product(range(6 if quick else 100), RHOS):
        draw = gaussian(seed, rho)
        problem = problem_of(draw.X, draw.y)
        for name, (method, some, far) in CONTESTANTS.items():
            for eps in some:
                run = cb.solve(problem, method(eps), round(far / eps))
                error = errors(run)
                l1 = norms(run)
                one = {"method": name, "rho": rho, "eps": eps, "seed": seed}
                rows.append(
                    {
                        **one,
                        "kind": "run",
                        "to 10 %": reached(error, 0.1),
                        "to 1 %": reached(error, 0.01),
                        "to norm": reached(-l1, -0.9 * l1.max()),
                    }
                )
                if seed == 0:
                    rows += (
                        {
                            **one,
                            "kind": "curve",
                            "step": int(k),
                            "error": error[k],
                            "l1": l1[k] / l1.max(),
                        }
                        for k in steps_of(run.n_steps)[1:]
                    )
    return Table(rows)


def steps(table, method, rho, eps, column):
    """Return the entries of `column`, by draw."""
    return table.where(kind="run", method=method, rho=rho, eps=eps).by("seed", column)


def later_for_smaller_eps(method, column):
    """Whether each eps takes more steps than the next larger one, for every rho."""
    return lambda table: every(
        fewer(steps(table, method, rho, large, column), steps(table, method, rho, small, column))
        for rho in RHOS
        for large, small in pairwise(CONTESTANTS[method][1])
    )


def later_for_larger_rho(method, column, some=None):
    """Whether each rho takes more steps than the next smaller one, for every eps (or those in
    `some`).
    """
    return lambda table: every(
        fewer(steps(table, method, one, eps, column), steps(table, method, other, eps, column))
        for eps in some or CONTESTANTS[method][1]
        for one, other in pairwise(RHOS)
    )


def three_draws(method, eps, column, ranges):
    """Whether the ranges of three draws, our reference, fit the distribution of our draws, for each
    rho.
    """
    return lambda table: every(
        from_same(steps(table, method, rho, eps, column), *ends)
        for rho, ends in zip(RHOS, ranges, strict=True)
    )


def draw_decay(figure, table):
    """Draw errors above and norms below, a column for each method and rho."""
    figure.set_size_inches(15, 6)
    curves = table.where(kind="curve")
    axes = figure.subplots(2, 6, sharex="col", sharey=True)
    for column, (name, rho) in zip(axes.T, product(CONTESTANTS, RHOS), strict=True):
        for axis, what in zip(column, ("error", "l1"), strict=True):
            lines(axis, curves.where(method=name, rho=rho), "step", what, "eps", label="eps = {:g}")
        name_axes(column[0], "", "", f"{name}, rho = {rho:g}", log_x=True)
        name_axes(column[1], "steps", "", log_x=True)
    axes[0, 0].set_ylabel("training error / initial error")
    axes[1, 0].set_ylabel("l1 norm / largest")
    for axis in axes[0, ::5]:
        axis.legend(frameon=False, fontsize=8)


P_GRID = (100, 200, 500, 1000, 2000)
TEN = tuple(k / 10 for k in range(10))
#: Our reference: gamma for the p of ``P_GRID`` at three rho, and lambda_pmin at p = 500.
GAMMAS = {
    0.0: (0.99947, 0.99859, 0.99743, 0.99674, 0.99633),
    0.5: (0.99971, 0.99924, 0.99875, 0.99852, 0.99819),
    0.9: (0.99995, 0.99987, 0.99976, 0.99966, 0.99964),
}
LEAST = {0.0: 5.1, 0.5: 2.5, 0.9: 0.49}


def rates(sets, quick):
    """Compute gamma of LS-Boost(1) and lambda_pmin of 50 x p designs."""
    rows = []
    sizes = P_GRID if quick else (75, 100, 150, 200, 300, 500, 750, 1000, 1500, 2000)
    for p, rho, seed in product(sizes, TEN, range(5 if quick else 50)):
        draw = gaussian(seed, rho, p=p)
        found = cb.theory.bounds.Constants.of(cb.Problem(draw.X, draw.y))
        gamma = 1 - float(cb.theory.bounds.ls_boost.decrease(found, 1.0))
        rows.append(
            {"p": p, "rho": rho, "seed": seed, "gamma": gamma, "lambda_pmin": found.lambda_pmin}
        )
    return Table(rows)


def rate(table, p, rho, column="gamma"):
    """Return `column` for all draws with this p and rho."""
    return table.where(p=p, rho=rho).by("seed", column)


def falls(table):
    """Whether gamma falls from each p of the grid to the next."""
    return every(
        less(rate(table, q, rho), rate(table, p, rho)) for rho in TEN for p, q in pairwise(P_GRID)
    )


def flattens(table, widths=(1, 1)):
    """Whether gamma falls less from p = 1000 to 2000 than from 100 to 200.

    Falls are divided by `widths`.
    """
    (one, other), pairs = widths, ((1000, 2000), (100, 200))
    falls = ([rate(table, p, rho) - rate(table, q, rho) for p, q in pairs] for rho in TEN)
    return every(less(late / one, early / other) for late, early in falls)


def grows(table):
    """Whether gamma is larger for each rho than for the next smaller one."""
    return every(
        less(rate(table, p, one), rate(table, p, other))
        for p in P_GRID
        for one, other in pairwise(TEN)
    )


def near_one(table):
    """Whether every gamma is above 0.99."""
    low = table["gamma"].min()
    high = table["gamma"].max()
    return fact(low > 0.99, f"{low:.5f} to {high:.5f}", "all above 0.99")


def mean_is(column, p, rho, expected, within):
    """Whether the mean over the draws is that of our reference."""
    return lambda table: near(float(rate(table, p, rho, column).mean()), expected, within)


def draw_rates(figure, table):
    """Draw gamma left and lambda_pmin right, a curve for each rho, from light to dark."""
    from matplotlib import colormaps

    figure.set_size_inches(11, 4.8)
    for axis, column in zip(figure.subplots(1, 2), ("gamma", "lambda_pmin"), strict=True):
        for rho in TEN:
            subset = table.where(rho=rho)
            at = subset.values("p")
            axis.plot(
                at,
                [subset.where(p=p)[column].mean() for p in at],
                color=colormaps["viridis_r"](0.1 + rho),
                label=f"rho = {rho:g}",
            )
        name_axes(
            axis, "p, for n = 50", "", column if column == "lambda_pmin" else "gamma of LS-Boost(1)"
        )
    legend_below(figure, axis, 5)


#: Steps that are drawn, up to residuals of about 1e-11 of the target; steps in which distinct
#: coordinates are counted. From about step 320 (rho = 0) or 500 (rho = .5) on, the residual is
#: rounding error, and so is the choice of the coordinate.
SHOWN, COUNTED = 300, 1000


def updates(sets, quick):
    """Compute the updates of the first draw, coordinates ranked by their number of updates.

    For all draws, how many and how long.
    """
    rows = []
    for seed, rho in product(range(6 if quick else 100), RHOS):
        draw = gaussian(seed, rho)
        learner = cb.solve(problem_of(draw.X, draw.y), cb.ls_boost(1.0), COUNTED).path.learner
        row = {"kind": "run", "rho": rho, "seed": seed, "distinct": len(np.unique(learner))}
        learner = learner[:SHOWN]
        found, first, inverse, count = np.unique(
            learner, return_index=True, return_inverse=True, return_counts=True
        )
        last = SHOWN - 1 - np.unique(learner[::-1], return_index=True)[1]
        rows.append({**row, "times": SHOWN / len(found), "span": float((last - first + 1).mean())})
        if seed == 0:
            place = np.argsort(np.argsort(-count, kind="stable"))[inverse]
            rows += (
                {"kind": "update", "rho": rho, "step": k + 1, "row": int(at)}
                for k, at in enumerate(place)
            )
    return Table(rows)


def larger_with_rho(column):
    """Whether `column` of the updates is larger for each rho than for the next smaller one."""

    def judge(table):
        of = [table.where(kind="run", rho=rho).by("seed", column) for rho in RHOS]
        return every(fewer(one, other) for one, other in pairwise(of))

    return judge


def distinct(rho, low, high):
    """Whether the number of updated coordinates fits the range `low` to `high` of three draws, our
    reference.
    """
    return lambda table: from_same(table.where(kind="run", rho=rho)["distinct"], low, high)


def draw_updates(figure, table):
    """Draw a mark for each update."""
    figure.set_size_inches(12, 4.6)
    axes = figure.subplots(1, 3, sharey=True)
    for axis, rho in zip(axes, RHOS, strict=True):
        subset = table.where(kind="update", rho=rho)
        axis.plot(subset["step"], subset["row"] + 1, "s", markersize=2, color="#0072B2")
        name_axes(axis, "step", "", f"rho = {rho:g}: {len(subset.values('row'))} coordinates")
    axes[0].set_ylabel("coordinate, most updated at the bottom")


EXPERIMENTS = (
    Experiment(
        name="fgm_figure1",
        source="Freund, Grigas, Mazumder, Figure 1",
        run=decay,
        draw=draw_decay,
        seconds=(4, 55),
        about="100 draws of 50 x 500 tables. The steps eps are ours; errors are divided by the "
        "initial one, l1 norms by the largest one of each run, and steps have a logarithmic axis.",
        claims=(
            *(
                Claim(
                    f"{name}: the error decays later for smaller eps (steps to 10 %)",
                    later_for_smaller_eps(name, "to 10 %"),
                    means("later"),
                )
                for name in CONTESTANTS
            ),
            Claim(
                "LS-Boost: ... and for larger rho, in the tail (steps to 1 %)",
                later_for_larger_rho("LS-Boost", "to 1 %"),
                means("later"),
            ),
            Claim(
                "FS: ... and for larger rho, in the tail (steps to 1 %, eps at most 1e-3)",
                later_for_larger_rho("FS", "to 1 %", (1e-3, 1e-4)),
                means("later"),
            ),
            *(
                Claim(
                    f"{name}: the l1 norm mirrors it: 90 % of the largest later for smaller eps",
                    later_for_smaller_eps(name, "to norm"),
                    means("mirrored"),
                )
                for name in CONTESTANTS
            ),
            *(
                Claim(
                    f"{name}: ... and for larger rho",
                    later_for_larger_rho(name, "to norm"),
                    means("mirrored"),
                )
                for name in CONTESTANTS
            ),
            Claim(
                "LS-Boost(1): steps to 10 % for rho = 0, .5, .9 as in three draws",
                three_draws("LS-Boost", 1.0, "to 10 %", ((11, 14), (12, 16), (37, 50))),
                reference("11-14, 12-16, 37-50"),
            ),
            Claim(
                "... to 1 %",
                three_draws("LS-Boost", 1.0, "to 1 %", ((23, 29), (32, 37), (124, 135))),
                reference("23-29, 32-37, 124-135"),
            ),
            Claim(
                "LS-Boost(.01): ... to 10 %",
                three_draws(
                    "LS-Boost", 0.01, "to 10 %", ((1140, 1430), (1010, 2060), (6480, 9770))
                ),
                reference("1140-1430, 1010-2060, 6480-9770"),
            ),
            Claim(
                "FS(.001): ... to 10 %",
                three_draws("FS", 1e-3, "to 10 %", ((2090, 2275), (1590, 2510), (3230, 5000))),
                reference("2090-2275, 1590-2510, 3230-5000"),
            ),
        ),
    ),
    Experiment(
        name="fgm_figure4",
        source="Freund, Grigas, Mazumder, Figure 4",
        run=rates,
        draw=draw_rates,
        seconds=(1.5, 21),
        about="50 draws of 50 x p tables for each of ten rho; the numbers of columns p are ours.",
        claims=(
            Claim("gamma is close to 1", near_one, means("close to 1")),
            Claim("gamma falls with p", falls, means("falling curves")),
            Claim(
                "... then flattens: its decrease per added column is less from 1000 to 2000 than "
                "from 100 to 200",
                lambda table: flattens(table, (1000, 100)),
                means("flat curves"),
            ),
            Claim(
                "... its decrease is less from 1000 to 2000 than from 100 to 200",
                flattens,
                reference(),
            ),
            Claim("gamma is larger for larger rho", grows, means("ordered curves")),
            *(
                Claim(
                    f"gamma at rho = {rho:g}, p = {p}",
                    mean_is("gamma", p, rho, one, 2e-4),
                    reference(f"{one}"),
                )
                for rho, row in GAMMAS.items()
                for p, one in zip(P_GRID, row, strict=True)
            ),
            *(
                Claim(
                    f"lambda_pmin at rho = {rho:g}, p = 500, to 10 %",
                    mean_is("lambda_pmin", 500, rho, one, 0.1 * one),
                    reference(f"{one}"),
                )
                for rho, one in LEAST.items()
            ),
        ),
    ),
    Experiment(
        name="fgm_figure5",
        source="Freund, Grigas, Mazumder, Figure 5",
        run=updates,
        draw=draw_updates,
        seconds=(0.6, 4),
        about="100 draws of 50 x 500 tables. The number of distinct coordinates is no property of "
        "the method: after some 320 of 1000 steps the residual is only rounding, and so is the "
        "choice of the coordinate.",
        claims=(
            Claim(
                "larger rho: each coordinate that is updated is updated more often",
                larger_with_rho("times"),
                means("longer lines"),
            ),
            Claim(
                "larger rho: ... and for longer, from its first to its last update",
                larger_with_rho("span"),
                means("long-lasting updates"),
            ),
            *(
                Claim(
                    f"rho = {rho:g}: distinct coordinates in 1000 steps as in three draws",
                    distinct(rho, *ends),
                    reference("{} to {}".format(*ends)),
                )
                for rho, ends in zip(RHOS, ((334, 345), (279, 287), (125, 141)), strict=True)
            ),
        ),
    ),
)
