"""Data: from X and y to a problem with finite numbers and unit columns; weak learners made from X; tables from files."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
