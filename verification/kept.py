"""Hard cases: for each row of the ledger, the instance found by the adversary where the claim is
tightest, or false.

``verification/hard_cases`` holds them, one file for each file of theorems: the space, shape,
numbers and seed and, for each comparison of the claim, both sides at the point where they are
nearest, and their sums over all points. The ledger checks each claim on its hard case and compares
the sides with the kept ones. So it detects small changes of a constant, and changes in how a
quantity is measured.
"""

import dataclasses
import functools
import json
import re
from fractions import Fraction
from pathlib import Path

import numpy as np

#: If a bound is at least so many times its slack, rounding does not change its ratio noticeably.
CLEAR = 10_000
FOLDER = Path(__file__).with_name("hard_cases")
#: A list without dictionaries and with at most one level of inner lists: it is written on one line.
_FLAT = re.compile(r"\[(?:[^][{}]|\[[^][{}]*\])*\]")


@functools.cache
def cases():
    """Return all records: "statement | variant" -> a dictionary."""
    return {
        name: case for path in sorted(FOLDER.glob("*.json")) for name, case in _read(path).items()
    }


def _read(path):
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def read(file):
    """Return the records for one file of theorems."""
    return _read(FOLDER / f"{file}.json")


def keep(file, found):
    """Write records of rows of one file of theorems; records of its other rows stay."""
    path = FOLDER / f"{file}.json"
    text = json.dumps(dict(sorted({**_read(path), **found}.items())), indent=1)
    path.write_text(_FLAT.sub(_in_one_line, text) + "\n", encoding="utf-8")


def _in_one_line(part):
    return " ".join(part[0].split()).replace("[ ", "[").replace(" ]", "]")


def key(check, variant):
    """Return the key of the record of a row."""
    return f"{check.statement} | {variant}"


#: Instances kept for each row: the one nearest to a violation, one as drawn at random, one that
#: violates an assumption.
KINDS = ("hard", "drawn", "beyond")


@functools.cache
def tried(check, variant):
    """Return the kept instances of a row, a list of (name, instance)."""
    spaces = getattr(check, "spaces", ())
    records = cases().get(key(check, variant), {})
    instances = []
    for kind in KINDS:
        if kind in records and spaces:
            record = records[kind]
            instance = spaces[record["space"]].at(record["shape"], record["numbers"])
            instances.append((f"{kind} case", instance))
    return instances


def described(check, variant):
    """Describe the hard case in words; empty if there is none."""
    record = cases().get(key(check, variant), {}).get("hard")
    if record is None or not getattr(check, "spaces", ()):
        return ""
    numbers = record["numbers"]
    if len(numbers) > 160:
        numbers = numbers[:150] + " ..."
    return (
        f"{check.spaces[record['space']].name}, shape {tuple(record['shape'])}, numbers "
        f"{numbers or 'none'}, seed {record['seed']}"
    )


def differences(check, variant, instances):
    """Describe where sides differ from the kept ones; empty if none do, or nothing is kept."""
    records = cases().get(key(check, variant), {})
    for name, case in instances:
        before = records[name.split()[0]]
        outcomes = several(check(case, variant))
        now = sides(outcomes)
        if not same(before["sides"], now):
            return (
                f"{name}: the sides were {' and '.join(before['sides'])}, now they are "
                f"{' and '.join(now) or 'not there'}"
            )
        if not _add_up(before["sums"], outcomes, 1e-6, lambda outcome: 1e-9):
            return (
                f"{name}: over all points the sides added up to {before['sums']}, now to "
                f"{sums(outcomes)}"
            )
    return ""


def record(outcomes):
    """Return the record of the checks of a claim on a small instance."""
    return {"sides": sides(outcomes), "sums": sums(outcomes)}


def _finite(side):
    numbers = np.asarray(side, dtype=float)
    return numbers[np.isfinite(numbers)]


def sums(outcomes):
    """Return the sums of both sides of each comparison over its points, to nine digits, as a flat
    list.
    """
    return [
        float(f"{_finite(side).sum():.9g}")
        for outcome in outcomes
        for side in (outcome.measured, outcome.bound)
    ]


def _add_up(before, outcomes, relative, absolute):
    """Whether the sums of the sides are `before`, with a relative tolerance and the absolute
    tolerance ``absolute(outcome)``.
    """
    tolerances = [
        relative * np.abs(_finite(side)).sum() + absolute(outcome)
        for outcome in outcomes
        for side in (outcome.measured, outcome.bound)
    ]
    now = sums(outcomes)
    if len(before) != len(now):
        return False
    return bool((np.abs(np.subtract(before, now)) <= tolerances).all())


def digest(outcomes):
    """Return the record of a case that is no small instance: tightness of the claim, number of its
    points, sums of its sides.

    The tightness is over bounds far above the rounding error only: for others it would depend on
    the machine.
    """
    clear = [
        dataclasses.replace(outcome, slack=CLEAR * outcome.slack).tightest for outcome in outcomes
    ]
    ratios = [ratio for ratio in clear if not np.isnan(ratio)]
    return [
        float(f"{max(ratios):.7g}") if ratios else None,
        sum(len(outcome.at) for outcome in outcomes),
        sums(outcomes),
    ]


def case_differences(check, variant, outcomes):
    """Describe where cases differ from their records, empty if none do.

    `outcomes` are pairs (name of the case, check).
    """
    for name, before in cases().get(key(check, variant), {}).get("cases", {}).items():
        of_case = [outcome for case, outcome in outcomes if case == name]
        now = digest(of_case)
        tightness, n_points, totals = before
        add_up = _add_up(totals, of_case, 1e-5, lambda outcome: 1e-9 + _finite(outcome.slack).sum())
        if n_points != now[1] or not _as_tight(tightness, now[0]) or not add_up:
            return (
                f"{name}: tightness, number of points and sums of the sides were {before}, now "
                f"they are {now}"
            )
    return ""


def _as_tight(before, now):
    """Whether two ratios, each perhaps None, are the same up to the rounding of a machine."""
    if before is None or now is None:
        return before is now
    return abs(before - now) <= 1e-3 * abs(before) + 1e-6


def compared_exactly(space, checks):
    """Whether one of the claims is checked in Fractions on one of its kept instances in this
    space.
    """
    return any(
        outcome.level == "exact"
        for check in checks
        if space in check.spaces
        for variant in check.expected
        for _, case in tried(check, variant)
        if space.has(case)
        for outcome in several(check(case, variant))
    )


def tightest(check, variant, instances):
    """Return the largest measured / bound at the hard case, 1 for an equality that holds.

    Nan if there is none.
    """
    ratios = [
        outcome.tightest
        for name, case in instances
        if name == "hard case"
        for outcome in several(check(case, variant))
    ]
    return max((ratio for ratio in ratios if not np.isnan(ratio)), default=np.nan)


def several(outcome):
    """Return the outcome of a check function as a list of checks."""
    if outcome is None:
        return []
    return list(outcome) if isinstance(outcome, list | tuple) else [outcome]


def weight(bound_check):
    """Return how near each point is to a violation, from -1 to 1: (measured - bound) / (abs
    measured + abs bound), 0 where attained.

    Points where both sides are negligible beside those of other points count as -1, unless they
    violate the bound.
    """
    measured, bound = (
        np.asarray(side, dtype=float) for side in (bound_check.measured, bound_check.bound)
    )
    excess = measured - bound
    if bound_check.kind == "tight":
        excess = np.abs(excess)
    size = np.abs(measured) + np.abs(bound)
    negligible = 1e-6 * size.max(initial=0.0)
    holds = excess <= np.asarray(bound_check.slack, dtype=float)
    relative = excess / (size + negligible + 1e-300)
    of_holding = np.where(size <= negligible, -1.0, np.minimum(relative, 0.0))
    return np.where(holds, of_holding, relative)


def nearest(outcomes):
    """Return (weight, check, index) of the point nearest to a violation, None without points.

    The start, k = 0, is skipped if there are later points, unless it violates the claim.
    """
    candidates = []
    for outcome in outcomes:
        weights = weight(outcome)
        after_start = np.arange(len(weights))
        if outcome.along == "k" and (outcome.at >= 1).any():
            after_start = np.flatnonzero(outcome.at >= 1)
        violating = np.flatnonzero(np.isin(outcome.at, outcome.violations))
        for places in (after_start, violating):
            if len(places):
                i = places[np.argmax(weights[places])]
                candidates.append((float(weights[i]), outcome, int(i)))
    return max(candidates, key=lambda candidate: candidate[0], default=None)


def sides_at(point):
    """Return the two sides, as texts, at a point found by `nearest`."""
    _, check, place = point
    return [_text(side[place]) for side in (check.measured, check.bound)]


def sides(outcomes):
    """Return the two sides of each comparison at the point nearest to a violation, as a flat list
    of texts.
    """
    points = (nearest([outcome]) for outcome in outcomes)
    return [text for point in points if point is not None for text in sides_at(point)]


def _text(number):
    """Return a short Fraction as it is, any other number as a decimal with 17 digits."""
    exact = isinstance(number, Fraction | int | np.integer)
    return str(number) if exact and len(str(number)) <= 24 else repr(float(number))


def same(before, now):
    """Whether sides are the same up to the rounding of linear programs."""
    numbers = [[float(Fraction(side)) for side in sides] for sides in (before, now)]
    return len(before) == len(now) and all(
        abs(a - b) <= 1e-6 * (1e-3 + abs(b)) for a, b in zip(*numbers, strict=True)
    )
