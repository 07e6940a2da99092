"""What views keep is what the vectors say, after every step: naive NumPy for correlations, line searches, ties, and the way gone."""

import numpy as np
import pytest
from designs import VIEWS, columns
from test_lookahead import ar1, unit

import coordboost as cb
from coordboost._machine import LINE
from coordboost.engine.stepper import Stepper
from coordboost.engine.views.candidates import gram_candidates
from coordboost.engine.views.distance import pred_square
from coordboost.engine.views.explicit import Explicit
from coordboost.screening.sphere import SLACK

X, Y = ar1(40, 300, k=5)
PROBLEM = cb.Problem(X, 3 * unit(Y))
B, TARGET = columns(PROBLEM), PROBLEM.y
METHODS = {
    "LS-Boost": cb.ls_boost(0.3),
    "R-FS": cb.regularized_forward_stagewise(0.02, 4.0),
    "Frank-Wolfe": cb.frank_wolfe(9.0),
}
# Numbers of size 3 to 9, some hundred sums of up to 300 terms.
CLOSE = 1e-11


def steps(method, view, n_steps=40):
    """A stepper after each of its steps, one at a time, and the predictions there."""
    stepper = Stepper(PROBLEM, METHODS[method], view=VIEWS[view])
    for _ in range(n_steps):
        for _ in stepper.blocks(1):
            pass
        yield stepper, B @ stepper.beta


@pytest.mark.parametrize("view", VIEWS)
def test_ties_are_those_of_the_problem(view):
    stepper = Stepper(PROBLEM, METHODS["LS-Boost"], view=VIEWS[view])
    assert stepper.view.tie() == PROBLEM.tie > 0


@pytest.mark.parametrize("view", VIEWS)
def test_a_winner_has_half_the_largest_correlation(view):
    """Where all are within the rounding of the largest at the start, too."""
    problem = cb.Problem(np.eye(4), [1.0, 0.0, 1e-17, 0.0], center=False, scale=False)
    run = cb.solve(problem, cb.ls_boost(1.0), 2, view=VIEWS[view])
    assert problem.tie > 1e-17 and run.path.learner.tolist() == [0, 2]


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("method", METHODS)
def test_the_winner_and_the_search(method, view):
    """The winner has the largest correlation of all; the search along a B_j - b pred ends at <r, d> / <d, d>."""
    for stepper, pred in steps(method, view):
        now, resid = stepper.view, TARGET - pred
        greedy = hasattr(now, "best")
        j, corr = now.best(stepper.method.step, stepper.coefficients) if greedy else (int(np.argmax(np.abs(resid @ B))), None)
        if j < 0:  # a new scan or column is wanted: the next step makes it
            continue
        assert abs(abs(resid @ B[:, j]) - np.abs(resid @ B).max()) <= CLOSE
        assert corr is None or abs(corr - resid @ B[:, j]) <= CLOSE
        for a, b in ((1, 0), (-9, 1), (2, 3)):
            along = a * B[:, j] - b * pred
            assert now.search(j, a, b) == pytest.approx(resid @ along / (along @ along), abs=CLOSE)
        assert now.search(j, 0, 0) == 0.0  # nowhere to go


@pytest.mark.parametrize("view", ["explicit", "gram"])
def test_a_renewed_view(view):
    """From coefficients that it has never seen: all correlations, those of a few, and the line search."""
    beta = np.random.default_rng(3).integers(-2, 3, 300) * (np.arange(300) % 7 == 0) / 4
    now, pred = Stepper(PROBLEM, METHODS["LS-Boost"], view=VIEWS[view]).view, B @ beta
    now.renew(beta)
    np.testing.assert_allclose(now.scan(), B.T @ (TARGET - pred), atol=CLOSE)
    np.testing.assert_allclose(now.correlations(np.array([5, 2])), B[:, [5, 2]].T @ (TARGET - pred), atol=CLOSE)
    along = 2 * B[:, 7] - 3 * pred
    assert now.search(7, 2, 3) == pytest.approx((TARGET - pred) @ along / (along @ along), abs=CLOSE)


@pytest.mark.parametrize("method", METHODS)
def test_the_way_from_the_anchor(method):
    """On Gram columns a trial follows how far the prediction is from where the trial began: then lookahead would need a scan."""
    stepper = Stepper(PROBLEM, METHODS[method], view=cb.GramColumns)
    for _ in stepper.blocks(3):
        pass
    began, start = stepper.k, B @ stepper.beta
    stepper.view.begin_trial(10)
    outside = np.sort(np.abs((TARGET - start) @ B))[-11]
    assert stepper.view.trial.outside * stepper.view.scale == pytest.approx(outside, abs=CLOSE)
    for _ in range(30):
        for _ in stepper.blocks(1):
            pass
        trial, pred, scale = stepper.view.trial, B @ stepper.beta, stepper.view.scale
        if not stepper.view.state.on_trial:
            break
        assert trial.distance * scale**2 == pytest.approx((pred - start) @ (pred - start), abs=CLOSE)
        assert trial.along * scale**2 == pytest.approx((pred - start) @ start, abs=CLOSE)
    assert stepper.k > began + 1


@pytest.mark.parametrize("method", METHODS)
def test_the_way_from_the_last_scan(method):
    """Of lookahead, in its units: the prediction and how far it is from that of the scan."""
    start, before, anchors = np.zeros(40), np.zeros(40), 0
    for stepper, pred in steps(method, "lookahead"):
        view = stepper.view
        if type(view) is not cb.Lookahead:
            break
        if view.outer.steps == 1:  # a scan was made before this step
            start, anchors = before, anchors + 1
        before, units = pred, view.scale**2
        assert pred_square(view.outer) * units == pytest.approx(pred @ pred, abs=CLOSE)
        assert view.outer.distance * units == pytest.approx((pred - start) @ (pred - start), abs=CLOSE)
        assert view.state.with_y * units == pytest.approx(TARGET @ pred, abs=CLOSE)
    assert anchors > 0


def test_candidates_at_a_model():
    """What lookahead starts from after a scan: the model's size, its product with the target, and correlations, in units of `scale`."""
    beta = np.where(np.arange(300) % 50 == 0, 0.5, 0.0)
    view, pred = gram_candidates(PROBLEM, beta, 20).view, B @ beta
    assert pred_square(view.outer) * view.scale**2 == pytest.approx(pred @ pred, abs=CLOSE)
    assert view.state.with_y * view.scale**2 == pytest.approx(TARGET @ pred, abs=CLOSE)
    chosen = B[:, view.learner]
    np.testing.assert_allclose(view.scanned * view.scale, chosen.T @ (TARGET - pred), atol=CLOSE)
    np.testing.assert_allclose(view.start * view.scale, chosen.T @ TARGET, atol=CLOSE)
    np.testing.assert_allclose(view.gram[:20, :20], chosen.T @ chosen, atol=CLOSE)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_outside_of_candidates_and_front(sign):
    """What is known of the others is their largest size, also where all correlations have one sign."""
    flipped = B * np.where(B.T @ TARGET < 0, -sign, sign)
    problem = cb.Problem(flipped, TARGET, center=False, scale=False)
    view, size = Stepper(problem, cb.ls_boost(0.1), view=cb.Lookahead).view, np.abs(flipped.T @ TARGET)
    view.state.wanted = 8
    view.best(None, None)  # it forms the front
    outer, front = np.ones(300, dtype=bool), view.front[: view.state.front]
    outer[view.learner] = False
    inner = np.setdiff1d(view.learner, view.learner[front])
    assert view.state.regroups == 1
    assert len(front) == 8 < len(view.learner) < 300 and view.scale <= np.linalg.norm(TARGET) < 2 * view.scale
    assert view.outer.outside * view.scale == pytest.approx(size[outer].max(), abs=CLOSE)
    assert view.inner.outside * view.scale == pytest.approx(size[inner].max(), abs=CLOSE)


@pytest.mark.parametrize(
    "weight", [np.ones(40), np.linspace(0.0, 0.5, 40), np.linspace(0.0, 4.0, 40)], ids=["plain", "light", "heavy"]
)
def test_when_gathered_columns_are_certain(weight):
    """A scan is wanted exactly where the winner exceeds those outside by less than the way of W^(-1/2) resid, three ties aside."""
    problem = cb.Problem(X, 3 * unit(Y), cb.Huber(1.0), sample_weight=weight)
    method = cb.forward_stagewise(0.02)
    stepper, learners, said = Stepper(problem, method, view=cb.Gathered), columns(problem), []
    for _ in range(150):
        view = stepper.view
        if type(view) is not cb.Gathered:
            break
        resid, seen = problem.resid(problem.combine(stepper.beta)), weight > 0
        best = np.abs(learners[:, view.learner].T @ resid).max()
        way = np.sqrt(np.sum((resid - view.anchor)[seen] ** 2 / weight[seen]))
        if not view.state.fresh:
            certain = best - view.outside - 3 * problem.tie > way * (1 + SLACK / 2)
            said.append(view.best(stepper.method.step, stepper.coefficients)[0] >= 0)
            assert said[-1] == certain
        for _ in stepper.blocks(1):
            pass
    assert any(said) and not all(said)


def test_vectors_of_the_view_begin_with_a_line_of_the_cache():
    view = Explicit.start(PROBLEM)
    assert view.pred.ctypes.data % LINE == view.resid.ctypes.data % LINE == 0 and len(view.pred) == len(view.resid) == 40
