"""Forward stagewise and LS-Boost: scans and seconds per step, compared with hand-written loops and
R's lars and mboost.
"""

import itertools

import numpy as np

import coordboost as cb
from verification.benchmarks import r
from verification.benchmarks.boosting_loops import gram_columns, numpy_scans
from verification.benchmarks.data import ar1, real
from verification.benchmarks.harness import Contestant, compete, ratios, wanted


def picked(result):
    """Return the selected learners, and the final coefficients, None where the contestant has
    none.
    """
    return (result.path.learner, result.final.beta) if isinstance(result, cb.engine.Run) else result


def against(run):
    """Return a judge: it counts the picks that equal those of `run`.

    After equally many steps it also compares the coefficients.
    """

    def judge(result):
        picks, beta = picked(result)
        same = int((picks == run.path.learner[: len(picks)]).sum())
        whole = beta is not None and len(picks) == run.n_steps
        off = {"beta_off": float(np.abs(beta - run.final.beta).max())} if whole else {}
        return {"steps": len(picks), "same_picks": same} | off

    return judge


def steps(name, X, y, method, n_steps, *, naive=300, gram=3000, peers=(), rounds=None):
    """Return one table, seconds per step of a method.

    Slow contestants make fewer steps on the same problem.

    naive, gram : most steps of the naive contestants and of the loop with Gram columns; peers :
    (problem, eps, n_steps) -> Contestant
    """
    problem = cb.Problem(X, y)
    rows = problem.dictionary.rows
    run = cb.solve(problem, method, n_steps)
    naive = min(naive, n_steps)
    gram = min(gram, n_steps)
    eps = method.parameters["eps"]
    proportional = method.name == "ls_boost"
    contestants = [
        Contestant("coordboost", lambda: cb.solve(problem, method, n_steps), n_steps),
        Contestant(
            "coordboost, model_state=NaiveState",
            lambda: cb.solve(problem, method, naive, model_state=cb.engine.NaiveState),
            naive,
        ),
        Contestant(
            "compiled loop, Gram columns",
            gram_columns(rows, problem.y, eps, gram, proportional),
            gram,
        ),
        Contestant(
            "NumPy, B'r in every step",
            numpy_scans(rows, problem.y, eps, naive, proportional),
            naive,
        ),
        *(make(problem, eps, n_steps) for make in peers),
    ]
    table = compete(contestants, against(run), rounds)
    summary = ratios(
        table, "coordboost", fair=lambda row: row["same_picks"] >= 0.99 * row["steps"]
    )  # ties within rounding
    whole = {"n_steps": n_steps, "n_scans": run.n_scans, "l1": run.final.l1}
    return {
        "name": name,
        "unit": "step",
        "eps": eps,
        "shape": list(rows.shape[::-1]),
        **whole,
        **summary,
        "rows": table,
    }


def states(name, problem, method, n_steps, alone, rounds=None):
    """Return one table, seconds per step of a method whose run chooses its model states, and of
    runs on one model state alone.

    alone : (name, model state, most steps)
    """
    run = cb.solve(problem, method, n_steps)
    contestants = [Contestant("coordboost", lambda: cb.solve(problem, method, n_steps), n_steps)]
    for label, model_state, most in alone:
        fewer = min(n_steps, most)

        def only(model_state=model_state, fewer=fewer):
            return cb.solve(problem, method, fewer, model_state=model_state)

        contestants.append(Contestant(label, only, fewer))
    table = compete(contestants, against(run), rounds)
    return {
        "name": name,
        "unit": "step",
        "eps": method.parameters["eps"],
        "shape": [problem.n_samples, problem.n_learners],
        "n_steps": n_steps,
        "n_scans": run.n_scans,
        "n_gram_columns": run.n_gram_columns,
        **ratios(table, "coordboost"),
        "rows": table,
    }


#: Model states that run alone, and their most steps: squared loss, other losses.
SQUARED = [("CovarianceColumns alone", cb.engine.CovarianceColumns, 1_000_000)]
OTHERS = [("NaiveState alone", cb.engine.NaiveState, 300)]


def choices(quick):
    """Yield (name, function that makes the table) of the choice of model states: from long steps
    to small ones, and past interpolation.
    """
    for n_columns in (2_000,) if quick else (2_000, 10_000):
        for n_steps in (1_000, 20_000, 50_000, 100_000, 1_000_000):
            yield (
                f"model states, FS, p = {n_columns}, {n_steps} steps",
                lambda name, p=n_columns, n=n_steps: states(
                    name, cb.Problem(*ar1(1000, p)), cb.forward_stagewise(3.0 / n), n, SQUARED
                ),
            )
    for n_steps, eps in ((300, 0.3), (3_000, 0.03)):

        def logistic(name, n=n_steps, eps=eps):
            X, y = ar1(2000, 3_000)
            labels = np.where(np.median(y) < y, 1.0, -1.0)
            problem = cb.Problem(X, labels, cb.losses.Logistic())
            return states(name, problem, cb.forward_stagewise(eps), n, OTHERS)

        yield f"model states, logistic FS, 2000 x 3000, {n_steps} steps", logistic
    leukemia = real("leukemia")
    if leukemia is not None:
        for eps, n_steps in ((0.1, 3_000), (0.01, 20_000)):
            yield (
                f"model states, LS-Boost({eps}), leukemia past interpolation",
                lambda name, eps=eps, n=n_steps: states(
                    name, cb.Problem(*leukemia), cb.ls_boost(eps), n, SQUARED
                ),
            )


def columns(problem):
    """Return the unit columns (n_samples, n_learners) of a dense problem."""
    return problem.dictionary.rows.T


def mboost(problem, eps, n_steps):
    """R's mboost: componentwise least squares, whose steps are those of LS-Boost on unit
    columns.
    """
    desk = r.Desk(columns(problem), problem.y)

    def run():
        done = desk.run("mboost", r.MBOOST, "picks", "coefs", n_steps=n_steps, nu=eps)
        return done._replace(result=(done.result["picks"].astype(int), done.result["coefs"]))

    return Contestant("R mboost glmboost", run, n_steps)


def lars(problem, n_knots):
    """R's lars: forward stagewise with infinitely small steps, from knot to knot."""
    desk = r.Desk(columns(problem), problem.y)

    def run():
        done = desk.run("lars", r.LARS, "knots", "coefs", stagewise=True, max_steps=n_knots)
        knots = done.result["knots"]
        return done._replace(result=(knots, done.result["coefs"].reshape(len(knots), -1)))

    return Contestant("R lars forward.stagewise", run, n_knots)


def knots(name, X, y, most, rounds=None):
    """Return one table, FS_0 over its first `most` knots.

    Coefficients are compared at the knots of the contestant.
    """
    problem = cb.Problem(X, y)
    ours = cb.exact_path(
        problem, kind="stagewise", max_knots=most + 1
    )  # the start counts as a knot
    n_knots = ours.n_knots - 1

    def walk():
        path = cb.exact_path(problem, kind="stagewise", max_knots=most + 1)
        return path.lam, path.beta.toarray()

    def judge(result):
        lams, beta = result
        at = lams >= ours.lam[-1] * (1 - 1e-9)
        off = np.abs(ours.coefs_at(lams[at]).toarray() - beta[at]).max()
        return {"knots": len(lams) - 1, "beta_off": float(off / np.abs(ours.beta).max())}

    table = compete(
        [Contestant("coordboost exact_path", walk, n_knots), lars(problem, n_knots)], judge, rounds
    )
    summary = ratios(table, "coordboost exact_path", fair=lambda row: row["knots"] == n_knots)
    return {
        "name": name,
        "unit": "knot",
        "n_knots": n_knots,
        "shape": list(columns(problem).shape),
        **summary,
        "rows": table,
    }


def plans(quick):
    """Yield (name, function that makes the table), smallest first."""
    for n_columns, eps in (
        (2_000, 1e-5),
        (10_000, 1e-5),
        (10_000, 1e-6),
        (50_000, 1e-5),
        (50_000, 1e-6),
    ):
        if quick and n_columns > 2_000:
            break
        # all make the same steps where this takes seconds; else the peers make the first steps only
        gram = round(3.0 / eps) if n_columns <= 10_000 and eps >= 1e-5 else 20_000
        fs = cb.forward_stagewise(eps)
        n = round(3.0 / eps)

        def make(name, p=n_columns, fs=fs, n=n, gram=gram):
            return steps(name, *ar1(1000, p), fs, n, gram=gram)

        yield f"FS, AR(1), p = {n_columns}, eps = {eps:g}", make
    leukemia = real("leukemia")
    ls = cb.ls_boost(0.01)
    many = {"naive": 2000, "gram": 200_000}
    if leukemia is not None:
        for l1 in (1.5, 2.0):
            fs = cb.forward_stagewise(1e-5)
            n = round(l1 / 1e-5)
            yield (
                f"FS, leukemia, l1 = {l1}",
                lambda name, fs=fs, n=n: steps(name, *leukemia, fs, n, **many),
            )
        yield (
            "LS-Boost, leukemia",
            lambda name: steps(name, *leukemia, ls, 10_000, peers=[mboost], **many),
        )
        yield "FS_0, leukemia", lambda name: knots(name, *leukemia, 200)
    yield (
        "LS-Boost, AR(1), p = 2000",
        lambda name: steps(name, *ar1(1000, 2_000), ls, 3_000, peers=[mboost]),
    )
    for n_columns in (2_000, 10_000):
        if not (quick and n_columns > 2_000):
            yield (
                f"FS_0, AR(1), p = {n_columns}",
                lambda name, p=n_columns: knots(name, *ar1(1000, p), 200),
            )


def tables(quick=False, only=(), limit=None):
    """Yield the requested tables.

    `limit` is not used, as every contestant makes a fixed number of steps.
    """
    for name, make in itertools.chain(plans(quick), choices(quick)):
        if wanted(name, only):
            yield make(name)
