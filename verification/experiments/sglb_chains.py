"""Langevin boosting, simulations: long chains compared with their distributions, chains that leave
a well, noise in CatBoost's leaves.

Monte Carlo errors come from the chains themselves: from effective sample sizes, or from the spread
of independent chains.
"""

import importlib.util

import numpy as np
import scipy.linalg

import coordboost as cb
from coordboost.theory.langevin import chain, gibbs, limit_of, quadrature, stationary
from verification.experiments.sglb_laws import CHANCE, apart, method, overcomplete, row, wells

#: Accepted deviation in Monte Carlo standard errors; a normal number exceeds 5 with probability
#: 6e-7.
FAR = 5.0


def of_chains(values):
    """Return the mean of a number over independent chains, and its standard error."""
    return values.mean(), values.std(ddof=1) / np.sqrt(len(values))


def long_run(quick):
    """Check 400,000 steps at eps = 0.1: the mean is exact for every eps.

    The covariance is that at this eps, not that of the Gibbs law.
    """
    problem = overcomplete()
    at = method(0.1)
    exact = stationary(problem, at)
    limit = gibbs(problem, at)
    sample = chain(cb.solve(problem, at, 400_000, rng=0), 4_000, every=20)
    away = np.abs(sample.mean - exact.mean) / sample.error
    sd = sample.pooled.std(axis=0)
    spread = 1 / np.sqrt(2 * sample.ess.min())
    B = limit_of(problem, cb.rules.Weighted(CHANCE)).columns
    law = exact.of_predictions(B)
    estimate = np.cov((sample.pooled @ B.T).T)
    trace = np.trace(estimate) / np.trace(law.cov)
    off = apart(estimate, law.cov)
    return [
        row(
            "blocks",
            "coefficients: largest error of a mean, in Monte Carlo errors",
            "",
            away.max(),
            1.0,
            away.max() < FAR,
        ),
        row(
            "blocks",
            "coefficients: variances / exact ones at this eps",
            1.0,
            (sd**2 / np.diag(exact.cov)).mean(),
            spread,
            np.abs(sd**2 / np.diag(exact.cov) - 1).max() < FAR * 2 * spread,
        ),
        row(
            "blocks",
            "predictions: trace of the covariance / exact one at this eps",
            1.0,
            trace,
            spread,
            abs(trace - 1) < FAR * spread,
        ),
        row(
            "blocks",
            "predictions: relative error of the covariance (Monte Carlo: 0.046)",
            "",
            off,
            0.0,
            off < 0.15,
        ),
        row(
            "blocks",
            "coefficients: covariance, distance from Gibbs (0.36)",
            "",
            apart(np.cov(sample.pooled.T), limit.cov),
            0.0,
            True,
        ),
    ]


def correlated():
    """Return a problem with 20 samples and four correlated unit columns."""
    rng = np.random.default_rng(2)
    A = rng.normal(size=(20, 4)) + 1.2 * rng.normal(size=(20, 1))
    return cb.Problem(
        A / np.linalg.norm(A, axis=0), 2 * rng.normal(size=20), center=False, scale=False
    )


def one_noise(B, y, beta, gamma, draws=400_000):
    """Return the limit as eps falls, with one noise for search and fit: mean and covariance of
    predictions.

    Greedy choice of unit columns, squared loss. The chosen learner depends on the noise that it is
    fitted to. Let s(z) be the best learner for noise z. Then the drift is -gamma F - C (F - y) with
    C = E[P_s(z) z z'], and the covariance of the noise is 2 N / beta Q with Q = E[P_s(z) z z'
    P_s(z)].
    """
    z = np.random.default_rng(6).normal(size=(draws, len(y)))
    corr = z @ B
    chosen = np.abs(corr).argmax(axis=1)
    fits = B.T[chosen] * corr[np.arange(draws), chosen][:, None]
    C = fits.T @ z / draws
    Q = fits.T @ fits / draws
    drift = gamma * np.eye(len(y)) + C
    return np.linalg.solve(drift, C @ y), scipy.linalg.solve_continuous_lyapunov(
        drift, 2 * len(y) / beta * Q
    )


def controls(quick):
    """Check, for greedy choice, that only two independent noises approach the Gibbs law as eps
    falls; one noise has another limit.
    """
    problem = correlated()
    rows = []
    limit = limit_of(problem, cb.rules.Greedy(), draws=400_000)
    own_limit = one_noise(limit.columns, problem.y, 60.0, 0.1)
    for structure, known in (
        (cb.rules.Structure.OWN, 0.006),
        (cb.rules.Structure.NONE, 0.255),
        (cb.rules.Structure.SAME, 0.193),
    ):
        for eps, n_steps in ((0.1, 400_000), (0.01, 2_000_000)):
            at = cb.sglb(eps, 60.0, 0.1, structure=structure)
            law = gibbs(problem, at, limit).of_predictions(limit.columns)
            sample = chain(cb.solve(problem, at, n_steps, rng=3), int(50 / eps), every=int(1 / eps))
            draws = sample.pooled @ limit.columns.T
            off = apart(draws.mean(axis=0), law.mean)
            error = np.sqrt(np.trace(law.cov) / sample.ess.min()) / np.linalg.norm(law.mean)
            near = off < FAR * error + 0.5 * eps
            trace = np.trace(np.cov(draws.T)) / np.trace(law.cov)
            name = {0: "leaf noise only", 1: "two noises", 2: "one noise for both"}[int(structure)]
            rows.append(
                row(
                    "controls",
                    f"{name}, eps = {eps:g}: relative error of the mean",
                    known if eps == 0.01 else "",
                    off,
                    error,
                    bool(near) == (structure == cb.rules.Structure.OWN) or eps == 0.1,
                )
            )
            rows.append(
                row(
                    "controls",
                    f"{name}, eps = {eps:g}: trace of the covariance / Gibbs law",
                    {1: 1.0, 0: 0.35, 2: 1.20}[int(structure)] if eps == 0.01 else "",
                    trace,
                    np.sqrt(2 / sample.ess.min()),
                    structure != cb.rules.Structure.OWN
                    or abs(trace - 1) < FAR * np.sqrt(2 / sample.ess.min()) + 2 * eps,
                )
            )
            if structure == cb.rules.Structure.SAME:
                spread = np.sqrt(2 / sample.ess.min())
                rows += of_one_noise(f"{name}, eps = {eps:g}", draws, own_limit, eps, error, spread)
    return rows


def of_one_noise(name, draws, limit, eps, error, spread):
    """Compare draws of a chain with one noise with its own limit, a mean and a covariance."""
    mean, cov = limit
    away = apart(draws.mean(axis=0), mean)
    trace = np.trace(np.cov(draws.T)) / np.trace(cov)
    of_mean = f"{name}: distance of the mean from its own limit"
    of_trace = f"{name}: trace of the covariance / its own limit"
    holds = abs(trace - 1) < FAR * spread + 2 * eps
    return [
        row("controls", of_mean, "", away, error, away < FAR * error + 0.05 * eps),
        row("controls", of_trace, 1.0, trace, spread, holds),
    ]


def leaving(quick):
    """Check how often 200 chains from 0 are in the better well, in the second half of their time
    2,000.
    """
    problem = wells()
    rows = []
    known = {
        (5, 0.2): 0.607,
        (5, 0.05): 0.631,
        (10, 0.2): 0.795,
        (10, 0.05): 0.797,
        (20, 0.05): 0.29,
    }
    for (beta, eps), there in known.items():
        n = round(2000 / eps)
        runs = (
            cb.solve(problem, cb.sglb(eps, float(beta), 0.01), n, rng=seed) for seed in range(200)
        )
        mean, error = of_chains(
            np.array([(chain(run, n // 2, every=20).pooled[:, 0] > 10).mean() for run in runs])
        )
        # the known number has the same standard error as ours: 7.5 errors of one are 5.3 of the
        # difference
        rows.append(
            row(
                "wells",
                f"in the better well, beta = {beta}, eps = {eps:g}",
                there,
                mean,
                error,
                abs(mean - there) < FAR * 1.5 * error,
            )
        )
    return rows


def two_atoms(quick):
    """Check, for two columns and a non-convex loss, that chains follow the law of their selection
    probabilities and not another one.
    """
    rng = np.random.default_rng(5)
    rows = []
    B = np.stack([rng.choice([-1.0, 1.0], 60), rng.normal(size=60)], axis=1)
    which = rng.random(60) < 0.6
    y = np.where(which, B @ [2.0, 1.0], B @ [-1.0, -1.0]) + 0.3 * rng.normal(size=60)
    problem = cb.Problem(
        B / np.linalg.norm(B, axis=0), y, cb.losses.Welsch(), center=False, scale=False
    )
    size = np.linalg.norm(B, axis=0)
    laws = {}
    for name, p in (("uniform", [0.5, 0.5]), ("p = (.8, .2)", [0.8, 0.2])):
        at = cb.sglb(0.05, 8.0, 0.02, select=cb.rules.Weighted(p))
        law = quadrature(problem, at, width=80.0, n_points=241)
        runs = [cb.solve(problem, at, 40_000, rng=seed) for seed in range(100)]
        each = np.stack([chain(run, 20_000, every=20).values[0] / size for run in runs])
        laws[name] = law.cov / np.outer(size, size), each, law
    for name, (cov, each, law) in laws.items():
        other = next(value[0] for key, value in laws.items() if key != name)
        for j in (0, 1):
            mean, error = of_chains(each[:, :, j].mean(axis=1))
            expected = law.mean[j] / size[j]
            rows.append(
                row(
                    "two columns",
                    f"{name}: mean of coefficient {j + 1}",
                    expected,
                    mean,
                    error,
                    abs(mean - expected) < FAR * error + 0.05,
                )
            )
        own = apart(np.cov(each.reshape(-1, 2).T), cov)
        far = apart(np.cov(each.reshape(-1, 2).T), other)
        rows.append(
            row(
                "two columns",
                f"{name}: covariance: distance from its own law / from the other law",
                "",
                own / far,
                0.0,
                own < far / 2,
            )
        )
    return rows


def leaf_noise(quick):
    """Check that CatBoost's diffusion_temperature is beta / N, by the standard deviation of a leaf
    over seeds, for targets 0.
    """
    if importlib.util.find_spec("catboost") is None:
        return [row("leaf noise", "CatBoost is not installed", "", np.nan, 0.0, True)]
    from catboost import CatBoostRegressor

    rows = []
    for n, known in ((200, 0.0043), (20_000, 0.00043)):
        x = (np.arange(n) >= n / 2).astype(float)[:, None]
        y = np.zeros(n)
        theory = np.sqrt(2 * 0.1 / (100 * n / 2))
        theirs = []
        for seed in range(300):
            model = CatBoostRegressor(
                iterations=1,
                depth=1,
                learning_rate=0.1,
                langevin=True,
                diffusion_temperature=100.0,
                l2_leaf_reg=0,
                random_seed=seed,
                leaf_estimation_method="Gradient",
                leaf_estimation_iterations=1,
                bootstrap_type="No",
                random_strength=0,
                boost_from_average=False,
                model_shrink_rate=0,
                thread_count=1,
                verbose=False,
                allow_writing_files=False,
                allow_const_label=True,
            )
            theirs.append(model.fit(x, y).predict(x[:1])[0])
        problem = cb.Problem(cb.data.blocks(np.hstack([1 - x, x]), [[0, 1]]), y, center=False)
        ours = [
            cb.solve(problem, cb.sglb(0.1, 100.0 * n, 0.0), 1, rng=seed, compile=False).pred[0]
            for seed in range(300)
        ]
        error = theory / np.sqrt(2 * 300)
        for name, found in (("CatBoost", np.std(theirs)), ("coordboost, beta = N T", np.std(ours))):
            # the known number has two digits, and a Monte Carlo error of its own
            fits = abs(found - theory) < FAR * error and abs(found - known) < 2 * FAR * error
            rows.append(
                row("leaf noise", f"leaf noise of {name}, N = {n}", known, found, error, fits)
            )
    return rows


CHAINS = (long_run, controls, leaving, two_atoms, leaf_noise)
