"""Theorem 2 of regularised boosting: the bound on new errors from the margins of a run, compared
with an independent formula.
"""

from decimal import ROUND_CEILING, Decimal, getcontext
from fractions import Fraction

import numpy as np
import pytest

import coordboost as cb
from coordboost.theory.bounds import margin_bound

getcontext().prec = 40


def data(m, d, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.random((m, d))
    return X, np.where(X[:, 0] + 0.3 * rng.normal(size=m) > 0.4, 1, -1)


def solved(X, y, nodes, bounds, *, q=2.0, center=True, n_steps=5, loss=None, **settings):
    family = cb.data.tree_families(X, nodes=nodes, bounds=bounds, q=q, max_bins=16)
    problem = cb.Problem(family, y, cb.losses.Logistic() if loss is None else loss, center=center)
    return cb.solve(problem, cb.rgb(0.001, n_candidates=None, **settings), n_steps, compile=False)


def by_hand(run, X, y, rho, delta, k):
    """The three terms of the bound, in decimals, from the family summary of the run and its
    predictions.
    """
    bill, m, d = cb.engine.family_summary(run, k), *X.shape
    alpha = [Decimal(float(one)) for one in bill.alpha]
    offset = run.problem.constant
    fewest = min(range(len(alpha)), key=lambda f: (bill.nodes[f], -bill.bound[f]))
    alpha[fewest] += abs(Decimal(offset)) / Decimal(float(bill.bound[fewest]))
    total = sum(alpha)
    K = len(alpha)
    bits = Decimal(d + 2).ln() / Decimal(2).ln()
    costs = [
        Decimal(float(bound)) * ((4 * int(n) + 2) * bits * Decimal(m + 1).ln() / m).sqrt()
        for n, bound in zip(bill.nodes, bill.bound, strict=True)
    ]
    f = run.problem.predict(next(run.replay([k])).beta, X)
    found = Fraction(sum(y[i] * Decimal(float(f[i])) / total <= Decimal(rho) for i in range(m)), m)
    paid = 4 / Decimal(rho) * sum(a * r for a, r in zip(alpha, costs, strict=True)) / total
    s = Decimal(rho) / Decimal(float(max(bill.bound)))
    log = Decimal(K).ln()
    chance = (2 / Decimal(delta)).ln() / (2 * m)
    if K == 1:
        return found, paid, chance.sqrt()
    if s * s * m <= log:
        return found, paid, Decimal("inf")
    terms = (4 / (s * s) * (s * s * m / log).ln()).to_integral_value(ROUND_CEILING)
    return found, paid, 2 / s * (log / m).sqrt() + (terms * log / m + chance).sqrt()


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize(
    ("nodes", "bounds", "q"),
    [
        ((1,), (1.0,), 2.0),
        ((1, 3), (0.5,), 1.0),
        ((0, 1, 2), (0.5, 2.0), np.inf),
        ((2,), (4.0, 1.0), 2.0),
    ],
)
def test_the_three_terms_equal_the_formula(nodes, bounds, q, center):
    X, y = data(120, 3)
    run = solved(X, y, nodes, bounds, q=q, center=center, revisit=center)
    for rho, delta, k in ((0.11, 0.05, 5), (0.3, 1e-6, 5), (0.47, 0.3, 1)):
        parts = margin_bound(run, rho, delta, k)
        right = by_hand(run, X, y, rho, delta, k)
        assert Fraction(parts.margin).limit_denominator(120) == right[0]
        assert parts.complexity == pytest.approx(float(right[1]), rel=1e-10)
        assert parts.remainder == pytest.approx(float(right[2]), rel=1e-12)
        assert parts.bound == sum(parts)


def test_new_errors_are_below_the_bound_and_it_can_be_below_1():
    """One cut and no noise: with 4,000 rows the bound is below 1, and so is the smallest one over
    the margins that `check` tries.
    """
    rng = np.random.default_rng(1)
    x = rng.random((4000, 1))
    run = solved(x, np.where(x[:, 0] > 0.5, 1, -1), (1, 2), (1.0,), q=np.inf, n_steps=3)
    new = rng.random((20_000, 1))
    error = np.mean(np.sign(run.predict(new)) != np.where(new[:, 0] > 0.5, 1, -1))
    assert error <= margin_bound(run, 0.9).bound < 0.9
    (one,) = cb.theory.check(run, X=new, y=np.where(new[:, 0] > 0.5, 1, 0))
    assert (one.name, one.variant, one.verdict, one.note) == (
        "RGB, Theorem 2",
        "corrected",
        "verified",
        "",
    )
    assert one.measured[-1] == error
    assert (one.at == [1, 2, 3]).all() and one.bound[-1] == pytest.approx(
        min(margin_bound(run, rho / 20, 0.05 / 19).bound for rho in range(1, 20)), rel=1e-12
    )


def test_a_bound_above_1_is_reported_as_vacuous():
    X, y = data(80, 2)
    (one,) = cb.theory.check(solved(X, y, (1, 2), (1.0, 4.0)), "Theorem 2")
    assert one.verdict == "vacuous" and one.holds and (one.measured <= 1).all()


def test_without_held_out_rows_the_check_says_that_it_cannot_fail():
    """Training errors are a part of the bound. So the verdict is never "verified", however many
    rows there are.
    """
    x = np.random.default_rng(1).random((4000, 1))
    run = solved(x, np.where(x[:, 0] > 0.5, 1, -1), (1,), (1.0,), q=np.inf, n_steps=2)
    found = cb.theory.check(run, "RGB, Theorem 2")
    assert found[0].verdict == "vacuous" and found[0].holds
    assert "cannot fail" in found[0].note and found[0].note in repr(found)
    assert "cannot fail" in found[0].as_dict()["note"]


def test_rows_of_another_distribution_refute_the_bound():
    """With held-out rows the check can fail: where the labels are turned over, nearly all answers
    are wrong.
    """
    rng = np.random.default_rng(1)
    x = rng.random((20_000, 1))
    new = rng.random((2000, 1))
    run = solved(x, np.where(x[:, 0] > 0.5, 1, -1), (1,), (1.0,), q=np.inf, n_steps=2)
    same, turned = (
        cb.theory.check(run, X=new, y=np.where(new[:, 0] > 0.5, sign, -sign))[0] for sign in (1, -1)
    )
    assert same.verdict == "verified" and turned.verdict == "refuted"
    # 2 steps, 2,000 rows, 5 %: the share of errors is above its probability by .0304 at most
    assert same.slack[0] == pytest.approx(0.030368, rel=1e-4)


def test_held_out_rows_are_refused_where_nothing_uses_them():
    X, y = data(60, 2)
    run = solved(X, y, (1,), (1.0,))
    for given, words in (
        ({"X": X}, "X and y are the held-out rows together: expected both, got X alone"),
        ({"y": y}, "got y alone"),
        ({"X": X, "y": y[:-1]}, "y must have one entry per row of X"),
        ({"X": X, "y": 3 * y}, "expects labels"),
        ({"X": X[:, :1], "y": y}, "X must have 2 columns"),
    ):
        with pytest.raises(ValueError, match=words):
            cb.theory.check(run, **given)
    other = cb.solve(cb.Problem(X, y.astype(float)), cb.ls_boost(0.5), 3)
    with pytest.raises(ValueError, match=r"rows outside the fit, and these are not: Theorem 2\.1"):
        cb.theory.check(other, "Theorem 2.1 (i)", X=X, y=y)


def odd(**changed):
    """A run that the theorem does not cover, or whose arguments are refused."""
    X, y = data(60, 2)
    what = changed.pop("what")
    if what == "squared":
        return solved(X, y.astype(float), (1,), (1.0,), loss=cb.losses.Squared())
    if what == "columns":
        table = cb.learners.Families(bound=[1.0, 1.0], complexity=[0.1, 1.0])
        problem = cb.Problem(X, y, cb.losses.Logistic(), center=False, groups=[0, 1])
        return cb.solve(problem, cb.rgb(0.01, families=table), 3, compile=False)
    if what == "gbm":
        return cb.solve(
            cb.Problem(cb.data.trees(X), y, cb.losses.Logistic()), cb.gbm(0.1), 3, compile=False
        )
    if what == "gaps":
        X[3, 1] = np.nan
    family = cb.data.tree_families(
        X, nodes=(1,), bounds=(1.0,), categorical=[0] * (what == "categories"), max_bins=64
    )
    weight = np.linspace(1, 2, 60) if what == "weights" else None
    return cb.solve(
        cb.Problem(family, y, cb.losses.Logistic(), sample_weight=weight),
        cb.rgb(0.01),
        3,
        compile=False,
    )


@pytest.mark.parametrize("what", ["squared", "columns", "gbm", "gaps", "categories", "weights"])
def test_other_runs_are_refused(what):
    run = odd(what=what)
    with pytest.raises(ValueError, match="margin_bound is for runs of rgb"):
        margin_bound(run, 0.5)
    with pytest.raises(ValueError, match="no bound applies to"):
        cb.theory.check(run)


@pytest.mark.parametrize(
    ("rho", "delta", "words"),
    [(0, 0.1, "rho"), (-1, 0.1, "rho"), ("x", 0.1, "rho"), (0.5, 0, "delta"), (0.5, 2, "delta")],
)
def test_bad_arguments_are_refused(rho, delta, words):
    X, y = data(60, 2)
    with pytest.raises(ValueError, match=f"{words} must be"):
        margin_bound(solved(X, y, (1,), (1.0,)), rho, delta)


def test_a_model_without_trees_has_no_margins():
    X, y = data(60, 2)
    with pytest.raises(ValueError, match="after 0 steps has no trees"):
        margin_bound(solved(X, y, (1,), (1.0,), center=False), 0.5, k=0)
