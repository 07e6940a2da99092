"""Files import lower floors only, and only the libraries that their room may import.

The rules read source text, so each is also run on sources that break it.
"""

import ast
import graphlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2] / "coordboost"

# The rooms, lowest floor first: a room may import lower floors and itself. coordboost/__init__.py
# is "".
FLOORS = [
    ["_numba"],
    ["_utils"],
    ["losses", "learners"],
    ["data"],
    ["certificates"],
    ["rules", "paths"],
    ["methods", "angles", "lasso", "model_selection"],
    ["engine"],
    ["theory", "testing"],
    ["estimators"],
    ["reporting"],
    ["", "__main__"],
]
# Modules that import only the base classes of their room: losses and rules are combined by methods,
# never by each other.
RULES = ("selection", "steps", "structural", "noise", "coefficients")
APART = {"losses.standard": "losses", **{f"rules.{name}": "rules" for name in RULES}}
KNOWS_NUMBA = ("_numba",)
KNOWS_CVXPY = ("certificates", "angles", "theory")
HEAVY = ("cvxpy", "matplotlib", "pandas", "sklearn")

# Public names that several modules may define, each with its reason.
SHARED = {
    "plan": "the one for all methods asks the one for a single method",
    **dict.fromkeys(
        ["certify", "check", "mca", "quickstart"],
        "a command is called like the function that it runs",
    ),
    **dict.fromkeys(
        ["distance", "excess", "fit", "l1"],
        "the theorems bound the same things; distances are measured, too",
    ),
}

FLOOR_OF = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def module_name(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


PATHS = {module_name(path): path for path in sorted(ROOT.rglob("*.py"))}


def room_of(module):
    """The folder below coordboost that a module is in."""
    return module.partition(".")[0]


def floor_of(module):
    """Floor of the room of a module; None if the room is not in FLOORS."""
    return FLOOR_OF.get(room_of(module))


def imports(module, tree):
    """Yield (dotted name, is inside a function) for everything a module imports, wherever in the
    file.
    """
    package = f"coordboost.{module}".rstrip(".").split(".")
    if PATHS.get(module, ROOT / "x.py").name != "__init__.py":
        package = package[:-1]
    inside = {
        child for node in ast.walk(tree) if isinstance(node, FUNCTIONS) for child in ast.walk(node)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node in inside) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield from ((f"{base}.{alias.name}", node in inside) for alias in node.names)


def own_imports(module, tree, when_loaded=False):
    """Return the modules of coordboost (without the leading name) that a module imports, or imports
    when loaded.
    """
    found = set()
    for name, is_inside in imports(module, tree):
        if name.partition(".")[0] == "coordboost" and not (when_loaded and is_inside):
            target = name.partition(".")[2]
            # cut class and function names off; "" is coordboost/__init__.py
            while target and target not in PATHS:
                target = target.rpartition(".")[0]
            found.add(target)
    return found


def floor_faults(module, source):
    """Return imports of higher floors, of other rooms of the same floor, and, in modules of APART,
    of their room except its base.
    """
    floor = floor_of(module)
    faults = []
    for target in own_imports(module, ast.parse(source)):
        its_floor = floor_of(target)
        same = room_of(target) == room_of(module)
        unknown = floor is None or its_floor is None
        meets = module in APART and same and target != f"{APART[module]}.base"
        if unknown or its_floor > floor or (its_floor == floor and not same) or meets:
            faults.append(
                f"{module or 'coordboost'} (floor {floor}) imports {target or 'coordboost'} "
                f"({its_floor})"
            )
    return faults


def library_faults(module, source):
    """Return imports of numba outside ``_numba``, and of cvxpy except inside functions of the rooms
    that certify.
    """
    faults = []
    for name, is_inside in imports(module, ast.parse(source)):
        library = name.partition(".")[0]
        if library == "numba" and module.partition(".")[0] not in KNOWS_NUMBA:
            faults.append(f"{module} imports numba")
        if library == "cvxpy" and not (is_inside and module.partition(".")[0] in KNOWS_CVXPY):
            faults.append(f"{module} imports cvxpy" + ("" if is_inside else " at its top level"))
    return faults


def name_faults(sources):
    """Return public functions and classes that several of the modules {name: source} define."""
    homes = {}
    for module, source in sources.items():
        for node in ast.parse(source).body:
            if isinstance(node, (*FUNCTIONS, ast.ClassDef)) and not node.name.startswith("_"):
                homes.setdefault(node.name, set()).add(module)
    return [
        f"{name} is in {sorted(found)}"
        for name, found in homes.items()
        if len(found) > 1 and name not in SHARED
    ]


def test_modules_are_found():
    assert "losses.standard" in PATHS and "data.problem" in PATHS


def test_every_module_has_a_floor():
    assert [module for module in PATHS if floor_of(module) is None] == [], (
        "give them a floor in FLOORS"
    )


@pytest.mark.parametrize("rule", [floor_faults, library_faults])
def test_rule_holds(rule):
    found = {
        module: rule(module, path.read_text(encoding="utf-8")) for module, path in PATHS.items()
    }
    assert {module: faults for module, faults in found.items() if faults} == {}


def test_one_name_is_one_thing():
    assert (
        name_faults({module: path.read_text(encoding="utf-8") for module, path in PATHS.items()})
        == []
    )


def test_a_name_for_two_things_is_refused():
    assert len(name_faults({"a": "def walk(): ...", "b": "class walk: ..."})) == 1
    assert (
        name_faults({"a": "def mca(): ...\ndef _of(): ...", "b": "def mca(): ...\ndef _of(): ..."})
        == []
    )


def test_floors_follow_from_the_imports():
    """A room stands on the floor above the highest room that it imports."""
    known = {}
    for module, path in PATHS.items():
        found = own_imports(module, ast.parse(path.read_text(encoding="utf-8")))
        known.setdefault(room_of(module), set()).update(map(room_of, found))
    drawn = {}
    for room in graphlib.TopologicalSorter(
        {room: rooms - {room} for room, rooms in known.items()}
    ).static_order():
        drawn[room] = 1 + max((drawn[other] for other in known[room] - {room}), default=-1)
    del drawn[""]  # coordboost/__init__.py finds its modules by name
    assert drawn == {room: floor for room, floor in FLOOR_OF.items() if room}


def test_no_module_needs_itself_to_load():
    parsed = {module: ast.parse(path.read_text(encoding="utf-8")) for module, path in PATHS.items()}
    graph = {module: own_imports(module, tree, when_loaded=True) for module, tree in parsed.items()}
    graphlib.TopologicalSorter(graph).prepare()  # raises CycleError, which names the cycle


@pytest.mark.parametrize(
    ("rule", "module", "source"),
    [
        (floor_faults, "losses.standard", "import coordboost.engine.loop"),
        (floor_faults, "losses.standard", "from coordboost.learners.dense import Dense"),
        (floor_faults, "rules.selection", "from coordboost.rules.steps import anything"),
        (floor_faults, "rules.selection", "from . import steps"),
        (floor_faults, "learners.dense", "from ..losses.standard import Squared"),
        (floor_faults, "lasso.path", "from coordboost.methods.named import ls_boost"),
        (floor_faults, "engine.loop", "from coordboost import Problem"),
        (
            floor_faults,
            "engine.loop",
            "def late():\n    from coordboost.theory.planning import plan",
        ),
        (floor_faults, "reporting.report", "from coordboost import Problem"),
        (library_faults, "losses.standard", "from numba import njit"),
        (library_faults, "engine.loop", "def late():\n    import numba.types"),
        (library_faults, "data.problem", "def late():\n    import cvxpy"),
        (library_faults, "certificates.judge", "import cvxpy as cp"),
    ],
)
def test_sabotage_is_refused(rule, module, source):
    assert len(rule(module, source)) == 1


@pytest.mark.parametrize(
    ("rule", "module", "source"),
    [
        (floor_faults, "learners", "from coordboost.learners.dense import Dense"),
        (floor_faults, "rules.selection", "from coordboost.rules.base import SelectionRule"),
        (
            floor_faults,
            "data.problem",
            "from coordboost.data import validation\nfrom coordboost.losses.standard "
            "import Squared",
        ),
        (library_faults, "certificates.judge", "def solve():\n    import cvxpy as cp"),
    ],
)
def test_permitted_imports_are_accepted(rule, module, source):
    assert rule(module, source) == []


def test_using_coordboost_is_light():
    load = (
        "import coordboost as cb, sys; [getattr(cb, one) for one in {*dir(cb)} - "
        "{*dir(cb.estimators)}]"
    )
    code = f"{load}; print(*(name for name in {HEAVY!r} if name in sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT.parent, capture_output=True, text=True, check=True
    )
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
    assert (
        sorted(p for p in paths if not (ROOT / p).exists() and not (ROOT.parent / p).exists()) == []
    )
