"""Growing one tree on several threads: the same kernels as `grow`, called step by step, the same bits.

A level is three rounds of tasks on the pool: blocks of features are searched, blocks of rows are counted, and moved. Nothing that is
summed up depends on the cut into tasks: sums are whole numbers, and the best split is the best of the bests.
"""

from collections import deque

from coordboost._generic import compiled
from coordboost._tiles import pool
from coordboost.dictionaries.trees.grow import finish, grow, lies, move_rows, name_rows, plant, split_best
from coordboost.dictionaries.trees.partition import count_left
from coordboost.dictionaries.trees.search import search
from coordboost.dictionaries.trees.workspace import TASKS

#: Samples times features below which a tree is grown in one call.
LITTLE = 1 << 22
#: Most rows that are moved by one task.
BLOCK = 1 << 16
#: The steps.
PLANT, SEARCH, SPLIT, COUNT, MOVE, MOVE_SMALL, FINISH, NAME = range(8)


def step(what, at, first, last, before, binned, growth, space, target, weight, features, penalty):
    """One task: a step of `grow` for some features, rows or nodes, from `first` to `last`.

    at : the node, or the number of the task;  before : rows before that go left, or most rows of a node that is small
    """
    if what == PLANT:
        return int(plant(growth, space, target, weight))
    if what == SEARCH:
        search(binned, growth, space, features, penalty, at, first, last)
    elif what == SPLIT:
        return int(split_best(binned, growth, space, features))
    elif what == COUNT:
        node = space.nodes[at]
        return count_left(binned.codes[node.feature], space.goes_left[at], space.rows[lies(node)][first:last])
    elif what == MOVE:
        move_rows(binned, space, at, first, last, before)
    elif what == MOVE_SMALL:
        for i in range(first, last):
            node = space.nodes[space.batch[i]]
            if node.stop - node.start <= before:
                move_rows(binned, space, space.batch[i], node.start, node.stop, 0)
    elif what == FINISH:
        finish(space)
    else:
        for at in range(first, last):
            name_rows(binned, space, at)
    return 0


def worth_threads(updates, threads=None):
    """Whether so many samples times features are worth several threads, and there are some."""
    return updates >= LITTLE and (threads or pool()[1]) > 1


def grow_on_threads(binned, growth, space, target, weight, features, penalty, threads=None):
    """As `grow`, on several threads where the work is worth it. Call it from Python.

    threads : how many tasks at a time; default the threads of the pool
    """
    data = binned, growth, space, target, weight, features, penalty
    if not worth_threads(len(target) * len(features), threads):
        return compiled(grow, (binned, growth, space))(*data)
    threads = min(threads or pool()[1], TASKS)
    run = compiled(step, (binned, growth, space))
    places, state = shares(len(features), 2 * threads), space.count
    state.tasks = max(1, len(places))

    def every(what, items):
        return shared_out(lambda item: run(what, *item, *data), items, threads)

    if not run(PLANT, 0, 0, 0, 0, *data):
        return 0
    while True:
        if state.batch:
            every(SEARCH, [(task, first, last, 0) for task, (first, last) in enumerate(places)])
        if not run(SPLIT, 0, 0, 0, 0, *data):
            break
        blocks = large_nodes(space)
        before = before_each(blocks, every(COUNT, blocks))
        every(MOVE, [(*block[:3], k) for block, k in zip(blocks, before, strict=True)])
        every(MOVE_SMALL, [(0, *share, BLOCK) for share in shares(state.batch, 2 * threads, 1)])
    run(FINISH, 0, 0, 0, 0, *data)
    every(NAME, [(0, *share, 0) for share in shares(state.nodes, 4 * threads)])
    return int(state.leaves)


def shared_out(function, items, threads):
    """``[function(item) for item in items]`` by the calling thread and `threads` - 1 others, each of which takes the next one."""
    out, waiting = [None] * len(items), deque(enumerate(items))

    def work():
        while waiting:
            try:
                k, item = waiting.popleft()
            except IndexError:  # another thread took the last one
                return
            out[k] = function(item)

    helpers = [pool()[0].submit(work) for _ in range(min(threads, len(items)) - 1)]
    work()
    for helper in helpers:
        if not helper.cancel():
            helper.result()
    return out


def shares(n, most, unit=4):
    """Consecutive (first, last) that cover range(n), each of a multiple of `unit` but the last; at most `most`, none if n is 0."""
    each = unit * max(1, -(-n // (unit * min(most, TASKS))))
    return [(first, min(first + each, n)) for first in range(0, n, each)]


def large_nodes(space):
    """Blocks of the rows of nodes that have more than one: (node, first, last, 0)."""
    ends = [(int(at), int(space.nodes[at].start), int(space.nodes[at].stop)) for at in space.batch[: space.count.batch]]
    large = [(at, start, stop) for at, start, stop in ends if stop - start > BLOCK]
    return [(at, first, min(first + BLOCK, stop), 0) for at, start, stop in large for first in range(start, stop, BLOCK)]


def before_each(blocks, left):
    """How many rows of the same node go left before each block."""
    total = 0
    for k, block in enumerate(blocks):
        total = 0 if k == 0 or blocks[k - 1][0] != block[0] else total + left[k - 1]
        yield total
