"""
Subset selection, ridge, the Lasso and stagewise
================================================

The methods of chapter 6 of *An Introduction to Statistical Learning*, and forward stagewise,
compared by ten-fold cross-validation. The columns are the ten variables of the diabetes data, their
squares and their products, 65 in all. All methods make larger and larger models.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.preprocessing import PolynomialFeatures

import coordboost as cb

X, y = load_diabetes(return_X_y=True)
X = PolynomialFeatures(2, include_bias=False).fit_transform(X)

# %%
# Forward stepwise, here orthogonal matching pursuit, adds a column and refits all coefficients.
# Ridge and the Lasso shrink coefficients by a penalty. Forward stagewise moves one coefficient by a
# small step at a time. Each is a path.
penalties = np.geomspace(100, 1e-6, 60)
fits = {
    "Lasso": lambda problem: cb.exact_path(problem),
    "forward stagewise": lambda problem: cb.solve(problem, cb.forward_stagewise(5.0), n_steps=2000),
    "forward stepwise": lambda problem: cb.solve(problem, cb.forward_stepwise(), n_steps=40),
    "ridge": lambda problem: cb.lasso_path(problem, alphas=penalties, l1_ratio=0),
}
looks = {
    "Lasso": ("#BBBBBB", 7),
    "forward stagewise": ("#0072B2", 2),
    "forward stepwise": ("#D55E00", 2),
    "ridge": ("black", 2),
}

# %%
# The l1 norm of the coefficients is a common scale for all methods. The curves of forward
# stagewise and the Lasso coincide. Forward stepwise explains as much at its best point, with half
# the columns; but its path has jumps. Ridge keeps all columns.
norms = np.linspace(50, 4000, 80)
places = [cb.lasso.PathPoint(l1=norm) for norm in norms]
fig, ax = plt.subplots(figsize=(8, 5), layout="constrained")
for name, fit in fits.items():
    seen = cb.cross_validate(
        lambda X, y, weight, fit=fit: fit(cb.Problem(X, y, sample_weight=weight)),
        X,
        y,
        folds=10,
        at=places,
    )
    explained, best = 1 - seen.mean / (np.var(y) / 2), norms[seen.best]
    n_columns = np.count_nonzero(fit(cb.Problem(X, y)).coef_at(l1=best))
    print(
        f"{name:17} explains most at l1 = {best:.0f}: {explained.max():.3f}, with {n_columns} of "
        f"{X.shape[1]} columns"
    )
    colour, width = looks[name]
    ax.plot(norms, explained, color=colour, linewidth=width, label=name)
    ax.plot(best, explained.max(), "o", color=colour, markersize=width + 5)
ax.legend(loc="lower right")
ax.set(
    xlabel="l1 norm of the coefficients of unit columns",
    ylabel="variance explained on validation rows",
)
ax.set(
    xlim=(0, 4050), ylim=(0, 0.55), title="Ten-fold cross-validation; a dot marks the best model"
)
