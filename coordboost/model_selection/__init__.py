"""Splits, cross-validation and stability selection."""

from coordboost.model_selection.splits import Bootstrap
from coordboost.model_selection.stability import bootstrap_frequencies, stability_selection
from coordboost.model_selection.validate import CrossValidation, cross_validate

__all__ = [
    "Bootstrap",
    "CrossValidation",
    "bootstrap_frequencies",
    "cross_validate",
    "stability_selection",
]
