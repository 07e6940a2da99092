"""Functions that run on all parts of the rows, and the sums of what they return."""

import itertools
import pickle
import weakref
from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np

from coordboost._numba.sums import BLOCK

#: Names for models on the parts.
KEYS = itertools.count()


class Message(NamedTuple):
    """A call on every part: ``function(part, *arguments, *rows)``.

    function : a function of a module, so that it travels by name
    arguments : the same for all parts
    by_row : arrays of all rows; a part gets its own rows of each
    """

    function: Any
    arguments: tuple = ()
    by_row: tuple = ()


class Part:
    """The rows of one part.

    It is a function of its rows and of the messages so far, so a lost part can be made again.

    pieces, starts, stops : pieces of the table, arrays or data frames, in order, of which the rows
        from start to stop belong to the part
    blocks : int64, the numbers of its blocks among those of all rows, increasing
    n_rows : number of its rows
    models : what the runs of a model keep here, by a key
    """

    @property
    def starts(self):
        """The number of the first row of each block among all rows."""
        return self.blocks * BLOCK

    def __init__(self, pieces, starts, stops, blocks, n_rows):
        self.table = list(zip(pieces, starts, stops, strict=True))  # None if not needed any more
        self.blocks = blocks
        self.n_rows = n_rows
        self.codes = None
        self.grower = None
        self.models = {}
        self.n_seen = 0  # messages so far, -1 in the middle of one

    def drop(self, keys):
        """Drop models that nobody uses any more."""
        for key in keys:
            self.models.pop(key, None)

    def receive(self, n_seen, before, message):
        """Run a message after `n_seen` others; return what its function does.

        None if this part has seen other messages: it must then be made again.

        before : the messages that bring a new part to where all others are; None for no new part
        """
        if before is not None:
            for earlier in before:
                self._run(earlier)
            self.n_seen = n_seen
        if self.n_seen != n_seen:
            return None
        self.n_seen = -1
        answer = self._run(message)
        self.n_seen = n_seen + 1
        return answer

    def _run(self, message):
        answer = message.function(self, *message.arguments, *message.by_row)
        return (None, None) if answer is None else answer


class Parts(ABC):
    """The engine of parts: ``run`` a function on all of them.

    blocks : for each part the numbers of its blocks, int64
    n_samples : number of rows of all parts
    log : the messages that a new part needs, besides those of the models that are in use
    models : key -> model in use, with ``begun``, the message that has made it on the parts, and
        ``trees``, its finished trees
    queue : what the models were told, (key, method, arguments): the next question takes it along
    done, told : the same before the last tree was begun, and since, with numbers for trees
    asked : the questions since the last tree was begun
    seen : the bank and the number of the tree whose leaves the parts have, see ``PartsBank``
    n_trips, n_received, n_sent : calls of all parts; bytes of their answers, and of messages
    n_restored : parts that were lost and made again
    """

    def __init__(self, blocks, n_samples):
        self.blocks = blocks
        self.n_samples = n_samples
        self.n_blocks = -(-n_samples // BLOCK)
        self.log = []
        self.models = weakref.WeakValueDictionary()
        self.stale = set()  # keys of models that nobody uses any more
        self.queue = []
        self.done = []
        self.told = []
        self.asked = []
        self.seen = None, -1
        self.n_seen = 0
        self.n_trips = self.n_received = self.n_sent = self.n_restored = 0

    @property
    @abstractmethod
    def tables(self):
        """For each part the pieces of its table, a list of (rows, start, stop)."""

    @abstractmethod
    def of_rows(self, taken):
        """Return parts of the same kind of new partitions, (rows, index of those taken)."""

    def rows(self, index):
        """Return parts of the rows `index` of the table, which increase."""
        pieces = []
        for blocks, table in zip(self.blocks, self.tables, strict=True):
            row = 0
            for rows, start, stop in table:
                first = int(blocks[row // BLOCK]) * BLOCK + row % BLOCK
                pieces.append((first, first + stop - start, start, rows))
                row += stop - start
        taken = []
        for first, last, start, rows in sorted(pieces, key=lambda piece: piece[:2]):
            begin, end = np.searchsorted(index, [first, last])
            if begin < end:
                taken.append((rows, index[begin:end] - first + start))
        return self.of_rows(taken)

    @abstractmethod
    def answers(self, message):
        """Yield what each part answers to a message, in any order: (part, answer)."""

    def run(self, function, *arguments, by_row=(), keep=False):
        """Run ``function(part, *arguments, *rows)`` on all parts.

        It returns a pair: whole numbers, an int64 array or None, and floats, (n_own_blocks, ...) or
        None. Return the sum of the one, and the others in the order of the blocks.

        by_row : arrays of all rows, of which each part gets its own
        keep : whether parts that are made again need this message
        """
        message = Message(function, arguments, by_row)
        total = None
        ordered = None
        for k, (whole, floats) in self.answers(message):
            if whole is not None:
                self.n_received += whole.nbytes
                total = whole.copy() if total is None else np.add(total, whole, out=total)
            if floats is not None:
                self.n_received += floats.nbytes
                if ordered is None:
                    ordered = np.empty((self.n_blocks, *floats.shape[1:]), floats.dtype)
                ordered[self.blocks[k]] = floats
        self.n_seen += 1
        self.n_trips += 1
        if keep:
            self.log.append(message)
        return total, ordered

    def each(self, function, *arguments):
        """Return what a function returns on each part, a list in the order of the parts."""
        found = dict(self.answers(Message(function, arguments)))
        self.n_seen += 1
        self.n_trips += 1
        return [found[k] for k in range(len(self.blocks))]

    def counts(self, n_trees):
        """Return a number of trees, the round trips so far, and the bytes received and sent."""
        return np.array([n_trees, self.n_trips, self.n_received, self.n_sent])

    def begin(self, model, function, *arguments, by_row=()):
        """Begin a `model` by ``function(part, key, stale, *arguments, *rows)``; set its ``begun``.

        Those that nobody uses any more are dropped.
        """
        stale = list(self.stale)
        self.run(function, model.key, stale, *arguments, by_row=by_row)
        model.begun = Message(function, (model.key, [], *arguments), by_row)
        self.stale.difference_update(stale)
        self.models[model.key] = model
        self.queue, self.done, self.told = map(self._of_use, (self.queue, self.done, self.told))
        weakref.finalize(model, self.stale.add, model.key)

    def _of_use(self, told):
        return [entry for entry in told if entry[0] in self.models]

    def tell(self, key, method, *arguments, again=None):
        """Tell all parts of model `key` to run a method, with the next question.

        again : method and arguments for parts that are made again, if not these; () for none, where
            the questions of the present tree or its nodes bring them there
        """
        self.queue.append((key, method, arguments))
        if again != ():
            self.told.append((key, *(again or (method, arguments))))

    def ask(self, key, method, *arguments, begins=False, again=None):
        """Ask a method of model `key` of all parts; return (whole, floats) as ``run`` does.

        begins : whether a tree begins: what was asked before it is not asked again of new parts
        again : if the question changes the model, as for ``tell``
        """
        updates = self._of_use(self.queue)
        answer = self.run(ask_model, updates, key, method, arguments)
        self.queue = []
        if begins:
            self.done += self.told
            self.told = []
            self.asked = []
            updates = []
        self.asked.append(Message(ask_model, (updates, key, method, arguments)))
        if again:
            self.told.append((key, *again))
        return answer

    def for_part(self, k, message):
        """Return a message with the rows of part k."""
        own = tuple(own_rows(array, self.blocks[k]) for array in message.by_row)
        return message._replace(by_row=own)

    def earlier(self):
        """Return the messages that bring a new part to where all others are."""
        models = sorted(self.models.items())
        trees = {key: model.trees for key, model in models}
        again = Message(repeat, (trees, self._of_use(self.done)))
        asked = [
            message._replace(arguments=(self._of_use(updates), *question))
            for message in self.asked
            for updates, *question in [message.arguments]
            if question[0] in self.models
        ]
        return [*self.log, *(model.begun for _, model in models), again, *asked]


def ask_model(part, updates, key, method, arguments):
    """Run the methods that models were told, and return what one answers to a question."""
    for told, update, given in updates:
        getattr(part.models[told], update)(*given)
    return getattr(part.models[key], method)(*arguments)


def repeat(part, trees, told):
    """Run the methods that models were told earlier; ``again`` runs those that need trees."""
    for key, method, given in told:
        if method == "again":
            given = (trees[key], *given)
        getattr(part.models[key], method)(*given)


def whole_blocks(lengths):
    """Return the rows of new partitions that begin with a block, from those of the old ones.

    Each is a list of (old partition, start, stop); the first one is the partition that has most of
    them. Only the rows at the borders move.
    """
    ends = np.cumsum([0, *lengths])
    borders = np.rint(ends / BLOCK).astype(np.int64) * BLOCK
    borders[-1] = ends[-1]
    borders = np.minimum(np.maximum.accumulate(borders), ends[-1])
    pieces = []
    for first, last in itertools.pairwise(borders.tolist()):
        own = []
        for p, (begin, end) in enumerate(itertools.pairwise(ends.tolist())):
            start, stop = max(first, begin), min(last, end)
            if start < stop:
                own.append((p, start - begin, stop - begin))
        pieces.append(own)
    return pieces


def cut(rows, start, stop):
    """Return some rows of a partition."""
    return rows.iloc[start:stop] if hasattr(rows, "iloc") else rows[start:stop]


def chosen_rows(rows, index):
    """Return the rows `index` of a partition."""
    return rows.iloc[index] if hasattr(rows, "iloc") else rows[index]


def own_rows(array, blocks):
    """Return the rows of some blocks of an array of all rows; a view if they are neighbours."""
    if blocks[-1] - blocks[0] == len(blocks) - 1:
        return array[blocks[0] * BLOCK : (blocks[-1] + 1) * BLOCK]
    return np.concatenate([array[b * BLOCK : (b + 1) * BLOCK] for b in blocks])


def numbers_of_all(arrays):
    """Return the number that is that of all rows in each array, None where there is none, and the
    other arrays.
    """
    numbers = []
    for array in arrays:
        values = np.asarray(array)
        first = values.ravel()[0]
        numbers.append(float(first) if (values == first).all() else None)
    pairs = zip(arrays, numbers, strict=True)
    return numbers, tuple(array for array, number in pairs if number is None)


def with_rows(numbers, rows, n_rows):
    """Return the rows of a part of what ``numbers_of_all`` was given, new arrays."""
    rest = iter(rows)
    return [
        np.array(next(rest)) if number is None else np.full(n_rows, number) for number in numbers
    ]


def size_of(message):
    """Return the bytes of a message."""
    return len(pickle.dumps((message.arguments, message.by_row), protocol=5))


class LocalParts(Parts):
    """Parts in this process.

    parts : a list of ``Part``
    """

    tables: Any = None

    def __init__(self, parts, n_samples):
        super().__init__([part.blocks for part in parts], n_samples)
        self.parts = parts
        self.tables = [part.table for part in parts]

    @classmethod
    def of(cls, partitions):
        """Return a part for each partition, whose borders move to those of blocks."""
        parts = []
        row = 0
        for pieces in whole_blocks([len(rows) for rows in partitions]):
            if pieces:
                rows = [cut(partitions[p], start, stop) for p, start, stop in pieces]
                ends = [len(piece) for piece in rows]
                last = row + sum(ends)
                blocks = np.arange(row // BLOCK, -(-last // BLOCK))
                parts.append(Part(rows, [0] * len(rows), ends, blocks, sum(ends)))
                row = last
        return cls(parts, row)

    def of_rows(self, taken):
        return LocalParts.of([chosen_rows(rows, index) for rows, index in taken])

    def answers(self, message):
        for k, part in enumerate(self.parts):
            yield k, part.receive(self.n_seen, None, self.for_part(k, message))
