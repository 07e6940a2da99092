r"""Bounds on the correlations of all rules below a node of the search.

Problem: a vector v of sum 0, rows with weight 1, W of them; a node with cover S; covers T within S
of k = abs(T) rows, m <= k <= kappa = min(abs(S), W - m).

Method: the search of ``coordboost.data.rules``, by branch and bound.

Assumptions: none.

Claim: upper, sum_T v / sqrt(k (1 - k / W)) is at most

1. P max(g(m), g(kappa)), P the sum of max(v, 0) over S, g(x) = 1 / sqrt(x (1 - x / W));
2. sqrt(Q) / sqrt(1 - kappa / W), Q the sum of max(v, 0)^2 over S;
3. the largest V(k) g(k), V(k) the sum of the k largest v on S. It is attained.

And what a search of the package that is cut short gives as a bound holds for every rule.

Constants: none.

Measured: both sides, squared, in Fractions, for every node and every m of all vectors of five
whole numbers from -2 to 3; the largest correlation of all rules of a table.

Reference: ours; the proof is in docs/rules.md.
"""

import math
from fractions import Fraction as F
from functools import cache
from itertools import combinations, combinations_with_replacement

import numpy as np

import coordboost as cb
from coordboost.theory.bounds import BoundCheck
from verification.statement import claim


class Nodes:
    """All nodes of small tables: vectors of sum 0, in increasing order, covers, and least sizes."""

    def __init__(self, n_rows, low, high):
        self.vectors = [
            v for v in combinations_with_replacement(range(low, high + 1), n_rows) if sum(v) == 0
        ]
        self.n_rows = n_rows

    def __iter__(self):
        n = self.n_rows
        for v in self.vectors:
            for size in range(1, n + 1):
                for cover in sorted(set(combinations(v, size))):
                    for least in range(1, n // 2 + 1):
                        if min(size, n - least) >= least:
                            yield n, cover, least


class Table:
    """A table of whole numbers, and a vector."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        self.X = rng.integers(0, 5, (60, 4)).astype(float)
        self.v = rng.standard_normal(60)

    def largest(self):
        """The largest absolute correlation of a rule of three tests, by enumeration."""
        covers = [
            test for x in self.X.T for cut in range(4) for test in (x <= cut + 0.5, x > cut + 0.5)
        ]
        v = self.v - self.v.mean()
        largest = 0.0
        for three in combinations(covers, 3):
            for size in (1, 2, 3):
                cover = np.all(three[:size], axis=0)
                k = int(cover.sum())
                if 1 <= k <= 59:
                    largest = max(largest, abs(v[cover].sum()) / math.sqrt(k * (1 - k / 60)))
        return largest


@cache
def square_of_scale(k, n):
    """g(k)^2."""
    return 1 / (F(k) * (1 - F(k, n)))


def squares(n, cover, least):
    """The square of the largest correlation of a cover within a node, and of its bound, for each
    number of its rows.
    """
    falling = sorted(cover, reverse=True)
    widest = min(len(cover), n - least)
    return {
        k: max(0, sum(falling[:k])) ** 2 * square_of_scale(k, n) for k in range(least, widest + 1)
    }


def by_sum(n, cover, least):
    """The square of bound 1."""
    widest = min(len(cover), n - least)
    positive = sum(max(v, 0) for v in cover)
    return positive**2 * max(square_of_scale(least, n), square_of_scale(widest, n))


def by_norm(n, cover, least):
    """The square of bound 2."""
    widest = min(len(cover), n - least)
    return sum(max(v, 0) ** 2 for v in cover) / (1 - F(widest, n))


def by_order(n, cover, least):
    """The square of bound 3."""
    return max(squares(n, cover, least).values())


def truth(n, cover, least):
    """The square of the largest correlation of all covers within a node."""
    widest = min(len(cover), n - least)
    return max(
        max(0, sum(part)) ** 2 * square_of_scale(k, n)
        for k in range(least, widest + 1)
        for part in combinations(cover, k)
    )


def _checked(nodes, bound, name):
    """The check at the node where the truth is the largest part of the bound."""
    sides = [(truth(*node), bound(*node)) for node in nodes]
    measured, limit = max(sides, key=lambda side: side[0] / side[1] if side[1] else F(side[0] > 0))
    return BoundCheck(name, "sharpened", "upper", measured, limit, 0, "exact", at=1, along="node")


@claim("Rules below a node, sum", of=Nodes, sharpened="verified")
def check_sum(case, variant):
    """No correlation below a node exceeds P max(g(m), g(kappa)): ours."""
    return _checked(case, by_sum, "sum")


@claim("Rules below a node, norm", of=Nodes, sharpened="verified")
def check_norm(case, variant):
    """No correlation below a node exceeds sqrt(Q / (1 - kappa / W)): ours."""
    return _checked(case, by_norm, "norm")


@claim("Rules below a node, order", of=Nodes, sharpened="verified")
def check_order(case, variant):
    """The sums of the largest entries give the largest correlation below a node: ours."""
    return _checked(case, by_order, "order")


def _search(case, factor=1.0):
    family = cb.data.rules(case.X, depth=3, min_support=0, max_nodes=25)
    _, found, outside = family.find(case.v, 1, -1.0)
    claimed = factor * max(abs(found[0]), outside)
    largest = case.largest()
    return BoundCheck("search", "sharpened", "upper", largest, claimed, 1e-9, at=1, along="table")


@claim("Rules of a search cut short", of=Table, sharpened="verified")
def check_search(case, variant):
    """The bound of a search that ends after 25 nodes holds for every rule of the table: ours."""
    return _search(case)


CASES = {
    "all vectors of five whole numbers": lambda: Nodes(5, -2, 3),
    "all vectors of six whole numbers from -1 to 2": lambda: Nodes(6, -1, 2),
    "a table of 60 rows": lambda: Table(0),
    "another table": lambda: Table(1),
}

SABOTAGE = {
    check_sum: {
        "only g(kappa)": lambda case: _checked(
            case,
            lambda n, cover, least: (
                sum(max(v, 0) for v in cover) ** 2 * square_of_scale(min(len(cover), n - least), n)
            ),
            "sum",
        ),
        "a hundredth less": lambda case: _checked(
            case, lambda *node: F(99, 100) ** 2 * by_sum(*node), "sum"
        ),
    },
    check_norm: {
        "one row less": lambda case: _checked(
            case,
            lambda n, cover, least: (
                sum(max(v, 0) ** 2 for v in cover) / (1 - F(min(len(cover), n - least) - 1, n))
            ),
            "norm",
        ),
    },
    check_order: {
        "only the least number of rows": lambda case: _checked(
            case, lambda n, cover, least: squares(n, cover, least)[least], "order"
        ),
        "a thousandth less": lambda case: _checked(
            case, lambda *node: F(999, 1000) * by_order(*node), "order"
        ),
    },
    check_search: {"three quarters of the bound": lambda case: _search(case, 0.75)},
}
