"""Base classes of pieces: check that an object inherits from one, and list the classes of the
package that do; arguments that a piece can be tried with.
"""

import inspect
from types import FunctionType

from coordboost._utils.checks import shown


class Piece:
    """Base of the base classes of pieces.

    A piece inherits its constructor from the named tuple of its fields, ``_Huber`` of ``Huber``.
    Here it gets one of its own: a wrong call is an error that names the class that was called.
    """

    __slots__ = ()

    def __init_subclass__(cls):
        super().__init_subclass__()
        inherited = cls.__new__
        if isinstance(inherited, FunctionType) and "__new__" not in vars(cls):
            code, names, closure = inherited.__code__, inherited.__globals__, inherited.__closure__
            own = FunctionType(code, names, "__new__", inherited.__defaults__, closure)
            own.__annotations__ = inherited.__annotations__
            own.__doc__ = inherited.__doc__
            own.__qualname__ = cls.__name__  # with which Python's message begins
            cls.__new__ = own


#: Losses by their names in other packages.
LOSSES_ELSEWHERE = {
    "squared_error": "Squared()",
    "mse": "Squared()",
    "l2": "Squared()",
    "regression": "Squared()",
    "ls": "Squared()",
    "absolute_error": "Quantile(0.5)",
    "mae": "Quantile(0.5)",
    "l1": "Quantile(0.5)",
    "lad": "Quantile(0.5)",
    "quantile": "Quantile(q)",
    "log_loss": "Logistic()",
    "binary": "Logistic()",
    "binomial": "Logistic()",
    "bernoulli": "Logistic()",
    "deviance": "Logistic()",
    "huber": "Huber(1.0)",
    "gaussian": "Squared()",
}


def _called(kind, text):
    """Return in words the piece of this kind that is meant by a `text`.

    It is a name here or in another package; "" if none is meant.
    """
    plain = text.lower().replace("_", "").replace(" ", "")
    known = {name.lower(): f"{name}()" for name in pieces_of(kind)}
    ours = LOSSES_ELSEWHERE.get(text.lower()) if kind.__name__ == "Loss" else None
    ours = ours or known.get(plain)
    return f" Pass coordboost.{kind.__module__.split('.')[1]}.{ours}." if ours else ""


def checked_piece(kind, name, piece, expected=None):
    """Return `piece` if it inherits from the base class `kind` and has all of its verbs.

    Raises
    ------
    ValueError
        "`name` must be ..., got ...", with the missing verb, or the class to inherit from.
    """
    missing = [
        verb
        for verb in ("n_samples", "n_learners")
        if verb in kind.__annotations__ and not hasattr(piece, verb)
    ]
    missing += sorted(getattr(type(piece), "__abstractmethods__", ()))
    if isinstance(piece, kind) and not missing:
        refuse_other_arguments(kind, name, piece)
        return piece
    hint = _called(kind, piece) if isinstance(piece, str) else ""
    if isinstance(piece, type) and issubclass(piece, kind):
        hint = f" Call it: {piece.__name__}(...)."
    elif isinstance(piece, kind):
        hint = f" It lacks {', '.join(missing)}."
    elif inspect.isfunction(piece):
        hint = (
            f" One of your own is a class that inherits from "
            f'{kind.__module__.rpartition(".")[0]}.{kind.__name__}: see "Your own loss, rule or '
            'learner" in the documentation.'
        )
    elif any(hasattr(piece, verb) for verb in kind.__abstractmethods__):
        hint = (
            f" Your class must inherit from {kind.__module__.rpartition('.')[0]}.{kind.__name__}."
        )
    raise ValueError(f"{name} must be {expected or kind.expected}, got {shown(piece)}.{hint}")


def refuse_other_arguments(kind, name, piece):
    """Raise ValueError if a verb of a class of one's own does not take the arguments of the base
    class.
    """
    if type(piece).__module__.startswith("coordboost."):
        return
    for verb in sorted(kind.__abstractmethods__):
        wanted = list(inspect.signature(getattr(kind, verb)).parameters)[1:]
        try:
            own = inspect.signature(getattr(piece, verb))
        except (TypeError, ValueError):  # no function, or none with a known signature
            continue
        try:
            own.bind(*wanted)
        except TypeError:
            raise ValueError(
                f"{name}: {type(piece).__name__}.{verb} must take ({', '.join(wanted)}), got "
                f"({', '.join(own.parameters)})."
            ) from None


def pieces_of(kind):
    """Return the loaded classes of the package that inherit from the base class `kind`, by name."""
    below = [
        subclass for cls in kind.__subclasses__() for subclass in (cls, *pieces_of(cls).values())
    ]
    return {
        cls.__name__: cls
        for cls in below
        if cls.__module__.startswith("coordboost.") and not cls.__abstractmethods__
    }


def examples(*arguments):
    """Return a decorator that gives a class or function ``EXAMPLES``, the keyword arguments of some
    calls. The tests call it with each of them, so they need no list of classes and functions.
    """

    def declared(maker):
        maker.EXAMPLES = arguments
        return maker

    return declared
