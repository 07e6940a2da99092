"""The kernels of a piece as loops have them, called from plain Python."""

from coordboost._numba import compiled, verb
from coordboost.dictionaries.base import Learners
from coordboost.screening.scan import scan

_column, _correlations, _dot, _add = (verb(name) for name in ("column", "correlations", "dot", "add"))


def run_column(dictionary, j):
    """The verb `column`, to be compiled."""
    return _column(dictionary, j)


def run_correlations(dictionary, v, index):
    """The verb `correlations`, to be compiled."""
    return _correlations(dictionary, v, index)


def run_dot(dictionary, j, v):
    """The verb `dot`, to be compiled."""
    return _dot(dictionary, j, v)


def run_add(dictionary, j, a, v):
    """The verb `add`, to be compiled."""
    _add(dictionary, j, a, v)


class Compiled:
    """The same as `piece`, its kernels as loops have them: in plain Python a million samples take them a second."""

    def __init__(self, piece):
        self.piece = piece

    def __getattr__(self, name):
        return getattr(self.piece, name)

    def gather(self, index):
        return Learners.gather(self, index) if type(self.piece).gather is Learners.gather else self.piece.gather(index)

    def combine(self, beta):
        return Learners.combine(self, beta) if type(self.piece).combine is Learners.combine else self.piece.combine(beta)

    def scan(self, v):
        return scan(self.piece, v)

    def column(self, j):
        return compiled(run_column, (self.piece,))(self.piece, j)

    def correlations(self, v, index):
        return compiled(run_correlations, (self.piece,))(self.piece, v, index)

    def dot(self, j, v):
        return compiled(run_dot, (self.piece,))(self.piece, j, v)

    def add(self, j, a, v):
        compiled(run_add, (self.piece,))(self.piece, j, a, v)
