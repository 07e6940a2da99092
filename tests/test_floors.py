"""The building stands: files import lower floors, and know only the libraries they may know.

The rules read source text, so each of them is also run on a sabotaged source that it must refuse.
"""

import ast
import graphlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1] / "coordboost"

# Modules and packages, without the leading "coordboost."; a package stands for everything below it.
FLOORS = {
    0: ["_numba", "pieces.base", "pieces.loss", "dictionaries.base", "dictionaries.families", "_checks", "_kinds", "interrupt", "_root"],
    1: ["pieces", "dictionaries"],
    2: ["screening", "engine"],
    3: ["data", "problem", "spectrum", "method", "methods", "targets"],
    4: [
        "outcome", "driver", "run", "stopping", "storage", "subgradient", "shape", "families",
        "paths", "exact", "lasso", "certificates", "laws", "geometry", "bounds", "langevin",
        "planning",
    ],
    5: ["estimators", "plots", "report", "exports", "cli", "pages", "quickstart", "warm"],
    6: ["", "__main__"],  # the front door, coordboost/__init__.py, is ""
}  # fmt: skip
PIECES = 1
KNOWS_NUMBA, KNOWS_CVXPY = ("_numba",), ("certificates", "geometry")
HEAVY = ("cvxpy", "matplotlib", "pandas", "sklearn")

# One name, one thing: the public names that may stand in several modules, each for one reason.
SHARED = {
    "plan": "the one for all methods asks the one for a single method",
    **dict.fromkeys(["certify", "check", "mca", "quickstart"], "a command is called like the function that it runs"),
    **dict.fromkeys(["distance", "excess", "fit", "l1"], "the theorems bound the same things; distances are measured, too"),
}

FLOOR_OF = {name: floor for floor, names in FLOORS.items() for name in names}
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def module_name(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


PATHS = {module_name(path): path for path in sorted(ROOT.rglob("*.py"))}
every_module = pytest.mark.parametrize("module", PATHS, ids=lambda module: module or "coordboost")


def floor_of(module):
    """Floor of a module, from its own entry or that of a package around it; None if nobody gave it one."""
    return next((FLOOR_OF[name] for name in (module, module.partition(".")[0]) if name in FLOOR_OF), None)


def imports(module, tree):
    """Yield (dotted name, is inside a function) for everything a module imports, wherever in the file."""
    package = f"coordboost.{module}".rstrip(".").split(".")
    if PATHS.get(module, ROOT / "x.py").name != "__init__.py":
        package = package[:-1]
    inside = {child for node in ast.walk(tree) if isinstance(node, FUNCTIONS) for child in ast.walk(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node in inside) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield from ((f"{base}.{alias.name}", node in inside) for alias in node.names)


def own_imports(module, tree, when_loaded=False):
    """Return the modules of coordboost (without the leading name) that a module imports, or imports when loaded."""
    found = set()
    for name, is_inside in imports(module, tree):
        if name.partition(".")[0] == "coordboost" and not (when_loaded and is_inside):
            target = name.partition(".")[2]
            while target and target not in PATHS:  # cut class and function names off; "" is the front door
                target = target.rpartition(".")[0]
            found.add(target)
    return found


def floor_faults(module, source):
    """Lower floors are free; the own floor is too, except that pieces never meet; the rest is a fault.

    The files of a room inside a room, as `dictionaries/trees/`, are one piece.
    """
    floor, faults = floor_of(module), []
    for target in own_imports(module, ast.parse(source)):
        room = module.rpartition(".")[0] if module.count(".") > 1 else module
        its_floor, child = floor_of(target), target.startswith(f"{room}.")
        unknown = floor is None or its_floor is None
        if unknown or its_floor > floor or (its_floor == floor == PIECES and not child):
            faults.append(f"{module or 'coordboost'} (floor {floor}) imports {target or 'coordboost'} ({its_floor})")
    return faults


def library_faults(module, source):
    """Only one file knows numba; cvxpy is imported inside functions of the packages that certify."""
    faults = []
    for name, is_inside in imports(module, ast.parse(source)):
        library = name.partition(".")[0]
        if library == "numba" and module.partition(".")[0] not in KNOWS_NUMBA:
            faults.append(f"{module} imports numba")
        if library == "cvxpy" and not (is_inside and module.partition(".")[0] in KNOWS_CVXPY):
            faults.append(f"{module} imports cvxpy" + ("" if is_inside else " at its top level"))
    return faults


def name_faults(sources):
    """Public functions and classes of modules (name: source) that stand in two of them."""
    homes = {}
    for module, source in sources.items():
        for node in ast.parse(source).body:
            if isinstance(node, (*FUNCTIONS, ast.ClassDef)) and not node.name.startswith("_"):
                homes.setdefault(node.name, set()).add(module)
    return [f"{name} is in {sorted(found)}" for name, found in homes.items() if len(found) > 1 and name not in SHARED]


def test_modules_are_found():
    assert "pieces.losses" in PATHS and "problem" in PATHS


@every_module
def test_every_module_has_a_floor(module):
    assert floor_of(module) is not None, f"give {module} a floor in FLOORS"


@every_module
@pytest.mark.parametrize("rule", [floor_faults, library_faults])
def test_rule_holds(module, rule):
    assert rule(module, PATHS[module].read_text(encoding="utf-8")) == []


def test_one_name_is_one_thing():
    assert name_faults({module: path.read_text(encoding="utf-8") for module, path in PATHS.items()}) == []


def test_a_name_for_two_things_is_refused():
    assert len(name_faults({"a": "def walk(): ...", "b": "class walk: ..."})) == 1
    assert name_faults({"a": "def mca(): ...\ndef _of(): ...", "b": "def mca(): ...\ndef _of(): ..."}) == []


def test_no_module_needs_itself_to_load():
    parsed = {module: ast.parse(path.read_text(encoding="utf-8")) for module, path in PATHS.items()}
    graph = {module: own_imports(module, tree, when_loaded=True) for module, tree in parsed.items()}
    graphlib.TopologicalSorter(graph).prepare()  # raises CycleError, which names the cycle


@pytest.mark.parametrize(
    ("rule", "module", "source"),
    [
        (floor_faults, "pieces.losses", "import coordboost.engine.loop"),
        (floor_faults, "pieces.losses", "from coordboost.pieces.steps import anything"),
        (floor_faults, "pieces.losses", "from . import steps"),
        (floor_faults, "dictionaries.dense", "from .sparse import Sparse"),
        (floor_faults, "dictionaries.dense", "from ..pieces.losses import Squared"),
        (floor_faults, "dictionaries.trees.grow", "from coordboost.dictionaries.dense import Dense"),
        (floor_faults, "dictionaries.dense", "from coordboost.dictionaries.trees.grow import grow"),
        (floor_faults, "engine.loop", "from coordboost import problem"),
        (floor_faults, "engine.loop", "def late():\n    from coordboost.problem import Problem"),
        (floor_faults, "data.table", "from coordboost import Problem"),
        (library_faults, "pieces.losses", "from numba import njit"),
        (library_faults, "engine.loop", "def late():\n    import numba.types"),
        (library_faults, "problem", "def late():\n    import cvxpy"),
        (library_faults, "certificates.judge", "import cvxpy as cp"),
    ],
)
def test_sabotage_is_refused(rule, module, source):
    assert len(rule(module, source)) == 1


@pytest.mark.parametrize(
    ("rule", "module", "source"),
    [
        (floor_faults, "dictionaries", "from coordboost.dictionaries.dense import Dense"),
        (floor_faults, "dictionaries.trees.grow", "from coordboost.dictionaries.trees.cuts import rank"),
        (floor_faults, "problem", "from coordboost.data import validation\nfrom coordboost.pieces.losses import Squared"),
        (library_faults, "certificates.judge", "def solve():\n    import cvxpy as cp"),
    ],
)
def test_permitted_is_permitted(rule, module, source):
    assert rule(module, source) == []


def test_using_coordboost_is_light():
    load = "import coordboost as cb, sys; [getattr(cb, one) for one in cb.__all__ if 'estimators' not in cb._HOME[one]]"
    code = f"{load}; print(*(name for name in {HEAVY!r} if name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT.parent, capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_the_page_on_architecture_names_every_room_and_file():
    page = (ROOT.parent / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`([\w/.]+?)(?:\.py|/)?`", page))
    files = {path.stem for path in ROOT.rglob("*.py")} - {"__init__", "__main__"}
    rooms = {path.parent.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.py")} - {"."}
    assert sorted(files - {name.rpartition("/")[2] for name in named}) == []
    assert sorted(rooms - named) == []


def test_paths_on_the_page_exist():
    page = (ROOT.parent / "docs" / "architecture.md").read_text(encoding="utf-8")
    paths = set(re.findall(r"`([\w/]+\.pyi?)`", page))
    assert len(paths) > 10
    assert sorted(p for p in paths if not (ROOT / p).exists() and not (ROOT.parent / p).exists()) == []
