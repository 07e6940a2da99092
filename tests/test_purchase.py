"""Gram columns are bought for what was lost by not having them, not before."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_lookahead import ar1, unit

import coordboost as cb
from coordboost.engine.memory import Memory
from coordboost.engine.prices import Prices
from coordboost.engine.purchase import SOON, TOGETHER, TRUST, purchase
from coordboost.engine.stepper import Stepper
from coordboost.engine.views.gathered import gathered_candidates

stretches = st.lists(st.tuples(st.integers(1, 500), st.integers(0, 300), st.integers(0, 20), st.integers(1, 9000)), max_size=60)


@given(stretches, st.integers(1, 9), st.integers(1, 50))
def test_never_more_than_was_lost(stretches, column, scan):
    """Whatever a run costs, and whenever it ends: what was spent is at most TRUST times what was lost, and a change comes in the end."""
    credit, lost, spent, missing = 0, 0, 0, 0
    for price, moving, fresh, steps in stretches:
        lost, missing = lost + max(0, price - moving), missing + fresh
        credit = max(0, credit + TRUST * (price - moving))
        columns, change, left = purchase(credit, missing, column, scan, SOON * price / steps)
        assert change == (credit >= missing * column + scan)
        assert columns == missing if change else columns % TOGETHER == 0 and columns <= missing
        assert change or left == credit - columns * column >= 0
        spent, missing, credit = spent + columns * column + change * scan, missing - columns, left
        assert spent <= TRUST * lost
        if change:
            return


def test_much_is_paid_in_advance():
    """What a change costs more than the next 5,000 steps, as far as the credit goes; less is not touched."""
    assert purchase(700.0, 100, 10.0, 100.0, soon=1100.0) == (0, False, 700.0)
    assert purchase(700.0, 100, 10.0, 100.0, soon=500.0) == (32, False, 380.0)
    assert purchase(700.0, 100, 10.0, 100.0, soon=200.0) == (64, False, 60.0)
    assert purchase(1100.0, 100, 10.0, 100.0, soon=0.0) == (100, True, 0.0)


def test_a_run_that_ends_before_columns_pay():
    """While lookahead makes 500 steps a scan it costs no more than Gram columns would: 109 columns were bought before step 90,000."""
    X, y = ar1(60, 2000, k=20)
    problem, method = cb.Problem(X, unit(y)), cb.forward_stagewise(3e-5)
    run, longer = (cb.solve(problem, method, steps) for steps in (90_000, 96_000))
    assert run.n_gram_columns == 0 < longer.n_gram_columns
    assert (longer.path.learner[:90_000] == run.path.learner).all()


def test_steps_on_gathered_columns_cost_their_products():
    """A correlation with each candidate, and the residual: more candidates cost more."""
    X, y = ar1(60, 200, k=20)
    problem = cb.Problem(X, y, cb.Huber(1.0))
    prices = Prices(problem)
    few, many = (gathered_candidates(problem, np.zeros(200), size) for size in (10, 40))
    for found, size in ((few, 10), (many, 40)):
        cost = (found.price(prices, 1000) - found.price(prices, 0)) / 1000
        assert prices.residual + 60 * size <= cost <= prices.residual + 3 * 60 * size


@pytest.mark.parametrize("steps", [3_000, 200_000])
def test_guesses_follow_how_many_were_right(steps):
    """Columns computed with one that is wanted are four times as many as were in use of those computed last, and 16 to 32."""
    X, y = ar1(60, 2000, k=20)
    stepper = Stepper(
        cb.Problem(X, unit(y)), cb.ls_boost(0.02) if steps < 10_000 else cb.forward_stagewise(1e-4), view=cb.GramColumns
    )
    source, asked = stepper.source, []
    likely = source._likely

    def watched(beta):
        last = source.store.blocks[-1] if source.store.blocks else []
        chosen = likely(beta)
        asked.append((len(chosen), min(TOGETHER, max(16, 4 * np.count_nonzero(beta[last])))))
        return chosen

    source._likely = watched
    for _ in stepper.blocks(steps):
        pass
    assert len(asked) > 3 and all(width == wanted for width, wanted in asked)


def test_what_a_gram_column_costs():
    """From counts, or in a product of matrices, much less than a scan; else a scan. A learner in Python costs a call more."""
    X, y = ar1(60, 200, k=20)

    class Called:
        n_samples, n_learners = 60, 200
        scan, column = staticmethod(lambda v: X.T @ v), staticmethod(lambda j: X[:, j].copy())

    X = X / np.linalg.norm(X, axis=0)
    called, stored, stumps = (Prices(cb.Problem(B, y)) for B in (Called(), X, cb.stumps(X)))
    assert called.gram_column == called.scan > stored.scan and not called.in_blocks
    assert stored.gram_column < 0.5 * stored.scan and stored.in_blocks
    assert stumps.gram_column < 0.5 * stumps.scan and not stumps.in_blocks


def test_new_learners_that_take_a_scan_each_lose_nothing():
    """On Gram columns such steps would cost as much: no credit comes of them, but of as many steps with the learners of before."""
    X, y = ar1(60, 200, k=20)
    X = X / np.linalg.norm(X, axis=0)

    class Called:
        n_samples, n_learners = 60, 200
        scan, column = staticmethod(lambda v: X.T @ v), staticmethod(lambda j: X[:, j].copy())

    new = np.where(np.arange(200) < 50, 0.01, 0.0)
    credits = []
    for before in (np.zeros(200), new):
        source = Stepper(cb.Problem(Called(), y), cb.ls_boost(0.1)).source
        source.restore(before, Memory("Explicit", 5, 30, 40).saved())
        source._cheapest(new, 50)
        credits.append(source.memory.credit + source.prices.gram_column * source.n_columns)
    scan = source.prices.scan
    assert credits[0] < 10 * scan < 50 * scan <= credits[1] <= TRUST * 50 * source.prices.explicit


def test_without_gram_columns_there_is_no_credit():
    """What a run on gathered columns remembers can be read again."""
    X, y = ar1(20, 40, k=5)
    source = Stepper(cb.Problem(X, y, cb.Huber(1.0)), cb.gcd(), view=cb.Gathered).source
    source.rebuild(np.zeros(40), 10)
    assert source.memory.credit == 0 and Memory.read(source.saved, ["Gathered", "Explicit"], 40) == source.memory
