"""Data: validate X and y and build a ``Problem`` with unit columns; weak learners made from X.

Tables from files.
"""

from coordboost._utils.lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
