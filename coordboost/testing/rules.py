"""Laws of step rules, selection rules and coefficient rules.

They are tested on a small problem with the squared loss.
"""

from typing import NamedTuple

import numpy as np

from coordboost.engine.run import solve
from coordboost.engine.states.accelerated import AcceleratedState
from coordboost.engine.states.away_steps import AwayStepState
from coordboost.engine.states.naive import NaiveState
from coordboost.methods.named import agbm, forward_stepwise, frank_wolfe_away
from coordboost.rules.coefficients import TwoSequences, Vertices
from coordboost.rules.method import Method
from coordboost.rules.selection import Greedy
from coordboost.rules.steps import ShrunkenStep, mixing
from coordboost.testing.problems import path_of, runs_of, small, small_blocks
from coordboost.testing.report import SKIPPED, about

#: Methods with a store of their own: each supplies a step that fits its kind of store.
STORING = (agbm(0.5, 0.1), frank_wolfe_away(2.0), forward_stepwise())
#: Correlations and coefficients for the tests.
CORRELATIONS = (-4.0, -0.5, -1e-9, 0.0, 1e-9, 0.25, 1.0, 4.0)
COEFFICIENTS = (-2.0, 0.0, 0.5)


class StepCase(NamedTuple):
    """A step rule as given and bound to a problem, and that problem."""

    given: object
    piece: object
    problem: object

    def moves(self):
        """Yield arguments of move.

        They are (step number, model state, learner, correlation, coefficient).
        """
        for k in range(min(5, self.piece.horizon or 5)):
            state = self._state(k)
            yield from (
                (k, state, j, corr, beta)
                for j in (0, 3)
                for corr in CORRELATIONS
                for beta in COEFFICIENTS
            )

    def _state(self, k):
        """Return a model state that fits the rule: it has as many sequences of coefficients.

        With two, it is in the round of step k.
        """
        if self.piece.corrective is not None:
            state = AwayStepState.start(self.problem, Vertices())
            state.turns[:] = (k % 4, 1, 0, -1)
            state.most[0] = 0.5
            return state
        if self.piece.sequences == 1:
            return NaiveState.start(self.problem)
        state = AcceleratedState.start(self.problem, TwoSequences().start(self.problem))
        state.clock[:2] = k // 2, mixing(k // 2) if k % 2 == 0 else 0
        return state


def step_case(step, y):
    """Return a test case: the step rule, bound to a small problem."""
    problem = small()
    return StepCase(step, step.bind(problem), problem)


def moves_are_finite_and_shrink_lies_in_0_to_1(at):
    """Test that move returns (shrink, theta) in range; away steps may have a negative shrink."""
    away = at.piece.corrective is not None
    for k, state, j, corr, beta in at.moves():
        moved = at.piece.move(k, state, j, corr, beta)
        if not (isinstance(moved, tuple) and len(moved) == 2):
            yield (
                f"move(k={k}, corr={corr:g}, beta_j={beta:g}) returns {moved!r}; it must return "
                "a pair (shrink, theta)."
            )
        shrink, theta = map(float, moved)
        if not (np.isfinite([shrink, theta]).all() and (away or shrink >= 0) and shrink <= 1):
            yield (
                f"move(k={k}, corr={corr:g}, beta_j={beta:g}) is ({shrink:g}, {theta:g}); "
                "shrink must lie in [0, 1], theta be finite."
            )


def moves_are_functions(at):
    """Test that move returns the same when called again."""
    for k, state, j, corr, beta in at.moves():
        if at.piece.move(k, state, j, corr, beta) != at.piece.move(k, state, j, corr, beta):
            yield (
                f"two calls of move(k={k}, corr={corr:g}, beta_j={beta:g}) differ; draw random "
                "numbers in a selection rule instead."
            )


@about("score")
def score_changes_no_more_than_the_correlation(at):
    """Test that a score changes by at most the change of the correlation.

    Lookahead bounds scores by bounds on correlations.
    """
    score = at.piece.score
    ladder = np.unique([*CORRELATIONS, *np.linspace(-3, 3, 49)])
    for j, beta in ((0, -2.0), (0, 0.0), (3, 0.5), (3, 0.01)):
        scores = np.array([score(j, float(corr), beta) for corr in ladder])
        if not np.isfinite(scores).all():
            yield f"score(j={j}, corr, beta_j={beta:g}) is not finite for a corr in [-4, 4]."
        steep = (
            np.abs(np.diff(scores))
            - np.diff(ladder) * (1 + 1e-12)
            - 1e-15 * (1 + np.abs(scores[1:]))
        )
        i = int(np.argmax(steep))
        if steep[i] > 0:
            yield (
                f"from corr = {ladder[i]:.6g} to {ladder[i + 1]:.6g} (beta_j = {beta:g}) the score "
                f"goes from {scores[i]:.6g} to {scores[i + 1]:.6g}; it may change by at most the "
                "change of corr: divide the score by its steepest slope."
            )


@about("score")
def score_does_not_fall_below_0(at):
    """Test that scores are at least 0: the learner with the largest score is selected."""
    score = at.piece.score
    for _, _, j, corr, beta in at.moves():
        if score(j, corr, beta) < 0:
            yield (
                f"score(j={j}, corr={corr:g}, beta_j={beta:g}) is {score(j, corr, beta):.6g}; "
                "scores must be at least 0."
            )


def unit_is_positive(at):
    """Test the unit: coefficients are unit times the sum of the thetas."""
    unit = at.piece.unit
    if not (np.isscalar(unit) and np.isfinite(unit) and unit > 0):
        yield f"unit is {unit!r}; it must be a positive number."


def compiled_moves_are_the_same(at):
    """Compare ten compiled steps with interpreted ones; they may differ by the rounding of sums."""
    if at.piece.sequences != 1 or at.piece.corrective is not None:
        yield SKIPPED
    yield from path_of(
        at.problem, Method("checked", Greedy(), at.given), min(10, at.piece.horizon or 10)
    )


STEP_LAWS = (
    moves_are_finite_and_shrink_lies_in_0_to_1,
    moves_are_functions,
    score_changes_no_more_than_the_correlation,
    score_does_not_fall_below_0,
    unit_is_positive,
    compiled_moves_are_the_same,
)


class SelectionCase(NamedTuple):
    """A selection rule as given and bound to a problem.

    With that problem, and the method of this rule with LS-Boost steps.
    """

    given: object
    piece: object
    problem: object
    method: Method


def selection_case(select, y):
    """Return a test case: the selection rule, bound to a small problem."""
    problem = small() if select.unions is None else small_blocks()
    return SelectionCase(
        select, select.bind(problem), problem, Method("checked", select, ShrunkenStep(0.5))
    )


def width_is_a_whole_number(at):
    """Test width, the count of random numbers per step."""
    width = at.piece.width
    if isinstance(width, bool) or not isinstance(width, int | np.integer) or width < 0:
        yield (
            f"width is {width!r}; it must be a whole number >= 0, the number of random numbers "
            "per step."
        )
    if width and at.piece.draw is None:
        yield (
            f"width is {width}, but there is no draw(rng, n_rows, n_learners) that gives the "
            "numbers."
        )


@about("draw")
def draws_have_their_shape_and_bounds(at):
    """Test that draws are integers (n_rows, width) within their bounds.

    They are at least 0 and below draws_below, by default n_learners.
    """
    draw = at.piece.draw
    width = at.piece.width
    below = at.piece.draws_below
    below = at.problem.n_learners if below is None else below
    for n_rows in (1, 64):
        drawn = np.asarray(draw(np.random.default_rng(0), n_rows, at.problem.n_learners))
        if drawn.shape != (n_rows, width) or drawn.dtype.kind not in "iu":
            yield (
                f"draw gives shape {drawn.shape}, dtype {drawn.dtype}; it must be whole numbers "
                f"of shape ({n_rows}, {width})."
            )
        if drawn.min(initial=0) < 0 or drawn.max(initial=0) >= below:
            yield (
                f"draw gives numbers from {drawn.min()} to {drawn.max()}; they must be at least "
                f"0 and below {below}."
            )


@about("draw")
def draws_come_from_the_generator(at):
    """Test that the same seed gives the same numbers."""
    draw = at.piece.draw
    drawn, repeated = (
        np.asarray(draw(np.random.default_rng(7), 20, at.problem.n_learners)) for _ in range(2)
    )
    if not np.array_equal(drawn, repeated):
        yield (
            "two draws from generators of the same seed differ; take every number from the rng "
            "that is given."
        )


def compiled_picks_are_the_same(at):
    """Compare twenty compiled steps with interpreted ones; every learner must be in range."""
    yield from path_of(at.problem, at.method, 20)


@about("greedy")
def a_greedy_rule_takes_the_largest_correlation(at):
    """Test the declaration `greedy`: lookahead replaces a greedy rule."""
    run = runs_of(at.problem, at.method, 20)[0]
    for state, j in zip(run.replay(range(20)), run.path.learner, strict=True):
        sizes = np.abs(state.corr)
        if sizes[j] < sizes.max() - 2 * at.problem.tie:
            yield (
                f"step {state.k} takes learner {j} with correlation {sizes[j]:.6g}, where learner "
                f"{int(sizes.argmax())} has {sizes.max():.6g}; omit `greedy`, or set it to False."
            )


@about("norm", "dual_norm")
def norm_is_a_norm_and_dual_norm_its_dual(at):
    """Test <a, b> <= norm(a) dual_norm(b), homogeneity and the triangle inequality."""
    norm = at.piece.norm
    dual = at.piece.dual_norm
    rng = np.random.default_rng(3)
    for _ in range(50):
        a, b = (
            rng.integers(-9, 10, (2, at.problem.n_learners))
            * (rng.random((2, at.problem.n_learners)) < 0.6)
            / 4
        )
        if a @ b > norm(a) * dual(b) * (1 + 1e-12):
            yield (
                f"<a, b> = {a @ b:.6g} is above norm(a) dual_norm(b) = {norm(a) * dual(b):.6g} "
                f"for a = {a.tolist()}; one is too small."
            )
        for name, size in (("norm", norm), ("dual_norm", dual)):
            if not np.isclose(size(-3 * a), 3 * size(a), rtol=1e-12) or size(a + b) > (
                size(a) + size(b)
            ) * (1 + 1e-12):
                yield (
                    f"{name} is not a norm: {name}(-3 a) = {size(-3 * a):.6g}, {name}(a) = "
                    f"{size(a):.6g} for a = {a.tolist()}."
                )


@about("weights")
def weights_are_a_law(at):
    """Test that the weights are probabilities."""
    weights = at.piece.weights
    for n in (4, 12):
        law = np.asarray(weights(n))
        if law.shape != (n,) or law.min() < -1e-15 or abs(law.sum() - 1) > 1e-9:
            yield (
                f"weights({n}) = {law.tolist()}; they must be {n} probabilities, of the ranks "
                "of the selected learner, with sum 1."
            )


SELECTION_LAWS = (
    width_is_a_whole_number,
    draws_have_their_shape_and_bounds,
    draws_come_from_the_generator,
    compiled_picks_are_the_same,
    a_greedy_rule_takes_the_largest_correlation,
    norm_is_a_norm_and_dual_norm_its_dual,
    weights_are_a_law,
)


class StoreCase(NamedTuple):
    """A store as a field of a method, a problem, and rows (learner, shrink, theta)."""

    piece: object
    problem: object
    rows: list

    def after(self, n):
        """Return the store after the first n rows."""
        store = self.piece.start(self.problem)
        for row in self.rows[:n]:
            store.accumulate(*row)
        return store

    def method(self):
        """Return a method with this store, and a step rule that fits it."""
        known = [method for method in STORING if type(method.coefficients) is type(self.piece)]
        return Method(
            "checked",
            Greedy(),
            known[0].step if known else ShrunkenStep(0.5),
            coefficients=self.piece,
        )


def store_case(store, y):
    """Return a test case for a store.

    Rows with no shrinkage, some, and all, and one row that changes nothing.
    """
    problem = small()
    rng = np.random.default_rng(0)
    columns = (
        rng.integers(0, problem.n_learners, 24),
        rng.choice([0.0, 0.0, 0.25, 1.0], 24),
        rng.normal(size=24),
    )
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    return StoreCase(store, problem, [*rows, (3, 0.0, 0.0)])


def it_starts_at_0(at):
    """Test that a new store has (n_learners,) zeros."""
    beta = np.asarray(at.after(0).beta(2.0))
    if beta.shape != (at.problem.n_learners,) or beta.any():
        yield (
            f"start(problem).beta(unit) is {beta.tolist()}; it must be "
            f"{at.problem.n_learners} zeros."
        )


def stores_share_nothing(at):
    """Test that two stores share no memory: two runs may use one method."""
    filled = at.after(0)
    untouched = at.after(0)
    for row in at.rows:
        filled.accumulate(*row)
    if np.asarray(untouched.beta(1.0)).any() or np.asarray(at.after(0).beta(1.0)).any():
        yield "two stores share memory; start(problem) must make new arrays."


def coefficients_are_functions_of_the_rows(at):
    """Test that the same rows give the same bits, and that reading changes nothing."""
    read = at.after(0)
    unread = at.after(len(at.rows))
    for row in at.rows:
        read.accumulate(*row)
        read.beta(1.0), read.coefficient(0)
    if not np.array_equal(read.beta(1.0), unread.beta(1.0)):
        yield (
            "the same rows give other coefficients if beta and coefficient are called in "
            "between; these must not change the store."
        )


@about("knows_coefficient")
def coefficient_is_that_of_beta(at):
    """Test that unit times coefficient(j) equals beta after every row."""
    for n in range(len(at.rows) + 1):
        store = at.after(n)
        beta = np.asarray(store.beta(0.5))
        coefficients = 0.5 * np.array([store.coefficient(j) for j in range(at.problem.n_learners)])
        if not np.abs(coefficients - beta).max() <= 1e-12 * (1 + np.abs(beta).max()):
            yield (
                f"after row {n}, unit times coefficient(j) is {coefficients.tolist()}, but "
                f"beta(unit) is {beta.tolist()}."
            )


@about("plain")
def a_plain_row_is_the_whole_update(at):
    """Test the declaration `plain`.

    The update is beta <- (1 - shrink) beta, then beta_j <- beta_j + unit theta.
    """
    by_hand = np.zeros(at.problem.n_learners)
    store = at.after(0)
    for n, (j, shrink, theta) in enumerate(at.rows):
        store.accumulate(j, shrink, theta)
        by_hand *= 1 - shrink
        by_hand[j] += 3.0 * theta
        if not np.abs(np.asarray(store.beta(3.0)) - by_hand).max() <= 1e-12 * (
            1 + np.abs(by_hand).max()
        ):
            yield (
                f"after row {n}, ({j}, {shrink:g}, {theta:g}), beta differs from the plain "
                "update; declare plain = False."
            )


def a_run_is_its_rows(at):
    """Test that the rows of a run, put into an empty store, give the coefficients of the run."""
    run = solve(at.problem, at.method(), 8)
    method = at.method()
    store = at.piece.start(at.problem)
    for row in zip(
        run.path.learner.tolist(), run.path.shrink.tolist(), run.path.theta.tolist(), strict=True
    ):
        store.accumulate(*row)
    off = np.abs(np.asarray(store.beta(method.unit)) - run.beta).max()
    if not off <= 1e-9 * (1 + np.abs(run.beta).max()):
        yield (
            "the rows of a run, put into an empty store, give coefficients that differ by "
            f"{off:.3g} from those of the run."
        )


STORE_LAWS = (
    it_starts_at_0,
    stores_share_nothing,
    coefficients_are_functions_of_the_rows,
    coefficient_is_that_of_beta,
    a_plain_row_is_the_whole_update,
    a_run_is_its_rows,
)
