"""How many functions a first fit compiles: each costs time, whatever it does."""

import os
import subprocess
import sys

import pytest

#: It fits, and prints the number of functions that were compiled, those of numba included.
COUNT = """
import sys, warnings
import numpy as np
from numba.core import event
import coordboost as cb

warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
X = rng.normal(size=(100, 8))
y = X[:, 0] + rng.normal(size=100)
labels = np.sign(y)
with event.install_recorder("numba:compile") as recorder:
    eval(sys.argv[1])
print(sum(entry.is_start for _, entry in recorder.buffer))
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "fit, most",
    [
        ("cb.lasso_path(X, y)", 45),
        ("cb.lasso_path(X, labels, loss=cb.losses.Logistic())", 50),
        ("cb.solve(cb.Problem(X, y), cb.forward_stagewise(eps=0.01), n_steps=100)", 40),
    ],
)
def test_a_first_fit_compiles_few_functions(fit, most, tmp_path):
    given = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", COUNT, fit], env=given, capture_output=True, text=True, check=True
    )
    assert 0 < int(done.stdout) <= most
