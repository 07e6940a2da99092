"""Naive regression trees: every split of every node is tried on the samples themselves."""

import numpy as np


def codes_of(x, categorical):
    """Return the rank of each value, missing ones last, and the code of missing values; -1 if there
    are none, and for categories.
    """
    gap = np.isnan(x)
    codes = np.searchsorted(np.unique(x[~gap]), x)
    codes[gap] = len(np.unique(x[~gap]))
    return codes, codes.max() if gap.any() and not categorical else -1


def category_cuts(codes, mean, limits):
    """Yield the samples that go left, for each split by categories: those with the lowest means,
    then those with the highest.
    """
    levels = [b for b in set(codes) if np.sum(codes == b) >= limits["min_samples_category"]]
    order = sorted(levels, key=lambda code: (mean(codes == code), code))
    most = len(order)
    if limits["max_split_categories"]:
        most = min(limits["max_split_categories"], (len(order) + 1) // 2)
    yield from (np.isin(codes, order[:k]) for k in range(1, most + 1))
    yield from (np.isin(codes, order[::-1][:k]) for k in range(1, most + 1))


def cuts_of(codes, missing):
    """Yield the samples that go left, for each split by one feature; ties go to the first split."""
    for bin in range(codes.max() + 1):
        below = (codes <= bin) & (codes != missing)
        yield below
        if (codes == missing).any():
            yield below | (codes == missing)


class Node:
    """The samples `rows` of a node, and their best split."""

    def __init__(self, rows, depth, low, high, data, may_split, extra_l2):
        self.rows = rows
        self.depth = depth
        self.low = low
        self.high = high
        self.split = None
        columns, limits, target, weight = data
        self.target = target
        self.weight = weight
        self.l2 = limits["l2"]
        self.value, _ = self.side(np.ones(len(rows), dtype=bool), extra_l2)
        _, one = self.side(np.ones(len(rows), dtype=bool), 0.0)
        self.gain = max(limits["min_gain"], 2.0**-45 * abs(one))
        for f, (codes, missing, categorical, sign, penalty) in enumerate(columns):
            if not may_split or depth == limits["max_depth"]:
                continue

            def mean(some):
                return self.target[self.rows[some]].sum() / (
                    self.weight[self.rows[some]].sum() + self.l2
                )

            extra = limits["category_smoothing"] * weight[rows].mean() if categorical else 0.0
            own = codes[rows]
            for left in category_cuts(own, mean, limits) if categorical else cuts_of(own, missing):
                if min(left.sum(), (~left).sum()) < max(limits["min_samples"], 1):
                    continue
                if min(weight[rows[left]].sum(), weight[rows[~left]].sum()) < limits["min_weight"]:
                    continue
                gain = self.score(left, sign, extra) - penalty - one
                if gain > self.gain:
                    self.gain = gain
                    self.split = (f, left, sign, extra)

    def side(self, some, extra):
        """Return the value of a side, within the bounds, and its score."""
        g = float(self.target[self.rows[some]].sum())
        w = float(self.weight[self.rows[some]].sum()) + (self.l2 + extra)
        value = min(max(g / w, self.low), self.high)
        return value, (2 * g - w * value) * value

    def score(self, left, sign, extra):
        """Return the score of a split, -inf if its values violate the constraint; the same
        operations as in the kernels.
        """
        (value, one), (other_value, other) = self.side(left, extra), self.side(~left, extra)
        in_order = value != other_value and sign * (other_value - value) >= 0
        if (self.low, self.high) == (-np.inf, np.inf):
            g, h = (float(self.target[self.rows[some]].sum()) for some in (left, ~left))
            l2 = self.l2 + extra
            w, v = (float(self.weight[self.rows[some]].sum()) + l2 for some in (left, ~left))
            return (g * g * v + h * h * w) / (w * v) if sign == 0 or in_order else -np.inf
        return one + other if in_order else -np.inf


def naive_tree(X, target, weight, categorical, monotone, penalty, limits):
    """Return the split feature of each node (-1: a leaf), in the order of their creation, and
    (rows, value) of the leaves.
    """
    columns = [
        (*codes_of(x, f in categorical), f in categorical, monotone[f], penalty[f])
        for f, x in enumerate(np.asarray(X).T)
    ]
    data = columns, limits, target, weight
    depth = limits["max_depth"]
    most = limits["max_leaves"] or np.inf
    nodes = [Node(np.arange(len(target)), 0, -np.inf, np.inf, data, True, 0.0)]
    open_ = {0}
    n_leaves = 1
    features = {}
    while (able := sorted(at for at in open_ if nodes[at].split)) and n_leaves < most:
        for at in (
            able
            if depth and most >= 2 ** min(depth, 30)
            else [max(able, key=lambda at: nodes[at].gain)]
        ):
            node = nodes[at]
            n_leaves = n_leaves + 1
            features[at], left, sign, extra = node.split
            open_ -= {at}
            middle = (node.side(left, extra)[0] + node.side(~left, extra)[0]) / 2
            ends = [(node.low, node.high), (node.low, middle), (middle, node.high)]
            for some, (low, high) in zip(
                (left, ~left), (ends[0], ends[0]) if sign == 0 else ends[1:][::sign], strict=True
            ):
                open_ |= {len(nodes)}
                nodes.append(
                    Node(node.rows[some], node.depth + 1, low, high, data, n_leaves < most, extra)
                )
    return [features.get(at, -1) for at in range(len(nodes))], [
        (nodes[at].rows, nodes[at].value) for at in sorted(open_)
    ]
