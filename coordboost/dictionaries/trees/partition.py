"""The rows of a node go to its two children, in the order of the samples.

Two cursors, no branch: the number of rows on the left is known from the histogram, so both children are written at once::

    rows of the node     1  3  4  6  8  9           goes_left      y  n  n  y  y  n
    of its children      1  6  8 | 3  4  9          one begins at 0, the other at 3

Parts of a node can be moved at the same time, once it is known how many rows go left in each.
"""

from coordboost._generic import leaf


@leaf
def part(codes, goes_left, rows, fixed, one, other, out_rows, out_fixed):
    """Rows with their fixed targets (one channel) to `out_rows` and `out_fixed`: from `one` on if they go left, else from `other` on."""
    for i in range(len(rows)):
        row = rows[i]
        left = int(goes_left[codes[row]])
        at = one if left else other
        out_rows[at] = row
        out_fixed[at] = fixed[i]
        one += left
        other += 1 - left


@leaf
def part_two(codes, goes_left, rows, fixed, one, other, out_rows, out_fixed):
    """As `part`, with two channels."""
    for i in range(len(rows)):
        row = rows[i]
        left = int(goes_left[codes[row]])
        at = one if left else other
        out_rows[at] = row
        out_fixed[2 * at] = fixed[2 * i]
        out_fixed[2 * at + 1] = fixed[2 * i + 1]
        one += left
        other += 1 - left


@leaf
def count_left(codes, goes_left, rows):
    """How many rows go left."""
    total = 0
    for i in range(len(rows)):
        total += int(goes_left[codes[rows[i]]])
    return total


@leaf
def name_two(codes, goes_left, rows, one, other, leaf):
    """``leaf[row]`` is `one` for rows that go left and `other` for those that go right."""
    for i in range(len(rows)):
        leaf[rows[i]] = one if goes_left[codes[rows[i]]] else other


@leaf
def name_stump(codes, goes_left, leaf):
    """The leaves of rows in their order, in a tree with two: 0 on the left and 1 on the right."""
    for i in range(len(leaf)):
        leaf[i] = 1 - goes_left[codes[i]]


@leaf
def name_range(codes, last, high, leaf):
    """As `name_stump`, where codes above `last` go right up to `high`: without a look at a table many rows are named at once."""
    for i in range(len(leaf)):
        leaf[i] = (codes[i] > last) & (codes[i] <= high)


@leaf
def name_one(rows, one, leaf):
    """``leaf[row] = one``."""
    for i in range(len(rows)):
        leaf[rows[i]] = one
