"""
Did your Lasso converge?
========================

The Lasso of scikit-learn on the diabetes data with all squares and products of columns, at 40
penalties. A ``ConvergenceWarning`` only answers yes or no. A certificate bounds how far the
objective is from its least value, for coefficients from any program.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.linear_model import Lasso
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

import coordboost as cb

X, y = load_diabetes(return_X_y=True, scaled=False)
X = StandardScaler().fit_transform(PolynomialFeatures(2, include_bias=False).fit_transform(X))
path = cb.lasso_path(
    X, y, n_alphas=40, unit_columns=False
)  # so the alphas are those of scikit-learn
problem = path.problem


def judged(tol):
    """The relative duality gap of scikit-learn's model at each alpha, and whether there was a
    warning.
    """
    gaps, warned = [], []
    for k, alpha in enumerate(path.alphas):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            coef = Lasso(alpha=alpha, tol=tol).fit(X, y).coef_
        gaps.append(
            cb.certify(problem, problem.unit(coef), path.target(k)).gap / problem.start_loss
        )
        warned.append(len(caught) > 0)
    return np.array(gaps), np.array(warned)


# %%
# ``tol`` is the default of scikit-learn, or a loose one. A cross marks a model with a warning:
# it had not converged after 1,000 sweeps. Its gap may be small or large, and only the certificate
# shows which. Without a warning the gap is at most about 2 ``tol``. At the four largest penalties
# at most one coefficient is not 0, and all programs find the optimum.
fig, ax = plt.subplots(figsize=(8, 5), layout="constrained")
for tol, colour, words, place in (
    (1e-2, "#D55E00", "loose tol = 1e-2", 2e-2),
    (1e-4, "#0072B2", "default tol = 1e-4", 1e-6),
):
    gaps, warned = judged(tol)
    print(
        f"tol = {tol:g}: {warned.sum()} warnings, at gaps from {gaps[warned].min():.1e} to "
        f"{gaps[warned].max():.1e}."
    )
    print(f"    Largest gap without a warning: {gaps[~warned].max():.1e}")
    ax.loglog(path.alphas, gaps, ".-", color=colour)
    (cross,) = ax.plot(
        path.alphas[warned], gaps[warned], "x", color="black", markersize=9, zorder=3
    )
    ax.text(23, place, f"scikit-learn, {words}", color=colour)
ax.loglog(path.alphas, path.gaps, ".-", color="black")
ax.text(23, 2e-13, "coordboost")
cross.set_label("ConvergenceWarning")
ax.legend(loc="center right")
ax.xaxis.set_inverted(True)
ax.set(
    xlabel="alpha",
    ylabel="duality gap / loss of the constant model",
    title="40 Lassos and their distance from the optimum",
)
print(f"coordboost: largest gap {path.gaps.max():.1e}")
