"""Regularised gradient boosting on families of columns: against a naive Algorithm 1; tables of
families, intervals, constants.
"""

from fractions import Fraction as F

import hypothesis.strategies as st
import numpy as np
import pytest
import reference as ref
from designs import betas, columns, draws, seeded
from hypothesis import given
from reference_exact import fractions
from reference_families import rgb as naive

import coordboost as cb

N = 5
STEPS = {
    "safe": (cb.rules.FamilyStep(), 2),
    "printed": (cb.rules.FamilyStep(power=1), 1),
    "exact": (cb.rules.ShrunkenStep(), None),
}
BOUND = np.array([1.0, 2.0, 0.5])
OMEGA = np.array([0.25, 0.5, 0.25])
TABLE = cb.learners.Families(BOUND, OMEGA)


def lengths(problem):
    """Return the norms of the columns before they were scaled to 1."""
    return problem.standardization.norm


@st.composite
def signed_families(draw):
    """Functions with values +-bound on 4 or 16 samples, so that short runs have no rounding; family
    1 has some of half its bound, too.
    """
    m = draw(st.sampled_from([4, 16]))
    n = draw(st.integers(3, 7))
    signs = np.array(
        draw(
            st.lists(
                st.lists(st.sampled_from([-1.0, 1.0]), min_size=n, max_size=n),
                min_size=m,
                max_size=m,
            )
        )
    )
    family = np.arange(n) % 3
    size = BOUND[family] * np.where(np.arange(n) % 6 == 4, 0.5, 1.0)
    y = np.array(draw(st.lists(st.integers(-8, 8), min_size=m, max_size=m)), dtype=float)
    return cb.Problem(signs * size, y, center=False, groups=family)


@pytest.mark.parametrize(
    "model_state", [cb.engine.NaiveState, cb.engine.CovarianceState], ids=["explicit", "gram"]
)
@pytest.mark.parametrize("step", STEPS)
@seeded
@given(problem=signed_families())
def test_columns_agree_with_the_naive_algorithm_in_fractions(step, model_state, problem):
    """Every learner and every coefficient is compared with ==."""
    rule, power = STEPS[step]
    for penalty, t in ((0.0, 2), (0.5, 2), (0.5, None)):
        method = cb.rgb(penalty, t, rule, TABLE)
        run = cb.solve(problem, method, N, model_state=model_state, compile=False)
        H = fractions(columns(problem) * lengths(problem))
        rest = (
            problem.groups,
            fractions(BOUND),
            fractions(OMEGA),
            F(penalty),
            draws(problem, method, N),
            ref.SQUARED,
            power,
        )
        alphas, picks = naive(H, fractions(problem.y), *rest)
        assert list(run.path.learner) == picks
        assert (fractions(betas(run)) == alphas * fractions(lengths(problem))).all()


def test_families_are_drawn_by_the_square_of_their_bounds():
    """The default; a power of 0 draws all with the same probability."""
    for rule in (cb.rgb(0.1, families=TABLE).select, cb.rules.Structural(2, 0.1, families=TABLE)):
        np.testing.assert_allclose(rule.law, BOUND**2 / (BOUND**2).sum(), rtol=1e-15)
    np.testing.assert_allclose(
        cb.rgb(0.1, families=TABLE, sampling=0.0).select.law, 1 / 3, rtol=1e-15
    )


@pytest.mark.parametrize(
    "loss, step",
    [
        (cb.losses.Logistic(), "safe"),
        (cb.losses.Logistic(), "printed"),
        (cb.losses.Huber(0.5), "safe"),
    ],
    ids=repr,
)
def test_other_losses(loss, step):
    rng, (rule, power) = np.random.default_rng(1), STEPS[step]
    X = rng.uniform(-1, 1, (30, 9))
    family = np.arange(9) % 3
    X, y = X * BOUND[family], np.where(X[:, 0] + X[:, 4] > 0.3, 1.0, -1.0)
    problem = cb.Problem(X, y, loss, center=False, groups=family)
    method = cb.rgb(0.02, 2, rule, TABLE)
    run = cb.solve(problem, method, 12)
    twin = ref.logistic() if isinstance(loss, cb.losses.Logistic) else ref.huber(0.5)
    alphas, picks = naive(X, y, family, BOUND, OMEGA, 0.02, draws(problem, method, 12), twin, power)
    assert list(run.path.learner) == picks
    np.testing.assert_allclose(run.beta / lengths(problem), alphas[-1], rtol=1e-11, atol=1e-13)
    objective = twin.value(y, X @ alphas[-1]) / 30 + 0.02 * np.abs(alphas[-1]) @ OMEGA[family]
    np.testing.assert_allclose(run.certificate().upper / 30, objective, rtol=1e-12)
    np.testing.assert_allclose(cb.engine.family_summary(run).objective, objective, rtol=1e-12)


def test_families_of_columns_have_default_bounds_and_complexities():
    """By default the bound is the largest value, and the complexity is Massart's."""
    X = np.random.default_rng(2).normal(size=(20, 5))
    y = np.arange(20.0)
    groups = [0, 1, 1, 1, 0]
    problem = cb.Problem(X, y, center=False, groups=groups)
    table = cb.rgb(0.1).bind(problem).select.families
    bound = np.array([np.abs(X[:, np.equal(groups, g)]).max() for g in (0, 1)])
    np.testing.assert_allclose(table.bound, bound, rtol=1e-12)
    cost = bound * np.sqrt(2 * np.log(2 * np.array([2, 3])) / 20)
    np.testing.assert_allclose(table.complexity, cost / cost.max(), rtol=1e-12)
    one = cb.rgb(0.1).bind(cb.Problem(X, y, center=False)).select.families
    assert one.bound.tolist() == [np.abs(X).max()] and one.complexity.tolist() == [1.0]


def test_the_interval_of_the_objective():
    """Cyclic soft-threshold steps on the scaled columns end inside the interval: (7) is a Lasso
    with a penalty for each learner.
    """
    rng = np.random.default_rng(3)
    X = rng.uniform(-1, 1, (25, 6)) * BOUND[np.arange(6) % 3]
    y = rng.normal(size=25)
    family = np.arange(6) % 3
    problem = cb.Problem(X, y, center=False, groups=family)
    target = cb.methods.Structured(0.1, TABLE)
    best = np.zeros(6)
    price = 25 * 0.1 * OMEGA[family] / lengths(problem)
    for k in range(3000):
        j = k % 6
        corr = columns(problem)[:, j] @ (y - columns(problem) @ best) + best[j]
        best[j] = np.sign(corr) * max(abs(corr) - price[j], 0.0)
    lowest = ((y - columns(problem) @ best) ** 2).sum() / 2 + np.abs(best) @ price
    ours = cb.solve(problem, cb.rgb(0.1, families=TABLE), 200)
    for beta, most in ((best, 1e-9), (ours.beta, np.inf)):
        found = cb.certify(problem, beta, target)
        assert found.lower <= lowest <= found.upper * (1 + 1e-12) and found.gap <= most


def test_the_printed_constant_increases_the_loss():
    """The example of Lemma 4: a single leaf of value 4, labels + + + -."""
    y = np.array([1.0, 1.0, 1.0, -1.0])
    table = cb.learners.Families([4.0], [1.0])
    problem = cb.Problem(np.full((4, 1), 4.0), y, cb.losses.Logistic(), center=False)
    losses = [
        cb.solve(problem, cb.rgb(0.0, 1, step, table), 1).final.loss / 4
        for step in (cb.rules.FamilyStep(power=1), cb.rules.FamilyStep())
    ]
    np.testing.assert_allclose(losses, [1.0181, 0.5633], atol=5e-5)
    assert problem.start_loss / 4 == pytest.approx(np.log(2)) and losses[1] < np.log(2) < losses[0]


def rounds(step, n_problems, n_steps):
    """Yield (loss before, loss after, guaranteed decrease) of every round on random families with
    bounds from 1/4 to 4.
    """
    rng = np.random.default_rng(4)
    bound = np.array([0.25, 1.0, 4.0])
    for seed in range(n_problems):
        m = int(rng.integers(2, 12))
        family = np.arange(9) % 3
        H = bound[family] * np.where(
            rng.random((m, 9)) < 0.2, rng.uniform(-1, 1, (m, 9)), np.sign(rng.random(9) - 0.5)
        )
        y = np.where(rng.random(m) < 0.5, 1.0, -1.0)
        problem = cb.Problem(H, y, cb.losses.Logistic(), center=False, groups=family)
        run = cb.solve(
            problem, cb.rgb(0.01, 2, step, cb.learners.Families(bound, bound)), n_steps, rng=seed
        )
        F = np.zeros(m)
        B = columns(problem)
        for j, theta in zip(run.path.learner, run.path.theta, strict=True):
            corr = B[:, j] @ problem.resid(F)
            before = problem.value(F)
            F = F + theta * B[:, j]
            yield before, problem.value(F), theta * corr / 2


def test_the_right_constants_never_increase_the_loss():
    """In 10,000 rounds the loss falls by at least (L')^2 / (2 C) = theta corr / 2, up to the
    rounding of two sums of at most 12 losses.
    """
    before, after, least = np.array(list(rounds(cb.rules.FamilyStep(), 100, 100))).T
    assert len(before) == 10_000 and (after <= before - least + 1e-14 * (1 + before)).all()
    before, after, _ = np.array(list(rounds(cb.rules.FamilyStep(power=1), 100, 100))).T
    assert (after > before + 1e-3).sum() > 100


@pytest.mark.parametrize(
    "bad, says",
    [
        (lambda p: cb.rgb(-1.0), "penalty must be"),
        (lambda p: cb.rgb(0.1, 0), "n_candidates must be"),
        (lambda p: cb.rgb(0.1, sampling=-1), "sampling must be"),
        (lambda p: cb.rgb(0.1, families=cb.learners.Families([1.0] * 2, [1.0] * 2)), "3 group"),
        (
            lambda p: cb.rgb(0.1, families=cb.learners.Families([1.0] * 3, [1.0])),
            "complexity must be 3",
        ),
        (
            lambda p: cb.rgb(0.1, families=cb.learners.Families([1.0, 0.0, 1.0], [1.0] * 3)),
            "bound must be positive",
        ),
        (
            lambda p: cb.rgb(0.1, families=cb.learners.Families([1e-3] * 3, [1.0] * 3)),
            "more than the bound",
        ),
        (lambda p: cb.rgb(0.1, step=cb.rules.FamilyStep(power=3)), "power must be 2"),
    ],
)
def test_bad_input_is_refused(bad, says):
    problem = cb.Problem(
        np.random.default_rng(0).normal(size=(9, 3)), np.arange(9.0), groups=[0, 1, 2]
    )
    with pytest.raises(ValueError, match=says):
        cb.solve(problem, bad(problem), 1)


def test_a_summary_is_for_families():
    problem = cb.Problem(np.eye(4), np.arange(4.0), center=False)
    with pytest.raises(ValueError, match="chooses between families"):
        cb.engine.family_summary(cb.solve(problem, cb.ls_boost(0.1), 2))
