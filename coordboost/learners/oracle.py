"""Adapter for a user's own weak-learner oracle: adds the methods that it lacks."""

import math
from typing import Any

import numpy as np

from coordboost.learners.base import Learners

#: Methods and attributes that an oracle may have, in place of those derived from `scan` and
#: `column`.
OWN = (
    "correlations",
    "dot",
    "add",
    "gather",
    "combine",
    "cross",
    "gram",
    "name",
    "at",
    "groups",
    "scan_cost",
    "apart",
)


class Oracle(Learners):
    """Adapter that makes learners of a ``Problem`` from an object of your own.

    The object has ``n_samples``, ``n_learners``, ``scan(v)`` and ``column(j)``.

    Other methods (``correlations``, ``dot``, ``add``, ``gather``, ``combine``, ``cross``, ``gram``,
    ``name``, ``groups``, ``at``, ``scan_cost``, ``apart``) are used if the object has them, and are
    derived from the four otherwise. The columns must have unit norm. Loops over an oracle run in
    plain Python. ``Problem(source, y)`` wraps such an object automatically.

    Parameters
    ----------
    source : object
        An object with ``n_samples``, ``n_learners``, ``scan(v)`` and ``column(j)``.

    Raises
    ------
    ValueError
        If a required method is missing, or a class is passed in place of an object.

    Examples
    --------
    Step functions that change sign between two neighbouring samples; a scan is one cumulative sum.

    >>> import numpy as np
    >>> import coordboost as cb
    >>> class Steps:
    ...     n_samples, n_learners = 4, 3
    ...
    ...     def scan(self, v):
    ...         return np.cumsum(v)[:-1] - v.sum() / 2
    ...
    ...     def column(self, j):
    ...         return np.where(np.arange(4) <= j, 0.5, -0.5)
    >>> learners = cb.learners.Oracle(Steps())
    >>> learners.scan(np.array([-2.0, -2, 2, 2])), learners.dot(1, np.ones(4))
    (array([-2., -4., -2.]), np.float64(0.0))
    """

    required = ("n_samples", "n_learners", "scan", "column")

    def __init__(self, source: Any) -> None:
        missing = [verb for verb in self.required if not hasattr(source, verb)]
        if isinstance(source, type):
            raise ValueError(
                f"an oracle must be an object, not a class: pass {source.__name__}(...), not "
                f"{source.__name__}."
            )
        if missing:
            raise ValueError(
                f"an oracle needs {', '.join(self.required)}; {type(source).__name__} lacks "
                f"{', '.join(missing)}."
            )
        self.source = source
        for name in OWN:
            own = getattr(source, name, None)
            if own is not None and getattr(type(source), name, None) is not getattr(Learners, name):
                setattr(self, name, own)

    @property
    def n_samples(self):
        return self.source.n_samples

    @property
    def n_learners(self):
        return self.source.n_learners

    def scan(self, v):
        return self._finite("scan", self.source.scan(v), self.n_learners)

    def column(self, j):
        return self._finite("column", self.source.column(j), self.n_samples)

    def at(self, X):
        raise ValueError(
            "the oracle has no method at(X) that returns its learners on new rows: it cannot "
            "predict."
        )

    def _finite(self, verb, values, length):
        """Return the result of a method as `length` floats.

        Raise a ValueError unless all are finite.
        """
        try:
            numbers = np.asarray(values, dtype=np.float64)
        except (TypeError, ValueError):
            numbers = np.full(length, np.nan)
        if numbers.shape != (length,) or not (
            math.isfinite(np.dot(numbers, numbers)) or np.isfinite(numbers).all()
        ):
            got = f"shape {numbers.shape}" + (
                " with NaN or infinity" if numbers.shape == (length,) else ""
            )
            raise ValueError(
                f"{type(self.source).__name__}.{verb} must return {length} finite numbers, got "
                f"{got}."
            )
        return numbers
