r"""
4. Duality and certificates
===========================

**Goals**

* You can derive the dual of the Lasso, and make a dual point from any residual.
* You can compute a duality gap with one line of NumPy, for coefficients from any program.
* You know what a small gap proves, and what a small step does not.

*You need*: lessons 1 to 3, Lagrangian duality. *Time*: 60 minutes.
"""

# sphinx_gallery_thumbnail_number = 1
import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Lasso

import coordboost as cb

plt.rcParams.update(
    {"figure.figsize": (8, 4.5), "figure.constrained_layout.use": True, "font.size": 12}
)
BLUE, ORANGE, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "#767676"

# %%
# How good is this model?
# -----------------------
#
# A program returns coefficients. Are they near the optimum? The optimum is not known, so their
# distance to it cannot be measured. But it can be *bounded*, by one number that anyone can
# recompute. Take the Lasso with a penalty,
#
# .. math::
#
#    P(\beta) = \frac{1}{2} \|y - B\beta\|^2 + \lambda \|\beta\|_1 .
#
# Write :math:`r = y - B\beta` as a constraint with the multiplier :math:`u`, and minimise over
# :math:`\beta` and :math:`r` separately:
#
# .. math::
#
#    \min_{\beta, r}\ \frac{1}{2}\|r\|^2 + \lambda \|\beta\|_1 + \langle u, y - B\beta - r \rangle
#    = \langle u, y \rangle - \frac{1}{2}\|u\|^2 \quad
#    \text{if } \max_j |\langle B_j, u \rangle| \le \lambda ,
#
# and :math:`-\infty` otherwise. This is the dual problem:
#
# .. math::
#
#    \max_u\ D(u) = \frac{1}{2}\|y\|^2 - \frac{1}{2}\|y - u\|^2 \quad \text{with}
#    \quad |\langle B_j, u \rangle| \le \lambda
#    \text{ for all } j .
#
# Its solution is the point of a polytope that is nearest to :math:`y`. Each learner cuts off two
# half-spaces. And **every** point :math:`u` of the polytope proves :math:`P(\beta) \ge D(u)` for
# **every** :math:`\beta`. This is weak duality, and we need nothing more.
#
# A residual is seldom in the polytope, but a multiple of it is:
# :math:`u = r \min(1, \lambda / \max_j |c_j|)`. The example has three learners and two samples; the
# picture shows the residuals of coordinate descent.
angles = np.deg2rad([10, 60, 130])
learners = np.array([np.cos(angles), np.sin(angles)])
target, lam = np.array([1.5, 2.2]), 1.0
plane = cb.Problem(learners, target, center=False, scale=False)
descent = cb.solve(plane, cb.methods.lasso_cd(lam), n_steps=12)
resid = np.array([state.resid for state in descent.replay(range(13))])
dual = resid * np.minimum(1, lam / np.abs(resid @ learners).max(axis=1))[:, None]

fig, ax = plt.subplots(figsize=(10.5, 5.5))
normals = np.hstack([learners, -learners])[
    :, np.argsort(np.concatenate([angles, angles + np.pi]) % (2 * np.pi))
]
corners = [
    np.linalg.solve(np.array([normals[:, k], normals[:, (k + 1) % 6]]), [lam, lam])
    for k in range(6)
]
ax.fill(*np.array(corners).T, color=BLUE, alpha=0.15)
ax.plot(
    *np.array([*corners, corners[0]]).T,
    color=BLUE,
    linewidth=2,
    label="points that prove a lower bound",
)
ax.plot(*resid.T, "o-", color=GREY, markersize=5, label="residuals of coordinate descent")
ax.plot(*dual.T, "s", color=ORANGE, markersize=5, label="the same, scaled into the polytope")
ax.plot(*dual[-1], "k*", markersize=15, label="nearest point to y: the dual optimum")
ax.plot([target[0], dual[-1][0]], [target[1], dual[-1][1]], "k:", linewidth=1)
ax.annotate("y", target, (6, -4), textcoords="offset points")
ax.set(
    aspect="equal",
    xlim=(-1.4, 1.8),
    xlabel="sample 1",
    ylabel="sample 2",
    title="The dual of the Lasso is a projection",
)
ax.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))

# %%
# The gap, by hand and by the package
# -----------------------------------
#
# :math:`P(\beta) - D(u)` is the **duality gap**. It bounds :math:`P(\beta) - P^\star`, and needs
# one product :math:`B^\top r`.
X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
problem = cb.Problem(X, y)
B, centred = problem.gather(np.arange(problem.n_learners)), y.to_numpy() - y.mean()


def interval(beta, lam):
    """The two ends of an interval that contains the optimum."""
    r = centred - B @ beta
    u = r * min(1, lam / np.abs(B.T @ r).max())
    return (centred @ centred - (centred - u) @ (centred - u)) / 2, r @ r / 2 + lam * np.abs(
        beta
    ).sum()


penalty = 50.0
run = cb.solve(problem, cb.methods.lasso_cd(penalty), n_steps=200)
print("by hand:        optimum in [{:.6f}, {:.6f}]".format(*interval(run.beta, penalty)))
print("by the package:", run.certificate())

# %%
# The interval tends to close while the method runs. The upper end falls, as coordinate descent
# is a descent method. The lower end need not rise in each step, but the best lower end so far is
# also valid.
ends = np.array([interval(state.beta, penalty) for state in run.replay(range(121))])
fig, ax = plt.subplots()
ax.fill_between(
    np.arange(121),
    *ends.T,
    color=BLUE,
    alpha=0.2,
    step="post",
    label="contains the optimum",
)
ax.step(np.arange(121), ends[:, 1], color=BLUE, linewidth=2, where="post", label="objective")
ax.step(
    np.arange(121),
    ends[:, 0],
    color=ORANGE,
    linewidth=2,
    where="post",
    label="lower end, from the scaled residual",
)
ax.step(
    np.arange(121),
    np.maximum.accumulate(ends[:, 0]),
    color="black",
    linestyle="--",
    where="post",
    label="best lower end so far",
)
ax.set(
    xlabel="step",
    ylabel="sum of losses + penalty",
    title="A certificate closes in on the optimum",
    xlim=(0, 120),
    ylim=(7.1e5, 8.2e5),
)
ax.legend(frameon=False)

# %%
# With a bound instead of the penalty
# -----------------------------------
#
# For the Lasso with :math:`\|\beta\|_1 \le \delta` the same argument gives a gap without any
# scaling:
#
# .. math::
#
#    L(\beta) - L^\star_\delta \le \delta \max_j |c_j| - \langle r, B\beta \rangle .
#
# **Two names for one number.** It is the *Frank-Wolfe gap* (M. Jaggi 2013, Revisiting Frank-Wolfe:
# projection-free sparse convex optimization, ICML), and it is :math:`\delta\, \omega_\delta(\beta)`
# of Freund, Grigas and Mazumder (2017, equation 45). The loss must be convex; nothing else is
# assumed. Jaggi's Theorem 1 bounds the error of the Frank-Wolfe method with steps
# :math:`2 / (k + 2)`, and Theorem 2 its gap.
walk = cb.solve(problem, cb.methods.frank_wolfe(1000.0), n_steps=2000)
r = walk.final.resid
print("by hand:       ", round(1000.0 * np.abs(B.T @ r).max() - r @ (B @ walk.beta), 6))
print("by the package:", round(walk.certificate().gap, 6))
print(cb.theory.check(walk))

# %%
# Certificates for other programs
# -------------------------------
#
# A certificate needs only coefficients, from any program. We run scikit-learn's ``Lasso`` with
# several values of its tolerance. It gets the unit columns here; for the coefficients of original
# columns use ``problem.unit`` first.
alpha = penalty / len(y)
fig, ax = plt.subplots()
tolerances = 10.0 ** np.arange(-1, -9, -1)
gaps = []
for tol in tolerances:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        theirs = Lasso(alpha=alpha, tol=tol, fit_intercept=False).fit(B, centred)
    gaps.append(
        cb.certify(problem, theirs.coef_, cb.certificates.L1Penalty(penalty)).gap
        / problem.start_loss
    )
exact = cb.exact_path(problem).certificate(penalty).gap / problem.start_loss
ax.loglog(tolerances, gaps, "o-", color=BLUE, linewidth=2, label="scikit-learn's Lasso")
ax.axhline(max(exact, 1e-17), color=ORANGE, linestyle="--", linewidth=2, label="exact_path")
ax.set(
    xlabel="tol of scikit-learn",
    ylabel="certified gap / loss at 0",
    title="The same measure for two programs",
)
ax.xaxis.set_inverted(True)
ax.legend(frameon=False)
print("certified gap / loss at 0:", "  ".join(f"{gap:.0e}" for gap in gaps))

# %%
# Least squares has a certificate, too
# ------------------------------------
#
# Without a penalty the polytope shrinks to the vectors that no column can explain. A dual point is
# then the residual of least squares. There is also a bound that needs no factorisation of the
# learners, only the coefficients :math:`b` of any least-squares solution:
#
# .. math::
#
#    L(\beta) - L^\star \le \frac{1}{2} \max_j |c_j|\ \|b - \beta\|_1 .
#
# The proof has two lines: :math:`B^\top B (b - \beta) = B^\top r`, so the left side is
# :math:`\frac{1}{2} \langle b - \beta, B^\top r \rangle`. It is not from a paper, and is called *A
# posteriori* here.
boost = cb.solve(problem, cb.ls_boost(0.1), n_steps=1000)
print(cb.theory.check(boost, "A posteriori"))
print(boost.certificate())

# %%
# Exercises
# ---------
#
# **4.1 The largest penalty.** For which :math:`\lambda` is :math:`\beta = 0` optimal? Prove it with
# the gap. *Check*: from :math:`\max_j |\langle B_j, y \rangle|` on, which is 949.4 on the diabetes
# data and the first ``lam`` of ``exact_path``. There the gap of
# ``interval(np.zeros(10), cb.exact_path(problem).lam[0])`` is 0 up to rounding, and just below it
# is not.
#
# .. dropdown:: Solution
#
#    At :math:`\beta = 0` the residual is :math:`y`. If :math:`\lambda` is at least its largest
#    correlation, then :math:`u = y` is in the polytope, and has no gap.
#
#    .. code-block:: python
#
#       largest = np.abs(B.T @ centred).max()
#       assert round(largest, 1) == 949.4
#       assert np.isclose(cb.exact_path(problem).lam[0], largest)
#
#
#       def gap_at_zero(lam):
#           low, high = interval(np.zeros(10), lam)
#           return high - low
#
#
#       small = 1e-12 * problem.start_loss
#       assert gap_at_zero(cb.exact_path(problem).lam[0]) <= small
#       assert gap_at_zero(1.0001 * largest) <= small < gap_at_zero(0.999 * largest)
#
# **4.2 Weak duality.** Draw 1000 pairs near the optimum, as ``run.beta * rng.normal(1, 0.1, 10)``,
# each with the dual point of another. *Check*: no :math:`D(u)` is above any :math:`P(\beta)`.
#
# .. dropdown:: Solution
#
#    Every dual point proves a lower bound for every model, so the largest of the lower ends is
#    below the smallest of the upper ends. A little noise in the residuals makes more dual points.
#
#    .. code-block:: python
#
#       rng = np.random.default_rng(0)
#       below, above = [], []
#       for _ in range(1000):
#           beta = run.beta * rng.normal(1, 0.1, 10) + rng.normal(size=10)
#           above.append(interval(beta, penalty)[1])
#           noisy = centred - B @ beta + 0.1 * rng.normal(size=len(y))
#           point = noisy * min(1, penalty / np.abs(B.T @ noisy).max())
#           below.append((centred @ centred - (centred - point) @ (centred - point)) / 2)
#       assert max(below) <= min(above)
#
# **4.3 Safe screening.** The dual is strongly concave, so the dual optimum is within
# :math:`\sqrt{2\, \mathrm{gap}}` of :math:`u`. Show: if
# :math:`|\langle B_j, u \rangle| < \lambda - \sqrt{2\, \mathrm{gap}}`, then :math:`\beta_j = 0` in
# every Lasso solution (E. Ndiaye, O. Fercoq, A. Gramfort and J. Salmon 2017, Gap safe screening
# rules for sparsity enforcing penalties, JMLR 18). *Check*: with :math:`\lambda = 300` on the
# diabetes data, 20 steps of ``lasso_cd`` are enough to remove 4 of the 10 columns and 60 steps to
# remove 6, which are all that ``exact_path`` has at 0.
#
# .. dropdown:: Solution
#
#    The correlation of a unit column with the dual optimum differs from :math:`\langle B_j, u
#    \rangle` by at most the radius, and stays below :math:`\lambda`. But a column with a
#    coefficient has the correlation :math:`\lambda` there.
#
#    .. code-block:: python
#
#       lam = 300.0
#       exact = cb.exact_path(problem).beta_at(lam=lam)
#       for n_steps, many in ((20, 4), (60, 6)):
#           descent = cb.solve(problem, cb.methods.lasso_cd(lam), n_steps)
#           low, high = interval(descent.beta, lam)
#           r = descent.final.resid
#           u = r * min(1, lam / np.abs(B.T @ r).max())
#           removed = np.abs(B.T @ u) < lam - np.sqrt(2 * (high - low))
#           assert removed.sum() == many and not exact[removed].any()
#       assert (removed == (exact == 0)).all()
#
# **Break it.** *Claim*: "The duality gap of coordinate descent falls in every step, because the
# objective does." Refute it with a ``cb.theory.BoundCheck`` on the run above (:math:`\lambda = 50`,
# 120 steps). Measured is the gap after a step, and the bound is the gap before it:
# ``BoundCheck("the gap falls", "printed", "upper", gaps[1:], gaps[:-1], at=range(1, 121))``. Then
# change the gap so that the claim becomes true, and check that.
#
# .. dropdown:: Solution
#
#    The scaled residual may be a worse dual point than an earlier one. Keep the best lower end so
#    far: it is valid, too.
#
#    .. code-block:: python
#
#       states = [state.beta for state in run.replay(range(121))]
#       lower, upper = np.array([interval(beta, 50.0) for beta in states]).T
#       gaps = upper - lower
#       claim = cb.theory.BoundCheck(
#           "the gap falls", "printed", "upper", gaps[1:], gaps[:-1], at=range(1, 121)
#       )
#       print(claim)
#       assert claim.verdict == "refuted"
#       mended = upper - np.maximum.accumulate(lower)
#       claim = cb.theory.BoundCheck(
#           "the best gap falls",
#           "corrected",
#           "upper",
#           measured=mended[1:],
#           bound=mended[:-1],
#           slack=1e-9 * upper[0],
#           at=range(1, 121),
#       )
#       print(claim)
#       assert claim.holds
