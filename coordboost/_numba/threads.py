"""The thread pool of the package, tile-by-tile work on a matrix, and BLAS on one thread.

Results come in the order of the tiles, and only a few are in memory. Tasks and results go through
queues that are written in C: Ctrl-C during ``ThreadPoolExecutor.submit`` can leave a lock held, and
the process then never ends.

The sizes below determine how sums are rounded, so they are the same on all machines. The number of
threads affects only the time.
"""

import contextlib
import contextvars
import functools
import os
import threading
from collections import deque
from queue import SimpleQueue

from threadpoolctl import ThreadpoolController

#: Entries of a tile that is read in one go: 4 MiB of float64.
TILE = 1 << 19
#: Entries that are processed at a time, so that they stay in the cache of a core.
PIECE = 1 << 16
#: Entries that are read in one go where only a few learners are read.
GULP = 1 << 22
#: Most entries of a tile of whole rows, whose number of rows depends on the chunks of the file.
MOST = 1 << 26
#: Most threads.
THREADS = 32
#: Most tasks in progress whose results are awaited in order: each may hold a tile in memory.
IN_PROGRESS = 17
#: Environment variables that limit the number of threads; joblib sets them in its worker processes.
LIMITS = ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS")


def slices(length, size):
    """Return consecutive slices of at most `size` that cover range(length)."""
    return [slice(start, min(start + size, length)) for start in range(0, length, size)]


def steps_of(entries, width, chunk):
    """Return the largest side of a tile, a multiple of `chunk`, with ``side * other <= entries``.

    At least `chunk`.
    """
    return chunk * max(1, entries // (chunk * width))


class Pool:
    """A pool of `n_threads` daemon threads.

    They run until ``end`` is called or the process ends.
    """

    def __init__(self, n_threads):
        self.n_threads = n_threads
        self._tasks = SimpleQueue()
        try:
            for _ in range(n_threads):
                threading.Thread(target=self._work, daemon=True).start()
        except BaseException:  # Ctrl-C
            self.end()
            raise

    def _work(self):
        while (task := self._tasks.get()) is not None:
            task()
            del task  # frees its arguments

    def end(self):
        """End each thread after the tasks in the queue."""
        for _ in range(self.n_threads):
            self._tasks.put(None)

    def in_order(self, function, items, most=IN_PROGRESS):
        """Yield ``function(item)`` for every item, in order.

        At most ``2 n_threads + 1`` items are in progress, and at most `most`.
        """
        under_way = deque()
        given_up = []
        most = min(2 * self.n_threads + 1, most)

        def task(item, answer):
            try:
                answer.put((None if given_up else function(item), None))
            except BaseException as error:  # raised in the thread that waits for the result
                answer.put((None, error))

        def first():
            result, error = under_way.popleft().get()
            if error is not None:
                raise error
            return result

        try:
            for item in items:
                under_way.append(SimpleQueue())
                self._tasks.put(functools.partial(task, item, under_way[-1]))
                if len(under_way) == most:
                    yield first()
            while under_way:
                yield first()
        finally:
            given_up.append(True)


#: Most threads in this context; None for no limit beyond those of ``pool``.
_MOST = contextvars.ContextVar("_MOST", default=None)


@contextlib.contextmanager
def at_most(n_threads):
    """A context in which the pool has at most `n_threads` threads; None for no limit of its own."""
    token = _MOST.set(n_threads)
    try:
        yield
    finally:
        _MOST.reset(token)


def pool():
    """Return the pool: as many threads as usable cores.

    There are at most ``THREADS``, and no more than the environment and the context allow.
    """
    return _pool_of(_MOST.get())


@functools.lru_cache
def _pool_of(most):
    cores = (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    )
    limits = [int(os.environ[name]) for name in LIMITS if os.environ.get(name, "").isdecimal()]
    return Pool(max(1, min(cores, THREADS, most or THREADS, *limits)))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool_of.cache_clear)  # threads do not survive a fork


def in_order(function, items, most=IN_PROGRESS):
    """``Pool.in_order`` of the pool of the package."""
    return pool().in_order(function, items, most)


def all_done(function, items):
    """Run ``function(item)`` for every item in the pool, and ignore the results."""
    for _ in in_order(function, items, 2 * THREADS):
        pass


def fold(store, kernel, merge, by_sample=(), by_column=(), *, whole=False):
    """Yield the results of `kernel` for each band of columns, from left to right.

    The results on the tiles of a band are merged from top to bottom.

    Parameters
    ----------
    store : object with ``tiles(whole)`` and ``read(rows, columns)``
        The first gives the slices of rows and of columns that make the tiles.
    kernel : function of the values (r, c) of a tile, and of its part of the arrays
        The parts of `by_sample` and of `by_column` that belong to the tile.
    merge : function of two results of `kernel`
    whole : bool
        Tiles of whole rows; there is one band then.
    """

    def result(tile):
        rows, columns = tile
        return kernel(
            store.read(rows, columns),
            *(a[rows] for a in by_sample),
            *(a[columns] for a in by_column),
        )

    bands, columns = store.tiles(whole)
    results = in_order(result, ((rows, band) for band in columns for rows in bands))
    for _ in columns:
        total = next(results)
        for _ in bands[1:]:
            total = merge(total, next(results))
        yield total


def each(store, index, kernel, by_column=()):
    """Yield (slice of rows, slice of `index`, result of `kernel`) for a few columns.

    From top to bottom and from left to right.

    Parameters
    ----------
    store : object with ``bands``, slices of rows, and ``pick(rows, index)``
    index : int64, increasing
    kernel : function of (values (r, k), the matching part of each array of `by_column`)
        These arrays are as long as `index`.
    """

    def result(piece):
        rows, columns = piece
        return (
            rows,
            columns,
            kernel(store.pick(rows, index[columns]), *(a[columns] for a in by_column)),
        )

    heights = [(rows, max(1, GULP // (rows.stop - rows.start))) for rows in store.bands]
    return in_order(
        result, ((rows, columns) for rows, size in heights for columns in slices(len(index), size))
    )


def in_blocks(function, length, size):
    """Run ``function(slice)`` for consecutive slices of at most `size` that cover range(length).

    They run in the pool; with one slice or one thread without a queue, so that a few rows do not
    wait.
    """
    blocks = slices(length, size)
    if len(blocks) > 1 and pool().n_threads > 1:
        all_done(function, blocks)
        return
    for block in blocks:
        function(block)


@functools.lru_cache
def _libraries():
    """Return all BLAS libraries in use.

    NumPy's, and scipy's, which products in compiled code also use.

    `scipy.linalg` loads the BLAS of scipy. It is imported here to keep ``import coordboost`` fast.
    """
    import scipy.linalg  # noqa: F401

    return [
        library for library in ThreadpoolController().lib_controllers if library.user_api == "blas"
    ]


@contextlib.contextmanager
def one_thread():
    """A context in which BLAS runs on one thread."""
    more = [(library, n) for library in _libraries() if (n := library.get_num_threads()) != 1]
    try:
        for library, _ in more:
            library.set_num_threads(1)
        yield
    finally:
        for library, n in more:
            library.set_num_threads(n)


def on_one_thread(function):
    """Decorator: `function` runs with BLAS on one thread."""

    @functools.wraps(function)
    def run(*args, **kwargs):
        with one_thread():
            return function(*args, **kwargs)

    return run
