r"""The quantities in the theorems along a run of the squared loss, at every step.

With :math:`\tilde B = W^{1/2} B = U \Sigma V'` and :math:`q_k = U' \tilde r_k`, all follow from q
without cancellation: the distance of the fit from least squares is :math:`\|q_k\|`, the distance of
the coefficients :math:`\|\Sigma^{-1} q_k\|`, the correlations are :math:`\tilde B' U q_k`, all in
sums over samples.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from coordboost._numba.threads import on_one_thread
from coordboost._utils.checks import nothing_varies
from coordboost.certificates import L1Ball, certify
from coordboost.data.problem import Problem
from coordboost.data.spectrum import Spectrum
from coordboost.engine.alternation import RENEW
from coordboost.engine.result import betas_along
from coordboost.engine.run import Run
from coordboost.lasso.homotopy.homotopy import exact_path
from coordboost.theory.bounds.formula import best, fall

ROUNDOFF = float(np.finfo(float).eps) / 2
#: Largest number of entries of a block of correlations.
BLOCK = 2_000_000
#: Number of models along a run that give lower ends of the optimum, where the radius varies.
WITNESSES = 400
#: Steps of a rule of one's own that are compared with the LS-Boost steps that it declares.
TRIED = 16
#: Most knots of the exact path that is followed to the optimum over a ball.
KNOTS = 500


class Constants(NamedTuple):
    r"""The constants in the bounds, known before the run.

    Parameters
    ----------
    size : float
        A = ||B beta_LS||, the length of the part of y that the learners can explain, in the units
        of y. Bounds stay true with any larger number.
    lambda_pmin : float
        Smallest non-zero eigenvalue of B'B.
    n_learners, n_samples : int
        The p and n of the papers.
    optimum : float, default 0
        Least-squares loss, a sum over samples.

    Notes
    -----
    *Source*: Freund, Grigas, Mazumder, Sections 1.2 and 1.3.

    Examples
    --------
    Boosting can reduce the loss by half of the squared size: from 5 at beta = 0 to 0.21.

    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> known = cb.theory.bounds.Constants.of(problem)
    >>> round(known.size**2 / 2, 2), round(known.optimum, 2), round(known.kappa, 6)
    (4.79, 0.21, 2.0)
    """

    size: float
    lambda_pmin: float
    n_learners: int
    n_samples: int
    optimum: float = 0.0

    @classmethod
    @on_one_thread
    def of(cls, problem: Problem, spectrum: Spectrum | None = None) -> "Constants":
        """Compute the constants of a problem with the squared loss.

        Parameters
        ----------
        problem : Problem
            With explicit learners.
        spectrum : Spectrum, optional
            The singular value decomposition, where it is known; default ``problem.spectrum``.

        Returns
        -------
        Constants
            As computed; ``against`` rounds them against the claims.

        Raises
        ------
        ValueError
            If no column varies.

        Notes
        -----
        *Cost*: one thin SVD, where the problem has none yet.
        """
        spectrum = problem.spectrum if spectrum is None else spectrum
        if not spectrum.rank:
            raise nothing_varies("the theorems do not apply to constant models")
        resid = problem.resid(np.zeros(problem.n_samples))
        inside = spectrum.project(problem, resid)
        root = np.sqrt(problem.weight)
        outside = root * problem.y - spectrum.left @ inside
        size = float(np.linalg.norm(inside))
        optimum = float(outside @ outside) / 2
        return cls(size, spectrum.lambda_pmin, problem.n_learners, problem.n_samples, optimum)

    @property
    def A(self) -> float:
        """A: the size, by its name in formulas."""
        return self.size

    @property
    def p(self) -> int:
        """p: the number of learners, by its name in formulas."""
        return self.n_learners

    @property
    def n(self) -> int:
        """n: the number of samples, by its name in formulas."""
        return self.n_samples

    @property
    def kappa(self) -> float:
        """n_learners / lambda_pmin >= 1."""
        return self.n_learners / self.lambda_pmin

    def against(self, spectrum: Spectrum) -> "Constants":
        """Return the constants with `size` and `lambda_pmin` rounded against the claims.

        Parameters
        ----------
        spectrum : Spectrum
            The singular value decomposition from which the constants were computed.

        Returns
        -------
        Constants
            With a slightly smaller size and larger eigenvalue, so that the bounds become smaller.
        """
        off = max(self.n_samples, self.n_learners) * ROUNDOFF
        smallest = float(spectrum.singular[-1] + off * spectrum.singular[0])
        return self._replace(
            size=self.size * (1 - 2 * self.n_samples * ROUNDOFF), lambda_pmin=smallest**2
        )


def covered(run):
    """Whether the theorems for greedy methods apply: squared loss, explicit learners, always the
    largest absolute correlation, and the steps that the step rule declares.
    """
    countable = run.problem.dictionary.countable
    greedy = countable and run.method.greedy and run.problem.loss.quadratic
    return greedy and makes_declared_steps(run)


def makes_declared_steps(run):
    """Whether the steps of a run are those that `ls_boost_rate`, `stagewise` or `frank_wolfe` of
    its step rule declare; rules of the package are not tried.

    *Cost*: for LS-Boost a scan for each of the first ``TRIED`` steps.
    """
    step = run.method.step
    if type(step).move.__module__.startswith("coordboost.rules."):
        return True
    path = run.path
    theta = path.theta * run.method.unit
    if step.stagewise is not None:
        eps, delta = (np.resize(number, run.n_steps) for number in step.stagewise)
        declared = (eps / delta, eps)
    elif step.frank_wolfe is not None:
        gamma = 2 / (np.arange(run.n_steps) + 2)
        declared = (gamma, gamma * step.frank_wolfe)
    elif step.ls_boost_rate is not None:
        n_tried = min(TRIED, run.n_steps)
        states = run.replay(range(n_tried))
        corr = [state.corr[j] for state, j in zip(states, path.learner[:n_tried], strict=True)]
        declared = (np.zeros(n_tried), step.ls_boost_rate * np.abs(corr))
    else:
        return True
    made = (path.shrink, np.abs(theta))
    return all(
        np.allclose(did[: len(said)], said, rtol=1e-6, atol=0.0)
        for did, said in zip(made, declared, strict=True)
    )


def step_lengths(run):
    """The eps and the delta of a greedy method of Freund et al., with their names in formulas; None
    where a method has none.
    """
    step = run.method.step
    eps, delta = step.stagewise or (step.ls_boost_rate, None)
    return SimpleNamespace(eps=eps, delta=delta if step.frank_wolfe is None else step.frank_wolfe)


@dataclass(frozen=True, eq=False)
class Trail:
    """The quantities in the theorems along a run of the squared loss, with their names in formulas.

    They are taken at the steps 0, 1, ..., n_steps.

    Arrays are (n_steps + 1,) unless said otherwise.

    Parameters
    ----------
    constants : Constants
        Rounded against the claims.
    step : StepRule
        The step rule of the method, bound to the problem.
    learner : ndarray of int, (n_steps,)
        The learner of each step.
    shrink : ndarray, (n_steps,)
        The fraction by which each step shrank the model first.
    theta : ndarray, (n_steps,)
        The signed length of each step, in units of the coefficients.
    radius : ndarray
        Radius of the ball whose optimum the model after k steps is compared with, inf without a
        ball.
    corr : ndarray
        Largest abs correlation.
    chosen : ndarray, (n_steps,)
        Correlation of the learner of each step.
    inner : ndarray
        <resid, B beta>.
    fit : ndarray
        ||B (beta_LS - beta)||.
    distance : ndarray
        Distance of beta to the least-squares solutions, in the l2 norm.
    l1, l2, l0 : ndarray
        Norms of beta, and its number of non-zeros.
    to_end : ndarray
        ||beta_k - beta_end||_1.
    to_least : ndarray
        ||beta_k - b||_1, b the least-squares solution of smallest norm.
    repeats : ndarray of int
        Largest number of times that one learner was selected in the first k steps.
    noise : ndarray
        Bound of the rounding error of a correlation, in the run and in this recomputation.
    problem : Problem
        That of the run.

    Examples
    --------
    LS-Boost(0.5) selects two orthogonal columns in turn, and halves the largest correlation in two
    steps:

    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> trail = cb.theory.bounds.Trail.of(cb.solve(problem, cb.ls_boost(0.5), 5))
    >>> trail.learner
    array([1, 0, 1, 0, 1])
    >>> trail.corr.round(2)
    array([2.75, 1.41, 1.38, 0.71, 0.69, 0.35])
    >>> trail.excess.round(2)
    array([4.79, 1.95, 1.2 , 0.49, 0.3 , 0.12])
    """

    constants: Constants
    step: Any
    learner: np.ndarray
    shrink: np.ndarray
    theta: np.ndarray
    radius: np.ndarray
    corr: np.ndarray
    chosen: np.ndarray
    inner: np.ndarray
    fit: np.ndarray
    distance: np.ndarray
    l1: np.ndarray
    l2: np.ndarray
    l0: np.ndarray
    to_end: np.ndarray
    to_least: np.ndarray
    repeats: np.ndarray
    noise: np.ndarray
    problem: Problem
    #: Quantities of a step, with an entry for each step.
    moves: ClassVar = ("theta", "taken")

    @classmethod
    @on_one_thread
    def of(cls, run: Run, spectrum: Spectrum | None = None) -> "Trail":
        """Compute the trail of a run.

        Parameters
        ----------
        run : Run
            With the squared loss and explicit learners.
        spectrum : Spectrum, optional
            The singular value decomposition of the problem, where it is known; default
            ``run.problem.spectrum``.

        Returns
        -------
        Trail
            Computed from the path of the run, in the coordinates of the decomposition.

        Notes
        -----
        *Cost*: one thin SVD where the problem has none yet, O(rank n_learners) a step.
        """
        problem = run.problem
        path = run.path
        spectrum = problem.spectrum if spectrum is None else spectrum
        constants = Constants.of(problem, spectrum)
        parts = _along(run, spectrum)
        worst = np.maximum.accumulate(parts["l1"])
        scale = math.sqrt(float(problem.weight @ problem.y**2)) + worst
        k = np.arange(run.n_steps + 1)
        count = (
            8 * problem.n_samples + 2 * len(np.unique(path.learner)) + 4 * np.minimum(k, RENEW) + 8
        )
        return cls(
            constants=constants.against(spectrum),
            step=run.method.step,
            learner=path.learner,
            shrink=path.shrink,
            theta=path.theta * run.method.unit,
            radius=_radii(run.method, run.n_steps),
            repeats=_repeats(path.learner),
            noise=(ROUNDOFF * count + 2 * spectrum.beyond * spectrum.singular[0]) * scale,
            problem=problem,
            **parts,
        )

    @property
    def k(self) -> np.ndarray:
        """0, 1, ..., n_steps."""
        return np.arange(len(self.corr))

    @property
    def excess(self) -> np.ndarray:
        """L - L*, with L* the least-squares loss."""
        return self.fit**2 / 2

    @property
    def loss(self) -> np.ndarray:
        """The loss L, a sum over samples."""
        return self.constants.optimum + self.excess

    @property
    def omega(self) -> np.ndarray:
        """omega_delta of Freund et al. (45) at the radius of each step.

        It is max abs correlation - <resid, B beta> / delta.
        """
        return self.corr - self.inner / self.radius

    @property
    def best(self) -> np.ndarray:
        """i(k): the first i <= k with the smallest max abs correlation."""
        return best(self.corr)

    @property
    def A(self) -> float:
        """A, rounded against the claims."""
        return self.constants.size

    @property
    def lambda_pmin(self) -> float:
        """The smallest non-zero eigenvalue, rounded against the claims."""
        return self.constants.lambda_pmin

    @property
    def p(self) -> int:
        """The number of learners."""
        return self.constants.n_learners

    @property
    def n(self) -> int:
        """The number of samples."""
        return self.constants.n_samples

    @property
    def eps(self) -> Any:
        """Learning rate of LS-Boost, or length of the steps."""
        return self.step.ls_boost_rate if self.step.stagewise is None else self.step.eps

    @property
    def delta(self) -> np.ndarray:
        """The radius, by its name in formulas."""
        return self.radius

    @property
    def end(self) -> int:
        """The number of steps."""
        return len(self.corr) - 1

    @property
    def horizon(self) -> float:
        """The number of models with a radius of their own.

        The model after the last step of a path has none.
        """
        return self.step.horizon or math.inf

    @cached_property
    def lasso(self) -> np.ndarray:
        """Certified lower ends of the optimum over the ball at each step.

        For one radius the largest of those along the run and of that at the end of the exact path
        of the Lasso; for varying radii those along the run.
        """
        ends = lower_end(self, self.radius)
        if not self.in_ball or (self.radius != self.radius[0]).any():
            return ends
        return np.maximum(ends, _at_optimum(self.problem, float(self.radius[0])))

    @property
    def fit_to_lasso(self) -> np.ndarray:
        """sqrt(2 (L - L*_delta)) >= ||B (beta - beta*_delta)||."""
        return np.sqrt(2 * np.maximum(self.loss - self.lasso, 0))

    @property
    def frank_wolfe_gap(self) -> np.ndarray:
        """<grad L, beta - v>, largest over the vertices v of the ball."""
        return self.radius * self.omega

    @property
    def taken(self) -> np.ndarray:
        """<g_k, r_k - r_LS>, (n_steps,), with the subgradient g_k that the run used."""
        return np.sign(self.theta) * self.chosen - self.inner[:-1] / self.radius[:-1]

    @cached_property
    def errors(self) -> dict[str, np.ndarray]:
        """By how much rounding may have moved each measured quantity from that of the method in
        exact arithmetic, name -> (n_steps + 1,).

        Steps of LS-Boost have lengths with rounding errors, which later steps contract: they add up
        to at most min(k, 1 / (1 - sqrt(gamma))) of them. Stagewise steps have exact lengths, but
        may follow a learner whose correlation is off the largest one by rounding, and by
        Proposition A.1 errors and distances follow from correlations.
        """
        c = self.constants
        eps = self.step.ls_boost_rate
        if eps is None or self.step.stagewise is not None:
            drift = 4 * self.noise
            fit, distance = math.sqrt(c.kappa) * drift, math.sqrt(c.p) / c.lambda_pmin * drift
            l1 = self.noise
        else:
            n_terms = np.minimum(self.k, 1 / fall(eps * (2 - eps) / c.kappa, 1 / 2))
            drift = self.noise * (1 + eps * n_terms)
            fit, distance = drift, drift / math.sqrt(c.lambda_pmin)
            l1 = self.noise * (1 + eps * self.k)
        certificate = np.maximum.accumulate(
            8 * self.noise * (1 + np.maximum(1.0, self.l1 / self.radius))
        )
        optimum = np.where(np.isfinite(self.radius), self.radius, 0.0) * certificate
        loss = drift * (self.fit + drift)
        errors = {"corr": drift, "fit": fit, "excess": fit * (self.fit + fit), "loss": loss}
        errors |= {"distance": distance, "l1": l1, "l2": l1, "to_least": 2 * drift}
        errors |= {"omega": certificate, "frank_wolfe_gap": optimum, "lasso": optimum}
        errors["to_end"] = self.noise[-1] + np.cumsum(((eps or 0.0) * drift)[::-1])[::-1]
        errors["fit_to_lasso"] = _longer(self.fit_to_lasso, optimum + loss) if self.in_ball else l1
        return errors

    @property
    def in_ball(self) -> bool:
        """Whether the models are compared with an optimum over a ball."""
        return bool(np.isfinite(self.radius[0]))


def _longer(length, error):
    """Return by how much a length grows with its square, divided by 2, larger by `error`."""
    return np.sqrt(length**2 + 2 * error) - length


def lower_end(trail, radius):
    """Return the largest certified lower end of the optimum over the ball, for each radius, from
    models along the run.

    By convexity L*_delta >= L(beta) + <r, B beta> - delta max |B'r| for every model.
    """
    if (radius == radius[0]).all():
        return np.full(len(radius), np.max(trail.loss + trail.inner - radius[0] * trail.corr))
    ends = np.full(len(radius), -np.inf)
    for i in np.unique(np.linspace(0, len(trail.k) - 1, WITNESSES).astype(int)):
        np.maximum(ends, trail.loss[i] + trail.inner[i] - radius * trail.corr[i], out=ends)
    return ends


def _at_optimum(problem, radius):
    """Return the lower end of the certificate at the point of the exact path with this l1 norm, or
    at the end of the path.

    *Cost*: at most ``KNOTS`` knots.
    """
    path = exact_path(problem, max_knots=KNOTS)
    beta = path.beta_at(l1=min(radius, path.l1[-1]))
    return certify(problem, beta, L1Ball(radius)).lower


def _repeats(learner):
    """Return the largest number of times that one learner occurs in the first k steps, k = 0, 1,
    ...
    """
    order = np.argsort(learner, kind="stable")
    is_first = (
        np.r_[True, learner[order][1:] != learner[order][:-1]]
        if len(learner)
        else np.zeros(0, dtype=bool)
    )
    start = np.maximum.accumulate(np.where(is_first, np.arange(len(learner)), 0))
    count = np.empty(len(learner), dtype=np.int64)
    count[order] = np.arange(len(learner)) - start + 1
    return np.r_[0, np.maximum.accumulate(count)]


def _radii(method, n_steps):
    """The radius of the l1 ball that a method is compared with after each step, inf for none."""
    radius_at = method.step.radius_at
    if radius_at is None:
        return np.full(n_steps + 1, getattr(method.target, "radius", np.inf))
    return np.array([radius_at(k) for k in range(n_steps + 1)])


def _along(run, spectrum):
    """Compute correlations, fits and norms at every step, block by block."""
    problem = run.problem
    learner = run.path.learner
    active = np.unique(learner)
    inside = _coordinates(problem, spectrum)
    start = spectrum.project(problem, problem.resid(np.zeros(problem.n_samples)))
    end = run.beta[active]
    solution = spectrum.least_squares(problem)
    idle = float(np.abs(np.delete(solution, active)).sum())
    names = ("corr", "inner", "fit", "distance", "l1", "l2", "l0", "to_end", "to_least")
    numbers = {name: np.zeros(run.n_steps + 1) for name in names}
    numbers["chosen"] = np.zeros(run.n_steps)
    length = max(1, min(1024, BLOCK // problem.n_learners))
    k = 0
    for beta in betas_along(problem, run.method, run.path, active, length):
        block = slice(k, k + len(beta))
        pred = beta @ inside[:, active].T
        q = start - pred
        corr = q @ inside
        taken = learner[block]
        numbers["chosen"][k : k + len(taken)] = corr[np.arange(len(taken)), taken]
        numbers["corr"][block] = np.abs(corr).max(axis=1)
        numbers["inner"][block] = np.einsum("ij,ij->i", q, pred)
        numbers["fit"][block] = np.linalg.norm(q, axis=1)
        numbers["distance"][block] = np.linalg.norm(q / spectrum.singular, axis=1)
        numbers["l1"][block] = np.abs(beta).sum(axis=1)
        numbers["l2"][block] = np.linalg.norm(beta, axis=1)
        numbers["l0"][block] = np.count_nonzero(beta, axis=1)
        numbers["to_end"][block] = np.abs(beta - end).sum(axis=1)
        numbers["to_least"][block] = np.abs(beta - solution[active]).sum(axis=1) + idle
        k = block.stop
    return numbers


def _coordinates(problem, spectrum):
    """U' W^{1/2} B, (rank, n_learners)."""
    root = np.sqrt(problem.weight)
    coordinates = np.empty((spectrum.rank, problem.n_learners))
    for j in range(0, problem.n_learners, 1024):
        index = np.arange(j, min(j + 1024, problem.n_learners))
        coordinates[:, index] = spectrum.left.T @ (root[:, None] * problem.gather(index))
    return coordinates
