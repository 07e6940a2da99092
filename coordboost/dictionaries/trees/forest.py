"""Trees numbered in the order of their growth: a dictionary to which every step of a run may add one."""

import math
from typing import NamedTuple

import numpy as np

from coordboost._generic import generic, kernel, record
from coordboost._machine import apart
from coordboost._total import sum_of_losses
from coordboost.dictionaries.trees.grow import grow
from coordboost.dictionaries.trees.growth import Growth
from coordboost.dictionaries.trees.kept import keep, measured_by_leaves, measured_by_samples
from coordboost.dictionaries.trees.leaves import add_leaves, refit_leaves
from coordboost.dictionaries.trees.prefixes import Prefixes
from coordboost.dictionaries.trees.sift import most_splits, remember, sift, up_to
from coordboost.dictionaries.trees.stored import Trees, combined, fill_leaves
from coordboost.dictionaries.trees.tasks import GrownTogether, refresh_together, worth_threads
from coordboost.dictionaries.trees.workspace import Workspace

add = generic("add")
fill_column = generic("fill_column")
weigh = generic("weigh")


class Forest(NamedTuple):
    """The trees of a run, and all that the next one grows with: the kernels behind a ``TreeBank``.

    weight : (n_samples,) or (1,), the metric in which trees are unit vectors
    metric : (n_samples,) or (1,), the weights of leaf values: with `newton` second derivatives, else `weight`
    every : int64 (n_features,), all features;  penalty : (n_features,), what a split must gain in addition
    state : n, the trees so far; seen, the one whose leaves are in ``space.leaf``, or -1; length, that of the last fit; splits, those of
        a tree that is to be grown and not to be kept, else 0
    prefixes : the families of trees, where there are some
    """

    binned: object  # a Binned
    growth: Growth
    space: Workspace
    trees: Trees
    weight: np.ndarray
    metric: np.ndarray
    every: np.ndarray
    penalty: np.ndarray
    newton: int
    state: np.record
    prefixes: Prefixes

    @classmethod
    def of(cls, family, weight, trees, member):
        """A forest of a `TreeFamily` that begins with `trees`, whose families are `member`."""
        binned, growth, newton = family.binned, family.growth, family.newton
        weight = weight[:1].copy() if (weight == weight[0]).all() else weight
        metric = np.ones(binned.n_samples) if newton else weight
        every, state = (
            np.arange(binned.n_features, dtype=np.int64),
            record(n=len(trees.n_leaves), seen=-1, splits=0, length=0.0),
        )
        space = Workspace.of(binned, growth)
        prefixes = Prefixes.of(family.families, member, space, trees)
        forest = cls(binned, growth, space, trees, weight, metric, every, family.penalty, int(newton), state, prefixes)
        v = np.zeros(binned.n_samples)
        grow.ready(binned, growth, space, v, metric, every, forest.penalty)
        grow_one.ready(forest, v, every)
        return forest

    def with_room(self, n):
        """The same with room for `n` trees in all."""
        trees = self.trees.with_room(n)
        return self._replace(trees=trees, prefixes=self.prefixes.with_room(len(trees.n_leaves)))

    def find(self, v):
        """Grow the tree that fits `v` best and give it a number: (number, correlation); (-1, 0) where there is no room."""
        return grow_one(self, v, self.every)

    def find_in(self, v, groups):
        """The same with splits of the features `groups` only."""
        return grow_one(self, v, groups)

    def combine(self, beta):
        return combined(self.binned, self.trees, beta)

    def dot(self, j, v):
        see(self, j)
        leaves, values, out = self.space.leaf, self.trees.values[j], 0.0
        for i in range(len(v)):
            out += v[i] * values[leaves[i]]
        return out

    def add(self, j, a, v):
        see(self, j)
        add_leaves(self.space.leaf, self.trees.values[j], a, v)

    def add_and_refresh(self, j, a, loss, y, weight, base, pred, resid, even):
        see(self, j)
        refresh_together(self.space, self.trees.values[j], a, loss, y, weight, base, pred, resid, even)

    def fill_column(self, j, out):
        """``out = B_j``."""
        see(self, j)
        out[:] = 0.0
        add_leaves(self.space.leaf, self.trees.values[j], 1.0, out)

    def column(self, j):
        out = np.empty(len(self.space.leaf))
        fill_column(self, j, out)
        return out

    def reach(self, j):
        """The bound of the family of tree j, and the length of the tree in it."""
        bound = self.prefixes.families.bound[self.prefixes.member[j]]
        return bound, bound * self.prefixes.spread[j]

    def grow_drawn(self, v, drawn):
        """Grow the largest tree of the families `drawn`; its leaves."""
        self.state.splits = max(1, most_splits(self, drawn))
        n_leaves, _ = grow_one(self, v, self.every)
        self.state.splits = 0
        return n_leaves

    def sifted(self, view, v, n_leaves, step, beta, drawn, select, k):
        """The tree of the families `drawn` whose step leads to the least risk, with a number, and its correlation."""
        n = self.state.n
        j, corr = sift(self, view, v, n_leaves, step, beta, drawn, select, k)
        if j == n and n_leaves > 0:
            keep(
                self.trees,
                self.space,
                j,
                min(2 * self.prefixes.families.nodes[self.prefixes.member[j]] + 1, self.space.count.nodes),
            )
            self.state.n += 1
        return j, corr

    def after_in(self, view, j, theta):
        """The sum of the losses of an explicit view at pred + theta B_j."""
        trial = self.prefixes.trial
        for i in range(len(trial)):
            trial[i] = view.pred[i]
        add(self, j, theta, trial)
        return sum_of_losses(view.loss, view.y, view.weight, view.base, trial)

    def measure(self, view):
        """Take the second derivatives at the model as weights of the next tree, where it wants them."""
        if self.newton:
            weigh(view, self.metric)

    def refit(self, j, v, scale, key):
        """The leaves of the tree just grown, fitted to `v` and white noise; their length."""
        self.state.length = refit_leaves(self.trees, self.space, self.growth.l2, j, v, scale, key)
        return self.state.length

    def fitted(self, corr):
        """How long the last tree was before it became a unit vector."""
        return self.state.length

    def crew(self, n_features, v, model):
        """The context in which a run has several threads; None where one is enough.

        n_features : how many are searched, None: all;  v : what trees are grown for
        model : what `add_and_refresh` takes from the loss on, or None
        """
        if not worth_threads(self.binned.n_samples * (n_features or self.binned.n_features)):
            return None
        return GrownTogether(self.binned, self.growth, self.space, v, self.metric, self.penalty, model)


@kernel
def see(forest, j):
    """Have the leaves of tree j in ``space.leaf``."""
    if forest.state.seen != j:
        trees = forest.trees
        fill_leaves(forest.binned.codes, trees.feature[j], trees.left[j], trees.goes_left[j], forest.space.leaf)
        forest.state.seen = j


@apart
def grow_one(forest, v, features):
    """Grow a tree on these features, and keep it as a unit vector; or only grow one of so many splits as the state asks for."""
    splits = forest.state.splits
    if forest.state.n >= len(forest.trees.n_leaves):
        return -1, 0.0
    growth = up_to(forest.growth, splits if splits > 0 else forest.growth.max_leaves - 1)
    n_leaves = grow(forest.binned, growth, forest.space, v, forest.metric, features, forest.penalty)
    if splits > 0:
        remember(forest)
        return n_leaves, 0.0
    return keep_grown(forest, v, n_leaves)


@kernel
def keep_grown(forest, v, n_leaves):
    """Give the tree that was grown for `v` a number, and keep it as a unit vector: (number, correlation)."""
    j, space, state = forest.state.n, forest.space, forest.state
    state.n += 1
    if n_leaves == 0:
        state.seen, state.length = -1, math.nan
        forest.trees.n_leaves[j] = 1
        return j, math.nan
    state.seen = j
    keep(forest.trees, space, j, space.count.nodes)
    values, largest = space.values[:n_leaves], 0.0
    for one in range(n_leaves):
        largest = max(largest, abs(values[one]))
    fit = largest
    if fit == 0.0:  # nothing to fit: the constant
        largest = 1.0
        values[:] = 1.0
    if forest.newton:
        square, corr = measured_by_samples(space, forest.weight, v, largest)
    else:
        square, corr = measured_by_leaves(space, largest)
    size = math.sqrt(square)
    for one in range(n_leaves):
        forest.trees.values[j, one] = values[one] / largest / size
    state.length = size * fit
    return j, corr / size
