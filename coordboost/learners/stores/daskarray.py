"""A Dask array as a store.

Chunks are processed where they are, in threads or on a cluster, and only the results come back.
"""

import itertools
import sys
import warnings
import weakref
from asyncio import CancelledError
from functools import partial, reduce

import numpy as np

#: Number of attempts at a computation that a cluster loses.
ATTEMPTS = 3
#: Packages whose versions decide the bits of a result.
SAME_VERSIONS = ("coordboost", "numpy", "numba")
#: Clients of clusters whose versions were compared.
_compared: weakref.WeakSet = weakref.WeakSet()


class Refusal(ValueError):
    """What a task on a cluster refuses, in words for the user."""


def _lost():
    """Return the exceptions that a computation raises if workers of a cluster are lost."""
    if "distributed" not in sys.modules:
        return ()
    from distributed.client import FutureCancelledError
    from distributed.comm import CommClosedError
    from distributed.scheduler import KilledWorker

    return (CommClosedError, KilledWorker, FutureCancelledError)


class DaskArray:
    """A two-dimensional ``dask.array.Array``.

    Results of chunks are merged `fan` at a time, in an order fixed by the chunks.

    Dask recomputes single results when a worker dies; ``computed`` repeats a computation that is
    lost as a whole.
    """

    names = None
    fan = 16

    def __init__(self, array):
        known_size("X", array)
        if any(0 in chunks for chunks in array.chunks):
            array = array.rechunk(
                tuple(tuple(size for size in chunks if size) for chunks in array.chunks)
            )
        self.array = array
        self.shape = tuple(map(int, array.shape))
        self.dtype = np.dtype(array.dtype)
        self.grain = max(array.chunks[1])

    def each(self, index, kernel, by_column=()):
        """Do the same as ``coordboost._numba.threads.each``."""
        from dask import delayed

        if len(index) == 0:
            return
        blocks = self.array[:, index].rechunk({1: -1}).to_delayed()[:, 0]
        arrays = [_shared(a, len(blocks) > 1) for a in by_column]
        kernel = delayed(kernel, pure=False)
        results = computed([kernel(block, *arrays) for block in blocks])
        for rows, result in zip(_parts(self.array.chunks[0]), results, strict=True):
            yield rows, slice(0, len(index)), result

    def fold(self, kernel, merge, by_sample=(), by_column=(), *, whole=False):
        """Do the same as ``coordboost._numba.threads.fold``, by one graph.

        It holds every part of an array once.
        """
        from dask import delayed

        array = self.array.rechunk({1: -1}) if whole else self.array
        blocks = array.to_delayed()
        samples, columns = (
            [[_shared(a[part], other > 1) for a in arrays] for part in _parts(chunks)]
            for arrays, chunks, other in zip(
                (by_sample, by_column), array.chunks, reversed(blocks.shape), strict=True
            )
        )
        kernel = delayed(kernel, pure=False)
        merge = delayed(partial(reduce, merge), pure=False)
        results = []
        fan = 2 if whole else self.fan  # a result of whole rows may be as large as its tile
        for band, of_columns in zip(blocks.T, columns, strict=True):
            parts = [
                kernel(block, *rows, *of_columns) for block, rows in zip(band, samples, strict=True)
            ]
            while len(parts) > 1:
                parts = [merge(parts[i : i + fan]) for i in range(0, len(parts), fan)]
            results += parts
        yield from computed(results)


def is_dask(values):
    """Return whether `values` are a Dask array."""
    return (
        type(values).__module__.partition(".")[0] == "dask"
        and hasattr(values, "chunks")
        and hasattr(values, "ndim")
    )


def is_lazy(values):
    """Whether `values` are an array, a data frame or a series of Dask."""
    return is_dask(values) or (
        type(values).__module__.partition(".")[0].startswith("dask")
        and hasattr(values, "to_dask_array")
    )


def known_size(name, array):
    """Return the size of a Dask array in bytes.

    Raise a ValueError if the size of a chunk is unknown.
    """
    if any(size != size for chunks in array.chunks for size in chunks):
        raise ValueError(
            f"{name} is a Dask array with chunks of unknown size; call "
            f"{name}.compute_chunk_sizes() first."
        )
    return int(array.nbytes)


def computed(values, name="X", attempts=ATTEMPTS):
    """Compute graphs, and return a tuple of results.

    Repeat a computation that is lost as a whole, at most `attempts` times in all.

    Raises
    ------
    ValueError
        If that fails: the cluster was closed, and its data are gone; or a source of the array
        cannot be read.
    """
    try:
        compare_versions()
        return _compute(values)
    except Refusal as refusal:
        raise ValueError(str(refusal)) from None
    except (Exception, CancelledError) as error:
        if attempts == 1 or not isinstance(error, _lost()):
            why = " ".join(f"{type(error).__name__}: {error}".split())[:120].rstrip(".: ")
            raise ValueError(
                f"{name}, a Dask array, could not be computed ({why}): if its cluster was closed, "
                "or its source is gone, create the array again."
            ) from error
    return computed(values, name, attempts - 1)


def compare_versions():
    """Refuse a cluster, once for each client, whose workers have other versions than this process.

    Without a client nothing is loaded.
    """
    if "distributed" not in sys.modules:
        return
    from distributed import default_client

    try:
        client = default_client()
    except ValueError:  # none
        return
    if client in _compared or client.asynchronous:
        return
    found = client.get_versions(packages=list(SAME_VERSIONS))
    own = found["client"]["packages"]
    for worker in found["workers"].values():
        for name in SAME_VERSIONS:
            other = worker["packages"].get(name)
            if other != own[name]:
                raise Refusal(
                    f"the workers of the Dask cluster have {name} {other}, and this process has "
                    f"{own[name]}: install the same versions, or results may differ."
                )
    _compared.add(client)


def _compute(values):
    import dask

    # the graph holds vectors over samples and over columns, once each
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Sending large graph")
        return dask.compute(*values)


def _shared(piece, often):
    """Return part of an array as an argument of tasks.

    It is wrapped as a task of its own if several tasks use it.
    """
    from dask import delayed

    return delayed(piece) if often else piece


def _parts(chunks):
    """Return the slices of an axis that correspond to its chunks."""
    edges = np.concatenate([[0], np.cumsum(chunks)]).tolist()
    return [slice(a, b) for a, b in itertools.pairwise(edges)]
