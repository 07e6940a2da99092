"""
A false statement is refuted, the corrected one holds
=====================================================

Does the training error of forward stagewise fall in every step? Freund, Grigas and Mazumder write
so, and prove much more that is true. A run on the diabetes data refutes this sentence. What holds:
a step of length eps lowers the error exactly if the largest correlation is above eps / 2.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes

import coordboost as cb

eps = 40.0
problem = cb.Problem(*load_diabetes(return_X_y=True))
run = cb.solve(problem, cb.forward_stagewise(eps), n_steps=120)
trail = cb.theory.bounds.Trail.of(run)  # what theorems speak of, at every step
excess, corr = trail.excess, trail.corr[:-1]
change = np.diff(excess)

# %%
# Three claims are checked on the run: the printed one, the corrected one, and the exact change
# of the error, which the package knows. The third one says why: ``tightest 1`` means that both
# sides are equal.
rounding = 1e-12 * excess[0]
print(
    cb.theory.BoundCheck(
        "training error of FS falls", "printed", "upper", excess[1:], excess[:-1], rounding
    )
)
far = corr > eps / 2
print(
    cb.theory.BoundCheck(
        "falls while corr > eps / 2",
        "corrected",
        "upper",
        excess[1:][far],
        excess[:-1][far],
        rounding,
    )
)
print(cb.theory.check(run, statements="Change of the training error"))

# %%
# Each dot is a step. All lie on the line eps / 2 (eps - 2 corr), which crosses 0 at eps / 2.
fig, (left, right) = plt.subplots(1, 2, figsize=(11, 4.6), layout="constrained")
up = change > 0
left.semilogy(excess, color="0.6")
left.plot(
    np.flatnonzero(~up) + 1,
    excess[1:][~up],
    ".",
    color="#0072B2",
    label=f"error fell: {np.sum(~up)} steps",
)
left.plot(
    np.flatnonzero(up) + 1,
    excess[1:][up],
    ".",
    color="#D55E00",
    label=f"error rose: {np.sum(up)} steps",
)
left.legend()
left.set(
    xlabel="step",
    ylabel="training error above least squares",
    title=f"Forward stagewise, eps = {eps:g}",
)
near = corr < 2 * eps
right.plot([0, 2 * eps], [eps**2 / 2, -1.5 * eps**2], color="0.6", linewidth=1)
for part, colour in ((near & ~up, "#0072B2"), (near & up, "#D55E00")):
    right.plot(corr[part], change[part], ".", color=colour, markersize=9)
right.axhline(0, color="black", linewidth=0.8)
right.axvline(eps / 2, color="black", linewidth=0.8, linestyle="--")
right.text(eps / 2 + 1, -(eps**2), "eps / 2")
right.set(xlabel="largest correlation before the step", ylabel="change of the training error")
right.set_title(f"Steps with a correlation below {2 * eps:g}")
