"""Steps to a given gap, from three sources: theorems, the run itself, the exact path."""

import functools
import math

import numpy as np
import pytest

import coordboost as cb
from coordboost.theory import planning
from coordboost.theory.bounds import Constants, Trail

NAMES = [
    "ls_boost",
    "ls_boost",
    "forward_stagewise",
    "regularized_forward_stagewise",
    "frank_wolfe",
    "frank_wolfe_away",
    "frank_wolfe_pairwise",
    "gcd",
    "rcd",
    "rtgcd",
    "agbm",
    "agbmr",
    "forward_stepwise",
]


def data(n=40, p=6, seed=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    return cb.Problem(X, X[:, :3].sum(axis=1) + rng.normal(size=n))


@pytest.fixture(scope="module")
def problem():
    return data()


@pytest.fixture(autouse=True, scope="module")
def interpreted():
    """Run thirteen methods, few steps each, in plain Python: compiling a loop for each takes
    minutes.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(planning, "solve", functools.partial(cb.solve, compile=False))
        yield


@pytest.fixture(scope="module")
def rows(problem):
    return cb.theory.plan(problem, gap=0.02 * Constants.of(problem).size ** 2 / 2, n_steps=3000)


def test_every_row_is_in_order(rows):
    assert [row.name for row in rows if row.method is not None] == NAMES
    for row in rows:
        assert row.needed <= row.a_posteriori and row.needed <= row.sharpened <= row.printed
    assert sum(row.needed < math.inf for row in rows) == len(NAMES)
    # the a posteriori bound must be much better
    assert rows[0].a_posteriori < 0.5 * rows[0].sharpened


def test_needed_is_the_first_step_that_reaches_the_gap(problem, rows):
    gap = 0.02 * Constants.of(problem).size ** 2 / 2
    least = Constants.of(problem).optimum
    for row in (row for row in rows if row.needed < math.inf and row.name not in ("agbm", "agbmr")):
        losses = [
            state.loss
            for state in cb.solve(problem, row.method, int(row.needed), compile=False).replay(
                range(int(row.needed) + 1)
            )
        ]
        assert losses[-1] - least <= gap < min(losses[:-1]) - least


def test_every_named_method_has_numbers_or_words(rows):
    assert {row.name for row in rows} == set(cb.methods.METHODS)
    for row in rows:
        assert row.words and (row.method is not None or row.sharpened == row.needed == math.inf)
        assert (
            str(row).startswith(f"{row.name}: ")
            and str(row).endswith(f"({row.words})")
            and "inf" not in str(row).split("(")[0]
        )


def test_bounds_on_an_orthonormal_basis_by_hand():
    """Four unit vectors, y = 1, L* = 0: the angle is 1/2, with one random learner 1/4; the mean
    squared cosine is 1/4.
    """
    rows = {
        row.name: row
        for row in cb.theory.plan(
            cb.Problem(np.eye(4), np.ones(4), center=False), gap=0.02, n_steps=300
        )
    }

    def steps(rate):
        return math.ceil(math.log(0.02 / 2) / math.log(1 - rate))

    assert rows["gcd"].printed == rows["gcd"].sharpened == rows["rcd"].sharpened == steps(1 / 4)
    assert rows["rcd"].printed == steps(1 / 16)
    # two of four: weights (1/2, 1/3, 1/6, 0) on sorted cosines; least at a unit vector, as
    # 1/2 <= (1/2 + 1/3) / sqrt(2)
    drawn = 0.5
    assert rows["rtgcd"].printed == rows["rtgcd"].sharpened == steps(drawn**2)
    gamma = (1 - math.sqrt(3 / 4)) ** 2
    assert (
        rows["agbm"].method.parameters["gamma"] == pytest.approx(gamma, rel=1e-9)
        and rows["agbm"].printed == math.inf
    )
    assert rows["agbm"].sharpened == 2 * (math.ceil(math.sqrt(2 * 4 / (gamma * 0.02))) - 1)
    period = math.ceil(math.sqrt(8 / gamma))
    # 2 / 2^7 < 0.02
    assert (
        rows["agbmr"].method.parameters["period"] == period
        and rows["agbmr"].sharpened == 2 * period * 7
    )
    assert rows["forward_stepwise"].sharpened == rows["forward_stepwise"].needed == 4


def test_forward_stagewise_needs_what_the_path_predicts(problem):
    gap = 0.02 * Constants.of(problem).size ** 2 / 2
    for eps in (0.05, 0.01):
        row = cb.theory.plan(problem, gap=gap, eps=eps, n_steps=5000)[2]
        assert abs(row.needed - row.predicted) <= 0.05 * row.needed + 3


def test_on_one_column_the_prediction_is_a_sum():
    """The path is one segment: after length t the error is (a - t)^2 / 2."""
    problem = cb.Problem([[1.0], [-1.0]], [2.0, -2.0], center=False)
    a = problem.start_size
    boost, slow, stagewise, shrunk = cb.theory.plan(
        problem, gap=a**2 / 8 * (1 + 1e-9), eps=a / 64, delta=2 * a, n_steps=500
    )[:4]
    assert stagewise.predicted == pytest.approx(32, rel=1e-8) and stagewise.needed == 32
    # (0.9)^k = 1 / 2
    assert boost.needed == 1 and slow.predicted == pytest.approx(math.log(2) / 0.1, rel=1e-8)
    assert shrunk.predicted == pytest.approx(math.log1p(-0.25) / math.log1p(-1 / 512), rel=1e-8)


@pytest.mark.parametrize(
    "method",
    [cb.ls_boost(0.3), cb.forward_stagewise(0.05), cb.methods.frank_wolfe(2.0)],
    ids=lambda m: m.name,
)
@pytest.mark.parametrize("shape", [(40, 6), (8, 15)], ids=str)
def test_the_a_posteriori_bound_equals_its_formula(method, shape):
    problem = data(*shape)
    run = cb.solve(problem, method, 60)
    after = Trail.of(run)
    B = problem.gather(np.arange(problem.n_learners))
    best = np.linalg.lstsq(B, problem.y)[0]
    far = [np.abs(state.beta - best).sum() for state in run.replay(range(61))]
    # both are computed through an SVD, in different ways
    assert np.abs(after.to_least - far).max() <= 1e-9 * max(far)
    found = next(claim for claim in cb.theory.check(run) if claim.name == "A posteriori, error")
    assert found.holds and np.array_equal(found.bound, after.corr * after.to_least / 2)


def test_the_a_posteriori_bound_holds_in_the_metric_of_the_weights():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 5))
    y = rng.normal(size=30)
    weight = rng.uniform(0.1, 3, 30)
    run = cb.solve(cb.Problem(X, y, sample_weight=weight), cb.ls_boost(0.2), 80)
    assert next(
        claim for claim in cb.theory.check(run) if claim.name == "A posteriori, error"
    ).holds


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: cb.theory.plan(data(), gap=-1.0), "gap must be a positive number"),
        (lambda: cb.theory.plan(data()), "gap must be"),
        (
            lambda: cb.theory.plan(
                cb.Problem([[1.0], [2.0]], [0, 1], cb.losses.Logistic()), gap=1.0
            ),
            "needs a Problem with the squared loss",
        ),
        (lambda: cb.theory.plan(data(), gap=1.0, delta=0.0), "delta must be"),
    ],
    ids=["negative", "none", "loss", "delta"],
)
def test_what_is_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()
