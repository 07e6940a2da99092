"""BLAS on one thread, so that the same input gives the same bits whatever the number of threads; and what it says of itself."""

import contextlib
import functools

from threadpoolctl import ThreadpoolController


@functools.lru_cache
def _libraries():
    """Every BLAS that a run can meet: NumPy's, and scipy's, which products in compiled code use, too.

    scipy brings its own with `scipy.linalg`. It is loaded here and not with the package, which loads sooner without it.
    """
    import scipy.linalg  # noqa: F401

    return [library for library in ThreadpoolController().lib_controllers if library.user_api == "blas"]


@contextlib.contextmanager
def one_thread():
    """A context in which BLAS runs on one thread."""
    more = [(library, n) for library in _libraries() if (n := library.get_num_threads()) != 1]
    try:
        for library, _ in more:
            library.set_num_threads(1)
        yield
    finally:
        for library, n in more:
            library.set_num_threads(n)


def on_one_thread(function):
    """Decorator: `function` runs with BLAS on one thread."""

    @functools.wraps(function)
    def run(*args, **kwargs):
        with one_thread():
            return function(*args, **kwargs)

    return run
