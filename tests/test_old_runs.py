"""Run files of earlier versions load as the same runs, and go on as they would have."""

from pathlib import Path

import numpy as np
import pytest

import coordboost as cb

FILES = sorted((Path(__file__).parent / "old_runs").glob("*.run"))
# numpy's generators are frozen by version only for their bit streams: normal draws of this one have been the same since 1.17
RNG = np.random.default_rng(9)
X, Y = RNG.standard_normal((12, 8)), RNG.standard_normal(12)
PROBLEM = cb.Problem(X, Y, groups=[0, 1, 0, 2, 1, 0, 2, 2])


def opened(file):
    return cb.load(file) if file.stem.startswith("whole") else cb.load(file, PROBLEM)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_old_runs_load_and_go_on(file):
    """Every pick, and coefficients to the rounding of another machine's sums: 30 steps of sums of 12 terms below 4."""
    run = opened(file)
    further = 0 if file.stem == "forward_stepwise" else 5
    now = cb.solve(run.problem, run.method, run.n_steps + further, rng=run.seed, view=run.view)
    assert run.n_steps == 6 + 19 * bool(further)
    assert (run.resume(further).path.learner == now.path.learner).all()
    assert (run.path.learner == now.path.learner[: run.n_steps]).all()
    np.testing.assert_allclose(run.resume(further).beta, now.beta, rtol=0, atol=30 * 30 * 12 * 4 * 2.0**-53)


def test_one_file_for_every_law_of_a_run():
    """Whole counts, shrinkage, a line search, groups, soft steps, refitted coefficients, another loss and view."""
    runs = {file.stem: opened(file) for file in FILES}
    assert {run.view for run in runs.values()} == {cb.Gram, cb.Gathered, runs["forward_stepwise"].view}
    assert len({run.method.name for run in runs.values()}) == len(FILES)
