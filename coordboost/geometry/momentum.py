"""How much momentum the theorem of accelerated boosting allows on given learners."""

from dataclasses import replace

from coordboost._numba.threads import on_one_thread
from coordboost.geometry.angle import exactly
from coordboost.geometry.learners import ReducedLearners
from coordboost.pieces.selection import Full
from coordboost.pieces.steps import admissible
from coordboost.problem import checked_problem

#: Most entries of B for which the angle is asked for, and most seconds that it may take.
FEW, QUICK = 1 << 14, 0.1


@on_one_thread
def momentum_limit(problem):
    r"""The largest gamma for which accelerated boosting on these learners is proved to converge, :math:`(1 - \sqrt{1 - \Theta^2})^2`.

    Parameters
    ----------
    problem : Problem

    Returns
    -------
    float or None
        For the certified lower end of the minimal cosine angle Theta. None where no exact method is cheap: learners that cannot be
        counted, more than 16,384 entries of B, or an estimate of more than a tenth of a second.

    Notes
    -----
    *Source*: Lu, Karimireddy, Ponomareva, Mirrokni, Theorem 4.1, which prints the smaller Theta^4 / (4 + Theta^2); the proof of its
    Lemma C.6 with the best constant gives this one.
    """
    if not checked_problem(problem).countable or problem.n_samples * problem.n_learners > FEW:
        return None
    angle = exactly(ReducedLearners.of(problem, Full()), QUICK)
    return None if angle is None or angle.lower <= 0 else float(admissible(angle.lower))


def settled(method, problem):
    """`method` with the gamma that is certified for `problem` in the place of ``"auto"``, where there is one."""
    store = method.coefficients
    gamma = momentum_limit(problem) if store.follow_angle else None
    if gamma is None:
        return method
    step, store = method.step._replace(gamma=gamma), store._replace(follow_angle=0)
    return replace(method, step=step, coefficients=store, parameters={**method.parameters, "gamma": gamma})
