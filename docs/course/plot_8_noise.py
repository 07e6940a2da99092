r"""
8. Noise: boosting as a sampler
===============================

**Goals**

* You can say how noise and a little shrinkage turn boosting into a sampler, and what it samples.
* You can compare a chain with the distribution that it should have, with standard errors.
* You can tell when a run is *not* a sample: too short, too cold, only one noise, two valleys.

*You need*: lessons 1 and 7; Markov chains, normal distributions, ridge regression. *Time*: 60
minutes.
"""

# sphinx_gallery_thumbnail_number = 4
import matplotlib.pyplot as plt
import numpy as np

import coordboost as cb
from coordboost.theory.langevin import chain, gibbs, quadrature, regime, stationary

plt.rcParams.update(
    {"figure.figsize": (8, 4.5), "figure.constrained_layout.use": True, "font.size": 12}
)
BLUE, ORANGE, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "#767676"

# %%
# From one model to many
# ----------------------
#
# Boosting ends in one model. How sure are we of it? A Bayesian answer is a distribution (a *law*)
# on models, and draws from it. *Stochastic gradient Langevin boosting* (A. Ustimenko and L.
# Prokhorenkova 2021, SGLB: stochastic gradient Langevin boosting, ICML) changes three things in a
# step. With :math:`N` samples, a learning rate :math:`\varepsilon`, an inverse temperature
# :math:`\beta` and a shrinkage :math:`\gamma`,
#
# .. math::
#
#    \text{seek the learner in } r + s \zeta', \qquad \text{fit it to } r + s \zeta,
#    \qquad s = \sqrt{\frac{2 N}{\varepsilon \beta}},
#
# with two independent normal vectors :math:`\zeta, \zeta'`; and before the fit is added, the model
# is multiplied by :math:`1 - \gamma \varepsilon`.
#
# The noise is large: as :math:`\varepsilon` falls, it dominates the residual. So in the limit the
# noise alone decides which learner is chosen. Let :math:`p_j` be the probability that learner
# :math:`j` is the best one for pure noise. Then the models are draws from
#
# .. math::
#
#    \text{density} \propto \exp\Bigl( - \beta \Bigl( \frac{1}{N} L(\theta)
#    + \frac{\gamma}{2 N} \sum_j \frac{\theta_j^2}{p_j} \Bigr) \Bigr) .
#
# The second term is a prior, an implicit ridge penalty: learners that noise seldom chooses are
# penalised more.
#
# **Theorem (Ustimenko and Prokhorenkova 2021, Theorems 1 and 2).** The loss of one sample is
# bounded from below, Lipschitz and smooth in the prediction. There are finitely many learners,
# linear in their parameters. Every learner can be chosen, and the choice depends on the direction
# of its target, not on its length. Then, as :math:`\varepsilon \to 0`, the models over a fixed time
# (:math:`\varepsilon` times the number of steps) converge in law to a diffusion; as the time grows,
# too, their law becomes the one above.
#
# The squared loss is not Lipschitz. For it the package has the laws in closed form, at each
# :math:`\varepsilon`, for choices that do not look at the residual. They follow from the step
# itself.
#
# Two correlated columns, one drawn at random in each step:
rng = np.random.default_rng(0)
common = rng.normal(size=40)
X = np.column_stack([common + 0.6 * rng.normal(size=40), common + 0.6 * rng.normal(size=40)])
y = X @ [1.5, -0.5] + rng.normal(size=40)
problem = cb.Problem(X, y)
method = cb.sglb(eps=0.05, beta=40.0, gamma=0.2, select=cb.rules.RandomSubset(1))
sample = chain(cb.solve(problem, method, 40_000, rng=1), burn_in=2000, every=20)
law = stationary(problem, method)
print("mean of the law   ", law.mean.round(3))
print("mean of the chain ", sample.mean.round(3), "+-", sample.error.round(3))
print(cb.theory.check(cb.solve(problem, method, 2000)))

fig, ax = plt.subplots(figsize=(9, 4))
cb.plots.ChainDisplay.from_chain(sample, 0, law, ax=ax, words="first coefficient")

# %%
# ``check`` repeats the run with 24 seeds; their mean loss may exceed the mean loss under the law
# by six standard errors. *R-hat* compares the parts of a chain, and should be near 1. The
# *effective draws* say how many independent draws the mean is worth. Each model of the chain
# depends on the models before it, so there are fewer effective draws than models.
#
# How far is the law at this :math:`\varepsilon` from the limit? The mean is the same. The error of
# the covariance is about a multiple of :math:`\varepsilon`.
limit = gibbs(problem, method)
for eps in (0.1, 0.05, 0.025):
    at_eps = stationary(
        problem, cb.sglb(eps=eps, beta=40.0, gamma=0.2, select=cb.rules.RandomSubset(1))
    )
    print(
        f"eps = {eps}: covariance off by "
        f"{np.linalg.norm(at_eps.cov - limit.cov) / np.linalg.norm(limit.cov):.3f} of its size"
    )

# %%
# Both noises are needed
# ----------------------
#
# Some programs have noise in the fits only, not in the search. With a greedy search this changes
# the law that is sampled: now the residual decides which learner is taken, not the noise. The
# ellipses contain 90 percent of the limit law.


def ellipse(law, level=0.9):
    """The curve that holds so much of a normal law of two dimensions."""
    turn = np.linspace(0, 2 * np.pi, 200)
    return law.mean[:, None] + np.sqrt(-2 * np.log(1 - level)) * np.linalg.cholesky(
        law.cov
    ) @ np.array([np.cos(turn), np.sin(turn)])


fig, axes = plt.subplots(1, 3, figsize=(11, 4.2), sharex=True, sharey=True)
shared = cb.sglb(eps=0.02, beta=40.0, gamma=0.2)
names = {
    "BOTH": "two noises",
    "NONE": "noise in the fit only",
    "SAME": "one noise for both",
}
for ax, structure, colour in zip(axes, names, (BLUE, ORANGE, GREY), strict=True):
    greedy = (
        shared
        if structure == "BOTH"
        else cb.sglb(eps=0.02, beta=40.0, gamma=0.2, structure=cb.rules.Structure[structure])
    )
    draws = chain(cb.solve(problem, greedy, 40_000, rng=2), burn_in=4000, every=60).pooled
    goal = gibbs(problem, shared)
    ax.plot(*draws.T, ".", color=colour, markersize=4, alpha=0.6)
    ax.plot(*ellipse(goal), color="black", linewidth=2)
    ax.set(title=names[structure], xlabel="first coefficient")
    print(f"{names[structure]:22}: mean {draws.mean(axis=0).round(2)}, law {goal.mean.round(2)}")
axes[0].set_ylabel("second coefficient")
fig.suptitle("Draws, and the law that they should have (black: 90 percent of it)")

# %%
# What does :math:`\gamma` do? It draws the law towards 0, as the penalty of ridge regression does,
# and makes it narrower. At :math:`\gamma = 0.01` the mean is nearly that of least squares, the
# cross.
least_squares = np.linalg.lstsq(problem.gather([0, 1]), y - y.mean())[0]


def draw_law(figure, gamma):
    """The law for one gamma, and draws from a chain."""
    warm = cb.sglb(eps=0.05, beta=40.0, gamma=gamma, select=cb.rules.RandomSubset(1))
    draws = chain(cb.solve(problem, warm, 40_000, rng=3), burn_in=2000, every=60).pooled
    ax = figure.subplots()
    ax.plot(*draws.T, ".", color=BLUE, markersize=3, alpha=0.5)
    ax.plot(*ellipse(gibbs(problem, warm)), color="black", linewidth=2)
    ax.plot(*least_squares, "x", color=ORANGE, markersize=12, markeredgewidth=3)
    ax.set(xlim=(-2, 12), ylim=(-8, 4), xlabel="first coefficient", ylabel="second coefficient")


cb.plots.Explorer(draw_law, [0.01, 0.03, 0.1, 0.3, 1.0, 3.0], "gamma", figsize=(6, 5))

# %%
# Two valleys
# -----------
#
# Noise can leave a valley in which boosting would stay. Take 40 targets at -1 and 60 targets at 3,
# one constant learner, and a loss that is flat far from the target (``Welsch``). The law has two
# wells. Warm chains visit both. Cold chains stay in one well, which R-hat shows.
wells = cb.Problem(
    np.ones((100, 1)),
    np.r_[-np.ones(40), 3 * np.ones(60)],
    cb.losses.Welsch(),
    center=False,
)
fig, axes = plt.subplots(1, 2, figsize=(10, 4.2), sharey=True)
for ax, beta in zip(axes, (5.0, 20.0), strict=True):
    cold = cb.sglb(eps=0.2, beta=beta, gamma=0.01)
    runs = [cb.solve(wells, cold, 10_000, rng=seed) for seed in range(8)]
    visits = chain(runs, burn_in=1000, every=10)
    true = quadrature(wells, cold, width=250.0, n_points=5001)
    places, density = true.density(0)
    ax.hist(
        visits.pooled[:, 0] / 10,
        bins=60,
        range=(-6, 8),
        density=True,
        color=BLUE,
        alpha=0.4,
        label="8 chains",
    )
    ax.plot(places / 10, 10 * density, color="black", linewidth=2, label="the law")
    ax.set(
        title=f"beta = {beta:g}, R-hat {visits.rhat[0]:.2f}",
        xlabel="prediction",
        xlim=(-6, 8),
    )
    better = (visits.pooled[:, 0] > 10).mean()
    print(
        f"beta = {beta:4}: in the better well {better:.2f}, by the law "
        f"{true.probability(lambda at: at[:, 0] > 10):.2f}"
    )
axes[0].set_ylabel("density")
axes[0].legend(frameon=False)
fig.suptitle("Warm chains sample, cold chains do not")

# %%
# Is my run a sample?
# -------------------
#
# ``regime`` tests whether the noise dominates the choice, and whether the run is long:
# :math:`\gamma \varepsilon` times the number of steps must be far above 1. A run with the usual
# settings for trees is not a sample, though it may predict well.
print(regime(cb.solve(problem, cb.sglb(eps=0.1, beta=1e4, gamma=1e-3), 100)))

# %%
# Intervals
# ---------
#
# The estimator chooses :math:`\beta` as (rows) / (variance of the noise), so that the law is a
# posterior for normal noise, and averages over the models of one long chain.
x = np.sort(rng.uniform(-3, 3, size=200))[:, None]
wave = np.sin(2 * x[:, 0]) + 0.4 * rng.normal(size=200)
model = cb.LangevinGBMRegressor(n_estimators=1500, max_depth=2, random_state=0).fit(x, wave)
at = np.linspace(-3, 3, 300)[:, None]
low, high = model.predict_interval(at, level=0.9).T
mean_low, mean_high = model.predict_interval(at, level=0.9, observation=False).T
fig, ax = plt.subplots()
ax.fill_between(at[:, 0], low, high, color=BLUE, alpha=0.15, label="90 % for a new target")
ax.fill_between(at[:, 0], mean_low, mean_high, color=BLUE, alpha=0.45, label="90 % for the mean")
ax.plot(x, wave, ".", color=GREY, markersize=5, label="data")
ax.plot(at, np.sin(2 * at), color="black", linewidth=1.5, linestyle="--", label="truth")
ax.set(xlabel="x", ylabel="y", ylim=(-2.4, 3.2), title="Intervals from one chain of trees")
ax.legend(frameon=False, ncols=2, loc="upper center")
truth = np.sin(2 * at[:, 0])
fresh = truth + 0.4 * np.random.default_rng(1).normal(size=300)
print(f"new targets in their interval: {np.mean((low <= fresh) & (fresh <= high)):.2f}")
print(f"means in theirs: {np.mean((mean_low <= truth) & (truth <= mean_high)):.2f}")

# %%
# The interval for the mean accounts for the noise, but not for what trees cannot express. Check
# both before you trust a model.
#
# Exercises
# ---------
#
# **8.1 The hidden ridge.** For the squared loss and :math:`p` columns drawn with equal probability
# show that the mean of the law is the ridge solution with the penalty
# :math:`\gamma p \|\theta\|^2 / 2`. *Check*: on the two columns above
# ``stationary(problem, method).mean`` agrees with scikit-learn's ``Ridge(alpha=0.4)`` on the unit
# columns to 1e-9.
#
# .. dropdown:: Solution
#
#    With :math:`p_j = 1 / p` the law has its largest density where :math:`L / N + \gamma p
#    \|\theta\|^2 / (2 N)` is least, which is where :math:`L + \gamma p \|\theta\|^2 / 2` is. Here
#    :math:`\gamma p = 0.2 \cdot 2`.
#
#    .. code-block:: python
#
#       from sklearn.linear_model import Ridge
#
#       columns = problem.gather([0, 1])
#       ridge = Ridge(alpha=0.4, fit_intercept=False).fit(columns, y - y.mean())
#       assert np.abs(stationary(problem, method).mean - ridge.coef_).max() <= 1e-9
#
# **8.2 The order of the bias.** *Check*: as :math:`\varepsilon` halves from 0.1 to 0.05 to 0.025,
# the error of the covariance is divided by 2.1 and by 2.0, rounded to one digit. For an error of
# one percent :math:`\varepsilon = 0.01` is enough.
#
# .. dropdown:: Solution
#
#    The loop of the lesson, with one more value.
#
#    .. code-block:: python
#
#       errors = {}
#       for eps in (0.1, 0.05, 0.025, 0.01):
#           at_eps = cb.sglb(eps=eps, beta=40.0, gamma=0.2, select=cb.rules.RandomSubset(1))
#           difference = stationary(problem, at_eps).cov - limit.cov
#           errors[eps] = np.linalg.norm(difference) / np.linalg.norm(limit.cov)
#       assert round(errors[0.1] / errors[0.05], 1) == 2.1
#       assert round(errors[0.05] / errors[0.025], 1) == 2.0
#       assert errors[0.01] < 0.01
#
# **8.3 Equipartition.** For the squared loss the mean of the regularised loss under the limit law
# is :math:`d / (2 \beta)` above its minimum, with :math:`d` the number of columns. Prove it for a
# normal law. *Check*: draw 100,000 times from ``gibbs(problem, method)``; the mean is within five
# standard errors of 2 / 80.
#
# .. dropdown:: Solution
#
#    In the coordinates in which the law is standard normal, :math:`\beta` times the loss is its
#    minimum plus half the squared length of :math:`d` independent normal numbers. The mean of this
#    squared length is :math:`d`.
#
#    .. code-block:: python
#
#       columns = problem.gather([0, 1])
#       draws = np.random.default_rng(0).multivariate_normal(
#           limit.mean, limit.cov, size=100_000
#       )
#
#
#       def energy(theta):
#           """The regularised loss of each row, divided by N = 40."""
#           squares = np.sum((y - y.mean() - theta @ columns.T) ** 2, axis=1)
#           return (squares / 2 + 0.2 * 2 * np.sum(theta**2, axis=1) / 2) / 40
#
#
#       above = energy(draws) - energy(limit.mean[None])
#       assert abs(above.mean() - 2 / 80) < 5 * above.std() / np.sqrt(100_000)
#
# **Break it.** *Claim*: "One noise is enough: with noise in the fits only, the mean of a greedy
# chain is the mean of the Gibbs law." Refute it on the two columns
# (``structure=cb.rules.Structure.NONE``, :math:`\varepsilon = 0.02`, 40,000 steps) with a
# ``cb.theory.BoundCheck`` of kind *tight*, level *sampled*, and a slack of five
# ``chain(...).error``. Show that the same check passes with both noises.
#
# .. dropdown:: Solution
#
#    Without noise in the search the residual decides which learner is taken. Its choice has other
#    probabilities than the :math:`p_j` of pure noise, from which the law is made.
#
#    .. code-block:: python
#
#       verdicts = []
#       for given in ({"structure": cb.rules.Structure.NONE}, {}):
#           noises = cb.sglb(0.02, 40.0, 0.2, **given)
#           visits = chain(cb.solve(problem, noises, 40_000, rng=2), burn_in=4000, every=60)
#           claim = cb.theory.BoundCheck(
#               "one noise",
#               "printed",
#               "tight",
#               measured=visits.mean,
#               bound=gibbs(problem, noises).mean,
#               slack=5 * visits.error,
#               level="sampled",
#           )
#           print(claim)
#           verdicts.append(claim.verdict)
#       assert verdicts == ["refuted", "verified"]
