"""The solvers of a Lasso path, and which one is the default."""

from coordboost._utils.checks import shown
from coordboost.lasso.descent import by_descent
from coordboost.lasso.homotopy.at_penalties import by_descent_first, by_exact_path
from coordboost.lasso.newton import by_newton
from coordboost.lasso.ridge import by_eigenvectors
from coordboost.lasso.square import by_square, fits_square
from coordboost.lasso.unpenalised import by_unpenalised_newton
from coordboost.lasso.workingset import FEW_PENALTIES

#: Each takes the scaled columns, the penalties, largest first, and the tolerance of the relative
#: gap. It returns a `Solved`.
SOLVERS = {
    "homotopy": by_exact_path,
    "cd": by_descent,
    "newton": by_newton,
    "eigen": by_eigenvectors,
}
#: The largest tables for which the exact path is the default, of many penalties: stored ones of
#: this number of columns, at tolerances below FINE and at others; tall ones that are not stored of
#: this number, below FINE; wide ones of n rows, below FINE; and at others n rows, if n n p is at
#: most the second number. Measured by ``python -m verification.benchmarks.lasso_solvers``.
STORED, STORED_AND_COARSE = 1024, 600
TALL_AND_NOT_STORED = 200
WIDE = 450
WIDE_AND_COARSE = 200, 60_000_000
FINE = 1e-4
#: Largest side of a matrix whose eigenvectors are computed by default.
MOST_EIGENVECTORS = 4000


def solvers_for(objective):
    """Names of the solvers for an objective.

    The last one is the default, unless "homotopy" is among them: then see `default_solver`.
    """
    problem = objective.problem
    if not objective.squared:
        return ["newton"]
    if objective.l1_ratio == 0 and not objective.limited:
        smaller_side = min(problem.n_samples, problem.n_learners)
        return ["eigen", "cd"] if smaller_side > MOST_EIGENVECTORS else ["cd", "eigen"]
    return ["homotopy", "cd"] if objective.l1_ratio == 1 else ["cd"]


def check_solver(solver, objective):
    """Raise a ValueError if a solver is not for an objective."""
    names = solvers_for(objective)
    if solver is None or (isinstance(solver, str) and solver in names):
        return
    accepted = " or ".join(", ".join(map(repr, [None, *sorted(names)[::-1]])).rsplit(", ", 1))
    penalty = f" and l1_ratio = {objective.l1_ratio:g}" if objective.l1_ratio < 1 else ""
    if objective.limited:
        penalty += " with limits"
    if not objective.penalised.all():
        penalty += " with columns without a penalty"
    raise ValueError(
        f"solver must be {accepted} for {shown(objective.problem.loss)}{penalty}, got "
        f"{shown(solver)}."
    )


def default_solver(objective, alphas, tol, with_products=False):
    """The solver that was faster in measurements.

    For the squared loss: the exact path for many penalties on small tables, else coordinate
    descent.
    """
    names = solvers_for(objective)
    if "homotopy" not in names or with_products:
        return names[-1]
    problem = objective.problem
    n_samples = problem.n_samples
    n_learners = problem.n_learners
    few = len(alphas) <= FEW_PENALTIES and alphas[-1] > 0
    stored = problem.stored
    if few or (not stored and problem.dictionary.entries):
        return "cd"
    fine = tol < FINE
    most_samples, most_work = WIDE_AND_COARSE
    if stored and n_learners <= (STORED if fine else STORED_AND_COARSE):
        small = True
    elif n_samples >= n_learners:
        small = not stored and fine and n_learners <= TALL_AND_NOT_STORED
    elif fine:
        small = n_samples <= WIDE
    else:
        small = n_samples <= most_samples and n_samples**2 * n_learners <= most_work
    return "homotopy" if small else "cd"


def solved_by(solver, objective, columns, lams, tol):
    """Solve for the penalties `lams`, largest first; return a `Solved`.

    Where coordinate descent turns out to be slow, the exact path takes over.
    """
    if objective.unpenalised is not None:
        return by_unpenalised_newton(columns, objective.unpenalised, lams, tol)
    if objective.free_intercept:
        return by_newton(columns, lams, tol, objective.free_intercept)
    solve = SOLVERS[solver]
    if solver == "cd" and columns.problem.stored and "homotopy" in solvers_for(objective):
        solve = by_descent_first
    if solver in ("homotopy", "cd") and fits_square(columns, len(lams), tol):
        return by_square(solve, columns, lams, tol)
    return solve(columns, lams, tol)
