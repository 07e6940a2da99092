"""BLAS on one thread, so that the same input gives the same bits whatever the number of threads."""

import functools

from threadpoolctl import ThreadpoolController


@functools.lru_cache
def _controller():
    return ThreadpoolController()


def one_thread():
    """A context in which BLAS runs on one thread."""
    return _controller().limit(limits=1, user_api="blas")


def on_one_thread(function):
    """Decorator: `function` runs with BLAS on one thread."""

    @functools.wraps(function)
    def run(*args, **kwargs):
        with one_thread():
            return function(*args, **kwargs)

    return run
