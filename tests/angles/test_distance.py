"""Distances of the geometry, condition numbers, forged witnesses, refusals and the command line."""

import json
import math
from itertools import combinations, pairwise

import numpy as np
import pytest
import scipy.optimize
from click.testing import CliRunner
from refusal import case, refusals, refused
from test_geometry import ROOT, RULES, SPACE, STAR, STAR_GROUPS

import coordboost as cb
from coordboost.angles.angle import mca
from coordboost.angles.interval import Interval
from coordboost.reporting.cli import main
from coordboost.theory.distances import distance, kappa, lambda_pmin, start_distance


def gauge_by_kernel(B, rule_norm, delta):
    """Return the least dual norm of delta - v, v in the kernel of B, by a linear program from the
    definition.
    """
    groups, gamma = rule_norm
    K = B.shape[1]
    kernel = np.linalg.svd(B)[2][np.linalg.matrix_rank(B) :].T
    d = kernel.shape[1]
    # variables: z (d), a (K) >= |delta - kernel z|, level; constraints: every i-subset of group
    # sums <= Gamma_i level
    rows = [np.hstack([s * kernel, -np.eye(K), np.zeros((K, 1))]) for s in (1, -1)]
    right = [delta, -delta]
    top = np.cumsum([float(g) for g in gamma])
    for i in range(1, len(groups) + 1):
        for chosen in combinations(groups, i):
            row = np.zeros(d + K + 1)
            row[[d + j for g in chosen for j in g]] = 1
            row[-1] = -top[i - 1]
            rows.append(row[None])
            right.append(np.zeros(1))
    done = scipy.optimize.linprog(
        np.append(np.zeros(d + K), 1.0),
        np.vstack(rows),
        np.concatenate(right),
        bounds=[(None, None)] * d + [(0, None)] * (K + 1),
    )
    return done.fun


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_distance_is_its_definition(rule):
    rng = np.random.default_rng(1)
    label = np.array([0, 1, 0, 2, 1, 0])
    B = rng.standard_normal((3, 6))
    B /= np.linalg.norm(B, axis=0)

    def gamma(t, n):
        """The distribution of the rank of the best of t drawn."""
        return [math.comb(n - 1 - rank, t - 1) / math.comb(n, t) for rank in range(n)]

    singles = [[j] for j in range(6)]
    sets = [[0, 2, 5], [1, 4], [3]]
    shape = {
        cb.rules.Greedy: lambda: ([list(range(6))], [1]),
        cb.rules.RandomSubset: lambda: (singles, gamma(rule.t, 6)),
        cb.rules.Groups: lambda: (sets, gamma(rule.t, 3)),
    }[type(rule)]()
    for _ in range(5):
        one, two = rng.standard_normal((2, 6))
        found = distance(B, rule, one, two, groups=label)
        assert found == pytest.approx(gauge_by_kernel(B, shape, one - two), rel=1e-7)
        assert found == pytest.approx(distance(B, rule, two, one, groups=label), rel=1e-7)
    assert distance(B, rule, one, one, groups=label) == 0


def test_distance_without_a_kernel_is_the_dual_norm():
    delta = np.array([3.0, -1.0, 2.0, 0.5])
    for rule, value in [
        (cb.rules.Greedy(), 6.5),
        (cb.rules.RandomSubset(1), 12.0),
        (cb.rules.RandomSubset(2), 6.5),
        (cb.rules.RandomSubset(4), 6.5),
    ]:
        assert distance(np.eye(4), rule, delta, np.zeros(4)) == pytest.approx(value, rel=1e-9)
        assert distance(np.eye(4), rule, delta, np.zeros(4)) == pytest.approx(
            cb.rtgcd(select=rule)
            .bind(cb.Problem(np.eye(4), delta, center=False))
            .select.dual_norm(delta),
            rel=1e-9,
        )


def test_start_distance():
    """Squared loss: C / Theta with C = ||y|| on the identity; larger for Huber; refused without
    bounded level sets.
    """
    problem = cb.Problem(np.eye(3), np.array([3.0, 2.0, 1.0]), center=False)
    lower, upper = start_distance(problem)
    assert lower == pytest.approx(math.sqrt(14 * 3), rel=1e-6) and upper == pytest.approx(
        lower, rel=1e-6
    )
    assert (
        start_distance(
            cb.Problem(np.eye(3), np.array([3.0, 2.0, 1.0]), cb.losses.Huber(1.0), center=False)
        )[1]
        > upper
    )
    labels = cb.Problem(
        np.eye(3), np.array([1.0, -1.0, 1.0]), cb.losses.Logistic(0.1), center=False
    )
    assert start_distance(labels)[1] >= distance(
        labels, cb.rules.Greedy(), cb.solve(labels, cb.methods.gcd(), 300).beta, np.zeros(3)
    )
    refused(
        lambda: start_distance(
            cb.Problem(np.eye(2), np.array([1.0, -1.0]), cb.losses.Logistic(), center=False)
        ),
        "may be infinite",
    )


@pytest.mark.parametrize("resid", [[0.3, 0.1], [3.0, 0.0], [0.5, 4.0, 2.0], [1.0, 1.0]])
@pytest.mark.parametrize("d", [0.5, 1.0, 3.0])
def test_the_radius_of_a_level_set_is_attained_by_one_sample(resid, d):
    """Huber: no residual with this sum of losses is longer, and one with a single entry is as
    long.
    """
    loss = cb.losses.Huber(d)
    total = sum(loss.value(r, 0.0) for r in resid)
    radius = loss.level_radius(total)
    assert np.linalg.norm(resid) <= radius * (1 + 1e-15)
    assert loss.value(radius, 0.0) == pytest.approx(total, rel=1e-14)


def test_condition_numbers():
    assert lambda_pmin(SPACE) == pytest.approx(1.5) and kappa(SPACE) == pytest.approx(4)
    B = np.random.default_rng(0).standard_normal((5, 9))
    assert mca(B).lower ** 2 >= 1 / kappa(B)


def test_a_problem_and_its_matrix_agree():
    B = np.random.default_rng(2).standard_normal((8, 5))
    problem = cb.Problem(B, np.ones(8), center=False, groups=[0, 0, 1, 1, 1])
    assert mca(problem, cb.rules.Groups(1)).upper == pytest.approx(
        mca(B, cb.rules.Groups(1), groups=list("aabbb")).upper, rel=1e-12
    )
    weight = np.arange(1.0, 9.0)
    weighted = cb.Problem(B, np.ones(8), center=False, sample_weight=weight)
    assert mca(weighted).upper == pytest.approx(mca(np.sqrt(weight)[:, None] * B).upper, rel=1e-12)
    assert mca(B * [1, -2, 3, 1, 1e-3]).upper == pytest.approx(mca(B).upper, rel=1e-12)


def test_duplicates_and_order():
    """Copies in the same group change neither the greedy nor the group angle; more drawn learners
    never lower the angle.
    """
    twice = np.hstack([STAR, STAR])
    groups = [*STAR_GROUPS, *STAR_GROUPS]
    assert mca(twice).upper == pytest.approx(mca(STAR).upper, rel=1e-9)
    assert mca(twice, cb.rules.Groups(2), groups=groups).upper == pytest.approx(
        mca(STAR, cb.rules.Groups(2), groups=STAR_GROUPS).upper, rel=1e-9
    )
    by_t = [mca(SPACE, cb.rules.RandomSubset(t)).upper for t in range(1, 7)]
    assert all(a <= b + 1e-12 for a, b in pairwise(by_t)) and by_t[-1] == pytest.approx(
        mca(SPACE).upper
    )


# Sabotage.
# --------------------------------------------------------------------------------------------------


def test_forged_witnesses_are_caught():
    found = mca(
        np.random.default_rng(3).standard_normal((12, 30)), cb.rules.RandomSubset(3), n_starts=1
    )
    B = np.random.default_rng(3).standard_normal((12, 30))
    assert found.witness["weights"] is not None
    forged = [
        Interval(found.lower * 1.01, found.upper, found.witness),
        Interval(found.lower, found.upper * 0.99, found.witness),
        Interval(
            found.lower, found.upper, {**found.witness, "direction": np.ones(12) / math.sqrt(12)}
        ),
        Interval(
            found.lower,
            found.upper,
            {**found.witness, "weights": found.witness["weights"] * np.arange(30)},
        ),
    ]
    assert found.verify(B, cb.rules.RandomSubset(3)) and not any(
        wrong.verify(B, cb.rules.RandomSubset(3)) for wrong in forged
    )


# Bad input and the command line.
# -----------------------------------------------------------------------------------------

GROUPED = cb.Problem(np.eye(3), np.ones(3), center=False, groups=[0, 1, 1])


test_bad_input = refusals(
    case("t of 0", lambda: mca(np.eye(3), cb.rules.RandomSubset(0)), "from 1 to 3"),
    case("t too large", lambda: mca(np.eye(3), cb.rules.RandomSubset(4)), "from 1 to 3"),
    case("too many groups", lambda: mca(GROUPED, cb.rules.Groups(3)), "from 1 to 2"),
    case(
        "no groups", lambda: mca(np.eye(3), cb.rules.Groups(1)), "needs the groups of the columns"
    ),
    case(
        "groups twice",
        lambda: mca(GROUPED, cb.rules.Groups(1), groups=[0, 1, 1]),
        "leave groups out",
    ),
    case(
        "groups too short",
        lambda: mca(np.eye(3), cb.rules.Groups(1), groups=[0, 1]),
        "one label per column",
    ),
    case("no norm", lambda: mca(np.eye(3), cb.rules.Cyclic()), "define a norm"),
    case("a word", lambda: mca(np.eye(3), "full"), "define a norm"),
    case("not a number", lambda: mca(np.array([[1.0, np.nan]])), "NaN or infinity"),
    case("no matrix", lambda: mca("B"), "B must be"),
    case("a vector", lambda: mca(np.ones(3)), "2 dimensions"),
    case("no starts", lambda: mca(np.eye(3), n_starts=0), "n_starts must be a whole number >= 1"),
    case(
        "not unit",
        lambda: distance(2 * np.eye(2), cb.rules.Greedy(), np.ones(2), np.ones(2)),
        "unit norm",
    ),
    case(
        "beta too long",
        lambda: distance(np.eye(2), cb.rules.Greedy(), np.ones(3), np.ones(2)),
        "expected 2, got 3",
    ),
    case("no problem", lambda: start_distance(np.eye(2)), "problem must be a Problem"),
)


def test_zero_columns_are_set_aside():
    with pytest.warns(cb.data.ConstantColumnWarning):
        assert mca(np.array([[1.0, 0, 0], [0, 1, 0]])).upper == pytest.approx(ROOT)


def test_command_line(tmp_path):
    file = tmp_path / "t.csv"
    np.savetxt(
        file,
        np.column_stack([SPACE.T @ SPACE, np.ones(6)]),
        delimiter=",",
        header="a,b,c,d,e,f,y",
        comments="",
    )
    run = CliRunner().invoke
    done = run(
        main,
        ["mca", str(file), "--rule", "groups", "--groups", "a,a,a,b,b,b", "--t", "1", "--json"],
    )
    row = json.loads(done.stdout)
    assert done.exit_code == 0 and 0 < row["lower"] <= row["upper"] < 1 and row["n_learners"] == 6
    assert "minimal cosine angle of 6 learners" in run(main, ["mca", str(file)]).stdout
    assert (
        "second-moment"
        in run(main, ["mca", str(file), "--rule", "subset", "--t", "2", "--second-moment"]).stdout
    )
    assert run(main, ["mca", str(file), "--rule", "subset"]).exit_code == 2
    # no variable of this table has several columns
    assert run(main, ["mca", str(file), "--rule", "groups"]).exit_code == 2
    file.with_name("text.csv").write_text(
        "a,kind,y\n" + "".join(f"{i * i},{'uvw'[i % 3]},{i}\n" for i in range(9))
    )
    grouped = run(
        main,
        ["mca", str(file.with_name("text.csv")), "--target", "y", "--rule", "groups", "--json"],
    )
    # groups by variable: a, and the categories of kind
    assert grouped.exit_code == 0 and json.loads(grouped.stdout)["n_learners"] == 4
    assert run(main, ["mca", str(file), "--t", "2"]).exit_code == 2
    assert run(main, ["mca", str(file), "--rule", "subset", "--t", "9"]).exit_code == 1
