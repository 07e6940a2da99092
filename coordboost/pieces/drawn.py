"""Selection rules that draw the learner by a law: given once, or made of the correlations.

They are homogeneous: a gradient times a positive number gives the same law, as the limit of Langevin boosting needs. On blocks of
columns, ``Problem(blocks(X, ...), y)``, ``Together`` and ``Mask`` draw columns that are fitted at once.

Source: Ustimenko and Prokhorenkova, *SGLB: Stochastic Gradient Langevin Boosting*, Section 5.
"""

import itertools
import math
from typing import NamedTuple

import numpy as np

from coordboost._checks import not_negative, real, shown
from coordboost._numba import kernel, verb
from coordboost._subsets import check_count, draw_subsets, subsets_in_parts
from coordboost._winner import best_in
from coordboost.pieces.base import SelectionRule

scan = verb("scan")
sought = verb("sought")


@kernel
def as_given(view, j, corr):
    """Learner j with the correlation that the scan has found: learners that are given."""
    return j, corr


taken = verb("taken", as_given)
together = verb("together")

#: What is drawn where a rule needs a number in (0, 1): one of so many whole numbers.
FINE = 1 << 53


class _Weighted(NamedTuple):
    p: np.ndarray
    member: np.ndarray = np.zeros(0, dtype=np.int64)
    start: np.ndarray = np.zeros(1, dtype=np.int64)


class Weighted(_Weighted, SelectionRule):
    """One learner, or one group of learners where they are found by a search, drawn with fixed probabilities.

    p : (n_learners,) or (n_groups,), in proportion to the probabilities; all equal is ``Subset(1)``
    """

    width = 1
    grouped = True
    blind = True

    def bind(self, problem):
        groups = problem.dictionary.n_groups
        n = problem.n_learners if groups is None else groups
        try:
            p = np.array(self.p, dtype=np.float64)
        except (TypeError, ValueError):
            p = np.zeros(0)
        if p.shape != (n,) or not (np.isfinite(p).all() and (p >= 0).all() and p.sum() > 0):
            raise ValueError(
                f"Weighted: p must be {n} numbers >= 0, not all 0, one for each learner or group; got {shown(self.p)}."
            )
        every = np.arange(n + 1, dtype=np.int64)
        return self._replace(p=p / p.sum(), member=every[:-1], start=every)

    @property
    def draws_below(self):
        return len(self.p)

    def draw(self, rng, n_rows, n_learners):
        return rng.choice(len(self.p), size=(n_rows, 1), p=self.p)

    def chances(self, corr, square, rng):
        return self.p[None], True

    def pick(self, view, step, beta, drawn, k):
        return best_in(view, step, beta, drawn, self.member, self.start)


class _Softmax(NamedTuple):
    kappa: float


class Softmax(_Softmax, SelectionRule):
    r"""Learner j with probability proportional to :math:`\exp(\kappa \langle B_j, v\rangle^2 / \|v\|^2)`, v what is looked at.

    kappa = 0 draws all alike, a large kappa is greedy. Without the norm of v below it the law would not be homogeneous.
    """

    width = 1
    sees_residual = True
    of_blocks = True
    draws_below = FINE

    def bind(self, problem):
        not_negative("Softmax: kappa", self.kappa)
        if (problem.weight != problem.weight[0]).any():
            raise ValueError("Softmax needs sample weights that are all equal: it takes the plain norm of the residual.")
        return self

    def draw(self, rng, n_rows, n_learners):
        return rng.integers(0, FINE, size=(n_rows, 1))

    def chances(self, corr, square, rng):
        power = self.kappa * corr**2 / square[:, None]
        out = np.exp(power - power.max(axis=1, keepdims=True))
        return out / out.sum(axis=1, keepdims=True), False

    def pick(self, view, step, beta, drawn, k):
        corr, v, square, most, total = scan(view), sought(view), 0.0, 0.0, 0.0
        for i in range(len(v)):
            square += v[i] * v[i]
        by = self.kappa / square if square > 0.0 else 0.0
        for j in range(len(corr)):
            most = max(most, by * corr[j] * corr[j])
        for j in range(len(corr)):
            total += math.exp(by * corr[j] * corr[j] - most)
        left, last = (drawn[0] + 0.5) / FINE * total, len(corr) - 1
        for j in range(last):
            left -= math.exp(by * corr[j] * corr[j] - most)
            if left < 0.0:
                return taken(view, j, corr[j])
        return taken(view, last, corr[last])


class _Together(NamedTuple):
    t: int
    n: int = 0  # blocks, filled in from the problem


class Together(_Together, SelectionRule):
    """The columns of t blocks, drawn uniformly without replacement, fitted at once."""

    of_blocks = True
    blind = True

    @property
    def width(self):
        return self.t

    def bind(self, problem):
        n = _blocks_of("Together", problem)
        check_count("Together", self.t, n, "blocks")
        return self._replace(n=n)

    @property
    def draws_below(self):
        return self.n

    def draw(self, rng, n_rows, n_learners):
        return draw_subsets(rng, n_rows, self.t, self.n)

    def draw_in_parts(self, rng, n_rows, n_learners):
        return subsets_in_parts(rng, n_rows, self.t, self.n)

    def unions(self, draws, rng):
        """The unions of blocks that are fitted, masks (n_unions, n), and their probabilities; `draws` of them where there are more."""
        known = math.comb(self.n, self.t) <= draws
        rows = list(itertools.combinations(range(self.n), self.t)) if known else self.draw(rng, draws, self.n)
        masks = np.zeros((len(rows), self.n), dtype=bool)
        np.put_along_axis(masks, np.array(rows), True, axis=1)
        return masks, np.full(len(rows), 1 / len(rows))

    def pick(self, view, step, beta, drawn, k):
        return together(view, drawn)


class _Mask(NamedTuple):
    q: float
    n: int = 0  # blocks, filled in from the problem


class Mask(_Mask, SelectionRule):
    """The columns of the blocks that a mask leaves, each block with probability q, fitted at once; an empty mask fits nothing."""

    of_blocks = True
    blind = True
    draws_below = 2

    @property
    def width(self):
        return self.n

    def bind(self, problem):
        real("Mask: q", self.q, lambda q: 0 < q <= 1, "a probability in (0, 1]")
        return self._replace(n=_blocks_of("Mask", problem))

    def draw(self, rng, n_rows, n_learners):
        return (rng.random((n_rows, self.n)) < self.q).astype(np.int64)

    def unions(self, draws, rng):
        """As those of ``Together``."""
        if 2**self.n > draws:
            return self.draw(rng, draws, self.n) > 0, np.full(draws, 1 / draws)
        masks = np.array(list(itertools.product((False, True), repeat=self.n)))
        return masks, np.where(masks, self.q, 1 - self.q).prod(axis=1)

    def pick(self, view, step, beta, drawn, k):
        return together(view, np.flatnonzero(drawn))


def _blocks_of(name, problem):
    """The number of blocks of a problem, refused where its learners are no fits of blocks."""
    if problem.dictionary.n_columns is None:
        raise ValueError(f"{name} fits columns at once: pass Problem(blocks(X), y), got {problem!r}.")
    return problem.dictionary.n_groups
