"""Columns whose norms differ by hundreds of powers of ten: one gap, an interval that holds the
optimum in fractions, no NaN.
"""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
import reference_exact as exact

import coordboost as cb

RNG = np.random.default_rng(5)
X = RNG.integers(-8, 9, (20, 2)).astype(float)
Y = X[:, 0] + RNG.integers(-8, 9, 20)
ALPHA = 2.0**-10
POWERS = [-900, -300, -40, 0, 40, 330, 640]
UNITS = (
    [(p, 0) for p in POWERS]
    + [(p, p) for p in POWERS]
    + [(0, 330), (500, -500), (-900, 330), (640, 640)]
)


def least(columns, y, l1_ratio):
    """The smallest objective in fractions, a sum over samples: the best of all solutions of the
    equations for given signs.
    """
    columns = exact.fractions(columns)
    y = exact.fractions(y)
    columns = columns - columns.sum(axis=0) / Fraction(len(y))
    y = y - sum(y) / Fraction(len(y))
    lam = Fraction(ALPHA) * len(y)
    l1 = lam * Fraction(l1_ratio)
    l2 = lam * (1 - Fraction(l1_ratio))
    (a, b), (_, d) = columns.T @ columns
    u, v = columns.T @ y
    found = []
    for s, t in product((-1, 0, 1), repeat=2):
        if s and t:
            det = (a + l2) * (d + l2) - b * b
            w = (
                ((d + l2) * (u - s * l1) - b * (v - t * l1)) / det,
                ((a + l2) * (v - t * l1) - b * (u - s * l1)) / det,
            )
        else:
            w = (
                (u - s * l1) / (a + l2) if s else Fraction(0),
                (v - t * l1) / (d + l2) if t else Fraction(0),
            )
        resid = y - columns @ np.array(w)
        found.append(
            resid @ resid / 2 + l1 * (abs(w[0]) + abs(w[1])) + l2 * (w[0] ** 2 + w[1] ** 2) / 2
        )
    return min(found)


def one_gap(gap, path):
    """Whether the gap of a certificate is that of the path: the same number, or less where both are
    small.
    """
    return gap <= path.gaps[0] * (1 + 1e-6) + 1e-12 and (
        path.gaps[0] <= 1e-6 or gap >= path.gaps[0] * (1 - 1e-6)
    )


@pytest.mark.parametrize("l1_ratio", [1.0, 0.5, 0.0])
@pytest.mark.parametrize("unit", UNITS, ids=str)
def test_the_interval_holds_the_optimum_in_fractions(unit, l1_ratio):
    """Scaling by powers of two is exact; the mean of a column is rounded, which moves the optimum
    by a few roundings of the loss.
    """
    columns = X * [math.ldexp(1.0, power) for power in unit]
    kind = (
        cb.CertifiedLasso(alpha=ALPHA)
        if l1_ratio == 1
        else cb.CertifiedElasticNet(alpha=ALPHA, l1_ratio=l1_ratio)
    )
    try:
        model = kind.fit(columns, Y)
    except UserWarning as late:  # it says that the gap was not reached
        assert "certificate_ bounds the optimum" in str(late)
        with pytest.warns(UserWarning, match="above tol"):
            model = kind.fit(columns, Y)
    found = model.certificate_
    path = model.path_
    optimum = least(columns, Y, l1_ratio)
    slack = Fraction(1e-13 * path.problem.start_loss)
    assert Fraction(found.lower) <= optimum + slack and optimum <= Fraction(found.upper) + slack
    assert found.upper <= path.problem.start_loss + 1e-9 * abs(path.problem.start_loss)
    gap = found.gap / path.problem.start_excess
    assert found.witness["relative_gap"] == gap and one_gap(gap, path)
    assert (path.message == "complete") == (path.gaps[0] <= model.tol)
    if max(map(abs, unit)) <= 500:
        assert gap <= 1e-6


@pytest.mark.parametrize(
    "loss", [cb.losses.Logistic(), cb.losses.Huber(4.0), cb.losses.Poisson()], ids=repr
)
@pytest.mark.parametrize("unit", [(-600, 0), (40, 0), (330, 330)], ids=str)
@pytest.mark.parametrize("l1_ratio", [0.5, 0.0])
def test_other_losses_have_one_gap_and_no_lower_end_above_what_is_reached(loss, unit, l1_ratio):
    """A column times 2^40 has next to no penalty; so has the column as it was with such a
    factor.
    """
    columns = X * [math.ldexp(1.0, power) for power in unit]
    y = (
        np.where(Y > 0, 1.0, -1.0)
        if loss.two_class
        else np.abs(Y)
        if isinstance(loss, cb.losses.Poisson)
        else Y
    )
    path = cb.lasso_path(columns, y, [ALPHA], loss=loss, l1_ratio=l1_ratio, unit_columns=False)
    found = path.certificate(0)
    plain = cb.lasso_path(
        X,
        y,
        [ALPHA],
        loss=loss,
        l1_ratio=l1_ratio,
        unit_columns=False,
        penalty_factor=[2.0 ** -max(u, 0) for u in unit],
    )
    kept = [power >= 0 for power in unit]
    assert (
        found.lower <= found.upper <= path.problem.start_loss + 1e-9 * abs(path.problem.start_loss)
    )
    if all(kept):
        assert found.lower <= plain.certificate(0).upper + 1e-9 * path.problem.start_loss
    gap = found.gap / path.problem.start_excess
    assert one_gap(gap, path)
    assert (path.message == "complete") == (path.gaps[0] <= 1e-6)
