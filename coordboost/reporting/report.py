"""What a run came to, as one row of plain numbers, and rows as a table.

A *row* is a dictionary that can be written as JSON; every number in it is recomputed from the coefficients.
"""

import math
import textwrap

import numpy as np

from coordboost._utils.kinds import pieces_of
from coordboost.certificates.objectives import UNKNOWN, L1Ball, L1Penalty, Unconstrained, outwards
from coordboost.losses.base import Loss
from coordboost.losses.standard import LogMeanLoss

#: Multiplications of a singular value decomposition that a report may spend without being asked: some seconds.
AFFORDABLE = 2e10

#: Columns of a row, in the words of a table, with the format of their numbers.
WORDS = {
    "steps": ("steps", "{:,}"),
    "training_error": ("training error L/n", "{:.6g}"),
    "excess_percent": ("above optimum, %", "{:.3g}"),
    "l1": ("l1 norm", "{:.5g}"),
    "nonzeros": ("non-zeros", "{}"),
    "gap": ("certified gap", "{:.1e}"),
    "target": ("gap refers to", "{}"),
    "seconds": ("seconds", "{:.2g}"),
    "scans": ("scans", "{:,.4g}"),
    "status": ("ended", "{}"),
}


def adds_to(model):
    """What the sum of coefficients times columns of a ``LinearModel`` is, in words."""
    if model.two_class:
        second = repr(model.recipe.labels[1]) if model.recipe and model.recipe.labels else "the second class"
        return f"the score of {second} (the higher, the likelier)"
    of_logarithm = issubclass(pieces_of(Loss).get(model.loss, Loss), LogMeanLoss)
    return "the logarithm of the prediction" if of_logarithm else "the prediction"


def caption(run):
    """The method as it is called, on two lines: its name, and its parameters."""
    return f"{run.method.name}\n{parameters(run.method)}".rstrip()


def parameters(method):
    """The parameters that were given, in words; of a sequence the first and the last entry."""
    given = {name: value for name, value in method.parameters.items() if value is not None}
    return ", ".join(f"{name} = {_short(value)}" for name, value in given.items())


def _short(value):
    if isinstance(value, np.ndarray):
        return f"{value[0]:.4g} ... {value[-1]:.4g}"
    return f"{value:.4g}" if isinstance(value, int | float) else str(value)


def optimum(run):
    """The certified lower end of the smallest loss without a constraint (a sum), or None where no tight one is known or affordable.

    For the squared loss this is the least-squares optimum up to rounding. *Cost*: one thin SVD of B, if that takes seconds.
    """
    m, n = run.problem.n_samples, run.problem.n_learners
    if run.problem.loss.mu is None or not run.problem.countable or float(m) * n * min(m, n) > AFFORDABLE:
        return None
    return run.certificate(Unconstrained()).lower


def refers(target):
    """What a certified gap is measured against, in words."""
    words = {Unconstrained: "optimum", L1Ball: "Lasso, l1 <= {0.radius:.5g}", L1Penalty: "Lasso, lam = {0.lam:.4g}"}
    return words.get(type(target), "{0!r}").format(target)


def _gap(run, optimum):
    """Certified gap to what the method approaches, or None; ``optimum`` saves a second decomposition of B."""
    if not isinstance(run.final.target, Unconstrained):
        return run.certificate().gap
    return None if optimum is None else run.final.loss - optimum


def reached(run):
    """What a certificate is about: what the method approaches, or where nothing would be known of that the ball that the model reached."""
    last, loss = run.final, run.problem.loss
    if type(last.target) is not Unconstrained or loss.mu is not None or not loss.convex or not last.l1:
        return last.target
    return L1Ball(_up(last.l1))


def _up(value, digits=6):
    """The next number with so many digits that is not smaller: it is printed as it is."""
    for more in range(2):
        found = float(f"{value * (1 + more * 10.0 ** (1 - digits)):.{digits}g}")
        if found >= value:
            return found
    return value


def gap_of(state):
    """The certified gap of a state in parts of the loss at zero, or None where it is not known, or not cheap."""
    problem = state.problem
    m, n = problem.n_samples, problem.n_learners
    if isinstance(state.target, Unconstrained) and float(m) * n * min(m, n) > AFFORDABLE / 10:
        return None
    found = state.certificate()
    return found.gap / problem.start_excess if found.known and problem.start_excess else None


def summary(run, optimum=None):
    """One row about a run.

    Parameters
    ----------
    run : Run or RefittedRun
    optimum : float, optional
        Lower end of the smallest loss without a constraint, a sum; see ``optimum``.

    Returns
    -------
    dict
        method, parameters, steps; training_error (loss / n_samples) and null_error (that of beta = 0); excess_percent (of the
        null error, above the optimum); l1, nonzeros; gap (certified, in parts of the null error) and target (what it refers
        to); seconds, scans, status, message. What is not known is None. For a loss with negative values, parts of the null error are
        parts of its distance from the infimum.
    """
    last, n, null = run.final, run.problem.n_samples, run.problem.start_excess
    gap = _gap(run, optimum)
    row = {
        "method": run.method.name,
        "parameters": parameters(run.method),
        "steps": run.n_steps,
        "training_error": last.loss / n,
        "null_error": run.problem.start_loss / n,
        "excess_percent": None if optimum is None or null == 0 else 100 * (last.loss - optimum) / null,
        "l1": last.l1,
        "nonzeros": len(last.support),
        "gap": None if gap is None or null == 0 else gap / null,
        "target": refers(last.target),
        "seconds": run.seconds,
        "scans": run.n_scans,
        "status": run.status.name.lower(),
        "message": run.message,
    }
    return {key: _plain(value) for key, value in row.items()}


def _plain(value):
    """`value` as JSON knows it; None for what is not finite."""
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def table(rows):
    """The rows as a ``rich.table.Table``, one column per run; runs that look alike are told by their files, where rows have any.

    What no row speaks of is left out.
    """
    from rich import box
    from rich.table import Table

    out = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    out.add_column("", no_wrap=True)
    titles = [
        "\n".join([*textwrap.wrap(row["method"].replace("_", " "), 12), *row["parameters"].split(", ")]).rstrip()
        for row in rows
    ]
    for title, row in zip(titles, rows, strict=True):
        file = f"{row['file']}\n" if "file" in row and len(set(titles)) < len(titles) else ""
        out.add_column(file + title, justify="right", overflow="fold")
    known = {key: one for key, one in WORDS.items() if any(key in row for row in rows)}
    for key, (words, form) in known.items():
        out.add_row(words, *("-" if row[key] is None else form.format(row[key]) for row in rows))
    return out


def verdict(problem, judged):
    """The outcome of ``certify`` as plain numbers: one interval, or two and whether they agree.

    Parameters
    ----------
    problem : Problem
    judged : Certificate or Judged
    """
    if not hasattr(judged, "own"):
        model = _interval(judged, problem.start_excess)
        return {"target": refers(judged.target), "null_loss": problem.start_loss, "model": model}
    found = verdict(problem, judged.own)
    return {**found, judged.solver: _interval(judged.independent, problem.start_excess), "agree": bool(judged.agree)}


def _interval(certificate, null):
    numbers = {"lower": certificate.lower, "upper": certificate.upper, "gap": certificate.gap}
    numbers["relative_gap"] = certificate.gap / null if null else None
    return {key: _plain(value) for key, value in {**numbers, **certificate.witness}.items()}


def verdict_table(found):
    """The outcome of ``verdict`` as a ``rich.table.Table``, one column per interval."""
    from rich import box
    from rich.table import Column, Table

    columns = {name: numbers for name, numbers in found.items() if isinstance(numbers, dict)}
    titles = [Column(found["target"], no_wrap=True), *(Column(name, justify="right") for name in columns)]
    out = Table(*titles, box=box.SIMPLE_HEAD, pad_edge=False)
    shown = [dict(interval_rows(numbers)) for numbers in columns.values()]
    for key in shown[0]:
        out.add_row(key, *(texts.get(key, "-") for texts in shown))
    return out


def interval_rows(numbers):
    """One interval of ``verdict`` as pairs of a name and a text, the ends rounded outwards."""
    ends = (infinite if numbers[end] is None else numbers[end] for end, infinite in (("lower", -math.inf), ("upper", math.inf)))
    lower, upper = outwards(*ends, 12)
    texts = {key: "-" if value is None else f"{value:.4g}" for key, value in numbers.items()}
    texts |= {"lower": "-" if numbers["lower"] is None else lower, "upper": "-" if numbers["upper"] is None else upper}
    return [(key.replace("_", " "), text) for key, text in texts.items()]


def verdict_text(found):
    """What the outcome of ``verdict`` means, in sentences."""
    text = (
        "The smallest loss lies between 'lower', which no model can beat, and 'upper', which this model reaches (penalty "
        "included, or scaled back into the ball where that applies). Losses are sums over samples; the relative gap is in parts "
        "of the loss of the constant model."
    )
    if found["model"]["lower"] is None:
        text = f"{UNKNOWN.capitalize()}. 'upper' is what this model reaches."
    return [text, "Both intervals overlap, as they must."] if "agree" in found else [text]
