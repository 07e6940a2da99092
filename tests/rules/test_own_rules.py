"""Rules of one's own: what they see of a model, and what a wrong one is told."""

from collections import namedtuple

import numpy as np
import pytest
from reference_sets import needs_compiler
from sklearn.datasets import load_diabetes

import coordboost as cb

PROBLEM = cb.Problem(*load_diabetes(return_X_y=True, scaled=False))


class Polyak(namedtuple("Polyak", "target, y"), cb.rules.StepRule):
    """A step that would reach the loss `target`, were the loss linear along the learner."""

    sees_prediction = True

    def move(self, k, state, j, corr, beta_j):
        loss = 0.5 * np.sum((self.y - state.pred) ** 2)
        return 0.0, (loss - self.target) / corr


class Blind(Polyak):
    sees_prediction = False


class OneNumber(namedtuple("OneNumber", "rate"), cb.rules.StepRule):
    def move(self, k, state, j, corr, beta_j):
        return self.rate * corr


class Misspelt(namedtuple("Misspelt", "rate"), cb.rules.StepRule):
    def move(self, k, state, j, corr, beta_j):
        return 0.0, self.rate * state.losss


class NoNumber(namedtuple("NoNumber", "rate"), cb.rules.StepRule):
    def move(self, k, state, j, corr, beta_j):
        return 0.0, self.rate * corr if k != 5 else np.nan


class TooFew(namedtuple("TooFew", "rate"), cb.rules.StepRule):
    def move(self, k, corr):
        return 0.0, self.rate * corr


def own(step):
    return cb.rules.Method("own", cb.rules.Greedy(), step)


@pytest.mark.parametrize("compile", [pytest.param(True, marks=needs_compiler), False])
def test_a_step_rule_sees_the_prediction_that_it_asks_for(compile):
    run = cb.solve(PROBLEM, own(Polyak(0.0, PROBLEM.y)), 3, compile=compile)
    pred = np.zeros(PROBLEM.n_samples)
    for j, theta in zip(run.path.learner, run.path.theta, strict=True):
        resid = PROBLEM.y - pred
        column = PROBLEM.combine(np.eye(PROBLEM.n_learners)[j])
        corr = column @ resid
        assert theta == pytest.approx(resid @ resid / 2 / corr, rel=1e-9)
        pred += theta * column
    with pytest.raises(ValueError, match="cannot run on model_state=CovarianceState"):
        cb.solve(PROBLEM, own(Polyak(0.0, PROBLEM.y)), 3, model_state=cb.engine.CovarianceState)


@pytest.mark.parametrize("compile", [pytest.param(True, marks=needs_compiler), False])
@pytest.mark.parametrize(
    "step, sentence",
    [
        (Blind(0.0, PROBLEM.y), "sees_prediction = True"),
        (OneNumber(0.1), r"OneNumber.move must return \(shrink, theta\), got [-\d.np(float64)]+"),
        (Misspelt(0.1), "has no attribute 'losss'"),
    ],
)
def test_a_wrong_step_rule_is_told_what_is_wrong(step, sentence, compile):
    with pytest.raises((ValueError, AttributeError), match=sentence):
        cb.solve(PROBLEM, own(step), 8, compile=compile)


def test_a_step_that_is_no_number_is_named():
    run = cb.solve(PROBLEM, own(NoNumber(0.1)), 8, compile=False)
    assert run.n_steps == 5
    assert run.message.startswith("the predictions left the range of float64")
    assert "NoNumber.move returned shrink = 0, theta = nan in step 5" in run.message


def test_a_verb_with_other_arguments_is_refused():
    sentence = r"TooFew.move must take \(k, state, j, corr, beta_j\), got \(k, corr\)"
    with pytest.raises(ValueError, match=sentence):
        own(TooFew(0.1))
