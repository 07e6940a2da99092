"""Random runs of the package, whose means over repeated runs are checked.

And its bounds, compared with formulas on small instances.
"""

import numpy as np

import coordboost as cb
from coordboost.theory.bounds import BoundCheck, randomized
from verification.spaces.draw import Draw
from verification.statement import of_package

#: name: (loss, method), for a 30 x 8 matrix with four groups of columns.
REPEATED = {
    "logistic": (cb.losses.Logistic(0.1), cb.rtgcd(select=cb.rules.Groups(2))),
    "squared": (cb.losses.Squared(), cb.rtgcd(2)),
    "huber": (cb.losses.Huber(0.5), cb.rtgcd(select=cb.rules.Groups(1))),
    "line search": (cb.losses.Logistic(0.1), cb.rtgcd(2, step=cb.rules.LineSearch())),
}


def repeated(name, n_steps=60):
    """Return a run of an entry of ``REPEATED``."""
    loss, method = REPEATED[name]
    rng = np.random.default_rng(0)
    B = rng.standard_normal((30, 8))
    y = 3 * rng.standard_normal(30)
    y = np.sign(y) if name in ("logistic", "line search") else y
    return cb.solve(cb.Problem(B, y, loss, groups=np.repeat(range(4), 2)), method, n_steps)


def pace(case):
    """Return the constants of a small instance in the form of the package."""
    return randomized.Pace(
        float(case.gap), 1.0, 1.0, float(case.angle2) ** 0.5, float(case.start_distance2) ** 0.5
    )


def held_by_package(case, name, theirs, share, first=0):
    """Check on a small instance that the bound of the package is `share` times the initial gap.

    On a run, check the package's claim.
    """
    if isinstance(case, Draw):
        steps = np.arange(first, len(case.M))
        ours = np.array(share(case) * case.gap, dtype=float)[first:]
        return BoundCheck(
            name,
            "printed",
            "tight",
            theirs(pace(case), steps),
            ours,
            1e-9 * float(case.gap),
            at=steps,
        )
    one = of_package(name)
    return one.check(case) if isinstance(case, cb.engine.Run) and one.applies(case) else None


def wrong_by_package(name, share, first=0):
    """Return a sabotage: compare the bound of the package with a wrong formula, on small
    instances.
    """

    def sabotage(case):
        theirs = {"RGBM, Theorem 4.1": randomized.linear, "RGBM, Theorem 4.2": randomized.sublinear}
        theirs = theirs.get(name, randomized.sublinear_simple)
        return held_by_package(case, name, theirs, share, first) if isinstance(case, Draw) else None

    sabotage.small = True
    return sabotage
