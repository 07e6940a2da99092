"""What lies below numba's language gives the same bits as plain Python."""

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference_sets import needs_compiler

from coordboost import _machine

#: Both ends, the ends of both halves, halves of a rounding to even and beyond, small numbers of both signs.
EDGES = [s * (2**k + d) for s in (1, -1) for k in (0, 1, 31, 32, 33, 52, 53, 54, 61) for d in (-3, -1, 0, 1, 2, 3)]
EDGES += [2**62, 2**62 - 256, 2**62 - 257, -(2**62), 0]


def in_a_loop():
    """`as_float` and, where it is defined, `few_as_float` of every entry of an array, compiled anew."""

    @numba.njit
    def floats(whole, shift, out, few):
        for i in range(len(whole)):
            out[i] = _machine.as_float(whole[i], shift)
        for i in range(len(whole)):
            few[i] = _machine.few_as_float(whole[i] & (2**52 - 1))

    return floats


@needs_compiler
@pytest.mark.parametrize("by_halves", [True, False])
def test_floats_of_whole_numbers_are_rounded_once(by_halves, monkeypatch):
    monkeypatch.setattr(_machine, "_one_at_a_time", lambda: by_halves)
    floats = in_a_loop()

    def compare(whole, shift):
        out, few = np.empty((2, len(whole)))
        floats(np.array(whole, dtype=np.int64), shift, out, few)
        assert out.tolist() == [float(one >> shift) for one in whole] == [_machine.as_float(one, shift) for one in whole]
        assert few.tolist() == [float(one & (2**52 - 1)) for one in whole]

    @settings(max_examples=300, deadline=None)
    @given(st.lists(st.integers(-(2**62), 2**62) | st.sampled_from(EDGES), min_size=1, max_size=20), st.integers(0, 30))
    def check(whole, shift):
        compare(whole, shift)

    check()
    for shift in range(31):
        compare(EDGES, shift)


@needs_compiler
def test_floats_of_few_bits_go_to_the_nearest_whole_number():
    """Halves to the even one; up to 2^51, as in plain Python."""

    @numba.njit
    def whole(floats, out):
        for i in range(len(floats)):
            out[i] = _machine.few_rounded(floats[i])

    @settings(max_examples=300, deadline=None)
    @given(st.lists(st.floats(-(2.0**51), 2.0**51), min_size=1, max_size=20))
    def check(floats):
        floats += [s * (2.0**k + half) for s in (1, -1) for k in (0, 1, 30, 50) for half in (-0.75, -0.5, 0.25, 0.5, 1.5)]
        floats += [0.0, -0.0, 0.5, -0.5, 0.49999999999999994, 5e-324, 2.0**51, -(2.0**51)]
        out = np.empty(len(floats), dtype=np.int64)
        whole(np.array(floats), out)
        assert out.tolist() == [round(x) for x in floats] == [_machine.few_rounded(x) for x in floats]

    check()


@needs_compiler
def test_eight_codes_in_one_look():
    codes = np.random.default_rng(0).integers(0, 256, 40).astype(np.uint8)
    look = numba.njit(lambda codes, i: _machine.read_eight(codes, i))
    for i in range(33):
        assert look(codes, i) == _machine.read_eight(codes, i)
        assert [(look(codes, i) >> 8 * k) & 255 for k in range(8)] == codes[i : i + 8].tolist()


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int8, object])
@pytest.mark.parametrize("make", [np.zeros, np.empty])
def test_arrays_begin_with_a_line_of_the_cache(make, kind):
    found = [_machine.lined((n, 3), kind, make) for n in range(1, 40)]
    assert [each.shape for each in found] == [(n, 3) for n in range(1, 40)]
    assert all(each.ctypes.data % _machine.LINE == 0 and each.dtype == kind and each.flags.c_contiguous for each in found)
    assert make is np.empty or not any(each.any() for each in found)


@needs_compiler
def test_powers_of_a_half():
    power = numba.njit(lambda k: _machine.power_of_half(k))
    assert [power(k) for k in range(1023)] == [_machine.power_of_half(k) for k in range(1023)] == [0.5**k for k in range(1023)]


@_machine.apart
def scaled_end(v, by):
    """The last entry, times `by`, and how many there are."""
    return v[len(v) - 1] * by, len(v)


@needs_compiler
def test_a_kernel_apart_is_called_from_a_loop_once_it_is_ready():
    @numba.njit
    def twice(v, by):
        return scaled_end(v, by), scaled_end(v, 3)

    v = np.array([1.0, 2.5])
    with pytest.raises(numba.TypingError, match=r"scaled_end is not ready for \(Array\(float64, 1, 'A'"):
        twice(v[::-1], 2)
    assert scaled_end.ready(v, 2)(v, 2) == (5.0, 2) == scaled_end(v, 2)
    assert scaled_end.ready(v, 4) is scaled_end.ready(v + 1, 5) is not scaled_end.ready(v, 0.5)
    assert twice(v, 2) == ((5.0, 2), (7.5, 2))
