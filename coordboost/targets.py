r"""What a run approaches: an optimum, always as an interval ``lower <= L* <= upper`` with a witness that anyone can recompute.

All bounds hold for every convex loss. With :math:`c = B^T r` the correlations of the residual at :math:`\beta` and
:math:`g = \langle r, B\beta\rangle`, convexity gives :math:`L(b) \ge L(\beta) + g - c^T b` for every b; the targets differ in how large
:math:`c^T b` can be. *Numerics*: lower ends are moved down by a bound of the rounding in them.
"""

import math
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from coordboost._checks import not_negative
from coordboost._protocol import LOSS
from coordboost._threads import on_one_thread
from coordboost.spectrum import Spectrum


@dataclass(frozen=True)
class Certificate:
    """``lower <= L* <= upper``, where L* is the optimum of `target` (sums over samples, penalty included).

    `witness` holds the numbers behind the interval; ``gap = upper - lower``.
    """

    target: object
    lower: float
    upper: float
    witness: dict = field(default_factory=dict)

    @property
    def gap(self):
        return self.upper - self.lower

    def __str__(self):
        return f"{self.target!r}: optimum in [{self.lower:.10g}, {self.upper:.10g}], gap {self.gap:.3g}"


class At(NamedTuple):
    """A point and what one scan tells there."""

    beta: np.ndarray
    pred: np.ndarray
    loss: float
    resid: np.ndarray
    corr: np.ndarray

    @classmethod
    def point(cls, problem, beta):
        """Everything recomputed from `beta`. *Cost*: one scan."""
        beta = np.asarray(beta, dtype=np.float64)
        pred = problem.combine(beta)
        resid = problem.resid(pred)
        return cls(beta, pred, problem.value(pred), resid, problem.scan(resid))

    def doubt(self, problem):
        """Bound of the rounding in a correlation, and in anything that unit columns and `resid` multiply to.

        A sum of m products is taken to be off by at most 4 u sqrt(m) times the norms, u the unit roundoff. Not a worst case, which
        grows with m: rounding errors of mean zero stay inside with probability 1 - 2 exp(-4^2 / 2), to first order in u.
        *Source*: Ipsen, Zhou, *Probabilistic error analysis for inner products*.
        """
        terms = max(problem.n_samples, np.count_nonzero(self.beta))
        return 2 * np.finfo(float).eps * math.sqrt(terms) * problem.size(self.resid)

    def rounding(self, problem, radius):
        """Bound of the rounding in ``loss + <resid, pred> - radius max|corr|``."""
        sums = 2 * np.finfo(float).eps * math.sqrt(problem.n_samples) * self.loss
        return self.doubt(problem) * float(radius + np.abs(self.beta).sum()) + sums + np.finfo(float).tiny


class Unconstrained(NamedTuple):
    r"""The optimum over all coefficients: least squares, for the squared loss.

    :math:`L(\beta) - L^* \le \|P r\|^2 / (2\mu)`, P the projection on the columns (in the metric of the weights); equality for the
    squared loss. Without strong convexity the lower end is 0. *Cost*: one thin SVD of B. *Source*: Freund et al., Sections 1.3, 3.
    """

    @on_one_thread
    def certificate(self, problem, at):
        mu = LOSS.of(problem.loss, "mu")
        worst = float(np.abs(at.corr).max())
        if mu is None:
            return Certificate(self, min(0.0, at.loss), at.loss, {"max_abs_corr": worst})
        spectrum = Spectrum.of(problem)
        inside = spectrum.project(problem, at.resid)
        gap = float(inside @ inside) / (2 * mu)
        witness = {
            "max_abs_corr": worst,
            "lambda_pmin": spectrum.lambda_pmin,
            "rank": spectrum.rank,
            "distance_to_solutions": float(np.linalg.norm(inside / spectrum.singular)) / mu,
        }
        return Certificate(self, at.loss - gap - at.rounding(problem, 0.0), at.loss, witness)


class Ball(NamedTuple):
    r"""The constrained Lasso: minimise L subject to :math:`\|\beta\|_1 \le` radius.

    Gap = radius * omega, :math:`\omega = \|c\|_\infty - g / \text{radius}`. *Source*: Freund et al., eq. (45), Proposition A.6.
    A point outside the ball still gives a lower end; the upper end is then that of the point scaled back into it.
    """

    radius: float

    @on_one_thread
    def certificate(self, problem, at):
        not_negative("Ball: the radius", self.radius)
        worst, inner = float(np.abs(at.corr).max()), float(at.resid @ at.pred)
        lower = at.loss + inner - self.radius * worst - at.rounding(problem, self.radius)
        l1 = float(np.abs(at.beta).sum())
        upper = at.loss if l1 <= self.radius * (1 + 1e-12) else problem.value(at.pred * (self.radius / l1))
        omega = worst - inner / self.radius if self.radius > 0 else worst
        return Certificate(self, lower, upper, {"omega": omega, "l1": l1, "max_abs_corr": worst})


class Penalty(NamedTuple):
    r"""The penalised Lasso: minimise :math:`L(\beta) + \text{lam} \|\beta\|_1` (lam in the sum convention: n times scikit-learn's alpha).

    The better of two lower ends: the dual value at the rescaled residual (squared loss), and
    :math:`L + g - R\,(\|c\|_\infty - \text{lam})_+` with :math:`R = (L + \text{lam}\|\beta\|_1) / \text{lam} \ge \|\beta^*\|_1`
    (every loss with values >= 0).
    """

    lam: float

    @on_one_thread
    def certificate(self, problem, at):
        not_negative("Penalty: lam", self.lam)
        worst, inner, rounding = float(np.abs(at.corr).max()), float(at.resid @ at.pred), at.rounding(problem, 0.0)
        upper = at.loss + self.lam * float(np.abs(at.beta).sum())
        most = worst + at.doubt(problem)
        radius = upper / self.lam if most > self.lam > 0 else 0.0
        lower = -math.inf if most > self.lam == 0 else at.loss + inner - radius * max(most - self.lam, 0.0) - rounding
        scale = min(1.0, self.lam / most) if most > 0 else 1.0
        if LOSS.of(problem.loss, "quadratic"):
            # dual of the squared loss at theta = scale * resid: scale <r, y> - scale^2 <r, r / w> / 2
            square = 2 * at.loss
            lower = max(lower, scale * (square + inner) - scale * scale * square / 2 - rounding)
        return Certificate(self, max(lower, 0.0), upper, {"max_abs_corr": worst, "dual_scale": scale})
