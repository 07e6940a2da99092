r"""
7. Trees as an implicit dictionary
==================================

**Goals**

* You can say why a tree is a column of the matrix, although the matrix has too many columns to
  write down.
* You know which parts of the theory still hold (the loop, the step, the gain of a step), and which
  do not.
* You can compute the cosine between a residual and its tree from a run, and say what it proves.

*You need*: lessons 1, 4 and 5; regression trees. *Time*: 50 minutes.
"""

# sphinx_gallery_thumbnail_number = 1
from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeRegressor

import coordboost as cb

plt.rcParams.update(
    {"figure.figsize": (8, 4.5), "figure.constrained_layout.use": True, "font.size": 12}
)
BLUE, ORANGE, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "#767676"

X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
# Each of the other columns has at most 255 different values, so that every
# split can be tried.
X = X.drop(columns="s2")

# %%
# How many columns?
# -----------------
#
# A split of a variable at a threshold is a *stump*. There is one between any two neighbouring
# values, so they can be counted. A tree of depth 2 has a split, and one more in each half: up to
# the third power of that number. Depth 3 has seven splits.
splits = int(sum(X[name].nunique() - 1 for name in X))
print(
    f"stumps {splits}; trees of depth 2, at most {splits**3:.0e}; of depth 3, at most "
    f"{splits**7:.0e}"
)

# %%
# Trees of depth 1 can be listed, as in lesson 1. Deeper ones cannot. So the *scan* of all
# correlations becomes a *search*: grow a tree for the residual, split by split. In terms of
# optimisation, an oracle that returns one good column replaces the matrix.
#
# A tree is a column
# ------------------
#
# Let a tree have leaves with the means of the residual, and let :math:`t` be its values on the
# data. Then :math:`t` is the projection of :math:`r` on the functions that are constant in each
# leaf, so
#
# .. math::
#
#    \langle t, r \rangle = \|t\|^2, \qquad B_j = \frac{t}{\|t\|},
#    \qquad c_j = \langle B_j, r \rangle = \|t\| .
#
# The correlation of the unit column is the length of the fit. So adding :math:`\varepsilon` times
# the tree is exactly the step :math:`\varepsilon c_j` of LS-Boost: with such leaves, *gradient
# boosting with shrinkage is LS-Boost*. This is not true with a ridge penalty or with Newton steps
# in the leaves, where the fits have another length.
#
# Here is the loop by hand, with trees of scikit-learn, and by the package.
by_hand = np.full(len(y), y.mean())
for _ in range(50):
    tree = DecisionTreeRegressor(max_depth=2, random_state=0).fit(X, y - by_hand)
    by_hand = by_hand + 0.1 * tree.predict(X)

problem = cb.Problem(cb.data.trees(X, max_depth=2, min_samples=1, exact=True), y)
run = cb.solve(problem, cb.ls_boost(eps=0.1), n_steps=50)
print(
    "largest difference of a prediction:",
    f"{np.abs(run.predict(X) - by_hand).max():.0e}",
)
print(
    "columns met so far:",
    run.problem.n_learners,
    "| coefficient of the first:",
    round(float(run.beta[0]), 3),
)

fig, ax = plt.subplots(figsize=(9, 4.5))
cb.plots.TreeDisplay.from_run(run, 0, ax=ax)
ax.set_title("Column 0 of the matrix: the first tree, as the run adds it")

# %%
# What a step gains
# -----------------
#
# The identity of lesson 1 holds for every column, also for a column that a search found. Divide it
# by the loss :math:`\|r\|^2 / 2`: with the cosine between the residual and its tree,
#
# .. math::
#
#    L_{k+1} = \bigl(1 - \varepsilon (2 - \varepsilon) \cos_k^2\bigr) L_k,
#    \qquad \cos_k = \frac{c_j}{\|r_k\|} .
#
# So the losses of a run *give* its cosines. We check the identity once, and then compute the
# cosines from the losses of runs with trees of several depths.
resid = [state.resid for state in run.replay(range(51))]
moves = [after - before for before, after in pairwise(resid)]
cosines = np.array(
    [
        -(m @ r) / np.linalg.norm(m) / np.linalg.norm(r)
        for m, r in zip(moves, resid[:-1], strict=True)
    ]
)
identity = (1 - 0.1 * 1.9 * cosines**2) * run.losses[:-1]
print(
    cb.theory.BoundCheck(
        "gain of a tree",
        "printed",
        "tight",
        run.losses[1:],
        identity,
        slack=1e-9 * run.losses[0],
    )
)


def cosines_of(losses, eps):
    """The cosine of each step of LS-Boost with the squared loss."""
    return np.sqrt((1 - losses[1:] / losses[:-1]) / (eps * (2 - eps)))


fig, ax = plt.subplots()
for depth, colour in ((1, GREY), (2, GREEN), (3, ORANGE), (5, BLUE)):
    learners = cb.data.trees(X, max_depth=depth, min_samples=5, exact=True)
    found = cosines_of(cb.solve(cb.Problem(learners, y), cb.ls_boost(0.1), 300).losses, 0.1)
    smooth = np.convolve(found, np.ones(15) / 15, mode="valid")
    ax.plot(7 + np.arange(len(smooth)), smooth, color=colour, linewidth=2.5)
    ax.text(298, smooth[-1], f"depth {depth}", color=colour, va="center")
ax.set(xlabel="step", ylabel="cosine of residual and tree", xlim=(0, 340), ylim=(0, 0.85))
ax.set_title("Deeper trees point where the residual points (means of 15 steps)")

# %%
# What is lost
# ------------
#
# **The rate.** The theorem of lesson 5 needs the *smallest* cosine over all residuals. A run shows
# only the cosines of its own residuals. The smallest of these is an upper bound on :math:`\Theta`,
# and no more: other residuals may have smaller cosines. ``sampled_mca`` takes the residuals of
# boosting from many targets, and its result says that it is only an upper bound.
for depth in (1, 3):
    learners = cb.data.trees(X, max_depth=depth, min_samples=5, exact=True)
    print(f"depth {depth}:", cb.theory.sampled_mca(cb.Problem(learners, y)))

# %%
# **The certificate.** A dual point must be feasible for *all* columns. A greedy search for a
# tree does not prove that, so for trees the lower end is only the infimum of the loss, 0 for
# squares. For listed stumps there is a better lower end. Take the best model within the
# :math:`\ell_1` norm of the run, as in lesson 4.
listed = cb.solve(cb.Problem(cb.data.leaf_stumps(X), y), cb.ls_boost(0.1), 200)
searched = cb.solve(
    cb.Problem(cb.data.trees(X, max_depth=1, min_samples=1, exact=True), y),
    cb.ls_boost(0.1),
    200,
)
for name, one in (("listed", listed), ("searched", searched)):
    found = cb.certify(one.problem, one.beta, cb.certificates.L1Ball(one.final.l1))
    print(f"{name}: optimum in [{found.lower:.0f}, {found.upper:.0f}]")

# %%
# When to stop
# ------------
#
# With so many columns the training loss goes to 0, and the model overfits. The number of steps is
# the regularisation, chosen on validation rows.
fit_X, new_X, fit_y, new_y = train_test_split(X, y, test_size=0.3, random_state=0)
fig, ax = plt.subplots()
for depth, colour, place in (
    (1, GREY, "top"),
    (2, ORANGE, "bottom"),
    (5, BLUE, "center"),
):
    one = cb.solve(
        cb.Problem(cb.data.trees(fit_X, max_depth=depth, min_samples=5), fit_y),
        cb.ls_boost(0.1),
        300,
    )
    fitted, fresh = -2 * one.score_path(fit_X, fit_y), -2 * one.score_path(new_X, new_y)
    ax.plot(fitted, "--", color=colour, linewidth=2)
    ax.plot(fresh, color=colour, linewidth=2.5)
    ax.plot(fresh.argmin(), fresh.min(), "o", color=colour, markersize=9)
    ax.text(304, fresh[-1], f"depth {depth}", color=colour, va=place)
    print(f"depth {depth}: least error on new rows {fresh.min():.0f} after {fresh.argmin()} trees")
ax.plot([], [], "k-", linewidth=2.5, label="new rows")
ax.plot([], [], "k--", linewidth=2, label="training rows")
ax.set(
    xlabel="trees",
    ylabel="mean squared error",
    xlim=(0, 345),
    ylim=(0, 6500),
    title="Deep trees fit fast, and overfit early",
)
ax.legend(frameon=False, loc="upper right", ncols=2)

# %%
# Exercises
# ---------
#
# **7.1 Listed and searched.** ``leaf_stumps`` lists the trees of depth 1, with a free value on each
# side. *Check*: on the data above ``ls_boost(0.1)`` on the list and on
# ``trees(X, max_depth=1, min_samples=1, exact=True)`` makes the same predictions after 200 steps,
# to 1e-9. The list has as many learners as the count in the first cell, 824.
#
# .. dropdown:: Solution
#
#    The search tries every split, so it finds the best column of the list. Both runs are above, in
#    the part on the certificate.
#
#    .. code-block:: python
#
#       assert listed.problem.n_learners == splits == 824
#       assert np.abs(searched.predict(X) - listed.predict(X)).max() <= 1e-9
#
# **7.2 What no number of stumps can do.** Take all 16 pairs of numbers from 0, 1, 2, 3, and
# :math:`y = x_1 x_2`. Prove with a certificate that no sum of stumps has a loss below 12.49.
# *Check*: 3000 steps of ``ls_boost(0.5)`` on ``stumps`` have a lower end above that, and 5 steps of
# ``gbm(0.5)`` on trees of depth 2 a loss below 1.3.
#
# .. dropdown:: Solution
#
#    What the best sum of stumps leaves is the product of the centred variables. Its loss is 12.5.
#
#    .. code-block:: python
#
#       pairs = np.array([[i, j] for i in range(4) for j in range(4)], dtype=float)
#       product = pairs.prod(axis=1)
#       additive = cb.solve(cb.Problem(cb.data.stumps(pairs), product), cb.ls_boost(0.5), 3000)
#       print(additive.certificate())
#       assert additive.certificate().lower > 12.49
#       assert np.sum((pairs - 1.5).prod(axis=1) ** 2) / 2 == 12.5
#       deep = cb.data.trees(pairs, max_depth=2, min_samples=1)
#       assert cb.solve(cb.Problem(deep, product), cb.gbm(0.5), 5).final.loss < 1.3
#
# **7.3 A ridge in the leaves.** With ``l2=20`` a leaf has the value (sum of residuals) / (rows +
# 20). *Check*: with trees of depth 2 and at least 10 rows in a leaf, one step of ``gbm(1.0)`` gains
# less than one step of ``ls_boost(1.0)`` on the same tree. The former adds the tree as it was
# fitted, the latter the projection of the residual on its direction.
#
# .. dropdown:: Solution
#
#    The ridge shortens each leaf by a factor of its own. So the tree is no projection of the
#    residual, and of all steps in its direction the projection gains most.
#
#    .. code-block:: python
#
#       short = cb.data.trees(X, max_depth=2, min_samples=10, l2=20, exact=True)
#       ridge = cb.Problem(short, y)
#       as_fitted = cb.solve(ridge, cb.gbm(1.0), 1).final.loss
#       projected = cb.solve(ridge, cb.ls_boost(1.0), 1).final.loss
#       assert projected < as_fitted < ridge.start_loss
#
# **Break it.** *Claim*: "After 30 steps we know the angle. If :math:`c` is the smallest cosine so
# far, then :math:`L_k \le (1 - \varepsilon (2 - \varepsilon) c^2)^k L_0` for ever." Refute it with
# trees of depth 1, :math:`\varepsilon = 0.1` and 1000 steps (``min_samples=1, exact=True``).
# *Check*: the ``cb.theory.BoundCheck`` has its first violation after step 100.
#
# .. dropdown:: Solution
#
#    The residual turns to directions that stumps fit badly: the cosines keep falling.
#
#    .. code-block:: python
#
#       every_split = cb.data.trees(X, max_depth=1, min_samples=1, exact=True)
#       losses = cb.solve(cb.Problem(every_split, y), cb.ls_boost(0.1), 1000).losses
#       gain = 0.1 * 1.9 * cosines_of(losses, 0.1)[:30].min() ** 2
#       claim = cb.theory.BoundCheck(
#           "30 steps show the angle",
#           "printed",
#           "upper",
#           measured=losses,
#           bound=losses[0] * (1 - gain) ** np.arange(1001),
#           slack=1e-9 * losses[0],
#       )
#       print(claim)
#       assert claim.verdict == "refuted" and claim.violations[0] > 100
