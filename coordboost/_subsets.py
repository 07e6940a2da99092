"""Subsets drawn at random, and how many may be drawn."""

import numpy as np

from coordboost._checks import shown

#: From so many things on NumPy's own choice is faster than a number for each of them: 1,000 times as fast for 100 of a million.
MANY = 10_001
#: Up to so many of them Floyd's algorithm, on all rows at once.
FEW = 48
#: Rows of the first part, where they are made part by part.
FIRST = 64


def draw_subsets(rng, n_rows, t, n):
    """Uniform t-subsets of ``range(n)``, one per row, sorted; int64 (n_rows, t).

    Floyd's algorithm on all rows at once; for large t the t smallest of n random numbers, or NumPy's choice. *Memory*: the result.
    """
    rows = np.empty((n_rows, t), dtype=np.int64)
    _fill(rows, _tries(rng, n_rows, t, n), rng, n)
    return rows


def subsets_in_parts(rng, n_rows, t, n):
    """The same rows, part by part, each as they are asked for: a short part first, then twice as many rows as in the part before."""
    tries, first, length = _tries(rng, n_rows, t, n), 0, FIRST
    while first < n_rows:
        rows = np.empty((min(length, n_rows - first), t), dtype=np.int64)
        _fill(rows, tries[:, first : first + length], rng, n)
        yield rows
        first, length = first + length, 2 * length


def _tries(rng, n_rows, t, n):
    """The numbers that Floyd's algorithm takes, (t, n_rows), drawn for all rows before one is made; none for another algorithm."""
    tries = np.empty((t if t <= FEW and t < n else 0, n_rows), dtype=np.int64)
    for i in range(len(tries)):
        tries[i] = rng.integers(0, n - t + i + 1, size=n_rows)
    return tries


def _fill(rows, tries, rng, n):
    """Make some rows, from their `tries` (t, n_rows) if there are any; else the generator is asked for one row after the other."""
    t = rows.shape[1]
    if t == n:
        rows[:] = np.arange(n)
        return
    if len(tries):
        for i, fresh in enumerate(tries):
            rows[:, i] = np.where((rows[:, :i] == fresh[:, None]).any(axis=1), n - t + i, fresh)
    else:
        for row in rows:
            row[:] = np.argpartition(rng.random(n), t - 1)[:t] if n < MANY else rng.choice(n, t, replace=False, shuffle=False)
    rows.sort(axis=1)


def check_count(name, t, n, what):
    """Refuse a `t` that is no number of things, of which there are n."""
    if isinstance(t, bool) or not (isinstance(t, int | np.integer) and 1 <= t <= n):
        raise ValueError(f"{name}: t must be a whole number from 1 to {n} (the number of {what}), got {shown(t)}.")
