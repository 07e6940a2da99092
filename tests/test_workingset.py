"""The outer loop of the Lasso solvers, with an inner solver that does as a script says: when it fits, what it asks for, what it keeps."""

import numpy as np
import pytest
import scipy.sparse

import coordboost as cb
from coordboost._protocol import LOSS
from coordboost.lasso.gram import GramForm
from coordboost.lasso.newton import Newton
from coordboost.lasso.sparse import StoredEntries
from coordboost.lasso.workingset import WorkingSet
from coordboost.screening.columns import ScaledColumns


class Scripted:
    """At every check the next of `gaps`; at every look for new learners the next of `new`, so many of them; the models are numbered by
    the checks, and have `n_model` learners."""

    null = 2.0

    def __init__(self, gaps, new=(), level=0.0, reached=True, at_once=1.0, n_model=1, near=0.96):
        self.gaps, self.new, self.level, self.reached, self.at_once = list(gaps), list(new), level, reached, at_once
        self.calls, self.n_checks, self.n_model, self.near = [], 0, n_model, near
        self.size = np.tile([1.0, 3.0, 2.0], 200)

    def _note(self, *call):
        self.calls.append(call)

    def made(self, name):
        return [call[1:] for call in self.calls if call[0] == name]

    def penalise(self, lam):
        self._note("penalise", lam)

    def gap(self, lam, wanted):
        self._note("gap", lam, wanted)
        return self.at_once

    def model(self):
        return np.full(self.n_model, self.n_checks), np.ones(self.n_model)

    def waiting(self, level):
        self._note("waiting", level)
        return np.arange(self.new.pop(0) if self.new else 0)

    def recruit(self, new):
        self._note("recruit", new)

    def fit(self, lam, goal):
        self._note("fit", lam, goal)
        return self.reached

    def check(self, lam, wanted):
        self._note("check", lam, wanted)
        self.n_checks += 1
        return self.gaps.pop(0) if len(self.gaps) > 1 else self.gaps[0]


def solved(inner, lam=3.0, tol=0.05, **options):
    return WorkingSet(inner).solve(lam, tol, **options)


def test_what_is_asked_for():
    """Nine tenths of the tolerance times the loss at 0; a gap as wanted is the end."""
    inner = Scripted([0.4, 0.1])
    answer = solved(inner)
    assert inner.made("fit") == [(3.0, pytest.approx(0.09)), (3.0, pytest.approx(0.009))]
    assert inner.made("penalise") == [(3.0,)] and inner.made("check") == [(3.0, pytest.approx(0.1))] * 2
    assert inner.made("waiting") == [(3.0,)] and answer.gap == 0.05 and answer.learner.tolist() == [2]


@pytest.mark.parametrize("level, near, asked", [(3.1, 0.96, 2.9), (3.5, 0.96, 2.88), (3.1, 1.0, 3.0)])
def test_who_joins_first(level, near, asked):
    """Correlations above lam by that much move by as much at least; at most those that the inner solver calls near."""
    inner = Scripted([0.0], level=level, near=near)
    solved(inner)
    assert inner.made("waiting") == [(pytest.approx(asked),)]
    below = Scripted([0.0], level=3.0)
    solved(below)
    assert below.made("waiting") == []


@pytest.mark.parametrize("new, n_checks", [(0, 3), (3, 6)])
def test_three_checks_without_progress(new, n_checks):
    """A new learner counts as progress; the goal is a tenth where the last was reached and nobody new came."""
    inner = Scripted([1.5], new=[1] * new)
    assert solved(inner).gap == 0.5  # the one at hand before was better
    goals = [goal for _, goal in inner.made("fit")]
    assert len(goals) == n_checks == len(inner.made("check"))
    np.testing.assert_allclose(goals, 0.09 * 0.1 ** np.maximum(np.arange(n_checks) - new, 0))


def test_a_crowd_joins_in_turns():
    """A hundred at once, or as many as the model has: the largest correlations, lowest index first; goals are rough till then."""
    inner = Scripted([0.5, 0.4], new=[600, 101, 100, 0], level=9.0)
    solved(inner, tol=1e-3)
    joined = [new.tolist() for (new,) in inner.made("recruit")]
    assert joined == [
        list(range(1, 300, 3)),
        sorted([*range(1, 101, 3), *range(2, 101, 3), *range(0, 100, 3)][:100]),
        list(range(100)),
    ]
    goals = [goal for _, goal in inner.made("fit")]
    np.testing.assert_allclose(goals[:4], [0.1, 0.05, 0.0018, 0.00018])
    alone = Scripted([0.5], new=[600, 0], level=9.0)  # nobody came after a rough fit: that is no reason for a smaller goal
    solved(alone, tol=1e-3)
    np.testing.assert_allclose([goal for _, goal in alone.made("fit")][:3], [0.1, 0.0018, 0.00018])
    larger = Scripted([1.0], new=[600, 600], n_model=250)
    solved(larger)
    assert [len(new) for (new,) in larger.made("recruit")] == [250, 250]


def test_a_gap_that_falls_by_a_tenth_is_progress():
    assert len(made_of([0.89] + [0.88] * 20)) == 1 + 3
    assert len(made_of([0.91] * 20)) == 3


def made_of(gaps):
    inner = Scripted(gaps)
    solved(inner)
    return inner.made("check")


def test_goals_that_were_not_reached_stay():
    inner = Scripted([1.5], reached=False)
    solved(inner)
    assert [goal for _, goal in inner.made("fit")] == [pytest.approx(0.09)] * 3


@pytest.mark.parametrize("tol", [1e-14, 1e-300])
def test_no_goal_is_below_rounding(tol):
    """Four units in the last place of the loss at 0, which is 2 here."""
    inner = Scripted([1.5])
    solved(inner, tol=tol)
    goals = [goal for _, goal in inner.made("fit")]
    np.testing.assert_allclose(goals, np.maximum(2 * 0.9 * tol * 0.1 ** np.arange(3), 2.0**-49), rtol=1e-15)


def test_the_best_is_kept():
    inner = Scripted([0.9, 0.3, 0.6, 0.5])
    answer = solved(inner)
    assert answer.gap == 0.15 and answer.learner.tolist() == [2]
    assert solved(Scripted([-1e-20])).gap == 0.0  # rounding


def test_how_long_a_model_serves():
    """While it is good enough, down to 0.8 of the penalty that it was found for."""
    inner = Scripted([0.0], at_once=0.0)
    answers = WorkingSet(inner).path([1.0, 0.9, 0.81, 0.79, 0.7, 0.6], 0.05)
    assert [lam for lam, _ in inner.made("fit")] == [1.0, 0.79, 0.6] and len(answers) == 6
    inner = Scripted([0.0], at_once=0.2)  # never good enough
    WorkingSet(inner).path([1.0, 0.99], 0.05)
    assert [lam for lam, _ in inner.made("fit")] == [1.0, 0.99]


def test_an_interruption_keeps_what_is_there():
    """The first penalty has an answer in any case, with the best so far."""
    inner = Scripted([0.7, 0.6])
    answers = WorkingSet(inner).path([1.0, 0.5], 0.05, interrupted=lambda: True)
    assert len(answers) == 1 and inner.n_checks == 1 and answers[0].gap == 0.35


def test_nothing_to_explain():
    inner = Scripted([0.0], at_once=0.0)
    inner.null = 0.0
    assert WorkingSet(inner).solve(1.0, 0.05).gap == 0.0


class OwnLogistic:
    """Without a curvature."""

    sigma, infimum = 0.25, 0.0
    value, residual = staticmethod(cb.Logistic().value), staticmethod(cb.Logistic().residual)


def problem_of(kind):
    X = np.random.default_rng(2).standard_normal((20, 30)) * (np.random.default_rng(3).random((20, 30)) < 0.6)
    y = np.sign(X[:, 0] + 0.1 * np.arange(20) - 1)
    if kind == "newton":
        return cb.Problem(X, y, OwnLogistic(), center=False)
    return cb.Problem(scipy.sparse.csc_array(X) if kind == "sparse" else X, y, center=kind != "sparse")


@pytest.mark.parametrize("kind", ["gram", "sparse", "newton"])
def test_who_reaches_the_level_joins(kind):
    """One learner does, and the answer says that somebody is new; nobody joins twice."""
    problem = problem_of(kind)
    columns = ScaledColumns(problem, weighted=kind != "newton")
    inner = {"gram": GramForm, "sparse": StoredEntries, "newton": lambda source: Newton(source, None)}[kind](columns)
    size = np.sort(np.abs(problem.scan(problem.resid(np.zeros(20)))))
    assert inner.level == pytest.approx(size[-1], rel=1e-10)
    first = inner.waiting((size[-1] + size[-2]) / 2)
    assert inner.size[first] == [pytest.approx(size[-1])]
    inner.recruit(first)
    assert not len(inner.waiting((size[-1] + size[-2]) / 2))
    inner.recruit(others := inner.waiting(size[-4] * (1 - 1e-9)))
    assert len(inner.gamma) == 4 and (np.sort(others) == others).all()
    if kind == "newton":  # the model of a loss without a curvature has that of its smoothness, at the middle of the losses
        inner._model()
        chosen = problem.gather(inner.held.learner)
        np.testing.assert_allclose(inner.quadratic.gram, 0.25 * chosen.T @ chosen, atol=1e-12)


@pytest.mark.parametrize("loss", [cb.Squared(), cb.Logistic()], ids=["gram", "newton"])
def test_a_long_step_brings_few_learners_in(loss, monkeypatch):
    """One small penalty, nearly every learner above it at the start: the working set stays near the model's size."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 1500))
    y = X[:, :8] @ rng.standard_normal(8)
    problem = cb.Problem(X, y if LOSS.of(loss, "quadratic") else np.sign(y), loss)
    kind = GramForm if LOSS.of(loss, "quadratic") else Newton
    joined, recruit = [], kind.recruit
    monkeypatch.setattr(kind, "recruit", lambda inner, new: (joined.append(len(new)), recruit(inner, new)))
    top = cb.lasso_path(problem, n_alphas=1).alphas[0]
    assert (np.abs(problem.scan(problem.resid(np.zeros(200)))) > 0.05 * 200 * top).mean() > 0.6
    path = cb.lasso_path(problem, alphas=[0.05 * top], tol=1e-6, solver="descent" if kind is GramForm else None)
    assert path.gaps[0] <= 1e-6 and 0 < np.count_nonzero(path.coefs) < 200
    assert sum(joined) <= 300


@pytest.mark.parametrize("kind", ["gram", "newton"])
def test_few_penalties_ask_for_few_learners(kind, monkeypatch):
    """On a tall table, too: nobody joins whose correlation stays below the penalties. Only a whole path takes all learners at once."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 60))
    y = X[:, :3] @ np.array([3.0, -2.0, 2.0]) + 0.1 * rng.standard_normal(300)
    problem = cb.Problem(X, np.sign(y), cb.Logistic()) if kind == "newton" else cb.Problem(X, y)
    solver, joined = (Newton if kind == "newton" else GramForm), []
    recruit = solver.recruit
    monkeypatch.setattr(solver, "recruit", lambda inner, new: (joined.append(len(new)), recruit(inner, new)))
    top = cb.lasso_path(problem, n_alphas=1).alphas[0]
    for n_alphas, most in ((1, 6), (10, 6), (11, 60 if kind == "gram" else 6)):
        joined.clear()
        path = cb.lasso_path(
            problem, alphas=np.linspace(0.5, 1, n_alphas) * top, solver=None if kind == "newton" else "descent"
        )
        assert (path.gaps <= 1e-6).all()
        assert sum(joined) == most if most == 60 else 0 < sum(joined) <= most


def test_a_path_says_its_largest_gap():
    problem = problem_of("gram")
    path = cb.lasso_path(problem, n_alphas=5, tol=1e-3)
    assert f"{path.gaps.max():.1e}" in repr(path)
