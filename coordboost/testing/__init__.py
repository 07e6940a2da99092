"""Laws of pieces, tested by `check_piece`.

They are properties of losses, rules and learners on which the loop, lookahead and certificates
rely.

A *law* is a generator: it yields a sentence for each failure, or `SKIPPED` if the piece does not
declare the attribute that the law is about. Only the first one is used. The test points are the
same in every call.
"""

from numpy.typing import ArrayLike

from coordboost._utils.checks import shown
from coordboost._utils.interrupt import uncut
from coordboost._utils.kinds import checked_piece
from coordboost.data.validation import flag
from coordboost.learners import Oracle
from coordboost.learners.base import LearnerFamily, Learners
from coordboost.losses.base import Loss
from coordboost.rules.base import CoefficientRule, SelectionRule, StepRule
from coordboost.testing import learners, losses, rules
from coordboost.testing.report import ERROR, SKIPPED, Law, Report

__all__ = ["Law", "Report", "check_piece"]

#: Base class, name of the kind, function that builds the test case, and the laws.
KINDS = (
    (Loss, "loss", losses.case, losses.LAWS),
    (Learners, "dictionary", learners.dictionary_case, learners.DICTIONARY_LAWS),
    (StepRule, "step rule", rules.step_case, rules.STEP_LAWS),
    (SelectionRule, "selection rule", rules.selection_case, rules.SELECTION_LAWS),
    (CoefficientRule, "coefficient rule", rules.store_case, rules.STORE_LAWS),
    (LearnerFamily, "family of learners", learners.family_case, learners.FAMILY_LAWS),
)


@uncut()
def check_piece(piece: object, *, y: ArrayLike | None = None, raises: bool = True) -> Report:
    """Test an object of your own.

    A loss, a step rule, selection rule or coefficient rule, a dictionary or an oracle, or a family.

    Parameters
    ----------
    piece : object
        An instance of a class that inherits from one of ``Loss``, ``Learners``, ``StepRule``,
        ``SelectionRule``, ``CoefficientRule`` and ``LearnerFamily``, or an oracle.
    y : array_like, (n_samples,), optional
        Targets for testing a loss that takes neither real numbers nor labels nor counts.
    raises : bool, default True
        Raise a ValueError if a property fails; with False only report.

    Returns
    -------
    Report
        One line for each property when printed; true if none fails.

    Raises
    ------
    ValueError
        If properties fail, with a sentence for each: what fails, where, and what to do. If `piece`
        is of no kind listed above.

    Notes
    -----
    This is a test, not a proof: properties are checked at some hundred points, with an allowance
    for rounding. *Cost*: below a second for a loss or a rule, compilation not counted; for a
    dictionary up to 24 columns and a dozen scans.

    Examples
    --------
    >>> import coordboost as cb
    >>> bool(cb.testing.check_piece(cb.losses.Squared()))
    True
    """
    kind, name, case, laws = next(
        (known for known in KINDS if isinstance(piece, known[0])), KINDS[1]
    )
    if (
        kind is Learners and not all(hasattr(piece, verb) for verb in Oracle.required)
    ) or isinstance(piece, type):
        known = ", ".join(
            f"{base.__module__.rpartition('.')[0]}.{base.__name__}" for base, *_ in KINDS
        )
        raise ValueError(
            f"check_piece takes an object whose class inherits from one of {known}, or an oracle, "
            f"got {shown(piece)}."
        )
    if kind is not Learners:
        checked_piece(kind, f"the {name}", piece, f"a {name}")
    raises = flag("raises", raises)

    def tried(y):
        at = case(piece, y)
        return Report(name, shown(piece), [_tried(law, at) for law in laws])

    report = tried(y)
    if kind is Loss and y is None and not report:
        report = losses.at_its_targets(piece, report, tried)
    if raises and not report:
        raise ValueError(
            f"{report.piece} fails {len(report.failed)} law(s) of a {name}.\n"
            + "\n".join(report.sentences)
        )
    return report


def _tried(law, at):
    """Return the verdict of a law, with its first sentence; an exception counts as a failure."""
    try:
        failure = next(law(at), None)
    except Exception as error:
        failure = f"{ERROR}, {type(error).__name__}: {error}"
    name = law.__name__.replace("_", " ")
    if failure is SKIPPED:
        return Law(name, "skipped")
    return Law(name, "holds") if failure is None else Law(name, "failed", failure)
