"""
Counts and exposure
===================

Claims are counted over policies of different length. We want the rate, claims per year. The
logarithm of the years is the offset of a Poisson model: a known part of every prediction. Without
it, the model mistakes short policies for safe ones.
"""

import matplotlib.pyplot as plt
import numpy as np

import coordboost as cb


def rate_at(age):
    return 0.08 + 0.3 * np.exp((18 - age) / 8) + 0.1 * np.exp((age - 80) / 6)


rng = np.random.default_rng(0)
age = rng.uniform(18, 80, 20_000)
X = age[:, None]
years = np.where(
    age < 30, rng.uniform(0.05, 0.5, len(age)), rng.uniform(0.5, 2, len(age))
)  # short policies of the young
claims = rng.poisson(rate_at(age) * years)

# %%
# With the offset the model predicts rates. Its prediction for a policy is the rate times the years.
model = cb.RandomizedGBMRegressor(
    loss=cb.losses.Poisson(), n_estimators=50, min_samples_leaf=500, random_state=0
)
grid = np.linspace(18, 80, 400)
rates = model.fit(X, claims, offset=np.log(years)).predict(grid[:, None])
counts = model.fit(X, claims).predict(grid[:, None])
print(f"{claims.sum():,} claims in {years.sum():,.0f} years")
young = grid < 30
for name, curve in {"true": rate_at(grid), "with the offset": rates, "without": counts}.items():
    print(f"mean rate below 30, {name}: {curve[young].mean():.2f}")

fig, ax = plt.subplots(figsize=(7, 4.2), layout="constrained")
ax.plot(grid, rate_at(grid), "--", color="black", label="true rate")
ax.plot(grid, rates, color="#0072B2", linewidth=2, label="with the years as offset")
ax.plot(grid, counts, color="#D55E00", linewidth=2, label="without")
ax.set(xlabel="age", ylabel="claims per year", xlim=(18, 80), ylim=(0, None))
ax.legend()
