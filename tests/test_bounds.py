"""Bounds: values by hand, limits, the golden problem; what is measured against plain definitions; plans; the command; refusals."""

import json
import math
from fractions import Fraction as F

import designs
import golden
import numpy as np
import pytest
from click.testing import CliRunner
from reference_sets import ReferenceSet, needs_reference_sets
from refusal import case, refused

import coordboost as cb
from coordboost import bounds
from coordboost.bounds import BoundCheck, Constants, Trail, frank_wolfe, ls_boost, regularized, stagewise
from coordboost.cli import main

U = float(np.finfo(float).eps)
K = np.arange(200)
#: A = 2, X the identity of order 4: kappa = 4.
EYE = Constants(2.0, 1.0, 4, 4)
RNG = np.random.default_rng(0)
GAUSS = cb.Problem(RNG.normal(size=(30, 6)), RNG.normal(size=30))
A = Constants.of(GAUSS).size
N = 60
METHODS = {
    "ls": cb.ls_boost(0.5),
    "fs": cb.forward_stagewise(0.05 * A),
    "fs sequence": cb.forward_stagewise(A / np.arange(1, N + 1)),
    "rfs": cb.regularized_forward_stagewise(0.05 * A, 0.8 * A),
    "path": cb.path_forward_stagewise(0.05 * A, np.linspace(0.1, 1, N) * A),
    "fw": cb.frank_wolfe(0.8 * A),
    "fw search": cb.frank_wolfe(0.8 * A, cb.BallSearch(0.8 * A)),
    "gcd search": cb.gcd(cb.LineSearch()),
}


def close(found, expected):
    """Formulas of some ten operations."""
    np.testing.assert_allclose(found, expected, rtol=20 * U, atol=0)


def test_values_by_hand():
    close(ls_boost.decrease(EYE, 1.0), 1 / 16)
    close(ls_boost.decrease(EYE, 1.0, "sharpened"), 1 / 4)
    close(ls_boost.excess(EYE, 1.0, 2), 2 * (15 / 16) ** 2)
    close(ls_boost.fit(EYE, 1.0, 2, "sharpened"), 2 * 0.75)
    close(ls_boost.distance(EYE, 1.0, 2, "sharpened"), 1.5)
    close(ls_boost.l1_by_steps(EYE, 1.0, 4), 4.0)
    close(ls_boost.l1_by_steps(EYE, 1.0, 1, math.sqrt(3)), 1.0)
    close(ls_boost.l1_by_rate(EYE, 1.0, 2, "sharpened"), 2 * 0.25 / (1 - math.sqrt(0.75)))
    close(ls_boost.l1_simple(EYE, 0.5, 2), 2.0)
    close(ls_boost.tail(EYE, 1.0, 0, variant="sharpened"), 2 / (1 - math.sqrt(0.75)))
    close(ls_boost.smallest_correlation(EYE, 1.0, 3), 1.0)
    close(stagewise.width(EYE, 0.5, 3), 2.5)
    close(stagewise.excess(EYE, 0.5, 3), 2 * 2.5**2)
    close(stagewise.excess(EYE, 0.5, 3, "sharpened"), 2.5**2 / 2)
    close(stagewise.distance(EYE, 0.5, 3), 5.0)
    close(stagewise.fit(EYE, 0.5, 3, "sharpened"), 2.5)
    close(stagewise.correlation(EYE, 0.5, 3), 1.25)
    close(stagewise.sum_of_shrinkage(EYE, 0.5, 1.5), 2 * 2.5**2)
    close(stagewise.subgradient(4.0, np.array([0.5, 0.5, 0.5, 0.5])), [4.25, 2.25, 4.75 / 3, 1.25])
    close(regularized.l1(1.0, 2.0, 3), 1.75)
    close(regularized.average_omega(EYE, 1.0, 3), 2.5)
    close(regularized.average_omega_sharpened(EYE, 1.0, 2.0, np.arange(2)), [2.5, (4 + 1 + 2.25) / 4])
    close(regularized.excess(EYE, 1.0, 3.0, 3), 7.5)
    close(regularized.fit(EYE, 1.0, 3.0, 3), math.sqrt(15))
    close(regularized.smallest_omega(EYE, np.array([1.0, 1.0])), [4.0, 3.0])
    close(frank_wolfe.excess(1.0, 2), 2.0)
    close(frank_wolfe.smallest_gap(1.0, 7), 3.0)


def test_gamma_as_printed():
    """The contraction factor of the golden problem, printed to ten decimals."""
    constants = Constants.of(designs.as_it_is(golden.X.astype(float), golden.Y.astype(float)))
    close(constants.size, math.sqrt(14))
    assert abs(constants.kappa - golden.KAPPA) <= 1e-9
    for eps, gamma in golden.GAMMA.items():
        assert abs(1 - ls_boost.decrease(constants, float(eps)) - gamma) <= 0.51e-10


def test_rational_formulas_run_on_rationals():
    constants = Constants(F(3), F(1, 4), 3, 3)
    assert stagewise.correlation(constants, F(1, 4), F(5)) == F(25, 8)
    assert stagewise.excess(constants, F(1, 4), F(5), "sharpened") == F(6) * F(25, 8) ** 2
    assert regularized.average_omega(constants, F(1, 4), F(5)) == F(7, 2)


def test_limits():
    """k = 0, k = inf, a factor of 1 - 1e-17 and one of 0."""
    assert ls_boost.excess(EYE, 1.0, 0) == 2.0 and ls_boost.l1(EYE, 1.0, 0) == 0.0
    close(ls_boost.l1_by_rate(EYE, 1.0, 1e9), 2 / ls_boost.one_minus_power(1 / 16, 0.5))
    tiny = EYE._replace(lambda_pmin=1e-17)  # 1 - x is 1 in float64; the l1 norm still grows like A k / 1
    close(ls_boost.l1_by_rate(tiny, 1.0, 10), 20.0)
    close(ls_boost.one_minus_power(1e-300, 2), 2e-300)
    one = Constants(2.0, 2.0, 2, 2)  # two equal columns, kappa = 1: exact after one step
    assert ls_boost.excess(one, 1.0, [0, 1, 5], "sharpened").tolist() == [2.0, 0.0, 0.0]
    assert ls_boost.l1_by_rate(one, 1.0, [0, 1, 5], "sharpened").tolist() == [0.0, 2.0, 2.0]
    assert regularized.l1(2.0, 2.0, [0, 1, 9]).tolist() == [0.0, 2.0, 2.0]  # eps = delta
    close(stagewise.correlation(EYE, 0.5, 1e18), 0.25)


@pytest.mark.parametrize("formula", [
    lambda k: ls_boost.excess(EYE, 0.3, k), lambda k: ls_boost.smallest_correlation(EYE, 0.3, k), lambda k: ls_boost.tail(EYE, 0.3, k),
    lambda k: -ls_boost.l1(EYE, 0.3, k), lambda k: stagewise.excess(EYE, 0.3, k), lambda k: -regularized.l1(0.1, 2.0, k),
    lambda k: regularized.excess(EYE, 0.1, 2.0, k), lambda k: regularized.average_omega_sharpened(EYE, 0.1, 2.0, k) - 0.3 * (k / 1e3),
    lambda k: frank_wolfe.excess(2.0, k),
])  # fmt: skip
def test_monotone(formula):
    assert (np.diff(formula(K)) <= 0).all()


def test_sharpened_is_sharper():
    for formula in (ls_boost.excess, ls_boost.fit, ls_boost.distance, ls_boost.l1, ls_boost.l1_simple, ls_boost.tail):
        assert (formula(EYE, 0.7, K, variant="sharpened") <= formula(EYE, 0.7, K) * (1 + 4 * U)).all()
    printed, sharpened = regularized.average_omega(EYE, 0.1, K), regularized.average_omega_sharpened(EYE, 0.1, 2.0, K)
    assert (sharpened <= printed).all()


@pytest.mark.parametrize("kind", designs.GAUSSIAN)
@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("weighted", [False, True])
def test_trail_is_what_the_definitions_say(kind, name, weighted):
    """Plain NumPy on W^(1/2) B, at every step. Everything is below 4 A, the condition numbers below 100."""
    X, y = designs.gaussian(kind)
    weight = np.arange(len(y)) % 3 + 0.5 if weighted else None
    problem = cb.Problem(X, y, sample_weight=weight)
    run = cb.solve(problem, METHODS[name], N)
    trail = Trail.of(run)
    root = np.sqrt(problem.weight)
    B, target = root[:, None] * designs.columns(problem), root * problem.y
    pinv = np.linalg.pinv(B, rcond=1e-10)
    best = B @ (pinv @ target)
    beta = designs.betas(run)
    resid = target - beta @ B.T
    loose = {"rtol": 1e-11, "atol": 1e-11 * np.linalg.norm(target)}
    np.testing.assert_allclose(trail.corr, np.abs(resid @ B).max(axis=1), **loose)
    np.testing.assert_allclose(trail.chosen, (resid @ B)[np.arange(N), run.path.learner], **loose)
    np.testing.assert_allclose(trail.inner, np.einsum("ij,ij->i", resid, beta @ B.T), **loose)
    np.testing.assert_allclose(trail.fit, np.linalg.norm(best - beta @ B.T, axis=1), **loose)
    np.testing.assert_allclose(
        trail.distance, np.linalg.norm(resid @ pinv.T, axis=1), rtol=1e-9, atol=1e-9 * np.linalg.norm(target)
    )
    np.testing.assert_allclose(trail.loss, (resid**2).sum(axis=1) / 2, rtol=1e-11, atol=1e-11 * (target @ target))
    np.testing.assert_allclose(trail.l1, np.abs(beta).sum(axis=1), rtol=1e-13)
    np.testing.assert_allclose(trail.l2, np.linalg.norm(beta, axis=1), rtol=1e-13)
    np.testing.assert_allclose(trail.to_end, np.abs(beta - beta[-1]).sum(axis=1), rtol=1e-13)
    assert trail.l0.tolist() == np.count_nonzero(beta, axis=1).tolist()
    assert trail.repeats.tolist() == [max(np.bincount(run.path.learner[:k]), default=0) for k in range(N + 1)]
    assert trail.best.tolist() == [int(np.argmin(trail.corr[: k + 1])) for k in range(N + 1)]
    np.testing.assert_allclose(trail.constants.size, np.linalg.norm(best), rtol=1e-12)


@pytest.mark.parametrize("name", METHODS)
def test_every_bound_holds(name):
    run = cb.solve(GAUSS, METHODS[name], N)
    checks = cb.check(run)
    assert all(one.holds for one in checks), [one.as_dict() for one in checks if not one.holds]
    assert all(one.level == "float" and np.isfinite(np.asarray(one.slack, dtype=float)).all() for one in checks)
    assert max(np.max(one.slack) for one in checks) < 1e-9 * max(1, A) ** 2  # the slack decides nothing here


@pytest.mark.parametrize("problem", [
    designs.as_it_is(np.ones((4, 2)) / 2, [1, 2, 3, 4]), designs.as_it_is(np.eye(3), [0, 0, 0]), designs.as_it_is(np.eye(2), [1, -1]),
])  # fmt: skip
@pytest.mark.parametrize("n_steps", [0, 1, 5])
@pytest.mark.parametrize("method", [
    cb.ls_boost(1.0), cb.forward_stagewise(0.5), cb.regularized_forward_stagewise(0.5, 0.5), cb.frank_wolfe(1.0),
    cb.path_forward_stagewise(0.5, [0.5] * 5),
])  # fmt: skip
def test_degenerate_runs(problem, n_steps, method):
    """Rank one, y = 0, exact ties; no steps at all."""
    assert all(one.holds for one in cb.check(cb.solve(problem, method, n_steps)))


@needs_reference_sets
def test_constants_of_prostate():
    """Printed to six decimals or eight digits."""
    data = ReferenceSet("prostate")
    constants = Constants.of(cb.Problem(data.X, data.y))
    assert abs(constants.size - golden.PROSTATE.A) <= 0.51e-6
    assert abs(constants.kappa - golden.PROSTATE.kappa) <= 0.51e-6
    assert abs(constants.optimum / 97 - golden.PROSTATE.L_star) <= 0.51e-8


@needs_reference_sets
def test_many_steps_on_many_learners():
    """72 x 3571, 20,000 steps: every bound at every step."""
    data = ReferenceSet("leukemia")
    problem = cb.Problem(data.X, data.y)
    run = cb.solve(problem, cb.forward_stagewise(1e-3 * Constants.of(problem).size), 20_000)
    checks = cb.check(run)
    assert all(one.holds and len(one.at) >= 20_000 for one in checks) and len(checks) == 11


def test_a_wrong_run_is_refuted():
    """Columns twice as long as promised, read as unit ones."""
    run = cb.solve(GAUSS, METHODS["ls"], N)
    trail = Trail.of(run)
    wrong = {"corr": 2 * trail.corr, "fit": trail.fit + A, "l1": 3 * trail.l1, "l0": trail.l0 + 2}
    for field, values in wrong.items():
        vars(trail)[field] = values
    failed = {one.name for one in bounds.STATEMENTS if one.applies(run) and not one.check(trail).holds}
    assert {"Theorem 2.1 (iii)", "Theorem 2.1 (v), first term", "Theorem 2.1 (vi)", "(25) descent"} <= failed


def test_what_speaks_about_what():
    def names(method):
        return {one.name.split(" (")[0] for one in cb.check(cb.solve(GAUSS, method, 3))}

    assert "Theorem 2.1" in names(cb.gcd()) and "Theorem 2.1" in names(cb.ls_boost(1.5))
    assert "Theorem 3.1" in names(cb.regularized_forward_stagewise(0.1, np.inf))
    assert "Theorem 4.1" in names(cb.frank_wolfe(1.0, 0.25))
    above = cb.check(cb.solve(GAUSS, cb.ls_boost(1.5), 3))
    assert "printed" not in {one.variant for one in above if one.name == "Theorem 2.1 (i)"}


def test_bound_check_semantics():
    up = BoundCheck("x", "printed", "upper", [5, 1, 2, np.nan], [5, 2, 1, 1], 0.5)
    assert up.violations.tolist() == [2, 3] and not up.holds and up.verdict == "refuted"
    assert up.tightest == 2.0 and up.as_dict()["first_violation"] == 2
    tight = BoundCheck("x", "printed", "tight", [1.0, 2.0], [1.0, 2.4], 0.5)
    assert tight.holds and not BoundCheck("x", "printed", "tight", [1.0, 2.0], [1.0, 2.4], 0.3).holds
    exact = BoundCheck("x", "printed", "upper", np.array([F(1, 3)]), np.array([F(1, 3)]), level="exact", at=[4])
    assert exact.holds and exact.tightest == 1.0
    vacuous = BoundCheck("x", "printed", "upper", [3, 1], [9, 3], trivial=3.0)
    assert vacuous.vacuous and vacuous.verdict == "vacuous"
    assert not BoundCheck("x", "printed", "upper", [3, 1], [9, 2], trivial=3.0).vacuous
    assert math.isnan(BoundCheck("x", "printed", "upper", [3, 1], [9, 0], 1.0).tightest)


LOGISTIC = cb.Problem(GAUSS.dictionary.gather(np.arange(6)), np.where(GAUSS.y > 0, 1.0, -1.0), cb.Logistic())
REFUSED = [
    case("no run", lambda: cb.check(3), "must be a Run"),
    case("no bound", lambda: cb.check(cb.solve(GAUSS, cb.lasso_cd(0.1), 3)), "no bound speaks about lasso_cd"),
    case("other loss", lambda: cb.check(cb.solve(LOGISTIC, cb.ls_boost(0.1), 3)), "no bound speaks about ls_boost"),
    case("foreign", lambda: cb.check(cb.solve(GAUSS, cb.ls_boost(), 3), bounds.STATEMENTS[-1]), "does not speak about ls_boost"),
    case("foreign alone", lambda: bounds.STATEMENTS[-1].check(cb.solve(GAUSS, cb.ls_boost(), 3)), "does not speak"),
    case("variant", lambda: BoundCheck("x", "other", "upper", 1, 1), "variant must be one of"),
    case("kind", lambda: BoundCheck("x", "printed", "lower", 1, 1), "kind must be one of"),
    case("level", lambda: BoundCheck("x", "printed", "upper", 1, 1, level="sure"), "level must be one of"),
    case("at", lambda: BoundCheck("x", "printed", "upper", [1, 2], 1, at=[1]), "at must have one entry"),
    case("plan: loss", lambda: cb.plan(LOGISTIC, cb.ls_boost, 0.1), "squared loss"),
    case("plan: both", lambda: cb.plan(GAUSS, cb.ls_boost, 0.1, n_steps=3), "not both"),
    case("plan: neither", lambda: cb.plan(GAUSS, cb.ls_boost), "either gap"),
    case("plan: method", lambda: cb.plan(GAUSS, cb.gcd, 0.1), "method must be ls_boost"),
    case("plan: other method", lambda: cb.plan(GAUSS, cb.lasso_cd(0.1), 0.1), "method must be ls_boost"),
    case("plan: no delta", lambda: cb.plan(GAUSS, cb.frank_wolfe, 0.1), "needs delta"),
    case("plan: delta", lambda: cb.plan(GAUSS, cb.ls_boost, 0.1, delta=1.0), "has no delta"),
    case("plan: eps twice", lambda: cb.plan(GAUSS, cb.ls_boost(), 0.1, eps=1.0), "has its eps"),
    case("plan: eps of fw", lambda: cb.plan(GAUSS, cb.frank_wolfe, 0.1, delta=1.0, eps=0.1), "has no eps"),
    case("plan: gap", lambda: cb.plan(GAUSS, cb.ls_boost, -1.0), "gap must be"),
    case("plan: budget", lambda: cb.plan(GAUSS, cb.ls_boost, n_steps=1.5), "n_steps must be"),
    case("plan: eps too long", lambda: cb.plan(GAUSS, cb.forward_stagewise, 1e-9, eps=A), "no number of steps"),
    case("plot of nothing", lambda: __import__("coordboost.plots_bounds").plots_bounds.bounds([]), "at least one BoundCheck"),
]  # fmt: skip


@pytest.mark.parametrize("action, fragment", REFUSED)
def test_refusals(action, fragment):
    refused(action, fragment)


@pytest.mark.parametrize("maker, options", [
    (cb.ls_boost, {}), (cb.ls_boost, {"eps": 0.1}), (cb.forward_stagewise, {}), (cb.forward_stagewise, {"eps": 0.02 * A}),
    (cb.regularized_forward_stagewise, {"delta": 0.7 * A}), (cb.frank_wolfe, {"delta": 0.7 * A}),
])  # fmt: skip
def test_plans_keep_their_promise(maker, options):
    gap = 0.1 * A**2 / 2
    plan = cb.plan(GAUSS, maker, gap, **options)
    assert plan.gap <= gap < cb.plan(GAUSS, maker, n_steps=plan.n_steps - 1, **options).gap
    again = cb.plan(GAUSS, maker, n_steps=plan.n_steps, **options)
    assert (again.gap, again.l1, again.method.parameters) == (plan.gap, plan.l1, plan.method.parameters)
    run = cb.solve(GAUSS, plan.method, plan.n_steps)
    trail = Trail.of(run)
    least = Constants.of(GAUSS).optimum if "delta" not in options else regularized.lower_end(trail, trail.radius[:1])[0]
    reached = trail.loss[trail.best[-1]] if maker is cb.forward_stagewise else trail.loss.min()
    assert reached - least <= plan.gap and trail.l1.max() <= plan.l1 * (1 + 1e-12)
    assert cb.plan(GAUSS, plan.method, gap).n_steps <= plan.n_steps


@pytest.mark.parametrize("maker, delta", [(cb.forward_stagewise, None), (cb.regularized_forward_stagewise, 0.7 * A)])
def test_the_planned_eps_is_the_best(maker, delta):
    best = cb.plan(GAUSS, maker, n_steps=500, delta=delta)
    for factor in (0.5, 0.9, 1.1, 2.0):
        assert cb.plan(GAUSS, maker, n_steps=500, delta=delta, eps=factor * best.method.parameters["eps"]).gap > best.gap


def test_command(tmp_path):
    file = str(tmp_path / "a.run")
    cb.solve(GAUSS, METHODS["fs"], N).save(file)
    plain = CliRunner().invoke(main, ["check", file, "--plot", str(tmp_path / "a.png")])
    assert plain.exit_code == 0 and "Theorem 3.1 (i)" in plain.stdout and (tmp_path / "a.png").stat().st_size > 5000
    found = json.loads(CliRunner().invoke(main, ["check", file, "--json"]).stdout)
    assert all(row["holds"] for row in found) and {row["statement"] for row in found} >= {
        "Theorem 3.1 (iv)",
        "Proposition 3.1 (37)",
    }
    cb.solve(GAUSS, cb.lasso_cd(0.1), 3).save(file)
    other = CliRunner().invoke(main, ["check", file])
    assert other.exit_code == 1 and other.stdout == "" and "no bound speaks about lasso_cd" in other.stderr


def test_command_says_so_when_a_bound_fails(tmp_path, monkeypatch):
    file = str(tmp_path / "a.run")
    cb.solve(GAUSS, METHODS["fs"], N).save(file)
    monkeypatch.setattr(stagewise, "width", lambda constants, eps, k: 0.0 * (k + 1))
    broken = CliRunner().invoke(main, ["check", file])
    assert broken.exit_code == 1 and "NO, k = 0" in broken.stdout and "bounds fail" in broken.stderr
