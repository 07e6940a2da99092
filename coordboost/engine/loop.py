"""The one loop: pick a learner, move, push, record."""

import time

from coordboost._numba import compiled, interpreted, is_piece, verb
from coordboost.engine.views.called import Called, Kept
from coordboost.engine.views.explicit import perturb, stopped
from coordboost.interrupt import heed

pick = verb("pick")
move = verb("move")
push = verb("push")
coefficient = verb("coefficient")


accumulate = verb("accumulate")


def advance(view, select, step, unit, beta, drawn, k, learner, shrink, theta):
    """Run ``len(learner)`` steps from step k on, recording each; fewer where the view wants a scan or has stopped. Their number."""
    for i in range(len(learner)):
        if stopped(view):
            return i
        perturb(view, k + i)
        j, corr = pick(select, view, step, beta, drawn[i], k + i)
        if j < 0:
            return i
        s, t = move(step, k + i, view, j, corr, coefficient(beta, j))
        push(view, j, s, unit * t)
        accumulate(beta, j, s, t)
        learner[i] = j
        if s != 0:  # the record begins as zeros: without shrinkage its memory is never touched
            shrink[i] = s
        theta[i] = t
    return len(learner)


def accumulate_steps(coefficients, learner, shrink, theta, start, stop):
    """Bring the coefficients through the recorded steps start, ..., stop - 1."""
    for k in range(start, stop):
        accumulate(coefficients, learner[k], shrink[k], theta[k])


#: Seconds that a call of compiled code should take at most.
SOON = 0.1


def stretches(start, stop):
    """Yield (first, last), one after the other, from `start` to `stop`: each takes about ``SOON``, and Ctrl-C is heeded between them."""
    length = 16
    while start < stop:
        heed()
        began, last = time.perf_counter(), min(start + length, stop)
        yield start, last
        took, start = time.perf_counter() - began, last
        length = max(1, int(length * min(SOON / max(took, 1e-9), 16)))


def retrace(coefficients, path, start, stop):
    """As `accumulate_steps`, along a ``Path``, compiled where it can be: the store, with room made where learners come one by one."""
    if coefficients.room is not None:
        coefficients = coefficients.room(int(path.learner[start:stop].max(initial=-1)) + 1)
    run = compiled(accumulate_steps, (coefficients,)) if is_piece(coefficients) else accumulate_steps
    for first, last in stretches(start, stop):
        run(coefficients, path.learner, path.shrink, path.theta, first, last)
    return coefficients


_in_python = interpreted(advance)


def runner(view, select, step, beta, *, compile=True):
    """The loop for these pieces: compiled where all of them can be; else plain Python, where a dictionary is Python on compiled verbs."""
    pieces = (view, select, step, beta)
    if compile and all(map(is_piece, pieces)):
        return compiled(advance, pieces)
    if not view.countable:
        view.compile = compile
        kept = beta if not compile or beta.kept.plain else Kept(beta)
        return lambda view, select, step, unit, beta, *rest: _in_python(view, select, step, unit, kept, *rest)
    if compile and view.dictionary is not None and not is_piece(view.dictionary):
        return lambda view, select, step, unit, beta, *rest: _in_python(Called(view), select, step, unit, Kept(beta), *rest)
    return _in_python
