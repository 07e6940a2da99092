"""Parameters out of range are refused when a rule is bound to a problem, with the error message of
the rule.
"""

import numpy as np
import pytest
from refusal import case, refused

import coordboost as cb

X = np.random.default_rng(0).normal(size=(12, 4))
PROBLEM = cb.Problem(X, X[:, 0] - X[:, 1])


@pytest.mark.parametrize(
    ("rule", "fragment"),
    [
        case("delta below eps", cb.rules.FixedStep(0.2, 0.1), "delta must be at least eps = 0.2"),
        case(
            "a model that is forgotten",
            cb.rules.Langevin(0.1, 1.0),
            "gamma * eps must be below 1, got 1.0",
        ),
        case("a model that grows", cb.rules.Langevin(0.1, -0.1), "gamma eps"),
        case(
            "no temperature",
            cb.rules.Noise(0.1, beta="hot"),
            "beta must be a positive number (inf for no noise)",
        ),
        case(
            "temperatures below 0",
            cb.rules.Noise(0.1, beta=[1.0, -1.0]),
            "beta must be a positive number (inf for no noise)",
        ),
        case(
            "less than no family", cb.rules.Structural(-1, 0.1), "t must be the number of families"
        ),
        case(
            "a part of a family", cb.rules.Structural(1.5, 0.1), "t must be the number of families"
        ),
    ],
)
def test_parameters_out_of_range_are_refused(rule, fragment):
    refused(lambda: rule.bind(PROBLEM), fragment)
