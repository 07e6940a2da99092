r"""Langevin boosting: projectors, the law of the choice and its rate, equipartition, and three sentences that are false as printed.

Problem: learners H_s, linear in their parameters; the squared loss where a law is in closed form.

Method: SGLB (Algorithm 2); the choice among two orthonormal learners, greedy by the drop of the squared error or signed.

Assumptions: for the law of the choice, noise N(0, sigma^2 I) and u = ||g|| / sigma.

Claim: Lemma 1, P_s is an orthogonal projector, exact; Lemma 2 with a constant of ours, the total variation between the law of the choice
and its limit is at most 2 Phi(u/2) - 1, upper and tight for the signed choice as u falls; at most u^2 / (2 pi) for two learners and the
greedy choice, which does not know signs; Theorem 2 for the squared loss, E U - min U = d / (2 beta), exact. Printed: Markov's inequality
with 1 - 1/k, an increasing loss for right answers, and trees as independent learners.

Constants: none is estimated; two orthonormal learners have the law of the choice in closed form.

Measured: entries of P^2 - P in Fractions; total variations; the mean energy of a normal law.

Reference: Ustimenko, Prokhorenkova, SGLB, Lemmas 1 and 2, Theorem 2 and its corollary, Section 7.1, Theorem 3 and its assumption.
"""

from dataclasses import dataclass
from fractions import Fraction as F
from math import erf, exp, pi, sqrt

import numpy as np

from coordboost.bounds import BoundCheck
from verification.statement import claim


def normal(x):
    """Phi."""
    return (1 + erf(x / sqrt(2))) / 2


@dataclass(frozen=True, eq=False)
class Learners:
    """Columns in Fractions, (n, m)."""

    H: np.ndarray

    def projector(self, ridge=0):
        """H (H'H + ridge)^-1 H'."""
        gram = self.H.T @ self.H + ridge * np.array(
            [[F(int(i == j)) for j in range(self.H.shape[1])] for i in range(self.H.shape[1])]
        )
        return self.H @ solve(gram, self.H.T)


def solve(a, b):
    """a^-1 b, by elimination, in Fractions."""
    a, b = a.copy(), b.copy()
    for i in range(len(a)):
        pivot = next(k for k in range(i, len(a)) if a[k, i] != 0)
        a[[i, pivot]], b[[i, pivot]] = a[[pivot, i]], b[[pivot, i]]
        b[i], a[i] = b[i] / a[i, i], a[i] / a[i, i]
        for k in range(len(a)):
            if k != i:
                b[k], a[k] = b[k] - a[k, i] * b[i], a[k] - a[k, i] * a[i]
    return b


@dataclass(frozen=True, eq=False)
class Choice:
    """Gradients g = u sigma (cos, sin) in the plane of two orthonormal learners, for falling u and some angles."""

    u: np.ndarray
    angle: np.ndarray

    def off(self, signed):
        """Total variation between the law of the choice and its limit (1/2, 1/2)."""
        one, two = self.u * np.cos(self.angle + pi / 4), self.u * np.sin(self.angle + pi / 4)
        phi = np.vectorize(normal)
        return abs(phi(one) - 0.5) if signed else abs(2 * phi(one) - 1) * abs(2 * phi(two) - 1) / 2


@dataclass(frozen=True, eq=False)
class Law:
    """A quadratic energy with Hessian A at inverse temperature beta."""

    A: np.ndarray
    beta: float

    def excess(self, factor=1.0):
        """E U - min U = tr(A cov) / 2 under the Gibbs law; the noise is `factor` times as strong."""
        return 0.5 * np.trace(self.A @ np.linalg.inv(self.beta * self.A)) * factor


def _check(name, variant, measured, bound, level="float", slack=0.0):
    return BoundCheck(name, variant, "upper", np.atleast_1d(measured), np.atleast_1d(bound), slack, level)


@claim("SGLB, Lemma 1", printed="verified")
def check_projector(case, variant):
    """P_s = P_s' = P_s^2: the largest entry of P^2 - P and of P - P' is 0."""
    return _projector(case, 0)


def _projector(case, ridge):
    if not isinstance(case, Learners):
        return None
    P = case.projector(ridge)
    return _check("SGLB, Lemma 1", "printed", max(abs(P @ P - P).max(), abs(P - P.T).max()), F(0), "exact", F(0))


@claim("SGLB, Lemma 2", sharpened="verified")
def check_choice(case, variant):
    """Total variation between p_*(s|g) and its limit <= 2 Phi(u/2) - 1, u = ||g|| / sigma: ours, tight as u falls."""
    return _choice(case, True, lambda u: 2 * normal(u / 2) - 1)


@claim("SGLB, rate of the greedy choice", sharpened="verified")
def check_even(case, variant):
    """Two orthonormal learners, greedy: total variation <= u^2 / (2 pi), of order eps and not its root: ours."""
    return _choice(case, False, lambda u: u * u / (2 * pi))


def _choice(case, signed, bound):
    if not isinstance(case, Choice):
        return None
    return _check("choice", "sharpened", case.off(signed), np.vectorize(bound)(case.u), slack=1e-14)


@claim("SGLB, Theorem 2 for the squared loss", sharpened="verified")
def check_equipartition(case, variant):
    """E U - min U = d / (2 beta), from above and below."""
    return _energy(case, 1.0)


def _energy(case, factor):
    if not isinstance(case, Law):
        return None
    exact = len(case.A) / (2 * case.beta)
    return _check("energy", "sharpened", abs(case.excess(factor) - exact) / exact, 1e-10)


@claim("SGLB, Markov's inequality after Theorem 2", printed="refuted", corrected="verified")
def check_markov(case, variant):
    """P(excess > k mean) <= 1 - 1/k as printed, <= 1/k corrected; d = 2, where the excess is exponential."""
    return _markov(variant, lambda k: 1 - 1 / k if variant == "printed" else 1 / k) if isinstance(case, Law) else None


def _markov(variant, bound):
    k = np.array([1.0, 1.5, 2.0, 5.0, 20.0])
    return _check("Markov", variant, np.exp(-k), np.vectorize(bound)(k))


@claim("SGLB, the smoothed 0-1 loss", printed="refuted", corrected="verified")
def check_sigmoid(case, variant):
    """1 - s((2y - 1) z / scale) is smaller for a right answer than for a wrong one: printed s(x) = 1 / (1 + e^x), corrected e^-x."""
    if not isinstance(case, Law):
        return None
    sign = 1 if variant == "printed" else -1
    value = lambda z: 1 - 1 / (1 + exp(sign * z))  # noqa: E731
    return _check("sigmoid", variant, [value(z) for z in (0.5, 2.0)], [value(-z) for z in (0.5, 2.0)])


@claim("SGLB, trees as independent learners", printed="refuted")
def check_trees(case, variant):
    """Theorem 3 assumes that parameters of all learners add up to the rank; any two trees share the constant."""
    if not isinstance(case, Learners):
        return None
    leaves = np.array([[1, 0, 1, 0], [1, 0, 0, 1], [0, 1, 1, 0], [0, 1, 0, 1]])
    return _check("trees", variant, float(leaves.shape[1]), float(np.linalg.matrix_rank(leaves)))


def _rational(n, m, seed):
    values = np.random.default_rng(seed).integers(-4, 5, (n, m))
    return np.array([[F(int(v), 3) for v in row] for row in values])


def _law(d, beta, seed):
    root = np.random.default_rng(seed).normal(size=(2 * d, d))
    return Law(root.T @ root, beta)


CASES = {
    "three rational columns": lambda: Learners(_rational(5, 3, 0)),
    "leaves of a tree": lambda: Learners(np.array([[F(int(i % 3 == j)) for j in range(3)] for i in range(7)])),
    "choice, against each other": lambda: Choice(np.geomspace(4, 1e-4, 30), np.full(30, -pi / 4)),
    "choice, one learner": lambda: Choice(np.geomspace(4, 1e-4, 30), np.zeros(30)),
    "choice, some angle": lambda: Choice(np.geomspace(4, 1e-4, 30), np.full(30, 0.3)),
    "energy in two dimensions": lambda: _law(2, 5.0, 1),
    "energy in nine dimensions": lambda: _law(9, 200.0, 2),
}

SABOTAGE = {
    check_projector: {"ridge leaves": lambda case: _projector(case, F(1))},
    check_choice: {"nine tenths of it": lambda case: _choice(case, True, lambda u: 0.9 * (2 * normal(u / 2) - 1))},
    check_even: {
        "nine tenths of it": lambda case: _choice(case, False, lambda u: 0.9 * u * u / (2 * pi)),
        "the signed choice": lambda case: _choice(case, True, lambda u: u * u / (2 * pi)),
    },
    check_equipartition: {"noise a tenth stronger": lambda case: _energy(case, 1.1)},
    check_sigmoid: {"the other sign": lambda case: check_sigmoid(case, "printed")},
    check_trees: {"not one constant": lambda case: check_trees(case, "printed")},
    check_markov: {
        "a third of it": lambda case: _markov("corrected", lambda k: 1 / (3 * k)) if isinstance(case, Law) else None
    },
}
