"""
Outliers: least squares and a robust loss
=========================================

One row in ten has a wrong target, far above the others. Trees boosted with the squared loss follow
them. The Huber loss grows only linearly for large errors, so that an outlier pulls no more than a
row with a moderate error.
"""

import matplotlib.pyplot as plt
import numpy as np

import coordboost as cb

rng = np.random.default_rng(0)
X = rng.uniform(-3, 3, size=(300, 1))
truth = np.sin(X[:, 0])
y = truth + 0.2 * rng.normal(size=300)
wrong = rng.random(300) < 0.1
y[wrong] += rng.uniform(2, 6, size=wrong.sum())

# %%
# ``Huber(d)`` is the squared loss for errors up to d, here 0.3, and linear beyond.
grid = np.linspace(-3, 3, 400)[:, None]
curves = {}
for name, loss in {"squared loss": cb.losses.Squared(), "Huber loss": cb.losses.Huber(0.3)}.items():
    model = cb.RandomizedGBMRegressor(loss=loss, n_estimators=200, max_depth=2, random_state=0).fit(
        X, y
    )
    curves[name] = model.predict(grid)
    print(
        f"{name:12}: mean distance from the true curve "
        f"{np.mean(np.abs(model.predict(X) - truth)):.2f}"
    )

fig, ax = plt.subplots(figsize=(7, 4.2), layout="constrained")
ax.plot(X[~wrong], y[~wrong], ".", color="0.7", label="right targets")
ax.plot(X[wrong], y[wrong], "x", color="0.4", label="wrong targets")
ax.plot(grid, np.sin(grid), color="black", linestyle="--", label="truth", zorder=3)
for (name, curve), color in zip(curves.items(), ("#D55E00", "#0072B2"), strict=True):
    ax.plot(grid, curve, color=color, linewidth=2, label=name)
ax.set(xlabel="x", ylabel="y", ylim=(-2, 8.5))
ax.legend(ncols=2, loc="upper left")
