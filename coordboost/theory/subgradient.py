"""Subgradient descent on residuals.

An independent implementation of the boosting methods for the squared loss.

Forward stagewise minimises the largest absolute correlation over the residuals (problem CM). Its
regularised form adds ``||r - y||^2 / (2 delta)`` (problem RCM). Source: Freund, Grigas, Mazumder,
Propositions 3.2 and 4.1.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from coordboost._utils.checks import as_floats, checked_names, shown
from coordboost.data import validation
from coordboost.data.problem import Problem, checked_problem


class Residual(NamedTuple):
    """Iterate k of subgradient descent.

    The residual (n_samples,), the objective f_delta(r) and a subgradient there (n_samples,).
    """

    k: int
    resid: np.ndarray
    objective: float
    subgradient: np.ndarray


@checked_names("{name}(Problem(X, y), ...)")
def subgradient_descent(
    problem: Problem,
    step: float | Sequence[float] | Callable[[int, float], float],
    n_steps: int,
    *,
    delta: float | Sequence[float] = np.inf,
) -> Iterator[Residual]:
    r"""Yield the n_steps + 1 iterates of subgradient descent on residuals.

    The iteration is :math:`r \leftarrow r - \alpha_k g_k` for :math:`f_\delta`, started at r = y.

    Parameters
    ----------
    problem : Problem
        With the squared loss and without sample weights.
    step : float, sequence of float, or callable
        alpha_k: constant (FS), one per step (FS with a sequence), or a function of k and the
        largest abs correlation: ``lambda k, f: eps * f`` is LS-Boost.
    n_steps : int
        Number of steps.
    delta : float or sequence of float, default inf
        Weight 1/(2 delta) of the second term: inf for CM, a radius for RCM, one per step for
        PATH-R-FS.

    Yields
    ------
    Residual
        ``k``, ``resid``, ``objective`` and ``subgradient`` of an iterate.

    Raises
    ------
    ValueError
        For another loss, sample weights, implicit dictionaries, and steps or radii that are not
        positive.

    Notes
    -----
    :math:`f_\delta(r) = \|B^T r\|_\infty + \|r - y\|_2^2 / (2\delta)`. No projection is needed:
    every iterate stays in the affine set of residuals. *Cost*: one scan a step, in NumPy. *Source*:
    Freund, Grigas, Mazumder, Propositions 3.2 and 4.1.

    Examples
    --------
    With a constant step the iterates are the residuals of forward stagewise:

    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> *_, last = cb.theory.subgradient_descent(problem, 0.25, 10)
    >>> run = cb.solve(problem, cb.forward_stagewise(0.25), 10)
    >>> bool(abs(last.resid - run.final.resid).max() < 1e-12), round(last.objective, 3)
    (True, 0.914)
    """
    if (
        not validation.countable("subgradient_descent", checked_problem(problem)).loss.quadratic
        or (problem.weight != 1).any()
    ):
        raise ValueError(
            "subgradient_descent works in residual space: it needs the squared loss without sample "
            "weights."
        )
    n_steps = validation.whole("n_steps", n_steps)
    deltas = _positive_sequence("delta", delta, n_steps, infinite=True)
    values = (
        None
        if callable(step) and not isinstance(step, type)
        else _positive_sequence("step", step, n_steps)
    )
    y = problem.y
    resid = y.copy()
    for k in range(n_steps + 1):
        corr = problem.scan(resid)
        j = int(np.argmax(np.abs(corr)))
        radius = deltas[min(k, n_steps - 1)] if n_steps else np.inf
        away = (resid - y) / radius
        subgradient = np.sign(corr[j]) * np.asarray(problem.dictionary.column(j)) + away
        yield Residual(k, resid, float(np.abs(corr[j]) + (resid - y) @ away / 2), subgradient)
        if k < n_steps:
            largest = float(np.abs(corr[j]))
            length = values[k] if values is not None else step(k, largest)  # type: ignore[operator]
            resid = resid - length * subgradient


def _positive_sequence(name, values, n_steps, infinite=False):
    """Return one positive number for each step."""
    sequence = as_floats(values)
    sound = (
        not isinstance(values, str) and sequence.shape in ((), (n_steps,)) and (sequence > 0).all()
    )
    if not (sound and (infinite or np.isfinite(sequence).all())):
        raise ValueError(
            f"{name} must be a positive number or {n_steps} of them, one per step, got "
            f"{shown(values)}."
        )
    return np.broadcast_to(sequence, n_steps)
