"""The Lasso and the elastic net.

On a grid of penalties with a certified gap at each, and the exact path from knot to knot.
"""

from coordboost.lasso.adaptive import adaptive_factors
from coordboost.lasso.homotopy.homotopy import exact_path
from coordboost.lasso.multinomial import MultinomialPath, multinomial_path
from coordboost.lasso.path import lasso_path
from coordboost.paths.freedom import convert_penalty
from coordboost.paths.places import PathPoint

__all__ = [
    "MultinomialPath",
    "PathPoint",
    "adaptive_factors",
    "convert_penalty",
    "exact_path",
    "lasso_path",
    "multinomial_path",
]
