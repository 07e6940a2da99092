"""Options in pairs: whatever two options are used together, the laws of all models hold.

The short form holds some rows of a design for each subject, the long form whole designs:
``python -m pytest -m pairs -n auto``.
"""

import itertools
import pickle
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from objectives import LOSSES, without_bound
from pair_subjects import (
    N_STEPS,
    as_eval_sets,
    exact_subjects,
    joint_subjects,
    path_subjects,
    penalised_subjects,
    quietly,
    run_subjects,
    scored,
    stagewise_subjects,
    stops,
    tree_subjects,
)
from pairs import all_pairs
from sklearn.base import clone

import coordboost as cb

#: cvxpy's optimum may be above the true one by this part of the objective, and so may our ends.
JUDGE = 1e-7


def check_all(subject, seed, rows=slice(None)):
    """Hold the laws on trials of a design; name every trial that fails, with its settings."""
    check = CHECKS[subject]
    faults = []
    for trial in list(subject.trials(seed))[rows]:
        settings, table = trial.draw()
        rng = np.random.default_rng([*trial.seed, 1])
        try:
            check(subject, settings, table, rng)
        except Exception as error:
            if "fit y without bound" in str(error) and without_optimum(subject, settings, table):
                continue
            faults.append(f"{trial}\n    {type(error).__name__}: {str(error)[:400]}")
    if faults:
        pytest.fail(f"{len(faults)} trials:\n" + "\n".join(faults), pytrace=False)


def without_optimum(subject, settings, table):
    """Whether the columns without a penalty fit the rows without bound, of a fold perhaps."""
    free = np.asarray(settings["penalty_factor"]) == 0
    if "cv" in settings or settings.get("adaptive"):
        return bool(free.any())
    weight = np.ones(table.n) if table.weight is None else table.weight
    kept = weight > 0
    columns = np.asarray(table.X)[kept][:, free]
    intercept = settings.get("fit_intercept", True)
    if intercept:
        columns = columns - weight[kept] @ columns / weight.sum()
    fitted = intercept and settings.get("refit_intercept", True)
    return without_bound(subject.loss_of(settings), columns, table.y[kept], fitted)


# Models of a convex objective -------------------------------------------------------------------


def hold(answer):
    """The model is feasible, its interval holds the optimum, and it is as good as is said."""
    objective = answer.objective
    assert np.isfinite(answer.coef).all() and np.isfinite(answer.intercept).all(), "not finite"
    assert not objective.infeasible(answer.coef), f"outside the limits: {answer.coef}"
    assert objective.intercept or not np.any(answer.intercept), f"intercept {answer.intercept}"
    lower, upper = answer.interval
    assert lower <= upper, f"the interval is [{lower}, {upper}]"
    value = answer.value
    optimum = min(objective.optimum(), value)  # solvers may end early
    room = JUDGE * (abs(value) + abs(optimum) + 1e-3 * objective.scale)
    assert lower <= optimum + room, f"lower end {lower} above the optimum {optimum}"
    assert upper >= optimum - room, f"upper end {upper} below the optimum {optimum}"
    if np.isfinite(answer.reached):
        assert value <= optimum + 1.01 * answer.reached + room, f"{value}, optimum {optimum}"
        assert abs(upper - value) <= room, f"upper end {upper}, but the model has {value}"


def hold_same(answer, other, back):
    """The model of another form of the same problem has the same objective."""
    value = answer.objective.value(*back(other.coef, other.intercept))
    room = JUDGE * (abs(answer.value) + abs(value) + 1e-3 * answer.objective.scale)
    allowed = 2.02 * answer.reached + room
    assert value <= answer.value + allowed, f"{value} in place of {answer.value}"


def same(coef, intercept):
    return coef, intercept


def forms(subject, settings, table, rng):
    """Pairs of problems with the same model: name, settings and table of both, and the way back."""
    own = settings, table
    ridge = settings.get("l1_ratio", 1.0) != 1
    if not (settings.get("unit_columns") and ridge):  # norms have a unit
        yield "weights times 10", own, (settings, table.weighted(10.0)), same
    if "cv" in settings or settings.get("adaptive"):
        return  # folds depend on the order of the rows
    yield "rows permuted", own, (settings, table.rows(rng.permutation(table.n))), same
    twice = rng.integers(1, 3, table.n)
    repeated = table.rows(np.repeat(np.arange(table.n), twice))
    yield "a row twice", (settings, table.weighted(twice)), (settings, repeated), same
    order = rng.permutation(table.p)
    beside = {
        name: value[order] if isinstance(value, np.ndarray) else value
        for name, value in settings.items()
    }
    moved = beside, table.changed(X=table.X[:, order])
    yield "columns permuted", own, moved, lambda coef, b: (coef[..., np.argsort(order)], b)
    if table.offset is not None and subject.loss_of(settings) == "Squared":
        shifted = table.changed(y=table.y - table.offset, offset=None)
        yield "offset as shifted target", own, (settings, shifted), same
    scaled = settings.get("standardize") and table.kind != "constant columns"
    if scaled or settings.get("unit_columns"):
        wide = with_limits(settings, 1 / 8), table.changed(X=8.0 * table.X)
        yield "columns times 8", own, wide, lambda coef, b: (8 * coef, b)
    if subject.squared(settings) and not ridge:
        offset = None if table.offset is None else 10 * table.offset
        larger = with_limits(settings, 10), table.changed(y=10 * table.y, offset=offset)
        yield "target times 10", own, larger, lambda coef, b: (coef / 10, b / 10)


def with_limits(settings, factor):
    """The settings with limits times `factor`, and with a penalty times it if it is above 1."""
    own = dict(settings)
    for name in ("lower_limits", "upper_limits", *(["alpha"] if factor > 1 else [])):
        if own.get(name) is not None:
            own[name] = own[name] * factor
    return own


def check_linear(subject, settings, table, rng):
    """The laws of a penalised model."""
    model, answers = subject.fit(settings, table)
    for answer in answers:
        hold(answer)
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.predict(table.X), model.predict(table.X)), "pickled"
    for name, (own, base), (others, form), back in forms(subject, settings, table, rng):
        firsts = answers if base is table else subject.fit(own, base)[1]
        seconds = subject.fit(others, form)[1]
        for first, second in zip(firsts, seconds, strict=True):
            if np.isfinite(first.reached + second.reached):
                try:
                    hold_same(first, second, back)
                except AssertionError as error:
                    raise AssertionError(f"{name}: {error}") from None


# Runs -------------------------------------------------------------------------------------------


def check_run(subject, settings, table, rng):
    """The laws of a run: its certificates, its loss, resumed, pickled and in other units."""
    run, answers = subject.fit(settings, table)
    for answer in answers:
        hold(answer)
    free = answers[0]
    room = JUDGE * abs(free.value)
    assert abs(run.final.loss - free.value) <= room, f"loss {run.final.loss}, not {free.value}"
    assert np.array_equal(pickle.loads(pickle.dumps(run)).beta, run.beta), "pickled"
    cut = int(rng.integers(1, N_STEPS))
    begun, _ = quietly(lambda: cb.solve(run.problem, run.method, cut))
    resumed, _ = quietly(lambda: begun.resume(N_STEPS - cut))
    if run.n_steps == N_STEPS:
        assert np.array_equal(resumed.beta, run.beta), f"resumed after {cut} steps"
        assert resumed.n_scans == run.n_scans, f"scans of the run resumed after {cut} steps"
    with tempfile.TemporaryDirectory() as folder:
        run.save(Path(folder) / "a.run")
        assert np.array_equal(cb.load(Path(folder) / "a.run").beta, run.beta), "saved"
    twice, _ = subject.fit({**settings, "unit": 2.0}, table.weighted(4.0))
    assert twice.n_steps == run.n_steps
    pred = run.pred
    double = twice.pred
    apart = float(np.abs(pred - double).max())
    assert apart <= 1e-9 * (1 + float(np.abs(pred).max())), f"weights times 4: {apart:.3g} off"


def check_stagewise(subject, settings, table, rng):
    """The laws of an estimator whose path is a run."""
    model, (answer,) = subject.fit(settings, table)
    hold(answer)
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.predict(table.X), model.predict(table.X)), "pickled"


# Trees ------------------------------------------------------------------------------------------

#: Splits by categories without limits.
NO_RULE = {"min_samples_category": 1, "max_split_categories": None, "category_smoothing": 0.0}


def raw(model, table, offset=True):
    """Predictions on the link scale, (n_samples, n_models), with the offset of the table."""
    given = table.offset if offset else None
    own = {} if given is None else {"offset": given}
    if hasattr(model, "decision_function"):
        scores = model.decision_function(table.X, **own)
        return scores[:, None] if scores.ndim == 1 else scores
    pred = model.predict(table.X, **own)[:, None]
    return np.log(pred) if isinstance(model.loss, cb.losses.Poisson | cb.losses.Gamma) else pred


def mean_loss(loss, table, f, joint):
    """The weighted mean loss of predictions f (n_samples, n_models), offsets included.

    joint : several classes by softmax; otherwise the sum of the losses of each against the rest
    """
    weight = np.ones(table.n) if table.weight is None else table.weight
    if f.shape[1] > 1:
        own = np.arange(f.shape[1]) == table.y[:, None]
        softmax = np.logaddexp.reduce(f, axis=1) - f[own]
        values = softmax if joint else LOSSES[loss](2.0 * own - 1, f).sum(axis=1)
    else:
        values = LOSSES[loss](table.y, f[:, 0])
    return float(weight @ values / weight.sum())


def agree(name, one, other):
    """Predictions that differ by rounding only."""
    __tracebackhide__ = True
    worst = float(np.abs(one - other).max())
    assert worst <= 1e-6 * (1 + float(np.abs(one).max())), f"{name}: predictions {worst:.3g} off"


def hold_rare(settings, table, pred):
    """A few rows at the end of a column that is constant elsewhere are told from the others."""
    in_unit_of_weights = settings["l2_regularization"] > 0 or settings["min_gain"] > 0
    if settings.get("max_features") == 0.5 or in_unit_of_weights:
        return
    weight = np.ones(table.n) if table.weight is None else table.weight
    rare = np.where(table.X[:, 0] < 0, weight, 0.0)
    base = np.zeros(table.n) if table.offset is None else table.offset
    start = weight @ (table.y - base) / weight.sum() + base
    before = abs(rare @ (table.y - start))
    after = abs(rare @ (table.y - pred))
    assert after <= 0.8 * before, f"the rare rows are missed: {after} of {before}"


def hold_losses(subject, settings, table, model, holds_out):
    """The losses that are kept are those of the model, on its rows and on all others given."""
    if "n_members" in settings:  # predictions are means over members
        return
    sets = scored(table, settings["n_scored"])
    if sets:
        assert list(model.evals_result_) == list(sets), list(model.evals_result_)
    said = {name: model.evals_result_[name]["loss"] for name in sets}
    if settings.get("class_weight") is None and not holds_out:
        sets["training"] = table
        said["training"] = -model.train_score_
    joint = settings.get("multinomial", False) is None
    for name, rows in sets.items():
        loss = mean_loss(subject.loss_of(settings), rows, raw(model, rows), joint)
        reported = said[name][model.n_iter_]
        assert abs(loss - reported) <= 1e-7 * (1 + abs(loss)), f"{name}: {loss}, not {reported}"


def hold_contributions(model, table, pred):
    """The parts of the features, and what is common to all rows, add up to a prediction."""
    if hasattr(model, "n_members") and hasattr(model, "classes_"):  # predicts mean probabilities
        return
    found = model.contributions(table.X, offset=table.offset)
    total = found.values.sum(axis=1) + found.base_values
    agree("contributions", total.reshape(len(pred), -1), pred)


def hold_spelt_out(subject, settings, table, model, pred):
    """Options without an effect, or left to the table, give the bits of the options in full."""
    other = dict(settings)
    if not isinstance(table.X, pd.DataFrame):  # no categories
        other |= NO_RULE
    if not stops(settings):
        other["n_scored"] = 0
    if settings["early_stopping"] == "auto":
        other["early_stopping"] = None
    if settings.get("max_depth") == "auto":
        other["max_depth"] = model.max_depth_
    if settings.get("max_features") == "auto":
        p = table.X.shape[1]
        other["max_features"] = max(p // 2, min(p, 6))
    if other != settings:
        spelt, _ = subject.fit(other, table)
        assert np.array_equal(raw(spelt, table), pred), "options in full"


def check_trees(subject, settings, table, rng):
    """The laws of a boosted model of trees."""
    model, short = subject.fit(settings, table)
    pred = raw(model, table)
    assert np.isfinite(pred).all(), "not finite"
    holds_out = settings["early_stopping"] is True and settings["n_scored"] == 0
    hold_losses(subject, settings, table, model, holds_out)
    hold_contributions(model, table, pred)
    hold_spelt_out(subject, settings, table, model, pred)
    exact = not (stops(settings) or "beta" in settings)
    whole = exact and settings.get("subsample", 1.0) == 1
    scores = model.train_score_
    if whole and not ("Accelerated" in subject.name and short):  # momentum may say that it rose
        assert scores[-1] >= scores[0] - 1e-9 * abs(scores[0]), f"{scores[0]} to {scores[-1]}"
    assert np.array_equal(raw(pickle.loads(pickle.dumps(model)), table), pred), "pickled"
    sets = as_eval_sets(scored(table, settings["n_scored"]))
    given = {"sample_weight": table.weight, "offset": table.offset, **sets}
    again, _ = quietly(lambda: clone(model).fit(table.X, table.y, **given))
    assert np.array_equal(raw(again, table), pred), "cloned"
    signs = settings.get("monotonic_cst")
    if signs is not None and not isinstance(table.X, pd.DataFrame):
        for j in np.flatnonzero(signs):
            grid = np.repeat(table.X[:1], 40, axis=0)
            grid[:, j] = np.linspace(-6, 6, 40)
            steps = np.diff(raw(model, table.changed(X=grid), offset=False)[:, 0])
            assert (steps * signs[j] >= -1e-12).all(), f"column {j} is not monotone"
    if whole and table.kind == "rare" and subject.squared(settings):
        hold_rare(settings, table, pred[:, 0])
    if exact and settings.get("subsample", 1.0) == 1:
        order = rng.permutation(table.n)
        other, _ = subject.fit(settings, table.rows(order))
        agree("rows permuted", raw(other, table), pred)
    if exact and settings["l2_regularization"] == settings["min_gain"] == 0:
        other, _ = subject.fit(settings, table.weighted(1e6))
        agree("weights times 1e6", raw(other, table), pred)
        other, _ = subject.fit(settings, table.weighted(2.0**20))
        assert np.array_equal(raw(other, table), pred), "weights times a power of two"
    if exact and subject.squared(settings):
        offset = None if table.offset is None else -table.offset
        mirrored = settings
        if signs is not None:
            mirrored = {**settings, "monotonic_cst": -np.asarray(signs)}
        other, _ = subject.fit(mirrored, table.changed(y=-table.y, offset=offset))
        agree("target negated", -raw(other, table.changed(offset=offset)), pred)
    scaled = settings.get("max_delta_step") is None and settings["min_gain"] == 0
    if exact and subject.squared(settings) and scaled:
        offset = None if table.offset is None else 8 * table.offset
        other, _ = subject.fit(settings, table.changed(y=8 * table.y, offset=offset))
        agree("target times 8", raw(other, table.changed(offset=offset)) / 8, pred)
    if len(model.runs_) == 1:
        with tempfile.TemporaryDirectory() as folder:
            model.run_.save(Path(folder) / "a.run")
            loaded = cb.load(Path(folder) / "a.run")
        offset = {} if table.offset is None else {"offset": table.offset}
        saved, whole_run = (run.predict(table.X, **offset) for run in (loaded, model.run_))
        assert np.array_equal(saved, whole_run), "saved"


# The two forms ----------------------------------------------------------------------------------

IN_PYTHON = {
    **dict.fromkeys([*penalised_subjects(), *path_subjects()], check_linear),
    **dict.fromkeys([*exact_subjects(), *joint_subjects()], check_linear),
    **dict.fromkeys(stagewise_subjects(), check_stagewise),
    **dict.fromkeys(run_subjects(), check_run),
}
COMPILED = dict.fromkeys(tree_subjects(), check_trees)
CHECKS = {**IN_PYTHON, **COMPILED}
SEEDS = pytest.mark.parametrize("seed", range(1, 10))


def of_each(subjects):
    return pytest.mark.parametrize("subject", subjects, ids=lambda subject: subject.name)


@of_each(IN_PYTHON)
def test_some_rows(subject, in_python):
    check_all(subject, 0, slice(None, None, 8))


@of_each(COMPILED)
def test_some_rows_of_trees(subject):
    check_all(subject, 0, slice(None, None, 12))  # each shape of trees compiles a grower


@pytest.mark.pairs
@of_each(IN_PYTHON)
@SEEDS
def test_whole_designs(subject, seed, in_python):
    check_all(subject, seed)


@pytest.mark.pairs
@of_each(COMPILED)
@SEEDS
def test_whole_designs_of_trees(subject, seed):
    check_all(subject, seed)


def test_designs_meet_every_pair():
    rng = np.random.default_rng(0)
    factors = {"a": [0, 1, 2], "b": "xyz", "c": [None, True], "d": [1.0, 2.0]}

    def allowed(row):
        return not (row.get("a") == 0 and row.get("b") == "x")

    rows = all_pairs(factors, rng, allowed)
    assert len(rows) <= 12
    assert all(map(allowed, rows))
    for (one, firsts), (other, seconds) in itertools.combinations(factors.items(), 2):
        for first, second in itertools.product(firsts, seconds):
            pair = {one: first, other: second}
            assert not allowed(pair) or any(pair.items() <= row.items() for row in rows), pair
