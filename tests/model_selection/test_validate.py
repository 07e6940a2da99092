"""Cross-validation along paths, degrees of freedom, and criteria that need no validation rows."""

import numpy as np
import pytest
from command_line import folds_of
from refusal import case, refusals, refused
from sklearn.linear_model import ElasticNet, Lasso
from sklearn.metrics import mean_poisson_deviance

import coordboost as cb

RNG = np.random.default_rng(3)
X = RNG.normal(size=(60, 5)) * [1.0, 10.0, 0.1, 3.0, 1.0]
Y = X @ [2.0, 0.1, 0.0, -1.0, 0.0] + RNG.normal(size=60) + 7
STEPS = 60


def walk(X, y, weight):
    return cb.solve(cb.Problem(X, y, sample_weight=weight), cb.forward_stagewise(0.25), STEPS)


def test_losses_are_those_of_runs_without_the_fold():
    weight = RNG.integers(1, 4, size=60).astype(float)
    done = cb.cross_validate(walk, X, Y, folds=4, sample_weight=weight)
    folds = folds_of(Y, 4)
    for losses, (fit, held) in zip(done.losses, folds, strict=True):
        run = walk(X[fit], Y[fit], weight[fit])
        for k in (0, 30, STEPS):
            off = (Y[held] - run.predict(X[held], cb.lasso.PathPoint(step=k))) ** 2 / 2
            np.testing.assert_allclose(losses[k], np.average(off, weights=weight[held]), rtol=1e-9)
    mean = done.losses.T @ done.weights / weight.sum()
    part = done.weights / weight.sum()
    np.testing.assert_allclose(done.mean, mean, rtol=1e-12)
    np.testing.assert_allclose(done.error, np.sqrt(part @ (done.losses - mean) ** 2 / 3), rtol=1e-9)
    assert done.best == mean.argmin() and done.one_se <= done.best
    assert mean[done.one_se] <= mean[done.best] + done.error[done.best] < mean[done.one_se - 1]


def test_validation_losses_are_above_the_least_possible_loss():
    """Half the deviance; otherwise the irreducible loss of a fold with large counts would look like
    a difference between folds.
    """
    counts = RNG.poisson(np.exp(1 + X[:, 0]))
    weight = RNG.integers(1, 4, size=60).astype(float)
    done = cb.cross_validate(
        lambda X, y, weight: cb.solve(
            cb.Problem(X, y, cb.losses.Poisson(), sample_weight=weight),
            cb.forward_stagewise(0.1),
            9,
            compile=False,
        ),
        X,
        counts,
        folds=3,
        sample_weight=weight,
    )
    for k, (_, held) in enumerate(folds_of(counts, 3)):
        means = np.exp(done.paths[k].predict(X[held], cb.lasso.PathPoint(step=7)))
        assert done.losses[k, 7] == pytest.approx(
            mean_poisson_deviance(counts[held], means, sample_weight=weight[held]) / 2
        )


def test_the_same_bits_on_any_number_of_threads():
    one, three = (cb.cross_validate(walk, X, Y, n_threads=n).losses for n in (1, 3))
    np.testing.assert_array_equal(one, three)


def test_folds_hold_each_row_once_and_their_share_of_the_order():
    for n, k in [(60, 5), (23, 4), (5, 5)]:
        y = RNG.integers(0, 4, size=n)
        held = [fold for _, fold in folds_of(y, k, 7)]
        assert sorted(np.concatenate(held)) == list(range(n))
        for (
            fold
        ) in held:  # one of every k neighbours: a count of the first values is off by less than one
            for value in range(4):
                assert (
                    abs(np.count_nonzero(y[fold] <= value) - np.count_nonzero(y <= value) / k) < 1
                )
    assert not np.array_equal(folds_of(y, 5, 0)[0][1], folds_of(y, 5, 1)[0][1])


def test_a_run_that_ends_early_has_no_loss_later():
    def short(X, y, weight):
        return cb.solve(cb.Problem(X, y), cb.forward_stagewise(0.25), 10 if X[0, 0] == X0 else 20)

    fit = folds_of(Y, 3)[1][0]
    X0 = X[fit[0], 0]
    done = cb.cross_validate(short, X, Y, folds=3)
    assert done.losses.shape == (3, 21) and np.isinf(done.losses[:, 11:]).any() and done.best <= 10


def test_places_of_exact_paths():
    at = [cb.lasso.PathPoint(fraction=part) for part in np.linspace(0, 1, 11)]
    done = cb.cross_validate(lambda X, y, weight: cb.exact_path(X, y), X, Y, folds=3, at=at)
    fit, held = folds_of(Y, 3)[2]
    path = cb.exact_path(X[fit], Y[fit])
    np.testing.assert_allclose(
        done.losses[2, 4], np.mean((Y[held] - path.predict(X[held], at[4])) ** 2) / 2, rtol=1e-12
    )


def test_degrees_of_freedom_of_ls_boost_are_the_trace_of_the_operator():
    run = cb.solve(cb.Problem(X, Y, sample_weight=np.arange(1.0, 61)), cb.ls_boost(0.3), 25)
    B = run.problem.gather(np.arange(5))
    W = np.diag(run.problem.weight)
    M = np.eye(60)
    traces = [0.0]
    for j in run.path.learner:
        M = M - 0.3 * np.outer(B[:, j], B[:, j]) @ W @ M
        traces.append(60 - np.trace(M))
    np.testing.assert_allclose(run.degrees_of_freedom(), traces, atol=1e-10)
    search, whole = (
        cb.solve(cb.Problem(X, Y), method, 12)
        for method in (cb.methods.gcd(cb.rules.LineSearch()), cb.ls_boost(1.0))
    )
    # the same steps
    np.testing.assert_allclose(search.degrees_of_freedom(), whole.degrees_of_freedom(), rtol=1e-12)


def covariances(fits, noise):
    """Monte Carlo degrees of freedom for noise of variance 1: mean of <fit, noise>, (n_points,),
    and its standard error.
    """
    products = np.einsum("rkn,rn->rk", fits, noise)
    return products.mean(axis=0), products.std(axis=0) / np.sqrt(len(noise))


def test_degrees_of_freedom_against_monte_carlo():
    """One column: the trace is exact. Five: it ignores the cost of selection, and is nearly right
    once all columns are in use.
    """
    rng = np.random.default_rng(0)
    noise = rng.normal(size=(400, 30))
    B = rng.normal(size=(30, 5))
    noise -= noise.mean(axis=1, keepdims=True)
    for columns, low, high in [(1, -4, 4), (5, -4, np.inf)]:
        runs = [cb.solve(cb.Problem(B[:, :columns], one), cb.ls_boost(0.3), 100) for one in noise]
        fits = np.array([[state.pred for state in run.replay([3, 100])] for run in runs])
        known = np.mean([run.degrees_of_freedom()[[3, 100]] for run in runs], axis=0)
        found, error = covariances(fits, noise)
        assert ((found - known) / error > low).all() and ((found - known) / error < high).all()
    assert found[0] > 1.5 * known[0] and found[1] < 1.1 * known[1]


def test_degrees_of_freedom_of_nets_and_copies():
    twice = np.column_stack([X, X[:, 0]])
    assert cb.lasso_path(twice, Y, [1e-3], unit_columns=False).degrees_of_freedom()[0] == 5
    net = cb.lasso_path(X, Y, [0.05], l1_ratio=0.5, unit_columns=False)
    A = X - X.mean(axis=0)
    active = A[:, net.coefs[:, 0] != 0]
    hat = active @ np.linalg.solve(
        active.T @ active + 60 * 0.05 * 0.5 * np.eye(active.shape[1]), active.T
    )
    np.testing.assert_allclose(net.degrees_of_freedom(), np.trace(hat), rtol=1e-9)


@pytest.mark.parametrize("ratio", [1.0, 0.5])
def test_certificates_of_a_grid_are_about_its_own_objective(ratio):
    path = cb.lasso_path(
        X, Y, [0.3], l1_ratio=ratio, penalty_factor=[1, 2, 1, 3, 1], tol=1e-9, unit_columns=False
    )
    coef = path.coefs[:, 0]
    b = path.intercepts[0]
    f = np.array([1, 2, 1, 3, 1])
    value = np.sum((Y - X @ coef - b) ** 2) / 2 + 60 * 0.3 * f @ (
        ratio * np.abs(coef) + (1 - ratio) * coef**2 / 2
    )
    made = path.certificate(0)
    np.testing.assert_allclose(made.upper, value, rtol=1e-12)
    assert made.gap <= 1e-9 * path.problem.start_loss
    theirs = (
        Lasso(0.3, tol=1e-12) if ratio == 1 else ElasticNet(0.3, l1_ratio=ratio, tol=1e-12)
    ).fit(X, Y)
    plain = cb.lasso_path(X, Y, [0.3], l1_ratio=ratio, tol=1e-10, unit_columns=False).certificate()
    best = np.sum((Y - theirs.predict(X)) ** 2) / 2
    best += 18 * np.sum(ratio * np.abs(theirs.coef_) + (1 - ratio) * theirs.coef_**2 / 2)
    assert plain.lower <= best * (1 + 1e-12) and plain.upper <= best + plain.gap * 2 + 1e-9 * best


test_what_is_refused = refusals(
    case(
        "one fold",
        lambda: cb.cross_validate(walk, X, Y, folds=1),
        "folds must be a whole number >= 2",
    ),
    case(
        "folds",
        lambda: cb.cross_validate(walk, X, Y, folds=61),
        "folds must be at most the 60 rows",
    ),
    case(
        "rule",
        lambda: cb.cross_validate(walk, X, Y, folds=2).chosen("min"),
        "rule must be 'best' or 'one_se'",
    ),
    case(
        "stagewise",
        lambda: walk(X, Y, None).degrees_of_freedom(),
        "degrees of freedom are known for the Lasso",
    ),
    case(
        "few rows", lambda: cb.CertifiedLassoCV(rule="aic").fit(X[:5], Y[:5]), "pass noise_variance"
    ),
)


def test_the_summary_has_both_choices():
    """The numbers equal the attributes; alpha and the number of nonzeros appear if the path of all
    rows is given.
    """
    alphas = [1.0, 0.3, 0.1, 0.03]
    found = cb.cross_validate(
        lambda X, y, w: cb.lasso_path(X, y, alphas, sample_weight=w), X, Y, folds=4
    )
    path = cb.lasso_path(X, Y, alphas)
    head, best, simple = (line.split() for line in found.summary(path).splitlines())
    assert head == ["point", "alpha", "mean", "loss", "standard", "error", "nonzeros"]
    for row, k in ((best, found.best), (simple, found.one_se)):
        assert [float(number) for number in row[1:3]] == [k, alphas[k]] and int(
            row[-1]
        ) == np.count_nonzero(path.coefs[:, k])
        np.testing.assert_allclose(
            [float(row[3]), float(row[4])], [found.mean[k], found.error[k]], rtol=1e-3
        )
    assert "alpha" not in found.summary()
    refused(
        lambda: found.summary(cb.lasso_path(X, Y, [0.5])),
        "the path has 1 points, but 4 were validated",
    )
