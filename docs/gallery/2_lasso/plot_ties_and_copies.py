"""
Ties and copies of columns on exact paths
=========================================

Textbook LARS lets columns enter one at a time. In a factorial experiment several enter at once, and
real tables have duplicate columns. Here scikit-learn and coordboost compute paths for both cases,
with a certificate at every knot of both paths.
"""

import itertools
import warnings

import matplotlib.pyplot as plt
import numpy as np
import sklearn
from sklearn.datasets import load_diabetes
from sklearn.linear_model import lars_path

import coordboost as cb


def knots_of_sklearn(problem, X):
    """Alphas, coefficients, and the number of warnings; the columns of X are centred."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        alphas, _, coefs = lars_path(X, problem.y, method="lasso")
    return alphas, coefs.T, len(caught)


# %%
# First an experiment with 16 runs and four factors, each at -1 or 1, each with effect 1. Their
# columns enter at once. At the end of the path, where nothing is penalised, the coefficients should
# be these effects.
X = np.array(list(itertools.product([-1.0, 1.0], repeat=4)))
tied = cb.Problem(X, X.sum(axis=1))
_, coefs, n_warnings = knots_of_sklearn(tied, X)
ends = {
    f"lars_path, scikit-learn {sklearn.__version__}": coefs[-1],
    "coordboost": cb.exact_path(tied).coef_at(lam=0),
}
print(f"{ends}, warnings: {n_warnings}")

# %%
# Then the diabetes data, with copies of four of the ten columns. The end of the path, which has
# no penalty, is left out.
X, y = load_diabetes(return_X_y=True)
X = np.column_stack([X, X[:, [1, 2, 3, 8]]])
copied, exact = cb.Problem(X, y), cb.exact_path(X, y)
alphas, coefs, n_warnings = knots_of_sklearn(copied, X)
targets = [cb.certificates.L1Penalty(alpha * len(y)) for alpha in alphas[:-1]]
theirs = [
    cb.certify(copied, copied.unit(w), target).gap / copied.start_loss
    for w, target in zip(coefs[:-1], targets, strict=True)
]
print(
    f"largest relative gap: {max(theirs):.2g} with {n_warnings} warnings, and "
    f"{exact.gaps[:-1].max():.1g}"
)

# %%
fig, (left, right) = plt.subplots(1, 2, figsize=(11, 4.6), layout="constrained")
for (name, coef), colour, shift in zip(
    ends.items(), ("#D55E00", "#0072B2"), (-0.19, 0.19), strict=True
):
    left.bar(np.arange(4) + shift, coef, 0.36, color=colour, label=name)
left.axhline(1, color="black", linestyle="--", label="the effects")
left.legend()
left.set_xticks(range(4), ["factor A", "B", "C", "D"])
left.set(ylabel="coefficient at the end of the path", title="Four columns that tie")
right.loglog(alphas[:-1], theirs, "o-", color="#D55E00")
right.loglog(exact.lam[:-1] / len(y), exact.gaps[:-1], "o-", color="#0072B2")
right.xaxis.set_inverted(True)
right.set(
    xlabel="alpha",
    ylabel="duality gap / loss of the constant model",
    title="Four columns copied: the gap of each knot",
)
