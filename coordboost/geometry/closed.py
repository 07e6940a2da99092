"""Closed forms of minimal cosine angles."""

import math

import numpy as np

#: Columns count as orthonormal if their inner products are this close to 0.
_ORTHOGONAL = 1e-12


def cost(learners):
    """Estimated seconds: none where a closed form applies, infinity elsewhere."""
    return 0.0 if learners.rank == 1 or _orthonormal(learners) or _plane(learners) else math.inf


def direction(learners):
    """The minimiser (rank,), for learners of rank 1, orthonormal learners, and the plane with the largest norm."""
    if learners.rank == 1:
        return np.ones(1)
    if _orthonormal(learners):
        return learners.columns @ _flattest(learners.norm)
    return _widest_gap(learners.columns)


def _orthonormal(learners):
    gram = learners.columns.T @ learners.columns
    return learners.n_learners == learners.rank and bool(np.abs(gram - np.eye(len(gram))).max() < _ORTHOGONAL)


def _plane(learners):
    return learners.rank == 2 and len(learners.greedy.gamma) == 1


def _flattest(norm):
    """Equal coordinates on the i largest groups, for the i with the smallest ratio."""
    order = np.argsort(-norm.sizes, kind="stable")
    best = int(np.argmin(np.cumsum(norm.gamma) / np.sqrt(np.cumsum(norm.sizes[order]))))
    return np.isin(norm.label, order[: best + 1]).astype(float)


def _widest_gap(columns):
    """The middle of the widest gap between the lines in the plane."""
    angles = np.sort(np.arctan2(columns[1], columns[0]) % math.pi)
    gaps = np.diff(np.append(angles, angles[0] + math.pi))
    widest = int(np.argmax(gaps))
    middle = angles[widest] + gaps[widest] / 2
    return np.array([math.cos(middle), math.sin(middle)])


def orthonormal(gamma, sizes=None):
    r"""Theta of an orthonormal basis: :math:`\min_i (\gamma_1 + \dots + \gamma_i) / \sqrt{n_{(1)} + \dots + n_{(i)}}`.

    Parameters
    ----------
    gamma : array_like, (n_groups,)
        Non-increasing weights.
    sizes : array_like, (n_groups,), optional
        Sizes of the groups; all 1 by default, which is (18) of Lu and Mazumder. Type 0 is ``gamma = [1], sizes = [p]``.
    """
    gamma = np.asarray(gamma, dtype=float)
    sizes = np.ones(len(gamma)) if sizes is None else -np.sort(-np.asarray(sizes, dtype=float))
    return float((np.cumsum(gamma) / np.sqrt(np.cumsum(sizes))).min())


def ternary(p):
    r"""Type 0, all 3^p - 1 normalised vectors with entries -1, 0, 1: :math:`(\sum_i (\sqrt i - \sqrt{i-1})^2)^{-1/2}` (their (20))."""
    roots = np.sqrt(np.arange(p + 1.0))
    return float(1 / math.sqrt(float((np.diff(roots) ** 2).sum())))


def one_feature_stumps(n):
    """Type 0, +-1 stumps (constant included) on a feature with n distinct values: 1/n for odd n, 1/sqrt(n (n - 1)) for even n."""
    return 1 / n if n % 2 else 1 / math.sqrt(n * (n - 1))
