"""The page of the ledger: formulas typeset from what is checked, pictures in which both sides are told apart."""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from verification.adversary import rows
from verification.curves import plot
from verification.ledger import verify
from verification.mathml import SYMBOLS, lines, typeset
from verification.page import page
from verification.table import table


def flat(text):
    """MathML without its tags."""
    return re.sub(r"<[^>]+>", "", typeset(text))


def test_formulas_are_typeset():
    assert typeset("A / 2") == '<math display="inline"><mfrac><mi>A</mi><mn>2</mn></mfrac></math>'
    assert "\u2264\u03b3" in flat("corr <= gamma * corr")
    assert "k+1" in flat("later(corr) <= corr") and "i" in flat("smallest(corr) <= corr")
    assert flat("(A + eps) * k").startswith("(A+\u03b5)")
    assert "<msqrt>" in typeset("root(A)") and "<munder>" in typeset("mean(omega)")
    assert flat("(A / 2)**2") == "(A2)2" and flat("angle2**2") == "(\u03982)2" and flat("A**2") == "A2"
    weights = re.sub(r"<[^>]+>", "", typeset("later(gamma) * (n_places - drawn) <= gamma", draws=True))
    assert weights.count("k+1") == 1 and "(n\u2212t)" in weights and weights.endswith("\u2264\u03b3k")
    assert [re.sub(r"<[^>]+>", "", one) for one in lines("A <= 1 and A == 2")] == ["A \u22641", "A =2"]


def test_every_formula_of_the_ledger_is_typeset_without_words_of_the_program():
    for check, variant in rows():
        text = getattr(check, "formulas", {}).get(variant, "")
        if text:
            made = typeset(text) + "".join(lines(text))
            assert made.count("<mrow>") == made.count("</mrow>")
            names = set(re.findall(r"<mi>(\w{6,})</mi>", made)) - {"pmin"}
            assert not names & set(SYMBOLS), (check.statement, names)


def test_a_bound_that_is_attained_is_seen():
    drawn = plot([[0, 1, 2], [4, 2, 1], [4, 2, 1]])
    assert drawn.count('class="dot"') == drawn.count('class="square"') == 3
    assert "both sides" in drawn and ">k<" in drawn


def test_the_page_of_one_file():
    ledger = verify(quick=True, only="table_b_1")
    assert table(ledger).count("| `fgm_table_b_1` |") == 4
    text = page(ledger)
    assert text.index("What is false") < text.index("Index") < text.index("What holds")
    assert text.count('class="card"') == 4 and "prefers-color-scheme: dark" in text
    assert not re.search(r"https?:|<script|<link|src=|@import", text)
    for anchor in re.findall(r'href="#([^"]+)"', text):
        assert f'id="{anchor}"' in text
