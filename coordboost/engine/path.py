"""The record of a run: one row per step."""

from dataclasses import dataclass, fields

import numpy as np


@dataclass(frozen=True, eq=False)
class Path:
    """Step k replaced beta by ``(1 - shrink[k]) beta`` and then added ``unit * theta[k]`` to coefficient ``learner[k]``.

    learner : int64 (n_steps,);  shrink, theta : float64 (n_steps,)
    """

    learner: np.ndarray
    shrink: np.ndarray
    theta: np.ndarray

    def __len__(self):
        return self.learner.shape[0]

    @classmethod
    def empty(cls, n_steps=0, dtype=np.float64):
        """Room for `n_steps` steps."""
        return cls(np.zeros(n_steps, dtype=np.int64), np.zeros(n_steps, dtype=dtype), np.zeros(n_steps, dtype=dtype))

    @classmethod
    def join(cls, parts):
        """One path from its consecutive parts."""
        parts = list(parts) or [cls.empty()]
        names = [field.name for field in fields(cls)]
        return cls(*(np.concatenate([getattr(part, field) for part in parts]) for field in names))

    def cut(self, start, stop):
        """Steps start, ..., stop - 1."""
        return Path(self.learner[start:stop], self.shrink[start:stop], self.theta[start:stop])
