r"""One step: decrease, gradient and gap (Propositions 4.3 and 4.5, (24), (25), (26)).

Problem: a smooth loss over unit columns; strongly convex for Proposition 4.5 and (26).

Method: RGBM = RtGCD, Types 0-3, constant step 1 / sigma or line search.

Assumptions: unit columns.

Claim: (24), for every draw: L(beta^{m+1}) <= L(beta^m) - (grad_j)^2 / (2 sigma). (25): the same in
expectation with the squared norm of the gradient. Proposition 4.3: E (grad_j)^2 is the norm of the
squares, at least the square of the norm. (26): L* >= L - norm(grad)^2 / (2 mu Theta^2). Proposition
4.5: L(b) >= L(beta) + <grad, b - beta> + mu / 2 Theta^2 Dist(b, beta)^2; the square is missing in
print, and the printed claim is false.

Constants: Theta rounded up (upper end), L* rounded down (certificate), sigma, mu of the loss.

Measured: at the iterates of a run, over all draws; Proposition 4.5 between iterates, and between
two points of the identity.

Reference: Lu, Mazumder, Propositions 4.3 and 4.5, (24), (25), (26).
"""

import numpy as np

from coordboost.theory.distances import distance
from verification.rgbm import identity, law, norm, trials
from verification.spaces.draws import BASIS, DRAWS
from verification.statement import refuted, stated


def _gradients(case):
    return np.array([case.gradient(beta) for beta in case.betas])


def _surely(case, factor=1.0, length=1.0):
    taken = case.run.path.learner
    slopes = _gradients(case)[np.arange(len(taken)), taken]
    after = np.array(
        [case.loss(b + factor * (c - b)) for b, c in zip(case.betas, case.betas[1:], strict=False)]
    )
    bound = case.losses[:-1] - (length * slopes) ** 2 / (2 * case.problem.loss.sigma)
    return case.hold(
        "(24)", "printed", "upper", after, bound, at=np.arange(1, len(after) + 1), level="float"
    )


check_surely = stated(
    "(24)",
    (DRAWS, BASIS),
    "A step decreases the loss by at least half the squared derivative.",
    printed="one_step <= gap - gradient**2 / 2",
)


@check_surely.otherwise
def _(case, variant):
    """L(beta^{m+1}) <= L(beta^m) - (grad_j L)^2 / (2 sigma), whatever is drawn."""
    return _surely(case)


def _expected(case, factor=1.0):
    norms = np.array([norm(case.rule, case.label, a) for a in _gradients(case)])
    after = np.array([case.expected(beta) for beta in case.betas])
    return case.hold(
        "(25)",
        "printed",
        "expectation",
        after,
        case.losses - factor * norms**2 / (2 * case.problem.loss.sigma),
    )


check_expected = stated(
    "(25)",
    (DRAWS, BASIS),
    "The expected decrease is at least half the squared norm.",
    printed="expected[1] <= gap - norm**2 / 2",
)


@check_expected.otherwise
def _(case, variant):
    """E L(beta^{m+1}) <= L(beta^m) - norm(grad)^2 / (2 sigma)."""
    return _expected(case)


def _squares(case, power=2):
    rows = _gradients(case)
    means = np.array([float(law(case.rule, case.label, a).astype(float) @ a**2) for a in rows])
    of_squares = np.array([norm(case.rule, case.label, np.abs(a) ** power) for a in rows])
    square = np.array([norm(case.rule, case.label, a) ** 2 for a in rows])
    return [
        case.hold("Proposition 4.3", "printed", "tight", means, of_squares),
        case.hold("Proposition 4.3", "printed", "upper", square, of_squares),
    ]


check_squares = stated(
    "Proposition 4.3",
    (DRAWS, BASIS),
    "The second moment of the selected entry is the norm of the squares.",
    printed="mean_square == norm_of_squares and norm**2 <= norm_of_squares",
)


@check_squares.otherwise
def _(case, variant):
    """E (grad_j)^2 = norm of the squares >= square of the norm."""
    return _squares(case)


def _gap(case, factor=1.0):
    if not case.problem.loss.mu:
        return None
    norms = np.array([norm(case.rule, case.label, a) for a in _gradients(case)])
    bound = norms**2 / (2 * case.problem.loss.mu * (factor * case.angle.upper) ** 2)
    return case.hold("(26)", "printed", "upper", case.losses - case.optimum, bound, level="float")


check_gap = stated(
    "(26)",
    (DRAWS, BASIS),
    "The norm of the gradient bounds the gap.",
    printed="gap <= norm**2 / (2 * angle2)",
)


@check_gap.otherwise
def _(case, variant):
    """L* >= L(beta^m) - norm(grad)^2 / (2 mu Theta^2)."""
    return _gap(case)


def _convexity(case, variant, power, factor=1.0):
    if not case.problem.loss.mu:
        return None
    pairs = [(case.betas[-1], beta) for beta in case.betas[:-1]] + [
        (0.9 * case.betas[-1], case.betas[-1])
    ]
    far = np.array([distance(case.problem, case.rule, *pair) for pair in pairs]) * (1 - 1e-7)
    linear = np.array(
        [case.loss(beta) + case.gradient(beta) @ (other - beta) for other, beta in pairs]
    )
    lower = (
        linear + factor * case.problem.loss.mu / 2 * case.angle.upper**2 * (1 - 1e-9) * far**power
    )
    return case.hold(
        "Proposition 4.5",
        variant,
        "upper",
        lower,
        [case.loss(other) for other, _ in pairs],
        level="float",
        along="pair",
    )


check_convexity = stated(
    "Proposition 4.5",
    (DRAWS, BASIS),
    "Strong convexity in the distance of the rule; printed without the square.",
    printed=refuted("angle2 / 2 * distance <= square / 2"),
    corrected="angle2 / 2 * distance**2 <= square / 2",
)


@check_convexity.otherwise
def _(case, variant):
    """L(b) >= L(beta) + <grad, b - beta> + mu / 2 Theta^2 Dist(b, beta), as printed.

    Dist^2, as corrected.
    """
    return _convexity(case, variant, 1 if variant == "printed" else 2)


CASES = {
    "identity, y = (0.1, 0.1)": lambda: identity([0.1, 0.1]),
    "GBM, identity": lambda: identity([3, 2, 1]),
    **trials(ranks=(3,)),
}
QUICK = tuple(CASES)[:12]

SABOTAGE = {
    check_surely: {
        "steps of 2.5 / sigma": lambda case: (
            None if case.line_search else _surely(case, factor=2.5)
        ),
        "learners a tenth shorter": lambda case: _surely(case, length=1.1),
    },
    check_expected: {"a tenth more decrease": lambda case: _expected(case, 1.1)},
    check_squares: {"third powers": lambda case: _squares(case, 3)},
    check_gap: {"an angle a tenth too large": lambda case: _gap(case, 1.1)},
    check_convexity: {
        "twice the distance term": lambda case: _convexity(case, "corrected", 2, 2.0)
    },
}
