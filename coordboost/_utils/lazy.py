"""Names of a package that are loaded when they are first used, by one thread at a time.

Python locks each module that it loads. Packages that load their own modules, numpy among them, fail if two threads load them in different
orders. So one lock covers all names, and each name is loaded from the package that offers it, before the modules below.
"""

import threading

import lazy_loader

_LOADING = threading.RLock()


def attach_stub(package, file):
    """``lazy_loader.attach_stub``, under one lock for all packages: return ``__getattr__``, ``__dir__`` and ``__all__``."""
    find, listing, names = lazy_loader.attach_stub(package, file)
    lazy = frozenset(names)

    def load(name):
        if name not in lazy:  # modules ask for files of a package in this way, while they are loaded: never wait there
            return find(name)
        with _LOADING:
            return find(name)

    return load, listing, names
