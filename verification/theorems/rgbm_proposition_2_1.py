r"""Boosting in function space is coordinate descent in coefficient space (Proposition 2.1, Remark
2.2).

Problem: any loss over unit columns.

Method: Algorithm 2 (RGBM: fit the pseudo-residual by least squares over the learners drawn) and
Algorithm 3 (RtGCD: the largest partial derivative), on the same draws, with the constant step or
the line search.

Assumptions: unit columns; on columns of other norms the two choose different learners (sabotage).

Claim: tight: f^m = B beta^m for all m, with the same learners. Remark 2.2: with Type 0, GBM is
greedy coordinate descent.

Constants: none.

Measured: every prediction, every learner; Algorithm 2 is implemented here, Algorithm 3 is that of
the package.

Reference: Lu, Mazumder, Proposition 2.1, Remark 2.2.
"""

import numpy as np

import coordboost as cb
from verification.rgbm import LOSSES, RULES, Trial, draws, trials
from verification.space import Space
from verification.spaces.linear import unit_columns
from verification.statement import claim


def algorithm_2(case, length=1.0):
    """Return predictions (n_steps + 1, n) and learners of Algorithm 2 on the draws of the run.

    Column 0 has the given length.
    """
    columns = case.B * np.where(np.arange(case.B.shape[1]) == 0, length, 1.0)
    pred = np.zeros(len(case.B))
    out = [np.zeros(len(case.B))]
    chosen = []
    for drawn in _drawn(case):
        resid = case.problem.resid(pred)
        s = columns.T @ resid / (columns**2).sum(axis=0)
        errors = ((resid[:, None] - s * columns) ** 2).sum(axis=0)
        j = min(drawn, key=lambda j: (round(float(errors[j]), 12), j))
        beta = np.zeros(columns.shape[1])
        if case.line_search:
            at = np.linalg.lstsq(case.B, pred, rcond=None)[0]
            rho = case.step(at, j)
        else:
            rho = columns[:, j] @ resid / case.problem.loss.sigma
        beta[j] = rho
        pred = pred + (columns if not case.line_search else case.B) @ beta
        out.append(pred)
        chosen.append(j)
    return np.array(out), chosen


def _drawn(case):
    """Yield for each step a set J in which the learner of the run wins: only the winner in J
    matters.
    """
    rng = np.random.default_rng(0)
    for beta, j in zip(case.betas, case.run.path.learner, strict=False):
        sizes = np.abs(case.gradient(beta))
        fitting = [
            J
            for J in draws(case.rule, case.label)
            if int(j) in J and sizes[J].max() <= sizes[j] + 1e-12
        ]
        yield fitting[rng.integers(len(fitting))]


def _predictions(case, length=1.0):
    two = algorithm_2(case, length)[0]
    three = case.betas @ case.B.T
    return case.hold(
        "Proposition 2.1",
        "printed",
        "tight",
        two.ravel(),
        three.ravel(),
        slack=1e-10,
        level="float",
        along="entry",
    )


def _trial(shape, numbers):
    """numbers: free numbers of four learners in the plane, y.

    Shape: the rule, the loss, the step rule.
    """
    rule = list(RULES.values())[shape[0]]
    loss = list(LOSSES.values())[shape[1]]
    search = bool(shape[2])
    B = unit_columns(numbers[:4].reshape(4, 1))
    y = numbers[4:]
    y = np.where(y < 0, -1.0, 1.0) if shape[1] == 1 else y
    made = Trial(
        cb.Problem(B, y, loss, center=False, scale=False, groups=[0, 1, 1, 2]),
        rule,
        search,
        n_steps=4,
    )
    sizes = np.sort([np.abs(made.gradient(beta)) for beta in made.betas[:-1]], axis=1)
    return made if (np.diff(sizes, axis=1) > 1e-6).all() else None


TRIALS = Space(
    "four learners in the plane, all rules and losses",
    lambda rng: (tuple(int(rng.integers(n)) for n in (5, 3, 2)), rng.standard_normal(6)),
    _trial,
    exact=False,
    has=lambda case: isinstance(case, Trial),
)


@claim("Proposition 2.1", TRIALS, printed="verified")
def check_models(case, variant):
    """The predictions of Algorithms 2 and 3 on the same draws are equal."""
    return _predictions(case)


@claim("Remark 2.2", TRIALS, printed="verified")
def check_greedy(case, variant):
    """With Type 0, Algorithm 2 takes the learners of greedy coordinate descent."""
    return _traces(case) if case.rule == cb.rules.Greedy() else None


def _traces(case, shift=0):
    step = cb.rules.LineSearch() if case.line_search else None
    greedy = cb.solve(case.problem, cb.methods.gcd(step), case.n_steps, compile=False).path.learner
    return case.hold(
        "Remark 2.2",
        "printed",
        "tight",
        algorithm_2(case)[1],
        np.roll(greedy, shift),
        slack=0,
        level="float",
    )


CASES = trials(losses=("squared", "logistic", "huber"), ranks=(3,))
QUICK = tuple(CASES)[::3]

SABOTAGE = {
    check_models: {
        "a learner of length 3": lambda case: (
            None if case.line_search else _predictions(case, length=3.0)
        )
    },
    check_greedy: {
        "learners one step late": lambda case: (
            _traces(case, shift=1) if case.rule == cb.rules.Greedy() else None
        )
    },
}
