"""Results equal ``snapshots.npz``: choices, tree splits and names exactly, numbers to 1e-10, Lasso
answers by overlapping intervals.
"""

import json
import os

import numpy as np
import pytest
import snapshots

KEPT = snapshots.kept()
STATES = json.loads(str(KEPT["states"]))
CASES = {name: make for name, make in snapshots.cases() if not name.startswith("steps/")}
INTERPRETED = os.environ.get("NUMBA_DISABLE_JIT") == "1"
#: Growing these takes seconds in plain Python.
SLOW = ("depth 6", "monotone")
#: Also run compiled; all others run in plain Python, where a pair of method and loss takes less
#: than a minute to compile.
COMPILED = ("ls_boost", "regularized_forward_stagewise", "rtgcd", "frank_wolfe", "lasso_cd")


def same(name, found):
    """Compare every array of a case: whole numbers and text exactly, others to 1e-10 of the largest
    entry.
    """
    kept = {
        key.removeprefix(f"{name}/"): value
        for key, value in KEPT.items()
        if key.startswith(f"{name}/")
    }
    assert kept.keys() == found.keys()
    for part, value in kept.items():
        if value.dtype.kind == "f":
            np.testing.assert_allclose(
                found[part],
                value,
                rtol=1e-10,
                atol=1e-10 * np.nanmax(abs(value), initial=0),
                err_msg=part,
            )
        else:
            np.testing.assert_array_equal(found[part], value, err_msg=part)


@pytest.mark.parametrize("method", snapshots.METHODS)
def test_steps(method):
    """Each method makes the same steps with every loss that it takes, on every model state that
    supports it.
    """
    for loss in snapshots.LOSSES:
        states = STATES[f"{method}/{loss}"]
        run = snapshots.stepped(method, loss)
        assert (run is None) == (states is None), loss
        for state in [None, *(states or [])] if run else []:
            again = snapshots.stepped(method, loss, state and snapshots.STATES[state])
            same(f"steps/{method}/{loss}", snapshots.walk(again))


@pytest.mark.parametrize("method", COMPILED)
@pytest.mark.skipif(INTERPRETED, reason="without compilation this is what the test above does")
def test_compiled_steps(method):
    same(
        f"steps/{method}/squared",
        snapshots.walk(snapshots.stepped(method, "squared", compile=True)),
    )


@pytest.mark.parametrize("name", CASES)
def test_cases(name):
    if INTERPRETED and any(word in name for word in SLOW):
        pytest.skip("compiled code only")
    same(name, CASES[name]())


@pytest.mark.skipif(INTERPRETED, reason="a table that is large enough for threads")
def test_trees_on_threads():
    """Trees of every kind are equal, bit for bit, on one thread and on up to four: one digest of
    all.
    """
    found = [snapshots.on_threads(threads) for threads in (1, 4)]
    assert len({digest for _, digest in found}) == 1
    same("threads", {"numbers": found[0][0]})


@pytest.mark.parametrize(("name", "make"), list(snapshots.intervals()))
def test_intervals(name, make):
    """Answers of another solver are right if the intervals overlap; widths may grow by a factor of
    1.1, and by rounding.
    """
    kept = {part: KEPT[f"interval/{name}/{part}"] for part in ("alphas", "lower", "upper", "loss")}
    found = make()
    loss = float(kept["loss"])
    np.testing.assert_allclose(found["alphas"], kept["alphas"], rtol=1e-10, atol=0)
    np.testing.assert_allclose(found["loss"], loss, rtol=1e-10, atol=0)
    assert (found["lower"] <= kept["upper"]).all() and (kept["lower"] <= found["upper"]).all()
    assert (
        found["upper"] - found["lower"]
        <= np.maximum(1.1 * (kept["upper"] - kept["lower"]), 1e-6 * loss)
    ).all()
