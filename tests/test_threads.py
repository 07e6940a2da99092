"""BLAS on one thread within the context, and on as many as before after it; records of one kind are one type to compiled code."""

import os
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.linalg  # noqa: F401  -- its BLAS is there before threads are counted
from threadpoolctl import ThreadpoolController

from coordboost import _threads, _tiles
from coordboost._generic import record
from coordboost._threads import one_thread


def blas_threads():
    return [library.get_num_threads() for library in ThreadpoolController().lib_controllers if library.user_api == "blas"]


@pytest.mark.parametrize("n", [1, 2])
def test_one_thread_within_and_as_before_after(n):
    with ThreadpoolController().limit(limits=n, user_api="blas"):
        before = blas_threads()
        with one_thread():
            assert set(blas_threads()) <= {1}
            with one_thread():
                assert set(blas_threads()) <= {1}
            assert set(blas_threads()) <= {1}
        assert blas_threads() == before
        with pytest.raises(KeyError), one_thread():
            raise KeyError
        assert blas_threads() == before


@pytest.mark.parametrize(
    ("says", "wide"),
    [([], True), (["SkylakeX"], True), (["Haswell"], False), (["zen4", "Haswell"], False), ([None, "Cooperlake"], True)],
)
def test_width_of_blas(says, wide, monkeypatch):
    """All must be wide, as far as they say."""
    libraries = [SimpleNamespace(info=lambda name=name: {} if name is None else {"architecture": name}) for name in says]
    monkeypatch.setattr(_threads, "_libraries", lambda: libraries)
    assert _threads.blas_is_wide.__wrapped__() is wide


FRESH = """
import numpy as np
import coordboost as cb
rng = np.random.default_rng(0)
X = rng.normal(size=(30_011, 3))
problem = cb.Problem(X, X[:, 0] + rng.normal(size=len(X)))
run = cb.solve(problem, cb.ls_boost(0.3), 20, view=cb.Explicit)
import scipy.linalg, scipy.special
from threadpoolctl import ThreadpoolController
from coordboost._threads import one_thread
with one_thread():
    print([lib.get_num_threads() for lib in ThreadpoolController().lib_controllers if lib.user_api == "blas"])
print(run.pred.tobytes().hex()[:20_000], run.beta.tobytes().hex())
"""


def test_a_new_process_holds_every_blas_from_its_first_run_on():
    """scipy's own is not loaded with the package. Dot products of more than 10,000 numbers are split among threads, if they may be."""
    printed = []
    for count in ("1", "2"):
        limits = dict.fromkeys(("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"), count)
        done = subprocess.run([sys.executable, "-c", FRESH], capture_output=True, text=True, env={**os.environ, **limits})
        assert done.returncode == 0, done.stderr
        threads, bits = done.stdout.splitlines()
        assert set(threads) <= set("[1, ]")
        printed.append(bits)
    assert printed[0] == printed[1]


def test_records_of_one_kind_share_their_dtype_and_no_number():
    first, second = record(steps=1, lam=0.5), record(steps=2, lam=0.25)
    assert first.dtype is second.dtype
    assert first.dtype["steps"] == np.int64 and first.dtype["lam"] == np.float64
    first.lam = 4.0
    assert (first.steps, first.lam, second.steps, second.lam) == (1, 4.0, 2, 0.25)
    assert record(steps=1.0, lam=0.5).dtype["steps"] == np.float64


@pytest.mark.parametrize("said, threads", [({}, 4), ({"OMP_NUM_THREADS": "2"}, 2), ({"NUMBA_NUM_THREADS": "1"}, 1),
    ({"OMP_NUM_THREADS": "3", "NUMBA_NUM_THREADS": "99"}, 3), ({"OMP_NUM_THREADS": "0"}, 1), ({"OMP_NUM_THREADS": "4,2"}, 4)])  # fmt: skip
def test_as_many_threads_as_cores_or_as_the_environment_says(monkeypatch, said, threads):
    for name in _tiles.LIMITS:
        monkeypatch.delenv(name, raising=False)
    for name, value in said.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(4)), raising=False)
    workers, found = _tiles.pool.__wrapped__()
    workers.shutdown()
    assert found == workers._max_workers == threads


FORKED = """
import os, signal, sys, time, warnings
from coordboost._tiles import in_order
warnings.simplefilter("ignore", DeprecationWarning)  # of threads that are there at a fork
list(in_order(time.sleep, [0.05] * 8))
time.sleep(0.2)  # all threads wait for work
child = os.fork()
if child == 0:
    signal.alarm(5)
    os._exit(0 if list(in_order(abs, [-3, -4])) == [3, 4] else 1)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
def test_a_forked_process_has_threads_of_its_own():
    """Workers of a server or of multiprocessing, forked after a fit, waited for ever for threads that were not copied."""
    done = subprocess.run([sys.executable, "-c", FORKED], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
