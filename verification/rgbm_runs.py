"""Random runs of the package, whose means over repeated runs are checked."""

import numpy as np

import coordboost as cb

#: name: (loss, method), for a 30 x 8 matrix with four groups of columns.
REPEATED = {
    "logistic": (cb.losses.Logistic(0.1), cb.rtgcd(select=cb.rules.Groups(2))),
    "squared": (cb.losses.Squared(), cb.rtgcd(2)),
    "huber": (cb.losses.Huber(0.5), cb.rtgcd(select=cb.rules.Groups(1))),
    "line search": (cb.losses.Logistic(0.1), cb.rtgcd(2, step=cb.rules.LineSearch())),
}


def repeated(name, n_steps=60):
    """Return a run of an entry of ``REPEATED``."""
    loss, method = REPEATED[name]
    rng = np.random.default_rng(0)
    B = rng.standard_normal((30, 8))
    y = 3 * rng.standard_normal(30)
    y = np.sign(y) if name in ("logistic", "line search") else y
    return cb.solve(cb.Problem(B, y, loss, groups=np.repeat(range(4), 2)), method, n_steps)
