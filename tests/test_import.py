"""Names load when they are used: one list of them, nothing heavy before, and nothing lost in a fresh process."""

import ast
import importlib
import inspect
import json
import pkgutil
import statistics
import subprocess
import sys
from pathlib import Path

import pytest

import coordboost as cb

ROOT = Path(cb.__file__).resolve().parents[1]
HEAVY = ("numpy", "scipy", "numba", "sklearn", "cvxpy", "matplotlib", "pandas", "threadpoolctl", "rich")


def fresh(code):
    """What a new process prints, from JSON."""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize(
    "code",
    [
        "import coordboost",
        "import coordboost; dir(coordboost); coordboost.__version__; hasattr(coordboost, 'nothing')",
        "import sys, coordboost.reporting.cli as cli; sys.argv = ['coordboost', '--help']; cli.main(standalone_mode=False)",
        "import sys, coordboost.reporting.cli as cli; sys.argv = ['coordboost', '--version']; cli.main(standalone_mode=False)",
    ],
)
def test_nothing_heavy_is_loaded(code):
    assert fresh(f"{code}\nimport json, sys\nprint(json.dumps([name for name in {HEAVY!r} if name in sys.modules]))") == []


def test_one_list_of_names():
    """The stub holds ``from home import name as name`` and nothing twice; ``__all__`` and ``dir`` follow from it."""
    lines = ast.parse((ROOT / "coordboost" / "__init__.pyi").read_text(encoding="utf-8")).body
    listed = [alias for line in lines if isinstance(line, ast.ImportFrom) for alias in line.names]
    assert all(alias.name == alias.asname for alias in listed)
    names = [alias.name for alias in listed]
    assert sorted(set(names)) == sorted(names) == cb.__all__ and len(names) > 50
    assert set(dir(cb)) == {*names, "__version__"}


@pytest.mark.parametrize("name", cb.__all__)
def test_every_name_is_there(name):
    home = cb._HOME[name]
    module = importlib.import_module(home if home != "coordboost" else f"coordboost.{name}")
    assert getattr(cb, name) is (module if home == "coordboost" else getattr(module, name))
    assert getattr(cb, name) is getattr(cb, name)


def test_an_estimator_loads_what_it_needs():
    """Boosting with trees needs no cross-validation, and so not the half of scikit-learn that goes with it."""
    needless = ["sklearn.model_selection", "sklearn.metrics", "coordboost.estimators.linear"]
    look = f"import json, sys; print(json.dumps([name for name in {needless!r} if name in sys.modules]))"
    assert fresh(f"from coordboost import RandomizedGBMRegressor as One; One(); {look}") == []


def test_unknown_names():
    with pytest.raises(AttributeError, match="module 'coordboost' has no attribute 'ls_bost'"):
        cb.ls_bost  # noqa: B018
    with pytest.raises(ImportError, match="cannot import name 'ls_bost'"):
        from coordboost import ls_bost  # noqa: F401


def test_no_module_is_called_like_a_function():
    """It would hide the function once it is loaded."""
    package = ROOT / "coordboost"
    assert [name for name in cb.__all__ if (package / name).is_dir() or (package / f"{name}.py").exists()] == []
    assert {name for name in cb.__all__ if inspect.ismodule(getattr(cb, name))} == {"bounds", "langevin", "plots"}


def test_names_are_the_same_whatever_was_loaded_before():
    modules = [module.name for module in pkgutil.iter_modules(cb.__path__, "coordboost.") if not module.name.endswith("__main__")]
    kinds = "import coordboost, json; print(json.dumps({name: str(getattr(coordboost, name)) for name in ['solve', 'certify', 'page']}))"
    load = f"import importlib\nfor name in {modules!r}: importlib.import_module(name)\n"
    assert all(found.startswith("<function ") for found in fresh(load + kinds).values())
    assert all(found.startswith("<function ") for found in fresh(kinds + "\n" + load + kinds).values())


def test_all_names_at_once():
    names = fresh("from coordboost import *\nimport json\nprint(json.dumps([name for name in dir() if name[0] != '_']))")
    assert sorted({*names} - {"json"}) == cb.__all__


def test_loading_a_run_knows_every_piece():
    """A process that only loads a run must have loaded all modules with pieces."""
    modules = [module.name for module in pkgutil.walk_packages(cb.__path__, "coordboost.") if not module.name.endswith("__main__")]
    listed = (
        "import json; from coordboost.engine.states.base import View; from coordboost._utils.kinds import pieces_of\n"
        "from coordboost import CoefficientRule, Loss, SelectionRule, StepRule\n"
        "print(json.dumps({kind.__name__: sorted(pieces_of(kind)) for kind in (Loss, SelectionRule, StepRule, CoefficientRule, View)}))"
    )
    everything = fresh(f"import importlib\nfor name in {modules!r}: importlib.import_module(name)\n{listed}")
    assert fresh(f"from coordboost import load; {listed}") == everything
    assert {"Squared", "Huber"} <= set(everything["Loss"]) and {"Explicit", "Lookahead"} <= set(everything["View"])


def cpu_seconds(code):
    resource = pytest.importorskip("resource")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@pytest.mark.slow
@pytest.mark.parametrize(
    "code",
    [
        "import coordboost",
        "import sys, coordboost.reporting.cli as cli; sys.argv = ['coordboost', '--help']; cli.main()",
        "from coordboost import Problem",
    ],
)
def test_loading_is_as_quick_as_its_libraries(code):
    """At most 1.3 times the CPU time of numba and scipy.sparse: the median of runs in turn."""
    ratios = [cpu_seconds(code) / cpu_seconds("import numba, scipy.sparse") for _ in range(7)]
    assert statistics.median(ratios) <= 1.3
