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
    unit_on_all,
)

#: The smallest normal number.
TINY = np.finfo(np.float64).tiny
#: The nodes of no tree.
NO_NODES = Nodes.of(Trees.empty(0, 1))


class _Hand(NamedTuple):
    leaf: np.ndarray
    values: np.ndarray


class Hand(_Hand, Learners):
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
        self.family, self.weight = family, weight
        # perhaps with room for more
        self.held = Trees.empty(0, family.growth.max_leaves) if trees is None else trees
        self.n_learners = len(self.held.n_leaves)
        self._member = np.full(self.n_learners, -1, dtype=np.int64) if member is None else member
        # the current tree; the length of the last one before normalisation
        self.seen, self.length = (-1, 0.0)
        # the nodes of the trees that have been evaluated
        self._nodes = NO_NODES

    def __getstate__(self):
        """Return the state for copy and pickle.

        It is the trees, without the memory in which they grew and without what follows from them.
        """
        kept = {key: value for key, value in vars(self).items() if key not in ("grower", "hand")}
        return kept | {"seen": -1, "_nodes": None, "held": self.held.packed()}

    def __setstate__(self, state):
        vars(self).update(state, _nodes=NO_NODES, held=Trees.unpacked(state["held"]))

    @property
    def binned(self):
        """The binned features."""
        return self.family.binned

    @property
    def n_samples(self):
        return self.family.n_samples

    @property
    def n_groups(self):
        """Number of features."""
        return self.family.binning.n_features

    @property
    def takes_noise(self):
        """Whether leaf values are means of the gradient, so that noise may be added to it."""
        return not (self.family.newton or self.family.growth.monotone.any())

    @property
    def trees(self):
        """The trees grown so far, a copy."""
        return self.held.cut(self.n_learners)

    def saved(self, n):
        """Return the first n trees and the family as plain arrays."""
        return self.family.saved(self.trees.trimmed(n), self.member[:n])

    @property
    def families(self):
        """The table of families, None if there are none."""
        return self.family.families if len(self.family.families.bound) else None

    @property
    def member(self):
        """The family of each tree grown so far, int64 (n_learners,).

        -1 for a tree that was grown for none.
        """
        return self._member[: self.n_learners]

    def lengths(self):
        """Return the norm of each tree grown so far, (n_learners,).

        It is scaled to the bound of its family.
        """
        table = self.family.families
        values = self.held.values
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
        self.held = self.held.with_room(self.n_learners + n)
        more = np.full(len(self.held.n_leaves) - len(self._member), -1, dtype=np.int64)
        self._member = np.concatenate([self._member, more]) if len(more) else self._member
        return self

    def forget(self, n):
        """Drop all but the first `n` trees."""
        self.held, self._member, self.seen = self.held.cut(n), self._member[:n].copy(), -1
        self._nodes = self._nodes.cut(min(n, self._nodes.n_trees))
        self.n_learners = n

    @property
    def feature(self):
        """The feature that splits the root of each tree, (n_learners,).

        0 for a tree of one leaf.
        """
        return np.maximum(self.held.feature[: self.n_learners, 0], 0)

    @functools.cached_property
    def grower(self):
        """The memory in which trees grow."""
        return Grower(self.binned, self.family.growth)

    @functools.cached_property
    def hand(self):
        """The current tree, on the samples of the bank."""
        return Hand(self.grower.leaf, np.zeros(self.family.growth.max_leaves))

    @functools.cached_property
    def _metric(self):
        """Weights for leaf values: one number if all are equal.

        With Newton's leaf values, an array for second derivatives.
        """
        if self.family.newton:
            return np.ones(self.n_samples)
        return self.weight[:1].copy() if (self.weight == self.weight[0]).all() else self.weight

    @functools.cached_property
    def _fixed(self):
        """Arguments of each growth.

        All features, their penalties, whether entries are wide, and the metric (weights) of the
        trees.
        """
        newton = self.family.newton
        two = newton or len(self._metric) > 1 or self.n_samples >= 1 << NARROW
        return (
            np.arange(self.n_groups),
            self.family.penalty,
            two,
            self.weight if newton else np.zeros(0),
        )

    def see(self, j):
        """Make tree j the current one."""
        if self.seen != j:
            self.forest.leaves(j, self.hand.leaf)
            self.hand.values[:] = self.held.values[j]
            self.seen = j

    def find(self, v):
        """Grow a tree that fits `v` and add it to the bank; return its number and correlation."""
        return self.find_in(v, self._fixed[0])

    def find_in(self, v, groups):
        """Do the same as `find`, with splits by the features `groups` only."""
        if self.family.growth.subsample < 1:
            return self._find_in_some(v, groups)
        (_, penalty, wide, metric), grower, j, trees = (
            self._fixed,
            self.grower,
            self.n_learners,
            self.held,
        )
        n_leaves = grower.grow(v, self._metric, groups, penalty, wide, kept=(metric, trees, j))
        self.n_learners, (corr, self.length) = j + 1, grower.fit
        if n_leaves == 0:
            self.seen, trees.n_leaves[j] = -1, 1
        else:
            self.seen, self.hand.values[:] = j, trees.values[j]
        return j, corr

    def _find_in_some(self, v, groups):
        """Do the same as `find_in`, with splits and leaf values from a random subsample.

        The tree is a unit vector on all rows.
        """
        (_, penalty, wide, _), grower, j, values = (
            self._fixed,
            self.grower,
            self.n_learners,
            self.held.values,
        )
        (drawn, others), metric = grower.draw(j), self._metric
        weight = metric if len(metric) == 1 else metric[drawn]
        n_leaves = grower.grow(
            v[drawn],
            weight,
            groups,
            penalty,
            wide,
            kept=(metric[:0], self.held, j),
            drawn=drawn,
        )
        self.n_learners, (_, self.length) = j + 1, grower.fit
        if n_leaves == 0:
            self.seen, self.held.n_leaves[j] = -1, 1
            return j, math.nan
        grower.write_other_leaves(others)
        corr, size = compiled(unit_on_all)(self.weight, v, self.hand.leaf, values[j])
        self.seen, self.hand.values[:], self.length = j, values[j], self.length * size
        if corr < 0 and self.family.growth.monotone.any():
            corr = 0.0  # no step: a step back along a tree that may only rise would fall
        return j, corr

    def least_risk(self, v, drawn, revisit, risk, less):
        """Grow one tree for `v`, and select among its prefixes by least risk.

        There is one prefix per family of `drawn`. Return (number, correlation).

        revisit : whether the trees so far compete, too
        risk : function of (number, family, correlation)
        less : function of (risk, family, other risk, other family), whether the first risk is less
        """
        table, grower, n, (every, penalty, wide, _) = (
            self.family.families,
            self.grower,
            self.n_learners,
            self._fixed,
        )
        splits = table.nodes[drawn]
        state = grower.state
        nodes = grower.nodes
        values = self.held.values[n]
        if (
            grower.grow(
                v, self._metric, every, penalty, wide, max_leaves=max(1, int(splits.max())) + 1
            )
            == 0
        ):
            self.n_learners, self.seen, self.held.n_leaves[n], self._member[n] = (
                n + 1,
                -1,
                1,
                drawn[0],
            )
            return n, math.nan
        best = None
        grown = grower.leaf.copy()
        number = np.zeros(len(nodes), dtype=np.int64)
        last = -1
        corr = 0.0
        power = (1 / (table.q - 1) if table.q > 1 else math.inf) if table.sums else None

        def begin(f):
            """Make the prefix for family f the current tree, numbered n; return its correlation."""
            nonlocal last, corr
            self._member[n], m = f, min(2 * int(table.nodes[f]) + 1, int(state.nodes))
            if m != last:
                corr, _ = compiled(cut_back)(
                    state, nodes, m, power, grown, number, grower.leaf, values
                )
                self.hand.values[:], self.seen, last = values, n, m
            return corr

        for j, f in [*enumerate(self._member[:n] if revisit else ()), *((n, f) for f in drawn)]:
            if f >= 0:
                if j < n:
                    self.see(j)
                    product = float(v @ self.hand.values[self.hand.leaf])
                    last = -1
                else:
                    product = begin(f)
                found = risk(j, f, product), f
                if best is None or less(*found, *best[:2]):
                    best = (*found, j, product)
        _, f, j, product = best
        if j == n:
            begin(f)
            compiled(keep_nodes)(state, nodes, grower.goes_left, last, self.held, n)
            self.n_learners += 1
        return j, product

    def reach(self, j):
        """Return the bound of the family of tree j, and the norm of the tree scaled to it."""
        self.see(j)
        bound = self.family.families.bound[self._member[j]]
        return bound, bound / norm(self.hand.values, self.family.families.q)

    def measure(self, write_curvature):
        """Use the second derivatives at the model as weights of the next tree.

        If it is Newton's; they are written by `write_curvature`.
        """
        if self.family.newton:
            write_curvature(self._metric)

    def refit(self, j, v, scale, key):
        """Refit the leaves of the tree just grown to `v` and white noise.

        Return the length of the new fit.
        """
        grower = self.grower
        scratch = self.hand.values
        values = self.held.values[j]
        self.length = compiled(refit_leaves)(
            grower.state,
            grower.nodes,
            grower.leaf,
            self.family.growth.l2,
            v,
            scale,
            key,
            scratch,
            values,
        )
        scratch[:] = values
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
        return self.hand.leaf, self.length * self.hand.values[: self.held.n_leaves[j]]

    def take_leaf_steps(self, j, steps, whole):
        """Give the leaves of the tree just grown the values `steps`.

        Return the length of the new fit.

        whole : the values minimise the losses of the leaves: the ridge penalty, the smoothing of
        categories and the largest step still apply
        """
        weight = np.bincount(self.hand.leaf, self.weight, len(steps))
        values = self.held.values[j]
        growth = self.family.growth
        if whole:
            nodes = self.grower.nodes[: self.grower.state.nodes]
            l2 = growth.l2 + nodes["smoothing"][nodes["feature"] < 0]
            steps = np.where(l2 > 0, steps * (weight / np.maximum(weight + l2, TINY)), steps)
            steps = np.clip(steps, -growth.max_delta_step, growth.max_delta_step)
        self.length = float(np.sqrt(weight @ (steps * steps)))
        if self.length > 0:
            values[: len(steps)] = steps / self.length
            self.hand.values[:] = values
        return self.length

    def bound(self, v):
        """Return infinity: growing a tree proves no bound on the correlations of all trees."""
        return math.inf

    def column(self, j):
        one = np.zeros(j + 1)
        one[j] = 1.0
        return self.combine(one)

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
        trees = self.held
        deep = learners[trees.n_leaves[learners] > 2]
        if len(deep):
            n_leaves = int(trees.n_leaves[deep[0]])
            raise ValueError(
                f"a shape function needs trees with one split (max_depth=1), but tree {deep[0]} "
                f"has {n_leaves} leaves."
            )
        values = np.zeros((self.n_groups, 8 * SET))
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
        return Tree.of(self.held, j, self.family.binning)

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
            self._nodes = self._nodes.joined(Nodes.of(self.held, n_known, self.n_learners))
        return Forest(rows, self.held, self._nodes)

    at = standing

    def edges(self):
        """Return which neighbouring codes of each feature the trees tell apart.

        See ``Binning.coarse``.
        """
        return edges_of(self.held, self.n_learners, self.n_groups)
