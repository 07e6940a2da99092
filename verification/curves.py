"""Plots of measured values and bounds as SVG: distinct where they coincide, with labelled axes, in
the colours of the page.
"""

import numpy as np

WIDTH = 360
HEIGHT = 216
LEFT = 52
BOTTOM = 40
TOP = 12
MARKS = 9


def _ticks(low, high):
    """Return integer exponents between `low` and `high`, at most five."""
    powers = np.arange(np.ceil(low), np.floor(high) + 1)
    return powers[:: max(1, -(-len(powers) // 5))]


def _log(values):
    """Return log10 of positive values, nan elsewhere."""
    values = np.asarray(values, dtype=float)
    return np.log10(values, out=np.full(len(values), np.nan), where=values > 0)


def _line(x, y, kind):
    """Return a polyline through the finite points."""
    good = np.isfinite(x) & np.isfinite(y)
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x[good], y[good], strict=True))
    return f'<polyline points="{points}" class="{kind}"/>'


def _marks(x, y, kind):
    """Return a few marks on a line: small dots for measured values, larger open squares for the
    bound.
    """
    good = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
    some = good[np.unique(np.linspace(0, len(good) - 1, MARKS).astype(int))] if len(good) else good
    if kind == "measured":
        return "".join(
            f'<circle cx="{x[i]:.1f}" cy="{y[i]:.1f}" r="2.4" class="dot"/>' for i in some
        )
    return "".join(
        f'<rect x="{x[i] - 4.5:.1f}" y="{y[i] - 4.5:.1f}" width="9" height="9" class="square"/>'
        for i in some
    )


def _scale(heights):
    """Return the lowest and the highest exponent to show, at most twelve decades."""
    low = float(np.nanmin(heights))
    high = float(np.nanmax(heights))
    low = max(low, high - 12)
    return (low, high) if high - low > 0.05 else (low - 0.3, high + 0.3)


def _place(power, low, high):
    return TOP + (high - power) / (high - low) * (HEIGHT - TOP - BOTTOM)


def _grid(low, high, right):
    """Return grid lines and tick labels.

    Heights are powers of ten if there are two in the range, else its ends.
    """
    out = []
    heights = _ticks(low, high) if len(_ticks(low, high)) > 1 else np.array([low, high])
    for power in heights:
        y = _place(power, low, high)
        out.append(f'<line x1="{LEFT}" x2="{WIDTH - 8}" y1="{y:.1f}" y2="{y:.1f}" class="grid"/>')
        out.append(
            f'<text x="{LEFT - 5}" y="{y + 3:.1f}" text-anchor="end">{10.0**power:.3g}</text>'
        )
    for at in _counts(right):
        x = LEFT + np.log10(at + 1) / right * (WIDTH - LEFT - 12)
        number = f"{at:,}" if isinstance(at, int) else f"{at:.3g}"
        out.append(f'<text x="{x:.1f}" y="{HEIGHT - 24}" text-anchor="middle">{number}</text>')
    return out


def _counts(right):
    """Return 0 and round numbers up to 10**right - 1, as many as fit without overlap, where larger
    ones take precedence.
    """
    last = 10**right - 1
    if last < 2:
        return [0, last]
    found = [0]
    for at in (unit * 10**power for power in range(round(right), -1, -1) for unit in (5, 2, 1)):
        near = [abs(np.log10(at + 1) - np.log10(other + 1)) for other in found]
        if at <= last * (1 + 1e-9) and min(near) > 0.13 * right:
            found.append(at)
    return sorted(found)


def plot(curve, along="k", label="measured values and bound"):
    """Plot measured values (line and dots) and bound (dashes and open squares) on log axes.

    An empty text if nothing is positive.
    """
    at, measured, bound = (np.asarray(part, dtype=float) for part in curve)
    x = np.log10(np.maximum(at, 0) + 1)
    lines = [_log(measured), _log(bound)]
    heights = np.concatenate(lines)
    if not np.isfinite(heights).any():
        return ""
    low, high = _scale(heights)
    right = max(float(x.max()), 1e-9)
    place_x = LEFT + x / right * (WIDTH - LEFT - 12)
    place_y = [_place(np.maximum(line, low), low, high) for line in lines]
    out = [
        f'<svg role="img" aria-label="{label}" viewBox="0 0 {WIDTH} {HEIGHT}">',
        *_grid(low, high, right),
    ]
    for kind, y in (("bound", place_y[1]), ("measured", place_y[0])):
        out += [_line(place_x, y, kind), _marks(place_x, y, kind)]
    out.append(
        f'<text x="{(LEFT + WIDTH) / 2:.0f}" y="{HEIGHT - 6}" text-anchor="middle" '
        f'class="name">{along}</text>'
    )
    middle = (TOP + HEIGHT - BOTTOM) / 2
    out.append(
        f'<text transform="translate(11 {middle:.0f}) rotate(-90)" text-anchor="middle" '
        'class="name">both sides</text>'
    )
    return "".join([*out, "</svg>"])
