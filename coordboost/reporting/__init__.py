"""User interfaces: plots, the HTML report of a run, the command line, the quick start."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
