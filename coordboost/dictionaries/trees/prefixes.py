"""The beginnings of one tree: of all families that a step looks at, the trees are read off a single growth.

Where the leaf with the largest gain is split first, the tree with n splits is the first 2 n + 1 nodes of any larger one.
"""

import math
from typing import NamedTuple

import numpy as np

from coordboost._families import Families
from coordboost._generic import leaf
from coordboost.dictionaries.trees.fixed import mass, summed


class Prefixes(NamedTuple):
    """The families of a forest, to which its trees belong, and the tree that was grown last.

    member : int64 (room,), the family of each tree, -1 of a tree that was not grown for one
    spread : float64 (room,), 1 / (the q-norm of the leaf values of the unit vector): times a bound, the length of the learner
    grown : (n_samples,), the leaf of each sample in the tree that was grown last
    trial : float64 (n_samples,), predictions after a step that is thought of
    number : int64 (2, 2 max_leaves), of each node, and of each leaf of the tree that was grown, the leaf of a beginning
    """

    families: Families
    member: np.ndarray
    spread: np.ndarray
    grown: np.ndarray
    trial: np.ndarray
    number: np.ndarray

    @classmethod
    def of(cls, families, member, space, trees):
        """Those of `trees`, a ``Trees`` whose families are `member`."""
        n = len(families.bound)
        member = member if n else member[:0]
        grown = space.leaf[: len(space.leaf) if n else 0].copy()
        spread = np.array([1 / norm(trees.values[j, : trees.n_leaves[j]], families.q) for j in range(len(member))])
        return cls(
            families, member, spread, grown, np.zeros(len(grown)), np.zeros((2, len(space.nodes) if n else 0), dtype=np.int64)
        )

    def with_room(self, n):
        """The same with room for n trees in all."""
        more = max(0, n - len(self.member)) if len(self.families.bound) else 0
        member = np.concatenate([self.member, np.full(more, -1, dtype=np.int64)])
        return self._replace(member=member, spread=np.concatenate([self.spread, np.ones(more)]))


@leaf
def norm(values, q):
    """``sum(abs(values) ** q) ** (1 / q)``, the largest for q = inf."""
    largest, out = 0.0, 0.0
    for i in range(len(values)):
        largest = max(largest, abs(values[i]))
    if largest == 0.0 or q == math.inf:
        return largest
    for i in range(len(values)):
        out += (abs(values[i]) / largest) ** q
    return largest * out ** (1.0 / q)


@leaf
def cut_back(space, prefixes, n_splits, values):
    """Make of the tree that was grown the one with `n_splits` splits: the leaves of the samples, and `values` of a unit vector.

    Returns
    -------
    corr, spread : the product of the target with the unit vector; 1 / (the q-norm of its values)
    """
    families, form, m = prefixes.families, space.form, min(2 * n_splits + 1, space.count.nodes)
    n_leaves = name_leaves(space, prefixes, m)
    power = 1.0 / (families.q - 1.0) if families.q > 1.0 else math.inf
    largest = 0.0
    for at in range(m):
        node = space.nodes[at]
        if node.feature < 0 or node.left >= m:
            largest = max(largest, abs(summed(form, node.sums) if families.sums else node.value))
    square, corr = 0.0, 0.0
    for at in range(m):
        node = space.nodes[at]
        if node.feature < 0 or node.left >= m:
            value = 1.0  # nothing to fit: the constant
            if largest > 0 and families.sums:
                size = (abs(summed(form, node.sums)) / largest) ** power
                value = size if summed(form, node.sums) > 0 else -size
            elif largest > 0:
                value = node.value / largest
            values[prefixes.number[0, at]] = value
            square += mass(form, node.tallies) * value * value
            corr += summed(form, node.sums) / form.scale * value
    size = math.sqrt(square)
    for one in range(n_leaves):
        values[one] /= size
    values[n_leaves:] = 0.0
    return corr / size, 1.0 / norm(values[:n_leaves], families.q)


@leaf
def name_leaves(space, prefixes, m):
    """The leaves of the tree of the first m nodes, in the order of their nodes, and those of the samples; how many."""
    nodes, number, n_leaves = space.nodes, prefixes.number, 0
    for at in range(space.count.nodes):
        node = nodes[at]
        if at < m and (node.feature < 0 or node.left >= m):
            number[0, at] = n_leaves
            n_leaves += 1
        if node.feature < 0:
            number[1, node.leaf] = number[0, at]
        elif node.left >= m:
            number[0, node.left] = number[0, node.right] = number[0, at]
    for i in range(len(prefixes.grown)):
        space.leaf[i] = number[1, prefixes.grown[i]]
    return n_leaves
