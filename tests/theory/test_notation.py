"""Claims in the papers' notation, as users read them."""

import re

import pytest

from coordboost.theory.bounds import STATEMENTS
from coordboost.theory.bounds.formula import FUNCTIONS
from coordboost.theory.bounds.notation import paper_text
from coordboost.theory.bounds.statement import Statement

CLAIMS = {
    ("Theorem 2.1 (i)", "printed"): "L(beta_k) - L* <= A^2 gamma^k / 2",
    ("Theorem 2.1 (ii)", "sharpened"): "dist(beta_k, LS) <= A gamma^(k/2) / sqrt(lambda_pmin), "
    "gamma = 1 - eps (2 - eps) lambda_pmin / p",
    ("(13)", "printed"): "L(beta_{k+1}) - L* <= gamma (L(beta_k) - L*)",
    ("(23)", "printed"): "||beta_k||_1 <= A min{sqrt(k eps), eps / (1 - sqrt(gamma))}",
    ("(30) energy", "printed"): "eps (2 - eps) sum_{i<k} max |B'r_i|^2 = "
    "A^2 - ||B (beta_k - beta_LS)||^2",
    ("Theorem 3.1 (i)", "sharpened"): "L(beta_i) - L* <= p / (8 lambda_pmin) D_k^2",
    ("Theorem 4.1 (i)", "printed"): "L(beta_i) - L*_delta <= delta (A^2 / (2 eps (k + 1)) + 2 eps)",
    ("Theorem 5.1 (ii)", "sharpened"): "||beta_k||_1 <= min{delta_{k-1}, k eps}, "
    "k < number of radii",
    ("Frank-Wolfe, gap", "printed"): "min_{1<=i<=k} gap_i <= 27 delta^2 / (k + 2), k >= 2",
    ("AGBM, Theorem 4.2", "sharpened"): "L(f^k) - L* <= (L(0) - L*) / 2^floor(k/period)",
    ("RGBM, Theorem 4.1", "printed"): "E L(beta_M) - L* <= (1 - mu / sigma Theta^2)^M (L(0) - L*)",
}


@pytest.mark.parametrize("name, variant", CLAIMS)
def test_claims_are_in_the_notation_of_the_papers(name, variant):
    (statement,) = (each for each in STATEMENTS if each.name == name)
    assert statement.claims[variant] == CLAIMS[name, variant]


def test_no_claim_shows_names_of_the_code():
    """Only `floor` is called in the papers as it is here."""
    calls = re.compile(rf"\*\*|\b({'|'.join(FUNCTIONS.keys() - {'floor'})}|later)\(")
    assert not [text for each in STATEMENTS for text in each.claims.values() if calls.search(text)]


@pytest.mark.parametrize(
    "text, expected",
    [
        ("a - (b - c) <= -(a + b)", "a - (b - c) <= -(a + b)"),
        ("a / (b / c) == a / (b * c)", "a / (b / c) = a / (b c)"),
        ("(a + b)**2 * c**(k - 1) < 1", "(a + b)^2 c^(k - 1) < 1"),
        ("(a**2)**3 >= decay(a / 2, 3)", "(a^2)^3 >= (1 - a / 2)^3"),
        ("rate(a, b) <= abs(a) and a <= 1", "rate(a, b) <= |a|, a <= 1"),
        (
            "(excess + fit)**2 <= excess**2",
            "(L(beta_k) - L* + ||B (beta_k - beta_LS)||)^2 <= (L(beta_k) - L*)^2",
        ),
    ],
)
def test_parentheses_stand_where_they_are_needed(text, expected):
    assert paper_text(text) == expected


def test_a_statement_names_its_own_symbols_and_shows_definitions():
    own = Statement("x", "", "y <= at(i, z)", where={"y": "k + 1"}, symbols={"z": "zeta_@"})
    assert own.claims == {"printed": "k + 1 <= zeta_i"}
