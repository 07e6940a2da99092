"""Boosting as convex optimisation over the coefficients of a weak-learner matrix.

A public name is loaded when it is first used. ``__init__.pyi`` lists the names and where each lives. No module of this folder is called
like a public function: Python puts a module that is loaded under its name here, and would hide the function.
"""

import ast
import importlib
from pathlib import Path

__version__ = "0.1.0"

_LIST = ast.parse(Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
#: The module that each public name is imported from.
_HOME = {alias.name: line.module for line in _LIST.body if isinstance(line, ast.ImportFrom) for alias in line.names}
__all__ = sorted(_HOME)


def __getattr__(name):
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = _HOME[name]
    module = importlib.import_module(home)
    value = globals()[name] = getattr(module, name) if hasattr(module, name) else importlib.import_module(f"{home}.{name}")
    return value


def __dir__():
    return sorted([*__all__, "__version__"])
