"""Every public name of the package: those at the top, and what each module at the top offers."""

import inspect

import coordboost as cb

TOP = {name: getattr(cb, name) for name in dir(cb)}
MODULES = {name: value for name, value in TOP.items() if inspect.ismodule(value)}
#: The module at the top in which a name stands ("" for the top itself), and what it is.
HOME = {name: module for module, value in MODULES.items() for name in value.__all__} | dict.fromkeys(TOP, "")
PUBLIC = {name: getattr(MODULES[home] if home else cb, name) for name, home in HOME.items()}
