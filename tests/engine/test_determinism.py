"""The same input gives the same bits for all threads, processes and caches; and changed sources are
never run from the cache.
"""

import os
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import coordboost as cb
from coordboost import Problem

PACKAGE = Path(cb.__file__).parent
RNG = np.random.default_rng(13)
X = RNG.normal(size=(30, 9))
Y = RNG.normal(size=30)


def python(code, folder, **environment):
    """Return what `code` prints in a process of its own, with modules and the cache of compiled
    loops from `folder`.
    """
    own = {
        "PYTHONPATH": str(folder),
        "PYTHONDONTWRITEBYTECODE": "1",
        "NUMBA_CACHE_DIR": str(folder / "cache"),
    }
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, **own, **environment},
        cwd=folder,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


# Seeds.
# --------------------------------------------------------------------------------------------------


def bits(run):
    return run.path.learner.tobytes() + run.path.theta.tobytes() + run.beta.tobytes()


@pytest.mark.parametrize(
    "method",
    [
        cb.methods.rcd(),
        cb.rtgcd(3),
        cb.methods.lasso_cd(0.1, cb.rules.RandomSubset(2)),
        cb.rtgcd(select=cb.rules.Groups(1)),
    ],
    ids=lambda method: method.name,
)
def test_the_seed_decides_the_run(method):
    problem = Problem(X, Y, groups=[0, 0, 0, 1, 1, 1, 2, 2, 2])
    seeds = [0, 1, 2, 3, 2**31, 2**70]
    runs = [cb.solve(problem, method, 200, rng=seed) for seed in seeds]
    assert len({bits(run) for run in runs}) == len(seeds) and [run.seed for run in runs] == seeds
    for seed, run in zip(seeds, runs, strict=True):
        assert bits(
            cb.solve(problem, method, 200, rng=np.int64(seed) if seed < 2**63 else seed)
        ) == bits(run)


def test_a_seed_from_a_generator():
    problem = Problem(X, Y)
    method = cb.methods.rcd()
    first, second = (
        cb.solve(problem, method, 200, rng=rng) for rng in [np.random.default_rng(5)] * 2
    )
    assert first.seed != second.seed and bits(first) != bits(second)  # the generator has moved on
    assert bits(cb.solve(problem, method, 200, rng=np.random.default_rng(5))) == bits(first)
    assert bits(cb.solve(problem, method, 200, rng=second.seed)) == bits(second)
    fresh = [cb.solve(problem, method, 200, rng=None) for _ in range(2)]
    assert bits(fresh[0]) != bits(fresh[1]) and bits(
        cb.solve(problem, method, 200, rng=fresh[0].seed)
    ) == bits(fresh[0])


def test_no_seed_touches_a_greedy_run_or_the_global_state():
    before = np.random.get_state()[1].tobytes()
    runs = [cb.solve(Problem(X, Y), cb.ls_boost(), 100, rng=seed) for seed in (0, 7, None)]
    assert len({bits(run) for run in runs}) == 1
    cb.solve(Problem(X, Y), cb.methods.rcd(), 100)
    assert np.random.get_state()[1].tobytes() == before


# Threads.
# --------------------------------------------------------------------------------------------------

THREADS = """
import hashlib
import numpy as np
import coordboost as cb
rng = np.random.default_rng(0)
X = rng.normal(size=(30_011, 24)) + 3
y = X[:, 0] - X[:, 5] + rng.normal(size=len(X))
wide = rng.normal(size=(10_500, 1_050))
cases = {
    "CovarianceState": (X, cb.losses.Squared(), cb.ls_boost(0.3), cb.engine.CovarianceState),
    "explicit": (X, cb.losses.Squared(), cb.ls_boost(0.3), cb.engine.NaiveState),
    "weighted": (X, cb.losses.Huber(1.0), cb.rtgcd(3), cb.engine.NaiveState),
    "wide": (wide, cb.losses.Squared(), cb.regularized_forward_stagewise(0.5, 40.0), None),
    "stored": (wide, cb.losses.Squared(), cb.ls_boost(0.3), None),
}
for name, (X, loss, method, model_state) in cases.items():
    weight = np.linspace(0.1, 2.0, len(X)) if name == "weighted" else None
    np.save("x.npy", X)
    columns = cb.data.open_columns("x.npy") if name == "stored" else X
    problem = cb.Problem(columns, y[:len(X)], loss, sample_weight=weight)
    run = cb.solve(problem, method, 40, model_state=model_state)
    certificate = run.certificate(cb.certificates.L1Ball(100.0))
    parts = {
        "columns": problem.gather(np.arange(24)),
        "path": np.concatenate([run.path.learner, run.path.theta]),
        "beta": run.beta,
        "raw": np.append(run.coef, run.intercept),
        "pred": run.pred,
        "loss": np.array(run.final.loss),
        "certificate": np.array([certificate.lower, certificate.upper]),
        "predict": run.predict(X),
    }
    for part, values in parts.items():
        print(name, part, hashlib.sha256(np.ascontiguousarray(values).tobytes()).hexdigest()[:16])
"""


@pytest.fixture(scope="module")
def by_threads(tmp_path_factory):
    """Results of the same work with 1 and 2 threads: {part: (hash, hash)}."""
    folder = tmp_path_factory.mktemp("threads")
    # little to compile
    shared = {
        "NUMBA_CACHE_DIR": os.environ.get("NUMBA_CACHE_DIR", ""),
        "PYTHONPATH": str(PACKAGE.parent),
    }
    libraries = ("OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
    printed = [
        python(
            THREADS, folder, **shared, PYTHONHASHSEED=count, **dict.fromkeys(libraries, count)
        ).splitlines()
        for count in ("1", "2")
    ]
    split = [dict(line.rsplit(" ", 1) for line in lines) for lines in printed]
    return {part: (split[0][part], split[1][part]) for part in split[0]}


def test_the_number_of_threads_changes_no_bit(by_threads):
    """30,011 samples: beyond 10,000 OpenBLAS splits a dot product among its threads and adds in
    another order.
    """
    assert (
        len(by_threads) == 5 * 8
        and {part for part, (one, other) in by_threads.items() if one != other} == set()
    )


FORKED = """
import os, signal, sys, warnings
import numpy as np
import coordboost as cb
warnings.simplefilter("ignore", DeprecationWarning)  # of threads that are there at a fork
X = np.random.default_rng(0).normal(size=(2000, 1500))
problem = cb.Problem(X, X[:, 0])
before = problem.scan(problem.y)
child = os.fork()
if child == 0:
    signal.alarm(30)
    os._exit(0 if (problem.scan(problem.y) == before).all() else 1)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
def test_a_forked_process_has_threads_of_its_own():
    """Threads are not copied at a fork: workers forked after a fit would wait for them for ever."""
    done = subprocess.run(
        [sys.executable, "-c", FORKED], capture_output=True, text=True, cwd=PACKAGE.parent
    )
    assert done.returncode == 0, done.stderr


# Stale caches.
# --------------------------------------------------------------------------------------------------

RUN = """
import numpy as np
import coordboost as cb
print(cb.__file__)
problem = cb.Problem(np.array([[1.0], [0.0]]), [3.0, 0.0], center=False)
print(cb.solve(problem, cb.methods.gcd(), 1, model_state=cb.engine.NaiveState).beta[0])
"""
#: As `python`, but always with compilation, even if these tests run without it: they are about
#: compiled code.
compiling = partial(python, NUMBA_DISABLE_JIT="0")
EDITS = {
    "rules/steps.py": "ShrunkenStep.move = lambda self, k, state, j, corr, beta_j: (0, self.rate * "
    "corr / 2)",
    "losses/standard.py": "Squared.residual = lambda self, y, f: (y - f) / 2",
    "learners/dense.py": "Dense.scan = lambda self, v: np.dot(self.rows, v) / 2",
}


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    """A copy of the package that has run once and filled a cache of its own."""
    folder = tmp_path_factory.mktemp("copy")
    shutil.copytree(PACKAGE, folder / "coordboost", ignore=shutil.ignore_patterns("__pycache__"))
    file, beta = compiling(RUN, folder).split()
    assert Path(file).parent == folder / "coordboost" and float(beta) == 3.0
    assert list(folder.glob("cache/**/*.nbi")), "nothing was cached, so this test tests nothing"
    return folder


@pytest.mark.slow  # processes that compile
@pytest.mark.parametrize("file", EDITS)
def test_an_edited_kernel_is_compiled_again(file, copied):
    path = copied / "coordboost" / file
    before = path.read_text()
    path.write_text(f"{before}\n\n{EDITS[file]}\n")
    try:
        assert float(compiling(RUN, copied).split()[1]) == 1.5
    finally:
        path.write_text(before)


MINE = """
from collections import namedtuple

from coordboost.rules import StepRule


class Mine(namedtuple("Mine", ""), StepRule):
    def move(self, k, state, j, corr, beta_j):
        return 0, corr / {divisor}
"""
RUN_MINE = RUN.replace(
    "cb.methods.gcd()", 'cb.rules.Method("mine", cb.rules.Greedy(), Mine())'
).replace("import numpy", "from mine import Mine\nimport numpy")


@pytest.mark.slow  # processes that compile
def test_an_edited_rule_of_the_user_takes_effect(tmp_path):
    for divisor in (2, 4, 2):
        (tmp_path / "mine.py").write_text(MINE.format(divisor=divisor))
        assert float(compiling(RUN_MINE, tmp_path).split()[1]) == 3.0 / divisor
    assert list(tmp_path.glob("cache/**/*.nbi")), "nothing was cached, so this test tests nothing"


@pytest.mark.slow
def test_a_private_loss_does_not_spoil_the_cache_for_others(tmp_path):
    """One process runs a loss of a module that the next one, with the same cache, does not have."""
    code = """
import numpy as np, coordboost as cb
X, y = np.random.default_rng(0).normal(size=(20, 4)), np.arange(20.0)
problem = cb.Problem(X, y{loss})
print(cb.solve(problem, cb.methods.gcd(), 5, model_state=cb.engine.NaiveState).n_steps)
"""
    module = tmp_path / "private_loss.py"
    module.write_text(
        "from collections import namedtuple\nimport coordboost as cb\n\n\nclass "
        "Half(namedtuple('Half', ''), cb.losses.Loss):\n"
        "    sigma, location = 1.0, True\n\n"
        "    def value(self, y, f):\n        return (y - f) ** 2 / 2\n\n    def residual(self, y, "
        "f):\n        return y - f\n\n"
        "    def constant(self, y, weight):\n        return 0.0\n"
    )
    assert (
        python("import private_loss" + code.format(loss=", private_loss.Half()"), tmp_path) == "5\n"
    )
    module.unlink()
    assert python(code.format(loss=""), tmp_path) == "5\n"
