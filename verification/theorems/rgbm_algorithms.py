r"""The selection rules of the package, over all sets of learners that they may draw.

Problem: a vector of six products, and learners in three groups.

Method: Types 0 to 3: all learners, t of them, one group, t groups.

Assumptions: sets are drawn uniformly, without replacement.

Claim: tight: the norm of a rule is the mean size of the learner that wins; its dual norm is the
largest ratio of inner product and norm, attained where all entries of some groups are equal and the
others 0; the weights are the probabilities to win by rank; every set is drawn equally often.

Constants: none.

Measured: norms, dual norms, weights and probabilities of the package; means over all draws. For
the sets that are drawn, frequencies in 20,000 draws, within six standard deviations.

Reference: Lu, Mazumder, Types 0 to 3, Definitions 3.1 to 3.4, Proposition 3.1, (9) to (12).
"""

from dataclasses import dataclass
from itertools import combinations
from math import comb, sqrt
from typing import Any

import numpy as np

import coordboost as cb
from verification.algorithms import Algorithm, unscaled
from verification.rgbm import LABELS, RULES, draws, law

#: Sets drawn to count them.
DRAWN = 20_000


@dataclass(frozen=True, eq=False)
class Drawn:
    """A rule, the group of each learner, and two vectors (K,)."""

    rule: Any
    label: np.ndarray
    a: np.ndarray
    b: np.ndarray

    @property
    def bound(self):
        """The rule of the package for these learners."""
        K = len(self.label)
        return self.rule.bind(unscaled(np.eye(K), np.ones(K), groups=self.label))

    @property
    def places(self):
        """What is drawn, as arrays of learners: groups, for Types 0 and 1 single learners."""
        grouped = isinstance(self.rule, cb.rules.Groups)
        label = self.label if grouped else np.arange(len(self.label))
        return [np.flatnonzero(label == place) for place in np.unique(label)]

    def mean_size(self, a):
        """Return the mean over all draws of the size of the entry that wins."""
        return float(law(self.rule, self.label, a) @ np.abs(a))


def _package_norms(case):
    return [case.bound.norm(case.a), case.bound.dual_norm(case.b)]


def norms(case, of_place=np.sum):
    """The mean size of the winner, and the largest <b, a> / norm(a), where a is the sign of b on
    some places and 0 on the others.
    """
    ratios = []
    for count in range(1, len(case.places) + 1):
        for places in combinations(case.places, count):
            inside = np.isin(np.arange(len(case.b)), np.concatenate(places))
            inner = sum(of_place(np.abs(case.b[place])) for place in places)
            ratios.append(inner / case.mean_size(inside.astype(float)))
    return [case.mean_size(case.a), max(ratios)]


check_norms = Algorithm(
    "RGBM, norms of the rules",
    Drawn,
    "The norm of a rule is the mean size of the winner; its dual norm bounds inner products, and "
    "is attained.",
    _package_norms,
    norms,
)


def _package_weights(case):
    n = len(case.places)
    t = getattr(case.rule, "t", n)
    return [
        case.bound.weights(n),
        cb.rules.selection.subset_weights(t, n),
        case.bound.chances(case.a[None], None, None)[0],
    ]


def weights(case, less=0):
    """Probabilities to win by rank, comb(n - j, t - 1) / comb(n, t), and by learner."""
    n = len(case.places)
    t = getattr(case.rule, "t", n)
    by_rank = [comb(max(n - j - less, 0), t - 1) / comb(n, t) for j in range(1, n + 1)]
    return [by_rank, by_rank, law(case.rule, case.label, case.a)]


check_weights = Algorithm(
    "RGBM, chances of the winners",
    Drawn,
    "The best of t drawn places is the j-th of all with probability comb(n - j, t - 1) / comb(n, "
    "t).",
    _package_weights,
    weights,
)


def _package_sets(case):
    """The fraction of draws of each set of places that was drawn."""
    if case.rule == cb.rules.Greedy():
        return 1.0
    rows = case.bound.draw(np.random.default_rng(0), DRAWN, len(case.label))
    counts = np.unique(np.sort(rows, axis=1), axis=0, return_counts=True)[1]
    return counts / DRAWN


def even(case, factor=1.0):
    """The same for every set."""
    n_sets = len(draws(case.rule, case.label))
    return np.full(n_sets, factor / n_sets)


check_sets = Algorithm(
    "RGBM, sets that are drawn",
    Drawn,
    "Every set of t places is drawn equally often, within six standard deviations.",
    _package_sets,
    even,
    slack=6 * 0.5 / sqrt(DRAWN),
    level="sampled",
)


def vectors(rule, seed):
    """Return a rule with two random vectors."""
    rng = np.random.default_rng(seed)
    return Drawn(rule, np.array(LABELS), rng.normal(size=6), rng.normal(size=6))


CASES = {
    f"{name}, {seed}": (lambda rule=rule, seed=seed: vectors(rule, seed))
    for name, rule in RULES.items()
    for seed in (1, 2)
}
QUICK = [name for name in CASES if name.endswith("1")]

SABOTAGE = {
    check_norms: {
        "the largest of a group in the place of its sum": check_norms.instead(
            lambda case: norms(case, np.max)
        )
    },
    check_weights: {"a rank too late": check_weights.instead(lambda case: weights(case, 1))},
    check_sets: {"a fifth more often": check_sets.instead(lambda case: even(case, 1.2))},
}
