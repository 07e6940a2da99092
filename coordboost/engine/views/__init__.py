"""Views: what the loop steps on. Each registers as it is loaded, and all are loaded here."""

from coordboost.engine.views import (
    accelerated,
    explicit,
    gathered,
    gram,
    gram_columns,
    lookahead,
    perturbed,
    refit,
    searched,
    vertices,
)

__all__ = [
    "accelerated",
    "explicit",
    "gathered",
    "gram",
    "gram_columns",
    "lookahead",
    "perturbed",
    "refit",
    "searched",
    "vertices",
]
