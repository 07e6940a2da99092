"""
Boosting, the Lasso and Frank-Wolfe on one path
===============================================

Three methods from three fields, on the diabetes data. Forward stagewise boosting starts at 0 and
changes one coefficient a little at a time. The Lasso minimises the loss over all coefficients with
an l1 norm of at most delta. Frank-Wolfe steps towards vertices of this l1 ball. The animation shows
that all three give nearly the same coefficients.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.animation import FuncAnimation
from sklearn.datasets import load_diabetes

import coordboost as cb

X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
problem = cb.Problem(X, y)
boosting = cb.solve(problem, cb.forward_stagewise(eps=1.0), n_steps=2400)
deltas = np.linspace(0, boosting.final.l1, 37)[1:]  # one frame each
places = [cb.lasso.PathPoint(l1=delta) for delta in deltas]
lasso = cb.exact_path(problem).coef_path(places, unit_columns=True)

# %%
# For Frank-Wolfe, here with pairwise steps, each radius needs its own run, which ends at the
# Lasso. Boosting is one run for all radii. It stays near the Lasso until coefficients move back,
# near the end.
runs = [
    cb.solve(problem, cb.methods.frank_wolfe_pairwise(delta), n_steps=400) for delta in deltas[3::4]
]
frank_wolfe = np.array([problem.unit(run.coef) for run in runs])
stagewise = boosting.coef_path(places, unit_columns=True)
apart = np.abs(stagewise - lasso).max(axis=1)
print(
    "largest difference of a coefficient, Lasso and Frank-Wolfe: "
    f"{np.abs(frank_wolfe - lasso[3::4]).max():.1e}"
)
print(
    f"Lasso and boosting: {apart[:27].max():.1f} up to l1 = {deltas[26]:.0f}, {apart.max():.1f} up "
    f"to {deltas[-1]:.0f}"
)
print(f"largest coefficient: {np.abs(lasso).max():.0f}")

# %%
# The animation.
fig, ax = plt.subplots(figsize=(7, 5), layout="constrained")
ax.plot(deltas, lasso, color="0.82", linewidth=8, zorder=0)
lines = boosting.plot(ax=ax).lines_
dots = [ax.plot([], [], "o", color=line.get_color(), markersize=7, zorder=3)[0] for line in lines]
whole = [line.get_data() for line in lines]
looks = {
    "Lasso": ("-", 8, "0.82"),
    "forward stagewise boosting": ("-", 1.5, "black"),
    "Frank-Wolfe": ("o", 1, "black"),
}
handles = [
    ax.plot([], [], style, linewidth=width, color=colour, label=words)[0]
    for words, (style, width, colour) in looks.items()
]
ax.legend(handles=handles, loc="lower left")
fig.canvas.draw()  # makes the layout, once
fig.set_layout_engine("none")


def draw(frame):
    """The picture up to the radius of this frame."""
    last = min(frame, len(deltas) - 1)
    for j, (line, (x, values)) in enumerate(zip(lines, whole, strict=True)):
        line.set_data(x[x <= deltas[last]], values[x <= deltas[last]])
        dots[j].set_data(deltas[3 : last + 1 : 4], frank_wolfe[: (last + 1) // 4, j])


animation = FuncAnimation(
    fig, draw, frames=len(deltas) + 8, interval=150
)  # the last picture stays for a while
