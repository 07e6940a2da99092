"""Messages: in words of the package, with the name of the parameter that was passed, and the next
step.
"""

import warnings
from collections import namedtuple
from types import ModuleType

import numpy as np
import pandas as pd
import pytest
from refusal import refusals, refused

import coordboost as cb

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
Y = X @ [1.0, 0, -2] + 0.3 * RNG.normal(size=60)
LABELS = np.where(Y > 0, "a", "b")
PATH = cb.lasso_path(X, Y, n_alphas=4)
PROBLEM = cb.Problem(X, Y)


def grown(**settings):
    return cb.RandomizedGBMRegressor(**{"n_estimators": 3, "min_samples_leaf": 5} | settings)


def on_validation_rows(X_val=X, y_val=Y, **more):
    return lambda: grown(early_stopping=True).fit(X, Y, X_val=X_val, y_val=y_val, **more)


test_a_message_names_the_parameter = refusals(
    pytest.param(
        lambda: PATH.coef_at(alpha=1e-9), "the path ends at alpha", id="alpha below the grid"
    ),
    pytest.param(
        lambda: cb.solve(PROBLEM, cb.ls_boost(0.1), 3).coef_at(alpha=1e-9),
        "the run ends at alpha",
        id="alpha below a run",
    ),
    pytest.param(
        lambda: cb.lasso_path(X, Y, penalty_factor=[1, -1, 1]),
        "infinity leaves a column out",
        id="negative factor",
    ),
    pytest.param(
        lambda: cb.lasso.multinomial_path(X, np.arange(60) % 3, penalty_factor=[1, 0, 1]),
        "take a small factor, such as 1e-6",
        id="no penalty in a model of three classes",
    ),
    pytest.param(
        lambda: cb.lasso_path(X, Y, penalty_factor=[1, np.nan, 1]),
        "penalty_factor must be finite numbers",
        id="factor NaN",
    ),
    pytest.param(
        lambda: cb.lasso_path(X, Y, alphas=[1, np.nan]),
        "alphas must be finite numbers",
        id="alpha NaN",
    ),
    pytest.param(
        lambda: cb.Problem(X, Y, offset=Y[:, None]), "Use offset.ravel()", id="a column as offset"
    ),
    pytest.param(
        lambda: cb.Problem(X, Y, sample_weight=Y[:, None]),
        "Use sample_weight.ravel()",
        id="a column of weights",
    ),
    pytest.param(lambda: cb.Problem(X, Y[:, None]), "Use y.ravel()", id="a column as target"),
    pytest.param(
        on_validation_rows(y_val=np.r_[np.nan, Y[1:]]),
        "Input y_val contains NaN",
        id="NaN in y_val",
    ),
    pytest.param(
        on_validation_rows(y_val=Y[:5]),
        "y_val must have one entry per row of X_val",
        id="short y_val",
    ),
    pytest.param(on_validation_rows(y_val=LABELS), "y_val must hold numbers", id="words in y_val"),
    pytest.param(on_validation_rows(X_val=X[:, :2]), "X_val has 2 features", id="narrow X_val"),
    pytest.param(
        on_validation_rows(offset_val=Y[:5]),
        "offset_val must have one entry per row of X_val",
        id="short offset_val",
    ),
    pytest.param(
        lambda: grown(interaction_cst=[[7]]).fit(X, Y),
        "interaction_cst names 7",
        id="interaction of no column",
    ),
    pytest.param(
        lambda: grown(interaction_cst=[0, 1]).fit(X, Y),
        "interaction_cst must be",
        id="flat interactions",
    ),
    pytest.param(
        lambda: grown(monotonic_cst=[1]).fit(X, Y),
        "monotonic_cst must be",
        id="short monotonic_cst",
    ),
    pytest.param(
        lambda: grown(l2_regularization=-1).fit(X, Y), "l2_regularization must be", id="negative l2"
    ),
    pytest.param(lambda: grown(max_leaf_nodes=1).fit(X, Y), "max_leaf_nodes from 2", id="one leaf"),
    pytest.param(
        lambda: grown(min_samples_leaf=0).fit(X, Y), "min_samples_leaf must be", id="no samples"
    ),
    pytest.param(
        lambda: grown(categorical_features=[9]).fit(X, Y),
        "categorical_features names 9",
        id="category of no column",
    ),
    pytest.param(
        lambda: grown(loss="poisson").fit(X, Y),
        "Pass coordboost.losses.Poisson()",
        id="loss by name",
    ),
    pytest.param(
        lambda: grown(loss="absolute_error").fit(X, Y),
        "Pass coordboost.losses.Quantile(0.5)",
        id="scikit-learn's name",
    ),
    pytest.param(
        lambda: cb.Problem(X, Y, "huber"),
        "Pass coordboost.losses.Huber(1.0)",
        id="loss of a problem",
    ),
    pytest.param(
        lambda: cb.Problem(X, Y, cb.losses.Poisson),
        "Call it: Poisson(...)",
        id="a class for a loss",
    ),
    pytest.param(
        lambda: cb.rules.Method("own", "greedy", cb.rules.LineSearch()),
        "Pass coordboost.rules.Greedy()",
        id="rule by name",
    ),
)


CALLS = {
    "data for a problem": (
        lambda: cb.solve(X, Y, cb.ls_boost(0.1), 5),
        "data go into a Problem, solve\\(Problem\\(X, y\\), ",
    ),
    "data to iterate": (
        lambda: cb.iterate(X, Y, cb.ls_boost(0.1), 5),
        "iterate\\(Problem\\(X, y\\), ",
    ),
    "data to descent": (
        lambda: cb.theory.subgradient_descent(X, Y, 0.1, 5),
        "subgradient_descent\\(Problem\\(X, y\\), ",
    ),
    "data to a method": (
        lambda: cb.forward_stagewise(X, Y),
        "solve\\(Problem\\(X, y\\), forward_stagewise\\(eps\\), n_steps\\)",
    ),
    "a method without eps": (lambda: cb.forward_stagewise(), "needs eps, as in solve"),
    "another name": (
        lambda: cb.solve(PROBLEM, cb.ls_boost(0.1), 5, seed=1),
        "no parameter 'seed': perhaps rng is meant",
    ),
    "another name of eps": (
        lambda: cb.forward_stagewise(learning_rate=0.1),
        "no parameter 'learning_rate': perhaps eps is meant",
    ),
    "a typo": (
        lambda: cb.solve(PROBLEM, cb.ls_boost(0.1), 5, wacth=print),
        "perhaps watch is meant",
    ),
    "weights of a score": (
        lambda: grown().fit(X, Y).score(X, Y, weights=Y),
        "sample_weight does that here",
    ),
}


@pytest.mark.parametrize(("call", "says"), CALLS.values(), ids=CALLS)
def test_a_call_with_other_arguments_says_what_to_pass(call, says):
    with pytest.raises(TypeError, match=says):
        call()


@pytest.mark.parametrize(
    ("name", "there"),
    [
        ("Poisson", "it is coordboost.losses.Poisson"),
        ("gcd", "it is coordboost.methods.gcd"),
        ("mca", "it is coordboost.theory.mca"),
        ("certified_lasso", "it is coordboost.CertifiedLasso"),
        ("Lasso", "CertifiedLasso"),
        ("LassoCV", "CertifiedLassoCV"),
        ("forward_stagwise", "coordboost.forward_stagewise"),
    ],
)
def test_a_name_of_another_module_is_found(name, there):
    with pytest.raises(AttributeError, match=there):
        getattr(cb, name)
    assert not hasattr(cb, "xyz") and not hasattr(cb, "_xyz")


ROOMS = [name for name in dir(cb) if isinstance(getattr(cb, name), ModuleType)]


@pytest.mark.parametrize("room", ROOMS)
def test_every_name_of_a_room_is_found_from_the_top(room):
    for name in set(getattr(cb, room).__all__) - set(dir(cb)):
        with pytest.raises(AttributeError, match=f"'{name}'; it is") as error:
            getattr(cb, name)
        place = str(error.value).split()[-1].rstrip(".").split(".")
        assert place[-1] == name
        there = cb
        for part in place[1:]:
            there = getattr(there, part)


@pytest.mark.parametrize(
    ("kind", "target"),
    [
        (cb.RandomizedGBMRegressor, Y),
        (cb.CertifiedLasso, Y),
        (cb.RandomizedGBMClassifier, LABELS),
        (cb.CertifiedLassoClassifier, LABELS),
    ],
    ids=lambda one: getattr(one, "__name__", ""),
)
def test_a_score_takes_an_offset(kind, target):
    few = {"n_estimators": 3} if "GBM" in kind.__name__ else {"alpha": 0.1}
    model = kind(**few).fit(X, target, offset=X[:, 1])
    offset = 2 * X[:, 0]
    pred = model.predict(X, offset=offset)
    by_hand = (
        np.mean(pred == target) if target is LABELS else 1 - np.var(target - pred) / np.var(target)
    )
    if target is Y:
        by_hand -= np.mean(target - pred) ** 2 / np.var(target)
    assert model.score(X, target, offset=offset) == pytest.approx(by_hand)
    refused(lambda: model.score(X, target), "fitted with an offset: pass that of these rows")
    refused(lambda: model.score(X, target, offset=X), "offset must have 1 dimension")


LEVELS = pd.DataFrame({"a": pd.Categorical([str(i) for i in range(300)]), "b": range(300)})
#: More levels than the 16 pages of 254 that trees tell apart.
MANY = pd.DataFrame({"a": pd.Categorical([str(i) for i in range(4100)]), "b": range(4100)})
SPARSE = np.column_stack([X, np.ones(60)])
WARNINGS = {
    "levels": lambda: grown(min_samples_category=1).fit(MANY, np.arange(4100.0)),
    "levels of bins": lambda: cb.data.bin_columns(LEVELS),
    "levels of trees": lambda: cb.data.trees(MANY),
    "levels of stumps": lambda: cb.data.stumps(LEVELS),
    "constant column": lambda: cb.Problem(SPARSE, Y),
    "constant column of a path": lambda: cb.lasso_path(SPARSE, Y, n_alphas=2),
    "constant column of an exact path": lambda: cb.exact_path(SPARSE, Y),
    "only constant columns": lambda: cb.CertifiedLasso().fit(np.ones((60, 2)), Y),
    "long step": lambda: cb.solve(PROBLEM, cb.forward_stagewise(1e6), 3),
    "path cut short": lambda: cb.CertifiedLasso(alpha=1e-3, tol=1e-300).fit(X, Y),
}


@pytest.mark.parametrize("action", WARNINGS.values(), ids=WARNINGS)
def test_a_warning_points_to_the_line_of_the_user(action):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        action()
    assert caught and {warning.filename for warning in caught} == {__file__}


def test_a_plan_is_shown_in_a_sentence():
    plan = cb.theory.plan(PROBLEM, cb.ls_boost(0.1), gap=1.0)
    assert str(plan) == repr(plan)
    assert repr(plan).startswith(
        f"<Plan: {plan.n_steps} steps of ls_boost(eps=0.1) guarantee a gap of at most 0.9"
    )
    assert "Method(" not in repr([plan])


def test_the_loss_of_a_state_is_a_number_and_a_model_state_has_a_loss_function():
    """`state.loss` has one meaning: stop rules get a State with the number, step rules a model
    state without it.
    """
    seen = []

    class Step(cb.rules.StepRule, tuple):
        def move(self, k, state, j, corr, beta_j):
            seen.append((hasattr(state, "loss"), getattr(state, "loss_function", problem.loss)))
            return 0.0, corr

    for problem in (PROBLEM, cb.Problem(X, Y, cb.losses.Huber(1.0))):
        method = cb.rules.Method("own", cb.rules.Greedy(), Step())
        cb.solve(
            problem,
            method,
            2,
            compile=False,
            stop=lambda state: isinstance(state.loss, float) and state.loss < 0,
        )
        assert seen and all(one == (False, problem.loss) for one in seen)
        seen.clear()


class OfTheLoss(namedtuple("OfTheLoss", "eps"), cb.rules.StepRule):
    """A step rule that asks a model state for the loss."""

    def move(self, k, state, j, corr, beta_j):
        return 0.0, self.eps * state.loss


@pytest.mark.parametrize(("compile", "error"), [(True, ValueError), (False, AttributeError)])
def test_a_step_rule_that_asks_for_the_loss_is_told_where_it_is(compile, error):
    method = cb.rules.Method("own", cb.rules.Greedy(), OfTheLoss(1.0))
    for loss in (cb.losses.Squared(), cb.losses.Huber(1.0)):
        with pytest.raises(error, match=r"a model state has no `loss`. `state.loss` is a number"):
            cb.solve(cb.Problem(X, Y, loss), method, 2, compile=compile)
    with pytest.raises(AttributeError, match=r"'\w+State' object has no attribute 'lost'"):
        cb.engine.NaiveState.start(PROBLEM).lost  # noqa: B018
