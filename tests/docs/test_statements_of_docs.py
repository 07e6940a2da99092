"""Statements in the docs about methods, rows of the ledger and trees, compared with the package."""

import re
from fractions import Fraction
from itertools import chain
from pathlib import Path

import numpy as np
import pytest

import coordboost as cb
from verification.ledger import checks_of, modules
from verification.theorems import fgm_figures_and_table_b_2, fgm_table_b_1

ROOT = Path(__file__).parents[2]
rng = np.random.default_rng(0)
X = rng.normal(size=(30, 4))
y = X @ [1.0, 2.0, 0.0, -1.0] + rng.normal(size=30)
SQUARED = cb.Problem(X, y)
HUBER = cb.Problem(X, y, loss=cb.losses.Huber(1.0))
FAMILIES = cb.Problem(
    cb.data.tree_families(X, nodes=(1, 2), bounds=(1.0,)),
    np.where(y > 0, 1, -1),
    cb.losses.Logistic(),
)
GAMMA = 0.9 * cb.theory.momentum_limit(SQUARED)
GIVEN = {
    "forward_stagewise": (0.1,),
    "regularized_forward_stagewise": (0.1, 2.0),
    "path_forward_stagewise": (0.1, np.linspace(1, 2, 12)),
    "frank_wolfe": (2.0,),
    "frank_wolfe_away": (2.0,),
    "frank_wolfe_pairwise": (2.0,),
    "rtgcd": (2,),
    "lasso_cd": (0.5,),
    "agbm": (1.0, "auto"),
    "agbmr": (1.0, GAMMA, 400),
    "vagbm": (0.5, 0.1),
    "rgb": (0.1,),
    "sglb": (0.1, 1e3, 0.1, 1.0, cb.rules.RandomSubset(1)),
}


def run_of(name, problem=SQUARED):
    n_steps = {"forward_stepwise": 4, "agbmr": 900}.get(name, 12)
    maker = cb.methods.METHODS[name]
    method = maker(*GIVEN[name]) if name in GIVEN else maker(**maker.EXAMPLES[0])
    return cb.solve(problem, method, n_steps, compile=False)


def rows_of_methods():
    """method -> what the page says that ``check`` tests on it."""
    text = (ROOT / "docs" / "bounds.md").read_text(encoding="utf-8")
    table = text.split("| method | what `check` compares with a run |")[1].split("\n\n")[0]
    rows = (line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith("| `"))
    return {
        name: said for names, said in rows for name in re.findall(r"`(\w+)`", names.split(";")[0])
    }


def test_the_page_names_every_method():
    assert rows_of_methods().keys() == cb.methods.METHODS.keys()


@pytest.mark.parametrize("name", cb.methods.METHODS)
def test_a_method_has_bounds_where_the_page_says_so(name):
    said = rows_of_methods()[name]
    run = run_of(name, FAMILIES if name == "rgb" else SQUARED)
    if said == "nothing":
        with pytest.raises(ValueError, match=f"no bound applies to {name}"):
            cb.theory.check(run)
    else:
        checks = cb.theory.check(run)
        assert all(one.holds for one in checks)
        numbers = re.findall(r"\d\.\d", said)
        assert (
            name in ("frank_wolfe", "rgb")
            or not numbers
            or any(number in one.name for number in numbers for one in checks)
        )


def test_readme_names_methods_without_bounds():
    names = re.search(
        r"\(((?:`\w+`,? ?)+)and a few others have none\)",
        (ROOT / "README.md").read_text(encoding="utf-8"),
    )[1]
    assert {"vagbm", "ccd", "lasso_cd"} == set(re.findall(r"\w+", names))
    assert all(rows_of_methods()[name] == "nothing" for name in re.findall(r"\w+", names))


def test_coordinate_descent_has_no_theorem_about_a_ball():
    """Frank-Wolfe keeps a gap on a small ball, so a bound for all coefficients must not be applied
    to it.
    """
    with pytest.raises(ValueError, match="no bound applies to frank_wolfe"):
        cb.theory.check(cb.solve(HUBER, cb.methods.frank_wolfe(0.05), 20, compile=False))


@pytest.mark.parametrize("name", cb.methods.METHODS)
def test_theorems_about_all_coefficients_are_for_methods_that_go_there(name):
    """For a loss that is not squared, all bounds that apply to a run have the optimum that the
    method converges to.
    """
    if name == "forward_stepwise":
        return
    run = run_of(name, HUBER)
    speak = [one.name for one in cb.theory.bounds.STATEMENTS if one.variants(run)]
    assert not speak or isinstance(run.method.target, cb.certificates.Unconstrained)


@pytest.mark.parametrize(
    "module",
    [fgm_table_b_1, fgm_figures_and_table_b_2],
    ids=lambda one: one.__name__.split(".")[-1],
)
def test_a_table_refutes_only_sentences_that_are_quoted(module):
    """A row about a table that is printed and refuted quotes the sentence; an expectation of the
    reader is not called printed.
    """
    refuted = [check for check in checks_of(module) if check.expected.get("printed") == "refuted"]
    quoted = re.findall(r'"([^"]+)"', module.__doc__)
    assert len(quoted) == len(refuted) and all(len(words.split()) > 5 for words in quoted)


def test_hopes_are_called_hopes():
    """The page lists them as expectations, of theorems alone, and none of their rows is called
    printed.
    """
    text = " ".join((ROOT / "docs" / "bounds.md").read_text(encoding="utf-8").split())
    hopes = text.split("Refuted as hopes:")[1].split(". ")[0]
    assert "Theorem 3.1 (iv) for the last iterate" in hopes and "Table" not in hopes
    tables = [
        check for one in (fgm_table_b_1, fgm_figures_and_table_b_2) for check in checks_of(one)
    ]
    assert all(check.expected.get("sharpened") != "refuted" for check in tables)
    for module in modules():
        for check in checks_of(module):
            assert (
                check.expected.get("sharpened") != "refuted" or "printed" not in check.expected
            ), check.statement


def score(groups, l2):
    """The score of a split: S^2 / (W + l2), summed over its sides."""
    return sum(Fraction(sum(side)) ** 2 / (len(side) + l2) for side in groups)


def best_cut(rows, keys, l2):
    """The best score of a cut of the categories in the order of `keys`."""
    order = sorted(rows, key=keys.get)
    cuts = ((order[:n], order[n:]) for n in range(1, len(order)))
    return max(score([list(chain(*(rows[b] for b in side))) for side in cut], l2) for cut in cuts)


def test_categories_are_sorted_by_what_their_leaf_would_be():
    """The order is by S / (W + l2); an order by means would give other splits."""
    other = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        sizes = rng.choice([1, 2, 5, 20], 5)
        l2 = int(rng.integers(1, 40))
        codes = np.repeat(np.arange(5), sizes)
        target = rng.integers(-2, 3, len(codes)) + rng.integers(0, 12, 5)[codes]
        rows = {b: target[codes == b].tolist() for b in range(5)}
        family = cb.data.trees(codes[:, None], max_depth=1, min_samples=1, l2=l2, categorical=[0])
        run = cb.solve(
            cb.Problem(family, 1.0 * target, center=False), cb.gbm(1.0), 1, compile=False
        )
        values = run.predict(np.arange(5.0)[:, None])
        sides = [
            list(chain(*(rows[b] for b in range(5) if values[b] == value)))
            for value in np.unique(values)
        ]
        leaf = {b: Fraction(sum(rows[b])) / (len(rows[b]) + l2) for b in rows}
        mean = {b: Fraction(sum(rows[b])) / len(rows[b]) for b in rows}
        whole = score([target.tolist()], l2)
        assert score(sides, l2) == max(best_cut(rows, leaf, l2), whole)
        other += score(sides, l2) != max(best_cut(rows, mean, l2), whole)
    assert other > 0


@pytest.mark.parametrize(
    "family",
    [lambda: X, lambda: cb.data.stumps(X), lambda: cb.data.trees(X, max_depth=2, min_samples=3)],
)
def test_what_is_centred_does_not_shrink(family):
    """Langevin boosting with strong shrinkage goes to the mean of y, but to 0 with
    ``center=False``.
    """
    quiet = cb.sglb(eps=0.1, beta=1e12, gamma=9.0)
    columns = family()
    kept, free = (
        cb.solve(cb.Problem(columns, y + 50, center=center), quiet, 100, compile=False)
        .predict(X)
        .mean()
        for center in (True, False)
    )
    assert abs(kept / (y + 50).mean() - 1) < 0.01 and abs(free / (y + 50).mean()) < 0.2
