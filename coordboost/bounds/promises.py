"""What theorems promise about the named methods on least squares before a run; where none speaks, why not.

Random methods are promised an expectation. Theorem 4.1 of Lu and Mazumder needs the minimal cosine angle; where no exact method is cheap it
is taken from the smallest eigenvalue: the mean of the squared cosines is at least lambda_pmin / n, and no norm of a rule is below the mean.
A cosine is at least its square, and more learners drawn never lower the angle.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from coordboost import methods
from coordboost.bounds import accelerated, randomized
from coordboost.bounds.plan import GUARANTEES
from coordboost.method import Method
from coordboost.pieces.selection import Full
from coordboost.pieces.steps import admissible

#: Most seconds that an exact angle may take.
QUICK = 0.1
#: Named methods that no theorem speaks about as one that goes to least squares.
SILENT = {
    "path_forward_stagewise": "Theorem 5.1 speaks about the Lasso at all its radii, not about one target",
    "ccd": "no theorem of the papers speaks about learners in turn",
    "lasso_cd": "it goes to the Lasso with its penalty, not to least squares",
    "vagbm": "its rate is refuted (docs/ledger.md): it can diverge",
    "gbm": "on learners that are given it makes the steps of ls_boost",
    "sgb": "without noise, subsamples and shrinkage it makes the steps of ls_boost; with them no rate is stated",
    "sglb": "it goes to a distribution, not to least squares",
    "rgb": "it goes to the least risk with its penalty, not to least squares",
}


@dataclass(frozen=True)
class Promise:
    """A method, and the error that a theorem guarantees after k steps, as printed and sharpened; None where no theorem does.

    words : which theorem, or why there is none
    """

    name: str
    method: Method | None = None
    printed: Callable | None = None
    sharpened: Callable | None = None
    words: str = ""


def promises(problem, spectrum, c, eps, delta):
    """The ``Promise`` of every named method; `c` are ``Constants``, `eps` and `delta` as for ``plan``."""
    return [
        *_greedy(c, eps, delta, spectrum.rank == problem.n_learners),
        *_random(problem, c),
        *_accelerated(problem, c),
        Promise(
            "forward_stepwise", methods.forward_stepwise(), None, lambda k: 0.0 if k >= spectrum.rank else c.size**2 / 2,
            "ours: every step raises the rank by one",
        ),
        *(Promise(name, words=words) for name, words in SILENT.items()),
    ]  # fmt: skip


def _greedy(c, eps, delta, independent):
    rate = 1 - c.lambda_pmin / (16 * c.n_learners)
    away = lambda k: c.size**2 / 2 * rate ** (k / 2)  # noqa: E731
    given = (
        (methods.ls_boost, 1.0, None), (methods.ls_boost, 0.1, None), (methods.forward_stagewise, eps, None),
        (methods.regularized_forward_stagewise, eps / 4, delta), (methods.frank_wolfe, None, delta),
    )  # fmt: skip
    found = [GUARANTEES[maker](c, *numbers) for maker, *numbers in given]
    swaps = "its linear rate leaves out swaps, of which there may be very many"
    return [
        *(
            Promise(
                one.method.name, one.method, *(partial(one.gap, variant=v) for v in ("printed", "sharpened")), one.statement
            )
            for one in found
        ),
        Promise("frank_wolfe_away", methods.frank_wolfe_away(delta), away, away, "Lacoste-Julien, Jaggi, Theorem 1")
        if independent
        else Promise("frank_wolfe_away", methods.frank_wolfe_away(delta), words="its linear rate needs independent columns"),
        Promise("frank_wolfe_pairwise", methods.frank_wolfe_pairwise(delta), words=swaps),
    ]


def _random(problem, c):
    """Greedy, random and random-then-greedy coordinate descent: Theorem 4.1 of Lu and Mazumder, also with the second moment."""
    t, mean = max(1, round(math.sqrt(problem.n_learners))), c.lambda_pmin / c.n_learners
    one = _angle(problem, methods.rcd().select, mean)
    out = []
    for method, least in ((methods.gcd(), math.sqrt(mean)), (methods.rcd(), one), (methods.rtgcd(t), one)):
        angle = _angle(problem, method.select, least)
        paces = (randomized.Pace(c.size**2 / 2, 1.0, 1.0, used) for used in (angle, max(angle, math.sqrt(mean))))
        words = "RGBM, Theorem 4.1" + ("" if method.greedy else ", in expectation")
        out.append(Promise(method.name, method, *(partial(randomized.gap_after, pace) for pace in paces), words))
    return out


def _angle(problem, rule, least):
    """A lower bound of the minimal cosine angle of a rule, not below `least`."""
    from coordboost.geometry.angle import exactly
    from coordboost.geometry.learners import ReducedLearners

    found = exactly(ReducedLearners.of(problem, rule), QUICK) if problem.n_learners <= randomized.LEARNERS else None
    return max(found.lower if found else 0.0, least)


def _accelerated(problem, c):
    """Accelerated boosting with the largest gamma that is proved; two steps a round."""
    gamma = float(admissible(_angle(problem, Full(), math.sqrt(c.lambda_pmin / c.n_learners))))
    rounds = accelerated.period(1.0, gamma, 1.0)
    return [
        Promise(
            "agbm", methods.agbm(1.0, gamma), None, lambda k: accelerated.excess(c.size, 1.0, gamma, k // 2),
            "AGBM, Theorem 4.1, corrected; the printed constant is refuted",
        ),
        Promise(
            "agbmr", methods.agbmr(1.0, gamma, rounds), None, lambda k: accelerated.halved(c.size**2 / 2, rounds, k // 2),
            "AGBM, Theorem 4.2, corrected; the printed period is refuted",
        ),
    ]  # fmt: skip
