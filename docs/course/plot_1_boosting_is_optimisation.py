"""
1. Boosting is optimisation
===========================

Boosting with least squares minimises a convex function of coefficients. Here the columns are the ten variables of the diabetes
data, and each step moves one coefficient.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes

import coordboost as cb

X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
problem = cb.Problem(X, y)

# %%
# The columns of the problem are centred and have norm 1. Boosting by hand: look at the correlations of all columns with the
# residual, take the largest, and move its coefficient by a part of it.
B = np.column_stack([problem.dictionary.column(j) for j in range(problem.n_learners)])
resid = y.to_numpy() - y.mean()
chosen = []
for _ in range(50):
    corr = B.T @ resid
    best = int(np.argmax(np.abs(corr)))
    resid = resid - 0.1 * corr[best] * B[:, best]
    chosen.append(best)

# %%
# ``ls_boost`` makes the same steps.
run = cb.solve(problem, cb.ls_boost(eps=0.1), n_steps=50)
print(run.path.learner.tolist() == chosen, np.isclose(run.final.loss, resid @ resid / 2))

# %%
# The loss falls towards that of least squares, and the certificate says how far away it is.
longer = run.resume(450)
print(longer.certificate())
longer.plot(against="l1")
plt.show()
