"""
Boosting is subgradient descent on the residuals
================================================

Forward stagewise takes the column that correlates most with the residual, and subtracts eps times
this column. So the column is the direction of descent, and in the space of residuals the method is
subgradient descent. It minimises the largest correlation f(r) = max abs(B'r).
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes

import coordboost as cb

# %%
# First an example with two columns and two samples: residuals are points in the plane. The
# contours of f are parallelograms, and each step is at right angles to the side where it begins.
# After some steps the residual jumps back and forth across a kink of f, where both columns have the
# same absolute correlation.
angles = np.deg2rad([0, 60])
B = np.array([np.cos(angles), np.sin(angles)])
small = cb.Problem(B, [2.0, 1.1], center=False, scale=False)
resid = np.array([one.resid for one in cb.theory.subgradient_descent(small, 0.2, 14)])

# %%
# Then the diabetes data, with three step lengths. The method written as subgradient descent and
# the boosting method have the same residuals. With a constant step f falls to about eps / 2, the
# thin lines, and no further.
problem = cb.Problem(*load_diabetes(return_X_y=True))
curves = {}
for eps in (20.0, 5.0, 1.0):
    steps = list(cb.theory.subgradient_descent(problem, eps, round(4000 / eps)))
    run = cb.solve(problem, cb.forward_stagewise(eps), n_steps=round(4000 / eps))
    curves[eps] = np.array([one.objective for one in steps])
    apart = np.abs(steps[-1].resid - run.final.resid).max()
    print(
        f"eps = {eps:2g}: f falls from {curves[eps][0]:.0f} to {curves[eps].min():.2f}; last "
        f"residuals differ by {apart:.0e}"
    )

# %%
fig, (left, right) = plt.subplots(1, 2, figsize=(11, 4.8), layout="constrained")
grid = np.meshgrid(np.linspace(-0.6, 2.4, 301), np.linspace(-1.0, 1.6, 301))
left.contour(
    *grid,
    np.abs(np.tensordot(B.T, grid, 1)).max(axis=0),
    levels=np.arange(0.1, 3, 0.2),
    colors="0.8",
    linewidths=1,
)
left.plot(*resid.T, "o-", color="#0072B2")
left.annotate("residual at the start: y", resid[0], (-8, 8), textcoords="offset points", ha="right")
left.plot(0, 0, "x", color="black", markersize=10)
left.set(
    aspect="equal",
    xlabel="residual of sample 0",
    ylabel="residual of sample 1",
    title="Steps on the contours of f, eps = 0.2",
)
for (eps, values), colour in zip(curves.items(), ("#D55E00", "#0072B2", "black"), strict=True):
    right.semilogy(eps * np.arange(len(values)), values, color=colour, linewidth=1)
    right.axhline(eps / 2, color=colour, linewidth=0.6)
    right.text(100, 0.53 * eps, f"eps = {eps:g}", color=colour)
right.set(xlabel="step times eps", ylabel="f, the largest correlation", title="Diabetes data")
