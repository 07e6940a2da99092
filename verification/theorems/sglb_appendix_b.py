r"""CatBoost's choice of a tree as Appendix B describes it: its score, homogeneity, non-degeneracy.

Problem: a gradient g at n rows that a tree has already split into groups; candidates are columns of
zeros and ones, each of which splits all groups (symmetric trees).

Method: the next split of Appendix B, the candidate with the highest score s_l + noise, where the
noise is normal with a standard deviation of rho times that of g.

Assumptions: none.

Claim: as printed the score is the root of the sum of the variances in the groups, and the highest
one is taken; this is to be the split with the smallest squared error: refuted. Corrected: the
highest sum of n_i mean_i^2 has the smallest squared error, exact. Homogeneity as printed, exact:
the choice for c g, c > 0, is that for g, with noise, too. Non-degeneracy as printed: every learner
is chosen for some g, refuted, as a tree is never better than one that it is a part of. Corrected:
the trees that are chosen span the same vectors as all.

Constants: none.

Measured: squared errors, sums of squares and ranks in Fractions; all g with entries of -2 to 2.

Reference: Ustimenko, Prokhorenkova, SGLB, Appendix B. Its factor 1 / (1 + N^(eps tau)) of the noise
is a misprint, too: in CatBoost it is N e^(-eps tau) / (1 + N e^(-eps tau)).
"""

from dataclasses import dataclass
from fractions import Fraction as F
from itertools import product

import numpy as np

from coordboost.theory.bounds import BoundCheck
from verification.spaces.blocks import independent, projector
from verification.statement import claim


@dataclass(frozen=True, eq=False)
class Next:
    """A gradient g, (n,) Fractions, the groups of the rows, (n,), and candidates, (n, p) of 0 and
    1.

    scale : c, a positive Fraction
    noise : (p,) normal numbers
    rho : the strength of the noise
    """

    g: np.ndarray
    group: np.ndarray
    splits: np.ndarray
    scale: object = F(3)
    noise: tuple = ()
    rho: float = 0.0

    def parts(self, split, g):
        """Return g in each group after the split, without empty ones."""
        after = 2 * self.group + self.splits[:, split]
        return [g[after == one] for one in np.unique(after)]

    def error(self, split):
        """Return the squared error of the means of the groups."""
        return sum(
            ((part - part.sum() / len(part)) ** 2).sum() for part in self.parts(split, self.g)
        )

    def variances(self, split):
        """Return the sum of the variances in the groups: the squared score as printed."""
        parts = self.parts(split, self.g)
        return sum(((part - part.sum() / len(part)) ** 2).sum() / len(part) for part in parts)

    def explained(self, split, g=None):
        """Return the sum of n_i mean_i^2: the squared score of CatBoost."""
        parts = self.parts(split, self.g if g is None else g)
        return sum(part.sum() ** 2 / len(part) for part in parts)

    def scores(self, g, noise):
        """Return the scores with noise, floats (p,)."""
        ours = [float(self.explained(split, g)) ** 0.5 for split in range(self.splits.shape[1])]
        return np.array(ours) + self.rho * noise * np.array(self.noise)


@claim("SGLB, Appendix B, the score", of=Next, printed="refuted", corrected="verified")
def check_score(case, variant):
    """The split with the highest score has the smallest squared error of all candidates."""
    return _score(case, case.variances if variant == "printed" else case.explained, variant)


def _score(case, score, variant="corrected"):
    p = case.splits.shape[1]
    taken = max(range(p), key=score)
    errors = np.array([case.error(split) for split in range(p)])
    return BoundCheck(
        "score",
        variant,
        "upper",
        np.full(p, errors[taken], dtype=object),
        errors,
        F(0),
        "exact",
        at=np.arange(p),
        along="split",
    )


@claim("SGLB, Appendix B, homogeneity", of=Next, printed="verified")
def check_homogeneous(case, variant):
    """The scores of c g, with their noise, are c times those of g, so the choice is the same."""
    return _homogeneous(case, case.scale)


def _homogeneous(case, factor):
    size = float((case.g**2).sum() / len(case.g)) ** 0.5
    scaled = case.scores(case.scale * case.g, float(factor) * size)
    wanted = float(case.scale) * case.scores(case.g, size)
    slack = 1e-12 * (np.abs(wanted).max() + size)
    return BoundCheck(
        "score", "printed", "tight", scaled, wanted, slack, at=np.arange(len(scaled)), along="split"
    )


@dataclass(frozen=True, eq=False)
class Nested:
    """Leaves of two trees, 0-1 matrices (n, leaves): the second splits the leaves of the first."""

    first: np.ndarray
    second: np.ndarray

    def won(self):
        """Return how often the first tree is the better fit, over all g with entries of -2 to 2."""
        one = projector(self.first)
        two = projector(self.second)
        count = 0
        for entries in product(range(-2, 3), repeat=len(self.first)):
            g = np.array([F(entry) for entry in entries])
            count += g @ one @ g > g @ two @ g
        return count


@claim("SGLB, Appendix B, non-degeneracy", of=Nested, printed="refuted", corrected="verified")
def check_spans(case, variant):
    """Every learner is the best one for some g.

    Corrected: those that are span the same vectors as all.
    """
    if variant == "printed":
        return _exact(variant, F(1), F(case.won()))
    return _spans(case, case.second)


def _spans(case, chosen):
    every = np.concatenate([case.first, case.second], axis=1)
    return _exact("corrected", F(independent(every).shape[1]), F(independent(chosen).shape[1]))


def _exact(variant, measured, bound):
    sides = np.array([measured]), np.array([bound])
    return BoundCheck("spans", variant, "upper", *sides, F(0), "exact")


def drawn(seed, n=8, p=4, scale=F(3), rho=0.0):
    """Return a gradient of small integers, one split that is made, and candidates."""
    rng = np.random.default_rng(seed)
    g = np.array([F(int(integer)) for integer in rng.integers(-5, 6, n)])
    splits = rng.integers(0, 2, (n, p))
    return Next(g, rng.integers(0, 2, n), splits, scale, tuple(rng.normal(size=p)), rho)


def leaves(*labels):
    """Return the 0-1 matrix of the leaves that the rows fall into."""
    return np.array([[F(int(label == k)) for k in sorted(set(labels))] for label in labels])


CASES = {
    **{f"a split, {seed}": (lambda seed=seed: drawn(seed)) for seed in range(6)},
    **{
        f"a split with noise, {seed}": (lambda seed=seed: drawn(seed, scale=F(1, 7), rho=1.0))
        for seed in range(2)
    },
    "a split of six rows": lambda: drawn(6, 6),
    "two groups by hand": lambda: Next(
        np.array([F(one) for one in (0, 0, 2, 2)]),
        np.zeros(4, dtype=int),
        np.array([[0, 0], [0, 1], [1, 0], [1, 1]]),
        noise=(0.0, 0.0),
    ),
    "a stump in a tree": lambda: Nested(leaves(0, 0, 1, 1), leaves(0, 1, 2, 3)),
    "a stump in a tree of three leaves": lambda: Nested(leaves(0, 0, 1, 1), leaves(0, 0, 1, 2)),
}

SABOTAGE = {
    check_score: {
        "the lowest sum of variances": lambda case: (
            _score(case, lambda split: -case.variances(split)) if isinstance(case, Next) else None
        ),
        "the highest sum of squared means": lambda case: (
            _score(
                case,
                lambda split: sum(
                    (part.sum() / len(part)) ** 2 for part in case.parts(split, case.g)
                ),
            )
            if isinstance(case, Next)
            else None
        ),
    },
    check_homogeneous: {
        "noise that does not grow with g": lambda case: (
            _homogeneous(case, 1) if isinstance(case, Next) else None
        ),
    },
    check_spans: {
        "the smaller tree alone": lambda case: (
            _spans(case, case.first) if isinstance(case, Nested) else None
        ),
    },
}
