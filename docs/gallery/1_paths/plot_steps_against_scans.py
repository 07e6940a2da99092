"""
How many steps are made from one scan of the data?
==================================================

Forward stagewise needs the largest of all correlations in every step, so a plain program scans all
columns in every step. Lookahead scans now and then, and proves for the steps between scans that no
other column has the largest correlation. Here are 2,000 simulated columns and 500 rows, and step
lengths from 2 down to 0.0002.
"""

import matplotlib.pyplot as plt
import numpy as np

import coordboost as cb

rng = np.random.default_rng(0)
X = rng.standard_normal((500, 2000))
for j in range(1, 2000):  # neighbours have correlation 1/2
    X[:, j] = 0.5 * X[:, j - 1] + np.sqrt(0.75) * X[:, j]
y = X[:, :10].sum(axis=1) + 1.5 * rng.standard_normal(500)
problem = cb.Problem(X, y)

# %%
# All runs end at the same l1 norm, 200. With a hundredth of the step length there are a hundred
# times as many steps, but hardly more scans. Where steps are long, the package uses Gram columns
# instead, the inner products of a few columns with all others.
print("      eps      steps  scans  Gram columns")
n_steps, n_scans = [], []
for eps in 2.0 * 10.0 ** -np.arange(0, 4.5, 0.5):
    run = cb.solve(problem, cb.forward_stagewise(eps), n_steps=round(200 / eps))
    n_steps.append(run.n_steps)
    n_scans.append(run.n_scans)
    print(f"{eps:9.4f} {run.n_steps:10,} {run.n_scans:6g} {run.n_gram_columns:13}")

# %%
# The package also has the plain way, as another model state. It makes the same steps.
plain = cb.solve(
    problem, cb.forward_stagewise(0.02), n_steps=1000, model_state=cb.engine.NaiveState
)
quick = cb.solve(problem, cb.forward_stagewise(0.02), n_steps=1000)
print(
    f"same learners: {np.array_equal(plain.path.learner, quick.path.learner)}; scans: "
    f"{plain.n_scans:g} and {quick.n_scans:g}"
)

# %%
fig, ax = plt.subplots(figsize=(8, 5), layout="constrained")
ax.loglog(n_steps, n_steps, "--", color="0.4")
ax.text(1.6e4, 4e4, "a scan in every step", color="0.4", ha="right")
ax.loglog(n_steps, n_scans, "o-", color="#0072B2", linewidth=2)
ax.text(
    n_steps[-1], 1.7 * n_scans[-1], f"lookahead: {n_scans[-1]:g} scans", color="#0072B2", ha="right"
)
ax.set(
    xlabel="steps",
    ylabel="scans of all columns",
    title="Forward stagewise to the same l1 norm, with shorter and shorter steps",
)
