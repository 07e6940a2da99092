"""Functions that run on all parts of the rows, and the sums of what they return."""

import pickle
import weakref
from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np

from coordboost._numba.sums import BLOCK


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

    def __init__(self, pieces, starts, stops, blocks, n_rows):
        self.table = list(zip(pieces, starts, stops, strict=True))  # None if not needed any more
        self.blocks = blocks
        self.n_rows = n_rows
        self.codes = None
        self.grower = None
        self.models = {}
        self.n_seen = 0  # messages so far, -1 in the middle of one

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
    models : key -> model state with ``messages()``, those that bring a new part to its present
        state, and ``settle()``, which sends what waits for its next question
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
        self._last = None  # a reference to the model that has asked last
        self.n_seen = 0
        self.n_trips = self.n_received = self.n_sent = self.n_restored = 0

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

    def settle(self, model):
        """Let the model that has asked last send what waits, before another `model` asks."""
        last = self._last and self._last()
        self._last = model and weakref.ref(model)
        if last is not None and last is not model:
            last.settle()

    def for_part(self, k, message):
        """Return a message with the rows of part k."""
        own = tuple(own_rows(array, self.blocks[k]) for array in message.by_row)
        return message._replace(by_row=own)

    def earlier(self):
        """Return the messages that bring a new part to where all others are."""
        of_models = [message for model in self.models.values() for message in model.messages()]
        return [*self.log, *of_models]


def own_rows(array, blocks):
    """Return the rows of some blocks of an array of all rows; a view if they are neighbours."""
    if blocks[-1] - blocks[0] == len(blocks) - 1:
        return array[blocks[0] * BLOCK : (blocks[-1] + 1) * BLOCK]
    return np.concatenate([array[b * BLOCK : (b + 1) * BLOCK] for b in blocks])


def size_of(message):
    """Return the bytes of a message."""
    return len(pickle.dumps((message.arguments, message.by_row), protocol=5))


class LocalParts(Parts):
    """Parts in this process.

    parts : a list of ``Part``
    """

    def __init__(self, parts, n_samples):
        super().__init__([part.blocks for part in parts], n_samples)
        self.parts = parts

    def answers(self, message):
        for k, part in enumerate(self.parts):
            yield k, part.receive(self.n_seen, None, self.for_part(k, message))
