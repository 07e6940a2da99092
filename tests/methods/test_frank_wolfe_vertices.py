"""Frank-Wolfe with away steps and with pairwise steps, against a naive version in a few lines."""

from fractions import Fraction as F

import numpy as np
import pytest
from designs import ROUNDOFF

import coordboost as cb
from verification.theorems import lacoste_julien_jaggi_frank_wolfe as lacoste

RADIUS, N = 3, 14


def sign(x):
    return int(x > 0) - int(x < 0)


def search(corr, X, direction, most):
    """Return the best step along a direction, at most `most`."""
    gain = corr @ direction
    bend = ((X @ direction) ** 2).sum()
    return 0 * most if bend == 0 else min(max(gain / bend, 0 * most), most)


def walk(X, y, radius, n, pairwise):
    """Return models after each step, to 25 digits; the active vertices are sign(beta_j) radius e_j,
    and the origin.
    """
    unit = radius * np.array(
        [[F(int(i == j)) for j in range(X.shape[1])] for i in range(X.shape[1])]
    )
    beta = 0 * unit[0]
    models = []
    for _ in range(n):
        corr = X.T @ (y - X @ beta)
        forward = max(range(len(beta)), key=lambda j: abs(corr[j]))
        best = sign(corr[forward]) * unit[forward]
        carried = [(sign(b) * unit[j], abs(b) / radius) for j, b in enumerate(beta) if b != 0]
        left = 1 - sum(weight for _, weight in carried)
        carried = [(0 * unit[0], left)] * (left > F(1, 10**20)) + carried
        worst, weight = min(carried, key=lambda one: corr @ one[0])
        if pairwise:
            beta = beta + search(corr, X, best - worst, weight) * (best - worst)
        elif corr @ (beta - worst) > corr @ (best - beta):
            beta = beta + search(corr, X, beta - worst, weight / (1 - weight)) * (beta - worst)
        else:
            beta = beta + search(corr, X, best - beta, F(1)) * (best - beta)
        # else the line search doubles the digits in every step
        beta = np.array([F(b).limit_denominator(10**25) for b in beta])
        models.append(beta)
    return np.array(models)


def exact_data():
    """Unit columns (8 x 5) with rational entries, and a target whose best model mixes vertices on
    the boundary.
    """
    rows = np.array(
        [[F(v) for v in row] for row in np.random.default_rng(4).integers(-2, 3, (8, 5)).tolist()]
    )
    columns = []
    for row in rows.T:  # 3, 4 and 5 make rational norms
        a, b = np.flatnonzero(row)[:2]
        column = 0 * row
        column[a], column[b] = F(3, 5) * sign(row[a]), F(4, 5) * sign(row[b])
        columns.append(column)
    X = np.array(columns).T
    return X, X @ np.array([F(2), F(-1), F(1), F(3, 2), F(-2)]) + np.array(
        [F(i, 7) for i in range(8)]
    )


@pytest.mark.parametrize("pairwise", [False, True], ids=["away", "pairwise"])
@pytest.mark.parametrize("compile", [False, True])
def test_runs_agree_with_the_naive_version(pairwise, compile):
    X, y = exact_data()
    expected = walk(X, y, F(RADIUS), N, pairwise)
    assert len({tuple(model) for model in expected.tolist()}) == N  # every step changes the model
    problem = cb.Problem(X.astype(float), y.astype(float), center=False, scale=False)
    method = (cb.methods.frank_wolfe_pairwise if pairwise else cb.methods.frank_wolfe_away)(
        float(RADIUS)
    )
    run = cb.solve(problem, method, 2 * N + 1, compile=compile)
    models = [state.beta for state in run.replay(range(run.n_steps + 1))]
    # Steps amplify rounding by the condition of the columns, 4: some hundred operations a step.
    assert (
        np.abs(np.array([models[k] for k in ends(run)[:N]]) - expected.astype(float)).max()
        <= 1e4 * N * ROUNDOFF
    )


@pytest.mark.parametrize("case, cuts", [("small, away", [13, 14]), ("small, pairwise", [12, 35])])
def test_which_steps_the_ledger_does_not_count(case, cuts):
    """Steps that remove the whole weight of a vertex or the origin: a swap moves it, an away step
    of length s removes s / (1 + s).
    """
    one = lacoste.CASES[case]()
    path = one.run.path
    radius = one.run.method.target.radius
    found = []
    for number, state in enumerate(one.run.replay(one.whole[:41])):
        weights = np.append(np.abs(state.beta), radius - np.abs(state.beta).sum()) / radius
        s = -path.shrink[state.k]
        taken = abs(path.theta[state.k]) if one.pairwise else s / (1 + s)
        if number and np.isclose(weights[weights > 1e-12], taken, rtol=1e-9).any():
            found.append(number)
    assert np.flatnonzero(one.cut[:40])[-2:].tolist() == cuts == found
    assert not set(cuts) & set(one.counted())


def ends(run):
    """Return the numbers of rows after which no swap is half done: a swap is two rows with steps of
    the same length.
    """
    length = np.append(np.abs(run.path.theta).round(13), np.nan)
    k = 0
    found = []
    while k < run.n_steps:
        k += 2 if run.path.shrink[k] == 0 and length[k] == length[k + 1] else 1
        found.append(k)
    return found


LOSSES = {
    "squared": cb.losses.Squared(),
    "huber": cb.losses.Huber(0.5),
    "logistic": cb.losses.Logistic(),
}
METHODS = [cb.methods.frank_wolfe_away, cb.methods.frank_wolfe_pairwise]


def data(loss):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(40, 12))
    y = X[:, :4] @ [3.0, -2.0, 1.0, 1.0] + rng.normal(size=40)
    return cb.Problem(X, np.where(y > 0, 1, -1) if loss == "logistic" else y, LOSSES[loss])


@pytest.mark.parametrize("make", METHODS)
@pytest.mark.parametrize("loss", LOSSES)
def test_it_reaches_the_optimum_and_stays_in_the_ball(make, loss):
    problem = data(loss)
    radius = 25.0
    plain = cb.solve(
        problem, cb.methods.frank_wolfe(radius, cb.rules.SegmentSearch(radius)), 400, compile=False
    ).certificate()
    run = cb.solve(problem, make(radius), 400, compile=False)
    gap = run.certificate()
    assert gap.upper - gap.lower <= 1e-11 * problem.start_loss < 1e-6 * (plain.upper - plain.lower)
    losses = np.array([state.loss for state in run.replay(range(401))])
    l1 = np.array([state.l1 for state in run.replay(range(401))])
    assert (l1 <= radius * (1 + 1e-13)).all()
    assert (np.diff(losses[ends(run)]) <= 1e-13 * losses[0]).all()


@pytest.mark.parametrize("make", METHODS)
def test_a_run_cut_in_the_middle_of_a_swap_goes_on(make, tmp_path):
    problem = data("squared")
    whole = cb.solve(problem, make(25.0), 60, compile=False)
    for cut in (7, 8, 31):
        assert (
            cb.solve(problem, make(25.0), cut, compile=False).resume(60 - cut).beta == whole.beta
        ).all()
    whole.save(tmp_path / "a.run")
    assert (
        cb.load(tmp_path / "a.run").resume(5).beta
        == cb.solve(problem, make(25.0), 65, compile=False).beta
    ).all()


class Table:
    """An oracle with stored columns."""

    def __init__(self, B):
        self.B, (self.n_samples, self.n_learners) = B, B.shape

    def scan(self, v):
        return v @ self.B

    def column(self, j):
        return self.B[:, j]


@pytest.mark.parametrize("make", METHODS)
@pytest.mark.parametrize("n_columns, weighted", [(12, False), (30, True)])
def test_on_a_gram_matrix_the_steps_are_the_same_and_the_data_are_scanned_once(
    make, n_columns, weighted
):
    """Compared with an oracle, which gets no Gram matrix: the same learners, and no scan of the
    data but the first.
    """
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, n_columns)) + 0.3 * rng.normal(size=(60, 1))
    y = X[:, :4] @ [3.0, -2.0, 1.0, 1.0] + rng.normal(size=60)
    weight = rng.uniform(0.5, 2, 60) if weighted else np.ones(60)
    problem = cb.Problem(X, y, sample_weight=weight)
    columns = problem.gather(np.arange(n_columns)) * np.sqrt(weight)[:, None]
    alone = cb.Problem(
        cb.learners.Oracle(Table(columns)), np.sqrt(weight) * problem.y, center=False
    )
    gram = cb.solve(problem, make(55.0), 200)
    plain = cb.solve(alone, make(55.0), 200)
    assert (gram.path.learner == plain.path.learner).all() and len({*gram.path.learner}) > 5
    np.testing.assert_allclose(gram.path.theta, plain.path.theta, rtol=0, atol=1e-10)
    np.testing.assert_allclose(gram.path.shrink, plain.path.shrink, rtol=0, atol=1e-10)
    assert (gram.n_scans, gram.n_gram_columns, plain.n_gram_columns) == (
        1,
        n_columns,
        0,
    ) and plain.n_scans > 100
    assert gram.model_state.quadratic and not plain.model_state.quadratic


@pytest.mark.parametrize("make", METHODS)
def test_a_users_oracle_takes_the_same_steps(make):
    problem = data("squared")
    own = cb.Problem(
        cb.learners.Oracle(Table(problem.gather(np.arange(12)))), problem.y, center=False
    )
    assert (
        np.abs(
            cb.solve(own, make(25.0), 40, compile=False).beta
            - cb.solve(problem, make(25.0), 40, compile=False).beta
        ).max()
        < 1e-9
    )


def test_a_step_away_from_vertices_needs_their_coefficients():
    with pytest.raises(
        ValueError,
        match="away steps and the store Vertices need each other, got AwayStep and Single",
    ):
        cb.rules.Method("mine", cb.rules.Greedy(), cb.methods.frank_wolfe_away(1.0).step)
    with pytest.raises(ValueError, match="delta must be"):
        cb.methods.frank_wolfe_pairwise(-1.0)
    with pytest.raises(ValueError, match="cannot run on model_state=NaiveState"):
        cb.solve(
            data("squared"), cb.methods.frank_wolfe_away(1.0), 3, model_state=cb.engine.NaiveState
        )


@pytest.mark.parametrize("seed, left", [(12, {1, 2}), (21, {0, 1})])
def test_steps_away_leave_the_worst_vertex_of_the_model(seed, left):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(20, 4))
    problem = cb.Problem(X, X @ [1.0, -1.0, 0.5, 0.5] + rng.normal(size=20))
    run = cb.solve(problem, cb.methods.frank_wolfe_away(1.5), 40, compile=False)
    # without theta: away from the origin
    away = np.flatnonzero((run.path.shrink < 0) & (run.path.theta != 0))
    for state in run.replay(away):
        carried = np.flatnonzero(state.beta)
        fit = (
            np.sign(state.beta[carried])
            * problem.scan(problem.resid(problem.combine(state.beta)))[carried]
        )
        assert run.path.learner[state.k] == carried[np.argmin(fit)]
    assert set(run.path.learner[away]) == left
