"""Families of learners on the columns of a table in bins."""

import copy

from coordboost._utils.checks import no_data
from coordboost.learners.base import LearnerFamily


class TableFamily(LearnerFamily):
    """Abstract base of families on a table: they can be moved to new rows, or kept without rows.

    binned, binning : the table in bins, and the bins for new rows
    """

    #: What takes the rows, as the subject of a sentence.
    of_rows: str

    def __init__(self, binned, binning):
        self.binned = binned
        self.n_samples = binned.n_samples
        self.binning = binning

    def __getattr__(self, name):
        if name == "binned":
            raise no_data(f"{self.of_rows}, or evaluating them on the rows of the fit,")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def at(self, rows):
        """The same family on new rows, a ``Binned``."""
        family = copy.copy(self)
        family.binned = rows
        family.n_samples = rows.n_samples
        return family

    def without_data(self):
        """The same family without the binned table: its learners can still predict."""
        family = copy.copy(self)
        del family.binned
        return family
