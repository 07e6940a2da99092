"""The worst cases by name: what each measures, the bounds of the papers, its programme, and its
run.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction

import coordboost as cb
from coordboost.theory.performance import raised
from verification.worst_case import ball, descent, random_groups, runs

MU = Fraction(1, 10)
EPS = Fraction(1, 10)
HALF = Fraction(1, 2)
RADIUS = Fraction(1)


@dataclass(frozen=True)
class WorstCase:
    """A method and the quantity measured on its runs, for sigma = 1.

    words : what is measured, and in which units
    angles : whether the case depends on theta
    model : (n, theta, margin) -> ``Model``
    play : (instance, n, theta) -> (measured, smallest angle met or None), or None for no run
    bounds : variant -> function of (n, theta), empty where no theorem applies
    instance : class that turns a solution into a problem
    """

    words: str
    model: Callable
    play: Callable | None
    bounds: dict = field(default_factory=dict)
    instance: Callable = runs.Instance
    angles: bool = True


def paper_gamma(theta):
    """Return Theta^4 / (4 + Theta^2), the largest gamma allowed by Theorem 4.1 of accelerated
    boosting.
    """
    return theta**4 / (4 + theta**2)


def _accelerated(words, sign, gamma=paper_gamma, bounds=None):
    def play(instance, n, theta):
        share = float(gamma(theta))
        method = cb.agbm(1.0, share, guard=False, correction=sign) if sign else cb.vagbm(1.0, share)
        return runs.play_descent(instance, method, n, (share, sign))

    def model(n, theta, margin):
        return descent.agbm(n, raised(theta, margin), gamma(theta), sign, margin=margin)

    return WorstCase(words, model, play, bounds or {})


def _gbm(words, mu, bounds):
    def play(instance, n, theta):
        return runs.play_descent(instance, cb.methods.gcd(), n)

    return WorstCase(
        words,
        lambda n, theta, margin: descent.gbm(n, raised(theta, margin), mu, margin),
        play,
        bounds,
    )


def _stagewise(words, measure, delta, bounds):
    def play(instance, n, theta):
        eps = float(EPS)
        method = (
            cb.forward_stagewise(eps)
            if delta is None
            else cb.regularized_forward_stagewise(eps, float(delta))
        )
        return runs.play_stagewise(instance, method, n, measure, delta and float(delta)), None

    def model(n, theta, margin):
        return ball.stagewise(n, EPS, delta, measure, margin)

    return WorstCase(words, model, play, bounds, angles=False)


def _random(words, mu, bounds):
    def play(instance, n, theta):
        return random_groups.play_random(instance, n), None

    def model(n, theta, margin):
        return random_groups.random_gbm(n, mu)

    return WorstCase(words, model, play, bounds, random_groups.Groups, False)


def _ls_play(instance, n, theta):
    return runs.play_ls_boost(instance, float(HALF), n)


def _fw_play(instance, n, theta):
    return runs.play_frank_wolfe(instance, n), None


def _convex(n, theta):
    return 1 / (2 + n * theta**2 / 2)


def _momentum(factor, gamma=paper_gamma):
    return lambda n, theta: factor / (2 * gamma(theta) * (n + 1) ** 2)


def _omega(n, theta):
    return 1 / (2 * EPS * (n + 1)) + 2 * EPS


CASES = {
    "gbm": _gbm(
        "GBM, L(f_n) for ||f_k - f*|| <= 1 (Lu, Mazumder, Theorem 4.2, Type 0)",
        0,
        {"printed": _convex},
    ),
    "gbm_strong": _gbm(
        "GBM, mu = 1/10, L(f_n) / L(f_0) (Lu, Mazumder, Theorem 4.1, Type 0)",
        MU,
        {"printed": lambda n, t: (1 - MU * t**2) ** n},
    ),
    "random_gbm": _random(
        "RGBM drawing one of two groups, E L(f_n) for ||f_k - f*|| <= 1 (Theorem 4.2, Type 2)",
        0,
        {
            "printed": lambda n, t: 1 / (2 + n * Fraction(1, 8)),
            "sharpened": lambda n, t: 1 / (2 + n * Fraction(1, 4)),
        },
    ),
    "random_gbm_strong": _random(
        "RGBM drawing one of two groups, mu = 1/10, E L(f_n) / L(f_0) (Theorem 4.1, Type 2)",
        MU,
        {"printed": lambda n, t: (1 - MU / 4) ** n, "sharpened": lambda n, t: (1 - MU / 2) ** n},
    ),
    "agbm": _accelerated(
        "AGBM, gamma = Theta^4 / (4 + Theta^2), L(f_n) for ||f*|| <= 1 (Lu et al., Theorem 4.1)",
        1,
        bounds={"printed": _momentum(1), "corrected": _momentum(4)},
    ),
    "agbm_one": _accelerated(
        "AGBM, gamma = 1, L(f_n) for ||f*|| <= 1 (no theorem below Theta = 1)",
        1,
        lambda theta: Fraction(1),
    ),
    "agbm_minus": _accelerated(
        "AGBM with the other sign, gamma = 1, L(f_n) for ||f*|| <= 1 (no theorem)",
        -1,
        lambda theta: Fraction(1),
    ),
    "vagbm": _accelerated(
        "VAGBM, L(f_n) for ||f*|| <= 1 (no theorem)", 0, lambda theta: Fraction(1)
    ),
    "ls_boost": WorstCase(
        "LS-Boost, eps = 1/2, (L(n) - L*) / (L(0) - L*) (Freund et al., Theorem 2.1, Theta^2 for "
        "lambda_pmin / p)",
        lambda n, theta, margin: descent.ls_boost(n, raised(theta, margin), HALF, margin),
        _ls_play,
        {
            "printed": lambda n, t: (1 - Fraction(3, 16) * t**2) ** n,
            "sharpened": lambda n, t: (1 - Fraction(3, 4) * t**2) ** n,
        },
    ),
    "forward_stagewise": _stagewise(
        "FS, eps = 1/10, smallest largest correlation for A = 1 (Freund et al., Theorem 3.1 (iv))",
        "corr",
        None,
        {"printed": lambda n, t: 1 / (2 * EPS * (n + 1)) + EPS / 2},
    ),
    "regularized_omega": _stagewise(
        "R-FS, eps = 1/10, delta = 1, smallest omega for A = 1 (Freund et al., (53))",
        "omega",
        RADIUS,
        {"printed": _omega},
    ),
    "regularized_gap": _stagewise(
        "R-FS, eps = 1/10, delta = 1, smallest gap to the Lasso for A = 1 (Freund et al., Theorem "
        "4.1 (i))",
        "gap",
        RADIUS,
        {"printed": lambda n, t: RADIUS * _omega(n, t)},
    ),
    "frank_wolfe": WorstCase(
        "Frank-Wolfe, 2 / (k + 2), on an l1 ball of diameter 1 from its centre, error (Jaggi, "
        "Theorem 1)",
        lambda n, theta, margin: ball.frank_wolfe(n, margin=margin),
        _fw_play,
        {"printed": lambda n, t: Fraction(2, n + 2)},
        angles=False,
    ),
    "frank_wolfe_anywhere": WorstCase(
        "Frank-Wolfe, 2 / (k + 2), on any set of diameter 1, error (Jaggi, Theorem 1; not run: the "
        "package has the l1 ball)",
        lambda n, theta, margin: ball.frank_wolfe(n, anywhere=True, margin=margin),
        None,
        {"printed": lambda n, t: Fraction(2, n + 2)},
        angles=False,
    ),
}
