r"""A margin bound of the error on new rows for regularised boosting: Theorem 2 of Cortes, Mohri and
Storcheus.

A model :math:`f = \sum_t \alpha_t h_t`, :math:`\alpha \ge 0` of sum 1, has trees h of K families
that are fixed before m rows are drawn. With probability :math:`1 - \delta`

.. math:: R(f) \le \hat R_\rho(f) + \frac4\rho \sum_t \alpha_t r_{k(t)} + C

R is the error on new rows, :math:`\hat R_\rho` the fraction of the m rows with a margin y f of at
most :math:`\rho`, and r the complexity of Theorem 1. The paper gives C only up to a constant. Here
it is that of Cortes, Mohri, Syed (2014), *Deep Boosting*, Theorem 1, for learners with values up to
the largest bound :math:`\Lambda`, not 1: there :math:`\rho` is replaced by
:math:`s = \rho / \Lambda`.
"""

import math
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from coordboost._utils.checks import positive
from coordboost.data.families import tree_complexity
from coordboost.engine.run import Run
from coordboost.learners.families import lengths
from coordboost.theory.bounds import formula
from coordboost.theory.bounds.check import Effort
from coordboost.theory.bounds.randomized import growing
from coordboost.theory.bounds.statement import Statement

#: For ``check``: margins, in units of the largest bound, and the probability that the best of their
#: bounds fails.
MARGINS = np.arange(1, 20) / 20
DELTA = 0.05
#: The second and the third part of the bound. For one family ln K is 0, in the limit; where
#: s^2 m <= ln K nothing is said.
PARTS = {
    "charge": "4 / rho * complexity",
    "remainder": "where(s**2 * m > log, 2 / s * root(log / m)"
    " + root(terms * log / m + ln(2 / delta) / (2 * m)), inf)",
    "terms": "ceil(4 / s**2 * ln(s**2 * m / log))",
    "log": "largest(ln(K), 1e-300)",
    "s": "rho / widest",
}
#: The remark of ``check`` without held-out rows: the fraction of margins of at most rho contains
#: the training error.
CANNOT_FAIL = (
    "cannot fail: training errors, which the bound contains; give held-out rows, check(run, X=, y=)"
)


class MarginBound(NamedTuple):
    """The three parts of a bound of the error on new rows.

    Parameters
    ----------
    margin : float
        The fraction of the training rows with a margin of at most rho, from 0 to 1.
    complexity : float
        4 / rho times the mean complexity of the trees.
    remainder : float
        C, for the number of families and for chance.

    Examples
    --------
    >>> from coordboost.theory.bounds import MarginBound
    >>> round(MarginBound(margin=0.1, complexity=0.4, remainder=0.05).bound, 2)
    0.55
    """

    margin: float
    complexity: float
    remainder: float

    @property
    def bound(self) -> float:
        """Their sum; above 1 it is vacuous."""
        return self.margin + self.complexity + self.remainder


def margin_bound(run: Run, rho: float, delta: float = DELTA, k: int | None = None) -> MarginBound:
    """Bound the error of a model of ``rgb`` on new rows, by Theorem 2.

    For trees and two classes, with probability 1 - delta.

    Parameters
    ----------
    run : Run
        A run of ``rgb`` on ``tree_families(X)``.
    rho : float
        The margin, chosen before the rows are seen. It refers to the model divided by the sum of
        the absolute coefficients of its trees. With leaf values up to lambda it lies between 0 and
        lambda.
    delta : float, default 0.05
        Probability that the bound fails. To try n margins and take the best, use delta / n for
        each.
    k : int, optional
        The step, default the last.

    Returns
    -------
    MarginBound
        Its ``bound`` is the sum of its parts. Above 1 it is vacuous, as for fewer than some
        thousand rows.

    Raises
    ------
    ValueError
        For other runs, weighted rows, an offset, categories and missing values, and a model without
        trees.

    Notes
    -----
    The constant that the model begins with counts as a tree of the smallest family. *Cost*: that of
    the predictions. *Source*: Cortes, Mohri, Storcheus, *Regularized Gradient Boosting*, Theorem 2.

    Examples
    --------
    One split nearly separates 4,000 rows. By the bound the error on new rows is at most 65 %,
    mostly from the complexity of stumps:

    >>> import numpy as np
    >>> import coordboost as cb
    >>> x = np.random.default_rng(1).random((4000, 1))
    >>> stumps = cb.data.tree_families(x, nodes=[1], bounds=[1.0], q=np.inf, max_bins=16)
    >>> problem = cb.Problem(stumps, np.where(x[:, 0] > 0.5, 1, -1), cb.losses.Logistic())
    >>> found = cb.theory.bounds.margin_bound(cb.solve(problem, cb.rgb(0.001), 3), rho=0.9)
    >>> (
    ...     round(found.margin, 3),
    ...     round(found.complexity, 2),
    ...     round(found.remainder, 2),
    ...     round(found.bound, 2),
    ... )
    (0.004, 0.62, 0.02, 0.65)
    """
    if not _speaks(run):
        raise ValueError(
            "margin_bound is for runs of rgb on tree_families(X), two classes, rows of equal "
            "weight, no offset, numeric columns without "
            "missing values: Theorem 2 does not cover others."
        )
    rho = positive("rho", rho)
    delta = positive("delta", delta, 1, "between 0 and 1")
    return _bounds(run.problem, next(run.replay([run.n_steps if k is None else k])), [rho], delta)[
        0
    ]


def _bounds(problem, state, rhos, delta):
    """Return the bounds of a model at several margins."""
    table = problem.dictionary.family.families
    trees = len(state.beta)
    m = problem.n_samples
    shares = np.abs(state.beta)
    costs = tree_complexity(
        table.nodes, table.bound, problem.dictionary.family.binned.n_features, m
    )
    member = problem.dictionary.member[:trees]
    alpha = np.bincount(member, shares / lengths(problem)[:trees], len(costs))
    fewest = np.lexsort((-table.bound, table.nodes))[0]
    alpha[fewest] += abs(problem.base) / table.bound[fewest]
    if not alpha.any():
        raise ValueError(
            f"the model after {state.k} steps has no trees, so it has no margins; take a "
            "later step."
        )
    margins = problem.y * (problem.base + state.pred) / alpha.sum()
    cost = float(alpha @ costs) / float(alpha.sum())
    known = {
        "complexity": cost,
        "widest": float(table.bound.max()),
        "K": len(costs),
        "m": m,
        "delta": delta,
    }
    bounds = []
    for rho in rhos:
        scope = formula.Scope(None, PARTS, {"rho": rho, **known})
        margin = float(np.mean(margins <= rho))
        bounds.append(MarginBound(margin, scope["charge"], float(scope["remainder"])))
    return bounds


def _speaks(run):
    problem = run.problem
    if run.method.name != "rgb" or problem.countable or not problem.loss.two_class:
        return False
    if problem.offset is not None or (problem.weight != 1).any():
        return False
    binned = problem.dictionary.family.binned
    return not binned.categorical.any() and (np.asarray(binned.missing) < 0).all()


@dataclass(frozen=True, eq=False)
class Errors:
    """The share of errors (n_points,) on held-out rows at the steps `at`, and the parts of the
    smallest bound over ``MARGINS``.

    The share on n rows may be above the probability by sqrt(ln(steps / DELTA) / (2 n)), by
    Hoeffding, at all steps with probability 1 - DELTA. Without such rows it is that on the training
    rows, and the bound is known without the theorem.
    """

    at: np.ndarray
    risk: np.ndarray
    margin: np.ndarray
    charge: np.ndarray
    remainder: np.ndarray
    errors: dict
    known: Any
    note: str
    level: ClassVar = "sampled"

    @classmethod
    def of(cls, run, effort=Effort()):  # noqa: B008  # it cannot be changed
        """Measure errors at some steps of a run."""
        problem = run.problem
        at = growing(run.n_steps)
        at = at[at > 0]
        risk = []
        parts = []
        rhos = float(problem.dictionary.family.families.bound.max()) * MARGINS
        for state in run.replay(at):
            guarantees = _bounds(problem, state, rhos.tolist(), DELTA / len(MARGINS))
            parts.append(min(guarantees, key=lambda each: each.bound))
            if effort.rows is None:
                margins = problem.y * (problem.base + state.pred)
            else:
                margins = effort.rows[1] * problem.predict(state.beta, effort.rows[0])
            risk.append(np.mean(margins <= 0))
        margin, charge, remainder = np.array(parts).reshape(-1, 3).T
        chance = 0.0
        if effort.rows is not None:
            chance = math.sqrt(math.log(len(at) / DELTA) / (2 * len(effort.rows[1])))
        known = margin + charge + remainder if effort.rows is None else 1.0
        note = CANNOT_FAIL if effort.rows is None else ""
        errors = {"risk": np.full(len(at), chance)}
        return cls(at, np.array(risk), margin, charge, remainder, errors, known, note)


theorem = Statement(
    "RGB, Theorem 2",
    "The error on held-out rows.",
    corrected="risk <= margin + charge + remainder",
    known="known",
    applies=_speaks,
    source="Cortes, Mohri, Storcheus",
    follow=Errors.of,
    on_rows=True,
)

STATEMENTS = (theorem,)
