"""
A penalty on large trees
========================

A large tree fits the residual better than a small one. Regularised boosting compares trees of
several sizes in every step, and adds a penalty for their complexity. The size of the penalty
decides which trees are chosen. The data are the breast cancer set.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

import coordboost as cb

X, X_val, y, y_val = train_test_split(
    *load_breast_cancer(return_X_y=True), test_size=0.5, random_state=0
)
sizes = (1, 2, 4, 8, 16)
problem = cb.Problem(cb.data.tree_families(X, nodes=sizes, bounds=(1.0,)), y, cb.losses.Logistic())
penalties = [0, 0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03]
path = cb.engine.penalty_path(problem, penalties, 100, X_val=X_val, y_val=y_val, n_candidates=None)
print(path)

# %%
# Above, the mean loss. Below, the numbers of splits of the 100 trees.
fig, (upper, lower) = plt.subplots(
    2, 1, figsize=(7.5, 5.2), sharex=True, height_ratios=(1, 1.4), layout="constrained"
)
at = np.arange(len(penalties))
for losses, name, color in (
    (path.loss, "training", "#0072B2"),
    (path.validation, "validation", "#D55E00"),
):
    upper.plot(at, losses, "o-", color=color, label=name)
steps = np.array([summary.steps for summary in path.summaries])
bottom = np.cumsum(steps, axis=1) - steps
for k, shade in enumerate(plt.colormaps["viridis"](np.linspace(0.95, 0.1, len(sizes)))):
    lower.bar(
        at, steps[:, k], bottom=bottom[:, k], color=shade, label=f"{sizes[k]} split" + "s" * (k > 0)
    )
upper.set(ylabel="mean loss", ylim=(0, 0.17))
lower.set(ylabel="trees", xlabel="penalty")
lower.set_xticks(at, [f"{penalty:g}" for penalty in penalties])
for ax in (upper, lower):
    ax.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False, reverse=ax is lower)
