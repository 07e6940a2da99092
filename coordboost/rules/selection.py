r"""Selection rules: which learners are candidates in a step, and which of them is selected.

The candidate with the largest score is selected; ties (to within rounding) go to the lowest index.
The score is ``abs(correlation)`` unless the step rule defines another. A rule also defines the norm
in which its expected progress is measured.

===================  =======================================  ===============================
rule                 candidates                               Lu and Mazumder
===================  =======================================  ===============================
``Greedy()``         all learners                             Type 0 (greedy)
``RandomSubset(t)``  t learners, uniform without replacement  Type 1; t = 1: random CD
``Groups(t)``        all learners of t groups                 Type 2 (t = 1) and Type 3
``Cyclic()``         learner k mod n                          (not in the paper)
===================  =======================================  ===============================

Random numbers are drawn in advance: ``draw`` fills an array for a block of steps, from a generator
that belongs to these steps.

``Weighted`` and ``Softmax`` draw the learner from a distribution, which is fixed or depends on the
correlations. They are homogeneous: a gradient and a positive multiple of it give the same
distribution, as the limit of Langevin boosting requires. On blocks of columns,
``Problem(blocks(X, ...), y)``, ``JointSubset`` and ``RandomMask`` draw columns that are fitted
together. Source: Ustimenko and Prokhorenkova, *SGLB*, Section 5.

A model state may define the three searches itself: ``best``, among all learners; ``best_among``,
among some; ``best_in``, in groups.
"""

import itertools
import math
from collections import namedtuple
from typing import NamedTuple

import numpy as np

from coordboost._numba import kernel, verb
from coordboost._utils.checks import as_floats, not_negative, real, shown
from coordboost._utils.kinds import examples
from coordboost.learners.families import ordered_by_group
from coordboost.rules.base import SelectionRule

scan = verb("scan")
correlations = verb("correlations")
tie = verb("tie")
coefficient = verb("coefficient")


@kernel
def size(step, j, corr, beta_j):
    """Default score of a learner: the absolute correlation with the residual."""
    return abs(corr)


score = verb("score", size)


@kernel
def strongest(corr, width, step, beta):
    """Return the learner with the largest score among all, and its correlation.

    `corr` are the correlations of all learners. Scores of at least ``largest - min(width, largest /
    2)`` tie; then the lowest index is selected.
    """
    largest = -1 + 0 * abs(corr[0])
    winner = 0
    for j in range(len(corr)):
        s = score(step, j, corr[j], coefficient(beta, j))
        if s > largest:
            largest = s
            winner = j
    limit = largest - min(width, largest / 2)
    for j in range(winner):
        if score(step, j, corr[j], coefficient(beta, j)) >= limit:
            return j, corr[j]
    return winner, corr[winner]


@kernel
def strongest_among(corr, width, step, beta, index):
    """Return the learner with the largest score among `index`, whose correlations are `corr`, and
    its correlation.

    Ties as in ``strongest``.
    """
    largest = -1 + 0 * abs(corr[0])
    for i in range(len(index)):
        largest = max(largest, score(step, index[i], corr[i], coefficient(beta, index[i])))
    limit = largest - min(width, largest / 2)
    winner = -1
    for i in range(len(index)):
        is_first = winner < 0 or index[i] < index[winner]
        if is_first and score(step, index[i], corr[i], coefficient(beta, index[i])) >= limit:
            winner = i
    return index[winner], corr[winner]


@kernel
def best_of_all(state, step, beta):
    """Return the learner with the largest score among all, and its correlation.

    Scores tie that differ by at most ``tie(state)``; then the lowest index is selected.
    """
    return strongest(scan(state), tie(state), step, beta)


@kernel
def best_of(state, step, beta, index):
    """Return the learner with the largest score among `index` (any order).

    Ties as in ``best_of_all``.

    Parameters
    ----------
    state : object
        The model state.
    step : StepRule
        The step rule; its `score` ranks the learners.
    beta : CoefficientRule
        The coefficients.
    index : ndarray of int
        The candidates.

    Returns
    -------
    j : int
        The selected learner.
    corr : float
        Its correlation.

    Examples
    --------
    >>> from typing import NamedTuple
    >>> import numpy as np
    >>> import coordboost as cb
    >>> class FirstTwo(NamedTuple("_FirstTwo", []), cb.rules.SelectionRule):
    ...     def pick(self, state, step, beta, drawn, k):
    ...         return cb.rules.best_of(state, step, beta, np.arange(2))
    >>> problem = cb.Problem([[1.0, 0, 2], [0, 1, 1], [2, 1, 0], [1, 3, 1]], [1.0, 2, 4, 5])
    >>> method = cb.rules.Method("two", FirstTwo(), cb.rules.LineSearch())
    >>> cb.solve(problem, method, 2, compile=False).path.learner
    array([1, 0])
    """
    return strongest_among(correlations(state, index), tie(state), step, beta, index)


best = verb("best", best_of_all, inline=True)
best_among = verb("best_among", best_of)


@kernel
def best_of_groups(state, step, beta, drawn, member, start):
    """Return the best learner of the groups `drawn`, and its correlation.

    Group g is ``member[start[g]:start[g + 1]]``.
    """
    total = 0
    for g in drawn:
        total += start[g + 1] - start[g]
    index = np.empty(total, dtype=np.int64)
    filled = 0
    for g in drawn:
        for p in range(start[g], start[g + 1]):
            index[filled] = member[p]
            filled += 1
    return best_among(state, step, beta, index)


best_in = verb("best_in", best_of_groups)


#: From this n on ``rng.choice`` is faster than a random number for each of the n: 1,000 times for
#: 100 of a million.
MANY = 10_001
#: Up to this t Floyd's algorithm is used, on all rows at once.
FEW = 48


def draw_subsets(rng, n_rows, t, n):
    """Draw uniform t-subsets of ``range(n)``, one per row, sorted; int64 (n_rows, t).

    Floyd's algorithm on all rows at once; for larger t the t smallest of n random numbers, or
    ``rng.choice``. *Memory*: the result.
    """
    subsets = np.empty((n_rows, t), dtype=np.int64)
    if t == n:
        subsets[:] = np.arange(n)
    elif t <= FEW:
        for i in range(t):
            last = n - t + i
            drawn = rng.integers(0, last + 1, size=n_rows)
            is_taken = (subsets[:, :i] == drawn[:, None]).any(axis=1)
            subsets[:, i] = np.where(is_taken, last, drawn)
    elif n < MANY:
        for subset in subsets:
            subset[:] = np.argpartition(rng.random(n), t - 1)[:t]
    else:
        for subset in subsets:
            subset[:] = rng.choice(n, t, replace=False, shuffle=False)
    subsets.sort(axis=1)
    return subsets


def check_count(name, t, n, what):
    """Raise ValueError unless `t` is a whole number from 1 to n."""
    if isinstance(t, bool) or not (isinstance(t, int | np.integer) and 1 <= t <= n):
        raise ValueError(
            f"{name}: t must be a whole number from 1 to {n} (the number of {what}), got "
            f"{shown(t)}."
        )


def subset_weights(t, n):
    r"""Probabilities that the best of t drawn learners is j-th of n:
    :math:`\gamma_t^n(j) = \binom{n-j}{t-1} / \binom{n}{t}`, shape (n,).

    Source: Lu and Mazumder, eq. (10); computed by a recursion that does not overflow.
    """
    j = np.arange(1, n)
    ratio = np.maximum(n - j - t + 1, 0) / (n - j)
    return t / n * np.concatenate([[1.0], np.cumprod(ratio)])


def ordered_norm(values, weights):
    """Return the sum of the `values`, sorted from the largest one on, times the `weights`."""
    return float(weights @ np.sort(values)[::-1])


def ordered_dual_norm(values, weights):
    """Return the dual norm of ``ordered_norm``."""
    return float(np.max(np.cumsum(np.sort(values)[::-1]) / np.cumsum(weights)))


@examples({})
class Greedy(namedtuple("Greedy", ""), SelectionRule):
    """Type 0: all learners are candidates in every step.

    Norm: the l_inf norm; dual norm: the l1 norm.

    Examples
    --------
    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> method = cb.rules.Method("mine", cb.rules.Greedy(), cb.rules.ShrunkenStep())
    >>> cb.solve(problem, method, 2).path.learner
    array([1, 0])
    """

    greedy = True

    def pick(self, state, step, beta, drawn, k):
        return best(state, step, beta)

    def norm(self, a):
        return float(np.abs(a).max())

    def dual_norm(self, b):
        return float(np.abs(b).sum())

    def weights(self, n):
        return np.eye(1, n)[0]

    def chances(self, corr, square, rng):
        return np.eye(corr.shape[1])[np.abs(corr).argmax(axis=1)], False


class SubsetRule(SelectionRule):
    """Base of rules that draw t learners, or t of `draws_below` groups, uniformly without
    replacement.
    """

    @property
    def width(self):
        return self.t

    def draw(self, rng, n_rows, n_learners):
        n = n_learners if self.draws_below is None else self.draws_below
        return draw_subsets(rng, n_rows, self.t, n)


class _RandomSubset(NamedTuple):
    t: int


@examples({"t": 1}, {"t": 3})
class RandomSubset(_RandomSubset, SubsetRule):
    """Type 1: the best of t learners, drawn uniformly without replacement.

    On trees t features, as ``Groups(t)``.

    Norm: ordered l1 with ``subset_weights(t, n)`` (Definition 3.2).

    Parameters
    ----------
    t : int
        Learners drawn for a step.

    Examples
    --------
    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> method = cb.rules.Method("mine", cb.rules.RandomSubset(1), cb.rules.ShrunkenStep())
    >>> cb.solve(problem, method, 6).path.learner
    array([1, 1, 0, 0, 1, 1])
    """

    def bind(self, problem):
        check_count("RandomSubset", self.t, problem.n_learners, "learners")
        return self

    def by_groups(self):
        return Groups(self.t)

    def pick(self, state, step, beta, drawn, k):
        return best_among(state, step, beta, drawn)

    def norm(self, a):
        return ordered_norm(np.abs(a), self.weights(len(a)))

    def dual_norm(self, b):
        return ordered_dual_norm(np.abs(b), self.weights(len(b)))

    def weights(self, n):
        return subset_weights(self.t, n)

    @property
    def blind(self):
        return self.t == 1

    def chances(self, corr, square, rng):
        probability = np.empty_like(corr)
        order = np.argsort(-np.abs(corr), axis=1)
        weights = np.broadcast_to(self.weights(corr.shape[1]), corr.shape)
        np.put_along_axis(probability, order, weights, axis=1)
        return probability, self.blind


class _Groups(NamedTuple):
    t: int = 1
    member: np.ndarray = np.zeros(0, dtype=np.int64)
    start: np.ndarray = np.zeros(1, dtype=np.int64)


@examples({"t": 1}, {"t": 2})
class Groups(_Groups, SubsetRule):
    """Types 2 (t = 1) and 3: the best learner of t groups, drawn uniformly without replacement.

    Norm: ordered mixed norm (Definitions 3.3 and 3.4).

    Parameters
    ----------
    t : int, default 1
        Groups drawn for a step.
    member : ndarray, (n_learners,)
        Learners ordered by group: group g is ``member[start[g]:start[g + 1]]``; filled in from the
        problem.
    start : ndarray, (n_groups + 1,)
        Where each group begins; filled in from the problem.

    Examples
    --------
    >>> import coordboost as cb
    >>> X = [[1.0, 0, 2], [0, 1, 1], [2, 1, 0], [1, 3, 1]]
    >>> problem = cb.Problem(X, [1.0, 2, 4, 5], groups=["a", "a", "b"])
    >>> cb.solve(problem, cb.rtgcd(select=cb.rules.Groups(1)), 6).path.learner
    array([2, 2, 1, 0, 2, 2])
    """

    grouped = True

    def bind(self, problem):
        searched = problem.dictionary.n_groups
        labels = problem.groups if searched is None else np.arange(searched)
        if labels is None:
            raise ValueError(
                "Groups needs the groups of the columns: pass Problem(..., groups=labels) with one "
                "label per column of X."
            )
        member, start = ordered_by_group(labels)
        check_count("Groups", self.t, len(start) - 1, "groups")
        return self._replace(member=member, start=start)

    @property
    def draws_below(self):
        return len(self.start) - 1

    def pick(self, state, step, beta, drawn, k):
        return best_in(state, step, beta, drawn, self.member, self.start)

    def chances(self, corr, square, rng):
        size = np.abs(corr)[:, self.member]
        largest = np.maximum.reduceat(size, self.start[:-1], axis=1)
        rank = np.argsort(np.argsort(-largest, axis=1), axis=1)
        probability = np.zeros_like(corr)
        rows = np.arange(len(corr))
        for g, of_group in enumerate(self.weights(len(self.start) - 1)[rank].T):
            best = size[:, self.start[g] : self.start[g + 1]].argmax(axis=1)
            probability[rows, self.member[self.start[g] + best]] = of_group
        return probability, False

    def looked_at(self, drawn, n_learners):
        return np.diff(self.start)[drawn].sum()

    def norm(self, a):
        largest = np.maximum.reduceat(np.abs(a)[self.member], self.start[:-1])
        return ordered_norm(largest, self.weights(len(largest)))

    def dual_norm(self, b):
        sums = np.add.reduceat(np.abs(b)[self.member], self.start[:-1])
        return ordered_dual_norm(sums, self.weights(len(sums)))

    def weights(self, n):
        return subset_weights(self.t, n)


@examples({})
class Cyclic(namedtuple("Cyclic", ""), SelectionRule):
    """Learner ``k mod n`` at step k; it has no norm.

    Examples
    --------
    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> method = cb.rules.Method("mine", cb.rules.Cyclic(), cb.rules.ShrunkenStep())
    >>> cb.solve(problem, method, 6).path.learner
    array([0, 1, 0, 1, 0, 1])
    """

    def pick(self, state, step, beta, drawn, k):
        j = k % len(beta.values)
        return j, correlations(state, np.full(1, j))[0]

    def looked_at(self, drawn, n_learners):
        return len(drawn)


class _RecordedPicks(NamedTuple):
    learner: np.ndarray


class RecordedPicks(_RecordedPicks, SelectionRule):
    """The learners of a recorded path, for a replay without scans."""

    def pick(self, state, step, beta, drawn, k):
        return self.learner[k], 0.0

    def looked_at(self, drawn, n_learners):
        return 0


sought = verb("sought")


@kernel
def as_given(state, j, corr):
    """Return learner j with the correlation of the scan: for learners that are given."""
    return j, corr


taken = verb("taken", as_given)
together = verb("together")

#: A random number in (0, 1) is drawn as an integer below this.
FINE = 1 << 53


class _Weighted(NamedTuple):
    p: np.ndarray
    member: np.ndarray = np.zeros(0, dtype=np.int64)
    start: np.ndarray = np.zeros(1, dtype=np.int64)


@examples({"p": [float(weight) for weight in range(1, 13)]})
class Weighted(_Weighted, SelectionRule):
    """One learner, or one group of learners, drawn with fixed probabilities.

    Groups of learners are for an implicit dictionary.

    Parameters
    ----------
    p : ndarray, (n_learners,) or (n_groups,)
        Proportional to the probabilities; equal numbers are ``RandomSubset(1)``.
    member : ndarray, (n_learners,)
        Learners ordered by group; filled in from the problem.
    start : ndarray, (n_groups + 1,)
        Where each group begins; filled in from the problem.

    Examples
    --------
    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> method = cb.rules.Method("mine", cb.rules.Weighted([3.0, 1.0]), cb.rules.ShrunkenStep())
    >>> cb.solve(problem, method, 6).path.learner
    array([1, 0, 0, 0, 0, 0])
    """

    width = 1
    grouped = True
    blind = True

    def bind(self, problem):
        groups = problem.dictionary.n_groups
        n = problem.n_learners if groups is None else groups
        p = as_floats(self.p)
        if p.shape != (n,) or not (np.isfinite(p).all() and (p >= 0).all() and p.sum() > 0):
            raise ValueError(
                f"Weighted: p must be {n} numbers >= 0, not all 0, one for each learner or group; "
                f"got {shown(self.p)}."
            )
        start = np.arange(n + 1, dtype=np.int64)  # groups of one learner each
        return self._replace(p=p / p.sum(), member=start[:-1], start=start)

    @property
    def draws_below(self):
        return len(self.p)

    def draw(self, rng, n_rows, n_learners):
        return rng.choice(len(self.p), size=(n_rows, 1), p=self.p)

    def chances(self, corr, square, rng):
        return self.p[None], True

    def pick(self, state, step, beta, drawn, k):
        return best_in(state, step, beta, drawn, self.member, self.start)


class _Softmax(NamedTuple):
    kappa: float


@examples({"kappa": 5.0})
class Softmax(_Softmax, SelectionRule):
    r"""A random learner, drawn by a softmax of its correlation with the (noisy) residual v.

    Learner j has a probability proportional to
    :math:`\exp(\kappa \langle B_j, v\rangle^2 / \|v\|^2)`.

    With kappa = 0 all learners are equally likely; a large kappa is greedy. Division by the squared
    norm of v makes the rule homogeneous.

    Parameters
    ----------
    kappa : float
        Inverse temperature, without unit.

    Examples
    --------
    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> method = cb.rules.Method("mine", cb.rules.Softmax(1.0), cb.rules.ShrunkenStep())
    >>> cb.solve(problem, method, 2).path.learner
    array([1, 0])
    """

    width = 1
    sees_residual = True
    of_blocks = True
    draws_below = FINE

    def bind(self, problem):
        not_negative("Softmax: kappa", self.kappa)
        if (problem.weight != problem.weight[0]).any():
            raise ValueError(
                "Softmax needs equal sample weights: it uses the unweighted norm of the residual."
            )
        return self

    def draw(self, rng, n_rows, n_learners):
        return rng.integers(0, FINE, size=(n_rows, 1))

    def chances(self, corr, square, rng):
        exponent = self.kappa * corr**2 / square[:, None]
        odds = np.exp(exponent - exponent.max(axis=1, keepdims=True))
        return odds / odds.sum(axis=1, keepdims=True), False

    def looked_at(self, drawn, n_learners):
        return len(drawn) * n_learners

    def pick(self, state, step, beta, drawn, k):
        corr = scan(state)
        v = sought(state)
        square = 0.0
        largest = 0.0
        total = 0.0
        for i in range(len(v)):
            square += v[i] * v[i]
        factor = self.kappa / square if square > 0.0 else 0.0
        for j in range(len(corr)):
            largest = max(largest, factor * corr[j] * corr[j])
        for j in range(len(corr)):
            total += math.exp(factor * corr[j] * corr[j] - largest)
        remaining = (drawn[0] + 0.5) / FINE * total
        last = len(corr) - 1
        for j in range(last):
            remaining -= math.exp(factor * corr[j] * corr[j] - largest)
            if remaining < 0.0:
                return taken(state, j, corr[j])
        return taken(state, last, corr[last])


class _JointSubset(NamedTuple):
    t: int
    n: int = 0  # blocks, filled in from the problem


@examples({"t": 2})
class JointSubset(_JointSubset, SubsetRule):
    """The columns of t blocks, drawn uniformly without replacement and fitted together.

    Parameters
    ----------
    t : int
        Blocks drawn for a step.
    n : int, default 0
        Number of blocks, filled in from the problem.

    Examples
    --------
    >>> import coordboost as cb
    >>> X = [[1.0, 0, 2], [0, 1, 1], [2, 1, 0], [1, 3, 1]]
    >>> problem = cb.Problem(cb.data.blocks(X, [[0, 1], [2]]), [1.0, 2, 4, 5])
    >>> run = cb.solve(problem, cb.sgb(0.5, select=cb.rules.JointSubset(1)), 30)
    >>> run.final.loss < problem.start_loss
    True
    """

    of_blocks = True
    blind = True

    def bind(self, problem):
        n = number_of_blocks("JointSubset", problem)
        check_count("JointSubset", self.t, n, "blocks")
        return self._replace(n=n)

    @property
    def draws_below(self):
        return self.n

    def unions(self, draws, rng):
        """Return the unions of blocks that may be fitted, masks (n_unions, n), and their
        probabilities; at most `draws`, else a sample.
        """
        if math.comb(self.n, self.t) <= draws:
            subsets = np.array(list(itertools.combinations(range(self.n), self.t)))
        else:
            subsets = self.draw(rng, draws, self.n)
        masks = np.zeros((len(subsets), self.n), dtype=bool)
        np.put_along_axis(masks, subsets, True, axis=1)
        return masks, np.full(len(subsets), 1 / len(subsets))

    def pick(self, state, step, beta, drawn, k):
        return together(state, drawn)


class _RandomMask(NamedTuple):
    q: float
    n: int = 0  # blocks, filled in from the problem


@examples({"q": 0.5})
class RandomMask(_RandomMask, SelectionRule):
    """The columns of a random set of blocks, each in it with probability q, fitted together.

    An empty set fits nothing.

    Parameters
    ----------
    q : float
        Probability of each block.
    n : int, default 0
        Number of blocks, filled in from the problem.

    Examples
    --------
    >>> import coordboost as cb
    >>> X = [[1.0, 0, 2], [0, 1, 1], [2, 1, 0], [1, 3, 1]]
    >>> problem = cb.Problem(cb.data.blocks(X, [[0, 1], [2]]), [1.0, 2, 4, 5])
    >>> run = cb.solve(problem, cb.sgb(0.5, select=cb.rules.RandomMask(0.5)), 30)
    >>> run.final.loss < problem.start_loss
    True
    """

    of_blocks = True
    blind = True
    draws_below = 2

    @property
    def width(self):
        return self.n

    def bind(self, problem):
        real("RandomMask: q", self.q, lambda q: 0 < q <= 1, "a probability in (0, 1]")
        return self._replace(n=number_of_blocks("RandomMask", problem))

    def draw(self, rng, n_rows, n_learners):
        return (rng.random((n_rows, self.n)) < self.q).astype(np.int64)

    def unions(self, draws, rng):
        """As in ``JointSubset``."""
        if 2**self.n > draws:
            return self.draw(rng, draws, self.n) > 0, np.full(draws, 1 / draws)
        masks = np.array(list(itertools.product((False, True), repeat=self.n)))
        return masks, np.where(masks, self.q, 1 - self.q).prod(axis=1)

    def pick(self, state, step, beta, drawn, k):
        return together(state, np.flatnonzero(drawn))


def number_of_blocks(name, problem):
    """Return the number of blocks of a problem.

    Raise ValueError if its learners are not fits of blocks.
    """
    if problem.dictionary.n_columns is None:
        raise ValueError(
            f"{name} fits blocks of columns: pass Problem(blocks(X), y), got {problem!r}."
        )
    return problem.dictionary.n_groups
