"""
Early stopping is not the end
=============================

Boosting stops when the loss on validation rows no longer falls. The model is the one of the best
iteration. The run is kept and can be resumed; it is then, bit for bit, the same as a run without a
stop.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.model_selection import train_test_split

import coordboost as cb

X, X_val, y, y_val = train_test_split(
    *load_diabetes(return_X_y=True), test_size=0.4, random_state=0
)
model = cb.RandomizedGBMRegressor(n_estimators=500, random_state=0).fit(
    X, y, X_val=X_val, y_val=y_val
)
print(f"{model.run_.n_steps} trees were grown, the model has {model.n_iter_}")

# %%
# Resume the run, and compare it with a run of the same length without a stop.
longer = model.run_.resume(150 - model.run_.n_steps)
whole = cb.RandomizedGBMRegressor(n_estimators=150, random_state=0).fit(X, y).run_
print("same bits:", np.array_equal(longer.predict(X_val), whole.predict(X_val)))

end = model.run_.n_steps
fig, ax = plt.subplots(figsize=(7, 4.2), layout="constrained")
for losses, name, color in (
    (longer.losses / len(y), "training", "#0072B2"),
    (-longer.score_path(X_val, y_val), "validation", "#D55E00"),
):
    ax.plot(losses[: end + 1], color=color, linewidth=2, label=name)
    ax.plot(np.arange(end, 151), losses[end:], ":", color=color, linewidth=2)
for at, words, place in (
    (model.n_iter_, "the model", (30, 2300)),
    (end, "the fit stops", (45, 2000)),
):
    ax.annotate(
        f"{words}: {at} trees",
        (at, losses[at]),
        place,
        arrowprops={"arrowstyle": "-|>", "color": "black"},
    )
ax.set(xlabel="number of trees", ylabel="mean loss", xlim=(0, 150), ylim=(0, None))
ax.legend()
