"""The ledger: check every claim and try every sabotage in ``verification/theorems``.

A file holds

* a docstring whose paragraphs begin, in this order, with the words of ``PARAGRAPHS``;
* functions ``check_<result>(case, variant)``, marked by ``claim``, that return a ``BoundCheck``,
  several, or None if the claim does not apply to the case;
* ``CASES``: name -> function without arguments that makes the case (called once); ``QUICK``: names
  for a quick run, default all;
* ``SABOTAGE``: check function -> {error: function of a case that returns a ``BoundCheck`` or None}.
  At least one case must refute it. A formula that has values by hand needs none: wrong formulas are
  made from its text.
"""

import dataclasses
import functools
import importlib
import inspect
import pkgutil
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

import verification.theorems
from coordboost.theory.bounds import STATEMENTS
from verification import by_hand, kept, units
from verification.entries import Ledger, Row, Sabotage
from verification.statement import steps_of_any_length

PARAGRAPHS = (
    "Problem:",
    "Method:",
    "Assumptions:",
    "Claim:",
    "Constants:",
    "Measured:",
    "Reference:",
)
LEVELS = ("exact", "float", "enumerated", "sampled")
POINTS = 160
#: Roots of Fractions have a smaller relative rounding error than this.
ROOTS = 1e-20
#: Divisors of a bound, to test that its constant is pinned: the first one that the hard case should
#: refute is used.
FACTORS = (1.02, 1.1, 1.25, 1.5, 2)


def modules():
    """The modules of ``verification/theorems``, by name."""
    names = sorted(found.name for found in pkgutil.iter_modules(verification.theorems.__path__))
    return [importlib.import_module(f"verification.theorems.{name}") for name in names]


def checks_of(module):
    """Return the check functions of a module, in their order in the file."""
    found = [
        value
        for name, value in vars(module).items()
        if name.startswith("check_") and hasattr(value, "expected")
    ]
    return list(dict.fromkeys(found))


def form_faults(module):
    """Return sentences on what a file lacks: paragraphs of its docstring, cases, a sabotage for
    each check without values by hand.
    """
    text = inspect.getdoc(module) or ""
    name = file_of(module)
    places = [text.find(f"\n{word}") for word in PARAGRAPHS]
    faults = []
    if -1 in places or places != sorted(places):
        faults.append(
            f"{name}: the docstring must have the paragraphs {' '.join(PARAGRAPHS)} in this order."
        )
    checks = checks_of(module)
    if not checks or not getattr(module, "CASES", None):
        faults.append(f"{name}: no check_... function marked by `claim`, or no CASES.")
    wrong = getattr(module, "SABOTAGE", {})
    without = [check for check in checks if not wrong.get(check) and not _seen_by_hand(check)]
    faults += [f"{check.statement} ({name}) has no sabotage." for check in without]
    return faults + _marks_of_spaces(module, checks)


def _seen_by_hand(check):
    """Whether each variant that is claimed has values by hand, which see the wrong formulas made
    from its text; none is needed for what is refuted.
    """
    theorem = getattr(check, "theorem", None)
    return all(
        verdict == "refuted" or (theorem, variant) in by_hand.HAND
        for variant, verdict in check.expected.items()
    )


def _marks_of_spaces(module, checks):
    """Return a sentence on each space of a file that is marked exact but has no exact rows, or the
    other way round.
    """
    spaces = {id(space): space for check in checks for space in getattr(check, "spaces", ())}
    faults = []
    for space in spaces.values():
        if module.__name__ not in (space.draw.__module__, space.make.__module__):
            continue
        try:
            exact = kept.compared_exactly(space, checks)
        except Exception:  # the row of this check says so
            continue
        if exact != space.exact:
            marked = "exact, but its rows are not" if space.exact else "not exact, but its rows are"
            faults.append(f"{file_of(module)}: the space '{space.name}' is marked {marked}.")
    return faults


class Bench:
    """The cases of one module, each made once."""

    def __init__(self, module, quick):
        names = getattr(module, "QUICK", None) if quick else None
        self.makers: dict[str, Callable] = {
            name: module.CASES[name] for name in names or module.CASES
        }
        self.made: dict[str, Any] = {}

    def about(self, check) -> Iterator[tuple[str, Any]]:
        """Yield the names and the cases that a check is to be called on."""
        for name, make in self.makers.items():
            if name not in self.made:
                self.made[name] = make()
            if check.about(self.made[name]):
                yield name, self.made[name]


def _thinned(check):
    """Return at most ``POINTS`` points of a check for a plot.

    None if there are fewer than three.
    """
    if len(check.at) < 3:
        return None
    chosen = np.unique(np.round(np.geomspace(1, len(check.at), POINTS)).astype(int)) - 1
    return [
        [float(value) for value in side[chosen]] for side in (check.at, check.measured, check.bound)
    ]


def row(module, check, variant, bench):
    """Check one variant of a statement on all its cases; return its ``Row``.

    If the check ends with an exception, the row says so, and its verdict is "failed".
    """
    began = time.perf_counter()
    try:
        evidence = _evidence(check, variant, bench)
    except Exception as error:
        evidence = {"verdict": "failed", "counterexample": reason(error)}
    return Row(
        file=file_of(module),
        statement=check.statement,
        variant=variant,
        words=" ".join((inspect.getdoc(check) or "").split("\n\n")[0].split()),
        expected=check.expected[variant],
        seconds=time.perf_counter() - began,
        formula=getattr(check, "formulas", {}).get(variant, ""),
        where=getattr(check, "definitions", lambda variant: {})(variant),
        assumed=getattr(check, "assuming", {}).get(variant, ""),
        hard=kept.described(check, variant),
        shared=getattr(check, "theorem", None) in STATEMENTS,
        **evidence,
    )


@steps_of_any_length
def _evidence(check, variant, bench):
    """Check one variant on all its cases; return the fields of the ``Row`` that depend on the
    outcome.
    """
    kept_cases = kept.tried(check, variant)
    cases = (*kept_cases, *bench.about(check))
    outcomes = [
        (name, outcome) for name, case in cases for outcome in kept.several(check(case, variant))
    ]
    violated = next(((name, outcome) for name, outcome in outcomes if not outcome.holds), None)
    difference = (
        kept.differences(check, variant, kept_cases)
        or kept.case_differences(check, variant, outcomes)
        or _disagreement(check, variant, cases)
        or _inexact(outcomes)
        or units.mixed(check, variant, kept_cases)
    )
    ratios = [outcome.tightest for _, outcome in outcomes if not np.isnan(outcome.tightest)]
    plotted = violated[1] if violated else _tightest(outcomes)
    return {
        "verdict": _verdict(outcomes, violated, difference),
        "evidence": ", ".join(sorted({each.level for _, each in outcomes}, key=LEVELS.index)),
        "tightest": float(max(ratios, default=np.nan)),
        "cases": len({name for name, _ in outcomes}),
        "points": sum(len(outcome.at) for _, outcome in outcomes),
        "counterexample": difference or (_counterexample(*violated) if violated else ""),
        "pinned": kept.tightest(check, variant, kept_cases),
        "along": "k" if plotted is None else plotted.along,
        "curve": None if plotted is None else _thinned(plotted),
    }


def _verdict(outcomes, violated, difference):
    if difference:
        return "differs"
    if violated:
        return "refuted"
    if outcomes and all(outcome.vacuous for _, outcome in outcomes):
        return "vacuous"
    return "verified"


def _tightest(outcomes):
    """Return the check with the largest measured / bound, None if there are no checks."""
    return max(
        (outcome for _, outcome in outcomes),
        key=lambda outcome: np.nan_to_num(outcome.tightest, nan=-1.0),
        default=None,
    )


def reason(error):
    """Return an exception as one line."""
    return f"{type(error).__name__}: {' '.join(str(error).split())}"


def file_of(module):
    """Return the name of a file of theorems."""
    return module.__name__.rpartition(".")[2]


def _disagreement(check, variant, cases):
    """Describe where the package disagrees with the formula; empty if nowhere."""
    for name, case in cases:
        for comparison in getattr(check, "agrees", lambda case, variant: [])(case, variant):
            if not comparison.holds:
                return f"{comparison.name} on {_counterexample(name, comparison)}"
    return ""


def _inexact(outcomes):
    """Describe a case that is called exact but has a larger slack than roots need.

    Empty if there is none.
    """
    for name, outcome in outcomes:
        sides = np.asarray([outcome.measured, outcome.bound], dtype=float)
        allowed = ROOTS * np.abs(sides).sum(axis=0)
        if outcome.level == "exact" and (np.asarray(outcome.slack, dtype=float) > allowed).any():
            return (
                f"{name}: it is called exact, but compared with a slack of "
                f"{float(max(outcome.slack)):.3g}"
            )
    return ""


def _counterexample(name, check):
    k = check.violations[0]
    i = int(np.flatnonzero(check.at == k)[0])
    sign = "is not" if check.kind == "tight" else "is more than"
    return (
        f"{name}, {check.along} = {k:g}: {float(check.measured[i]):.6g} {sign} "
        f"{float(check.bound[i]):.6g}"
    )


def caught_by(sabotage, cases):
    """Return the name of the first case that refutes a sabotage, or an empty string; and, for each
    case up to there, whether the sabotage applies to it.
    """
    applies = []
    for name, case in cases:
        outcomes = kept.several(sabotage(case))
        applies.append(len(outcomes) > 0)
        if any(not outcome.holds for outcome in outcomes):
            return name, applies
    return "", applies


def jobs(quick=False, only=None):
    """Yield (statement, function without arguments that returns a ``Row`` or a ``Sabotage``),
    module by module.

    These functions do not raise: what ends with an exception is a row or sabotage that says so.
    """
    for module in modules():
        file = file_of(module)
        if only and only not in file:
            continue
        bench = Bench(module, quick)
        for check in checks_of(module):
            for variant in check.expected:
                yield check.statement, functools.partial(row, module, check, variant, bench)
                if check.expected[variant] == "verified" and _pinned(check, variant):
                    job = functools.partial(near, check, variant)
                    yield (
                        check.statement,
                        functools.partial(
                            _sabotage, file, check.statement, f"{variant}, a smaller bound", job
                        ),
                    )
                theorem = getattr(check, "theorem", None)
                if (theorem, variant) in by_hand.HAND:
                    yield check.statement, functools.partial(by_hand.tried, file, theorem, variant)
            for what, wrong in getattr(module, "SABOTAGE", {}).get(check, {}).items():
                job = functools.partial(_caught, check, what, wrong, bench)
                yield (
                    check.statement,
                    functools.partial(_sabotage, file, check.statement, what, job),
                )


def _sabotage(file, statement, what, job):
    """Return the ``Sabotage`` of a job that returns what is changed, the case that refutes it or an
    empty string, and how many cases it was tried on.
    """
    try:
        what, name, tried = job()
    except Exception as error:
        return Sabotage(file, statement, what, "", reason(error))
    return Sabotage(file, statement, what, name, tried=tried)


def _pinned(check, variant):
    """Whether the hard case is near enough to its bound that the bound divided by one of
    ``FACTORS`` should be refuted.
    """
    try:
        tightest = kept.tightest(check, variant, kept.tried(check, variant))
    except Exception:  # the row of this variant says so
        return False
    return tightest > 1 / FACTORS[-1]


@steps_of_any_length
def near(check, variant):
    """Check the claim with its bound divided by the smallest of ``FACTORS`` that the hard case
    should refute; return what is changed, "hard case" if it is refuted, and what it was tried on.
    """
    tried = kept.tried(check, variant)
    tightest = kept.tightest(check, variant, tried)
    factor = next(factor for factor in FACTORS if factor * tightest > 1)
    what = f"{variant}, the bound divided by {factor:g}"
    outcomes = [
        outcome
        for name, case in tried
        if name == "hard case"
        for outcome in kept.several(check(case, variant))
    ]
    for outcome in outcomes:
        if outcome.kind == "tight":
            bound = outcome.bound * 101 / 100
        else:
            bound = outcome.bound * 100 / int(100 * factor)
        if not dataclasses.replace(outcome, bound=bound).holds:
            return what, "hard case", ""
    return what, "", "the hard case"


@steps_of_any_length
def _caught(check, what, wrong, bench):
    """Try a sabotage on all cases; return its name, the case that refutes it, and on how many of
    them it was tried: it may not apply to all.
    """
    name, applies = caught_by(wrong, bench.about(check))
    if not name and getattr(wrong, "small", False):
        instances = [case for variant in check.expected for case in kept.tried(check, variant)]
        name, more = caught_by(wrong, instances)
        applies += more
    return what, name, f"{sum(applies)} of {len(applies)} cases"


def verify(quick=False, only=None, watch=None):
    """Check all claims and sabotages.

    Parameters
    ----------
    quick : bool
        Use only the cases that each file names in ``QUICK``.
    only : str, optional
        Use only files whose name contains this text.
    watch : callable, optional
        Called before each check, as ``watch(done, total, statement)``.

    Returns
    -------
    Ledger
    """
    began = time.perf_counter()
    planned = list(jobs(quick, only))
    entries = []
    for number, (statement, job) in enumerate(planned):
        if watch is not None:
            watch(number, len(planned), statement)
        with threadpool_limits(1, "blas"):
            entries.append(job())
    return Ledger(
        rows=[entry for entry in entries if isinstance(entry, Row)],
        sabotages=[entry for entry in entries if isinstance(entry, Sabotage)],
        missing=[fault for module in modules() for fault in form_faults(module)],
        seconds=time.perf_counter() - began,
    )
