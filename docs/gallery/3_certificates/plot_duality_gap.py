"""
How far is a run from the optimum?
==================================

Forward stagewise regression on the diabetes data, with three step lengths. After every step a
certificate gives an interval that contains the least loss. Its width, the duality gap, bounds how
much further steps can gain. A small step length comes nearer to the optimum, but needs more steps.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_diabetes

import coordboost as cb

X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
problem = cb.Problem(X, y)
runs = {
    eps: cb.solve(problem, cb.forward_stagewise(eps=eps), n_steps=3000) for eps in (10.0, 3.0, 1.0)
}

# %%
# The certificates of the last models.
for eps, run in runs.items():
    print(f"eps = {eps:4}: {run.certificate()}")

# %%
# The gaps along the runs, relative to the loss of the constant model.
fig, ax = plt.subplots(layout="constrained")
for eps, run in runs.items():
    cb.plots.GapDisplay.from_run(run, ax=ax, label=f"eps = {eps:g}", legend=True)
