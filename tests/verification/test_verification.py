"""The ledger: no claim is violated, every wrong variant is detected, every check has one; and
faults in the ledger are reported.
"""

import ast
import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from click.testing import CliRunner
from public import PUBLIC

from coordboost.theory.bounds import STATEMENTS, BoundCheck, formula
from verification import index, kept, ledger
from verification.__main__ import main
from verification.curves import plot
from verification.page import page
from verification.space import Space
from verification.spaces.walks import exact_walk, walks
from verification.statement import claim, method_of
from verification.table import table

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted(
    [*(ROOT / "verification").glob("*.py"), *(ROOT / "verification" / "theorems").glob("*.py")]
)


@pytest.fixture(scope="module")
def quick():
    return ledger.verify(quick=True)


def test_the_quick_ledger_has_no_fault(quick):
    assert quick.faults == []
    assert len(quick.rows) >= 100 and len(quick.sabotages) >= len(
        {row.statement for row in quick.rows}
    )


def test_every_row_has_evidence(quick):
    for row in quick.rows:
        assert row.cases > 0 and row.points > 0 and row.evidence and row.words, row


def test_every_statement_of_the_package_is_in_the_ledger(quick):
    found = {(row.statement, row.variant) for row in quick.rows}
    assert {(one.name, variant) for one in STATEMENTS for variant in one.formulas} <= found


def test_errata_are_refuted_and_their_corrections_verified(quick):
    verdicts = {(row.statement, row.variant): row.verdict for row in quick.rows}
    for name in ("Proposition A.3, probability", "Remark A.1 (42)", "Remark A.1 (43)"):
        assert (verdicts[name, "printed"], verdicts[name, "corrected"]) == ("refuted", "verified")
    assert verdicts["Theorem 3.1 (iv) for the last iterate", "sharpened"] == "refuted"
    refuted = [row for row in quick.rows if row.verdict == "refuted"]
    assert all(row.counterexample for row in refuted)


def test_every_number_of_the_papers_has_a_row_or_a_reason(quick):
    assert index.faults(quick.rows) == []
    assert {tuple(row) for row in index.claimed()} == {
        (row.file, row.statement, row.variant, row.verdict) for row in quick.rows
    }


def test_the_table_in_the_docs_has_the_rows_of_the_ledger(quick):
    """Names, verdicts and evidence; the numbers vary slightly between machines."""
    written = (ROOT / "docs" / "ledger.md").read_text(encoding="utf-8").splitlines()
    words = [
        [line.split(" | ")[:3] for line in text if line.count(" | ") == 4]
        for text in (written, table(quick).splitlines())
    ]
    assert words[0] == words[1], (
        "write it anew: python -m verification --quick --table docs/ledger.md"
    )


def test_json_and_page(quick):
    again = json.loads(json.dumps(quick.as_dict()))
    assert len(again["rows"]) == len(quick.rows) and all(row["good"] for row in again["rows"])
    text = page(quick)
    assert text.count("<svg") > 40 and text.count("<tr") > len(quick.rows)
    assert not re.search(r"https?:|<script|<link|src=|@import|nan", text)


def test_plot_of_odd_curves():
    assert plot([[0, 1, 2], [0, 0, 0], [0, -1, 0]]) == ""
    assert "<polyline" in plot([[0, 1, 2], [1, np.nan, 0], [2, 2, 2]])


def test_the_numbers_below_a_plot_are_those_of_its_axis():
    few, many = (plot([np.arange(n), np.ones(n), np.full(n, 2.0)]) for n in (8, 20_001))
    assert [text in few for text in (">0<", ">1<", ">5<", ">7<", ">k<")] == [
        True,
        True,
        True,
        False,
        True,
    ]
    assert ">20,000<" in many and ">0<" in many


def module(**content):
    """A module of theorems with the given content and a valid docstring."""
    made = ModuleType("verification.theorems.made_up")
    made.__doc__ = "What it is.\n\n" + "\n\n".join(
        f"{word} something." for word in ledger.PARAGRAPHS
    )
    vars(made).update(content)
    return made


def checked(measured, **expected):
    @claim("Made up", **expected)
    def check_it(case, variant):
        """One is at most what the case says."""
        return BoundCheck("Made up", variant, "upper", measured, case)

    return check_it


def faults(monkeypatch, check, sabotage):
    made = module(check_it=check, CASES={"one": lambda: 1.0}, SABOTAGE={check: sabotage})
    monkeypatch.setattr(ledger, "modules", lambda: [made])
    return ledger.verify().faults


CAUGHT = {"twice": lambda case: BoundCheck("x", "printed", "upper", 2.0, case)}


def test_a_sound_file_has_no_fault(monkeypatch):
    assert faults(monkeypatch, checked(1.0, printed="verified"), CAUGHT) == []


@pytest.mark.parametrize(
    "measured, expected", [(2.0, "verified"), (1.0, "refuted"), (1.0, "vacuous")]
)
def test_a_verdict_that_was_not_claimed_is_a_fault(monkeypatch, measured, expected):
    (fault,) = faults(monkeypatch, checked(measured, printed=expected), CAUGHT)
    assert f"{expected} was claimed" in fault


def test_an_exact_claim_has_no_slack(monkeypatch):
    @claim("Loose", printed="verified")
    def check_it(case, variant):
        """One is at most two, give or take."""
        return BoundCheck("Loose", variant, "upper", 1.0, 2.0, 0.5, "exact")

    (fault,) = faults(monkeypatch, check_it, CAUGHT)
    assert "called exact, but compared with a slack of 0.5" in fault


def test_a_sabotage_that_passes_is_a_fault_that_says_on_how_many_cases_it_was_tried(monkeypatch):
    def sound(case):
        return BoundCheck("x", "printed", "upper", 0.5, case) if case == 1.0 else None

    check = checked(1.0, printed="verified")
    cases = {"one": lambda: 1.0, "two": lambda: 2.0}
    made = module(
        check_it=check, CASES=cases, SABOTAGE={check: {"none": lambda case: None, "half": sound}}
    )
    monkeypatch.setattr(ledger, "modules", lambda: [made])
    assert ledger.verify().faults == [
        "Made up: the sabotage 'none' passes, tried on 0 of 2 cases.",
        "Made up: the sabotage 'half' passes, tried on 1 of 2 cases.",
    ]


def ending(*arguments):
    """A check or sabotage that ends with an exception."""
    raise ZeroDivisionError("there is nothing to divide by")


def test_a_row_that_ends_with_an_exception_is_a_row_and_the_others_are_tried(monkeypatch):
    broken = claim("Broken", printed="verified", corrected="verified")(ending)
    sound = checked(1.0, printed="verified")
    made = module(
        check_broken=broken,
        check_it=sound,
        CASES={"one": lambda: 1.0},
        SABOTAGE={broken: CAUGHT, sound: {"broken": ending}},
    )
    monkeypatch.setattr(ledger, "modules", lambda: [made])
    found = ledger.verify()
    assert [(row.statement, row.verdict) for row in found.rows] == [
        ("Broken", "failed"),
        ("Broken", "failed"),
        ("Made up", "verified"),
    ]
    error = "ZeroDivisionError: there is nothing to divide by"
    assert found.faults == [
        f"Broken (printed) is failed, but verified was claimed: {error}.",
        f"Broken (corrected) is failed, but verified was claimed: {error}.",
        f"Made up: the sabotage 'broken' ends with {error}.",
    ]
    assert error in page(found) and "Broken" in table(found)
    assert json.loads(json.dumps(found.as_dict()))["rows"][0]["verdict"] == "failed"


def test_a_case_that_cannot_be_made_is_a_row(monkeypatch):
    check = checked(1.0, printed="verified")
    made = module(check_it=check, CASES={"one": ending}, SABOTAGE={check: CAUGHT})
    monkeypatch.setattr(ledger, "modules", lambda: [made])
    row_fault, sabotage_fault = ledger.verify().faults
    assert "ZeroDivisionError" in row_fault and "ZeroDivisionError" in sabotage_fault


def test_the_command_fails_if_a_row_ends_with_an_exception(monkeypatch):
    check = claim("Broken", printed="verified")(ending)
    made = module(check_it=check, CASES={"one": lambda: 1.0}, SABOTAGE={check: CAUGHT})
    monkeypatch.setattr(ledger, "modules", lambda: [made])
    done = CliRunner().invoke(main, [])
    assert done.exit_code == 1 and "failed (!)" in done.stdout
    assert "verification: Broken (printed) is failed" in done.stderr


def test_a_check_without_sabotage_is_a_fault(monkeypatch):
    (fault,) = faults(monkeypatch, checked(1.0, printed="verified"), {})
    assert fault == "Made up (made_up) has no sabotage."


def test_a_check_that_never_applies_is_a_fault(monkeypatch):
    @claim("Silent", printed="verified")
    def check_it(case, variant):
        return None

    assert any("Silent" in fault for fault in faults(monkeypatch, check_it, CAUGHT))


@pytest.mark.parametrize("level", ["exact", "float"])
def test_a_space_says_whether_it_is_exact(monkeypatch, level):
    space = Space(
        "halves",
        lambda rng: ((), rng.random(1)),
        lambda shape, numbers: float(numbers[0]),
        exact=level == "float",
    )
    monkeypatch.setattr(space.draw, "__module__", "verification.theorems.made_up")

    @claim("Halves", space, printed="verified")
    def check_it(case, variant):
        """One half is at most one."""
        return BoundCheck("Halves", variant, "upper", case, 1.0, level=level)

    monkeypatch.setattr(kept, "tried", lambda check, variant: [("hard case", 0.5)])
    made = module(
        SPACE=space, check_it=check_it, CASES={"one": lambda: 0.5}, SABOTAGE={check_it: CAUGHT}
    )
    (fault,) = ledger.form_faults(made)
    marked = "exact, but its rows are not" if space.exact else "not exact, but its rows are"
    assert fault == f"made_up: the space 'halves' is marked {marked}."


def test_paragraphs_out_of_order_are_a_fault():
    check = checked(1.0, printed="verified")
    made = module(check_it=check, CASES={"one": lambda: 1.0}, SABOTAGE={check: CAUGHT})
    assert ledger.form_faults(made) == []
    made.__doc__ = made.__doc__.replace("Problem:", "Later:").replace("Reference:", "Problem:")
    assert len(ledger.form_faults(made)) == 1


def test_an_exact_walk_of_an_unknown_method_names_the_table_that_lacks_it():
    sentence = r"the method 'capped'.*METHODS in verification/spaces/walks\.py"
    known = exact_walk("ls", y=[1], n_steps=1, eps="1/2")
    with pytest.raises(ValueError, match=sentence):
        exact_walk("capped", y=[1], n_steps=1, eps="1/2")
    with pytest.raises(ValueError, match=sentence):
        walks("capped", "a method that the ledger does not have")
    with pytest.raises(ValueError, match=sentence):
        method_of(replace(known, kind="capped"))
    assert method_of(known).name == "ls_boost"


@pytest.mark.parametrize("text", ["corr != 0", "corr <= 1 or corr >= 2"])
def test_claims_compare_by_what_can_be_violated(text):
    with pytest.raises(ValueError, match="a claim "):
        formula.parts(text)


def test_verdicts_must_be_known():
    with pytest.raises(ValueError, match="expected verdict"):
        claim("x", printed="true")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_only_public_names_of_the_package(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        for name in names:
            if name.startswith("coordboost"):
                inner = ("coordboost.engine.", "coordboost.reporting.cli")
                assert "._" not in name and (
                    not name.startswith(inner) or name.rpartition(".")[2] in PUBLIC
                ), name


def test_the_command(tmp_path):
    file = tmp_path / "ledger.html"
    words = [
        sys.executable,
        "-m",
        "verification",
        "--only",
        "table_b_1",
        "--json",
        "--html",
        str(file),
    ]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0
    assert all(line.startswith("coordboost: compiling") for line in done.stderr.splitlines())
    assert {row["verdict"] for row in json.loads(done.stdout)["rows"]} == {"verified", "refuted"}
    assert file.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
