"""Families of trees: each family's tree is a prefix of one growth, and the step is that of
Algorithm 1 with these trees.
"""

import numpy as np
import pandas as pd
import pytest
from designs import draws
from test_tree_boosting import leaves

import coordboost as cb

RNG = np.random.default_rng(5)
X = RNG.normal(size=(90, 4)).round(1)
Y = np.where(X[:, 0] * X[:, 1] + X[:, 2] + 0.3 * RNG.normal(size=90) > 0, 1.0, -1.0)
WEIGHT = RNG.integers(1, 4, size=90).astype(float)
GRID = {"nodes": (1, 3, 8), "bounds": (0.5, 2.0)}


def own_tree(target, weight, n_splits):
    """The leaf of each sample in a tree grown for exactly this number of splits, and the sums and
    weights of its leaves.
    """
    family = cb.data.trees(X, max_depth=None, max_leaves=n_splits + 1)
    run = cb.solve(
        cb.Problem(family, target / weight, sample_weight=weight, center=False), cb.gbm(1.0), 1
    )
    leaf = leaves(run.problem.dictionary, 0)
    return leaf, np.bincount(leaf, target), np.bincount(leaf, weight)


def candidate(family, resid, weight, k, power):
    """theta h of family k: leaf values from means or sums; the constant is sigma lambda^power, or
    the learner's own.
    """
    table = family.families
    total = weight.sum()
    leaf, sums, weights = own_tree(resid, weight, int(table.nodes[k]))
    w = np.sign(sums) * np.abs(sums) ** (1 / (table.q - 1)) if table.sums else sums / weights
    h = (table.bound[k] * w / np.linalg.norm(w, table.q))[leaf]
    C = 0.25 * (weight @ h**2 / total if power is None else table.bound[k] ** power)
    return (resid @ h) / total / C * h


COMPILED = pytest.mark.slow  # it compiles a loop of its own


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "q, sums, power",
    [
        (2, False, 2.0),
        (2, False, 1.0),
        (1, False, 2.0),
        (2, True, 2.0),
        (3, True, 1.0),
        pytest.param(np.inf, False, None, marks=COMPILED),
    ],
)
def test_a_step_is_the_best_of_the_families_drawn(q, sums, power, weighted):
    weight = WEIGHT if weighted else np.ones(90)
    family = cb.data.tree_families(X, q=q, sums=sums, **GRID)
    problem = cb.Problem(
        family, Y, cb.losses.Logistic(), sample_weight=weight if weighted else None
    )
    method = cb.rgb(
        0.05, 3, cb.rules.ShrunkenStep() if power is None else cb.rules.FamilyStep(power)
    )
    run = cb.solve(problem, method, 10)
    drawn = draws(problem, method, 10)
    table = family.families
    bank = run.problem.dictionary
    for state in run.replay(range(10)):
        resid = problem.resid(state.pred)
        risks = []
        for k in np.unique(drawn[state.k]):
            step = candidate(family, resid, weight, k, power)
            risks.append(
                (
                    problem.value(state.pred + step) / weight.sum() + 0.05 * table.complexity[k],
                    k,
                    step,
                )
            )
        risks.sort(key=lambda risk: risk[:2])
        j = run.path.learner[state.k]
        least = risks[0]
        second = risks[min(1, len(risks) - 1)]
        if second[0] - least[0] > 1e-9 or len(risks) == 1:
            assert bank.member[j] == least[1]
        np.testing.assert_allclose(
            run.path.theta[state.k] * bank.column(j),
            least[2],
            rtol=0,
            atol=1e-11 * np.abs(least[2]).max(),
        )
        h = bank.lengths()[j] * bank.column(j)
        values = [h[leaves(bank, j) == leaf][0] for leaf in range(bank.trees.n_leaves[j])]
        np.testing.assert_allclose(
            np.linalg.norm(values, q), table.bound[bank.member[j]], rtol=1e-9
        )
    np.testing.assert_allclose(run.pred, bank.combine(run.beta), atol=1e-12)


METHODS = {
    "safe": cb.rgb(0.01),
    "all, again": cb.rgb(0.01, None, revisit=True),
    "line search": cb.rgb(0.01, 2, cb.rules.LineSearch()),
}


@pytest.mark.parametrize(
    "name", ["safe", "all, again", pytest.param("line search", marks=COMPILED)]
)
def test_a_run_is_the_same_however_it_is_cut(name, tmp_path):
    problem = cb.Problem(
        cb.data.tree_families(X, **GRID), Y, cb.losses.Logistic(), sample_weight=WEIGHT
    )
    whole = cb.solve(problem, METHODS[name], 40, rng=5)
    cut = cb.solve(problem, METHODS[name], 13, rng=5)
    stopped = cb.solve(problem, METHODS[name], 40, rng=5, stop=lambda state: state.k >= 13)
    cut.save(tmp_path / "run")
    for run in (
        cut.resume(27),
        cut.resume(20).resume(7),
        stopped.resume(27),
        cb.load(tmp_path / "run").resume(27),
    ):
        for part in ("learner", "shrink", "theta"):
            assert (getattr(run.path, part) == getattr(whole.path, part)).all()
        ours = run.problem.dictionary
        theirs = whole.problem.dictionary
        assert (
            (run.beta == whole.beta).all()
            and (ours.member == theirs.member).all()
            and problem.n_learners == 0
        )
        for one, other in zip(
            ours.trees.trimmed(ours.n_learners),
            theirs.trees.trimmed(theirs.n_learners),
            strict=True,
        ):
            assert (one == other).all()
        assert (
            str(cb.engine.family_summary(run)) == str(cb.engine.family_summary(whole))
            and (run.predict(X) == whole.predict(X)).all()
        )
    if name == "safe":  # one method only: plain Python takes seconds
        interpreted = cb.solve(problem, METHODS[name], 1, rng=5, compile=False)
        np.testing.assert_allclose(interpreted.path.theta, cut.path.theta[:1], rtol=1e-12)


def test_learners_of_earlier_steps_compete_again():
    problem = cb.Problem(cb.data.tree_families(X, **GRID), Y, cb.losses.Logistic())
    run = cb.solve(problem, METHODS["all, again"], 60)
    bank = run.problem.dictionary
    account = cb.engine.family_summary(run)
    assert (
        bank.n_learners < 60 == account.steps.sum()
        and account.learners.sum() == np.count_nonzero(run.beta)
    )
    repeated = int(np.flatnonzero(run.path.learner < np.maximum.accumulate(run.path.learner))[0])
    state = next(run.replay([repeated]))
    j = int(run.path.learner[repeated])
    h = bank.lengths()[j] * bank.column(j)
    table = bank.families
    resid = problem.resid(state.pred)
    step = (resid @ h) / 90 / (0.25 * table.bound[bank.member[j]] ** 2) * h
    np.testing.assert_allclose(
        run.path.theta[repeated] * bank.column(j), step, rtol=1e-9, atol=1e-12
    )


def test_a_larger_penalty_chooses_smaller_trees():
    problem = cb.Problem(
        cb.data.tree_families(X, nodes=(2, 8, 32), bounds=(1.0,)), Y, cb.losses.Logistic()
    )
    splits = []
    for penalty in (0.0, 0.01, 0.1):
        account = cb.engine.family_summary(cb.solve(problem, cb.rgb(penalty, None), 60))
        splits.append(account.steps @ account.nodes)
        assert account.steps.sum() == 60 and account.charge.sum() * (penalty == 0) == 0
        np.testing.assert_allclose(
            account.objective, account.loss + account.charge.sum(), rtol=1e-12
        )
    assert splits[0] > splits[1] > splits[2] == 120


def test_the_default_families_equal_the_paper():
    """Omega over its maximum is lambda sqrt(4 n + 2) / (4 sqrt(1026)); lambda = 4 is drawn with
    probability 52.56 %.
    """
    table = cb.data.tree_families(X).families
    np.testing.assert_allclose(
        table.complexity,
        table.bound * np.sqrt(4 * table.nodes + 2) / (4 * np.sqrt(1026)),
        rtol=1e-12,
    )
    law = cb.rgb(0.1, sampling=1).bind(cb.Problem(cb.data.tree_families(X), Y)).select.law
    np.testing.assert_allclose(law[table.bound == 4].sum(), 0.5256, atol=5e-5)
    raw = cb.theory.bounds.tree_complexity([2, 4, 8, 16, 32, 64, 256], 1.0, 60, 166)
    np.testing.assert_allclose(raw, [1.35, 1.82, 2.50, 3.48, 4.89, 6.88, 13.72], atol=5.1e-3)
    assert cb.theory.bounds.sharper_tree_complexity(256, 2.0, 60, 166) == 2.0


def test_categories_missing_values_and_monotone_features():
    table = pd.DataFrame(X, columns=list("abcd")).assign(
        town=pd.Categorical(np.where(X[:, 3] > 0, "Oslo", "Rome"))
    )
    table.iloc[::7, 0] = np.nan
    problem = cb.Problem(
        cb.data.tree_families(table, monotone={"c": 1}, **GRID), Y, cb.losses.Logistic()
    )
    run = cb.solve(problem, cb.rgb(0.001), 40)
    grid = pd.concat([table.iloc[:10]] * 20, ignore_index=True)
    grid["c"] = np.repeat(np.linspace(-3, 3, 20), 10)
    assert (
        np.diff(run.predict(grid).reshape(20, 10), axis=0) >= -1e-12
    ).all() and run.final.loss < 0.9 * problem.start_loss
    with pytest.raises(ValueError, match="which monotone forbids"):
        cb.solve(problem, cb.rgb(0.1, revisit=True), 1)
    # earlier trees are not searched by default
    assert not cb.rules.Structural(1, 0.1).bind(problem).revisit
    with pytest.raises(ValueError, match="pass sums=False"):
        cb.data.tree_families(table, monotone={"c": 1}, sums=True)


@pytest.mark.parametrize(
    "bad, says",
    [
        ({"nodes": ()}, "must not be empty"),
        ({"nodes": (-1,)}, "nodes must be a whole number"),
        ({"bounds": (0.0,)}, "bounds must be"),
        ({"q": 0.5}, "q must be at least 1"),
        ({"penalty": [1.0]}, "for each of the 4 features"),
        ({"complexity": lambda n, bound, d, m: -n}, "complexity must be 6"),
    ],
)
def test_bad_tables_are_refused(bad, says):
    with pytest.raises(ValueError, match=says):
        cb.data.tree_families(X, **{**GRID, **bad})


def test_other_families_are_refused():
    problem = cb.Problem(cb.data.tree_families(X, **GRID), Y, cb.losses.Logistic())
    with pytest.raises(ValueError, match="leave families=None"):
        cb.solve(problem, cb.rgb(0.1, families=cb.learners.Families([1.0], [1.0])), 1)
    with pytest.raises(ValueError, match="a search finds the best learner"):
        cb.solve(cb.Problem(cb.data.trees(X), Y, cb.losses.Logistic()), cb.rgb(0.1), 1)
    with pytest.raises(ValueError, match="no smoothness constant sigma, which FamilyStep needs"):
        cb.solve(
            cb.Problem(cb.data.tree_families(X, **GRID), Y, cb.losses.Exponential()), cb.rgb(0.1), 1
        )


def test_norms_of_a_large_q_are_near_the_largest_value():
    """A sum of abs(value) ** q would underflow to 0, as leaf values are below 1."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    y = X[:, 0] + 0.1 * rng.normal(size=400)
    lengths = []
    for q in (1000.0, np.inf):
        run = cb.solve(
            cb.Problem(cb.data.tree_families(X, nodes=[3], bounds=[1.0], q=q), y),
            cb.methods.rgb(1.0),
            3,
            compile=False,
        )
        lengths.append(run.problem.dictionary.lengths())
    assert np.isfinite(lengths).all() and lengths[0][0] == pytest.approx(lengths[1][0], rel=0.02)
