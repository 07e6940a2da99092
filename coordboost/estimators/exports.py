"""Export of tree models in LightGBM's text format, for prediction and explanation by LightGBM and the many tools that read it."""

import json

import numpy as np

from coordboost._utils.checks import checked_run, shown
from coordboost.data import validation
from coordboost.data.binning import has_others

#: LightGBM's names of the losses whose raw predictions have the same meaning there.
OBJECTIVES = {"Squared": "regression", "Logistic": "binary sigmoid:1", "Poisson": "poisson", "Gamma": "gamma", "Tweedie": "tweedie"}
#: Bits of ``decision_type``: the split is by categories; missing values go left; missing values are NaN.
CATEGORIES, LEFT, NAN = 1, 2, 8


def lightgbm_text(run, beta=None):
    """Return the model at the end of a run over ``trees(...)`` as a LightGBM model file, a str: ``lightgbm.Booster(model_str=...)``.

    Its raw predictions (``predict(X, raw_score=True)``) are those of ``run.predict(X)`` for tables of numbers.

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
        For a run over other learners; for categories that are neither text nor whole numbers >= 0; and for splits by categories that
        send missing values or rare levels left, which the format cannot express.

    Notes
    -----
    A leaf holds its value in the tree times the tree's coefficient; the first tree also contains the constant. If categories are text,
    LightGBM takes a data frame whose columns have the dtype ``category``. *Cost*: writing the text.

    Examples
    --------
    >>> import coordboost as cb
    >>> X, y = [[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5]
    >>> run = cb.solve(cb.Problem(cb.data.trees(X), y), cb.gbm(0.5), 2)
    >>> cb.estimators.lightgbm_text(run).splitlines()[0]
    'tree'
    """
    problem, bank = checked_run(run).problem, run.problem.dictionary
    if bank.tree is None:
        raise ValueError("lightgbm_text needs a run over trees(...): other learners have no leaves.")
    binning = bank.family.binning
    beta = run.beta if beta is None else validation.numeric("beta", beta, 1)
    if len(beta) > bank.n_learners:
        raise ValueError(
            f"beta must have an entry for each of the {bank.n_learners} trees of the run or fewer, got {len(beta)}."
        )
    return _file([_blocks(run, beta)], binning, OBJECTIVES.get(type(problem.loss).__name__, "custom"))


def multiclass_text(models):
    """Return a multinomial model, a pair (run, beta) per class, as a LightGBM model file, which predicts (n_samples, n_classes)."""
    blocks = [_blocks(run, beta) for run, beta in models]
    longest = max(map(len, blocks))
    blocks = [one + [_constant(0.0)] * (longest - len(one)) for one in blocks]
    return _file(blocks, models[0][0].problem.dictionary.family.binning, f"multiclass num_class:{len(models)}")


def _blocks(run, beta):
    """Return the trees of a run as blocks of the file; the first one also contains the constant."""
    bank, constant, blocks = run.problem.dictionary, float(run.problem.constant), []
    for j in np.flatnonzero(beta):
        tree = bank.tree(j)
        blocks.append(_block(tree, beta[j] * tree.values + (0.0 if blocks else constant), bank.family.binning))
    return blocks or [_constant(constant)]


def _constant(value):
    """Return the block of a tree without a split."""
    return f"num_leaves=1\nnum_cat=0\nleaf_value={value!r}\nis_linear=0\nshrinkage=1\n\n\n"


def _file(models, binning, objective):
    """Return the file, given the blocks of each class, equally many: in the file the classes alternate, one tree each per iteration."""
    blocks = [f"Tree={k}\n{block}" for k, block in enumerate(block for turn in zip(*models, strict=True) for block in turn)]
    names = [name.replace(" ", "_") for name in map(str, binning.names)]
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
    return f"tree\n{lines}\n{''.join(blocks)}end of trees\n\nparameters:\nend of parameters\n\npandas_categorical:{levels}\n"


def _levels(binning):
    """Return the levels of each categorical feature, in the order of their codes; None if no level is text: then values identify them."""
    levels = [labels[:-1] if has_others(labels) else labels for labels in binning.labels if labels is not None]
    return levels if any(isinstance(level, str) for one in levels for level in one) else None


def _block(tree, values, binning):
    """Return the block of one tree. Inner nodes and leaves are numbered separately; leaf l as a child is ``-l - 1``."""
    inner, leaves = np.flatnonzero(tree.feature >= 0), np.flatnonzero(tree.feature < 0)
    leaves = leaves[np.argsort(tree.left[leaves])]
    number = np.empty(len(tree.feature), dtype=np.int64)
    number[inner], number[leaves] = np.arange(len(inner)), -np.arange(len(leaves)) - 1
    thresholds, kinds, bounds, words = _rules(tree, inner, binning)
    lines = {
        "num_leaves": [len(leaves)],
        "num_cat": [len(bounds) - 1],
        "split_feature": tree.feature[inner],
        "split_gain": tree.gain[inner],
        "threshold": thresholds,
        "decision_type": kinds,
        "left_child": number[tree.left[inner]],
        "right_child": number[tree.left[inner] + 1],
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
    text = "".join(f"{key}={' '.join(map(str, np.asarray(part).tolist()))}\n" for key, part in lines.items() if len(part))
    return f"{text}\n\n"


def _rules(tree, inner, binning):
    """Return thresholds and decision types of the splits, offsets of the category sets and their words. A split names its set by index."""
    thresholds, kinds, bounds, words = [], [], [0], []
    known = _levels(binning) is None
    for at in inner:
        g = tree.feature[at]
        if binning.labels[g] is None:
            cuts = binning.thresholds(g)
            thresholds.append(repr(float(cuts[tree.bin[at]]) if tree.bin[at] < len(cuts) else float(np.finfo(float).max)))
            kinds.append(NAN | LEFT * int(tree.missing_left[at]))
        else:
            thresholds.append(str(len(bounds) - 1))
            kinds.append(NAN | CATEGORIES)
            words.extend(_words(tree, at, binning.names[g], binning.labels[g], known))
            bounds.append(len(words))
    return thresholds, kinds, bounds, words


def _means(tree, values):
    """Return the mean value of the samples in each node, (n_nodes,)."""
    means = np.zeros(len(tree.feature))
    for at in range(len(means) - 1, -1, -1):
        left, n = tree.left[at], tree.n_samples
        means[at] = values[left] if tree.feature[at] < 0 else (n[left] * means[left] + n[left + 1] * means[left + 1]) / n[at]
    return means


def _words(tree, at, name, labels, known):
    """Return the categories that go left at a node as bits of 32-bit words: bit numbers are values if `known`, else indices."""
    codes = np.flatnonzero(np.unpackbits(tree.goes_left[at], bitorder="little"))
    if tree.missing_left[at] or (has_others(labels) and len(labels) - 1 in codes):
        raise ValueError(
            f"LightGBM's format sends missing and rare levels of a categorical feature to the right; {name!r} sends them to the left."
        )
    chosen = [labels[code] if known else int(code) for code in codes]
    if not all(value == int(value) >= 0 for value in chosen):
        raise ValueError(f"categories must be text or whole numbers >= 0 for LightGBM, got {shown(list(labels))} in {name!r}.")
    words = [0] * (int(max(chosen)) // 32 + 1)
    for value in chosen:
        words[int(value) // 32] |= 1 << (int(value) % 32)
    return words
