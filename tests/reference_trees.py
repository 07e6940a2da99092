"""Trees as one would grow them: every split of every node tried on the samples themselves."""

import numpy as np


def cuts_of(codes, missing, categorical, mean):
    """Yield (bin, missing goes left, samples that go left) for one feature, in the order in which ties are broken."""
    if categorical:
        order = sorted(set(codes), key=lambda code: (mean(codes == code), code))
        yield from ((k, 0, np.isin(codes, order[:k])) for k in range(1, len(order)))
        return
    for bin in range(255):
        right = (codes <= bin) & (codes != missing)
        if (codes == missing).any():
            yield from ((bin, 0, right), (bin, 1, right | (codes == missing)))
        else:
            yield bin, int(2 * right.sum() > len(right)), right


class Node:
    """Samples `rows`, and the best split of them."""

    def __init__(self, rows, depth, low, high, data, may_split):
        self.rows, self.depth, self.low, self.high, self.split = rows, depth, low, high, None
        binned, growth, target, weight, features, penalty = data
        self.target, self.weight, self.l2 = target, weight, growth.l2
        everyone = np.ones(len(rows), dtype=bool)
        self.value, one = self.side(everyone)
        self.gain = max(growth.min_gain, 2.0**-45 * abs(one))
        for f in features if may_split and depth < growth.max_depth else ():
            codes, sign = binned.codes[f][rows], growth.monotone[f] if len(growth.monotone) else 0
            mean = lambda some: self.target[self.rows[some]].sum() / (self.weight[self.rows[some]].sum() + self.l2)  # noqa: E731
            for bin, missing_left, left in cuts_of(codes, binned.missing[f], binned.categorical[f], mean):
                if min(left.sum(), (~left).sum()) < growth.min_samples:
                    continue
                if min(weight[rows[left]].sum(), weight[rows[~left]].sum()) < growth.min_weight:
                    continue
                gain = self.score(left, sign) - penalty[f] - one
                if gain > self.gain:
                    self.gain, self.split = gain, (f, bin, missing_left, left, sign)

    def side(self, some):
        """Value and score of a side, bounds included."""
        g, w = float(self.target[self.rows[some]].sum()), float(self.weight[self.rows[some]].sum()) + self.l2
        value = min(max(g / w, self.low), self.high)
        return value, (2 * g - w * value) * value

    def score(self, left, sign):
        """The score of a split, minus infinity where the values have the wrong order; the same operations as in the kernels."""
        if sign == 0 and (self.low, self.high) == (-np.inf, np.inf):
            g, h = (float(self.target[self.rows[some]].sum()) for some in (left, ~left))
            w, v = (float(self.weight[self.rows[some]].sum()) + self.l2 for some in (left, ~left))
            return (g * g * v + h * h * w) / (w * v)
        (value, one), (other_value, other) = self.side(left), self.side(~left)
        return one + other if value != other_value and sign * (other_value - value) >= 0 else -np.inf


def naive_tree(binned, growth, target, weight, features, penalty):
    """Nodes as `grow` orders them: (feature, bin, missing goes left, left child, value), -1 for a leaf; and the rows of leaves."""
    data = binned, growth, target, weight, features, penalty
    nodes, rows = [Node(np.arange(len(target)), 0, -np.inf, np.inf, data, True)], []
    level_by_level = growth.max_leaves >= 2 ** min(growth.max_depth, 30)
    table, n_leaves = {}, 1
    while True:
        open_nodes = [at for at in range(len(nodes)) if nodes[at].split and at not in table]
        if not open_nodes or n_leaves == growth.max_leaves:
            break
        for at in open_nodes if level_by_level else [max(open_nodes, key=lambda at: nodes[at].gain)]:
            node, n_leaves = nodes[at], n_leaves + 1
            f, bin, missing_left, left, sign = node.split
            table[at] = f, bin, missing_left, len(nodes), node.value
            middle = (node.side(left)[0] + node.side(~left)[0]) / 2
            ends = [(node.low, node.high), (node.low, middle), (middle, node.high)]
            for some, (low, high) in zip((left, ~left), (ends[0], ends[0]) if sign == 0 else ends[1:][::sign], strict=True):
                nodes.append(Node(node.rows[some], node.depth + 1, low, high, data, n_leaves < growth.max_leaves))
    for at, node in enumerate(nodes):
        if at not in table:
            table[at] = -1, 0, 0, 0, node.value
            rows.append(node.rows)
    return [table[at] for at in range(len(nodes))], rows
