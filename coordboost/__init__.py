"""Boosting as convex optimisation over the coefficients of a weak-learner matrix."""

from coordboost import bounds
from coordboost.bounds import BoundCheck, check, plan
from coordboost.certify import certify
from coordboost.data.outofcore import open_columns
from coordboost.data.validation import ConstantColumnWarning
from coordboost.dictionaries import Dense, Oracle, Sparse
from coordboost.engine.views.explicit import Explicit
from coordboost.engine.views.gathered import Gathered
from coordboost.engine.views.gram import Gram
from coordboost.engine.views.gram_columns import GramColumns
from coordboost.engine.views.lookahead import Lookahead
from coordboost.exact.homotopy import exact_path
from coordboost.geometry import Interval, mca
from coordboost.lasso.path import lasso_path
from coordboost.methods import (
    METHODS,
    Method,
    agbm,
    ccd,
    forward_stagewise,
    forward_stepwise,
    frank_wolfe,
    gcd,
    lasso_cd,
    ls_boost,
    path_forward_stagewise,
    rcd,
    regularized_forward_stagewise,
    rtgcd,
    vagbm,
)  # fmt: skip
from coordboost.pieces.losses import Exponential, Huber, Logistic, Poisson, Squared
from coordboost.pieces.selection import Cyclic, Full, Groups, Subset
from coordboost.pieces.steps import (
    BallSearch,
    LineSearch,
    OpenLoop,
    PathSign,
    Proportional,
    Sign,
    SignSequence,
    SoftThreshold,
)  # fmt: skip
from coordboost.problem import Problem
from coordboost.run import Run, Status, load
from coordboost.solve import iterate, solve
from coordboost.state import State
from coordboost.stopping import GapBelow, NoProgress, TimeLimit
from coordboost.subgradient import subgradient_descent
from coordboost.targets import Ball, Certificate, Penalty, Unconstrained

__version__ = "0.1.0"
__all__ = [
    "METHODS", "Ball", "BallSearch", "BoundCheck", "Certificate", "ConstantColumnWarning", "Cyclic", "Dense", "Explicit",
    "Exponential", "Full", "GapBelow", "Gathered", "Gram", "GramColumns", "Groups", "Huber", "Interval", "LineSearch", "Logistic",
    "Lookahead", "Method", "NoProgress", "OpenLoop", "Oracle", "PathSign", "Penalty", "Poisson", "Problem", "Proportional", "Run",
    "Sign", "SignSequence", "SoftThreshold", "Sparse", "Squared", "State", "Status", "Subset", "TimeLimit", "Unconstrained",
    "agbm", "bounds", "ccd", "certify", "check", "exact_path", "forward_stagewise", "forward_stepwise", "frank_wolfe", "gcd",
    "iterate", "lasso_cd", "lasso_path", "load", "ls_boost", "mca", "open_columns", "path_forward_stagewise", "plan", "rcd",
    "regularized_forward_stagewise", "rtgcd", "solve", "subgradient_descent", "vagbm",
]  # fmt: skip
