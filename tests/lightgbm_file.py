"""A small reader of LightGBM's model files: what its program predicts from them."""

import json

import numpy as np

ITEMS = {
    "num_leaves": int,
    "split_feature": int,
    "threshold": float,
    "decision_type": int,
    "left_child": int,
    "right_child": int,
    "leaf_value": float,
    "cat_boundaries": int,
    "cat_threshold": int,
}


def columns_of(X, levels):
    """Return the columns as numbers: those of the dtype category by their places among `levels`."""
    if not hasattr(X, "columns"):
        return np.asarray(X, dtype=float)
    coded = [name for name in X.columns if hasattr(X[name], "cat")]
    assert levels is not None and len(levels) == len(coded)
    places = [{level: i for i, level in enumerate(one)} for one in levels]
    known = dict(zip(coded, places, strict=True))
    numbers = {
        name: [known[name].get(value, np.nan) for value in X[name]] if name in known else X[name]
        for name in X.columns
    }
    return np.array([np.asarray(numbers[name], dtype=float) for name in X.columns]).T


def goes_left(tree, at, x):
    """Return whether a value goes to the left child of a node."""
    kind = tree["decision_type"][at]
    threshold = tree["threshold"][at]
    if not kind & 1:
        return bool(kind & 2) if np.isnan(x) else x <= threshold
    if np.isnan(x) or int(x) < 0:
        return False
    begin, stop = tree["cat_boundaries"][int(threshold) :][:2]
    word = begin + int(x) // 32
    return word < stop and bool(tree["cat_threshold"][word] >> (int(x) % 32) & 1)


def predicted(text, X):
    """Return the raw predictions of a model file, (n_samples, n_classes)."""
    lines = text.splitlines()
    head = dict(line.split("=", 1) for line in lines[: lines.index("")] if "=" in line)
    names = head["feature_names"].split(" ")
    assert len(set(names)) == len(names) == int(head["max_feature_idx"]) + 1 and all(names)
    blocks = text[text.index("Tree=0") : text.index("end of trees")].encode()
    levels = json.loads(lines[-1].removeprefix("pandas_categorical:"))
    X = columns_of(X, levels)
    n_classes = int(head["num_class"])
    at = 0
    out = np.zeros((len(X), n_classes))
    for k, size in enumerate(map(int, head["tree_sizes"].split())):
        entries = [
            line.split("=", 1) for line in blocks[at : at + size].decode().splitlines() if line
        ]
        tree = {key: [*map(ITEMS[key], value.split())] for key, value in entries if key in ITEMS}
        at += size
        for i, row in enumerate(X):
            node = -1 if tree["num_leaves"] == [1] else 0
            while node >= 0:
                left = goes_left(tree, node, row[tree["split_feature"][node]])
                node = tree["left_child" if left else "right_child"][node]
            out[i, k % n_classes] += tree["leaf_value"][-node - 1]
    return out
