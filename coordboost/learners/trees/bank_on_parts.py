"""The bank of a run whose rows lie in parts: its trees are here, its rows are not."""

import functools
import hashlib
import weakref
from typing import NamedTuple

import numpy as np

from coordboost._numba.sums import BLOCK
from coordboost.learners.binned import Binned
from coordboost.learners.parts.engine import KEYS, Parts
from coordboost.learners.trees.bank import CurrentTree, TreeBank
from coordboost.learners.trees.forest import Forest, Nodes
from coordboost.learners.trees.on_parts import ClientGrower
from coordboost.learners.trees.tree import Trees


class BinsOnParts(Binned):
    """The bins of features whose codes lie in ``parts``, a ``Parts``: `codes` has no rows."""

    parts = None

    @classmethod
    def of(cls, parts, binned):
        """Return the bins of a ``Binned``, whose codes the parts have."""
        none = np.zeros((binned.n_features, 0), dtype=np.uint8)
        bins = cls(none, *binned[1:])
        bins.parts = parts
        return bins

    @property
    def n_samples(self):
        return self.parts.n_samples

    def same_codes(self, other):
        return other.parts is not None and digests(self.parts) == digests(other.parts)


def digest_blocks(part):
    """Return a hash of the codes of each block of a part, a list of pairs with its number."""
    cuts = np.split(part.codes, range(BLOCK, part.n_rows, BLOCK), axis=1)
    hashes = [hashlib.sha256(np.ascontiguousarray(codes)).hexdigest() for codes in cuts]
    return list(zip(part.blocks.tolist(), hashes, strict=True))


def digests(parts):
    """Return the hashes of all blocks, in their order."""
    return sorted(pair for pairs in parts.each(digest_blocks) for pair in pairs)


def predict_part(part, trees, beta):
    """Return B beta of the rows of a part, (n_blocks, BLOCK), the last block filled with zeros."""
    codes = Binned(part.codes, *[None] * 5)
    pred = Forest(codes, trees, Nodes.of(trees, 0, len(beta))).combine(beta)
    padded = np.zeros(len(part.blocks) * BLOCK)
    padded[: len(pred)] = pred
    return None, padded.reshape(-1, BLOCK)


class ForestOnParts(NamedTuple):
    """The first `n_trees` trees of a run, on rows that lie in `parts`."""

    parts: Parts
    store: Trees
    n_trees: int

    def further(self, n_known):
        """Return a copy of the trees after the first `n_known`."""
        return Trees(*(array[n_known : self.n_trees].copy() for array in self.store))


class PartsBank(TreeBank):
    """As ``TreeBank``, where the rows lie in parts.

    In place of a vector over the rows, its methods take the model state that has one on the parts.
    """

    #: The parts measure second derivatives themselves.
    measure = None  # type: ignore[assignment]
    #: Trees grown, and for these the round trips and the bytes received and sent.
    travelled = np.zeros(4, dtype=np.int64)
    #: The model on the parts for which trees are sought.
    model = None
    #: The name of this bank.
    key = None

    @property
    def parts(self):
        """The engine of parts on which the rows lie."""
        return self.binned.parts

    def bank(self):
        bank = PartsBank(self.family, self.weight, self.trees, self.member.copy())
        bank.travelled = self.travelled
        return bank

    @property
    def messages(self):
        """What travelled for each tree, on average, as text; empty if there is no tree."""
        n_trees, *counts = self.travelled
        if not n_trees:
            return ""
        trips, received, sent = np.array(counts) / n_trees
        return (
            f"a tree took {trips:.1f} round trips, {received / 1e6:.2f} MB received and "
            f"{sent / 1e3:.1f} kB sent"
        )

    @functools.cached_property
    def grower(self):
        family = self.family
        return ClientGrower(
            self.binned, family.growth, len(family.families.bound) > 0, self.n_samples
        )

    @functools.cached_property
    def current(self):
        """The current tree, without its leaves: only its values are here."""
        return CurrentTree(self.grower.leaf, np.zeros(self.family.growth.max_leaves))

    @functools.cached_property
    def _leaf_weight(self):
        """The weight of all samples, (1,); of length 0 if each sample has its own."""
        equal = not self.family.newton and (self.weight == self.weight[0]).all()
        return self.weight[:1].copy() if equal else np.zeros(0)

    @property
    def _wide(self):
        return len(self._leaf_weight) != 1 or super()._wide

    @property
    def seen(self):
        """The number of the current tree, -1 if the parts have the leaves of another one."""
        key, j = self.parts.seen
        return j if key == self.key else -1

    @seen.setter
    def seen(self, j):
        if self.key is None:
            self.key = next(KEYS)
        self.parts.seen = self.key, j

    def see(self, j):
        if self.seen != j:
            self.current.values[:] = self.store.values[j]
            self.model.tell("see", self.store.one(j), again=())
            self.seen = j

    def _grow(self, target, features, **options):
        self.model = weakref.proxy(target)
        before = self.parts.counts(0)
        n_leaves = super()._grow(target, features, **options)
        self.travelled = self.travelled + self.parts.counts(1) - before
        return n_leaves

    def combine(self, beta):
        """Return B beta, (n_samples,). *Cost*: the parts send 8 bytes a row."""
        beta = np.asarray(beta, dtype=np.float64)
        trees = self.store.cut(len(beta))
        _, blocks = self.parts.run(predict_part, trees, beta)
        return blocks.ravel()[: self.n_samples]

    def standing(self, rows):
        if rows.parts is not None:
            return ForestOnParts(rows.parts, self.store, self.n_learners)
        return super().standing(rows)

    def saved(self, n):
        raise ValueError(
            "the rows of this run lie in parts, not here: save it without them, by "
            "run.save(file, data=False)."
        )
