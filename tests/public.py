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


def examples(*kinds):
    """Yield (maker, keyword arguments) for the examples of all public classes below the base
    classes `kinds`; without `kinds`, of everything public that declares some.
    """
    for thing in {id(thing): thing for thing in PUBLIC.values()}.values():
        below = inspect.isclass(thing) and issubclass(thing, kinds)
        if not inspect.isabstract(thing) and (below if kinds else hasattr(thing, "EXAMPLES")):
            assert "EXAMPLES" in vars(thing), (
                f"{thing.__name__} has no examples: put @examples(...) before it"
            )
            yield from ((thing, arguments) for arguments in thing.EXAMPLES)
