"""Validation of a user's dictionary: unit columns in the metric of the weights, methods that agree,
one way of centring.
"""

from collections import namedtuple

import numpy as np
import pandas as pd
import pytest
from refusal import case, refusals, refused

import coordboost as cb
from coordboost import Problem

M, N = 24, 40
RNG = np.random.default_rng(5)
RAW = RNG.normal(size=(M, N)) + 1.0
UNIT = RAW / np.linalg.norm(RAW, axis=0)
Y = RNG.normal(size=M) + 3.0
WEIGHT = RNG.uniform(0.5, 2.0, M)


class Stored:
    """A user's oracle over the columns of B; functions given by name replace the correct ones."""

    def __init__(self, B, **verbs):
        self.B, (self.n_samples, self.n_learners) = B, B.shape
        vars(self).update(verbs)

    def scan(self, v):
        return v @ self.B

    def column(self, j):
        return self.B[:, j]


def piece(B):
    return cb.learners.Dense(np.ascontiguousarray(B.T))


def sparse_piece(B):
    m, n = B.shape
    row = np.tile(np.arange(m), n)
    start = np.arange(0, m * n + 1, m)
    return cb.learners.Sparse(
        np.ascontiguousarray(B.T).ravel(), row, start, np.ones(n), np.zeros(n), m
    )


KINDS = {
    "oracle": Stored,
    "adapter": lambda B: cb.learners.Oracle(Stored(B)),
    "dense piece": piece,
    "sparse piece": sparse_piece,
}
over_kinds = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)


def one_column(j, factor, B=UNIT):
    return B * np.where(np.arange(B.shape[1]) == j, factor, 1.0)


@over_kinds
@pytest.mark.parametrize("j", [0, 17, N - 1])
@pytest.mark.parametrize("factor", [0.5, 1 + 1e-7, 3.0, 0.0])
def test_norms_that_are_not_one_are_refused(kind, j, factor):
    refused(lambda: Problem(kind(one_column(j, factor)), Y), f"learner {j} has norm {factor:.12g}")


@over_kinds
def test_norms_are_those_in_the_metric_of_the_weights(kind):
    refused(
        lambda: Problem(kind(UNIT), Y, sample_weight=WEIGHT),
        "sum_i w_i B_ij^2 = 1, w the sample_weight",
    )
    weighted = RAW / np.sqrt(WEIGHT @ RAW**2)
    run = cb.solve(
        Problem(kind(weighted), Y, sample_weight=WEIGHT, center=False), cb.ls_boost(0.5), 50
    )
    made = cb.solve(Problem(RAW, Y, sample_weight=WEIGHT, center=False), cb.ls_boost(0.5), 50)
    assert run.path.learner.tolist() == made.path.learner.tolist()


def test_a_long_column_among_many_is_found_where_it_is_gathered():
    """Of 300,000 learners, validation checks a sample, without the long one; it is detected when it
    is gathered.
    """
    m, n, long = 8, 300_000, 199_999
    B = np.random.default_rng(6).normal(size=(m, n))
    B /= np.linalg.norm(B, axis=0)
    y = B[:, long]
    problem = Problem(Stored(one_column(long, 1.1, B)), y, center=False)
    refused(
        lambda: cb.solve(problem, cb.ls_boost(0.5), 5, model_state=cb.engine.LookaheadState),
        f"learner {long} has norm 1.1",
    )
    refused(lambda: problem.gather(np.array([3, long])), f"learner {long} has norm 1.1")


test_verbs_that_do_not_agree_are_refused = refusals(
    case("sign", lambda: Problem(Stored(UNIT, scan=lambda v: -(v @ UNIT)), Y), "the opposite sign"),
    case(
        "order",
        lambda: Problem(Stored(UNIT, scan=lambda v: (v @ UNIT)[::-1]), Y),
        "scan and column",
    ),
    case("n_samples", lambda: Problem(Stored(UNIT), Y[:-1]), "expected 24, got 23"),
    case(
        "n_learners",
        lambda: Problem(Stored(UNIT, n_learners=N + 1), Y),
        "must return 41 finite numbers, got shape (40,)",
    ),
    case(
        "no learners",
        lambda: Problem(Stored(UNIT[:, :0]), Y),
        "n_learners must be a whole number >= 1, got 0",
    ),
    case(
        "half a sample",
        lambda: Problem(Stored(UNIT, n_samples=23.5), Y),
        "n_samples must be a whole number",
    ),
    case(
        "column",
        lambda: Problem(Stored(UNIT, column=lambda j: np.roll(UNIT[:, j], 1)), Y),
        "scan and column",
    ),
    case(
        "gather", lambda: Problem(Stored(UNIT, gather=lambda index: UNIT[:, index].T), Y), "gather"
    ),
    case(
        "dot",
        lambda: Problem(Stored(UNIT, dot=lambda j, v: 2 * v @ UNIT[:, j]), Y),
        "dot and column",
    ),
    case("add", lambda: Problem(Stored(UNIT, add=lambda j, a, v: None), Y), "add and column"),
    case(
        "combine",
        lambda: Problem(Stored(UNIT, combine=lambda beta: -UNIT @ beta), Y),
        "the opposite sign",
    ),
    case(
        "correlations",
        lambda: Problem(Stored(UNIT, correlations=lambda v, index: 2 * v @ UNIT[:, index]), Y),
        "correlations",
    ),
    case("piece with NaN", lambda: Problem(piece(one_column(2, np.nan)), Y), "finite"),
    case("class", lambda: Problem(Stored, Y), "an object, not a class"),
)


@over_kinds
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "loss", [cb.losses.Squared(), cb.losses.Logistic()], ids=["squared", "logistic"]
)
def test_centring_sets_the_constant_and_leaves_the_columns(kind, weighted, loss):
    """Centring sets the constant to the best constant prediction, for every kind of dictionary;
    without centring it is 0.
    """
    weight = WEIGHT if weighted else np.ones(M)
    y = np.where(Y > 3.3, 1.0, -1.0) if loss == cb.losses.Logistic() else Y
    B = RAW / np.sqrt(weight @ RAW**2)
    problem = Problem(kind(B), y, loss, sample_weight=weight)
    assert problem.constant == loss.constant(y, weight) != 0
    assert Problem(kind(B), y, loss, sample_weight=weight, center=False).constant == 0
    np.testing.assert_allclose(problem.gather(np.arange(N)), B, rtol=1e-15)
    run = cb.solve(
        problem,
        cb.methods.gcd(),
        30,
        model_state=cb.engine.NaiveState,
        compile=loss == cb.losses.Squared(),
    )
    beta = np.zeros(N)
    resid = weight * loss.residual(y, problem.constant) if loss == cb.losses.Squared() else None
    for _ in range(30 if resid is not None else 0):
        j = int(np.argmax(np.abs(B.T @ resid)))
        beta[j] += B[:, j] @ resid
        resid = weight * (y - problem.constant - B @ beta)
    if resid is not None:  # 30 steps, each a sum of M products
        np.testing.assert_allclose(run.beta, beta, atol=30 * M * 1e-15 * np.linalg.norm(Y))


def test_a_frame_with_a_column_called_scan_is_a_table():
    frame = pd.DataFrame(RAW[:, :3], columns=["scan", "column", "n_samples"])
    assert Problem(frame, Y).feature_names == ["scan", "column", "n_samples"]


class Named(Stored):
    groups = np.arange(N) // 10

    def name(self, j):
        return f"learner {j}"


def test_names_and_groups_of_an_oracle_are_used():
    problem = Problem(Named(UNIT), Y)
    assert (
        problem.feature_names[3] == "learner 3" and problem.groups.tolist() == Named.groups.tolist()
    )
    assert (
        Problem(
            Named(UNIT), Y, feature_names=[f"f{j}" for j in range(N)], groups=[0] * N
        ).feature_names[3]
        == "f3"
    )


def test_codes_beyond_the_bins_of_a_feature_are_refused():
    binned, _ = cb.data.bin_columns(RAW, max_bins=9)
    binned.codes[2, 5] = 77
    refused(lambda: Problem(cb.learners.Stumps.of(binned), Y), "feature 2 has larger ones")


class Plain(namedtuple("Plain", "rows"), cb.learners.Learners):
    """A user's piece that has only kernels."""

    n_samples = property(lambda self: self.rows.shape[1])
    n_learners = property(lambda self: self.rows.shape[0])

    def scan(self, v):
        return self.rows @ v

    def column(self, j):
        return self.rows[j].copy()

    def correlations(self, v, index):
        return self.rows[index] @ v

    def dot(self, j, v):
        return self.rows[j] @ v

    def add(self, j, a, v):
        v += a * self.rows[j]


def test_a_piece_with_only_kernels_is_run_and_certified_as_a_stored_one():
    """Methods that a piece may leave out are derived where they are needed: the Gram matrix, the
    model, the spectrum.
    """
    rows = np.ascontiguousarray(UNIT[:, :10].T)
    mine = Problem(Plain(rows), Y)
    theirs = Problem(cb.learners.Dense(rows), Y)
    for model_state in (cb.engine.CovarianceState, cb.engine.NaiveState):
        one, other = (
            cb.solve(problem, cb.ls_boost(0.5), 20, model_state=model_state, compile=False)
            for problem in (mine, theirs)
        )
        np.testing.assert_array_equal(one.path.learner, other.path.learner)
        np.testing.assert_allclose(one.path.theta, other.path.theta, rtol=1e-9)
        assert one.certificate().upper == pytest.approx(other.certificate().upper, rel=1e-9)
    assert mine.spectrum.rank == theirs.spectrum.rank
