"""Bound checks: their results, refusals, plans and the command line."""

import json
import math
import re
from fractions import Fraction as F

import numpy as np
import pytest
from click.testing import CliRunner
from refusal import case, refusals, refused
from test_bounds import GAUSS, METHODS, A, N

import coordboost as cb
from coordboost.reporting.cli import main
from coordboost.theory import bounds
from coordboost.theory.bounds import BoundCheck, Constants, Trail, stagewise
from coordboost.theory.bounds.trail import lower_end


def test_bound_check_semantics():
    up = BoundCheck("x", "printed", "upper", [5, 1, 2, np.nan], [5, 2, 1, 1], 0.5)
    assert up.violations.tolist() == [2, 3] and not up.holds and up.verdict == "refuted"
    assert up.tightest == 2.0 and up.as_dict()["first_violation"] == 2
    tight = BoundCheck("x", "printed", "tight", [1.0, 2.0], [1.0, 2.4], 0.5)
    assert (
        tight.holds and not BoundCheck("x", "printed", "tight", [1.0, 2.0], [1.0, 2.4], 0.3).holds
    )
    exact = BoundCheck(
        "x", "printed", "upper", np.array([F(1, 3)]), np.array([F(1, 3)]), level="exact", at=[4]
    )
    assert exact.holds and exact.tightest == 1.0
    vacuous = BoundCheck("x", "printed", "upper", [3, 1], [9, 3], trivial=3.0)
    assert vacuous.vacuous and vacuous.verdict == "vacuous"
    assert not BoundCheck("x", "printed", "upper", [3, 1], [9, 2], trivial=3.0).vacuous
    assert math.isnan(BoundCheck("x", "printed", "upper", [3, 1], [9, 0], 1.0).tightest)


LOGISTIC = cb.Problem(
    GAUSS.dictionary.gather(np.arange(6)), np.where(GAUSS.y > 0, 1.0, -1.0), cb.losses.Logistic()
)
REFUSED = [
    case("no run", lambda: cb.theory.check(3), "must be a Run"),
    case(
        "no bound",
        lambda: cb.theory.check(cb.solve(GAUSS, cb.methods.lasso_cd(0.1), 3)),
        "no bound applies to lasso_cd",
    ),
    case(
        "other loss",
        lambda: cb.theory.check(cb.solve(LOGISTIC, cb.ls_boost(0.1), 3)),
        "no bound applies to ls_boost",
    ),
    case(
        "foreign",
        lambda: cb.theory.check(cb.solve(GAUSS, cb.ls_boost(), 3), bounds.STATEMENTS[-1]),
        "does not apply to ls_boost",
    ),
    case(
        "foreign alone",
        lambda: bounds.STATEMENTS[-1].check(cb.solve(GAUSS, cb.ls_boost(), 3)),
        "does not apply",
    ),
    case("variant", lambda: BoundCheck("x", "other", "upper", 1, 1), "variant must be one of"),
    case("kind", lambda: BoundCheck("x", "printed", "lower", 1, 1), "kind must be one of"),
    case(
        "level",
        lambda: BoundCheck("x", "printed", "upper", 1, 1, level="sure"),
        "level must be one of",
    ),
    case(
        "at",
        lambda: BoundCheck("x", "printed", "upper", [1, 2], 1, at=[1]),
        "at must have one entry",
    ),
    case("plan: loss", lambda: cb.theory.plan(LOGISTIC, cb.ls_boost, 0.1), "squared loss"),
    case("plan: both", lambda: cb.theory.plan(GAUSS, cb.ls_boost, 0.1, n_steps=3), "not both"),
    case("plan: neither", lambda: cb.theory.plan(GAUSS, cb.ls_boost), "either gap"),
    case(
        "plan: method",
        lambda: cb.theory.plan(GAUSS, cb.methods.gcd, 0.1),
        "method must be ls_boost",
    ),
    case(
        "plan: other method",
        lambda: cb.theory.plan(GAUSS, cb.methods.lasso_cd(0.1), 0.1),
        "method must be ls_boost",
    ),
    case(
        "plan: no delta", lambda: cb.theory.plan(GAUSS, cb.methods.frank_wolfe, 0.1), "needs delta"
    ),
    case("plan: delta", lambda: cb.theory.plan(GAUSS, cb.ls_boost, 0.1, delta=1.0), "has no delta"),
    case(
        "plan: eps twice",
        lambda: cb.theory.plan(GAUSS, cb.ls_boost(), 0.1, eps=1.0),
        "has its parameters",
    ),
    case(
        "plan: eps beside a draw",
        lambda: cb.theory.plan(GAUSS, cb.methods.rtgcd(4), 0.1, eps=1.0),
        "has its parameters",
    ),
    case(
        "plan: delta beside momentum",
        lambda: cb.theory.plan(GAUSS, cb.methods.agbm(1.0, 0.1), 0.1, delta=1.0),
        "has its parameters",
    ),
    case(
        "plan: eps of fw",
        lambda: cb.theory.plan(GAUSS, cb.methods.frank_wolfe, 0.1, delta=1.0, eps=0.1),
        "has no eps",
    ),
    case("plan: gap", lambda: cb.theory.plan(GAUSS, cb.ls_boost, -1.0), "gap must be"),
    case(
        "plan: budget", lambda: cb.theory.plan(GAUSS, cb.ls_boost, n_steps=1.5), "n_steps must be"
    ),
    case(
        "plan: eps too long",
        lambda: cb.theory.plan(GAUSS, cb.forward_stagewise, 1e-9, eps=A),
        "no number of steps",
    ),
]


test_refusals = refusals(*REFUSED)


@pytest.mark.parametrize(
    "maker, options",
    [
        (cb.ls_boost, {}),
        (cb.ls_boost, {"eps": 0.1}),
        (cb.forward_stagewise, {}),
        (cb.forward_stagewise, {"eps": 0.02 * A}),
        (cb.regularized_forward_stagewise, {"delta": 0.7 * A}),
        (cb.methods.frank_wolfe, {"delta": 0.7 * A}),
    ],
)
def test_plans_keep_their_promise(maker, options):
    gap = 0.1 * A**2 / 2
    plan = cb.theory.plan(GAUSS, maker, gap, **options)
    assert plan.gap <= gap < cb.theory.plan(GAUSS, maker, n_steps=plan.n_steps - 1, **options).gap
    again = cb.theory.plan(GAUSS, maker, n_steps=plan.n_steps, **options)
    assert (again.gap, again.l1, again.method.parameters) == (
        plan.gap,
        plan.l1,
        plan.method.parameters,
    )
    run = cb.solve(GAUSS, plan.method, plan.n_steps)
    trail = Trail.of(run)
    least = (
        Constants.of(GAUSS).optimum
        if "delta" not in options
        else lower_end(trail, trail.radius[:1])[0]
    )
    reached = trail.loss[trail.best[-1]] if maker is cb.forward_stagewise else trail.loss.min()
    assert reached - least <= plan.gap and trail.l1.max() <= plan.l1 * (1 + 1e-12)
    assert cb.theory.plan(GAUSS, plan.method, gap).n_steps <= plan.n_steps


@pytest.mark.parametrize(
    "maker, delta", [(cb.forward_stagewise, None), (cb.regularized_forward_stagewise, 0.7 * A)]
)
def test_the_planned_eps_is_the_best(maker, delta):
    best = cb.theory.plan(GAUSS, maker, n_steps=500, delta=delta)
    for factor in (0.5, 0.9, 1.1, 2.0):
        assert (
            cb.theory.plan(
                GAUSS, maker, n_steps=500, delta=delta, eps=factor * best.method.parameters["eps"]
            ).gap
            > best.gap
        )


def test_command(tmp_path):
    file = str(tmp_path / "a.run")
    cb.solve(GAUSS, METHODS["fs"], N).save(file)
    plain = CliRunner().invoke(main, ["check", file, "--plot", str(tmp_path / "a.png")])
    assert (
        plain.exit_code == 0
        and "Theorem 3.1 (i)" in plain.stdout
        and (tmp_path / "a.png").stat().st_size > 5000
    )
    found = json.loads(CliRunner().invoke(main, ["check", file, "--json"]).stdout)
    assert all(row["holds"] for row in found) and {row["statement"] for row in found} >= {
        "Theorem 3.1 (iv)",
        "Proposition 3.1 (37)",
    }
    cb.solve(GAUSS, cb.methods.lasso_cd(0.1), 3).save(file)
    other = CliRunner().invoke(main, ["check", file])
    assert (
        other.exit_code == 1
        and other.stdout == ""
        and "no bound applies to lasso_cd" in other.stderr
    )


def test_checks_are_printed_one_line_each():
    run = cb.solve(GAUSS, METHODS["fs"], N)
    checks = cb.theory.check(run)
    lines = repr(checks).splitlines()
    assert (
        isinstance(checks, list) and str(checks) == repr(checks) and len(lines) == len(checks) > 5
    )
    for line, one in zip(lines, checks, strict=True):
        assert (
            line.startswith(one.name)
            and f" {one.variant} " in line
            and f" {one.verdict}" in line
            and len(line) < 100
        )
        assert repr(one).startswith("<BoundCheck ") and len(repr(one)) < 110
        assert f"tightest {one.tightest:.3g}" in line
    assert "2 of 3 points, first k = 0" in repr(
        BoundCheck("x", "printed", "upper", [5, 1, np.nan], [4, 2, 1])
    )
    assert repr(bounds.BoundChecks()) == "" and "tightest" not in repr(
        BoundCheck("x", "printed", "upper", [3], [0], 4.0)
    )


@pytest.mark.parametrize("method", [*METHODS, "rtgcd"])
def test_statements_are_found_by_their_names(method):
    """Each listed statement is found by its name; one that does not apply is refused, and the error
    names those that do.
    """
    run = cb.solve(GAUSS, METHODS.get(method, cb.rtgcd(2)), 8)
    every = cb.theory.check(run)
    names = list(dict.fromkeys(one.name for one in every))
    for name in names:
        assert [one.variant for one in cb.theory.check(run, name)] == [
            one.variant for one in every if one.name == name
        ]
    assert len(cb.theory.check(run, names)) == len(every)
    known = {one.name: one for one in bounds.STATEMENTS}
    for name in known.keys() - set(names):
        refused(
            lambda name=name: cb.theory.check(run, name),
            f"{name} does not apply to {run.method.name}",
        )
        refused(lambda name=name: cb.theory.check(run, name), names[-1])
    first = re.sub(r" \([ivx]+\).*", "", names[0])
    refused(
        lambda: cb.theory.check(run, "Theorem 9.9"),
        f"no statement is called 'Theorem 9.9'; those for this run: {first}; ",
    )
    refused(lambda: cb.theory.check(run, ""), "no statement is called ''")
    refused(lambda: cb.theory.check(run, 4), "statements must be names such as 'Theorem 2.1 (i)'")


def test_a_name_selects_all_statements_that_begin_with_it():
    run = cb.solve(GAUSS, cb.ls_boost(0.5), 8)
    found = cb.theory.check(run, statements="Theorem 2.1")
    assert len(found) == 12 and all(one.name.startswith("Theorem 2.1 (") for one in found)
    assert [one.name for one in cb.theory.check(run, "(25)")] == ["(25) descent"]
    random = cb.solve(GAUSS, cb.rtgcd(2), 8)
    assert {one.name for one in cb.theory.check(random, "Theorem 4.1")} == {"RGBM, Theorem 4.1"}


def test_command_takes_names(tmp_path):
    file = str(tmp_path / "a.run")
    cb.solve(GAUSS, METHODS["fs"], N).save(file)
    found = json.loads(
        CliRunner().invoke(main, ["check", file, "--statement", "Theorem 3.1", "--json"]).stdout
    )
    assert len(found) == 9 and all(row["statement"].startswith("Theorem 3.1 (") for row in found)
    other = CliRunner().invoke(main, ["check", file, "--statement", "Theorem 9"])
    assert other.exit_code == 1 and "no statement is called 'Theorem 9'" in other.stderr


def test_command_reports_bounds_that_fail(tmp_path, monkeypatch):
    file = str(tmp_path / "a.run")
    cb.solve(GAUSS, METHODS["fs"], N).save(file)
    monkeypatch.setitem(stagewise.excess.formulas, "printed", "at(i, excess) <= 0 * k")
    broken = CliRunner().invoke(main, ["check", file])
    assert broken.exit_code == 1 and "NO, k = 0" in broken.stdout and "bounds fail" in broken.stderr


@pytest.mark.parametrize(
    "make",
    [
        lambda u: cb.ls_boost(0.5),
        lambda u: cb.forward_stagewise(u / 8),
        lambda u: cb.regularized_forward_stagewise(u / 8, u),
        lambda u: cb.path_forward_stagewise(u / 16, u * np.linspace(0.1, 1, 20)),
        lambda u: cb.methods.frank_wolfe(u),
    ],
    ids=["ls_boost", "fs", "rfs", "path", "frank_wolfe"],
)
def test_checks_do_not_depend_on_the_unit_of_the_target(make):
    """With a target 16 times as large, both sides of a check and its trivial bound are multiplied
    by a power of 16.
    """
    rng = np.random.default_rng(2)
    B = rng.standard_normal((12, 4))
    y = 3 * rng.standard_normal(12)
    runs = [cb.solve(cb.Problem(B, u * y), make(float(u)), 20, compile=False) for u in (1, 16)]
    for one, large in zip(*(cb.theory.check(run) for run in runs), strict=True):
        factor = 16.0 ** round(math.log(np.abs(large.bound).max() / np.abs(one.bound).max(), 16))
        for before, after in (
            (one.measured, large.measured),
            (one.bound, large.bound),
            (one.trivial, large.trivial),
        ):
            if before is not None:
                np.testing.assert_allclose(
                    after,
                    factor * np.asarray(before),
                    rtol=1e-9,
                    atol=1e-9 * factor,
                    err_msg=one.name,
                )


def test_plans_reach_as_far_as_the_message_says():
    far = cb.theory.plan(GAUSS, cb.methods.frank_wolfe, n_steps=8 * 10**14, delta=1.0)
    assert (
        0.99 * far.n_steps
        <= cb.theory.plan(GAUSS, cb.methods.frank_wolfe, far.gap, delta=1.0).n_steps
        <= far.n_steps
    )


def solvable(seed):
    """A small problem, in turn: noisy, one column that explains y, y constant, a column twice,
    whole numbers with ties.
    """
    rng = np.random.default_rng(seed)
    n = rng.integers(3, 12)
    p = rng.integers(1, 4)
    X = rng.normal(size=(n, p))
    y = X[:, 0] + rng.normal(size=n)
    kind = seed % 5
    if kind == 1:
        X, y = X[:, :1], 3 * X[:, 0] + 1
    elif kind == 2:
        y = np.full(n, 3.0)
    elif kind == 3:
        X = X[:, [0, 0]]
    elif kind == 4:
        X = np.round(2 * X)
        y = np.round(2 * y)
    return X, y


#: Methods of runs of 60 steps, for targets of size `unit`.
GREEDY = {
    "ls": lambda unit: cb.ls_boost(0.5),
    "ls 1": lambda unit: cb.ls_boost(1.0),
    "gcd": lambda unit: cb.methods.gcd(),
    "fs": lambda unit: cb.forward_stagewise(0.1 * unit),
    "rfs": lambda unit: cb.regularized_forward_stagewise(0.1 * unit, 2.0 * unit),
    "path": lambda unit: cb.path_forward_stagewise(0.1 * unit, np.linspace(0.1, 2, 60) * unit),
    "fw": lambda unit: cb.methods.frank_wolfe(2.0 * unit),
}


@pytest.mark.filterwarnings(
    "ignore::coordboost.data.ConstantColumnWarning", "ignore::coordboost.engine.LongStepWarning"
)
@pytest.mark.parametrize("name", GREEDY)
@pytest.mark.parametrize("unit", [1.0, 2.0**-400, 2.0**400])
def test_slack_covers_rounding_where_a_bound_is_0(name, unit):
    """Runs that end at the optimum, or start there: measured values are rounding, such as 1e-33,
    and bounds are 0.
    """
    for seed in range(20):
        X, y = solvable(seed)
        problem = cb.Problem(X, y * unit)
        if problem.n_learners:
            for found in cb.theory.check(
                cb.solve(problem, GREEDY[name](unit), 60), angle_learners=0
            ):
                assert found.holds, (seed, found, found.measured, found.bound, found.slack)


@pytest.mark.filterwarnings("ignore::coordboost.data.ConstantColumnWarning")
@pytest.mark.parametrize(
    "loss", [cb.losses.Squared(), cb.losses.Huber(0.5), cb.losses.Logistic(0.1)], ids=repr
)
def test_random_bounds_hold_where_nothing_is_left_to_gain(loss):
    """The start may be the optimum: the gap L(0) - L* is then 0, or rounding."""
    for seed in range(10):
        X, y = solvable(seed)
        y = np.where(y > np.median(y), 1.0, -1.0) if loss.two_class else y
        if len(np.unique(y)) == 1 and loss.two_class:
            continue
        problem = cb.Problem(X, y, loss)
        if not problem.n_learners:
            continue
        limit = cb.angles.momentum_limit(problem)
        methods = [cb.rtgcd(1), cb.methods.rcd()] + [cb.agbm(1 / loss.sigma, limit)] * (
            limit is not None
        )
        for method in methods:
            for found in cb.theory.check(cb.solve(problem, method, 10), angle_learners=4):
                assert found.holds, (seed, method, found)
