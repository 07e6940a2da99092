"""What lies below numba's language gives the same bits as plain Python."""

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference_sets import needs_compiler

from coordboost import _machine

#: Both ends, the ends of both halves, halves of a rounding to even and beyond, small numbers of both signs.
EDGES = [s * (2**k + d) for s in (1, -1) for k in (0, 1, 31, 32, 33, 52, 53, 54, 61, 62) for d in (-3, -1, 0, 1, 2, 3)]
EDGES += [2**63 - 1, 2**63 - 512, 2**63 - 513, -(2**63), 0]


def in_a_loop():
    """`as_float` of every entry of an array, compiled anew."""

    @numba.njit
    def floats(whole, out):
        for i in range(len(whole)):
            out[i] = _machine.as_float(whole[i])

    return floats


@needs_compiler
@pytest.mark.parametrize("by_halves", [True, False])
def test_floats_of_whole_numbers_are_rounded_once(by_halves, monkeypatch):
    monkeypatch.setattr(_machine, "_one_at_a_time", lambda: by_halves)
    floats = in_a_loop()

    @settings(max_examples=300, deadline=None)
    @given(st.lists(st.integers(-(2**63), 2**63 - 1) | st.sampled_from(EDGES), min_size=1, max_size=20))
    def check(whole):
        out = np.empty(len(whole))
        floats(np.array(whole, dtype=np.int64), out)
        assert out.tolist() == [float(one) for one in whole]

    check()
    out = np.empty(len(EDGES))
    floats(np.array(EDGES, dtype=np.int64), out)
    assert out.tolist() == [_machine.as_float(one) for one in EDGES]


@needs_compiler
def test_eight_codes_in_one_look():
    codes = np.random.default_rng(0).integers(0, 256, 40).astype(np.uint8)
    look = numba.njit(lambda codes, i: _machine.read_eight(codes, i))
    for i in range(33):
        assert look(codes, i) == _machine.read_eight(codes, i)
        assert [(look(codes, i) >> 8 * k) & 255 for k in range(8)] == codes[i : i + 8].tolist()


@needs_compiler
def test_powers_of_a_half():
    power = numba.njit(lambda k: _machine.power_of_half(k))
    assert [power(k) for k in range(1023)] == [_machine.power_of_half(k) for k in range(1023)] == [0.5**k for k in range(1023)]
