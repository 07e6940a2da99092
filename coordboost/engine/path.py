"""The record of a run: one row per step."""

from dataclasses import dataclass, fields

import numpy as np


@dataclass(frozen=True, eq=False)
class Path:
    """Step k moved the coefficients by the row (learner[k], shrink[k], theta[k]); the method's store of coefficients says how.

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
        """One path from its consecutive parts; a single one is that path."""
        parts = list(parts) or [cls.empty()]
        names = [field.name for field in fields(cls)]
        return (
            parts[0] if len(parts) == 1 else cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))
        )

    def cut(self, start, stop):
        """Steps start, ..., stop - 1."""
        return Path(self.learner[start:stop], self.shrink[start:stop], self.theta[start:stop])


#: Most steps that a record makes room for at once.
ROOM = 1 << 22


class Record:
    """A path being written. Room is made for many steps at once: large arrays come in large pages, and only as they are filled."""

    def __init__(self, path=None):
        self._parts, self._open, self._filled = [path] if path is not None else [], Path.empty(), 0

    def room(self, n_steps, ahead):
        """Rows for the next `n_steps`, of which `ahead` or more are to come in all; those made are to be `keep`-ed."""
        if self._filled + n_steps > len(self._open):
            held, self._parts = self._filled, [*self._parts, self._open.cut(0, self._filled)]
            self._open, self._filled = Path.empty(max(n_steps, min(ROOM, max(held, ahead)))), 0
        return self._open.cut(self._filled, self._filled + n_steps)

    def keep(self, n_steps):
        """The first `n_steps` of the rows that `room` gave are written."""
        self._filled += n_steps

    @property
    def path(self):
        """The steps so far."""
        parts = [part for part in [*self._parts, self._open.cut(0, self._filled)] if len(part)]
        if len(parts) > 1:
            self._parts, self._open, self._filled = [Path.join(parts)], Path.empty(), 0
            return self._parts[0]
        return Path.join(parts)
