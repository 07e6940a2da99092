"""Random numbers inside kernels: each is a function of its address, and they are normal."""

import math

import numpy as np
import pytest
from reference_sets import needs_compiler
from scipy import stats

from coordboost import _noise
from coordboost._generic import compiled, interpreted
from coordboost.pieces.perturbation import Structure

ONE = np.ones(1)


def fill(seed, stream, step, scale, root, base, out):
    """Normal numbers at an address, to be compiled."""
    _noise.add_noise(_noise.key_of(seed, stream, step), scale, root, base, out)


def some(seed, stream, step, share, values, out):
    """A part of the values, to be compiled."""
    _noise.keep_some(_noise.key_of(seed, stream, step), share, values, out)


def numbers(n, seed=1, stream=1, step=0, run=None):
    out = np.zeros(n)
    (run or compiled(fill, ()))(seed, stream, step, 1.0, ONE, np.zeros(n), out)
    return out


def test_plain_python_makes_the_same_bits():
    plain = numbers(3001, seed=1 << 61, run=interpreted(fill))
    assert np.array_equal(plain, numbers(3001, seed=1 << 61))
    key = interpreted(_noise.key_of)(1 << 61, 1, 0)
    one = interpreted(_noise.normal)
    assert [one(key, i) for i in (0, 1, 2999, 3000)] == plain[[0, 1, 2999, 3000]].tolist()


def test_a_number_depends_on_its_address_alone():
    whole = numbers(100)
    assert np.array_equal(numbers(7), whole[:7]) and np.array_equal(numbers(8), whole[:8])
    for other in ({"seed": 2}, {"stream": 2}, {"step": 1}):
        assert not np.isin(numbers(100, **other), whole).any()


def test_scale_root_and_base():
    rng = np.random.default_rng(0)
    base, root, out, z = rng.normal(size=9), rng.random(9), np.zeros(9), numbers(9)
    compiled(fill, ())(1, 1, 0, 0.5, root, base, out)
    assert np.array_equal(out, base + 0.5 * root * z)
    compiled(fill, ())(1, 1, 0, 0.5, root[:1], base, out)
    assert np.array_equal(out, base + 0.5 * root[0] * z)


@needs_compiler
@pytest.mark.parametrize("seed", [1, 2])
def test_numbers_are_normal(seed):
    """Counts in 40 cells, tails, four moments and products of neighbours, each at 5.2 standard errors: 2e-7 a figure, 60 figures."""
    n = 1 << 21
    z = numbers(n, seed)
    edges = np.concatenate([np.arange(-3.6, 3.61, 0.2), [_noise.TAIL, 4.0, 4.5, math.inf]])
    found, p = np.histogram(z, edges)[0], np.diff(stats.norm.cdf(edges))
    assert (np.abs(found - n * p) <= 5.2 * np.sqrt(n * p) + 5).all()
    for power, mean, variance in ((1, 0, 1), (2, 1, 2), (3, 0, 15), (4, 3, 96)):
        assert abs(np.mean(z**power) - mean) < 5.2 * math.sqrt(variance / n)
    for lag in (1, 2, 3, 64):
        assert abs(np.mean(z[lag:] * z[:-lag])) < 5.2 / math.sqrt(n - lag)


@needs_compiler
def test_addresses_are_not_alike():
    """The same number at 4,096 steps, of 16 streams: mean, variance and products of neighbours at 5.2 standard errors, 50 figures."""
    run, n = compiled(fill, ()), 4096
    for stream in range(16):
        z = np.concatenate([numbers(1, 3, stream, step, run) for step in range(n)])
        assert abs(z.mean()) < 5.2 / math.sqrt(n) and abs(np.mean(z * z) - 1) < 5.2 * math.sqrt(2 / n)
        assert abs(np.mean(z[1:] * z[:-1])) < 5.2 / math.sqrt(n - 1)


@needs_compiler
def test_a_part_is_kept_and_counts_for_all():
    """Each with the same probability, at 5.2 standard errors, and neighbours apart from each other."""
    n, share, values, out = 1 << 18, 0.3, np.full(1 << 18, 2.0), np.zeros(1 << 18)
    compiled(some, ())(5, 3, 11, share, values, out)
    kept = out != 0
    assert np.array_equal(out[kept], values[kept] / share)
    sd = math.sqrt(share * (1 - share) / n)
    assert abs(kept.mean() - share) < 5.2 * sd
    assert abs(np.mean(kept[1:] & kept[:-1]) - share**2) < 5.2 * share / math.sqrt(n)
    small = np.zeros(50)
    interpreted(some)(5, 3, 11, share, values[:50], small)
    assert np.array_equal(small, out[:50])


def test_files_keep_the_number_of_a_structure():
    assert {kind.name: int(kind) for kind in Structure} == {"NONE": 0, "OWN": 1, "SAME": 2}
