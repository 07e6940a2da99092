"""
A logistic Lasso path with its gaps
===================================

Which of 30 measurements tell malignant from benign tumours? The breast cancer data, standardised,
at 20 penalties. The path has a duality gap at each penalty. Its intervals also show how far the
models of scikit-learn are from the optimum at the same penalties.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

import coordboost as cb

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
X[:] = StandardScaler().fit_transform(X)
loss = cb.losses.Logistic()
path = cb.lasso_path(
    X, y, loss=loss, n_alphas=20, eps=1e-2, unit_columns=False, refit_intercept=True
)
print(path)


# %%
# The objective of a model minus the lower end of the interval bounds its distance from the optimum.
def excess(**settings):
    """Distances of scikit-learn's models from the lower ends, relative to the loss of the constant
    model; which gave a warning.
    """
    above, warned = [], []
    for k, alpha in enumerate(path.alphas):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model = LogisticRegression(
                C=1 / (alpha * len(y)), l1_ratio=1, random_state=0, **settings
            ).fit(X, y)
        losses = np.logaddexp(0, (1 - 2 * y) * model.decision_function(X))
        objective = losses.sum() + alpha * len(y) * np.abs(model.coef_).sum()
        above.append((objective - path.certificate(k).lower) / path.problem.start_loss)
        warned.append(len(caught) > 0)
    return np.array(above), np.array(warned)


# %%
# A cross marks a model with a ``ConvergenceWarning``. The solver liblinear gives no warning; but
# it also penalises the intercept, so it minimises another objective.
models = {
    "liblinear": ({"solver": "liblinear"}, "#E69F00"),
    "saga, 100 sweeps": ({"solver": "saga"}, "#D55E00"),
    "saga, 1,000 sweeps": ({"solver": "saga", "max_iter": 1000}, "#CC79A7"),
}
fig, (left, right) = plt.subplots(1, 2, figsize=(13, 5), layout="constrained")
path.plot(
    ax=left, against="alpha", n_labels=7, title="Coefficients: negative values indicate malignant"
)
for name, (settings, colour) in models.items():
    above, warned = excess(**settings)
    print(f"{name}: at most {above.max():.1e} above the optimum, {warned.sum()} warnings")
    right.loglog(path.alphas, above, ".-", color=colour, label=name)
    right.plot(path.alphas[warned], above[warned], "x", color="black", zorder=3)
right.loglog(path.alphas, path.gaps, ".-", color="#0072B2", label="coordboost")
right.legend(loc="lower right")
right.xaxis.set_inverted(True)
right.set(
    xlabel="alpha",
    ylabel="bound on the distance",
    title="Distance from the optimum, relative to the loss at 0",
)
