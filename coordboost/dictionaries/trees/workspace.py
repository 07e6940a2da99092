"""The memory in which trees grow, made once and used by every tree."""

from typing import NamedTuple

import numpy as np

from coordboost._crew import Crew
from coordboost._generic import inlined, record
from coordboost._machine import LINE, lined
from coordboost._tiles import THREADS

#: Fewest rows that a block may be limited to.
FEWEST = 64
#: Numbers of neighbouring memory that threads must not write to at the same time, as one would wait for the other.
ABREAST = LINE // 8
#: Entries of a table by code.
CODES = 256
#: What is counted and said in whole numbers that begin with 0.
COUNTS = ("nodes", "leaves", "slots", "batch", "first", "features", "fours", "what", "model")


def _fields(**kinds):
    return np.dtype((np.record, list(kinds.items())))


#: A node: how it splits, what it holds, where its rows lie.
NODE = _fields(
    feature="i8",  # the feature that it is split by, -1 for a leaf
    place="i8",  # where that feature stands in the list of features
    bin="i8",  # the last bin that goes left; for categories, how many of them go left
    missing_left="i8",  # 1 if missing values go left
    left="i8",  # its children
    right="i8",
    leaf="i8",  # the number of the leaf, -1 for an inner node
    open="i8",  # 1 while a split of it is searched for or known
    apart="i8",  # 1 if the rows of its children lie apart
    depth="i8",
    start="i8",  # its rows: from start to stop
    stop="i8",
    slot="i8",  # where its histograms lie
    sums="i8",  # its entry of the total, as bins have them: see fixed.py
    tallies="i8",
    low="f8",  # bounds of its value, from monotone splits above
    high="f8",
    score="f8",  # its score as a leaf
    gain="f8",  # of its split, in units of the target
    value="f8",  # its value as a leaf
)
#: The best split of a node that a thread has seen.
CANDIDATE = _fields(score="f8", feature="i8", place="i8", bin="i8", missing_left="i8", sums="i8", tallies="i8")
#: Some rows of a node.
BLOCK = _fields(
    node="i8",
    first="i8",  # the rows, from first to last
    last="i8",
    left="i8",  # how many of them go left, then how many do of the rows of the node before them
    lost="i8",  # of a block of samples: how many whole numbers are too small, the sums and the tallies, see fixed.py
    sums="i8",
    tallies="i8",
)


@inlined
def multiple_of(step, n):
    """The next multiple of `step`."""
    return (n + step - 1) // step * step


class Workspace(NamedTuple):
    """Buffers for trees on `binned` within `growth`. Kernels write into them and make no others.

    Rows of a node are consecutive, in the order of the samples. The two halves of a node go to the other buffer::

        depth 0    rows[0]   0 1 2 3 4 5 6 7      fixed[0]      0, 1, 2, ...: never written to
        depth 1    rows[2]   1 2 5 7|0 3 4 6      fixed[1]      the children of the root
        depth 2    rows[1]   2 5|1 7|0 6|3 4      fixed[0]      their children
        depth 3    rows[2]   ...

    `fixed` holds the targets of these rows as whole numbers, one or two for each (see fixed.py). Histograms lie slot by slot, in each slot
    feature by feature in the order of the list of features. A slot belongs to a node whose split was or will be searched for; the larger
    child of a node inherits the slot, its histogram is that of the node less that of the smaller child.
    """

    rows: np.ndarray  # uint32 (3, n_samples), (1, n_samples) for stumps
    fixed: np.ndarray  # int64 (2, 2 n_samples), (1, 2 n_samples) for stumps
    histograms: np.ndarray  # int64 (n_slots * n_features * bins * 2,), n_features a multiple of four
    bins: int  # most bins of a feature, a multiple of eight: so two features fill whole lines of the cache
    nodes: np.ndarray  # NODE (2 max_leaves,)
    candidates: np.ndarray  # CANDIDATE (THREADS, 2 max_leaves + 3): what is beyond keeps threads apart
    sums: np.ndarray  # int64 (THREADS, 2, CODES): running sums over the bins of the two children
    tallies: np.ndarray  # int64 (THREADS, 2, CODES)
    scores: np.ndarray  # float64 (THREADS, CODES + ABREAST), the highest at CODES
    bits: np.ndarray  # int64 (THREADS, CODES + ABREAST): the same memory, to compare as whole numbers
    order: np.ndarray  # int64 (THREADS, CODES): categories by S / (W + l2)
    goes_left: np.ndarray  # uint8 (2 max_leaves, CODES): for each node and code 1 if it goes left
    blocks: np.ndarray  # BLOCK (n_samples / FEWEST + 2 max_leaves,): rows with which something is done at the same time
    wanted: np.ndarray  # int64 (n_features,): the features of the search that is under way
    batch: np.ndarray  # int64 (max_leaves,): nodes that were split last, whose children are searched next
    leaf: np.ndarray  # (n_samples,): the leaf of each sample
    values: np.ndarray  # float64 (max_leaves,): the values of the leaves
    form: np.record  # how fixed numbers are read: see fixed.py
    crew: Crew  # the threads that grow the tree together
    # how many nodes, leaves, slots, nodes in the batch, threads, features of the search, and its tasks with four of them; the first of
    # the new nodes; most rows of a block and the kind of the tasks that are under way; how far a model moves, and whether threads that
    # help know it
    count: np.record  # type: ignore[assignment]

    @classmethod
    def of(cls, binned, growth):
        """The workspace for `growth`, checked for `binned`."""
        d, n = binned.codes.shape
        leaves, bins = growth.max_leaves, int(binned.n_bins.max())
        slots = max(1, min(leaves, n // growth.min_samples, 1 << min(growth.max_depth - 1, 30)))
        scores = lined((THREADS, CODES + ABREAST), np.float64)
        sides = 2 if growth.max_depth > 1 else 1  # the rows of stumps do not move
        rows = np.empty((2 * sides - 1, n), dtype=np.uint32)
        rows[0] = np.arange(n, dtype=np.uint32)
        return cls(
            rows,
            np.empty((sides, 2 * n), dtype=np.int64),
            lined((slots * multiple_of(4, d) * multiple_of(8, bins) * 2,), np.int64),
            multiple_of(8, bins),
            np.zeros(2 * leaves, dtype=NODE),
            np.zeros((THREADS, 2 * leaves + 3), dtype=CANDIDATE),
            lined((THREADS, 2, CODES), np.int64),
            lined((THREADS, 2, CODES), np.int64),
            scores,
            scores.view(np.int64),
            lined((THREADS, CODES), np.int64),
            np.zeros((2 * leaves, CODES), dtype=np.uint8),
            np.zeros(n // FEWEST + 2 * leaves, dtype=BLOCK),
            np.zeros(d, dtype=np.int64),
            np.zeros(leaves, dtype=np.int64),
            np.zeros(n, dtype=np.uint8 if leaves <= CODES else np.uint16),
            np.zeros(leaves),
            record(channels=1, bits=0, scale=1.0, unit=1.0, wide_low=0, wide_mask=0, shift=0),
            Crew.empty(),
            record(**dict.fromkeys(COUNTS, 0), threads=1, block=max(n, 1), rate=0.0),
        )
