"""Langevin boosting, distributions without simulated chains: closed forms, quadrature, convergence
of a selection rule to its limit law.

Known numbers come from a NumPy implementation by others. They are compared where their instance is
fully specified. Other instances are drawn anew in the same shape, and statements that hold for all
of them are checked: rates, identities, bounds.
"""

import numpy as np
import scipy.linalg
import scipy.stats

import coordboost as cb
from coordboost.theory.langevin import gibbs, limit_of, quadrature, stationary, transient

N, BETA, GAMMA = 40, 200.0, 0.05
CHANCE = np.array([0.3, 0.25, 0.2, 0.15, 0.1])
#: Draws of noise for the distribution of a selection rule.
DRAWS = 1_000_000


def row(demo, what, known, ours, error, holds):
    """Return a row of the table: the known number, ours, its Monte Carlo error or tolerance, and
    whether the statement holds.
    """
    return {
        "demo": demo,
        "what": what,
        "known": known,
        "ours": float(ours),
        "error": float(error),
        "holds": bool(holds),
    }


def overcomplete(l2=0.0):
    """Return a problem with 40 samples and ten columns in five blocks of two.

    One column depends on others, so the rank is 9.
    """
    rng = np.random.default_rng(0)
    B = rng.normal(size=(N, 10))
    B[:, 7] = B[:, 0] - B[:, 2]
    return cb.Problem(
        cb.data.blocks(B, np.arange(10) // 2, l2=l2), rng.normal(size=N), center=False
    )


def method(eps, gamma=GAMMA, beta=BETA):
    """Return Langevin boosting with blocks drawn with the probabilities ``CHANCE``."""
    return cb.sglb(eps, beta, gamma, select=cb.rules.Weighted(CHANCE))


def apart(found, expected):
    """Return the distance of both arrays, relative to `expected`."""
    return np.linalg.norm(found - expected) / np.linalg.norm(expected)


def equipartition(quick):
    """Check that the mean energy above the minimum is d / (2 beta), and that the bias of the
    covariance is of order eps.
    """
    problem = overcomplete()
    law = gibbs(problem, method(0.1))
    limit = limit_of(problem, cb.rules.Weighted(CHANCE))
    B = limit.columns
    basis = np.linalg.svd(limit.columns)[0][:, :9]
    inner = basis.T @ limit.mean_projector @ basis
    energy = (np.eye(9) + GAMMA * np.linalg.inv(inner)) / N
    mean = np.trace(energy @ basis.T @ B @ law.cov @ B.T @ basis) / 2
    rows = [
        row(
            "blocks",
            "mean energy above the minimum, d / (2 beta)",
            0.0225,
            mean,
            1e-12,
            abs(mean - 0.0225) < 1e-12,
        )
    ]
    bias = {}
    for eps in (0.2, 0.1, 0.05, 0.02, 0.01, 0.005):
        at = stationary(problem, method(eps))
        bias[eps] = apart(B @ at.cov @ B.T, B @ law.cov @ B.T)
        inside = apart(at.mean, law.mean) < 1e-9
        rows.append(
            row(
                "blocks",
                f"bias of the covariance of predictions at eps = {eps:g}",
                "",
                bias[eps],
                0.0,
                inside,
            )
        )
    slope = np.log2(bias[0.01] / bias[0.005])
    return [
        *rows,
        row(
            "blocks", "its slope from eps = 0.01 to 0.005", 1.0, slope, 0.03, abs(slope - 1) < 0.03
        ),
    ]


def excess_of_choices(gradient, roots, atoms, n):
    """Return how much more often each of six learners is chosen at a gradient than at none, without
    and with regard to its sign, and the number of draws, about n.
    """
    count = {False: np.zeros(6), True: np.zeros(6)}
    n_blocks = max(1, n // 50_000)
    for block in range(n_blocks):
        half = np.random.default_rng((2, block)).normal(size=(25_000, 30))
        for z in (half, -half):  # both signs: odd functions of the noise cancel
            for at, sign in ((gradient, 1), (0 * gradient, -1)):
                even = np.stack([np.square((z + at) @ root).sum(axis=1) for root in roots], axis=1)
                for signed, scores in ((False, even), (True, (z + at) @ atoms)):
                    count[signed] += sign * np.bincount(scores.argmax(axis=1), minlength=6)
    return count, 50_000 * n_blocks


def choice(quick):
    """Check the distance of a selection rule at gradient g from its limit law: O(eps) for a rule
    that ignores signs, else O(sqrt(eps)).
    """
    rng = np.random.default_rng(1)
    H = rng.normal(size=(6, 30, 2))
    g = rng.normal(size=30)
    roots = [scipy.linalg.orth(block) for block in H]
    atoms = np.stack([block[:, 0] / np.linalg.norm(block[:, 0]) for block in H], axis=1)
    beta = 100.0
    n = DRAWS // (20 if quick else 1)
    ladder = (0.3, 0.1, 0.03, 0.01, 0.003)
    # so that u = 3.27 at eps = 0.3, as the printed bounds say
    g *= 3.27 * np.sqrt(2 * 30 / (0.3 * beta)) / np.linalg.norm(g)
    printed = {0.3: 0.898, 0.1: 0.655, 0.03: 0.395, 0.01: 0.235, 0.003: 0.130}
    off = {False: [], True: []}
    rows = []
    for eps in ladder:
        scale = np.sqrt(2 * 30 / (eps * beta))
        excess, n_draws = excess_of_choices(g / scale, roots, atoms, n)
        u = np.linalg.norm(g) / scale
        bound = 2 * scipy.stats.norm.cdf(u / 2) - 1
        rows.append(
            row(
                "choice",
                f"bound at eps = {eps:g}",
                printed[eps],
                bound,
                2e-3,
                abs(bound - printed[eps]) < 2e-3,
            )
        )
        for signed, name in ((False, "greedy"), (True, "signed greedy")):
            estimate = np.abs(excess[signed]).sum() / 2 / n_draws
            error = 1.5 * np.sqrt(min(1.0, u) / n_draws)
            off[signed].append(estimate)
            rows.append(
                row(
                    "choice",
                    f"{name}: total variation at eps = {eps:g}",
                    "",
                    estimate,
                    error,
                    estimate <= bound + 5 * error,
                )
            )
    for signed, name, expected in ((False, "greedy", 1.0), (True, "signed greedy", 0.5)):
        slope = np.polyfit(np.log(ladder[1:]), np.log(off[signed][1:]), 1)[0]
        rows.append(
            row(
                "choice",
                f"{name}: order in eps",
                expected,
                slope,
                0.25,
                abs(slope - expected) < 0.25,
            )
        )
    return rows


def on_the_way(quick):
    """Compare the transient moments at t = 8 with the exact moments of the chain, step by step:
    errors halve with eps.
    """
    problem = overcomplete()
    rows = []
    means = []
    covs = []
    limit = limit_of(problem, cb.rules.Weighted(CHANCE))
    B = limit.columns
    y = problem.y
    for eps in (0.1, 0.05, 0.025):
        steps = round(8 / eps)
        mean = np.zeros(10)
        second = np.zeros((10, 10))
        parts = [
            (p, K, (1 - GAMMA * eps) * np.eye(10) - eps * K @ B.T @ B, eps * K @ B.T @ y)
            for p, K in limit.fits()
        ]
        for _ in range(steps):
            next_mean = np.zeros(10)
            next_second = np.zeros((10, 10))
            for p, K, A, b in parts:
                cross = np.outer(A @ mean, b)
                next_mean += p * (A @ mean + b)
                next_second += p * (
                    A @ second @ A.T + cross + cross.T + np.outer(b, b) + 2 * N * eps / BETA * K
                )
            mean, second = next_mean, next_second
        law = transient(problem, method(eps), steps)
        means.append(np.linalg.norm(B @ (law.mean - mean)))
        covs.append(apart(B @ law.cov @ B.T, B @ (second - np.outer(mean, mean)) @ B.T))
    for name, errors in (("mean", means), ("covariance", covs)):
        for i in (0, 1):
            ratio = errors[i] / errors[i + 1]
            rows.append(
                row(
                    "transient",
                    f"error of the {name}, ratio as eps halves ({i + 1})",
                    2.0,
                    ratio,
                    0.3,
                    1.7 < ratio < 2.6,
                )
            )
    return rows


def wells():
    """Return the problem of two wells: 40 targets -1, 60 targets 3, one constant column of unit
    norm.
    """
    return cb.Problem(
        np.ones((100, 1)) / 10,
        np.r_[-np.ones(40), 3 * np.ones(60)],
        cb.losses.Welsch(),
        center=False,
        scale=False,
    )


def two_wells(quick):
    """Check the Gibbs law on two wells, and that gradient boosting stays in the wrong one."""
    problem = wells()
    rows = []
    for beta, right, loss in (
        (5, 0.613, 0.620),
        (10, 0.792, 0.504),
        (20, 0.952, 0.437),
        (40, 0.998, 0.414),
    ):
        grid = quadrature(problem, cb.sglb(0.1, float(beta), 0.01), width=250.0, n_points=5001)
        there = grid.probability(lambda at: at[:, 0] > 10)
        rows.append(
            row("wells", f"P(f > 1), beta = {beta}", right, there, 6e-4, abs(there - right) < 6e-4)
        )
        rows.append(
            row(
                "wells",
                f"mean loss, beta = {beta}",
                loss,
                grid.mean_loss,
                6e-4,
                abs(grid.mean_loss - loss) < 6e-4,
            )
        )
    stuck = cb.solve(problem, cb.sgb(0.2), 500, compile=False)
    at = stuck.beta[0] / 10
    loss = stuck.final.loss / 100
    rows.append(
        row("wells", "end point of gradient boosting", -0.998, at, 6e-4, abs(at + 0.998) < 6e-4)
    )
    return [
        *rows,
        row("wells", "loss at this end point", 0.5998, loss, 6e-5, abs(loss - 0.5998) < 6e-5),
    ]


def convex(quick):
    """Check, for logistic loss and two columns, that the mean energy is below d / beta and the
    excess loss below its bound.
    """
    rng = np.random.default_rng(3)
    rows = []
    B = np.stack([rng.choice([-1.0, 1.0], 50), rng.normal(size=50)], axis=1)
    y = np.where(B @ [0.8, -0.5] + rng.logistic(size=50) > 0, 1.0, -1.0)
    problem = cb.Problem(
        B / np.linalg.norm(B, axis=0), y, cb.losses.Logistic(), center=False, scale=False
    )
    select = cb.rules.Weighted([0.7, 0.3])
    gamma = 0.01
    best = cb.solve(problem, cb.methods.gcd(cb.rules.LineSearch()), 400, compile=False).final
    shift = limit_of(problem, select).penalty(best.beta, gamma)
    for beta in (5.0, 20.0, 100.0, 500.0):
        grid = quadrature(
            problem,
            cb.sglb(0.1, beta, gamma, select=select),
            width=200.0 / beta**0.5 + 20,
            n_points=201,
        )
        energy = grid.loss + limit_of(problem, select).penalty(grid.points, gamma)
        above = float(grid.chance @ (energy - energy.min()))
        excess = grid.mean_loss - best.loss / 50
        rows.append(
            row(
                "logistic",
                f"mean energy above the minimum, beta = {beta:g}; between .98 d / (2 beta) and "
                "d / beta",
                1 / beta,
                above,
                2 / beta,
                0.98 / beta <= above <= 2 / beta,
            )
        )
        rows.append(
            row(
                "logistic",
                f"excess of the mean loss, beta = {beta:g}",
                "",
                excess,
                shift + 2 / beta,
                excess <= shift + 2 / beta,
            )
        )
    return rows


def gap(quick):
    """Check the expected gap between the losses on new targets for the same rows and on the targets
    of the fit.
    """
    problem = overcomplete()
    rng = np.random.default_rng(4)
    n = 2_000 if quick else 40_000
    bar = limit_of(problem, cb.rules.Weighted(CHANCE)).mean_projector
    smoother = bar @ np.linalg.inv(bar + GAMMA * np.eye(N))
    formula = np.trace(smoother) / N
    signal = problem.y
    noise, again = rng.normal(size=(2, n, N))
    fits = (signal + noise) @ smoother.T
    found = (np.square(signal + again - fits) - np.square(signal + noise - fits)).mean(axis=1) / 2
    error = found.std() / np.sqrt(n)
    return [
        row(
            "gap",
            "simulated gap, compared with its formula",
            formula,
            found.mean(),
            error,
            abs(found.mean() - formula) < 5 * error,
        ),
        row("gap", "its upper bound d / N", 0.225, 9 / N, 0.0, formula <= 9 / N == 0.225),
    ]


def ridge(quick):
    """Check, for ridge fits (lambda = 10), that noise with covariance (H'H + lambda)^-1 keeps the
    Gibbs law, and fitted noise does not.
    """
    problem = overcomplete(10.0)
    law = gibbs(problem, method(0.1))
    limit = limit_of(problem, cb.rules.Weighted(CHANCE))
    B = limit.columns
    M = limit.preconditioner
    through = sum(p * K @ B.T @ B @ K for p, K in limit.fits())
    drift = GAMMA * np.eye(10) + M @ B.T @ B
    right, wrong = (
        scipy.linalg.solve_continuous_lyapunov(drift, 2 * N / BETA * noise)
        for noise in (M, through)
    )
    exact = apart(right, law.cov)
    off = apart(B @ wrong @ B.T, B @ law.cov @ B.T)
    return [
        row(
            "ridge",
            "relative error of the covariance with the right noise",
            0.0,
            exact,
            1e-10,
            exact < 1e-10,
        ),
        row(
            "ridge",
            "the same with noise passed through the fit (about 0.3)",
            "",
            off,
            0.0,
            off > 0.1,
        ),
    ]


LAWS = (equipartition, choice, on_the_way, two_wells, convex, gap, ridge)
