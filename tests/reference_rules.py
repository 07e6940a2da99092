"""Every rule of a small table, by enumeration, and duality gaps of the Lasso over their matrix in
plain NumPy.
"""

from itertools import combinations, pairwise

import numpy as np

SLACK = 1e-9


def small_table(seed):
    """A table with ties and missing values, a vector, weights, and the options of the search."""
    rng = np.random.default_rng(seed)
    n, p = rng.integers(6, 40), rng.integers(1, 4)
    X = rng.integers(0, 4, (n, p)).astype(float)
    X[rng.random((n, p)) < 0.1] = np.nan
    X[:2] = [[0.0], [1.0]]
    weight = np.ones(n) if seed % 2 else rng.integers(1, 4, n).astype(float)
    v = weight * (np.round(rng.standard_normal(n)) if seed % 5 == 0 else rng.standard_normal(n))
    options = {
        "depth": int(rng.integers(1, 4)),
        "min_support": 0.1 if seed % 4 else 0.0,
        "categorical": [0] if seed % 3 else [],
        "negations": bool(seed % 7),
    }
    return X, v, weight, options


def literals_of(X, categorical=(), negations=True):
    """Every test of a table and where it holds, by its text."""
    tests = {}
    for j, x in enumerate(X.T):
        missing = np.isnan(x)
        values = np.unique(x[~missing])
        if j in categorical:
            for level in values:
                tests[f"x{j} = {level:g}"] = x == level
                if negations:
                    tests[f"x{j} != {level:g}"] = x != level
        else:
            for low, high in pairwise(values):
                cut = (low + high) / 2
                tests[f"x{j} <= {cut:.6g}"] = x <= cut
                tests[f"x{j} > {cut:.6g}"] = x > cut
        if missing.any():
            tests[f"x{j} is missing"] = missing
            tests[f"x{j} is not missing"] = ~missing
    return tests


def every_cover(tests, weight, depth, min_support):
    """One cover of each learner: equal and complementary ones are one learner."""
    total = weight.sum()
    seen = weight > 0
    covers = {}
    for size in range(1, depth + 1):
        for names in combinations(tests, size):
            cover = np.all([tests[name] for name in names], axis=0)
            share = weight @ cover / total
            if 0 < share < 1 and min_support - SLACK <= share <= 1 - min_support + SLACK:
                key = min(cover[seen].tobytes(), (~cover[seen]).tobytes())
                covers.setdefault(key, cover)
    return list(covers.values())


def unit_columns(covers, weight):
    """The learners, (n_samples, n_learners): centred and of norm 1 in the metric of the weights."""
    columns = []
    for cover in covers:
        share = weight @ cover / weight.sum()
        columns.append((cover - share) / np.sqrt(weight.sum() * share * (1 - share)))
    return np.column_stack(columns)


def lasso_interval(columns, y, weight, lam, beta, shift=0.0, *, logistic=False):
    """The objective of a model over the columns, and a lower bound of its optimum.

    The dual point is the best multiple of the residual that no column exceeds. `y` is centred, or
    +-1 for the logistic loss, and `shift` is the constant that the columns are added to; the bound
    holds for that constant, and for a free one if the residuals sum to 0.
    """
    pred = columns @ beta
    if logistic:
        margin = y * (shift + pred)
        loss = weight @ np.logaddexp(0.0, -margin)
        resid = weight * y / (1 + np.exp(margin))
    else:
        loss = weight @ (y - pred) ** 2 / 2
        resid = weight * (y - pred)
    upper = loss + lam * np.abs(beta).sum()
    most = lam / max(np.abs(columns.T @ resid).max(), 1e-300)
    if logistic:
        s = min(1.0, most)
        return s * (loss + resid @ pred), upper
    s = min(most, max(resid @ y, 0.0) / max(2 * loss, 1e-300))
    return s * (resid @ y) - s * s * loss, upper
