"""Named methods: a selection rule, a step rule and a coefficient rule each, with their sources."""

from coordboost.methods.named import (
    METHODS,
    Structured,
    agbm,
    agbmr,
    ccd,
    forward_stagewise,
    forward_stepwise,
    frank_wolfe,
    frank_wolfe_away,
    frank_wolfe_pairwise,
    gbm,
    gcd,
    lasso_cd,
    ls_boost,
    path_forward_stagewise,
    rcd,
    regularized_forward_stagewise,
    rgb,
    rtgcd,
    sgb,
    sglb,
    vagbm,
)

__all__ = [
    "METHODS", "Structured", "agbm", "agbmr", "ccd", "forward_stagewise", "forward_stepwise", "frank_wolfe", "frank_wolfe_away",
    "frank_wolfe_pairwise", "gbm", "gcd", "lasso_cd", "ls_boost", "path_forward_stagewise", "rcd", "regularized_forward_stagewise",
    "rgb", "rtgcd", "sgb", "sglb", "vagbm",
]  # fmt: skip
