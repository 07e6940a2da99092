r"""
9. Rules: a search that proves
==============================

**Goals**

* You can bound the correlations of all rules that begin with a given test, in three lines of NumPy.
* You can say why a greedy search has no certificate, and branch and bound has one.
* You can compute the duality gap of the Lasso over all rules, and predict from their table by hand.

*You need*: lessons 4 and 7. *Time*: 50 minutes.
"""

# sphinx_gallery_thumbnail_number = 1
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes

import coordboost as cb

plt.rcParams.update(
    {"figure.figsize": (8, 4.5), "figure.constrained_layout.use": True, "font.size": 12}
)
BLUE, ORANGE, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "#767676"

X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
target = y.to_numpy()
n = len(y)

# %%
# Which rules?
# ------------
#
# A *test* compares a column with a threshold: ``bmi > 27.75``. A *rule* is a conjunction of tests,
# ``bmi > 27.75 and bp > 93``. Its *cover* :math:`T` are the rows where all of them hold. The
# learner of a rule is 1 on its cover and 0 elsewhere, centred and of unit norm. With :math:`k` rows
# in the cover and a vector :math:`v` of sum 0,
#
# .. math::
#
#    \langle B_T, v \rangle = g(k) \sum_{i \in T} v_i,
#    \qquad g(k) = \frac{1}{\sqrt{k (1 - k / n)}} .
#
# With ten thresholds a column the tests can be listed. Rules of two tests nearly so, and of five
# not.
family = cb.data.rules(X, depth=2)
n_tests = len(family.literals.feature)
print(
    f"{n_tests} tests; rules of 2 tests: {n_tests**2 / 2:.0f}; of 5 tests: {n_tests**5 / 120:.0e}"
)

# %%
# A bound for all rules that begin with a test
# --------------------------------------------
#
# A tree takes the best test, and goes on from there. The best rule of two tests may begin with
# another one. To *prove* that a rule is the best of all we need an upper bound for all rules that
# begin with a test. Let :math:`S` be the cover of the test. Every rule that has this test covers a
# subset :math:`T` of :math:`S`, with at least :math:`m` rows (a hundredth of all) and at most
# :math:`\kappa = \min(|S|, n - m)`. The sum of :math:`v` over a subset is at most
# :math:`P = \sum_S \max(v_i, 0)`, and :math:`g` first falls and then rises, so
#
# .. math::
#
#    \langle B_T, v \rangle \le P \max(g(m), g(\kappa)) .
#
# By Cauchy-Schwarz the sum is also at most :math:`\sqrt{k\, Q}` with
# :math:`Q = \sum_S \max(v_i, 0)^2`, so that
#
# .. math::
#
#    \langle B_T, v \rangle \le \sqrt{Q / (1 - \kappa / n)} .
#
# The smaller one counts, and the same for :math:`-v`.
least = 0.01 * n


def steepness(k):
    """The function g."""
    return 1 / np.sqrt(k * (1 - k / n))


def bound(cover, v):
    """A bound on the correlations with v of all rules within a cover."""
    most = min(cover.sum(), n - least)
    ends = []
    for side in (v[cover], -v[cover]):
        positive = np.maximum(side, 0)
        by_sum = positive.sum() * max(steepness(least), steepness(most))
        ends.append(min(by_sum, np.sqrt(positive @ positive / (1 - most / n))))
    return max(ends)


resid = target - target.mean()
covers = [family.build((test,)) > 0 for test in range(n_tests)]
own = np.array([abs(family.build((test,)) @ resid) for test in range(n_tests)])
bounds = np.array([bound(cover, resid) for cover in covers])
(rule,), (corr,), _ = family.find(resid, 1, -1.0)
best = abs(corr)

order = np.argsort(-bounds)
fig, ax = plt.subplots()
ax.plot(bounds[order], color=BLUE, linewidth=2, label="bound for all rules with this test")
ax.plot(own[order], ".", color=ORANGE, label="the test alone")
ax.axhline(best, color="black", linestyle="--", label=f"the best rule: {family.name(rule)}")
ax.set(
    xlabel="tests, by their bounds",
    ylabel="|correlation|",
    title="Tests below the dashed line are in no better rule",
)
ax.legend(frameon=False)
print(f"{(bounds >= best).sum()} of {n_tests} tests may be in a better rule")

# %%
# That is *branch and bound*: visit a test only if its bound is above the best rule so far, and drop
# it for all others too. With two tests little is saved. With three and four, whole branches are
# dropped before they are visited. The package has a third, sharper bound, and scores the last two
# levels together. See `rules <../rules.html>`_.
for depth in (2, 3, 4):
    deeper = cb.data.rules(X, depth=depth)
    (longest,), (value,), _ = deeper.find(resid, 1, -1.0)
    print(
        f"depth {depth}: {deeper.search.n_nodes:5d} nodes, {abs(value):.1f} {deeper.name(longest)}"
    )

# %%
# The Lasso over all rules
# ------------------------
#
# The search replaces the scan. Lesson 4 needs the largest correlation with the residual, and
# nothing else of the matrix. So the duality gap holds over *all* rules, though only a few of them
# were ever written down. The Lasso begins without rules, fits those found so far, and searches for
# others with a larger correlation. When there are none, it has the optimum over all.
path = cb.lasso_path(family, y, n_alphas=12, eps=0.1)
print(path)
print(path.certificate(8))
fig, ax = plt.subplots(figsize=(9, 4.5))
cb.plots.ProfileDisplay.from_path(path, n_labels=6, ax=ax)

# %%
# Reading a model
# ---------------
#
# ``CertifiedRulesRegressor`` is the end of such a path. Where a rule holds, its coefficient is
# added.
model = cb.estimators.CertifiedRulesRegressor(depth=2, eps=0.3).fit(X, y)
rules = model.rules_()
print(rules[["rule", "coefficient", "support", "lift"]].round(2).head(6).to_string())
print(f"where no rule holds: {model.intercept_:.1f}")

# %%
# Exercises
# ---------
#
# **9.1 The bound is a bound.** Take the rules of two tests with the largest correlations from
# ``family.find(resid, 500, -1.0)``. *Check*: none exceeds the bound of any of its tests. And the
# 500th is above 100.
#
# .. dropdown:: Solution
#
#    The cover of a rule is a subset of that of each of its tests.
#
#    .. code-block:: python
#
#       pairs, sizes, _ = family.find(resid, 500, -1.0)
#       for pair, size in zip(pairs, sizes, strict=True):
#           assert all(abs(size) <= bounds[test] * (1 + 1e-9) for test in pair)
#       assert abs(sizes[-1]) > 100
#
# **9.2 A gap over all rules.** Compute the duality gap of the model at the ninth penalty of
# ``path`` by hand, with the one number that the search proves: the largest correlation of the
# residual with any rule. *Check*: it is at most a millionth of the loss of the constant model, and
# the interval by hand and that of ``path.certificate(8)`` overlap.
#
# .. dropdown:: Solution
#
#    As in lesson 4: the residual, scaled so that no correlation exceeds the penalty, is a dual
#    point.
#
#    .. code-block:: python
#
#       lam = path.alphas[8] * n
#       left = target - path.predict(X, step=8)
#       _, (largest,), outside = family.find(left, 1, -1.0)
#       point = left * min(1, lam / max(abs(largest), outside))
#       upper = left @ left / 2 + lam * np.abs(path.coefs[:, 8]).sum()
#       lower = point @ resid - point @ point / 2
#       assert upper - lower <= 1e-6 * (resid @ resid) / 2
#       theirs = path.certificate(8)
#       assert lower <= theirs.upper and theirs.lower <= upper
#
# **9.3 Ten lines of NumPy.** Write a function that predicts from ``rules`` and ``model.intercept_``
# alone. The column ``tests`` has tuples (column, comparison, value); on this table the comparisons
# are ``<=`` and ``>``. *Check*: it agrees with ``model.predict`` to 1e-8.
#
# .. dropdown:: Solution
#
#    .. code-block:: python
#
#       def predict(table):
#           pred = np.full(len(table), model.intercept_)
#           for coefficient, tests in zip(rules["coefficient"], rules["tests"], strict=True):
#               holds = np.ones(len(table), dtype=bool)
#               for column, comparison, value in tests:
#                   x = table[column].to_numpy()
#                   holds &= x <= value if comparison == "<=" else x > value
#               pred += coefficient * holds
#           return pred
#
#
#       assert np.abs(predict(X) - model.predict(X)).max() < 1e-8
#
# **Break it.** *Claim*: "The best rule of two tests has the best test in it." So does every tree
# believe. Refute it on the residuals of the models of ``path`` with a ``cb.theory.BoundCheck``:
# measured is the largest correlation of any rule, and the bound is that of rules that contain the
# best single test.
#
# .. dropdown:: Solution
#
#    A tree chooses the first test without looking at the second.
#
#    .. code-block:: python
#
#       alone = cb.data.rules(X, depth=1)
#       found, greedy = [], []
#       for step in range(12):
#           r = target - path.predict(X, step=step)
#           (first,), _, _ = alone.find(r, 1, -1.0)
#           found.append(abs(family.find(r, 1, -1.0)[1][0]))
#           pairs_of_first = [(min(first[0], k), max(first[0], k)) for k in range(n_tests)]
#           both = [covers[a] & covers[b] for a, b in pairs_of_first]
#           greedy.append(
#               max(
#                   abs(r[cover].sum()) * steepness(cover.sum())
#                   for cover in both
#                   if least <= cover.sum() <= n - least
#               )
#           )
#       claim = cb.theory.BoundCheck(
#           "the best test is in the best rule",
#           "printed",
#           "upper",
#           measured=np.array(found),
#           bound=np.array(greedy),
#           slack=1e-9 * found[0],
#           at=range(12),
#       )
#       print(claim)
#       assert claim.verdict == "refuted"
