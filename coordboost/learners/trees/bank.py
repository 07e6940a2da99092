"""The bank of a run whose learners are trees: stored as trees, never as columns."""

import functools
import math
from typing import NamedTuple

import numpy as np

from coordboost._numba import compiled
from coordboost.learners.base import Learners
from coordboost.learners.trees.forest import Forest, Nodes, edges_of
from coordboost.learners.trees.grower import Grower
from coordboost.learners.trees.histogram import NARROW
from coordboost.learners.trees.tree import (
    SET,
    Tree,
    Trees,
    cut_back,
    keep_nodes,
    norm,
    refit_leaves,
    to_unit_norm,
)

#: The smallest normal number.
TINY = np.finfo(np.float64).tiny
#: The nodes of no tree.
NO_NODES = Nodes.of(Trees.empty(0, 1))


class _CurrentTree(NamedTuple):
    leaf: np.ndarray
    values: np.ndarray


class CurrentTree(_CurrentTree, Learners):
    """The current tree as a dictionary of one learner: ``B_0 = values[leaf]``."""

    def add(self, j, a, v):
        for i in range(len(v)):
            v[i] += a * self.values[self.leaf[i]]

    def fill_column(self, j, out):
        for i in range(len(out)):
            out[i] = self.values[self.leaf[i]]


class TreeBank(Learners):
    """Trees, numbered in the order in which they grew: a dictionary that grows.

    Parameters
    ----------
    family : object with ``binned``, ``growth``, ``penalty``, ``newton``, and ``at(rows)``
        The family of the trees.
    weight : (n_samples,)
        The metric in which trees are unit vectors.
    trees : Trees, optional
        The trees to begin with.
    member : int64 (n_trees,), optional
        The family of each of these trees, if there are families.
    """

    countable = False
    scan = None  # type: ignore[assignment]  # an implicit dictionary

    def __init__(self, family, weight, trees=None, member=None):
        self.family = family
        self.weight = weight
        # the trees, perhaps with room for more
        self.store = Trees.empty(0, family.growth.max_leaves) if trees is None else trees
        self.n_learners = len(self.store.n_leaves)
        self._member = np.full(self.n_learners, -1, dtype=np.int64) if member is None else member
        # the number of the current tree, -1 for none
        self.seen = -1
        # the length of the last tree before normalisation
        self.length = 0.0
        # the nodes of the trees that have been evaluated
        self._nodes = NO_NODES

    def __getstate__(self):
        """Return the state for copy and pickle: the trees, without the memory in which they grew
        and without what follows from them.
        """
        memory = ("grower", "current", "model", "key")
        state = {key: value for key, value in vars(self).items() if key not in memory}
        return state | {"seen": -1, "_nodes": None, "store": self.store.packed()}

    def __setstate__(self, state):
        vars(self).update(state, _nodes=NO_NODES, store=Trees.unpacked(state["store"]))

    @property
    def binned(self):
        """The binned features."""
        return self.family.binned

    @property
    def n_samples(self):
        return self.family.n_samples

    @property
    def n_groups(self):
        """Number of columns of the table."""
        return self.family.binning.n_columns

    @property
    def takes_noise(self):
        """Whether leaf values are means of the gradient, so that noise may be added to it."""
        return not (self.family.newton or self.family.growth.monotone.any())

    @property
    def trees(self):
        """The trees grown so far, a copy."""
        return self.store.cut(self.n_learners)

    def saved(self, n):
        """Return the first n trees and the family as plain arrays."""
        return self.family.saved(self.trees.trimmed(n), self.member[:n])

    @property
    def families(self):
        """The table of families, None if there are none."""
        return self.family.families if len(self.family.families.bound) else None

    @property
    def member(self):
        """The family of each tree grown so far, -1 for none, int64 (n_learners,)."""
        return self._member[: self.n_learners]

    def lengths(self):
        """Return the norm of each tree grown so far, scaled to the bound of its family,
        (n_learners,).
        """
        table = self.family.families
        values = self.store.values
        return np.array(
            [table.bound[k] / norm(values[j], table.q) for j, k in enumerate(self.member)]
        )

    def bank(self):
        """Return an independent bank with the same trees."""
        bank = TreeBank(self.family, self.weight, self.trees, self.member.copy())
        bank._nodes = self._nodes
        return bank

    def without_data(self):
        """Return a bank of the same trees without the binned table."""
        return TreeBank(self.family.without_data(), None, self.trees, self.member.copy())

    def room(self, n):
        """Allocate room for `n` more trees, and return the bank itself."""
        self.store = self.store.with_room(self.n_learners + n)
        added = np.full(len(self.store.n_leaves) - len(self._member), -1, dtype=np.int64)
        if len(added):
            self._member = np.concatenate([self._member, added])
        return self

    def forget(self, n):
        """Drop all but the first `n` trees."""
        self.store = self.store.cut(n)
        self._member = self._member[:n].copy()
        self._nodes = self._nodes.cut(min(n, self._nodes.n_trees))
        self.n_learners = n
        self.seen = -1

    @property
    def feature(self):
        """The feature that splits the root of each tree, 0 for one leaf alone, (n_learners,)."""
        return np.maximum(self.store.feature[: self.n_learners, 0], 0)

    @functools.cached_property
    def grower(self):
        """The memory in which trees grow."""
        return Grower(self.binned, self.family.growth)

    @functools.cached_property
    def current(self):
        """The current tree, on the samples of the bank."""
        return CurrentTree(self.grower.leaf, np.zeros(self.family.growth.max_leaves))

    @functools.cached_property
    def _leaf_weight(self):
        """Weights for leaf values: one number if all are equal.

        With Newton's leaf values, an array for second derivatives.
        """
        if self.family.newton:
            return np.ones(self.n_samples)
        return self.weight[:1].copy() if (self.weight == self.weight[0]).all() else self.weight

    @functools.cached_property
    def _metric(self):
        """Weights in which a tree on all rows is a unit vector, empty if those of its leaves."""
        return self.weight if self.family.newton else np.zeros(0)

    @functools.cached_property
    def _wide(self):
        """Whether a histogram needs two numbers for each entry, one of them the weight."""
        weighted = self.family.newton or len(self._leaf_weight) > 1
        return weighted or self.n_samples >= 1 << NARROW

    @functools.cached_property
    def _features(self):
        """All features."""
        return np.arange(self.family.binning.n_features)

    def see(self, j):
        """Make tree j the current one."""
        if self.seen != j:
            self.forest.leaves(j, self.current.leaf)
            self.current.values[:] = self.store.values[j]
            self.seen = j

    def find(self, v):
        """Grow a tree that fits `v` and add it to the bank; return its number and correlation."""
        return self._find_by(v, self._features)

    def find_in(self, v, groups):
        """Do the same as `find`, with splits by the columns `groups` only."""
        return self._find_by(v, self.family.binning.features_of(groups))

    def _find_by(self, v, groups):
        """Do the same as `find`, with splits by some features only.

        A tree whose splits and leaf values are those of a random subsample is a unit vector on all
        rows.
        """
        j = self.n_learners
        drawn = self.family.growth.subsample < 1
        stored = (np.zeros(0) if drawn else self._metric, self.store, j)
        n_leaves = self._grow(v, groups, kept=stored, sample=j if drawn else None)
        corr, self.length = self.grower.fit
        if drawn and n_leaves > 0:
            values = self.store.values[j]
            sums = self.grower.sums_over_rows(self.weight, v, values)
            corr, norm_on_all = compiled(to_unit_norm)(*sums, values)
            self.length *= norm_on_all
            if corr < 0 and self.family.growth.monotone.any():
                corr = 0.0  # no step: a step back along a tree that may only rise would fall
        self._add(n_leaves)
        return j, corr

    def _grow(self, target, features, **options):
        """Grow a tree. Return its number of leaves; 0 if a number is not finite."""
        shared = (self._leaf_weight, features, self.family.penalty, self._wide)
        return self.grower.grow(target, *shared, **options)

    def _add(self, n_leaves):
        """Number the tree just grown and make it the current one; with no leaves it is none."""
        j = self.n_learners
        self.n_learners = j + 1
        if n_leaves == 0:
            self.seen = -1
            self.store.n_leaves[j] = 1
        else:
            self.seen = j
            self.current.values[:] = self.store.values[j]

    def least_risk(self, v, drawn, revisit, risk, less):
        """Grow one tree for `v`, and select among its prefixes by least risk.

        There is one prefix per family of `drawn`. Return (number, correlation).

        revisit : whether the trees so far compete, too
        risk : function of (number, family, correlation)
        less : function of (risk, family, other risk, other family), whether the first risk is less
        """
        n = self.n_learners
        max_leaves = max(1, int(self.family.families.nodes[drawn].max())) + 1
        if self._grow(v, self._features, max_leaves=max_leaves) == 0:
            self._member[n] = drawn[0]
            self._add(0)
            return n, math.nan
        prefixes = Prefixes(self)
        best = None
        candidates = [(n, f) for f in drawn]
        if revisit:
            candidates = [*enumerate(self._member[:n]), *candidates]
        for j, f in candidates:
            if f < 0:
                continue
            if j < n:
                self.see(j)
                corr = self.grower.sums_over_rows(self.weight, v, self.current.values)[1]
            else:
                corr = prefixes.show(f)
            candidate_risk = risk(j, f, corr)
            if best is None or less(candidate_risk, f, *best[:2]):
                best = (candidate_risk, f, j, corr)
        _, f, j, corr = best
        if j == n:
            prefixes.keep(f)
        return j, corr

    def reach(self, j):
        """Return the bound of the family of tree j, and the norm of the tree scaled to it."""
        self.see(j)
        bound = self.family.families.bound[self._member[j]]
        return bound, bound / norm(self.current.values, self.family.families.q)

    def measure(self, write_curvature):
        """Use the second derivatives at the model as weights of the next tree, if it is Newton's.

        They are written by `write_curvature`.
        """
        if self.family.newton:
            write_curvature(self._leaf_weight)

    def refit(self, j, v, scale, key):
        """Refit the leaves of the tree just grown to `v` and white noise.

        Return the length of the new fit.
        """
        grower = self.grower
        values = self.store.values[j]
        self.length = compiled(refit_leaves)(
            grower.state,
            grower.nodes,
            self.family.growth.l2,
            grower.leaf_sums(v),
            scale,
            key,
            values,
        )
        self.current.values[:] = values
        return self.length

    def fitted(self, corr):
        """Return the length of the last tree before normalisation."""
        return self.length

    @property
    def leafwise(self):
        """Whether each leaf may take a value of its own.

        Not under monotone constraints, nor for trees that families share.
        """
        return self.families is None and not self.family.growth.monotone.any()

    def leaf_steps(self, j):
        """Return the leaf of each sample in tree j, and the values of its leaves, a copy.

        Tree j is the tree just grown.
        """
        self.see(j)
        return self.current.leaf, self.length * self.current.values[: self.store.n_leaves[j]]

    def take_leaf_steps(self, j, steps, whole):
        """Give the leaves of the tree just grown the values `steps`.

        Return the length of the new fit.

        whole : the values minimise the losses of the leaves: the ridge penalty, the smoothing of
        categories and the largest step still apply
        """
        weight = np.bincount(self.current.leaf, self.weight, len(steps))
        values = self.store.values[j]
        growth = self.family.growth
        if whole:
            nodes = self.grower.nodes[: self.grower.state.nodes]
            l2 = growth.l2 + nodes["smoothing"][nodes["feature"] < 0]
            steps = np.where(l2 > 0, steps * (weight / np.maximum(weight + l2, TINY)), steps)
            steps = np.clip(steps, -growth.max_delta_step, growth.max_delta_step)
        self.length = float(np.sqrt(weight @ (steps * steps)))
        if self.length > 0:
            values[: len(steps)] = steps / self.length
            self.current.values[:] = values
        return self.length

    def bound(self, v):
        """Return infinity: growing a tree proves no bound on the correlations of all trees."""
        return math.inf

    def column(self, j):
        beta = np.zeros(j + 1)
        beta[j] = 1.0
        return self.combine(beta)

    def correlations(self, v, index):
        return np.array([self.column(j) @ v for j in index])

    def combine(self, beta):
        """Return B beta, (n_samples,).

        *Cost*: n_samples times the depth for each tree with a coefficient, on threads.
        """
        return self.forest.combine(beta)

    def steps(self, beta):
        """Return the shape function of each feature over its codes.

        It is (n_features, 8 SET); with it come the features with a coefficient.

        Raises
        ------
        ValueError
            If a tree with a coefficient has more than one split.
        """
        learners = np.flatnonzero(beta)
        trees = self.store
        deep = learners[trees.n_leaves[learners] > 2]
        if len(deep):
            n_leaves = int(trees.n_leaves[deep[0]])
            raise ValueError(
                f"a shape function needs trees with one split (max_depth=1), but tree {deep[0]} "
                f"has {n_leaves} leaves."
            )
        values = np.zeros((self.family.binning.n_features, 8 * SET))
        left = trees.left
        feature = self.feature
        for j in learners:
            inside = np.unpackbits(trees.goes_left[j, 0], bitorder="little")
            sides = left[j, [1, 2]] if trees.n_leaves[j] > 1 else [0, 0]
            values[feature[j]] += beta[j] * np.where(inside, *trees.values[j, sides])
        return values, np.unique(feature[learners])

    def tree(self, j):
        """Return tree j, a ``Tree``: a unit vector.

        It can be applied to other rows in the same bins.
        """
        return Tree.of(self.store, j, self.family.binning)

    def splits(self, j):
        """Return the condition of each node of tree j, a list of ``Split``, None for a leaf."""
        return self.tree(j).splits(self.family.binning)

    def text(self, j, by=1.0):
        """Return tree j as text, one line per split and leaf; values are multiplied by `by`."""
        tree = self.tree(j)
        return tree._replace(values=by * tree.values).text(self.splits(j))

    def name(self, j):
        return f"tree {j}"

    @property
    def forest(self):
        """The trees grown so far on the samples of the bank, a ``Forest``."""
        return self.standing(self.binned)

    def standing(self, rows):
        """Return the trees grown so far on the samples `rows`, as a piece.

        `rows` is a ``Binned``; nothing is copied.
        """
        n_known = self._nodes.n_trees
        if n_known < self.n_learners:
            self._nodes = self._nodes.joined(Nodes.of(self.store, n_known, self.n_learners))
        return Forest(rows, self.store, self._nodes)

    at = standing

    def edges(self):
        """Return which neighbouring codes of each feature the trees tell apart.

        See ``Binning.coarse``.
        """
        return edges_of(self.store, self.n_learners, self.family.binning.n_features)


class Prefixes:
    """The prefixes of the tree that a bank has just grown: its trees for the families.

    See ``tree.py``. The tree gets the number of the next one.
    """

    def __init__(self, bank):
        families = bank.family.families
        self.bank = bank
        self.j = bank.n_learners
        bank.grower.keep_leaves()
        self.number = np.zeros(len(bank.grower.nodes), dtype=np.int64)
        self.n_nodes = -1  # of the prefix last shown
        self.corr = 0.0
        # leaf values are powers of the sums of the leaves; None for the fitted values
        self.power = None
        if families.sums:
            self.power = 1 / (families.q - 1) if families.q > 1 else math.inf

    def show(self, f):
        """Make the prefix for family f the current tree; return its correlation."""
        bank = self.bank
        grower = bank.grower
        values = bank.store.values[self.j]
        n_nodes = min(2 * int(bank.family.families.nodes[f]) + 1, int(grower.state.nodes))
        bank._member[self.j] = f
        if bank.seen != self.j or n_nodes != self.n_nodes:
            self.corr, _ = compiled(cut_back)(
                grower.state, grower.nodes, n_nodes, self.power, self.number, values
            )
            grower.relabel(self.number)
            bank.current.values[:] = values
            bank.seen = self.j
            self.n_nodes = n_nodes
        return self.corr

    def keep(self, f):
        """Add the prefix for family f to the bank."""
        bank = self.bank
        grower = bank.grower
        self.show(f)
        flags = grower.goes_left
        compiled(keep_nodes)(grower.state, grower.nodes, flags, self.n_nodes, bank.store, self.j)
        bank.n_learners += 1
