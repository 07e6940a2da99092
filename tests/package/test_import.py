"""Names are loaded on first use: there is one list of them, no heavy library is loaded before, and
a fresh process has all names.
"""

import ast
import importlib
import inspect
import json
import pkgutil
import pydoc
import statistics
import subprocess
import sys
from pathlib import Path

import pytest
from public import HOME, MODULES, PUBLIC

import coordboost as cb

ROOT = Path(cb.__file__).resolve().parents[1]
HEAVY = (
    "numpy",
    "scipy",
    "numba",
    "sklearn",
    "cvxpy",
    "matplotlib",
    "pandas",
    "threadpoolctl",
    "rich",
)


def fresh(code):
    """Return what a new process prints, read as JSON."""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize(
    "code",
    [
        "import coordboost; dir(coordboost); coordboost.__version__; hasattr(coordboost, "
        "'nothing')",
        "import sys, coordboost.reporting.cli as cli\n"
        "for word in ('--help', '--version'): sys.argv = ['coordboost', word]; "
        "cli.main(standalone_mode=False)",
    ],
)
def test_nothing_heavy_is_loaded(code):
    assert (
        fresh(
            f"{code}\nimport json, sys\nprint(json.dumps([name for name in {HEAVY!r} if name in "
            "sys.modules]))"
        )
        == []
    )


@pytest.mark.parametrize(
    "stub", sorted(Path(cb.__file__).parent.rglob("*.pyi")), ids=lambda stub: stub.parent.name
)
def test_a_stub_is_the_one_list_of_names(stub):
    """It holds ``from .home import name as name`` and nothing twice; ``dir`` follows from it."""
    module = importlib.import_module(".".join(stub.parent.relative_to(ROOT).parts))
    lines = [
        line
        for line in ast.parse(stub.read_text(encoding="utf-8")).body
        if isinstance(line, ast.ImportFrom)
    ]
    listed = [alias for line in lines for alias in line.names]
    assert all(alias.name == alias.asname for alias in listed)
    names = [alias.name for alias in listed]
    assert sorted(set(names)) == sorted(names) == sorted(dir(module))
    for line in lines:
        for alias in line.names:
            home = importlib.import_module(f"{module.__name__}.{line.module or alias.name}")
            assert getattr(module, alias.name) is (
                getattr(home, alias.name) if line.module else home
            )


def test_the_top_is_one_page():
    assert len(dir(cb)) <= 60
    page = pydoc.plain(pydoc.render_doc(cb))
    assert page.count("\n") <= 80 and all(f"cb.{name}" in page for name in MODULES)


@pytest.mark.parametrize("name", [name for name in PUBLIC if name not in MODULES])
def test_a_name_has_one_home(name):
    """A name in several modules is the same object, and modules list it in ``__all__``."""
    found = [getattr(module, name) for module in MODULES.values() if name in module.__all__]
    assert found or name == "html_report"
    assert all(result is PUBLIC[name] for result in found)


def test_an_estimator_loads_what_it_needs():
    """Boosting with trees loads neither cross-validation nor the large part of scikit-learn that
    this needs.
    """
    needless = ["sklearn.model_selection", "sklearn.metrics", "coordboost.estimators.linear"]
    look = (
        f"import json, sys; print(json.dumps([name for name in {needless!r} if name in "
        "sys.modules]))"
    )
    assert fresh(f"from coordboost import RandomizedGBMRegressor as One; One(); {look}") == []


def test_unknown_names():
    with pytest.raises(AttributeError, match="coordboost has no 'ls_bost'; perhaps coordboost"):
        cb.ls_bost  # noqa: B018
    with pytest.raises(ImportError, match="cannot import name 'ls_bost'"):
        from coordboost import ls_bost  # noqa: F401


def test_no_module_is_called_like_a_function():
    """Once loaded, the module would hide the function."""
    package = ROOT / "coordboost"
    functions = [
        (HOME[name], name) for name, value in PUBLIC.items() if not inspect.ismodule(value)
    ]
    assert [
        name
        for home, name in functions
        if (package / home / name).is_dir() or (package / home / f"{name}.py").exists()
    ] == []


@pytest.mark.slow
def test_names_are_the_same_whatever_was_loaded_before():
    modules = [
        module.name
        for module in pkgutil.iter_modules(cb.__path__, "coordboost.")
        if not module.name.endswith("__main__")
    ]
    names = ["solve", "certify", "html_report"]
    kinds = (
        f"import coordboost, json; print(json.dumps({{name: str(getattr(coordboost, name)) "
        f"for name in {names!r}}}))"
    )
    load = f"import importlib\nfor name in {modules!r}: importlib.import_module(name)\n"
    assert all(found.startswith("<function ") for found in fresh(load + kinds).values())
    assert all(
        found.startswith("<function ") for found in fresh(kinds + "\n" + load + kinds).values()
    )


@pytest.mark.slow
def test_loading_a_run_knows_every_piece():
    """A process that only loads a run must have loaded all modules with pieces."""
    modules = [
        module.name
        for module in pkgutil.walk_packages(cb.__path__, "coordboost.")
        if not module.name.endswith("__main__")
    ]
    listed = (
        "import json; from coordboost.engine.states.base import ModelState; from "
        "coordboost._utils.kinds import pieces_of\n"
        "from coordboost.rules import CoefficientRule, SelectionRule, StepRule; from "
        "coordboost.losses import Loss\n"
        "kinds = Loss, SelectionRule, StepRule, CoefficientRule, ModelState\n"
        "print(json.dumps({kind.__name__: sorted(pieces_of(kind)) for kind in kinds}))"
    )
    everything = fresh(
        f"import importlib\nfor name in {modules!r}: importlib.import_module(name)\n{listed}"
    )
    assert fresh(f"from coordboost import load; {listed}") == everything
    assert {"Squared", "Huber"} <= set(everything["Loss"]) and {
        "NaiveState",
        "LookaheadState",
    } <= set(everything["ModelState"])


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
        "import sys, coordboost.reporting.cli as cli; sys.argv = ['coordboost', '--help']; "
        "cli.main()",
        "from coordboost import Problem",
    ],
)
def test_loading_is_as_quick_as_its_libraries(code):
    """At most 1.3 times the CPU time of numba and scipy.sparse: the median ratio of alternating
    runs.
    """
    ratios = [cpu_seconds(code) / cpu_seconds("import numba, scipy.sparse") for _ in range(7)]
    assert statistics.median(ratios) <= 1.3
