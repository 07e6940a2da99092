"""Views: what the loop steps on. All are loaded here."""

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
