"""A user's own weak-learner oracle, given every verb it did not bring."""

import numpy as np


class Oracle:
    """Adapter: any object with ``n_samples``, ``n_learners``, ``scan(v)`` and ``column(j)`` becomes a dictionary.

    Verbs that the object has itself (``correlations``, ``dot``, ``add``, ``combine``, ``gather``, ``at``) are used as they are.
    Its columns must have unit norm. Loops over an oracle run in plain Python.

    Raises
    ------
    ValueError
        If a required verb is missing.
    """

    required = ("n_samples", "n_learners", "scan", "column")

    def __init__(self, source):
        missing = [verb for verb in self.required if not hasattr(source, verb)]
        if missing:
            raise ValueError(f"an oracle needs {', '.join(self.required)}; {type(source).__name__} lacks {', '.join(missing)}.")
        self.source = source
        for verb in ("correlations", "dot", "add", "combine", "gather"):
            if hasattr(source, verb):
                setattr(self, verb, getattr(source, verb))

    @property
    def n_samples(self):
        return int(self.source.n_samples)

    @property
    def n_learners(self):
        return int(self.source.n_learners)

    def scan(self, v):
        return self._checked("scan", self.source.scan(v), self.n_learners)

    def column(self, j):
        return self._checked("column", self.source.column(j), self.n_samples)

    def _checked(self, verb, values, length):
        try:
            out = np.asarray(values, dtype=np.float64)
        except (TypeError, ValueError):
            out = np.full(length, np.nan)
        if out.shape != (length,) or not np.isfinite(out).all():
            raise ValueError(
                f"{type(self.source).__name__}.{verb} must return {length} finite numbers, got shape {out.shape}"
                + ("." if out.shape != (length,) else " with NaN or infinity.")
            )
        return out

    def correlations(self, v, index):
        return self.scan(v)[index]

    def dot(self, j, v):
        return self.column(j) @ v

    def add(self, j, a, v):
        v += a * self.column(j)

    def combine(self, beta):
        """B beta, shape (n_samples,)."""
        support = np.flatnonzero(beta)
        return self.gather(support) @ beta[support]

    def gather(self, index):
        """The learners `index` as a dense (n_samples, len(index)) matrix."""
        return np.column_stack([self.column(j) for j in index]) if len(index) else np.zeros((self.n_samples, 0))

    def gram(self, weight):
        """B' diag(weight) B, shape (n_learners, n_learners)."""
        columns = self.gather(np.arange(self.n_learners))
        return (columns.T * weight) @ columns
