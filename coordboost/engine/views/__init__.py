"""Views: what the loop steps on. All are loaded here."""

from coordboost.engine.views import (
    accelerated,
    explicit,
    gathered,
    gram,
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
    "lookahead",
    "perturbed",
    "refit",
    "searched",
    "vertices",
]
