"""Shared code of the experiments of Lu, Karimireddy, Ponomareva, Mirrokni (*Accelerating Gradient
Boosting Machines*, Section 5).

Regression trees on 100 quantiles of each feature, leaf values and gains with a ridge penalty;
logistic or squared loss; models start at 0. An iteration of AGBM makes two trees, one of GBM or
VAGBM makes one; methods are compared by trees. Losses are means over samples.

The paper names neither gamma nor the depth of the trees in its figures. The program published by
its authors has gamma 0.5, 0.3 and 0.1, trees of depth 5 and a ridge penalty of 1. It also has the
opposite sign of the correction. "AGBM" is Algorithm 2 as printed (``guard=False``); "AGBM, guard"
has the guard of the package, which is not in the paper; "AGBM, sign -" has the sign of the program,
without a guard.
"""

import numpy as np

import coordboost as cb
from verification.experiments.along import losses
from verification.experiments.data import split
from verification.experiments.judge import fact

GAMMAS = (0.5, 0.3, 0.1)
#: Losses are cut at this value.
CLIP = 1e8


def problem_of(data, depth, l2=1.0, min_gain=0.0):
    """Return the problem of the paper for a data set."""
    family = cb.data.trees(data.X, max_depth=depth, max_bins=100, l2=l2, min_gain=min_gain)
    return cb.Problem(
        family, data.y, cb.losses.Logistic() if data.classes else cb.losses.Squared(), center=False
    )


#: What follows the gamma in the name of a method, and the options of AGBM that it stands for.
PRINTED, GUARDED, PROGRAM = "", ", guard", ", sign -"
OPTIONS = {
    PRINTED: {"guard": False},
    GUARDED: {"guard": True},
    PROGRAM: {"guard": False, "correction": -1},
}


def methods(eta, gammas, kinds=(PRINTED,), others=("GBM", "VAGBM")):
    """Return a dict, name -> (method, trees per iteration).

    kinds : of AGBM, keys of ``OPTIONS``
    """
    plain = {"GBM": (cb.gbm(eta), 1), "VAGBM": (cb.vagbm(eta), 1)}
    found = {name: plain[name] for name in others}
    for kind in kinds:
        for gamma in gammas:
            found[f"AGBM {gamma:g}{kind}"] = (cb.agbm(eta, gamma, **OPTIONS[kind]), 2)
    return found


def curve(problem, method, per, n_trees, train, test):
    """Yield rows (trees, train, test, word) after every iteration.

    `word` is 1 if the run's message has a remark on its end.
    """
    run = cb.solve(problem, method, n_trees)
    fitted = losses(run, train, per)
    tested = losses(run, test, per)
    for k, (one, other) in enumerate(zip(fitted.tolist(), tested.tolist(), strict=True)):
        yield {
            "trees": k * per,
            "train": min(one, CLIP),
            "test": min(other, CLIP),
            "word": int(";" in run.message),
        }


def curves(data, depth, etas, contestants, n_trees, seeds):
    """Yield the rows of all runs: every contestant at every eta on every split.

    contestants : eta -> dict as that of `methods`
    """
    for seed in seeds:
        train, test = split(data, seed)
        problem = problem_of(train, depth)
        for eta in etas:
            for name, (method, per) in contestants(eta).items():
                for row in curve(problem, method, per, n_trees, train, test):
                    yield {"eta": eta, "method": name, "seed": seed, **row}


def none_silent(over_best, words):
    """Whether each run whose last training loss is above its smallest one (by a factor of 1 + 1e-9)
    has a remark in its message.
    """
    worse = np.asarray(over_best) > 1 + 1e-9
    silent = int((worse & (np.asarray(words) == 0)).sum())
    return fact(
        silent == 0,
        f"{worse.sum()} of {len(worse)} runs end above, {silent} of them without a note",
    )
