"""The limits within which a tree grows."""

import math
from typing import NamedTuple

import numpy as np

from coordboost._utils.checks import not_negative, positive, real, shown

#: Maximum number of leaves of a tree: the leaf of a sample is stored in one or two bytes.
MOST_LEAVES = 1 << 16
#: Largest `max_depth` that needs no `max_leaves`.
DEEPEST = 10


class Growth(NamedTuple):
    """Limits of a tree.

    max_depth : maximum number of splits between the root and a leaf; -1 for no limit: `max_leaves`
    is then required max_leaves : maximum number of leaves; -1 for ``2^max_depth``. If it is
    smaller, the leaf with the largest gain is split first min_samples : minimum number of samples
    in a leaf min_weight : smallest sum of weights (or of second derivatives) in a leaf min_gain : a
    split must gain more than this: ``score(left) + score(right) - penalty - score(node)`` l2 :
    ridge penalty of leaf values: a node scores ``(sum target)^2 / (sum weight + l2)`` monotone :
    int64 (n_features,), 1 if values must not decrease with the feature, -1 if they must not
    increase, 0 for no
        constraint; an array of length 0 if no feature is constrained
    sets : int64 (n_sets, n_features), 1 if a set contains a feature: all features on a path from
    the root to a leaf are in one set;
        length 0 for no such constraint
    subsample : the fraction of the samples on which each tree is grown, drawn from `seed` and the
    number of the tree damping : C of ``leaf_value``, the self-concordance of the loss; 0 for leaf
    values as they are fitted max_delta_step : the largest absolute leaf value; inf for no limit
    """

    max_depth: int = 3
    max_leaves: int = -1
    min_samples: int = 1
    min_weight: float = 0.0
    min_gain: float = 0.0
    l2: float = 0.0
    monotone: np.ndarray = np.zeros(0, dtype=np.int64)
    sets: np.ndarray = np.zeros((0, 0), dtype=np.int64)
    subsample: float = 1.0
    seed: int = 0
    damping: float = 0.0
    max_delta_step: float = math.inf

    def check(self, binned):
        """Return the same limits, checked for trees on `binned`.

        They have the types that kernels are compiled for.

        Raises
        ------
        ValueError
            Names the limit and what it must be.
        """
        depth = _whole("max_depth", self.max_depth, -1)
        leaves = _whole("max_leaves", self.max_leaves, -1)
        got = f"got max_depth={_none(depth)}, max_leaves={_none(leaves)}"
        if depth == 0 or leaves in (0, 1) or leaves > MOST_LEAVES:
            raise ValueError(
                f"a tree needs max_depth >= 1 and max_leaves from 2 to {MOST_LEAVES}, or "
                f"None; {got}."
            )
        if leaves < 0 and not 0 < depth <= DEEPEST:
            raise ValueError(
                f"max_depth=None or above {DEEPEST} needs max_leaves (max_leaf_nodes in "
                f"estimators); got max_depth={_none(depth)} and no limit on leaves."
            )
        return Growth(
            depth if depth > 0 else MOST_LEAVES,
            leaves if leaves > 0 else 1 << depth,
            _whole("min_samples", self.min_samples, 1),
            not_negative("min_weight", self.min_weight),
            not_negative("min_gain", self.min_gain),
            not_negative("l2", self.l2),
            _signs(self.monotone, binned),
            _flags(self.sets, binned),
            positive("subsample", self.subsample, 1 + 1e-15, "above 0 and at most 1"),
            _whole("seed", self.seed, 0),
            not_negative("damping", self.damping),
            real(
                "max_delta_step", self.max_delta_step, lambda number: number > 0, "above 0, or None"
            ),
        )


def _none(limit):
    """Return a limit as users write it: None for -1."""
    return None if limit < 0 else limit


def _whole(name, value, least):
    """Return `value` as an int of at least `least`; raise a ValueError if it is none."""
    return int(
        real(
            name,
            value,
            lambda number: least <= number < 1 << 62 and number == int(number),
            f"a whole number >= {least}",
        )
    )


def _flags(sets, binned):
    """Return the sets of features as int64 (n_sets, n_features), or an array of length 0."""
    flags = np.asarray(sets)
    if len(flags) and (flags.shape[1:] != binned.n_bins.shape or not np.isin(flags, (0, 1)).all()):
        raise ValueError(
            f"sets must be 0 or 1 for each of {len(binned.n_bins)} features, got {shown(sets)}."
        )
    return flags.astype(np.int64)


def _signs(monotone, binned):
    """Return the monotone constraints as int64 (n_features,), or an array of length 0."""
    signs = np.asarray(monotone)
    if signs.size == 0 or not signs.any():
        return np.zeros(0, dtype=np.int64)
    if signs.shape != binned.n_bins.shape or not np.isin(signs, (-1, 0, 1)).all():
        raise ValueError(
            f"monotone must be -1, 0 or 1 for each of {len(binned.n_bins)} features, got "
            f"{shown(monotone)}."
        )
    if (binned.categorical[signs != 0] != 0).any():
        raise ValueError("monotone must be 0 for features with categories: they have no order.")
    return signs.astype(np.int64)
