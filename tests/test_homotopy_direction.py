"""One corner of an exact path: how far the signs let the direction go, who leaves, who may come back; and where the next corner is."""

from types import SimpleNamespace

import numpy as np
import pytest

from coordboost.exact.corners import move_direction
from coordboost.exact.segments import step_length
from coordboost.exact.state import LAR, LASSO, STAGEWISE


def corner(kind, direction, sign=(1, -1, 1), beta=(0, 0, 0), barred=(0, 0, 0, 1)):
    """Three active learners of four candidates, with orthonormal columns, in another order than they have."""
    rank = np.array([1, 0, 2, -1])
    state = SimpleNamespace(kind=kind, n_active=3, n_candidates=4)
    arrays = {"sign": (*sign, 1), "direction": (*direction, 0), "beta": (*beta, 0), "barred": barred}
    arrays = {name: np.array(values, dtype=float) for name, values in arrays.items()}
    return SimpleNamespace(now=state, active=np.array([1, 0, 2]), rank=rank, factor=np.eye(3), **arrays)


@pytest.mark.parametrize("kind", [LASSO, STAGEWISE])
def test_the_first_that_its_sign_stops_leaves(kind):
    """Learner 1 is at 0 half of the way to the target, learner 2 at four fifths of it."""
    path = corner(kind, [1.0, -2.0, 4.0])
    assert not move_direction(path, np.array([2.0, 2.0, -1.0]))  # of learners 1, 0, 2
    np.testing.assert_allclose(path.direction, [1.5, 0.0, 1.5, 0.0], rtol=1e-15)
    assert path.now.n_active == 2 and list(path.active[:2]) == [0, 2] and list(path.rank) == [0, -1, 1, -1]
    assert not path.barred.any()  # it was a step ahead: who left before may come back


@pytest.mark.parametrize(("kind", "beta"), [(LAR, (0, 0, 0)), (LASSO, (0, -0.5, 0.5))])
def test_who_may_shrink_is_not_stopped(kind, beta):
    """No learner of LAR, and those of the Lasso that have a coefficient."""
    path = corner(kind, [1.0, -2.0, 4.0], beta=beta)
    assert move_direction(path, np.array([2.0, 2.0, -1.0]))
    assert list(path.direction) == [2.0, 2.0, -1.0, 0.0] and path.now.n_active == 3 and not path.barred.any()


def test_of_stagewise_nobody_may_shrink():
    path = corner(STAGEWISE, [1.0, -2.0, 4.0], beta=(0, -0.5, 0.5))
    assert not move_direction(path, np.array([2.0, 2.0, -1.0])) and path.rank[1] == -1


def test_who_leaves_without_a_step_may_not_come_back():
    """Learners 0 and 1 are at 0 and would go against their signs: one leaves, and nothing else changes."""
    path = corner(LASSO, [0.0, 0.0, 1.0])
    assert not move_direction(path, np.array([3.0, -1.0, 2.0]))
    assert list(path.direction) == [0.0, 0.0, 1.0, 0.0] and path.now.n_active == 2
    assert list(path.barred) == [0, 1, 0, 1] and list(path.active[:2]) == [0, 2]


@pytest.mark.parametrize("barred", [0, 1])
def test_a_step_of_rounding_is_no_step_ahead(barred):
    path = corner(LASSO, [1.0, -1.0, 1.0], barred=(0, 0, 0, barred))
    assert move_direction(path, np.array([-1.0, 1.0, 1.0 + 3e-9])) and path.barred[3] == barred
    assert move_direction(path, np.array([-1.0, 1.0, 1.0 + 9e-9])) and path.barred[3] == 0.0


def test_a_direction_at_0_may_stay_there():
    """A target of exactly 0 stops nobody before the end of the way, where it is reached."""
    path = corner(STAGEWISE, [1.0, -1.0, 1.0])
    assert move_direction(path, np.array([0.0, 1.0, 1.0])) and list(path.direction) == [1.0, 0.0, 1.0, 0.0]


def segment(rng, kind):
    """Six candidates within the level, three of them active, one of the others tied with a correlation that falls faster than lam."""
    sign, rank = rng.choice([-1.0, 1.0], 6), np.array([0, -1, 1, -1, 2, -1])
    corr, rate = rng.uniform(-2, 2, 6), rng.uniform(-1.5, 1.5, 6)
    corr[1], rate[1] = 2 * sign[1], 1.25 * sign[1]
    now = SimpleNamespace(kind=kind, n_candidates=6, lam=2.0, end=rng.choice([0.0, 0.5]), tie=1e-12)
    places = {"corr": corr, "corr_rate": rate, "direction": rng.normal(size=6), "beta": rng.uniform(0, 2, 6) * sign}
    return SimpleNamespace(now=now, rank=rank, sign=sign, tied=np.array([1, 1, 1, 0, 1, 0]), **places)


def events(path):
    """When lam falls: (how far, who leaves or -1) for each coefficient that comes to 0 and each learner that comes to the level."""
    for j in range(6):
        if path.rank[j] >= 0:
            if path.now.kind == LASSO and path.direction[j] * path.beta[j] < 0:
                yield -path.beta[j] / path.direction[j], j
        else:
            for side in (1.0, -1.0):
                speed = 1.0 - side * path.corr_rate[j]
                if speed > 0 and not (path.tied[j] and path.sign[j] == side):
                    yield (2.0 - side * path.corr[j]) / speed, -1


@pytest.mark.parametrize("kind", [LAR, LASSO])
def test_the_next_corner_is_the_first_event(kind):
    rng, seen = np.random.default_rng(0), set()
    for _ in range(300):
        path = segment(rng, kind)
        fall, leaving = step_length(path)
        first, who = min([*events(path), (2.0 - path.now.end, -1)])
        assert fall == pytest.approx(first, rel=1e-15) and leaving == who
        seen.add((leaving, fall == 2.0 - path.now.end))
    assert len(seen) == (5 if kind == LASSO else 2)  # each of three leaves, one comes in, the end


@pytest.mark.parametrize("tie", [0.01, 0.05])
def test_what_comes_to_the_level_at_the_end_is_no_corner(tie):
    """The level would be 0.06 there; a learner that comes nearer half as fast is 0.03 above it at the end: two ties, or more."""
    rng = np.random.default_rng(0)
    path = segment(rng, LAR)
    path.now.end, path.now.tie = 0.0, tie
    path.tied[1], path.corr[:], path.corr_rate[:] = 0, 0.0, 0.0
    path.corr[3], path.corr_rate[3] = 1.03, 0.5
    assert step_length(path) == ((1.94, -1) if tie == 0.01 else (2.0, -1))
