"""Stumps against the matrix of their columns on the views and rules that the shorter tests leave out: 500 steps on a table with ties.

``test_stumps.py`` has the rules of Lu and Mazumder on three losses, and the views of the squared loss; ``test_stump_matrix.py`` has many
small tables. In plain Python: to compile all these loops takes longer. *Run*: ``python -m pytest -m slow tests/test_stump_views.py``.
"""

import numpy as np
import pytest
from test_stumps import LOSSES, columns, table

import coordboost as cb

pytestmark = pytest.mark.slow
#: Bounds and complexities of the families that are the features of the table, one each.
FAMILIES = cb.Families([1.0, 2.0, 4.0, 8.0, 16.0], [0.1, 0.2, 0.3, 0.4, 0.5])
#: A rule and the view it runs on, for every loss; None: the view that a run takes.
EVERY = {
    "greedy, explicit": (cb.gbm(0.3), cb.Explicit),
    "greedy, gathered": (cb.gbm(0.3), cb.Gathered),
    "stagewise, gathered": (cb.forward_stagewise(0.05), cb.Gathered),
    "line search": (cb.gcd(cb.LineSearch()), None),
    "drawn with weights": (lambda n: cb.Method("weights", cb.Weighted(1.0 + np.arange(n) % 3), cb.Sign(0.02), "test"), None),
    "drawn by correlation": (cb.Method("softmax", cb.Softmax(5.0), cb.Sign(0.02), "test"), None),
    "families": (cb.rgb(1e-3, 2, cb.LineSearch(), FAMILIES), None),
    "ball": (cb.frank_wolfe(2.0), None),
    "ball, away steps": (cb.frank_wolfe_away(2.0), None),
    "ball, pairwise steps": (cb.frank_wolfe_pairwise(2.0), None),
}
#: The same for smooth losses: these have no step for the exponential one.
SMOOTH = {
    "families, their own steps": (cb.rgb(1e-3, 2, families=FAMILIES), None),
    "accelerated": (cb.agbm(0.3, 0.1), None),
    "accelerated, restarted": (cb.agbmr(0.3, 0.1), None),
    "momentum alone": (cb.vagbm(0.3, 0.1), None),
    "noise": (cb.sglb(0.1, beta=100.0, gamma=0.01), None),
    "part of the samples": (cb.sgb(0.1, share=0.5), None),
}
#: The same for the squared loss alone, with a number of steps.
SQUARED = {
    "stagewise, Gram": (cb.forward_stagewise(0.05), cb.Gram, 500),
    "stagewise, Gram columns": (cb.forward_stagewise(0.05), cb.GramColumns, 500),
    "stagewise, lookahead": (cb.forward_stagewise(0.05), cb.Lookahead, 500),
    "shrunk, lookahead": (cb.regularized_forward_stagewise(0.05, 2.0), cb.Lookahead, 500),
    "penalty": (cb.lasso_cd(0.5), None, 500),
    "stepwise": (cb.forward_stepwise(), None, 12),
}


def same_runs(kind, loss, method, view, n_steps):
    """Hold a run over stumps against one over their columns on the view of the data, or the one that a rule needs."""
    X, y = table(40, seed=2)
    X[::7] = X[1::7][: len(X[::7])]  # rows that no stump tells apart
    y = y if loss == "squared" else np.where(y > 0, 1.0, -1.0)
    problem = cb.Problem(kind(X, categorical=[2]), y, LOSSES[loss])
    rows = np.ascontiguousarray(columns(problem.dictionary).T)
    other = cb.Problem(cb.Dense(rows), y, LOSSES[loss], groups=problem.dictionary.feature)
    method = method if isinstance(method, cb.Method) else method(problem.n_learners)
    one = cb.solve(problem, method, n_steps, view=view, rng=3, compile=False)
    two = cb.solve(other, method, n_steps, view=None if view is None else cb.Explicit, rng=3, compile=False)
    np.testing.assert_array_equal(one.path.learner, two.path.learner)
    for found, expected in zip((one.path.shrink, one.path.theta), (two.path.shrink, two.path.theta), strict=True):
        # off by the rounding of 500 steps on sums of 40 numbers
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10 * max(1.0, np.abs(expected).max()))


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("way", EVERY)
def test_a_rule_takes_the_steps_of_the_matrix(loss, way):
    same_runs(cb.leaf_stumps, loss, *EVERY[way], 500)


@pytest.mark.parametrize("loss", ["squared", "logistic"])
@pytest.mark.parametrize("way", SMOOTH)
def test_a_rule_for_smooth_losses_does(loss, way):
    same_runs(cb.stumps, loss, *SMOOTH[way], 500)


@pytest.mark.parametrize("kind", [cb.stumps, cb.leaf_stumps], ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("way", SQUARED)
def test_a_view_of_the_squared_loss_does(kind, way):
    same_runs(kind, "squared", *SQUARED[way])
