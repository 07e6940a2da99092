"""Export of tree models in LightGBM's text format.

LightGBM and the many tools that read it can predict with them and explain them.
"""

import json

import numpy as np

from coordboost._utils.checks import checked_run, shown
from coordboost.data import validation
from coordboost.losses import (
    Exponential,
    Gamma,
    Logistic,
    Poisson,
    SmoothZeroOne,
    Squared,
    Tweedie,
)

#: LightGBM's objectives with the link of a loss.
OBJECTIVES = {
    Squared: "regression",
    Logistic: "binary sigmoid:1",
    Exponential: "binary sigmoid:2",
    Poisson: "poisson",
    Gamma: "gamma",
    Tweedie: "tweedie",
}
#: Bits of ``decision_type``: the split is by categories; missing values go left; missing values are
#: NaN.
CATEGORIES, LEFT, NAN = 1, 2, 8
#: Categories that are numbers must be below this: a set has a bit for each up to the largest.
MOST = 1 << 24
#: Characters that a name may not have there, besides white space and what cannot be printed.
MARKS = set('",:[]{}\\')


def objective_of(loss):
    """Return LightGBM's objective with the link of a loss, or "custom", which has none."""
    if type(loss) is SmoothZeroOne:
        return f"binary sigmoid:{1 / loss.scale!r}"
    return OBJECTIVES.get(type(loss), "custom")


def lightgbm_text(run, beta=None):
    r"""Return the model at the end of a run over ``trees(...)`` as a LightGBM model file.

    Raw predictions of ``lightgbm.Booster(model_str=...)``, ``predict(X, raw_score=True)``, are
    those of ``run.predict(X)``, also for missing values, rare categories and those that are new.
    ``predict(X)`` is on the scale of y; if your own loss has a link, it is raw, too.

    Parameters
    ----------
    run : Run
    beta : (n,), optional
        Coefficients of the first n trees: those of the run at another step. Default ``run.beta``.

    Returns
    -------
    str
        The file.

    Raises
    ------
    ValueError
        For a run over other learners, and for splits by categories that the format cannot express:
        categories that are dates or other objects; categories in a column of numbers that are not
        whole numbers from 0 to 16,777,215; rare categories and missing values of one column on
        different sides.

    Notes
    -----
    A leaf holds its value in the tree times the tree's coefficient; the first tree also contains
    the constant. LightGBM sends all categories that a split does not list to the right, so the
    children of a split are exchanged where missing values or rare categories go left here.

    Columns that had the dtype ``category`` in the fit, and columns of text, must have this dtype in
    the data frame that LightGBM gets. Other columns of categories hold numbers there, too; LightGBM
    takes a fraction for the whole number below it. In names, white space, characters that cannot be
    printed and ``",:[]{}\`` become ``_``; names that are then empty or equal get the number of the
    column. *Cost*: writing the text.

    Examples
    --------
    >>> import coordboost as cb
    >>> X, y = [[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5]
    >>> run = cb.solve(cb.Problem(cb.data.trees(X), y), cb.gbm(0.5), 2)
    >>> cb.estimators.lightgbm_text(run).splitlines()[0]
    'tree'
    """
    problem = checked_run(run).problem
    bank = run.problem.dictionary
    if bank.tree is None:
        raise ValueError(
            "lightgbm_text needs a run over trees(...): other learners have no leaves."
        )
    binning = bank.family.binning
    beta = run.beta if beta is None else validation.numeric("beta", beta, 1)
    if len(beta) > bank.n_learners:
        raise ValueError(
            f"beta must have an entry for each of the {bank.n_learners} trees of the run or fewer, "
            f"got {len(beta)}."
        )
    return _file([_blocks(run, beta)], binning, objective_of(problem.loss))


def multiclass_text(models):
    """Return a multinomial model as a LightGBM model file.

    The model is a pair (run, beta) per class; the file predicts (n_samples, n_classes).
    """
    blocks = [_blocks(run, beta) for run, beta in models]
    longest = max(map(len, blocks))
    blocks = [block + [_constant(0.0)] * (longest - len(block)) for block in blocks]
    return _file(
        blocks,
        models[0][0].problem.dictionary.family.binning,
        f"multiclass num_class:{len(models)}",
    )


def _blocks(run, beta):
    """Return the trees of a run as blocks of the file; the first one also contains the constant."""
    bank = run.problem.dictionary
    constant = float(run.problem.constant)
    blocks = []
    for j in np.flatnonzero(beta):
        tree = bank.tree(j)
        blocks.append(
            _block(tree, beta[j] * tree.values + (0.0 if blocks else constant), bank.family.binning)
        )
    return blocks or [_constant(constant)]


def _constant(value):
    """Return the block of a tree without a split."""
    return f"num_leaves=1\nnum_cat=0\nleaf_value={value!r}\nis_linear=0\nshrinkage=1\n\n\n"


def _file(models, binning, objective):
    """Return the file, given the blocks of each class, equally many.

    In the file the classes alternate, one tree each per iteration.
    """
    blocks = [
        f"Tree={k}\n{block}"
        for k, block in enumerate(block for turn in zip(*models, strict=True) for block in turn)
    ]
    names = _names(binning)
    head = {
        "version": "v4",
        "num_class": len(models),
        "num_tree_per_iteration": len(models),
        "label_index": 0,
        "max_feature_idx": len(names) - 1,
        "objective": objective,
        "feature_names": " ".join(names),
        "feature_infos": " ".join(["[-inf:inf]"] * len(names)),
        "tree_sizes": " ".join(str(len(block.encode())) for block in blocks),
    }
    lines = "".join(f"{key}={value}\n" for key, value in head.items())
    levels = json.dumps(_levels(binning))
    return (
        f"tree\n{lines}\n{''.join(blocks)}end of trees\n\nparameters:\nend of "
        f"parameters\n\npandas_categorical:{levels}\n"
    )


def _names(binning):
    """Return names for the features that LightGBM reads: neither empty nor equal, without marks."""
    names = []
    taken = set()
    for j, name in enumerate(map(str, binning.column_names)):
        plain = (c.isprintable() and not c.isspace() and c not in MARKS for c in name)
        name = "".join(c if keep else "_" for c, keep in zip(name, plain, strict=True))
        name = name or f"Column_{j}"
        while name in taken:
            name = f"{name}_{j}"
        taken.add(name)
        names.append(name)
    return names


def _in_frames(binning, g):
    """Return whether LightGBM gets a feature as a column of the dtype ``category``."""
    labels = binning.labels[g] or ()
    return binning.coded[g] or any(isinstance(label, str) for label in labels)


def _levels(binning):
    """Return the levels of each column of the dtype ``category``, which LightGBM numbers."""
    columns = range(binning.n_columns)
    return [_known(binning, j) for j in columns if _in_frames(binning, binning.begin[j])]


def _known(binning, j):
    """Return the levels of column j that have bins of their own, on any of its pages."""
    known = {}
    for page in binning.pages_of(j):
        labels = binning.labels[page]
        known |= dict.fromkeys(labels[:-1] if binning.has_others(page) else labels)
    return list(known)


def _block(tree, values, binning):
    """Return the block of one tree.

    Inner nodes and leaves are numbered separately; leaf l as a child is ``-l - 1``.
    """
    inner = np.flatnonzero(tree.feature >= 0)
    leaves = np.flatnonzero(tree.feature < 0)
    leaves = leaves[np.argsort(tree.left[leaves])]
    number = np.empty(len(tree.feature), dtype=np.int64)
    number[inner], number[leaves] = np.arange(len(inner)), -np.arange(len(leaves)) - 1
    thresholds, kinds, bounds, words, exchanged = _rules(tree, inner, binning)
    lines = {
        "num_leaves": [len(leaves)],
        "num_cat": [len(bounds) - 1],
        "split_feature": binning.column[tree.feature[inner]],
        "split_gain": tree.gain[inner],
        "threshold": thresholds,
        "decision_type": kinds,
        "left_child": number[tree.left[inner] + exchanged],
        "right_child": number[tree.left[inner] + 1 - exchanged],
        "leaf_value": values,
        "leaf_weight": tree.n_samples[leaves],
        "leaf_count": tree.n_samples[leaves],
        "internal_value": _means(tree, values)[inner],
        "internal_weight": tree.n_samples[inner],
        "internal_count": tree.n_samples[inner],
        "cat_boundaries": bounds if len(bounds) > 1 else [],
        "cat_threshold": words,
        "is_linear": [0],
        "shrinkage": [1],
    }
    text = "".join(
        f"{key}={' '.join(map(str, np.asarray(part).tolist()))}\n"
        for key, part in lines.items()
        if len(part)
    )
    return f"{text}\n\n"


def _rules(tree, inner, binning):
    """Return the rules of the splits as LightGBM writes them.

    thresholds, kinds : the threshold, or for categories the number of a set, and the decision type
    bounds, words : where the words of each set begin, and the words
    exchanged : (n_splits,), 1 where the right child here is the left one there
    """
    thresholds = []
    kinds = []
    bounds = [0]
    words = []
    exchanged = np.zeros(len(inner), dtype=np.int64)
    for k, at in enumerate(inner):
        g = tree.feature[at]
        if binning.labels[g] is None:
            cuts = np.append(binning.thresholds(g), np.inf)
            thresholds.append(repr(float(cuts[tree.bin[at]])))
            kinds.append(NAN | LEFT * int(tree.missing_left[at]))
        else:
            thresholds.append(str(len(bounds) - 1))
            kinds.append(NAN | CATEGORIES)
            members = np.unpackbits(tree.goes_left[at], bitorder="little")
            exchanged[k] = members[binning.unseen(g)]
            words.extend(_words(members, binning, g))
            bounds.append(len(words))
    return thresholds, kinds, bounds, words, exchanged


def _means(tree, values):
    """Return the mean value of the samples in each node, (n_nodes,)."""
    means = np.zeros(len(tree.feature))
    for at in range(len(means) - 1, -1, -1):
        left = tree.left[at]
        n = tree.n_samples
        means[at] = (
            values[left]
            if tree.feature[at] < 0
            else (n[left] * means[left] + n[left + 1] * means[left + 1]) / n[at]
        )
    return means


def _words(members, binning, g):
    """Return the set of the categories on one side of a split, as bits of 32-bit words.

    LightGBM sends all others to the other side, also rare, unknown and missing ones.
    members : for each code whether it goes left
    """
    name = binning.names[g]
    labels = binning.labels[g]
    rest = members[binning.unseen(g)]
    if binning.of_objects[g]:
        raise ValueError(
            f"LightGBM's format has no categories such as {labels[0]} in {name!r}, which are not "
            "text, numbers or booleans: convert them to text before the fit."
        )
    if members[binning.gap(g)] != rest:
        raise ValueError(
            f"LightGBM's format takes a rare category for a missing one, and a split by {name!r} "
            "sends them to different sides: give missing values a category of their own before "
            "the fit."
        )
    known = np.arange(len(labels) - binning.has_others(g))
    chosen = known[members[known] != rest].tolist()
    if _in_frames(binning, g):
        place = {label: i for i, label in enumerate(_known(binning, binning.column[g]))}
        chosen = [place[labels[code]] for code in chosen]
    else:
        values = [labels[code] for code in known]
        if not all(0 <= value < MOST and value == int(value) for value in values):
            raise ValueError(
                f"LightGBM's format has whole numbers from 0 to {MOST - 1:,} as categories in a "
                f"column of numbers, got {shown(values)} in {name!r}: give it the dtype category "
                "before the fit."
            )
        chosen = [int(labels[code]) for code in chosen]
    words = [0] * (max(chosen) // 32 + 1)
    for value in chosen:
        words[value // 32] |= 1 << (value % 32)
    return words
