r"""Linear convergence of random-then-greedy boosting (Theorem 4.1).

Problem: a strongly convex, smooth loss over unit columns, any rank.

Method: RGBM = RtGCD, Types 0-3, constant step 1 / sigma or line search.

Assumptions: unit columns (``Problem`` refuses others); the loss is mu-strongly convex and
sigma-smooth.

Claim: expectation, (22): E[L(beta^M) - L*] <= (1 - mu / sigma Theta^2)^M (L(0) - L*). Checked one
step at a time, from every iterate of a run, which gives (22) by induction. Sharpened: with the
second-moment angle, attained by random coordinate descent.

Dictionaries with a known exact angle: random columns, all stumps of a table, all trees of depth 2
with leaves of equal size.

Constants: Theta rounded up (the upper end of its interval), L* rounded down (the lower end of a
certificate), mu and sigma of the loss.

Measured: the expected gap after one step, over all draws of the rule, against the gap before.

Reference: Lu, Mazumder, Theorem 4.1, (22); the sharper constant is ours (docs/geometry.md).
"""

from dataclasses import replace

import numpy as np

import coordboost as cb
from coordboost.theory.bounds import randomized
from verification.rgbm import LABELS, TABLES, Trial, identity, trials
from verification.rgbm_runs import REPEATED, repeated
from verification.spaces.draw import exact_draw
from verification.spaces.draws import BASIS, DRAWS
from verification.statement import Check, stated


def _one_step(case, variant, factor=1.0, angle=None, optimum=None, scale=1.0):
    theta = (case.angle if variant == "printed" else case.second).upper if angle is None else angle
    lower = case.optimum if optimum is None else optimum
    rate = 1 - case.conditioning * theta**2 * scale
    after = np.array([case.expected(beta, factor) for beta in case.betas]) - lower
    return case.hold(
        "Theorem 4.1",
        variant,
        "expectation",
        after,
        rate * (case.losses - lower),
        at=np.arange(1, len(after) + 1),
    )


check_rate = Check(
    replace(
        randomized.linear,
        name="Theorem 4.1",
        sharpened="K**M * expected <= (K - 1)**M * gap",
        on_runs=(),
    ),
    (DRAWS, BASIS),
    assuming={"sharpened": "basis and kind < 2"},
)
check_classical = stated(
    "Theorem 4.1 for one learner",
    DRAWS,
    "Random coordinate descent at its classical rate, the second moment of Type 1, t = 1.",
    sharpened="expected <= (1 - least_eigenvalue / K)**M * gap",
    assuming="kind == 1 and t == 1",
)
check_package = Check(randomized.linear, (DRAWS, BASIS))


@check_rate.otherwise
def _(case, variant):
    """E_m[L(beta^{m+1}) - L*] <= (1 - mu / sigma Theta^2) (L(beta^m) - L*), any loss."""
    return _one_step(case, variant) if isinstance(case, Trial) else None


def _bottom():
    """Return random coordinate descent from the eigenvector of the smallest eigenvalue, where the
    sharper rate is attained.
    """
    B = np.random.default_rng(4).standard_normal((4, 6))
    B /= np.linalg.norm(B, axis=0)
    y = np.linalg.eigh(B @ B.T)[1][:, 0]
    return Trial(
        cb.Problem(B, y, center=False, scale=False, groups=LABELS),
        cb.rules.RandomSubset(1),
        False,
        n_steps=1,
    )


CASES = {**trials(), "GBM, identity": lambda: identity([3, 2, 1]), "bottom eigenvector": _bottom}
CASES["a basis in groups of 1 and 3, Type 2"] = lambda: exact_draw(
    y=(0, 1, 1, 1), other=(1, 0, 0, 0), label=(0, 1, 1, 1), kind=2, t=1
)
CASES |= TABLES
CASES |= {f"repeated runs, {name}": (lambda name=name: repeated(name)) for name in REPEATED}
QUICK = (
    *list(CASES)[:10],
    "GBM, identity",
    "bottom eigenvector",
    "a basis in groups of 1 and 3, Type 2",
    "all stumps, Type 2, logistic",
    "all trees of depth 2, Type 0",
    "repeated runs, logistic",
)


def _raw(case):
    """Learners twice as long, without a step length adapted to them: steps four times as long."""
    return _one_step(case, "printed", factor=4.0)


def _on_trials(wrong):
    return lambda case: wrong(case) if isinstance(case, Trial) else None


SABOTAGE = {
    check_classical: {
        "twice the rate": check_classical.instead(
            "expected <= (1 - 2 * least_eigenvalue / K)**M * gap"
        )
    },
    check_rate: {
        "the angle itself for its square": check_rate.instead(
            "expected <= (1 - angle2**(M * 0 + 1) * 2)**M * gap"
        ),
        "learners of length 2": _on_trials(_raw),
        "steps of 2 / sigma": _on_trials(lambda case: _one_step(case, "printed", factor=2.0)),
        "the square of the second-moment angle a tenth larger": _on_trials(
            lambda case: _one_step(case, "sharpened", scale=1.1)
        ),
        "the angle of Type 0 for every rule": _on_trials(
            lambda case: _one_step(case, "printed", angle=cb.theory.mca(case.problem).upper)
        ),
        "the optimum over all predictions": _on_trials(
            lambda case: _one_step(case, "printed", optimum=0.0)
        ),
        "a random learner in place of the best of those drawn": _on_trials(
            lambda case: _one_step(
                replace(case, rule=cb.rules.RandomSubset(1)), "printed", angle=case.angle.upper
            )
        ),
    },
}
