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

from verification.kept import nearest, pair, several, told
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
    told: dict
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
            **self.told,
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
        while idle < PATIENCE * (best > -2) * (len(numbers) > 0) and best <= MARGIN and going():
            chosen = self.rng.random(len(numbers)) < self.rng.choice([0.3, 1.5 / len(numbers)])
            changed = numbers + size * chosen * self.rng.standard_normal(len(numbers))
            near = self.near(shape, changed)
            better = near > best
            best, numbers = (near, changed) if better else (best, numbers)
            idle, size = (0, size * 1.2) if better else (idle + 1, max(size * 0.96, 1e-3))
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
        both = pair(found), told(outcomes)
        return Found(
            self.place,
            self.space,
            shape,
            fractions,
            *both,
            found[0],
            violated,
            self.tries,
            self.seed,
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
            better = next(
                (one for one in (self.at(*step) for step in steps) if one is not None), None
            )
            found, going = (found, False) if better is None else (better, True)
        return found


def _simpler(x):
    """Return rational numbers simpler than x."""
    tried = [Fraction(n, d) for d in (1, 2, 3, 4) for n in range(5)]
    tried += [x.limit_denominator(d) for d in (1, 2, 4, 8)]
    return [y for one in tried for y in (one, -one) if _height(y) < _height(x)]


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

    def made():
        return sum(hunt.tries for hunt in hunts)

    bad = []
    going = (lambda: time.monotonic() < end) if tries is None else lambda: made() < tries
    while going() and not (bad and (len(bad) >= VIOLATIONS or made() > bad[0][1].tries + MORE)):
        for hunt in hunts:
            near, shape, numbers = hunt.climb(going)
            found = hunt.rational(shape, numbers) if near > MARGIN else None
            if found is not None:
                bad.append((hunt, found))
            elif best is None or min(near, 0.0) > best[0]:
                best = min(near, 0.0), hunt, shape, numbers
    if bad:
        hunt, found = min(bad, key=lambda one: len(one[1].numbers))
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
    found = []
    for place in range(len(check.spaces)):
        hunt = Hunt(check, variant, place, seed)
        for _ in range(40):
            shape, numbers = hunt.space.draw(hunt.rng)
            one = hunt.at(
                shape, [Fraction(float(x)).limit_denominator(4) for x in numbers], wanted=-1.5
            )
            found += [one] * (one is not None)
    return max(found, key=lambda one: len(one.numbers), default=None)


def beyond(check, variant, seed=0, tries=2000):
    """Return an instance that violates the assumption and on which the claim fails, or nearly
    fails; None without an assumption.

    The claim does not apply to it, so it is kept without sides; if the assumption is loosened by
    mistake, sides appear.
    """
    wrong = (
        check.beyond(variant)
        if hasattr(check, "beyond") and check.expected[variant] == "verified"
        else None
    )
    violation, near = search(wrong, variant, tries, seed=seed) if wrong else (None, None)
    found = violation or near
    return found and replace(found, told=told([]))
