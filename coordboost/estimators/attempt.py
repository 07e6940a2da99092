"""A fit is made as a whole, or not at all."""

import inspect
from functools import wraps

from coordboost._checks import InfiniteConstant
from coordboost._numba import silently
from coordboost.estimators.names import refuse_call
from coordboost.interrupt import uncut


def all_or_nothing(fit):
    """`fit`; where it raises, the estimator is as it was before: no part of a new fit stands beside an older model.

    Ctrl-C raises, too: no run or path within is cut short. Arguments that it does not have are refused as ``names.refuse_call`` says,
    and what a sentence tells to do can be done where it is said.
    """
    signature = inspect.signature(fit)

    @wraps(fit)
    def attempt(self, *args, **given):
        refuse_call(self, fit, signature, args, given)
        before = dict(vars(self))
        try:
            with uncut(), silently():
                return fit(self, *args, **given)
        except BaseException as error:
            vars(self).clear()
            vars(self).update(before)
            if isinstance(error, InfiniteConstant):
                error.args = error.args[0], "add rows with other targets" + (", or take other folds (cv)" if hasattr(self, "cv") else "")
            raise

    return attempt
