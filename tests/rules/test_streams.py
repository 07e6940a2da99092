"""A user's random selection rule: its draws are used as they are, and bad draws are refused with an
explanation.
"""

from collections import namedtuple
from itertools import product

import numpy as np
import pytest
from designs import draws, gaussian

import coordboost as cb

PROBLEM = cb.Problem(*gaussian("tall"))


class Weighted(namedtuple("Weighted", "chance"), cb.rules.SelectionRule):
    """One learner a step, learner j with probability chance[j]."""

    width = 1

    def draw(self, rng, n_rows, n_learners):
        return rng.choice(n_learners, size=(n_rows, 1), p=self.chance)

    def pick(self, state, step, beta, drawn, k):
        return cb.rules.best_of(state, step, beta, drawn)


def test_a_random_rule_of_the_users_own():
    chance = np.array([0.5, 0.25, 0.25, 0.0, 0.0])
    method = cb.rules.Method("weighted", Weighted(chance), cb.rules.ShrunkenStep())
    run = cb.solve(PROBLEM, method, 5000, rng=3)
    counts = np.bincount(run.path.learner, minlength=5)
    # Hoeffding, each count within this bound except with probability 1e-9: 5000 sqrt(log(2e9) / (2
    # * 5000))
    assert np.abs(counts - 5000 * chance).max() <= 5000 * np.sqrt(np.log(2e9) / 10_000)
    halves = cb.solve(PROBLEM, method, 1234, rng=3, compile=False).resume(3766)
    assert (halves.path.learner == run.path.learner).all()


class Drawn(namedtuple("Drawn", "kind", defaults=(0,)), cb.rules.SelectionRule):
    """A rule that draws what the test prescribes."""

    width = 2

    def draw(self, rng, n_rows, n_learners):
        good = rng.integers(0, n_learners, size=(n_rows, 2))
        return [
            good,
            good[:, :1],
            good[1:],
            good.astype(float),
            good + 1,
            good - 1,
            good.tolist(),
            None,
            good.astype(np.uint8),
        ][self.kind]

    def pick(self, state, step, beta, drawn, k):
        return cb.rules.best_of(state, step, beta, drawn)


class Wide(Drawn):
    draws_below = 6

    def pick(self, state, step, beta, drawn, k):
        return cb.rules.best_of(state, step, beta, drawn % 5)


class Mute(namedtuple("Mute", ""), cb.rules.SelectionRule):
    width = 2

    def pick(self, state, step, beta, drawn, k):
        return cb.rules.best_of(state, step, beta, drawn)


@pytest.mark.parametrize(
    "kind, got",
    [
        (1, r"got int64 \(4096, 1\)"),
        (2, r"got int64 \(4095, 2\)"),
        (3, r"got float64 \(4096, 2\)"),
        (4, "got the number 5"),
        (5, "got the number -1"),
        (6, r"got \[\["),
        (7, "got None"),
    ],
)
def test_bad_draws_are_refused(kind, got):
    with pytest.raises(
        ValueError,
        match=r"Drawn.draw must return an array of whole numbers from 0 to 4, of shape \(n_rows, "
        rf"width\) = \(4096, 2\).*{got}",
    ):
        cb.solve(
            PROBLEM, cb.rules.Method("own", Drawn(kind), cb.rules.ShrunkenStep()), 10, compile=False
        )


def test_good_draws_are_taken():
    """Any integer type; numbers that are no learners, if the rule declares their range."""
    runs = [
        cb.solve(
            PROBLEM, cb.rules.Method("own", Drawn(kind), cb.rules.ShrunkenStep()), 10, compile=False
        )
        for kind in (0, 8)
    ]
    assert (runs[0].path.learner == runs[1].path.learner).all()
    with pytest.raises(ValueError, match="Mute has width = 2 but no draw"):
        cb.solve(
            PROBLEM, cb.rules.Method("own", Mute(), cb.rules.ShrunkenStep()), 10, compile=False
        )
    cb.solve(PROBLEM, cb.rules.Method("own", Wide(4), cb.rules.ShrunkenStep()), 10, compile=False)
    said = (
        r"from 0 to 5, .* got the number -1. A rule that draws other numbers must declare "
        r"their bound, draws_below"
    )
    with pytest.raises(ValueError, match=said):
        cb.solve(
            PROBLEM, cb.rules.Method("own", Wide(5), cb.rules.ShrunkenStep()), 10, compile=False
        )


class Preferring(namedtuple("Preferring", "price"), cb.rules.StepRule):
    """LS-Boost(1) with a price for each learner: the score depends on the learner."""

    def move(self, k, state, j, corr, beta_j):
        return 0.0, corr

    def score(self, j, corr, beta_j):
        return abs(corr) / self.price[j]


@pytest.mark.parametrize(
    ("model_state", "select", "compile"),
    [
        (cb.engine.NaiveState, cb.rules.RandomSubset(4), True),
        (cb.engine.CovarianceState, cb.rules.Greedy(), True),
        *product(
            (cb.engine.NaiveState, cb.engine.CovarianceState),
            (cb.rules.Greedy(), cb.rules.RandomSubset(4)),
            (False,),
        ),
    ],
)
def test_scores_may_depend_on_the_learner(model_state, select, compile):
    """The naive loop takes the largest correlation over price; with equal prices the method is
    LS-Boost(1).
    """
    B = PROBLEM.dictionary.gather(np.arange(5))
    price = np.array([4.0, 1.0, 2.0, 8.0, 0.5])
    run = cb.solve(
        PROBLEM,
        cb.rules.Method("own", select, Preferring(price)),
        30,
        model_state=model_state,
        compile=compile,
    )
    drawn = draws(PROBLEM, run.method, 30) if select != cb.rules.Greedy() else [range(5)] * 30
    pred = 0 * PROBLEM.y
    picks = []
    for index in drawn:
        corr = B.T @ (PROBLEM.y - pred)
        picks.append(max(index, key=lambda j: abs(corr[j]) / price[j]))
        pred = pred + corr[picks[-1]] * B[:, picks[-1]]
    assert run.path.learner.tolist() == picks
