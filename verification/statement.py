"""A check of a statement: its instances, assumptions on them, and the expected verdicts.

    check_loss = Check(ls_boost.excess, LS)
    check_fall = stated(
        "(29)", LS, "The decrease of the distance to least squares, squared.",
        printed="later(fit2) == fit2 - (2 * eps - eps**2) * corr**2",
    )

A ``Statement`` of the package, or one that only the ledger has, is evaluated on instances of a
space, in Fractions if it is exact, including those that the adversary found: walks made by loops of
the ledger's own. Those of the package are checked on runs of any size, too, and on the small
instances both sides along a run of the package must be those along the walk. Claims that are no
formula are functions of a case, marked by ``claim(name, printed="verified", space=...)``.
"""

import functools
import warnings

import numpy as np

import coordboost as cb
from coordboost.theory import bounds
from coordboost.theory.bounds import BoundCheck, Statement, formula
from verification.spaces.walk import Walk
from verification.spaces.walks import method_named

VERDICTS = ("verified", "refuted", "vacuous")


def claim(name, space=None, of=(), shown=None, where=None, **expected):
    """Mark a check function with the name of its statement, its spaces, and the expected verdict of
    each variant.

    It is called on the cases of its spaces and those of the type `of`; if neither is given, on all
    cases. The page displays the formulas `shown`, variant -> text, and `where`, as for a
    ``Statement``.
    """
    if not expected or any(verdict not in VERDICTS for verdict in expected.values()):
        raise ValueError(
            f"{name}: every variant needs an expected verdict, one of {', '.join(VERDICTS)}."
        )

    def mark(function):
        function.statement = name
        function.expected = expected
        function.spaces = _as_spaces(space)
        function.formulas = shown or {}
        function.definitions = lambda variant: where or {}
        function.about = lambda case: (
            isinstance(case, of)
            or any(space.has(case) for space in function.spaces)
            or not (of or space)
        )
        return function

    return mark


def refuted(text):
    """Mark a formula as one that must be refuted."""
    return text, "refuted"


def _as_spaces(space):
    """Return one space, several or None as a tuple."""
    if space is None:
        return ()
    return space if isinstance(space, tuple) else (space,)


def problem_of(walk):
    """Return an instance as a problem of the package."""
    X = np.zeros((len(walk.y) + 1, walk.p))
    X[:-1], y = walk.X.astype(float), np.append(walk.y.astype(float), float(walk.outside))
    return cb.Problem(X, y, center=False, scale=False)


def method_of(walk):
    """Return the method of an instance as one of the package."""
    kind, eps, delta, n_steps = walk.method
    number = (
        np.array(eps, dtype=float)[()]
        if np.ndim(eps) == 0
        else np.array(eps[:n_steps], dtype=float)
    )
    radii = None if delta is None else np.array(delta, dtype=float)
    return method_named(kind).of_package(number, radii)


@functools.cache
def _run(walk):
    """Return the run of the package on an instance, and its trail."""
    run = cb.solve(problem_of(walk), method_of(walk), len(walk.beta) - 1, compile=False)
    return run, bounds.Trail.of(run)


def steps_of_any_length(tried):
    """Decorate a function that checks claims: ignore warnings on long steps in it."""

    @functools.wraps(tried)
    def quiet(*args, **kwargs):
        with warnings.catch_warnings(action="ignore", category=cb.engine.LongStepWarning):
            return tried(*args, **kwargs)

    return quiet


class Check:
    """A statement on the instances of spaces, with the expected verdict of each variant.

    Called with a case and a variant, it returns ``BoundCheck``s, or None if it does not apply.

    Parameters
    ----------
    theorem : Statement
    space : Space or tuple of Space
    assuming : str or dict, optional
        A condition on instances, for all variants or for each, beside that of the statement.
    compare : str
        Which sides must be the same along a walk and along a run of the package: "both", "bound" if
        the package uses a certificate in place of the optimum, "neither".
    **expected : str
        variant -> one of ``VERDICTS``; default "verified" for all variants.
    """

    def __init__(self, theorem, space, *, assuming="", compare="both", **expected):
        every = dict.fromkeys(theorem.formulas, "verified")
        conditions = assuming if isinstance(assuming, dict) else dict.fromkeys(every, assuming)
        self.theorem = theorem
        self.statement = theorem.name
        self.spaces = _as_spaces(space)
        self.__doc__ = theorem.words
        self.compare = compare
        self.formulas = theorem.formulas
        self.expected = every | expected
        self.assuming = {
            variant: " and ".join(
                filter(None, [theorem.assumption(variant), conditions.get(variant)])
            )
            for variant in every
        }
        self.definitions = theorem.definitions
        self.other = lambda case, variant: None

    def otherwise(self, function):
        """Mark a function of (case, variant) that checks the cases outside the spaces."""
        self.other = function
        return function

    def about(self, case):
        """Whether to call it on a case: always, as it returns None for cases that it does not apply
        to.
        """
        return True

    def holds_for(self, case, variant):
        """Whether the assumptions of a variant hold for an instance."""
        return formula.true(self.assuming[variant], case, self.definitions(variant))

    def __call__(self, case, variant):
        if any(space.has(case) for space in self.spaces):
            applies = self.holds_for(case, variant)
            return self.theorem.compare(case, variant) if applies else None
        run = getattr(case, "run", case)
        if isinstance(run, cb.engine.Run) and variant in self.theorem.variants(run):
            measured = case.trail if hasattr(case, "trail") else self.theorem.follow(run)
            return self.theorem.compare(measured, variant)
        return self.other(case, variant)

    def beyond(self, variant):
        """Return the same claim on the instances that violate its assumption.

        None if it assumes nothing.
        """

        def check(case, variant):
            applies = self.holds_for(case, variant)
            return None if applies else self.theorem.compare(case, variant)

        check.spaces = self.spaces
        return check if self.assuming[variant] else None

    def instead(self, text, assuming=""):
        """Return a sabotage: another formula on the same instances, or on those that satisfy the
        condition `assuming`.
        """
        where = self.definitions(next(iter(self.formulas)))
        theorem = Statement(self.statement, "", printed=text, where=where)
        wrong = Check(theorem, self.spaces, assuming=assuming)

        def sabotage(case):
            return wrong(case, "printed") if any(space.has(case) for space in self.spaces) else None

        sabotage.small = True
        return sabotage

    def agrees(self, case, variant):
        """Compare both sides along a walk with those along a run of the package.

        [] if the package does not check the statement.
        """
        if not isinstance(case, Walk) or self.theorem not in bounds.STATEMENTS:
            return []
        if self.compare == "neither" or not any(space.has(case) for space in self.spaces):
            return []
        run, trail = _run(case)
        ours = self(case, variant)
        speaks = variant in self.theorem.variants(run)
        if bool(ours) != speaks and "k[" not in self.assuming[variant]:
            name = "whether the claim applies, by the package"
            return [BoundCheck(name, "printed", "tight", speaks, bool(ours))]
        if not ours:
            return []
        (theirs,) = self.theorem.compare(trail, variant)
        return [
            self._same(side, ours[0], theirs)
            for side in ("measured", "bound")
            if side == self.compare or self.compare == "both"
        ]

    def _same(self, side, ours, theirs):
        at, place, other = np.intersect1d(
            ours.at, np.asarray(theirs.at, dtype=int), return_indices=True
        )
        numbers = np.array(getattr(ours, side), dtype=float)[place]
        theirs = getattr(theirs, side)[other]
        slack = 1e-9 * (np.abs(numbers) + max(1e-6, float(np.abs(numbers).max(initial=0)) * 1e-4))
        return BoundCheck(
            f"{side} by the package", "printed", "tight", theirs, numbers, slack, at=at
        )


def stated(name, space, words, *, where=None, assuming="", compare="neither", **variants):
    """Return the check of a statement that only the ledger has.

    Parameters
    ----------
    name, words : str
    space : Space or tuple of Space
    printed, corrected, sharpened : str, or ``refuted(str)``
        Formulas.
    where : dict, optional
        Names that the formulas use, as formulas.
    assuming : str or dict, optional
        A condition on instances, for all variants or for each.
    """
    given = {
        variant: text if isinstance(text, tuple) else (text, "verified")
        for variant, text in variants.items()
    }
    formulas = {variant: text for variant, (text, _) in given.items()}
    theorem = Statement(name, words, where=where or {}, **formulas)
    verdicts = {variant: verdict for variant, (_, verdict) in given.items()}
    return Check(theorem, space, assuming=assuming, compare=compare, **verdicts)
