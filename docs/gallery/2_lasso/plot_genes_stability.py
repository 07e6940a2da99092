"""
Which genes are selected again and again?
=========================================

Simulated expressions of 3,571 genes in 72 samples, the shape of the leukemia data. Four genes
affect the target: A, B, C1 and D1. C1 and D1 belong to groups of ten genes with pairwise
correlation 0.9, of which the others have no effect. Stability selection fits the Lasso to 60 random
halves of the samples, and counts how often a gene is among the first q to enter.
"""

import matplotlib.pyplot as plt
import numpy as np

import coordboost as cb

rng = np.random.default_rng(0)
n_samples, n_genes = 72, 3571
X = rng.standard_normal((n_samples, n_genes))
groups = np.arange(1, n_genes).reshape(-1, 10)
for group in groups[1:]:
    X[:, group] = np.sqrt(0.1) * X[:, group] + np.sqrt(0.9) * rng.standard_normal((n_samples, 1))
names = np.array([f"gene {j}" for j in range(n_genes)])
names[[0, 1]] = "A", "B"
names[groups[1:3]] = [[f"{letter}{k}" for k in range(1, 11)] for letter in "CD"]
y = 1.5 * X[:, [0, 1, 11, 21]].sum(axis=1) + 0.5 * rng.standard_normal(n_samples)  # A, B, C1 and D1


# %%
# The first 20 genes of one Lasso path are these four and 16 others. Stability selection keeps
# four genes.
def fit(X, y, weight):
    return cb.exact_path(cb.Problem(X, y, sample_weight=weight), max_knots=30)


q, threshold = 20, 0.6
print("first genes of the Lasso:", ", ".join(names[fit(X, y, None).order_of_entry()[:q]]))
found = cb.model_selection.stability_selection(fit, X, y, n_pairs=30)
print("stable genes:", ", ".join(names[found.selected(q, threshold)]))
print(
    "expected number of genes selected by chance: at most "
    f"{found.bounds(q, threshold)['worst']:.2f}"
)

# %%
# The genes of a group share its selections: D7 is selected more often than D1, which has the
# effect. Some gene of group C and some gene of group D is found in nearly every half.
fig, ax = plt.subplots(figsize=(8, 5), layout="constrained")
for group, letter in zip(groups[1:3], "CD", strict=True):
    share = np.array(
        [[np.isin(group, order[:k]).any() for order in found.orders] for k in range(1, q + 1)]
    ).mean(axis=1)
    print(
        f"group {letter}: {share[-1]:.2f}, of which {letter}1: {found.frequencies(q)[group[0]]:.2f}"
    )
    ax.plot(range(1, q + 1), share, color="0.8", linewidth=6, zorder=0)
    ax.text(
        19.5,
        share[-1] + (0.045 if letter == "C" else -0.065),
        f"any gene of group {letter}",
        ha="right",
        va="center",
    )
display = cb.plots.StabilityDisplay.from_stability(
    found, q, list(names), threshold=threshold, ax=ax
)
ax.set(
    xticks=range(1, q + 1),
    ylim=(0, 1.1),
    title="Stability paths: stable genes in colour, others grey",
)
