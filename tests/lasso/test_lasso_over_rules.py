"""The Lasso over all rules of a table: certificates against the matrix of every rule, in NumPy."""

import signal

import numpy as np
import pytest
from reference_rules import every_cover, lasso_interval, literals_of, unit_columns

import coordboost as cb

RNG = np.random.default_rng(8)


def small_problem(seed):
    """A table with ties, near copies and missing values, targets, weights, options of the rules."""
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(8, 45)), int(rng.integers(1, 4))
    X = rng.integers(0, 4, (n, p)).astype(float)
    if p > 1 and seed % 3 == 0:  # a near copy
        X[:, 1] = X[:, 0]
        X[rng.integers(n), 1] += 1.0
    X[rng.random((n, p)) < 0.1] = np.nan
    X[:2] = [[0.0], [1.0]]
    weight = np.ones(n) if seed % 2 else rng.integers(0, 4, n).astype(float)
    weight[:2] = 1.0
    options = {
        "depth": int(rng.integers(1, 4)),
        "min_support": 0.1 if seed % 4 else 0.0,
        "categorical": [0] if seed % 5 == 0 else [],
        "negations": bool(seed % 7),
    }
    signal = 2.0 * (np.nan_to_num(X[:, 0]) > 1) * (np.nan_to_num(X[:, -1]) <= 2)
    y = signal + rng.standard_normal(n)
    if seed % 6 == 0:
        y = np.round(y)
    return X, y, weight, options


def false_statements(seed, max_nodes=None):
    """What a path over all rules claims and the matrix of every rule refutes, as sentences."""
    X, y, weight, options = small_problem(seed)
    logistic = seed % 4 == 1
    loss = cb.losses.Logistic() if logistic else cb.losses.Squared()
    y = np.where(y > np.median(y), 1.0, -1.0) if logistic else y
    if len(set(y[weight > 0])) < 2:
        return []
    covers = every_cover(
        literals_of(X, options["categorical"], options["negations"]),
        weight,
        options["depth"],
        options["min_support"],
    )
    if not covers:
        return []
    free = logistic and seed % 8 == 1
    family = cb.data.rules(X, max_nodes=max_nodes, **options)
    path = cb.lasso_path(
        family, y, loss=loss, sample_weight=weight, n_alphas=4, eps=0.05, refit_intercept=free
    )
    columns = unit_columns(covers, weight)
    matrix = cb.Problem(
        cb.learners.Dense(np.ascontiguousarray(columns.T)), y, loss, sample_weight=weight
    )
    truth = cb.lasso_path(matrix, alphas=path.alphas, refit_intercept=free, tol=1e-8)
    excess = path.problem.start_excess
    wrong = []
    for k, alpha in enumerate(path.alphas):
        lam = alpha * weight.sum()
        judged = truth.coefs[:, k], truth.intercepts[k]
        lower, upper = lasso_interval(columns, matrix.y, weight, lam, *judged, logistic=logistic)
        rounding = 1e-10 * excess
        claimed = path.certificate(k)
        own = path.losses[k] + lam * np.abs(path.coefs[:, k]).sum()
        if claimed.lower > upper + rounding:
            wrong.append(f"{seed}: the lower end {claimed.lower} is above {upper}")
        if own < lower - rounding or claimed.upper < own - rounding:
            wrong.append(f"{seed}: the objective {own} is outside")
        if own - path.gaps[k] * excess > upper + rounding:
            wrong.append(f"{seed}: the gap {path.gaps[k]} is false")
        if max_nodes is None and not path.gaps[k] <= 1e-6 * (1 + 1e-9):
            wrong.append(f"{seed}: the gap {path.gaps[k]} was not reached")
    return wrong


@pytest.mark.parametrize("seed", range(20))
def test_intervals_hold_over_every_rule(seed):
    assert not false_statements(seed)
    assert not false_statements(seed, max_nodes=2)


def house(n=300):
    rng = np.random.default_rng(4)
    X = rng.integers(0, 6, (n, 5)).astype(float)
    y = 2.0 * (X[:, 0] > 2) - 1.0 * ((X[:, 1] <= 1) & (X[:, 2] > 0)) + rng.standard_normal(n)
    return X, y


def test_the_certificate_is_that_of_one_search_over_all_rules():
    X, y = house()
    family = cb.data.rules(X, depth=2)
    path = cb.lasso_path(family, y, n_alphas=6, eps=0.05)
    assert path.message == "complete" and path.n_scans < 20
    assert path.problem.n_learners < 100 < len(family.literals.feature) ** 2 / 4
    for k, alpha in enumerate(path.alphas):
        resid = y - path.predict(X, step=k)
        _, (largest,), _ = family.find(resid, 1, -1.0)
        assert abs(largest) <= alpha * len(y) * (1 + 1e-3)
        assert path.certificate(k).gap <= 1e-6 * path.problem.start_loss
    text = path.problem.feature_names[0]
    assert " <= " in text or " > " in text


def test_rows_of_weight_two_are_rows_that_occur_twice():
    X, y = house(60)
    weight = RNG.integers(1, 3, 60)
    alphas = [0.2, 0.1]
    weighted = cb.lasso_path(cb.data.rules(X), y, alphas, sample_weight=weight.astype(float))
    repeated = cb.lasso_path(
        cb.data.rules(np.repeat(X, weight, axis=0)), np.repeat(y, weight), alphas
    )
    for k in range(2):
        ours, theirs = weighted.certificate(k), repeated.certificate(k)
        assert ours.lower <= theirs.upper and theirs.lower <= ours.upper


def test_a_search_that_is_cut_short_gives_a_wider_interval():
    X, y = house()
    whole = cb.lasso_path(cb.data.rules(X, depth=4), y, n_alphas=5, eps=0.2)
    cut = cb.lasso_path(cb.data.rules(X, depth=4, max_nodes=3), y, whole.alphas)
    assert "not reached" in cut.message and whole.message == "complete"
    for k in range(5):
        assert cut.certificate(k).lower <= whole.certificate(k).upper
        assert whole.certificate(k).lower <= cut.certificate(k).upper


class Signs(cb.learners.LearnerFamily):
    """All sign vectors that begin with 1, as in the example of the base class."""

    n_samples = 6
    knows = True

    def find(self, v, k, above):
        best = tuple(np.where(v * v[0] >= 0, 1, -1).tolist())
        corr = self.build(best) @ v
        if abs(corr) <= above:
            return [], [], abs(corr)
        return [best], [corr], abs(corr) if self.knows else np.inf

    def build(self, learner):
        return np.array(learner) / np.sqrt(6)


def test_a_family_of_your_own_has_a_path_over_all_its_learners():
    y = RNG.standard_normal(6)
    path = cb.lasso_path(cb.Problem(Signs(), y, center=False), n_alphas=5, eps=0.01)
    assert path.message == "complete"
    every = np.array(np.meshgrid(*[[1.0]] + 5 * [[1.0, -1.0]])).reshape(6, -1) / np.sqrt(6)
    for k, alpha in enumerate(path.alphas):
        beta = np.zeros(32)
        for j, name in enumerate(path.problem.feature_names):
            signs = np.array(eval(name)) / np.sqrt(6)
            beta[np.flatnonzero((signs == every.T).all(axis=1))] = path.coefs[j, k]
        lower, upper = lasso_interval(every, y, np.ones(6), 6 * alpha, beta)
        assert upper - lower <= 1e-6 * (y @ y)


def test_an_interruption_keeps_the_alphas_before_it():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    searches = []

    class Interrupting(Signs):
        def find(self, v, k, above):
            searches.append(above)
            if len(searches) == 6:
                signal.raise_signal(signal.SIGINT)
            return super().find(v, k, above)

    problem = cb.Problem(Interrupting(), RNG.standard_normal(6), center=False)
    try:
        with pytest.warns(cb.engine.InterruptedWarning, match="interrupted after"):
            path = cb.lasso_path(problem, n_alphas=12, eps=0.01)
    finally:
        signal.signal(signal.SIGINT, before)
    assert 1 <= len(path.alphas) < 12 and (path.gaps[:-1] <= 1e-6).all()


def test_a_search_without_a_bound_has_no_path():
    family = Signs()
    family.knows = False
    with pytest.raises(ValueError, match="needs a search that bounds"):
        cb.lasso_path(cb.Problem(family, np.arange(6.0)), n_alphas=2, eps=0.5)


@pytest.mark.parametrize(
    "option",
    [{"solver": "cd"}, {"positive": True}, {"l1_ratio": 0.5}, {"penalty_factor": [1.0]}],
    ids=str,
)
def test_options_that_need_all_columns_are_refused(option):
    X, y = house(30)
    with pytest.raises(ValueError, match="is not for learners found by a search"):
        cb.lasso_path(cb.data.rules(X), y, **option)


def test_penalties_are_positive():
    X, y = house(30)
    with pytest.raises(ValueError, match="alphas must be > 0"):
        cb.lasso_path(cb.data.rules(X), y, [0.1, 0.0])


def test_constant_targets_have_constant_models():
    path = cb.lasso_path(cb.data.rules(house(30)[0]), np.ones(30), n_alphas=3)
    assert not path.coefs.any() and not path.gaps.any()


@pytest.mark.slow
def test_no_interval_of_two_thousand_is_false():
    assert not [text for seed in range(20, 1020) for text in false_statements(seed)]
    assert not [text for seed in range(20, 1020) for text in false_statements(seed, 1 + seed % 5)]
