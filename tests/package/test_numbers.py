"""Every number given by a user is stored as a float (as an int where it counts), or refused in one
sentence.
"""

import inspect
import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from public import examples

import coordboost as cb

RNG = np.random.default_rng(0)
X = RNG.normal(size=(12, 3))
Y = RNG.normal(size=12)
SIGNS = np.sign(Y)
COUNTS = np.round(np.abs(3 * Y))
PROBLEM = cb.Problem(X, Y, groups=[0, 0, 1])
BLOCKS = cb.Problem(cb.data.blocks(X, [[0, 1], [2]]), Y)
OF_BLOCKS = cb.rules.RandomMask, cb.rules.JointSubset
#: The same number in all types that users pass.
ALIKE = (np.float32, np.float64, Fraction, Decimal, np.array, lambda number: np.array([number])[0])
#: maker, parameter, a good value, other arguments: all real numbers in the examples of methods,
#: rules, losses and stop rules.
REAL = [
    (maker, name, value, {other: arguments[other] for other in arguments if other != name})
    for maker, arguments in examples()
    for name, value in arguments.items()
    if isinstance(value, float)
]
NAMES = [f"{maker.__name__}.{name} of {len(others) + 1}" for maker, name, _, others in REAL]


def used(maker, name, value, others):
    """Use the object made from the value for two steps; return the run."""
    made = maker(**{name: value}, **others)
    method = cb.ls_boost()
    problem = PROBLEM
    stop = ()
    if isinstance(made, cb.rules.Method):
        method = made
    elif hasattr(made, "residual"):
        problem = cb.Problem(
            X,
            COUNTS if maker is cb.losses.Tweedie else SIGNS if hasattr(made, "labels") else Y,
            made,
            center=maker is not cb.losses.SmoothZeroOne,
        )
        method = cb.methods.gcd()
        if problem.loss.sigma is None:
            method = cb.methods.gcd(cb.rules.LineSearch())
    elif isinstance(made, cb.rules.StepRule):
        method = cb.rules.Method("own", cb.rules.Greedy(), made)
    elif isinstance(made, cb.rules.SelectionRule):
        method = cb.rules.Method("own", made, cb.rules.ShrunkenStep())
        problem = BLOCKS if maker in OF_BLOCKS else PROBLEM
    else:
        stop = made
    return cb.solve(problem, method, 2, stop=stop, compile=False)


def plain(run):
    """All numbers that define a run, with their types."""
    pieces = (run.problem.loss, run.method.select, run.method.step, run.method.coefficients)
    fields = [
        (type(value), value)
        for piece in pieces
        for value in piece
        if isinstance(value, int | float)
    ]
    known = {
        key: (type(value), value)
        for key, value in run.method.parameters.items()
        if isinstance(value, int | float)
    }
    return fields, known, run.beta.tolist()


@pytest.mark.parametrize(("maker", "name", "good", "others"), REAL, ids=NAMES)
def test_numbers_of_any_type_are_one_number(maker, name, good, others, tmp_path):
    expected = plain(used(maker, name, good, others))
    for alike in ALIKE:
        run = used(maker, name, alike(good), others)
        assert plain(run) == expected
    if run.method.name in cb.methods.METHODS:
        run.save(tmp_path / "run")
        assert plain(cb.load(tmp_path / "run")) == expected


def test_the_examples_have_every_number():
    """Every parameter of a method, rule, loss or stop rule that has a real default, or none."""
    wanted = {
        (maker.__name__, name)
        for maker, _ in examples()
        for name, parameter in inspect.signature(maker).parameters.items()
        if isinstance(parameter.default, float)
    }
    assert len(REAL) > 40 and wanted <= {(maker.__name__, name) for maker, name, *_ in REAL}


@pytest.mark.parametrize(
    "value", [10**400, -1, 1.5, "3", None, True, np.bool_(True), math.nan, [3]]
)
def test_counts_are_whole_numbers(value):
    doors = {
        "n_steps": lambda: cb.solve(PROBLEM, cb.ls_boost(), value),
        "t": lambda: cb.solve(PROBLEM, cb.rtgcd(value), 1),
        "max_depth": lambda: cb.data.trees(X, max_depth=value),
        "max_bins": lambda: cb.data.bin_columns(X, max_bins=value),
        "n_alphas": lambda: cb.lasso_path(X, Y, n_alphas=value),
        "folds": lambda: cb.cross_validate(lambda X, y, w: cb.lasso_path(X, y), X, Y, folds=value),
        "n_estimators": lambda: cb.RandomizedGBMRegressor(n_estimators=value).fit(X, Y),
        "n_steps of an estimator": lambda: cb.LSBoostRegressor(n_steps=value).fit(X, Y),
    }
    for name, door in doors.items():
        if value is None and name in ("t", "max_depth"):
            continue  # None means another rule, or no limit
        with pytest.raises(ValueError, match=r"must be|need") as caught:
            door()
        assert type(caught.value) is ValueError, name


def test_a_whole_delta_is_the_same_loss_and_the_same_run(tmp_path):
    """A field of another type would compile the kernels again."""
    whole, real = (
        cb.solve(cb.Problem(X, Y, cb.losses.Huber(d)), cb.methods.gcd(), 5) for d in (7, 7.0)
    )
    assert repr(whole.problem.loss) == repr(real.problem.loss) == "Huber(d=7.0)"
    whole.save(tmp_path / "whole")
    assert repr(cb.load(tmp_path / "whole").problem.loss) == "Huber(d=7.0)"


@pytest.mark.parametrize(("maker", "name", "good", "others"), REAL, ids=NAMES)
def test_what_is_too_large_for_a_number_or_a_bool_is_refused(maker, name, good, others):
    """test_doors.py tries words, arrays and objects."""
    for value in (10**400, -(10**400), np.bool_(True), np.array(True)):
        with pytest.raises(ValueError, match=r"must (be|hold)|has the radius") as caught:
            used(maker, name, value, others)
        assert type(caught.value) is ValueError and "\n" not in str(caught.value)
