"""Names of a package that are loaded when they are first used, by one thread at a time.

Python locks each module that it loads. Packages that load their own modules, numpy among them, fail
if two threads load them in different orders. So one lock covers all names, and each name is loaded
from the package that offers it, before the modules below.
"""

import ast
import threading
from difflib import get_close_matches
from pathlib import Path

import lazy_loader  # type: ignore[import-untyped]

_LOADING = threading.RLock()


def attach_stub(package, file):
    """``lazy_loader.attach_stub``, under one lock for all packages.

    Return ``__getattr__``, ``__dir__`` and ``__all__``.
    """
    find, listing, names = lazy_loader.attach_stub(package, file)
    lazy = frozenset(names)

    def load(name):
        # modules ask for files of a package in this way, while they are loaded: never wait there
        if name not in lazy:
            try:
                return find(name)
            except AttributeError:
                raise AttributeError(
                    f"{package} has no "
                    f"{name!r}{'' if name.startswith('_') else _meant(package, name, lazy)}."
                ) from None
        with _LOADING:
            return find(name)

    return load, listing, names


def _meant(package, name, known):
    """Return in words the public names that may be meant by `name`.

    They are read from the source of the subpackages: none is loaded.
    """
    root = Path(__file__).parents[1]
    inner = root.glob("[!_]*/[!_]*/__init__.py")  # the package may offer them, as ``plots``
    files = sorted(
        [*root.glob("[!_]*/__init__.py"), *(file for file in inner if file.parent.name in known)],
        key=lambda file: (file.parent.name not in known, str(file)),
    )
    places = {
        symbol: f"{package}.{symbol}"
        for symbol in known
        if not any(symbol == file.parent.name for file in files)
    }
    for file in files:
        stub = file.with_suffix(".pyi")
        tree = ast.parse((stub if stub.exists() else file).read_text(encoding="utf-8"))
        imports = [statement for statement in tree.body if isinstance(statement, ast.ImportFrom)]
        own = [of for of in imports if of.level or of.module.startswith("coordboost")]
        aliases = [alias for statement in own for alias in statement.names]
        defined = [of.name for of in tree.body if isinstance(of, ast.FunctionDef | ast.ClassDef)]
        for symbol in [*(alias.asname or alias.name for alias in aliases), *defined]:
            places.setdefault(symbol, f"coordboost.{file.parent.name}.{symbol}")
    if name in places:
        return f"; it is {places[name]}"
    plain = {symbol.lower().replace("_", ""): symbol for symbol in sorted(places, reverse=True)}
    word = name.lower().replace("_", "")
    if word in plain:
        return f"; it is {places[plain[word]]}"
    found = [symbol for text, symbol in plain.items() if len(word) > 2 and word in text]
    found = sorted(found, key=len)[:3] or [
        plain[text] for text in get_close_matches(word, plain, 3)
    ]
    return f"; perhaps {' or '.join(places[symbol] for symbol in found)} is meant" if found else ""
