r"""Accelerated boosting and gradient boosting of the package, against the independent loops of the
ledger.

Problem: the squared loss over unit columns, or one split of one feature.

Method: GBM, greedy coordinate descent, AGBM, VAGBM, AGBM with restarts.

Assumptions: none.

Claim: tight: losses after every round; the limit of gamma, (1 - sqrt(1 - Theta^2))^2, where Theta
is known; the rounds of a period; with restarts every period is a new run from its model.

Constants: Theta^2 = 1 / n on n coordinates, 3 / 4 for three directions in the plane.

Measured: losses and limits of the package.

Reference: Lu, Karimireddy, Ponomareva, Mirrokni, Algorithms 1 to 4, Theorems 4.1 and 4.2, Remark
B.1.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

import coordboost as cb
from coordboost.theory.bounds import accelerated
from verification import agbm
from verification.algorithms import Algorithm, Feature, feature, unscaled

ROUNDS = 12


@dataclass(frozen=True, eq=False)
class Columns:
    """Unit columns D (n, N) with the square of their minimal cosine angle, y, and gamma."""

    D: np.ndarray
    y: np.ndarray
    theta2: float
    gamma: float
    eta: float = 1.0

    @property
    def problem(self):
        return unscaled(self.D, self.y)

    def gaps(self, y=None, rounds=ROUNDS, gamma=None, **options):
        """The losses of the loop of the ledger, from a target."""
        walk = agbm.walk(
            self.D,
            self.y if y is None else y,
            self.eta,
            self.gamma if gamma is None else gamma,
            rounds,
            theta2=self.theta2,
            **options,
        )
        return walk.gaps, walk.f[-1]


def _losses(case, method, rows_a_round):
    """The losses of a run after 0, 1, ... rounds; f moves in the first row of a round."""
    run = cb.solve(case.problem, method, rows_a_round * ROUNDS, compile=False)
    at = np.maximum(rows_a_round * np.arange(ROUNDS + 1) - (rows_a_round - 1), 0)
    return [state.loss for state in run.replay(at)]


def _package_rounds(case):
    return [
        _losses(case, cb.agbm(case.eta, case.gamma, guard=False), 2),
        _losses(case, cb.vagbm(case.eta, case.gamma), 1),
        _losses(case, cb.agbm(case.eta, case.gamma, correction=0, guard=False), 1),
        _losses(case, cb.agbmr(case.eta, case.gamma, period=4, guard=False), 2),
    ]


def rounds(case, period=4, factor=1.0):
    """The losses of AGBM, VAGBM twice, and AGBM with restarts after every period."""
    target = case.y
    restarted = [case.y @ case.y / 2]
    while len(restarted) <= ROUNDS:
        gaps, model = case.gaps(target, period)
        restarted.extend(gaps[1:])
        target = target - model
    vanilla = case.gaps(one=True)[0]
    return [
        case.gaps(gamma=factor * case.gamma)[0],
        vanilla,
        vanilla,
        restarted[: ROUNDS + 1],
    ]


check_rounds = Algorithm(
    "AGBM, losses of the rounds",
    Columns,
    "The losses after every round of AGBM, of VAGBM, and of AGBM with restarts after four rounds.",
    _package_rounds,
    rounds,
)


def _package_descents(case):
    methods = [
        cb.gbm(0.3),
        cb.methods.gcd(),
        cb.methods.gcd(cb.rules.LineSearch()),
        cb.methods.ccd(),
    ]
    return [_losses(case, method, 1) for method in methods]


def descents(case, length=0.3):
    """The losses of r <- r - length B_j <B_j, r>: the largest product with length 0.3 and 1, twice,
    and the columns in turn.
    """
    losses = []
    for share, cyclic in ((length, False), (1.0, False), (1.0, False), (1.0, True)):
        resid = case.y
        losses.append(resid @ resid / 2)
        for k in range(ROUNDS):
            corr = case.D.T @ resid
            j = k % len(corr) if cyclic else np.argmax(np.abs(corr))
            resid = resid - share * corr[j] * case.D[:, j]
            losses.append(resid @ resid / 2)
    return losses


check_descents = Algorithm(
    "GBM, losses of the steps",
    Columns,
    "The losses after every step of gradient boosting and of greedy and cyclic coordinate descent.",
    _package_descents,
    descents,
)


def _package_constants(case):
    angle = cb.theory.mca(case.problem)
    return [
        [angle.lower, angle.upper],
        cb.theory.momentum_limit(case.problem),
        accelerated.period(case.eta, case.gamma, 0.5),
        _last_bound(case, cb.agbm(case.eta, case.gamma), ROUNDS),
        _last_bound(case, cb.agbmr(case.eta, case.gamma, period(case)), 3 * period(case)),
    ]


def _last_bound(case, method, rounds):
    """The bound of the package after some rounds."""
    run = cb.solve(case.problem, method, 2 * rounds, compile=False)
    (check,) = (
        check
        for check in cb.theory.check(run)
        if check.variant == "sharpened" and "AGBM" in check.name
    )
    return check.bound[-1]


def period(case, mu=1.0, factor=1.0):
    """ceil(sqrt(8 / (eta gamma mu)))."""
    return math.ceil(math.sqrt(8 / (factor * case.eta * case.gamma * mu)))


def constants(case, factor=1.0):
    """Theta; (1 - sqrt(1 - Theta^2))^2; the period for mu = 1 / 2; 2 y'y / (eta gamma (M + 1)^2);
    an eighth of y'y / 2 after three periods.
    """
    theta = math.sqrt(case.theta2)
    momentum = (1 - math.sqrt(1 - case.theta2)) ** 2
    square = case.y @ case.y
    bound = 2 * square / (case.eta * case.gamma * (ROUNDS + 1) ** 2)
    return [[theta, theta], momentum, period(case, 0.5, factor), bound, square / 16]


check_constants = Algorithm(
    "AGBM, constants",
    Columns,
    "The minimal cosine angle, the largest gamma, the rounds of a period, and the bounds of "
    "Theorems 4.1 and 4.2.",
    _package_constants,
    constants,
)


def _package_plans(case):
    problem = case.problem
    gap = case.y @ case.y / 50
    boosted = cb.theory.plan(problem, cb.ls_boost(1.0), gap)
    momentum = cb.theory.plan(problem, cb.agbm(case.eta, case.gamma), gap)
    return [boosted.n_steps, momentum.n_steps]


def plans(case, constant=2):
    """The least k with (1 - lambda_pmin / N)^k <= 1 / 25, and two steps for each of the least M
    rounds with 2 y'y / (eta gamma (M + 1)^2) <= y'y / 50.
    """
    eigenvalue = np.linalg.eigvalsh(case.D @ case.D.T)[0]
    steps = math.ceil(math.log(1 / 25) / math.log(1 - eigenvalue / case.D.shape[1]))
    return [steps, 2 * math.ceil(math.sqrt(50 * constant / (case.eta * case.gamma)) - 1)]


check_plans = Algorithm(
    "AGBM, planned steps",
    Columns,
    "The numbers of steps that guarantee a gap of y'y / 50, of LS-Boost and of AGBM.",
    _package_plans,
    plans,
)


def _package_estimators(case):
    options = {**case.options(), "max_depth": 1, "gamma": 0.1}
    regressor = cb.AcceleratedGBMRegressor(**options).fit(case.X, case.y)
    classifier = cb.AcceleratedGBMClassifier(**options).fit(case.X, case.label)
    return [regressor.predict(case.X), classifier.decision_function(case.X)]


check_estimators = Algorithm(
    "AGBM, estimators",
    Feature,
    "Momentum without a correction on one feature, one split a tree, in steps of rate / sigma.",
    _package_estimators,
    lambda case: [path[-1] for path in case.boosted(gamma=0.1)],
)


def coordinates(y):
    """Return the case of n coordinates, gamma at its printed limit."""
    n = len(y)
    theta2 = Fraction(1, n)
    return Columns(np.eye(n), np.array(y, dtype=float), 1 / n, float(agbm.limit(theta2)))


def star():
    """Return three directions in the plane, 60 degrees apart."""
    angle = np.pi / 3 * np.arange(3)
    return Columns(np.array([np.cos(angle), np.sin(angle)]), np.array([2.0, 1.0]), 0.75, 0.2, 0.8)


CASES = {
    "three coordinates": lambda: coordinates((3, 2, 1)),
    "five coordinates": lambda: coordinates((5, 4, 3, 2.5, 1)),
    "star": star,
    "a feature": feature,
}

SABOTAGE = {
    check_rounds: {
        "restarts after five rounds": check_rounds.instead(lambda case: rounds(case, period=5)),
        "gamma a tenth larger": check_rounds.instead(lambda case: rounds(case, factor=1.1)),
    },
    check_descents: {"steps a tenth longer": check_descents.instead(lambda c: descents(c, 0.33))},
    check_constants: {
        "half of the period": check_constants.instead(lambda case: constants(case, factor=4.0))
    },
    check_estimators: {
        "a tenth more momentum": check_estimators.instead(
            lambda case: [path[-1] for path in case.boosted(gamma=0.11)]
        )
    },
    check_plans: {"a quarter of the constant": check_plans.instead(lambda case: plans(case, 0.5))},
}
