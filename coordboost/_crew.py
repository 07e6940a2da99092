"""Several threads in one compiled loop: who runs it shares out numbered tasks, and whoever attends takes the next one.

The *ticket* holds how many tasks there are and the number of the next one, in one word: a thread takes a task by changing it::

    ticket   | tasks, 31 bits | next, 32 bits |       all are taken where next = tasks;  CLOSED: helpers go home
    done     | tasks that are finished        |

The thread that runs the loop takes tasks, too, and waits only for those that another one has begun. So nothing depends on whether and
when helpers come: all threads may be busy elsewhere. What a task leaves must not depend on who did it, nor on the order of the tasks.
"""

from concurrent.futures import wait
from typing import NamedTuple

import numpy as np

from coordboost._atomic import ATOMIC, give_way, nap, raise_word, read_word, swap_word, write_word
from coordboost._generic import leaf
from coordboost._tiles import pool

#: Where the word is in an array of ``2 * ALONE``: on a line of the cache where nothing else is written.
ALONE = 16
#: Bits of the number of the next task; the ticket of a crew that is dissolved.
NEXT, CLOSED = 32, -1
#: Looks in vain after which a thread lets others run, and after which it naps between two looks.
SHORT, LONG = 1 << 12, 1 << 13


class Crew(NamedTuple):
    """What threads agree by.

    ticket, done : int64 (2 ALONE,), of which one word is used
    """

    ticket: np.ndarray
    done: np.ndarray

    @classmethod
    def empty(cls):
        """A crew that nobody attends."""
        return cls(np.zeros(2 * ALONE, dtype=np.int64), np.zeros(2 * ALONE, dtype=np.int64))


@leaf
def open_tasks(crew, n):
    """Share out the tasks 0 to n - 1."""
    write_word(crew.done, ALONE, 0)
    write_word(crew.ticket, ALONE, n << NEXT)


@leaf
def next_task(crew):
    """The number of a task, which is the caller's now; -1 where none is left, -2 where the crew is dissolved."""
    while True:
        ticket = read_word(crew.ticket, ALONE)
        if ticket == CLOSED:
            return -2
        task = ticket & ((1 << NEXT) - 1)
        if task >= ticket >> NEXT:
            return -1
        if swap_word(crew.ticket, ALONE, ticket, ticket + 1):
            return task


@leaf
def finish_task(crew):
    """Say that a task is finished."""
    raise_word(crew.done, ALONE)


@leaf
def rest(looks):
    """Let others run, after so many looks in vain."""
    if looks > LONG:
        nap()
    elif looks > SHORT:
        give_way()


@leaf
def wait_for_all(crew, n):
    """Wait until n tasks are finished."""
    looks = 0
    while read_word(crew.done, ALONE) < n:
        looks += 1
        rest(looks)


@leaf
def first_task(crew, n, shared):
    """The first of n tasks, -1 where there is none for the caller; `shared` with all who attend, else all are the caller's."""
    if not shared:
        return 0 if n > 0 else -1
    open_tasks(crew, n)
    return _mine(crew, n)


@leaf
def task_after(crew, n, shared, k):
    """Say that task k is finished: the next one, or -1 when all n are finished."""
    if not shared:
        return k + 1 if k + 1 < n else -1
    finish_task(crew)
    return _mine(crew, n)


@leaf
def _mine(crew, n):
    """The next task that nobody has, or -1 when all n are finished."""
    k = next_task(crew)
    if k < 0:
        wait_for_all(crew, n)
    return k


class Helped:
    """A context in which threads of the pool attend to a crew.

    crew : Crew;  attend : function of the number of a helper, 1, 2, ...: it does tasks until the crew is dissolved
    helpers : int, how many there are at most; in plain Python none comes
    """

    def __init__(self, crew, attend, helpers):
        self.crew, self.attend, self.helpers, self.under_way = crew, attend, helpers if ATOMIC else 0, []

    def __enter__(self):
        write_word(self.crew.ticket, ALONE, 0)
        self.under_way = [pool()[0].submit(self.attend, k + 1) for k in range(self.helpers)]

    def __exit__(self, *_):
        write_word(self.crew.ticket, ALONE, CLOSED)
        came = [helper for helper in self.under_way if not helper.cancel()]
        try:
            wait(came)
        finally:  # after a second Ctrl-C, too: the next crew has the same memory
            wait(came)
        for helper in came:
            helper.result()
