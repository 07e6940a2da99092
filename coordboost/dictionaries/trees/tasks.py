"""The work on a tree in tasks, which one thread does or several: a few features are searched, rows counted, moved and named.

Nothing that is summed up depends on who does which task: sums are whole numbers, and the best split is the best of the bests.
"""

from coordboost._crew import Helped, finish_task, next_task, rest
from coordboost._generic import compiled, leaf
from coordboost._tiles import THREADS, pool
from coordboost.dictionaries.trees.rows import count_block, move_block, name_block
from coordboost.dictionaries.trees.search import search

#: Samples times features of a search below which one thread does all.
LITTLE = 1 << 20
#: Most rows of a block, where there are several threads.
BLOCK = 1 << 14
#: The kinds of tasks, in their order.
SEARCH, COUNT, MOVE, NAME, DONE = range(5)


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
def task(what, k, thread, binned, growth, space, features, penalty):
    """Task k of a kind."""
    if what == SEARCH:
        first, last = first_of(k, space.count.fours), first_of(k + 1, space.count.fours)
        search(binned, growth, space, features, penalty, thread, first, min(last, len(features)))
    elif what == COUNT:
        count_block(binned, space, k)
    elif what == MOVE:
        move_block(binned, space, k)
    else:
        name_block(binned, space, k)


def attend(thread, binned, growth, space, penalty):
    """Do tasks until the crew is dissolved."""
    looks = 0
    while True:
        k = next_task(space.crew)
        if k >= 0:
            task(space.count.what, k, thread, binned, growth, space, space.wanted[: space.count.features], penalty)
            finish_task(space.crew)
            looks = 0
        elif k == -1:
            looks += 1
            rest(looks)
        else:
            return


class GrownTogether(Helped):
    """A context in which trees grow on several threads, with the same bits.

    threads : how many at most, the calling one among them; default those of the pool
    """

    def __init__(self, binned, growth, space, penalty, threads=None):
        run = compiled(attend, (binned, growth, space))
        self.count, self.threads = space.count, min(threads or pool()[1], THREADS)
        super().__init__(space.crew, lambda thread: run(thread, binned, growth, space, penalty), self.threads - 1)

    def __enter__(self):
        self.alone, self.count.block, self.count.threads = self.count.block, BLOCK, self.threads
        super().__enter__()

    def __exit__(self, *_):
        try:
            super().__exit__()
        finally:
            self.count.block, self.count.threads = self.alone, 1


def worth_threads(updates):
    """Whether so many samples times features are worth several threads, and there are some."""
    return updates >= LITTLE and pool()[1] > 1
