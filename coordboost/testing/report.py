"""Results of testing laws on a piece."""

from functools import wraps
from typing import NamedTuple

#: What a law yields if the piece does not declare the attribute that it is about.
SKIPPED = object()
#: Beginning of the sentence if a law raised an exception.
ERROR = "an error occurred"


def about(*names):
    """Decorate a law about the attributes `names` of a piece.

    It is skipped if one of these is missing, None or False.
    """

    def decorate(law):
        @wraps(law)
        def tried(at):
            declared = [getattr(at.piece, name, None) for name in names]
            return (
                iter([SKIPPED])
                if any(value is None or value is False for value in declared)
                else law(at)
            )

        return tried

    return decorate


class Law(NamedTuple):
    """The result of testing one property.

    Parameters
    ----------
    name : str
        The property, in words.
    verdict : {"holds", "failed", "skipped"}
        A property is skipped if the object does not declare the attribute that it is about.
    sentence : str
        What fails, where, and what to do; "" where nothing fails.

    Examples
    --------
    >>> import coordboost as cb
    >>> cb.testing.check_piece(cb.losses.Squared()).laws[1]
    Law(name='residual is minus the derivative', verdict='holds', sentence='')
    """

    name: str
    verdict: str
    sentence: str = ""


class Report(NamedTuple):
    """The results for all properties tested on an object; true if none fails.

    Parameters
    ----------
    kind : str
        The kind of the object: "loss", "step rule" and the like.
    piece : str
        The object, as it is printed.
    laws : list of Law
        The result for each property.

    Examples
    --------
    A loss whose residual has the wrong sign:

    >>> import coordboost as cb
    >>> class Wrong(cb.losses.Squared):
    ...     def residual(self, y, f):
    ...         return f - y
    >>> report = cb.testing.check_piece(Wrong(), raises=False)
    >>> bool(report), report.failed[0].name
    (False, 'residual is minus the derivative')
    """

    kind: str
    piece: str
    laws: list[Law]

    def __bool__(self) -> bool:
        return not self.failed

    @property
    def failed(self) -> list[Law]:
        """The properties that fail."""
        return [law for law in self.laws if law.verdict == "failed"]

    @property
    def with_errors(self) -> bool:
        """Whether a test raised an exception."""
        return any(law.sentence.startswith(ERROR) for law in self.failed)

    @property
    def sentences(self) -> list[str]:
        """A sentence for each property that fails."""
        return [f"{law.name}: {law.sentence}" for law in self.failed]

    def __str__(self):
        lines = [
            f"  {law.verdict:8}{law.name}" + (f": {law.sentence}" if law.sentence else "")
            for law in self.laws
        ]
        return "\n".join([f"{self.kind} {self.piece}", *lines])

    def __repr__(self):
        return (
            f"<Report {self.piece}: {len(self.laws) - len(self.failed)} laws hold or do not "
            f"apply, {len(self.failed)} fail>"
        )
