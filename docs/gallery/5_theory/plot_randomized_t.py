"""
Compare a few learners, or all of them?
=======================================

Gradient boosting takes the best of all learners in each step. The randomised gradient boosting
machine (RGBM) takes the best of t learners drawn at random. A step then gains less and costs less.
The learners are the stumps of simulated data; the cost is the number of learners compared.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_friedman1

import coordboost as cb

X, y = make_friedman1(n_samples=1000, noise=1.0, random_state=0)
problem = cb.Problem(cb.data.leaf_stumps(X, max_bins=100), y)
n = problem.n_learners
print(f"{n} stumps")

# %%
# Every run compares about 100,000 learners. ``replay`` gives the models after some of the steps.
fig, ax = plt.subplots(figsize=(7, 4.2), layout="constrained")
for t, color in zip((1, 10, 100, n), ("#D55E00", "#009E73", "#56B4E9", "black"), strict=True):
    run = cb.solve(problem, cb.rtgcd(t), 100_000 // t)
    at = np.unique(np.geomspace(1, run.n_steps, 50).astype(int))
    losses = [state.loss / problem.start_loss for state in run.replay(at.tolist())]
    ax.loglog(
        t * at, losses, color=color, linewidth=2, label=f"t = {t}" if t < n else f"t = {t} (all)"
    )
    print(f"t = {t:3}: {run.n_steps:7,} steps to {losses[-1]:.3f} of the first loss")
ax.set(xlabel="learners compared", ylabel="training loss / first loss")
ax.legend()
