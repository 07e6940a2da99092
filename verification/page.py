"""The ledger as a self-contained HTML page: the text of each file, and each claim with its formula,
hard case and plot.
"""

import html
import inspect
import re

import numpy as np

from verification.curves import plot
from verification.ledger import PARAGRAPHS, file_of, modules
from verification.mathml import lines, typeset

PAPERS = {
    "fgm": "Freund, Grigas, Mazumder: A New Perspective on Boosting in Linear Regression",
    "rgbm": "Lu, Mazumder: Randomized Gradient Boosting Machine",
    "agbm": "Lu, Karimireddy, Ponomareva, Mirrokni: Accelerating Gradient Boosting Machines",
    "sglb": "Ustimenko, Prokhorenkova: Stochastic Gradient Langevin Boosting",
    "rgb": "Cortes, Mohri, Storcheus: Regularized Gradient Boosting",
    "jaggi": "Jaggi: Revisiting Frank-Wolfe",
}
STYLE = """
:root { color-scheme: light dark; --ink: #1d2329; --soft: #5b6570; --paper: #fff; --card: #f6f7f9;
  --line: #d9dde2; --good: #00633f;
  --bad: #a33b00; --measured: #0072b2; --bound: #d55e00; --wrong: #ffd9d9 }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ec; --soft: #9aa5b1; --paper: #14181c;
  --card: #1d2329; --line: #38414a;
  --good: #5fd0a0; --bad: #ff9d66; --measured: #62b8f0; --bound: #ff9a4d; --wrong: #5a2626 } }
* { box-sizing: border-box } html { scroll-behavior: smooth }
body { font: 16px/1.55 system-ui, sans-serif; max-width: 1180px; margin: 0 auto; padding: 1.2em
  1em 4em; color: var(--ink);
  background: var(--paper) }
h1 { line-height: 1.2 } h2 { margin-top: 2.4em; border-bottom: 2px solid var(--line) } h3 {
  margin: 2em 0 .3em } h4 { margin: 0 }
a { color: var(--measured) } .soft, figcaption, dt { color: var(--soft) } dl { margin: .3em 0 1em;
  font-size: .92em }
dt { float: left; clear: left; width: 8em } dd { margin: 0 0 .25em 8em }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 360px), 1fr));
  gap: 1em }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: .8em
  1em; overflow-wrap: anywhere;
  min-width: 0 }
.card p { margin: .35em 0 } .formula { overflow-x: auto; padding: .35em 0; font-size: 1.08em }
  .small { font-size: .85em }
.typeset { line-height: 2 }
.verified { color: var(--good) } .refuted, .differs, .failed { color: var(--bad) } .vacuous { color:
  var(--soft) }
.wrong { background: var(--wrong) }
.badge { font-size: .8em; border: 1px solid currentColor; border-radius: 1em; padding: 0 .55em;
  white-space: nowrap; font-weight: 600 }
figure { margin: .5em 0 0 } svg { width: 100%; height: auto; display: block } svg text { font:
  10px system-ui, sans-serif;
  fill: var(--soft) } svg .name { font-size: 11px; fill: var(--ink) }
.grid { stroke: var(--line) } polyline { fill: none; stroke-width: 1.6 } .measured { stroke:
  var(--measured) }
.dot { fill: var(--measured) }
.bound { stroke: var(--bound); stroke-dasharray: 5 3 } .square { fill: none; stroke: var(--bound);
  stroke-width: 1.2 }
table { border-collapse: collapse; width: 100%; font-size: .88em } th, td { text-align: left;
  padding: .2em .6em; vertical-align: top;
  border-bottom: 1px solid var(--line); overflow-wrap: anywhere } .index { columns: 17em;
  font-size: .9em; padding-left: 1.2em }
.index li { break-inside: avoid } .wide { overflow-x: auto }
@media (max-width: 640px) { dt { float: none; width: auto } dd { margin-left: 0 } table.stack tr {
  display: block; padding: .4em 0;
  border-bottom: 1px solid var(--line) } table.stack td { display: block; border: 0; padding: 0 }
  table.stack tr.heads { display: none } }
"""


def _text(words):
    return html.escape(str(words))


def _anchor(row):
    return re.sub(r"[^a-z0-9]+", "-", f"{row.file} {row.statement} {row.variant}".lower()).strip(
        "-"
    )


def _paper(file):
    return next((paper for key, paper in PAPERS.items() if file.startswith(f"{key}_")), "Other")


def _explained(row):
    """Describe the evidence, the tightness, and how well the constant is pinned."""
    sentences = [f"Evidence: {_text(row.evidence)}, {row.cases} cases, {row.points:,} points."]
    if not np.isnan(row.tightest):
        sentences.append(f"The largest measured value over its bound is {row.tightest:.3g}.")
    if not np.isnan(row.pinned) and row.verdict == "verified":
        by_hand = ", but by the values of the formula worked out by hand" if row.shared else ""
        slack = (
            "its constant cannot be smaller"
            if row.pinned > 0.98
            else f"a constant smaller by a factor of {1 / max(row.pinned, 1e-9):.3g} is not "
            f"excluded{by_hand}"
        )
        sentences.append(
            f"At its hard case the measured value is {row.pinned:.3g} of the bound: {slack}."
        )
    if row.shared:
        sentences.append("The package has the same formula; both sides agree on every small case.")
    return " ".join(sentences)


def _formula(row):
    if not row.formula:
        return f'<p class="formula">{_text(row.words)}</p>'
    draws = row.file.startswith("rgbm")
    where = "; ".join(
        f"{typeset(name, draws)} = {typeset(text, draws)}"
        for name, text in row.where.items()
        if name in row.used
    )
    assumed = f'<p class="small">assuming {typeset(row.assumed, draws)}</p>' if row.assumed else ""
    below = f'<p class="small formula">where {where}</p>' if where else ""
    claims = "".join(f'<p class="formula typeset">{line}</p>' for line in lines(row.formula, draws))
    return f"<p>{_text(row.words)}</p>{claims}{below}{assumed}"


def _figure(row):
    drawn = plot(row.curve, row.along, f"{_text(row.statement)}, both sides") if row.curve else ""
    return f"<figure>{drawn}</figure>" if drawn else ""


def _card(row):
    counterexample = hard_case = ""
    if row.counterexample:
        counterexample = f'<p class="small refuted">{_text(row.counterexample)}</p>'
    if row.hard:
        hard_case = f'<p class="small soft">Hard case: {_text(row.hard)}</p>'
    badge = f'<span class="badge {row.verdict}">{_text(row.variant)}: {row.verdict}</span>'
    return (
        f'<article class="card{"" if row.good else " wrong"}" id="{_anchor(row)}">'
        f"<h4>{_text(row.statement)} {badge}</h4>{_formula(row)}{counterexample}{_figure(row)}"
        f'<p class="small">{_explained(row)}</p>{hard_case}</article>'
    )


def _about(module):
    """Return the docstring of a file as HTML: its title and its paragraphs."""
    title, *paragraphs = (inspect.getdoc(module) or "").split("\n\n")
    entries = ""
    for paragraph in paragraphs:
        word = next((word for word in PARAGRAPHS if paragraph.startswith(word)), "")
        text = " ".join(paragraph.removeprefix(word).split())
        entries += f"<dt>{_text(word.rstrip(':')) or '&nbsp;'}</dt><dd>{_text(text)}</dd>"
    return f"<h3>{_text(' '.join(title.split()))}</h3><dl>{entries}</dl>"


def _index(rows):
    index = ""
    for paper in dict.fromkeys(_paper(row.file) for row in rows):
        links = "".join(
            f'<li><a href="#{_anchor(row)}">{_text(row.statement)}</a> <span '
            f'class="{row.verdict}">{_text(row.variant)}</span></li>'
            for row in sorted(rows, key=_number)
            if _paper(row.file) == paper
        )
        index += f'<h3>{_text(paper)}</h3><ul class="index">{links}</ul>'
    return index


def _number(row):
    """Sort key by kind and number: Theorem 2.1 before Theorem 10.1."""
    parts = re.split(r"(\d+)", row.statement)
    return [part.zfill(4) if part.isdigit() else part for part in parts]


def _sabotages(ledger):
    rows = "".join(
        f'<tr class="{"" if sabotage.good else "wrong"}"><td>{_text(sabotage.statement)}</td>'
        f"<td>{_text(sabotage.what)}</td>"
        f"<td>{_text(sabotage.caught_by or sabotage.failure)}</td></tr>"
        for sabotage in ledger.sabotages
    )
    heads = '<tr class="heads"><th>statement</th><th>what is changed</th><th>refuted by</th></tr>'
    return f'<table class="stack">{heads}{rows}</table>'


LEGEND = (
    '<p>In the plots <span style="color: var(--measured)">dots on a line</span> are measured '
    "values and "
    '<span style="color: var(--bound)">open squares on dashes</span> are the bound: where a dot is '
    "inside a square, it is attained. Both axes are logarithmic. <i>Printed</i> is the claim as in "
    "the paper, <i>corrected</i> a true form of a claim that is false as printed, <i>sharpened</i> "
    "a stronger claim that the proof gives.</p>"
)


def page(ledger):
    """Return the ledger as a self-contained HTML page."""
    caught = sum(sabotage.good for sabotage in ledger.sabotages)
    files = ""
    refuted = "".join(_card(row) for row in ledger.rows if row.verdict == "refuted")
    for module in modules():
        rows = [row for row in ledger.rows if row.file == file_of(module)]
        cards = "".join(_card(row) for row in rows if row.verdict != "refuted")
        if cards:
            files += f'{_about(module)}<div class="cards">{cards}</div>'
    faults = "".join(f'<p class="wrong">{_text(fault)}</p>' for fault in ledger.faults)
    return (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" '
        'content="width=device-width">'
        f"<title>Ledger of theorems</title><style>{STYLE}</style></head><body><h1>Ledger of "
        f"theorems</h1><p>{len(ledger.rows)} claims about boosting, each checked by computation; "
        f"{caught} of {len(ledger.sabotages)} wrong variants of them are refuted, as they must be. "
        f"{ledger.seconds:.1f} s.</p>{faults}{LEGEND}<h2>What is false</h2><div "
        f'class="cards">{refuted}</div><h2>Index</h2>{_index(ledger.rows)}<h2>What '
        f"holds</h2>{files}<h2>Wrong variants</h2><details><summary>{len(ledger.sabotages)} "
        "sabotages, and the case that refutes "
        f"each</summary>{_sabotages(ledger)}</details></body></html>\n"
    )
