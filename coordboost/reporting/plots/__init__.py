"""Plots of paths, of choices along paths, of bounds, trees, importance, chains and angles.

Matplotlib is imported when a plot is drawn.

Displays work as in scikit-learn. ``from_path``, ``from_run`` or ``from_estimator`` makes a display
and draws it, on `ax` if that is given. ``ax_`` and ``figure_`` are its Axes and Figure, ``lines_``
its curves; ``plot(ax=)`` draws it again. ``label``, ``color``, ``linestyle`` and other properties
of lines go to matplotlib; ``legend`` switches the legend on or off. A variable has the same colour
and line style in all plots; other curves follow the colour cycle of the Axes.
"""

from coordboost.reporting.plots.angles import AngleCurveDisplay, AngleDisplay
from coordboost.reporting.plots.chain import ChainDisplay
from coordboost.reporting.plots.choices import (
    CrossValidationDisplay,
    SelectionDisplay,
    StabilityDisplay,
)
from coordboost.reporting.plots.displays import ErrorDisplay, ProfileDisplay
from coordboost.reporting.plots.explore import Explorer, explore
from coordboost.reporting.plots.gaps import BoundDisplay, GapDisplay
from coordboost.reporting.plots.importance import ImportanceDisplay
from coordboost.reporting.plots.rules import RulesDisplay
from coordboost.reporting.plots.trees import TreeDisplay

__all__ = [
    "AngleCurveDisplay",
    "AngleDisplay",
    "BoundDisplay",
    "ChainDisplay",
    "CrossValidationDisplay",
    "ErrorDisplay",
    "Explorer",
    "GapDisplay",
    "ImportanceDisplay",
    "ProfileDisplay",
    "RulesDisplay",
    "SelectionDisplay",
    "StabilityDisplay",
    "TreeDisplay",
    "explore",
]
