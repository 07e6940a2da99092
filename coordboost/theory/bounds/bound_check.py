"""A bound check: measured values of a claim on one case, the bound, and a slack for rounding."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from coordboost._utils.checks import shown

VARIANTS = ("printed", "corrected", "sharpened")
#: tight: an equality; upper: measured <= bound; expectation: the mean over draws <= bound.
KINDS = ("tight", "upper", "expectation")
#: From strongest to weakest: rationals; floats with a derived slack; a mean over all draws; a
#: confidence bound from some draws.
LEVELS = ("exact", "float", "enumerated", "sampled")


@dataclass(frozen=True, eq=False)
class BoundCheck:
    """Measured values against a bound, one entry per step.

    Parameters
    ----------
    name, variant, kind : str
        The statement, one of ``VARIANTS``, one of ``KINDS``.
    measured, bound : array_like, (n_points,)
        Floats, or Fractions at level "exact".
    slack : float or (n_points,)
        By how much rounding may raise the measured value above the bound (or, for "tight", move it
        away from the bound).
    level : str
        One of ``LEVELS``.
    at : (n_points,), optional
        Step numbers; default 0, 1, 2, ...
    trivial : float or (n_points,), optional
        A bound that is known without the claim.
    along : str
        What `at` counts: "k", the steps, or a parameter of the claim.
    claim : str
        The claim as a formula.
    note : str
        A remark, printed after the verdict.

    Raises
    ------
    ValueError
        For an unknown variant, kind or level, and for an `at` of another length.

    Examples
    --------
    >>> from coordboost.theory import BoundCheck
    >>> check = BoundCheck(
    ...     "a rate of 1/k", "printed", "upper", measured=[4.0, 1.5, 1.25], bound=[4.0, 2.0, 1.0]
    ... )
    >>> check.holds, check.violations, check.ratio
    (False, array([2]), array([1.  , 0.75, 1.25]))
    >>> check
    <BoundCheck a rate of 1/k printed refuted 1 of 3 points, first k = 2>
    """

    name: str
    variant: str
    kind: str
    measured: np.ndarray
    bound: np.ndarray
    slack: float | np.ndarray = 0.0
    level: str = "float"
    at: Any = None
    trivial: float | np.ndarray | None = None
    along: str = "k"
    claim: str = ""
    note: str = ""

    def __post_init__(self):
        for name, value, known in (
            ("variant", self.variant, VARIANTS),
            ("kind", self.kind, KINDS),
            ("level", self.level, LEVELS),
        ):
            if value not in known:
                raise ValueError(f"{name} must be one of {', '.join(known)}, got {shown(value)}.")
        sides = [np.atleast_1d(side) for side in (self.measured, self.bound, self.slack)]
        if len({len(side) for side in sides} - {1}) > 1:
            raise ValueError(
                "measured, bound and slack must have the same length or 1, got "
                f"{', '.join(str(len(side)) for side in sides)}."
            )
        measured, bound, slack = np.broadcast_arrays(*sides)
        at = np.arange(len(measured)) if self.at is None else np.atleast_1d(self.at)
        if at.shape != measured.shape:
            raise ValueError(
                f"at must have one entry per measured value: expected {measured.shape}, got "
                f"{at.shape}."
            )
        for name, array in (("measured", measured), ("bound", bound), ("slack", slack), ("at", at)):
            object.__setattr__(self, name, array)

    @property
    def quantity(self) -> str:
        """The measured quantity: the left side of the claim, "" where there is no claim."""
        return self.claim.partition(" = " if self.kind == "tight" else " <= ")[0]

    @property
    def violations(self) -> np.ndarray:
        """The step numbers at which the claim fails; nan counts as a failure."""
        over = self.measured - self.bound
        return self.at[
            ~np.asarray((abs(over) if self.kind == "tight" else over) <= self.slack, dtype=bool)
        ]

    @property
    def holds(self) -> bool:
        """Whether the claim holds at every step."""
        return len(self.violations) == 0

    @property
    def _later(self):
        """A mask without the start k = 0, where many bounds hold with equality."""
        return np.ones(len(self.at), dtype=bool) if self.along != "k" else self.at >= 1

    @property
    def ratio(self) -> np.ndarray:
        """Measured / bound as floats (n_points,); nan where the bound is within the slack."""
        measured, bound, slack = (
            np.asarray(side, dtype=float) for side in (self.measured, self.bound, self.slack)
        )
        return np.divide(
            measured, bound, out=np.full(len(bound), np.nan), where=np.abs(bound) > slack
        )

    @property
    def tightest(self) -> float:
        """The largest measured / bound over k >= 1: 1 means that the bound is attained.

        Nan where no ratio is defined.
        """
        ratio = self.ratio[self._later]
        return (
            float(np.max(ratio[~np.isnan(ratio)], initial=-np.inf))
            if (~np.isnan(ratio)).any()
            else float("nan")
        )

    @property
    def vacuous(self) -> bool:
        """Whether the bound says hardly more than what is known without the claim.

        It is nowhere at least 1 % below the bound that is known without the claim.
        """
        if self.trivial is None:
            return False
        known = np.broadcast_to(np.asarray(self.trivial, dtype=float), self.bound.shape)[
            self._later
        ]
        later = np.asarray(self.bound, dtype=float)[self._later]
        return len(later) > 0 and bool((later >= 0.99 * known).all())

    @property
    def verdict(self) -> str:
        """The verdict on these numbers: "verified", "refuted" or "vacuous"."""
        return "refuted" if not self.holds else "vacuous" if self.vacuous else "verified"

    def __repr__(self):
        return f"<BoundCheck {' '.join(self._words())}>"

    def _words(self):
        """The name, the variant, the verdict, how tight the bound is, and the remark."""
        if not self.holds:
            tight = (
                f"{len(self.violations)} of {len(self.at)} points, first {self.along} = "
                f"{self.violations[0]}"
            )
        else:
            tight = "" if math.isnan(self.tightest) else f"tightest {self.tightest:.3g}"
        end = "; ".join(text for text in (tight, self.note) if text)
        return [self.name, self.variant, self.verdict, *([end] if end else [])]

    def as_dict(self) -> dict[str, Any]:
        """Return the check as plain values, for a table or a JSON file.

        Returns
        -------
        dict
            ``statement``, ``variant``, ``kind``, ``holds``, ``verdict``, ``tightest`` (None where
            there is none), ``level``, ``n_points``, ``n_violations``, ``first_violation`` (a step
            number, None where the claim holds) and ``note``.
        """
        bad = self.violations
        return {
            "statement": self.name,
            "variant": self.variant,
            "kind": self.kind,
            "holds": self.holds,
            "verdict": self.verdict,
            "tightest": None if np.isnan(self.tightest) else self.tightest,
            "level": self.level,
            "n_points": len(self.at),
            "n_violations": len(bad),
            "first_violation": bad[0].item() if len(bad) else None,
            "note": self.note,
        }


class BoundChecks(list):
    """A list of ``BoundCheck``, printed with one line for each.

    A line has the name, the variant, the verdict, and how tight the bound is.

    Parameters
    ----------
    iterable : iterable of BoundCheck, default ()
        The checks.

    Examples
    --------
    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> cb.theory.check(cb.solve(problem, cb.ls_boost(0.5), 20), "Theorem 2.1 (i)")
    Theorem 2.1 (i)  printed    verified  tightest 0.449
    Theorem 2.1 (i)  sharpened  verified  tightest 0.651
    """

    def __repr__(self):
        rows = [result._words() for result in self]
        wide = [max(map(len, column)) for column in zip(*(row[:3] for row in rows), strict=True)]
        return "\n".join("  ".join(map(str.ljust, row, [*wide, 0])).rstrip() for row in rows)
