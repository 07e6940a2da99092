"""
A boosting method of your own
=============================

A method is a pair of rules: which learner to choose, and how long the step is. The step is eps in
forward stagewise; in LS-Boost it is eps times the correlation of the learner with the residual. The
new step rule lies between them: eps times the square root of the correlation.
"""

import math
from collections import namedtuple

import matplotlib.pyplot as plt
from sklearn.datasets import load_diabetes

import coordboost as cb


# %%
# The rule in five lines. It returns how much all coefficients shrink, here 0, and the change of
# coefficient j.
class RootStep(namedtuple("RootStep", "eps"), cb.rules.StepRule):
    def move(self, k, state, j, corr, beta_j):
        return 0.0, math.copysign(self.eps * math.sqrt(abs(corr)), corr)


print(cb.testing.check_piece(RootStep(1.0)))

# %%
# The rule is compiled together with the loop. The first step of all three methods has the same
# length, 20.
X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
problem = cb.Problem(X, y)
corr = abs(problem.scan(y - y.mean())).max()
own = cb.rules.Method(
    "root_boost", cb.rules.Greedy(), RootStep(20 / math.sqrt(corr)), source="this page"
)
methods = {
    "forward stagewise": cb.forward_stagewise(20.0),
    "the new rule": own,
    "LS-Boost": cb.ls_boost(20 / corr),
}

fig, ax = plt.subplots(figsize=(7, 4.2), layout="constrained")
for (name, method), color in zip(methods.items(), ("#D55E00", "#0072B2", "black"), strict=True):
    run = cb.solve(problem, method, 10_000)
    cb.plots.GapDisplay.from_run(run, ax=ax, label=name, color=color, linewidth=2)
    print(f"{name:17}: {run.certificate()}")
