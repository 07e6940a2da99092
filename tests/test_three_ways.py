"""The same source compiled, interpreted and on exact numbers: same picks, coefficients equal to rounding."""

import math
from itertools import product

import numpy as np
import pytest
import scipy.sparse
from designs import draws
from exact_runs import ExactProblem, candidates, drift, exact_run, exactly

import coordboost as cb

N_SAMPLES, N_LEARNERS, N_STEPS, RADIUS = 8, 6, 6, 2.0
GROUPS = [0, 1, 0, 2, 1, 0]

VIEWS = {"explicit": cb.Explicit, "gram": cb.Gram}
SELECTIONS = {"full": cb.Full(), "subset": cb.Subset(3), "groups": cb.Groups(2), "cyclic": cb.Cyclic()}
STEPS = {
    "proportional": cb.Proportional(0.5),
    "line search": cb.LineSearch(),
    "sign": cb.Sign(0.25),
    "sign, shrunk": cb.Sign(0.25, RADIUS),
    "sign sequence": cb.SignSequence(np.ldexp(1.0, -np.arange(N_STEPS))),
    "path": cb.PathSign(0.25, np.linspace(1.0, RADIUS, N_STEPS)),
    "open loop": cb.OpenLoop(RADIUS),
    "ball search": cb.BallSearch(RADIUS),
    "soft threshold": cb.SoftThreshold(0.0625, 1.0),
}
COMBINATIONS = list(product(range(len(VIEWS)), range(len(SELECTIONS)), range(len(STEPS))))


#: Steps that ask the view for more than a correlation are compiled with both views, these with the second, the others with the first.
ASKING = ("line search", "ball search")
SECOND = ("sign", "sign, shrunk", "sign sequence", "path")


def covered(view, select, step):
    """Every step, and every selection with every view; compiling all combinations takes minutes."""
    name = list(STEPS)[step]
    return select == (step + 2 * view) % len(SELECTIONS) and (name in ASKING or view == (name in SECOND))


def names(view, select, step):
    return list(VIEWS)[view], list(SELECTIONS)[select], list(STEPS)[step]


def marked(combination):
    marks = () if covered(*combination) else (pytest.mark.slow,)
    return pytest.param(*names(*combination), marks=marks, id="-".join(names(*combination)))


def data(seed=3):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(N_SAMPLES, N_LEARNERS)), rng.normal(size=N_SAMPLES)


def regression(loss=None, convert=np.asarray):
    X, y = data()
    return cb.Problem(convert(X * (X > 0)), y, loss, groups=GROUPS)


def classification(loss, convert=np.asarray):
    """Four rows come with both labels, so that the optimum is finite."""
    X, y = data()
    X, y = np.vstack([X, X[:4]]), np.append(y, -y[:4])
    return cb.Problem(convert(X * (X > 0)), np.where(y > 0, 1, -1), loss, groups=GROUPS)


def exact_twin(problem, method, view):
    """The run in Fractions on the numbers that the float64 problem stores, with the draws of seed 0."""
    twin = ExactProblem(
        *(exactly(part) for part in (problem.dictionary, problem.y, problem.weight, problem.loss)), 0, problem.groups
    )
    bound, drawn = method.bind(problem), draws(problem, method, N_STEPS)
    select = bound.select
    run = exact_run(twin, select, exactly(bound.step), N_STEPS, view=cb.Gram if view is cb.Gram else cb.Explicit, drawn=drawn)
    return run, [candidates(select, row, N_LEARNERS) for row in drawn]


def margins(problem, step, run, looked_at):
    """In every step, the score of the winner minus the best score among the others that were looked at."""
    B, score = problem.dictionary.gather(np.arange(N_LEARNERS)), getattr(step, "score", lambda j, corr, beta_j: abs(corr))
    for beta, pick, index in zip(run.betas.astype(float), run.picks, looked_at, strict=False):
        corr = B.T @ problem.resid(B @ beta)
        scores = [score(j, corr[j], beta[j]) for j in index if j != pick]
        yield score(pick, corr[pick], beta[pick]) - max(scores, default=-math.inf)


def size_of(problem, step):
    """What the numbers of a run stay below: the target, the radius, and for a search the quotient of the two."""
    size = RADIUS * (1 + np.linalg.norm(problem.y))
    return size * size if isinstance(step, cb.BallSearch) else size


def check(problem, select, step, view, *, exact=True, slack=1.0, compile=True):
    """Run all ways and compare picks and coefficients after every step."""
    method = cb.Method("test", select, step)
    roads = [cb.solve(problem, method, N_STEPS, view=view, compile=way) for way in (True, False)[not compile :]]
    paths = [list(road.path.learner) for road in roads]
    betas = [np.array([state.beta for state in road.replay(range(N_STEPS + 1))]) for road in roads]
    tolerance = slack * drift(N_STEPS, problem.n_samples, size_of(problem, step))
    if exact:
        run, looked_at = exact_twin(problem, method, view)
        assert isinstance(select, cb.Cyclic) or min(margins(problem, step, run, looked_at)) > 2 * tolerance
        paths.append(run.picks)
        betas.append(run.betas.astype(float))
    for path, beta in zip(paths[1:], betas[1:], strict=True):
        assert path == paths[0]
        np.testing.assert_allclose(beta, betas[0], rtol=0, atol=tolerance)
    assert np.abs(betas[0][-1]).max() > 1e3 * tolerance  # something moved


@pytest.mark.parametrize("view, select, step", [marked(combination) for combination in COMBINATIONS])
def test_every_combination(view, select, step):
    check(regression(), SELECTIONS[select], STEPS[step], VIEWS[view])


@pytest.mark.parametrize("view, select, step", [c for c in COMBINATIONS if not covered(*c)])
def test_the_others_without_the_compiler(view, select, step):
    view, select, step = names(view, select, step)
    check(regression(), SELECTIONS[select], STEPS[step], VIEWS[view], compile=False)


@pytest.mark.parametrize("step", [step for step in STEPS if step != "soft threshold"])
@pytest.mark.parametrize("view", [cb.Lookahead, cb.Gathered], ids=["lookahead", "gathered"])
def test_lookahead(view, step):
    """A few candidates of six learners, renewed by scans; the exact twin looks at everything in every step."""
    compile = step == "proportional" or (step, view) == ("ball search", cb.Lookahead)
    check(regression(), cb.Full(), STEPS[step], view, compile=compile)




@pytest.mark.parametrize("compile", [pytest.param(True, marks=pytest.mark.slow), False])
@pytest.mark.parametrize("select, step", [("full", "proportional"), ("subset", "line search"), ("groups", "sign, shrunk")])
def test_sparse_columns(select, step, compile):
    """Centred implicitly; the shift and the scale add two roundings to each number."""
    check(regression(None, scipy.sparse.csc_array), SELECTIONS[select], STEPS[step], cb.Explicit, slack=2.0, compile=compile)


def test_huber():
    """Exact as well, but for the line search."""
    check(regression(cb.Huber(0.5)), cb.Full(), STEPS["proportional"], cb.Explicit)


# Exponentials have no exact twin: compiled against interpreted. A library function is off by one ulp; the search stops within 4 ulp
# of a root of the derivative, whose rounding it divides by the curvature, above exp(-5) / 4 > 1 / 1000 at predictions below 5.
@pytest.mark.parametrize(
    "loss, step, convert",
    [
        (cb.Logistic(), "proportional", np.asarray),
        pytest.param(cb.Logistic(0.125), "ball search", np.asarray, marks=pytest.mark.slow),
        pytest.param(cb.Logistic(), "line search", scipy.sparse.csc_array, marks=pytest.mark.slow),
        (cb.Exponential(), "line search", np.asarray),
    ],
)
def test_exponentials(loss, step, convert):
    problem = classification(loss, convert)
    check(problem, cb.Full(), STEPS[step], cb.Explicit, exact=False, slack=1e3)
    check(problem, cb.Full(), STEPS[step], cb.Gathered, exact=False, slack=1e3, compile=False)
    run = cb.solve(problem, cb.Method("test", cb.Full(), STEPS[step]), N_STEPS, compile=False)
    assert np.abs(problem.offset + run.pred).max() < 5




