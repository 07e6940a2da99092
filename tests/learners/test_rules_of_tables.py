"""All rules of a table: the search against an enumeration of every conjunction, its bounds, rules
on new rows, and certificates over all rules.
"""

import numpy as np
import pandas as pd
import pytest
from reference_rules import SLACK, every_cover, literals_of, small_table, unit_columns

import coordboost as cb

RNG = np.random.default_rng(3)


def every_learner(tests, v, weight, depth, min_support):
    """The absolute correlations of all learners."""
    v = v - weight * v.sum() / weight.sum()
    return np.abs(unit_columns(every_cover(tests, weight, depth, min_support), weight).T @ v)


@pytest.mark.parametrize("seed", range(30))
def test_the_search_finds_the_best_of_all_rules(seed):
    X, v, weight, options = small_table(seed)
    tests = literals_of(X, options["categorical"], options["negations"])
    learners = every_learner(tests, v, weight, options["depth"], options["min_support"])
    truth = np.sort(learners)[::-1]
    family = cb.data.rules(X, **options).weighted(weight)
    for k in (1, 4, 10_000):
        rules, correlations, outside = family.find(v, k, -1.0)
        assert len(set(rules)) == len(rules) == min(k, len(truth))
        np.testing.assert_allclose(np.abs(correlations), truth[:k], rtol=SLACK, atol=SLACK)
        assert len(truth) <= k or outside >= truth[k] - SLACK
        for rule, correlation in zip(rules[:20], correlations, strict=False):
            column = family.build(rule)
            assert column @ v == pytest.approx(correlation, abs=SLACK)
            assert weight @ column**2 == pytest.approx(1)
            cover = np.all([tests[text] for text in family.name(rule).split(" and ")], axis=0)
            np.testing.assert_array_equal(column > 0, cover)


@pytest.mark.parametrize("seed", range(6))
def test_rows_of_tiny_weight_and_large_residuals_are_not_lost(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (24, 3)).astype(float)
    light = rng.random(24) < 0.3
    weight = np.where(light, 1e-10, 1.0)
    v = weight * rng.standard_normal(24) * np.where(light, 1e5, 1.0)
    family = cb.data.rules(X, depth=3, min_support=0).weighted(weight)
    _, correlations, _ = family.find(v, 10_000, -1.0)
    truth = np.sort(every_learner(literals_of(X), v, weight, 3, 0.0))[::-1]
    np.testing.assert_allclose(np.abs(correlations), truth, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("seed", range(10))
def test_only_rules_above_the_level_are_found_and_all_others_are_below(seed):
    X, v, weight, options = small_table(seed)
    family = cb.data.rules(X, **options).weighted(weight)
    _, every, _ = family.find(v, 10_000, -1.0)
    middle = np.sort(np.abs(every))[[len(every) // 2 - 1, len(every) // 2]]
    level = float(middle.mean())
    rules, correlations, outside = family.find(v, 10_000, level)
    assert len(rules) == (np.abs(every) > level).sum() and (np.abs(correlations) > level).all()
    assert level <= outside <= level * (1 + 1e-6) + 1e-12


@pytest.mark.parametrize("max_nodes", [1, 2, 5, 20])
def test_a_search_that_ends_early_still_bounds_all_rules(max_nodes):
    X = RNG.integers(0, 6, (300, 5)).astype(float)
    v = RNG.standard_normal(300)
    _, (best,), _ = cb.data.rules(X, depth=4).find(v, 1, -1.0)
    _, (found,), outside = cb.data.rules(X, depth=4, max_nodes=max_nodes).find(v, 1, -1.0)
    assert abs(found) <= abs(best) <= outside


@pytest.mark.parametrize("seed", range(6))
def test_indicators_of_levels_are_searched_as_one_feature_of_levels(seed):
    rng = np.random.default_rng(seed)
    level, other = rng.integers(0, 4, (2, 40))
    age = rng.integers(0, 3, 40)
    X = np.column_stack([*(level == k for k in range(4)), age, *(other != k for k in range(3))])
    v = rng.standard_normal(40)
    family = cb.data.rules(X.astype(float), depth=3, min_support=0.05)
    assert len(family.search.begin) - 1 == 3
    truth = every_learner(literals_of(X.astype(float)), v, np.ones(40), 3, 0.05)
    rules, correlations, _ = family.find(v, 10_000, -1.0)
    np.testing.assert_allclose(np.abs(correlations), np.sort(truth)[::-1], rtol=SLACK, atol=SLACK)
    for rule, correlation in zip(rules[:50], correlations, strict=False):
        assert family.build(rule) @ v == pytest.approx(correlation, abs=SLACK)


def test_of_equal_rules_the_shortest_names_the_learner():
    X = np.array([[0.0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]])
    family = cb.data.rules(X, depth=2, min_support=0)
    rules, _, _ = family.find(np.array([1.0, 1, -1, -1]), 1, -1.0)
    assert [family.name(rule) for rule in rules] == ["x0 <= 0.5"]


def test_weights_are_rows_that_occur_more_than_once():
    X, v = RNG.integers(0, 4, (60, 3)).astype(float), RNG.standard_normal(60)
    times = RNG.integers(1, 4, 60)
    weighted = cb.data.rules(X).weighted(times.astype(float))
    repeated = cb.data.rules(np.repeat(X, times, axis=0))
    rules, correlations, _ = weighted.find(v * times, 20, -1.0)
    others, same, _ = repeated.find(np.repeat(v, times), 20, -1.0)
    np.testing.assert_allclose(np.abs(correlations), np.abs(same), rtol=1e-9)
    assert rules == others


@pytest.mark.parametrize(
    "loss", [cb.losses.Squared(), cb.losses.Logistic(), cb.losses.Huber(1.0)], ids=str
)
def test_certificates_hold_over_all_rules(loss):
    X = RNG.integers(0, 3, (40, 2)).astype(float)
    y = np.where((X[:, 0] > 0.5) & (X[:, 1] <= 0.5), 1.0, -1.0)
    y = y if isinstance(loss, cb.losses.Logistic) else y + 0.3 * RNG.standard_normal(40)
    family = cb.data.rules(X, depth=2, min_support=0)
    method = cb.methods.frank_wolfe(2.0)
    run = cb.solve(cb.Problem(family, y, loss), method, 50)
    covers = every_cover(literals_of(X), np.ones(40), 2, 0.0)
    matrix = cb.learners.Dense(np.ascontiguousarray(unit_columns(covers, np.ones(40)).T))
    explicit = cb.solve(cb.Problem(matrix, y, loss), method, 2000)
    ours, truth = run.certificate(), explicit.certificate()
    assert ours.lower <= truth.upper + SLACK and truth.lower <= ours.upper + SLACK
    assert ours.gap < 0.2 * run.losses[0]
    assert run.losses[-1] == pytest.approx(ours.upper)


def test_runs_predict_new_rows_and_are_saved_and_pickled(tmp_path):
    frame = pd.DataFrame(
        {
            "age": RNG.integers(20, 60, 200).astype(float),
            "town": pd.Categorical(RNG.choice(["Oslo", "Rome"], 200)),
        }
    )
    frame.loc[:10, "age"] = np.nan
    y = 3.0 * ((frame["age"] > 40) & (frame["town"] == "Oslo")) + 0.1 * RNG.standard_normal(200)
    run = cb.solve(cb.Problem(cb.data.rules(frame), y), cb.ls_boost(0.5), 8)
    names = run.problem.feature_names
    assert "age > " in names[0] and "town = Oslo" in names[0]
    np.testing.assert_allclose(run.predict(frame), run.pred + run.problem.constant)
    new = pd.DataFrame({"town": ["Oslo", "Paris", "Oslo"], "age": [55.0, 55.0, np.nan]})
    predictions = run.predict(new)
    assert predictions[0] > 2 and abs(predictions[1:]).max() < 0.5
    run.save(tmp_path / "run.npz")
    loaded = cb.load(tmp_path / "run.npz")
    np.testing.assert_array_equal(loaded.predict(new), predictions)
    assert loaded.problem.feature_names == names
    longer = cb.solve(cb.Problem(cb.data.rules(frame), y), cb.ls_boost(0.5), 12)
    np.testing.assert_array_equal(loaded.resume(4).beta, longer.beta)


def test_steps_take_the_best_of_all_rules_with_few_searches():
    X = RNG.integers(0, 5, (200, 4)).astype(float)
    y = 2.0 * (X[:, 0] > 2) - 1.0 * ((X[:, 1] <= 1) & (X[:, 2] > 0)) + RNG.standard_normal(200)
    problem = cb.Problem(cb.data.rules(X), y)
    run = cb.solve(problem, cb.forward_stagewise(eps=0.01), 400)
    assert run.problem.dictionary.n_searches < 40
    family = cb.data.rules(X)
    resid = y - y.mean()
    for _ in range(400):
        (rule,), (correlation,), _ = family.find(resid, 1, -1.0)
        resid = resid - 0.01 * np.sign(correlation) * family.build(rule)
    np.testing.assert_allclose(problem.y - run.pred, resid, atol=1e-9)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"depth": 0}, "depth must be"),
        ({"depth": 9}, "depth must be at most 8"),
        ({"min_support": 0.5}, "min_support must be"),
        ({"max_nodes": 0}, "max_nodes must be"),
        ({"negations": "no"}, "negations must be"),
    ],
)
def test_options_out_of_range_are_refused(options, says):
    with pytest.raises(ValueError, match=says):
        cb.data.rules(np.eye(3), **options)


def test_a_table_where_no_rule_has_support_is_refused():
    X = np.eye(40)[:, :2]
    with pytest.raises(ValueError, match="pass a smaller min_support"):
        cb.solve(cb.Problem(cb.data.rules(X, min_support=0.4), X[:, 0]), cb.ls_boost(1.0), 1)


def test_a_table_without_any_rule_is_refused():
    with pytest.raises(ValueError, match="every column of X is constant"):
        cb.Problem(cb.data.rules(np.ones((5, 2))), np.arange(5.0))
