r"""Structural risk minimisation: families are drawn, and the learner whose step leads to the least
risk is selected.

The risk of a step is :math:`L + m \beta\, \Omega_k`: the sum of the losses after the step plus a
complexity penalty for the family k of the learner. Here m is the number of samples (the sum of
their weights) and :math:`\beta` the rule's `penalty`. A step along a learner h of family k with
step size at most :math:`1 / C_k`, for a Lipschitz constant :math:`C_k \ge C_h`, never increases the
losses.

Source: Cortes, Mohri, Storcheus, *Regularized Gradient Boosting*, Algorithm 1.
"""

from typing import NamedTuple

import numpy as np

from coordboost._numba import kernel, verb
from coordboost._utils.checks import few, not_negative, number_of, shown
from coordboost._utils.kinds import examples
from coordboost.learners.families import labels_of, lengths, ordered_by_group, table_of
from coordboost.losses.base import sigma_of
from coordboost.rules.base import SelectionRule, StepRule

correlations = verb("correlations")
coefficient = verb("coefficient")
move = verb("move")
after = verb("after")
price = verb("price")
less_risk = verb("less_risk")


@kernel
def least_of_families(state, step, beta, drawn, select, k):
    """Return the learner of the families `drawn` whose step leads to the least risk, and its
    correlation: for given learners.
    """
    chosen = -1
    family = -1
    product = 0.0
    least = 0.0
    for i in range(len(drawn)):
        f = drawn[i]
        if i == 0 or f != drawn[i - 1]:
            index = select.member[select.start[f] : select.start[f + 1]]
            corr = correlations(state, index)
            for p in range(len(index)):
                j = index[p]
                theta = move(step, k, state, j, corr[p], coefficient(beta, j))[1]
                risk = after(state, j, theta) + price(select, f)
                if chosen < 0 or less_risk(select, risk, f, least, family):
                    chosen = j
                    family = f
                    product = corr[p]
                    least = risk
    return chosen, product


least_risk = verb("least_risk", least_of_families)


class _Structural(NamedTuple):
    t: int
    penalty: float
    power: float = 2.0
    families: object = None
    revisit: int = 0
    per_unit: float = 0.0  # the penalty of complexity 1, in sums over samples
    slack: float = 0.0  # risks that differ by at most this tie
    member: np.ndarray = np.zeros(0, dtype=np.int64)
    start: np.ndarray = np.zeros(1, dtype=np.int64)


@examples()  # `rgb` makes it
class Structural(_Structural, SelectionRule):
    r"""`t` families, drawn with :math:`p_k \propto \lambda_k^{power}` with replacement.

    Their learner whose step leads to the least risk.

    Ties of the risk, to within rounding, go to the smaller complexity, then to the lower family and
    learner.

    Parameters
    ----------
    t : int
        Families drawn for a step; 0 for all of them.
    penalty : float
        beta, the complexity penalty in units of the mean loss.
    power : float, default 2
        Exponent of the bounds in the probabilities.
    families : Families, optional
        None for those of the problem's trees.
    revisit : int, default 0
        Whether trees of earlier steps are candidates again, each with the penalty of its family.
    per_unit : float, default 0
        Penalty in sums over samples, filled in from the problem.
    slack : float, default 0
        Rounding bound of a difference of risks, filled in from the problem.
    member : ndarray, (n_learners,)
        Learners ordered by family; filled in from the problem.
    start : ndarray, (n_families + 1,)
        Where each family begins; filled in from the problem.

    Examples
    --------
    >>> import coordboost as cb
    >>> cb.rgb(0.01, n_candidates=3).select.t
    3
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
        not_negative("power", self.power)
        if isinstance(self.t, bool) or not (isinstance(self.t, int | np.integer) and self.t >= 0):
            raise ValueError(
                "Structural: t must be the number of families that a step draws, or 0 for all, "
                f"got {shown(self.t)}."
            )
        few("Structural: t", self.t)
        table = table_of(self.families, problem, "Structural")
        member = np.zeros(0, dtype=np.int64)
        start = np.zeros(1, dtype=np.int64)
        if problem.countable:
            member, start = ordered_by_group(labels_of(problem))
        elif self.revisit and len(problem.dictionary.family.growth.monotone):
            raise ValueError(
                "revisit=True may give a tree a negative coefficient, which monotone forbids; "
                "leave one of them out."
            )
        rounding = 2 * problem.n_samples * float(np.finfo(float).eps) * abs(problem.start_loss)
        return self._replace(
            families=table,
            revisit=int(self.revisit),
            per_unit=self.penalty * float(problem.weight.sum()),
            slack=rounding,
            member=member,
            start=start,
        )

    @property
    def law(self):
        """The probability of each family, (K,)."""
        size = (self.families.bound / self.families.bound.max()) ** self.power
        return size / size.sum()

    def draw(self, rng, n_rows, n_learners):
        """Draw families, in increasing order, (n_rows, width)."""
        n = len(self.families.bound)
        if self.t == 0:
            return np.broadcast_to(np.arange(n), (n_rows, n)).copy()
        return np.sort(rng.choice(n, size=(n_rows, self.t), p=self.law), axis=1)

    def pick(self, state, step, beta, drawn, k):
        return least_risk(state, step, beta, drawn, self, k)

    def price(self, f):
        r"""Return the penalty of a learner of family f, in sums over samples.

        The penalty is :math:`m \beta\, \Omega_f`.

        Parameters
        ----------
        f : int
            The family.

        Returns
        -------
        float
            Added to the losses after the step.
        """
        return self.per_unit * self.families.complexity[f]

    def less_risk(self, risk, f, least, family):
        """Whether a risk with a learner of family f is less than `least` with one of `family`.

        Parameters
        ----------
        risk : float
            The sum of the losses after the step, plus the penalty of family f.
        f : int
            The family of the new learner.
        least : float
            The least risk so far.
        family : int
            The family of the learner with the least risk.

        Returns
        -------
        bool
            Risks that differ by at most `slack` count as equal: then the smaller complexity
            decides.
        """
        complexity = self.families.complexity
        return risk < least - self.slack or (
            risk <= least + self.slack and complexity[f] < complexity[family]
        )


@kernel
def given_reach(state, j):
    """Stand-in for given learners: the rule itself holds their gains."""
    return 1.0, 1.0


reach = verb("reach", given_reach)


class _FamilyStep(NamedTuple):
    power: float = 2.0
    families: object = None
    scale: float = 1.0  # sigma times the sum of the weights
    gain: np.ndarray = np.zeros(0)  # theta / corr of each learner that is given


@examples()  # `rgb` makes it
class FamilyStep(_FamilyStep, StepRule):
    r"""theta = -L' / C_k along the learner before normalisation, one constant per family.

    The constant is :math:`C_k = \sigma \lambda_k^{power}`.

    With ``power=2`` no step increases the losses. ``power=1`` is printed in the paper (Lemma 4) and
    fails for bounds above 1: a leaf of value 4 and the labels +, +, +, - take the mean logistic
    loss from 0.6931 to 1.0181. ``ShrunkenStep()`` uses the constant of each learner instead.

    Parameters
    ----------
    power : float, default 2
        Exponent of the bound in the constant of a family.
    families : Families, optional
        Filled in from the problem.
    scale : float, default 1
        sigma times the sum of the weights, filled in from the problem.
    gain : ndarray, (n_learners,)
        theta / corr of each given learner, filled in from the problem; empty for trees.

    Examples
    --------
    >>> import coordboost as cb
    >>> cb.rgb(0.01, step=cb.rules.FamilyStep(power=1)).step.power
    1
    """

    by_family = True

    def bind(self, problem):
        sigma = sigma_of(problem.loss, "FamilyStep")
        if number_of(self.power) not in (1, 2):
            raise ValueError(
                "FamilyStep: power must be 2, or 1 for the constants printed in the paper, got "
                f"{shown(self.power)}."
            )
        table = table_of(self.families, problem, "FamilyStep")
        scale = sigma * float(problem.weight.sum())
        gain = np.zeros(0)
        if problem.countable:
            bound = table.bound[labels_of(problem)]
            square = lengths(problem) ** 2
            largest_square = problem.weight.sum() * bound**2
            if (square > largest_square * (1 + 1e-9)).any():
                j = int(np.argmax(square / largest_square))
                raise ValueError(
                    f"the learner {problem.feature_names[j]} has values of mean square "
                    f"{square[j] / problem.weight.sum():.6g}, more than "
                    f"the bound {bound[j]:g} of its family allows; make the bound at least the "
                    "largest absolute value."
                )
            gain = square / (scale * bound**self.power)
        return self._replace(families=table, scale=scale, gain=gain)

    def move(self, k, state, j, corr, beta_j):
        if len(self.gain):
            return 0, self.gain[j] * corr
        bound, size = reach(state, j)
        return 0, size * size / (self.scale * bound**self.power) * corr
