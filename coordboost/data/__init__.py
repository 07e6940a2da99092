"""Data: validate X and y and build a ``Problem`` with unit columns; weak learners made from X; tables from files."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
