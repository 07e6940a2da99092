"""Families of learners: the complexity of each family, and the family of each learner of a problem.

Source: Cortes, Mohri, Storcheus, *Regularized Gradient Boosting*, Section 3.
"""

from typing import NamedTuple

import numpy as np

from coordboost._utils.checks import real, shown


class Families(NamedTuple):
    """Families of learners H_1, ..., H_K, with a bound and a complexity each.

    The groups of a ``Problem`` assign its columns to families. Source: Cortes, Mohri, Storcheus,
    *Regularized Gradient Boosting*, Section 3.

    Parameters
    ----------
    bound : ndarray, (K,)
        lambda_k: no absolute value of a learner of family k is larger. For trees: the q-norm of the
        leaf values is lambda_k.
    complexity : ndarray, (K,)
        Omega_k, the complexity that the penalty charges for a learner of family k.
    nodes : ndarray of int, (K,), default 0 for each
        Maximum number of splits of a tree; 0 for families of given columns.
    q : float, default 2
        The norm of leaf values, from 1 to inf.
    sums : int, default 0
        1 if leaf values depend on the sums of the leaves, the steepest direction within the norm; 0
        if on their means.

    Examples
    --------
    Two families of columns; the second has ten times the complexity.

    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5], groups=[0, 1])
    >>> families = cb.learners.Families(bound=[2.0, 3.0], complexity=[0.1, 1.0])
    >>> run = cb.solve(problem, cb.rgb(penalty=1.0, families=families, n_candidates=None), 5)
    >>> run.path.learner
    array([0, 0, 0, 0, 0])
    """

    bound: np.ndarray
    complexity: np.ndarray
    nodes: np.ndarray = np.zeros(0, dtype=np.int64)
    q: float = 2.0
    sums: int = 0

    def check(self) -> "Families":
        """Return the same table as arrays of float64 and int64.

        Returns
        -------
        Families
            The checked table.

        Raises
        ------
        ValueError
            If it is no table of families.
        """
        bound, complexity = (np.atleast_1d(np.asarray(array)) for array in self[:2])
        if (
            bound.ndim != 1
            or len(bound) == 0
            or bound.dtype.kind not in "iuf"
            or not (np.isfinite(bound) & (bound > 0)).all()
        ):
            raise ValueError(
                "families: bound must be positive finite numbers, one for each family, got "
                f"{shown(self.bound)}."
            )
        fits = complexity.shape == bound.shape and complexity.dtype.kind in "iuf"
        if not fits or not (np.isfinite(complexity) & (complexity >= 0)).all():
            raise ValueError(
                f"families: complexity must be {len(bound)} finite numbers >= 0, one for each "
                f"family, got {shown(self.complexity)}."
            )
        nodes = np.asarray(self.nodes) if len(self.nodes) else np.zeros(len(bound), dtype=np.int64)
        if nodes.shape != bound.shape or nodes.dtype.kind not in "iu" or (nodes < 0).any():
            raise ValueError(
                f"families: nodes must be {len(bound)} whole numbers >= 0, one for each family, "
                f"got {shown(self.nodes)}."
            )
        q = real("families: q", self.q, lambda number: number >= 1, "at least 1")
        if isinstance(self.sums, str | np.ndarray) or self.sums not in (0, 1):
            raise ValueError(f"families: sums must be 0 or 1, got {shown(self.sums)}.")
        return Families(
            bound.astype(np.float64),
            complexity.astype(np.float64),
            nodes.astype(np.int64),
            q,
            self.sums,
        )


#: The table of learners that belong to no family.
NONE = Families(np.zeros(0), np.zeros(0))


def ordered_by_group(labels):
    """Return the learners ordered by group, int64 (n_learners,), and where each group begins, int64
    (n_groups + 1,).

    labels : (n_learners,), the number of the group of each learner
    """
    member = np.argsort(labels, kind="stable").astype(np.int64)
    start = np.concatenate([[0], np.cumsum(np.bincount(labels))]).astype(np.int64)
    return member, start


def labels_of(problem):
    """Return the family of each column, int64 (n_learners,).

    It is its group, or 0 for all without groups.
    """
    return (
        np.zeros(problem.n_learners, dtype=np.int64) if problem.groups is None else problem.groups
    )


def lengths(problem):
    """Return the norm of each learner as scaled in its family, (n_learners,).

    Columns are as given, trees are scaled to the bound.
    """
    own = problem.dictionary.lengths
    return problem.standardization.norm if own is None else own()


def finite_families(problem):
    r"""Return a table for given columns.

    The bounds are largest absolute values, the complexities come from Massart's lemma.

    For N columns with bound :math:`\lambda`, and their negatives, the lemma gives
    :math:`\lambda \sqrt{2 \ln(2 N) / m}`. The complexities are divided by the largest one. *Cost*:
    one pass over all columns.
    """
    labels = labels_of(problem)
    size = lengths(problem)
    bound = np.zeros(labels.max() + 1)
    count = np.bincount(labels)
    for j in range(problem.n_learners):
        bound[labels[j]] = max(bound[labels[j]], size[j] * np.abs(problem.gather([j])).max())
    cost = bound * np.sqrt(np.log(2 * count))
    return Families(bound, cost / cost.max()).check()


def table_of(families, problem, name):
    """Return the checked table of families: the given one, or the one of the problem's learners.

    Raises
    ------
    ValueError
        If both exist and differ, or if the columns do not fit the given table.
    """
    own = problem.dictionary.families
    if not (families is None or isinstance(families, Families)):
        raise ValueError(
            f"{name}: families must be a table, Families(bound, complexity), or None, got "
            f"{shown(families)}."
        )
    if own is None and families is None:
        return finite_families(problem)
    if own is None:
        table = families.check()
        n_families = labels_of(problem).max() + 1
        if n_families != len(table.bound):
            raise ValueError(
                f"{name}: Problem(X, y, groups=labels) must assign each column to one of the "
                f"{len(table.bound)} families, got {n_families} group(s)."
            )
        return table
    if families is None or all(map(np.array_equal, families, own)):
        return own
    raise ValueError(
        f"{name}: the trees of this problem have families of their own; leave families=None."
    )
