"""BLAS on one thread, so that the same input gives the same bits whatever the number of threads."""

import contextlib
import functools

from threadpoolctl import ThreadpoolController

#: Kernels of OpenBLAS with vectors of 512 bits.
WIDE_KERNELS = ("SkylakeX", "Cooperlake", "SapphireRapids")


@functools.lru_cache
def _libraries():
    """Every BLAS that a run can meet: NumPy's, and scipy's, which products in compiled code use, too.

    scipy brings its own with `scipy.linalg`. It is loaded here and not with the package, which loads sooner without it.
    """
    import scipy.linalg  # noqa: F401

    return [library for library in ThreadpoolController().lib_controllers if library.user_api == "blas"]


@functools.lru_cache
def narrow_blas():
    """Whether BLAS works on shorter vectors than 512 bits: a build of OpenBLAS for older machines, or one told to work as on these."""
    return all(library.internal_api == "openblas" and library.architecture not in WIDE_KERNELS for library in _libraries())


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
