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


class ConstantColumnWarning(UserWarning):
    """Columns without variation carry no weak learner and were set aside.

    Their coefficients are 0; ``problem.dropped`` lists their names.

    Examples
    --------
    >>> import warnings
    >>> import coordboost as cb
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     problem = cb.Problem([[1.0, 7], [2, 7], [3, 7]], [1.0, 2, 4])
    >>> print(caught[0].message)
    1 constant column(s) set aside, their coefficients are 0: x1.
    >>> problem.n_learners, problem.dropped
    (1, ['x1'])
    """


class LongStepWarning(UserWarning):
    """The eps of a stagewise run is so large that the first step increases the loss.

    Examples
    --------
    >>> import warnings
    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> with warnings.catch_warnings(record=True) as said:
    ...     warnings.simplefilter("always")
    ...     run = cb.solve(problem, cb.forward_stagewise(100.0), 3)
    >>> str(said[0].message).rpartition(". ")[2]
    'Try eps=0.03.'
    """


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
