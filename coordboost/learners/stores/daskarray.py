"""A Dask array: the work goes to the chunks, in threads or on a cluster, and only its results come back."""

import itertools
import sys
import warnings
from asyncio import CancelledError
from functools import partial, reduce

import numpy as np

#: How often a computation that was lost is tried.
ATTEMPTS = 3


def _lost():
    """What a computation raises where machines of a cluster were lost on the way."""
    if "distributed" not in sys.modules:
        return ()
    from distributed.client import FutureCancelledError
    from distributed.comm import CommClosedError
    from distributed.scheduler import KilledWorker

    return (CommClosedError, KilledWorker, FutureCancelledError)


class DaskArray:
    """A two-dimensional ``dask.array.Array``. Results of chunks are merged `fan` at a time, in an order that the chunks decide.

    Dask makes lost results again when a worker dies; a computation that is lost as a whole is made again, see ``computed``.
    """

    names = None
    fan = 16

    def __init__(self, array):
        known_size("X", array)
        if any(0 in chunks for chunks in array.chunks):
            array = array.rechunk(tuple(tuple(size for size in chunks if size) for chunks in array.chunks))
        self.array, self.shape, self.dtype = array, tuple(map(int, array.shape)), np.dtype(array.dtype)
        self.grain = max(array.chunks[1])

    def each(self, index, kernel, by_column=()):
        """As ``coordboost._numba.threads.each``."""
        from dask import delayed

        if len(index) == 0:
            return
        blocks = self.array[:, index].rechunk({1: -1}).to_delayed()[:, 0]
        arrays, kernel = [_shared(a, len(blocks) > 1) for a in by_column], delayed(kernel, pure=False)
        results = computed([kernel(block, *arrays) for block in blocks])
        for rows, result in zip(_parts(self.array.chunks[0]), results, strict=True):
            yield rows, slice(0, len(index)), result

    def fold(self, kernel, merge, by_sample=(), by_column=(), *, whole=False):
        """As ``coordboost._numba.threads.fold``: one graph, in which every piece of an array appears once."""
        from dask import delayed

        array = self.array.rechunk({1: -1}) if whole else self.array
        blocks = array.to_delayed()
        samples, columns = (
            [[_shared(a[part], other > 1) for a in arrays] for part in _parts(chunks)]
            for arrays, chunks, other in zip((by_sample, by_column), array.chunks, reversed(blocks.shape), strict=True)
        )
        kernel, merge, results = delayed(kernel, pure=False), delayed(partial(reduce, merge), pure=False), []
        fan = 2 if whole else self.fan  # what whole rows give may be as large as they are
        for band, of_columns in zip(blocks.T, columns, strict=True):
            parts = [kernel(block, *rows, *of_columns) for block, rows in zip(band, samples, strict=True)]
            while len(parts) > 1:
                parts = [merge(parts[i : i + fan]) for i in range(0, len(parts), fan)]
            results += parts
        yield from computed(results)


def is_dask(values):
    """Whether `values` are a Dask array."""
    return type(values).__module__.partition(".")[0] == "dask" and hasattr(values, "chunks") and hasattr(values, "ndim")


def known_size(name, array):
    """The bytes of a Dask array; one with chunks of unknown size is refused."""
    if any(size != size for chunks in array.chunks for size in chunks):
        raise ValueError(f"{name} is a Dask array with chunks of unknown size; call {name}.compute_chunk_sizes() first.")
    return int(array.nbytes)


def computed(values, name="X", attempts=ATTEMPTS):
    """The results of graphs, a tuple. A computation that is lost as a whole is made again, `attempts` times in all at most.

    Raises
    ------
    ValueError
        Where that fails: the cluster was closed, and what it held is gone; or a source of the array cannot be read.
    """
    try:
        return _compute(values)
    except (Exception, CancelledError) as error:
        if attempts == 1 or not isinstance(error, _lost()):
            why = " ".join(f"{type(error).__name__}: {error}".split())[:120].rstrip(".: ")
            raise ValueError(
                f"{name}, a Dask array, could not be computed ({why}): if its cluster was closed, or a source of it is gone, make the "
                "array again."
            ) from error
    return computed(values, name, attempts - 1)


def _compute(values):
    import dask

    with warnings.catch_warnings():  # vectors of the samples and of the columns travel in the graph, once each
        warnings.filterwarnings("ignore", message="Sending large graph")
        return dask.compute(*values)


def _shared(piece, often):
    """A piece of an array as an argument of tasks: a task of its own where several take it."""
    from dask import delayed

    return delayed(piece) if often else piece


def _parts(chunks):
    """The slices of an axis that its chunks stand for."""
    edges = np.concatenate([[0], np.cumsum(chunks)]).tolist()
    return [slice(a, b) for a, b in itertools.pairwise(edges)]
