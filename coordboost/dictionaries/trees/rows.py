"""The rows of nodes in blocks, which can be moved and named at the same time.

A node with many rows is cut where several threads work, so that none waits for the one with the largest node. Before the blocks of such
a node are moved the rows that go left are counted in each, which says where the next one begins.
"""

import numpy as np

from coordboost._generic import inlined, leaf
from coordboost.dictionaries.trees.fixed import to_fixed
from coordboost.dictionaries.trees.partition import count_left, name_one, name_range, name_stump, name_two, part, part_two


@inlined
def lies(node):
    """In which of ``space.rows`` the rows of a node lie."""
    return 1 + (node.depth & 1) if node.depth else 0


@leaf
def cut(nodes, at, most, blocks, n):
    """Append the blocks of a node, of `most` rows at most, to n others; how many there are then."""
    node = nodes[at]
    for first in range(node.start, node.stop, most):
        block = blocks[n]
        block.node, block.first, block.last, block.left = at, first, min(first + most, node.stop), 0
        n += 1
    return n


@leaf
def all_blocks(state, n, blocks):
    """The blocks of n samples; their number."""
    count = 0
    for first in range(0, n, state.block):
        blocks[count].first, blocks[count].last = first, min(first + state.block, n)
        count += 1
    return count


@inlined
def fix_block(space, target, weight, k):
    """The targets and weights of a block as whole numbers."""
    block = space.blocks[k]
    block.lost, block.sums, block.tallies = to_fixed(space.form, space.fixed[0], target, weight, block.first, block.last)


@leaf
def fixed_sums(blocks, n):
    """How many of the targets of n blocks are lost, their sums and tallies."""
    lost = sums = tallies = 0
    for k in range(n):
        lost, sums, tallies = lost + blocks[k].lost, sums + blocks[k].sums, tallies + blocks[k].tallies
    return lost, sums, tallies


@leaf
def blocks_to_move(state, batch, nodes, blocks):
    """The blocks of the nodes that were split last and whose children are searched next: their number; whether a node has several."""
    n = 0
    for i in range(state.batch):
        n = cut(nodes, batch[i], state.block, blocks, n)
    return n, n > state.batch


@inlined
def count_block(binned, space, k):
    """How many rows of a block go left, where its node has others."""
    block, node = space.blocks[k], space.nodes[space.blocks[k].node]
    if block.last - block.first < node.stop - node.start:
        rows = space.rows[lies(node)][block.first : block.last]
        block.left = count_left(binned.codes[node.feature], space.goes_left[block.node], rows)


@leaf
def count_before(blocks, n):
    """In place of the rows of each block that go left those of the same node in the blocks before."""
    total = 0
    for k in range(n):
        block = blocks[k]
        total = total if k and blocks[k - 1].node == block.node else 0
        block.left, total = total, total + block.left


@inlined
def move_block(binned, space, k):
    """The rows of a block go to the children of its node, in the other buffer."""
    block, width = space.blocks[k], space.form.channels
    at, first, last, left_before = block.node, block.first, block.last, block.left
    node = space.nodes[at]
    codes, goes_left, side = binned.codes[node.feature], space.goes_left[at], node.depth & 1
    rows, out_rows = space.rows[lies(node)][first:last], space.rows[2 - side][node.start : node.stop]
    fixed = space.fixed[side][width * first : width * last]
    out_fixed = space.fixed[1 - side][width * node.start : width * node.stop]
    other = space.nodes[node.left].stop - node.start + first - node.start - left_before
    if width == 1:
        part(codes, goes_left, rows, fixed, left_before, other, out_rows, out_fixed)
    else:
        part_two(codes, goes_left, rows, fixed, left_before, other, out_rows, out_fixed)


@leaf
def blocks_to_name(state, nodes, blocks):
    """The blocks of leaves whose rows lie apart, and of nodes with two leaves whose rows do not; their number."""
    n = cut(nodes, 0, state.block, blocks, 0) if nodes[0].feature < 0 else 0
    for at in range(state.nodes):
        node = nodes[at]
        if node.feature >= 0 and not node.apart:
            n = cut(nodes, at, state.block, blocks, n)
        elif node.feature >= 0:
            for child in (node.left, node.right):
                if nodes[child].feature < 0:
                    n = cut(nodes, child, state.block, blocks, n)
    return n


@inlined
def name_block(binned, space, k):
    """Say of the rows of a block in which leaf they are."""
    block, node = space.blocks[k], space.nodes[space.blocks[k].node]
    rows = space.rows[lies(node)][block.first : block.last]
    if node.feature < 0:
        name_one(rows, node.leaf, space.leaf)
    else:
        codes, goes_left = binned.codes[node.feature], space.goes_left[block.node]
        some, out = codes[block.first : block.last], space.leaf[block.first : block.last]
        if block.node > 0:
            name_two(codes, goes_left, rows, space.nodes[node.left].leaf, space.nodes[node.right].leaf, space.leaf)
        elif binned.categorical[node.feature]:
            name_stump(some, goes_left, out)
        else:
            known = binned.n_bins[node.feature] - (binned.missing[node.feature] >= 0)
            name_range(some, np.uint8(node.bin), np.uint8(known - 1 if node.missing_left else 255), out)
