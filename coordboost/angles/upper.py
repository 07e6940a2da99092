r"""Upper ends of the minimal cosine angle.

By ascent with linear programs over the unit ball of h, and by local search on the sphere.

*Ascent* from many starts towards the longest vector of the unit ball of h. Each step is a linear
program: c_{k+1} maximises <c_k, c> over h(c) <= 1, so its length does not fall: |c_{k+1}| >=
<c_{k+1}, c_k> / |c_k| >= |c_k|. It ends at local maxima.

*Local search* on the sphere: for the second-moment angle, and for norms with too many constraints
to be written as one linear program. The square of the norm is the largest of many quadratic forms:
(<w, C'c>)^2 over the extreme points w of the dual ball, or c' C diag(w) C' c over the extreme
weights w for the second moment. Few of them matter near a minimiser. So a pool of forms grows, and
each round minimises the largest form in the pool over the sphere.
"""

import math

import numpy as np
import scipy.optimize
import scipy.sparse

#: Most variables of a linear program that contains the whole norm.
MAX_VARIABLES = 1_000
#: How far HiGHS may miss a constraint; its default, 1e-7, would show in the angles.
_FEASIBLE = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
#: A working set is complete when h(c) <= 1 + this.
_VIOLATION = 1e-8


def _solved(cost, **program):
    """Solve a linear program with HiGHS and return the minimiser."""
    done = scipy.optimize.linprog(cost, method="highs", options=_FEASIBLE, **program)
    if done.x is None:
        raise ValueError(
            "the linear program over the unit ball was not solved (HiGHS: "
            f"{done.message.splitlines()[0]})."
        )
    return done.x


class Written:
    r"""The whole norm as linear constraints.

    :math:`u_g \ge \pm C_j^T c` for j in group g;
    :math:`\sum_i (\gamma_i - \gamma_{i+1}) S_i(u) \le 1`, where the sum of the i largest obeys
    :math:`S_i(u) \le i s_i + \sum_g v_{ig}`, :math:`v_{ig} \ge u_g - s_i`, :math:`v, s \ge 0`.
    """

    def __init__(self, learners):
        norm = learners.greedy
        C = learners.columns
        drop = norm.gamma - np.append(norm.gamma[1:], 0.0)
        ranks = np.flatnonzero(drop > 0)
        r, K = C.shape
        G = len(norm.gamma)
        L = len(ranks)
        group = scipy.sparse.csr_array((np.ones(K), (np.arange(K), norm.label)), shape=(K, G))
        empty = scipy.sparse.csr_array
        sizes = [
            scipy.sparse.hstack([empty(sign * C.T), -group, empty((K, L + L * G))], format="csr")
            for sign in (1.0, -1.0)
        ]
        above = scipy.sparse.hstack(
            [
                empty((L * G, r)),
                scipy.sparse.kron(np.ones((L, 1)), scipy.sparse.eye_array(G)),
                -scipy.sparse.kron(scipy.sparse.eye_array(L), np.ones((G, 1))),
                -scipy.sparse.eye_array(L * G),
            ],
            format="csr",
        )
        total = np.concatenate(
            [np.zeros(r + G), drop[ranks] * (ranks + 1), np.repeat(drop[ranks], G)]
        )
        self.rank = r
        self.rows = scipy.sparse.vstack([*sizes, above, empty(total[None])], format="csr")
        self.right = np.append(np.zeros(2 * K + L * G), 1.0)
        self.bounds = [(None, None)] * r + [(0, None)] * (G + L + L * G)

    def maximiser(self, y, enough=math.inf):
        """Argmax <y, c> over h(c) <= 1, (rank,); `enough` is not used."""
        cost = np.concatenate([-y, np.zeros(len(self.bounds) - self.rank)])
        return _solved(cost, A_ub=self.rows, b_ub=self.right, bounds=self.bounds)[: self.rank]


class CuttingPlanes:
    """The constraints that were violated so far, kept from one linear program to the next."""

    def __init__(self, learners):
        self.learners = learners
        axes = np.concatenate([np.eye(learners.rank), learners.columns.T[: 4 * learners.rank]])
        self.cuts = learners.slopes(axes)
        # h(c) >= |C'c|_2 / K^(3/2) for every rule, as some learner's weight is at least 1/K: the
        # ball lies in this box.
        self.box = learners.n_learners**1.5 / math.sqrt(
            float(np.linalg.eigvalsh(learners.columns @ learners.columns.T)[0])
        )

    def maximiser(self, y, enough=math.inf, rounds=300):
        """Argmax <y, c> over h(c) <= 1, or a c of the ball with <y, c> >= `enough`, (rank,).

        The best one found in `rounds`.
        """
        best = y / self.learners.value(y)
        for _ in range(rounds):
            rows = np.concatenate([self.cuts, -self.cuts])
            c = _solved(-y, A_ub=rows, b_ub=np.ones(len(rows)), bounds=(-self.box, self.box))
            size = self.learners.value(c)
            best = max(best, c / size, key=lambda inside: float(y @ inside))
            if size <= 1 + _VIOLATION or y @ best >= enough:
                break
            self.cuts = np.concatenate([self.cuts, self.learners.slopes(np.stack([c, best]))])
        return best


def is_small(learners):
    """Whether the norm is small enough to be written as one linear program."""
    gamma = learners.greedy.gamma
    drops = int((gamma > np.append(gamma[1:], 0.0)).sum())
    return (
        learners.norm is learners.greedy
        and len(gamma) * (1 + drops) + learners.n_learners <= MAX_VARIABLES
    )


def ball(learners):
    """Return the linear programs over the unit ball of h.

    They have the form that suits the size of the norm.
    """
    return (Written if is_small(learners) else CuttingPlanes)(learners)


_STEPS = 60


def climb(learners, starts):
    """Return the best direction (rank,) that ascent reaches from the rows of `starts`.

    *Cost*: a few linear programs per start.
    """
    program = ball(learners)
    best = min(starts, key=learners.cosine)
    for start in starts:
        c = start / learners.value(start)
        for _ in range(_STEPS):
            length = float(np.linalg.norm(c))
            higher = program.maximiser(c / length, enough=length * (1 + 1e-6))
            higher = higher / learners.value(higher)
            if not np.linalg.norm(higher) > length * (1 + 1e-12):
                break
            c = higher
        best = min(best, c, key=learners.cosine)
    return best


def starts(learners, weights, n_random, rng):
    """Directions to start from, (N, rank).

    Eigenvectors of the weighted learners, smallest first, and random directions.

    The random directions are normal with covariance (C C')^-1, so they favour directions near which
    there are few learners.
    """
    _, vectors = np.linalg.eigh((learners.columns * weights) @ learners.columns.T)
    eigenvectors = vectors.T[: max(1, n_random // 4)]
    return np.concatenate(
        [
            eigenvectors,
            np.random.default_rng(rng).standard_normal((n_random, learners.rank))
            @ learners.stretch,
        ]
    )


_ROUNDS = 30


def best_reached(learners, starts):
    """Return the best direction (rank,) that local search reaches from the rows of `starts`.

    *Cost*: a few small programs per start.
    """
    return min((_from(learners, start) for start in starts), key=learners.cosine)


def _from(learners, start):
    best = c = start / np.linalg.norm(start)
    pool = []
    for _ in range(_ROUNDS):
        pool.append(_form(learners, c))
        promised, c = _smallest_largest(np.array(pool), c)
        best = min(best, c, key=learners.cosine)
        if learners.cosine(c) ** 2 <= promised * (1 + 1e-10):
            break
    return best


def _form(learners, c):
    """The quadratic form (rank, rank) that equals the square of the norm near c."""
    if learners.norm is learners.greedy:
        slope = learners.slopes(c[None])[0]
        return np.outer(slope, slope)
    weights = learners.greedy.subgradients(((c @ learners.columns) ** 2)[None])[0]
    return (learners.columns * weights) @ learners.columns.T


def _smallest_largest(forms, start):
    """Minimise the largest c'Mc of the `forms` M over the sphere, from `start`.

    Return the value and the unit vector.
    """

    def values(c):
        return np.einsum("i,kij,j->k", c, forms, c)

    initial = np.append(start, values(start).max())
    limits = [
        {
            "type": "ineq",
            "fun": lambda x: x[-1] - values(x[:-1]),
            "jac": lambda x: _slopes(-2 * forms @ x[:-1], 1.0),
        },
        {
            "type": "eq",
            "fun": lambda x: x[:-1] @ x[:-1] - 1,
            "jac": lambda x: np.append(2 * x[:-1], 0.0),
        },
    ]
    toward = np.append(np.zeros(len(start)), 1.0)
    done = scipy.optimize.minimize(
        lambda x: x[-1],
        initial,
        jac=lambda x: toward,
        constraints=limits,
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 200},
    )
    c = done.x[:-1] / max(np.linalg.norm(done.x[:-1]), 1e-300)
    return (float(values(c).max()), c) if np.isfinite(c).all() else (float(initial[-1]), start)


def _slopes(rows, last):
    return np.column_stack([rows, np.full(len(rows), last)])
