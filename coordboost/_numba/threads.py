"""Threads: the one pool of the package, work on a matrix tile by tile on it, and BLAS on one thread.

Results of tiles come in the order of the tiles, a few of them are in memory. Tasks and results go through queues that are written in C:
Ctrl-C in the middle of a ``ThreadPoolExecutor.submit`` can leave one of its locks held, and the process never ends.

The sizes below decide the rounding of sums and never change with the machine; the number of threads changes nothing but the time.
"""

import contextlib
import contextvars
import functools
import os
import threading
from collections import deque
from queue import SimpleQueue

from threadpoolctl import ThreadpoolController

#: Entries of a tile that is read at once: 4 MiB of float64.
TILE = 1 << 19
#: Entries that are worked on at once, so that they stay in the cache of a core.
PIECE = 1 << 16
#: Entries of a few learners that are read at once.
GULP = 1 << 22
#: Most entries of a tile of whole rows, where the chunks of a file decide how many rows that takes.
MOST = 1 << 26
#: Most threads: each holds a tile or two.
THREADS = 8
#: Variables of the environment that say how many there may be; joblib sets them in the processes that it starts.
LIMITS = ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS")


def slices(length, size):
    """Consecutive slices of at most `size` that cover range(length)."""
    return [slice(first, min(first + size, length)) for first in range(0, length, size)]


def steps_of(entries, other, chunk):
    """The largest multiple of `chunk` for which a tile with `other` on its other side has at most `entries` entries."""
    return chunk * max(1, entries // (chunk * other))


class Pool:
    """So many threads, which end with the process or when they are told to."""

    def __init__(self, n_threads):
        self.n_threads, self._tasks = n_threads, SimpleQueue()
        try:
            for _ in range(n_threads):
                threading.Thread(target=self._work, daemon=True).start()
        except BaseException:  # Ctrl-C
            self.end()
            raise

    def _work(self):
        while (task := self._tasks.get()) is not None:
            task()
            del task  # and what it holds

    def end(self):
        """Let each thread end after the task at hand."""
        for _ in range(self.n_threads):
            self._tasks.put(None)

    def in_order(self, function, items):
        """Yield ``function(item)`` for every item, in order; at most twice as many as there are threads are under way."""
        under_way, given_up = deque(), []

        def task(item, answer):
            try:
                answer.put((None if given_up else function(item), None))
            except BaseException as error:  # for the thread that waits for it
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
                if len(under_way) > 2 * self.n_threads:
                    yield first()
            while under_way:
                yield first()
        finally:
            given_up.append(True)


#: Most threads that work in this context may take, None for no limit but that of the machine.
_MOST = contextvars.ContextVar("_MOST", default=None)


@contextlib.contextmanager
def at_most(n_threads):
    """A context in which at most so many threads work for this one; None: as many as ever."""
    token = _MOST.set(n_threads)
    try:
        yield
    finally:
        _MOST.reset(token)


def pool():
    """The pool of the package: as many threads as cores that may be used, or as the environment or the context says."""
    return _pool_of(_MOST.get())


@functools.lru_cache
def _pool_of(most):
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    said = [int(os.environ[name]) for name in LIMITS if os.environ.get(name, "").isdecimal()]
    return Pool(max(1, min(cores, THREADS, most or THREADS, *said)))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool_of.cache_clear)  # a forked process has none of the threads of the first


def in_order(function, items):
    """``Pool.in_order`` of the one pool."""
    return pool().in_order(function, items)


def all_done(function, items):
    """``function(item)`` for every item, for what it does."""
    for _ in in_order(function, items):
        pass


def fold(store, kernel, merge, by_sample=(), by_column=(), *, whole=False):
    """Yield, for each band of columns from left to right, the results of `kernel` on its tiles, merged from top to bottom.

    Parameters
    ----------
    store : object with ``tiles(whole)``, the slices of rows and of columns that make the tiles, and ``read(rows, columns)``
    kernel : function of (values (r, c), the rows of each array of `by_sample`, the columns of each array of `by_column`)
    merge : function of two results of `kernel`
    whole : bool
        Tiles of whole rows; there is one band then.
    """

    def result(tile):
        rows, columns = tile
        return kernel(store.read(rows, columns), *(a[rows] for a in by_sample), *(a[columns] for a in by_column))

    bands, columns = store.tiles(whole)
    parts = in_order(result, ((rows, band) for band in columns for rows in bands))
    for _ in columns:
        total = next(parts)
        for _ in bands[1:]:
            total = merge(total, next(parts))
        yield total


def each(store, index, kernel, by_column=()):
    """Yield (slice of rows, slice of `index`, result of `kernel`) for a few columns, from top to bottom and from left to right.

    Parameters
    ----------
    store : object with ``bands``, slices of rows, and ``pick(rows, index)``
    index : int64, increasing
    kernel : function of (values (r, k), the entries of each array of `by_column`, which go with `index`)
    """

    def result(piece):
        rows, part = piece
        return rows, part, kernel(store.pick(rows, index[part]), *(a[part] for a in by_column))

    heights = [(rows, max(1, GULP // (rows.stop - rows.start))) for rows in store.bands]
    return in_order(result, ((rows, part) for rows, some in heights for part in slices(len(index), some)))


@functools.lru_cache
def _libraries():
    """Every BLAS that a run can meet: NumPy's, and scipy's, which products in compiled code use, too.

    scipy brings its own with `scipy.linalg`. It is loaded here and not with the package, which loads sooner without it.
    """
    import scipy.linalg  # noqa: F401

    return [library for library in ThreadpoolController().lib_controllers if library.user_api == "blas"]


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
