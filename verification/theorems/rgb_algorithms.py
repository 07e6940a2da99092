r"""Regularised boosting in the package.

The learner of a step, its length, the charge of a model, and the margin bound of a run.

Problem: the squared or logistic loss over columns in families, or trees of two families.

Method: Algorithm 1 with C_k = sigma lambda_k^2, all families drawn.

Assumptions: none.

Claim: tight: a step takes the learner with the least sum of the losses after its step and m beta
Omega_k; families are drawn with chances proportional to lambda_k^2; the margin bound has the three
parts of Theorem 2.

Constants: none.

Measured: picks and step lengths of 8 steps, charges, chances; the parts of the bound for a run on
trees.

Reference: Cortes, Mohri, Storcheus, *Regularized Gradient Boosting*, Algorithm 1, (6) to (10),
Theorem 2.
"""

import math
from dataclasses import dataclass

import numpy as np

import coordboost as cb
from coordboost.theory.bounds import margin_bound
from verification.algorithms import Algorithm, Feature, feature

#: Step rules of RGB, and their constants C: of a family, as printed, of each learner.
STEPS = {
    "squares": (cb.rules.FamilyStep(), lambda h, bound: bound**2),
    "printed": (cb.rules.FamilyStep(power=1), lambda h, bound: bound),
    "learner": (cb.rules.ShrunkenStep(), lambda h, bound: np.mean(h * h)),
}


@dataclass(frozen=True, eq=False)
class Columns:
    """Learners H (m, n) in families with bounds lambda and complexities Omega, y; the kind of
    steps.
    """

    H: np.ndarray
    family: np.ndarray
    bound: np.ndarray
    omega: np.ndarray
    y: np.ndarray
    beta: float
    kind: str = "squares"
    n_steps: int = 8

    @property
    def problem(self):
        return cb.Problem(self.H, self.y, center=False, groups=self.family)

    def method(self, n_candidates=None):
        families = cb.learners.Families(bound=self.bound, complexity=self.omega)
        return cb.rgb(self.beta, n_candidates, STEPS[self.kind][0], families=families)


def _package_steps(case):
    run = cb.solve(case.problem, case.method(), case.n_steps, compile=False)
    size = np.linalg.norm(case.H, axis=0)[run.path.learner]
    charge = run.method.target.charges(case.problem, run.beta).sum()
    summary = cb.engine.family_summary(run)
    used = [summary.charge.sum() * len(case.y), summary.loss * len(case.y)]
    return [run.path.learner, run.path.theta * run.method.unit / size, charge, used]


def steps(case, sign=1):
    """Learners, their coefficients in the scale of H; at the end the charge, m beta sum_j |alpha_j|
    Omega_j, twice, and the sum of the losses.
    """
    m = len(case.y)
    resid = case.y
    alpha = np.zeros(case.H.shape[1])
    learners = []
    lengths = []
    for _ in range(case.n_steps):
        tried = []
        for j, h in enumerate(case.H.T):
            length = h @ resid / m / STEPS[case.kind][1](h, case.bound[case.family[j]])
            after = resid - length * h
            charge = sign * m * case.beta * case.omega[case.family[j]]
            tried.append((after @ after / 2 + charge, j, length))
        _, j, length = min(tried)
        resid = resid - length * case.H[:, j]
        alpha[j] += length
        learners.append(j)
        lengths.append(length)
    charge = m * case.beta * np.abs(alpha) @ case.omega[case.family]
    return [learners, lengths, charge, [charge, resid @ resid / 2]]


check_steps = Algorithm(
    "RGB, Algorithm 1 on columns",
    Columns,
    "A step takes the learner with the least sum of losses and charge after its step, and is -L' "
    "/ C long.",
    _package_steps,
    steps,
)


def _package_chances(case):
    """The law of the families, and how often they are drawn."""
    select = case.method(n_candidates=1).bind(case.problem).select
    drawn = select.draw(np.random.default_rng(0), 20_000, len(case.family))
    return [select.law, np.bincount(drawn.ravel(), minlength=len(case.bound)) / 20_000]


def chances(case, power=2):
    """lambda_k^2 / sum_k lambda_k^2."""
    size = case.bound**power
    return [size / size.sum()] * 2


check_chances = Algorithm(
    "RGB, chances of the families",
    Columns,
    "Families are drawn with chances proportional to lambda_k^2: in 20,000 draws within six "
    "standard deviations.",
    _package_chances,
    chances,
    slack=6 * 0.5 / math.sqrt(20_000),
    level="sampled",
)


@dataclass(frozen=True, eq=False)
class Grown:
    """One feature x (m,) and labels; a run on trees with one split and trees with three."""

    x: np.ndarray
    y: np.ndarray
    rho: float = 0.9
    delta: float = 0.01

    @property
    def run(self):
        trees = cb.data.tree_families(
            self.x[:, None], nodes=[1, 3], bounds=[1.0], q=np.inf, max_bins=16
        )
        problem = cb.Problem(trees, self.y, cb.losses.Logistic())
        return cb.solve(problem, cb.rgb(0.1), 3, compile=False)


def _package_margins(case):
    run = case.run
    parts = margin_bound(run, case.rho, case.delta)
    (check,) = cb.theory.check(run, "RGB, Theorem 2")
    return [parts.margin, parts.complexity, parts.remainder, parts.bound, check.bound[-1]]


def parts_of_bound(case, rho, delta, failures=2, factor=4):
    """R_rho(f), (4 / rho) sum_t alpha_t r_t, C: all trees have one split, at the labels' step."""
    m = len(case.x)
    log = math.log(2)
    margin = np.mean(case.y * np.where(case.x > 0.5, 1, -1) <= rho)
    complexity = factor / rho * math.sqrt(6 * math.log2(3) * math.log(m + 1) / m)
    terms = math.ceil(max(4 / rho**2 * math.log(rho**2 * m / log), 0))
    chance = terms * log / m + math.log(failures / delta) / (2 * m)
    return margin, complexity, 2 / rho * math.sqrt(log / m) + math.sqrt(chance)


def margins(case, **wrong):
    """The parts and their sum; the least sum of 19 margins, each with delta = .05 / 19."""
    parts = parts_of_bound(case, case.rho, case.delta, **wrong)
    sums = [
        sum(parts_of_bound(case, rho, 0.05 / 19, **wrong))
        for rho in np.arange(1, 20) / 20
        if rho**2 * len(case.x) > math.log(2)
    ]
    return [*parts, sum(parts), min(sums)]


check_margins = Algorithm(
    "RGB, margin bound of a run",
    Grown,
    "The parts of the bound are those of Theorem 2: the fraction of small margins, the mean "
    "complexity, and the remainder.",
    _package_margins,
    margins,
)


def _package_estimators(case):
    options = {**case.options(), "nodes": (1,), "penalty": 0.0}
    regressor = cb.RegularizedGBMRegressor(**options).fit(case.X, case.y)
    classifier = cb.RegularizedGBMClassifier(**options).fit(case.X, case.label)
    return [regressor.predict(case.X), classifier.decision_function(case.X)]


check_estimators = Algorithm(
    "RGB, estimators",
    Feature,
    "One family of trees with one split, without a penalty, on one feature: steps of rate / sigma.",
    _package_estimators,
    lambda case: [path[-1] for path in case.boosted()],
)


def columns(seed, kind="squares"):
    """Return four columns in two families of bounds 2 and 4."""
    rng = np.random.default_rng(seed)
    bound = np.array([2.0, 4.0])
    family = np.array([0, 0, 1, 1])
    H = rng.uniform(-1, 1, size=(12, 4)) * bound[family]
    y = H.sum(axis=1) + rng.normal(size=12)
    return Columns(H, family, bound, np.array([0.1, 1.0]), y, 0.05, kind)


def halves(m):
    """Return m points between 0 and 1, labels by the half that they lie in."""
    x = (np.arange(m) + 0.5) / m
    return Grown(x, np.where(x > 0.5, 1, -1))


CASES = {
    **{f"columns, {kind}": (lambda kind=kind: columns(0, kind)) for kind in STEPS},
    "other columns": lambda: columns(1),
    "a hundred points": lambda: halves(100),
    "a feature": feature,
}

SABOTAGE = {
    check_steps: {
        "charges with the other sign": check_steps.instead(lambda case: steps(case, sign=-1))
    },
    check_chances: {
        "proportional to lambda": check_chances.instead(lambda case: chances(case, power=1))
    },
    check_estimators: {
        "a tenth faster": check_estimators.instead(
            lambda case: [path[-1] for path in case.boosted(1.1 * case.rate)]
        )
    },
    check_margins: {
        "ln(1 / delta)": check_margins.instead(lambda case: margins(case, failures=1)),
        "2 / rho": check_margins.instead(lambda case: margins(case, factor=2)),
    },
}
