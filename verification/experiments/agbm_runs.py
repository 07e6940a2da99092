"""What the experiments of Lu, Karimireddy, Ponomareva, Mirrokni (*Accelerating Gradient Boosting Machines*, Section 6) have in common.

Regression trees on 100 quantiles of each feature, leaf values and gains with a ridge penalty; logistic loss or squared one; models begin
at 0. An iteration of AGBM is two trees, one of GBM or VAGBM is one; everything is told by trees. Losses are means over samples.

The paper names neither the values of gamma in its figures nor their depth. What its authors made public has gamma 0.5, 0.3 and 0.1,
trees of five levels and a ridge penalty of 1; and it has the correction with the other sign than the paper. Both signs are run: "AGBM"
is the paper's, "AGBM, sign -" that of the program.
"""

import numpy as np

import coordboost as cb
from verification.experiments.along import losses
from verification.experiments.data import split
from verification.experiments.judge import fact

GAMMAS = (0.5, 0.3, 0.1)
#: Beyond this a curve has left the picture.
CLIP = 1e8


def problem_of(data, depth, l2=1.0, min_gain=0.0):
    """The problem of the paper on these samples."""
    family = cb.data.trees(data.X, max_depth=depth, max_bins=100, l2=l2, min_gain=min_gain)
    return cb.Problem(family, data.y, cb.losses.Logistic() if data.classes else cb.losses.Squared(), center=False)


def methods(eta, gammas, signs=(1,), guard=True):
    """The contestants by name, and how many trees an iteration of each takes."""
    found = {"GBM": (cb.gbm(eta), 1), "VAGBM": (cb.vagbm(eta), 1)}
    for sign in signs:
        for gamma in gammas:
            name = f"AGBM {gamma:g}" + ("" if sign > 0 else ", sign -")
            found[name] = (cb.agbm(eta, gamma, guard=guard, correction=sign), 2)
    return found


def curve(problem, method, per, n_trees, train, test):
    """The losses on both sets after every iteration, and what the run says of its end: rows (trees, train, test, word)."""
    run = cb.solve(problem, method, n_trees)
    fitted, tested = losses(run, train, per), losses(run, test, per)
    for k, (one, other) in enumerate(zip(fitted.tolist(), tested.tolist(), strict=True)):
        yield {"trees": k * per, "train": min(one, CLIP), "test": min(other, CLIP), "word": int(";" in run.message)}


def curves(data, depth, etas, contestants, n_trees, seeds):
    """Rows of all runs: every contestant at every eta on every split.

    contestants : eta -> what `methods` gives
    """
    for seed in seeds:
        train, test = split(data, seed)
        problem = problem_of(train, depth)
        for eta in etas:
            for name, (method, per) in contestants(eta).items():
                for row in curve(problem, method, per, n_trees, train, test):
                    yield {"eta": eta, "method": name, "seed": seed, **row}


def none_silent(over_best, words):
    """Whether each run whose last training loss is above its smallest one (by more than 1e-9 of it) has a word of it in its message."""
    worse = np.asarray(over_best) > 1 + 1e-9
    silent = int((worse & (np.asarray(words) == 0)).sum())
    return fact(silent == 0, f"{worse.sum()} of {len(worse)} runs end above, {silent} of them silent")
