"""User interfaces: plots, the HTML report of a run, the command line, the quick start."""

from coordboost._utils.lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
