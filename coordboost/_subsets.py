"""Subsets drawn at random, and how many may be drawn."""

import numpy as np

#: From so many things on NumPy's own choice is faster than a number for each of them: 1,000 times as fast for 100 of a million.
MANY = 10_001


def draw_subsets(rng, n_rows, t, n):
    """Uniform t-subsets of ``range(n)``, one per row, sorted; int64 (n_rows, t).

    Floyd's algorithm on all rows at once; for large t the t smallest of n random numbers, or NumPy's choice. *Memory*: the result.
    """
    if t == n:
        return np.broadcast_to(np.arange(n), (n_rows, n)).copy()
    rows = np.empty((n_rows, t), dtype=np.int64)
    if t <= 48:
        for i in range(t):
            last = n - t + i
            fresh = rng.integers(0, last + 1, size=n_rows)
            taken = (rows[:, :i] == fresh[:, None]).any(axis=1)
            rows[:, i] = np.where(taken, last, fresh)
    else:
        for row in rows:
            row[:] = np.argpartition(rng.random(n), t - 1)[:t] if n < MANY else rng.choice(n, t, replace=False, shuffle=False)
    rows.sort(axis=1)
    return rows


def check_count(name, t, n, what):
    """Refuse a `t` that is no number of things, of which there are n."""
    if not (isinstance(t, int | np.integer) and 1 <= t <= n):
        raise ValueError(f"{name}: t must be a whole number from 1 to {n} (the number of {what}), got {t!r}.")
