"""``coordboost warmup`` runs typical fits and lists what it compiled."""

import inspect

from click.testing import CliRunner
from public import PUBLIC

from coordboost.reporting.cli import main
from coordboost.reporting.cli.warmup import fits, warmup


def test_every_estimator_is_warmed_up():
    """All classes with `fit` and `predict`."""
    known = {
        name
        for name, kind in PUBLIC.items()
        if inspect.isclass(kind) and hasattr(kind, "predict") and hasattr(kind, "fit")
    }
    told = {what for what, _ in fits()}
    assert len(known) >= 20 and known <= told and len(told - known) >= 15


def test_the_output_has_one_line_for_each_fit(monkeypatch):
    """One line for each fit, without its warnings."""
    made = []
    monkeypatch.setitem(
        warmup.callback.__globals__,
        "fits",
        lambda: iter([("one", lambda: made.append(1)), ("two", lambda: made.append(2))]),
    )
    result = CliRunner().invoke(main, ["warmup"])
    assert result.exit_code == 0 and made == [1, 2]
    assert [line.split(" s ")[1].strip() for line in result.output.splitlines()] == ["one", "two"]


def test_a_method_of_each_kind_runs():
    """On few columns, many columns and two classes."""
    for what, fit in fits():
        if what.startswith("regularized_forward_stagewise"):
            assert fit().n_steps == 50
