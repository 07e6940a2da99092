"""The figures and tables of the papers on boosting machines: what their claims say, and what their runs have as the paper has it."""

import pytest

from verification.experiments.experiment import Table, experiments

FOUND = experiments()


def claims_of(name):
    """Return the claims of an experiment, words -> claim."""
    return {claim.words: claim for claim in FOUND[name].claims}


@pytest.mark.parametrize("words", ["the same, all sets", "with a tenth of the learner's own step"])
def test_a_method_left_out_of_the_quick_form_is_called_that(words):
    """XGBoost is there, so nothing may say that it is missing."""
    rows = [{"set": "sonar", "method": method, "seed": seed, "error": 20.0} for method in ("safe", "xgboost") for seed in (0, 1)]
    verdict = claims_of("rgb_table1")[words].judge(Table(rows))
    assert (verdict.outcome, verdict.ours) == ("not judged", "not in the quick form")
    verdict = claims_of("rgb_table1")["with the corrected constants"].judge(Table(rows[:2]))
    assert (verdict.outcome, verdict.ours) == ("not judged", "XGBoost is not installed")
