r"""Random-then-greedy boosting of the squared loss over a few unit learners, over all draws:
instances for the theorems of Lu and Mazumder.

Implemented independently of the package, in floats or in Fractions. The learners span the space, so
L* = 0; sigma = mu = 1. The angle and distances are found by enumeration of all rays of the
arrangement on whose cells the norm of a rule is linear.
"""

import functools
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, product
from math import comb

import numpy as np

from verification.spaces.linear import exact, least_eigenvalue
from verification.spaces.relatives import Relatives

STEPS = 3


def exact_draw(*, y, other, label, kind, t, B=None):
    """Return a ``Draw`` in Fractions, over the unit vectors by default."""
    B = np.eye(len(y), dtype=int) if B is None else exact(B)
    return Draw(B, tuple(label), kind, t, exact(y), exact(other))


@dataclass(frozen=True, eq=False)
class Draw(Relatives):
    """Learners, a rule, a residual and a second vector.

    B : (r, K)
    label : (K,), group of each learner
    kind : 0 to 3, type of the rule
    t : number of learners or groups drawn
    y : (r,), residual at the start
    other : (K,), any vector
    """

    B: np.ndarray
    label: tuple
    kind: int
    t: int
    y: np.ndarray
    other: np.ndarray

    def in_units(self, unit):
        """Return the instance with the residual and the second vector multiplied by `unit`."""
        return replace(self, y=self.y * unit, other=self.other * unit)

    @functools.cached_property
    def places(self):
        """The places that are drawn, as arrays of learners: groups.

        For Types 0 and 1 single learners.
        """
        label = range(self.K) if self.kind < 2 else self.label
        return [np.flatnonzero(np.array(label) == g) for g in sorted(set(label))]

    @property
    def n_places(self):
        """Number of places."""
        return len(self.places)

    @property
    def drawn(self):
        """Number of places drawn: all, t, one, t."""
        return (len(self.places), self.t, 1, self.t)[self.kind]

    @property
    def mu(self):
        """The constant of strong convexity of the squared loss, and sigma that of smoothness."""
        return 1 + 0 * self.y[0]

    sigma = mu

    @property
    def K(self):
        """Number of learners."""
        return self.B.shape[1]

    @functools.cached_property
    def gamma(self):
        """Probabilities that the places win, the best place first."""
        n = self.n_places
        t = self.drawn
        return np.array(
            [Fraction(comb(n - j, t - 1), comb(n, t)) + 0 * self.y[0] for j in range(1, n + 1)]
        )

    @property
    def sums(self):
        """gamma_1 + ... + gamma_i."""
        return np.cumsum(self.gamma)

    def norm_of(self, rows):
        """Return the norm of the rule, for each row."""
        sizes = np.array([np.abs(rows[..., place]).max(axis=-1) for place in self.places])
        return self.gamma @ -np.sort(-sizes, axis=0)

    def dual_of(self, b):
        """Return the dual norm in closed form."""
        sizes = np.array([np.abs(b[place]).sum() for place in self.places])
        return (np.cumsum(-np.sort(-sizes)) / self.sums).max()

    @functools.cached_property
    def sets(self):
        """All sets of learners that may be drawn."""
        return [np.concatenate(some) for some in combinations(self.places, self.drawn)]

    def law_of(self, a):
        """Return the probability of each learner to win, over all sets.

        Ties go to the lowest index.
        """
        values = np.array([0 * self.y[0]] * self.K)
        for J in self.sets:
            J = np.sort(J)
            values[J[np.argmax(np.abs(a[J]))]] += Fraction(1, len(self.sets))
        return values

    @functools.cached_property
    def gradient(self):
        """Grad L at the start."""
        return -(self.y @ self.B)

    @property
    def law(self):
        """The distribution of the first winner, (K,)."""
        return self.law_of(self.gradient)

    @property
    def law_by_rank(self):
        """The same for the best learner of each place, the best place first."""
        sizes = np.abs(self.gradient)
        leaders = [place[np.argmax(sizes[place])] for place in self.places]
        return self.law[sorted(leaders, key=lambda j: (-sizes[j], j))]

    @property
    def one_step(self):
        """L - L* after the step along each learner, (K,)."""
        return np.array([((self.y - (self.y @ b) * b) ** 2).sum() for b in self.B.T]) / 2

    @property
    def norm(self):
        """The norm of the gradient at the start."""
        return self.norm_of(self.gradient)

    @property
    def mean_size(self):
        """E |a_winner|."""
        return self.law @ np.abs(self.gradient)

    @property
    def mean_square(self):
        """E a_winner^2."""
        return self.law @ self.gradient**2

    @property
    def norm_of_squares(self):
        """The norm of the squared entries of the gradient."""
        return self.norm_of(self.gradient**2)

    @property
    def gap(self):
        """L(0) - L*."""
        return self.y @ self.y / 2

    @functools.cached_property
    def M(self):
        """0, 1, ..., the number of steps counted."""
        return np.arange(STEPS + 1).astype(self.y.dtype)

    @functools.cached_property
    def expected(self):
        """E L(beta^M) - L*, over all draws of M steps of length 1 / sigma."""
        out = []
        level = [(1 + 0 * self.y[0], self.y)]
        for _ in range(STEPS + 1):
            out.append(sum(share * (r @ r) for share, r in level) / 2)
            level = [
                (share * p, r - (r @ self.B[:, j]) * self.B[:, j])
                for share, r in level
                for j, p in enumerate(self.law_of(r @ self.B))
                if p
            ]
        return np.array(out)

    @functools.cached_property
    def rays(self):
        """Directions (R, r), some of which attain the extreme values."""
        r = self.B.shape[0]
        C = self.B.T
        if self.basis:
            return np.array(
                [row for row in product((0, 1, -1), repeat=r) if next((x for x in row if x), 0) > 0]
            )
        if r == 1:
            return 0 * C[:1] + 1
        normals = np.array(
            [*C, *(C[i] + s * C[j] for i, j in combinations(range(self.K), 2) for s in (1, -1))]
        )
        if r == 2:
            directions = np.stack([-normals[:, 1], normals[:, 0]], axis=1)
        else:
            i, j = np.array(list(combinations(range(len(normals)), 2))).T
            a = normals[i].T
            b = normals[j].T
            directions = np.stack(
                [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]],
                axis=1,
            )
        lengths = (directions * directions).sum(axis=1)
        return directions[lengths > 1e-12]

    @functools.cached_property
    def _ray_norms(self):
        return self.norm_of(self.rays @ self.B)

    @functools.cached_property
    def angle2(self):
        """Theta^2."""
        return (self._ray_norms**2 / (self.rays * self.rays).sum(axis=1)).min()

    def distance_of(self, v):
        """Return Dist(beta, 0) for B beta = v: the largest <v, c> with norm(B'c) <= 1."""
        return np.abs(self.rays @ v / self._ray_norms).max()

    @property
    def pred(self):
        """B times the second vector."""
        return self.B @ self.other

    @property
    def square(self):
        """|B other|^2."""
        return self.pred @ self.pred

    @property
    def distance(self):
        """Dist(other, 0)."""
        return self.distance_of(self.pred)

    @property
    def worst(self):
        """A direction with the smallest cosines, (r,)."""
        return self.rays[
            np.argmin((self._ray_norms**2 / (self.rays * self.rays).sum(axis=1)).astype(float))
        ]

    @property
    def dual(self):
        """The dual norm of the second vector."""
        return self.dual_of(self.other)

    @property
    def inner(self):
        """<grad L, other>."""
        return self.gradient @ self.other

    @property
    def subgradient(self):
        """Probabilities of the winners with the signs of the gradient."""
        return self.law * np.array([-1 if a < 0 else 1 for a in self.gradient])

    @property
    def least_eigenvalue(self):
        """lambda_pmin(B'B)."""
        return least_eigenvalue(self.B @ self.B.T)

    @property
    def basis(self):
        """Whether the learners are the unit vectors."""
        return self.B.shape[0] == self.K and bool((np.eye(self.K) == self.B).all())

    @property
    def orthonormal_angle2(self):
        """(18): the smallest (gamma_1 + ... + gamma_i)^2 / (n_1 + ... + n_i), large groups
        first.
        """
        sizes = -np.sort([-len(place) for place in self.places])
        return (self.sums**2 / np.cumsum(sizes)).min()

    @property
    def start_distance2(self):
        """Dist_0^2 = 2 (L(0) - L*) / Theta^2 for the squared loss."""
        return 2 * self.gap / self.angle2
