r"""
1. Boosting is coordinate descent
=================================

**Goals**

* You can write a boosted model as one matrix of weak learners times one vector of coefficients.
* You can show that a boosting step is a step of coordinate descent on a convex function.
* You can read a run of the package, and change one of the two rules that a method is made of.

*You need*: linear regression, gradients, NumPy. *Time*: 50 minutes, half of it for the exercises.
"""

# sphinx_gallery_thumbnail_number = 2
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes

import coordboost as cb

plt.rcParams.update(
    {"figure.figsize": (8, 4.5), "figure.constrained_layout.use": True, "font.size": 12}
)
BLUE, ORANGE, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "#767676"

# %%
# Many weak learners are one matrix
# ---------------------------------
#
# A weak learner is a simple function :math:`b_j(x)`: one variable, a split of one variable in two,
# a small tree. A boosted model is a weighted sum of them. On the data only the values of the
# learners matter. They are the columns of a matrix:
#
# .. math::
#
#    B_{ij} = b_j(x_i), \qquad \mathrm{pred} = B \beta,
#    \qquad L(\beta) = \sum_{i=1}^n \ell\bigl(y_i, (B\beta)_i\bigr) .
#
# If :math:`\ell` is convex in the prediction, then :math:`L` is convex in :math:`\beta`. A
# ``Problem`` scales all columns to length 1. Every lesson uses two quantities: the *residual*, and
# its *correlations* with the columns,
#
# .. math::
#
#    r_i = - \frac{\partial \ell(y_i, \mathrm{pred}_i)}{\partial\, \mathrm{pred}_i}, \qquad
#    c_j = \langle B_j, r \rangle, \qquad \nabla L(\beta) = - B^\top r = - c .
#
# For the squared loss :math:`\ell(y, f) = (y - f)^2 / 2` the residual is :math:`y - \mathrm{pred}`,
# as in regression.
#
# Our first learners are the ten variables of the diabetes data.
X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
problem = cb.Problem(X, y)
B = problem.gather(np.arange(problem.n_learners))
centred = y.to_numpy() - y.mean()
print(
    "B has",
    B.shape[0],
    "rows and",
    B.shape[1],
    "columns of length",
    np.linalg.norm(B, axis=0).round(12).min(),
)

# %%
# Before we look at one step, look at many. Forward stagewise boosting adds a step of length *eps*
# to one coefficient at a time. Move the slider, with the mouse or the arrow keys (in a script,
# ``cb.plots.explore(problem).show()`` opens it). Grey is the path of the Lasso. On the right: how
# far the model is from least squares, after each step. Why short steps come near the Lasso, and
# long ones do not, is the subject of lessons 2 and 3.
cb.plots.explore(problem)

# %%
# One step, described in two ways
# -------------------------------
#
# *In boosting*: fit every learner to the residual by least squares. Keep the one with the smallest
# sum of squares. Add a part :math:`\varepsilon` of it to the model.


def boosting(n_steps, eps):
    """Learners chosen, and the residual at the end."""
    resid, chosen = centred.copy(), []
    for _ in range(n_steps):
        fits = [np.linalg.lstsq(B[:, [j]], resid)[0][0] for j in range(B.shape[1])]
        rss = [np.sum((resid - B[:, j] * fits[j]) ** 2) for j in range(B.shape[1])]
        best = int(np.argmin(rss))
        resid = resid - eps * fits[best] * B[:, best]
        chosen.append(best)
    return chosen, resid


# %%
# *In optimisation*: take the coordinate with the largest partial derivative. Move it against the
# derivative, and keep all others.


def coordinate_descent(n_steps, eps):
    """Coordinates chosen, and the coefficients at the end."""
    beta, chosen = np.zeros(B.shape[1]), []
    for _ in range(n_steps):
        gradient = -B.T @ (centred - B @ beta)
        best = int(np.argmax(np.abs(gradient)))
        beta[best] -= eps * gradient[best]
        chosen.append(best)
    return chosen, beta


learners, resid = boosting(50, eps=0.1)
coordinates, beta = coordinate_descent(50, eps=0.1)
print("the same choices:", learners == coordinates)
print("the same model:", np.allclose(resid, centred - B @ beta))

# %%
# They are the same method. Why? The least-squares fit of a unit column to :math:`r` has the
# coefficient :math:`c_j` and leaves the sum of squares :math:`\|r\|^2 - c_j^2`. So the best fit has
# the largest :math:`|c_j|`, and :math:`-c_j` is the partial derivative.
#
# **Theorem (Lu and Mazumder 2020, Proposition 2.1).** Let all columns have length 1. Gradient
# boosting that fits its learner by least squares, and coordinate descent that takes the largest
# partial derivative among the same candidates, make the same models, if both use the same rule for
# the length of the step. This holds for every differentiable loss.
#
# *Source*: H. Lu, R. Mazumder, Randomized gradient boosting machine, SIAM Journal on Optimization
# 30. For the squared loss see also R. Freund, P. Grigas, R. Mazumder, A new perspective on boosting
# in linear regression via subgradient optimization and relatives, Annals of Statistics 45 (2017),
# Section 2.
#
# With two columns we can draw it. Here are two correlated blood values, and the level lines of
# :math:`L`. Every step is parallel to an axis.
pair = cb.Problem(X[["s1", "s2"]], y)
exact = cb.solve(pair, cb.ls_boost(eps=1.0), n_steps=60)
small = cb.solve(pair, cb.ls_boost(eps=0.3), n_steps=200)

A = pair.gather(np.arange(2))
least = np.linalg.lstsq(A, centred)[0]
grid = np.meshgrid(np.linspace(-0.1, 1.25, 200) * least[0], np.linspace(-0.1, 1.25, 200) * least[1])
losses = 0.5 * ((centred[:, None, None] - np.tensordot(A, np.array(grid), axes=1)) ** 2).sum(axis=0)

fig, ax = plt.subplots()
ax.contour(
    *grid,
    losses,
    levels=losses.min() * (1 + np.geomspace(0.0005, 0.2, 9)),
    colors="0.8",
    linewidths=0.8,
)
for run, colour, name in ((exact, BLUE, "eps = 1"), (small, ORANGE, "eps = 0.3")):
    ax.plot(
        *run.coef_path(unit_columns=True).T,
        "o-",
        color=colour,
        markersize=4,
        linewidth=1.5,
        label=name,
    )
ax.plot(*least, "k*", markersize=14, label="least squares")
ax.set(
    xlabel="coefficient of s1",
    ylabel="coefficient of s2",
    title="Boosting moves along the axes",
)
ax.legend(loc="upper right")

# %%
# A method is a pair of rules
# ---------------------------
#
# ``solve`` has one loop for all methods. A method determines *which* learner to take (a selection
# rule), and *how far* to go (a step rule).
run = cb.solve(problem, cb.ls_boost(eps=0.1), n_steps=50)
print("the package makes the same choices:", run.path.learner.tolist() == learners)
print(run.method.select, run.method.step)

# %%
# Change the selection rule and keep the step. All four methods below go to the same optimum,
# because the function is convex.
rules = {
    "largest correlation (boosting)": cb.rules.Greedy(),
    "largest of 3 at random": cb.rules.RandomSubset(3),
    "one at random": cb.rules.RandomSubset(1),
    "one after the other": cb.rules.Cyclic(),
}
least_loss = 0.5 * np.sum((centred - B @ np.linalg.lstsq(B, centred)[0]) ** 2)
fig, ax = plt.subplots()
for (name, rule), colour, style in zip(
    rules.items(), (BLUE, ORANGE, GREEN, GREY), ("-", "--", "-.", ":"), strict=True
):
    one = cb.solve(problem, cb.rules.Method(name, rule, cb.rules.ShrunkenStep(0.5)), n_steps=1000)
    ax.loglog(
        1 + np.arange(1001),
        (one.losses - least_loss) / least_loss,
        style,
        color=colour,
        linewidth=2,
        label=name,
    )
ax.set(
    xlabel="step + 1",
    ylabel="(loss - least loss) / least loss",
    title="Four ways to choose, one optimum",
)
ax.legend(frameon=False, loc="lower left")

# %%
# The same loop, another loss, other learners
# -------------------------------------------
#
# Nothing above needs the squared loss or ten columns. Take the logistic loss, and as learners all
# splits of a variable in two, the *stumps*. The matrix has one column for each split, and the loop
# does not change.
X2, y2 = load_breast_cancer(return_X_y=True, as_frame=True)
stumps = cb.Problem(cb.data.stumps(X2), np.where(y2 == 1, 1.0, -1.0), cb.losses.Logistic())
tumours = cb.solve(stumps, cb.ls_boost(eps=0.5), n_steps=400)
used = np.count_nonzero(tumours.beta)
print(
    f"{stumps.n_learners} stumps, {used} used; loss {stumps.start_loss:.1f} -> "
    f"{tumours.final.loss:.1f}"
)

# %%
# What one step gains
# -------------------
#
# For the squared loss the gain of a step is known exactly.
#
# **Identity (Freund, Grigas and Mazumder 2017, equation 25).** Squared loss, columns of length 1,
# greedy choice, steps of :math:`\varepsilon c_j`. With :math:`C_k = \max_j |c_j|` after :math:`k`
# steps,
#
# .. math::
#
#    L(\beta_{k+1}) = L(\beta_k) - \frac{\varepsilon (2 - \varepsilon)}{2}\, C_k^2 .
#
# The package checks it on the run. The result is a ``BoundCheck``: what was *measured* at each
# step, the *bound* that the statement gives for it, and the *slack* that rounding may need. Its
# verdict is *verified* if no measured value is above its bound, and *refuted* if one is; then
# ``violations`` has the steps. The kind *tight* means that both sides must be equal, *upper* that
# the measured side may be smaller. You can make one for a claim of your own, as in the last
# exercise.
check = cb.theory.check(run, "(25) descent")[0]
print(check, "| kind:", check.kind)

fig, ax = plt.subplots()
ax.plot(
    run.losses[:-1] - run.losses[1:],
    color=BLUE,
    linewidth=5,
    alpha=0.5,
    label="loss before - loss after",
)
corr = np.array([np.abs(state.corr).max() for state in run.replay(range(50))])
ax.plot(
    0.1 * 1.9 / 2 * corr**2,
    color="black",
    linestyle="--",
    linewidth=1.5,
    label="eps (2 - eps) / 2  x  largest correlation squared",
)
ax.set(xlabel="step", ylabel="gain", yscale="log", title="What one step gains")
ax.legend(frameon=False)

# %%
# Exercises
# ---------
#
# A solution folds out below each exercise. Run it after the code of the lesson: what the exercise
# calls *Check* is an ``assert`` in it.
#
# **1.1 The best length of a step.** Show that for the squared loss and unit columns the minimum
# along column :math:`j` is reached by adding :math:`c_j` to :math:`\beta_j`. So ``ls_boost(1.0)``
# must be the same as ``cb.methods.gcd(cb.rules.LineSearch())``. *Check*: on the diabetes data both
# choose the same learners in 50 steps, and their coefficients agree to 1e-9 of the largest.
#
# .. dropdown:: Solution
#
#    Along column :math:`j` the loss is :math:`\|r - t B_j\|^2 / 2`, with the derivative :math:`t -
#    c_j`. So :math:`t = c_j`.
#
#    .. code-block:: python
#
#       boost = cb.solve(problem, cb.ls_boost(1.0), 50)
#       search = cb.solve(problem, cb.methods.gcd(cb.rules.LineSearch()), 50)
#       assert boost.path.learner.tolist() == search.path.learner.tolist()
#       assert np.abs(search.beta - boost.beta).max() <= 1e-9 * np.abs(boost.beta).max()
#
# **1.2 Orthonormal columns.** Replace ``X`` by the ten orthonormal columns ``np.linalg.qr(B)[0]``.
# How many steps does ``ls_boost(1.0)`` need to reach least squares? *Check*: exactly 10, and no
# column is chosen twice.
#
# .. dropdown:: Solution
#
#    A step takes :math:`c_j` to 0 and leaves the other correlations as they are.
#
#    .. code-block:: python
#
#       orthonormal = cb.Problem(np.linalg.qr(B)[0], y)
#       ten = cb.solve(orthonormal, cb.ls_boost(1.0), 10)
#       assert sorted(ten.path.learner) == list(range(10))
#       before, after = [state.certificate().gap for state in ten.replay([9, 10])]
#       assert after < 1e-9 * orthonormal.start_loss < before
#
# **1.3 AdaBoost.** Take the exponential loss, labels -1 and +1, learners with values -1 and +1, and
# the best length of a step. Show that the first step adds :math:`\frac{1}{2} \log\frac{1 - e}{e}`
# times the learner, where :math:`e` is its rate of errors. *Check*: for the stump "mean radius
# below 15" of the breast cancer data as the only learner,
# ``Problem(..., cb.losses.Exponential(), center=False)`` and one step of ``gcd(LineSearch())`` give
# this number to 1e-6. Note that the package scales the column to length 1.
#
# .. dropdown:: Solution
#
#    The loss along the learner, divided by :math:`n`, is :math:`(1 - e) \exp(-t) + e \exp(t)`. Its
#    derivative is 0 where :math:`\exp(2 t) = (1 - e) / e`.
#
#    .. code-block:: python
#
#       stump = np.where(X2["mean radius"] < 15, 1.0, -1.0)
#       labels = np.where(y2 == 1, 1.0, -1.0)
#       single = cb.Problem(stump[:, None], labels, cb.losses.Exponential(), center=False)
#       first = cb.solve(single, cb.methods.gcd(cb.rules.LineSearch()), 1)
#       e = np.mean(stump != labels)
#       assert abs(first.coef[0] - 0.5 * np.log((1 - e) / e)) < 1e-6
#       assert np.isclose(first.beta[0], first.coef[0] * np.sqrt(len(labels)))
#
# **Break it.** *Claim*: "The learner that fits the residual best is the one with the largest
# partial derivative, whatever the lengths of the columns." Refute it with a
# ``cb.theory.BoundCheck``. Its measured value is the sum of squares that the learner with the
# largest partial derivative leaves, and its bound is the smallest sum of squares. Use the raw
# columns ``X - X.mean()``. Which assumption of the theorem did you drop?
#
# .. dropdown:: Solution
#
#    You dropped unit length. Partial derivatives grow with the lengths of the columns; the sums of
#    squares do not change.
#
#    .. code-block:: python
#
#       raw = (X - X.mean()).to_numpy()
#       left = [np.sum((centred - b * (b @ centred) / (b @ b)) ** 2) for b in raw.T]
#       steepest = np.argmax(np.abs(raw.T @ centred))
#       claim = cb.theory.BoundCheck(
#           "the steepest column fits best",
#           "printed",
#           "upper",
#           measured=[left[steepest]],
#           bound=[min(left)],
#           slack=1e-6,
#       )
#       print(claim)
#       assert not claim.holds and claim.ratio[0] > 1
#       assert np.argmax(np.abs(B.T @ centred)) == np.argmin(left)  # with unit columns
