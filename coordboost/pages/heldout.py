"""What rows held out say of the run: the error there, with its curve over the number of steps."""

import math

import numpy as np

from coordboost.pages.sections import html_table, html_text
from coordboost.pages.style import axis, line, round_values, to_picture
from coordboost.plots.path import COLOURS

#: Width, height of a curve, room to the left and to the right; of the broad and of the narrow picture.
SIZES = {"broad": (860, 220, 62, 30), "narrow": (380, 190, 50, 14)}
GAP, FOOT = 26, 38
#: The axis of the steps is logarithmic where the chosen one lies within this part of it.
LEFT = 0.07


def _values(run, held):
    """What was measured of this model and of the constant one: (name, this, constant), each in words."""
    at, k = np.array(held["at"]), run.n_steps
    here = int(np.argmin(np.abs(at - k)))
    mean, error, curves = held["mean"], held["error"], held["measures"]
    rows = []
    if "accuracy" in curves:
        rows.append(("accuracy", *(f"{100 * curves['accuracy'][i]:.3g} %" for i in (here, 0))))
    if "AUC" in curves:
        rows.append(("AUC", *(f"{curves['AUC'][i]:.3g}" for i in (here, 0))))
    if run.problem.loss.quadratic:
        rows.append(("root mean squared error", *(f"{math.sqrt(max(2 * mean[i], 0.0)):.5g}" for i in (here, 0))))
    rows.append(("mean loss", *(f"{mean[i]:.5g} \u00b1 {error[i]:.2g}" for i in (here, 0))))
    if mean[0] > 0:
        rows.append(("part of the loss explained", f"{100 * (1 - mean[here] / mean[0]):.3g} %", "0 %"))
    return rows


def heldout_words(run, held):
    """One sentence for the result of the page; nothing where no rows were held out."""
    if held is None:
        return ""
    said = ", ".join(f"{name} {value}" for name, value, _ in _values(run, held)[:2])
    return html_text(f"On rows held out ({held['folds']} folds): {said}.")


def heldout_part(run, held):
    """How the steps were chosen, what was measured, and the curves."""
    at, mean = held["at"], np.array(held["mean"])
    best = at[int(np.argmin(mean))]
    words = f"{run.n_steps:,} of 0 to {held['steps']:,} steps, by cross-validation with {held['folds']} folds"
    rule = {
        "best": "the smallest mean loss on rows held out",
        "one-se": "the fewest within one standard error of the smallest mean loss",
    }
    said = [f"{words}: {rule[held['choose']]}." if held["choose"] else f"{words}."]
    if best == held["steps"] > 0:
        said.append("The smallest error is at the last step that was tried: more steps may be better.")
    said.append(
        "Each row was held out once: the model that judged it had not seen it. The numbers are a little too good, as the same rows chose "
        "the number of steps."
    )
    pictures = "\n".join(_picture(kind, run, held) for kind in SIZES)
    below = " Below: accuracy (blue) and AUC (orange)." if held["measures"] else ""
    caption = (
        "The mean loss on rows held out after each number of steps, with a band of one standard error to either side. The dashed line is "
        f"this model.{below}"
    )
    table = html_table(_values(run, held), ("on rows held out", "this model", "constant model"))
    return html_text(*said) + table + f"<figure>\n{pictures}\n<figcaption>{html_text(caption)}</figcaption>\n</figure>\n"


def _picture(kind, run, held):
    """One SVG picture: the loss, and for two classes accuracy and AUC below."""
    width, tall, left, right = SIZES[kind]
    end, at = width - right, np.array(held["at"])
    log = run.n_steps < LEFT * at[-1]
    across = to_picture(0.0, float(_place(max(at[-1], 1), log)), left, end)
    x = across(_place(at, log))
    mean, error = np.array(held["mean"]), np.array(held["error"])
    low, high = float((mean - error).min()), float(min((mean + error).max(), mean[0] + error[0] + (mean[0] - mean.min())))
    margin = 0.06 * (high - low) or 1.0
    low, high = low - margin, high + margin
    up = to_picture(low, high, tall, 8)
    seen = [up(np.clip(values, low, high)) for values in (mean, mean + error, mean - error)]
    edge = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip([*x, *x[::-1]], [*seen[1], *seen[2][::-1]], strict=True))
    parts = [
        axis(up, left, end, round_values(low, high)),
        f'<polygon points="{edge}" fill="{COLOURS[0]}" fill-opacity="0.18" stroke="none"/>',
        line(x, seen[0], COLOURS[0], 1.8),
    ]
    foot = tall
    if held["measures"]:
        least = min(0.5, *(min(values) for values in held["measures"].values()))
        rate = to_picture(least - 0.02, 1.02, 2 * tall + GAP, tall + GAP)
        parts.append(axis(rate, left, end, [one for one in (0.0, 0.25, 0.5, 0.75, 1.0) if one >= least - 0.02], percent=True))
        parts += [line(x, rate(values), COLOURS[i], 1.8) for i, values in enumerate(held["measures"].values())]
        foot = 2 * tall + GAP
    here = float(across(_place(min(run.n_steps, int(at[-1])), log)))
    parts.append(f'<line x1="{here:.1f}" x2="{here:.1f}" y1="8" y2="{foot}" stroke="var(--ink)" stroke-dasharray="4 3"/>')
    for step in _ticks(int(at[-1]), log):
        place = float(across(_place(step, log)))
        anchor = "start" if step == 0 else "end" if place > end - 20 else "middle"
        parts.append(f'<text x="{place:.1f}" y="{foot + 15}" text-anchor="{anchor}">{step:,}</text>')
    parts.append(
        f'<text x="{(left + end) / 2:.1f}" y="{foot + 31}" text-anchor="middle">steps{" (logarithmic)" if log else ""}</text>'
    )
    return (
        f'<svg class="{kind}" viewBox="0 0 {width} {foot + FOOT}" role="img" aria-label="Mean loss on rows held out over the number of '
        f'steps">{"".join(parts)}</svg>'
    )


def _place(steps, log):
    return np.log1p(steps) if log else np.asarray(steps, dtype=float)


def _ticks(last, log):
    """Whole numbers of steps that are named on the axis."""
    if not log:
        return sorted({0, last // 2, last})
    powers = [10**i for i in range(len(str(last)))]
    return [0, *(one for one in powers if 3 * one <= last), last]
