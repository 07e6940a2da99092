"""The look of the page, and the few lines of script that show the numbers under the pointer."""

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
