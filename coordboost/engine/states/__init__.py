"""Views: what the loop steps on. All are loaded here."""

from coordboost.engine.states import (
    accelerated,
    lookahead,
    perturbed,
    refit,
)
from coordboost.engine.states import (
    away_steps as vertices,
)
from coordboost.engine.states import (
    covariance as gram,
)
from coordboost.engine.states import (
    naive as explicit,
)
from coordboost.engine.states import (
    weak_learner_oracle as searched,
)
from coordboost.engine.states import (
    working_set as gathered,
)

__all__ = [
    "accelerated",
    "explicit",
    "gathered",
    "gram",
    "lookahead",
    "perturbed",
    "refit",
    "searched",
    "vertices",
]
