"""A theorem as one object: evaluated on runs, before runs, and in exact arithmetic."""

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from coordboost.theory.bounds import formula
from coordboost.theory.bounds.bound_check import VARIANTS, BoundCheck, BoundChecks
from coordboost.theory.bounds.notation import paper_text
from coordboost.theory.bounds.trail import Trail, step_lengths

#: Relative slack of comparisons in Fractions, whose roots are rounded.
EXACT = Fraction(1, 10**25)
#: That in floats of a few operations.
FLOAT = 1e-9


def _to_no_run(run):
    return False


@dataclass(frozen=True, eq=False)
class Statement:
    """One claim of a paper, in up to three variants.

    Both sides are formulas of the quantities of a run.

    Called, it gives its right side: ``statement(constants, eps=0.1, k=10)``.

    Parameters
    ----------
    name : str
        As the paper numbers it: "Theorem 2.1 (i)".
    words : str
        What it says, in a sentence.
    printed, corrected, sharpened : str, optional
        The claim as a formula (``bounds.formula``), as the paper prints it; as it is right, where
        the print is wrong; as the proof gives more. For example
        ``"corr <= A * decay(x, k / 2)"``.
    where : dict, optional
        Names that the formulas use, as formulas; or such a dictionary for each variant. ``i`` is
        the step i(k) <= k that a claim is about.
    assuming : str or dict, optional
        A condition as a formula, for all variants or for each.
    points : str, optional
        A condition on the steps that the claim is about. Default: all.
    known : str, optional
        A bound that is known without the claim: a claim that is not better is vacuous.
    applies : callable, optional
        ``applies(run)``: whether the claim applies to a run. Default: to none.
    on_runs : tuple of str, optional
        The variants that are compared with runs. Default: all.
    mean : bool, default False
        Whether the left side is an expectation.
    source : str
        Authors of the paper.
    symbols : dict, optional
        Names as readers know them, where they are not those of ``bounds.notation``; @ is the step.
    follow : callable
        ``follow(run)``: the case of a run, an object with the quantities by name and with
        ``errors``, their rounding errors by name. It runs once for all statements that share it.
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
    >>> first.name, first.printed
    ('Theorem 2.1 (i)', 'excess <= A**2 * decay(x, k) / 2')
    >>> first.check(cb.solve(problem, cb.ls_boost(0.5), 20))
    Theorem 2.1 (i)  printed    verified  tightest 0.449
    Theorem 2.1 (i)  sharpened  verified  tightest 0.651
    >>> constants = cb.theory.bounds.Constants.of(problem)
    >>> round(float(first(constants, eps=0.5, k=2)), 2), first.where["printed"]
    (3.93, {'x': 'eps * (2 - eps) * lambda_pmin / (4 * p)'})
    """

    name: str
    words: str
    printed: str = ""
    corrected: str = ""
    sharpened: str = ""
    where: dict = field(default_factory=dict)
    assuming: str | dict = ""
    points: str = ""
    known: str = ""
    applies: Callable = field(default_factory=lambda: _to_no_run)
    on_runs: tuple = VARIANTS
    mean: bool = False
    source: str = "Freund, Grigas, Mazumder"
    symbols: dict = field(default_factory=dict)
    follow: Callable = Trail.of
    long: bool = False
    on_rows: bool = False

    def __post_init__(self):
        for text in self.formulas.values():
            try:
                formula.parts(text)
            except ValueError as error:
                raise ValueError(f"{self.name}: {error}") from None

    @cached_property
    def formulas(self) -> dict[str, str]:
        """The variants, each with its formula."""
        texts = {variant: getattr(self, variant) for variant in VARIANTS}
        return {variant: text for variant, text in texts.items() if text}

    @cached_property
    def claims(self) -> dict[str, str]:
        """The variants, each as readers know it: in the papers' notation, with its points, and with
        the rate gamma where that is not as printed.
        """
        texts = {}
        for variant, text in self.formulas.items():
            where = self.definitions(variant)
            claim = [paper_text(text, where, self.symbols)]
            if self.points:
                claim.append(paper_text(self.points, where, self.symbols))
            if "1 - x" in self.symbols and variant != "printed":
                claim.append(f"{self.symbols['1 - x']} = {paper_text('1 - x', where)}")
            texts[variant] = ", ".join(claim)
        return texts

    def definitions(self, variant: str) -> dict[str, str]:
        """Return the names that the formula of a variant uses, as formulas.

        Parameters
        ----------
        variant : str
            One of ``VARIANTS``.

        Returns
        -------
        dict
            name -> formula
        """
        return self.where.get(variant, self.where)

    def assumption(self, variant: str) -> str:
        """Return the condition of a variant as a formula.

        Parameters
        ----------
        variant : str
            One of ``VARIANTS``.

        Returns
        -------
        str
            Empty where nothing is assumed.
        """
        if isinstance(self.assuming, str):
            return self.assuming
        return self.assuming.get(variant, "")

    def variants(self, run: Any) -> list[str]:
        """Return the variants that apply to a run.

        Parameters
        ----------
        run : Run
            A run of any method.

        Returns
        -------
        list of str
            Out of ``VARIANTS``; empty where the claim does not apply.
        """
        if not self.applies(run):
            return []
        known = step_lengths(run)
        return [
            variant
            for variant in self.formulas
            if variant in self.on_runs and formula.true(self.assumption(variant), known)
        ]

    def inapplicable(self, run: Any) -> ValueError:
        """Return the error that the claim does not apply to a run.

        Parameters
        ----------
        run : Run
            A run of any method.

        Returns
        -------
        ValueError
            To be raised.
        """
        if self.applies is _to_no_run:
            return ValueError(
                f"{self.name} applies to no run: give Statement(..., applies=...), a function of "
                "a run, such as applies=lambda run: True."
            )
        return ValueError(
            f"{self.name} does not apply to {run.method.name} with these parameters on this "
            "problem."
        )

    def __call__(self, case: Any = None, /, *, variant: str = "", **known: Any) -> Any:
        """Return the right side where its names have these values.

        Parameters
        ----------
        case : object, optional
            With quantities as attributes, such as ``Constants``.
        variant : str, optional
            One of ``VARIANTS``; default the first that the claim has.
        **known : number or array_like
            Other quantities, such as ``eps=0.1, k=10``.

        Returns
        -------
        float or ndarray
            Or Fractions, where the quantities are.
        """
        variant = variant or next(iter(self.formulas))
        ((_, _, _, right),) = formula.parts(self.formulas[variant])
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            known = {
                name: np.asarray(number) if isinstance(number, list) else number
                for name, number in known.items()
            }
            return formula.value(right, formula.Scope(case, self.definitions(variant), known))

    def check(self, run: Any) -> BoundChecks:
        """Return the ``BoundCheck`` of each variant that applies to a run.

        Parameters
        ----------
        run : Run

        Returns
        -------
        BoundChecks
            Measured values and bounds, at the steps that the claim is about.

        Raises
        ------
        ValueError
            If the claim does not apply to the run.

        Notes
        -----
        *Cost*: that of `follow`, by default one thin SVD and O(rank n_learners) a step.
        """
        variants = self.variants(run)
        if not variants:
            raise self.inapplicable(run)
        case = self.follow(run)
        return BoundChecks(check for each in variants for check in self.compare(case, each))

    def compare(self, case: Any, variant: str) -> list[BoundCheck]:
        """Compare the sides of each comparison of a variant on a case.

        Parameters
        ----------
        case : object
            With the quantities as attributes: numbers, or arrays with an entry for each step. Its
            ``errors``, rounding errors by name, give the slack: each quantity is moved by its own.
            Without them the slack is its ``slack``, or a default for floats of a few operations;
            Fractions need none.
        variant : str
            One of ``VARIANTS``.

        Returns
        -------
        list of BoundCheck
            One for each comparison of the formula.
        """
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            sides = list(self._sides(case, variant))
            self._refuse_unmeasured(case, variant, sides)
            moves = self._moves(case, variant, sides)
            known = self._value(self.known, case, variant) if hasattr(case, "errors") else None
        checks = []
        for i, (kind, at, measured, bound) in enumerate(sides):
            exact = formula.exact(measured, bound)
            if exact:
                slack = EXACT * np.maximum(np.abs(measured), np.abs(bound))
            elif hasattr(case, "errors"):
                slack = moves[i]
            else:
                slack = _slack_of_floats(case, measured, bound)
            checks.append(
                BoundCheck(
                    self.name,
                    variant,
                    "expectation" if self.mean and kind == "upper" else kind,
                    measured,
                    bound,
                    slack,
                    "exact" if exact else getattr(case, "level", "float"),
                    at,
                    known,
                    along=getattr(case, "along", "k"),
                    claim=self.claims[variant],
                    note=getattr(case, "note", ""),
                )
            )
        return checks

    def _refuse_unmeasured(self, case, variant, sides):
        """Raise ValueError where a side of a measured claim is no number."""
        if not hasattr(case, "errors"):
            return
        for _, at, measured, bound in sides:
            unknown = ~np.isfinite(measured) | np.isnan(bound)
            if not unknown.any():
                continue
            used = sorted(formula.names(self.formulas[variant], self.definitions(variant)))
            infinite = [
                name
                for name in used
                if hasattr(case, name) and not np.isfinite(getattr(case, name)).all()
            ]
            hint = "state with points=... which steps the claim is about"
            if not getattr(case, "in_ball", True):
                hint = (
                    "the method has no l1 ball, and delta is inf: give Method(..., "
                    "target=L1Ball(delta)), or radius_at(k) in the step rule"
                )
            raise ValueError(
                f"{self.name} cannot be checked at k = {at[unknown][0]}: "
                f"{', '.join(infinite) or 'a side'} is inf or nan there; {hint}."
            )

    def _value(self, text, case, variant):
        """Return the value of a formula, None of an empty one."""
        scope = formula.Scope(case, self.definitions(variant))
        return formula.value(formula.parsed(text), scope) if text else None

    def _sides(self, case, variant, moved=()):
        """Yield (kind, steps, measured, bound), at the points that the claim is about."""
        points = self._value(self.points, case, variant)
        along = getattr(case, "along", "k")
        sides = formula.sides(self.formulas[variant], case, self.definitions(variant), moved)
        for kind, at, measured, bound in sides:
            if along != "k" or hasattr(case, "at"):
                at = np.atleast_1d(getattr(case, "at" if along == "k" else along))
            about = slice(None) if points is None else np.asarray(points, dtype=bool)[: len(at)]
            yield kind, at[about], measured[about], bound[about]

    def _moves(self, case, variant, found):
        """Return by how much rounding may change the difference of the sides of each comparison.

        Each quantity is moved by its error, up and down, the same way at all steps and in turns;
        the largest changes are added up. Steps i(k) stay where they are.
        """
        changes = [1e-14 * (np.abs(left) + np.abs(right)) for _, _, left, right in found]
        where = self.definitions(variant)
        used = formula.names(self.formulas[variant], where)
        step = {"i": self._value("i", case, variant)} if "i" in used & where.keys() else {}
        for name, error in getattr(case, "errors", {}).items():
            if name not in used:
                continue
            largest = [0.0 * change for change in changes]
            turns = (-1.0) ** np.arange(len(error))
            for direction in (1.0, -1.0, turns, -turns):
                moved = {name: getattr(case, name) + direction * error, **step}
                for i, (_, _, left, right) in enumerate(self._sides(case, variant, moved)):
                    change = (left - right) - (found[i][2] - found[i][3])
                    largest[i] = np.fmax(largest[i], np.abs(change))
            changes = [change + move for change, move in zip(changes, largest, strict=True)]
        return changes


def _slack_of_floats(case, measured, bound):
    """Return the slack that a case in floats declares, a number or a function of the measured
    values, or that of a short computation.
    """
    slack = getattr(case, "slack", None)
    if slack is None:
        return 1e-11 + FLOAT * (np.abs(measured) + np.abs(bound).max(initial=0))
    return slack(measured) if callable(slack) else slack
