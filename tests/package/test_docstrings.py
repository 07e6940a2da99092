"""Docstrings of public names are complete by numpydoc's validation, and their examples run.

Required: a docstring (GL08), a summary that is one line with a full stop (SS01, SS03, SS04, SS06),
all parameters of the signature, in its order and with types (PR01 to PR04, PR06), what is returned
or yielded, with a description (RT01, RT03, YD01), an example (EX01).
"""

import doctest
import enum
import importlib.resources
import inspect
import os
import subprocess
import sys
from pathlib import Path

import pytest
from numpydoc.docscrape import get_doc_object
from numpydoc.validate import validate
from public import MODULES as ROOMS
from reference_sets import needs_compiler

HELD = {
    "GL08",
    "SS01",
    "SS03",
    "SS04",
    "SS06",
    "PR01",
    "PR02",
    "PR03",
    "PR04",
    "PR06",
    "RT01",
    "RT03",
    "YD01",
    "EX01",
}
# Left out, each with its reason:
# GL01, GL02  where text begins and ends: one-line docstrings are wanted
# GL03        two blank lines are for ruff
# GL07        Attributes come after Parameters here, where a reader looks for them
# SS02        a summary may begin with a formula or a symbol
# SS05        takes every word that ends with s for a verb
# ES01, SA01  an extended summary and "See Also" are not required
# PR05 to PR10, RT02, RT04, RT05  capital letters and full stops: "float, the radius" says enough
# PR01 to PR06  of an enumeration: its parameters are those of `enum.Enum`, and differ from one
#               version of Python to the next
MODULES = [
    "coordboost",
    *(value.__name__ for value in ROOMS.values()),
    "coordboost.theory.bounds",
    "coordboost.theory.langevin",
]


def declared_above(kind, name):
    """Whether a base class of the package declares the method."""
    bases = [base for base in kind.__mro__[1:] if base.__module__.startswith("coordboost")]
    return any(name in vars(base) or name in getattr(base, "__annotations__", {}) for base in bases)


def public_names():
    """Dotted names of functions, classes, and the methods and properties that a class defines."""
    found = {}
    for home in MODULES:
        module = importlib.import_module(home)
        for name in module.__all__ if home != "coordboost" else dir(module):
            thing = getattr(module, name)
            if (
                name[0] != "_"
                and callable(thing)
                and thing.__module__.startswith("coordboost")
                and thing not in found.values()
            ):
                found[f"{home}.{name}"] = thing
    for name, kind in [*found.items()]:
        for verb, thing in vars(kind).items() if inspect.isclass(kind) else ():
            described = inspect.isfunction(thing) or isinstance(
                thing, (property, classmethod, staticmethod)
            )
            if verb[0] != "_" and described and not declared_above(kind, verb):
                found[f"{name}.{verb}"] = getattr(kind, verb)
    return found


NAMES = public_names()
OBJECTS = [
    name
    for name, thing in NAMES.items()
    if inspect.isclass(thing) or name.rpartition(".")[0] in MODULES
]


@pytest.mark.parametrize("name", NAMES)
def test_complete(name):
    # the object: by its name numpydoc may find a module
    errors = validate(get_doc_object(NAMES[name]))["errors"]
    held = {
        code
        for code in HELD
        if not (code.startswith("PR") and isinstance(NAMES[name], enum.EnumType))
    }
    wrong = {
        f"{code}: {text}"
        for code, text in errors
        if code in held and (code != "EX01" or name in OBJECTS)
    }
    assert not wrong, sorted(wrong)


def failures(name):
    """Return what doctest prints about failures of an example."""
    said = []
    test = doctest.DocTestParser().get_doctest(inspect.getdoc(NAMES[name]), {}, name, None, 0)
    doctest.DocTestRunner(verbose=False).run(test, out=said.append)
    return "".join(said)


#: Examples of estimators are in test_estimator_docstrings.py.
EXAMPLES = [
    name
    for name in OBJECTS
    if ">>> " in (NAMES[name].__doc__ or "") and not hasattr(NAMES[name], "get_params")
]


def test_examples_run():
    """In a new process without compilation, which would take longer than most examples."""
    script = "import test_docstrings as t; print(''.join(map(t.failures, t.EXAMPLES)), end='')"
    here = Path(__file__).parent
    folders = os.pathsep.join(map(str, [here, here.parent]))
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": folders}
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True
    )
    assert len(EXAMPLES) > 150 and (done.returncode, done.stdout) == (0, ""), (
        done.stdout + done.stderr
    )


@pytest.mark.slow
@needs_compiler
@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_run_compiled(name):
    assert failures(name) == ""


def test_the_package_has_the_file_py_typed():
    # every file of the folder goes into the wheel
    assert importlib.resources.files("coordboost").joinpath("py.typed").is_file()
