r"""Structural risk: families of learners are drawn, and the one whose step leads to the least risk wins.

The risk of a step is :math:`L + m \beta\, \Omega_k`: the sum of the losses after it, and a price for the family k that the learner
comes from, where m is the number of samples (the sum of their weights) and :math:`\beta` the rule's `penalty`. A step of a learner h of
family k that is not longer than the inverse of a Lipschitz constant :math:`C_k \ge C_h` never increases the losses.

Source: Cortes, Mohri, Storcheus, *Regularized Gradient Boosting*, Algorithm 1.
"""

from typing import NamedTuple

import numpy as np

from coordboost._checks import not_negative, real, shown
from coordboost._numba import kernel, verb
from coordboost.pieces.base import SelectionRule, StepRule, sigma_of


class Families(NamedTuple):
    """Families of learners H_1, ..., H_K, and what a learner of each costs.

    bound : float64 (K,), lambda_k: no value of a learner of family k is larger. Of trees: the q-norm of the leaf values is lambda_k
    complexity : float64 (K,), Omega_k
    nodes : int64 (K,), most splits of a tree; 0 for columns that are given
    q : the norm of leaf values, from 1 to inf
    sums : 1 if leaf values go by the sums of the leaves, which is the steepest direction within the norm; 0 if by their means

    Source: Cortes, Mohri, Storcheus, *Regularized Gradient Boosting*, Section 3.
    """

    bound: np.ndarray
    complexity: np.ndarray
    nodes: np.ndarray = np.zeros(0, dtype=np.int64)
    q: float = 2.0
    sums: int = 0

    def check(self):
        """The same table as arrays of float64 and int64.

        Raises
        ------
        ValueError
            What is no table of families.
        """
        bound, complexity = (np.atleast_1d(np.asarray(part)) for part in self[:2])
        if bound.ndim != 1 or len(bound) == 0 or bound.dtype.kind not in "iuf" or not (np.isfinite(bound) & (bound > 0)).all():
            raise ValueError(f"families: bound must be positive finite numbers, one for each family, got {shown(self.bound)}.")
        fits = complexity.shape == bound.shape and complexity.dtype.kind in "iuf"
        if not fits or not (np.isfinite(complexity) & (complexity >= 0)).all():
            raise ValueError(
                f"families: complexity must be {len(bound)} finite numbers >= 0, one for each family, got {shown(self.complexity)}."
            )
        nodes = np.asarray(self.nodes) if len(self.nodes) else np.zeros(len(bound), dtype=np.int64)
        if nodes.shape != bound.shape or nodes.dtype.kind not in "iu" or (nodes < 0).any():
            raise ValueError(
                f"families: nodes must be {len(bound)} whole numbers >= 0, one for each family, got {shown(self.nodes)}."
            )
        q = real("families: q", self.q, lambda number: number >= 1, "at least 1")
        if isinstance(self.sums, str | np.ndarray) or self.sums not in (0, 1):
            raise ValueError(f"families: sums must be 0 or 1, got {shown(self.sums)}.")
        return Families(bound.astype(np.float64), complexity.astype(np.float64), nodes.astype(np.int64), q, self.sums)


#: Of learners that belong to no family.
NONE = Families(np.zeros(0), np.zeros(0))


correlations = verb("correlations")
coefficient = verb("coefficient")
move = verb("move")
after = verb("after")
price = verb("price")
less_risk = verb("less_risk")


@kernel
def least_of_families(view, step, beta, drawn, select, k):
    """The learner of the families `drawn` whose step leads to the least risk, and its correlation: learners that are given."""
    chosen, family, product, least = -1, -1, 0.0, 0.0
    for i in range(len(drawn)):
        f = drawn[i]
        if i == 0 or f != drawn[i - 1]:
            index = select.member[select.start[f] : select.start[f + 1]]
            corr = correlations(view, index)
            for p in range(len(index)):
                j = index[p]
                theta = move(step, k, view, j, corr[p], coefficient(beta, j))[1]
                risk = after(view, j, theta) + price(select, f)
                if chosen < 0 or less_risk(select, risk, f, least, family):
                    chosen, family, product, least = j, f, corr[p], risk
    return chosen, product


least_risk = verb("least_risk", least_of_families)


def labels_of(problem):
    """The family of each column, int64 (n_learners,): its group, or the same for all."""
    return np.zeros(problem.n_learners, dtype=np.int64) if problem.groups is None else problem.groups


def lengths(problem):
    """The norm of each learner as its family has it, (n_learners,): columns as they were given, trees within their bounds."""
    own = problem.dictionary.lengths
    return problem.standardization.norm if own is None else own()


def finite_families(problem):
    r"""A table for columns: the bound is the largest absolute value, the complexity that of Massart's lemma, divided by the largest.

    Of N columns with a bound :math:`\lambda`, and their negatives, it is :math:`\lambda \sqrt{2 \ln(2 N) / m}`. *Cost*: all columns, once.
    """
    labels, size = labels_of(problem), lengths(problem)
    bound, count = np.zeros(labels.max() + 1), np.bincount(labels)
    for j in range(problem.n_learners):
        bound[labels[j]] = max(bound[labels[j]], size[j] * np.abs(problem.gather([j])).max())
    cost = bound * np.sqrt(np.log(2 * count))
    return Families(bound, cost / cost.max()).check()


def table_of(families, problem, name):
    """The table of families: as given, or as the learners of the problem have it; checked.

    Raises
    ------
    ValueError
        Where there are two, and where columns that are given do not fit it.
    """
    own = problem.dictionary.families
    if not (families is None or isinstance(families, Families)):
        raise ValueError(f"{name}: families must be a table, Families(bound, complexity), or None, got {shown(families)}.")
    if own is None and families is None:
        return finite_families(problem)
    if own is None:
        table, found = families.check(), labels_of(problem).max() + 1
        if found != len(table.bound):
            raise ValueError(
                f"{name}: Problem(X, y, groups=labels) must say which of the {len(table.bound)} families each column belongs to, got "
                f"{found} group(s)."
            )
        return table
    if families is None or all(map(np.array_equal, families, own)):
        return own
    raise ValueError(f"{name}: the trees of this problem have families of their own; leave families=None.")


class _Structural(NamedTuple):
    t: int
    penalty: float
    power: float = 2.0
    families: object = None
    revisit: int = 0
    per_unit: float = 0.0  # the price of complexity 1, in sums
    slack: float = 0.0  # risks that differ by no more than this tie
    member: np.ndarray = np.zeros(0, dtype=np.int64)
    start: np.ndarray = np.zeros(1, dtype=np.int64)


class Structural(_Structural, SelectionRule):
    r"""`t` families, drawn with :math:`p_k \propto \lambda_k^{power}`, repeats allowed; the learner whose step leads to the least risk.

    Equal risks, to within rounding, go to the smaller complexity, then to the lower family and learner.

    t : families drawn for a step; 0 for all of them
    penalty : beta, the price of complexity in units of the mean loss
    families : a ``Families``; None for those of the problem's trees
    revisit : whether trees of earlier steps compete, each for the price of its family
    """

    foresees = True

    @property
    def width(self):
        return self.t if self.t or self.families is None else len(self.families.bound)

    @property
    def draws_below(self):
        return len(self.families.bound)

    def bind(self, problem):
        not_negative("penalty", self.penalty)
        if isinstance(self.t, bool) or not (isinstance(self.t, int | np.integer) and self.t >= 0):
            raise ValueError(
                f"Structural: t must be the number of families that a step draws, or 0 for all, got {shown(self.t)}."
            )
        table = table_of(self.families, problem, "Structural")
        member, start = np.zeros(0, dtype=np.int64), np.zeros(1, dtype=np.int64)
        if problem.countable:
            labels = labels_of(problem)
            member = np.argsort(labels, kind="stable").astype(np.int64)
            start = np.concatenate([[0], np.cumsum(np.bincount(labels))]).astype(np.int64)
        elif self.revisit and len(problem.dictionary.family.growth.monotone):
            raise ValueError(
                "revisit=True may give a tree a negative coefficient, which monotone forbids; leave one of them out."
            )
        rounding = 2 * problem.n_samples * float(np.finfo(float).eps) * abs(problem.start_loss)
        return self._replace(
            families=table, revisit=int(self.revisit), per_unit=self.penalty * float(problem.weight.sum()), slack=rounding,
            member=member, start=start,
        )  # fmt: skip

    @property
    def law(self):
        """The probability of each family, (K,)."""
        size = (self.families.bound / self.families.bound.max()) ** self.power
        return size / size.sum()

    def draw(self, rng, n_rows, n_learners):
        """Families in increasing order, (n_rows, width)."""
        n = len(self.families.bound)
        if self.t == 0:
            return np.broadcast_to(np.arange(n), (n_rows, n)).copy()
        return np.sort(rng.choice(n, size=(n_rows, self.t), p=self.law), axis=1)

    def pick(self, view, step, beta, drawn, k):
        return least_risk(view, step, beta, drawn, self, k)

    def price(self, f):
        """What a learner of family f costs, in sums."""
        return self.per_unit * self.families.complexity[f]

    def less_risk(self, risk, f, least, family):
        """Whether a risk with a learner of family f is less than `least` with one of `family`."""
        complexity = self.families.complexity
        return risk < least - self.slack or (risk <= least + self.slack and complexity[f] < complexity[family])


@kernel
def given_reach(view, j):
    """Learners that are given: the rule knows all of them."""
    return 1.0, 1.0


reach = verb("reach", given_reach)


class _FamilyStep(NamedTuple):
    power: float = 2.0
    families: object = None
    scale: float = 1.0  # sigma times the sum of the weights
    gain: np.ndarray = np.zeros(0)  # theta / corr of each learner that is given


class FamilyStep(_FamilyStep, StepRule):
    r"""theta = -L' / C_k along the learner as its family has it, with one constant for the family: :math:`C_k = \sigma \lambda_k^{power}`.

    ``power=2`` is right: no step increases the losses. ``power=1`` is what the paper prints (its Lemma 4), and wrong where a bound is
    above 1: a leaf of value 4 and the labels +, +, +, - take the mean logistic loss from 0.6931 to 1.0181. The constant of the learner
    itself is that of ``Proportional()``.
    """

    by_family = True

    def bind(self, problem):
        sigma = sigma_of(problem.loss, "FamilyStep")
        if self.power not in (1, 2):
            raise ValueError(
                f"FamilyStep: power must be 2, or 1 for the constants as the paper prints them, got {self.power!r}."
            )
        table = table_of(self.families, problem, "FamilyStep")
        scale, gain = sigma * float(problem.weight.sum()), np.zeros(0)
        if problem.countable:
            bound, square = table.bound[labels_of(problem)], lengths(problem) ** 2
            most = problem.weight.sum() * bound**2
            if (square > most * (1 + 1e-9)).any():
                j = int(np.argmax(square / most))
                raise ValueError(
                    f"the learner {problem.feature_names[j]} has values of mean square {square[j] / problem.weight.sum():.6g}, more than "
                    f"the bound {bound[j]:g} of its family allows; make the bound at least the largest absolute value."
                )
            gain = square / (scale * bound**self.power)
        return self._replace(families=table, scale=scale, gain=gain)

    def move(self, k, view, j, corr, beta_j):
        if len(self.gain):
            return 0, self.gain[j] * corr
        bound, size = reach(view, j)
        return 0, size * size / (self.scale * bound**self.power) * corr
