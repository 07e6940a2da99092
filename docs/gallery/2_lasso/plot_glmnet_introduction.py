"""
The introduction to glmnet, in Python
=====================================

The steps of the introduction to R's glmnet: fit a path, print it, cross-validate, read
coefficients, predict. The data are simulated: 100 rows and 20 columns, of which six have an effect.
Each step has the line of R above it.
"""

import matplotlib.pyplot as plt
import numpy as np

import coordboost as cb

rng = np.random.default_rng(0)
X = rng.standard_normal((100, 20))
effects = np.zeros(20)
effects[[0, 2, 4, 5, 7, 13]] = 1.4, 0.7, 0.9, -0.9, 0.4, -1.1
y = X @ effects + rng.standard_normal(100)

# %%
# ``cvfit <- cv.glmnet(x, y)``. With ``standardize=True``, the default of glmnet, alpha is
# glmnet's lambda.
model = cb.CertifiedLassoCV(standardize=True, cv=10, rule="one_se").fit(X, y)
path = model.path_

# %%
# ``print(fit)``. glmnet does not have the last column: the duality gap, which bounds how far a
# model is from the optimum, relative to the loss of the constant model.
table = path.to_frame()[["nonzeros", "deviance", "alpha", "gap"]]
print(table[::10].to_string(index=False, float_format="%.3g"))

# %%
# ``coef(cvfit, s = "lambda.1se")``, and the same for ``"lambda.min"``. lambda.1se finds all six
# effects, and four columns without effect.
alphas = {"lambda.1se": model.alpha_, "lambda.min": path.alphas[model.cross_validation_.best]}
for name, alpha in alphas.items():
    coef = path.coef_at(alpha=alpha)
    print(f"{name} = {alpha:.4f}:", ", ".join(f"x{j} {coef[j]:.2f}" for j in np.flatnonzero(coef)))

# %%
# ``predict(cvfit, newx = x[1:3, ], s = "lambda.1se")``, or at any other penalty.
print(model.predict(X[:3]).round(3), path.predict(X[:3], alpha=0.1).round(3))

# %%
# ``plot(fit)`` and ``plot(cvfit)``. The losses are halves of squared errors.
fig, (left, right) = plt.subplots(1, 2, figsize=(12, 5), layout="constrained")
cb.plots.ProfileDisplay.from_path(path, against="alpha", n_labels=6, title="The path", ax=left)
display = cb.plots.CrossValidationDisplay.from_estimator(
    model, title="Ten-fold cross-validation", ax=right, legend=True
)
