"""What work costs, by hand, and which view a run gets for it."""

from types import SimpleNamespace

import numpy as np
import pytest

import coordboost as cb
from coordboost.engine.choose import checked_view, choose_view
from coordboost.engine.memory import Memory
from coordboost.engine.prices import CALL, COUNT, COUNTED, IN_BLOCK, OVERHEAD, Prices, by_gain, by_scans

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(20, 30)), RNG.normal(size=20)


class Own:
    """Learners in Python."""

    n_samples, n_learners = 20, 30
    scan, column = staticmethod(lambda v: X.T @ v), staticmethod(lambda j: X[:, j].copy())


X /= np.linalg.norm(X, axis=0)
STORED, OWN, STUMPS = cb.Problem(X, Y), cb.Problem(Own(), Y), cb.Problem(cb.stumps(X), Y)


def test_costs_of_stored_columns():
    """A scan is n p products; a Gram entry, computed for both of its places, n / 2; a residual of another loss has exponentials."""
    prices = Prices(STORED)
    assert (prices.scan, prices.residual, prices.explicit) == (600, 160, 960)
    assert (prices.column, prices.entry, prices.worth, prices.gram_column) == (40, 10, 30, IN_BLOCK * 600)
    assert prices.moved == 639 and prices.in_blocks and not prices.counted
    assert Prices(cb.Problem(X, np.sign(Y), cb.Logistic())).residual == 2000


def test_costs_of_learners_in_python():
    """Every scan and every column is a call; a Gram column is a scan."""
    prices = Prices(OWN)
    assert prices.scan == prices.gram_column == 600 + CALL and prices.column == 40 + CALL
    assert prices.worth == prices.scan / 20 and not prices.in_blocks


def test_costs_of_counts():
    """Entries from counts do not ask how many samples there are."""
    prices = Prices(STUMPS)
    assert prices.counted and not prices.in_blocks and prices.entry == COUNT
    assert prices.column == prices.gram_column == COUNTED * prices.scan and prices.worth == STUMPS.n_learners


def test_cost_of_a_choice_of_candidates():
    prices = Prices(STORED)
    assert prices.candidates(7) == 600 + OVERHEAD + 49
    assert prices.candidates(7, 3, 21) == prices.candidates(7) + 3 * 40 + 21 * 10


def test_how_many_candidates():
    """Four scans, of which two were explicit steps: sqrt(3 K n) for few learners, 7 sqrt(K) n^(1/3) for many; rounded up."""
    memory = Memory("Lookahead", scans=1, plain=2, size=50)
    assert [by_scans(memory, None, n) for n in (12, 13, 10**6)] == [12, 13, 1400]
    assert by_gain(memory, None, 200) == 20
    assert [by_gain(memory, gained, 1000) for gained in (0, 19, 20, 21)] == [75, 75, 40, 40]
    assert [by_gain(memory._replace(size=size), 1000, 1000) for size in (20, 21, 40)] == [16, 16, 32]


def sized(problem, n_samples, n_learners):
    """What ``choose_view`` looks at, for a table of this size."""
    return SimpleNamespace(
        dictionary=problem.dictionary, loss=problem.loss, n_samples=n_samples, n_learners=n_learners, y=problem.y
    )


LOGISTIC = cb.Problem(X, np.sign(Y), cb.Logistic())
WEIGHING = SimpleNamespace(
    noise=None, coefficients=cb.ls_boost(0.1).coefficients, select=SimpleNamespace(foresees=True), greedy=True
)
CHUNKED = SimpleNamespace(dictionary=SimpleNamespace(one_pass=True), loss=cb.Squared(), y=Y)


@pytest.mark.parametrize(
    ("problem", "method", "n_samples", "n_learners", "view"),
    [
        # greedy steps: lookahead beyond 200 learners
        (STORED, cb.ls_boost(0.1), 500, 200, cb.Gram),
        (STORED, cb.ls_boost(0.1), 500, 201, cb.Lookahead),
        (STORED, cb.ls_boost(0.1), 1, 200, cb.Gram),
        (OWN, cb.ls_boost(0.1), 500, 2, cb.Lookahead),
        (LOGISTIC, cb.gcd(), 500, 200, cb.Explicit),
        (LOGISTIC, cb.gcd(), 500, 201, cb.Gathered),
        # drawn learners: all correlations are moved where that costs no more than those that are looked at
        (STORED, cb.rtgcd(2), 500, 1000, cb.Gram),
        (STORED, cb.rtgcd(2), 499, 1000, cb.Explicit),
        (STORED, cb.rtgcd(2), 9000, 1001, cb.Explicit),
        (OWN, cb.rtgcd(2), 9000, 10, cb.Explicit),
        # a table that is read once
        (CHUNKED, cb.ls_boost(0.1), 4000, 4000, cb.Gram),
        (CHUNKED, cb.ls_boost(0.1), 3999, 4000, cb.Lookahead),
        (CHUNKED, cb.ls_boost(0.1), 9000, 4001, cb.Lookahead),
    ],
)
def test_the_view_that_suits_the_work(problem, method, n_samples, n_learners, view):
    assert choose_view(sized(problem, n_samples, n_learners), method, True) is view


def test_without_compilation_nothing_looks_ahead():
    assert choose_view(sized(STORED, 500, 201), cb.ls_boost(0.1), False) is cb.Gram
    assert choose_view(sized(LOGISTIC, 500, 201), cb.gcd(), False) is cb.Explicit


def test_steps_that_weigh_the_losses_need_them_told():
    """The Gram form tells the squared loss after a step; it is set up where that costs no more than it saves."""
    sizes = [(1000, 1000), (999, 1000), (9000, 1001)]
    assert [choose_view(sized(STORED, *size), WEIGHING, True) for size in sizes] == [cb.Gram, cb.Explicit, cb.Explicit]
    assert all(choose_view(sized(problem, 1000, 10), WEIGHING, True) is cb.Explicit for problem in (LOGISTIC, OWN))


@pytest.mark.parametrize("view", [cb.GramColumns, cb.Lookahead])
def test_views_that_do_not_tell_losses_are_refused(view):
    method = SimpleNamespace(**vars(WEIGHING), name="Weighing")
    with pytest.raises(ValueError, match=f"Weighing looks at the losses that steps lead to, view={view.__name__} does not tell them"):
        checked_view(STORED, method, view)
    assert all(checked_view(STORED, method, told) is told for told in (cb.Explicit, cb.Gram))
