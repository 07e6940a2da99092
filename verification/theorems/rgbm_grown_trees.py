r"""The sampled angle of grown trees, and Theorem 4.1 on an implicit dictionary.

Problem: least squares over regression trees on binned columns, each grown greedily for the
residual.

Method: boosting with full steps, from targets in the range of the trees.

Assumptions: none.

Claim: upper. S, the smallest cosine between a sampled residual and its tree, is at least the angle
Theta of this search, so no theorem with Theta promises a faster rate than 1 - S^2. Compared with a
certified lower bound where there is one: trees of depth 1 are the leaf stumps, whose angle is
certified, and S is attained at its witness. A tree fits a residual at least as well as the stump of
its first split. A step from the worst sampled residual leaves 1 - S^2 of the loss; for other
residuals nothing is claimed.

Constants: S from ``coordboost.theory.sampled_mca``; the lower end of ``mca`` over the leaf stumps
of the same bins.

Measured: in floats, at every residual of the runs.

Reference: Lu, Mazumder, Definition 4.2 and Theorem 4.1; for grown trees ours.
"""

import functools
from dataclasses import dataclass

import numpy as np

import coordboost as cb
from coordboost.theory.bounds import BoundCheck
from coordboost.theory.sampled import sampled_mca
from verification.statement import claim

#: Rounding of a cosine: targets of trees are rounded to 4e-15 of their size, and sums of a few
#: dozen terms.
SLACK = 1e-12


@dataclass(frozen=True, eq=False)
class Grown:
    """A table (n_samples, n_features), the depth of trees, and the number of residuals sampled from
    each of 6 starts.
    """

    X: np.ndarray
    depth: int
    n_steps: int = 12

    def problem(self, depth):
        """Return least squares over trees of a depth; the target is not used."""
        return cb.Problem(cb.data.trees(self.X, max_depth=depth), np.arange(len(self.X)) + 0.0)

    @functools.cached_property
    def stumps(self):
        """The angle of the leaf stumps, an Interval."""
        return cb.theory.mca(cb.Problem(cb.data.leaf_stumps(self.X), np.arange(len(self.X)) + 0.0))

    @functools.cached_property
    def worst(self):
        """S, from random starts and from the worst vector of the leaf stumps, an Interval."""
        drawn = sampled_mca(self.problem(self.depth), starts=6, n_steps=self.n_steps)
        given = sampled_mca(
            self.problem(self.depth), starts=self.stumps.witness["direction"], n_steps=self.n_steps
        )
        return min(drawn, given, key=lambda one: one.upper)

    def losses(self, depth, target):
        """Return the losses of boosting with full steps, divided by the first, without those at
        rounding level.
        """
        run = cb.solve(
            cb.Problem(cb.data.trees(self.X, max_depth=depth), target, center=False),
            cb.ls_boost(1.0),
            self.n_steps,
        )
        losses = np.array([state.loss for state in run.replay(range(run.n_steps + 1))])
        return losses[losses > SLACK * losses[0]] / losses[0]


@claim("Theta of grown trees, sampled", of=Grown, sharpened="verified")
def check_end(case, variant):
    """The certified lower end of the angle of leaf stumps is not above S of trees of depth 1."""
    return _end(case)


def _end(case, factor=1.0):
    if case.depth > 1:
        return None
    sides = [case.stumps.lower], [factor * case.worst.upper]
    return BoundCheck(
        "Theta of grown trees, sampled",
        "sharpened",
        "upper",
        *sides,
        SLACK,
        "float",
        at=[1],
        along="table",
    )


@claim("Trees and the stumps that they begin with", of=Grown, sharpened="verified")
def check_deeper(case, variant):
    """After one full step towards the same target a tree leaves no more of the loss than a
    stump.
    """
    return _deeper(case, case.depth, 1)


def _deeper(case, deep, shallow):
    targets = [
        case.worst.witness["direction"],
        *np.random.default_rng(3).standard_normal((4, len(case.X))),
    ]
    left = [
        [case.losses(depth, target)[1:2].sum() for target in targets] for depth in (deep, shallow)
    ]
    return BoundCheck(
        "Trees and the stumps that they begin with",
        "sharpened",
        "upper",
        *left,
        SLACK,
        "float",
        at=range(5),
        along="target",
    )


@claim("Theorem 4.1 on grown trees, at sampled residuals", of=Grown, sharpened="verified")
def check_runs(case, variant):
    """The first step from the worst sampled residual leaves at most 1 - S^2 of the loss."""
    return _runs(case)


def _runs(case, scale=1.0):
    losses = case.losses(case.depth, case.worst.witness["direction"])
    sides = losses[1:2], (1 - scale * case.worst.upper**2) * losses[:1]
    name = "Theorem 4.1 on grown trees, at sampled residuals"
    return BoundCheck(name, "sharpened", "upper", *sides, SLACK, "float", at=[1])


def _table(n_samples, n_features, seed=0):
    return np.random.default_rng(seed).standard_normal((n_samples, n_features)).round(1)


#: Rounding decides between equally good splits, so measured values are not kept.
KEPT = False
CASES = {
    "one feature, depth 1": lambda: Grown(np.arange(8.0)[:, None], 1),
    "three features, depth 1": lambda: Grown(_table(9, 3), 1),
    "three features, depth 2": lambda: Grown(_table(20, 3), 2),
    "four features, depth 3": lambda: Grown(_table(40, 4), 3),
}

SABOTAGE = {
    check_end: {"nine tenths of the sampled worst": lambda case: _end(case, 0.9)},
    check_deeper: {"the tree and the stump exchanged": lambda case: _deeper(case, 1, case.depth)},
    check_runs: {"the square a tenth larger": lambda case: _runs(case, 1.1)},
}
