"""Claims do not hang on the unit of the target: wrong powers in conditions and bounds are found where all lengths are 1."""

from fractions import Fraction as F

import numpy as np
import pytest

from verification import kept, ledger, units
from verification.spaces.momentum import AGBM
from verification.spaces.walk import Walk
from verification.spaces.walks import FS, LS, PATH, walk
from verification.statement import Statement, refuted
from verification.theorems import fgm_theorem_5_1

ONE = PATH.at((1, 1, 7), "0 1 1/4" + 8 * " 1/8")


def said(text, assuming=""):
    """What is found of a claim on one column, a target of length 1 and radii of 1/4."""
    made = Statement("made up", PATH, "Words.", printed=text, assuming=assuming)
    return units.mixed(made, "printed", [("one", ONE)])


@pytest.mark.parametrize("text", ["loss <= A**2", "l1 <= delta", "l1**2 <= delta * A", "omega <= A**2 / eps + eps", "l0 <= k"])
def test_sound_claims(text):
    assert said(text) == "" == said("l0 <= k", assuming=text)


@pytest.mark.parametrize("text", ["loss <= A", "l1 <= delta**2", "omega <= A**2 + eps"])
def test_a_length_against_a_square(text):
    assert "hangs on the unit" in said("l0 <= k", assuming=text) and "different units" in said(text)


@pytest.mark.parametrize("text", ["loss <= A * delta + delta", "l1 <= delta**2 + delta", "corr + l1**2 <= A"])
def test_sums_of_lengths_and_squares(text):
    assert "different units" in said(text)


def test_the_condition_of_corollary_5_1_has_its_square():
    check = fgm_theorem_5_1.check_limit
    wrong = Statement("Corollary 5.1", PATH, "", printed=check.formulas["printed"], assuming="A <= 2 * eps**2 * (1 + k[-1])")
    cases = kept.tried(check, "printed")
    assert units.mixed(check, "printed", cases) == "" != units.mixed(wrong, "printed", cases)


def test_what_is_said_to_be_false_may_be_so_by_its_units():
    made = Statement("made up", PATH, "Words.", printed=refuted("loss <= A"))
    assert units.mixed(made, "printed", [("one", ONE)]) == ""


@pytest.mark.parametrize("space, shape, numbers", [
    (LS, (2, 2, 4), "1 2 -1 1/2 1/3 1/2"), (FS, (2, 2, 4), "1 2 -1 1/2 1/3 1/2"), (PATH, (1, 1, 3), "1 2 1 1/2 1/2 1/3 1/4"),
])  # fmt: skip
def test_an_instance_in_other_units_is_the_run_on_it(space, shape, numbers):
    one = space.at(shape, numbers)
    length = 1 if one.kind == "ls" else 7
    radii = None if one.delta is None else one.delta * 7
    again, other = walk(one.kind, one.X, one.y * 7, shape[2], one.eps * length, radii, one.outside * 7), one.in_units(7)
    for name in Walk.__dataclass_fields__:
        assert np.all(getattr(again, name) == getattr(other, name)), name
    assert len(again.beta) == shape[2] + 1 and (again.beta != one.beta).any()


def test_rounds_of_accelerated_boosting_in_other_units():
    one = AGBM.at((2, 2, 3), "1/2 1/3 3 1 0 0 1 1")
    other = one.in_units(F(7))
    assert (other.gaps == 49 * one.gaps).all() and other.radius2 == 49 * one.radius2 and (other.cosine2 == one.cosine2).all()


@pytest.mark.filterwarnings("ignore::coordboost.LongStepWarning")  # claims are tried with steps of any length
def test_the_ledger_asks(monkeypatch):
    """A row whose sides are in different units is not as claimed."""
    monkeypatch.setattr(units, "mixed", lambda check, variant, cases: f"one of {len(cases)} cases")
    check = fgm_theorem_5_1.check_sparsity
    row = ledger.row(fgm_theorem_5_1, check, "printed", ledger.Bench(fgm_theorem_5_1, True))
    assert row.verdict == "differs" and row.counterexample.startswith("one of ")
