"""Implicit dictionaries: learners found by a search, numbered in the bank of the run, certified
where the search is exact.
"""

import math
from itertools import product

import numpy as np
import pytest

import coordboost as cb

M = 10
RNG = np.random.default_rng(5)
Y = RNG.normal(size=M)


class Signs(cb.learners.LearnerFamily):
    """All 2^M sign vectors over sqrt(M): sign(v) is the best, up to its sign; the next one differs
    where abs(v) is smallest.
    """

    n_samples = M

    def find(self, v, k, above):
        best = np.where(v >= 0, 1, -1)
        corr = np.abs(v).sum() / np.sqrt(M)
        sign = int(best[0])
        found = [tuple((sign * best).tolist())] if corr > above else []
        return found, np.array([sign * corr])[: len(found)], corr - 2 * np.abs(v).min() / np.sqrt(M)

    def build(self, learner):
        return np.array(learner) / np.sqrt(M)

    def at(self, X):
        return type(
            "Rows", (), {"n_samples": len(X), "build": lambda self, learner: X @ np.array(learner)}
        )()


class Greedy(Signs):
    """Sign vectors improved entry by entry from a poor start: a search that proves nothing."""

    def find(self, v, k, above):
        signs = np.ones(M)
        for i in np.argsort(-np.abs(v))[: M // 2]:
            signs[i] = 1 if v[i] >= 0 else -1
        return [tuple(signs.astype(int).tolist())], [signs @ v / np.sqrt(M)], math.inf


def explicit():
    """The sign vectors as columns, one of each pair of opposites."""
    return np.array([[1, *rest] for rest in product([1, -1], repeat=M - 1)]).T / np.sqrt(M)


METHODS = [
    cb.ls_boost(0.3),
    cb.forward_stagewise(0.05),
    cb.regularized_forward_stagewise(0.05, 2.0),
    cb.methods.gcd(cb.rules.LineSearch()),
    cb.methods.frank_wolfe(2.0),
    cb.agbm(0.5, 0.1),
    cb.vagbm(0.3, 0.1),
]


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
@pytest.mark.parametrize(
    "loss", [cb.losses.Squared(), cb.losses.Huber(0.5)], ids=["squared", "huber"]
)
def test_steps_are_those_over_all_learners(method, loss):
    """The coefficients equal those on the matrix of all learners; the run keeps the learners that
    it found, in the order of finding.
    """
    B = explicit()
    compiled = method.name == "ls_boost" and loss == cb.losses.Squared()
    found = cb.solve(cb.Problem(Signs(), Y, loss), method, 60, compile=compiled)
    listed = cb.Problem(B, Y - found.problem.constant, loss, center=False, scale=False)
    all_of_them = cb.solve(
        listed,
        method,
        60,
        model_state=cb.engine.NaiveState if method.greedy else None,
        compile=False,
    )
    learners = found.problem.dictionary.learners
    assert (
        len(learners) == len(found.beta) == len(set(found.path.learner)) < 60
        and found.n_scans == 60
    )
    column = {tuple(np.rint(B[:, j] * np.sqrt(M)).astype(int)): j for j in range(B.shape[1])}
    assert [column[learners[j]] for j in found.path.learner] == all_of_them.path.learner.tolist()
    beta = np.zeros(B.shape[1])
    beta[[column[learner] for learner in learners]] = found.beta
    np.testing.assert_allclose(beta, all_of_them.beta, rtol=0, atol=60 * 60 * M * 4 * 2.0**-53)
    assert (
        list(found.path.learner[:1]) == [0]
        and (np.diff(np.maximum.accumulate(found.path.learner)) <= 1).all()
    )


def test_certificates_rest_on_the_largest_correlation():
    B = explicit()
    method = cb.methods.frank_wolfe(2.0, cb.rules.SegmentSearch(2.0))
    found = cb.solve(cb.Problem(Signs(), Y), method, 200, compile=False)
    listed = cb.Problem(B, Y - Y.mean(), center=False, scale=False)
    optimum = cb.solve(listed, method, 2000, compile=False).certificate()
    ours = found.certificate()
    assert (
        ours.lower <= optimum.upper
        and optimum.lower <= ours.upper
        and ours.gap <= 1e-2 * found.problem.start_loss
    )
    # a certificate gives no learner a number
    assert (
        found.problem.n_learners
        == len(found.beta)
        == len(found.problem.feature_names)
        == len(found.coef)
    )
    assert (
        found.certificate(cb.certificates.L1Penalty(0.3)).known
        and found.certificate(cb.certificates.Unconstrained()).lower == 0.0
    )


def test_no_certificate_is_claimed_where_the_search_proves_nothing():
    found = cb.solve(cb.Problem(Greedy(), Y), cb.methods.frank_wolfe(2.0), 200, compile=False)
    assert found.final.loss < found.problem.start_loss
    for target in (
        cb.certificates.L1Ball(2.0),
        cb.certificates.L1Penalty(0.3),
        cb.certificates.Unconstrained(),
    ):
        assert found.certificate(target).lower == 0.0  # only the infimum of the loss
    # the ball of radius 0 holds a single model, whatever the learners are
    nothing = found.certificate(cb.certificates.L1Ball(0.0))
    assert nothing.lower <= nothing.upper
    # 4 u sqrt(10) = 1.4e-15, a sum of ten
    assert 0 <= nothing.upper / found.problem.value(0 * Y) - 1 <= 1.5e-15
    with pytest.raises(ValueError, match="no bound applies to"):
        cb.theory.check(found)


def test_a_run_has_a_bank_of_its_own_and_is_the_same_run_however_it_is_cut():
    problem = cb.Problem(Signs(), Y)
    method = cb.ls_boost(0.3)
    whole = cb.solve(problem, method, 50)
    cut = cb.solve(problem, method, 20)
    once = cut.resume(30)
    twice = cut.resume(30)
    assert problem.n_learners == 0 and cut.problem.n_learners == len(cut.beta)
    for run in (once, twice, cb.solve(problem, method, 50, stop=lambda state: state.k >= 50)):
        assert (run.path.learner == whole.path.learner).all() and (run.beta == whole.beta).all()
        assert run.problem.dictionary.learners == whole.problem.dictionary.learners
    for state in whole.replay([0, 1, 20, 50]):
        assert (state.pred == whole.problem.combine(state.beta)).all()
    assert (next(whole.replay([20])).beta == cut.beta).all()
    stopped = cb.solve(problem, method, 50, stop=lambda state: len(state.beta) >= 5)
    assert (
        len(stopped.beta) == 5
        and (stopped.path.learner == whole.path.learner[: stopped.n_steps]).all()
    )
    X = RNG.normal(size=(3, M))
    np.testing.assert_allclose(
        whole.predict(X),
        problem.constant + X @ (np.array(whole.problem.dictionary.learners).T @ whole.beta),
    )


class Odd(Signs):
    def __init__(self, found=None, column=None):
        self.found, self.column_ = found, column

    def find(self, v, k, above):
        return super().find(v, k, above) if self.found is None else self.found

    def build(self, learner):
        return super().build(learner) if self.column_ is None else self.column_


@pytest.mark.parametrize(
    "family, words",
    [
        (Odd(column=np.ones(M)), "has norm 3.16227766017: divide by it"),
        (Odd(column=np.ones(3)), "build must return 10 finite numbers"),
        (Odd(found=(["a"], [1.0, 2.0], 0.0)), "find must return"),
        (Odd(found=(["a"], [math.nan], 0.0)), "find must return"),
        (Odd(found=7), "find must return"),
        (Odd(found=([(1,) * M], [0.7], 0.0)), "find gives the correlation 0.7"),
        (Odd(found=([], [], 0.0)), "must return a learner, got none"),
    ],
)
def test_errors_of_families_are_refused(family, words):
    with pytest.raises(ValueError, match=words):
        cb.solve(cb.Problem(family, Y), cb.ls_boost(0.3), 2)


def test_functions_that_need_a_list_of_learners_refuse(tmp_path):
    problem = cb.Problem(Signs(), Y)
    for call, words in [
        (lambda: cb.solve(problem, cb.methods.rcd(), 3), "rcd needs an explicit dictionary"),
        (
            lambda: cb.solve(problem, cb.rtgcd(select=cb.rules.Groups(2)), 3),
            "rtgcd needs an explicit dictionary",
        ),
        (
            lambda: cb.solve(problem, cb.methods.lasso_cd(0.1, cb.rules.Greedy()), 3),
            "lasso_cd needs an explicit dictionary",
        ),
        (
            lambda: cb.solve(problem, cb.ls_boost(), 3, model_state=cb.engine.NaiveState),
            "model_state=NaiveState does not fit: WeakLearnerState is for implicit dictionaries",
        ),
        (
            lambda: cb.solve(
                cb.Problem(explicit(), Y, center=False),
                cb.ls_boost(),
                3,
                model_state=cb.solve(problem, cb.ls_boost(), 1).model_state,
            ),
            "model_state=WeakLearnerState does not fit",
        ),
        (
            lambda: cb.Problem(type("Mute", (), {"build": Signs.build})(), Y),
            "Your class must inherit from coordboost.learners.LearnerFamily",
        ),
        (
            lambda: cb.solve(problem, cb.ls_boost(), 3).save(tmp_path / "run"),
            "a family of your own cannot be saved",
        ),
    ]:
        with pytest.raises(ValueError, match=words):
            call()


#: Methods that draw groups, and methods with another kind of search, or none.
GROUPED = {
    "rtgcd": cb.rtgcd(2),
    "rcd": cb.methods.rcd(),
    "ccd": cb.methods.ccd(),
    "sglb": cb.sglb(select=cb.rules.RandomSubset(1)),
    "sgb": cb.sgb(select=cb.rules.RandomSubset(1)),
}
OTHERS = {
    "lasso_cd": cb.methods.lasso_cd(0.1),
    "frank_wolfe_away": cb.methods.frank_wolfe_away(1.0),
    "forward_stepwise": cb.forward_stepwise(),
}
SEARCHED = {
    "rules": cb.data.rules,
    "trees": lambda X: cb.data.trees(X),
    "blocks": lambda X: cb.data.blocks(X, [[0], [1, 2]]),
    "families": lambda X: cb.data.tree_families(X, nodes=(1, 2), bounds=(1.0,)),
}


def searched(kind):
    X = np.random.default_rng(0).normal(size=(30, 3))
    return cb.Problem(SEARCHED[kind](X), X[:, 0])


@pytest.mark.parametrize("kind", SEARCHED)
@pytest.mark.parametrize("name", OTHERS)
def test_methods_that_go_through_all_learners_are_refused(name, kind):
    with pytest.raises(ValueError, match=f"{name} needs an explicit dictionary"):
        cb.solve(searched(kind), OTHERS[name], 2, compile=False)


@pytest.mark.parametrize("kind", SEARCHED)
@pytest.mark.parametrize("name", [name for name in GROUPED if name != "ccd"])
def test_methods_that_draw_columns_draw_groups_where_learners_are_searched(name, kind):
    """Groups are features of trees, or blocks, as with ``Groups``."""
    method = GROUPED[name]
    other = getattr(cb.methods, "rtgcd" if name == "rcd" else name)(
        select=cb.rules.Groups(method.select.t)
    )
    one, two = (cb.solve(searched(kind), which, 3, compile=False) for which in (method, other))
    assert (
        one.n_steps == 3
        and (one.beta == two.beta).all()
        and (one.final.pred == two.final.pred).all()
    )
