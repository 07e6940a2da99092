"""
Which target do weak learners fit worst?
========================================

Weak learners are unit vectors, here three in the plane, for two samples. For every target take the
cosine of its best learner. The smallest such cosine, over all targets, is the minimal cosine angle
Theta. It is the radius of the largest ball in the convex hull of the learners and their opposites,
and determines how fast boosting converges.
"""

import matplotlib.pyplot as plt
import numpy as np

import coordboost as cb

sets = {"close together": [10, 40, 70], "spread evenly": [0, 60, 120]}
targets = np.arange(0, 180, 2.5)

# %%
# The ball touches the boundary of the hull in the direction that is fitted worst. The third
# picture turns the target by 180 degrees and shows the share of the loss that is left after a step
# of greedy boosting. It is at most 1 - Theta^2, the dashed line. This holds for every later step,
# too: after k steps at most (1 - Theta^2)^k of the loss is left.
fig, axs = plt.subplots(1, 3, figsize=(13, 4.8), layout="constrained")
for ax, (words, degrees), colour in zip(axs, sets.items(), ("#D55E00", "#0072B2"), strict=False):
    B = np.array([np.cos(np.deg2rad(degrees)), np.sin(np.deg2rad(degrees))])
    theta = cb.plots.AngleDisplay.from_learners(B, ax=ax, legend=False, color="black").angle
    ax.set_title(f"{words}: Theta = {theta.upper:.3f}", color=colour)
    left = []
    for target in np.deg2rad(targets):
        problem = cb.Problem(B, [np.cos(target), np.sin(target)], center=False, scale=False)
        run = cb.solve(problem, cb.methods.gcd(), n_steps=12)
        left.append(run.losses / problem.start_loss)
    left = np.array(left)
    axs[2].plot(targets, left[:, 1], color=colour, linewidth=2)
    axs[2].axhline(1 - theta.upper**2, color=colour, linestyle="--")
    axs[2].text(3, 1.01 - theta.upper**2, f"1 - Theta$^2$, {words}", color=colour, va="bottom")
    print(f"{words}: Theta in {theta}")
    for k in (1, 2, 12):
        print(
            f"    left after {k} steps: at most {left[:, k].max():.3g}, and "
            f"{(1 - theta.upper**2) ** k:.3g} by the bound"
        )
axs[2].set(
    xlabel="angle of the target, degrees",
    ylabel="share of the loss left after one step",
    xlim=(0, 180),
    ylim=(0, 0.9),
)
axs[2].set_xticks(range(0, 181, 30))
fig.legend(*axs[0].get_legend_handles_labels(), loc="outside lower left", ncols=6, frameon=False)
