"""Hard cases: for each row of the ledger the instance at which its claim is tightest, or false, as the adversary found it.

``verification/hard_cases`` holds them, one file for each file of theorems: the space, shape, numbers and seed, and for each comparison of
the claim its two sides where they are nearest, and the sums of both over all points. The ledger tries each claim on its hard case and
compares them with those kept: a constant that is changed by little is seen there, and so is a number that is measured in another way.
"""

import dataclasses
import functools
import json
import re
from fractions import Fraction
from pathlib import Path

import numpy as np

#: A bound so many times its slack has a ratio that no rounding moves by what is looked at.
CLEAR = 10_000
FOLDER = Path(__file__).with_name("hard_cases")
#: A list that holds no dictionary, and lists of at most one more level: it is written in one line.
_FLAT = re.compile(r"\[(?:[^][{}]|\[[^][{}]*\])*\]")


@functools.cache
def cases():
    """All that is kept: "statement | variant" -> a dictionary."""
    return {name: case for path in sorted(FOLDER.glob("*.json")) for name, case in _read(path).items()}


def _read(path):
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def read(file):
    """What is kept for one file of theorems."""
    return _read(FOLDER / f"{file}.json")


def keep(file, found):
    """Write what is kept for rows of one file of theorems; what is there for other rows of it stays."""
    path = FOLDER / f"{file}.json"
    text = json.dumps(dict(sorted({**_read(path), **found}.items())), indent=1)
    path.write_text(_FLAT.sub(_in_one_line, text) + "\n", encoding="utf-8")


def _in_one_line(part):
    return " ".join(part[0].split()).replace("[ ", "[").replace(" ]", "]")


def key(check, variant):
    """The name of a row."""
    return f"{check.statement} | {variant}"


#: What is kept for each row: the instance nearest to a violation, one as it was drawn, one beyond what is assumed.
KINDS = ("hard", "drawn", "beyond")


@functools.cache
def tried(check, variant):
    """(name, instance) of what is kept for a row, a list."""
    return list(_tried(check, variant))


def _tried(check, variant):
    kept = cases().get(key(check, variant), {})
    for kind in KINDS:
        if kind in kept and getattr(check, "spaces", ()):
            yield f"{kind} case", check.spaces[kept[kind]["space"]].at(kept[kind]["shape"], kept[kind]["numbers"])


def said(check, variant):
    """The hard case in words; empty where there is none."""
    kept = cases().get(key(check, variant), {}).get("hard")
    if kept is None or not getattr(check, "spaces", ()):
        return ""
    numbers = kept["numbers"] if len(kept["numbers"]) <= 160 else kept["numbers"][:150] + " ..."
    return f"{check.spaces[kept['space']].name}, shape {tuple(kept['shape'])}, numbers {numbers or 'none'}, seed {kept['seed']}"


def differences(check, variant, made):
    """Where the sides are not those kept, in words; empty where they are, or nothing is kept."""
    kept = cases().get(key(check, variant), {})
    for name, case in made:
        before, outcomes = kept[name.split()[0]], several(check(case, variant))
        now = sides(outcomes)
        if not same(before["sides"], now):
            return f"{name}: the sides were {' and '.join(before['sides'])}, now they are {' and '.join(now) or 'not there'}"
        if not _add_up(before["sums"], outcomes, 1e-6, lambda one: 1e-9):
            return f"{name}: over all points the sides added up to {before['sums']}, now to {sums(outcomes)}"
    return ""


def told(outcomes):
    """What is kept of what a claim says about a small instance."""
    return {"sides": sides(outcomes), "sums": sums(outcomes)}


def _finite(side):
    numbers = np.asarray(side, dtype=float)
    return numbers[np.isfinite(numbers)]


def sums(outcomes):
    """Both sides of each comparison, added up over its points, one after the other, to nine digits."""
    return [float(f"{_finite(side).sum():.9g}") for one in outcomes for side in (one.measured, one.bound)]


def _add_up(before, outcomes, part, beside):
    """Whether the sides add up to the numbers `before`, but for this part of the sum of their sizes, and what is `beside` it."""
    off = [part * np.abs(_finite(side)).sum() + beside(one) for one in outcomes for side in (one.measured, one.bound)]
    now = sums(outcomes)
    return len(before) == len(now) and bool((np.abs(np.subtract(before, now)) <= off).all())


def digest(outcomes):
    """What is kept of a case that is no small instance: how tight the claim is there, how many points it speaks about, sums of its sides.

    Only bounds far above the rounding count for the first: others are as tight as the machine rounds.
    """
    clear = [dataclasses.replace(one, slack=CLEAR * one.slack).tightest for one in outcomes]
    ratios = [ratio for ratio in clear if not np.isnan(ratio)]
    return [float(f"{max(ratios):.7g}") if ratios else None, sum(len(one.at) for one in outcomes), sums(outcomes)]


def strayed(check, variant, outcomes):
    """Where cases are not as they were kept, in words: `outcomes` are pairs (name of the case, check)."""
    for name, before in cases().get(key(check, variant), {}).get("cases", {}).items():
        here = [one for case, one in outcomes if case == name]
        now = digest(here)
        near = None not in (before[0], now[0]) and abs(before[0] - now[0]) <= 1e-3 * abs(before[0]) + 1e-6
        as_tight = near or before[0] == now[0]
        add_up = _add_up(before[2], here, 1e-5, lambda one: 1e-9 + _finite(one.slack).sum())
        if before[1] != now[1] or not as_tight or not add_up:
            return f"{name}: tightness, number of points and sums of the sides were {before}, now they are {now}"
    return ""


def compared_exactly(space, checks):
    """Whether some claim is compared in Fractions on an instance of the space that it keeps."""
    return any(
        one.level == "exact"
        for check in checks
        if space in check.spaces
        for variant in check.expected
        for _, case in tried(check, variant)
        if space.has(case)
        for one in several(check(case, variant))
    )


def tightest(check, variant, made):
    """The largest measured / bound of an upper bound at the hard case, 1 for an equality that holds; nan without one."""
    ratios = [one.tightest for name, case in made if name == "hard case" for one in several(check(case, variant))]
    return max((ratio for ratio in ratios if not np.isnan(ratio)), default=np.nan)


def several(outcome):
    """The checks that a check function gave, as a list."""
    return [] if outcome is None else list(outcome) if isinstance(outcome, list | tuple) else [outcome]


def weight(bound_check):
    """How near each point comes to a violation, from -1 to 1: (measured - bound) / (abs measured + abs bound), 0 where attained.

    Where both sides are nothing beside those of other points, nothing is told: -1.
    """
    measured, bound = (np.asarray(side, dtype=float) for side in (bound_check.measured, bound_check.bound))
    over = measured - bound
    if bound_check.kind == "tight":
        over = np.abs(over)
    size = np.abs(measured) + np.abs(bound)
    least, quiet = 1e-6 * size.max(initial=0.0), over <= np.asarray(bound_check.slack, dtype=float)
    near = over / (size + least + 1e-300)
    return np.where(quiet & (size <= least), -1.0, np.where(quiet, np.minimum(near, 0.0), near))


def nearest(outcomes):
    """(weight, check, place) of the point nearest to a violation, after the start where there is such a point; None without points.

    A point that violates a claim counts wherever it is.
    """
    found = []
    for one in outcomes:
        near = weight(one)
        late = np.flatnonzero(one.at >= 1) if one.along == "k" and (one.at >= 1).any() else np.arange(len(near))
        bad = np.flatnonzero(np.isin(one.at, one.violations))
        for places in (late, bad):
            if len(places):
                i = places[np.argmax(near[places])]
                found.append((float(near[i]), one, int(i)))
    return max(found, key=lambda each: each[0], default=None)


def pair(found):
    """The two sides at a point that `nearest` found, as texts."""
    _, check, place = found
    return [_text(side[place]) for side in (check.measured, check.bound)]


def sides(outcomes):
    """The two sides of each comparison where it is nearest to a violation, one after the other, as texts."""
    found = (nearest([one]) for one in outcomes)
    return [text for one in found if one is not None for text in pair(one)]


def _text(number):
    """A Fraction as it is if it is short, else as a decimal number with 17 digits."""
    exact = isinstance(number, Fraction | int | np.integer)
    return str(number) if exact and len(str(number)) <= 24 else repr(float(number))


def same(one, two):
    """Whether sides are the same up to the rounding of linear programs."""
    numbers = [[float(Fraction(side)) for side in each] for each in (one, two)]
    return len(one) == len(two) and all(abs(a - b) <= 1e-6 * (1e-3 + abs(b)) for a, b in zip(*numbers, strict=True))
