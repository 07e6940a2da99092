"""Frank-Wolfe on the l1 ball: plain, away and pairwise steps, compared with copt, `exact_path` and
`lasso_path`.

Squared loss; the radius is half the l1 norm at the end of the exact path. Each contestant stops by
its own estimate of the relative gap. All are judged by the same certificate of the coefficients,
scaled into the ball. Our runs compute a certificate at certain steps, which costs more than the
steps in short runs; copt gets its gap from each step. copt is given the Lipschitz constant. Its
pairwise steps do not have the origin as a vertex, and start at the best vertex. `lasso_path` is
given the penalty with the same optimum.

copt 0.9.2 deletes a vertex whose weight has become 0, and then reads its weight, which inserts it
again with weight 0. Sooner or later all steps go away from such a vertex, and have length 0. The
rows "repaired" leave out this read; nothing else is changed.
"""

import contextlib
import importlib.util
import warnings
from unittest import mock

import numpy as np

import coordboost as cb
from verification.benchmarks.data import real
from verification.benchmarks.harness import Contestant, compete, ratios, wanted

TARGETS = (1e-3, 1e-8)
MOST = 20_000
QUICK = "diabetes"
DESIGNS = ("diabetes", "housing", "year_1176", "sonar")


def repaired(active_set, best, worst, step):
    """Update copt's vertex weights without reading a deleted one."""
    active_set[best] += step
    active_set[worst] -= step
    if active_set[worst] <= 0.0:
        del active_set[worst]
    return active_set


def copt(problem, delta, target, pairwise=False, search=False, repair=False):
    """Return a run of copt with backtracking, or with exact line search if `search`.

    It returns coefficients of unit columns, and steps.
    """
    from copt import constraint, minimize_frank_wolfe

    B = np.ascontiguousarray(problem.dictionary.rows.T)
    y = problem.y
    ball = constraint.L1Ball(delta)
    corr = B.T @ y
    start = np.zeros(B.shape[1])
    j = int(np.abs(corr).argmax())
    options = {
        "max_iter": MOST,
        "tol": target * problem.start_loss,
        "lipschitz": np.linalg.norm(B, 2) ** 2,
        "jac": True,
    }
    if pairwise:
        start[j] = delta * np.sign(corr[j])
        options |= {"x0_rep": (np.sign(corr[j]), j), "variant": "pairwise"}

    def value_and_slope(x):
        off = B @ x - y
        return off @ off / 2, B.T @ off

    def exact(seen):
        moved = B @ seen["update_direction"]
        return min(seen["certificate"] / (moved @ moved), seen["max_step_size"])

    def run():
        patch = (
            mock.patch("copt.frank_wolfe.update_active_set", repaired)
            if repair
            else contextlib.nullcontext()
        )
        lmo = ball.lmo_pairwise if pairwise else ball.lmo
        with patch, warnings.catch_warnings():  # copt divides by a decrease of 0
            warnings.simplefilter("ignore")
            done = minimize_frank_wolfe(
                value_and_slope, start, lmo, step=exact if search else "backtracking", **options
            )
        return done.x, done.nit

    return run


def ours(problem, method, target, told=False):
    """Return a run of one of our methods until its certified gap is at most `target`.

    `told` : as many steps, without certificates.

    A pairwise step is two steps of the loop, and counts as one.
    """
    rows = 1 + (method.name == "frank_wolfe_pairwise")
    until = {"stop": cb.engine.GapBelow(target)}
    n_steps = cb.solve(problem, method, MOST * rows, **until).n_steps if told else MOST * rows

    def run():
        done = cb.solve(problem, method, n_steps, **({} if told else until))
        return done.beta, done.n_steps // rows

    return run


def contestants(problem, delta, target):
    """Return the Frank-Wolfe contestants.

    Plain steps only for the loose target, as they converge slowly.
    """
    methods = {
        "pairwise": cb.methods.frank_wolfe_pairwise(delta),
        "away": cb.methods.frank_wolfe_away(delta),
    }
    plain = target >= TARGETS[0]
    if plain:
        methods["plain"] = cb.methods.frank_wolfe(delta, cb.rules.SegmentSearch(delta))
    made = [
        Contestant(f"coordboost, {name}", ours(problem, method, target))
        for name, method in methods.items()
    ]
    made.append(
        Contestant(
            "coordboost, pairwise, known number of steps",
            ours(problem, methods["pairwise"], target, told=True),
        )
    )
    here = importlib.util.find_spec("copt") is not None
    for name, options in {
        "plain": {},
        "plain, exact search": {"search": True},
        "pairwise": {"pairwise": True},
        "pairwise, repaired": {"pairwise": True, "repair": True},
        "pairwise, repaired, exact search": {"pairwise": True, "repair": True, "search": True},
    }.items():
        if plain or "pairwise" in name:
            one = Contestant(
                f"copt, {name}", copt(problem, delta, target, **options) if here else None
            )
            one.note = "" if here else "copt is not installed"
            made.append(one)
    return made


def table(name, X, y, target, rounds=None):
    """Return one table: all contestants on one problem, at one relative gap."""
    problem = cb.Problem(X, y)
    path = cb.exact_path(problem)
    rows = problem.dictionary.rows
    delta = float(np.abs(path.beta[[-1]]).sum()) / 2
    best = path.beta_at(l1=delta)
    alphas = [np.abs(rows @ (problem.y - best @ rows)).max() / len(y)]

    def judge(result):
        beta, n_steps = result
        found = cb.certify(
            problem, beta * min(1.0, delta / np.abs(beta).sum()), cb.certificates.L1Ball(delta)
        )
        return {"gap": found.gap / problem.start_loss} | ({"steps": n_steps} if n_steps else {})

    def lasso():
        return problem.unit(cb.lasso_path(problem, alphas=alphas, tol=target).coefs[:, 0]), 0

    everyone = contestants(problem, delta, target)
    everyone += [
        Contestant("exact_path, whole path", lambda: (cb.exact_path(problem).beta_at(l1=delta), 0)),
        Contestant("lasso_path", lasso),
    ]
    found = compete(everyone, judge, rounds)

    def fair(row):
        return row["name"].startswith("copt") and row["gap"] <= target

    facts = {"unit": "run", "shape": list(X.shape), "delta": delta, "target": target}
    return {
        "name": name,
        **facts,
        **ratios(found, "coordboost, pairwise", fair=fair),
        "rows": found,
    }


def tables(quick=False, only=(), limit=None):
    """Yield the requested tables.

    `limit` is not used, as Frank-Wolfe contestants make at most ``MOST`` steps.
    """
    for design in DESIGNS:
        data = real(design) if wanted(design, only) and (design == QUICK or not quick) else None
        for target in TARGETS if data is not None else ():
            yield table(f"Frank-Wolfe, {design}, gap {target:g}", *data, target)
