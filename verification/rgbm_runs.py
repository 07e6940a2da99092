"""Random runs of the package, judged by the mean of repeated ones, and its bounds compared with those of small instances."""

import numpy as np

import coordboost as cb
from coordboost.theory.bounds import BoundCheck, randomized
from verification.spaces.draw import Draw
from verification.statement import of_package

#: name: (loss, method) on 30 x 8 numbers in four groups.
REPEATED = {
    "logistic": (cb.losses.Logistic(0.1), cb.rtgcd(select=cb.rules.Groups(2))),
    "squared": (cb.losses.Squared(), cb.rtgcd(2)),
    "huber": (cb.losses.Huber(0.5), cb.rtgcd(select=cb.rules.Groups(1))),
    "line search": (cb.losses.Logistic(0.1), cb.rtgcd(2, step=cb.rules.LineSearch())),
}


def repeated(name, n_steps=60):
    """A run of one of ``REPEATED``."""
    loss, method = REPEATED[name]
    rng = np.random.default_rng(0)
    B, y = rng.standard_normal((30, 8)), 3 * rng.standard_normal(30)
    y = np.sign(y) if name in ("logistic", "line search") else y
    return cb.solve(cb.Problem(B, y, loss, groups=np.repeat(range(4), 2)), method, n_steps)


def pace(case):
    """The constants of a small instance for the package."""
    return randomized.Pace(float(case.gap), 1.0, 1.0, float(case.angle2) ** 0.5, float(case.start_distance2) ** 0.5)


def held_by_package(case, name, theirs, share, first=0):
    """A small instance: the package's bound is `share` of the gap at the start; a run: the claim of the package."""
    if isinstance(case, Draw):
        steps = np.arange(first, len(case.M))
        ours = np.array(share(case) * case.gap, dtype=float)[first:]
        return BoundCheck(name, "printed", "tight", theirs(pace(case), steps), ours, 1e-9 * float(case.gap), at=steps)
    one = of_package(name)
    return one.check(case) if isinstance(case, cb.engine.Run) and one.applies(case) else None


def wrong_by_package(name, share, first=0):
    """A sabotage: another formula next to that of the package, on small instances."""

    def sabotage(case):
        theirs = {"RGBM, Theorem 4.1": randomized.linear, "RGBM, Theorem 4.2": randomized.sublinear}
        theirs = theirs.get(name, randomized.sublinear_simple)
        return held_by_package(case, name, theirs, share, first) if isinstance(case, Draw) else None

    sabotage.small = True
    return sabotage
