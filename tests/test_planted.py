"""The tool that plants errors: its list is up to date, what it plants is caught, and nothing is caught where nothing was planted."""

import ast
from collections import Counter

import planted
import planted_errors
import pytest


def test_the_list_is_up_to_date():
    assert len(planted.by_name()) == len(planted_errors.BY_NAME) >= 17


def test_generated_errors_are_the_same_for_the_same_seed_and_parse():
    some = planted.generated(60, 3, None)
    assert [one[:3] for one in some] == [one[:3] for one in planted.generated(60, 3, None)]
    assert len({one[:3] for one in some}) == 60
    for _, before, after, source in some:
        ast.parse(source)
        assert before != after
    rooms = Counter(file.split("/")[1] for file, *_ in some)
    assert set(rooms) == {"bounds", "geometry", "theorems"}


def test_what_goes_on_forever_is_noticed(monkeypatch):
    def endless(rows):
        while True:
            pass

    monkeypatch.setattr(planted, "LIMIT", 1)
    assert planted._asked(planted.ROOT, [], endless) == "no end"
    assert planted._asked(planted.ROOT, [], lambda rows: "") == ""


def test_an_error_is_caught_and_no_error_is_not():
    file, _, _, wrong = planted.by_name()[6]
    assert file.endswith("frank_wolfe.py")
    assert planted.caught(file, wrong, ["jaggi"]) == "Frank-Wolfe, error"
    assert planted.caught(file, (planted.ROOT / file).read_bytes(), ["jaggi"]) == ""


@pytest.mark.slow
@pytest.mark.parametrize(
    "place, noticed",
    [("trail", "Optima of the package, by a solver"), ("regularized", "Lower ends of the package, by a solver")],
)
def test_a_solver_catches_an_error_in_the_packages_own_lower_end(place, noticed):
    """Of a least-squares optimum that is too large no theorem of these files says anything: only the solver does."""
    found = [
        (file, wrong)
        for file, before, _, wrong in planted.by_name()
        if place in file and ("outside" in before or "radius[0]" in before)
    ]
    ((file, wrong),) = found
    assert planted.caught(file, wrong, ["fgm_optima"]) == noticed
    if place == "trail":
        assert planted.caught(file, wrong, ["fgm_theorem_2_1", "fgm_theorem_3_1"]) == ""
