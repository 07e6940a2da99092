"""The rows of a path, the compiled loop that makes them, and what they do to coefficients."""

import time
from dataclasses import dataclass, fields

import numpy as np

from coordboost._numba import CompiledVerbs, NotCompiled, compiled, interpreted, is_piece, verb
from coordboost._utils.checks import shown
from coordboost._utils.interrupt import heed
from coordboost.engine.states.naive import perturb, stopped
from coordboost.engine.states.python_learners import PythonLearners
from coordboost.rules.coefficients import Growing

pick = verb("pick", inline=True)
move = verb("move", inline=True)
push = verb("push", inline=True)
coefficient = verb("coefficient", inline=True)
accumulate = verb("accumulate", inline=True)
beta_of = verb("beta")


@dataclass(frozen=True, eq=False)
class Path:
    """The recorded steps: step k is the row (learner[k], shrink[k], theta[k]).

    The method's store of coefficients defines its effect.

    learner : int64 (n_steps,)
    shrink, theta : float64 (n_steps,)
    """

    learner: np.ndarray
    shrink: np.ndarray
    theta: np.ndarray

    def __len__(self):
        return self.learner.shape[0]

    @classmethod
    def empty(cls, n_steps=0):
        """Room for `n_steps` steps."""
        return cls(np.zeros(n_steps, dtype=np.int64), np.zeros(n_steps), np.zeros(n_steps))

    def cut(self, start, stop):
        """Steps start, ..., stop - 1."""
        return Path(self.learner[start:stop], self.shrink[start:stop], self.theta[start:stop])

    def extended(self, n_steps):
        """A copy with room for `n_steps` steps in all; memory is used only once it is filled."""
        longer = Path.empty(max(n_steps, len(self)))
        for column in fields(self):
            getattr(longer, column.name)[: len(self)] = getattr(self, column.name)
        return longer


def advance(state, select, step, unit, beta, drawn, k, learner, shrink, theta):
    """Make and record up to ``len(learner)`` steps from step k on.

    Return their number: fewer if the state needs a scan or has stopped.
    """
    for i in range(len(learner)):
        if stopped(state):
            return i
        perturb(state, k + i)
        j, corr = pick(select, state, step, beta, drawn[i], k + i)
        if j < 0:
            return i
        s, t = move(step, k + i, state, j, corr, coefficient(beta, j))
        push(state, j, s, unit * t)
        accumulate(beta, j, s, t)
        learner[i] = j
        if s != 0:  # the array begins as zeros: without shrinkage its memory is never touched
            shrink[i] = s
        theta[i] = t
    return len(learner)


_in_python = interpreted(advance)


def make_steps(state, select, step, unit, beta, drawn, k, path, *, compile=True):
    """Make steps from step k on and record them in the rows of `path`; return their number.

    All is compiled where all pieces can be. If only the learners cannot, this is a Python loop
    over compiled verbs. Otherwise all is plain Python.
    """
    pieces = (state, select, step, beta)
    growing = not state.countable
    run = _in_python
    store = beta
    if compile and all(map(is_piece, pieces)):
        run = compiled(advance, pieces)
    elif growing:
        store = called(beta.kept) if compile else beta.kept
        if not compile:
            state.interpret()
    elif compile and state.dictionary is not None and not is_piece(state.dictionary):
        store = called(beta)
        state = PythonLearners(state)
    columns = path.learner, path.shrink, path.theta
    try:
        made = run(state, select, step, unit, store, drawn, k, *columns)
    except (NotCompiled, TypeError) as error:
        sentence = fault(state, select, step, store, drawn, k)
        if not sentence:
            raise
        raise ValueError(sentence) from (None if isinstance(error, NotCompiled) else error)
    if growing:
        beta.used[0] = max(beta.used[0], path.learner[:made].max(initial=-1) + 1)
    return made


def fault(state, select, step, store, drawn, k):
    """Return what is wrong with rules that a loop could not run, "" if that is not seen: one step
    is chosen and measured in plain Python.
    """
    try:
        j, corr = pick(select, state, step, store, drawn[0], k)
        moved = move(step, k, state, max(j, 0), corr, coefficient(store, max(j, 0)))
    except (AttributeError, TypeError) as error:
        return f"{type(step).__name__} with {type(select).__name__}: {error}"
    except Exception:
        return ""
    if not (isinstance(moved, tuple) and len(moved) == 2):
        return f"{type(step).__name__}.move must return (shrink, theta), got {shown(moved)}."
    return ""


def called(coefficients):
    """A store of coefficients for calls from plain Python, with compiled verbs if they are long."""
    return coefficients if coefficients.plain else CompiledVerbs(coefficients)


#: For an implicit dictionary, at most this many steps are applied to the coefficients in a loop of
#: plain Python: compiling it takes a second.
FEW = 1 << 12


def accumulate_steps(coefficients, learner, shrink, theta, start, stop):
    """Apply the recorded steps start, ..., stop - 1 to the coefficients."""
    for k in range(start, stop):
        accumulate(coefficients, learner[k], shrink[k], theta[k])


def retrace(coefficients, path, start, stop):
    """Apply steps start, ..., stop - 1 of a ``Path`` to a store of coefficients, compiled if
    possible; return it (grown if needed).
    """
    if coefficients.room is not None:
        coefficients = coefficients.room(int(path.learner[start:stop].max(initial=-1)) + 1)
    store = coefficients
    run = interpreted(accumulate_steps)
    if isinstance(coefficients, Growing) and stop - start <= FEW:
        store = coefficients._replace(kept=called(coefficients.kept))
    elif is_piece(coefficients):
        run = compiled(accumulate_steps, (coefficients,))
    for begin, end in stretches(start, stop):
        run(store, path.learner, path.shrink, path.theta, begin, end)
    return coefficients


def write_betas(coefficients, unit, learner, shrink, theta, index, out):
    """Apply recorded steps; write the entries `index` of beta after each of them to a row of
    `out`.
    """
    for k in range(len(learner)):
        accumulate(coefficients, learner[k], shrink[k], theta[k])
        present = beta_of(coefficients, unit)
        for i in range(len(index)):
            out[k, i] = present[index[i]]


#: Longest time, in seconds, that one call of compiled code should take.
SOON = 0.1


def stretches(start, stop):
    """Yield consecutive ranges (begin, end) from `start` to `stop` that take about ``SOON``
    seconds each; check Ctrl-C between them.
    """
    length = 16
    while start < stop:
        heed()
        began = time.perf_counter()
        end = min(start + length, stop)
        yield start, end
        took = time.perf_counter() - began
        start = end
        length = max(1, int(length * min(SOON / max(took, 1e-9), 16)))
