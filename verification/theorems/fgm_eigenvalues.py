r"""Eigenvalues and the contraction factor (Section 1 (9), Section 2).

Problem: unit columns of any rank.

Method: none.

Assumptions: unit columns; X is not 0.

Claim: upper, (9): 0 < lambda_pmin <= lambda_max <= p, hence gamma in [3/4, 1) for 0 < eps <= 1;
gamma falls in eps on (0, 1]; the classical condition number is at most kappa if the rank is p.
Sharpened: kappa >= rank.

Constants: from the thin SVD.

Measured: the constants of each problem.

Reference: Freund, Grigas, Mazumder, (8), (9); kappa >= rank is ours, from trace(X'X) = p.
"""

from dataclasses import replace

import numpy as np

from coordboost.theory.bounds import BoundCheck, Constants, ls_boost
from verification.cases import as_it_is, identity, problem
from verification.spaces.walks import LS
from verification.statement import claim, problem_of

U = float(np.finfo(float).eps)


class Facts:
    """The non-zero singular values of the columns of a problem, as many as the numerical rank, and
    its constants.
    """

    def __init__(self, given, stretch=1.0):
        B = stretch * given.dictionary.gather(np.arange(given.n_learners))
        values = np.linalg.svd(B, compute_uv=False)
        self.singular = values[values > max(B.shape) * U * values[0]]
        self.constants = Constants.of(given)
        self.p = given.n_learners
        self.slack = 8 * max(B.shape) * U * self.p

    @property
    def rank(self):
        """Number of non-zero singular values."""
        return len(self.singular)


def _facts_of(shape, numbers):
    walk = LS.make(shape, numbers)
    return None if walk is None else Facts(problem_of(walk))


COLUMNS = replace(
    LS,
    name="up to 4 unit columns",
    make=_facts_of,
    exact=False,
    has=lambda case: isinstance(case, Facts),
)


@claim("(9)", COLUMNS, printed="verified")
def check_order(case, variant):
    """lambda_pmin <= lambda_max <= p."""
    low = case.singular[-1] ** 2
    high = case.singular[0] ** 2
    return BoundCheck(
        check_order.statement, variant, "upper", [low, high], [high, case.p], case.slack
    )


@claim("lambda_pmin of the package", COLUMNS, printed="verified")
def check_value(case, variant):
    """lambda_pmin equals that of an independent SVD.

    It is never the rounding error of an eigenvalue 0.
    """
    return BoundCheck(
        check_value.statement,
        variant,
        "tight",
        case.constants.lambda_pmin,
        case.singular[-1] ** 2,
        case.slack,
    )


@claim("gamma in [3/4, 1)", COLUMNS, printed="verified")
def check_gamma(case, variant):
    """0 < 1 - gamma <= 1/4, growing with eps on (0, 1]."""
    x = np.array([ls_boost.decrease(case.constants, eps) for eps in np.linspace(0.01, 1, 100)])
    return BoundCheck(check_gamma.statement, variant, "upper", np.r_[0, x], np.r_[x, 0.25], U)


@claim("Condition numbers", COLUMNS, printed="verified")
def check_classical(case, variant):
    """lambda_max / lambda_min <= kappa = p / lambda_pmin, if the rank is p."""
    if case.rank < case.p:
        return None
    classical = (case.singular[0] / case.singular[-1]) ** 2
    return BoundCheck(
        check_classical.statement,
        variant,
        "upper",
        classical,
        case.constants.kappa,
        case.slack * classical,
    )


@claim("kappa is at least the rank", COLUMNS, sharpened="verified")
def check_rank(case, variant):
    """Kappa >= rank, as the eigenvalues sum to p."""
    return BoundCheck(
        check_rank.statement,
        variant,
        "upper",
        case.rank,
        case.constants.kappa,
        case.slack * case.constants.kappa,
    )


def _facts(name):
    return lambda: Facts(problem(name))


CASES = {
    "identity": lambda: Facts(identity()),
    "two equal columns": lambda: Facts(as_it_is(np.ones((4, 2)) / 2, np.arange(4.0))),
    **{
        name: _facts(name)
        for name in ("60 x 20", "30 x 80", "rank-deficient", "correlated", "diabetes")
    },
}


def _long(case):
    """Columns of norm 2."""
    return BoundCheck(
        "columns of norm 2", "printed", "upper", 4 * case.singular[0] ** 2, case.p, case.slack
    )


def _dust(case):
    """The rounding error of an eigenvalue 0 in place of lambda_pmin."""
    return BoundCheck("dust", "printed", "tight", case.constants.lambda_pmin, 1e-17, case.slack)


SABOTAGE = {
    check_order: {"columns of norm 2": _long},
    check_value: {"the smallest number that is positive": _dust},
    check_gamma: {
        "without the 4": lambda case: BoundCheck(
            "no 4", "printed", "upper", ls_boost.decrease(case.constants, 1.0, "sharpened"), 0.25, U
        )
    },
    check_classical: {
        "kappa without p": lambda case: (
            None
            if case.rank < case.p
            else BoundCheck(
                "no p",
                "printed",
                "upper",
                (case.singular[0] / case.singular[-1]) ** 2,
                1 / case.constants.lambda_pmin,
                case.slack,
            )
        )
    },
    check_rank: {
        "one more": lambda case: BoundCheck(
            "one more", "sharpened", "upper", case.rank + 1, case.constants.kappa, case.slack
        )
    },
}
