"""Freund, Grigas, Mazumder, Figures 2, 7 and 8: profiles of coefficients on prostate cancer, all
rows and ten rows with interactions.

The paper does not say which ten rows it uses, nor whether products are those of raw or standardised
predictors. So verdicts are over 33 random choices of rows, for both kinds; pictures show the first
choice.
"""

import numpy as np

import coordboost as cb
from coordboost.reporting.plots.drawing import COLOURS, STYLES
from verification.experiments.drawing import LINES, name_axes
from verification.experiments.experiment import Claim, Experiment, Table, means, reference, says
from verification.experiments.fgm_data import INTERACTIONS, interactions, problem_of, ten_rows
from verification.experiments.fgm_runs import Lasso, profile, reached, steps_of
from verification.experiments.judge import fact, most, near

ALL = "97 x 8"
TEN = {kind: f"10 x 44, {kind} products" for kind in INTERACTIONS}


def problems(data, quick):
    """Yield (name, seed, problem): all rows once, and 33 choices of ten rows for each kind of
    products (quick: 3).
    """
    yield ALL, 0, problem_of(data.X, data.y)
    for kind, name in TEN.items():
        for seed in range(3 if quick else 33):
            yield name, seed, problem_of(*ten_rows(data, kind, seed))


def curve(seen, **row):
    """Yield a row for each model of a profile: l1 norm, error, coefficients."""
    for l1, error, beta in zip(*seen, strict=True):
        coefficients = {f"b{j + 1}": float(b) for j, b in enumerate(beta)}
        yield {"kind": "curve", **row, "l1": float(l1), "error": float(error), **coefficients}


def against(lasso, seen):
    """Return how far the coefficients and errors of models are from the Lasso of the same l1
    norm.
    """
    l1, error, beta = seen
    best = (
        np.array([lasso.problem.value(lasso.problem.combine(one)) for one in lasso.at(l1)])
        / lasso.problem.start_loss
    )
    inside = l1 <= lasso.end
    return {
        "off": float(lasso.off(beta).max()),
        "largest": float(np.abs(lasso.beta).max()),
        "above": float((error - best).max()),
        "below": float((best - error)[inside].max()),
        "reach": float(l1.max() / lasso.end),
    }


def contestants(lasso, quick):
    """Return name -> (method, number of steps) of Figures 2 and 9.

    The full form has a tenth of the eps of FS.
    """
    eps = 1e-4 if quick else 1e-5
    far = 1.2 if lasso.problem.n_samples > 10 else 3
    return {
        "LS-Boost(0.01)": (cb.ls_boost(0.01), 20_000 if quick else 200_000),
        f"FS({eps:g})": (cb.forward_stagewise(eps), round(far * lasso.end / eps)),
    }


def profiles(sets, quick):
    """Compute Figure 2: all paths for the first choice of rows.

    For all choices, how far LS-Boost and FS are from the Lasso.
    """
    (data,) = sets.values()
    rows = [
        {
            "kind": "whole",
            "data": kind,
            "end": Lasso(problem).end * np.linalg.norm(data.y - data.y.mean()),
        }
        for kind in INTERACTIONS
        for problem in [problem_of(interactions(data.X, kind), data.y)]
    ]
    for name, seed, problem in problems(data, quick):
        lasso = Lasso(problem)
        if seed == 0:
            rows += curve(lasso.profile(), data=name, method="Lasso")
        for method, (one, n_steps) in contestants(lasso, quick).items():
            seen = profile(cb.solve(problem, one, n_steps), steps_of(n_steps).tolist())
            one = {"data": name, "method": method.partition("(")[0], "seed": seed}
            rows.append(
                {
                    "kind": "run",
                    **one,
                    **against(lasso, seen),
                    "end": lasso.end,
                    "monotone": lasso.monotone(),
                }
            )
            if seed == 0:
                rows += curve(seen, data=name, method=method)
    return Table(rows)


def runs(table, data, method, column):
    """Return `column` for all choices of rows."""
    return table.where(kind="run", data=data, method=method)[column].astype(float)


def alike(table):
    """Whether LS-Boost and FS on all rows are everywhere within 1 % of the largest coefficient from
    the Lasso.
    """
    off = [
        float(runs(table, ALL, one, "off")[0] / runs(table, ALL, one, "largest")[0])
        for one in ("LS-Boost", "FS")
    ]
    return fact(
        max(off) <= 0.01,
        f"LS-Boost {off[0]:.2%}, FS {off[1]:.3%} of the largest coefficient",
        "at most 1 %",
    )


def differs(data, method):
    """Whether some coefficient differs from the Lasso by 5 % of the largest coefficient, for all
    choices of rows.
    """

    def judge(table):
        off = runs(table, data, method, "off") / runs(table, data, method, "largest")
        sentence = f"{off.min():.1%} to {off.max():.0%} of the largest coefficient"
        return fact(
            (off >= 0.05).all(), sentence, f"{(off >= 0.05).sum()} of {len(off)} at least 5 %"
        )

    return judge


def median_inside(column, low, high):
    """Whether the median over our choices of rows is in the range of eleven other choices (raw
    products, FS).
    """

    def judge(table):
        ours = runs(table, TEN["raw"], "FS", column)
        middle = float(np.median(ours))
        return fact(
            low <= middle <= high, f"{ours.min():.3g} to {ours.max():.3g}, median {middle:.3g}"
        )

    return judge


def turns(data, wanted):
    """Whether the Lasso's path is monotone for all choices of rows.

    If `wanted` is False, for none.
    """

    def judge(table):
        found = runs(table, data, "FS", "monotone") == 1
        return fact((found == wanted).all(), f"monotone on {found.sum()} of {len(found)}")

    return judge


def overshoots(data):
    """Whether the l1 norm of FS exceeds delta_max (that of the smallest least-squares solution)
    somewhere, for all choices of rows.
    """

    def judge(table):
        reach = runs(table, data, "FS", "reach")
        sentence = f"{reach.min():.3f} to {reach.max():.3f} times delta_max"
        return fact((reach > 1.001).all(), sentence, f"{(reach > 1.001).sum()} of {len(reach)}")

    return judge


def draw_coefficients(axis, part):
    """Draw a line for each coefficient that is not always 0."""
    for j in range(len(part.columns)):
        values = part[f"b{j + 1}"]
        if np.nanmax(np.abs(values), initial=0) > 0:
            style = STYLES[j // len(COLOURS) % len(STYLES)]
            axis.plot(
                part["l1"], values, color=COLOURS[j % len(COLOURS)], linestyle=style, linewidth=1.3
            )


def draw_profiles(figure, table):
    """Draw a row for each table and a column for each method; the end of the Lasso is marked."""
    names = table.where(kind="curve").values("data")
    figure.set_size_inches(12, 3.4 * len(names))
    axes = figure.subplots(len(names), 3, sharey="row", sharex="row")
    for row, name in zip(axes, names, strict=True):
        subset = table.where(kind="curve", data=name)
        for axis, method in zip(row, subset.values("method"), strict=True):
            draw_coefficients(axis, subset.where(method=method))
            axis.axvline(
                subset.where(method="Lasso")["l1"].max(),
                color="#888888",
                linewidth=0.8,
                linestyle=":",
            )
            name_axes(
                axis,
                "l1 norm, target of norm 1",
                "coefficient" if axis is row[0] else "",
                f"{method}: {name}",
            )
            axis.title.set_size(9)


EPS = 1e-4
RADII = {ALL: (0.99, 0.91, 0.81), **dict.fromkeys(TEN.values(), (0.44, 0.37, 0.33))}


#: Steps of Figure 8, as the paper says. With eps = 1e-4 the l1 norm of FS is at most 10 then; R-FS
#: may still be on its way to the radius.
N_STEPS = 100_000


def n_steps_of(delta):
    """Return the number of steps of Figure 7: that of the paper, or more, so that about e^-10 of
    the way to the radius is left.
    """
    return max(N_STEPS, round(10 * delta / EPS))


def regularized(sets, quick):
    """Compute Figure 8: profiles of FS and of R-FS for three radii, and distances of R-FS from the
    Lasso and from FS.
    """
    (data,), rows = sets.values(), []
    for name, seed, problem in problems(data, quick):
        lasso = Lasso(problem)
        free = profile(
            cb.solve(problem, cb.forward_stagewise(EPS), N_STEPS), steps_of(N_STEPS, 1000).tolist()
        )
        found = {"FS": (np.inf, free)}
        for share in RADII[name]:
            delta = share * lasso.end
            run = cb.solve(problem, cb.regularized_forward_stagewise(EPS, delta), N_STEPS)
            seen = found[f"R-FS, delta = {share:g} delta_max"] = (
                delta,
                profile(run, steps_of(run.n_steps, 400).tolist()),
            )
            corr = problem.scan(problem.resid(problem.combine(run.beta)))
            omega = float(np.abs(corr).max() - corr @ run.beta / delta)
            rows.append(
                {
                    "kind": "run",
                    "data": name,
                    "seed": seed,
                    "delta": share,
                    **against(lasso, seen[1]),
                    **near_free(free, seen[1], delta),
                    "last": float(np.abs(run.beta).sum() / delta),
                    "omega": omega,
                    "norm bound": float(
                        cb.theory.bounds.regularized.l1(eps=EPS, delta=delta, k=N_STEPS) / delta
                    ),
                    "end off": float(np.abs(run.beta - lasso.at([delta])[0]).max()),
                }
            )
        if seed == 0:
            rows += curve(lasso.profile(), data=name, method="Lasso")
            for method, (delta, seen) in found.items():
                rows += curve(seen, data=name, method=method, delta=delta)
    return Table(rows)


def near_free(free, seen, delta):
    """Return the largest distances of R-FS from FS of the same l1 norm, for norms in the first and
    in the second half of the radius.
    """
    order = np.argsort(free[0], kind="stable")
    l1 = seen[0]
    beta = seen[2]
    other = np.column_stack([np.interp(l1, free[0][order], one[order]) for one in free[2].T])
    off = np.abs(beta - other).max(axis=1)
    return {
        "first half": float(off[l1 <= delta / 2].max()),
        "second half": float(off[l1 > delta / 2].max()),
    }


def all_alike(table):
    """Whether R-FS on all rows is everywhere within 1.5e-4 of the Lasso (our reference: 0.0001)."""
    off = table.where(kind="run", data=ALL)["off"].astype(float)
    return fact(off.max() < 1.5e-4, f"{off.min():.2g} to {off.max():.2g}", "below .00015")


def constrained(data, share):
    """Whether R-FS is further from FS in the second half of its radius than in the first, for most
    choices of rows.
    """

    def judge(table):
        subset = table.where(kind="run", data=data, delta=share)
        first = subset.by("seed", "first half")
        second = subset.by("seed", "second half")
        sentence = (
            f"distance {np.median(first):.2g} in the first half of the radius, "
            f"{np.median(second):.2g} in the second (medians)"
        )
        return most(second > first, sentence)

    return judge


def ends_at_radius(data, share):
    """Whether the l1 norm of the last model is at most delta, and within 1 % of it, for most
    choices of rows.
    """

    def judge(table):
        last = table.where(kind="run", data=data, delta=share)["last"].astype(float)
        sentence = f"{last.min():.5f} to {last.max():.5f} of delta"
        inside = (last > 0.99) & (last <= 1 + 1e-9)
        return fact(inside.all(), sentence) if data == ALL else most(inside, sentence)

    return judge


def ends_are_solutions(data, share):
    """Whether the last model solves the Lasso approximately: omega <= 2 eps, the limit in Theorem
    4.1, for most choices of rows.
    """

    def judge(table):
        subset = table.where(kind="run", data=data, delta=share)
        omega = subset["omega"].astype(float)
        off = subset["end off"].astype(float)
        sentence = (
            f"omega {omega.min():.2g} to {omega.max():.2g}, coefficients off by "
            f"{off.max():.2g} at most"
        )
        return (
            fact((omega <= 2 * EPS).all(), sentence, "omega <= 2 eps")
            if data == ALL
            else most(omega <= 2 * EPS, sentence)
        )

    return judge


def draw_regularized(figure, table):
    """Draw a row for each table and a column for FS and each radius.

    The Lasso's solution at the radius is marked.
    """
    names = table.where(kind="curve").values("data")
    figure.set_size_inches(14, 3.4 * len(names))
    for row, name in zip(figure.subplots(len(names), 4, sharey="row"), names, strict=True):
        subset = table.where(kind="curve", data=name)
        lasso = subset.where(method="Lasso")
        for axis, method in zip(row, subset.values("method")[1:], strict=True):
            seen = subset.where(method=method)
            draw_coefficients(axis, seen)
            delta = min(seen["delta"].max(), lasso["l1"].max())
            marks = [
                np.interp(delta, lasso["l1"], lasso[b]) for b in lasso.columns if b.startswith("b")
            ]
            axis.plot(
                [delta] * len(marks),
                marks,
                "o",
                color="black",
                markersize=3,
                markerfacecolor="white",
            )
            axis.axvline(delta, color="#888888", linewidth=0.8, linestyle=":")
            name_axes(
                axis,
                "l1 norm, target of norm 1",
                "coefficient" if axis is row[0] else "",
                f"{method}\n{name}",
            )
            axis.title.set_size(9)


SHARES = (0.99, 0.91, 0.81, 0.6, 0.44, 0.37, 0.33)


def on_the_way(sets, quick):
    """Compute Figure 7: norm and error of R-FS for seven radii, and the bounds of Theorem 4.1."""
    (data,), rows = sets.values(), []
    for name, seed, problem in problems(data, quick):
        if name == ALL:
            continue
        lasso = Lasso(problem)
        known = cb.theory.bounds.Constants.of(problem)
        for share in SHARES:
            delta = share * lasso.end
            run = cb.solve(problem, cb.regularized_forward_stagewise(EPS, delta), n_steps_of(delta))
            at = steps_of(run.n_steps, 400)
            l1, error, _ = profile(run, at.tolist())
            best = problem.value(problem.combine(lasso.at([delta])[0])) / problem.start_loss
            bounds = {
                "l1 bound": cb.theory.bounds.regularized.l1(eps=EPS, delta=delta, k=at) / delta,
                "error bound": best
                + cb.theory.bounds.regularized.excess(known, eps=EPS, delta=delta, k=at)
                / problem.start_loss,
            }
            ninth, next_ninth = (
                at[min(reached(1 - l1 / delta, left), len(at) - 1)] for left in (0.1, 0.01)
            )
            rows.append(
                {
                    "kind": "run",
                    "data": name,
                    "seed": seed,
                    "delta": share,
                    "tenth": int(ninth),
                    "hundredth": int(next_ninth),
                    "arrived": bool(l1[-1] / delta > 0.99),
                    "over l1": float((l1 / delta - bounds["l1 bound"]).max()),
                    "over error": float(
                        (np.minimum.accumulate(error) - bounds["error bound"]).max()
                    ),
                    "loose": float(
                        (bounds["error bound"][-1] - best) / max(error[-1] - best, 1e-16)
                    ),
                }
            )
            if seed == 0:
                rows += (
                    {
                        "kind": "curve",
                        "data": name,
                        "seed": 0,
                        "delta": share,
                        "step": int(k),
                        "end": lasso.end,
                        "l1": a,
                        "error": b,
                        **{column: float(values[i]) for column, values in bounds.items()},
                    }
                    for i, (k, a, b) in enumerate(
                        zip(at, (l1 / lasso.end).tolist(), error.tolist(), strict=True)
                    )
                )
    return Table(rows)


def geometric(table):
    """Whether delta - l1 falls from 1/10 to 1/100 in at most sqrt(10) times the steps of the first
    factor of ten.

    The ratio is 1 for geometric convergence, and about 10 for a rate of 1 / k.
    """
    subset = table.where(kind="run")
    ratio = (subset["hundredth"] - subset["tenth"]) / subset["tenth"]
    good = (subset["arrived"] == 1) & (ratio <= np.sqrt(10))
    return fact(
        good.all(),
        f"{ratio.min():.2f} to {ratio.max():.2f} times as many",
        f"{good.sum()} of {len(good)} at most 3.16",
    )


def holds(column, words):
    """Whether a bound holds at every step."""

    def judge(table):
        over = table.where(kind="run")[column].astype(float).max()
        loose = np.median(table.where(kind="run")["loose"].astype(float))
        return fact(over <= 1e-9, f"at most {over:.1g} above", words.format(loose))

    return judge


def draw_on_the_way(figure, table):
    """Draw norm, error and the first part of the error, a row for each kind of products.

    Lines are runs, dots are bounds.
    """
    subset = table.where(kind="curve")
    names = subset.values("data")
    figure.set_size_inches(13, 3.8 * len(names))
    axes = figure.subplots(len(names), 3)
    for row, name in zip(axes, names, strict=True):
        for share, (colour, _) in zip(SHARES, LINES, strict=False):
            one = subset.where(data=name, delta=share)
            pairs = (
                (one["l1"], one["l1 bound"] * share),
                (one["error"], one["error bound"]),
                (one["error"], one["error bound"]),
            )
            for axis, (run, bound) in zip(row, pairs, strict=True):
                axis.plot(
                    one["step"] / 1000,
                    run,
                    color=colour,
                    linewidth=1.5,
                    label=f"delta = {share:g} delta_max",
                )
                axis.plot(one["step"] / 1000, bound, color=colour, linewidth=1, linestyle=":")
        name_axes(row[0], "1000 steps", "l1 norm / delta_max", name)
        name_axes(
            row[1], "1000 steps", "training error / initial error", "run (line) and bound (dots)"
        )
        name_axes(row[2], "1000 steps", "", "the same, first steps")
        row[1].set_ylim(-0.05, 1.5)
        row[2].set(ylim=(-0.05, 1.5), xlim=(0, subset["step"].max() / 20_000))
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False)


def end_is(kind, end):
    """Whether delta_max of all rows with these products is that of our reference, for the unscaled
    target.
    """
    return lambda table: near(float(table.where(kind="whole", data=kind)["end"][0]), end, 0.005001)


EXPERIMENTS = (
    Experiment(
        name="fgm_figure2",
        source="Freund, Grigas, Mazumder, Figure 2",
        data=("prostate",),
        run=profiles,
        draw=draw_profiles,
        seconds=(2, 9),
        about="The ten rows are drawn by seed, 33 times, with products of raw or of standardised "
        "columns: the paper does not say "
        "which. The target has norm 1.",
        claims=(
            Claim(f"{ALL}: the three panels are alike", alike, means("alike")),
            *(
                Claim(
                    f"{name}: the Lasso differs from {method}",
                    differs(name, method),
                    means("differs"),
                )
                for name in TEN.values()
                for method in ("FS", "LS-Boost")
            ),
            Claim(f"{ALL}: the Lasso's path is monotone", turns(ALL, True), reference()),
            *(
                Claim(f"{name}: the Lasso's path is not monotone", turns(name, False), reference())
                for name in TEN.values()
            ),
            *(
                Claim(f"{name}: FS overshoots delta_max", overshoots(name), reference())
                for name in TEN.values()
            ),
            Claim(
                "raw products: FS is off in some coefficient by",
                median_inside("off", 0.1, 0.86),
                reference(".1 to .86"),
            ),
            Claim(
                "raw products: ... in relative training error by",
                median_inside("above", 0.0004, 0.023),
                reference(".0004 to .023"),
            ),
            Claim(
                "raw products: delta_max for a target of norm 1",
                median_inside("end", 1.9, 7.3),
                reference("1.9 to 7.3"),
            ),
            *(
                Claim(
                    f"97 x 44, {kind} products: delta_max", end_is(kind, end), reference(f"{end}")
                )
                for kind, end in zip(INTERACTIONS, (954.28, 136.83), strict=True)
            ),
        ),
    ),
    Experiment(
        name="fgm_figure7",
        source="Freund, Grigas, Mazumder, Figure 7",
        data=("prostate",),
        run=on_the_way,
        draw=draw_on_the_way,
        seconds=(2, 18),
        about="The ten rows are drawn by seed, 33 times for each kind of products; four of the "
        "seven radii are ours, and so are "
        "steps beyond 100,000 where a path is longer.",
        claims=(
            Claim("the l1 norm tends to delta geometrically", geometric, means("geometrically")),
            Claim(
                "the l1 norm is below its bound at every step",
                holds("over l1", "Theorem 4.1 (iii)"),
                says("computational bounds"),
            ),
            Claim(
                "the smallest training error is below its bound at every step",
                holds(
                    "over error", "Theorem 4.1 (i), in the median {:.3g} times too large at the end"
                ),
                says("computational bounds"),
            ),
        ),
    ),
    Experiment(
        name="fgm_figure8",
        source="Freund, Grigas, Mazumder, Figure 8",
        data=("prostate",),
        run=regularized,
        draw=draw_regularized,
        seconds=(2, 14),
        about="eps = 1e-4 and 100,000 steps, as in the paper, for FS, too. The ten rows are drawn "
        "by seed, 33 times for each "
        "kind of products, and the target has norm 1; shares of choices have 95 % intervals. On "
        "raw products some R-FS are "
        "still on their way to the radius after 100,000 steps.",
        claims=(
            Claim(
                f"{ALL}: all profiles are alike, and equal to the Lasso",
                all_alike,
                means("all alike"),
            ),
            *(
                Claim(
                    f"{name}, delta = {share:g} delta_max: the path leaves that of FS near its end",
                    constrained(name, share),
                    means("constrained near its end"),
                )
                for name in TEN.values()
                for share in RADII[name]
            ),
            *(
                Claim(
                    f"{name}, delta = {share:g} delta_max: the last model is an approximate "
                    "solution of the Lasso, omega at most 2 eps",
                    ends_are_solutions(name, share),
                    means("approximate solutions"),
                )
                for name, some in RADII.items()
                for share in some
            ),
            *(
                Claim(
                    f"{name}, delta = {share:g} delta_max: the l1 norm of the last model is within "
                    "1 % of delta",
                    ends_at_radius(name, share),
                    reference(),
                )
                for name, some in RADII.items()
                for share in some
            ),
        ),
    ),
)
