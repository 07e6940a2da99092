"""Laws of selection rules, on a small problem with the squared loss."""

from typing import NamedTuple

import numpy as np

from coordboost.laws.problems import path_of, runs_of, small, small_blocks
from coordboost.laws.report import SKIPPED
from coordboost.method import Method
from coordboost.pieces.steps import Proportional


class SelectionCase(NamedTuple):
    """The rule as it is given and bound to a problem, that problem, and the rule with steps of LS-Boost."""

    given: object
    select: object
    problem: object
    method: Method


def case(select, y):
    """The rule, bound."""
    problem = small() if select.unions is None else small_blocks()
    bind = select.bind
    return (
        SelectionCase(select, select if bind is None else bind(problem), problem, Method("checked", select, Proportional(0.5))),
    )


def width_is_a_whole_number(at):
    """Numbers drawn for a step."""
    width = at.select.width
    if isinstance(width, bool) or not isinstance(width, int | np.integer) or width < 0:
        return f"width is {width!r}; it must be a whole number >= 0, the count of random numbers of a step."
    if width and at.select.draw is None:
        return f"width is {width}, but there is no draw(rng, n_rows, n_learners) that gives the numbers."
    return None


def draws_have_their_shape_and_bounds(at):
    """Whole numbers (n_rows, width), from 0 to below draws_below, or n_learners."""
    draw, width = at.select.draw, at.select.width
    if draw is None:
        return SKIPPED
    below = at.select.draws_below
    below = at.problem.n_learners if below is None else below
    for n_rows in (1, 64):
        drawn = np.asarray(draw(np.random.default_rng(0), n_rows, at.problem.n_learners))
        if drawn.shape != (n_rows, width) or drawn.dtype.kind not in "iu":
            return (
                f"draw gives shape {drawn.shape}, dtype {drawn.dtype}; it must be whole numbers of shape ({n_rows}, {width})."
            )
        if drawn.min(initial=0) < 0 or drawn.max(initial=0) >= below:
            return f"draw gives numbers from {drawn.min()} to {drawn.max()}; they must be at least 0 and below {below}."
    return None


def draws_come_from_the_generator(at):
    """The same seed, the same numbers."""
    draw = at.select.draw
    if draw is None:
        return SKIPPED
    first, second = (np.asarray(draw(np.random.default_rng(7), 20, at.problem.n_learners)) for _ in range(2))
    if not np.array_equal(first, second):
        return "two draws from generators of the same seed differ; take every number from the rng that is given."
    return None


def parts_are_what_is_drawn_at_once(at):
    """The same seed, the same numbers, part by part."""
    draw, in_parts = at.select.draw, at.select.draw_in_parts
    if draw is None or in_parts is None:
        return SKIPPED
    whole = np.asarray(draw(np.random.default_rng(7), 200, at.problem.n_learners))
    if not np.array_equal(np.concatenate(list(in_parts(np.random.default_rng(7), 200, at.problem.n_learners))), whole):
        return "draw_in_parts gives other rows than draw from a generator of the same seed; put together, its parts must be these rows."
    return None


def compiled_picks_are_the_same(at):
    """Twenty steps, every learner in range."""
    return path_of(at.problem, at.method, 20)


def a_greedy_rule_takes_the_largest_correlation(at):
    """Lookahead takes its place."""
    if not at.select.greedy:
        return SKIPPED
    run = runs_of(at.problem, at.method, 20)[0]
    for state, j in zip(run.replay(range(20)), run.path.learner, strict=True):
        sizes = np.abs(state.corr)
        if sizes[j] < sizes.max() - 2 * at.problem.tie:
            return (
                f"step {state.k} takes learner {j} with correlation {sizes[j]:.6g}, where learner {int(sizes.argmax())} has "
                f"{sizes.max():.6g}; leave `greedy` out, or False."
            )
    return None


def norm_is_a_norm_and_dual_norm_its_dual(at):
    """<a, b> <= norm(a) dual_norm(b), norms are convex and grow with their argument."""
    norm, dual = at.select.norm, at.select.dual_norm
    if norm is None or dual is None:
        return SKIPPED
    rng = np.random.default_rng(3)
    for _ in range(50):
        a, b = rng.integers(-9, 10, (2, at.problem.n_learners)) * (rng.random((2, at.problem.n_learners)) < 0.6) / 4
        if a @ b > norm(a) * dual(b) * (1 + 1e-12):
            return f"<a, b> = {a @ b:.6g} is above norm(a) dual_norm(b) = {norm(a) * dual(b):.6g} for a = {a.tolist()}; one is too small."
        for name, size in (("norm", norm), ("dual_norm", dual)):
            if not np.isclose(size(-3 * a), 3 * size(a), rtol=1e-12) or size(a + b) > (size(a) + size(b)) * (1 + 1e-12):
                return f"{name} is no norm: {name}(-3 a) = {size(-3 * a):.6g}, {name}(a) = {size(a):.6g} for a = {a.tolist()}."
    return None


def weights_are_a_law(at):
    """Not negative, not increasing, total one."""
    weights = at.select.weights
    if weights is None:
        return SKIPPED
    for n in (4, 12):
        law = np.asarray(weights(n))
        if law.shape != (n,) or law.min() < -1e-15 or abs(law.sum() - 1) > 1e-9:
            return f"weights({n}) = {law.tolist()}; they must be {n} probabilities of the rank of the winner, with sum 1."
    return None


LAWS = (
    width_is_a_whole_number, draws_have_their_shape_and_bounds, draws_come_from_the_generator,
    parts_are_what_is_drawn_at_once, compiled_picks_are_the_same, a_greedy_rule_takes_the_largest_correlation,
    norm_is_a_norm_and_dual_norm_its_dual, weights_are_a_law,
)  # fmt: skip
