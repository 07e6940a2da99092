"""What a loss or learners of your own declare is tried at the data: no lower end rests on a
declaration that is false there.
"""

import math
from typing import NamedTuple

import numpy as np
import pytest
from refusal import refused

import coordboost as cb
from coordboost.certificates import L1Ball, L1Penalty, Unconstrained

RNG = np.random.default_rng(0)


class Cauchy(NamedTuple("_Cauchy", [("scale", float)]), cb.losses.Loss):
    """log(1 + (y - f)^2 / scale^2), convex only where abs(y - f) is at most `scale`."""

    infimum = 0.0

    @property
    def sigma(self):
        return 2.0 / self.scale**2

    def value(self, y, f):
        return math.log1p(((y - f) / self.scale) ** 2)

    def residual(self, y, f):
        return 2 * (y - f) / (self.scale**2 + (y - f) ** 2)


#: Two groups of targets: the constant model of the smaller group is a local minimum, 599; the loss
#: of f = 20 is 360.
TWO = cb.Problem(RNG.normal(size=(160, 3)), np.r_[np.zeros(60), np.full(100, 20.0)], Cauchy(1.0))
BENT = "Cauchy is not convex, and must declare `convex = False`"


def without_end(certificate, fragment):
    assert certificate.lower == -math.inf and certificate.gap == math.inf and not certificate.known
    assert fragment in certificate.reason and str(certificate).endswith(certificate.reason)
    assert math.isfinite(certificate.upper)


@pytest.mark.parametrize("target", [L1Ball(1.0), L1Penalty(1.0)], ids=repr)
def test_a_local_minimum_is_no_optimum(target):
    run = cb.solve(TWO, cb.methods.gcd(), 4, compile=False)
    assert TWO.start_loss > 598
    for found in (
        cb.certify(TWO, np.zeros(3), target),
        run.certificate(target),
        run.certificate(target, at=[0, 2]),
    ):
        without_end(found, BENT)
    without_end(run.refit_intercept().certificate(target), BENT)
    assert run.certificate(Unconstrained()).lower == 0.0  # the infimum needs no convexity


@pytest.mark.parametrize(
    "options",
    [{}, {"l1_ratio": 0.5}, {"l1_ratio": 0.0}, {"refit_intercept": True}, {"positive": True}],
    ids=repr,
)
def test_no_path_of_a_loss_that_is_not_convex(options):
    refused(
        lambda: cb.lasso_path(TWO, n_alphas=3, **options),
        "There is no certificate for a Lasso path",
    )


def test_no_estimator_of_a_loss_that_is_not_convex():
    X = RNG.normal(size=(160, 3))
    refused(lambda: cb.CertifiedLasso(alpha=0.1, loss=Cauchy(1.0)).fit(X, TWO.y), BENT)
    stop = cb.engine.GapBelow(1e-3, target=L1Ball(1.0))
    refused(
        lambda: cb.solve(TWO, cb.methods.gcd(), 9, stop=stop, compile=False),
        "GapBelow: no lower bound is known: ",
    )


def test_check_piece_names_the_law_and_no_narrower_targets():
    """Under targets that are close together the law would hold."""
    (words,) = cb.testing.check_piece(Cauchy(1.0), raises=False).sentences
    assert (
        words.startswith("value is convex: ")
        and "`convex = False`" in words
        and "pass targets" not in words
    )
    (far,) = cb.testing.check_piece(Cauchy(100.0), raises=False).sentences
    assert far.startswith("value is convex: ")


def loss(value, residual, **declared):
    """An instance of a loss with these kernels and declarations, called Own."""
    kernels = {
        "value": lambda self, y, f: value(y, f),
        "residual": lambda self, y, f: residual(y, f),
    }
    return type("Own", (cb.losses.Loss,), kernels | declared)()


def square(y, f):
    return (y - f) ** 2 / 2


def away(y, f):
    return y - f


def clipped(y, f):
    return min(max(y - f, -1.0), 1.0)


def huber(y, f):
    return cb.losses.Huber(1.0).value(y, f)


FALSE = {
    "truncated": (
        lambda y, f: min(square(y, f), 2.0),
        lambda y, f: y - f if abs(y - f) < 2 else 0.0,
        {"infimum": 0.0},
        "convex",
    ),
    "wavy": (
        lambda y, f: square(y, f) + 3 * math.sin(y - f),
        lambda y, f: y - f + 3 * math.cos(y - f),
        {"infimum": -3.0},
        "convex",
    ),
    "welsch": (cb.losses.Welsch().value, cb.losses.Welsch().residual, {"infimum": 0.0}, "convex"),
    "too steep": (
        square,
        lambda y, f: 2 * (y - f),
        {"infimum": 0.0},
        "residual of Own is not minus the derivative",
    ),
    "too flat": (
        square,
        lambda y, f: (y - f) / 2,
        {"infimum": 0.0},
        "residual of Own is not minus the derivative",
    ),
    "infimum": (square, away, {"infimum": 0.01}, "below the infimum 0.01 that Own declares"),
    "infimum of y": (
        huber,
        clipped,
        {"infimum": lambda self, y: 0.01 + 0 * y},
        "below the infimum 0.01 that Own declares",
    ),
    "sigma": (square, away, {"infimum": 0.0, "sigma": 0.9}, "more than sigma = 0.9 allows"),
    "mu": (huber, clipped, {"infimum": 0.0, "mu": 0.5}, "less than mu = 0.5 asks for"),
    "quadratic": (
        huber,
        clipped,
        {"infimum": 0.0, "quadratic": True},
        "must not declare `quadratic`",
    ),
    "location": (
        lambda y, f: square(y, f) * (1 + y * y),
        lambda y, f: (y - f) * (1 + y * y),
        {"infimum": 0.0, "location": True},
        "must not declare `location`",
    ),
}


@pytest.mark.parametrize("name", FALSE)
@pytest.mark.parametrize("weight", [None, RNG.uniform(0.1, 9, 40)], ids=["plain", "weighted"])
def test_a_false_declaration_gives_no_lower_end(name, weight):
    value, residual, declared, fragment = FALSE[name]
    X = RNG.normal(size=(40, 3))
    y = 4 * RNG.normal(size=40)
    problem = cb.Problem(X, y, loss(value, residual, **declared), sample_weight=weight)
    targets = [L1Ball(1.0), L1Penalty(0.5)] + [Unconstrained()] * (
        "infimum" in name or name in ("mu", "quadratic")
    )
    for target in targets[: 1 if name == "quadratic" else None]:
        without_end(cb.certify(problem, [0.5, 0.0, -0.25], target), fragment)


@pytest.mark.parametrize("scale", [1e-12, 1e-3, 1.0, 1e6])
@pytest.mark.parametrize("offset", [0.0, 1e3])
def test_a_false_declaration_is_seen_at_every_scale(scale, offset):
    problem = cb.Problem(
        RNG.normal(size=(40, 3)), scale * (offset + 9 * RNG.normal(size=40)), Cauchy(scale)
    )
    without_end(cb.certify(problem, np.zeros(3), L1Ball(scale)), BENT)


class Margin(cb.losses.Loss):
    """A loss of labels, convex where abs(f) is at most 4: the constant model is not beyond."""

    infimum = 0.0
    sigma = 1.0

    def value(self, y, f):
        margin = y * f
        return (
            0.5 * max(1 - margin, 0.0) ** 2 if margin > -4 else 12.5 + 5 * math.log1p(-4 - margin)
        )

    def residual(self, y, f):
        margin = y * f
        return y * (max(1 - margin, 0.0) if margin > -4 else 5 / (-3 - margin))


def test_models_that_are_as_good_are_looked_at_too():
    """The loss bends down at predictions that are not at hand, but of smaller loss than that of all
    samples.
    """
    y = np.where(RNG.normal(size=60) > 0, 1.0, -1.0)
    problem = cb.Problem(RNG.normal(size=(60, 3)), y, Margin(), center=False)
    without_end(cb.certify(problem, np.zeros(3), L1Ball(20.0)), "Margin is not convex")


class LogCosh(cb.losses.Loss):
    """Its formula cancels near 0."""

    sigma, infimum = 1.0, 0.0

    def value(self, y, f):
        return abs(y - f) + math.log1p(math.exp(-2 * abs(y - f))) - math.log(2)

    def residual(self, y, f):
        return math.tanh(y - f)


class Deviance(cb.losses.Loss):
    """Poisson's deviance: terms cancel near the target."""

    infimum = 0.0

    def value(self, y, f):
        return y * (math.log(y) - f if y > 0 else 0.0) - y + math.exp(f)

    def residual(self, y, f):
        return y - math.exp(f)


class Expectile(NamedTuple("_Expectile", [("q", float)]), cb.losses.Loss):
    """Squares with two weights, with both constants attained."""

    infimum = 0.0

    @property
    def sigma(self):
        return 2 * max(self.q, 1 - self.q)

    @property
    def mu(self):
        return 2 * min(self.q, 1 - self.q)

    def value(self, y, f):
        return (self.q if y > f else 1 - self.q) * (y - f) ** 2

    def residual(self, y, f):
        return 2 * (self.q if y > f else 1 - self.q) * (y - f)


def own(kind, *fields):
    """A loss of the package as one of the user's."""
    return type("Own" + kind.__name__, (kind,), {})(*fields)


LOSSES = cb.losses
REAL = [
    LogCosh(),
    Expectile(0.1),
    own(LOSSES.Squared),
    own(LOSSES.Huber, 1.0),
    own(LOSSES.Huber, 1e-10),
    own(LOSSES.Huber, 1e10),
    own(LOSSES.Quantile, 0.5),
    own(LOSSES.Quantile, 0.99),
]
TWO_CLASSES = [own(LOSSES.Logistic), own(LOSSES.Logistic, 0.3), own(LOSSES.Exponential)]
COUNTS = [
    Deviance(),
    own(LOSSES.Poisson),
    own(LOSSES.Gamma),
    own(LOSSES.Tweedie, 1.01),
    own(LOSSES.Tweedie, 1.9),
]


@pytest.mark.parametrize(
    "kind", [*REAL, *TWO_CLASSES, *COUNTS], ids=lambda kind: type(kind).__name__
)
@pytest.mark.filterwarnings("ignore::coordboost.data.ConstantColumnWarning")
def test_there_are_no_false_alarms(kind):
    """Targets of any size and offset, weights, few rows, good models and bad ones."""
    for seed in range(12):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(2, 30))
        scale = 10.0 ** rng.uniform(-9, 9)
        y = scale * (rng.standard_t(2, size=n) + (seed % 2) * 10.0 ** rng.uniform(0, 6))
        model = scale * rng.normal(size=2)
        if any(kind is one for one in TWO_CLASSES):
            y = np.where(np.arange(n) % 3 > 0, 1.0, -1.0)
            model = 10.0 ** rng.uniform(-3, 2) * rng.normal(size=2)
        elif any(kind is count for count in COUNTS):
            y = np.floor(np.abs(y)) + 1.0
            model = rng.normal(size=2)
        weight = 10.0 ** rng.uniform(-6, 6, n) if seed % 3 == 0 else None
        problem = cb.Problem(rng.normal(size=(n, 2)), y, kind, sample_weight=weight)
        for beta in (np.zeros(2), model):
            for target in (L1Ball(float(np.abs(model).sum())), Unconstrained()):
                found = cb.certify(problem, beta, target)
                assert not found.refuted, (seed, found.refuted)


class Saddle(cb.losses.Loss):
    """A loss that is one function of all predictions, and not convex."""

    value = residual = None
    sigma = 1.0
    infimum = 0.0

    def sum_of_losses(self, y, weight, base, pred):
        return math.log1p(float(((y - base - pred) ** 2).sum()))

    def refresh_residual(self, y, weight, base, pred, resid):
        off = y - base - pred
        resid[:] = 2 * off / (1 + off @ off)


def test_a_joint_loss_is_tried_too():
    problem = cb.Problem(np.eye(4), [1.0, 2, 3, 0], Saddle(), center=False, scale=False)
    without_end(cb.certify(problem, [9.0, 2, 3, 0], L1Ball(20.0)), "Saddle is not convex")


class Halves:
    """Learners whose scan is wrong for vectors that differ from those of a first check: it misses
    what is far from 0.
    """

    n_samples, n_learners = 40, 40

    def scan(self, v):
        return np.minimum(np.asarray(v, dtype=float), 5.0)

    def column(self, j):
        return np.eye(1, 40, j)[0]


class Rows(cb.learners.LearnerFamily):
    """The rows as learners; once it is `narrow`, the search claims that the last row has the
    largest correlation.
    """

    n_samples = 6
    narrow = False

    def find(self, v, k, above):
        j = 5 if self.narrow else int(np.argmax(np.abs(v)))
        return [(j,)], [v[j]], abs(v[j])

    def build(self, learner):
        return np.eye(1, 6, learner[0])[0]


def test_correlations_of_learners_are_computed_again():
    y = np.r_[np.full(39, 1.0), 100.0]
    problem = cb.Problem(Halves(), y, center=False)
    without_end(
        cb.certify(problem, np.zeros(40), L1Ball(10.0)),
        "scan gives the correlation 5 for learner 39, its column 100",
    )
    rows = Rows()
    run = cb.solve(
        cb.Problem(rows, [9.0, 0, 0, 0, 0, 1.0], center=False),
        cb.methods.frank_wolfe(1.0, cb.rules.SegmentSearch(1.0)),
        1,
    )
    assert run.certificate(L1Ball(1.0)).known
    rows.narrow = True
    without_end(
        cb.certify(run.problem, run.beta, L1Ball(1.0)),
        "find bounds all correlations by 1, and that of learner 0 is 8",
    )
