"""
From a table to an explained model
==================================

A table with a column of categories, boosted trees, and what they have learned: the importance of
columns, their effect, and the SHAP values of single predictions. The data are the diabetes set:
442 patients, and the progression of the disease after a year.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.inspection import PartialDependenceDisplay
from sklearn.model_selection import train_test_split

import coordboost as cb

X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
X["sex"] = X["sex"].map({1.0: "A", 2.0: "B"}).astype("category")
X, X_val, y, y_val = train_test_split(X, y, test_size=0.3, random_state=0)
model = cb.RandomizedGBMRegressor(n_estimators=500, learning_rate=0.05, random_state=0)
model.fit(X, y, X_val=X_val, y_val=y_val)
print(f"{model.n_iter_} trees, R^2 on other patients {model.score(X_val, y_val):.2f}")

# %%
# Which columns matter? On the left the gains of their splits in the fit. On the right, by how much
# the score on other patients falls if a column is shuffled.
fig, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
cb.plots.ImportanceDisplay.from_estimator(model, ax=left)
cb.plots.ImportanceDisplay.from_estimator(
    model, X_val, y_val, kind="permutation", permutation_options={"random_state": 0}, ax=right
)

# %%
# How do predictions change with a column, and with two together?
fig, axes = plt.subplots(1, 3, figsize=(9, 3.2), layout="constrained")
PartialDependenceDisplay.from_estimator(model, X, ["bmi", "s5", ("bmi", "s5")], ax=axes)

# %%
# What has each column added to each prediction? The SHAP values of a patient and the base value add
# up to the prediction. Each point below is a patient.
values, base_values = model.contributions(X_val)
print(f"{np.abs(values.sum(axis=1) + base_values - model.predict(X_val)).max():.0e}")
fig, axes = plt.subplots(1, 3, figsize=(9, 3.2), sharey=True, layout="constrained")
order = np.argsort(-np.abs(values).mean(axis=0))
for ax, j in zip(axes, order, strict=False):
    ax.scatter(X_val.iloc[:, j], values[:, j], s=12, alpha=0.7)
    ax.set_xlabel(X.columns[j])
axes[0].set_ylabel("contribution")

# %%
# One patient: why is the prediction so high? With the package shap,
# ``shap.plots.waterfall(model.explanation(X_val)[k])`` draws the same, and
# ``shap.plots.beeswarm(model.explanation(X_val))`` all patients.
k = int(np.argmax(model.predict(X_val)))
order = np.argsort(np.abs(values[k]))
fig, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
ax.barh(
    [f"{X.columns[j]} = {X_val.iloc[k, j]}" for j in order],
    values[k, order],
    color=np.where(values[k, order] > 0, "#D55E00", "#0072B2"),
)
ax.axvline(0, color="0.5", linewidth=0.6)
ax.set_xlabel(f"contribution, added to {base_values[k]:.0f}: {model.predict(X_val)[k]:.0f}")
