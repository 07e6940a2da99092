"""Planted errors in methods, rules, angles and bounds of the package: the rows of the ledger about
algorithms must detect each.

The code of one function at a time is replaced, in this process, by that of its source with one
error; or the formulas of one dictionary. The rows run the package interpreted, so that compiled
kernels keep the code they have.
"""

import inspect
import textwrap
from contextlib import contextmanager

import pytest

from verification import ledger
from verification.calls import function_of
from verification.index import thing

#: The function or formulas, original text, planted text, the paper whose rows detect it.
PLANTED = [
    ("rules.FixedStep.move", "self.eps / self.delta", "self.eps / 2", "fgm"),
    ("rules.PathStep.move", "self.deltas[k]", "self.deltas[max(k - 1, 0)]", "fgm"),
    ("rules.SoftThreshold.soft", "self.rate * self.lam", "self.rate * self.lam / 2", "fgm"),
    ("theory.bounds.Constants.of", "norm(inside)", "norm(problem.y)", "fgm"),
    ("certificates.L1Ball.certificate", "self.radius * worst", "worst", "fgm"),
    ("rules.Groups.dual_norm", "np.add", "np.maximum", "rgbm"),
    ("rules.selection.subset_weights", "n - j - t + 1", "n - j - t", "rgbm"),
    ("rules.selection.draw_subsets", "last + 1", "last", "rgbm"),
    ("angles.exact.orthonormal", "np.sqrt(np.cumsum(sizes))", "np.cumsum(sizes)", "rgbm"),
    ("angles.learners.GreedyNorm.values", "np.abs(rows)", "rows", "rgbm"),
    ("rules.steps.mixing", "2 / (m + 2)", "2 / (m + 3)", "agbm"),
    ("rules.steps.admissible", "(1.0 + math.sqrt(1.0 - square)) ** 2", "4", "agbm"),
    ("theory.bounds.accelerated.PERIOD", "root(8", "root(2", "agbm"),
    ("engine.states.accelerated.next_round", "== state.period", "== state.period + 1", "agbm"),
    ("rules.structural.Structural.price", "self.per_unit *", "-self.per_unit *", "rgb"),
    ("rules.structural.Structural.law", "self.power", "1", "rgb"),
    ("theory.bounds.margins.PARTS", "2 / delta", "1 / delta", "rgb"),
    ("theory.bounds.margins.PARTS", "4 / rho", "2 / rho", "rgb"),
    ("theory.bounds.regularized.WHERE", "+ 2 * eps", "+ 2 * eps**2", "fgm"),
    ("theory.bounds.stagewise.WHERE", "(k + 1)", "(k + 2)", "fgm"),
    ("data.families.tree_complexity", "4 * n + 2", "2 * n + 2", "rgb"),
    ("rules.Noise.sigma", "2 * self.total", "self.total", "sglb"),
    ("theory.langevin.transient", "decay @ cov @ decay.T", "decay @ cov", "sglb"),
    ("losses.SmoothZeroOne.value", "y * f", "-y * f", "sglb"),
]


@contextmanager
def planted(name, before, after):
    """Run a function of the package with an error in its code, or a formula with one."""
    if isinstance(formulas := thing(name), dict):
        wrong = {key: text.replace(before, after) for key, text in formulas.items()}
        assert wrong != formulas, f"{name} has no longer: {before}"
        with pytest.MonkeyPatch.context() as patched:
            for key, text in wrong.items():
                patched.setitem(formulas, key, text)
            yield
        return
    function = function_of(thing(name))
    source = textwrap.dedent(inspect.getsource(function))
    assert before in source, f"{name} has no longer: {before}"
    source = source[source.index("def ") :].replace(before, after)
    namespace = {}
    exec(source, function.__globals__, namespace)
    original = function.__code__
    function.__code__ = namespace[function.__name__].__code__
    try:
        yield
    finally:
        function.__code__ = original


def first_fault(paper):
    """Return the first row about algorithms of a paper that differs from its claim."""
    for statement, job in ledger.jobs(quick=True, only=f"{paper}_algorithms"):
        found = job()
        if isinstance(found, ledger.Row) and not found.good:
            return statement
    return ""


@pytest.mark.slow
@pytest.mark.parametrize("paper", ["fgm", "rgbm", "agbm", "rgb", "sglb"])
def test_rows_about_algorithms_detect_planted_errors(paper):
    passed = []
    for name, before, after, rows in PLANTED:
        if rows == paper:
            with planted(name, before, after):
                passed += [] if first_fault(paper) else [name]
    assert passed == []
    assert first_fault(paper) == ""
