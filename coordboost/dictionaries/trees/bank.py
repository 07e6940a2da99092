"""The bank of a run whose learners are trees: they are kept as trees, never as columns."""

import math

import numpy as np

from coordboost._protocol import DICTIONARY
from coordboost.dictionaries.trees.forest import Forest
from coordboost.dictionaries.trees.nodes import Tree
from coordboost.dictionaries.trees.prefixes import norm
from coordboost.dictionaries.trees.stored import Standing, Trees, combined


class TreeBank:
    """Trees by number, in the order of their growth: a dictionary without end.

    Parameters
    ----------
    family : object with ``binned``, ``growth``, ``penalty``, ``newton``, and ``at(rows)``
        What grows.
    weight : (n_samples,)
        The metric in which trees are unit vectors.
    trees : Trees, optional
        Those to begin with.
    member : int64 (n_trees,), optional
        Their families, where there are some.
    """

    countable = False

    def __init__(self, family, weight, trees=None, member=None):
        self.family, self.weight, self._forest = family, weight, None
        self._trees = Trees.empty(0, family.growth.max_leaves) if trees is None else trees
        self._member = np.full(len(self._trees.n_leaves), -1, dtype=np.int64) if member is None else member
        DICTIONARY.complete(self)

    @property
    def binned(self):
        """The features in bins."""
        return self.family.binned

    @property
    def n_samples(self):
        return self.family.n_samples

    @property
    def n_learners(self):
        """Trees grown so far."""
        return len(self._trees.n_leaves) if self._forest is None else int(self._forest.state.n)

    @property
    def n_groups(self):
        """Features."""
        return self.binned.n_features

    @property
    def takes_noise(self):
        """Whether leaf values are means of the gradient."""
        return not (self.family.newton or self.family.growth.monotone.any())

    @property
    def held(self):
        """The trees, and perhaps room for more."""
        return self._trees if self._forest is None else self._forest.trees

    @property
    def trees(self):
        """The trees grown so far."""
        return self._trees if self._forest is None else self.held.cut(self.n_learners)

    def saved(self, n):
        """The first n trees, and the family, as plain arrays."""
        return self.family.saved(self.trees.trimmed(n), self.member[:n])

    @property
    def families(self):
        """The table of the families of trees, None where there are none."""
        return self.family.families if len(self.family.families.bound) else None

    @property
    def member(self):
        """The family of each tree grown so far, int64 (n_learners,); -1 of a tree that was not grown for one."""
        return self._member if self._forest is None else self._forest.prefixes.member[: self.n_learners]

    def lengths(self):
        """The length of each tree grown so far as a learner of its family, (n_learners,)."""
        bound, q, trees = self.family.families.bound, self.family.families.q, self.trees
        return np.array([bound[k] / norm(trees.values[j, : trees.n_leaves[j]], q) for j, k in enumerate(self.member)])

    def bank(self):
        """A bank of its own with the same trees."""
        return TreeBank(self.family, self.weight, self.trees, self.member.copy())

    def room(self, n):
        """The forest with room for `n` more trees: what a loop works on."""
        if self._forest is None:
            self._forest = Forest.of(self.family, self.weight, self._trees, self._member)
        self._forest = self._forest.with_room(self.n_learners + n)
        return self._forest

    def forget(self, n):
        """Know the first `n` trees only."""
        self._trees, self._member = self.trees.cut(n), self.member[:n].copy()
        self._forest = None

    def bound(self, v):
        """Of the correlations of all trees no bound is known: growing one is no proof."""
        return math.inf

    def column(self, j):
        one = np.zeros(j + 1)
        one[j] = 1.0
        return self.combine(one)

    def correlations(self, v, index):
        return np.array([self.column(j) @ v for j in index])

    def combine(self, beta):
        """B beta, (n_samples,). *Cost*: n_samples times the depth for each tree with a coefficient; rows in threads."""
        return combined(self.binned, self.held, beta)

    def tree(self, j):
        """Tree j, a ``Tree``: a unit vector, its leaves may be applied to other rows in the same bins."""
        return Tree.of(self.held, j, self.binned)

    def splits(self, j):
        """What each node of tree j asks, a list of ``Split``, None for a leaf."""
        binning = self.family.binning

        def cuts(g):
            return None if binning.labels[g] is not None else binning.thresholds(g)

        def label(g, code):
            return str(binning.labels[g][code]) if code < len(binning.labels[g]) else "missing"

        return self.tree(j).splits(binning.names, cuts, label)

    def text(self, j, by=1.0):
        """Tree j as text, a line for each split and leaf; values times `by`."""
        tree = self.tree(j)
        return tree._replace(values=by * tree.values).text(self.splits(j))

    def name(self, j):
        return f"tree {j}"

    def standing(self, rows):
        """The trees grown so far on the samples `rows`, a ``Binned``: a piece, and no copy."""
        return Standing(rows, self.held)

    def at(self, rows):
        """The same trees on new rows, a ``Binned``."""
        family = self.family.at(rows)
        return TreeBank(family, np.ones(family.n_samples), self.trees, self.member.copy())
