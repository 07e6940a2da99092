"""A user's own weak-learner oracle, given every verb it did not bring."""

import functools
import math

import numpy as np

from coordboost._protocol import DICTIONARY


class Oracle:
    """Adapter: any object with ``n_samples``, ``n_learners``, ``scan(v)`` and ``column(j)`` becomes a dictionary.

    Other verbs of a dictionary (``correlations``, ``dot``, ``add``, ``gather``, ``combine``, ``cross``, ``gram``, ``name``, ``groups``,
    ``at``, ``scan_cost``) are used as they are where the object has them, and follow from the four where it has not.
    Its columns must have unit norm. Loops over an oracle run in plain Python.

    Raises
    ------
    ValueError
        If a required verb is missing.
    """

    required = DICTIONARY.verbs

    def __init__(self, source):
        missing = [verb for verb in self.required if not hasattr(source, verb)]
        if isinstance(source, type):
            raise ValueError(f"an oracle must be an object, not a class: pass {source.__name__}(...), not {source.__name__}.")
        if missing:
            raise ValueError(f"an oracle needs {', '.join(self.required)}; {type(source).__name__} lacks {', '.join(missing)}.")
        self.source = source
        for verb, default in DICTIONARY.may.items():
            own = getattr(source, verb, None)
            if callable(own) or (own is not None and verb in ("groups", "scan_cost")):
                setattr(self, verb, own)
            elif callable(default):
                setattr(self, verb, functools.partial(default, self))

    @property
    def n_samples(self):
        return self.source.n_samples

    @property
    def n_learners(self):
        return self.source.n_learners

    def scan(self, v):
        return self._checked("scan", self.source.scan(v), self.n_learners)

    def column(self, j):
        return self._checked("column", self.source.column(j), self.n_samples)

    def at(self, X):
        raise ValueError("the oracle has no verb at(X) that gives the same learners on new rows: it cannot predict.")

    def _checked(self, verb, values, length):
        try:
            out = np.asarray(values, dtype=np.float64)
        except (TypeError, ValueError):
            out = np.full(length, np.nan)
        if out.shape != (length,) or not (math.isfinite(np.dot(out, out)) or np.isfinite(out).all()):
            raise ValueError(
                f"{type(self.source).__name__}.{verb} must return {length} finite numbers, got shape {out.shape}"
                + ("." if out.shape != (length,) else " with NaN or infinity.")
            )
        return out
