"""The look of the page: its style, the path as inline SVG, and the few lines of script that show the numbers under the pointer.

Coefficient profiles stand above, training error below, over the l1 norm; once broad and once for a telephone.
"""

import json
from html import escape

import numpy as np

from coordboost.outcome import spaced
from coordboost.plots.path import COLOURS, REST, spread, trace

STYLE = """
:root { color-scheme: light dark; --ink: #1d2433; --soft: #5b6475; --line: #d9dde5; --paper: #ffffff; --tint: #f5f7fa; --link: #0058a3; }
@media screen and (prefers-color-scheme: dark) { :root { --ink: #e6e9ec; --soft: #9aa5b1; --line: #38414a; --paper: #14181c;
  --tint: #1d2329; --link: #62b8f0; } }
* { box-sizing: border-box; }
body { margin: 0; color: var(--ink); background: var(--paper); font: 16px/1.5 system-ui, sans-serif; }
header, main { max-width: 56rem; margin: 0 auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; margin: 1.5rem 0 .3rem; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; border-bottom: 1px solid var(--line); padding-bottom: .2rem; }
nav { font-size: .85rem; display: flex; flex-wrap: wrap; gap: .2rem .9rem; }
a { color: var(--link); }
p { max-width: 46rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .9rem; }
th, td { text-align: left; padding: .2rem .9rem .2rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td, th { overflow-wrap: break-word; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td:first-child { min-width: 7.5rem; }
td.bar { min-width: 3rem; width: 12rem; }
.bar span { display: block; height: .7rem; margin-top: .35rem; }
pre { background: var(--tint); padding: .7rem; overflow-x: auto; font-size: .85rem; }
figure { margin: 0; }
svg { width: 100%; height: auto; display: block; touch-action: pan-y; }
svg.narrow { display: none; }
@media (max-width: 40rem) { th, td { padding-right: .5rem; } svg.broad { display: none; } svg.narrow { display: block; }
  td:first-child { min-width: 0; } td.bar { min-width: 2rem; width: auto; } }
svg text { font: 12px system-ui, sans-serif; fill: var(--soft); }
svg text.name { fill: var(--ink); }
svg .cursor { stroke: var(--soft); stroke-dasharray: 3 3; visibility: hidden; }
.readout { font-size: .85rem; min-height: 4.6rem; color: var(--soft); font-variant-numeric: tabular-nums; }
.readout b { color: var(--ink); font-weight: 600; }
.readout span { display: inline-block; margin-right: 1rem; white-space: nowrap; }
.readout i { display: inline-block; width: .8rem; height: .25rem; margin-right: .3rem; vertical-align: middle; }
@media print { .readout, nav { display: none; } }
"""

#: Reads the numbers of the chart from the JSON beside it; follows pointer, finger and arrow keys.
SCRIPT = """
(function () {
  var data = JSON.parse(document.getElementById("points").textContent);
  var out = document.getElementById("readout"), at = data.step.length - 1;
  var charts = Array.prototype.slice.call(document.querySelectorAll("svg[data-left]"));
  function show(i) {
    at = Math.max(0, Math.min(data.step.length - 1, i));
    charts.forEach(function (svg) {
      var x = +svg.dataset.left + data.x[at] * (svg.dataset.right - svg.dataset.left);
      svg.querySelectorAll(".cursor").forEach(function (line) {
        line.setAttribute("x1", x); line.setAttribute("x2", x); line.style.visibility = "visible";
      });
    });
    out.textContent = "";
    function add(words, value, colour) {
      var span = document.createElement("span"), strong = document.createElement("b");
      if (colour) { var mark = document.createElement("i"); mark.style.background = colour; span.appendChild(mark); }
      span.appendChild(document.createTextNode(words + " ")); strong.textContent = value;
      span.appendChild(strong); out.appendChild(span);
    }
    add("step", data.step[at].toLocaleString("en")); add("l1 norm", data.l1[at]); add("training error", data.error[at] + " %");
    data.lines.forEach(function (line) { if (+line.values[at]) add(line.name, line.values[at], line.colour); });
  }
  charts.forEach(function (svg) {
    function move(event) {
      var box = svg.getBoundingClientRect(), wide = svg.viewBox.baseVal.width;
      var x = ((event.clientX - box.left) / box.width * wide - svg.dataset.left) / (svg.dataset.right - svg.dataset.left);
      var best = 0;
      data.x.forEach(function (value, i) { if (Math.abs(value - x) <= Math.abs(data.x[best] - x)) best = i; });
      show(best);
    }
    svg.addEventListener("pointermove", move); svg.addEventListener("pointerdown", move);
    svg.addEventListener("keydown", function (event) {
      var by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (by) { show(at + by); event.preventDefault(); }
    });
  });
  show(at);
})();
"""


#: Learners with a colour and a name; grey lines at most.
NAMED, GREY = len(COLOURS) - 1, 150  # black is the error
#: Width, height of the profiles and of the error curve, room to the left and to the right; of the broad and of the narrow picture.
SIZES = {"broad": (860, 330, 130, 62, 150), "narrow": (380, 260, 110, 50, 10)}
GAP, FOOT, TEXT = 26, 34, 13


def chart(run):
    """Two SVG pictures, of which the style shows one, the numbers under the pointer, and the numbers as JSON."""
    at = spaced(run.n_steps)
    one = trace(run.replay(at.tolist()))
    names = list(run.problem.feature_names)
    size = np.abs(one.beta).max(axis=0)
    order = np.argsort(-size, kind="stable")
    named = [int(j) for j in order[:NAMED] if size[j] > 0]
    rest = [int(j) for j in order[NAMED : NAMED + GREY] if size[j] > 0]
    x = one.l1 / (one.l1.max() or 1.0)
    pictures = "\n".join(_picture(kind, one, x, named, rest, names) for kind in SIZES)
    lines = [
        {"name": names[j], "colour": COLOURS[place], "values": [short(value) for value in one.beta[:, j]]}
        for place, j in enumerate(named)
    ]
    points = {
        "step": at.tolist(), "x": [round(float(value), 5) for value in x], "l1": [short(value) for value in one.l1],
        "error": [short(100 * value) for value in one.error], "lines": lines,
    }  # fmt: skip
    data = json.dumps(points).replace("</", "<\\/")
    return f"""<figure>
{pictures}
<div id="readout" class="readout" aria-live="polite"></div>
<figcaption><p>Above: the coefficients of the standardised columns along the path, against the sum of their sizes (l1 norm). Below: the
training error, 100 % for the constant model. Move the pointer over the picture, or use the arrow keys, to read the numbers of a step.</p>
</figcaption>
</figure>
<script type="application/json" id="points">{data}</script>
"""


def short(value):
    """A number with four digits."""
    return f"{float(value):.4g}"


def _picture(kind, one, x, named, rest, names):
    """One SVG picture."""
    width, tall, low, left, right = SIZES[kind]
    end, height = width - right, tall + GAP + low + FOOT
    across = left + x * (end - left)
    top, bottom = max(float(one.beta.max()), 0.0), min(float(one.beta.min()), 0.0)
    margin = 0.06 * (top - bottom) or 1.0
    up = to_picture(bottom - margin, top + margin, tall, 8)
    error = to_picture(0.0, max(1.02, float(one.error.max())), tall + GAP + low, tall + GAP)
    parts = [axis(up, left, end, round_values(bottom - margin, top + margin))]
    parts.append(axis(error, left, end, (0.0, 0.5, 1.0), percent=True))
    parts += [line(across, up(one.beta[:, j]), REST, 0.8) for j in rest]
    parts += [line(across, up(one.beta[:, j]), COLOURS[place], 1.8) for place, j in enumerate(named)]
    parts.append(line(across, error(one.error), "var(--ink)", 1.8))
    if kind == "broad" and named:
        ends = up(one.beta[-1, named])
        for place, height_of in enumerate(spread(ends, TEXT + 1, 14, tall - 4)):
            parts.append(
                f'<path d="M{end:.1f} {ends[place]:.1f}L{end + 10:.1f} {height_of:.1f}" stroke="{COLOURS[place]}" fill="none"/>'
                f'<text class="name" x="{end + 13:.1f}" y="{height_of + 4:.1f}">{escape(_cut(names[named[place]]))}</text>'
            )
    foot = tall + GAP + low
    for share in (0, 0.5, 1):
        value, anchor = share * float(one.l1.max()), {0: "start", 0.5: "middle", 1: "end"}[share]
        parts.append(
            f'<text x="{left + share * (end - left):.1f}" y="{foot + 15}" text-anchor="{anchor}">{short(value)}</text>'
        )
    parts.append(f'<text x="{(left + end) / 2:.1f}" y="{foot + 30}" text-anchor="middle">l1 norm</text>')
    parts.append(f'<line class="cursor" x1="{left}" x2="{left}" y1="8" y2="{foot}"/>')
    return (
        f'<svg class="{kind}" viewBox="0 0 {width} {height}" data-left="{left}" data-right="{end}" tabindex="0" role="img" '
        f'aria-label="Coefficients and training error along the path">{"".join(parts)}</svg>'
    )


def to_picture(low, high, at_low, at_high):
    """The function that leads from low and high to two places on the picture."""
    return lambda value: at_low + (np.asarray(value, dtype=float) - low) / (high - low) * (at_high - at_low)


def axis(scale, left, end, values, percent=False):
    """Lines and numbers at a few values."""
    out = []
    for value in values:
        y = float(scale(value))
        words = f"{100 * value:.0f} %" if percent else short(value)
        out.append(
            f'<line x1="{left}" x2="{end}" y1="{y:.1f}" y2="{y:.1f}" stroke="var({"--soft" if value == 0 else "--line"})"/>'
            f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{words}</text>'
        )
    return "".join(out)


def round_values(low, high):
    """Multiples of 1, 2 or 5 times a power of ten within [low, high], at most six."""
    power = 10.0 ** np.floor(np.log10((high - low) / 5))
    step = next(power * k for k in (1, 2, 5, 10) if (high - low) / (power * k) <= 5)
    return [float(step * k) for k in range(int(np.ceil(low / step)), int(np.floor(high / step)) + 1)]


def line(x, y, colour, width):
    """A line through points, as SVG."""
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))
    return f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="{width}"/>'


def _cut(name, at_most=20):
    return name if len(name) <= at_most else name[: at_most - 1] + "\u2026"
