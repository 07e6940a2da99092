"""Model states: what the loop steps on. All are loaded here."""

from coordboost.engine.states import (
    accelerated,
    away_steps,
    class_state,
    covariance,
    linearised,
    lookahead,
    naive,
    perturbed,
    refit,
    weak_learner_oracle,
    working_set,
)

__all__ = [
    "accelerated",
    "away_steps",
    "class_state",
    "covariance",
    "linearised",
    "lookahead",
    "naive",
    "perturbed",
    "refit",
    "weak_learner_oracle",
    "working_set",
]
