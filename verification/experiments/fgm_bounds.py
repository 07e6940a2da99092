"""Freund, Grigas, Mazumder, Figures 3, 6 and 10: the bounds of LS-Boost and FS, without runs and
data.
"""

from itertools import pairwise

import numpy as np

import coordboost as cb
from verification.experiments.drawing import legend_below, lines, name_axes
from verification.experiments.experiment import (
    Claim,
    Experiment,
    Table,
    means,
    prints,
    reference,
    says,
)
from verification.experiments.judge import every, fact, near

KAPPAS = {1.0: "synthetic", 25.0: "synthetic", 270.05: "leukemia"}
#: (kappa, eps) -> our reference for the l1 norm / A at the end of the profile of bounds.
ENDS = {
    (1.0, 1.0): 7.464,
    (1.0, 0.1): 4.160,
    (25.0, 1.0): 199.50,
    (25.0, 0.1): 105.21,
    (270.05, 1.0): 2159.90,
    (270.05, 0.1): 1137.00,
}
EPS = (1.0, 0.5, 0.1, 0.01)


def constants(kappa):
    """Return the constants of data with condition number `kappa` and A = 1."""
    return cb.theory.bounds.Constants(1.0, 1 / kappa, 1, 1)


def profile_of(kappa, eps):
    """Return the norms ell_k and errors gamma^k of (15) on a grid of k up to an error of 1e-6, and
    for k = infinity.
    """
    known = constants(kappa)
    last = 14 / -np.log1p(-cb.theory.bounds.ls_boost.decrease(known, eps))
    k = np.unique(np.append(np.geomspace(1, last, 150).round(), np.arange(4)))
    l1 = cb.theory.bounds.ls_boost.l1(known, eps, k)
    error = 2 * cb.theory.bounds.ls_boost.excess(known, eps=eps, k=k)
    end = float(cb.theory.bounds.ls_boost.l1_by_rate(known, eps=eps, k=np.inf))
    return np.append(l1, end), np.append(error, 0.0)


def profiles(sets, quick):
    """Compute the profiles of bounds.

    `x` is the norm divided by that where the profile of eps = 1 has come to a thousandth.
    """
    rows = []
    for kappa in KAPPAS:
        l1, error = profile_of(kappa, 1.0)
        longest = l1[np.argmax(error < 1e-3)]
        for eps in EPS:
            rows += (
                {
                    "kappa": kappa,
                    "eps": eps,
                    "seed": 0,
                    "l1": one,
                    "x": one / longest,
                    "error": other,
                }
                for one, other in zip(*map(np.ndarray.tolist, profile_of(kappa, eps)), strict=True)
            )
    return Table(rows)


def curve(table, x, y, **which):
    """Return two columns of one curve."""
    subset = table.where(**which)
    return subset[x], subset[y]


def lower_at_equal_norm(table):
    """Whether the curve of each eps lies nowhere above that of the next larger eps at equal l1
    norm, up to 1e-3.
    """
    above = []
    for kappa in KAPPAS:
        for large, small in pairwise(EPS):
            (x, y), (u, v) = (
                curve(table, "l1", "error", kappa=kappa, eps=eps) for eps in (large, small)
            )
            above.append(float((np.interp(x, u, v) - y).max()))
    return fact(
        max(above) <= 1e-3,
        f"at most {max(above):.2g} above",
        "nowhere above by 1e-3 of the initial error",
    )


def ends(kappa, eps, end):
    """Whether the largest norm of a curve is that of our reference, to its last digit."""
    return lambda table: near(
        table.where(kappa=kappa, eps=eps)["l1"].max(), end, 0.0005001 if end < 10 else 0.005001
    )


def draw_profiles(figure, table):
    """Draw a panel for each kappa."""
    figure.set_size_inches(12, 4.4)
    axes = figure.subplots(1, 3, sharey=True)
    for axis, (kappa, of) in zip(axes, KAPPAS.items(), strict=True):
        lines(axis, table.where(kappa=kappa), "x", "error", "eps", label="eps = {:g}")
        axis.set_xlim(0, 1)
        left = "bound on the training error" if kappa == 1 else ""
        name_axes(axis, "bound on the l1 norm / largest shown", left, f"kappa = {kappa:g} ({of})")
    legend_below(figure, axes[0])


FS_EPS = (0.1, 0.05, 0.01, 0.001)


def tradeoff(sets, quick):
    """Compute TBound of FS against SBound, for A = 1."""
    rows = []
    for kappa, until, panel in (
        (1.0, 20.0, "kappa = 1"),
        (270.05, 20.0, "leukemia, kappa = 270.05"),
        (270.05, 2.0, "leukemia, near 0"),
    ):
        known = constants(kappa)
        shrinkage = np.linspace(0, until, 201)
        for eps in FS_EPS:
            bound = cb.theory.bounds.stagewise.excess(known, eps=eps, k=shrinkage / eps)
            rows += (
                {"panel": panel, "eps": eps, "seed": 0, "SBound": s, "TBound": t}
                for s, t in zip(shrinkage.tolist(), bound.tolist(), strict=True)
            )
    return Table(rows)


def smaller_is_lower(table):
    """Whether the curve of each eps is below that of the next larger one wherever SBound >= A =
    1.
    """
    ordered = True
    before = []
    for panel in table.values("panel"):
        for large, small in pairwise(FS_EPS):
            (x, y), (_, v) = (
                curve(table, "SBound", "TBound", panel=panel, eps=eps) for eps in (large, small)
            )
            ordered &= bool((v < y)[x >= 1].all())
            before.append(float(x[np.argmax(v < y)]))
    return fact(
        ordered,
        f"lower from SBound = {min(before):.2f} A to {max(before):.2f} A on",
        "at every norm from A on",
    )


def except_near_zero(table):
    """Whether the order is reversed at SBound = 0."""
    first = [
        table.where(panel=panel, SBound=0.0).by("eps", "TBound") for panel in table.values("panel")
    ]
    return fact(
        all((np.diff(one) < 0).all() for one in first),
        f"TBound at 0 falls with eps by {first[0][0] / first[0][-1]:.3g}",
    )


def draw_tradeoff(figure, table):
    """Draw a panel for each condition number, and one of the start."""
    figure.set_size_inches(12, 4.4)
    axes = figure.subplots(1, 3)
    for axis, panel in zip(axes, table.values("panel"), strict=True):
        lines(axis, table.where(panel=panel), "SBound", "TBound", "eps", label="eps = {:g} A")
        name_axes(
            axis,
            "SBound: bound on the l1 norm / A",
            "TBound" if axis is axes[0] else "",
            panel,
            log_y=True,
        )
    legend_below(figure, axes[0])


def ratios(sets, quick):
    """Compute eta and theta of (42) and (43) for tau in (0, 1]."""
    # both curves are largest at the latter
    tau = np.union1d(np.linspace(0.001, 1, 1000), np.exp(-0.5))
    square = tau**2 * np.log(1 / tau**2)
    return Table(
        {"tau": t, "seed": 0, "ratio": name, "value": v}
        for name, values in (("eta: steps", square), ("theta: l1 norm", np.sqrt(square)))
        for t, v in zip(tau.tolist(), values.tolist(), strict=True)
    )


def below(name, limit):
    """Whether a curve stays below a limit; `name` : begin of its name."""

    def judge(table):
        value = table.where(
            ratio=next(one for one in table.values("ratio") if one.startswith(name))
        )["value"]
        return fact(value.max() < limit, f"at most {value.max():.5f}")

    return judge


def at(name, what, expected, within):
    """Whether the "place" of the maximum of a curve, or its value "at .1", is as expected.

    `name` : begin of the curve's name.
    """

    def judge(table):
        tau, value = curve(
            table,
            "tau",
            "value",
            ratio=next(one for one in table.values("ratio") if one.startswith(name)),
        )
        found = {"place": tau[value.argmax()], "at .1": np.interp(0.1, tau, value)}[what]
        return near(float(found), expected, within)

    return judge


def draw_ratios(figure, table):
    """Draw both curves with their maxima marked."""
    figure.set_size_inches(9, 4.2)
    for axis, name in zip(figure.subplots(1, 2), table.values("ratio"), strict=True):
        tau, value = curve(table, "tau", "value", ratio=name)
        lines(axis, table.where(ratio=name), "tau", "value", "ratio")
        k = value.argmax()
        axis.plot(tau[k], value[k], "o", color="#D55E00")
        axis.annotate(
            f"{value[k]:.4f} at tau = {tau[k]:.4f}",
            (0.5, 0.2),
            xycoords="axes fraction",
            ha="center",
        )
        name_axes(
            axis,
            "tau: target distance from least squares / A",
            "LS-Boost(1) / FS, by their bounds",
            name,
        )


EXPERIMENTS = (
    Experiment(
        name="fgm_figure3",
        source="Freund, Grigas, Mazumder, Figure 3",
        run=profiles,
        draw=draw_profiles,
        seconds=(0.1, 0.1),
        about="Bounds alone, for A = 1 and L* = 0. The axis of the l1 norm is scaled to the unit "
        "interval, as in the paper; it "
        "ends where the curve of eps = 1 has come to a thousandth, which is ours, and so are the "
        "steps eps.",
        claims=(
            Claim(
                "smaller eps has the lower curve at equal l1 norm",
                lower_at_equal_norm,
                means("lower curves"),
            ),
            *(
                Claim(
                    f"kappa = {kappa:g}, eps = {eps:g}: the l1 norm at the end / A",
                    ends(kappa, eps, end),
                    reference(f"{end:.6g}"),
                )
                for (kappa, eps), end in ENDS.items()
            ),
            Claim(
                "every curve begins at 1",
                lambda table: every(
                    near(float(table.where(kappa=kappa, eps=eps)["error"].max()), 1.0, 0)
                    for kappa in KAPPAS
                    for eps in EPS
                ),
                means("error bound 1 at the start"),
            ),
        ),
    ),
    Experiment(
        name="fgm_figure6",
        source="Freund, Grigas, Mazumder, Figure 6",
        run=tradeoff,
        draw=draw_tradeoff,
        seconds=(0.1, 0.1),
        about="Bounds alone, for A = 1; the four steps eps are ours.",
        claims=(
            Claim(
                "smaller eps is lower, once the bound on the l1 norm is A or more",
                smaller_is_lower,
                means("lower curves"),
            ),
            Claim(
                "... except at very small shrinkage: at 0 the order is reversed",
                except_near_zero,
                says("except for very small shrinkage levels"),
            ),
        ),
    ),
    Experiment(
        name="fgm_figure10",
        source="Freund, Grigas, Mazumder, Figure 10",
        run=ratios,
        draw=draw_ratios,
        seconds=(0.1, 0.1),
        about="The formulas, without rounding to whole numbers of steps; with rounding they "
        "are false.",
        claims=(
            Claim(
                "eta, the ratio of steps, is at most 1 / e",
                below("eta", 0.368),
                prints("1/e < 0.368 (Remark A.1)"),
            ),
            Claim(
                "theta, the ratio of l1 norms, is at most exp(-1/2)",
                below("theta", 0.607),
                prints("e^(-1/2) < 0.607 (Remark A.1)"),
            ),
            Claim("eta is largest at tau", at("eta", "place", 0.60653, 1e-5), reference(".60653")),
            Claim(
                "theta is largest at tau", at("theta", "place", 0.60653, 1e-5), reference(".60653")
            ),
            Claim("eta at tau = .1", at("eta", "at .1", 0.04605, 1e-5), reference(".04605")),
            Claim("theta at tau = .1", at("theta", "at .1", 0.21460, 1e-5), reference(".21460")),
        ),
    ),
)
