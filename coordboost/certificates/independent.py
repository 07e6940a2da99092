"""The independent judge: the problem written down in cvxpy and given to a general solver."""

import warnings

import numpy as np

from coordboost._protocol import LOSS
from coordboost.pieces.losses import Exponential, Huber, Logistic, Poisson, Squared
from coordboost.targets import At, Ball, Penalty, Unconstrained

#: Largest number of entries of B that is handed to a general solver.
MAX_ENTRIES = 2_000_000


def _terms(cp, loss, y, f):
    """The losses of the samples as a cvxpy expression."""
    table = {
        Squared: lambda: cp.square(y - f) / 2,
        Huber: lambda: cp.huber(y - f, loss.d) / 2,
        Logistic: lambda: cp.logistic(-cp.multiply(y, f)) + loss.d * cp.square(f) / 2,
        Exponential: lambda: cp.exp(-cp.multiply(y, f)),
        Poisson: lambda: cp.exp(f) - cp.multiply(y, f),
    }
    if type(loss) not in table:
        raise ValueError(f"no independent form of {type(loss).__name__} is known; certify without independent=True.")
    return table[type(loss)]()


def independent_solution(problem, target):
    """Coefficients (n_learners,) that a general solver finds for `target`, and the name of the solver.

    OSQP with polishing and Clarabel both try the squared loss, the answer with the smaller certified gap is kept; other losses go to
    Clarabel.

    Raises
    ------
    ValueError
        If the problem has more than ``MAX_ENTRIES`` entries, or no solver finds an answer.
    """
    m, n = problem.n_samples, problem.n_learners
    if m * n > MAX_ENTRIES:
        raise ValueError(
            f"an independent check of {m} x {n} is too large (limit {MAX_ENTRIES} entries); use the certificate alone."
        )
    import cvxpy as cp

    beta = cp.Variable(n)
    fit = problem.gather(np.arange(n)) @ beta + problem.base
    objective = problem.weight @ _terms(cp, problem.loss, problem.y, fit)
    constraints = []
    if isinstance(target, Penalty):
        objective = objective + target.lam * cp.norm1(beta)
    elif isinstance(target, Ball):
        constraints = [cp.norm1(beta) <= target.radius]
    elif not isinstance(target, Unconstrained):
        raise ValueError(f"target must be Unconstrained(), Ball(radius) or Penalty(lam), got {target!r}.")
    model = cp.Problem(cp.Minimize(objective), constraints)
    polish = {"solver": cp.OSQP, "eps_abs": 1e-9, "eps_rel": 1e-9, "polishing": True, "max_iter": 20_000}
    tight = {"solver": cp.CLARABEL, "tol_gap_abs": 1e-11, "tol_gap_rel": 1e-11, "tol_feas": 1e-11}
    settings = [*([polish] if LOSS.of(problem.loss, "quadratic") else []), tight, {"solver": cp.CLARABEL}]
    answers = []
    for setting in settings:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # "may be inaccurate": our certificate judges that
                model.solve(**setting)
        except cp.error.SolverError:
            continue
        if beta.value is not None and np.isfinite(beta.value).all():
            certificate = target.certificate(problem, At.point(problem, beta.value))
            answers.append((certificate.gap, str(setting["solver"]), np.array(beta.value)))
    if not answers:
        raise ValueError("no general solver found an answer (unbounded or badly scaled?); use the certificate alone.")
    _, solver, solution = min(answers, key=lambda answer: answer[0])
    return solution, solver
