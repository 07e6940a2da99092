"""Which functions of the index the rows of the ledger call.

A row that computes the mathematics anew and calls nothing of the package says nothing about it.
"""

import inspect
import sys

from verification import ledger
from verification.index import entries, thing


class Calls:
    """Within ``with Calls(names) as calls:``, ``calls.found`` collects the names that are called.

    A function or property is called if its code runs; a class if a method runs on one of its
    instances, or on the class; any other object if one of its methods runs.
    """

    def __init__(self, names):
        self.found = set()
        self.names_of_code = {}
        self.names_of_class = {}
        self.names_of_object = {}
        self.methods = set()
        for name in names:
            found = thing(name)
            if inspect.isclass(found):
                self.names_of_class.setdefault(found, set()).add(name)
                self.methods |= codes_of(found)
            elif code_of(found) is not None:
                self.names_of_code.setdefault(code_of(found), set()).add(name)
            else:
                self.names_of_object.setdefault(id(found), set()).add(name)
                self.methods |= codes_of(type(found))

    def __enter__(self):
        sys.setprofile(self._seen)
        return self

    def __exit__(self, *error):
        sys.setprofile(None)

    def _seen(self, frame, event, _):
        if event != "call":
            return
        code = frame.f_code
        self.found |= self.names_of_code.get(code, set())
        if code in self.methods and code.co_argcount:
            owner = frame.f_locals.get(code.co_varnames[0])
            kind = owner if isinstance(owner, type) else type(owner)
            self.found |= self.names_of_class.get(kind, set())
            self.found |= self.names_of_object.get(id(owner), set())


def function_of(found):
    """Return the plain function of a property, a method or a compiled or wrapped function."""
    found = found.fget if isinstance(found, property) else found
    found = inspect.unwrap(getattr(found, "py_func", found))
    return getattr(found, "__func__", found)


def code_of(found):
    """Return the code of a function, a property or a compiled function; None for other objects."""
    return getattr(function_of(found), "__code__", None)


def codes_of(kind):
    """Return the code of all methods of a class that the package defines."""
    methods = [
        getattr(method, "__func__", method)
        for owner in kind.__mro__
        if owner.__module__.startswith("coordboost")
        for method in vars(owner).values()
    ]
    codes = {code_of(method) for method in methods if callable(method) or hasattr(method, "fget")}
    return codes - {None}


def uncalled(rows):
    """Run the rows of the index on small cases, each on cases of its own, until all functions of
    its lines have been called.

    Returns
    -------
    list of str
        A sentence for each function that no row of its line calls, and for each line with a
        function that has neither a row nor an experiment.
    """
    items = [entry for entry in entries(rows) if entry.code]
    called = {(row.file, row.statement): set() for entry in items for row in entry.rows}
    names = sorted({name for entry in items for name in entry.code})
    modules = sorted(ledger.modules(), key=lambda module: "_algorithms" not in module.__name__)
    for module in modules:
        file = module.__name__.rpartition(".")[2]
        for check in ledger.checks_of(module):
            key = (file, check.statement)
            lines = [entry for entry in items if key in _keys(entry)]
            if any(_missing(entry, called) for entry in lines):
                with Calls(names) as calls:
                    for variant in check.expected:
                        ledger.row(module, check, variant, ledger.Bench(module, quick=True))
                called[key] = calls.found
    faults = []
    for entry in items:
        where = f"{entry.paper}, {entry.number}"
        if not entry.rows and not entry.tried:
            faults.append(f"{where}: {', '.join(entry.code)} without a row or an experiment.")
        faults += [
            f"{where}: none of its rows calls {name}."
            for name in _missing(entry, called)
            if entry.rows
        ]
    return faults


def _keys(entry):
    return {(row.file, row.statement) for row in entry.rows}


def _missing(entry, called):
    """Return the functions of a line that none of its rows has called."""
    found = set().union(*(called[key] for key in _keys(entry)))
    return [name for name in entry.code if name not in found]
