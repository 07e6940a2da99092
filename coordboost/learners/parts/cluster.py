"""Parts on the workers of a Dask cluster: an actor on each worker that holds rows.

Dask does not make a lost actor again, so this is done here, from the partitions that the cluster
holds or computes again, and from the messages so far.
"""

import sys

import numpy as np

from coordboost._numba.sums import BLOCK
from coordboost.learners.parts.engine import Part, Parts, chosen_rows, cut, size_of, whole_blocks
from coordboost.learners.stores.daskarray import compare_versions

#: Seconds between two looks at a worker that is at work, and until an actor must exist.
LOOK, START = 0.5, 120.0
#: Attempts at a part whose workers are lost one after the other.
ATTEMPTS = 5


def running_client():
    """Return the client of Dask that is in use; None if there is none."""
    if "distributed" not in sys.modules:
        return None
    import distributed

    try:
        return distributed.get_client()
    except ValueError:
        return None


class ClusterParts(Parts):
    """Parts on Dask workers.

    client : the client of the cluster
    given : for each part the arguments of ``Part``, whose pieces are futures
    workers : for each part the address of the worker that holds its rows, or None
    """

    def __init__(self, client, given, workers, n_samples):
        super().__init__([blocks for _, _, _, blocks, _ in given], n_samples)
        self.client = client
        self.given = given
        self.futures = [None] * len(given)
        self.actors = [None] * len(given)
        for k, worker in enumerate(workers):
            self._submit(k, worker)
        for k in range(len(given)):
            self._wait(k)

    @classmethod
    def of(cls, client, partitions, lengths):
        """Return the parts of partitions, which are delayed or futures, of so many rows each."""
        from distributed import wait

        compare_versions()
        pieces = whole_blocks(lengths)
        futures = client.compute(partitions)
        wait(futures)
        holders = client.who_has(futures)
        of_worker = {}
        row = 0
        for p, own in enumerate(pieces):
            n_rows = sum(stop - start for _, start, stop in own)
            if n_rows:
                home = min(holders[futures[p].key], default=None)  # None: lost a moment ago
                of_worker.setdefault(home, []).append((p, row, n_rows, own))
            row += n_rows
        given = []
        for partitions_of_worker in of_worker.values():
            rows = []
            bounds = []
            blocks = []
            for p, first, n_rows, own in partitions_of_worker:
                for q, start, stop in own:
                    moved = q != p
                    future = futures[q]
                    rows.append(client.submit(cut, future, start, stop) if moved else future)
                    bounds.append((0, stop - start) if moved else (start, stop))
                blocks.append(np.arange(first // BLOCK, -(-(first + n_rows) // BLOCK)))
            n_own = sum(n_rows for _, _, n_rows, _ in partitions_of_worker)
            starts, stops = map(list, zip(*bounds, strict=True))
            given.append((rows, starts, stops, np.concatenate(blocks), n_own))
        return cls(client, given, list(of_worker), sum(lengths))

    @property
    def tables(self):
        return [list(zip(*pieces, strict=True)) for *pieces, _, _ in self.given]

    def of_rows(self, taken):
        futures = [self.client.submit(chosen_rows, rows, index) for rows, index in taken]
        return ClusterParts.of(self.client, futures, [len(index) for _, index in taken])

    def _submit(self, k, worker=None):
        """Begin to make part k, on its worker if that is alive, else where Dask likes."""
        where = {} if worker is None else {"workers": [worker], "allow_other_workers": True}
        self.futures[k] = self.client.submit(Part, *self.given[k], actor=True, pure=False, **where)

    def _wait(self, k):
        """Wait until part k has an actor."""
        from distributed import wait

        for attempt in range(ATTEMPTS):
            future = self.futures[k]
            try:
                wait(future, timeout=START)
                self.actors[k] = future.result(timeout=10 * LOOK)
                return
            except (TimeoutError, OSError, RuntimeError):
                if future.status == "error" and attempt:
                    raise
                self._submit(k)
        raise ValueError(
            "the workers of the Dask cluster are lost one after the other: its rows cannot be kept "
            "in memory. The steps made so far are kept where a run is resumed on another cluster."
        )

    def answers(self, message):
        calls = [self._call(k, self.for_part(k, message)) for k in range(len(self.blocks))]
        self.n_sent += size_of(message) * len(calls)
        for k, call in enumerate(calls):
            answer = self._answer(k, call)
            for _ in range(ATTEMPTS):
                if answer is not None:
                    break
                self.n_restored += 1
                self.futures[k].release()
                self._submit(k)
                self._wait(k)
                before = [self.for_part(k, earlier) for earlier in self.earlier()]
                call = self._call(k, self.for_part(k, message), before)
                answer = self._answer(k, call)
            if answer is None:
                raise ValueError("a part of the rows could not be made again on the Dask cluster.")
            yield k, answer

    def _call(self, k, message, before=None):
        """Call the actor of part k; None if it is lost."""
        try:
            return self.actors[k].receive(self.n_seen, before, message)
        except RuntimeError:  # "Worker holding Actor was lost"
            return None

    def _answer(self, k, call):
        """Return what an actor answers; None if it is lost, or has seen other messages."""
        while call is not None:
            try:
                return call.result(timeout=LOOK)
            except TimeoutError:  # at work, or lost: the scheduler knows
                if self.futures[k].status != "finished":
                    return None
            except OSError:
                return None
        return None

    def close(self):
        """Drop the actors: the workers forget the rows of this engine."""
        for future in self.futures:
            future.release()

    def __del__(self):
        self.close()
