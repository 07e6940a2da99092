"""A tree whose rows lie in parts: sums over rows are made there, and splits are chosen here.

The kernels are those of `grow`, and so are the trees, bit for bit. The client has the nodes, the
histograms and the cuts, and no rows; a part has its rows, and is told the nodes.

A trip to all parts a level: the root's histogram comes with the sizes of the targets, if the scale
of the whole numbers is that of the tree before, as it mostly is.
"""

import math

import numpy as np

from coordboost._numba import compiled, interpreted
from coordboost._numba.sums import BLOCK
from coordboost.learners.trees.grow import (
    LOST,
    by_size,
    fill_histograms,
    has_histogram,
    init_root,
    keep_tree,
    move_rows,
    number_leaves,
    search_cuts,
    split_nodes,
    write_leaves,
    write_rows,
)
from coordboost.learners.trees.grower import Grower
from coordboost.learners.trees.histogram import (
    ALLOWED,
    LEAST,
    NEVER,
    TINY,
    sum_of_sizes,
    write_format,
    write_sizes,
)
from coordboost.learners.trees.nodes import Kept, SplitFeatures, Targets
from coordboost.learners.trees.tree import scaled_values, write_block_sums

#: The fields of STATE that a part is told.
FORMAT = ("wide", "bits", "scale", "unit")


class PartGrower(Grower):
    """The rows of one part while a tree grows: sums are made here, and rows move here."""

    def begin(self, target, weight, numbers, form, columns, drawn=None):
        """Return (whole, floats): sizes of targets and weights by blocks, and the root's sums.

        form : the values of ``FORMAT``, with which the root is summed; None if it is not
        """
        self._with_numbers(numbers)
        self.targets = Targets(target, weight, drawn)
        self.columns_of_tree = columns
        sizes = self.memory.sizes
        sizes[:] = 0.0
        for values, of_blocks in zip(self.targets[:2], sizes, strict=True):
            compiled(write_sizes)(values, of_blocks, 0, 1)
        return (None if form is None else self.root(form)), sizes.T.copy()

    def largest(self, k):
        """Return the largest size of the targets (k = 0) or weights (k = 1), by blocks."""
        return None, self._by_block(k, lambda values: np.abs(values).max())

    def scaled_sizes(self, k, by):
        """Return the sums of sizes times `by`, by blocks."""
        return None, self._by_block(k, lambda values: interpreted(sum_of_sizes)(values, by))

    def _by_block(self, k, function):
        values = self.targets[k]
        starts = range(0, len(values), BLOCK)
        return np.array([[function(values[start : start + BLOCK])] for start in starts])

    def root(self, form):
        """Return how many targets are lost, the sums of the root, and its histogram."""
        self.state.shares = 1
        for name, value in zip(FORMAT, form, strict=True):
            self.state[name] = value
        sums = compiled(write_rows)(self.memory, self.targets, 0, 1)
        self.state.first = 0
        self.state.nodes = 1
        self.nodes[0].slot = 0
        self.nodes[0].depth = 0
        self.nodes[0].open = 1
        return np.concatenate([np.array(sums, dtype=np.int64), self.histograms()])

    def split(self, first, nodes, parents, of_parents, flags):
        """Move the rows of nodes that were split; return the histograms of the smaller children.

        first : the number of the first new node; nodes : the new nodes
        parents, of_parents, flags : the nodes that were split, and which codes go left, as bits
        """
        self.state.first = first
        self.state.nodes = first + len(nodes)
        self.nodes[first : first + len(nodes)] = nodes
        self.nodes[parents] = of_parents
        self.goes_left[parents] = np.unpackbits(flags, axis=1, bitorder="little")
        compiled(move_rows)(self.table, self.memory, 0, 1)
        return self.histograms()

    def histograms(self):
        """Return the new histograms, int64: those of the root or of the smaller children."""
        columns = self.columns_of_tree
        compiled(fill_histograms)(self.table, columns, 0, len(columns), self.memory, 0, 1)
        slots = filled_slots(self.state, self.nodes)
        return self.memory.histograms[:, slots, : len(columns)].ravel()

    def finish(self, nodes, flags):
        """Write the leaf of each row: the nodes of the tree are complete."""
        self.state.nodes = len(nodes)
        self.nodes[: len(nodes)] = nodes
        self.goes_left[: len(nodes)] = np.unpackbits(flags, axis=1, bitorder="little")
        compiled(write_leaves)(self.table, self.memory, 0, 1)

    def sums_over_rows(self, metric, values):
        """Return ``sums_over_rows`` of the tree by blocks, (n_blocks, 3)."""
        sums = np.zeros((self.memory.sizes.shape[1], 3))
        compiled(write_block_sums)(metric, self.targets.values, self.leaf, values, sums)
        return sums


def sum_in_order(sums):
    """Return the sum of the sums of blocks, added in order."""
    return float(np.cumsum(sums)[-1])


def filled_slots(state, nodes):
    """Return the slots of the new nodes whose histograms are filled, in the order of the nodes."""
    pairs = range(int(state.first), int(state.nodes), 2)
    return [
        int(nodes[by_size(nodes, left)[0]].slot) for left in pairs if has_histogram(nodes, left)
    ]


class ClientGrower(Grower):
    """Grows trees whose rows lie in parts: ``run(verb, *arguments)`` is a method of all parts.

    binned : the bins without codes
    n_in_all : number of rows of all parts
    """

    def __init__(self, binned, growth, n_in_all):
        super().__init__(binned, growth, n_in_all)
        self.n_in_all = n_in_all
        self.form = None  # of the tree before, with one or two numbers per sample
        self.numbers = 0

    def grow_by(self, run, weight, features, penalty, wide, trees, j, metric=False):
        """Grow tree j into `trees`, see ``Grower.grow``; return the number of its leaves.

        run : function of a method of ``PartGrower`` and its arguments; returns (whole, floats)
        weight : (1,), the weight of all samples, or of none of them if each has its own
        metric : whether the parts sum over rows for the norm of the tree
        """
        candidates = SplitFeatures(*self.columns.candidates(features), penalty)
        for numbers in (1, 2)[wide:]:
            self._with_numbers(numbers)
            n_leaves = self._grow_by(run, weight, candidates)
            if n_leaves != LOST:
                break
        if n_leaves > 0:
            self.fit = self._keep(run, trees, j, metric)
        else:
            self.fit = math.nan, math.nan
        return n_leaves

    def _grow_by(self, run, weight, candidates):
        state = self.state
        memory = self.memory
        numbers = len(memory.fixed)
        columns = candidates.columns
        guess = self.form if self.numbers == numbers else None
        sums, sizes = run("begin", numbers, guess, columns)
        shared = len(weight) == 1
        common = weight[0] if shared else 1.0
        k = self._exponent(run, sizes, 0)
        m = max(math.frexp(common)[1], -LEAST) if shared else self._exponent(run, sizes, 1)
        write = interpreted(write_format)
        if not write(state, numbers - 1, self.n_in_all, k, m, common, shared):
            return 0
        form = tuple(state[name] for name in FORMAT)
        if form != guess:
            sums, _ = run("root", form)
        self.form = form
        self.numbers = numbers
        lost, total, mass = sums[:3].tolist()
        if lost * ALLOWED > self.n_in_all:
            return LOST
        compiled(init_root)(self.limits, memory, self.n_in_all, total, mass)
        histograms = sums[3:]
        searching = True
        while searching:
            self._take(histograms, len(columns))
            compiled(search_cuts)(
                self.table, self.limits, candidates, 0, len(columns), memory, self.scratch[0], 1
            )
            searching = compiled(split_nodes)(
                self.table, self.limits, candidates, memory, self.scratch[0]
            )
            if filled_slots(state, self.nodes):
                histograms, _ = run("split", *self._new_nodes())
        compiled(number_leaves)(self.table, self.limits, memory)
        return int(state.leaves)

    def _exponent(self, run, sizes, k):
        """Return the exponent of the targets (k = 0) or weights (k = 1), as ``exponent`` does."""
        total = sum_in_order(sizes[:, k])
        by = 0
        if total != total:
            return NEVER
        if 0.0 < total < TINY or total == math.inf:
            largest = run("largest", k)[1].max()
            if not largest < math.inf:
                return NEVER
            by = max(math.frexp(largest)[1], -LEAST)
            total = sum_in_order(run("scaled_sizes", k, math.ldexp(1.0, -by))[1][:, 0])
        return max(math.frexp(total)[1] + by, -LEAST)

    def _take(self, histograms, n_columns):
        """Put the sums of the parts into the slots of their nodes."""
        slots = filled_slots(self.state, self.nodes)
        if slots:
            numbers, _, _, n_codes = self.memory.histograms.shape
            shape = (numbers, len(slots), n_columns, n_codes)
            self.memory.histograms[:, slots, :n_columns] = histograms.reshape(shape)

    def _new_nodes(self):
        """Return the arguments of ``PartGrower.split``: the new nodes, and those above them."""
        first, stop = int(self.state.first), int(self.state.nodes)
        parents = np.unique(self.nodes["parent"][first:stop])
        flags = np.packbits(self.goes_left[parents], axis=1, bitorder="little")
        return first, self.nodes[first:stop].copy(), parents, self.nodes[parents], flags

    def complete(self):
        """Return the arguments of ``PartGrower.finish``."""
        n = int(self.state.nodes)
        flags = np.packbits(self.goes_left[:n], axis=1, bitorder="little")
        return self.nodes[:n].copy(), flags

    def _keep(self, run, trees, j, metric):
        """Store the tree; return its correlation and length, see ``unit_values``."""
        values = trees.values[j]
        none = np.zeros(0)
        corr, length = compiled(keep_tree)(trees, Kept(none, trees, j), self.memory, none)
        if metric:
            n_nodes = int(self.state.nodes)
            n_leaves, largest, _, _ = interpreted(scaled_values)(
                self.state, self.nodes, n_nodes, None, values
            )
            _, sums = run("sums_over_rows", values[:n_leaves].copy())
            size = math.sqrt(sum_in_order(sums[:, 0]))
            values[:n_leaves] /= size
            corr, length = sum_in_order(sums[:, 1]) / size, size * largest
        return corr, length
