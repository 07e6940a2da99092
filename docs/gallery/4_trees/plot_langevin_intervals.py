"""
Predictive intervals from one boosting run
==========================================

Langevin boosting adds noise to every tree and shrinks the earlier trees. Its later iterations are
samples of models. So one run gives two intervals: for the mean of the target, and for a new target.
"""

import matplotlib.pyplot as plt
import numpy as np

import coordboost as cb

rng = np.random.default_rng(0)


def draw(n):
    x = rng.uniform(-3, 3, n)
    return x[:, None], np.sin(2 * x) + x / 2 + 0.4 * rng.normal(size=n)


X, y = draw(300)
model = cb.LangevinGBMRegressor(min_samples_leaf=10, random_state=0).fit(X, y)

# %%
# How many new targets lie in their intervals?
X_new, y_new = draw(2000)
low, high = model.predict_interval(X_new, level=0.9).T
print(
    f"the 90 % intervals hold {np.mean((low <= y_new) & (y_new <= high)):.0%} of 2,000 new targets"
)
print(f"standard deviation of the noise: {model.noise_variance_**0.5:.2f} estimated, 0.40 true")

# %%
# The outer band is for new targets, the inner one for their mean.
x = np.linspace(-3, 3, 600)
fig, ax = plt.subplots(figsize=(7, 4.2), layout="constrained")
bands = {"90 % for a new target": (True, "#CFE2F3"), "90 % for the mean": (False, "#6FA8DC")}
for name, (observation, color) in bands.items():
    ax.fill_between(
        x,
        *model.predict_interval(x[:, None], level=0.9, observation=observation).T,
        color=color,
        label=name,
    )
ax.plot(X, y, ".", color="0.4", markersize=4, label="training rows")
ax.plot(x, model.predict(x[:, None]), color="#0B4F8A", linewidth=2, label="prediction")
ax.plot(x, np.sin(2 * x) + x / 2, "--", color="#D55E00", linewidth=2, label="true mean")
ax.set(xlabel="x", ylabel="y", xlim=(-3, 3))
ax.legend(loc="upper left")
