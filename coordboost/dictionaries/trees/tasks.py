"""The work on a tree in tasks, which one thread does or several: features are searched, rows counted, moved and named, a model moved.

Nothing that is summed up depends on who does which task: sums are whole numbers, and the best split is the best of the bests.
"""

from coordboost._crew import Helped, finish_task, first_task, next_task, rest, task_after
from coordboost._generic import compiled, kernel, leaf
from coordboost._tiles import THREADS, pool
from coordboost.dictionaries.trees.leaves import add_leaves_and_refresh
from coordboost.dictionaries.trees.rows import all_blocks, count_block, fix_block, move_block, name_block
from coordboost.dictionaries.trees.search import search

#: Samples times features of a search below which one thread does all.
LITTLE = 1 << 20
#: Most rows of a block, where there are several threads.
BLOCK = 1 << 14
#: The kinds of tasks, in their order.
FIX, SEARCH, COUNT, MOVE, NAME, REFRESH, DONE = range(7)


@leaf
def share(n_features, threads):
    """How many tasks have four features, and how many there are: the others have two, where no thread is to have one task more."""
    tasks = (n_features + 3) // 4
    over = tasks % threads
    fours = tasks - over if 2 * over <= threads else tasks
    return fours, fours + max(0, (n_features - 4 * fours + 1) // 2)


@leaf
def first_of(k, fours):
    """The first feature of task k."""
    return 2 * k + 2 * min(k, fours)


@leaf
def task(what, k, thread, binned, growth, space, target, weight, features, penalty):
    """Task k of a kind, of a tree."""
    if what == FIX:
        fix_block(space, target, weight, k)
    elif what == SEARCH:
        first, last = first_of(k, space.count.fours), first_of(k + 1, space.count.fours)
        search(binned, growth, space, features, penalty, thread, first, min(last, len(features)))
    elif what == COUNT:
        count_block(binned, space, k)
    elif what == MOVE:
        move_block(binned, space, k)
    else:
        name_block(binned, space, k)


@kernel
def refresh_block(space, k, loss, y, weight, base, pred, resid, even):
    """Move a model for the samples of a block, and take the residual there."""
    block = space.blocks[k]
    rows = block.first, block.last
    add_leaves_and_refresh(space.leaf, space.values, space.count.rate, *rows, loss, y, weight, base, pred, resid, even)


@kernel
def refresh_together(space, values, a, loss, y, weight, base, pred, resid, even):
    """As `add_leaves_and_refresh` of all samples, by several threads where they know the model."""
    state, crew = space.count, space.crew
    n = all_blocks(state, len(space.leaf), space.blocks)
    shared = state.model > 0 and n > 1
    state.what, state.rate = REFRESH, a
    for i in range(len(values)):
        space.values[i] = values[i]
    k = first_task(crew, n, shared)
    while k >= 0:
        refresh_block(space, k, loss, y, weight, base, pred, resid, even)
        k = task_after(crew, n, shared, k)


def attend(thread, binned, growth, space, target, weight, penalty, model):
    """Do tasks until the crew is dissolved."""
    looks = 0
    while True:
        k = next_task(space.crew)
        if k >= 0:
            what = space.count.what
            if what != REFRESH:
                task(what, k, thread, binned, growth, space, target, weight, space.wanted[: space.count.features], penalty)
            elif model is not None:
                refresh_block(space, k, *model)
            finish_task(space.crew)
            looks = 0
        elif k == -1:
            looks += 1
            rest(looks)
        else:
            return


class GrownTogether(Helped):
    """A context in which trees grow on several threads, with the same bits.

    binned, growth, space, target, weight, penalty : of every tree, as `grow` has them
    model : what `refresh_block` takes from the loss on, of the model that moves between two trees, or None
    threads : how many at most, the calling one among them; default those of the pool
    """

    def __init__(self, binned, growth, space, target, weight, penalty, model=None, threads=None):
        known = binned, growth, space, target, weight, penalty, model
        run = compiled(attend, (binned, growth, space) if model is None else (binned, growth, space, model[0]))
        self.count, self.model, self.threads = space.count, int(model is not None), min(threads or pool()[1], THREADS)
        super().__init__(space.crew, lambda thread: run(thread, *known), self.threads - 1)

    def __enter__(self):
        self.alone, self.count.block, self.count.threads = self.count.block, BLOCK, self.threads
        self.count.model = self.model
        super().__enter__()

    def __exit__(self, *_):
        try:
            super().__exit__()
        finally:
            self.count.block, self.count.threads, self.count.model = self.alone, 1, 0


def worth_threads(updates):
    """Whether so many samples times features are worth several threads, and there are some."""
    return updates >= LITTLE and pool()[1] > 1
