"""The sections of the page about a run, as HTML; every number is recomputed from the run."""

import inspect
import sys
from html import escape

import numpy as np

from coordboost import report
from coordboost.data.columns import CATEGORY
from coordboost.pages.command import command, for_shell_if_needed
from coordboost.plots.path import COLOURS
from coordboost.targets import Unconstrained

#: Rows of the table of coefficients that are seen at once, and in all.
SHOWN, MOST = 20, 1000

FGM = (
    "Freund, Robert M., Paul Grigas, and Rahul Mazumder. A New Perspective on Boosting in Linear Regression via Subgradient Optimization "
    "and Relatives. The Annals of Statistics 45 (6), 2017, 2328-2364. arXiv:1505.04243."
)
LM = (
    "Lu, Haihao, and Rahul Mazumder. Randomized Gradient Boosting Machine. SIAM Journal on Optimization 30 (4), 2020, 2780-2808. "
    "doi:10.1137/18M1223277."
)
LKPM = (
    "Lu, Haihao, Sai Praneeth Karimireddy, Natalia Ponomareva, and Vahab Mirrokni. Accelerating Gradient Boosting Machines. AISTATS, 2020. "
    "arXiv:1903.08708."
)


def html_table(rows, header=None):
    """An HTML table; numbers stand to the right."""
    head = "" if header is None else "<tr>" + "".join(f"<th>{escape(str(cell))}</th>" for cell in header) + "</tr>"
    body = "".join("<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<div class="wide"><table>{head}{body}</table></div>\n'


def html_text(*paragraphs):
    """Paragraphs of plain text."""
    return "".join(f"<p>{escape(one)}</p>\n" for one in paragraphs)


def summary_part(run, model, target):
    """What came out, in sentences."""
    row = report.summary(run, report.optimum(run))
    used = row["nonzeros"]
    said = [
        f"A model of {target} with {used} of {run.problem.n_learners} columns, after {run.n_steps:,} steps; {row['message']}.",
        f"Its training error is {row['training_error']:.6g} a row; that of the constant model is {row['null_error']:.6g}.",
    ]
    gap, best = row["gap"], row["target"]
    if gap is None and report.reached(run) != run.final.target:
        found = report.verdict(run.problem, run.certificate(report.reached(run)))
        gap, best = found["model"]["relative_gap"], found["target"]
    if gap is not None:
        said.append(f"It is proved to lie within {100 * gap:.3g} % (of the error of the constant model) of {_best(best)}.")
    return html_text(*said)


def _coefficient(row, top):
    """A row of the table of coefficients; the bar is as long as the effect is large."""
    effect = row["effect"]
    bar = f'<span style="width:{100 * abs(effect) / top:.1f}%;background:{COLOURS[effect < 0]}"></span>'
    numbers = f'<td class="n">{row["coefficient"]:.5g}</td><td class="n">{effect:.4g}</td>'
    return f'<tr><td>{escape(row["column"])}</td>{numbers}<td class="bar">{bar}</td></tr>'


def _best(target):
    """What a gap refers to, in a sentence."""
    return "the best of all models of these columns" if target == "optimum" else f"the {target}"


def coefficients_part(model):
    """The largest coefficients with bars; the others folded away."""
    rows = [row for row in model.rows if row["coefficient"]]
    rows.sort(key=lambda row: -abs(row["effect"]))
    top = max([abs(row["effect"]) for row in rows], default=0.0) or 1.0
    cells = [_coefficient(row, top) for row in rows[:MOST]]
    head = '<tr><th>column</th><th class="n">coefficient</th><th class="n">effect</th><th></th></tr>'
    shown = f'<div class="wide"><table>{head}{"".join(cells[:SHOWN])}</table></div>\n'
    more = f"<details><summary>{len(cells) - SHOWN} more</summary><table>{''.join(cells[SHOWN:])}</table></details>\n"
    zero = len(model.names) - len(rows)
    words = (
        f"The intercept is {model.intercept:.6g}. The effect is what one standard deviation of the column adds to "
        f"{report.adds_to(model)}; blue: more, orange: less. {zero} of {len(model.names)} coefficients are zero."
    )
    return html_text(words) + shown + (more if len(cells) > SHOWN else "")


def _target(problem, model, labels):
    """Mean and spread of the target, or the shares of its two classes."""
    y = problem.y + (problem.offset - problem.base)
    if not model.two_class:
        return f"mean {np.average(y, weights=problem.weight):.5g}, standard deviation {y.std():.5g}"
    share = 100 * float(np.average(y > 0, weights=problem.weight))
    no, yes = labels or ("first class", "second class")
    return f"{yes} {share:.3g} %, {no} {100 - share:.3g} %"


def data_part(run, model):
    """The table that the model was fitted on, without its rows."""
    problem, recipe = run.problem, model.recipe
    labels = () if recipe is None else recipe.labels
    rows = [
        ("rows", f"{problem.n_samples:,}"),
        ("columns", f"{len(model.names):,}" + (f", of which {len(problem.dropped)} do not vary" if problem.dropped else "")),
        ("target", _target(problem, model, labels)),
    ]
    if recipe is not None:
        kinds = [one.kind for one in recipe.variables]
        rows.append(("variables", ", ".join(f"{kinds.count(kind)} of kind {kind}" for kind in dict.fromkeys(kinds))))
        if labels:
            rows.append(("classes", f"0 is {labels[0]}, 1 is {labels[1]}"))
        rows.append(
            ("gaps", {None: "none", "drop": "rows with gaps were left out"}.get(recipe.impute, f"filled ({recipe.impute})"))
        )
        words = [(one.name, ", ".join(one.levels[:12]) + (" ..." if len(one.levels) > 12 else "")) for one in recipe.variables]
        text_columns = [pair for pair, one in zip(words, recipe.variables, strict=True) if one.kind == CATEGORY]
        rows += [(f"words of {name}", found) for name, found in text_columns[:30]]
    return html_table(rows)


def method_part(run):
    """What was run."""
    from coordboost.methods import METHODS

    maker = METHODS.get(run.method.name)
    words = [] if maker is None else [inspect.getdoc(maker).splitlines()[0]]
    rows = [
        ("method", run.method.name), ("parameters", report.parameters(run.method) or "none"), ("source", run.method.source),
        ("loss", str(run.problem.loss)), ("steps", f"{run.n_steps:,}"), ("seed", run.seed), ("how it ended", run.message),
        ("seconds", f"{run.seconds:.3g}"), ("scans of the data", f"{run.n_scans:,.4g}"),
    ]  # fmt: skip
    return html_text(*words) + html_table(rows)


def certificate_part(run, file):
    """The interval around the optimum, and how to recompute it."""
    from coordboost.certificates import certify
    from coordboost.certificates.independent import MAX_ENTRIES

    last, target = run.final, report.reached(run)
    found = report.verdict(run.problem, certify(last.problem, last.beta, target))
    rows = report.interval_rows(found["model"])
    ends = [row for row in rows if row[0] in ("lower", "upper", "gap", "relative gap")]
    more = (
        f"<details><summary>the numbers behind it</summary>{html_table([row for row in rows if row not in ends])}</details>\n"
    )
    words = [*report.verdict_text(found), f"What can be reached is {_best(found['target'])}."]
    options = []
    if target != last.target:
        options.append(f"--ball {target.radius!r}")
        words.append(
            f"Without a bound of the coefficients no more is known than that the loss is at least {run.problem.infimum:.6g}. So the "
            f"model is held against the best one of its own size: of all whose l1 norm is at most {target.radius!r}, the norm that it "
            "reached."
        )
    judged = type(target) is not Unconstrained or run.problem.loss.mu is not None
    if judged and run.problem.n_samples * run.problem.n_learners <= MAX_ENTRIES:
        options.append("--independent")
    again = " ".join(["coordboost certify", escape(for_shell_if_needed(file)), *options])
    return html_text(*words) + html_table(ends) + more + f"<pre>{again}</pre>\n"


def checks_of(run):
    """The theorems that speak about the run held against it, or a sentence where none does."""
    from coordboost.bounds import check

    try:
        return check(run)
    except ValueError as error:
        return f"No theorem of the papers speaks about this run ({str(error).rstrip('.')})."


def bounds_part(checks):
    """What came of ``checks_of``."""
    from coordboost.bounds import STATEMENTS

    if isinstance(checks, str):
        return html_text(checks)
    claims = {(one.name, one.variant): one.claim for one in STATEMENTS}
    rows = []
    for one in checks:
        found = one.as_dict()
        ratio = "-" if found["tightest"] is None else f"{found['tightest']:.3g}"
        claim = claims[one.name, one.variant]
        rows.append((found["statement"], found["variant"], "yes" if found["holds"] else "NO", ratio, claim))
    words = "Each bound was held against every step. Tightest: the largest measured value over its bound; 1 is attained, 0.01 is loose."
    return html_text(words) + html_table(rows, ("statement", "variant", "holds", "tightest", "claim"))


def _version():
    """The version of the package, which is loaded where this runs."""
    return sys.modules["coordboost"].__version__


def cite_part(run):
    """The software and the paper of the method."""
    source = run.method.source or ""
    paper = (
        LKPM if "Karimireddy" in source else LM if source.startswith("Lu") else FGM if source.startswith("Freund") else source
    )
    return html_text(f"The coordboost developers. coordboost, version {_version()}. Software, licence BSD-3-Clause.", paper)


def reproduce_part(run, model, file, checks):
    """Commands that make the run again, and that look at it."""
    import scipy

    again = command(run, model.recipe)
    told = for_shell_if_needed(file)
    lines = [f"coordboost coef {told}", f"coordboost predict {told} NEW_TABLE"]
    if not isinstance(checks, str) and all(one.holds for one in checks):
        lines.append(f"coordboost check {told}")
    versions = f"coordboost {_version()}, Python {sys.version.split()[0]}, NumPy {np.__version__}, SciPy {scipy.__version__}"
    said = ["The run file gives the same steps, bit for bit, on any number of threads."]
    if again is None:
        said.append("It was made in Python: the command line has no words for its method or its weights.")
    else:
        lines.insert(0, again)
        said.append("TABLE is the table that this page is about; how its file is written (--sep, --decimal, ...) is guessed.")
        if " cv TABLE" in again:
            said.append("The first command makes the cross-validation again, on the same folds, and the run that it chooses.")
    return html_text(" ".join(said)) + f"<pre>{escape(chr(10).join(lines))}</pre>\n" + html_text(versions)
