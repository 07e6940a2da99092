"""
Why Frank-Wolfe zigzags
=======================

Frank-Wolfe minimises a loss over the l1 ball, in the plane a square. Each step goes straight
towards a corner. If the optimum lies on an edge, the steps alternate between its two corners, and
become shorter and shorter. Away steps can also go away from a corner that the model uses, and reach
the optimum. Here are two columns, and the paths of both methods.
"""

import matplotlib.pyplot as plt
import numpy as np

import coordboost as cb

# Two unit columns with inner product -0.8, and a target for which the optimum on the ball of radius
# 1 is (0.45, 0.55).
B = np.array([[1.0, -0.8], [0.0, 0.6]])
optimum = np.array([0.45, 0.55])
y = B @ optimum + np.linalg.solve(B.T, [0.3, 0.3])
problem = cb.Problem(B, y, center=False, scale=False)
methods = {
    "Frank-Wolfe": cb.methods.frank_wolfe(1.0, cb.rules.SegmentSearch(1.0)),
    "Frank-Wolfe with away steps": cb.methods.frank_wolfe_away(1.0),
}

runs = {name: cb.solve(problem, method, n_steps=30) for name, method in methods.items()}
for name, run in runs.items():
    print(f"{name}: {run.coef.round(4)} after 30 steps, {run.certificate()}")

# %%
# The curves are contours of the loss. Both paths have the same first three steps. Then an away
# step moves away from the origin, where both began, and the next step ends at the optimum, marked
# by a cross. The right picture shows the certified gaps: without away steps the gap falls slowly,
# with them to rounding level.
fig, axs = plt.subplots(1, 3, figsize=(13, 4.4), layout="constrained")
grid = np.meshgrid(np.linspace(-0.1, 1.1, 200), np.linspace(-0.1, 1.1, 200))
loss = ((y[:, None, None] - np.tensordot(B, grid, 1)) ** 2).sum(axis=0) / 2
for ax, (name, run), colour in zip(axs, runs.items(), ("#D55E00", "#0072B2"), strict=False):
    beta = np.array([state.beta for state in run.replay(range(31))])
    ax.contour(*grid, loss, levels=12, colors="0.85", linewidths=1)
    ax.plot([1, 0, -1, 0, 1], [0, 1, 0, -1, 0], color="black")
    ax.plot(*beta.T, ".-", color=colour)
    ax.plot(*optimum, "x", color="black", markersize=10, zorder=3)
    ax.set(
        xlim=(-0.1, 1.1),
        ylim=(-0.1, 1.1),
        aspect="equal",
        xlabel="coefficient 1",
        ylabel="coefficient 2",
    )
    ax.set_title(name, color=colour)
    cb.plots.GapDisplay.from_run(run, ax=axs[2], color=colour, legend=False)
axs[2].set_title("Duality gap")
