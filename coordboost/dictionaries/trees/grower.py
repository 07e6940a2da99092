"""The memory in which trees grow, made once and used by every tree; growth on one thread, in one call, and on several."""

import numpy as np

from coordboost._numba import compiled
from coordboost._numba.threads import all_done, in_order, pool, slices
from coordboost.dictionaries.trees.cuts import CUT, ROOM
from coordboost.dictionaries.trees.grow import (
    LOST,
    NODE,
    STATE,
    count_left,
    finish,
    grow,
    has_names,
    move_rows,
    name_leaves,
    plant,
    search,
    split_best,
)  # fmt: skip
from coordboost.dictionaries.trees.histogram import CODES
from coordboost.dictionaries.trees.whole import ALLOWED, choose_scales, write_entries

#: Samples times features of a search below which one thread does all.
LITTLE = 1 << 20
#: Samples that a thread takes at a time.
BLOCK = 1 << 14


class Grower:
    """Grows trees on `binned` within `growth`, checked for it.

    After a growth `leaf` (n_samples,) is the leaf of each sample, and `state`, `nodes` and `values` are as ``grow`` leaves them.
    """

    def __init__(self, binned, growth):
        d, n = binned.codes.shape
        leaves, some = growth.max_leaves, growth.monotone
        self.n, self.limits = n, tuple(growth[:6])
        codes = np.zeros((d, -(-n // 8) * 8), dtype=np.uint8)
        codes[:, :n] = binned.codes
        categorical = binned.categorical if binned.categorical.any() else None
        self.table = codes, codes.view(np.uint64), binned.n_bins, binned.missing, categorical, some if len(some) else None
        self.states, self.run = np.zeros(1, dtype=STATE), compiled(grow)
        self.state = self.states[0]
        self.nodes, self.cuts = np.zeros(2 * leaves, dtype=NODE), np.zeros((2 * leaves, d), dtype=CUT)
        self.rows, self.goes_left = np.zeros((2, n), dtype=np.uint32), np.zeros((2 * leaves, CODES), dtype=np.uint8)
        self.leaf, self.values = np.zeros(n, dtype=np.uint8 if leaves <= CODES else np.uint16), np.zeros(leaves)
        slots = max(1, min(leaves, n // growth.min_samples, 1 << min(growth.max_depth - 1, 30)))
        self.bins, self.sizes = int(binned.n_bins.max()), (slots, d)
        self.rooms, self.orders = np.zeros((d // 4 + 1, ROOM, CODES)), np.zeros((d // 4 + 1, CODES), dtype=np.int64)
        self.two = None

    def grow(self, target, weight, features, penalty, two, max_leaves=None):
        """Grow one tree, see ``grow``; `two` asks for two numbers for each sample. How many leaves it has; 0 if a number is not finite."""
        limits = self.limits if max_leaves is None else (self.limits[0], max_leaves, *self.limits[2:])
        run = self._together if pool().n_threads > 1 and self.n * len(features) >= LITTLE else self._alone
        n_leaves = LOST if two else run(limits, target, weight, features, penalty, two)
        return n_leaves if n_leaves != LOST else run(limits, target, weight, features, penalty, True)

    def _make(self, two):
        """Entries and histograms with one number, or two."""
        if self.two != two:
            pair = (2,) if two else ()
            self.two, self.fixed = two, np.zeros((2, self.table[0].shape[1], *pair), dtype=np.int64)
            self.histograms = np.zeros((*self.sizes, self.bins, *pair), dtype=np.int64)

    def _alone(self, limits, target, weight, features, penalty, two):
        self._make(two)
        return self.run(
            *self.table, limits, features, penalty, target, weight, self.states, self.nodes, self.cuts, self.histograms, self.rows,
            self.fixed, self.goes_left, self.leaf, self.values, self.rooms[0], self.orders[0],
        )  # fmt: skip

    def _together(self, limits, target, weight, features, penalty, two):
        """As ``grow``, on the threads of the pool: samples in blocks, features four by four. They are joined once a level."""
        self._make(two)
        state, nodes, fixed, memory = self.state, self.nodes, self.fixed, (self.rows, self.fixed)
        codes, _, *about = self.table
        choose, write, seek, part, named = (compiled(f) for f in (choose_scales, write_entries, search, move_rows, name_leaves))
        if not choose(state, fixed[0], target, weight):
            return 0
        heavy = [weight if len(weight) == 1 else weight[rows] for rows in slices(self.n, BLOCK)]
        parts = [(fixed[0, rows], target[rows], w) for rows, w in zip(slices(self.n, BLOCK), heavy, strict=True)]
        sums = in_order(lambda one: write(*one, state.bits, state.scale, state.unit), parts)
        lost, total, mass = (sum(column) for column in zip(*sums, strict=True))
        if lost * ALLOWED > self.n:
            return LOST
        compiled(plant)(limits, state, nodes, self.rows, total, mass)
        fours = slices(len(features), 4)
        while True:
            all_done(
                lambda some: seek(
                    *self.table, limits, features, some.start, some.stop, state, nodes, self.cuts, self.histograms, *memory,
                    self.rooms[some.start // 4], self.orders[some.start // 4],
                ),
                fours,
            )  # fmt: skip
            more = compiled(split_best)(
                *about, limits, features, penalty, state, nodes, self.cuts, self.histograms, self.goes_left, self.rooms[0], self.orders[0]
            )
            if not more:
                break
            parents = [at for at in nodes["parent"][state.first : state.nodes : 2] if nodes[at].apart]
            blocks = [block for at in parents for block in self._moves(at)]
            all_done(lambda block: part(codes, nodes, self.goes_left, *memory, *block), blocks)
        compiled(finish)(state, nodes, self.values)
        blocks = [(at, *ends) for at in range(state.nodes) if has_names(nodes, at) for ends in self._blocks(at)]
        all_done(lambda block: named(codes, nodes, self.goes_left, self.rows, self.leaf, *block), blocks)
        return int(state.leaves)

    def _blocks(self, at):
        """The rows of a node in blocks: where each begins and ends."""
        start, stop = int(self.nodes[at].start), int(self.nodes[at].stop)
        return [(first, min(first + BLOCK, stop)) for first in range(start, stop, BLOCK)]

    def _moves(self, at):
        """What ``move_rows`` takes of the blocks of a node: it has to be known how many rows go left in those before."""
        node, ends = self.nodes[at], self._blocks(at)
        one, other = int(node.start), int(self.nodes[node.left].stop)
        run = compiled(count_left)
        count = lambda block: run(self.table[0], self.nodes, self.goes_left, self.rows, at, *block)  # noqa: E731
        lefts = list(in_order(count, ends)) if len(ends) > 1 else [0]
        for (first, last), left in zip(ends, lefts, strict=True):
            yield at, first, last, one, other
            one, other = one + left, other + last - first - left
