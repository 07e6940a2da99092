"""Rules, the parts of a method.

Selection of the learner, length of the step, noise, and the update of the coefficients.
"""

from coordboost.rules.base import CoefficientRule, SelectionRule, StepRule
from coordboost.rules.method import Method
from coordboost.rules.noise import Noise, Structure
from coordboost.rules.selection import (
    Cyclic,
    Greedy,
    Groups,
    JointSubset,
    RandomMask,
    RandomSubset,
    Softmax,
    Weighted,
    best_of,
)
from coordboost.rules.steps import (
    BoundedStep,
    DampedLineSearch,
    DiminishingStep,
    FittedStep,
    FixedStep,
    Langevin,
    LeafSearch,
    LineSearch,
    PathStep,
    SegmentSearch,
    ShrunkenStep,
    SoftThreshold,
    StepSequence,
)
from coordboost.rules.structural import FamilyStep, Structural

__all__ = [
    "BoundedStep",
    "CoefficientRule",
    "Cyclic",
    "DampedLineSearch",
    "DiminishingStep",
    "FamilyStep",
    "FittedStep",
    "FixedStep",
    "Greedy",
    "Groups",
    "JointSubset",
    "Langevin",
    "LeafSearch",
    "LineSearch",
    "Method",
    "Noise",
    "PathStep",
    "RandomMask",
    "RandomSubset",
    "SegmentSearch",
    "SelectionRule",
    "ShrunkenStep",
    "SoftThreshold",
    "Softmax",
    "StepRule",
    "StepSequence",
    "Structural",
    "Structure",
    "Weighted",
    "best_of",
]
