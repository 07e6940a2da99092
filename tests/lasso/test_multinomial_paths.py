"""Paths of the multinomial loss: an independent judge of their gaps, Ctrl-C, learners that are not
stored.
"""

import os
import signal
import threading

import numpy as np
import pytest
import scipy.sparse
from matplotlib.figure import Figure
from scipy.special import logsumexp, softmax, xlogy
from sklearn.datasets import load_iris

import coordboost as cb
from coordboost.lasso.blocks import GramBlock

PATH = cb.lasso.multinomial_path
pytestmark = pytest.mark.filterwarnings("ignore::coordboost.data.ConstantColumnWarning")


def drawn(seed):
    """A random table, its labels, the columns as they are fitted, and options of a path."""
    rng = np.random.default_rng(seed)
    n = int(rng.choice([15, 40, 120]))
    p = int(rng.choice([1, 3, 8, 25, 80]))
    n_classes = int(rng.integers(2, 7))
    X = rng.normal(size=(n, p))
    if rng.random() < 0.3:
        X = X @ (np.eye(p) + rng.normal(size=(p, p))) / np.sqrt(p)
    if rng.random() < 0.3:
        X = X + rng.normal(size=p) * rng.choice([1, 10])
    if rng.random() < 0.2:
        X = X * 10.0 ** rng.uniform(-2, 2, p)
    if rng.random() < 0.15:
        X[:, -1] = X[:, 0]
    sparse = rng.random() < 0.4
    if sparse:
        X = X * (rng.random((n, p)) < rng.choice([0.05, 0.3, 0.8]))
    spread = np.where(X.std(axis=0) > 0, X.std(axis=0), 1.0)
    noise = rng.choice([0.0, 0.3, 1.0, 3.0])  # without noise the classes are separable
    score = (X / spread)[:, :3] @ rng.normal(size=(min(3, p), n_classes))
    y = (score + noise * rng.gumbel(size=(n, n_classes))).argmax(axis=1)
    y[:n_classes] = np.arange(n_classes)
    weight = np.ones(n)
    if rng.random() < 0.4:
        weight = rng.integers(0, 4, n) * 1.0 if rng.random() < 0.5 else rng.uniform(0.1, 5, n)
    weight[:n_classes] = 1.0
    options = {
        "unit_columns": bool(rng.random() < 0.5),
        "fit_intercept": bool(rng.random() < 0.7),
        "tol": float(10.0 ** -rng.integers(2, 10)),
        "eps": float(rng.choice([0.5, 0.1, 0.01, 1e-3])),
        "n_alphas": int(rng.choice([1, 2, 5, 10])),
        "penalty_factor": rng.uniform(0.2, 4, p) if rng.random() < 0.3 else np.ones(p),
    }
    return scipy.sparse.csc_array(X) if sparse else X, X, y, weight, options


class Judge:
    """The multinomial Lasso in NumPy, on a table as it is, with penalties `price`."""

    def __init__(self, X, y, weight, price, free):
        self.X = X
        self.weight = weight
        self.hit = (y[:, None] == np.arange(y.max() + 1)).astype(float)
        self.price = price
        self.free = free

    def objective(self, coef, intercept):
        f = self.X @ coef.T + intercept
        losses = logsumexp(f, axis=1) - (self.hit * f).sum(axis=1)
        return self.weight @ losses + np.abs(coef) @ self.price @ np.ones(len(coef))

    def lower_bound(self, coef, intercept):
        """The entropy at the largest multiple of the residuals at the best intercepts."""
        f = self.X @ coef.T + intercept
        weight = self.weight[:, None]
        for _ in range(50 if self.free else 0):
            p = softmax(f, axis=1)
            slope = (weight * (self.hit - p)).sum(axis=0)
            hessian = np.diag(self.weight @ p) - p.T @ (weight * p)
            f = f + np.clip(np.linalg.lstsq(hessian, slope, rcond=1e-13)[0], -2, 2)
        away = self.hit - softmax(f, axis=1)
        if self.free:
            away -= self.weight @ away / self.weight.sum()
        corr = np.abs(self.X.T @ (weight * away)).max(axis=1)
        scale = np.min(self.price[corr > 0] / corr[corr > 0], initial=1.0)
        dual = np.clip(self.hit - scale * away, 0, None)
        return -self.weight @ xlogy(dual, dual).sum(axis=1)


def judged(seed):
    """Yield the gap that a random path reports at each alpha, and that of the judge at its model,
    both over the loss of the constant model.
    """
    table, X, y, weight, options = drawn(seed)
    free = options["fit_intercept"]
    path = PATH(table, y, sample_weight=weight, **options)
    live = X.std(axis=0) > 0 if free else X.any(axis=0)
    norm = np.ones(X.shape[1])
    if options["unit_columns"]:
        centred = X - (np.average(X, axis=0, weights=weight) if free else 0.0)
        norm = np.sqrt(weight @ centred**2)
    price = weight.sum() * (options["penalty_factor"] * norm)
    for k, alpha in enumerate(path.alphas):
        judge = Judge(X[:, live], y, weight, alpha * price[live], free)
        coef = path.coef_at(step=k)[:, live]
        upper = judge.objective(coef, path.intercept_at(step=k))
        start = np.log(np.bincount(y, weight) / weight.sum()) if free else 0.0
        null = judge.objective(0.0 * coef, start)
        gap = (upper - judge.lower_bound(coef, path.intercept_at(step=k))) / null
        assert path.bounds[k, 1] == pytest.approx(upper, rel=1e-9)
        yield path.gaps[k], gap, path


def false_gaps_and_not_reached(seeds):
    """The seeds of paths with a gap below that of the judge, rounding apart, and of those that say
    that they did not reach the tolerance.
    """
    false = []
    not_reached = set()
    for seed in seeds:
        for own, gap, path in judged(seed):
            if not gap <= own * (1 + 1e-6) + 1e-11:
                false.append((seed, own, gap))
            if path.message != "complete":
                assert path.message.startswith("not reached: the gap is")
                not_reached.add(seed)
    return false, not_reached


def test_an_independent_judge_finds_no_smaller_gap():
    assert false_gaps_and_not_reached(range(12)) == ([], set())


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 1500, 500))
def test_an_independent_judge_finds_no_smaller_gap_in_many_fits(first):
    assert false_gaps_and_not_reached(range(first, first + 500)) == ([], set())


SEPARABLE = (106, 528, 1429)


def test_classes_that_can_be_separated_reach_the_tolerance():
    """There predictions grow in directions that hardly change the curvature of the others, and
    coordinate descent is slow.
    """
    assert false_gaps_and_not_reached(SEPARABLE) == ([], set())


def test_ctrl_c_in_a_step_at_fixed_signs_keeps_the_first_model(monkeypatch):
    table, _, y, weight, options = drawn(SEPARABLE[2])
    whole = PATH(table, y, sample_weight=weight, **options)
    options["alphas"] = whole.alphas[1:]
    plain = GramBlock.step_at_signs

    def interrupted(block, *args):
        os.kill(os.getpid(), signal.SIGINT)
        plain(block, *args)

    monkeypatch.setattr(GramBlock, "step_at_signs", interrupted)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.warns(cb.engine.InterruptedWarning, match="multinomial_path was interrupted"):
            path = PATH(table, y, sample_weight=weight, **options)
    finally:
        signal.signal(signal.SIGINT, before)
    assert path.n_points == 1 and path.gaps[0] > options["tol"]
    lower, upper = path.bounds[0]
    assert lower <= whole.bounds[1, 1] and whole.bounds[1, 0] <= upper


def on_disk(folder, X, y):
    """A Problem whose columns are not stored in memory."""
    np.save(folder / "X.npy", np.asfortranarray(X))
    return cb.Problem(cb.data.open_columns(folder / "X.npy"), np.where(y == y[0], 1.0, -1.0))


def test_columns_on_disk_have_the_models_of_columns_in_memory(tmp_path):
    X, y = load_iris(return_X_y=True)
    grid = {"n_alphas": 6, "eps": 0.02, "tol": 1e-9}
    path = PATH(X, y, **grid)
    other = PATH(on_disk(tmp_path, X, y), y, **grid)
    assert path.message == other.message == "complete"
    np.testing.assert_allclose(path.bounds, other.bounds, rtol=1e-8)
    np.testing.assert_allclose(path.models.toarray(), other.models.toarray(), atol=1e-2)


def test_a_tolerance_out_of_reach_ends_with_counted_passes(tmp_path):
    X, y = load_iris(return_X_y=True)
    grid = {"alphas": [0.1, 0.02], "tol": 1e-300, "unit_columns": False}
    path = PATH(X, y, **grid)
    assert path.message.startswith("not reached: the gap is") and path.gaps.max() < 1e-12
    path = PATH(on_disk(tmp_path, X, y), y, **grid)
    assert path.message.startswith("not reached: the gap is") and path.gaps.max() < 1e-12
    passes = int(path.message.split(", after ")[1].split(" passes over the classes")[0])
    assert 3 * passes <= path.n_scans


def test_the_limit_of_passes_holds_for_classes_of_one_row(monkeypatch, tmp_path):
    monkeypatch.setattr("coordboost.lasso.class_blocks.ROUNDS", 4)
    monkeypatch.setattr("coordboost.lasso.class_blocks.FEW", 2)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12, 4))
    y = rng.permutation(12)
    grid = {"n_alphas": 4, "eps": 0.01}
    assert PATH(X, y, **grid).message == "complete"
    path = PATH(on_disk(tmp_path, X, y), y, **grid)
    assert path.message.startswith("not reached")
    assert path.message.endswith(", after 8 passes over the classes")
    for k in range(4):
        certificate = path.certificate_at(cb.lasso.PathPoint(step=k))
        assert certificate.lower <= certificate.upper and np.isfinite(path.coef_at(step=k)).all()


def test_a_column_of_zeros_has_coefficient_0():
    y = np.arange(12) % 3
    path = PATH(scipy.sparse.csc_array((12, 1)), y, n_alphas=2)
    assert path.message == "complete" and path.gaps.max() < 1e-12
    assert not path.models.toarray().any()


def test_an_offset_of_one_number_a_row_is_refused():
    X, y = load_iris(return_X_y=True)
    problem = cb.Problem(X, y, offset=np.ones(len(y)))
    with pytest.raises(ValueError, match="the offset of a Problem is one number for each row"):
        PATH(problem, y)
    with pytest.raises(ValueError, match=r"a column for each class, 150 x 3, got shape \(150, 2\)"):
        PATH(X, y, offset=np.zeros((150, 2)))


def test_an_offset_is_a_part_of_the_model():
    """A model at a large penalty, continued at a smaller one: its coefficients are a part."""
    X, y = load_iris(return_X_y=True)
    first = PATH(X, y, [0.1], unit_columns=False)
    known = X @ first.coef_at(step=0).T
    other = PATH(X, y, [10.0], offset=known, unit_columns=False)
    assert not other.coef_at(step=0).any()
    np.testing.assert_allclose(
        other.predict_proba(X, offset=known), first.predict_proba(X), atol=1e-3
    )
    assert (other.predict(X, offset=known) == first.predict(X)).mean() > 0.98


def test_ctrl_c_keeps_the_alphas_that_are_done():
    """The signal comes while the compiled path is at work: it ends between two of its calls."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(1500, 1000))
    y = (X[:, :60].reshape(1500, 6, 10).sum(axis=2) + rng.gumbel(size=(1500, 6))).argmax(axis=1)
    PATH(X[:50, :5], y[:50], n_alphas=3)  # compiled before
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    try:
        with pytest.warns(cb.engine.InterruptedWarning, match="multinomial_path was interrupted"):
            timer.start()
            path = PATH(X, y, n_alphas=2000, eps=1e-3, tol=1e-9)
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, before)
    assert 1 <= path.n_points < 2000
    assert path.message.startswith(f"interrupted after {path.n_points} of 2000 alphas")
    assert (path.gaps[:-1] <= 1e-9).all()


def test_a_path_has_the_places_of_every_grid():
    """Between two alphas it is linear; numbers in tables are those of the models."""
    pd = pytest.importorskip("pandas")
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    path = PATH(pd.DataFrame(X, columns=list("abcd")), names, n_alphas=5, eps=0.05, l1_ratio=0.8)
    middle = float(path.alphas[2:4].mean())
    at = {"alpha": middle}
    coef = path.coef_at(**at)
    np.testing.assert_allclose(coef, path.coef_path()[2:4].mean(axis=0))
    np.testing.assert_allclose(path.intercept_at(**at), path.intercepts[2:4].mean(axis=0))
    by_hand = softmax(X @ coef.T + path.intercept_at(**at), axis=1)
    np.testing.assert_allclose(path.predict_proba(X, **at), by_hand, rtol=1e-9)
    assert (path.predict(X, **at) == path.classes[by_hand.argmax(axis=1)]).all()
    several = path.predict_proba(X, alpha=[path.alphas[1], middle])
    np.testing.assert_array_equal(several[:, :, 1], path.predict_proba(X, **at))
    assert path.predict(X, step=[0, 4]).shape == (150, 2)
    place = cb.lasso.PathPoint(**at)
    mean = np.log(by_hand[np.arange(150), y]).mean()
    assert path.score(X, names, at=place) == pytest.approx(mean)
    np.testing.assert_allclose(path.losses / 150, -path.score_path(X, names), rtol=1e-9)
    frame = path.to_frame()
    np.testing.assert_allclose(frame["loss"], -path.score_path(X, names))
    np.testing.assert_allclose(frame["virginica: d"], path.coef_path()[:, 2, 3])
    assert (
        frame["deviance"][0] == pytest.approx(0, abs=1e-9)
        and frame["deviance"].is_monotonic_increasing
    )
    norm = np.linalg.norm(X - X.mean(axis=0), axis=0)
    np.testing.assert_allclose(path.l1, (np.abs(path.coef_path()) @ norm).sum(axis=1))
    assert path.penalty_units == "unit columns"
    assert path.certificate(2).witness["relative_gap"] == path.gaps[2]
    with pytest.raises(ValueError, match="a grid has certificates at its own alphas only"):
        path.certificate_at(place)
    with pytest.raises(ValueError, match="multinomial paths have no relaxed fits"):
        path.relaxed()
    display = path.plot(ax=Figure().subplots(), against="alpha")
    lines = zip(display.columns_, display.lines_, strict=True)
    colours = {display.names[j]: line.get_color() for j, line in lines}
    assert len({colour for name, colour in colours.items() if name.startswith("virginica")}) == 1
    assert len(set(colours.values())) == 3
    seen = cb.cross_validate(lambda X, y, w: PATH(X, y, path.alphas), X, y, folds=3)
    assert seen.losses.shape == (3, 5) and "alpha" in seen.summary(path)
