r"""Bounds of random-then-greedy boosting: Theorems 4.1 and 4.2 of Lu and Mazumder.

In sums over samples.

They bound the expected gap after M steps with the constant step 1 / sigma or the line search, for
every selection rule that declares its norm. The check repeats a run with other seeds and compares
the mean gap with the bound; the slack is five standard errors.
"""

import math
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from coordboost._numba.threads import on_one_thread
from coordboost._utils.interrupt import uncut
from coordboost.certificates.objectives import Evaluation, Unconstrained
from coordboost.rules.steps import LineSearch
from coordboost.theory.bounds.check import Effort
from coordboost.theory.bounds.statement import Statement
from coordboost.theory.bounds.trail import covered

SOURCE = "Lu, Mazumder"
#: Number of runs for a mean; number of steps at which the gap is measured; most learners for which
#: a lower end of the angle is computed.
REPEATS, POINTS, LEARNERS = 24, 24, 200


class Pace(NamedTuple):
    """The constants in the theorems, known before the run.

    gap : L(0) - L*
    sigma, mu : constants of the loss, mu None where it is not strongly convex
    angle2 : the square of the minimal cosine angle of the rule
    start_distance2 : Dist_0^2, inf where it is not known
    """

    gap: float
    sigma: float
    mu: Any
    angle2: float
    start_distance2: float = math.inf

    @classmethod
    def of(cls, problem, least, angle, reach=math.inf):
        """Return the constants of a problem, `least` the smallest loss.

        A start that is a minimiser has the smallest distance that there is in floats.
        """
        gap = np.float64(problem.value(np.zeros(problem.n_samples)) - least)
        loss = problem.loss
        return cls(gap, loss.sigma, loss.mu, angle**2, max(reach**2, float(np.finfo(float).tiny)))


@dataclass(frozen=True, eq=False)
class Repeats:
    """The mean gap of repeated runs, (n_points,), at the steps `at`, with the constants.

    errors : five standard errors, which chance exceeds once in three million, how far L* may be
    above the lower end in use, and the rounding of the losses
    """

    pace: Pace
    at: np.ndarray
    expected: np.ndarray
    errors: dict
    level: ClassVar = "sampled"

    @classmethod
    @on_one_thread
    @uncut()
    def of(cls, run, effort=Effort()):  # noqa: B008  # it cannot be changed
        """Repeat a run with the seeds 0, 1, ...; once if the method is not random.

        *Cost*: that of these runs, and one angle.
        """
        from coordboost.theory.distances import least_loss

        at, losses = losses_again(run, run.method.select.width > 0, effort)
        effort.watch("the smallest loss")
        lower, upper = least_loss(run.problem)
        doubt = max(0.0, min(upper, losses.min()) - lower) + rounding_of_losses(run.problem)
        pace = _pace(run, (lower, upper), effort)
        chance = losses.std(axis=0, ddof=1) / math.sqrt(len(losses)) if len(losses) > 1 else 0.0
        error = 5 * chance + doubt + 1e-12 * pace.gap + 0.0 * at
        return cls(pace, at, (losses - lower).mean(axis=0), {"expected": error})

    @property
    def M(self):
        """The number of steps, by its name in formulas."""
        return self.at

    def __getattr__(self, name):
        """Return a constant."""
        if name.startswith("_") or name not in Pace._fields:
            raise AttributeError(name)
        return getattr(self.pace, name)


def rounding_of_losses(problem):
    """A bound of the rounding in a difference of two losses along a run, which start at beta = 0
    and fall.
    """
    start = Evaluation.point(problem, np.zeros(problem.n_learners), corr=False)
    return 2 * start.sums(problem)


def growing(n_steps):
    """Return at most `POINTS` step numbers from 1 to `n_steps`, about evenly spaced in logarithm.

    0 for a run without steps.
    """
    return (
        np.unique(np.round(np.geomspace(1, n_steps, POINTS)).astype(int))
        if n_steps
        else np.zeros(1, dtype=int)
    )


def losses_again(run, random, effort):
    """Return some steps, and the losses there of runs with the seeds 0, 1, ..., (n_runs, n_points).

    Of one run if nothing is random.
    """
    from coordboost.engine.run import solve

    at = growing(run.n_steps)
    losses = []
    repeats = REPEATS if random else 1
    for seed in range(repeats):
        effort.watch(f"repeating the run: {seed + 1} of {repeats}")
        again = solve(run.problem, run.method, run.n_steps, rng=seed)
        losses.append([state.loss for state in again.replay(at)])
    return at, np.array(losses)


def _pace(run, least, effort=Effort()):  # noqa: B008
    """Return the constants.

    The angle is an upper end, which makes the bound smaller; with many learners, from the run
    itself.

    Dist_0 is an upper end, too, because its lower end is 0 except for the squared loss.
    """
    from coordboost.angles.angle import mca, unsearched
    from coordboost.theory.distances import reach

    problem = run.problem
    if problem.n_learners > LEARNERS:
        angle = _met(run)
        far = math.inf
    else:
        effort.watch(f"the minimal cosine angle of {problem.n_learners} learners")
        search = problem.n_learners <= effort.angle_learners
        interval = (mca if search else unsearched)(problem, run.method.select)
        angle = interval.upper if search else min(interval.upper, _met(run))
        far = reach(problem, least)[1] / interval.lower  # Proposition 4.6
    return Pace.of(problem, least[0], angle, far)


def expected(problem, method):
    """Return the guarantee before a run of a random method: a ``Pace`` on the safe side, and the
    name of the theorem.

    Raises
    ------
    ValueError
        Where neither theorem applies to the method on this problem, or the loss may have no
        minimiser.
    """
    from coordboost.angles.angle import mca
    from coordboost.theory.distances import least_loss, start_distance

    loss = problem.loss
    rule = method.select
    if not _speaks(problem, method):
        raise ValueError(
            f"no theorem applies to {method.name} with these parameters on {type(loss).__name__}()."
        )
    optimum = least_loss(problem)[0]
    if loss.mu is not None:
        return Pace.of(problem, optimum, mca(problem, rule).lower), linear.name
    return Pace.of(problem, optimum, 0.0, start_distance(problem, rule)[1]), sublinear.name


def gap_after(pace, steps):
    """Return the smaller of the two bounds of the expected gap."""
    theorems = [sublinear] if math.isfinite(pace.start_distance2) else []
    theorems += [linear] if pace.mu is not None else []
    return float(min(theorem(pace, M=steps) for theorem in theorems))


def length(pace, steps):
    """Ours: the l1 norm after M constant steps is at most sqrt(2 M (L(0) - L*) / sigma), by (24)
    and the Cauchy-Schwarz inequality.
    """
    return math.sqrt(2 * steps * pace.gap / pace.sigma)


def _met(run):
    """Return the smallest norm of the cosines between the learners and a pseudo-residual of the
    run, an upper end of the angle.
    """
    states = run.replay(np.unique(np.linspace(0, run.n_steps, POINTS).astype(int)))
    lengths = (
        (run.problem.scan(state.resid), float(np.sqrt(run.problem.weight @ state.resid**2)))
        for state in states
    )
    return min(
        (run.method.select.norm(corr) / size for corr, size in lengths if size > 0), default=1.0
    )


def _speaks(problem, method):
    """Whether the theorems apply: a rule with a norm, no ball or penalty, and the step 1 / sigma or
    the line search.
    """
    declared = method.select.norm is not None and problem.dictionary.countable
    declared = declared and isinstance(method.target, Unconstrained)
    full_step = "step" in method.parameters and method.parameters["step"] in (None, LineSearch())
    return declared and full_step and problem.loss.sigma is not None


def _applies(run):
    return _speaks(run.problem, run.method)


def _strong(run):
    return _applies(run) and run.problem.loss.mu is not None and not covered(run)


def _bounded(run):
    from coordboost.theory.distances import has_minimiser

    return (
        _applies(run)
        and has_minimiser(run.problem)
        and not covered(run)
        and run.problem.n_learners <= LEARNERS
    )


def _expected(name, words, text, applies, points=""):
    return Statement(
        name,
        words,
        printed=text,
        points=points,
        known="gap",
        applies=applies,
        mean=True,
        source=SOURCE,
        follow=Repeats.of,
        long=True,
    )


linear = _expected(
    "RGBM, Theorem 4.1",
    "The expected error falls at a linear rate.",
    "expected <= decay(mu / sigma * angle2, M) * gap",
    _strong,
)
sublinear = _expected(
    "RGBM, Theorem 4.2",
    "The expected error falls like 1 / M, whatever the loss.",
    "expected <= 1 / (1 / gap + M / (2 * sigma * start_distance2))",
    _bounded,
)
sublinear_simple = _expected(
    "RGBM, Theorem 4.2, simple",
    "The same without the gap at the start, for M >= 1.",
    "expected <= 2 * sigma * start_distance2 / largest(M, 1)",
    _bounded,
    points="M >= 1",
)

STATEMENTS = (linear, sublinear, sublinear_simple)
