r"""Claims of papers, checked on runs.

A *statement* is one claim of a paper in one variant: as ``printed``, as ``corrected`` where the
print is wrong, or ``sharpened`` where the proof gives more. A *bound check* is the result on one
run: measured values, the bound, and a slack for rounding.
"""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from coordboost._numba.threads import on_one_thread
from coordboost._utils.checks import checked_run, items_of, shown
from coordboost.data import validation
from coordboost.engine.run import Run
from coordboost.paths.scoring import rows_of
from coordboost.theory.bounds.trail import Trail

VARIANTS = ("printed", "corrected", "sharpened")
#: tight: an equality; upper: measured <= bound; expectation: the mean over draws <= bound.
KINDS = ("tight", "upper", "expectation")
#: From strongest to weakest: rationals; floats with a derived slack; a mean over all draws; a
#: confidence bound from some draws.
LEVELS = ("exact", "float", "enumerated", "sampled")
#: Most learners for which a minimal cosine angle is searched for: it takes a second for 12, half a
#: minute for 40.
ANGLE_LEARNERS = 24


class Effort(NamedTuple):
    """What a check may use.

    angle_learners : most learners for which the minimal cosine angle is searched for; watch : a
    callback for progress messages rows : (X, y) of held-out rows, or None
    """

    angle_learners: int = ANGLE_LEARNERS
    watch: Callable = lambda words: None
    rows: tuple | None = None


class Sides(NamedTuple):
    """The two sides of a claim over k on a run, with a slack for rounding.

    It is the result of ``Statement.sides``.

    Parameters
    ----------
    measured, bound : array_like, (n_points,)
        Left and right side of the claim.
    slack : float or ndarray (n_points,), default 0
        By how much rounding may raise the measured value above the bound (or, for an equality, move
        it away from the bound).
    trivial : float or ndarray (n_points,), optional
        A bound that is known without the claim: a claim that is not better is vacuous.
    at : ndarray of int, (n_points,), optional
        The step numbers; default 0, 1, ...
    note : str, default ""
        A remark on these numbers, printed after the verdict.

    Examples
    --------
    The two sides of Theorem 2.1 (vi), that a model after k steps has at most k learners:

    >>> import coordboost as cb
    >>> X, y = [[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5]
    >>> trail = cb.theory.bounds.Trail.of(cb.solve(cb.Problem(X, y), cb.ls_boost(0.5), 4))
    >>> sides = cb.theory.bounds.Sides(trail.l0, trail.k)
    >>> sides.measured, sides.bound
    (array([0., 1., 2., 2., 2.]), array([0, 1, 2, 3, 4]))
    """

    measured: ArrayLike
    bound: ArrayLike
    slack: float | np.ndarray = 0.0
    trivial: float | np.ndarray | None = None
    at: np.ndarray | None = None
    note: str = ""


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
        given = [np.atleast_1d(one) for one in (self.measured, self.bound, self.slack)]
        if len({len(one) for one in given} - {1}) > 1:
            raise ValueError(
                "measured, bound and slack must have the same length or 1, got "
                f"{', '.join(str(len(one)) for one in given)}."
            )
        measured, bound, slack = np.broadcast_arrays(*given)
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
            np.asarray(part, dtype=float) for part in (self.measured, self.bound, self.slack)
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
        end = "; ".join(words for words in (tight, self.note) if words)
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


@dataclass(frozen=True)
class Statement:
    """One claim of a paper in one variant.

    Parameters
    ----------
    name : str
        As the paper numbers it: "Theorem 2.1 (i)".
    variant, kind : str
        One of ``VARIANTS``, one of ``KINDS``.
    claim : str
        The claim as a formula, in sums over samples.
    applies : callable
        ``applies(run)``: whether the claim applies to a run.
    sides : callable
        ``sides(trail) -> Sides``.
    source : str
        Authors of the paper.
    follow : callable
        ``follow(run)``: measures along the run what `sides` needs. It runs once for all statements
        that share it.
    level : str
        One of ``LEVELS``.
    long : bool
        Whether `follow` may take long: then it is called as ``follow(run, effort)``, with an
        ``Effort``.
    on_rows : bool
        Whether `follow` measures on held-out rows: it is called as ``follow(run, effort)``, too,
        and ``effort.rows`` has the rows, or None.

    Examples
    --------
    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> first = cb.theory.bounds.STATEMENTS[0]
    >>> first.name, first.variant, first.claim
    ('Theorem 2.1 (i)', 'printed', 'L(beta_k) - L* <= A^2 gamma^k / 2')
    >>> first.check(cb.solve(problem, cb.ls_boost(0.5), 20))
    <BoundCheck Theorem 2.1 (i) printed verified tightest 0.449>
    """

    name: str
    variant: str
    kind: str
    claim: str
    applies: Callable
    sides: Callable
    source: str = "Freund, Grigas, Mazumder"
    follow: Callable = Trail.of
    level: str = "float"
    long: bool = False
    on_rows: bool = False

    def check(self, run: Any) -> BoundCheck:
        """Return the ``BoundCheck`` of this claim on a run, or on the result of `follow`.

        Parameters
        ----------
        run : Run, or the result of ``follow(run)``, such as a ``Trail``
            Statements that share `follow` can share its result.

        Returns
        -------
        BoundCheck
            Measured values and bounds, at every step that `sides` uses.

        Raises
        ------
        ValueError
            If the claim does not apply to such a run.

        Notes
        -----
        *Cost*: that of `follow`, by default one thin SVD and O(rank n_learners) a step.
        """
        trail = run
        if hasattr(run, "replay"):
            if not self.applies(run):
                raise ValueError(
                    f"{self.name} does not apply to {run.method.name} with these parameters on "
                    "this problem."
                )
            trail = self.follow(run)
        sides = self.sides(trail)
        return BoundCheck(
            self.name,
            self.variant,
            self.kind,
            sides.measured,
            sides.bound,
            sides.slack,
            self.level,
            sides.at,
            sides.trivial,
            claim=self.claim,
            note=sides.note,
        )


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
        rows = [one._words() for one in self]
        wide = [max(map(len, column)) for column in zip(*(row[:3] for row in rows), strict=True)]
        return "\n".join("  ".join(map(str.ljust, row, [*wide, 0])).rstrip() for row in rows)


@on_one_thread
def check(
    run: Run,
    statements: "str | Statement | Sequence[str | Statement] | None" = None,
    *,
    X: Any = None,
    y: ArrayLike | None = None,
    angle_learners: int = ANGLE_LEARNERS,
    watch: Callable[[str], object] | None = None,
) -> BoundChecks:
    """Compare a run with theorems that bound it.

    Parameters
    ----------
    run : Run
    statements : str, Statement or sequence of these, optional
        A name as printed, "Theorem 2.1 (i)", or a part of several names, "Theorem 2.1": all of them
        that apply to the run. Default: every statement in ``coordboost.theory.bounds.STATEMENTS``
        that applies.
    X, y : array_like, (n_rows, n_columns) and (n_rows,), optional
        Rows that were not used for the fit, raw. Theorem 2 of regularised boosting (``rgb``) bounds
        the error on such rows; without them the check compares the training error, which cannot
        fail, and says so.
    angle_learners : int, default 24
        Some theorems need the minimal cosine angle, min over c in range(B) of max_j abs(<B_j, c>) /
        norm(c). Where no exact method is cheap, it is searched for if there are at most this many
        learners. With more, the smallest cosine along the run is used instead: it is at least as
        large, so the check is stricter. A search takes a second for 12 learners, half a minute for
        40, minutes for 100.
    watch : callable, optional
        Called with a short message on the current work, for progress bars.

    Returns
    -------
    BoundChecks
        A list of ``BoundCheck``, printed with one line for each.

    Raises
    ------
    ValueError
        If no statement applies to the run, or a given one does not; if rows are given and no
        statement uses them.

    Notes
    -----
    *Cost*: one thin SVD of B and, for every step, the correlations of all learners in coordinates
    of the left singular vectors, O(rank n_learners). For a random method also 24 repeated runs and
    the minimal cosine angle.

    Examples
    --------
    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> run = cb.solve(problem, cb.ls_boost(0.5), 20)
    >>> all(one.holds for one in cb.theory.check(run, "Theorem 2.1"))
    True
    """
    checked_run(run)
    chosen = _chosen(run, statements)
    effort = Effort(
        validation.whole("angle_learners", angle_learners), rows=_held_out(run, chosen, X, y)
    )
    effort = effort if watch is None else effort._replace(watch=watch)
    follows = {one.follow: one.long or one.on_rows for one in chosen}
    trails = {
        follow: follow(run, effort) if long else follow(run) for follow, long in follows.items()
    }
    return BoundChecks(one.check(trails[one.follow]) for one in chosen)


def _held_out(run, chosen, X, y):
    """Return held-out rows as (X, y), y as the loss takes it, or None.

    Raise ValueError if no statement uses them.
    """
    if X is None and y is None:
        return None
    if X is None or y is None:
        raise ValueError(
            "X and y are the held-out rows together: expected both, got "
            f"{'y' if X is None else 'X'} alone."
        )
    if not any(one.on_rows for one in chosen):
        names = ", ".join(dict.fromkeys(one.name for one in chosen))
        raise ValueError(
            f"X and y are for statements about rows outside the fit, and these are not: {names}; "
            "leave X and y out."
        )
    return X, rows_of(run.problem, X, y, None)[0]


def _chosen(run, statements):
    """Return the statements that were asked for.

    Raise ValueError if one does not apply to the run.
    """
    from coordboost.theory.bounds import STATEMENTS

    speak = [one for one in STATEMENTS if one.applies(run)]
    if statements is None:
        if not speak:
            raise ValueError(
                f"no bound applies to {run.method.name} on a problem with {run.problem.loss!r}; "
                "see docs/bounds.md for methods with bounds."
            )
        return speak
    names = "names such as 'Theorem 2.1 (i)', or entries of bounds.STATEMENTS"
    given = (
        [statements]
        if isinstance(statements, Statement | str)
        else items_of("statements", statements, names)
    )
    chosen = []
    for one in given:
        if isinstance(one, str):
            chosen += _named(one, run, speak, STATEMENTS)
        elif not isinstance(one, Statement):
            raise ValueError(f"statements must be {names}, got {shown(one)}.")
        elif not one.applies(run):
            raise ValueError(
                f"{one.name} does not apply to {run.method.name} with these parameters on this "
                "problem."
            )
        else:
            chosen.append(one)
    return list(dict.fromkeys(chosen))


def _named(text, run, speak, known):
    """Return the statements among `speak` whose name is `text`, else those whose name contains it
    as whole words.
    """
    means = re.compile(rf"(?<!\w){re.escape(text.strip())}(?![\w.]\w)(?!\w)", re.IGNORECASE)
    for exactly in (True, False):
        found = [
            one
            for one in speak
            if (one.name == text if exactly else text.strip() and means.search(one.name))
        ]
        if found:
            return found
    names = list(dict.fromkeys(re.sub(r" \([ivx]+\).*", "", one.name) for one in speak))
    those = "; ".join(names) or "none"
    if text.strip() and any(means.search(one.name) for one in known):
        raise ValueError(
            f"{text} does not apply to {run.method.name} here; statements that do: {those}."
        )
    raise ValueError(f"no statement is called {shown(text)}; those for this run: {those}.")
