"""The solutions of the exercises of the course, ``docs/course``: lesson n, exercise m is ``test_n_m_...``; and the lessons run."""

import runpy
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes

import coordboost as cb

LESSONS = sorted((Path(__file__).parent.parent / "docs" / "course").glob("plot_*.py"))


@pytest.fixture
def diabetes():
    return cb.Problem(*load_diabetes(return_X_y=True, as_frame=True, scaled=False))


def columns(problem):
    """The matrix B of a problem."""
    return problem.gather(np.arange(problem.n_learners))


@pytest.mark.slow
@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.stem)
def test_lesson(lesson, capsys):
    import matplotlib.pyplot as plt

    with matplotlib.rc_context():
        runpy.run_path(str(lesson))
        assert 2 <= len(plt.get_fignums()) <= 4
    plt.close("all")


# Lesson 1: boosting is coordinate descent


def test_1_1_best_length(diabetes):
    """L along column j is ||r - t B_j||^2 / 2, with the derivative t - c_j: so t = c_j."""
    boost = cb.solve(diabetes, cb.ls_boost(1.0), 50)
    search = cb.solve(diabetes, cb.methods.gcd(cb.rules.LineSearch()), 50)
    assert boost.path.learner.tolist() == search.path.learner.tolist()
    np.testing.assert_allclose(search.beta, boost.beta, rtol=0, atol=1e-9 * np.abs(boost.beta).max())


def test_1_2_orthonormal_columns(diabetes):
    """A step takes c_j to 0 and leaves the other correlations as they are."""
    Q = np.linalg.qr(columns(diabetes))[0]
    run = cb.solve(cb.Problem(Q, diabetes.y), cb.ls_boost(1.0), 10)
    assert sorted(run.path.learner) == list(range(10))
    before, after = (next(iter(run.replay([k]))).certificate().gap for k in (9, 10))
    assert after < 1e-9 * run.problem.start_loss < before


def test_1_3_adaboost():
    """The loss along the learner is (1 - e) exp(-t) + e exp(t) in parts of n."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    stump, labels = np.where(X["mean radius"] < 15, 1.0, -1.0), np.where(y == 1, 1.0, -1.0)
    problem = cb.Problem(stump[:, None], labels, cb.losses.Exponential(), center=False)
    run = cb.solve(problem, cb.methods.gcd(cb.rules.LineSearch()), 1)
    errors = np.mean(stump != labels)
    assert run.coef[0] == pytest.approx(0.5 * np.log((1 - errors) / errors), abs=1e-6)
    assert run.beta[0] == pytest.approx(run.coef[0] * np.sqrt(len(y)))


def test_1_break_it(diabetes):
    """The assumption that falls is the unit length: partial derivatives grow with the columns, sums of squares do not."""
    X = load_diabetes(as_frame=True, scaled=False).data
    raw, resid = (X - X.mean()).to_numpy(), diabetes.y - diabetes.y.mean()
    left = [np.sum((resid - B * (B @ resid) / (B @ B)) ** 2) for B in raw.T]
    steepest = int(np.argmax(np.abs(raw.T @ resid)))
    claim = cb.theory.BoundCheck("the steepest column fits best", "printed", "upper", [left[steepest]], [min(left)], slack=1e-6)
    assert not claim.holds and claim.ratio[0] > 1
    unit = columns(diabetes)
    assert int(np.argmax(np.abs(unit.T @ resid))) == int(np.argmin(left))
