"""Compare the optima used by the theorem checks with a general solver, and check that planted
errors in them are detected.
"""

import numpy as np
import pytest

import coordboost as cb
from coordboost.theory.bounds import Constants, trail
from verification.judged import Judged, angle_bound
from verification.rgbm import RULES, norm
from verification.theorems import fgm_optima
from verification.theorems.rgbm_angles import TOLERANCE, weights_of

SMALL = [name for name in fgm_optima.CASES if "rationals" in name or "exact" in name]


def outcomes():
    """Return whether each row of the ledger holds in the small cases: (row, case) -> holds."""
    checks = [fgm_optima.check_optimum, fgm_optima.check_lower]
    made = {name: fgm_optima.CASES[name]() for name in SMALL}
    found = {
        (check.__name__, name): check(case, "sharpened")
        for check in checks
        for name, case in made.items()
    }
    return {key: check.holds for key, check in found.items() if check is not None}


def test_optima_and_lower_ends_agree_with_a_solver():
    found = outcomes()
    assert len(found) == 2 * len(SMALL) == 8 and all(found.values())


@pytest.mark.parametrize("part", [0.01, 0.1])
def test_a_lower_end_that_is_too_high_is_noticed(part, monkeypatch):
    """Raise the lower end by a part of the loss. The row of lower ends detects it in the cases with
    a ball; no other row would.
    """
    right = trail.lower_end

    def raised(run, radius):
        return right(run, radius) + part * run.loss[0]

    monkeypatch.setattr("verification.judged.lower_end", raised)
    found = outcomes()
    assert [key for key, holds in found.items() if not holds] == [
        ("check_lower", name) for name in SMALL if name[0] in "45"
    ]


@pytest.mark.parametrize("part, row", [(1e-6, "check_lower"), (-1e-6, "")])
def test_a_wrong_optimum_of_least_squares_is_noticed(part, row, monkeypatch):
    """Shift the optimum by `part` of A^2. Where the optimum is exact, one that is too small is
    still a valid lower end.
    """
    right = Constants.of.__func__

    def wrong(cls, *given):
        found = right(cls, *given)
        return found._replace(optimum=found.optimum + part * found.size**2)

    monkeypatch.setattr(Constants, "of", classmethod(wrong))
    assert [key for key, holds in outcomes().items() if not holds] == [
        (row, name) for name in SMALL if row and name[0] in "23"
    ]
    case = Judged(fgm_optima.CASES["2.1, identity"]().run)
    assert not fgm_optima.check_optimum(case, "sharpened").holds


LABEL = np.array([0, 1, 1, 2])


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_the_maximum_over_the_weights_is_the_norm_of_the_rule(rule):
    for a in np.random.default_rng(1).standard_normal((20, 4)):
        assert (weights_of(rule, LABEL) @ np.abs(a)).max() == pytest.approx(
            norm(rule, LABEL, a), rel=1e-14
        )


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_a_semidefinite_solver_finds_the_exact_angle(rule, seed):
    """On random columns. The solver's proved bound is always a lower end."""
    rng = np.random.default_rng(seed)
    B = (
        rng.standard_normal((3, 4))
        if seed
        else rng.standard_normal((3, 2)) @ rng.standard_normal((2, 4))
    )
    ours = cb.theory.mca(B, rule, groups=LABEL)
    theirs = angle_bound(B, weights_of(rule, LABEL))
    assert theirs <= ours.upper * (1 + TOLERANCE) and theirs >= ours.lower * (1 - TOLERANCE)
