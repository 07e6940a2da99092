"""Search among all conjunctions of literals over binned features, by branch and bound.

A *literal* is a test of one feature: its code lies between two codes, or does not: ``age <= 41.5``,
``town = Oslo``, ``town != Oslo``, ``age is missing``. A *rule* is a conjunction of up to `depth`
literals. Its *cover* is the set of samples where all of them hold. Its learner is the indicator of
the cover, centred and of unit norm: with weights w of sum W and the weight W_T of the cover T,

    B_T = (1_T - W_T / W) / sqrt(W_T (1 - W_T / W)),    <B_T, v> = sum_T v / sqrt(W_T (1 - W_T / W))

if v sums to 0. Two rules with the same cover, or with complementary ones, are one learner up to its
sign; the shortest rule names it, among these the first in the order of its literals.

A node of the search is a rule; its children have one literal more. With the cover S of a node, all
covers T below it have W_T between the least weight m and kappa = min(W_S, W - m), hence

    <B_T, v> <= P max(g(m), g(kappa)),             g(x) = 1 / sqrt(x (1 - x / W)),
    <B_T, v> <= sqrt(Q) / sqrt(1 - kappa / W),     P = sum_S max(v, 0), Q = sum_S max(v, 0)^2 / w,

the second one by Cauchy-Schwarz; and the same for -v. A literal whose bound at a node is too small
is dropped there and for all children of this node. Before a child is visited, a third bound is
tried: among all sets of samples of S of one weight, those with the largest v / w have the largest
sum. The last two levels are scored together, by sums over pairs of codes.
"""

import math
from typing import NamedTuple

import numpy as np

from coordboost._numba import compiled, kernel
from coordboost.learners.trees.bundles import Columns

#: Columns of sums: weight, v, max(v, 0), max(v, 0)^2 / weight, min(v, 0)^2 / weight.
WEIGHT, SUM, UP, SQUARES_UP, SQUARES_DOWN, N_SUMS = range(6)
#: The relative rounding of a number.
EPS = float(np.finfo(float).eps)
#: Relative slack of scores and bounds that come from differences of sums.
SLACK = 1e-9
#: Nodes of one compiled call: some tenths of a second, so that Ctrl-C is heard.
BLOCK = 64
#: Least relative weight of a cover, so that no scale overflows; the seed of the keys of samples.
TINY, SEED = 1e-12, 20


class Literals(NamedTuple):
    """Tests of features: ``low <= code <= high``, or its negation; int64 (n_literals,) each."""

    feature: np.ndarray
    low: np.ndarray
    high: np.ndarray
    negated: np.ndarray


class RuleRows(NamedTuple):
    """The samples of a search.

    codes : uint8 (n_samples, n_features)
    begin : int64 (n_features + 1,), where the sums of each feature begin; one more than it has bins
    keys : uint64 (n_samples,), random numbers whose exclusive or is 0; that over a cover identifies
        the cover, and is the same for its complement
    values : (n_samples, N_SUMS), what is summed
    """

    codes: np.ndarray
    begin: np.ndarray
    keys: np.ndarray
    values: np.ndarray


class RuleLimits(NamedTuple):
    """What rules are searched.

    total : the sum of all weights
    least : the least weight of a cover and of its complement
    lightest : a literal that removes less weight from a cover removes nothing
    rounding : a bound on the rounding error of a sum of v
    depth : most literals of a rule
    """

    total: float
    least: float
    lightest: float
    rounding: float
    depth: int


class Found(NamedTuple):
    """The best learners so far.

    corr : (k,), correlations
    key : uint64 (k,), the same for complementary covers
    rule : int64 (k, depth), numbers of literals, increasing, then -1
    state : (3,), how many there are, the level of scores that others do not exceed, and the largest
        bound of what was not searched
    """

    corr: np.ndarray
    key: np.ndarray
    rule: np.ndarray
    state: np.ndarray


N_FOUND, ABOVE, UNSEARCHED = range(3)


class Levels(NamedTuple):
    """The path from the root to the node of the search, one row for each level.

    rows : int64 (depth, n_samples), the cover of the node; n_rows : int64 (depth,)
    allowed, n_allowed : literals by which the node may be extended
    child, bound, n_children : those that are not dropped, and bounds of what is below, decreasing
    next : int64 (depth,), the number of the next child to be visited
    literal : int64 (depth,), by which the node extends its parent
    at : int64 (1,), the level of the node; -1 when the search is done
    """

    rows: np.ndarray
    n_rows: np.ndarray
    allowed: np.ndarray
    n_allowed: np.ndarray
    child: np.ndarray
    bound: np.ndarray
    n_children: np.ndarray
    next: np.ndarray
    literal: np.ndarray
    at: np.ndarray


class RuleScratch(NamedTuple):
    """Memory of the node in hand.

    cells : (begin[-1], N_SUMS), sums over the codes of each feature, cumulated
    total : (N_SUMS,), sums over the node
    held : (n_literals, N_SUMS), sums where a literal holds
    pairs : (.., 2), sums of weight and v over pairs of codes of two features, cumulated
    place : int64 (n_features, n_features), where the pairs of two features begin
    children : int64 (n_literals,), those of a node that may be good
    features, begin : int64 (n_features + 1,), their features, and where the children of each begin
    cover : int64 (n_samples,), a cover
    rule : int64 (depth,)
    """

    cells: np.ndarray
    total: np.ndarray
    held: np.ndarray
    pairs: np.ndarray
    place: np.ndarray
    children: np.ndarray
    features: np.ndarray
    begin: np.ndarray
    cover: np.ndarray
    rule: np.ndarray


@kernel
def holds(literals, literal, code):
    """Return whether a literal holds for a code of its feature, or for each of an array of them."""
    inside = (literals.low[literal] <= code) & (code <= literals.high[literal])
    return inside != (literals.negated[literal] == 1)


@kernel
def filter_rows(table, literals, literal, rows, n_rows, out):
    """Write the rows where a literal holds to `out`; return their number."""
    feature = literals.feature[literal]
    kept = 0
    for i in range(n_rows):
        if holds(literals, literal, table.codes[rows[i], feature]):
            out[kept] = rows[i]
            kept += 1
    return kept


@kernel
def redundant(literals, a, b):
    """Return whether two literals of one feature are no new test: nested, disjoint or negations."""
    if literals.feature[a] != literals.feature[b]:
        return False
    if literals.negated[a] or literals.negated[b]:
        return not (literals.negated[a] and literals.negated[b])
    low = max(literals.low[a], literals.low[b])
    high = min(literals.high[a], literals.high[b])
    is_a = low == literals.low[a] and high == literals.high[a]
    is_b = low == literals.low[b] and high == literals.high[b]
    return low > high or is_a or is_b


@kernel
def unit_scale(weight, limits):
    """Return 1 / sqrt(W_T (1 - W_T / W))."""
    return 1.0 / math.sqrt(weight * (1.0 - weight / limits.total))


@kernel
def has_support(weight, limits):
    """Return whether a cover of this weight, and its complement, are heavy enough."""
    least = limits.least * (1.0 - SLACK)
    return least <= weight <= limits.total - least


@kernel
def bound_below(sums, limits):
    """Return a bound on the absolute correlations of all covers within one that has these sums."""
    widest = min(sums[WEIGHT], limits.total - limits.least)
    steepest = max(unit_scale(limits.least, limits), unit_scale(widest, limits))
    narrow = 1.0 / math.sqrt(1.0 - widest / limits.total)
    up = sums[UP] + limits.rounding
    down = up - sums[SUM] + limits.rounding
    rise = min(math.sqrt(max(sums[SQUARES_UP], 0.0)) * narrow, up * steepest)
    fall = min(math.sqrt(max(sums[SQUARES_DOWN], 0.0)) * narrow, down * steepest)
    return max(rise, fall) * (1.0 + SLACK) + limits.rounding * steepest


@kernel
def sum_cells(table, rows, n_rows, cells, total):
    """Sum `values` over the rows of a node, and over each code of each feature, cumulated."""
    codes = table.codes
    begin = table.begin
    values = table.values
    n_features = len(begin) - 1
    cells[:] = 0.0
    for i in range(n_rows):
        row = rows[i]
        for g in range(n_features):
            cell = begin[g] + codes[row, g] + 1
            for t in range(N_SUMS):
                cells[cell, t] += values[row, t]
    for g in range(n_features):
        for cell in range(begin[g] + 1, begin[g + 1]):
            for t in range(N_SUMS):
                cells[cell, t] += cells[cell - 1, t]
    total[:] = cells[begin[1] - 1]


@kernel
def sum_literal(table, literals, literal, scratch):
    """Sum over the rows of the node where a literal holds."""
    begin = table.begin[literals.feature[literal]]
    low = begin + literals.low[literal]
    high = begin + literals.high[literal] + 1
    for t in range(N_SUMS):
        inside = scratch.cells[high, t] - scratch.cells[low, t]
        negated = literals.negated[literal] == 1
        scratch.held[literal, t] = scratch.total[t] - inside if negated else inside


@kernel
def is_smaller(rule, other):
    """Return whether a rule comes before another: it is shorter, or its literals come first."""
    depth = len(rule)
    for t in range(depth):
        if (rule[t] < 0) != (other[t] < 0):
            return rule[t] < 0
    for t in range(depth):
        if rule[t] != other[t]:
            return rule[t] < other[t]
    return False


@kernel
def insert(literal, rule, size):
    """Insert a literal into a rule of some increasing literals."""
    place = size
    while place > 0 and rule[place - 1] > literal:
        rule[place] = rule[place - 1]
        place -= 1
    rule[place] = literal


@kernel
def write_rule(levels, level, a, b, rule):
    """Write the literals of a node and up to two more (-1: none) to `rule`, increasing, then -1."""
    rule[:] = -1
    for t in range(1, level + 1):
        insert(levels.literal[t], rule, t - 1)
    insert(a, rule, level)
    if b >= 0:
        insert(b, rule, level + 1)


@kernel
def is_better(score, rule, found, i):
    """Return whether a rule with this absolute correlation is better than learner i of those found.

    Of equal ones, the smaller rule is.
    """
    other = abs(found.corr[i])
    return score > other or (score == other and is_smaller(rule, found.rule[i]))


@kernel
def worst_of(found):
    """Return the place of the worst of the learners found."""
    worst = 0
    for i in range(1, int(found.state[N_FOUND])):
        if is_better(abs(found.corr[worst]), found.rule[worst], found, i):
            worst = i
    return worst


@kernel
def put(found, place, corr, key, rule):
    """Write a learner to a place."""
    found.corr[place] = corr
    found.key[place] = key
    found.rule[place, :] = rule


@kernel
def keep_rule(found, corr, key, rule):
    """Put a learner among the best if it is one of them, or a shorter name of one of them."""
    place = int(found.state[N_FOUND])
    for i in range(place):
        if found.key[i] == key:
            if is_smaller(rule, found.rule[i]):
                put(found, i, corr, key, rule)
            return
    if place < len(found.corr):
        if abs(corr) <= found.state[ABOVE]:
            return
        found.state[N_FOUND] += 1
    else:
        place = worst_of(found)
        if not is_better(abs(corr), rule, found, place):
            return
    put(found, place, corr, key, rule)
    if int(found.state[N_FOUND]) == len(found.corr):
        found.state[ABOVE] = max(found.state[ABOVE], abs(found.corr[worst_of(found)]))


@kernel
def offer(table, literals, limits, levels, level, a, b, scratch, found):
    """Compute the sums over a cover in the order of its rows, and keep its learner if it is good.

    The cover is that of the node and the literals `a` and `b` (-1: none).
    """
    cover = scratch.cover
    n_rows = filter_rows(table, literals, a, levels.rows[level], levels.n_rows[level], cover)
    if b >= 0:
        n_rows = filter_rows(table, literals, b, cover, n_rows, cover)
    weight = 0.0
    total = 0.0
    key = np.uint64(0)
    for i in range(n_rows):
        weight += table.values[cover[i], WEIGHT]
        total += table.values[cover[i], SUM]
        key ^= table.keys[cover[i]]
    if not has_support(weight, limits):
        return
    write_rule(levels, level, a, b, scratch.rule)
    keep_rule(found, total * unit_scale(weight, limits), key, scratch.rule)


@kernel
def may_be_kept(total, weight, limits, found):
    """Return whether a cover with these sums, up to rounding, may be one of the best."""
    if not has_support(weight, limits):
        return False
    reach = (abs(total) + limits.rounding) * (1.0 + SLACK)
    level = max(found.state[ABOVE], 0.0)
    return reach * reach >= level * level * weight * (1.0 - weight / limits.total)


@kernel
def add_child(levels, level, literal, bound):
    """Add a child to the node; children stay in the order of their bounds, decreasing."""
    children = levels.child[level]
    bounds = levels.bound[level]
    place = levels.n_children[level]
    levels.n_children[level] = place + 1
    while place > 0 and bounds[place - 1] < bound:
        children[place] = children[place - 1]
        bounds[place] = bounds[place - 1]
        place -= 1
    children[place] = literal
    bounds[place] = bound


@kernel
def extend_rule(table, literals, limits, levels, level, scratch, found):
    """Score a node with one more literal, for each one allowed, and find its children."""
    levels.n_children[level] = 0
    levels.next[level] = 0
    for i in range(levels.n_allowed[level]):
        literal = levels.allowed[level, i]
        sum_literal(table, literals, literal, scratch)
        sums = scratch.held[literal]
        weight = sums[WEIGHT]
        narrower = scratch.total[WEIGHT] - weight >= limits.lightest
        if weight < limits.least * (1.0 - SLACK) or not narrower:
            continue
        if may_be_kept(sums[SUM], weight, limits, found):
            offer(table, literals, limits, levels, level, literal, -1, scratch, found)
        add_child(levels, level, literal, bound_below(sums, limits))


@kernel
def sum_pairs(table, rows, features, place, pairs):
    """Sum weight and v over pairs of codes of two features, or one, cumulated over both."""
    codes = table.codes
    begin = table.begin
    size = 0
    for x in range(len(features)):
        f = features[x]
        width = begin[f + 1] - begin[f]
        for g in features[x:]:
            place[f, g] = size
            size += width * (begin[g + 1] - begin[g])
    pairs[:size] = 0.0
    for row in rows:
        weight = table.values[row, WEIGHT]
        v = table.values[row, SUM]
        for x in range(len(features)):
            f = features[x]
            code = codes[row, f] + 1
            for z in range(x, len(features)):
                g = features[z]
                pair = place[f, g] + code * (begin[g + 1] - begin[g]) + codes[row, g] + 1
                pairs[pair, WEIGHT] += weight
                pairs[pair, SUM] += v
    for x in range(len(features)):
        f = features[x]
        for g in features[x:]:
            cumulate_pairs(pairs, place[f, g], begin[f + 1] - begin[f], begin[g + 1] - begin[g])


@kernel
def cumulate_pairs(pairs, first, n_left, n_right):
    """Cumulate the sums of the pairs of two features over the codes of both."""
    for a in range(n_left):
        for pair in range(first + a * n_right + 1, first + (a + 1) * n_right):
            pairs[pair, WEIGHT] += pairs[pair - 1, WEIGHT]
            pairs[pair, SUM] += pairs[pair - 1, SUM]
    for pair in range(first + n_right, first + n_left * n_right):
        pairs[pair, WEIGHT] += pairs[pair - n_right, WEIGHT]
        pairs[pair, SUM] += pairs[pair - n_right, SUM]


@kernel
def sum_both(literals, a, b, held, whole, inside, t):
    """Return a sum over the rows of the node where two literals hold.

    inside : the sum where both hold without their negations
    t : WEIGHT or SUM
    """
    if literals.negated[a]:
        if literals.negated[b]:
            return held[a, t] + held[b, t] - whole[t] + inside
        return held[b, t] - inside
    if literals.negated[b]:
        return held[a, t] - inside
    return inside


@kernel
def score_partners(table, literals, limits, levels, level, a, g, partners, scratch, found):
    """Score a node with two of its children: `a`, and any of some of the feature g.

    g : the feature of `a`, or a later one
    """
    held = scratch.held
    whole = scratch.total
    pairs = scratch.pairs
    width = table.begin[g + 1] - table.begin[g]
    first = scratch.place[literals.feature[a], g]
    low = first + literals.low[a] * width
    high = first + (literals.high[a] + 1) * width
    for b in partners:
        begin = literals.low[b]
        end = literals.high[b] + 1
        weight = pairs[high + end, WEIGHT] - pairs[high + begin, WEIGHT]
        total = pairs[high + end, SUM] - pairs[high + begin, SUM]
        weight -= pairs[low + end, WEIGHT] - pairs[low + begin, WEIGHT]
        total -= pairs[low + end, SUM] - pairs[low + begin, SUM]
        weight = sum_both(literals, a, b, held, whole, weight, WEIGHT)
        total = sum_both(literals, a, b, held, whole, total, SUM)
        if may_be_kept(total, weight, limits, found) and not redundant(literals, a, b):
            offer(table, literals, limits, levels, level, a, b, scratch, found)


@kernel
def good_children(literals, levels, level, found, scratch):
    """Write the children that may be good, in the order of their features, these features, and
    where the children of each begin; return the number of features.
    """
    children = scratch.children
    begin = scratch.begin
    n_good = 0
    while n_good < levels.n_children[level] and levels.bound[level, n_good] >= found.state[ABOVE]:
        literal = levels.child[level, n_good]
        place = n_good
        while place > 0 and literals.feature[children[place - 1]] > literals.feature[literal]:
            children[place] = children[place - 1]
            place -= 1
        children[place] = literal
        n_good += 1
    n_features = 0
    for i in range(n_good):
        if i == 0 or literals.feature[children[i]] != literals.feature[children[i - 1]]:
            begin[n_features] = i
            scratch.features[n_features] = literals.feature[children[i]]
            n_features += 1
    begin[n_features] = n_good
    return n_features


@kernel
def score_pairs(table, literals, limits, levels, level, scratch, found):
    """Score a node with any two of its children."""
    children = scratch.children
    begin = scratch.begin
    n_features = good_children(literals, levels, level, found, scratch)
    features = scratch.features[:n_features]
    rows = levels.rows[level, : levels.n_rows[level]]
    sum_pairs(table, rows, features, scratch.place, scratch.pairs)
    for x in range(n_features):
        for i in range(begin[x], begin[x + 1]):
            a = children[i]
            for z in range(x, n_features):
                g = features[z]
                partners = children[max(begin[z], i + 1) : begin[z + 1]]
                score_partners(
                    table, literals, limits, levels, level, a, g, partners, scratch, found
                )


@kernel
def visit(table, literals, limits, levels, scratch, found):
    """Score all rules that have one literal more than the node, and those with two if that is most.

    Afterwards the node has its children, or none.
    """
    level = levels.at[0]
    sum_cells(table, levels.rows[level], levels.n_rows[level], scratch.cells, scratch.total)
    extend_rule(table, literals, limits, levels, level, scratch, found)
    if level == limits.depth - 2:
        score_pairs(table, literals, limits, levels, level, scratch, found)
    if level >= limits.depth - 2:
        levels.n_children[level] = 0


@kernel
def bound_by_order(table, rows, n_rows, limits, sign):
    """Return a bound on the correlations with sign * v of all covers within one.

    Its rows are in the order of sign * v / weight, decreasing; from the last one on if `sign` is
    -1. Between two sums of the first rows, the weight and the sum of v are at most those of either.
    """
    largest = 0.0
    weight = 0.0
    total = 0.0
    scale = 0.0
    for i in range(n_rows):
        row = rows[i if sign > 0 else n_rows - 1 - i]
        last = total
        last_scale = scale
        weight += table.values[row, WEIGHT]
        total += sign * table.values[row, SUM]
        scale = unit_scale(min(max(weight, limits.least), limits.total - limits.least), limits)
        if weight >= limits.least:
            largest = max(largest, max(total, last) * max(scale, last_scale))
        if weight > limits.total - limits.least:
            break
    return largest


@kernel
def go_down(table, literals, limits, levels, found):
    """Go to the next child of the node, unless no rule below it may be good; return whether.

    Its literals are those of the children before it.
    """
    level = levels.at[0]
    i = levels.next[level]
    literal = levels.child[level, i]
    rows = levels.rows[level + 1]
    levels.next[level] = i + 1
    n_rows = filter_rows(table, literals, literal, levels.rows[level], levels.n_rows[level], rows)
    rise = bound_by_order(table, rows, n_rows, limits, 1.0)
    fall = bound_by_order(table, rows, n_rows, limits, -1.0)
    steepest = unit_scale(limits.least, limits)
    bound = max(rise, fall) * (1.0 + SLACK) + limits.rounding * steepest
    if bound < found.state[ABOVE]:
        levels.bound[level, i] = -math.inf  # no partner of the later children either
        return False
    n_allowed = 0
    for j in range(i):
        other = levels.child[level, j]
        if levels.bound[level, j] > -math.inf and not redundant(literals, literal, other):
            levels.allowed[level + 1, n_allowed] = other
            n_allowed += 1
    if n_allowed == 0:
        return False
    levels.n_rows[level + 1] = n_rows
    levels.n_allowed[level + 1] = n_allowed
    levels.literal[level + 1] = literal
    levels.at[0] = level + 1
    return True


@kernel
def next_branch(levels, found):
    """Go up to the next node with a child that may be good; return whether there is one."""
    while levels.at[0] >= 0:
        level = levels.at[0]
        i = levels.next[level]
        if i < levels.n_children[level] and levels.bound[level, i] >= found.state[ABOVE]:
            return True
        levels.at[0] = level - 1
    return False


@kernel
def search(table, literals, limits, levels, scratch, found, most_nodes):
    """Visit up to `most_nodes` nodes; return their number: fewer if the search is done."""
    for n_nodes in range(most_nodes):
        visit(table, literals, limits, levels, scratch, found)
        while next_branch(levels, found):
            if go_down(table, literals, limits, levels, found):
                break
        if levels.at[0] < 0:
            return n_nodes + 1
    return most_nodes


@kernel
def give_up(levels, found):
    """Leave the search: the largest bound of the nodes that were not visited is noted."""
    level = levels.at[0]
    if level < 0:
        return
    # the node that was to be visited next, then what its ancestors have left
    largest = levels.bound[level - 1, levels.next[level - 1] - 1] if level > 0 else math.inf
    for above in range(level):
        i = levels.next[above]
        if i < levels.n_children[above]:
            largest = max(largest, levels.bound[above, i])
    found.state[UNSEARCHED] = largest


class RuleSearch:
    """The search over all rules on some samples, in the metric of their weights.

    Parameters
    ----------
    binned : Binned
        The features.
    literals : Literals
    depth : int
        Most literals of a rule.
    weight : ndarray, (n_samples,)
    min_support : float
        Least share of the weight that a rule and its complement have.
    max_nodes : int or None
        Most nodes of a search; None for no limit.
    """

    def __init__(self, binned, literals, depth, weight, min_support, max_nodes=None):
        self.depth = depth
        self.weight = weight
        self.max_nodes = max_nodes
        self.total = float(weight.sum())
        lightest = weight[weight > 0].min()
        self.least = max(min_support * self.total, lightest, TINY * self.total)
        #: half of the least weight, if sums of weights are that accurate
        self.lightest = max(0.0, lightest / 2 - len(weight) * EPS * self.total)
        # the rarer code of features with two bins is 1, so that more of them share a column
        alike = (binned.n_bins == 2) & (binned.categorical == 0) & (binned.missing < 0)
        flipped = alike & (2 * np.count_nonzero(binned.codes, axis=1) > len(weight))
        columns = Columns.of(binned._replace(codes=binned.codes ^ flipped[:, None]))
        self.feature = literals.feature
        self.literals = in_columns(literals, columns, flipped)
        self.codes = np.ascontiguousarray(columns.codes[:, : len(weight)].T)
        self.begin = np.cumsum(np.append(0, columns.n_codes + 1))
        self.keys = _keys(weight)
        #: number of nodes of the last search
        self.n_nodes = 0

    def _scratch(self):
        """Return the memory of a node."""
        n_samples, n_features = self.codes.shape
        width = np.diff(self.begin)
        n_pairs = (int(width.sum()) ** 2 + int((width**2).sum())) // 2 if self.depth > 1 else 0
        return RuleScratch(
            np.zeros((self.begin[-1], N_SUMS)),
            np.zeros(N_SUMS),
            np.zeros((len(self.literals.feature), N_SUMS)),
            np.zeros((n_pairs, 2)),
            np.zeros((n_features, n_features), dtype=np.int64),
            np.zeros(len(self.literals.feature), dtype=np.int64),
            np.zeros(n_features, dtype=np.int64),
            np.zeros(n_features + 1, dtype=np.int64),
            np.zeros(n_samples, dtype=np.int64),
            np.zeros(self.depth, dtype=np.int64),
        )

    def _levels(self, centred, allowed):
        """Return the path of a search by some literals that is at the root; rows are in the order
        of v / weight.
        """
        n_samples = len(self.codes)
        n_literals = len(self.literals.feature)
        n_levels = max(1, self.depth - 1)
        levels = Levels(
            np.zeros((n_levels, n_samples), dtype=np.int64),
            np.zeros(n_levels, dtype=np.int64),
            np.zeros((n_levels, n_literals), dtype=np.int64),
            np.zeros(n_levels, dtype=np.int64),
            np.zeros((n_levels, n_literals), dtype=np.int64),
            np.zeros((n_levels, n_literals)),
            np.zeros(n_levels, dtype=np.int64),
            np.zeros(n_levels, dtype=np.int64),
            np.full(n_levels, -1),
            np.zeros(1, dtype=np.int64),
        )
        ratio = np.divide(centred, self.weight, out=np.zeros(n_samples), where=self.weight > 0)
        levels.rows[0] = np.argsort(-ratio, kind="stable")
        levels.n_rows[0] = n_samples
        levels.n_allowed[0] = len(allowed)
        levels.allowed[0, : len(allowed)] = allowed
        return levels

    def best(self, v, k, above, stopped=None, features=None):
        """Return the `k` learners with the largest absolute correlations above a level.

        Parameters
        ----------
        v : ndarray, (n_samples,)
        k : int
        above : float
        stopped : callable, optional
            Whether to end early, asked after every block of nodes; the bound is then larger.
        features : ndarray of int, optional
            Only rules that test these features are searched, and bounded; default: all features.

        Returns
        -------
        rules : list of tuples
            Increasing numbers of literals; the best first, of equal ones the smallest.
        correlations : ndarray
        outside : float
            A bound on the absolute correlations of all others.
        """
        centred = v - self.weight * (v.sum() / self.total)
        table = RuleRows(self.codes, self.begin, self.keys, self._values(centred))
        rounding = 8 * len(v) * EPS * float(np.abs(centred).sum())
        limits = RuleLimits(
            self.total, float(self.least), float(self.lightest), rounding, self.depth
        )
        found = Found(
            np.zeros(k),
            np.zeros(k, dtype=np.uint64),
            np.full((k, self.depth), -1),
            np.array([0.0, above, -np.inf]),
        )
        allowed = np.arange(len(self.feature))
        if features is not None:
            allowed = np.flatnonzero(np.isin(self.feature, features))
        levels = self._levels(centred, allowed)
        scratch = self._scratch()
        self.n_nodes = 0
        while levels.at[0] >= 0 and self.n_nodes != self.max_nodes:
            if self.n_nodes and stopped is not None and stopped():
                break
            left = BLOCK if self.max_nodes is None else min(BLOCK, self.max_nodes - self.n_nodes)
            self.n_nodes += compiled(search)(
                table, self.literals, limits, levels, scratch, found, left
            )
        compiled(give_up)(levels, found)
        return self._ordered(found)

    def _values(self, centred):
        """Return what is summed over covers, (n_samples, N_SUMS)."""
        up = np.maximum(centred, 0.0)
        positive = self.weight > 0
        squares = np.divide(centred**2, self.weight, out=np.zeros(len(centred)), where=positive)
        squares_up = np.where(centred > 0, squares, 0.0)
        return np.column_stack([self.weight, centred, up, squares_up, squares - squares_up])

    def _ordered(self, found):
        """Return what a search found, the best first."""
        n_found = int(found.state[N_FOUND])
        rules = [
            tuple(int(literal) for literal in rule if literal >= 0) for rule in found.rule[:n_found]
        ]
        order = sorted(range(n_found), key=lambda i: (-abs(found.corr[i]), len(rules[i]), rules[i]))
        outside = max(found.state[ABOVE], found.state[UNSEARCHED])
        return [rules[i] for i in order], found.corr[order], float(outside) * (1.0 + SLACK)


def in_columns(literals, columns, flipped):
    """Return literals of features as tests of the columns that the features share.

    flipped : bool (n_features,), features whose codes 0 and 1 have changed places
    """
    feature, low, high, negated = literals
    code = columns.code[feature]
    shared = code > 0
    is_one = (high == 1) != flipped[feature]
    return Literals(
        columns.column[feature],
        np.where(shared, code, low),
        np.where(shared, code, high),
        np.where(shared, negated == is_one, negated).astype(np.int64),
    )


def cover_of(literals, rule, codes):
    """Return where all literals of a rule hold, bool (n_samples,).

    codes : uint8 (n_features, n_samples)
    """
    inside = np.ones(codes.shape[1], dtype=bool)
    for literal in rule:
        inside &= holds(literals, literal, codes[literals.feature[literal]])
    return inside


def _keys(weight):
    """Return random numbers whose exclusive or is 0; 0 where a sample has no weight."""
    keys = np.random.default_rng(SEED).integers(1 << 63, size=len(weight), dtype=np.uint64)
    keys[weight == 0] = 0
    keys[np.argmax(weight)] ^= np.bitwise_xor.reduce(keys)
    return keys


def literals_of(binned, negations=True):
    """Return the literals of features in bins.

    Ordered features have ``<= c`` and ``> c`` for each threshold c, neither of which holds for a
    missing value; features with missing values also have "is missing" and its negation; categories
    have ``= level`` and, with `negations`, ``!= level``, which holds for a missing value.
    """
    rows = []
    for g in range(binned.n_features):
        missing = binned.missing[g]
        last = binned.n_bins[g] - 1 - (missing >= 0)
        if binned.categorical[g]:
            for level in range(last + 1):
                rows.append((g, level, level, 0))
                if negations:
                    rows.append((g, level, level, 1))
        else:
            for code in range(last):
                rows += [(g, 0, code, 0), (g, code + 1, last, 0)]
        if missing >= 0:
            rows += [(g, missing, missing, 0), (g, missing, missing, 1)]
    columns = np.array(rows, dtype=np.int64).reshape(-1, 4).T
    return Literals(*np.ascontiguousarray(columns))
