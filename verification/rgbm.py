r"""Cases for the theorems of random-then-greedy boosting: small dictionaries and every rule, with
exact expectations.

Expectations are sums over all sets J that a rule may draw, computed from the definitions; nothing
is sampled.
"""

import functools
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import scipy.optimize

import coordboost as cb
from coordboost.angles.angle import second_moment_mca
from coordboost.theory.bounds import BoundCheck
from coordboost.theory.distances import least_loss

#: Groups of the K = 6 learners; one group holds a single learner.
LABELS = [0, 1, 1, 2, 2, 2]
RULES = {
    "Type 0": cb.rules.Greedy(),
    "Type 1, t = 1": cb.rules.RandomSubset(1),
    "Type 1, t = 2": cb.rules.RandomSubset(2),
    "Type 2": cb.rules.Groups(1),
    "Type 3": cb.rules.Groups(2),
}
LOSSES = {
    "squared": cb.losses.Squared(),
    "logistic": cb.losses.Logistic(0.1),
    "huber": cb.losses.Huber(0.5),
}
#: Rounding in sums of a few dozen terms of the size of L(0), with a margin of a thousand: 1e3 * 30
#: * 2^-53.
SLACK = 4e-12


def unit_columns(rank, n_learners=6, n_samples=5, seed=0):
    """Return a random matrix of unit columns with a given rank, (n_samples, n_learners)."""
    rng = np.random.default_rng([seed, rank])
    B = rng.standard_normal((n_samples, rank)) @ rng.standard_normal((rank, n_learners))
    return B / np.linalg.norm(B, axis=0)


def draws(rule, label):
    """Return every set J that the rule may draw, all equally likely."""
    groups = [np.flatnonzero(label == g) for g in np.unique(label)]
    table = {
        cb.rules.Greedy: lambda: [np.arange(len(label))],
        cb.rules.RandomSubset: lambda: [
            np.array(J) for J in combinations(range(len(label)), rule.t)
        ],
        cb.rules.Groups: lambda: [np.sort(np.concatenate(T)) for T in combinations(groups, rule.t)],
    }
    return table[type(rule)]()


def law(rule, label, a):
    """Return P(j is selected), Fractions (K,): j has the largest abs(a_j) in J, ties to the lowest
    index, and J is random.
    """
    every = draws(rule, label)
    wins = Counter(int(J[np.argmax(np.abs(a)[J])]) for J in every)
    return np.array([Fraction(wins[j], len(every)) for j in range(len(a))])


def norm(rule, label, a):
    """Return the norm of the rule as the paper defines it: weights times sorted abs(a_j), or times
    sorted maxima of groups.
    """
    b = (
        np.abs(a)
        if type(rule) is cb.rules.RandomSubset
        else np.array([np.abs(a[label == g]).max() for g in np.unique(label)])
    )
    return (
        float(np.abs(a).max())
        if type(rule) is cb.rules.Greedy
        else float(rule.weights(len(b)) @ -np.sort(-b))
    )


def dual(rule, label, b):
    """Return the dual norm as the paper states it."""
    if type(rule) is cb.rules.Greedy:
        return float(np.abs(b).sum())
    sums = (
        np.abs(b)
        if type(rule) is cb.rules.RandomSubset
        else np.array([np.abs(b[label == g]).sum() for g in np.unique(label)])
    )
    return float((np.cumsum(-np.sort(-sums)) / np.cumsum(rule.weights(len(sums)))).max())


@dataclass(frozen=True, eq=False)
class Trial:
    """A problem, a selection rule, a step rule, the iterates of one run, and the quantities in the
    theorems at each iterate.
    """

    problem: cb.Problem
    rule: Any
    line_search: bool
    n_steps: int = 12

    @property
    def label(self):
        """Group of every learner."""
        return (
            np.arange(self.problem.n_learners)
            if self.problem.groups is None
            else self.problem.groups
        )

    @functools.cached_property
    def B(self):
        """The unit columns."""
        return self.problem.dictionary.gather(np.arange(self.problem.n_learners))

    @functools.cached_property
    def run(self):
        """The run of the package that gives the iterates."""
        step = cb.rules.LineSearch() if self.line_search else None
        return cb.solve(
            self.problem, cb.rtgcd(select=self.rule, step=step), self.n_steps, rng=5, compile=False
        )

    @functools.cached_property
    def betas(self):
        """Iterates (n_steps + 1, K)."""
        return np.array([state.beta for state in self.run.replay(range(self.n_steps + 1))])

    def loss(self, beta):
        """L(beta)."""
        return self.problem.value(self.B @ beta)

    def gradient(self, beta):
        """The gradient of L, (K,)."""
        return -self.B.T @ self.problem.resid(self.B @ beta)

    @functools.cached_property
    def losses(self):
        """L at the iterates."""
        return np.array([self.loss(beta) for beta in self.betas])

    @functools.cached_property
    def minimiser(self):
        """Coefficients with the least loss, up to rounding.

        BFGS stops at gaps near 1e-10 that depend on the machine; gradient steps of length 1 / sigma
        in the predictions reduce them.
        """
        estimate = scipy.optimize.minimize(
            self.loss,
            np.zeros(len(self.label)),
            jac=self.gradient,
            method="BFGS",
            options={"gtol": 1e-11},
        )
        beta = estimate.x
        inverse = np.linalg.pinv(self.B)
        for _ in range(60):
            beta = beta + inverse @ self.problem.resid(self.B @ beta) / self.problem.loss.sigma
        return beta

    @functools.cached_property
    def optimum(self):
        """A proved lower bound of L*."""
        return least_loss(self.problem, self.minimiser)[0]

    @functools.cached_property
    def angle(self):
        """The minimal cosine angle, an Interval."""
        return cb.theory.mca(self.problem, self.rule)

    @functools.cached_property
    def second(self):
        """The second-moment angle, an Interval."""
        return second_moment_mca(self.problem, self.rule, n_starts=4)

    @property
    def conditioning(self):
        """Mu / sigma."""
        return self.problem.loss.mu / self.problem.loss.sigma

    def step(self, beta, j):
        """Return the step in coordinate j: -grad_j / sigma, or to the minimum along the learner."""
        slope = self.gradient(beta)[j]
        if not self.line_search or abs(slope) < 1e-12:
            return -slope / self.problem.loss.sigma
        pred = self.B @ beta
        column = self.B[:, j]

        def along(rho):
            return -float(column @ self.problem.resid(pred + rho * column))

        near = 0.0
        far = -slope / self.problem.loss.sigma
        while along(far) * slope > 0 and abs(far) < 1e6:  # still downhill
            near = far
            far = 2 * far
        return (
            scipy.optimize.brentq(along, *sorted((near, far)), xtol=1e-15)
            if along(far) * slope < 0
            else far
        )

    def expected(self, beta, step_factor=1.0, probabilities=None):
        """Return the expected loss after one step from `beta`, over all draws."""
        p = (
            law(self.rule, self.label, self.gradient(beta))
            if probabilities is None
            else probabilities
        )
        moved = beta + np.eye(len(beta)) * [
            [step_factor * self.step(beta, j) if p[j] else 0.0] for j in range(len(beta))
        ]
        return float(sum(float(p[j]) * self.loss(moved[j]) for j in np.flatnonzero(p)))

    def hold(self, statement, variant, kind, measured, bound, **options):
        """Return a BoundCheck whose default slack is the rounding error in sums of the size of
        L(0).
        """
        options.setdefault("slack", SLACK * max(1.0, self.losses[0]))
        return BoundCheck(
            statement, variant, kind, measured, bound, **{"level": "enumerated", **options}
        )


def trial(loss="squared", rule="Type 0", line_search=False, rank=3, seed=0):
    """Return a trial on a random dictionary."""
    rng = np.random.default_rng([seed, 7])
    B = unit_columns(rank, seed=seed)
    y = np.array([1.0, -1, 1, 1, -1]) if loss == "logistic" else 3 * rng.standard_normal(5)
    return Trial(
        cb.Problem(B, y, LOSSES[loss], center=False, scale=False, groups=LABELS),
        RULES[rule],
        line_search,
    )


def trials(losses=("squared", "logistic"), steps=(False, True), ranks=(2, 3)):
    """Return CASES: every rule, loss, step rule and rank."""
    names = {False: "constant step", True: "line search"}
    return {
        f"{rule}, {loss}, {names[search]}, rank {rank}": functools.partial(
            trial, loss, rule, search, rank
        )
        for loss in losses
        for rule in RULES
        for search in steps
        for rank in ranks
    }


#: Six rows of two features.
TABLE = np.array([[0.0, 2], [1, 0], [1, 1], [2, 2], [3, 0], [2, 1]])


def on_table(learners, loss="squared", rule="Type 0", line_search=False):
    """Return a trial on weak learners of ``TABLE``.

    The function `learners` makes a dictionary from it.
    """
    y = (
        np.array([1.0, -1, 1, 1, -1, -1])
        if loss == "logistic"
        else np.array([2.0, -1, 0, 3, -2, 1])
    )
    return Trial(cb.Problem(learners(TABLE), y, LOSSES[loss]), RULES[rule], line_search, n_steps=6)


def patterns(X, depth):
    """Return all predictions, on the rows of X, of trees of this depth with leaves 1 and -1: a set
    of tuples of signs.
    """
    out = {(1,) * len(X), (-1,) * len(X)}
    for x in X.T if depth else ():
        for cut in np.unique(x)[:-1]:
            left = x <= cut
            for one, other in product(patterns(X[left], depth - 1), patterns(X[~left], depth - 1)):
                signs = np.empty(len(X), dtype=int)
                signs[left], signs[~left] = one, other
                out.add(tuple(signs.tolist()))
    return out


def all_trees(X):
    """Return a dictionary of all trees of depth 2 with leaves of equal abs value, one of each tree
    and its negative.
    """
    rows = np.array(
        sorted(signs for signs in patterns(X, 2) if signs[0] == 1 and -1 in signs), dtype=float
    )
    return cb.learners.Dense(rows / np.sqrt(len(X)))


#: All stumps, and all trees, on a table.
TABLES = {
    "all stumps, Type 0": lambda: on_table(cb.data.stumps),
    "all stumps, Type 2, logistic": lambda: on_table(cb.data.stumps, "logistic", "Type 2"),
    "all leaf stumps, Type 1, line search": lambda: on_table(
        cb.data.leaf_stumps, "squared", "Type 1, t = 2", True
    ),
    "all trees of depth 2, Type 0": lambda: on_table(all_trees),
    "all trees of depth 2, Type 0, logistic": lambda: on_table(all_trees, "logistic"),
}


def identity(y, rule=None):
    """Return the trial of GBM on the identity matrix with the squared loss."""
    y = np.asarray(y, dtype=float)
    problem = cb.Problem(np.eye(len(y)), y, center=False, scale=False, groups=np.arange(len(y)))
    return Trial(problem, cb.rules.Greedy() if rule is None else rule, False, n_steps=len(y))
