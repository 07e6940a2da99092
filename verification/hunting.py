"""A search for violations of one row of the ledger.

The search uses only the claim and a space of instances, no knowledge of where the claim may fail.
Instances are drawn at random. Random changes of their numbers, kept if they help, move the measured
value towards the bound. An instance that exceeds the bound is checked again, in Fractions if the
space is exact. Then the instance is made smaller and its numbers simpler, as long as the claim
stays violated.
"""

import time
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from verification.kept import nearest, record, several, sides_at
from verification.space import Space
from verification.statement import steps_of_any_length

#: Denominators tried for an instance; excess over a bound that counts as rounding; failed changes
#: before a new start.
DENOMINATORS = (1, 2, 4, 8, 16, 64, 256, 1024, 10**6)
MARGIN = 1e-7
PATIENCE = 80
#: Most tries to simplify a violation; violations to find, of which the smallest is shown; most
#: tries for the later ones.
LOOKS, VIOLATIONS, MORE = 400, 6, 1500


@dataclass(frozen=True)
class Found:
    """An instance: its space, its numbers, both sides of the comparison nearest to a violation or
    beyond it, and the record to keep.
    """

    place: int
    space: Space
    shape: tuple
    numbers: list
    nearest: list
    record: dict
    weight: float
    violated: bool
    tries: int
    seed: int

    @property
    def text(self):
        """The numbers as text."""
        return " ".join(str(x) for x in self.numbers)

    def __str__(self):
        left, right = self.nearest
        word = "is more than" if self.violated else "against"
        return f"{left} {word} {right} (after {self.tries:,} tries with seed {self.seed})"

    def as_case(self):
        """Return the code of an entry of ``CASES``."""
        return (
            f'"{self.space.name}, seed {self.seed}": lambda: SPACE.at({self.shape}, "{self.text}"),'
        )

    def kept(self):
        """Return an entry of a file in ``hard_cases``."""
        return {
            "space": self.place,
            "shape": list(self.shape),
            "numbers": self.text,
            **self.record,
            "seed": self.seed,
            "tries": self.tries,
        }


class Hunt:
    """The search for a violation of one row of the ledger in one of its spaces."""

    def __init__(self, check, variant, place, seed):
        self.check = check
        self.variant = variant
        self.place = place
        self.seed = seed
        self.space = check.spaces[place]
        self.rng = np.random.default_rng([seed, place])
        self.tries = 0

    def outcomes(self, case):
        """Check the claim on an instance; return a list of checks."""
        with np.errstate(all="ignore"):
            return several(None if case is None else self.check(case, self.variant))

    def near(self, shape, numbers):
        """Return how near an instance is to a violation; -2 if the claim does not apply to it."""
        self.tries += 1
        found = nearest(self.outcomes(self.space.make(shape, numbers)))
        return -2.0 if found is None or not np.isfinite(found[0]) else found[0]

    def climb(self, going):
        """Climb from a random instance towards a violation; return (nearness, shape, numbers)."""
        shape, numbers = self.space.draw(self.rng)
        best = self.near(shape, numbers)
        size = 0.5
        idle = 0
        patience = PATIENCE if best > -2 and len(numbers) else 0
        while idle < patience and best <= MARGIN and going():
            chosen = self.rng.random(len(numbers)) < self.rng.choice([0.3, 1.5 / len(numbers)])
            changed = numbers + size * chosen * self.rng.standard_normal(len(numbers))
            near = self.near(shape, changed)
            if near > best:
                best = near
                numbers = changed
                size *= 1.2
                idle = 0
            else:
                size = max(size * 0.96, 1e-3)
                idle += 1
        return best, shape, numbers

    def at(self, shape, fractions, wanted=None):
        """Check the claim at rational numbers.

        Return a ``Found`` if its nearness reaches `wanted` (None: if violated), else None.
        """
        self.tries += 1
        try:
            outcomes = self.outcomes(self.space.of(shape, fractions))
        except (ZeroDivisionError, OverflowError, np.linalg.LinAlgError):
            return None
        found = nearest(outcomes)
        violated = any(not outcome.holds for outcome in outcomes)
        if found is None or (not violated if wanted is None else found[0] < wanted):
            return None
        return Found(
            place=self.place,
            space=self.space,
            shape=shape,
            numbers=fractions,
            nearest=sides_at(found),
            record=record(outcomes),
            weight=found[0],
            violated=violated,
            tries=self.tries,
            seed=self.seed,
        )

    def rational(self, shape, numbers, wanted=None):
        """Return the ``Found`` with the smallest denominators that `at` accepts, or None."""
        for denominator in DENOMINATORS:
            found = self.at(
                shape, [Fraction(float(x)).limit_denominator(denominator) for x in numbers], wanted
            )
            if found is not None:
                return found
        return None

    def minimised(self, found):
        """Return a violation with a smaller shape and simpler numbers, found one change after the
        other.
        """
        going = True
        end = self.tries + LOOKS
        while going and self.tries < end:
            steps = [
                (shape, list(numbers))
                for shape, numbers in self.space.smaller(
                    found.shape, np.array(found.numbers, dtype=object)
                )
            ]
            steps += [
                (found.shape, [*found.numbers[:i], x, *found.numbers[i + 1 :]])
                for i in range(len(found.numbers))
                for x in _simpler(found.numbers[i])
            ]
            tried = (self.at(*step) for step in steps)
            simpler = next((each for each in tried if each is not None), None)
            going = simpler is not None
            found = simpler or found
        return found


def _simpler(x):
    """Return rational numbers simpler than x."""
    tried = [Fraction(n, d) for d in (1, 2, 3, 4) for n in range(5)]
    tried += [x.limit_denominator(d) for d in (1, 2, 4, 8)]
    return [y for number in tried for y in (number, -number) if _height(y) < _height(x)]


def _height(x):
    return abs(x.numerator) + 3 * x.denominator + (x < 0)


@steps_of_any_length
def search(check, variant, tries=None, seconds=10.0, seed=0):
    """Search for a violation of one row: return (the violation, minimised, or None; the instance
    nearest to one).

    With `tries` the outcome is deterministic; without, the search ends after so many `seconds`.
    """
    end = time.monotonic() + seconds
    hunts = [Hunt(check, variant, place, seed) for place in range(len(check.spaces))]
    best = None

    violations = []

    def tries_made():
        return sum(hunt.tries for hunt in hunts)

    def going():
        return time.monotonic() < end if tries is None else tries_made() < tries

    def enough():
        if not violations:
            return False
        return len(violations) >= VIOLATIONS or tries_made() > violations[0][1].tries + MORE

    while going() and not enough():
        for hunt in hunts:
            near, shape, numbers = hunt.climb(going)
            found = hunt.rational(shape, numbers) if near > MARGIN else None
            if found is not None:
                violations.append((hunt, found))
            elif best is None or min(near, 0.0) > best[0]:
                best = min(near, 0.0), hunt, shape, numbers
    if violations:
        hunt, found = min(violations, key=lambda violation: len(violation[1].numbers))
        return hunt.minimised(found), found
    near, hunt, shape, numbers = best or (-2.0, None, None, None)
    if near <= -2:
        return None, None
    return None, hunt.rational(shape, numbers, near - 0.005 * abs(near) - 1e-3) or hunt.rational(
        shape, numbers, -1.5
    )


def drawn(check, variant, seed=0):
    """Return, of the first instances drawn (denominators up to 4) that the claim applies to, the
    one with most numbers, or None.
    """
    instances = []
    for place in range(len(check.spaces)):
        hunt = Hunt(check, variant, place, seed)
        for _ in range(40):
            shape, numbers = hunt.space.draw(hunt.rng)
            fractions = [Fraction(float(x)).limit_denominator(4) for x in numbers]
            instance = hunt.at(shape, fractions, wanted=-1.5)
            if instance is not None:
                instances.append(instance)
    return max(instances, key=lambda instance: len(instance.numbers), default=None)


def beyond(check, variant, seed=0, tries=2000):
    """Return an instance that violates the assumption and on which the claim fails, or nearly
    fails; None without an assumption.

    The claim does not apply to it, so it is kept without sides; if the assumption is loosened by
    mistake, sides appear.
    """
    if not hasattr(check, "beyond") or check.expected[variant] != "verified":
        return None
    without_assumption = check.beyond(variant)
    if without_assumption is None:
        return None
    violation, near = search(without_assumption, variant, tries, seed=seed)
    found = violation or near
    return found and replace(found, record=record([]))
