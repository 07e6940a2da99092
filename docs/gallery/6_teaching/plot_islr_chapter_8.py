"""
A tree, boosted stumps, boosted trees
=====================================

The classical comparison of *An Introduction to Statistical Learning*, chapter 8: one regression
tree against boosting, on held-out rows. The number of trees depends on the learning rate: a small
rate needs more trees, and predicts better. The target is Friedman's function of five variables;
five more variables are noise.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_friedman1
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeRegressor

import coordboost as cb

X, y = make_friedman1(n_samples=1000, noise=1.0, random_state=0)
X, X_test, y, y_test = train_test_split(X, y, random_state=0)

# %%
# The best single tree. Its size is chosen on the held-out rows, and so is the number of trees
# below. Both errors are therefore too small.
trees = [DecisionTreeRegressor(max_leaf_nodes=k, random_state=0).fit(X, y) for k in range(2, 100)]
one_tree = min(np.mean((y_test - tree.predict(X_test)) ** 2) for tree in trees)
print(f"one tree: mean squared error {one_tree:.2f}")

# %%
# Boosting adds trees one by one. ``score_path`` gives minus the mean loss on held-out rows after
# every tree. The squared loss has a factor 1/2, so that the mean squared error is twice the loss.
fig, ax = plt.subplots(figsize=(7.5, 4.4), layout="constrained")
looks = {
    (1, 0.1): ("#D55E00", "-"),
    (4, 0.5): ("#0072B2", ":"),
    (4, 0.1): ("#0072B2", "-"),
    (4, 0.02): ("#0072B2", "--"),
}
for (depth, rate), (color, style) in looks.items():
    problem = cb.Problem(cb.data.trees(X, max_depth=depth, min_samples=5), y)
    run = cb.solve(problem, cb.gbm(rate), 1000)
    error = -2 * run.score_path(X_test, y_test)
    print(
        f"depth {depth}, rate {rate}: smallest error {error.min():.2f} after {error.argmin()} trees"
    )
    ax.semilogx(
        error, style, color=color, linewidth=2, label=f"depth {depth}, learning rate {rate}"
    )
ax.axhline(one_tree, color="black", linewidth=1, label="best single tree")
ax.set(
    xlabel="number of trees",
    ylabel="mean squared error on held-out rows",
    xlim=(1, 1000),
    ylim=(0, None),
)
ax.legend()
