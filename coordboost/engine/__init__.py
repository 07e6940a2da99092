"""The engine: one loop over the steps of any method.

Its model states, stop rules, and the run that results.
"""

from coordboost._utils.interrupt import InterruptedWarning
from coordboost.engine.families import FamilySummary, family_summary, penalty_path
from coordboost.engine.refitted import RefittedRun
from coordboost.engine.result import State
from coordboost.engine.run import LongStepWarning, Run, Status, iterate, load, solve
from coordboost.engine.shape import ShapeFunction, shape_functions
from coordboost.engine.states.covariance import CovarianceColumns, CovarianceState
from coordboost.engine.states.lookahead import LookaheadState
from coordboost.engine.states.naive import NaiveState
from coordboost.engine.states.working_set import WorkingSetState
from coordboost.engine.stopping import GapBelow, NoProgress, TimeLimit

__all__ = [
    "CovarianceColumns",
    "CovarianceState",
    "FamilySummary",
    "GapBelow",
    "InterruptedWarning",
    "LongStepWarning",
    "LookaheadState",
    "NaiveState",
    "NoProgress",
    "RefittedRun",
    "Run",
    "ShapeFunction",
    "State",
    "Status",
    "TimeLimit",
    "WorkingSetState",
    "family_summary",
    "iterate",
    "load",
    "penalty_path",
    "shape_functions",
    "solve",
]
