"""An independent check: the problem is written in cvxpy and solved by a general solver.

It uses nothing of the package's own certificates: the losses are written in cvxpy, the upper end is
the objective at the solver's coefficients, and the lower end comes from the duality gap that the
solver reports.
"""

import warnings
from typing import NamedTuple

import numpy as np

from coordboost.certificates.objectives import Certificate, L1Ball
from coordboost.losses.standard import (
    Exponential,
    Gamma,
    Huber,
    Logistic,
    Poisson,
    Quantile,
    Squared,
    Tweedie,
)

#: Largest number of entries of B for which a general solver is called.
MAX_ENTRIES = 2_000_000
#: Relative tolerance given to the solver, and the relative rounding assumed of its values.
ROUNDED = 1e-11


class Solution(NamedTuple):
    """Result of a general solver.

    Its coefficients (n_learners,), the interval around the optimum from its reported gap, its name.
    """

    beta: np.ndarray
    interval: Certificate
    solver: str


def _terms(cp, loss, y, f):
    """The losses of the samples as a cvxpy expression."""
    table = {
        Squared: lambda: cp.square(y - f) / 2,
        Huber: lambda: cp.huber(y - f, loss.d) / 2,
        Logistic: lambda: cp.logistic(-cp.multiply(y, f)) + loss.d * cp.square(f) / 2,
        Exponential: lambda: cp.exp(-cp.multiply(y, f)),
        Poisson: lambda: cp.exp(f) - cp.multiply(y, f),
        Gamma: lambda: cp.multiply(y, cp.exp(-f)) + f,
        Tweedie: lambda: (
            cp.multiply(y, cp.exp((1 - loss.power) * f)) / (loss.power - 1)
            + cp.exp((2 - loss.power) * f) / (2 - loss.power)
        ),
        Quantile: lambda: loss.q * cp.pos(y - f) + (1 - loss.q) * cp.pos(f - y),
    }
    if type(loss) not in table:
        raise ValueError(
            f"the independent check does not support {type(loss).__name__}; certify without "
            "independent=True."
        )
    return table[type(loss)]()


def _penalty(cp, problem, target, beta):
    """The penalty of the coefficients, as a cvxpy expression."""
    if not hasattr(target, "prices"):
        raise ValueError(
            f"the independent check does not support {type(target).__name__}; certify without "
            "independent=True."
        )
    price, ridge = target.prices(problem)
    return price @ cp.abs(beta) + ridge @ cp.square(beta) / 2


def _limits(target, beta):
    """The finite limits of the coefficients, as constraints of cvxpy."""
    ends = [(getattr(target, "lower", None), 1.0), (getattr(target, "upper", None), -1.0)]
    finite = [
        (end, sign, np.flatnonzero(np.isfinite(end))) for end, sign in ends if end is not None
    ]
    return [sign * beta[some] >= sign * end[some] for end, sign, some in finite if len(some)]


def _run(model, solver, options):
    """Solve `model`, and return the duality gap and the infeasibility that the solver reports.

    Both are inf if it fails.
    """
    import cvxpy as cp

    data, chain, inverse = model.get_problem_data(solver, solver_opts=options)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "may be inaccurate": the gap shows it
            raw = chain.solve_via_data(model, data, solver_opts=options)
            model.unpack_results(raw, chain, inverse)
    except cp.error.SolverError:
        return np.inf, np.inf
    if solver == cp.OSQP:
        return abs(raw.info.obj_val - raw.info.dual_obj_val), raw.info.prim_res + raw.info.dual_res
    return abs(raw.obj_val - raw.obj_val_dual), raw.r_prim + raw.r_dual


def independent_solution(problem, target, free=False):
    """Solve the problem for `target` with a general solver; for trees, over the trees found so far.

    For the squared loss OSQP with polishing comes first, then Clarabel; for other losses Clarabel
    alone. The first answer as accurate as ``ROUNDED`` allows ends the search; otherwise the answer
    with the smallest gap is returned.

    Parameters
    ----------
    free : bool, default False
        Whether to fit an intercept too, in addition to the constant prediction of the problem.

    Returns
    -------
    Solution
        The upper end is the objective at the coefficients. The lower end is smaller by the reported
        duality gap, and by the reported infeasibility times 1 + the l1 norm + the abs objective.
        Both ends are moved out by the rounding ``ROUNDED``.

    Raises
    ------
    ValueError
        If the problem has more than ``MAX_ENTRIES`` entries, its loss or target has no independent
        form, or no solver finds an answer.
    """
    m = problem.n_samples
    n = problem.n_learners
    if m * n > MAX_ENTRIES:
        raise ValueError(
            f"an independent check of {m} x {n} is too large (limit {MAX_ENTRIES} entries); use "
            "the certificate alone."
        )
    import cvxpy as cp

    beta = cp.Variable(n)
    shift = cp.Variable() if free else 0.0
    terms = _terms(
        cp, problem.loss, problem.y, problem.gather(np.arange(n)) @ beta + problem.base + shift
    )
    objective = problem.weight @ terms + _penalty(cp, problem, target, beta)
    constraints = (
        [cp.norm1(beta) <= target.radius] if isinstance(target, L1Ball) else _limits(target, beta)
    )
    model = cp.Problem(cp.Minimize(objective), constraints)
    polish = {"eps_abs": 1e-9, "eps_rel": 1e-9, "polishing": True, "max_iter": 20_000}
    tight = {"tol_gap_abs": ROUNDED, "tol_gap_rel": ROUNDED, "tol_feas": ROUNDED}
    settings = [
        *([(cp.OSQP, polish)] if problem.loss.quadratic else []),
        (cp.CLARABEL, tight),
        (cp.CLARABEL, {}),
    ]
    answers = []
    for solver, options in settings:
        gap, missing = _run(model, solver, options)
        if not (
            np.isfinite(gap + missing) and beta.value is not None and np.isfinite(beta.value).all()
        ):
            continue
        l1 = float(np.abs(beta.value).sum())
        if isinstance(target, L1Ball) and l1 > target.radius:
            beta.value = beta.value * (target.radius / l1)
        if constraints and hasattr(target, "prices") and not isinstance(target, L1Ball):
            # solvers meet limits up to a tolerance
            beta.value = np.clip(beta.value, target.lower, target.upper)
        upper = float(objective.value)
        size = float(problem.weight @ np.abs(terms.value))
        error = gap + missing * (1 + l1 + abs(upper)) + ROUNDED * size
        interval = Certificate(
            target,
            upper - error,
            upper + ROUNDED * size,
            {"duality_gap": gap, "infeasibility": missing},
        )
        answers.append(Solution(beta.value, interval, str(solver)))
        if error <= 10 * ROUNDED * size:
            break
    if not answers:
        raise ValueError(
            "no general solver found a solution (unbounded or badly scaled?); use the "
            "certificate alone."
        )
    return min(answers, key=lambda answer: answer.interval.gap)
