"""BLAS on one thread, so that the same input gives the same bits whatever the number of threads."""

from functools import lru_cache

from threadpoolctl import ThreadpoolController


@lru_cache
def _controller():
    return ThreadpoolController()


def one_thread():
    """A context in which BLAS runs on one thread."""
    return _controller().limit(limits=1, user_api="blas")
