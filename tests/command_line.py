"""Commands of the package called in this process, and the folds that a number deals."""

import json

import numpy as np
from click.testing import CliRunner

import coordboost as cb
from coordboost.reporting.cli import main


def call(*words):
    """The result of one command; words may hold several arguments each."""
    return CliRunner().invoke(main, " ".join(words).split())


def fine(*words):
    result = call(*words)
    assert result.exit_code == 0, result.output
    return result


def said(*words):
    """What it prints with --json."""
    return json.loads(fine(*words, "--json").stdout)


def folds_of(y, k, seed=0):
    """Pairs of rows to fit and rows held out, as cross-validation with `k` folds takes them."""
    rows = []

    def walk(X, y, weight):
        rows.append(X[:, 0].astype(int))
        return cb.solve(cb.Problem(np.eye(2), np.ones(2), center=False), cb.ls_boost(), 0, compile=False)

    every = np.arange(len(y))
    cb.cross_validate(walk, np.column_stack([every, every]), y, folds=k, rng=seed)
    return [(fit, np.setdiff1d(every, fit)) for fit in rows]
