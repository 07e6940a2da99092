"""The theorems as statements, whose two sides are formulas; the quantities in them along a run;
checks of both sides.
"""

from coordboost.data.families import sharper_tree_complexity, tree_complexity
from coordboost.theory.bounds import (
    a_posteriori,
    accelerated,
    formula,
    frank_wolfe,
    langevin,
    ls_boost,
    margins,
    randomized,
    regularized,
    stagewise,
)
from coordboost.theory.bounds.bound_check import BoundCheck, BoundChecks
from coordboost.theory.bounds.check import check
from coordboost.theory.bounds.margins import MarginBound, margin_bound
from coordboost.theory.bounds.plan import Plan, plan
from coordboost.theory.bounds.statement import Statement
from coordboost.theory.bounds.trail import Constants, Trail

#: All statements that ``check`` tests, each on the runs that it applies to.
STATEMENTS = (
    *ls_boost.STATEMENTS,
    *stagewise.STATEMENTS,
    *regularized.STATEMENTS,
    *frank_wolfe.STATEMENTS,
    *a_posteriori.STATEMENTS,
    *accelerated.STATEMENTS,
    *randomized.STATEMENTS,
    *margins.STATEMENTS,
    *langevin.STATEMENTS,
)

__all__ = [
    "STATEMENTS",
    "BoundCheck",
    "BoundChecks",
    "Constants",
    "MarginBound",
    "Plan",
    "Statement",
    "Trail",
    "a_posteriori",
    "accelerated",
    "check",
    "formula",
    "frank_wolfe",
    "langevin",
    "ls_boost",
    "margin_bound",
    "margins",
    "plan",
    "randomized",
    "regularized",
    "sharper_tree_complexity",
    "stagewise",
    "tree_complexity",
]
