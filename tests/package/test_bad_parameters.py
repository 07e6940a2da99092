"""Absurd parameters and calls: one row each, refused with a ``ValueError`` of one sentence; never
NaN, never a traceback.
"""

import inspect
import math
from typing import NamedTuple

import numpy as np
import pytest
from public import PUBLIC
from refusal import case, refusals, rows

import coordboost as cb
from coordboost import Problem
from coordboost.certificates import L1Ball, L1Penalty

RNG = np.random.default_rng(0)
X = RNG.normal(size=(8, 3))
Y = RNG.normal(size=8)
SIGNS = np.array([1.0, -1.0] * 4)
NAN = math.nan
INF = math.inf
NOT_POSITIVE = (0, -1, NAN, INF, "0.1", None)
SQUARED = Problem(X, Y)
GROUPED = Problem(X, Y, groups=[0, 1, 1])
LOGISTIC = Problem(X, SIGNS, cb.losses.Logistic())
EXPONENTIAL = Problem(X, SIGNS, cb.losses.Exponential())


def solve(method, problem=SQUARED, n_steps=3, **options):
    return cb.solve(problem, method, n_steps, **options)


def given_to(maker, *first, problem=SQUARED):
    """Return a function that solves with the method `maker(*first, bad)`: good arguments, then the
    bad one.
    """
    return lambda bad: solve(maker(*first, bad), problem)


def path_eps(bad):
    return solve(cb.path_forward_stagewise(bad, [1, 2, 3]))


def fw_step(bad):
    return solve(cb.methods.frank_wolfe(1.0, bad))


METHOD_ROWS = [
    *rows("ls_boost", given_to(cb.ls_boost), *NOT_POSITIVE, 2, says="eps must be between 0 and 2"),
    *rows(
        "FS",
        given_to(cb.forward_stagewise),
        *NOT_POSITIVE,
        [],
        [1, NAN],
        [[1, 2]],
        {},
        says="eps must be",
    ),
    *rows(
        "R-FS",
        lambda bad: solve(cb.regularized_forward_stagewise(bad, 9)),
        *NOT_POSITIVE,
        says="eps must be",
    ),
    *rows(
        "R-FS, delta",
        given_to(cb.regularized_forward_stagewise, 0.1),
        0,
        0.05,
        -1,
        NAN,
        "1",
        None,
        says="delta must be",
    ),
    *rows("PATH", path_eps, 0, -1, NAN, "0.1", None, says="eps must be"),
    *rows("PATH", path_eps, 1.5, INF, says="eps"),
    *rows(
        "PATH, deltas",
        given_to(cb.path_forward_stagewise, 0.1),
        [3, 2, 1],
        says="must not decrease",
    ),
    *rows(
        "PATH, deltas", given_to(cb.path_forward_stagewise, 0.1), [0.05, 1, 2], says="at least eps"
    ),
    *rows(
        "PATH, deltas",
        given_to(cb.path_forward_stagewise, 0.1),
        [1, NAN, 2],
        [],
        2.0,
        "abc",
        None,
        says="deltas must be",
    ),
    *rows("Frank-Wolfe", given_to(cb.methods.frank_wolfe), *NOT_POSITIVE, says="delta must be"),
    *rows("Frank-Wolfe, step", fw_step, 0, -1, 1.5, NAN, says="step must be"),
    *rows("Frank-Wolfe, step", fw_step, "line search", cb.rules.LineSearch(), says="SegmentSearch"),
    *rows(
        "Frank-Wolfe, step",
        fw_step,
        cb.rules.SegmentSearch(2.0),
        cb.rules.SegmentSearch(NAN),
        cb.rules.DiminishingStep(2.0),
        says="radius",
    ),
    *rows(
        "rtgcd", given_to(cb.rtgcd), 0, -1, 4, 2.0, "1", says="t must be a whole number from 1 to 3"
    ),
    *rows("rtgcd, select", given_to(cb.rtgcd, None), "all", cb.rules.Greedy, says="select"),
    *rows(
        "Groups",
        lambda bad: solve(cb.rtgcd(select=cb.rules.Groups(bad)), GROUPED),
        0,
        3,
        1.0,
        "1",
        says="from 1 to 2 (the number of groups)",
    ),
    *rows("lasso_cd", given_to(cb.methods.lasso_cd), -1, NAN, INF, "1", None, says="lam must be"),
    *rows(
        "gcd, step", given_to(cb.methods.gcd), "line search", 0.1, cb.rules.LineSearch, says="step"
    ),
    *rows(
        "rate",
        lambda bad: solve(cb.methods.gcd(cb.rules.ShrunkenStep(bad))),
        0,
        -1,
        NAN,
        INF,
        "0.1",
        2.0,
        says="rate must be",
    ),
    case("rtgcd()", cb.rtgcd, "needs either t"),
    case("rtgcd(1, select)", lambda: cb.rtgcd(1, cb.rules.Greedy()), "not both"),
    case(
        "Groups without groups",
        lambda: solve(cb.rtgcd(select=cb.rules.Groups(1))),
        "pass Problem(..., groups=labels)",
    ),
    case(
        "rate beyond 2 / sigma",
        lambda: solve(cb.methods.gcd(cb.rules.ShrunkenStep(8.0)), LOGISTIC),
        "2 / sigma = 8",
    ),
    *rows(
        "Exponential",
        lambda method: solve(method, EXPONENTIAL),
        cb.methods.gcd(),
        cb.ls_boost(),
        cb.methods.lasso_cd(1.0),
        says="step=LineSearch()",
    ),
    case(
        "stepwise, Logistic",
        lambda: solve(cb.forward_stepwise(), LOGISTIC),
        "needs the squared loss",
    ),
    *rows(
        "Huber", lambda bad: Problem(X, Y, cb.losses.Huber(bad)), *NOT_POSITIVE, says="d must be"
    ),
    *rows(
        "Logistic",
        lambda bad: Problem(X, SIGNS, cb.losses.Logistic(bad)),
        -1,
        NAN,
        INF,
        "1",
        None,
        says="d must be",
    ),
]


def certified(target):
    return cb.certify(SQUARED, np.zeros(3), target)


CALL_ROWS = [
    *rows(
        "n_steps",
        lambda bad: solve(cb.ls_boost(), n_steps=bad),
        -1,
        2.0,
        True,
        "5",
        None,
        NAN,
        says="n_steps must be",
    ),
    *rows(
        "rng",
        lambda bad: solve(cb.methods.rcd(), rng=bad),
        "seed",
        1.5,
        True,
        -1,
        np.random.RandomState(0),
        says="rng must be",
    ),
    *rows(
        "every",
        lambda bad: list(cb.iterate(SQUARED, cb.methods.rcd(), 3, every=bad)),
        0,
        1.5,
        None,
        says="every must be",
    ),
    *rows(
        "replay",
        lambda bad: list(solve(cb.ls_boost()).replay(bad)),
        [2, 1],
        [4],
        [-1],
        [1.0],
        2,
        says="at must",
    ),
    *rows("resume", lambda bad: solve(cb.ls_boost()).resume(bad), -1, 1.0, says="n_steps must be"),
    *rows(
        "model_state",
        lambda bad: solve(cb.ls_boost(), model_state=bad),
        "CovarianceState",
        cb.rules.Greedy,
        says="model_state must be",
    ),
    *rows(
        "model state of stepwise",
        lambda bad: solve(cb.forward_stepwise(), model_state=bad),
        cb.engine.CovarianceState,
        cb.engine.NaiveState,
        says="model_state",
    ),
    case(
        "model state of random steps",
        lambda: solve(cb.rtgcd(2), model_state=cb.engine.LookaheadState),
        "needs Greedy() selection",
    ),
    case(
        "model state of random steps",
        lambda: solve(cb.rtgcd(2), model_state=cb.engine.CovarianceColumns),
        "needs Greedy() selection",
    ),
    case(
        "Gram model state, Logistic",
        lambda: solve(cb.methods.gcd(), LOGISTIC, model_state=cb.engine.CovarianceState),
        "squared loss",
    ),
    *rows("stop", lambda bad: solve(cb.ls_boost(), stop=bad), 5, [5], "gap", says="stop must be"),
    *rows("watch", lambda bad: solve(cb.ls_boost(), watch=bad), 5, "print", says="watch must be"),
    *rows("method", solve, "ls_boost", cb.ls_boost, cb.rules.Greedy(), None, says="method must be"),
    *rows("problem", lambda bad: solve(cb.ls_boost(), bad), X, (X, Y), says="problem must be"),
    *rows("certify, target", certified, "lasso", L1Ball, 1.0, says="target must be"),
    *rows(
        "certify",
        certified,
        L1Ball(-1.0),
        L1Ball(NAN),
        L1Ball("1"),
        L1Ball(INF),
        says="radius must be",
    ),
    *rows(
        "certify",
        certified,
        L1Penalty(-1.0),
        L1Penalty(NAN),
        L1Penalty(None),
        L1Penalty(INF),
        says="lam must be",
    ),
    case(
        "certify, columns",
        lambda: cb.certify(np.eye(3), np.ones(3)),
        "problem must be a Problem(X, y, ...)",
    ),
    case("certify, short", lambda: cb.certify(SQUARED, np.ones(2)), "expected 3, got 2"),
    *rows(
        "certify",
        lambda bad: cb.certify(SQUARED, bad),
        [0.0, NAN, 0.0],
        [[0.0] * 3],
        None,
        ["a"] * 3,
        says="beta",
    ),
    *rows("raw", SQUARED.raw, [1.0, 2.0], [[1.0] * 3], ["a"] * 3, [NAN] * 3, says="beta"),
    *rows("unit", SQUARED.unit, [1.0, 2.0], [[1.0] * 3], ["a"] * 3, [NAN] * 3, says="coef"),
    *rows(
        "predict",
        lambda bad: solve(cb.ls_boost()).predict(bad),
        X[:, :2],
        says="must have 3 columns",
    ),
    case(
        "sequence too short",
        lambda: solve(cb.forward_stagewise([0.1, 0.2]), n_steps=10**12),
        "a sequence for 2 steps",
    ),
    case(
        "resume past a sequence",
        lambda: solve(cb.forward_stagewise([0.1] * 3)).resume(1),
        "a sequence for 3 steps",
    ),
    case(
        "one step for many",
        lambda: solve(cb.forward_stagewise([0.1]), n_steps=5),
        "make it as long as the run, or use a number",
    ),
    *rows(
        "one bad step of three",
        lambda bad: cb.forward_stagewise([0.1, bad, 0.1]),
        -0.1,
        0.0,
        NAN,
        INF,
        says="positive finite",
    ),
    case(
        "one radius for many",
        lambda: cb.path_forward_stagewise(0.1, 2.0),
        "use regularized_forward_stagewise(eps, delta)",
    ),
    case(
        "a number for a sequence",
        lambda: solve(cb.rules.Method("own", cb.rules.Greedy(), cb.rules.StepSequence(0.1))),
        "use FixedStep(eps)",
    ),
    case(
        "a number for the radii",
        lambda: solve(cb.rules.Method("own", cb.rules.Greedy(), cb.rules.PathStep(0.1, 2.0))),
        "use FixedStep(eps, delta)",
    ),
    case(
        "a sequence for the radius",
        lambda: solve(cb.rules.Method("own", cb.rules.Greedy(), cb.rules.DiminishingStep([2.0]))),
        "radius must be a positive",
    ),
    case(
        "a word for the radius",
        lambda: solve(cb.rules.Method("own", cb.rules.Greedy(), cb.rules.SegmentSearch("x"))),
        "radius must be a positive",
    ),
    case(
        "iterate past a sequence",
        lambda: list(cb.iterate(SQUARED, cb.forward_stagewise([0.1]), 2)),
        "a sequence for 1 steps",
    ),
]


test_refused = refusals(*METHOD_ROWS, *CALL_ROWS)


test_subgradient_descent_refuses = refusals(
    case(
        "Logistic",
        lambda: list(cb.theory.subgradient_descent(LOGISTIC, 0.1, 3)),
        "needs the squared loss",
    ),
    case(
        "weights",
        lambda: list(
            cb.theory.subgradient_descent(Problem(X, Y, sample_weight=np.arange(8)), 0.1, 3)
        ),
        "without sample weights",
    ),
    *rows(
        "n_steps",
        lambda bad: list(cb.theory.subgradient_descent(SQUARED, 0.1, bad)),
        -1,
        2.0,
        None,
        says="n_steps must be",
    ),
    *rows(
        "step",
        lambda bad: list(cb.theory.subgradient_descent(SQUARED, bad, 3)),
        NAN,
        "0.1",
        None,
        [0.1],
        says="step must be",
    ),
    *rows(
        "delta",
        lambda bad: list(cb.theory.subgradient_descent(SQUARED, 0.1, 3, delta=bad)),
        0,
        -1,
        NAN,
        [1.0],
        says="delta must be",
    ),
)


def test_a_constructor_called_wrongly_names_the_class_that_was_called():
    classes = [thing for thing in PUBLIC.values() if inspect.isclass(thing)]
    pieces = [cls for cls in classes if issubclass(cls, tuple)]
    assert {cb.rules.Structural, cb.losses.Huber, cb.engine.LookaheadState} <= set(pieces)
    for cls in pieces:
        for call in (lambda cls=cls: cls(*range(40)), lambda cls=cls: cls(no_such_field=1)):
            with pytest.raises(TypeError, match=rf"^{cls.__name__}(\.__new__)?\(\)"):
                call()
    with pytest.raises(TypeError, match=r"^Structural\(\) missing .* 't'"):
        cb.rules.Structural(penalty=0.1, power="a")
    with pytest.raises(TypeError, match=r"^Own\(\) missing .* 'rate'"):
        Own()


class Own(NamedTuple("_Own", [("rate", float)]), cb.rules.StepRule):
    """A step rule of a user's own."""

    def move(self, k, state, j, corr, beta_j):
        return 0, self.rate * corr
