r"""The margin bound for ensembles of trees from families (Theorem 2), where the true error is
known.

Problem: x uniform on [0, 1], y = sign(x - 1/2), flipped with probability 1/10; a sample of m.

Method: f = sum_t alpha_t h_t, alpha_t >= 0 with sum 1, h_t trees of one split with the values
-lambda and lambda, lambda the largest bound; among them those fitted to the sample.

Assumptions: the families are fixed before the sample is seen.

Claim: upper, for each margin with probability 1 - delta for all f: R(f) <= R_rho(f) + (4 / rho)
sum_t alpha_t r_t + C, where R is the true error, R_rho the fraction of the sample with y f(x) <=
rho, and r_t the complexity of Theorem 1. The paper has C up to a constant; corrected: C = (2 / s)
sqrt(ln K / m) + sqrt(ceil(4 ln(s^2 m / ln K) / s^2) ln K / m + ln(2 / delta) / (2 m)) with s = rho
/ lambda, as learners have values up to lambda, not 1.

Constants: delta = 1e-6, K = 2 families.

Measured: the true error, in closed form, against the right side at margins of 0.25, 0.5 and 0.99
lambda.

Reference: Cortes, Mohri, Storcheus, *Regularized Gradient Boosting*, Theorem 2; the remainder C is
from Deep Boosting (Cortes, Mohri, Syed, 2014). Below some thousand samples the bound is vacuous.
"""

import numpy as np

from coordboost.theory.bounds import formula, margins, tree_complexity
from verification.statement import Check

FLIPPED, DELTA, FAMILIES = 0.1, 1e-6, 2


class Ensemble:
    """Thresholds and weights of stumps with values -lambda and lambda, and a sample of m: the
    quantities of the theorem at three margins `rho`.
    """

    along = "rho"
    level = "sampled"
    #: A risk of at most 1 is known without the theorem.
    known = 1.0

    def __init__(self, m, bound, cuts, shares, seed=0):
        rng = np.random.default_rng(seed)
        x = rng.random(m)
        y = np.where(x > 0.5, 1.0, -1.0) * np.where(rng.random(m) < FLIPPED, -1.0, 1.0)
        if cuts is None:  # the best cut of this sample
            order = np.argsort(x)
            cuts = [x[order][np.argmin(np.cumsum(y[order]))]]
        self.errors = {}  # of rounding: none worth a slack
        self.bound = bound
        self.cuts = np.array(cuts)
        self.shares = np.array(shares)
        self.rho = bound * np.array([0.25, 0.5, 0.99])
        self.margin = np.array([np.mean(y * self.predict(x) <= rho) for rho in self.rho])
        parts = formula.Scope(
            None,
            margins.PARTS,
            {
                "rho": self.rho,
                "widest": bound,
                "complexity": float(tree_complexity(1, bound, 1, m)),
                "K": FAMILIES,
                "m": m,
                "delta": DELTA,
            },
        )
        self.charge = parts["charge"]
        self.remainder = parts["remainder"]

    def predict(self, x):
        """Return f at the points x."""
        return np.where(x[:, None] > self.cuts, self.bound, -self.bound) @ self.shares

    @property
    def risk(self):
        """The probability that y f(x) <= 0, at each margin."""
        edges = np.unique([0.0, 0.5, 1.0, *self.cuts])
        middle = (edges[1:] + edges[:-1]) / 2
        f = self.predict(middle)
        wrong = np.where(f == 0, 1.0, np.where((f > 0) == (middle > 0.5), FLIPPED, 1 - FLIPPED))
        return np.full(len(self.rho), np.diff(edges) @ wrong)


check_margins = Check(margins.theorem, ())


@check_margins.otherwise
def _(case, variant):
    """R(f) <= R_rho(f) + (4 / rho) sum alpha_t r_t + C."""
    return margins.theorem.compare(case, variant)


CASES = {
    f"m = {m}, lambda = {bound:g}, {name}": (
        lambda m=m, bound=bound, cuts=cuts, shares=shares: Ensemble(
            m, bound, cuts, shares, seed=m % 7
        )
    )
    for m in (1000, 20_000, 200_000)
    for bound in (1.0, 4.0)
    for name, cuts, shares in (
        ("a cut", [0.5], [1.0]),
        ("three", [0.3, 0.5, 0.7], [0.25, 0.5, 0.25]),
        ("fitted", None, [1.0]),
    )
}
