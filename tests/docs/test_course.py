"""The solutions of the exercises of the course, ``docs/course``: lesson n, exercise m is
``test_n_m_...``; and the lessons run.
"""

import runpy
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.linear_model import Ridge

import coordboost as cb
from coordboost.theory.langevin import chain, gibbs, stationary

DOCS = Path(__file__).parents[2] / "docs"
LESSONS = sorted((DOCS / "course").glob("plot_*.py"))


@pytest.fixture
def diabetes():
    return cb.Problem(*load_diabetes(return_X_y=True, as_frame=True, scaled=False))


def columns(problem):
    """The matrix B of a problem."""
    return problem.gather(np.arange(problem.n_learners))


@pytest.mark.slow
@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.stem)
def test_a_lesson_runs_and_its_figures_are_saved(lesson, tmp_path):
    drawn = runpy.run_path(str(DOCS / "figures.py"))["draw"](lesson, tmp_path)
    assert 2 <= len(drawn) <= 4 and all("</svg>" in path.read_text() for path in drawn)


# Lesson 1: boosting is coordinate descent


def test_1_1_best_length(diabetes):
    """L along column j is ||r - t B_j||^2 / 2, with the derivative t - c_j: so t = c_j."""
    boost = cb.solve(diabetes, cb.ls_boost(1.0), 50)
    search = cb.solve(diabetes, cb.methods.gcd(cb.rules.LineSearch()), 50)
    assert boost.path.learner.tolist() == search.path.learner.tolist()
    np.testing.assert_allclose(
        search.beta, boost.beta, rtol=0, atol=1e-9 * np.abs(boost.beta).max()
    )


def test_1_2_orthonormal_columns(diabetes):
    """A step takes c_j to 0 and leaves the other correlations as they are."""
    Q = np.linalg.qr(columns(diabetes))[0]
    run = cb.solve(cb.Problem(Q, diabetes.y), cb.ls_boost(1.0), 10)
    assert sorted(run.path.learner) == list(range(10))
    before, after = (next(iter(run.replay([k]))).certificate().gap for k in (9, 10))
    assert after < 1e-9 * run.problem.start_loss < before


def test_1_3_adaboost():
    """The loss along the learner, divided by n, is (1 - e) exp(-t) + e exp(t)."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    stump = np.where(X["mean radius"] < 15, 1.0, -1.0)
    labels = np.where(y == 1, 1.0, -1.0)
    problem = cb.Problem(stump[:, None], labels, cb.losses.Exponential(), center=False)
    run = cb.solve(problem, cb.methods.gcd(cb.rules.LineSearch()), 1)
    errors = np.mean(stump != labels)
    assert run.coef[0] == pytest.approx(0.5 * np.log((1 - errors) / errors), abs=1e-6)
    assert run.beta[0] == pytest.approx(run.coef[0] * np.sqrt(len(y)))


def test_1_break_it(diabetes):
    """The broken assumption is unit length: partial derivatives grow with the columns, sums of
    squares do not.
    """
    X = load_diabetes(as_frame=True, scaled=False).data
    raw = (X - X.mean()).to_numpy()
    resid = diabetes.y - diabetes.y.mean()
    left = [np.sum((resid - B * (B @ resid) / (B @ B)) ** 2) for B in raw.T]
    steepest = int(np.argmax(np.abs(raw.T @ resid)))
    claim = cb.theory.BoundCheck(
        "the steepest column fits best",
        "printed",
        "upper",
        [left[steepest]],
        [min(left)],
        slack=1e-6,
    )
    assert not claim.holds and claim.ratio[0] > 1
    unit = columns(diabetes)
    assert int(np.argmax(np.abs(unit.T @ resid))) == int(np.argmin(left))


# Lesson 2: steps, norms and shrinkage


def test_2_1_long_steps(diabetes):
    """eps (2 - eps) is 0.19 for 1.9 as for 0.1: the guarantee is the same. At 2 it is 0."""
    run = cb.solve(diabetes, cb.ls_boost(1.9), 500)
    assert np.diff(run.losses).max() <= 1e-9 * run.losses[0]
    with pytest.raises(ValueError, match="diverges from 2 on"):
        cb.ls_boost(2.0)


def test_2_2_when_stagewise_goes_up(diabetes):
    """||r - eps s B_j||^2 = ||r||^2 - 2 eps C + eps^2."""
    run = cb.solve(diabetes, cb.forward_stagewise(20.0), 3000)
    corr = np.array([np.abs(state.corr).max() for state in run.replay(range(3000))])
    up = np.flatnonzero(np.diff(run.losses) > 0)
    assert up[0] == 107 and up.tolist() == np.flatnonzero(corr < 10.0).tolist()


def test_2_3_best_step(diabetes):
    """A^2 / (2 eps (k + 1)) + eps / 2 has its minimum where both parts are equal."""
    size = cb.theory.bounds.Constants.of(diabetes).size
    k = 999
    best = size / np.sqrt(k + 1)
    bounds = {
        eps: size**2 / (2 * eps * (k + 1)) + eps / 2 for eps in (best / 1.1, best, 1.1 * best)
    }
    assert min(bounds, key=bounds.get) == best
    assert bounds[best] == pytest.approx(best) and round(best, 1) == 36.8
    run = cb.solve(diabetes, cb.forward_stagewise(best), k)
    assert min(np.abs(state.corr).max() for state in run.replay(range(k + 1))) <= best


def test_2_break_it(diabetes):
    """The tail of a run with a constant step goes up and down for ever."""
    eps = 60.0
    size = cb.theory.bounds.Constants.of(diabetes).size
    run = cb.solve(diabetes, cb.forward_stagewise(eps), 5000)
    last = np.array([np.abs(state.corr).max() for state in run.replay(range(5001))])
    bound = size**2 / (2 * eps * (1 + np.arange(5001))) + eps / 2
    claim = cb.theory.BoundCheck(
        "Theorem 3.1 (iv) for the last iterate", "sharpened", "upper", last, bound, slack=1e-6
    )
    assert claim.verdict == "refuted" and len(claim.violations) > 1000
    assert all(claim.holds for claim in cb.theory.check(run, "Theorem 3.1 (iv)"))


# Lesson 3: the Lasso seen from boosting


def test_3_1_orthonormal_columns(diabetes):
    """The coefficients are independent: each minimises (c_j - b)^2 / 2 + lam |b|."""
    problem = cb.Problem(np.linalg.qr(columns(diabetes))[0], diabetes.y)
    corr = columns(problem).T @ problem.y
    lasso, limit = (cb.exact_path(problem, kind=kind) for kind in ("lasso", "stagewise"))
    for lam in np.linspace(0, np.abs(corr).max(), 20):
        soft = np.sign(corr) * np.maximum(np.abs(corr) - lam, 0)
        for path in (lasso, limit):
            np.testing.assert_allclose(
                path.beta_at(lam=lam), soft, rtol=0, atol=1e-9 * np.abs(corr).max()
            )


def test_3_2_two_names(diabetes):
    regularised = cb.solve(diabetes, cb.regularized_forward_stagewise(5.0, 1000.0), 500)
    frank_wolfe = cb.solve(diabetes, cb.methods.frank_wolfe(1000.0, step=0.005), 500)
    assert regularised.path.learner.tolist() == frank_wolfe.path.learner.tolist()
    np.testing.assert_allclose(frank_wolfe.beta, regularised.beta, rtol=0, atol=1e-9)


def test_3_3_best_step(diabetes):
    size = cb.theory.bounds.Constants.of(diabetes).size
    k = 9999
    radius = 1000.0
    best = size / (2 * np.sqrt(k + 1))
    bounds = {
        eps: radius * (size**2 / (2 * eps * (k + 1)) + 2 * eps)
        for eps in (best / 1.1, best, 1.1 * best)
    }
    assert min(bounds, key=bounds.get) == best
    assert (
        bounds[best] == pytest.approx(2 * radius * size / np.sqrt(k + 1))
        and round(bounds[best]) == 23298
    )
    run = cb.solve(diabetes, cb.regularized_forward_stagewise(best, radius), k)
    assert (
        min(state.certificate().gap for state in run.replay(range(0, k + 1, 50)))
        < bounds[best] / 10
    )


def test_3_break_it(diabetes):
    """The paths are equal up to the first knot where a Lasso coefficient shrinks; the loss of FS_0
    is never below the Lasso's.
    """
    lasso, limit = (cb.exact_path(diabetes, kind=kind) for kind in ("lasso", "stagewise"))
    grid = np.linspace(0, lasso.l1[-1], 200)
    losses = [
        np.array([diabetes.value(diabetes.combine(path.beta_at(l1=one))) for one in grid])
        for path in (lasso, limit)
    ]
    slack = 1e-9 * diabetes.start_loss
    claim = cb.theory.BoundCheck(
        "FS_0 is the Lasso", "printed", "upper", losses[1], losses[0], slack=slack
    )
    assert claim.verdict == "refuted"
    profile = np.abs(lasso.coef_path(standardized=True))
    turns = np.argmax((np.diff(profile, axis=0) < -1e-9 * profile.max()).any(axis=1))
    early = grid <= lasso.l1[turns]
    assert not set(claim.violations) & set(np.flatnonzero(early))
    assert (losses[1] >= losses[0] - slack).all()


# Lesson 4: duality and certificates


def dual_point(problem, resid, lam):
    """Return the residual scaled into the polytope, and its dual value."""
    u = resid * min(1, lam / max(np.abs(columns(problem).T @ resid).max(), 1e-300))
    y = problem.resid(np.zeros(problem.n_samples))
    return u, (y @ y - (y - u) @ (y - u)) / 2


def lasso_gap(problem, beta, lam):
    """The duality gap."""
    resid = problem.resid(problem.combine(beta))
    return resid @ resid / 2 + lam * np.abs(beta).sum() - dual_point(problem, resid, lam)[1]


def test_4_1_largest_penalty(diabetes):
    """At beta = 0 the residual is y: it is in the polytope if lam is at least its largest
    correlation, and then u = y has no gap.
    """
    zero = np.zeros(diabetes.n_learners)
    largest = np.abs(columns(diabetes).T @ diabetes.resid(np.zeros(diabetes.n_samples))).max()
    assert round(largest, 1) == 949.4 and cb.exact_path(diabetes).lam[0] == pytest.approx(largest)
    small = 1e-12 * diabetes.start_loss
    assert (
        lasso_gap(diabetes, zero, 1.0001 * largest)
        <= small
        < lasso_gap(diabetes, zero, 0.999 * largest)
    )


def test_4_2_weak_duality(diabetes):
    rng = np.random.default_rng(0)
    lam = 50.0
    y = diabetes.resid(np.zeros(diabetes.n_samples))
    best = cb.exact_path(diabetes).beta_at(lam=lam)
    values = []
    for _ in range(1000):
        beta = best * rng.normal(1, 0.1, size=10) + rng.normal(size=10)
        resid = diabetes.resid(diabetes.combine(beta))
        below = dual_point(diabetes, resid + 0.1 * rng.normal(size=len(y)), lam)[1]
        values.append((below, resid @ resid / 2 + lam * np.abs(beta).sum()))
    below, above = np.array(values).T
    assert below.max() <= above.min()


def test_4_3_safe_screening(diabetes):
    """The correlation of a unit column with the dual optimum differs by no more than the radius,
    and stays below lam.
    """
    lam = 300.0
    exact = cb.exact_path(diabetes).beta_at(lam=300.0)
    for n_steps, many in ((20, 4), (60, 6)):
        run = cb.solve(diabetes, cb.methods.lasso_cd(lam), n_steps)
        u = dual_point(diabetes, run.final.resid, lam)[0]
        removed = np.abs(columns(diabetes).T @ u) < lam - np.sqrt(
            2 * lasso_gap(diabetes, run.beta, lam)
        )
        assert removed.sum() == many and not exact[removed].any()
    assert (removed == (exact == 0)).all()


def test_4_break_it(diabetes):
    """The scaled residual may be a worse dual point than an earlier one: keep the best lower
    end.
    """
    lam = 50.0
    run = cb.solve(diabetes, cb.methods.lasso_cd(lam), 120)
    states = [state.beta for state in run.replay(range(121))]
    gaps = np.array([lasso_gap(diabetes, beta, lam) for beta in states])
    claim = cb.theory.BoundCheck("the gap falls", "printed", "upper", gaps[1:], gaps[:-1])
    assert claim.verdict == "refuted"
    upper = np.array(
        [diabetes.value(diabetes.combine(beta)) + lam * np.abs(beta).sum() for beta in states]
    )
    mended = upper - np.maximum.accumulate(upper - gaps)
    assert cb.theory.BoundCheck(
        "mended", "corrected", "upper", mended[1:], mended[:-1], slack=1e-9 * upper[0]
    ).holds


# Lesson 5: randomness, minimal cosine angles and rates


@pytest.mark.parametrize("k", range(2, 8))
def test_5_1_lines_in_the_plane(k):
    """The worst direction is halfway between two lines. For an orthonormal basis it is (1, ..., 1),
    with equal cosines.
    """
    lines = np.pi * np.arange(k) / k
    assert cb.theory.mca([np.cos(lines), np.sin(lines)]).upper == pytest.approx(
        np.cos(np.pi / (2 * k)), abs=1e-8
    )
    assert cb.theory.mca(np.eye(k)).upper == pytest.approx(1 / np.sqrt(k), abs=1e-8)


def test_5_2_law_of_the_winner():
    """The j-th largest is selected if it is drawn and all others are among the p - j smaller
    ones.
    """
    corr = np.arange(6, 0, -1.0)
    rule = cb.rules.RandomSubset(3)
    winners = [min(drawn) for drawn in combinations(range(6), 3)]
    shares = np.bincount(winners, minlength=6) / len(winners)
    np.testing.assert_allclose(shares, rule.weights(6), atol=1e-12)
    assert rule.norm(corr) == pytest.approx(shares @ corr) == pytest.approx(5.25)


def test_5_3_a_learner_twice():
    """The largest cosine is unchanged; for the mean, the worst direction is a learner that is drawn
    once in five times.
    """
    basis = np.eye(4)
    twice = np.column_stack([basis, basis[:, 0]])
    for rule, before, after in (
        (cb.rules.Greedy(), 1 / 2, 1 / 2),
        (cb.rules.RandomSubset(1), 1 / 4, 1 / 5),
    ):
        assert cb.theory.mca(basis, rule).upper == pytest.approx(before, abs=1e-8)
        assert cb.theory.mca(twice, rule).upper == pytest.approx(after, abs=1e-8)


def test_5_break_it():
    """A step fits one coordinate. Of ten drawn, one is nearly always new; a single draw is new
    often enough, at a tenth of the cost.
    """
    problem = cb.Problem(np.eye(100), np.ones(100), center=False)
    ends = {}
    for t in (1, 10):
        gaps = np.array(
            [cb.solve(problem, cb.rtgcd(t), 200 // t, rng=seed).final.loss for seed in range(200)]
        )
        ends[t] = gaps.mean() + 5 * gaps.std(ddof=1) / np.sqrt(200) * np.array([-1, 1])
    claim = cb.theory.BoundCheck(
        "draw sqrt(p)", "printed", "upper", [ends[10][0]], [ends[1][1]], level="sampled"
    )
    assert claim.verdict == "refuted" and claim.ratio[0] > 4


# Lesson 6: acceleration and its failure


@pytest.fixture
def basis():
    return cb.Problem(np.eye(10), np.arange(10, 0, -1.0), center=False, scale=False)


def test_6_1_two_numbers():
    eta = 0.01
    gamma = 0.2
    f = 0.0
    h = 0.0
    for m in range(38):
        theta = 2 / (m + 2)
        g = (1 - theta) * f + theta * h
        resid = 1 - g
        f = g + eta * resid
        h = h + gamma * eta / theta * resid
    loss = (1 - f) ** 2 / 2
    run = cb.solve(cb.Problem([[1.0]], [1.0], center=False), cb.agbm(eta, gamma), 76)
    assert round(loss, 6) == 0.171945 and run.final.loss == pytest.approx(loss, abs=1e-12)


def test_6_2_where_it_breaks(basis):
    grid = np.arange(1, 31) / 100
    runs = [cb.solve(basis, cb.agbm(1.0, gamma, guard=False), 400) for gamma in grid]
    broken = grid[[run.losses[-1] > run.losses[0] for run in runs]]
    assert broken[0] == 0.12 and broken[0] / cb.theory.momentum_limit(basis) > 40


def test_6_3_restarts_with_a_proof(basis):
    """Strong convexity gives |f* - f_0|^2 <= 2 gap / mu: the bound is 4 gap / (eta gamma mu (M +
    1)^2), half of the gap after a period.
    """
    gamma = cb.theory.momentum_limit(basis)
    period = int(np.ceil(np.sqrt(8 / gamma)))
    assert period == 56
    run = cb.solve(basis, cb.agbmr(1.0, gamma, period), 2 * period * 10)
    assert [claim.verdict for claim in cb.theory.check(run, "AGBM, Theorem 4.2")] == ["verified"]


def test_6_break_it(basis):
    """The part of the residual that a learner leaves is multiplied by longer and longer steps."""
    run = cb.solve(basis, cb.vagbm(1.0, 1.0, guard=False), 100)
    bound = 2 * np.sum(basis.y**2) / (1 + np.arange(101)) ** 2
    claim = cb.theory.BoundCheck("VAGBM has the rate", "printed", "upper", run.losses, bound)
    assert claim.verdict == "refuted" and run.losses[-1] > 1e6 * run.losses[0]


# Lesson 7: trees as an implicit dictionary


@pytest.fixture
def fine():
    """The diabetes data without s2, which has too many values to try every split."""
    X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    return X.drop(columns="s2"), y


def test_7_1_listed_and_searched(fine):
    X, y = fine
    listed = cb.solve(cb.Problem(cb.data.leaf_stumps(X), y), cb.ls_boost(0.1), 200)
    searched = cb.solve(
        cb.Problem(cb.data.trees(X, max_depth=1, min_samples=1, exact=True), y),
        cb.ls_boost(0.1),
        200,
    )
    assert listed.problem.n_learners == sum(X[name].nunique() - 1 for name in X) == 824
    np.testing.assert_allclose(searched.predict(X), listed.predict(X), atol=1e-9)


def test_7_2_what_stumps_cannot_do():
    """The residual of the best additive function is the product of the centred variables."""
    pairs = np.array([[i, j] for i in range(4) for j in range(4)], dtype=float)
    y = pairs.prod(axis=1)
    stumps = cb.solve(cb.Problem(cb.data.stumps(pairs), y), cb.ls_boost(0.5), 3000)
    assert stumps.certificate().lower > 12.49
    assert np.sum((pairs - 1.5).prod(axis=1) ** 2) / 2 == 12.5
    trees = cb.solve(
        cb.Problem(cb.data.trees(pairs, max_depth=2, min_samples=1), y), cb.gbm(0.5), 5
    )
    assert trees.final.loss < 1.3


def test_7_3_ridge_in_the_leaves(fine):
    """The ridge shortens each leaf by a different factor; the projection on the tree is the best
    step in its direction.
    """
    X, y = fine
    problem = cb.Problem(cb.data.trees(X, max_depth=2, min_samples=10, l2=20, exact=True), y)
    fitted, projected = (cb.solve(problem, method, 1) for method in (cb.gbm(1.0), cb.ls_boost(1.0)))
    assert projected.final.loss < fitted.final.loss < problem.start_loss


def test_7_break_it(fine):
    """The residual turns to directions that stumps fit badly: the cosines keep falling."""
    X, y = fine
    run = cb.solve(
        cb.Problem(cb.data.trees(X, max_depth=1, min_samples=1, exact=True), y),
        cb.ls_boost(0.1),
        1000,
    )
    share = 1 - run.losses[1:] / run.losses[:-1]
    bound = run.losses[0] * (1 - share[:30].min()) ** np.arange(1001)
    claim = cb.theory.BoundCheck(
        "30 steps show the angle", "printed", "upper", run.losses, bound, slack=1e-9 * run.losses[0]
    )
    assert claim.verdict == "refuted" and claim.violations[0] > 100


# Lesson 8: noise, boosting as a sampler


@pytest.fixture
def two():
    """The two correlated columns."""
    rng = np.random.default_rng(0)
    common = rng.normal(size=40)
    X = np.column_stack([common + 0.6 * rng.normal(size=40), common + 0.6 * rng.normal(size=40)])
    return cb.Problem(X, X @ [1.5, -0.5] + rng.normal(size=40))


def drawn(eps):
    """Langevin boosting that draws one of two columns."""
    return cb.sglb(eps=eps, beta=40.0, gamma=0.2, select=cb.rules.RandomSubset(1))


def test_8_1_hidden_ridge(two):
    """p_j = 1 / p: the minimum of L / N + gamma p |theta|^2 / (2 N) is that of L + gamma p
    |theta|^2 / 2.
    """
    ridge = Ridge(alpha=0.2 * 2, fit_intercept=False).fit(columns(two), two.resid(np.zeros(40)))
    np.testing.assert_allclose(stationary(two, drawn(0.05)).mean, ridge.coef_, rtol=0, atol=1e-9)


def test_8_2_order_of_the_bias(two):
    limit = gibbs(two, drawn(0.05)).cov
    errors = [
        np.linalg.norm(stationary(two, drawn(eps)).cov - limit) / np.linalg.norm(limit)
        for eps in (0.1, 0.05, 0.025, 0.01)
    ]
    assert [round(before / after, 1) for before, after in pairwise(errors[:3])] == [2.1, 2.0]
    assert errors[-1] < 0.01


def test_8_3_equipartition(two):
    """beta E is its minimum plus half the squared length of d independent normal numbers."""
    B = columns(two)
    y = two.resid(np.zeros(40))
    law = gibbs(two, drawn(0.05))
    draws = np.random.default_rng(0).multivariate_normal(law.mean, law.cov, size=100_000)

    def energy(theta):
        return ((y[:, None] - B @ theta.T) ** 2).sum(axis=0) / 80 + 0.2 * (theta**2).sum(
            axis=1
        ) * 2 / 80

    above = energy(draws) - energy(law.mean[None])
    assert abs(above.mean() - 2 / 80) < 5 * above.std() / np.sqrt(100_000)


def test_8_break_it(two):
    """Without noise in the search the residual selects the learner, not with the probabilities p_j
    of pure noise.
    """
    verdicts = []
    for structure in (cb.rules.Structure.NONE, None):
        method = (
            cb.sglb(0.02, 40.0, 0.2)
            if structure is None
            else cb.sglb(0.02, 40.0, 0.2, structure=structure)
        )
        sample = chain(cb.solve(two, method, 40_000, rng=2), burn_in=4000, every=60)
        law = gibbs(two, method)
        slack = 5 * sample.error
        verdicts.append(
            cb.theory.BoundCheck(
                "one noise", "printed", "tight", sample.mean, law.mean, slack, "sampled"
            ).verdict
        )
    assert verdicts == ["refuted", "verified"]
