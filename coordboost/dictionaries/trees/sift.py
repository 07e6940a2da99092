"""Which family's tree a step takes: one growth, its beginnings, and of these the one whose step leads to the least risk."""

import math

from coordboost._generic import generic, kernel, leaf
from coordboost.dictionaries.trees.growth import Growth
from coordboost.dictionaries.trees.prefixes import cut_back

move = generic("move")
after = generic("after")
dot = generic("dot")
coefficient = generic("coefficient")
price = generic("price")
less_risk = generic("less_risk")


@leaf
def most_splits(forest, drawn):
    """The splits of the largest tree of the families drawn."""
    nodes, most = forest.prefixes.families.nodes, 0
    for i in range(len(drawn)):
        most = max(most, nodes[drawn[i]])
    return most


@leaf
def up_to(growth, n_splits):
    """The limits `growth` for a tree of so many splits."""
    return Growth(
        growth.max_depth, n_splits + 1, growth.min_samples, growth.min_weight, growth.min_gain, growth.l2, growth.monotone
    )


@leaf
def remember(forest):
    """Know the leaves of the tree that was grown, whichever of its beginnings is looked at."""
    grown, leaves = forest.prefixes.grown, forest.space.leaf
    for i in range(len(grown)):
        grown[i] = leaves[i]


@kernel
def sift(forest, view, v, n_leaves, step, beta, drawn, select, k):
    """Of the trees of the families `drawn`, the beginnings of the tree that was grown for `v`, the one of least risk: (number, product).

    The risk is the sum of the losses after the step and the price of the family; `select` says which of two is less. Where it revisits,
    the trees so far compete for the price of theirs.
    """
    prefixes, state, trees = forest.prefixes, forest.state, forest.trees
    n, families, member, spread = state.n, prefixes.families, prefixes.member, prefixes.spread
    chosen, family, product, least, last, part = -1, -1, 0.0, math.inf, -1, (0.0, 0.0)
    if n >= len(trees.n_leaves):
        return -1, 0.0
    if n_leaves == 0:
        state.n, state.seen, trees.n_leaves[n], member[n] = n + 1, -1, 1, drawn[0]
        return n, math.nan
    earlier = n if select.revisit else 0
    for i in range(earlier + len(drawn)):
        if i < earlier:
            j, f = i, member[i]
            corr, beta_j = dot(forest, j, v), coefficient(beta, j)
        else:
            j, f, beta_j = n, drawn[i - earlier], 0.0
            if families.nodes[f] != last:
                last, part, state.seen = (
                    families.nodes[f],
                    cut_back(forest.space, prefixes, families.nodes[f], trees.values[n]),
                    n,
                )
            corr, member[n], spread[n] = part[0], f, part[1]
        if f >= 0:
            risk = after(view, j, move(step, k, view, j, corr, beta_j)[1]) + price(select, f)
            if chosen < 0 or less_risk(select, risk, f, least, family):
                chosen, family, product, least = j, f, corr, risk
    if chosen == n:
        if families.nodes[family] != last:
            part = cut_back(forest.space, prefixes, families.nodes[family], trees.values[n])
        member[n], spread[n] = family, part[1]
    return chosen, product
