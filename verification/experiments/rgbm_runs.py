"""What the experiments of Lu and Mazumder (*Randomized Gradient Boosting Machine*, Section 5) have in common.

Stumps on the quantiles of each feature; squared loss, or the logistic one with d = 1e-4; a constant step 1 / sigma; t features drawn for
each step (Type 3), all of them being the gradient boosting machine. The paper does not name its step, its number of iterations, its t
and its seeds; what its authors made public says the constant step and stumps with two leaf values, the text has stumps of +1 and -1.
Both are run here, as the learners "leaf" and "pm". Thresholds are the percentiles where there are more than 10,000 samples, as in the
paper, else all values, but at most 254 for a feature. Losses are means over samples.
"""

import time
import warnings

import numpy as np

import coordboost as cb
from verification.experiments.along import losses
from verification.experiments.data import split

D = 1e-4


def loss_of(data):
    """The loss of the paper for this task."""
    return cb.losses.Logistic(D) if data.classes else cb.losses.Squared()


def problem_of(learner, data):
    """The problem of one kind of stumps; models begin at 0, those of "pm", which have no constant, at the best constant."""
    bins = 100 if len(data.y) > 10_000 else 255
    made = cb.data.trees(data.X, max_depth=1, max_bins=bins) if learner == "leaf" else cb.data.stumps(data.X, max_bins=bins)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cb.data.ConstantColumnWarning)  # a feature that no row of the split has
        return cb.Problem(made, data.y, loss_of(data), center=learner == "pm")


def n_groups(problem):
    """How many features have stumps: the largest t."""
    return problem.dictionary.binned.n_features if not problem.countable else len(np.unique(problem.groups))


def lowest(data):
    """The smallest mean loss of any sum of stumps of two values.

    Where some feature tells all samples apart, or where the rows are linearly independent, that is any prediction at all. Where all
    features have two values it is any sum of them and a constant: Newton's method. Else, unknown: nan.
    """
    X, n = data.X, len(data.y)
    if hasattr(X, "toarray"):
        gram = (X @ X.T).toarray()
        return best_of_each() if np.linalg.matrix_rank(gram, hermitian=True) == n else np.nan
    if any(len(np.unique(column)) == n for column in X.T) or (X.shape[1] >= n and np.linalg.matrix_rank(X) == n):
        return best_of_each() if data.classes else 0.0
    if not data.classes or any(len(np.unique(column)) > 2 for column in X.T):
        return np.nan
    basis = np.linalg.svd(np.column_stack([np.ones(n), X]), full_matrices=False)
    basis = basis[0][:, basis[1] > 1e-9 * basis[1][0]]
    beta = np.zeros(basis.shape[1])
    for _ in range(100):
        pred = basis @ beta
        p = 1 / (1 + np.exp(data.y * pred))
        step = np.linalg.solve(basis.T @ ((p * (1 - p) + D)[:, None] * basis), basis.T @ (data.y * p - D * pred))
        beta += step
        if np.abs(step).max() < 1e-10:
            break
    pred = basis @ beta
    return float(np.mean(np.logaddexp(0, -data.y * pred) + D / 2 * pred**2))


def best_of_each():
    """The smallest value of the logistic loss with d, at one sample."""
    from scipy.optimize import minimize_scalar

    return float(minimize_scalar(lambda f: np.logaddexp(0, -f) + D / 2 * f * f, bounds=(0, 50), method="bounded").fun)


def curve(problem, t, n_steps, at, sets, seed):
    """Rows of one run at the steps `at`; its CPU seconds are spread evenly over its steps, which cost the same.

    sets : the samples of the fit and of the test, each with its rows in bins
    evaluations : features that all samples were sorted by, over all steps;  distinct : learners in the model
    """
    method = cb.rtgcd(select=cb.rules.Groups(t))
    cb.solve(problem, method, 1, rng=seed)  # what a first run has to prepare is no part of the clock
    begun = time.process_time()
    run = cb.solve(problem, method, n_steps, rng=seed)
    each = (time.process_time() - begun) / n_steps
    fitted, tested = (losses(run, data, rows=rows) for data, rows in sets)
    for k in at:
        yield {
            "step": k, "loss": float(fitted[k]), "test": float(tested[k]), "cpu": each * k, "evaluations": t * k,
            "distinct": len(np.unique(run.path.learner[:k])),
        }  # fmt: skip


def curves(data, learner, ts, steps_of, points_of, seeds):
    """Rows of all runs of one data set: every t on every split, one after the other.

    ts : number of features -> values of t;  steps_of : t, number of features -> steps;  points_of : steps -> those of the rows
    """
    for seed in seeds:
        train, test = split(data, seed)
        problem, floor = problem_of(learner, train), lowest(train)
        sets, p = ((train, problem.dictionary.binned), (test, problem.binning.bin(test.X))), n_groups(problem)
        for t in ts(p):
            n_steps = steps_of(t, p)
            for row in curve(problem, t, n_steps, points_of(n_steps), sets, seed):
                yield {"data": data.name, "learner": learner, "t": t, "p": p, "seed": seed, **row, "gap": row["loss"] - floor}


def geometric(p, k=4):
    """k + 1 values from 1 to p: floor(p^(i / k))."""
    return sorted({int(p ** (i / k) + 1e-9) for i in range(k + 1)})


def growing(n_steps, n_points=40):
    """Steps from 1 to the last, each so many times the one before."""
    return np.unique(np.geomspace(1, n_steps, n_points).round().astype(int)).tolist()
