"""Accounts of a run over families of learners: how often each was chosen, and what its learners cost."""

from dataclasses import dataclass

import numpy as np

from coordboost._checks import shown
from coordboost._protocol import SELECTION
from coordboost.pieces.structural import labels_of, lengths


@dataclass(frozen=True, eq=False)
class Account:
    r"""One line for each family, arrays (n_families,).

    nodes, bound, complexity : the table: most splits, lambda, Omega
    chance : how likely one draw gives the family;  steps : steps that chose it;  learners : different ones with a coefficient
    alpha : the sum of the abs coefficients of its learners, as the family has them
    charge : what they add to the mean loss in the objective, penalty * alpha * complexity
    loss, objective : the mean loss, and the objective (7) of the paper: with the charges
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
        head = (
            f"{'splits':>7} {'lambda':>8} {'Omega':>9} {'chance':>7} {'steps':>6} {'learners':>8} {'alpha':>10} {'charge':>10}"
        )
        lines = [
            f"{self.nodes[k]:>7} {self.bound[k]:>8.4g} {self.complexity[k]:>9.3g} {self.chance[k]:>7.2%} {self.steps[k]:>6} "
            f"{self.learners[k]:>8} {self.alpha[k]:>10.4g} {self.charge[k]:>10.4g}"
            for k in np.flatnonzero(self.steps)
        ]
        never = len(self.steps) - len(lines)
        last = f"mean loss {self.loss:.6g} + charges {self.charge.sum():.4g} = objective {self.objective:.6g}"
        return "\n".join([head, *lines, *([f"{never} of {len(self.steps)} families were never chosen"] if never else []), last])


def account(run, k=None):
    """The families of a run of ``rgb`` after `k` steps, all by default.

    Parameters
    ----------
    run : Run
    k : int, optional

    Returns
    -------
    Account

    Raises
    ------
    ValueError
        For a run that chose between no families.
    """
    select, problem = run.method.select, run.problem
    if not SELECTION.of(select, "foresees"):
        raise ValueError(f"an account is for a run of rgb(penalty), which chooses between families, got {shown(run)}.")
    k = run.n_steps if k is None else k
    state, table, total = next(run.replay([k])), select.families, problem.weight.sum()
    member = (labels_of(problem) if problem.countable else problem.dictionary.member)[: len(state.beta)]
    charges = run.method.target.charges(problem, state.beta) / total
    alpha = np.abs(state.beta) / lengths(problem)[: len(state.beta)]

    def summed(values):
        return np.bincount(member, values, len(table.bound))

    return Account(
        table.nodes, table.bound, table.complexity, select.law,
        np.bincount(member[run.path.learner[:k]], minlength=len(table.bound)), summed(state.beta != 0).astype(int),
        summed(alpha), summed(charges), state.loss / total, (state.loss + float(charges.sum()) * total) / total,
    )  # fmt: skip
