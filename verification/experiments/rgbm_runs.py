"""Shared code of the experiments of Lu and Mazumder (*Randomized Gradient Boosting Machine*,
Section 5).

Stumps on the quantiles of each feature; squared loss, or logistic loss with d = 1e-4; a constant
step 1 / sigma; t random features for each step (Type 3), where t = p is the gradient boosting
machine. The paper does not state its step, number of iterations, t and seeds. The program of its
authors has the constant step and stumps with two leaf values; the text of the paper has stumps of
+1 and -1. Both are run here, as the learners "leaf" and "pm". Thresholds are percentiles if there
are more than 10,000 samples, as in the paper, else all values, at most 254 for a feature. Losses
are means over samples.
"""

import time
import warnings

import numpy as np

import coordboost as cb
from verification.experiments.along import losses
from verification.experiments.data import split

D = 1e-4


def loss_of(data):
    """Return the loss of the paper for this task."""
    return cb.losses.Logistic(D) if data.classes else cb.losses.Squared()


def problem_of(learner, data):
    """Return the problem of one kind of stumps.

    Models of "leaf" start at 0, those of "pm" at the best constant.
    """
    bins = 100 if len(data.y) > 10_000 else 255
    made = (
        cb.data.trees(data.X, max_depth=1, max_bins=bins)
        if learner == "leaf"
        else cb.data.stumps(data.X, max_bins=bins)
    )
    with warnings.catch_warnings():
        # a feature may be constant on the rows of a split
        warnings.simplefilter("ignore", cb.data.ConstantColumnWarning)
        return cb.Problem(made, data.y, loss_of(data), center=learner == "pm")


def n_groups(problem):
    """Return the number of features with stumps: the largest t."""
    return (
        problem.dictionary.binned.n_features
        if not problem.countable
        else len(np.unique(problem.groups))
    )


def lowest(data):
    """Return the smallest mean loss of any sum of stumps with two leaf values, nan where it is not
    known.

    If some feature has a different value for each sample, or the rows are linearly independent,
    such sums give any prediction. If all features are binary, they are the linear models with
    intercept: the loss is minimised by Newton's method.
    """
    X = data.X
    n = len(data.y)
    if hasattr(X, "toarray"):
        gram = (X @ X.T).toarray()
        return best_of_each() if np.linalg.matrix_rank(gram, hermitian=True) == n else np.nan
    if any(len(np.unique(column)) == n for column in X.T) or (
        X.shape[1] >= n and np.linalg.matrix_rank(X) == n
    ):
        return best_of_each() if data.classes else 0.0
    if not data.classes or any(len(np.unique(column)) > 2 for column in X.T):
        return np.nan
    basis = np.linalg.svd(np.column_stack([np.ones(n), X]), full_matrices=False)
    basis = basis[0][:, basis[1] > 1e-9 * basis[1][0]]
    beta = np.zeros(basis.shape[1])
    for _ in range(100):
        pred = basis @ beta
        p = 1 / (1 + np.exp(data.y * pred))
        step = np.linalg.solve(
            basis.T @ ((p * (1 - p) + D)[:, None] * basis), basis.T @ (data.y * p - D * pred)
        )
        beta += step
        if np.abs(step).max() < 1e-10:
            break
    pred = basis @ beta
    return float(np.mean(np.logaddexp(0, -data.y * pred) + D / 2 * pred**2))


def best_of_each():
    """Return the smallest value of the logistic loss with d for one sample."""
    from scipy.optimize import minimize_scalar

    return float(
        minimize_scalar(
            lambda f: np.logaddexp(0, -f) + D / 2 * f * f, bounds=(0, 50), method="bounded"
        ).fun
    )


def curve(problem, t, n_steps, at, sets, seed):
    """Yield the rows of one run at the steps `at`; all steps are taken to need the same CPU time.

    t : features drawn for a step, all that have stumps if those are fewer
    sets : training and test set, each with its rows in bins
    evaluations : number of features scanned so far, over all steps
    distinct : number of distinct learners in the model
    """
    method = cb.rtgcd(select=cb.rules.Groups(min(t, n_groups(problem))))
    cb.solve(problem, method, 1, rng=seed)  # preparations of the first run are not timed
    begun = time.process_time()
    run = cb.solve(problem, method, n_steps, rng=seed)
    each = (time.process_time() - begun) / n_steps
    fitted, tested = (losses(run, data, rows=rows) for data, rows in sets)
    for k in at:
        yield {
            "step": k,
            "loss": float(fitted[k]),
            "test": float(tested[k]),
            "cpu": each * k,
            "evaluations": t * k,
            "distinct": len(np.unique(run.path.learner[:k])),
        }


def curves(data, learner, ts, steps_of, points_of, seeds):
    """Yield the rows of all runs on one data set: every t on every split.

    ts : number of features -> values of t; steps_of : (t, number of features) -> number of steps;
    points_of : it -> evaluated steps

    The number of features is that of the whole set: on some split a feature may be constant.
    """
    p = data.X.shape[1]
    for seed in seeds:
        train, test = split(data, seed)
        problem = problem_of(learner, train)
        floor = lowest(train)
        sets = (train, problem.dictionary.binned), (test, problem.binning.bin(test.X))
        for t in ts(p):
            n_steps = steps_of(t, p)
            for row in curve(problem, t, n_steps, points_of(n_steps), sets, seed):
                yield {
                    "data": data.name,
                    "learner": learner,
                    "t": t,
                    "p": p,
                    "seed": seed,
                    **row,
                    "gap": row["loss"] - floor,
                }


def geometric(p, k=4):
    """Return k + 1 values from 1 to p, floor(p^(i / k)), without repetition."""
    return sorted({int(p ** (i / k) + 1e-9) for i in range(k + 1)})


def growing(n_steps, n_points=40):
    """Return about `n_points` geometrically growing steps from 1 to `n_steps`."""
    return np.unique(np.geomspace(1, n_steps, n_points).round().astype(int)).tolist()
