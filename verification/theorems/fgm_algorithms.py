r"""The methods of the paper, its comparators, and the quantities of a problem, as the package has
them, against loops of a few lines.

Problem: least squares over unit columns, min (1/2) ||y - X beta||^2, also with a bound or a penalty
on the l1 norm.

Method: LS-Boost, FS, R-FS, PATH-R-FS; forward stepwise, least angle regression, FS_0, the Lasso and
its coordinate descent, Frank-Wolfe.

Assumptions: none.

Claim: tight: coefficients after every step, at every knot and for every penalty are those of the
reference; correlations, losses, certificates, eigenvalues and solutions, too.

Constants: none.

Measured: coefficients of runs, estimators and paths; ends of certificates. FS_0 against FS with
steps of 1e-4.

Reference: Freund, Grigas, Mazumder, the boxes of the methods, (1) to (7), (14), (16), (45), (55),
A.4.4, A.4.5.
"""

import math
from dataclasses import dataclass

import numpy as np

import coordboost as cb
from verification.algorithms import Algorithm, unscaled

#: Step lengths, the radius of R-FS, radii that grow, the penalty of the Lasso.
EPS, RADIUS, PENALTY = 0.2, 1.5, 0.3
RADII = tuple(0.5 + 0.1 * k for k in range(12))
#: The step length of FS that stands for FS_0.
TINY = 1e-4


@dataclass(frozen=True, eq=False)
class Table:
    """Unit columns X (n, p), and y, which is not in their span."""

    X: np.ndarray
    y: np.ndarray
    n_steps: int = 12

    @property
    def problem(self):
        return unscaled(self.X, self.y)

    @property
    def n(self):
        return len(self.y)

    def corr(self, beta):
        """X' (y - X beta)."""
        return self.X.T @ (self.y - self.X @ beta)

    def loss(self, beta):
        """The sum of squared residuals, divided by two."""
        return float(((self.y - self.X @ beta) ** 2).sum() / 2)

    def inside(self):
        """A model in the l1 ball: the last one of R-FS."""
        return self.walk(lambda k, corr, beta: (EPS / RADIUS, EPS * np.sign(corr)))[-1]

    def walk(self, step, n_steps=None):
        """Return beta_0, beta_1, ...: beta <- (1 - shrink) beta + theta e_j, j of the largest
        correlation, (shrink, theta) = step(k, corr_j, beta).
        """
        betas = [np.zeros(self.X.shape[1])]
        for k in range(self.n_steps if n_steps is None else n_steps):
            corr = self.corr(betas[-1])
            j = np.argmax(np.abs(corr))
            shrink, theta = step(k, corr[j], betas[-1])
            beta = (1 - shrink) * betas[-1]
            beta[j] += theta
            betas.append(beta)
        return np.array(betas)


def _package_walks(case):
    methods = [
        cb.ls_boost(EPS),
        cb.forward_stagewise(EPS),
        cb.forward_stagewise([EPS / (k + 1) for k in range(case.n_steps)]),
        cb.regularized_forward_stagewise(EPS, RADIUS),
        cb.path_forward_stagewise(EPS, RADII),
        cb.methods.frank_wolfe(RADIUS),
    ]
    runs = [cb.solve(case.problem, method, case.n_steps, compile=False) for method in methods]
    return [[state.beta for state in run.replay(range(case.n_steps + 1))] for run in runs]


def walks(case, later=0, factor=1.0):
    """LS-Boost, FS, FS with shrinking steps, R-FS, PATH-R-FS, Frank-Wolfe."""
    return [
        case.walk(lambda k, corr, beta: (0, EPS * corr)),
        case.walk(lambda k, corr, beta: (0, EPS * np.sign(corr))),
        case.walk(lambda k, corr, beta: (0, EPS / (k + 1 + later) * np.sign(corr))),
        case.walk(lambda k, corr, beta: (factor * EPS / RADIUS, EPS * np.sign(corr))),
        case.walk(
            lambda k, corr, beta: (EPS / RADII[min(k + later, 11)], EPS * np.sign(corr)),
        ),
        case.walk(lambda k, corr, beta: (2 / (k + 2), 2 / (k + 2) * RADIUS * np.sign(corr))),
    ]


check_walks = Algorithm(
    "FGM, runs of the methods",
    Table,
    "Coefficients after every step of LS-Boost, FS, R-FS, PATH-R-FS and Frank-Wolfe.",
    _package_walks,
    walks,
)


def _package_estimators(case):
    estimators = [
        cb.LSBoostRegressor(eps=EPS, n_steps=case.n_steps, fit_intercept=False),
        cb.ForwardStagewiseRegressor(eps=EPS, n_steps=case.n_steps, fit_intercept=False),
        cb.RegularizedForwardStagewiseRegressor(
            eps=EPS, delta=RADIUS, n_steps=case.n_steps, fit_intercept=False
        ),
    ]
    return [model.fit(case.X, case.y).coef_ for model in estimators]


def estimates(case, factor=1.0):
    """The last models of LS-Boost, FS and R-FS."""
    betas = walks(case, factor=factor)
    return [betas[0][-1], betas[1][-1], betas[3][-1]]


check_estimators = Algorithm(
    "FGM, estimators",
    Table,
    "The coefficients of fitted estimators, without an intercept.",
    _package_estimators,
    estimates,
)


def _package_comparators(case):
    p = case.X.shape[1]
    stepwise = cb.solve(case.problem, cb.forward_stepwise(), p, compile=False)
    descent = cb.solve(case.problem, cb.methods.lasso_cd(PENALTY), case.n_steps, compile=False)
    lar = cb.exact_path(case.problem, kind="lar")
    return [
        [state.beta for state in stepwise.replay(range(p + 1))],
        [state.beta for state in descent.replay(range(case.n_steps + 1))],
        lar.beta.toarray(),
    ]


def least_squares(case, columns):
    """The coefficients of least squares over some columns."""
    beta = np.zeros(case.X.shape[1])
    beta[columns] = np.linalg.lstsq(case.X[:, columns], case.y, rcond=None)[0]
    return beta


def stepwise(case):
    """Forward stepwise: the best column joins, and all are fitted again."""
    columns = []
    betas = [np.zeros(case.X.shape[1])]
    for _ in range(case.X.shape[1]):
        columns.append(int(np.argmax(np.abs(case.corr(betas[-1])))))
        betas.append(least_squares(case, columns))
    return betas


def soft(number, threshold):
    """Towards 0 by the threshold, at most to 0."""
    return math.copysign(max(abs(number) - threshold, 0.0), number)


def descent(case, n_steps, penalty=PENALTY):
    """Cyclic coordinate descent for (1/2) ||y - X beta||^2 + penalty ||beta||_1."""
    betas = [np.zeros(case.X.shape[1])]
    for k in range(n_steps):
        j = k % case.X.shape[1]
        beta = betas[-1].copy()
        beta[j] = soft(beta[j] + case.corr(beta)[j], penalty)
        betas.append(beta)
    return betas


def least_angles(case):
    """Least angle regression: towards least squares over the columns of the largest correlation,
    until another column has it, too.
    """
    p = case.X.shape[1]
    columns = [int(np.argmax(np.abs(case.corr(np.zeros(p)))))]
    betas = [np.zeros(p)]
    while len(columns) <= p:
        corr = case.corr(betas[-1])
        move = least_squares(case, columns) - betas[-1]
        fall = case.X.T @ (case.X @ move)
        largest = np.abs(corr[columns]).max()
        others = [j for j in range(p) if j not in columns]
        times = {
            j: min(
                time
                for sign in (1, -1)
                if (time := (largest - sign * corr[j]) / (largest - sign * fall[j])) > 0
            )
            for j in others
        }
        share = min([1.0, *times.values()])
        betas.append(betas[-1] + share * move)
        if not others:
            break
        columns.append(min(times, key=times.get))
    return betas


def comparators(case, penalty=PENALTY):
    """Forward stepwise, coordinate descent of the Lasso, least angle regression."""
    return [stepwise(case), descent(case, case.n_steps, penalty), least_angles(case)]


check_comparators = Algorithm(
    "FGM, comparators",
    Table,
    "Coefficients of forward stepwise and of soft-threshold coordinate descent after every step, "
    "of least angle regression at every knot.",
    _package_comparators,
    comparators,
)


def _package_lasso(case):
    alphas = np.array([3, 1.5, 0.5]) * PENALTY / case.n
    path = cb.lasso_path(case.problem, alphas=alphas, tol=1e-12)
    exact = cb.exact_path(case.problem)
    return [path.coefs.T, [exact.beta_at(lam=alpha * case.n) for alpha in alphas]]


def lasso(case, factor=1.0):
    """The Lasso for three penalties by 4,000 steps of coordinate descent."""
    betas = [descent(case, 4000, factor * share * PENALTY)[-1] for share in (3, 1.5, 0.5)]
    return [betas, betas]


check_lasso = Algorithm(
    "FGM, the Lasso",
    Table,
    "Coefficients of the Lasso for some penalties, on a grid and on the exact path.",
    _package_lasso,
    lasso,
    slack=1e-7,
)


def _package_limit(case):
    path = cb.exact_path(case.problem, kind="stagewise")
    return [path.beta_at(l1=norm) for norm in (0.3, 0.6, 0.9)]


def limit(case, sign=1):
    """Coefficients of FS with tiny steps, interpolated where its l1 norm is .3, .6 and .9."""
    betas = case.walk(lambda k, corr, beta: (0, TINY * np.sign(corr)), int(1.2 / TINY))
    lengths = np.abs(betas).sum(axis=1)
    return [sign * betas[np.searchsorted(lengths, norm)] for norm in (0.3, 0.6, 0.9)]


check_limit = Algorithm(
    "FGM, FS_0",
    Table,
    "Coefficients of the limit of FS as eps goes to 0, within ten steps of 1e-4.",
    _package_limit,
    limit,
    slack=10 * TINY,
)


def _package_quantities(case):
    beta = case.y[: case.X.shape[1]]
    pred = case.X @ beta
    problem = case.problem
    spectrum = problem.spectrum
    return [
        problem.scan(case.y - pred),
        problem.value(pred),
        problem.resid(pred),
        spectrum.solution(problem, case.y),
        cb.theory.lambda_pmin(problem),
    ]


def quantities(case, divisor=2.0):
    """Correlations, loss, residual, the solution of least norm, the least eigenvalue not 0."""
    beta = case.y[: case.X.shape[1]]
    eigenvalues = np.linalg.eigvalsh(case.X.T @ case.X)
    return [
        case.corr(beta),
        ((case.y - case.X @ beta) ** 2).sum() / divisor,
        case.y - case.X @ beta,
        np.linalg.pinv(case.X) @ case.y,
        min(eigenvalues[eigenvalues > 1e-9]),
    ]


check_quantities = Algorithm(
    "FGM, quantities of a problem",
    Table,
    "Correlations, losses and residuals of a model, the least-squares solution of least norm, and "
    "lambda_pmin.",
    _package_quantities,
    quantities,
)


def _package_certificates(case):
    beta = case.inside()
    targets = [
        cb.certificates.Unconstrained(),
        cb.certificates.L1Ball(RADIUS),
        cb.certificates.L1Penalty(PENALTY),
    ]
    intervals = [cb.certify(case.problem, beta, target) for target in targets]
    return [[interval.lower, interval.upper] for interval in intervals]


def intervals(case, part=1.0):
    """The optimum of least squares, the loss less delta omega, (45), and the value of the scaled
    residual in the dual of the Lasso.
    """
    beta = case.inside()
    loss = case.loss(beta)
    corr = case.corr(beta)
    largest = np.abs(corr).max()
    omega = largest - part * corr @ beta / RADIUS
    resid = case.y - case.X @ beta
    scale = min(1.0, PENALTY / largest)
    dual = scale * resid @ case.y - scale**2 * resid @ resid / 2
    return [
        [case.loss(np.linalg.pinv(case.X) @ case.y), loss],
        [loss - RADIUS * omega, loss],
        [dual, loss + PENALTY * np.abs(beta).sum()],
    ]


check_certificates = Algorithm(
    "FGM, certificates",
    Table,
    "The ends of the intervals around the optima of least squares, the l1 ball and the l1 penalty.",
    _package_certificates,
    intervals,
)


def _package_profile(case):
    run = cb.solve(case.problem, cb.ls_boost(EPS), case.n_steps, compile=False)
    numbers, coefs = run.profile()
    return [numbers["step"], numbers["l1"], numbers["alpha"], coefs]


def profile(case, less=0):
    """Steps, l1 norms, the largest correlations divided by n, coefficients."""
    betas = case.walk(lambda k, corr, beta: (0, EPS * corr))
    largest = [np.abs(case.corr(beta)).max() / (case.n - less) for beta in betas]
    return [np.arange(len(betas)), np.abs(betas).sum(axis=1), largest, betas]


check_profile = Algorithm(
    "FGM, profile of a run",
    Table,
    "The l1 norms and the largest correlations along a run.",
    _package_profile,
    profile,
)


def _package_descent(case):
    iterates = [
        cb.theory.subgradient_descent(case.problem, EPS, case.n_steps),
        cb.theory.subgradient_descent(case.problem, EPS, case.n_steps, delta=RADIUS),
        cb.theory.subgradient_descent(case.problem, lambda k, f: EPS * f, case.n_steps),
    ]
    return [[[*at.resid, at.objective] for at in path] for path in iterates]


def subgradients(case, pull=1.0):
    """r <- r - alpha g, g = sign(corr_j) X_j + (r - y) / delta; f = |corr_j| + |r - y|^2 / (2
    delta).
    """
    paths = []
    for delta, length in (
        (math.inf, lambda largest: EPS),
        (RADIUS, lambda largest: EPS),
        (math.inf, lambda largest: EPS * largest),
    ):
        resid = case.y
        path = []
        for _ in range(case.n_steps + 1):
            corr = case.X.T @ resid
            j = np.argmax(np.abs(corr))
            away = pull * (resid - case.y) / delta
            path.append([*resid, abs(corr[j]) + (resid - case.y) @ away / 2])
            resid = resid - length(abs(corr[j])) * (np.sign(corr[j]) * case.X[:, j] + away)
        paths.append(path)
    return paths


check_subgradients = Algorithm(
    "FGM, subgradient descent",
    Table,
    "Residuals and objectives of subgradient descent on the largest correlation, also with the "
    "second term.",
    _package_descent,
    subgradients,
)


class Along:
    """Quantities along the models of a reference, an array with a number for each of them."""

    def __init__(self, case, betas):
        solution = np.linalg.pinv(case.X) @ case.y
        self.K = len(betas) - 1
        self.A = np.linalg.norm(case.X @ solution)
        self.p = case.X.shape[1]
        self.eigenvalue = np.linalg.eigvalsh(case.X.T @ case.X)[0]
        self.corr = np.array([np.abs(case.corr(beta)).max() for beta in betas])
        self.inner = np.array([case.corr(beta) @ beta for beta in betas])
        self.fit = np.array([np.linalg.norm(case.X @ (beta - solution)) for beta in betas])
        self.distance = np.array([np.linalg.norm(beta - solution) for beta in betas])
        self.l1 = np.abs(betas).sum(axis=1)
        self.l0 = (betas != 0).sum(axis=1)
        self.excess = self.fit**2 / 2

    def of_subgradients(self, steps):
        """(37): (A^2 + sum eps_i^2) / (2 sum eps_i)."""
        return (self.A**2 + (steps**2).sum()) / (2 * steps.sum())


def of_ls_boost(case, betas, divisor=4):
    """Both sides of the statements about LS-Boost at the last step: {name: (left, right), or right
    alone}.
    """
    run = Along(case, betas)
    A, K, corr, excess = run.A, run.K, run.corr, run.excess
    product = EPS * (2 - EPS)
    energy = A**2 - run.fit[-1] ** 2
    times = np.unique(np.nonzero(np.diff(betas, axis=0))[1], return_counts=True)[1]
    sides = {
        ("Theorem 2.1 (v), first term", "printed"): (
            run.l1[-1],
            math.sqrt(K * EPS / (2 - EPS) * energy),
        ),
        ("Theorem 2.1 (vi)", "printed"): (run.l0[-1], K),
        ("(1), (10) step length", "printed"): (EPS * corr[-2], EPS * corr[-2]),
        ("(25) descent", "printed"): (excess[-1], excess[-2] - product / 2 * corr[-2] ** 2),
        ("(28)", "printed"): (corr[-1], math.sqrt(2 * excess[-1])),
        ("(30) energy", "printed"): (product * (corr[:-1] ** 2).sum(), energy),
        ("Proposition A.2 (32)", "printed"): (
            np.linalg.norm(betas[-1]),
            math.sqrt(max(times) * EPS / (2 - EPS) * energy),
        ),
        ("Proposition 3.1 (37)", "printed"): (
            min(corr[:-1]),
            run.of_subgradients(EPS * corr[:-1]),
        ),
    }
    for variant, share in (("printed", divisor), ("sharpened", 1)):
        gamma = 1 - product * run.eigenvalue / (share * run.p)
        root = math.sqrt(gamma)
        by_steps = math.sqrt(energy / (product * K))
        sides |= {
            ("Theorem 2.1 (i)", variant): (excess[-1], A**2 * gamma**K / 2),
            ("Theorem 2.1 (ii)", variant): (
                run.distance[-1],
                A * root**K / math.sqrt(run.eigenvalue),
            ),
            ("Theorem 2.1 (iii)", variant): (run.fit[-1], A * root**K),
            ("Theorem 2.1 (iv)", variant): (corr[-1], A * root**K),
            ("Theorem 2.1 (v), second term", variant): (
                run.l1[-1],
                EPS * A * (1 - root**K) / (1 - root),
            ),
            ("(13)", variant): (excess[-1], gamma * excess[-2]),
            ("(23)", variant): (run.l1[-1], A * min(math.sqrt(K * EPS), EPS / (1 - root))),
            ("Proposition A.2 (31)", variant): (
                min(corr[:-1]),
                min(by_steps, A * root ** (K - 1)),
            ),
        }
    return sides


def of_stagewise(case, betas):
    """The same about FS."""
    run = Along(case, betas)
    best = np.argmin(run.corr)
    D = run.A**2 / (EPS * (run.K + 1)) + EPS
    sides = {
        ("Theorem 3.1 (iv)", "printed"): (run.corr[best], D / 2),
        ("Theorem 3.1 (v)", "printed"): (run.l1[-1], run.K * EPS),
        ("Theorem 3.1 (vi)", "printed"): (run.l0[-1], run.K),
        ("Change of the training error", "sharpened"): (
            run.excess[-1],
            run.excess[-2] + EPS / 2 * (EPS - 2 * run.corr[-2]),
        ),
        ("Proposition 3.1 (37)", "printed"): (
            min(run.corr[:-1]),
            run.of_subgradients(np.full(run.K, EPS)),
        ),
    }
    for variant, part in (("printed", 1), ("sharpened", 2)):
        kappa = run.p / run.eigenvalue
        sides |= {
            ("Theorem 3.1 (i)", variant): (run.excess[best], kappa / 2 * (D / part) ** 2),
            ("Theorem 3.1 (ii)", variant): (
                run.distance[best],
                math.sqrt(run.p) / run.eigenvalue * D / part,
            ),
            ("Theorem 3.1 (iii)", variant): (run.fit[best], math.sqrt(kappa) * D / part),
        }
    return sides


def of_regularized(case, betas):
    """The same about R-FS; of statements about the optimum in the ball the right side alone."""
    run = Along(case, betas)
    K = run.K
    omega = run.corr - run.inner / RADIUS
    bound = run.A**2 / (2 * EPS * (K + 1)) + 2 * EPS
    left = (1 - EPS / RADIUS) ** np.arange(K + 1)
    lengths = EPS**2 * ((2 - left) ** 2).sum()
    return {
        ("(53) average", "printed"): (omega.mean(), bound),
        ("(53) average", "sharpened"): (
            omega.mean(),
            (run.A**2 + lengths) / (2 * EPS * (K + 1)),
        ),
        ("(53) smallest", "printed"): (min(omega), bound),
        ("(52) subgradients", "printed"): (omega[-2], omega[-2]),
        ("Theorem 4.1 (i)", "printed"): RADIUS * bound,
        ("Theorem 4.1 (ii)", "printed"): math.sqrt(2 * RADIUS * bound),
        ("Theorem 4.1 (iii)", "printed"): (run.l1[-1], RADIUS * (1 - left[-1])),
        ("Theorem 4.1 (iv)", "printed"): (run.l0[-1], K),
    }


def of_path(case, betas):
    """The same about PATH-R-FS, whose last model has no radius."""
    run = Along(case, betas)
    omega = run.corr[:-1] - run.inner[:-1] / np.array(RADII)
    bound = run.A**2 / (2 * EPS * run.K) + 2 * EPS
    return {
        ("(57)", "printed"): (omega.mean(), bound),
        ("(56)", "printed"): bound,
        ("Theorem 5.1 (i)", "printed"): RADII[-1] * bound,
        ("Theorem 5.1 (ii)", "printed"): (run.l1[-2], RADII[-1]),
        ("Theorem 5.1 (ii)", "sharpened"): (
            run.l1[-2],
            min(RADII[-2], (run.K - 1) * EPS),
        ),
        ("Theorem 5.1 (iii)", "printed"): (run.l0[-1], run.K),
    }


def of_frank_wolfe(case, betas):
    """The right sides about Frank-Wolfe: 8 delta^2 / (k + 2), 27 delta^2 / (k + 2)."""
    K = len(betas) - 1
    return {
        ("Frank-Wolfe, error", "printed"): 8 * RADIUS**2 / (K + 2),
        ("Frank-Wolfe, gap", "printed"): 27 * RADIUS**2 / (K + 2),
    }


def sides(case, divisor=4):
    """Both sides of the statements about five methods, one dictionary for each."""
    ls_boost, stagewise, _, regularized, path, frank_wolfe = walks(case)
    return [
        of_ls_boost(case, ls_boost, divisor),
        of_stagewise(case, stagewise),
        of_regularized(case, regularized),
        of_path(case, path),
        of_frank_wolfe(case, frank_wolfe),
    ]


def _package_sides(case):
    methods = [
        cb.ls_boost(EPS),
        cb.forward_stagewise(EPS),
        cb.regularized_forward_stagewise(EPS, RADIUS),
        cb.path_forward_stagewise(EPS, RADII),
        cb.methods.frank_wolfe(RADIUS),
    ]
    numbers = []
    for method, wanted in zip(methods, sides(case), strict=True):
        run = cb.solve(case.problem, method, case.n_steps, compile=False)
        checks = {(check.name, check.variant): check for check in cb.theory.check(run)}
        for name, expected in wanted.items():
            check = checks[name]
            both = [check.measured[-1], check.bound[-1]]
            numbers.append(both if isinstance(expected, tuple) else both[1:])
    return numbers


check_sides = Algorithm(
    "FGM, both sides of the statements",
    Table,
    "What theory.check compares at the last step of runs of LS-Boost, FS, R-FS, PATH-R-FS and "
    "Frank-Wolfe.",
    _package_sides,
    lambda case: [list(found.values()) for found in sides(case)],
)


def table(seed, n=8, p=4):
    """Return random unit columns and a random y."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    return Table(X / np.linalg.norm(X, axis=0), 2 * rng.normal(size=n))


CASES = {"8 x 4": lambda: table(0), "8 x 3": lambda: table(3, p=3)}

SABOTAGE = {
    check_walks: {
        "a step index too late": check_walks.instead(lambda case: walks(case, later=1)),
        "R-FS with half of the shrinkage": check_walks.instead(
            lambda case: walks(case, factor=0.5)
        ),
    },
    check_estimators: {
        "half of the shrinkage": check_estimators.instead(lambda case: estimates(case, factor=0.5))
    },
    check_comparators: {
        "a tenth more of a penalty": check_comparators.instead(
            lambda case: comparators(case, 1.1 * PENALTY)
        )
    },
    check_lasso: {"a tenth more of a penalty": check_lasso.instead(lambda case: lasso(case, 1.1))},
    check_limit: {"the other sign": check_limit.instead(lambda case: limit(case, sign=-1))},
    check_quantities: {
        "losses without the half": check_quantities.instead(lambda case: quantities(case, 1.0))
    },
    check_certificates: {
        "without the inner product": check_certificates.instead(
            lambda case: intervals(case, part=0.0)
        )
    },
    check_profile: {"divided by n - 1": check_profile.instead(lambda case: profile(case, less=1))},
    check_sides: {
        "gamma without the factor 4": check_sides.instead(
            lambda case: [list(found.values()) for found in sides(case, divisor=1)]
        )
    },
    check_subgradients: {
        "half of the second term": check_subgradients.instead(
            lambda case: subgradients(case, pull=0.5)
        )
    },
}
