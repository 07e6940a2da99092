"""
Forward stepwise, the Lasso and forward stagewise
=================================================

The methods of chapter 6 of *An Introduction to Statistical Learning*, judged by ten-fold cross-validation. The data are the ten
variables of the diabetes data, their squares and their products: 65 columns. All three make larger and larger models.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.preprocessing import PolynomialFeatures

import coordboost as cb

X, y = load_diabetes(return_X_y=True)
X = PolynomialFeatures(2, include_bias=False).fit_transform(X)

# %%
# Forward stepwise, here orthogonal matching pursuit, adds a column and refits all coefficients. The Lasso shrinks coefficients by
# a penalty. Forward stagewise moves one coefficient by a small step at a time. Each is a path.
fits = {
    "Lasso": lambda X, y, weight: cb.exact_path(cb.Problem(X, y, sample_weight=weight)),
    "forward stagewise": lambda X, y, weight: cb.solve(cb.Problem(X, y, sample_weight=weight), cb.forward_stagewise(5.0), 2000),
    "forward stepwise": lambda X, y, weight: cb.solve(cb.Problem(X, y, sample_weight=weight), cb.forward_stepwise(), 40),
}
looks = {"Lasso": ("#BBBBBB", 7), "forward stagewise": ("#0072B2", 2), "forward stepwise": ("#D55E00", 2)}

# %%
# The l1 norm of the coefficients measures all three on one scale. Forward stagewise and the Lasso explain the same: their curves
# lie one on the other. Forward stepwise explains as much at its best, with half the columns; but it gets there by jumps.
norms = np.linspace(0, 4000, 81)
places = [cb.lasso.PathPoint(l1=norm) for norm in norms]
fig, ax = plt.subplots(figsize=(8, 5), layout="constrained")
for name, fit in fits.items():
    seen = cb.cross_validate(fit, X, y, folds=10, at=places)
    explained, best = 1 - seen.mean / seen.mean[0], norms[seen.best]
    n_columns = np.count_nonzero(fit(X, y, None).coef_at(l1=best))
    print(f"{name:17} explains most at l1 = {best:.0f}: {explained.max():.3f}, with {n_columns} of {X.shape[1]} columns")
    colour, width = looks[name]
    ax.plot(norms, explained, color=colour, linewidth=width, label=name)
    ax.plot(best, explained.max(), "o", color=colour, markersize=width + 5)
ax.legend(loc="lower right")
ax.set(xlabel="l1 norm of the coefficients of unit columns", ylabel="part of the variance explained, rows held out", ylim=(0, 0.55))
ax.set_title("Ten-fold cross-validation; a dot marks the best model")
