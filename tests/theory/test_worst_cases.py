"""Worst cases by semidefinite programming: known values, both ends of the intervals, and proofs
that must fail.
"""

from fractions import Fraction as F
from itertools import pairwise

import numpy as np
import pytest
from click.testing import CliRunner

from coordboost.theory.performance import Programme, proved_bound, solve_and_prove
from verification.worst_case.__main__ import main
from verification.worst_case.catalogue import CASES
from verification.worst_case.conjectures import agbm_complete
from verification.worst_case.descent import agbm
from verification.worst_case.interval import worst_case
from verification.worst_case.table import FEW, THETAS, conjectured

#: (case, n, Theta): the value to five digits, sigma = 1 and R = 1.
KNOWN = {
    ("gbm", 6, F(1)): 1 / 26,
    ("gbm_strong", 3, F(1)): 0.9**6,
    ("gbm_strong", 4, F(7, 10)): 0.936848**4,
    ("gbm_strong", 4, F(3, 10)): 0.990619**4,
    ("gbm", 1, F(7, 10)): 0.31832,
    ("gbm", 2, F(7, 10)): 0.24073,
    ("agbm_one", 3, F(1)): 2 / 30,
    ("agbm_one", 6, F(1)): 2 / 72,
    ("ls_boost", 5, F(7, 10)): (1 - 0.75 * 0.49) ** 5,
    ("frank_wolfe_anywhere", 1, F(1)): 0.5,
    ("frank_wolfe_anywhere", 2, F(1)): 0.3126,
    ("frank_wolfe_anywhere", 3, F(1)): 0.2278,
    ("frank_wolfe_anywhere", 4, F(1)): 0.1780,
}


@pytest.mark.parametrize(("name", "n", "theta"), KNOWN, ids=str)
def test_known_values_are_reproduced(name, n, theta):
    found = worst_case(name, n, theta)
    known = KNOWN[name, n, theta]
    digits = 5e-5 if name == "frank_wolfe_anywhere" else 1e-5  # as many digits as are known
    assert abs(found.upper - known) <= digits and (
        CASES[name].play is None or abs(found.lower - known) <= digits
    )


def sixes():
    """Every case at n = 6 (n = 2 for random draws) and Theta = 0.7."""
    for name, case in CASES.items():
        if case.play is not None:
            yield name, 2 if name.startswith("random") else 6, F(7, 10) if case.angles else F(1)


def everything():
    for name, case in CASES.items():
        for theta in THETAS if case.angles else (F(1),):
            yield from (
                (name, n, theta) for n in (FEW if name.startswith("random") else range(1, 7))
            )


def in_order(found):
    """Check that the interval is narrow, respects the valid bounds, and agrees with its conjecture,
    if any.
    """
    case = CASES[found.name]
    assert found.lower <= found.upper
    assert found.width <= 1e-4 if case.play is not None else found.lower == -np.inf
    # the proof gives away 1e-8 of the squared lengths, which sum to 1 or 2
    for (
        variant,
        value,
    ) in found.bounds.items():
        assert (variant == "printed" and found.name == "agbm") or found.upper <= value * (
            1 + 1e-6
        ) + 2e-8
    guess = conjectured(found)
    assert guess is None or abs(float(guess) - found.upper) <= 1e-6


@pytest.mark.parametrize(("name", "n", "theta"), list(sixes()), ids=str)
def test_a_run_and_a_proof_meet(name, n, theta):
    in_order(worst_case(name, n, theta))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "n", "theta"), list(everything()), ids=str)
def test_every_interval_up_to_six_steps_is_narrow(name, n, theta):
    in_order(worst_case(name, n, theta))


def test_the_printed_constant_of_agbm_fails_on_a_run():
    found = worst_case("agbm", 6, F(1))  # gamma = 1/5
    assert (
        found.lower > 1.13 * found.bounds["printed"]
        and found.upper < 0.3 * found.bounds["corrected"]
    )
    assert abs(found.upper - 0.0577) < 5e-5
    # at n = 5 the printed constant still holds
    assert worst_case("agbm", 5, F(1)).upper < F(1, 1) / (2 * F(1, 5) * 36)


def test_agbm_with_gamma_one_grows():
    worst = [worst_case("agbm_one", n, F(7, 10)) for n in (3, 4, 5, 6)]
    assert all(after.lower > 1.2 * before.upper for before, after in pairwise(worst))
    assert worst[-1].lower > 0.9  # at the start L is at most 1/2


@pytest.mark.parametrize("gamma", [F(1, 20), F(1, 2), F(3, 4)])
def test_the_conjecture_for_agbm_at_other_gammas(gamma):
    _, bound = solve_and_prove(agbm(5, 1, gamma).programme)
    assert abs(bound - agbm_complete(5, gamma)) <= 1e-6


def small_programme():
    """Maximise <x, y> subject to ||x||, ||y|| <= 1 and t <= <x, y>; the maximum is 1."""
    programme = Programme()
    x = programme.vector()
    y = programme.vector()
    programme.require(1 - x @ x, 1 - y @ y)
    programme.objective = programme.number()
    programme.require(x @ y - programme.objective)
    return programme


def test_a_proof_needs_its_multipliers():
    programme = small_programme()
    half = (np.array([0.5, 0.5, 1.0]), np.zeros(0), np.zeros((0, 3)))
    raised = (np.array([0.5 + 1e-6, 0.5 + 1e-6, 1.0]), *half[1:])
    # singular: only strictly positive definite proofs count
    assert proved_bound(programme, half) is None
    assert 1 < proved_bound(programme, raised) <= 1 + F(3, 10**6)
    assert proved_bound(programme, (np.array([0.49, 0.49, 1.0]), *half[1:])) is None
    # t is not bounded
    assert proved_bound(programme, (np.array([0.5, 0.5, 0.0]), *half[1:])) is None


def test_the_command_prints_the_interval_and_refuses_in_a_sentence():
    said = CliRunner().invoke(main, ["agbm", "--n", "6", "--theta", "1"])
    assert said.exit_code == 0 and "bound as printed: 0.051020408, fails" in said.output
    assert "closed form, proved in fractions: 3/52" in said.output
    assert (
        "conjecture: 81/100"
        in CliRunner().invoke(main, ["gbm_strong", "--n", "1", "--theta", "1"]).output
    )
    assert "theta lie in (0, 1]" in CliRunner().invoke(main, ["gbm", "--theta", "2"]).output
    assert "frank_wolfe_anywhere" in CliRunner().invoke(main, []).output
