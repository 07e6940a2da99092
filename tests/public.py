"""All public names of the package: at the top level, and in each module of the top level."""

import inspect

import coordboost as cb

TOP = {name: getattr(cb, name) for name in dir(cb)}
MODULES = {name: value for name, value in TOP.items() if inspect.ismodule(value)}
#: The top-level module of each name ("" for the top level itself), and the object of each name.
HOME = {
    name: module for module, value in MODULES.items() for name in value.__all__
} | dict.fromkeys(TOP, "")
PUBLIC = {name: getattr(MODULES[home] if home else cb, name) for name, home in HOME.items()}
