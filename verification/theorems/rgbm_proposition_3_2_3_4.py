r"""The distribution of the winner (Propositions 3.2 and 3.4, Remark 3.3, (10), (12)).

Problem: a vector a and a rule that draws a set J; the largest abs(a_j) in J wins.

Method: Types 0-3 of random selection.

Assumptions: draws without replacement, Type 3 too (not stated in the text, but needed for (12)).

Claim: tight: the j-th largest wins with probability gamma_t^K(j), (10), the best of the j-th best
group with gamma_t^G(j), (12); the expected size of the winner is the norm (Proposition 3.4). Remark
3.3: the weights do not increase. Sharpened: each falls by at least the fraction (t - 1) / (n - 1),
so for t >= 2 they fall until they are 0.

Constants: none.

Measured: frequencies over all draws, in rationals; compared with the package's weights and norms.

Reference: Lu, Mazumder, Propositions 3.2 and 3.4, Remark 3.3.
"""

import functools
from fractions import Fraction
from itertools import product
from math import comb

import numpy as np

from coordboost.rules import Greedy, Groups, RandomSubset
from coordboost.theory.bounds import BoundCheck
from verification.rgbm import LABELS, RULES, law, norm
from verification.spaces.draw import exact_draw
from verification.spaces.draws import BASIS, DRAWS
from verification.statement import stated


def vector(rule, ties=False):
    """Return a rule, the groups and a vector of Fractions, with or without ties."""
    rng = np.random.default_rng(3)
    a = rng.permutation(np.array([5, -3, 2, 7, -1, 4])) if not ties else rng.integers(-2, 3, 6)
    return rule, np.array(LABELS), np.array([Fraction(int(x)) for x in a], dtype=object)


def _gamma(t, n):
    return [Fraction(comb(n - j, t - 1), comb(n, t)) for j in range(1, n + 1)]


def formula(rule, label, a):
    """Return the probabilities by (10) and (12), (K,), as Fractions."""
    leaders = {
        Greedy: lambda: [int(np.argmax(np.abs(a)))],
        RandomSubset: lambda: list(range(len(a))),
        Groups: lambda: [
            int(members[np.argmax(np.abs(a)[members])])
            for members in (np.flatnonzero(label == g) for g in np.unique(label))
        ],
    }[type(rule)]()
    leaders.sort(key=lambda j: (-abs(a[j]), j if type(rule) is RandomSubset else int(label[j])))
    weights = [Fraction(1)] if type(rule) is Greedy else _gamma(rule.t, len(leaders))
    values = np.array([Fraction(0)] * len(a), dtype=object)
    values[leaders] = weights
    return values


def _winner(case, probabilities):
    rule, label, a = case
    at_least = (
        np.abs(a)[None] >= np.sort(np.abs(a))[:, None]
    )  # with ties the formula gives only the size of the winner
    return BoundCheck(
        "Proposition 3.2",
        "printed",
        "tight",
        at_least @ law(rule, label, a),
        at_least @ probabilities,
        0,
        "exact",
    )


check_law = stated(
    "Proposition 3.2",
    (DRAWS, BASIS),
    "The place of rank j is selected with probability gamma(j).",
    printed="law_by_rank == gamma",
)


@check_law.otherwise
def _(case, variant):
    """P(winner = (j)) = gamma(j), by (10) and (12)."""
    return _winner(case, formula(*case)) if isinstance(case, tuple) else None


def _expectation(case, probabilities):
    rule, label, a = case
    exact = probabilities @ np.abs(a)
    return [
        BoundCheck(
            "Proposition 3.4",
            "printed",
            "tight",
            [exact],
            [formula(rule, label, a) @ np.abs(a)],
            0,
            "exact",
        ),
        BoundCheck(
            "Proposition 3.4",
            "printed",
            "tight",
            [float(exact)],
            [norm(rule, label, a.astype(float))],
            1e-13,
            "enumerated",
        ),
    ]


check_expectation = stated(
    "Proposition 3.4",
    (DRAWS, BASIS),
    "The expected size of the selected entry is the norm.",
    printed="mean_size == norm",
)


@check_expectation.otherwise
def _(case, variant):
    """E abs(a_winner) = norm(a)."""
    return _expectation(case, law(*case)) if isinstance(case, tuple) else None


check_decrease = stated(
    "Remark 3.3",
    (DRAWS, BASIS),
    "The weights do not increase; sharpened: each falls by a fraction (t - 1) / (n - 1) or more.",
    printed="later(gamma) <= gamma",
    sharpened="later(gamma) * (n_places - 1) <= (n_places - drawn) * gamma",
)


@check_decrease.otherwise
def _(case, variant):
    """gamma_t^n(j) does not increase in j.

    Sharpened: gamma(j + 1) <= (n - t) / (n - 1) gamma(j), with equality for j = 1.
    """
    pairs = (
        [] if isinstance(case, tuple) else [(t, n) for n in range(2, 9) for t in range(1, n + 1)]
    )
    return [
        _decrease(variant, _gamma(t, n), Fraction(n - t, n - 1) if variant == "sharpened" else 1)
        for t, n in pairs
    ]


def _decrease(variant, weights, part):
    bound = [part * weight for weight in weights[:-1]]
    return BoundCheck("Remark 3.3", variant, "upper", weights[1:], bound, 0, "exact", along="j")


CASES = {
    **{name: functools.partial(vector, rule) for name, rule in RULES.items()},
    **{
        f"{name}, ties": functools.partial(vector, rule, True)
        for name, rule in RULES.items()
        if type(rule) is not Groups
    },
    "t <= n <= 8": lambda: None,
    "two drawn of three": lambda: exact_draw(
        y=(3, 2, 1), other=(1, 0, 0), label=(0, 1, 2), kind=1, t=2
    ),
}


def _replaced(case):
    """The distribution of the winner of two learners drawn with replacement, over all pairs (i,
    j).
    """
    a = case[2]
    wins = [max((i, j), key=lambda k: abs(a[k])) for i, j in product(range(len(a)), repeat=2)]
    return np.array([Fraction(wins.count(j), len(wins)) for j in range(len(a))], dtype=object)


def _if(rule_type, action):
    return lambda case: (
        action(case)
        if isinstance(case, tuple) and type(case[0]) is rule_type and getattr(case[0], "t", 2) == 2
        else None
    )


SABOTAGE = {
    check_law: {
        "draws with replacement": _if(RandomSubset, lambda case: _winner(case, _replaced(case)))
    },
    check_expectation: {
        "draws with replacement": _if(
            RandomSubset, lambda case: _expectation(case, _replaced(case))
        )
    },
    check_decrease: {
        "weights in reverse": lambda case: (
            None if isinstance(case, tuple) else _decrease("printed", _gamma(3, 6)[::-1], 1)
        ),
        "the fraction (n - t) / n": check_decrease.instead(
            "later(gamma) * n_places <= (n_places - drawn) * gamma"
        ),
        "falls for t = 1 too": check_decrease.instead(
            "later(gamma) * n_places <= (n_places - 1) * gamma"
        ),
    },
}
