"""The search for violations: it covers the ledger, finds every false statement without a hint, and
violates no true one.
"""

from fractions import Fraction

import pytest
from click.testing import CliRunner

from verification import hunting, kept, units
from verification.adversary import main, rows
from verification.hunting import search
from verification.ledger import checks_of, modules
from verification.spaces.walks import FS, LS, PATH
from verification.statement import refuted, stated
from verification.theorems import fgm_theorem_5_1

ROWS = [(check, variant) for _, check, variant in rows()]
FALSE = [row for row in ROWS if row[0].expected[row[1]] == "refuted"]
TRUE = [row for row in ROWS if row[0].expected[row[1]] != "refuted"]


def name(row):
    return f"{row[0].statement} ({row[1]})"


def test_every_row_of_the_ledger_has_a_space():
    of_one_instance = {"VAGBM on five coordinates", "VAGBM comes back above its start"}
    # trees are grown for each residual of a run: these statements are only about the runs in the
    # ledger
    of_runs = {"Theta of grown trees, sampled", "Trees and the stumps that they begin with"}
    of_runs |= {"Theorem 4.1 on grown trees, at sampled residuals"}
    # a general solver takes a tenth of a second for each instance; the statements on all trees list
    # those of a tiny table
    by_hand = {
        "Optima of the package, by a solver",
        "Lower bounds of the package, by a solver",
        "Minimal cosine angle, by a solver",
    }
    by_hand |= {
        "Theorem 4.1 on all trees of a depth",
        "Theorem 4.2 on all trees of a depth",
        "Theta of all trees of a depth",
    }
    # races and runs of restarts are some hundred rounds long; the definition needs two equal rows
    # and no number besides
    by_hand |= {
        "AGBM, Remark 4.1, gradient boosting",
        "AGBM, Remark 4.2, gradient boosting",
        "AGBM, Remark 4.2, restarts",
    }
    by_hand |= {"AGBM, Definition 4.2"}
    # the bounds of the search for rules are compared with all covers of some tables
    by_hand |= {f"Rules below a node, {bound}" for bound in ("sum", "norm", "order")}
    by_hand |= {"Rules of a search cut short"}
    by_hand |= {f"Theorem {k}.1 (i), optimum by a solver" for k in (2, 3, 4, 5)}
    # algorithms are compared with references on a few tables
    ours = [
        module
        for module in modules()
        if module.__name__.rpartition(".")[2].startswith(("agbm", "fgm", "rgbm", "jaggi", "ours"))
        if not module.__name__.endswith("_algorithms")
    ]
    assert {
        check.statement for module in ours for check in checks_of(module) if not check.spaces
    } == of_one_instance | of_runs | by_hand
    assert len(FALSE) >= 14


@pytest.mark.parametrize("row", FALSE, ids=name)
def test_false_statements_are_found(row, monkeypatch):
    # one is enough; the smallest of several takes three times as long
    monkeypatch.setattr(hunting, "VIOLATIONS", 1)
    violation, _ = search(*row, tries=12_000)
    assert violation is not None and violation.violated
    assert all(isinstance(x, Fraction) for x in violation.numbers)


def test_true_statements_are_not_refuted():
    for check, variant in TRUE:
        assert search(check, variant, tries=6)[0] is None, check.statement


@pytest.mark.slow
@pytest.mark.parametrize("row", TRUE, ids=name)
def test_true_statements_are_not_refuted_in_many_tries(row):
    assert search(*row, tries=10_000)[0] is None


def test_counterexamples_are_made_small_and_can_be_pasted():
    falls = stated("x", FS, "", printed=refuted("later(excess) <= excess"))
    violation, _ = search(falls, "printed", tries=3000)
    assert violation.shape == (1, 1, 1) and all(
        x.denominator <= 4 and abs(x) <= 4 for x in violation.numbers
    )
    again = eval(
        violation.as_case().partition("lambda: ")[2].rstrip(","), {"SPACE": violation.space}
    )
    assert not falls(again, "printed")[0].holds


@pytest.mark.parametrize(
    "text", ["later(excess) <= 98 / 100 * sharper * excess", "corr <= 98 / 100 * root(2 * excess)"]
)
def test_tight_statements_break_when_they_are_stretched(text):
    where = {"sharper": "1 - eps * (2 - eps) * lambda_pmin / p"}
    assert (
        search(stated("x", LS, "", printed=text, where=where), "printed", tries=4000)[0] is not None
    )


def test_every_row_has_a_hard_case_with_stored_sides():
    for check, variant in ROWS:
        cases = list(kept.tried(check, variant))
        assert cases and kept.differences(check, variant, cases) == "", (check.statement, variant)


def test_a_changed_constant_is_detected(monkeypatch):
    """The stored sides of (53) differ from those of a formula with another constant."""
    check = next(check for check, _ in ROWS if check.statement == "(53) average")
    monkeypatch.setitem(
        check.formulas, "printed", "mean(omega) <= A**2 / (2 * eps * (k + 1)) + 19 / 10 * eps"
    )
    assert "the sides were" in kept.differences(
        check, "printed", list(kept.tried(check, "printed"))
    )


def test_a_changed_measurement_is_detected(monkeypatch):
    """The sums over all points change; the step where the claim is tightest does not."""
    check = next(check for check, _ in ROWS if check.statement == "(53) smallest")
    monkeypatch.setitem(check.formulas, "printed", "omega <= W")
    assert "over all points the sides added up to" in kept.differences(
        check, "printed", list(kept.tried(check, "printed"))
    )


@pytest.mark.parametrize("statement", ["(23)", "Theorem 2.1 (i)"])
def test_a_loosened_assumption_is_detected(monkeypatch, statement):
    """Without the printed assumption, (23) is false for eps = 3/2, and Theorem 2.1 (i) is a
    different theorem.
    """
    check = next(check for check, _ in ROWS if check.statement == statement)
    monkeypatch.setitem(check.assuming, "printed", "eps <= 2")
    assert kept.differences(check, "printed", list(kept.tried(check, "printed"))).startswith(
        "beyond case: the sides were"
    )


def test_command():
    done = CliRunner().invoke(main, ["Proposition 4.5", "--tries", "600"])
    assert done.exit_code == 0 and "violated" in done.stdout and "SPACE.at" in done.stdout
    assert CliRunner().invoke(main, ["nobody"]).exit_code == 2
    assert CliRunner().invoke(main, []).exit_code == 2


def test_a_condition_that_lacks_a_square_depends_on_the_unit_of_the_target():
    check = fgm_theorem_5_1.check_limit
    wrong = stated(
        "Corollary 5.1",
        PATH,
        "",
        printed=check.formulas["printed"],
        assuming="A <= 2 * eps**2 * (1 + k[-1])",
    )
    cases = kept.tried(check, "printed")
    assert units.mixed(check, "printed", cases) == "" != units.mixed(wrong, "printed", cases)
