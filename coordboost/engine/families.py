"""Summaries of runs over families of learners.

How often each family was chosen, and what its learners cost.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from coordboost._numba.sums import total_of
from coordboost._utils.checks import checked_run, shown
from coordboost._utils.interrupt import uncut
from coordboost.data import validation
from coordboost.data.problem import Problem
from coordboost.engine.run import Run, solve
from coordboost.learners.families import labels_of, lengths
from coordboost.methods.named import rgb


@dataclass(frozen=True, eq=False)
class FamilySummary:
    r"""How a run of ``rgb`` used each family: arrays (n_families,).

    ``print(summary)`` is a table, one line for each family that was chosen. *Source*: Cortes,
    Mohri, Storcheus, *Regularized Gradient Boosting*, eq. (7).

    Parameters
    ----------
    nodes : ndarray of int, (n_families,)
        Most splits of a tree of the family; 0 for families of given columns.
    bound, complexity : ndarray, (n_families,)
        lambda and Omega, as in ``Families``.
    chance : ndarray, (n_families,)
        Probability that one draw gives the family.
    steps : ndarray of int, (n_families,)
        Number of steps that chose it.
    learners : ndarray of int, (n_families,)
        Number of its learners with a non-zero coefficient.
    alpha : ndarray, (n_families,)
        Sum of the absolute coefficients of its learners, in the scaling of the family (not of unit
        columns).
    charge : ndarray, (n_families,)
        What these coefficients add to the mean loss in the objective: penalty * alpha * complexity.
    loss : float
        The mean loss.
    objective : float
        The mean loss and all charges.

    Examples
    --------
    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5], groups=[0, 1])
    >>> families = cb.learners.Families(bound=[1.0, 2.0], complexity=[0.1, 1.0])
    >>> run = cb.solve(problem, cb.rgb(0.1, families=families, n_candidates=None), 5)
    >>> print(cb.engine.family_summary(run))
     splits   lambda     Omega  chance  steps learners      alpha     charge
          0        1       0.1  20.00%      2        1       0.75     0.0075
          0        2         1  80.00%      3        1     0.8241    0.08241
    mean loss 0.182732 + charges 0.08991 = objective 0.272639
    """

    nodes: np.ndarray
    bound: np.ndarray
    complexity: np.ndarray
    chance: np.ndarray
    steps: np.ndarray
    learners: np.ndarray
    alpha: np.ndarray
    charge: np.ndarray
    loss: float
    objective: float

    def __str__(self):
        head = " splits   lambda     Omega  chance  steps learners      alpha     charge"
        lines = [
            f"{self.nodes[k]:>7} {self.bound[k]:>8.4g} {self.complexity[k]:>9.3g} "
            f"{self.chance[k]:>7.2%} {self.steps[k]:>6} "
            f"{self.learners[k]:>8} {self.alpha[k]:>10.4g} {self.charge[k]:>10.4g}"
            for k in np.flatnonzero(self.steps)
        ]
        never = len(self.steps) - len(lines)
        last = (
            f"mean loss {self.loss:.6g} + charges {self.charge.sum():.4g} = objective "
            f"{self.objective:.6g}"
        )
        return "\n".join(
            [
                head,
                *lines,
                *([f"{never} of {len(self.steps)} families were never chosen"] if never else []),
                last,
            ]
        )


def family_summary(run: Run, k: int | None = None) -> FamilySummary:
    """Summarise how a run of ``rgb`` used its families in the first `k` steps (default: in all).

    Parameters
    ----------
    run : Run
        A run of ``rgb``.
    k : int, optional
        Number of steps.

    Returns
    -------
    FamilySummary
        One line for each family.

    Raises
    ------
    ValueError
        For a run that did not choose between families.

    Notes
    -----
    *Cost*: a replay of k steps.

    Examples
    --------
    Of two families the second costs ten times as much as the first. The larger the penalty, the
    fewer steps choose it.

    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5], groups=[0, 1])
    >>> families = cb.learners.Families(bound=[1.0, 2.0], complexity=[0.1, 1.0])
    >>> runs = [
    ...     cb.solve(problem, cb.rgb(penalty, families=families, n_candidates=None), 5)
    ...     for penalty in (0.0, 0.3)
    ... ]
    >>> [cb.engine.family_summary(run).steps for run in runs]
    [array([1, 4]), array([4, 1])]
    """
    select = checked_run(run).method.select
    problem = run.problem
    if not select.foresees:
        raise ValueError(
            "a family summary is for a run of rgb(penalty), which chooses between families, got "
            f"{shown(run)}."
        )
    k = run.n_steps if k is None else validation.whole("k", k)
    state = next(run.replay([k]))
    table = select.families
    total = problem.weight.sum()
    member = (labels_of(problem) if problem.countable else problem.dictionary.member)[
        : len(state.beta)
    ]
    charges = run.method.target.charges(problem, state.beta) / total
    alpha = np.abs(state.beta) / lengths(problem)[: len(state.beta)]

    def summed(values):
        return np.bincount(member, values, len(table.bound))

    return FamilySummary(
        table.nodes,
        table.bound,
        table.complexity,
        select.law,
        np.bincount(member[run.path.learner[:k]], minlength=len(table.bound)),
        summed(state.beta != 0).astype(int),
        summed(alpha),
        summed(charges),
        state.loss / total,
        (state.loss + float(charges.sum()) * total) / total,
    )


@dataclass(frozen=True, eq=False)
class PenaltyPath:
    """Runs of ``rgb`` for several penalties, and their losses: arrays (n_penalties,).

    penalties, runs, summaries : the penalties, and the run and the ``FamilySummary`` of each
    loss, objective : the mean loss on the training rows, without and with the charges
    validation : the mean loss on the validation rows, nan without such rows
    """

    penalties: np.ndarray
    runs: list
    summaries: list
    loss: np.ndarray
    objective: np.ndarray
    validation: np.ndarray

    @property
    def best(self):
        """The index of the penalty with the least validation loss.

        Ties go to the largest penalty.
        """
        if np.isnan(self.validation).any():
            raise ValueError(
                "the best penalty is the one with the least validation loss: pass X_val and y_val "
                "to penalty_path."
            )
        return int(np.flatnonzero(self.validation == self.validation.min())[-1])

    def __str__(self):
        lines = [
            f"{penalty:>10.4g} {loss:>10.5g} {objective:>10.5g} {held:>10.5g} "
            f"{one.steps @ one.nodes / max(1, one.steps.sum()):>8.3g}"
            for penalty, loss, objective, held, one in zip(
                self.penalties,
                self.loss,
                self.objective,
                self.validation,
                self.summaries,
                strict=True,
            )
        ]
        return "\n".join(
            [
                f"{'penalty':>10} {'loss':>10} {'objective':>10} {'validation':>10} {'splits':>8}",
                *lines,
            ]
        )


@uncut()
def penalty_path(
    problem: Problem,
    penalties: ArrayLike,
    n_steps: int,
    *,
    X_val: Any = None,
    y_val: ArrayLike | None = None,
    rng: int = 0,
    **settings: Any,
) -> PenaltyPath:
    """A run of ``rgb`` for each penalty, from the smallest up.

    Parameters
    ----------
    problem : Problem
        On learners of families: ``tree_families(X)``, or columns with `groups`.
    penalties : sequence of float
        Penalties of complexity in units of the mean loss; duplicates are dropped.
    n_steps : int
        Steps of each run.
    X_val, y_val : array_like, (n_rows, n_columns) and (n_rows,), optional
        Validation rows, by which the best penalty is chosen.
    rng : int, default 0
        The seed of every run: all runs draw the same families in the same steps.
    **settings
        ``n_candidates``, ``step``, ``families``, ``sampling``, ``revisit``, as of ``rgb``.

    Returns
    -------
    PenaltyPath
        The runs, and their losses; `best` is the index of the penalty with the least validation
        loss.

    Raises
    ------
    ValueError
        For `X_val` without `y_val` or `y_val` without `X_val`, an empty list of penalties, and what
        ``rgb`` does not take.

    Notes
    -----
    The runs share the binned table only: the tree of a step depends on all trees before it. *Cost*:
    one run per penalty.

    Examples
    --------
    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5], groups=[0, 1])
    >>> families = cb.learners.Families(bound=[1.0, 2.0], complexity=[0.1, 1.0])
    >>> print(
    ...     cb.engine.penalty_path(
    ...         problem,
    ...         [0.0, 0.3],
    ...         5,
    ...         n_candidates=None,
    ...         families=families,
    ...         X_val=[[1, 2]],
    ...         y_val=[4],
    ...     )
    ... )
       penalty       loss  objective validation   splits
             0    0.17173    0.17173    0.04038        0
           0.3    0.52197     0.6626     0.2583        0
    """
    if (X_val is None) is not (y_val is None):
        raise ValueError(
            f"X_val and y_val come together: {'X_val' if X_val is None else 'y_val'} is missing."
        )
    penalties = np.unique(validation.numeric("penalties", penalties, 1))
    if not len(penalties):
        raise ValueError("penalties must be at least one number, got none.")
    runs = [
        solve(problem, rgb(penalty, **settings), n_steps, rng=rng) for penalty in penalties.tolist()
    ]
    summaries = [family_summary(run) for run in runs]
    held = np.full(len(runs), np.nan)
    if X_val is not None:
        X_val = validation.collected("X_val", X_val)
        preds = [run.predict(X_val) for run in runs]
        y = validation.vector("y_val", y_val, len(preds[0]), "row of X_val")
        y = problem.loss.labels(y) if problem.loss.labels else y
        held = np.array(
            [total_of(problem.loss, y, np.ones(len(y)), 0.0, pred) / len(y) for pred in preds]
        )
    return PenaltyPath(
        penalties,
        runs,
        summaries,
        np.array([summary.loss for summary in summaries]),
        np.array([summary.objective for summary in summaries]),
        held,
    )
