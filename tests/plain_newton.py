"""The logistic loss without a declared self-concordance: its Newton leaves are not damped, as in
other packages.
"""

import coordboost as cb


class PlainNewton(cb.losses.Logistic):
    """Newton leaves of the logistic loss are S / H."""

    __slots__ = ()
    self_concordance = None
