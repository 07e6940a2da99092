"""The laws of pieces: what the loop, lookahead and certificates rest on, tried on a piece.

A *law* is a function of a piece that returns None where it holds, a sentence where it does not, and `SKIPPED` where the piece does not
declare what the law is about. Points are the same in every call.
"""

from coordboost._checks import shown
from coordboost._protocol import DICTIONARY, LOSS, SELECTION, STEP
from coordboost.laws import dictionaries, losses, selections, steps
from coordboost.laws.report import SKIPPED, Law, Report

KINDS = ((LOSS, losses), (DICTIONARY, dictionaries), (STEP, steps), (SELECTION, selections))


def check_piece(piece, *, y=None, raises=True):
    """Try the laws of its kind on a piece of your own: a loss, a step rule, a selection rule, a dictionary or an oracle.

    Parameters
    ----------
    piece : object
    y : array_like, (n_samples,), optional
        Targets that a loss is for, where it takes neither real numbers nor labels nor counts.
    raises : bool, default True
        Raise where a law fails; with False only report.

    Returns
    -------
    Report
        One line for each law when printed; true where none fails.

    Raises
    ------
    ValueError
        If laws fail, with a sentence for each: what fails, where, and what to do. If `piece` is of no kind that has laws.

    Notes
    -----
    No law is proved by this: it holds at some hundred points, with an allowance for rounding. *Cost*: below a second for a loss or a
    rule, compilation not counted; for a dictionary up to 24 columns and a dozen scans.
    """
    fitting = [
        (kind, laws) for kind, laws in KINDS if any(hasattr(piece, verb) for verb in kind.verbs if not verb.startswith("n_"))
    ]
    if isinstance(piece, type) or not fitting:
        known = "; ".join(f"{kind.name}: {', '.join(kind.verbs)}" for kind, _ in KINDS)
        raise ValueError(f"check_piece takes an object with the verbs of a kind of piece ({known}), got {shown(piece)}.")
    kind, module = fitting[0]
    kind.check(f"the {kind.name}", piece)
    report = Report(kind.name, shown(piece), [_tried(law, *made) for made in [module.case(piece, y)] for law in module.LAWS])
    if raises and not report:
        raise ValueError(f"{report.piece} fails {len(report.failed)} law(s) of a {kind.name}.\n" + "\n".join(report.sentences))
    return report


def _tried(law, *made):
    """What a law says; an error that it meets is a sentence too."""
    name = law.__name__.replace("_", " ")
    try:
        said = law(*made)
    except Exception as error:
        said = f"an error came up, {type(error).__name__}: {error}"
    return Law(
        name, "skipped" if said is SKIPPED else "failed" if said else "holds", said if said and said is not SKIPPED else ""
    )
