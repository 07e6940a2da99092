"""
Momentum can diverge, and a guard against it
============================================

Accelerated boosting adds momentum to gradient boosting; gamma is the weight of momentum. A weak
learner does not fit the whole gradient, and momentum accumulates these errors. With a large gamma
the errors grow, and so does the loss. The example has ten samples and ten learners, one for each
sample.
"""

import matplotlib.pyplot as plt
import numpy as np

import coordboost as cb

y = np.arange(10, 0, -1.0)
problem = cb.Problem(np.eye(10), y, center=False, scale=False)
print(f"the largest gamma that the theorem allows: {cb.theory.momentum_limit(problem):.4f}")

# %%
# ``gamma="auto"`` takes this value: the run is safe, but slow. With the guard, which is on by
# default, you can try a larger gamma. When the loss rises above what the theorem allows, the run
# goes back to its best model and continues with a quarter of gamma. The steps after the best model
# are dropped, and not counted here.
runs = {
    "gamma = 0.3, no guard": cb.solve(problem, cb.agbm(eta=1.0, gamma=0.3, guard=False), 200),
    "gamma = auto": cb.solve(problem, cb.agbm(eta=1.0, gamma="auto"), 200),
    "gamma = 0.3, guard": cb.solve(problem, cb.agbm(eta=1.0, gamma=0.3), 200),
}
for name, run in runs.items():
    print(
        f"{name}: loss {run.final.loss:.1e} at the end, {problem.start_loss} at the start\n    "
        f"{run.message}"
    )

# %%
# A round has two steps: one learner moves the model, another one the momentum.
fig, ax = plt.subplots(figsize=(7, 4.2), layout="constrained")
for (name, run), color in zip(runs.items(), ("#D55E00", "black", "#0072B2"), strict=True):
    losses = run.losses[::2]
    ax.semilogy(losses, color=color, linewidth=2)
    ax.text(50, 20 * losses[50], name, color=color, ha="center")
ax.axhline(problem.start_loss, color="0.7", linewidth=1)
ax.text(100, problem.start_loss, "loss at the start ", color="0.4", ha="right", va="bottom")
ax.set(xlabel="round", ylabel="loss", xlim=(0, 100))
