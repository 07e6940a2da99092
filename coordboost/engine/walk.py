"""A run in progress: the loop, its random draws and its record, advanced block by block."""

import time
from functools import lru_cache

import numpy as np
from threadpoolctl import ThreadpoolController

from coordboost.engine.explicit import Explicit
from coordboost.engine.gram import Gram
from coordboost.engine.loop import Coefficients, runner
from coordboost.engine.path import Path
from coordboost.selection import Recorded as RecordedPicks
from coordboost.steps import Recorded as RecordedMoves

#: State is recomputed from the coefficients at every multiple of this step number, so rounding cannot pile up.
RENEW = 1 << 16
#: Random draws are made in chunks that depend on the step number alone, so no stop or restart can change them.
CHUNK = 4096


@lru_cache
def _threads():
    return ThreadpoolController()


def choose_view(problem, method):
    """The view that suits the work: what the method demands, the Gram form for few learners, else the data themselves.

    The Gram form pays once its one-off cost, a scan per learner in one matrix product, is small beside a run of some thousand
    steps. The choice must not depend on the number of steps: a resumed run takes the same view.
    """
    if method.view is not None:
        return method.view
    small = problem.n_learners <= 1000
    looks = Explicit.looks(None, method.select.width, problem.n_learners)
    quadratic = getattr(problem.loss, "mu", None) == 1.0 and getattr(problem.loss, "location", False)
    return Gram if quadratic and small and problem.n_learners <= looks * problem.n_samples else Explicit


class Walk:
    """`method` on `problem`, at step `k` with coefficients ``beta``.

    The state is a function of (problem, method, view, seed, k) alone: not of block lengths, threads or interruptions.
    """

    def __init__(self, problem, method, *, view=None, seed=0, compile=True):
        self.problem = problem
        self.method = method.bind(problem)
        self.seed = seed
        self.unit = getattr(self.method.step, "unit", 1.0)
        self.compile = compile
        with _threads().limit(limits=1, user_api="blas"):
            self.view = (view or choose_view(problem, method)).start(problem)
        n = problem.n_learners
        self.coefficients = Coefficients(np.zeros(n), np.ones(1))
        self.k = 0
        self.parts = []
        self.looks = n * (n + 1) if isinstance(self.view, Gram) else 0
        self._chunk = (-1, None)

    @property
    def path(self):
        """The steps so far."""
        self.parts = [Path.join(self.parts)]
        return self.parts[0]

    @property
    def beta(self):
        """Coefficients of the unit columns, a copy (n_learners,)."""
        if self.method.view is not None:
            return self.view.solution(self.problem)
        return self.unit * self.coefficients.scale[0] * self.coefficients.values

    def _drawn(self, n_steps):
        select, k = self.method.select, self.k
        if select.width == 0:
            return np.zeros((n_steps, 0), dtype=np.int64)
        length = max(1, min(CHUNK, (1 << 22) // select.width))
        chunk, first = divmod(k, length)
        if self._chunk[0] != chunk:
            rng = np.random.default_rng([self.seed, chunk])
            self._chunk = (chunk, select.draw(rng, length, self.problem.n_learners))
        return self._chunk[1][first : first + n_steps]

    def blocks(self, n_steps, *, seconds=0.1):
        """Make `n_steps` steps, yielding after each compiled block of about `seconds`."""
        yield from self._advance(self.method.select, self.method.step, n_steps, seconds, self._drawn)

    def follow(self, path, n_steps):
        """Repeat the next `n_steps` steps of a recorded path, without scans."""
        moves = RecordedMoves(path.shrink, path.theta)
        for _ in self._advance(RecordedPicks(path.learner), moves, n_steps, 1.0, self._no_draws):
            pass

    def _no_draws(self, n_steps):
        return np.zeros((n_steps, 0), dtype=np.int64)

    def _advance(self, select, step, n_steps, seconds, draws):
        advance = runner(self.view, select, step, self.coefficients, compile=self.compile)
        goal, block = self.k + n_steps, 16
        while self.k < goal:
            drawn = draws(min(block, goal - self.k, RENEW - self.k % RENEW))
            part = Path.empty(len(drawn))
            began = time.perf_counter()
            with _threads().limit(limits=1, user_api="blas"):
                done = advance(
                    self.view, select, step, self.unit, self.coefficients, drawn, self.k, part.learner, part.shrink, part.theta
                )
                self.k += done
                self.parts.append(part.cut(0, done))
                self.looks += done * self.view.looks(select.width, self.problem.n_learners)
                if self.k % RENEW == 0:
                    self.view.renew(self.beta)
            taken = time.perf_counter() - began
            block = max(1, min(2 * block if taken < seconds / 2 else block if taken < seconds else block // 2, RENEW))
            yield self
