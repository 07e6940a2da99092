"""Boosting as convex optimisation over the coefficients of a weak-learner matrix.

A public name is loaded when it is first used. ``__init__.pyi`` lists the names and where each lives.
"""

import ast
import importlib
import sys
from pathlib import Path
from types import ModuleType

__version__ = "0.1.0"

_LIST = ast.parse(Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
#: The module that each public name is imported from.
_HOME = {alias.name: line.module for line in _LIST.body if isinstance(line, ast.ImportFrom) for alias in line.names}
__all__ = sorted(_HOME)


def __getattr__(name):
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = _HOME[name]
    if home == __name__:
        return importlib.import_module(f"{home}.{name}")
    value = globals()[name] = getattr(importlib.import_module(home), name)
    return value


def __dir__():
    return sorted([*__all__, "__version__"])


class _Package(ModuleType):
    """The package: loading its module ``solve`` or ``certify`` must not hide the function of that name."""

    def __setattr__(self, name, value):
        if not (isinstance(value, ModuleType) and _HOME.get(name, __name__) != __name__):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
