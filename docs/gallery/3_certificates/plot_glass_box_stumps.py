"""
A glass-box model with a certificate
====================================

A model of stumps is a constant and a sum of step functions, one for each variable: an explainable
boosting machine. Here the Lasso chooses among all stumps on simulated data. A certificate bounds
how far the model can be from the best model of this kind.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import coordboost as cb

parts = {"a": np.sin, "b": lambda x: x**2 / 4, "c": lambda x: 1.0 * (x > 1), "d": lambda x: -x / 3}
rng = np.random.default_rng(0)
X = pd.DataFrame(rng.uniform(-3, 3, size=(1500, 6)), columns=list("abcdef"))
y = sum(part(X[name]) for name, part in parts.items()) + 0.5 * rng.normal(size=1500)
X, X_val, y, y_val = X[:1000], X[1000:], y[:1000], y[1000:]

# %%
# The Lasso at 30 penalties, over all stumps on 1,000 rows. The prediction is the sum of the
# shape functions and the constant. The penalty is chosen by the error on 500 validation rows.
problem = cb.Problem(cb.data.leaf_stumps(X, max_bins=100), y)
path = cb.lasso_path(problem, n_alphas=30, eps=0.01)
models = [cb.engine.shape_functions(problem, problem.unit(coef)) for coef in path.coefs.T]
preds = [
    problem.constant + sum(shape(X_val[name]) for name, shape in model.items()) for model in models
]
errors = [np.mean((y_val - pred) ** 2) for pred in preds]
best = int(np.argmin(errors))
print(
    f"mean squared error on validation rows {errors[best]:.2f}; variance of the noise {0.5**2:.2f}"
)

# %%
# The gap bounds how far the objective of the model is above its least value, relative to the
# loss of a constant.
print(
    f"{np.count_nonzero(path.coefs[:, best])} of {problem.n_learners} stumps are used; gap at most "
    f"{path.gaps[best]:.0e}"
)

# %%
# The shape functions. The model finds the four variables that matter, and almost no effect of
# the other two.
fig, axes = plt.subplots(2, 3, figsize=(9, 5), sharey=True, layout="constrained")
x = np.linspace(-3, 3, 601)
for ax, name in zip(axes.flat, X.columns, strict=True):
    truth, shape = (found.get(name, np.zeros_like) for found in (parts, models[best]))
    ax.plot(x, truth(x) - truth(x).mean(), "--", color="#D55E00", label="truth")
    ax.plot(x, shape(x) - shape(x).mean(), color="#0072B2", linewidth=2, label="model")
    ax.set(xlabel=name, xlim=(-3, 3))
axes[0, 0].legend()
fig.supylabel("contribution to the prediction")
