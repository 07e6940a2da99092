"""
What does the step length do in forward stagewise?
==================================================

Each step of forward stagewise moves one coefficient by eps. With short steps the coefficient
profiles follow the Lasso path, here broad and grey. With long steps they are stairs around it. The
data are the ten variables of the diabetes set.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_diabetes

import coordboost as cb

X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
problem = cb.Problem(X, y)
lasso = cb.exact_path(problem)


# %%
# Longer steps need fewer steps. The runs end at the first step where the sum of the absolute
# coefficients, their l1 norm, is at least 1,950.
def long_enough(state):
    return state.l1 >= 1950


long_enough.every = 1  # tested after every step

runs = {
    eps: cb.solve(problem, cb.forward_stagewise(eps), 5000, stop=long_enough)
    for eps in (150.0, 50.0, 1.0)
}
for eps, run in runs.items():
    print(
        f"eps = {eps:5}: {run.n_steps:5,} steps, l1 norm {run.final.l1:,.0f}, mean loss "
        f"{run.final.loss / len(y):,.1f}"
    )

# %%
# All coefficients belong to columns of norm 1, so that they can be compared.
fig, axes = plt.subplots(1, 3, figsize=(10.5, 4.2), sharey=True, layout="constrained")
fixed = lasso.coef_path(unit_columns=True)
for ax, (eps, run) in zip(axes, runs.items(), strict=True):
    ax.plot(abs(fixed).sum(axis=1), fixed, color="0.85", linewidth=5)
    run.plot(ax=ax, n_labels=7)
    ax.set(
        title=f"eps = {eps:g}: {run.n_steps:,} steps",
        xlim=(0, 1950),
        xlabel="l1 norm of the coefficients",
        ylabel="",
    )
axes[0].set(ylim=(-280, 650), ylabel="coefficient")
