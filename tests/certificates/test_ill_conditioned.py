"""Intervals are valid on thousands of designs with copies, near copies and dependent columns:
against optima in exact fractions.

The stored columns define a problem with an exact optimum, however close they are to each other.
Stored columns are rounded, so that a table of whole numbers has another exact optimum: no lower end
is above either of the two. Coefficients of 1e10 and more make the computed loss inaccurate: still,
no upper end is below the optimum of the stored columns.
"""

import itertools
import warnings
from fractions import Fraction

import numpy as np
import pytest
import reference_exact as exact
import scipy.sparse

import coordboost as cb

U = np.finfo(float).eps
DISTANCES = [1e-4, 1e-6, 1e-8, 1e-10, 1e-12, 1e-14, 5e-15, 1e-15, 3e-16]


def residual_square(columns, y, weight):
    """Return the smallest weighted sum of squares / 2 over the span of the columns, by elimination
    in Fractions without zero pivots.
    """
    vectors = [*columns, y]
    gram = [[sum(weight * a * b) for b in vectors] for a in vectors]
    left = list(range(len(columns)))
    while pivot := [j for j in left if gram[j][j] != 0]:
        k = pivot[0]
        left.remove(k)
        rest = [*left, len(columns)]
        for a in rest:
            if gram[a][k] != 0:
                share = gram[a][k] / gram[k][k]
                for b in rest:
                    gram[a][b] -= share * gram[k][b]
    return gram[-1][-1] / 2


def table(rng, p=None):
    """Return X of whole numbers, some columns copies, sums or near copies of others; y; and whether
    X still holds whole numbers.
    """
    n = int(rng.integers(4, 10))
    p = p or int(rng.integers(2, 6))
    X = rng.integers(-9, 10, (n, p)).astype(float)
    whole = True
    for j in range(1, p):
        kind = rng.integers(0, 6)
        if kind == 0:
            X[:, j] = X[:, j - 1]
        elif kind == 1:
            X[:, j] = 3 * X[:, 0]
        elif kind == 2:
            X[:, j] = X[:, :j] @ rng.integers(-2, 3, j)
        elif kind == 3:
            X[:, j] = X[:, j - 1] + rng.choice(DISTANCES) * rng.integers(-3, 4, n)
            whole = whole and (X[:, j] == X[:, j - 1]).all()
    return X, rng.integers(-20, 21, n).astype(float), whole


def instance(seed, p=None):
    """Return a problem, its table (None if it does not hold whole numbers), `center` and y; None if
    no problem can be made.
    """
    rng = np.random.default_rng(seed)
    X, y, whole = table(rng, p)
    weight = None if seed % 3 else rng.integers(0, 4, len(y)).astype(float)
    if weight is not None:
        weight[0] = 1.0
    center = bool(rng.integers(0, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cb.data.ConstantColumnWarning)
        try:
            problem = cb.Problem(X, y, sample_weight=weight, center=center)
        except ValueError:
            return None
    return problem, X if whole else None, center, y


def points(problem, seed):
    """Return zero, the float64 least squares solution, and a model near it or far away."""
    B = problem.gather(np.arange(problem.n_learners))
    rng = np.random.default_rng(seed)
    root = np.sqrt(problem.weight)
    best = np.linalg.lstsq(root[:, None] * B, root * problem.y, rcond=None)[0]
    return [
        np.zeros(len(best)),
        best,
        best + 10.0 ** rng.integers(-9, 4) * rng.normal(size=len(best)),
    ]


def unconstrained_excess(seed):
    """Return how far lower ends are above the optima (stored columns, whole table), and upper ends
    below that of stored columns.
    """
    made = instance(seed)
    if made is None:
        return []
    problem, X, center, y = made
    w = exact.fractions(problem.weight)
    B = exact.fractions(problem.gather(np.arange(problem.n_learners)))
    target = exact.fractions(problem.y)
    optima = [residual_square(list(B.T), target, w)]
    if X is not None:
        raw = exact.fractions(X)
        goal = exact.fractions(y)
        if center:
            raw = raw - (w @ raw) / sum(w)
            goal = goal - (w @ goal) / sum(w)
        optima.append(residual_square(list(raw.T), goal, w))
    own = [cb.certify(problem, beta) for beta in points(problem, seed)]
    return [Fraction(one.lower) - min(optima) for one in own] + [
        optima[0] - Fraction(one.upper) for one in own
    ]


def lasso_excess(seed):
    """The same for `L1Ball` and `L1Penalty` on the stored columns; the optimum enumerates supports
    and signs.
    """
    made = instance(seed, p=3)
    if made is None:
        return []
    problem = made[0]
    rng = np.random.default_rng(seed)
    root = exact.fractions(problem.weight)
    if not all(w in (0, 1, 4) for w in root):  # roots have to be fractions
        return []
    root = np.array([Fraction(int(w**0.5)) for w in problem.weight], dtype=object)
    B = root[:, None] * exact.fractions(problem.gather(np.arange(problem.n_learners)))
    y = root * exact.fractions(problem.y)
    size = problem.start_size or 1.0
    out = []
    for target in (
        cb.certificates.L1Penalty(float(size * rng.choice([0.9, 0.3, 0.01, 1e-6]))),
        cb.certificates.L1Ball(float(size * rng.choice([0.1, 1.0, 5.0]))),
    ):
        ball = isinstance(target, cb.certificates.L1Ball)
        beta = (
            exact.lasso_ball(B, y, Fraction(target.radius))
            if ball
            else exact.lasso_penalty(B, y, Fraction(target.lam))
        )
        value = sum((y - B @ beta) ** 2) / 2 + (
            0 if ball else Fraction(target.lam) * sum(abs(beta))
        )
        near = np.array(beta, dtype=float)
        for point in (near, *points(problem, seed)):
            own = cb.certify(problem, point, target)
            out += [Fraction(own.lower) - value, value - Fraction(own.upper)]
    return out


def worst(excess, seeds):
    return max(itertools.chain.from_iterable(map(excess, seeds)))


@pytest.mark.parametrize("distance", [1e-8, 1e-10, 1e-12, 5e-15])
def test_a_column_beside_its_near_copy(distance):
    """Two of five columns are `distance` apart: the lower end is below the exact optimum, and as
    close to it as rounding allows.

    Rounding turns the direction in which the copies differ by about U / distance. With coefficients
    of 1 / distance, the loss of the least squares solution is known up to that times 4 sqrt(12):
    2e-7 of the loss at 0 for the first distance, not at all for the last.
    """
    rng = np.random.default_rng(0)
    Z = rng.standard_normal((12, 4))
    y = rng.standard_normal(12)
    problem = cb.Problem(np.column_stack([Z, Z[:, 0] + distance * rng.standard_normal(12)]), y)
    B = exact.fractions(problem.gather(np.arange(5)))
    optimum = residual_square(
        list(B.T), exact.fractions(problem.y), np.array([Fraction(1)] * 12, dtype=object)
    )
    for beta in points(problem, 0):
        assert Fraction(cb.certify(problem, beta).lower) <= optimum
    zero = cb.certify(problem, np.zeros(5))
    assert float(optimum) - zero.lower <= 100 * U / distance * problem.start_loss


@pytest.mark.parametrize("distance", [1e-10, 1e-12, 1e-13])
def test_near_copies_of_the_table_itself(distance):
    """The stored columns are rounded, which turns the difference of the copies: no lower end is
    above the optimum of the table either.
    """
    for seed in range(12):
        rng = np.random.default_rng(seed)
        Z = rng.standard_normal((12, 3))
        y = rng.standard_normal(12)
        X = np.column_stack([Z, Z[:, 0] + distance * rng.standard_normal(12)])
        raw = exact.fractions(X)
        goal = exact.fractions(y)
        raw = raw - sum(raw) / 12
        goal = goal - sum(goal) / 12
        optimum = residual_square(list(raw.T), goal, np.array([Fraction(1)] * 12, dtype=object))
        assert Fraction(cb.certify(cb.Problem(X, y), np.zeros(4)).lower) <= optimum


def gap_at_least_squares(problem):
    return cb.certify(problem, points(problem, 0)[1]).gap / problem.start_loss


@pytest.mark.parametrize("shape", [(30, 4), (200, 20), (300, 150)])
def test_intervals_of_good_columns_stay_narrow(shape):
    """Each end allows for rounding below 1e-13: 4 u sqrt(300) = 8e-15 times l1 times the residual's
    norm, here 7 times the loss at 0.
    """
    rng = np.random.default_rng(1)
    X = rng.normal(size=shape)
    assert gap_at_least_squares(cb.Problem(X, X[:, 0] + rng.normal(size=shape[0]))) <= 2e-13


@pytest.mark.parametrize("convert", [np.asarray, scipy.sparse.csc_array])
def test_dummies_of_several_categories_stay_narrow(convert):
    """The dummies of each variable are dependent after centring, up to a constant from rounding,
    which is orthogonal to every residual.
    """
    rng = np.random.default_rng(2)
    X = np.column_stack([np.eye(4)[rng.integers(0, 4, 150)] for _ in range(3)])
    assert (
        gap_at_least_squares(cb.Problem(convert(X), X @ rng.normal(size=12) + rng.normal(size=150)))
        <= 1e-12
    )


def test_columns_that_depend_exactly_stay_narrow():
    """Sign columns of norm 1, one of them a flipped copy and one a sum of others: their dependence
    is found without rounding.
    """
    signs = (
        np.array([[1, 1, 1, 1], [1, 1, -1, -1], [1, -1, 1, -1], [1, -1, -1, 1]]).T.repeat(4, axis=0)
        / 4.0
    )
    X = np.column_stack(
        [signs[:, :3], -signs[:, 0], (signs[:, :3] @ [1, 1, -1] + signs[:, 3]) / 2, signs[:, 3]]
    )
    problem = cb.Problem(X, np.arange(16.0) ** 2, center=False, scale=False)
    assert gap_at_least_squares(problem) <= 1e-13 and problem.span.left.shape == (16, 4)


def test_a_column_in_another_unit_is_a_direction_of_its_own():
    """Inches beside centimetres: the columns differ by rounding only, but the stored columns are
    linearly independent.
    """
    rng = np.random.default_rng(3)
    X = rng.normal(size=(40, 2))
    problem = cb.Problem(np.column_stack([X, X[:, 0] / 2.54]), rng.normal(size=40))
    own = cb.certify(problem, np.zeros(3))
    B = exact.fractions(problem.gather(np.arange(3)))
    optimum = residual_square(
        list(B.T), exact.fractions(problem.y), np.array([Fraction(1)] * 40, dtype=object)
    )
    assert own.witness["rank"] == 2 and problem.span.left.shape[1] == 3
    assert 0 <= optimum - Fraction(own.lower) <= 1e-13 * problem.start_loss


def test_no_false_end_of_least_squares():
    assert worst(unconstrained_excess, range(200)) <= 0


def test_no_false_end_of_the_lasso():
    assert worst(lasso_excess, range(60)) <= 0


@pytest.mark.slow
def test_no_false_end_of_least_squares_in_ten_thousand():
    assert worst(unconstrained_excess, range(200, 10_200)) <= 0


@pytest.mark.slow
def test_no_false_end_of_the_lasso_in_two_thousand():
    assert worst(lasso_excess, range(60, 2060)) <= 0
