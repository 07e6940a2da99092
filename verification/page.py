"""The ledger as one page: a table, and for each statement a plot of measured values and bound. No external resources."""

import html

import numpy as np

WIDTH, HEIGHT, MARGIN = 340, 180, 40
STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; max-width: 1100px; margin: 2em auto; padding: 0 1em; color: #222; background: #fff }
table { border-collapse: collapse; width: 100% } th, td { text-align: left; padding: .25em .7em; border-bottom: 1px solid #ddd }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums } .verified { color: #00633f } .refuted { color: #a33b00 }
.vacuous { color: #666 } .wrong { background: #ffd9d9; font-weight: bold } figure { display: inline-block; margin: .6em .6em 1.2em 0;
vertical-align: top; width: 340px }
figcaption { font-size: 12px; overflow-wrap: anywhere } svg text { font: 10px system-ui, sans-serif; fill: #444 }
svg, figure { max-width: 100% }
@media (max-width: 640px) {
  tr.heads { display: none } tr { display: block; border-bottom: 2px solid #bbb; padding: .4em 0 }
  td, td.number { display: block; text-align: left; border: 0; padding: 0; overflow-wrap: anywhere }
  td[data-head]:not(:empty)::before { content: attr(data-head) ": "; color: #777 }
}
"""
PAPERS = {
    "fgm": "Freund, Grigas, Mazumder: A New Perspective on Boosting in Linear Regression",
    "rgbm": "Lu, Mazumder: Randomized Gradient Boosting Machine",
    "jaggi": "Jaggi: Revisiting Frank-Wolfe",
}
HEADS, NUMBERS = ("statement", "variant", "claim", "verdict", "evidence"), ("tightest", "cases", "points", "seconds")


def _ticks(low, high):
    """Whole powers of ten within the range of exponents, at most five."""
    powers = np.arange(np.ceil(low), np.floor(high) + 1)
    return powers[:: max(1, -(-len(powers) // 5))]


def _log(values):
    """log10 of positive values, nan elsewhere."""
    values = np.asarray(values, dtype=float)
    return np.log10(values, out=np.full(len(values), np.nan), where=values > 0)


def _line(x, y, style):
    """A polyline through the points that are numbers."""
    good = np.isfinite(x) & np.isfinite(y)
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x[good], y[good], strict=True))
    return f'<polyline points="{points}" fill="none" {style}/>'


def plot(curve):
    """Measured values (solid) and bound (dashed) over the step, both axes logarithmic, as an SVG element."""
    at, measured, bound = (np.asarray(part, dtype=float) for part in curve)
    x, lines = np.log10(np.maximum(at, 0) + 1), [_log(measured), _log(bound)]
    heights = np.concatenate(lines)
    if not np.isfinite(heights).any():
        return ""
    low, high = float(np.nanmin(heights)), float(np.nanmax(heights))
    low = max(low, high - 12)
    high = max(high, low + 0.05)
    right = max(float(x.max()), 1e-9)
    place_x = MARGIN + x / right * (WIDTH - MARGIN - 8)
    place_y = [8 + (high - np.maximum(line, low)) / (high - low) * (HEIGHT - 32) for line in lines]
    out = [f'<svg width="{WIDTH}" height="{HEIGHT}" role="img" viewBox="0 0 {WIDTH} {HEIGHT}">']
    for power in _ticks(low, high):
        y = 8 + (high - power) / (high - low) * (HEIGHT - 32)
        out.append(f'<line x1="{MARGIN}" x2="{WIDTH - 8}" y1="{y:.1f}" y2="{y:.1f}" stroke="#e4e4e4"/>')
        out.append(f'<text x="{MARGIN - 4}" y="{y + 3:.1f}" text-anchor="end">1e{int(power)}</text>')
    for power in _ticks(0, right):
        spot = MARGIN + power / right * (WIDTH - MARGIN - 8)
        out.append(f'<text x="{spot:.1f}" y="{HEIGHT - 8}" text-anchor="middle">{10 ** int(power):,}</text>')
    out.append(_line(place_x, place_y[1], 'stroke="#D55E00" stroke-width="1.6" stroke-dasharray="5 3"'))
    out.append(_line(place_x, place_y[0], 'stroke="#0072B2" stroke-width="1.6"'))
    return "".join([*out, "</svg>"])


def _row(row):
    ratio = "" if np.isnan(row.tightest) else f"{row.tightest:.3g}"
    cells = zip(HEADS, (row.statement, row.variant, row.words), strict=False)
    numbers = [ratio, row.cases, f"{row.points:,}", f"{row.seconds:.2f}"]
    return (
        f'<tr class="{"" if row.good else "wrong"}">'
        + "".join(f'<td data-head="{head}">{html.escape(cell)}</td>' for head, cell in cells)
        + f'<td data-head="verdict" class="{row.verdict}" title="{html.escape(row.counterexample)}">{row.verdict}</td>'
        + f'<td data-head="evidence">{html.escape(row.evidence)}</td>'
        + "".join(f'<td class="number" data-head="{head}">{number}</td>' for head, number in zip(NUMBERS, numbers, strict=True))
        + "</tr>"
    )


def _figure(row):
    drawn = plot(row.curve) if row.curve else ""
    if not drawn:
        return ""
    note = f"<br>{html.escape(row.counterexample)}" if row.counterexample else ""
    caption = f'<b>{html.escape(row.statement)}</b>, {row.variant}: <span class="{row.verdict}">{row.verdict}</span>'
    return f"<figure>{drawn}<figcaption>{caption}{note}</figcaption></figure>"


def page(ledger):
    """The ledger as a self-contained HTML page."""
    heads = "".join(f"<th>{head}</th>" for head in HEADS) + "".join(f'<th class="number">{head}</th>' for head in NUMBERS)
    tables = ""
    for key, paper in PAPERS.items():
        rows = [row for row in ledger.rows if row.file.rpartition(".")[2].startswith(key)]
        tables += f'<h2>{html.escape(paper)}</h2><table><tr class="heads">{heads}</tr>{"".join(map(_row, rows))}</table>'
    caught = sum(one.good for one in ledger.sabotages)
    faults = "".join(f'<p class="wrong">{html.escape(fault)}</p>' for fault in ledger.faults)
    sabotages = "".join(
        f'<tr class="{"" if one.good else "wrong"}"><td>{html.escape(one.statement)}</td><td>{html.escape(one.what)}</td>'
        f"<td>{html.escape(one.caught_by or 'passes')}</td></tr>"
        for one in ledger.sabotages
    )
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>Ledger of theorems</title><style>{STYLE}</style></head><body>"
        f"<h1>Ledger of theorems</h1><p>{len(ledger.rows)} claims, {caught} of {len(ledger.sabotages)} sabotages caught, "
        f"{ledger.seconds:.1f} s. <i>Tightest</i> is the largest measured value over its bound for k &ge; 1.</p>{faults}"
        f"{tables}"
        f"<h2>Measured (solid, blue) and bound (dashed, orange) over the step</h2>{''.join(map(_figure, ledger.rows))}"
        f"<h2>Sabotages</h2>"
        f"<table><tr class='heads'><th>statement</th><th>what is wrong</th><th>refuted by</th></tr>{sabotages}</table></body></html>\n"
    )
