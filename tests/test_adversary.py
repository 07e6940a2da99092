"""The search for violations finds the false statements blind, and nothing against those that are true."""

import sys
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from verification.adversary import HUNTS, main, search

FALSE = [name for name, hunt in HUNTS.items() if hunt.false]
TRUE = [name for name, hunt in HUNTS.items() if not hunt.false]


@pytest.mark.parametrize("name", FALSE)
def test_false_statements_are_found(name):
    found = search(name, tries=4000)
    assert found is not None and found.left > found.right
    assert HUNTS[name].again is not None or all(isinstance(x, Fraction) for x in found.numbers)


@pytest.mark.parametrize("name", TRUE)
def test_true_statements_are_not(name):
    assert search(name, tries=600) is None


def test_the_search_is_the_same_in_every_run():
    assert str(search("rgbm-4.5", tries=500)) == str(search("rgbm-4.5", tries=500))


def test_command():
    done = CliRunner().invoke(main, ["rgbm-4.5", "--seconds", "5"])
    assert done.exit_code == 0 and "violated" in done.stdout
    assert CliRunner().invoke(main, ["rgbm-4.5-corrected", "--seconds", "0.2"]).exit_code == 0
    assert CliRunner().invoke(main, ["nobody"]).exit_code == 2


@pytest.mark.parametrize("name", ["rgbm-4.1", "rgbm-4.1-sharpened", "rgbm-4.5-corrected", "fgm-a.1-corrected"])
def test_attained_statements_break_when_they_are_stretched(name, monkeypatch):
    """Two percent more than a tight statement claims, and the search sees it."""
    hunt = HUNTS[name]
    factor = Decimal("1.02") if hunt.again else Fraction(102, 100)

    def stretched(shape, numbers):
        return [(factor * left if hunt.again else left * float(factor), right) for left, right in hunt.sides(shape, numbers)]

    monkeypatch.setitem(HUNTS, name, replace(hunt, sides=stretched, again=stretched))
    assert search(name, tries=4000) is not None
