"""Warnings that point to the line of the user: the first one outside the package."""

import contextlib
import os
import sys
import warnings
from pathlib import Path

#: Files whose lines are not the user's: those of the package.
OURS = str(Path(__file__).parents[1]) + os.sep
#: Parts of the names of other files that are not: decorators of the standard library and of
#: scikit-learn.
DECORATORS = contextlib.__file__, f"{os.sep}sklearn{os.sep}callback{os.sep}"


def warn(message, category=UserWarning):
    """Warn of `message` at the line outside the package that led here."""
    frame = sys._getframe(1)
    level = 2
    while frame.f_back is not None and _is_ours(frame.f_code.co_filename):
        frame = frame.f_back
        level = level + 1
    warnings.warn(message, category, stacklevel=level)


def _is_ours(file):
    return file.startswith(OURS) or any(folder in file for folder in DECORATORS)
