"""Commands of the package called in this process, and the folds of ``cross_validate``."""

import json

import numpy as np
from click.testing import CliRunner

import coordboost as cb
from coordboost.reporting.cli import main


def call(*words):
    """Return the result of one command; each of `words` may hold several arguments."""
    return CliRunner().invoke(main, " ".join(words).split())


def fine(*words):
    result = call(*words)
    assert result.exit_code == 0, result.output
    return result


def said(*words):
    """Return the parsed output of the command with --json."""
    return json.loads(fine(*words, "--json").stdout)


def folds_of(y, k, seed=0):
    """Return the pairs (rows to fit, rows held out) of cross-validation with `k` folds."""
    rows = []

    def walk(X, y, weight):
        rows.append(X[:, 0].astype(int))
        return cb.solve(
            cb.Problem(np.eye(2), np.ones(2), center=False), cb.ls_boost(), 0, compile=False
        )

    every = np.arange(len(y))
    cb.cross_validate(walk, np.column_stack([every, every]), y, folds=k, rng=seed)
    return [(fit, np.setdiff1d(every, fit)) for fit in rows]


def flags(**arguments):
    """Return the options of the command line for the arguments of a method."""
    texts = {
        name: f"{value[0]}:{value[-1]}" if isinstance(value, list) else str(value)
        for name, value in arguments.items()
    }
    return " ".join(f"--{name.replace('_', '-')} {text}" for name, text in texts.items())
