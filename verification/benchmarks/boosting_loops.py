"""Forward stagewise and LS-Boost as hand-written loops: the contestants that are not packages."""

import numpy as np


def gram_columns(rows, y, eps, n_steps, proportional=False):
    """Return a run of a compiled loop: all correlations are updated with the cached Gram column of
    the chosen learner.
    """
    import numba

    @numba.njit
    def burst(corr, cache, slot, eps, picks, k):
        while k < len(picks):
            j, size = 0, -1.0
            for i in range(len(corr)):
                if abs(corr[i]) > size:
                    size = abs(corr[i])
                    j = i
            if slot[j] < 0:
                return k, j
            step = eps * corr[j] if proportional else eps if corr[j] > 0 else -eps
            column = cache[slot[j]]
            for i in range(len(corr)):
                corr[i] -= step * column[i]
            picks[k] = j
            k += 1
        return k, -1

    def run():
        corr = rows @ y
        picks = np.zeros(n_steps, dtype=np.int64)
        slot = np.full(len(rows), -1)
        cache = np.empty((64, len(rows)))
        held = 0
        k = 0
        while k < n_steps:
            k, j = burst(corr, cache, slot, eps, picks, k)
            if j >= 0:
                if held == len(cache):
                    cache = np.concatenate([cache, np.empty_like(cache)])
                cache[held], slot[j] = rows @ rows[j], held
                held += 1
        return picks, None

    return run


def numpy_scans(rows, y, eps, n_steps, proportional=False):
    """Return a run of the five-line reference in NumPy: one scan per step."""

    def run():
        resid = y.copy()
        picks = np.zeros(n_steps, dtype=np.int64)
        for k in range(n_steps):
            corr = rows @ resid
            j = picks[k] = np.argmax(np.abs(corr))
            resid -= eps * (corr[j] if proportional else np.sign(corr[j])) * rows[j]
        return picks, None

    return run
