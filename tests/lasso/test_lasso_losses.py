"""The Lasso path of other losses: agreement with a general solver, losses in plain Python, the
squared loss by Newton steps.
"""

import numpy as np
import pytest
from designs import labelled
from refusal import refused

import coordboost as cb

LOSSES = [
    cb.losses.Huber(0.5),
    cb.losses.Huber(0.05),
    cb.losses.Logistic(0.1),
    cb.losses.Exponential(),
]


@pytest.mark.parametrize("shape", [(25, 6), (15, 30)])
@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_a_general_solver_agrees(loss, shape):
    """Our interval and the one from cvxpy overlap. For a Problem, the penalty is on its unit
    columns.
    """
    X, y = labelled(*shape, seed=9)
    problem = cb.Problem(X, X[:, 0] + y if isinstance(loss, cb.losses.Huber) else y, loss)
    path = cb.lasso_path(problem, tol=1e-9, n_alphas=4, eps=0.1)
    assert (path.gaps <= 1e-9).all()
    for alpha, coef in zip(path.alphas, path.coefs.T, strict=True):
        judged = cb.certify(
            problem,
            problem.unit(coef),
            cb.certificates.L1Penalty(alpha * shape[0]),
            independent=True,
        )
        assert judged.agree and judged.own.gap <= 1.01e-9 * problem.start_loss
        assert judged.own.upper <= judged.independent.upper + 1e-9 * problem.start_loss


@pytest.mark.parametrize("seed", range(4))
def test_a_loss_with_many_kinks(seed):
    """Nearly the absolute error, with Cauchy targets: the curvature carries almost no
    information.
    """
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((30, 12)) * 10 ** rng.uniform(-3, 3, 12)
    path = cb.lasso_path(
        X, rng.standard_cauchy(30), loss=cb.losses.Huber(1e-3), tol=1e-6, n_alphas=8
    )
    assert (path.gaps <= 1e-6).all()


class Plain(cb.losses.Loss):
    """A user's loss: an ordinary object, so it runs interpreted; without `curvature` the solver
    uses `sigma`.
    """

    sigma = 0.25
    infimum = 0.0

    def value(self, y, f):
        return cb.losses.Logistic().value(y, f)

    def residual(self, y, f):
        return cb.losses.Logistic().residual(y, f)


class Curved(Plain):
    def curvature(self, y, f):
        return cb.losses.Logistic().curvature(y, f)


@pytest.mark.parametrize("loss", [Plain(), Curved()], ids=["smoothness", "curvature"])
def test_a_loss_in_plain_python(loss):
    X, y = labelled(30, 8, seed=10)
    options = {"tol": 1e-10, "n_alphas": 5, "eps": 0.05}
    theirs, ours = (
        cb.lasso_path(cb.Problem(X, y, kind, center=False), **options)
        for kind in (loss, cb.losses.Logistic())
    )
    assert (theirs.gaps <= 1e-10).all()
    np.testing.assert_allclose(theirs.coefs, ours.coefs, atol=1e-3 * np.abs(ours.coefs).max())


def test_a_loss_that_is_not_smooth_is_refused():
    class Rough(Plain):
        sigma = None

    problem = cb.Problem(np.eye(3), [-1, 1, 1], Rough(), center=False)
    refused(
        lambda: cb.lasso_path(problem), "needs a loss with curvature(y, f) or a smoothness sigma"
    )


def test_a_loss_without_an_infimum_is_refused():
    """Without an infimum nothing bounds the optimum from below; gaps of 0 were once reported far
    from it.
    """

    class Endless(Plain):
        infimum = -np.inf

    problem = cb.Problem(np.eye(3), [-1, 1, 1], Endless(), center=False)
    refused(lambda: cb.lasso_path(problem), "need a lower bound of the loss")


def test_values_below_zero_have_true_gaps():
    """The loss shifted by -5 for each sample has the same path and the same gaps."""

    class Lower(Curved):
        infimum = -5.0

        def value(self, y, f):
            return super().value(y, f) - 5.0

    X, y = labelled(30, 8, seed=3)
    paths = [
        cb.lasso_path(cb.Problem(X, y, loss, center=False), n_alphas=5, tol=1e-6)
        for loss in (Curved(), Lower())
    ]
    np.testing.assert_allclose(
        paths[1].coefs, paths[0].coefs, atol=1e-2 * np.abs(paths[0].coefs).max()
    )
    assert (paths[1].gaps <= 1e-6).all() and paths[1].gaps.max() > 0


@pytest.mark.parametrize("unit", [2.0**498, 2.0**-498])
def test_targets_near_the_ends_of_the_range(unit):
    """Units 2^498 = 8e149 and 2^-498: far trial steps leave float64 without a warning; a power of
    two changes no other digit.
    """
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 20))
    y = rng.normal(size=30)
    problems = (cb.Problem(X, y * u, cb.losses.Huber(0.1 * u), center=False) for u in (1.0, unit))
    plain, scaled = (cb.lasso_path(problem, tol=1e-8, n_alphas=10) for problem in problems)
    np.testing.assert_allclose(
        scaled.coefs / unit, plain.coefs, atol=1e-4 * np.abs(plain.coefs).max()
    )
    assert (scaled.gaps <= 1e-8).all()


class OwnSquared(cb.losses.Loss):
    """A user's loss declared as the squared one, which has curvature 1 and is never below 0."""

    quadratic = location = True

    def value(self, y, f):
        return 0.5 * (y - f) ** 2

    def residual(self, y, f):
        return y - f


def test_a_quadratic_loss_need_not_declare_more():
    X, y = labelled(30, 8, seed=10)
    own = cb.lasso_path(cb.Problem(X, y, OwnSquared(), center=False), n_alphas=5)
    assert np.array_equal(
        own.coefs, cb.lasso_path(cb.Problem(X, y, center=False), n_alphas=5).coefs
    )
