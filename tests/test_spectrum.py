"""Singular values through a Gram matrix: those of the columns, from whole products, and once for all that ask."""

import numpy as np
import pytest
import scipy.linalg

import coordboost as cb
from coordboost.spectrum import Spectrum

RNG = np.random.default_rng(5)
X = RNG.normal(size=(30, 6))
X[:, 5] = X[:, 0] + 1e-7 * RNG.normal(size=30)  # one singular value that the Gram matrix does not show
WEIGHT = RNG.integers(1, 4, 30).astype(float)


@pytest.mark.parametrize("wide", [False, True])
def test_stored_columns_are_not_put_together_one_by_one(wide, monkeypatch):
    monkeypatch.setattr("coordboost.spectrum.MAX_ENTRIES", 10)
    table, weight = (X.T, WEIGHT[:6]) if wide else (X, WEIGHT)
    problem = cb.Problem(table, np.arange(len(table)) ** 2.0, sample_weight=weight)
    B = np.sqrt(weight)[:, None] * problem.gather(np.arange(problem.n_learners))
    monkeypatch.setattr(cb.Dense, "combine", None)
    monkeypatch.setattr(cb.Problem, "scan", None)
    found = problem.spectrum
    left, singular, _ = scipy.linalg.svd(B, full_matrices=False)
    assert found.rank == (5 if wide else 6)
    # small ones are factored again, so every one is right to some roundings of the largest
    np.testing.assert_allclose(found.singular, singular[: found.rank], rtol=0, atol=64 * np.finfo(float).eps * singular[0])
    # directions of singular values that are 1e7 apart: the rounding of the large one, seen from the small one
    left = left[:, : found.rank]
    np.testing.assert_allclose(found.left @ found.left.T, left @ left.T, atol=1e-7)


def test_a_check_takes_the_spectrum_of_the_certificate(monkeypatch):
    made, real = [], Spectrum.of.__func__
    monkeypatch.setattr(Spectrum, "of", classmethod(lambda cls, problem: made.append(problem) or real(cls, problem)))
    run = cb.solve(cb.Problem(X, X[:, 0] - RNG.normal(size=30)), cb.ls_boost(0.5), 5, compile=False)
    run.certificate()
    cb.check(run)
    assert made == [run.problem]
