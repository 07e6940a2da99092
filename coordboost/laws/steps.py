"""Laws of step rules, on a small problem with the squared loss."""

from typing import NamedTuple

import numpy as np

from coordboost.engine.views.accelerated import Accelerated
from coordboost.engine.views.explicit import Explicit
from coordboost.engine.views.vertices import Swapping
from coordboost.laws.problems import path_of, small
from coordboost.laws.report import SKIPPED
from coordboost.method import Method
from coordboost.pieces.coefficients import TwoSequences, Vertices
from coordboost.pieces.selection import Full
from coordboost.pieces.steps import mixing

#: Correlations and coefficients that are tried.
CORRELATIONS = (-4.0, -0.5, -1e-9, 0.0, 1e-9, 0.25, 1.0, 4.0)
COEFFICIENTS = (-2.0, 0.0, 0.5)


class StepCase(NamedTuple):
    """The rule as it is given and bound to a problem, and that problem."""

    given: object
    step: object
    problem: object

    def moves(self):
        """Arguments of move: (step number, view, learner, correlation, coefficient)."""
        horizon = self.step.horizon
        for k in range(5 if horizon is None else min(5, horizon)):
            view = self._view(k)
            yield from ((k, view, j, corr, beta) for j in (0, 3) for corr in CORRELATIONS for beta in COEFFICIENTS)

    def _view(self, k):
        """One that the rule can move on: it keeps as many sequences of coefficients, and with two it is in the round of step k."""
        if self.step.corrective is not None:
            view = Swapping.start(self.problem, Vertices())
            view.turns[:], view.most[0] = (k % 4, 1, 0, -1), 0.5
            return view
        if self.step.sequences == 1:
            return Explicit.start(self.problem)
        view = Accelerated.start(self.problem, TwoSequences().start(self.problem))
        view.clock[:2] = k // 2, mixing(k // 2) if k % 2 == 0 else 0
        return view


def case(step, y):
    """The rule, bound."""
    problem = small()
    bind = step.bind
    return (StepCase(step, step if bind is None else bind(problem), problem),)


def moves_are_finite_and_shrink_lies_in_0_to_1(at):
    """(shrink, theta); a step away from a vertex has a negative shrink."""
    away = at.step.corrective is not None
    for k, view, j, corr, beta in at.moves():
        said = at.step.move(k, view, j, corr, beta)
        if not (isinstance(said, tuple) and len(said) == 2):
            return f"move(k={k}, corr={corr:g}, beta_j={beta:g}) returns {said!r}; it must return a pair (shrink, theta)."
        shrink, theta = map(float, said)
        if not (np.isfinite([shrink, theta]).all() and (away or shrink >= 0) and shrink <= 1):
            return f"move(k={k}, corr={corr:g}, beta_j={beta:g}) is ({shrink:g}, {theta:g}); shrink must lie in [0, 1], theta be finite."
    return None


def moves_are_functions(at):
    """Moves and scores."""
    for k, view, j, corr, beta in at.moves():
        if at.step.move(k, view, j, corr, beta) != at.step.move(k, view, j, corr, beta):
            return f"two calls of move(k={k}, corr={corr:g}, beta_j={beta:g}) differ; random numbers belong into a selection rule's draws."
    return None


def score_changes_no_more_than_the_correlation(at):
    """Lookahead rests on it: it knows correlations of learners up to a bound."""
    score = at.step.score
    if score is None:
        return SKIPPED
    ladder = np.unique([*CORRELATIONS, *np.linspace(-3, 3, 49)])
    for j, beta in ((0, -2.0), (0, 0.0), (3, 0.5), (3, 0.01)):
        scores = np.array([score(j, float(corr), beta) for corr in ladder])
        if not np.isfinite(scores).all():
            return f"score(j={j}, corr, beta_j={beta:g}) is not finite for a corr in [-4, 4]."
        steep = np.abs(np.diff(scores)) - np.diff(ladder) * (1 + 1e-12) - 1e-15 * (1 + np.abs(scores[1:]))
        i = int(np.argmax(steep))
        if steep[i] > 0:
            return (
                f"from corr = {ladder[i]:.6g} to {ladder[i + 1]:.6g} (beta_j = {beta:g}) the score goes from {scores[i]:.6g} to "
                f"{scores[i + 1]:.6g}; it may change by at most what corr changes by: divide the score by its steepest slope."
            )
    return None


def score_does_not_fall_below_0(at):
    """The winner of a step is the largest."""
    score = at.step.score
    if score is None:
        return SKIPPED
    for _, _, j, corr, beta in at.moves():
        if score(j, corr, beta) < 0:
            return f"score(j={j}, corr={corr:g}, beta_j={beta:g}) is {score(j, corr, beta):.6g}; scores must be at least 0."
    return None


def unit_is_positive(at):
    """Coefficients are unit times the sum of the thetas."""
    unit = at.step.unit
    if not (np.isscalar(unit) and np.isfinite(unit) and unit > 0):
        return f"unit is {unit!r}; it must be a positive number."
    return None


def compiled_moves_are_the_same(at):
    """Ten steps; sums may be rounded differently, so small steps may differ by that."""
    if at.step.sequences != 1 or at.step.corrective is not None:
        return SKIPPED
    method, horizon = Method("checked", Full(), at.given), at.step.horizon
    n_steps = 10 if horizon is None else min(10, horizon)
    return path_of(at.problem, method, n_steps)


LAWS = (
    moves_are_finite_and_shrink_lies_in_0_to_1, moves_are_functions, score_changes_no_more_than_the_correlation,
    score_does_not_fall_below_0, unit_is_positive, compiled_moves_are_the_same,
)  # fmt: skip
