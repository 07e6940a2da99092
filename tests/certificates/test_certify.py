"""Certificates: the optimum lies in the interval, by exact arithmetic, an independent solver and
formulas; planted errors are detected.
"""

import re
from dataclasses import replace
from fractions import Fraction

import golden
import numpy as np
import pytest
import reference_exact as exact
from refusal import refused

import coordboost as cb
from coordboost import Problem
from coordboost.certificates import L1Ball, L1Penalty, Unconstrained

U = np.finfo(float).eps
RNG = np.random.default_rng(3)
M, N = 30, 4
X = RNG.normal(size=(M, N))
Y = 2 * RNG.normal(size=M)
SIGNS = np.where(Y > 0, 1.0, -1.0)
WEIGHT = RNG.integers(1, 4, M).astype(float)
LOSSES = [
    cb.losses.Squared(),
    cb.losses.Huber(0.7),
    cb.losses.Quantile(0.3),
    cb.losses.Logistic(),
    cb.losses.Logistic(0.3),
    cb.losses.Exponential(),
    cb.losses.Poisson(),
]
TARGETS = [Unconstrained(), L1Ball(0.8), L1Ball(50.0), L1Penalty(0.6), L1Penalty(100.0)]


def points(problem):
    """Return coefficients: zero, two models of a run, a nearly optimal one and a random one."""
    run = cb.solve(problem, cb.methods.gcd(cb.rules.LineSearch()), 60, compile=False)
    return [
        *(state.beta for state in run.replay([0, 2, 5, 60])),
        RNG.normal(size=problem.n_learners),
    ]


def of_loss(loss, weight=None):
    """A problem with targets that the loss takes."""
    y = (
        SIGNS
        if isinstance(loss, cb.losses.Logistic | cb.losses.Exponential)
        else np.floor(np.abs(Y))
        if isinstance(loss, cb.losses.Poisson)
        else Y
    )
    return Problem(X, y, loss, sample_weight=weight)


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
@pytest.mark.parametrize("target", TARGETS, ids=repr)
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
def test_the_independent_optimum_is_inside(loss, target, weight):
    """Clarabel's tolerance is 1e-11 for values and infeasibility; a hundred times as much is
    allowed for their sizes.
    """
    problem = of_loss(loss, weight)
    judged = cb.certify(problem, np.zeros(N), target, independent=True)
    judge = judged.independent
    assert 0 <= judge.gap <= 1e-9 * problem.start_loss
    assert judged.agree and judged.solver
    for beta in points(problem):
        own = cb.certify(problem, beta, target)
        assert own.lower <= judge.upper and judge.lower <= own.upper
        assert own.gap == own.upper - own.lower >= 0 and own.target == target
        assert np.isfinite([own.lower, own.upper]).all()


def raised(monkeypatch, kind, by):
    """Plant an error: raise the lower ends of a kind of target by the fraction `by` of their
    distance to the infimum.
    """
    right = kind.certificate

    def wrong(self, problem, at, *more):
        honest = right(self, problem, at, *more)
        return replace(honest, lower=honest.lower + by * (honest.lower - problem.infimum))

    monkeypatch.setattr(kind, "certificate", wrong)


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
@pytest.mark.parametrize("target", [L1Ball(0.8), L1Penalty(0.6)], ids=repr)
def test_a_lower_end_that_is_too_high_is_detected(loss, target, monkeypatch):
    """This holds for any model, because the certificate is also computed at the solver's
    coefficients.
    """
    raised(monkeypatch, type(target), 0.01)
    refused(
        lambda: cb.certify(of_loss(loss), np.zeros(N), target, independent=True),
        "by the certificate and in [",
    )


def test_a_disagreement_is_reported_with_both_intervals(monkeypatch):
    judge = cb.certify(
        of_loss(cb.losses.Squared()), np.zeros(N), L1Ball(0.8), independent=True
    ).independent
    raised(monkeypatch, L1Ball, 0.01)
    with pytest.raises(ValueError) as found:
        cb.certify(of_loss(cb.losses.Squared()), np.zeros(N), L1Ball(0.8), independent=True)
    ends = [
        float(text) for text in re.findall(r"[0-9]+[.][0-9]+(?:e[-+]?[0-9]+)?", str(found.value))
    ]
    assert len(ends) == 4 and ends[2:] == [judge.lower, judge.upper] and ends[0] > ends[3]


@pytest.mark.parametrize(
    "loss, l1_ratio, factor",
    [
        (cb.losses.Squared(), 0.3, [1, 2, 0.5, 3]),
        (cb.losses.Squared(), 1.0, None),
        (cb.losses.Logistic(), 1.0, [1, 2, 0.5, 3]),
        (cb.losses.Huber(0.7), 1.0, None),
    ],
)
def test_the_independent_solver_agrees_on_the_penalties_of_a_grid(
    loss, l1_ratio, factor, monkeypatch
):
    """The elastic net and penalty factors, with the intercept that the path fits, and with the
    initial constant only.
    """
    options = {"n_alphas": 4, "eps": 0.05, "refit_intercept": True}
    path = cb.lasso_path(of_loss(loss, WEIGHT), l1_ratio=l1_ratio, penalty_factor=factor, **options)
    for k in range(4):
        judged = path.certificate(k, independent=True)
        assert judged.agree and judged.own.upper == path.certificate(k).upper
        assert judged.independent.gap <= 1e-9 * path.problem.start_loss
        beta = path.problem.unit(path.coefs[:, k])
        assert (
            cb.certify(path.problem, beta, path.target(k), independent=True).independent.gap
            <= 1e-9 * path.problem.start_loss
        )
    raised(monkeypatch, type(path.target(3)), 0.01)
    refused(lambda: path.certificate(3, independent=True), "by the certificate and in [")


@pytest.mark.parametrize("learners", ["columns", "trees"])
def test_the_independent_solver_agrees_on_the_objective_of_rgb(learners, monkeypatch):
    """With trees, the solver optimises over those found in the run, so its upper end is not above
    that of the run.
    """
    families = cb.learners.Families(bound=[3.0, 3.0], complexity=[0.1, 1.0])
    table = {
        "columns": lambda: Problem(X, SIGNS, cb.losses.Logistic(), groups=[0, 0, 1, 1]),
        "trees": lambda: Problem(
            cb.data.tree_families(X, nodes=(1, 2), bounds=(1.0,)), SIGNS, cb.losses.Logistic()
        ),
    }
    run = cb.solve(
        table[learners](), cb.rgb(0.02, families=families if learners == "columns" else None), 20
    )
    judged = cb.certify(run.final.problem, run.beta, run.method.target, independent=True)
    assert judged.agree and judged.independent.upper <= judged.own.upper
    assert judged.independent.gap <= 1e-9 * run.problem.start_loss
    if learners == "columns":
        raised(monkeypatch, cb.methods.Structured, 0.01)
        refused(
            lambda: cb.certify(run.problem, run.beta, run.method.target, independent=True),
            "by the certificate and in [",
        )


def exact_instance(seed, n, p):
    """Return B (n, p), columns of norm 1 up to rounding, and y (n,), whole numbers; both in
    float64.
    """
    rng = np.random.default_rng(seed)
    B = exact.rational_columns(rng.integers(-2, 3, (n - 1, p))).astype(float)
    return B, rng.integers(-9, 10, n).astype(float)


INSTANCES = [
    (golden.X.astype(float), golden.Y.astype(float)),
    exact_instance(0, 4, 3),
    exact_instance(1, 3, 4),
]


def exact_optimum(B, y, target):
    B = exact.fractions(B)
    y = exact.fractions(y)
    if isinstance(target, L1Ball):
        beta = exact.lasso_ball(B, y, Fraction(target.radius))
        penalty = 0
    else:
        beta = exact.lasso_penalty(B, y, Fraction(target.lam))
        penalty = Fraction(target.lam) * sum(abs(beta))
    return sum((y - B @ beta) ** 2) / 2 + penalty


@pytest.mark.parametrize("B, y", INSTANCES, ids=["golden", "n > p", "n < p"])
@pytest.mark.parametrize(
    "target",
    [L1Ball(0.5), L1Ball(2.0), L1Ball(40.0), L1Penalty(0.25), L1Penalty(2.0), L1Penalty(30.0)],
    ids=repr,
)
def test_the_exact_lasso_optimum_is_inside(B, y, target):
    """Compared in exact arithmetic. The upper end is a computed loss, which may be too low by its
    rounding, 8 U |y|^2.
    """
    problem = Problem(B, y, center=False, scale=False)
    optimum = exact_optimum(B, y, target)
    shortfall = Fraction(8 * U * float(y @ y))
    method = (
        cb.methods.frank_wolfe(target.radius)
        if isinstance(target, L1Ball)
        else cb.methods.lasso_cd(target.lam)
    )
    for state in cb.solve(problem, method, 20_000).replay([0, 1, 2, 3, 10, 50, 400, 20_000]):
        own = state.certificate()
        assert Fraction(own.lower) <= optimum <= Fraction(own.upper) + shortfall
        again = cb.certify(problem, state.beta.tolist(), target)
        assert (again.lower, again.upper) == (own.lower, own.upper)
    # coordinate descent converges linearly here: only the rounding of the certificate is left
    if isinstance(target, L1Penalty):
        assert own.gap <= 1e-12 * float(y @ y)


@pytest.mark.parametrize("B, y", INSTANCES)
@pytest.mark.parametrize("size", [1.0 + 1e-9, 2.0, 1000.0])
def test_a_point_outside_the_ball_certifies_the_point_scaled_back(B, y, size):
    problem = Problem(B, y, center=False, scale=False)
    target = L1Ball(2.0)
    beta = size * 2.0 * np.eye(B.shape[1])[0]
    own = cb.certify(problem, beta, target)
    assert own.upper == pytest.approx(problem.value(B @ (beta / size)), rel=16 * U)
    assert Fraction(own.lower) <= exact_optimum(B, y, target) <= Fraction(own.upper)
    assert own.witness["l1"] == pytest.approx(2.0 * size, rel=U)


@pytest.mark.parametrize(
    "target, run, rows",
    [
        (L1Ball(2.0), cb.regularized_forward_stagewise(0.25, 2.0), golden.RFS_QUARTER_2),
        (
            None,
            cb.path_forward_stagewise(0.25, [float(d) for d in golden.PATH_DELTAS]),
            golden.PATH_QUARTER,
        ),
    ],
)
def test_omega_as_printed(target, run, rows):
    """Equation (45) on the golden instance: exact rationals there, some 30 roundings of numbers up
    to |y|^2 = 14 here.
    """
    problem = Problem(golden.X.astype(float), golden.Y.astype(float), center=False, scale=False)
    for state, row in zip(cb.iterate(problem, run, len(rows) - 1), rows, strict=True):
        assert state.beta == pytest.approx(np.array(row.beta, dtype=float), abs=30 * U)
        if row.omega is not None:
            assert state.certificate(target).witness["omega"] == pytest.approx(
                float(row.omega), abs=30 * 14 * U
            )


@pytest.mark.parametrize(
    "copies", [[0, 1, 2, 3], [0, 1, 2, 3, 0, 1, 2, 3], [0, 0, 0, 1, 2, 3], [0, 1, 2, 3, 3]]
)
@pytest.mark.parametrize(
    "weight",
    [None, WEIGHT, np.where(np.arange(M) < 25, 2.0, 0.0)],
    ids=["plain", "weighted", "zeros"],
)
def test_least_squares_distance_and_rank_with_duplicates(copies, weight):
    """Rank by the rule of Section 1.3. NumPy's pinv loses U times the condition (below 100) of the
    distinct columns, and the lower end is moved down by 4 sqrt(30) U times a few tens.
    """
    problem = Problem(X[:, copies], Y, sample_weight=weight)
    root = np.sqrt(problem.weight)
    tilde = root[:, None] * problem.dictionary.gather(np.arange(len(copies)))
    eigen = np.linalg.eigvalsh(tilde.T @ tilde)[-4:]
    pinv = np.linalg.pinv(tilde, rcond=1e-8)
    for beta in (np.zeros(len(copies)), RNG.normal(size=len(copies))):
        own = cb.certify(problem, beta)
        resid = root * (problem.y - problem.dictionary.combine(beta))
        assert own.witness["rank"] == 4
        assert own.witness["lambda_pmin"] == pytest.approx(eigen[0], rel=1e-12)
        assert own.witness["distance_to_solutions"] == pytest.approx(
            np.linalg.norm(pinv @ resid), rel=1e-11
        )
        assert own.gap == pytest.approx(np.sum((tilde @ (pinv @ resid)) ** 2) / 2, rel=1e-11)
        assert (
            own.lower
            <= np.sum((resid - tilde @ (pinv @ resid)) ** 2) / 2 * (1 + 1e-14)
            <= own.upper * (1 + 2e-14)
        )


def test_the_distance_of_a_huge_target_along_nearly_equal_columns():
    """Its square overflows float64; a power of two in y scales the distance exactly, up to rounding
    in the projection.
    """
    columns = X[:, :1] + 1e-8 * X[:, :3]
    witnesses = (
        cb.certify(Problem(columns, Y * unit), np.zeros(3)).witness for unit in (1.0, 2.0**498)
    )
    small, huge = (witness["distance_to_solutions"] for witness in witnesses)
    assert huge > 1e155 and huge / 2.0**498 == pytest.approx(small, rel=1e-12)


def test_doubling_every_column_doubles_lambda_pmin():
    """[A A][A A]' = 2 A A': the smallest positive computed eigenvalue would be a rounding error."""
    once, twice = (Problem(columns, Y).spectrum for columns in (X, np.hstack([X, X])))
    assert twice.lambda_pmin == pytest.approx(2 * once.lambda_pmin, rel=1e-13)
    assert twice.kappa == pytest.approx(once.kappa, rel=1e-13)
    assert once.beyond == 0 < twice.beyond + 1e-300 < 1e-14
    almost = Problem(np.hstack([X, X[:, :1] + 1e-6 * Y[:, None]]), Y).spectrum
    assert almost.rank == 5 and 0 < almost.lambda_pmin < 1e-11


def test_lower_ends_hold_where_rounding_dominates():
    """Nearly equal columns, huge coefficients that cancel, least squares where correlations are
    rounding: compared with exact fractions.

    The computed residual and prediction count as exact vectors; the lower end must not exceed the
    best one that they give exactly.
    """
    rng = np.random.default_rng(8)
    for trial in range(120):
        n = int(rng.integers(3, 25))
        p = int(rng.integers(1, 9))
        X = rng.standard_normal((n, 1)) + 10.0 ** -rng.integers(0, 8) * rng.standard_normal((n, p))
        problem = Problem(X, rng.standard_normal(n), center=False)
        beta = rng.standard_normal(p) * 10.0 ** rng.integers(-2, 6)
        if trial % 3 == 0 and n > p:
            beta = np.linalg.lstsq(problem.dictionary.rows.T, problem.y, rcond=None)[0]
        beta = beta - beta.mean() if trial % 3 == 1 else beta
        pred = problem.combine(beta)
        resid = problem.resid(pred)
        lam = float(np.abs(problem.scan(resid)).max() * rng.uniform(0.1, 1.2)) or 1.0
        rows, r, y, f, b = (
            exact.fractions(v) for v in (problem.dictionary.rows, resid, problem.y, pred, beta)
        )
        worst = max(abs(row @ r) for row in rows)
        level = Fraction(lam)
        s = min(max(r @ y, Fraction(0)) / (r @ r), level / worst)
        loss = (y - f) @ (y - f) / 2
        dual = s * (r @ y) - s * s * (r @ r) / 2
        other = loss + r @ f - (loss / level + sum(abs(b))) * max(worst - level, 0)
        lower = cb.certify(problem, beta, L1Penalty(lam)).lower
        assert lower <= max(dual, other, 0)


def test_what_the_independent_solver_refuses():
    large = Problem(RNG.normal(size=(1001, 2000)), RNG.normal(size=1001))
    refused(lambda: cb.certify(large, np.zeros(2000), L1Ball(1.0), independent=True), "too large")
    assert cb.certify(large, np.zeros(2000), L1Ball(1.0)).gap > 0
    welsch = Problem(X, Y, cb.losses.Welsch())
    refused(
        lambda: cb.certify(welsch, np.zeros(N), independent=True),
        "the independent check does not support Welsch",
    )
    separable = Problem(
        SIGNS[:, None] * np.abs(X[:, :1]), SIGNS, cb.losses.Exponential(), center=False
    )
    assert cb.certify(separable, [3.0]).lower == 0


def test_a_certificate_reads_as_a_sentence():
    text = str(cb.certify(Problem(X, Y), np.zeros(N), L1Ball(1.0)))
    assert text.startswith("L1Ball(radius=1.0): optimum in [") and "gap" in text


def test_a_certificate_is_immutable():
    certificate = cb.certify(Problem(X, Y), np.zeros(N), L1Ball(1.0))
    with pytest.raises(AttributeError):
        certificate.lower = certificate.upper


class OwnHuber(cb.losses.Huber):
    """Huber's loss as one of the user's."""


NOTHING = [*LOSSES, cb.losses.Gamma(), cb.losses.Tweedie(1.5), OwnHuber(0.7)]
TABLES = {
    "constant y": (X, np.full(M, 4.0)),
    "one row": (X[:1], np.array([4.0])),
    "constant columns": (np.ones((M, 2)), np.abs(Y) + 0.5),
    "two equal rows": (X[[0, 0]], np.array([2.0, 2.0])),
}


def nothing_to_explain(loss, table):
    """The table with targets that the loss takes, or None where one class is left."""
    columns, y = TABLES[table]
    if loss.two_class:
        columns = np.ones((M, 2))
        y = SIGNS
    return cb.Problem(columns, np.floor(y) if isinstance(loss, cb.losses.Poisson) else y, loss)


@pytest.mark.filterwarnings("ignore::coordboost.data.ConstantColumnWarning")
@pytest.mark.parametrize("loss", NOTHING, ids=repr)
@pytest.mark.parametrize("table", TABLES)
def test_nothing_to_explain(loss, table):
    """Every way to an interval gives that of the constant model; over all coefficients the lower
    end may be the infimum.
    """
    problem = nothing_to_explain(loss, table)
    run = cb.solve(problem, cb.methods.gcd(cb.rules.LineSearch()), 3, compile=False)
    found = []
    for target in (L1Ball(1.0), L1Ball(0.0), L1Penalty(1.0), L1Penalty(0.0), Unconstrained()):
        found += [
            cb.certify(problem, run.beta, target),
            run.certificate(target),
            run.refit_intercept().certificate(target),
        ]
    if loss.curvature is not None or loss.sigma is not None:
        for options in (
            {},
            {"l1_ratio": 0.5},
            {"l1_ratio": 0.0},
            {"penalty_factor": np.arange(problem.standardization.n_columns) + 1.0},
        ):
            for free in (False, True):
                for alphas in (None, [0.5]):
                    path = cb.lasso_path(
                        problem, alphas=alphas, n_alphas=2, refit_intercept=free, **options
                    )
                    assert (path.gaps <= 1e-6).all() and not path.coefs.any()
                    found += [path.certificate(k) for k in range(path.n_points)]
    for result in found:
        assert result.lower <= result.upper and np.isfinite([result.lower, result.upper]).all(), (
            result
        )
        assert result.upper == pytest.approx(problem.start_loss, rel=1e-9, abs=1e-9)
        tight = (table != "constant columns" and not loss.two_class) or result.target not in (
            Unconstrained(),
            L1Penalty(0.0),
        )
        assert not tight or result.gap <= 1e-6 * (1 + abs(problem.start_loss)), result


def test_a_certificate_shows_itself_in_one_line():
    """At the end of a cell, or in a list, as printed."""
    found = cb.certify(cb.Problem([[1.0, 0], [0, 1], [2, 1]], [1.0, 2, 4]), [1.0, 2.5])
    assert repr(found) == str(found) and "optimum in [" in repr(found)
