"""Summaries of runs: one row of plain numbers for each run, and tables of such rows.

A *row* is a dictionary that can be written as JSON. Losses, norms and gaps in it are recomputed
from the coefficients.
"""

import math
import textwrap

import numpy as np

from coordboost._utils.kinds import pieces_of
from coordboost._utils.text import printable
from coordboost.certificates.objectives import L1Ball, L1Penalty, Unconstrained, outwards
from coordboost.losses.base import Loss
from coordboost.losses.standard import LogMeanLoss

#: Maximum number of multiplications of a singular value decomposition that a report makes by
#: default: some seconds.
AFFORDABLE = 2e10

#: Key of a row -> its title in a table, and the format of its number.
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
#: The titles that differ where the learners are searched for, as trees are.
OF_TREES = {"nonzeros": ("trees", "{:,}"), "scans": ("searches", "{:,.4g}")}


def adds_to(model):
    """Describe in words what the linear predictor of a ``LinearModel`` is."""
    if model.two_class:
        second = (
            repr(model.recipe.labels[1])
            if model.recipe and model.recipe.labels
            else "the second class"
        )
        return f"the score of {second} (the higher, the likelier)"
    of_logarithm = issubclass(pieces_of(Loss).get(model.loss, Loss), LogMeanLoss)
    return "the logarithm of the prediction" if of_logarithm else "the prediction"


def caption(run):
    """Return the name of the method and, on a second line, its parameters."""
    return f"{run.method.name}\n{parameters(run.method)}".rstrip()


def parameters(method):
    """Return the parameters that are not None as text; for a sequence its first and last entry."""
    chosen = {name: value for name, value in method.parameters.items() if value is not None}
    return ", ".join(f"{name} = {_short(value)}" for name, value in chosen.items())


def _short(value):
    if isinstance(value, np.ndarray):
        return f"{value[0]:.4g} ... {value[-1]:.4g}"
    return f"{value:.4g}" if isinstance(value, int | float) else str(value)


def optimum(run):
    """Return a certified lower bound of the smallest loss without a constraint (a sum).

    None if no tight one is known or affordable.

    For the squared loss this is the least-squares optimum up to rounding. *Cost*: one thin SVD of
    B, if that takes seconds.
    """
    m = run.problem.n_samples
    n = run.problem.n_learners
    if (
        run.problem.loss.mu is None
        or not run.problem.countable
        or float(m) * n * min(m, n) > AFFORDABLE
    ):
        return None
    return run.certificate(Unconstrained()).lower


def refers(target):
    """Return the name of the optimum that a gap for `target` refers to."""
    names = {
        Unconstrained: "optimum",
        L1Ball: "Lasso, l1 <= {0.radius:.5g}",
        L1Penalty: "Lasso, lam = {0.lam:.4g}",
    }
    return names.get(type(target), "{0!r}").format(target)


def _gap(run, optimum):
    """Return the certified gap to the target of the method, or None.

    ``optimum`` saves a second decomposition of B.
    """
    if not isinstance(run.final.target, Unconstrained):
        return run.certificate().gap
    return None if optimum is None else run.final.loss - optimum


def reached(run):
    """Return the target for a certificate.

    It is that of the method or, where no bound is known for it, the l1 ball of the model's norm.
    """
    last = run.final
    loss = run.problem.loss
    if (
        type(last.target) is not Unconstrained
        or loss.mu is not None
        or not loss.convex
        or not last.l1
    ):
        return last.target
    return L1Ball(_up(last.l1))


def _up(value, digits=6):
    """Return `value` rounded up to `digits` significant digits.

    The radius in use is then the printed one.
    """
    for more in range(2):
        rounded = float(f"{value * (1 + more * 10.0 ** (1 - digits)):.{digits}g}")
        if rounded >= value:
            return rounded
    return value


def gap_of(state):
    """Return the certified gap of a state relative to the loss at zero.

    None if it is unknown or expensive.
    """
    problem = state.problem
    m = problem.n_samples
    n = problem.n_learners
    if isinstance(state.target, Unconstrained) and float(m) * n * min(m, n) > AFFORDABLE / 10:
        return None
    certificate = state.certificate()
    return (
        certificate.gap / problem.start_excess
        if certificate.known and problem.start_excess
        else None
    )


def summary(run, optimum=None):
    """Return the row of a run.

    Parameters
    ----------
    run : Run or RefittedRun
    optimum : float, optional
        Lower bound of the smallest loss without a constraint, a sum; see the function ``optimum``.

    Returns
    -------
    dict
        method, parameters, steps; training_error (mean loss) and null_error (that of beta =
        0); excess_percent (training error above the optimum, in % of the null error); l1, nonzeros;
        gap (certified, relative to the null error) and target (the optimum it refers to); seconds,
        scans, status, message. Unknown values are None, and so is the l1 norm of trees. If the loss
        declares an infimum, percentages and gap are relative to null error minus infimum.
    """
    last = run.final
    total = run.problem.total_weight
    null = run.problem.start_excess
    gap = _gap(run, optimum)
    row = {
        "method": run.method.name,
        "parameters": parameters(run.method),
        "steps": run.n_steps,
        "training_error": last.loss / total,
        "null_error": run.problem.start_loss / total,
        "excess_percent": None
        if optimum is None or null == 0
        else 100 * (last.loss - optimum) / null,
        "l1": last.l1 if run.problem.countable else None,
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
    """Return `value` as a type of JSON, None if it is not finite."""
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def table(rows):
    """Return the rows as a ``rich.table.Table``, one column per run.

    It has file names if two runs have the same title.

    Keys of ``WORDS`` that are known in no row are left out.
    """
    from rich import box
    from rich.table import Table

    grid = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    grid.add_column("", no_wrap=True)
    titles = [
        printable(
            "\n".join(
                [
                    *textwrap.wrap(row["method"].replace("_", " "), 12),
                    *row["parameters"].split(", "),
                ]
            ).rstrip()
        )
        for row in rows
    ]
    for title, row in zip(titles, rows, strict=True):
        file = (
            f"{printable(row['file'])}\n"
            if "file" in row and len(set(titles)) < len(titles)
            else ""
        )
        grid.add_column(file + title, justify="right", overflow="fold")
    # only learners that cannot be counted have no l1 norm
    words = WORDS | (OF_TREES if all(row.get("l1") is None for row in rows) else {})
    known = {key: one for key, one in words.items() if any(_says(row, key) for row in rows)}
    for key, (label, form) in known.items():
        grid.add_row(
            label, *("-" if row[key] is None else printable(form.format(row[key])) for row in rows)
        )
    return grid


def _says(row, key):
    """Whether a row has something to say under this title."""
    return row.get(key) is not None and (key != "target" or row.get("gap") is not None)


def verdict(problem, judged):
    """Return the result of ``certify`` as plain numbers.

    It is one interval, or two and whether they agree.

    Parameters
    ----------
    problem : Problem
    judged : Certificate or Judged
    """
    if not hasattr(judged, "own"):
        model = _interval(judged, problem.start_excess)
        numbers = {"target": refers(judged.target), "null_loss": problem.start_loss, "model": model}
        return numbers if judged.known else {**numbers, "reason": judged.reason}
    numbers = verdict(problem, judged.own)
    return {
        **numbers,
        judged.solver: _interval(judged.independent, problem.start_excess),
        "agree": bool(judged.agree),
    }


def _interval(certificate, null):
    numbers = {"lower": certificate.lower, "upper": certificate.upper, "gap": certificate.gap}
    numbers["relative_gap"] = certificate.gap / null if null else None
    return {key: _plain(value) for key, value in {**numbers, **certificate.witness}.items()}


def verdict_table(found):
    """Return the result of ``verdict`` as a ``rich.table.Table``, one column per interval."""
    from rich import box
    from rich.table import Column, Table

    columns = {name: numbers for name, numbers in found.items() if isinstance(numbers, dict)}
    titles = [
        Column(found["target"], no_wrap=True),
        *(Column(name, justify="right") for name in columns),
    ]
    grid = Table(*titles, box=box.SIMPLE_HEAD, pad_edge=False)
    shown = [dict(interval_rows(numbers)) for numbers in columns.values()]
    for key in shown[0]:
        grid.add_row(key, *(printable(texts.get(key, "-")) for texts in shown))
    return grid


def interval_rows(numbers):
    """Return an interval of ``verdict`` as pairs (name, text), with the ends rounded outwards."""
    ends = (
        infinite if numbers[end] is None else numbers[end]
        for end, infinite in (("lower", -math.inf), ("upper", math.inf))
    )
    lower, upper = outwards(*ends, 12)
    texts = {key: "-" if value is None else f"{value:.4g}" for key, value in numbers.items()}
    texts |= {
        "lower": "-" if numbers["lower"] is None else lower,
        "upper": "-" if numbers["upper"] is None else upper,
    }
    return [(key.replace("_", " "), text) for key, text in texts.items()]


def verdict_text(found):
    """Return sentences that explain the result of ``verdict``."""
    text = (
        "The smallest loss lies between 'lower', which no model can beat, and 'upper', which this "
        "model reaches (penalty included, or scaled back into the ball where that applies). Losses "
        "are sums over samples; the relative gap is a fraction of the loss of the constant model."
    )
    if found["model"]["lower"] is None:
        reason = found["reason"]
        text = f"{reason[0].upper()}{reason[1:]}. 'upper' is what this model reaches."
    return [text, "Both intervals overlap, as they must."] if "agree" in found else [text]
