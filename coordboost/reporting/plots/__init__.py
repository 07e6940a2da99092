"""Pictures of paths, of choices along them and of bounds; matplotlib is imported when one is drawn.

Displays are those of scikit-learn in style: ``from_path``, ``from_run`` or ``from_estimator`` makes one and draws it, on `ax` where one is
given; ``ax_`` and ``figure_`` are what it was drawn on, ``lines_`` its curves, ``plot(ax=)`` draws it again. ``label``, ``color``,
``linestyle`` and other keywords of lines go to matplotlib, ``legend`` switches the legend. Variables have one look in all
pictures; other curves take the colours of the Axes' cycle.
"""

from coordboost.reporting.plots.angles import AngleCurveDisplay, AngleDisplay
from coordboost.reporting.plots.chain import ChainDisplay
from coordboost.reporting.plots.choices import CrossValidationDisplay, SelectionDisplay, StabilityDisplay
from coordboost.reporting.plots.displays import ErrorDisplay, ProfileDisplay
from coordboost.reporting.plots.gaps import BoundDisplay, GapDisplay
from coordboost.reporting.plots.trees import TreeDisplay

__all__ = [
    "AngleCurveDisplay", "AngleDisplay", "BoundDisplay", "ChainDisplay", "CrossValidationDisplay", "ErrorDisplay", "GapDisplay",
    "ProfileDisplay", "SelectionDisplay", "StabilityDisplay", "TreeDisplay",
]  # fmt: skip
