"""Verbs of a dictionary that follow from others: what a dictionary does not bring itself is done like this.

`self` is any dictionary; `v` has one entry per sample, `index`, `a`, `b` are arrays of learners, `weight` is (n_samples,).
"""

import numpy as np


def correlations(self, v, index):
    """<B_j, v> for the learners `index`. *Cost*: one scan."""
    return self.scan(v)[index]


def dot(self, j, v):
    """<B_j, v>."""
    return self.column(j) @ v


def add(self, j, a, v):
    """Add a * B_j to `v`, in place."""
    v += a * self.column(j)


def gather(self, index):
    """The learners `index` as a dense (n_samples, len(index)) matrix."""
    return np.column_stack([self.column(j) for j in index]) if len(index) else np.zeros((self.n_samples, 0))


def combine(self, beta):
    """B beta, (n_samples,). *Cost*: the columns with a coefficient."""
    support = np.flatnonzero(beta)
    return _gathered(self, support) @ beta[support]


def cross(self, a, b, weight):
    """The Gram entries <B_i, diag(weight) B_j> of the learners i in `a` and j in `b`, (len(a), len(b))."""
    left = _gathered(self, a)
    return (left.T * weight) @ (left if b is a else _gathered(self, b))


def gram(self, weight):
    """B' diag(weight) B, (n_learners, n_learners)."""
    every = np.arange(self.n_learners)
    return cross(self, every, every, weight)


def products(self, weight):
    """What gives Gram entries without columns: nothing."""
    return


def name(self, j):
    """What the learner is called in tables and figures."""
    return f"x{j}"


def _gathered(self, index):
    """The columns, by the dictionary's own verb where it has one."""
    own = getattr(self, "gather", None)
    return gather(self, index) if own is None else own(index)
