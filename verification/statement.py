"""A statement: its instances, the measured quantity, the bound, the assumptions, and the expected
verdict.

    check_loss = Statement(
        "Theorem 2.1 (i)", LS, "The training error falls at a linear rate.", printed="excess <= A**2
        * gamma**k / 2", sharpened="excess <= A**2 * sharper**k / 2", where={"gamma": "1 - eps * (2
        - eps) * lambda_pmin / (4 * p)", "sharper": "1 - eps * (2 - eps) * lambda_pmin / p"},
        assuming={"printed": "eps <= 1"},
    )

The formulas (``coordboost.theory.bounds.formula``) are checked on instances of the space, in
Fractions if it is exact, including those that the adversary found. If the package has a statement
of this name, both its sides must equal those of the formula, and it is checked on runs of any size.
Claims that are no formula are functions of a case, marked by
``claim(name, printed="verified", space=...)``.
"""

import functools
import warnings
from fractions import Fraction

import numpy as np

import coordboost as cb
from coordboost.theory import bounds
from coordboost.theory.bounds import BoundCheck, formula

VERDICTS = ("verified", "refuted", "vacuous")
#: Relative slack of comparisons: with roots of Fractions and eigenvalues of rational matrices; with
#: floats of small instances.
EXACT = Fraction(1, 10**25)
FLOAT = 1e-9


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
        function.statement, function.expected, function.spaces = name, expected, _several(space)
        function.formulas, function.where = shown or {}, where or {}
        function.about = lambda case: (
            isinstance(case, of)
            or any(one.has(case) for one in function.spaces)
            or not (of or space)
        )
        return function

    return mark


def refuted(text):
    """Mark a formula as one that must be refuted."""
    return text, "refuted"


def of_package(name, variant="printed"):
    """Return the statement of the package with this name and variant, or None."""
    return next(
        (one for one in bounds.STATEMENTS if (one.name, one.variant) == (name, variant)), None
    )


def _several(space):
    return () if space is None else space if isinstance(space, tuple) else (space,)


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
    return {
        "ls": lambda: cb.ls_boost(number),
        "fs": lambda: cb.forward_stagewise(number),
        "varying": lambda: cb.forward_stagewise(number),
        "rfs": lambda: cb.regularized_forward_stagewise(number, radii[0]),
        "path": lambda: cb.path_forward_stagewise(number, radii),
        "fw": lambda: cb.methods.frank_wolfe(radii[0]),
    }[kind]()


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


class Statement:
    """One statement in its variants.

    Called with a case and a variant, it returns ``BoundCheck``s, or None if it does not apply.

    Parameters
    ----------
    name : str
        Name with the number in the paper.
    space : Space or tuple of Space
    words : str
    printed, corrected, sharpened : str, or ``refuted(str)``
        Formulas.
    where : dict, optional
        Names that the formulas use, as formulas.
    assuming : str or dict, optional
        A condition on instances, for all variants or for each.
    compare : str
        Which sides must equal those of the package: "both", "bound" if it uses a certificate in
        place of the optimum, "neither".
    """

    def __init__(self, name, space, words, *, where=None, assuming="", compare="both", **variants):
        given = {
            variant: said if isinstance(said, tuple) else (said, "verified")
            for variant, said in variants.items()
        }
        formulas = {variant: text for variant, (text, _) in given.items()}
        expected = {variant: verdict for variant, (_, verdict) in given.items()}
        every = assuming if isinstance(assuming, dict) else dict.fromkeys(variants, assuming)
        self.statement = name
        self.spaces = _several(space)
        self.__doc__ = words
        self.compare = compare
        self.formulas = formulas
        self.expected = expected
        self.where = where or {}
        self.assuming = every
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

    def package(self, variant):
        """Return the statement of the package, or None."""
        return of_package(self.statement, variant)

    def __call__(self, case, variant):
        if any(space.has(case) for space in self.spaces):
            return (
                self._tried(case, variant)
                if formula.true(self.assuming.get(variant, ""), case, self.where.items())
                else None
            )
        one = self.package(variant)
        if one is None or not hasattr(case, "trail"):
            return self.other(case, variant)
        return one.check(case.trail) if one.applies(case.run) else None

    def _tried(self, case, variant):
        own = getattr(case, "slack", None)
        along = getattr(case, "along", "k")
        return [
            self._held(
                variant, own, kind, at if along == "k" else getattr(case, along), *sides, along
            )
            for kind, at, *sides in formula.sides(self.formulas[variant], case, self.where.items())
        ]

    def _held(self, variant, own, kind, at, measured, bound, along):
        """Compare two sides.

        own : slack that the instance declares for its floats, a number or a function of `measured`;
        None if it declares none along : "k" for steps, or another name
        """
        exact = all(isinstance(x, Fraction | int | np.integer) for x in (*measured, *bound))
        if exact:
            slack = EXACT * np.maximum(np.abs(measured), np.abs(bound))
        else:
            slack = 1e-11 + FLOAT * (np.abs(measured) + np.abs(bound).max()) if own is None else own
            slack = slack(measured) if callable(slack) else slack
        return BoundCheck(
            self.statement,
            variant,
            kind,
            measured,
            bound,
            slack,
            "exact" if exact else "float",
            at,
            along=along,
        )

    def beyond(self, variant):
        """Return the same claim on the instances that violate its assumption.

        None if it assumes nothing.
        """
        assumed = self.assuming.get(variant, "")

        def check(case, variant):
            return (
                None
                if formula.true(assumed, case, self.where.items())
                else self._tried(case, variant)
            )

        check.spaces = self.spaces
        return check if assumed else None

    def instead(self, text, assuming=""):
        """Return a sabotage: another formula on the same instances, or on those that satisfy the
        condition `assuming`.
        """
        wrong = Statement(
            self.statement, self.spaces, "", printed=text, where=self.where, assuming=assuming
        )

        def sabotage(case):
            return wrong(case, "printed") if any(space.has(case) for space in self.spaces) else None

        sabotage.small = True
        return sabotage

    def agrees(self, case, variant):
        """Compare both sides of the package with those of the formula on an instance.

        [] if the package lacks the statement.
        """
        one = self.package(variant)
        if (
            one is None
            or self.compare == "neither"
            or not any(space.has(case) for space in self.spaces)
        ):
            return []
        run, trail = _run(case)
        ours = self(case, variant)
        assumed = self.assuming.get(variant, "")
        if bool(ours) != bool(one.applies(run)) and "k[" not in assumed:
            said = BoundCheck(
                "whether the claim applies, by the package",
                "printed",
                "tight",
                one.applies(run),
                bool(ours),
            )
            return [said]
        if not ours:
            return []
        theirs = one.check(trail)
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
