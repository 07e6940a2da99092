"""The limits of a tree, and the memory in which trees grow, allocated once for all trees.

Growth in one call on one thread, or on several threads.
"""

import math
from typing import NamedTuple

import numpy as np

from coordboost._numba import compiled, interpreted
from coordboost._numba.sums import first_rows
from coordboost._numba.threads import THREADS, in_order, pool, slices
from coordboost._utils.checks import not_negative, positive, real, shown
from coordboost.learners.trees.bundles import Columns
from coordboost.learners.trees.cuts import CUT, SCRATCH_ROWS
from coordboost.learners.trees.grow import (
    LOST,
    draw_rows,
    fill_histograms,
    find_leaves,
    grow_from,
    init_root,
    keep_tree,
    lone_row,
    move_rows,
    number_leaves,
    search_cuts,
    split_nodes,
    write_leaves,
    write_rows,
)
from coordboost.learners.trees.histogram import ALLOWED, BLOCK, CODES, choose_scales, write_sizes
from coordboost.learners.trees.nodes import (
    NODE,
    STATE,
    BinnedTable,
    Buffers,
    Kept,
    Limits,
    Scratch,
    SplitFeatures,
    Targets,
)
from coordboost.learners.trees.tree import relabel, sums_over_rows, write_leaf_sums

#: Maximum number of leaves of a tree: the leaf of a sample is stored in one or two bytes.
MOST_LEAVES = 1 << 16
#: Largest `max_depth` that needs no `max_leaves`.
DEEPEST = 10


class Growth(NamedTuple):
    """Limits of a tree.

    max_depth : maximum number of splits between the root and a leaf; -1 for no limit: `max_leaves`
        is then required
    max_leaves : maximum number of leaves; -1 for ``2^max_depth``. If it is smaller, the leaf with
        the largest gain is split first
    min_samples : minimum number of samples in a leaf
    min_weight : smallest sum of weights (or of second derivatives) in a leaf
    min_gain : a split must gain more than this: ``score(left) + score(right) - penalty -
        score(node)``
    l2 : ridge penalty of leaf values: a node scores ``(sum target)^2 / (sum weight + l2)``
    monotone : int64 (n_features,), 1 if values must not decrease with the feature, -1 if they must
        not increase, 0 for no
        constraint; an array of length 0 if no feature is constrained
    sets : int64 (n_sets, n_features), 1 if a set contains a feature: all features on a path from
    the root to a leaf are in one set;
        length 0 for no such constraint
    subsample : the fraction of the samples on which each tree is grown, drawn from `seed` and the
        number of the tree
    damping : C of ``leaf_value``, the self-concordance of the loss; 0 for leaf values as they are
        fitted
    max_delta_step : the largest absolute leaf value; inf for no limit
    min_samples_category : a category with fewer samples in a node is not chosen there: it goes with
        those that are not chosen
    max_split_categories : a split chooses at most so many categories, and at most half of them; -1
        for no limit
    category_smoothing : the values and scores of both sides of a split by categories have `l2` plus
        the weight of so many samples, the mean weight in the node each
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
    min_samples_category: int = 1
    max_split_categories: int = -1
    category_smoothing: float = 0.0

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
        n_chosen = _whole("max_split_categories", self.max_split_categories, -1)
        if n_chosen == 0:
            raise ValueError("max_split_categories must be a whole number >= 1, or None, got 0.")
        if leaves < 0 and not 0 < depth <= DEEPEST:
            raise ValueError(
                f"max_depth=None or above {DEEPEST} needs max_leaves (max_leaf_nodes in "
                f"estimators); got max_depth={_none(depth)} and no limit on leaves."
            )
        most = 1 << depth if 0 < depth <= DEEPEST else leaves  # a tree has no more leaves
        return Growth(
            depth if depth > 0 else MOST_LEAVES,
            min(leaves, most) if leaves > 0 else most,
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
            _whole("min_samples_category", self.min_samples_category, 1),
            n_chosen,
            not_negative("category_smoothing", self.category_smoothing),
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


#: If samples times features are fewer than this, a tree grows on one thread.
LITTLE = 1 << 20
#: Additions, cuts (or sums of histograms) and rows for which one thread needs about 30
#: microseconds: the least for a task.
ADDITIONS, CUTS, ROWS = 1 << 17, 1 << 6, 1 << 14
#: Shares of the rows for each thread, so that threads have equal work where nodes hold
#: neighbouring rows.
SHARES = 4
#: Most shares times leaves, and most parts of the rows of all nodes for each thread.
ROOM, PARTS = 1 << 19, 4


def _bits(sets):
    """Return sets of features (n_sets, n_features) as bits; None for no sets."""
    if not len(sets):
        return None
    mask = np.zeros((sets.shape[1], -(-len(sets) // 62)), dtype=np.int64)
    for s, features in enumerate(sets):
        mask[features != 0, s // 62] |= 1 << s % 62
    return mask


def _table(binned, columns, growth):
    """Return the features of `binned`, in `columns`, with the constraints of `growth`."""
    return BinnedTable(
        np.require(binned.codes, requirements=["C", "W"]),
        binned.n_bins,
        binned.missing,
        columns.codes,
        columns.codes.view(np.uint64),
        columns.n_codes,
        columns.code,
        binned.categorical if binned.categorical.any() else None,
        growth.monotone if len(growth.monotone) else None,
        _bits(growth.sets),
    )


def _scratch():
    return Scratch(
        np.zeros((SCRATCH_ROWS, CODES)),
        np.zeros(CODES, dtype=np.int64),
        np.zeros((2, 2), dtype=np.int64),
    )


class Grower:
    """Grows trees on `binned` within the limits `growth`, which must be checked.

    After a growth, `leaf` (n_samples,) holds the leaf of each sample, and `state` and `nodes` are
    as ``grow`` leaves them.

    n_in_all : number of samples of all parts, if `binned` has the samples of one part, or none
    starts : the number of the first sample of each block of a part among those of all parts
    """

    def __init__(self, binned, growth, n_in_all=None, starts=None):
        d, n = binned.codes.shape
        leaves = growth.max_leaves
        self.n = n
        self.starts = first_rows(n) if starts is None else starts
        self.limits = Limits(*(getattr(growth, name) for name in Limits._fields))
        self.columns = Columns.of(binned, share=n_in_all is None)
        self.table = _table(binned, self.columns, growth)
        self.run = compiled(grow_from)
        self.share = growth.subsample
        self.seed = growth.seed
        self.drawn = None
        self.grown = None  # the leaves of a tree that is cut back
        # the features of the last tree, and what follows from them
        self.features = None
        self.candidates = None
        self.states = np.zeros(1, dtype=STATE)
        self.state = self.states[0]
        self.nodes = np.zeros(2 * leaves, dtype=NODE)
        self.goes_left = np.zeros((2 * leaves, CODES), dtype=np.uint8)
        self.leaf = np.zeros(n, dtype=np.uint8 if leaves <= CODES else np.uint16)
        self.scratch = [_scratch()]
        self.n_in_all = n if n_in_all is None else n_in_all
        most = self.n_in_all // growth.min_samples
        slots = max(1, min(leaves, most, 1 << min(growth.max_depth - 1, 30)))
        n_columns, n_padded = self.columns.codes.shape
        # columns are filled four at a time
        self.sizes = (slots, -(-n_columns // 4) * 4, int(self.columns.n_codes.max()))
        self.memory = Buffers(
            self.states,
            self.nodes,
            np.zeros((2 * leaves, d), dtype=CUT),
            self._open_sets(leaves),
            np.zeros((0, *self.sizes), dtype=np.int64),
            np.zeros((0, *self.sizes), dtype=np.int64),
            np.zeros((2, -(-n // BLOCK))),
            np.zeros((2 * leaves, 1, 2), dtype=np.int64),
            np.zeros((2, n), dtype=np.uint32),
            np.zeros((0, 2, n_padded), dtype=np.int64),
            self.goes_left,
            self.leaf,
        )
        self.plain_table = tuple(self.table)
        self.plain_scratch = tuple(self.scratch[0])

    def _open_sets(self, leaves):
        """Return memory for the sets that each node may still use."""
        sets = self.table.sets
        return None if sets is None else np.full((2 * leaves, sets.shape[1]), -1, dtype=np.int64)

    def draw(self, j):
        """Draw the samples of tree j; return them and the others, both increasing."""
        if self.drawn is None:
            self.drawn = np.zeros((2, self.n + 1), dtype=np.uint32)
        n_drawn = compiled(draw_rows)(self.seed, j, self.share, self.starts, *self.drawn)
        return self.drawn[0, :n_drawn], self.drawn[1, : self.n - n_drawn]

    def lone(self, j):
        """Return the number, among all parts, of the sample of tree j if none is drawn."""
        return int(interpreted(lone_row)(self.seed, j, self.n_in_all))

    def split_off(self, row):
        """Return the sample `row` and the others, as ``draw`` does; none for a row elsewhere."""
        drawn = np.array([row] if 0 <= row < self.n else [], dtype=np.uint32)
        return drawn, np.delete(np.arange(self.n, dtype=np.uint32), drawn)

    def write_other_leaves(self, others):
        """Write the leaves of samples that the tree was not grown on into ``self.leaf``."""
        compiled(find_leaves)(self.table.codes, self.nodes, self.goes_left, others, self.leaf)

    def sums_over_rows(self, metric, v, values):
        """Return ``sums_over_rows`` of the tree, whose leaves have these values."""
        return compiled(sums_over_rows)(metric, v, self.leaf, values)

    def leaf_sums(self, v):
        """Return the sum of `v` over the samples of each leaf of the tree just grown."""
        return np.cumsum(self.sums_of_leaves(v), axis=0)[-1]

    def sums_of_leaves(self, v):
        """Return the sums of ``leaf_sums`` for each block of rows, (n_blocks, n_leaves)."""
        sums = np.empty((len(self.starts), int(self.state.leaves)))
        compiled(write_leaf_sums)(self.leaf, v, sums)
        return sums

    def keep_leaves(self):
        """Keep the leaves of the tree just grown, for ``relabel``."""
        self.grown = self.leaf.copy()

    def relabel(self, number):
        """Write the leaves of a tree that was cut back, see ``cut_back``."""
        compiled(relabel)(self.grown, number, self.leaf)

    def _with_numbers(self, numbers):
        """Make room for entries of one or two numbers per sample."""
        fixed = self.memory.fixed
        if len(fixed) != numbers:
            self._keep_memory(
                fixed=np.zeros((numbers, *fixed.shape[1:]), dtype=np.int64),
                histograms=np.zeros((numbers, *self.sizes), dtype=np.int64),
                parts=np.zeros((numbers, 0, *self.sizes[1:]), dtype=np.int64),
            )

    def _keep_memory(self, **arrays):
        self.memory = self.memory._replace(**arrays)
        self.plain_memory = tuple(self.memory)

    def grow(
        self,
        target,
        weight,
        features,
        penalty,
        wide,
        *,
        max_leaves=None,
        kept=(None, None, 0),
        sample=None,
    ):
        """Grow one tree, see ``grow``; `wide` forces two numbers per sample.

        Return the number of leaves; 0 if a number is not finite.

        kept : the fields of ``Kept``; sets ``self.fit``, the correlation and length of the tree
        sample : the number of the tree, if it grows on samples that are drawn
        """
        drawn = None
        if sample is not None:
            drawn, others = self.draw(sample)
            if len(drawn) == 0:
                drawn, others = self.split_off(self.lone(sample))
            target = target[drawn]
            weight = weight if len(weight) == 1 else weight[drawn]
        limits = self.limits
        if max_leaves is not None:
            limits = limits._replace(max_leaves=max_leaves)
        if features is not self.features:
            self.features = features
            self.candidates = self.columns.candidates(features)
        candidates = (*self.candidates, penalty)
        shared = len(target) * len(features) >= LITTLE and pool().n_threads > 1
        run = self._grow_on_threads if shared else self._grow_alone
        # retry with two numbers per sample if one loses too many targets
        for numbers in (1, 2)[wide:]:
            self._with_numbers(numbers)
            n_leaves, *self.fit = run(limits, candidates, (target, weight, drawn), *kept)
            if n_leaves != LOST:
                break
        if drawn is not None and n_leaves > 0:
            self.write_other_leaves(others)
        return n_leaves

    def _grow_alone(self, limits, candidates, targets, metric, trees, j):
        return self.run(
            self.plain_table,
            tuple(limits),
            candidates,
            targets,
            self.plain_memory,
            self.plain_scratch,
            metric,
            None if trees is None else tuple(trees),
            j,
        )

    def _grow_on_threads(self, limits, candidates, targets, *kept):
        """Do the same as ``grow`` on the threads of the pool.

        Work is shared out by rows, and by features where there are many; all threads are joined
        twice for the histograms and cuts of a level, and once for its rows.
        """
        table = self.table
        state = self.state
        scratch = self.scratch[0]
        candidates = SplitFeatures(*candidates)
        targets = Targets(*targets)
        kept = Kept(*kept)
        n_samples = len(targets.values)
        self._share_rows(n_samples)
        memory = self.memory
        for values, sizes in zip(targets[:2], memory.sizes, strict=True):
            if len(values) > 1:
                self._each_row(len(values), write_sizes, values, targets.drawn, sizes)
        if not compiled(choose_scales)(state, memory.fixed, targets, memory.sizes):
            return 0, math.nan, math.nan
        sums = self._each_row(n_samples, write_rows, memory, targets)
        lost, total, mass = (sum(column) for column in zip(*sums, strict=True))
        if lost * ALLOWED > n_samples:
            return LOST, math.nan, math.nan
        compiled(init_root)(limits, memory, n_samples, total, mass)
        searching = True
        while searching:
            self._search(limits, candidates)
            searching = compiled(split_nodes)(table, limits, candidates, memory, scratch)
            if searching:
                self._each_row(self._n_new_rows(), move_rows, table, memory)
        compiled(number_leaves)(table, limits, memory)
        self._each_row(n_samples, write_leaves, table, memory)
        fit = compiled(keep_tree)(kept.trees, kept, memory, targets.values)
        return int(state.leaves), *fit

    def _share_rows(self, n_samples):
        """Divide the rows into shares, and make room for sums over parts of the rows."""
        memory = self.memory
        n_threads = pool().n_threads
        leaves = len(self.nodes) // 2
        self.state.shares = max(1, min(SHARES * n_threads, n_samples // ROWS, ROOM // leaves))
        numbers, _, d, n_bins = memory.histograms.shape
        n_parts = PARTS * n_threads if d // 4 < 2 * n_threads else 0
        if memory.ranges.shape[1] < self.state.shares or memory.parts.shape[:2] != (
            numbers,
            n_parts,
        ):
            self._keep_memory(
                ranges=np.zeros((2 * leaves, self.state.shares, 2), dtype=np.int64),
                parts=np.zeros((numbers, n_parts, d, n_bins), dtype=np.int64),
            )

    def _n_new_rows(self):
        """Return the number of rows in new nodes."""
        return int(self.nodes["count"][self.state.first : self.state.nodes].sum())

    def _search(self, limits, candidates):
        """Find the best cuts of all new nodes.

        Few columns are not enough for all threads; then each thread fills histograms for a part of
        the rows, and their sums are added.
        """
        columns = candidates.columns
        table = self.table
        memory = self.memory
        n_new = int(self.state.nodes - self.state.first)
        n_pairs = (n_new + 1) // 2
        n_filled = self._n_new_rows() // (1 if n_new == 1 else 2)
        n_tasks = self._n_tasks(n_filled * len(columns), ADDITIONS)
        n_parts = min(n_tasks, int(self.state.shares), memory.parts.shape[1] // n_pairs + 1)
        n_groups = -(-len(columns) // 4)

        def fill(task):
            some, part = task
            compiled(fill_histograms)(table, columns, some.start, some.stop, memory, part, n_parts)

        def cut(task):
            some, scratch = task
            compiled(search_cuts)(
                table, limits, candidates, some.start, some.stop, memory, scratch, n_parts
            )

        some_columns = slices(len(columns), 4 * max(1, n_groups * n_parts // n_tasks))
        _run(fill, [(some, part) for part in range(n_parts) for some in some_columns])
        n_tasks = self._n_tasks((n_new + n_parts * n_pairs) * len(candidates.features), CUTS)
        some_columns = slices(len(columns), -(-len(columns) // n_tasks))
        while len(self.scratch) < len(some_columns):
            self.scratch.append(_scratch())
        _run(cut, list(zip(some_columns, self.scratch, strict=False)))

    def _each_row(self, n_rows, kernel, *arguments):
        """Call a kernel for all shares of the rows, or blocks of samples; return its results."""
        n_tasks = self._n_tasks(n_rows, ROWS)
        return _run(lambda task: compiled(kernel)(*arguments, task, n_tasks), range(n_tasks))

    def _n_tasks(self, work, least):
        """Return into how many tasks some work is divided: more threads only where it is much."""
        return max(1, min(pool().n_threads, work // least))


def _run(function, tasks):
    """Return the results of all tasks, one of them without the pool."""
    return [function(tasks[0])] if len(tasks) == 1 else list(in_order(function, tasks, 2 * THREADS))
