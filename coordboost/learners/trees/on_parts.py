"""A tree whose rows lie in parts: sums over rows are made there, and splits are chosen here.

The kernels are those of `grow`, and so are the trees, bit for bit. The client has the nodes, the
histograms and the cuts, and no rows; a part has its rows, and is told the nodes.

A trip to all parts a level: the root's histogram comes with the sizes of the targets, if the scale
of the whole numbers is that of the tree before, as it mostly is.

Where the leaf with the largest gain is split first, one leaf a trip would be sure. So several are
split that seem to be next. The tree is then chosen among all known nodes, in the exact order.
"""

import math
import weakref
from heapq import heappop, heappush

import numpy as np

from coordboost._numba import compiled, interpreted
from coordboost._numba.sums import BLOCK, first_rows
from coordboost.learners.trees.grow import (
    LOST,
    by_size,
    choose_features,
    fill_histograms,
    has_histogram,
    init_root,
    is_best_first,
    keep_tree,
    move_rows,
    number_leaves,
    search_cuts,
    split_open,
    write_leaves,
    write_rows,
)
from coordboost.learners.trees.grower import Grower
from coordboost.learners.trees.histogram import (
    ALLOWED,
    LEAST,
    NEVER,
    TINY,
    exponent_of,
    of_block,
    sum_of_sizes,
    write_format,
    write_sizes,
)
from coordboost.learners.trees.nodes import Kept, SplitFeatures, Targets
from coordboost.learners.trees.tree import scaled_values, write_block_sums

#: The fields of STATE that a part is told.
FORMAT = ("wide", "bits", "scale", "unit")
#: Most leaves that are split in one trip if the leaf with the largest gain is split first.
LEAVES_A_TRIP = 8


def with_guesses(growth, families):
    """Return the limits with room for twice the leaves, if some are split on a guess.

    families : whether a tree may have fewer leaves than the limits allow
    """
    if families or interpreted(is_best_first)(growth):
        growth = growth._replace(max_leaves=2 * growth.max_leaves)
    return growth


class PartGrower(Grower):
    """The rows of one part while a tree grows: sums are made here, and rows move here."""

    def begin(self, target, weight, numbers, form, columns, sample, lone):
        """Return (whole, floats): the root's sums, and by blocks sizes and numbers of samples.

        The sizes are those of targets and weights.

        form : the values of ``FORMAT``, with which the root is summed; None if it is not
        sample : as in ``Grower.grow``
        lone : the number of the only sample, if all parts have drawn none
        """
        self._with_numbers(numbers)
        drawn = self.others = None
        counts = np.minimum(BLOCK, self.n - first_rows(self.n))
        if sample is not None:
            drawn, self.others = self.draw(sample) if lone is None else self._own(lone)
            counts = np.bincount(drawn // BLOCK, minlength=len(self.starts))
            target = target[drawn]
            weight = weight if len(weight) == 1 else weight[drawn]
        self.targets = Targets(target, weight, drawn)
        self.columns_of_tree = columns
        sizes = self.memory.sizes
        for values, of_blocks in zip(self.targets[:2], sizes, strict=True):
            compiled(write_sizes)(values, drawn, of_blocks, 0, 1)
        whole = None if form is None else self.root(form)
        return whole, np.stack([*sizes, counts], axis=1)

    def _own(self, number):
        """Return the sample of this part with a number among those of all parts, and the others."""
        block = int(np.searchsorted(self.starts, number, side="right")) - 1
        ahead = number - int(self.starts[block])
        return self.split_off(block * BLOCK + ahead if block >= 0 and ahead < BLOCK else -1)

    def largest(self, k):
        """Return the largest size of the targets (k = 0) or weights (k = 1), by blocks."""
        return None, self._by_block(k, lambda values: np.abs(values).max(initial=0.0))

    def scaled_sizes(self, k, by):
        """Return the sums of sizes times `by`, by blocks."""
        return None, self._by_block(k, lambda values: interpreted(sum_of_sizes)(values, by))

    def _by_block(self, k, function):
        some = interpreted(of_block)
        values = self.targets[k]
        blocks = range(len(self.starts))
        return np.array([[function(some(values, self.targets.drawn, b))] for b in blocks])

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
        if self.others is not None:
            self.write_other_leaves(self.others)

    def block_sums(self, metric, v, values):
        """Return ``sums_over_rows`` of the tree by blocks, (n_blocks, 3)."""
        sums = np.zeros((len(self.starts), 3))
        compiled(write_block_sums)(metric, v, self.leaf, values, sums)
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
    """Grows trees whose rows lie in parts.

    In place of a vector over the rows, its methods take a model of the parts: an object with
    ``ask`` and ``tell``, of methods of ``PartModel``.

    binned : the bins without codes
    families : see ``with_guesses``
    n_in_all : number of rows of all parts
    """

    def __init__(self, binned, growth, families, n_in_all):
        self.growth = with_guesses(growth, families)
        super().__init__(binned, self.growth, n_in_all)
        self.most_leaves = growth.max_leaves
        self.model = None
        self.form = None  # of the tree before, with one or two numbers per sample
        self.numbers = 0

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
        """Grow one tree, see ``Grower.grow``.

        target : the model
        weight : (1,), the weight of all samples, or of length 0 if each has its own
        """
        self.model = weakref.proxy(target)
        self.max_leaves = max_leaves or self.most_leaves
        limits = self.limits._replace(max_leaves=self.max_leaves)
        self.best_first = interpreted(is_best_first)(limits)
        candidates = SplitFeatures(*self.columns.candidates(features), penalty)
        self.fit = math.nan, math.nan
        for numbers in (1, 2)[wide:]:
            self._with_numbers(numbers)
            n_leaves = self._grow_by(weight, candidates, sample)
            if n_leaves != LOST:
                break
        if n_leaves > 0 and kept[1] is not None:
            self.fit = self._keep(*kept)
        return n_leaves

    def _grow_by(self, weight, candidates, sample):
        state = self.state
        memory = self.memory
        numbers = len(memory.fixed)
        columns = candidates.columns
        guess = self.form if self.numbers == numbers else None
        question = numbers, guess, columns, sample
        sums, sizes = self.model.ask("begin", *question, None, begins=True)
        if sizes[:, 2].sum() == 0:
            sums, sizes = self.model.ask("begin", *question, self.lone(sample), begins=True)
        n_samples = int(sizes[:, 2].sum())
        shared = len(weight) == 1
        common = weight[0] if shared else 1.0
        k = self._exponent(sizes, 0)
        m = interpreted(exponent_of)(common) if shared else self._exponent(sizes, 1)
        write = interpreted(write_format)
        if not write(state, numbers - 1, n_samples, k, m, common, shared):
            return 0
        form = tuple(state[name] for name in FORMAT)
        if form != guess:
            sums, _ = self.model.ask("root", form)
        self.form = form
        self.numbers = numbers
        lost, total, mass = sums[:3].tolist()
        if lost * ALLOWED > n_samples:
            return LOST
        compiled(init_root)(self.limits, memory, n_samples, total, mass)
        histograms = sums[3:]
        while True:
            self._take(histograms, len(columns))
            compiled(search_cuts)(
                self.table, self.limits, candidates, 0, len(columns), memory, self.scratch[0], 1
            )
            compiled(choose_features)(self.limits, candidates, memory)
            order, chosen, last = self._next() if self.best_first else self._next_level()
            if not len(chosen):
                break
            self._split(candidates, chosen, last)
            if filled_slots(state, self.nodes):
                histograms, _ = self.model.ask("split", *self._new_nodes())
        self._complete(order)
        return int(state.leaves)

    def sums_over_rows(self, metric, v, values):
        _, sums = self.model.ask("sums_over_rows", values.copy())
        return tuple(sum_in_order(sums[:, k]) for k in range(3))

    def sums_of_leaves(self, v):
        return self.model.ask("leaf_sums", int(self.state.leaves))[1]

    def keep_leaves(self):
        self.model.tell("keep_leaves", again=())

    def relabel(self, number):
        self.model.tell("relabel", number.copy(), again=())

    def _next_level(self):
        """Return all nodes, those to be split, and whether their children are not split."""
        n = int(self.state.nodes)
        return np.arange(n), np.flatnonzero(self.nodes["open"][:n]), False

    def _next(self):
        """Split the leaf with the largest known gain first, in mind.

        Return the nodes of the tree in their order, those that must be split before that is known,
        and whether no child of these is split.
        """
        nodes = self.nodes
        most = self.max_leaves - 1
        order = []
        heap = []
        chosen = []
        new = [0]
        n_sure = n_splits = 0
        while True:
            for at in new:
                if (nodes[at].open or nodes[at].feature >= 0) and nodes[at].gain > 0.0:
                    heappush(heap, (-nodes[at].gain, len(order)))
                order.append(at)
            if not heap or n_splits == most or len(chosen) == LEAVES_A_TRIP:
                break
            at = order[heappop(heap)[1]]
            n_splits += 1
            if nodes[at].open:
                chosen.append(at)
                new = []
            else:
                left = int(nodes[at].left)
                new = [left, left + 1]
                n_sure += not chosen
        # of those chosen only the first one is sure: the others may not take the room of the rest
        room = self.max_leaves + most - int(self.state.leaves) - (most - n_sure) + 1
        last = len(chosen) == 1 and n_splits == most == n_sure + 1
        return np.array(order), chosen[:room], last

    def _split(self, candidates, chosen, last):
        """Split the nodes `chosen`; if they are the `last` ones, their children stay leaves."""
        state = self.state
        limits = self.limits._replace(max_leaves=0) if last else self.limits
        n = int(state.nodes)
        others = np.setdiff1d(np.flatnonzero(self.nodes["open"][:n]), chosen)
        self.nodes["open"][others] = 0
        state.first = n
        compiled(split_open)(self.table, limits, candidates, self.memory, self.scratch[0], 0, n)
        self.nodes["open"][others] = 1

    def _complete(self, order):
        """Keep the nodes of the tree, in their order, and number its leaves.

        The parts get all nodes: those below a leaf have its number.
        """
        state = self.state
        n = int(state.nodes)
        known = self.nodes[:n].copy()
        flags = self.goes_left[:n].copy()
        number = np.full(n, -1)
        number[order] = np.arange(len(order))
        tree = known[order]
        tree["parent"] = number[tree["parent"]]
        inner = np.flatnonzero(tree["feature"] >= 0)
        tree["left"][inner] = number[tree["left"][inner]]
        tree["feature"][inner[tree["left"][inner] < 0]] = -1
        self.nodes[: len(order)] = tree
        self.goes_left[: len(order)] = flags[order]
        state.nodes = len(order)
        state.leaves = (len(order) + 1) // 2
        compiled(number_leaves)(self.table, self.limits, self.memory)
        leaf = known["leaf"]
        leaf[order] = self.nodes["leaf"][: len(order)]
        for at in np.flatnonzero(number < 0):
            leaf[at] = leaf[known["parent"][at]]
        packed = np.packbits(flags, axis=1, bitorder="little")
        self.model.tell("finish", known, packed, again=())

    def _exponent(self, sizes, k):
        """Return the exponent of the targets (k = 0) or weights (k = 1), as ``exponent`` does."""
        total = sum_in_order(sizes[:, k])
        by = 0
        if total != total:
            return NEVER
        if 0.0 < total < TINY or total == math.inf:
            largest = self.model.ask("largest", k)[1].max()
            if not largest < math.inf:
                return NEVER
            by = max(math.frexp(largest)[1], -LEAST)
            sizes = self.model.ask("scaled_sizes", k, math.ldexp(1.0, -by))[1]
            total = sum_in_order(sizes[:, 0])
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

    def _keep(self, metric, trees, j):
        """Store the tree; return its correlation and length, see ``unit_values``."""
        values = trees.values[j]
        none = np.zeros(0)
        corr, length = compiled(keep_tree)(trees, Kept(none, trees, j), self.memory, none)
        if len(metric):
            n_nodes = int(self.state.nodes)
            n_leaves, largest, _, _ = interpreted(scaled_values)(
                self.state, self.nodes, n_nodes, None, values
            )
            square, product, _ = self.sums_over_rows(metric, None, values[:n_leaves])
            size = math.sqrt(square)
            values[:n_leaves] /= size
            corr, length = product / size, size * largest
        return corr, length
