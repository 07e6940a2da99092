"""A search for violations: ``python -m verification.adversary NAME --seconds S``.

A *hunt* (``verification/hunts.py``) knows a statement as two sides, and nothing of where it fails: instances are drawn at random, the ratio
of the sides is driven up by random changes of the numbers in them, and what exceeds 1 is rounded to small rationals and checked again,
exactly.
"""

import sys
import time
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import click
import numpy as np

from verification.hunts import HUNTS

#: Denominators tried for a counterexample, small ones first; ratios below 1 + MARGIN are rounding; changes tried before a new start.
DENOMINATORS, MARGIN, PATIENCE = (1, 2, 4, 8, 16, 64, 256, 1024, 10**6), 1e-9, 120


@dataclass(frozen=True)
class Found:
    """A violation: the numbers, and the pair of sides, checked again."""

    shape: Any
    numbers: list
    left: Any
    right: Any
    tries: int

    def __str__(self):
        numbers = ", ".join(str(x) for x in self.numbers)
        return f"{float(self.left):.6g} is more than {float(self.right):.6g} at {self.shape}: {numbers} (after {self.tries:,} tries)"


def _worst(pairs):
    """The pair with the largest ratio, and that ratio."""
    ratio, pair = max(
        ((left / right, (left, right)) for left, right in pairs if right > 0), key=lambda one: one[0], default=(0, (0, 1))
    )
    return float(ratio), pair


def _confirmed(hunt, shape, numbers, tries):
    """The violation with the smallest denominators, or None if it does not survive a second look."""
    if hunt.again is not None:
        ratio, pair = _worst(hunt.again(shape, numbers))
        return Found(shape, [float(x) for x in numbers], *pair, tries) if ratio > 1 else None
    for denominator in DENOMINATORS:
        exact = [Fraction(float(x)).limit_denominator(denominator) for x in numbers]
        try:
            _, (left, right) = _worst(hunt.sides(shape, exact))
        except ZeroDivisionError:
            continue
        if left > right:
            return Found(shape, exact, left, right, tries)
    return None


def search(name, seconds=10.0, tries=None, seed=0):
    """A ``Found``, or None if nothing was found in `seconds`, or in so many `tries` (then the same in every run)."""
    hunt, rng, end, done = HUNTS[name], np.random.default_rng(seed), time.monotonic() + seconds, 0
    while time.monotonic() < end if tries is None else done < tries:
        shape, numbers = hunt.draw(rng)
        best, size, idle = _worst(hunt.sides(shape, numbers))[0], 0.5, 0
        while idle < PATIENCE and best <= 1 + MARGIN:
            chosen = rng.random(len(numbers)) < max(0.3, 1 / len(numbers))
            changed = numbers + size * chosen * rng.standard_normal(len(numbers))
            ratio, done = _worst(hunt.sides(shape, changed))[0], done + 1
            better = ratio > best
            best, numbers = (ratio, changed) if better else (best, numbers)
            idle, size = (0, size * 1.2) if better else (idle + 1, max(size * 0.96, 1e-3))
        done += 1
        if best > 1 + MARGIN and (found := _confirmed(hunt, shape, numbers, done)) is not None:
            return found
    return None


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("name", type=click.Choice(list(HUNTS)), metavar="NAME")
@click.option(
    "--seconds", type=click.FloatRange(0, min_open=True), default=10.0, show_default=True, metavar="S", help="How long."
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, metavar="N", help="Seed of the search.")
def main(name, seconds, seed):
    """Hunt for a violation of a statement. Exit status 1 if the outcome is not the one that the ledger claims."""
    found = search(name, seconds, seed=seed)
    click.echo(f"{name}: {HUNTS[name].claim}: " + ("nothing found" if found is None else f"violated, {found}"))
    raise SystemExit(int((found is not None) != HUNTS[name].false))


if __name__ == "__main__":
    sys.exit(main())
