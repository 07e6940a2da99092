"""The one store of gathered columns against a dictionary of columns, whatever is taken in and let go of, in any order."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import coordboost as cb
from coordboost.screening.columns import HeldColumns, ScaledColumns

N_LEARNERS, LENGTH = 12, 5
TABLE = np.random.default_rng(4).integers(-9, 10, (N_LEARNERS, LENGTH)).astype(float)
learners = st.permutations(range(N_LEARNERS)).flatmap(lambda order: st.integers(0, N_LEARNERS).map(lambda n: order[:n]))
moves = st.lists(
    st.one_of(st.tuples(st.just("at"), learners), st.tuples(st.just("keep"), st.integers(0, N_LEARNERS))), max_size=8
)


def fill(index, out):
    out[:] = TABLE[index]


def check(held, order, table=TABLE):
    """`held` has the columns of the learners `order`, at those rows, and their inner products."""
    m = len(order)
    assert len(held) == m and list(held.learner) == order
    assert [held.place[j] for j in order] == list(range(m)) and np.count_nonzero(held.place >= 0) == m
    v, few = np.arange(LENGTH) - 1.0, np.arange(m) % 5 == 4
    assert (held.correlations(v) == table[order] @ v).all()
    assert all((held.combine(coefs) == coefs @ table[order]).all() for coefs in (np.arange(m) - 2.0, few * 3.0))
    if held.scale is None:
        assert (held.rows[:m] == table[order]).all()
    if held.gram is not None:  # small integers, and quarters: no rounding
        assert (held.gram[:m, :m] == table[order] @ table[order].T).all()


@pytest.mark.parametrize("with_gram", [False, True])
@pytest.mark.parametrize("stored", [None, TABLE], ids=["gathered", "stored"])
@pytest.mark.parametrize("scale", [None, 2.0 ** -(np.arange(N_LEARNERS) % 3)], ids=["unit", "scaled"])
@given(moves=moves)
@example(moves=[("at", list(range(N_LEARNERS))), ("keep", 5), ("at", [11, 2, 7])])
def test_any_order_of_coming_and_going(with_gram, stored, scale, moves):
    """All together, too: stored columns are held as they are then, and what multiplies them is applied to what is asked."""
    kept, table = TABLE.copy(), TABLE if scale is None else scale[:, None] * TABLE
    held, order = HeldColumns(lambda new, out: np.copyto(out, table[new]), N_LEARNERS, LENGTH, with_gram, stored, scale), []
    for verb, what in moves:
        if verb == "keep":
            held.keep(what)
            order = order[:what]
        else:
            rows = held.at(np.array(what, dtype=np.int64))
            order += [j for j in what if j not in order]
            assert list(rows) == [order.index(j) for j in what]
        check(held, order, table)
    assert (kept == TABLE).all()  # also where the stored columns are held as they are


def test_stored_columns_are_not_copied():
    held = HeldColumns(None, N_LEARNERS, LENGTH, stored=TABLE)
    held.add(np.arange(N_LEARNERS))
    assert held.rows is TABLE


def test_room_is_made_once():
    """And never for more learners than there are."""
    held = HeldColumns(fill, N_LEARNERS, LENGTH, with_gram=True)
    held.reserve(3 * N_LEARNERS)
    rows, gram = held.rows, held.gram
    assert rows.shape == (N_LEARNERS, LENGTH) and gram.shape == (N_LEARNERS, N_LEARNERS)
    for j in range(N_LEARNERS):
        held.at(np.array([j]))
    assert held.rows is rows and held.gram is gram


@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_columns_of_a_problem_come_with_weights_and_scale(weighted, scaled):
    """Also where all are taken in at once, which spares a copy if they are stored as they are wanted."""
    weight, scale = np.arange(1.0, 6.0) if weighted else np.ones(LENGTH), np.linspace(0.25, 1, N_LEARNERS) if scaled else None
    problem = cb.Problem(TABLE.T, TABLE[0], sample_weight=weight)
    held = ScaledColumns(problem, scale).hold()
    held.add(np.arange(N_LEARNERS))
    wanted = np.sqrt(problem.weight) * problem.gather(np.arange(N_LEARNERS)).T * (1 if scale is None else scale[:, None])
    np.testing.assert_allclose(held.rows, wanted, rtol=1e-15, atol=0)


def test_stored_columns_are_never_written_to():
    """All were taken in as they are stored; then some go, and come again in another order."""
    stored = TABLE.copy()
    held = HeldColumns(fill, N_LEARNERS, LENGTH, stored=stored)
    held.add(np.arange(N_LEARNERS))
    held.keep(3)
    held.add(np.arange(3, N_LEARNERS)[::-1])
    assert (stored == TABLE).all() and (held.rows == TABLE[[0, 1, 2, *range(3, N_LEARNERS)[::-1]]]).all()
