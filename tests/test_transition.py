"""From small steps to interpolation: no stretch of a run costs more than twice the best single view, in counted operations."""

import numpy as np
import pytest

import coordboost as cb
from coordboost.engine import source as sources
from coordboost.engine.stepper import Stepper

LENGTH, STRETCHES = 10_000, 8


def counted(problem, method, view, monkeypatch):
    """What each stretch of `LENGTH` steps costs on `view`, or on what is chosen for None."""
    if view is cb.Lookahead:
        monkeypatch.setitem(sources.VIEWS, view, (view,))
    run, spent = Stepper(problem, method, view=view), np.zeros(STRETCHES + 1)
    source, rebuild, since = run.source, run.source.rebuild, 0
    prices = source.prices

    def spread(price, first, last):
        share = np.diff(np.clip(np.arange(STRETCHES + 2) * LENGTH, first, last))
        spent[:] += price * share / max(last - first, 1)

    def note(gained):
        nonlocal since
        kind, steps = source.memory.view, run.k - since
        price = {"Lookahead": lambda: source.found.price(prices, gained), "GramColumns": lambda: steps * prices.moved}
        spread(price.get(kind, lambda: steps * prices.explicit)(), since, run.k)
        since = run.k

    def noted(beta, gained):
        note(run.k - since)
        before = source.n_columns
        changed = rebuild(beta, gained)
        scan = prices.scan if changed and source.memory.view == "GramColumns" else 0.0
        spent[run.k // LENGTH] += (source.n_columns - before) * prices.gram_column + scan
        return changed

    source.rebuild = noted
    for _ in run.blocks(STRETCHES * LENGTH):
        pass
    note(run.k - since)
    monkeypatch.undo()
    return spent[:STRETCHES]


@pytest.mark.slow
def test_the_transition_to_gram_columns(monkeypatch):
    """1,000 x 10,000 normal columns, steps of 1e-4: lookahead needs more and more scans, and Gram columns are paid in advance."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((1_000, 10_000))
    y = X[:, :50] @ rng.standard_normal(50) / 7 + rng.standard_normal(1_000)
    y = (y - y.mean()) / np.linalg.norm(y - y.mean())
    problem, method = cb.Problem(X, y), cb.forward_stagewise(1e-4)
    ours, *single = (counted(problem, method, view, monkeypatch) for view in (None, cb.Lookahead, cb.GramColumns))
    assert (ours <= 2 * np.minimum(*single)).all()
    assert ours.sum() < single[0].sum()
