"""R as a contestant: a script in a separate process, data exchanged as binary files, time measured
by R.

The start of R, loading packages, reading and writing are not counted. Short work is repeated in the
same process, as for all contestants; R's clock also has a resolution of milliseconds only. R gets
one BLAS thread, like all others.

A script defines ``work()``, which is timed, and ``answer(fit)``, which returns a named list of
numbers.
"""

import os
import shutil
import subprocess
import tempfile
import weakref
from functools import cached_property
from pathlib import Path

import numpy as np
import scipy.sparse

from verification.benchmarks.harness import LEAST, SHORT, Timed

PACKAGES = ("glmnet", "lars", "mboost")

READ = """
read <- function(name, what = "double", size = 8) readBin(name, what, file.size(name) / size, size)
y <- read("y")
if (file.exists("X")) {
  X <- matrix(read("X"), length(y))
} else {
  ends <- read("indptr", "integer", 4)
  X <- new("dgCMatrix", i = read("indices", "integer", 4), p = ends, x = read("data"),
           Dim = c(length(y), length(ends) - 1L))
}
"""

CLOCK = """
measure <- function(times) {
  began <- proc.time()
  for (k in seq_len(times)) fit <- work()
  used <- (proc.time() - began) / times
  list(fit = fit, cpu = used[["user.self"]] + used[["sys.self"]], wall = used[["elapsed"]])
}
done <- measure(1)
if (done$wall < SHORT) done <- measure(ceiling(SHORT / max(done$wall, LEAST)))
results <- c(answer(done$fit), list(clock = c(done$cpu, done$wall)))
for (name in names(results)) writeBin(as.double(results[[name]]), paste0(name, ".out"))
"""

# by default fdev and devmax end a path early; all lambdas are needed here
GLMNET = """
glmnet.control(fdev = 0, devmax = 1)
work <- function() glmnet(X, y, lambda = alphas, standardize = FALSE, intercept = FALSE,
                          thresh = tol, maxit = 1e8,
                          type.gaussian = if (naive) "naive" else "covariance")
answer <- function(fit) list(alphas = fit$lambda, coefs = as.matrix(fit$beta))
"""

# lars returns one row of coefficients more than lambdas: the lambda of the last row is computed
# here
LARS = """
kind <- if (stagewise) "forward.stagewise" else "lasso"
work <- function() suppressWarnings(lars(X, y, type = kind, normalize = FALSE, intercept = FALSE,
                                         use.Gram = ncol(X) <= 500, max.steps = max_steps))
answer <- function(fit) {
  last <- max(abs(crossprod(X, y - X %*% fit$beta[nrow(fit$beta), ])))
  list(knots = c(fit$lambda, last)[seq_len(nrow(fit$beta))], coefs = t(fit$beta))
}
"""

MBOOST = """
work <- function() glmboost(x = X, y = y, center = FALSE, offset = 0,
                            control = boost_control(mstop = n_steps, nu = nu, risk = "none"))
answer <- function(fit) list(picks = fit$xselect() - 1, coefs = coef(fit, which = ""))
"""


class Desk:
    """A folder with X (dense or sparse) and y for R scripts.

    It is made for the first script, and deleted with the object.

    limit : seconds after which a script is stopped, including start and reading; None for no limit
    """

    def __init__(self, X, y, limit=None):
        self.X = X
        self.y = y
        self.limit = limit

    @cached_property
    def folder(self):
        """The folder, made with its files at first use."""
        needed()
        folder = Path(tempfile.mkdtemp(prefix="coordboost-r-"))
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        if scipy.sparse.issparse(self.X):
            X = scipy.sparse.csc_array(self.X, copy=True)
            X.sort_indices()
            parts = {
                "indptr": np.int32(X.indptr),
                "indices": np.int32(X.indices),
                "data": np.float64(X.data),
            }
        else:
            parts = {"X": np.float64(self.X.T)}  # R stores matrices by columns
        for name, values in (parts | {"y": np.float64(self.y)}).items():
            np.ascontiguousarray(values).tofile(folder / name)
        return folder

    def run(self, package, script, *outputs, **given):
        """Run a script with the variables `given` (numbers, booleans, arrays).

        Return the `Timed` of a dict of `outputs`, flat arrays.

        Raises
        ------
        FileNotFoundError
            If there is no Rscript.
        RuntimeError
            If R fails, for example because a package is missing; the message ends with that of R.
        TimeoutError
            After `limit` seconds.
        """
        folder = self.folder
        lines = [f"suppressPackageStartupMessages({{ library(Matrix); library({package}) }})", READ]
        for name, value in given.items():
            if isinstance(value, np.ndarray):
                np.float64(value).tofile(folder / name)
            lines.append(f"{name} <- {literal(name, value)}")
        (folder / "script.R").write_text(
            "\n".join([*lines, script, f"SHORT <- {SHORT}; LEAST <- {LEAST}", CLOCK]),
            encoding="utf-8",
        )
        for old in folder.glob("*.out"):
            old.unlink()
        call("script.R", folder, self.limit)
        found = {name: np.fromfile(folder / f"{name}.out") for name in (*outputs, "clock")}
        cpu, wall = found.pop("clock")
        return Timed(found, float(cpu), float(wall), apart=True)


def needed():
    """Raise FileNotFoundError if there is no Rscript."""
    if shutil.which("Rscript") is None:
        raise FileNotFoundError("Rscript is not on PATH, so R does not take part")


def literal(name, value):
    """Return a value as R code; an array is read from its file."""
    if isinstance(value, np.ndarray):
        return f'read("{name}")'
    return str(value).upper() if isinstance(value, bool) else repr(float(value))


def call(script, folder, limit=None):
    """Run Rscript on a file of a folder, and return its standard output."""
    threads = {
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "LC_ALL": "C",
    }
    words = ["Rscript", "--vanilla", script]
    try:
        done = subprocess.run(
            words,
            cwd=folder,
            env=os.environ | threads,
            capture_output=True,
            text=True,
            timeout=limit,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise TimeoutError(f"over the time limit: R was stopped after {limit:g} s") from None
    if done.returncode:
        raise RuntimeError(f"R: {' '.join(done.stderr.split())[-150:]}")
    return done.stdout


def versions():
    """Return the versions of R and of the installed packages; an empty dict without Rscript."""
    if shutil.which("Rscript") is None:
        return {}
    names = ", ".join(f'"{name}"' for name in PACKAGES)
    script = f"""cat("R", as.character(getRversion()), "\\n")
for (name in c({names}))
  if (nzchar(system.file(package = name)))
    cat(paste("R", name), as.character(packageVersion(name)), "\\n")"""
    with tempfile.TemporaryDirectory(prefix="coordboost-r-") as folder:
        (Path(folder) / "versions.R").write_text(script, encoding="utf-8")
        lines = call("versions.R", folder).splitlines()
    return dict(line.strip().rsplit(" ", 1) for line in lines)
