"""Values of the theorems by hand, and wrong formulas that they see."""

import pytest

from coordboost.theory.bounds import STATEMENTS
from verification import by_hand

ROWS = [
    pytest.param(theorem, variant, id=f"{theorem.name}, {variant}")
    for theorem, variant in by_hand.HAND
]


@pytest.mark.parametrize("theorem, variant", ROWS)
def test_values_by_hand(theorem, variant):
    assert len(by_hand.HAND[theorem, variant]) >= 3
    assert by_hand.wrong_values(theorem, variant) == []


@pytest.mark.parametrize("theorem, variant", ROWS)
def test_wrong_formulas_made_from_the_text_are_seen(theorem, variant):
    assert by_hand.tried("", theorem, variant).good


def test_every_formula_of_the_package_has_values_by_hand():
    formulas = {(theorem, variant) for theorem in STATEMENTS for variant in theorem.formulas}
    assert formulas <= by_hand.HAND.keys()


def test_sabotages_change_indices_constants_and_signs():
    assert set(by_hand.sabotages("2 * k - eps")) == {
        "2 * (k + 1) - eps",
        "2 * (k - 1) - eps",
        "2.2 * k - eps",
        "1.8181818181818181 * k - eps",
        "2 * k + eps",
    }
