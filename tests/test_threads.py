"""BLAS on one thread within the context, and on as many as before after it; records of one kind are one type to compiled code."""

import numpy as np
import pytest
from threadpoolctl import ThreadpoolController

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


def test_records_of_one_kind_share_their_dtype_and_no_number():
    first, second = record(steps=1, lam=0.5), record(steps=2, lam=0.25)
    assert first.dtype is second.dtype
    assert first.dtype["steps"] == np.int64 and first.dtype["lam"] == np.float64
    first.lam = 4.0
    assert (first.steps, first.lam, second.steps, second.lam) == (1, 4.0, 2, 0.25)
    assert record(steps=1.0, lam=0.5).dtype["steps"] == np.float64
