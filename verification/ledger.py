"""The ledger: check every claim and try every sabotage in ``verification/theorems``.

A file holds

* a docstring whose paragraphs begin, in this order, with the words of ``PARAGRAPHS``;
* functions ``check_<result>(case, variant)``, marked by ``claim``, that return a ``BoundCheck``,
  several, or None if the claim does not apply to the case;
* ``CASES``: name -> function without arguments that makes the case (called once); ``QUICK``: names
  for a quick run, default all;
* ``SABOTAGE``: check function -> {error: function of a case that returns a ``BoundCheck`` or None}.
  At least one case must refute it.
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
    each check.
    """
    text = inspect.getdoc(module) or ""
    name = module.__name__.rpartition(".")[2]
    places = [text.find(f"\n{word}") for word in PARAGRAPHS]
    faults = []
    if -1 in places or places != sorted(places):
        faults.append(
            f"{name}: the docstring must have the paragraphs {' '.join(PARAGRAPHS)} in this order."
        )
    checks = checks_of(module)
    if not checks or not getattr(module, "CASES", None):
        faults.append(f"{name}: no check_... function marked by `claim`, or no CASES.")
    claimed = [check for check in checks if set(check.expected.values()) != {"refuted"}]
    without = [check for check in claimed if not getattr(module, "SABOTAGE", {}).get(check)]
    faults += [f"{check.statement} ({name}) has no sabotage." for check in without]
    return faults + [
        f"{name}: the space '{space.name}' is marked "
        f"{'exact, but its rows are not' if space.exact else 'not exact, but its rows are'}."
        for space in {
            id(space): space for check in checks for space in getattr(check, "spaces", ())
        }.values()
        if module.__name__ in (space.draw.__module__, space.make.__module__)
        if space.exact != kept.compared_exactly(space, checks)
    ]


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
        [float(value) for value in part[chosen]] for part in (check.at, check.measured, check.bound)
    ]


@steps_of_any_length
def row(module, check, variant, bench):
    """Check one variant of a statement on all its cases; return its ``Row``."""
    began = time.perf_counter()
    kept_cases = kept.tried(check, variant)
    cases = (*kept_cases, *bench.about(check))
    outcomes = [(name, one) for name, case in cases for one in kept.several(check(case, variant))]
    bad = next(((name, one) for name, one in outcomes if not one.holds), None)
    differs = (
        kept.differences(check, variant, kept_cases)
        or kept.strayed(check, variant, outcomes)
        or _disagreements(check, variant, cases)
        or _inexact(outcomes)
        or units.mixed(check, variant, kept_cases)
    )
    verdict = (
        "differs"
        if differs
        else "refuted"
        if bad
        else "vacuous"
        if outcomes and all(one.vacuous for _, one in outcomes)
        else "verified"
    )
    ratios = [one.tightest for _, one in outcomes if not np.isnan(one.tightest)]
    levels = sorted({one.level for _, one in outcomes}, key=LEVELS.index)
    shown = (
        bad[1]
        if bad
        else max(
            (one for _, one in outcomes),
            key=lambda one: np.nan_to_num(one.tightest, nan=-1.0),
            default=None,
        )
    )
    return Row(
        file=module.__name__.rpartition(".")[2],
        statement=check.statement,
        variant=variant,
        words=" ".join((inspect.getdoc(check) or "").split("\n\n")[0].split()),
        expected=check.expected[variant],
        verdict=verdict,
        evidence=", ".join(levels),
        tightest=float(max(ratios, default=np.nan)),
        cases=len({name for name, _ in outcomes}),
        points=sum(len(one.at) for _, one in outcomes),
        seconds=time.perf_counter() - began,
        counterexample=differs or (_counterexample(*bad) if bad else ""),
        pinned=kept.tightest(check, variant, kept_cases),
        formula=getattr(check, "formulas", {}).get(variant, ""),
        where=getattr(check, "definitions", lambda variant: {})(variant),
        assumed=getattr(check, "assuming", {}).get(variant, ""),
        hard=kept.said(check, variant),
        along="k" if shown is None else shown.along,
        shared=getattr(check, "theorem", None) in STATEMENTS,
        curve=None if shown is None else _thinned(shown),
    )


def _disagreements(check, variant, cases):
    """Describe where the package disagrees with the formula; empty if nowhere."""
    for name, case in cases:
        for one in getattr(check, "agrees", lambda case, variant: [])(case, variant):
            if not one.holds:
                return f"{one.name} on {_counterexample(name, one)}"
    return ""


def _inexact(outcomes):
    """Describe a case that is called exact but has a larger slack than roots need.

    Empty if there is none.
    """
    for name, one in outcomes:
        size = np.abs(np.asarray([one.measured, one.bound], dtype=float)).sum(axis=0)
        if one.level == "exact" and (np.asarray(one.slack, dtype=float) > ROOTS * size).any():
            return (
                f"{name}: it is called exact, but compared with a slack of "
                f"{float(max(one.slack)):.3g}"
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
    """Return the name of the first case that refutes a sabotage, or an empty string."""
    return next(
        (
            name
            for name, case in cases
            if any(not one.holds for one in kept.several(sabotage(case)))
        ),
        "",
    )


def jobs(quick=False, only=None):
    """Yield (statement, function without arguments that returns a ``Row`` or a ``Sabotage``),
    module by module.
    """
    for module in modules():
        file = module.__name__.rpartition(".")[2]
        if only and only not in file:
            continue
        bench = Bench(module, quick)
        for check in checks_of(module):
            for variant in check.expected:
                yield check.statement, functools.partial(row, module, check, variant, bench)
                tightest = kept.tightest(check, variant, kept.tried(check, variant))
                if check.expected[variant] == "verified" and tightest > 1 / FACTORS[-1]:
                    yield check.statement, functools.partial(near, file, check, variant, tightest)
                theorem = getattr(check, "theorem", None)
                if (theorem, variant) in by_hand.HAND:
                    yield check.statement, functools.partial(by_hand.tried, file, theorem, variant)
            for what, wrong in getattr(module, "SABOTAGE", {}).get(check, {}).items():
                yield check.statement, functools.partial(_try, file, check, what, wrong, bench)


@steps_of_any_length
def near(file, check, variant, tightest):
    """Check the claim with its bound divided by the smallest of ``FACTORS`` that the hard case
    should refute; return a ``Sabotage``.
    """
    factor = next(factor for factor in FACTORS if factor * tightest > 1)
    for name, case in kept.tried(check, variant):
        for one in kept.several(check(case, variant)):
            bound = (
                one.bound * 101 / 100
                if one.kind == "tight"
                else one.bound * 100 / int(100 * factor)
            )
            if name == "hard case" and not dataclasses.replace(one, bound=bound).holds:
                return Sabotage(
                    file, check.statement, f"{variant}, the bound divided by {factor:g}", name
                )
    return Sabotage(file, check.statement, f"{variant}, the bound divided by {factor:g}", "")


@steps_of_any_length
def _try(file, check, what, wrong, bench):
    found = caught_by(wrong, bench.about(check))
    if not found and getattr(wrong, "small", False):
        found = caught_by(
            wrong, [one for variant in check.expected for one in kept.tried(check, variant)]
        )
    return Sabotage(file, check.statement, what, found)


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
    todo = list(jobs(quick, only))
    done = []
    for number, (statement, job) in enumerate(todo):
        if watch is not None:
            watch(number, len(todo), statement)
        with threadpool_limits(1, "blas"):
            done.append(job())
    missing = [fault for module in modules() for fault in form_faults(module)]
    rows = [one for one in done if isinstance(one, Row)]
    return Ledger(
        rows,
        [one for one in done if isinstance(one, Sabotage)],
        missing,
        time.perf_counter() - began,
    )
