"""Views: what the loop steps on. Each registers as it is loaded, and all are loaded here."""

from coordboost.engine.views import (
    accelerated,
    candidates,
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
    "candidates",
    "explicit",
    "gathered",
    "gram",
    "lookahead",
    "perturbed",
    "refit",
    "searched",
    "vertices",
]
