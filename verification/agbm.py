r"""Accelerated boosting, implemented independently of the package: instances for the theorems of
Lu, Karimireddy, Ponomareva and Mirrokni.

The loss is sum_i w_i (f_i - y_i)^2 / 2 with 0 < w_i <= 1: convex, 1-smooth, with mu = min w. With a
cap, the parabolas are continued as lines where their slope would exceed the cap. The learners are
multiples of unit columns that span R^n, so f* = y and L* = 0. Numbers are Fractions or floats.
"""

import functools
from dataclasses import dataclass, replace
from fractions import Fraction as F
from math import sqrt

import numpy as np

from verification.agbm_lemmas import Lemmas

#: A rational just below the sharper limit of gamma, (1 - sqrt(1 - Theta^2))^2, for Theta^2 = 1/n.
SHARP = {2: F(857, 10_000), 5: F(1114, 100_000)}


def limit(theta2):
    """Theta^4 / (4 + Theta^2), the printed limit of gamma."""
    return theta2 * theta2 / (4 + theta2)


@dataclass(frozen=True, eq=False)
class Walk(Lemmas):
    """Iterates of one run, arrays with a row for each round m.

    D : (n, N) unit columns
    theta2 : the square of the minimal cosine angle
    f, h, hat : (M + 1, n), models, momentum models, and momentum models updated by the whole
        residual instead of a learner
    g, r, c, e, b : (M, n), mixing points, residuals, corrected residuals, errors of the fits to c,
        the learners fitted to r
    cap : the largest slope of the loss, or None
    best : whether the learners are the best fits
    one : whether h moves by the learner for r, as in Algorithm 4
    """

    D: np.ndarray
    y: np.ndarray
    w: np.ndarray
    eta: object
    gamma: object
    theta2: object
    f: np.ndarray
    h: np.ndarray
    hat: np.ndarray
    g: np.ndarray
    r: np.ndarray
    c: np.ndarray
    e: np.ndarray
    b: np.ndarray
    cap: object = None
    best: bool = True
    one: bool = False

    def in_units(self, unit):
        """Return the same run with the target, and so all models, multiplied by `unit`."""
        of_y = {
            name: getattr(self, name) * unit
            for name in ["y", "f", "h", "hat", "g", "r", "c", "e", "b"]
        }
        return replace(self, **of_y, cap=None if self.cap is None else self.cap * unit)

    @property
    def exact(self):
        """Whether the numbers are Fractions."""
        return self.y.dtype == object

    @property
    def rounds(self):
        """M."""
        return len(self.g)

    @functools.cached_property
    def m(self):
        """0, 1, ..., M - 1, as Fractions or floats."""
        return np.array([self.eta * 0 + m for m in range(self.rounds)])

    @property
    def k(self):
        """0, 1, ..., M: the number of rounds made, as Fractions or floats."""
        return np.array([self.eta * 0 + m for m in range(self.rounds + 1)])

    @property
    def parabolas(self):
        """Whether the loss is quadratic, without a cap."""
        return self.cap is None

    @property
    def mu(self):
        """The constant of strong convexity, for a loss without a cap."""
        return min(self.w)

    @property
    def theta(self):
        """theta_m."""
        return 2 / (self.m + 2)

    @property
    def alpha(self):
        """alpha_m = eta gamma / theta_m."""
        return self.eta * self.gamma / self.theta

    def loss(self, f):
        """L at each row of f; L* = 0."""
        slope = self.w * (f - self.y)
        flat = sloped(slope, self.cap)
        return (flat * (2 * slope - flat) / self.w).sum(axis=-1) / 2

    @property
    def gaps(self):
        """L(f^0), ..., L(f^M); the optimum is 0."""
        return self.loss(self.f)

    @property
    def radius2(self):
        """||f* - f^0||^2."""
        return self.y @ self.y

    @property
    def cosine2(self):
        """Squared cosine of the angle between r^m and its learner."""
        return (self.b * self.b).sum(axis=1) / (self.r * self.r).sum(axis=1)

    @property
    def slack(self):
        """Bound of the rounding error in losses and squares: a few roundings in each round,
        relative to ||f* - f^0||^2.
        """
        return 0 if self.exact else 1e-12 * float(self.radius2)

    @property
    def level(self):
        """The level of evidence."""
        return "exact" if self.exact else "float"

    @property
    def sharp(self):
        """The sharper limit of gamma, with a margin for rounding."""
        return (1 - sqrt(1 - float(self.theta2))) ** 2 * (1 + 1e-12)

    def within(self, variant):
        """Whether gamma satisfies the assumption of a variant of the theorem."""
        if variant == "sharpened":
            return self.gamma <= self.sharp
        return self.gamma <= limit(self.theta2)

    def delta(self):
        """delta_m of Lemma C.4; s < 1."""
        s = self.gamma / self.theta2
        t = (1 - s) / 2
        e2 = (self.e * self.e).sum(axis=1)
        r2 = (self.r * self.r).sum(axis=1)
        before = np.concatenate([[0 * e2[0]], (self.alpha**2 * e2)[:-1]])
        return s / (2 * t) * before - (1 - s - t) / (2 * s) * self.alpha**2 * r2


def sloped(slope, cap):
    """Return slopes clipped to [-cap, cap]."""
    return slope if cap is None else np.minimum(np.maximum(slope, -cap), cap)


def fitted(D, v, pick=None):
    """Return the multiple of a column closest to v, ties to the lowest index.

    With `pick`, the best multiple of that column.
    """
    corr = D.T @ v
    j = int(np.argmax(np.abs(corr))) if pick is None else pick
    return corr[j] * D[:, j]


def walk(
    D, y, eta, gamma, n_rounds, *, theta2, w=None, cap=None, sign=1, late=0, picks=None, one=False
):
    """Run Algorithm 2, or with `one` Algorithm 4 with gamma.

    Wrong variants: `sign` -1 of the correction; its factor `late` rounds late.

    picks : numpy Generator, optional
        Draws the learners at random instead of fitting the best.
    """
    w = 1 + 0 * y if w is None else w
    f = 0 * y
    h = 0 * y
    hat = 0 * y
    e = 0 * y
    rows = {key: [] for key in "fhgrceb"} | {"hat": []}
    for m in range(n_rounds):
        theta = 2 / (m + 2 + 0 * eta)
        g = (1 - theta) * f + theta * h
        r = sloped(w * (y - g), cap)
        drawn = (None, None) if picks is None else picks.integers(D.shape[1], size=2)
        b = fitted(D, r, drawn[0])
        factor = (m + 1 + late + 0 * eta) / (m + 2 + late)
        c = r + sign * factor * e if m else r
        d = b if one else fitted(D, c, drawn[1])
        for key, value in zip("fhgrceb", (f, h, g, r, c, c - d, b), strict=True):
            rows[key].append(value)
        rows["hat"].append(hat)
        f = g + eta * b
        h = h + eta * gamma / theta * d
        hat = hat + eta * gamma / theta * r
        e = c - d
    for key, value in (("f", f), ("h", h), ("hat", hat)):
        rows[key].append(value)
    return Walk(
        D,
        y,
        w,
        eta,
        gamma,
        theta2,
        **{key: np.array(value) for key, value in rows.items()},
        cap=cap,
        best=picks is None,
        one=one,
    )


def eye(y, gamma, n_rounds, **options):
    """Run on the identity matrix with eta = 1, in Fractions: Theta^2 = 1/n."""
    n = len(y)
    D = np.array([[F(int(i == j)) for j in range(n)] for i in range(n)], dtype=object)
    return walk(
        D,
        np.array([F(v) for v in y], dtype=object),
        F(1),
        F(gamma),
        n_rounds,
        theta2=F(1, n),
        **options,
    )


def line(eta, gamma, n_rounds):
    """Run in one dimension, y = 1, in floats: every residual is fitted exactly, Theta = 1, which is
    Nesterov's method.
    """
    return walk(np.ones((1, 1)), np.ones(1), eta, gamma, n_rounds, theta2=1.0)


def fall(gamma, n_rounds):
    """Return the distance that f moves in n rounds with all residuals 1: (n + 2) / 3 + gamma (n -
    1)(3 n + 10) / 24.
    """
    return F(n_rounds + 2, 3) + gamma * (n_rounds - 1) * (3 * n_rounds + 10) / 24


def capped(gamma, n_rounds):
    """Run in one dimension, y = 1, eta = 1, with a cap so small that f never reaches the quadratic
    part of the loss.
    """
    one = gamma / gamma
    cap = 1 / (2 * fall(gamma, n_rounds) + 1)
    return walk(np.array([[one]]), np.array([one]), one, gamma, n_rounds, theta2=one, cap=cap)


def weighted(n_rounds, gamma=None):
    """Run on four coordinates with weights from 1e-3 to 1, gamma at the printed limit.

    In floats.
    """
    gamma = limit(0.25) if gamma is None else gamma
    return walk(
        np.eye(4),
        np.array([4.0, -3, 2, 1]),
        1.0,
        gamma,
        n_rounds,
        theta2=0.25,
        w=np.geomspace(1e-3, 1, 4),
    )


def star(n_rounds, gamma=0.25, **options):
    """Run on three directions in the plane, 60 degrees apart: Theta = cos(30 degrees), sharper
    limit of gamma 1/4; weights 0.01 and 1.
    """
    angle = np.pi / 3 * np.arange(3)
    D = np.array([np.cos(angle), np.sin(angle)])
    w = np.array([0.01, 1.0])
    return walk(D, np.array([2.0, 1.0]), 1.0, gamma, n_rounds, theta2=0.75, w=w, **options)


#: Runs that satisfy the assumptions of the printed theorem, or of the sharper one.
CASES = {
    "two coordinates": lambda: eye((2, 1), limit(F(1, 2)), 30),
    "five coordinates": lambda: eye((5, 4, 3, 2, 1), limit(F(1, 5)), 40),
    "five equal ones": lambda: eye((1, 1, 1, 1, 1), limit(F(1, 5)), 40),
    "two coordinates, sharper gamma": lambda: eye((2, 1), SHARP[2], 30),
    "five coordinates, sharper gamma": lambda: eye((5, 4, 3, 2, 1), SHARP[5], 40),
    "four weights": lambda: weighted(800),
    "star": lambda: star(400, limit(0.75)),
    "star, sharper gamma": lambda: star(400),
    "one dimension, eta 0.01": lambda: line(0.01, 0.2, 80),
    "one dimension, eta 0.001": lambda: line(0.001, 0.2, 240),
    "one dimension, gamma 1": lambda: line(0.01, 1.0, 60),
}
