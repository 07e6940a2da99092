"""The table and the picture of all worst cases."""

import math
from fractions import Fraction
from pathlib import Path

from verification.worst_case import chain, conjectures
from verification.worst_case.catalogue import CASES, EPS, paper_gamma
from verification.worst_case.interval import worst_case

THETAS = (Fraction(3, 10), Fraction(7, 10), Fraction(1))
STEPS = tuple(range(1, 9))
#: Numbers of steps with two groups, where 2^n draws are enumerated.
FEW = (1, 2, 3)
#: Wider intervals are listed below the table.
WIDE = 1e-4
ACCELERATED = ("agbm", "agbm_one", "agbm_minus", "vagbm")
LINES = {"printed": "-", "corrected": "--", "sharpened": ":"}


def all_intervals():
    """Return the intervals of all cases, step numbers and angles. *Cost*: about two minutes."""
    return [
        worst_case(name, n, theta)
        for name, case in CASES.items()
        for theta in (THETAS if case.angles else (Fraction(1),))
        for n in (FEW if name.startswith("random") else STEPS)
    ]


def conjectured(interval):
    """Return the closed form for an interval, or None where there is none."""
    n = interval.n
    complete = interval.theta == 1
    if complete and interval.name == "gbm":
        return conjectures.gbm_complete(n)
    if complete and interval.name in ACCELERATED:
        return conjectures.agbm_complete(
            n, paper_gamma(Fraction(1)) if interval.name == "agbm" else 1
        )
    if complete and interval.name == "gbm_strong":
        return conjectures.gbm_strong(n, Fraction(81, 100))
    if interval.name == "forward_stagewise" and n * EPS <= Fraction(1, 3):
        return conjectures.stagewise(n, EPS)
    return None


def proved(interval, form):
    """Return whether the closed form (for a complete class) is proved in fractions for this number
    of steps.
    """
    if interval.theta < 1 or interval.name not in ("gbm", *ACCELERATED):
        return False
    return chain.proved(CASES[interval.name].model(interval.n, interval.theta, Fraction(0))) == form


def page(file):
    """Write the table in Markdown, one row for each case, angle and kind of number.

    Return the intervals.
    """
    intervals = all_intervals()
    lines = [
        f"| case | Theta | | {' | '.join(f'n = {n}' for n in STEPS)} |",
        f"|---|---|---|{'---|' * len(STEPS)}",
    ]
    for key in dict.fromkeys((interval.name, interval.theta) for interval in intervals):
        rows = {
            interval.n: interval for interval in intervals if (interval.name, interval.theta) == key
        }
        theta = f"{float(key[1]):g}" if CASES[key[0]].angles else ""
        for kind in (*CASES[key[0]].bounds, "exact"):
            cells = (_cell(rows.get(n), kind) for n in STEPS)
            lines.append(f"| {key[0]} | {theta} | {kind} | {' | '.join(cells)} |")
    wide = [
        f"{interval.name}, Theta = {float(interval.theta):g}, n = {interval.n}"
        for interval in intervals
        if not interval.width <= WIDE
    ]
    lines += ["", f"Intervals wider than {WIDE:g}, or without a run: {'; '.join(wide)}.", ""]
    Path(file).write_text("\n".join(lines), encoding="utf-8")
    return intervals


def _cell(interval, kind):
    if interval is None:
        return ""
    if kind != "exact":
        return f"{interval.bounds[kind]:.5g}"
    return f"{interval.upper:.5f}" if interval.width <= WIDE else f"<= {interval.upper:.5f}"


def picture(intervals, file):
    """Draw worst cases and bounds against n, into a file beside the table; return its name."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    shown = ("gbm", "gbm_strong", "agbm", "ls_boost", "forward_stagewise", "frank_wolfe")
    figure, axes = plt.subplots(2, 3, figsize=(11, 6.2), constrained_layout=True)
    for name, panel in zip(shown, axes.flat, strict=True):
        _panel(panel, name, [interval for interval in intervals if interval.name == name])
    handles = [
        plt.Line2D([], [], color=colour, marker="o", ls="", label=words)
        for colour, words in _colours()
    ]
    handles += [
        plt.Line2D([], [], color="0.3", ls=style, label=f"bound as {variant}")
        for variant, style in LINES.items()
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=6, fontsize=8)
    name = str(Path(file).with_suffix(".png"))
    figure.savefig(name, dpi=110)
    plt.close(figure)
    return name


def _colours():
    return [
        (f"C{i}", f"worst case, Theta = {float(theta):g}" + (" (or any)" if theta == 1 else ""))
        for i, theta in enumerate(THETAS)
    ]


def _panel(panel, name, intervals):
    """Draw one method: worst cases as points, bounds as lines, a colour for each angle."""
    for i, theta in enumerate(THETAS):
        mine = [interval for interval in intervals if interval.theta == theta]
        panel.plot([one.n for one in mine], [one.upper for one in mine], "o", color=f"C{i}")
        for variant, style in LINES.items():
            values = [one.bounds.get(variant, math.nan) for one in mine]
            panel.plot([one.n for one in mine], values, style, color=f"C{i}")
    panel.set_title(name)
    panel.set_xlabel("steps n")
    panel.set_yscale("log")
