"""A loss, a step rule, a method and a stop rule that a newcomer adds to a copy of the package, as
the guide for contributors says.
"""

import re

LOSS = '''
class _PseudoHuber(NamedTuple):
    d: float = 1.0


@examples({}, {"d": 0.5})
class PseudoHuber(_PseudoHuber, Loss):
    r""":math:`d^2 (\\sqrt{1 + ((y - f) / d)^2} - 1)`, smooth, and linear far from y.

    Parameters
    ----------
    d : float, default 1.0
        In the units of y: the residual at which the loss turns from squared to linear.

    Examples
    --------
    >>> import coordboost as cb
    >>> cb.losses.PseudoHuber(1.0).value(0.0, 0.0)
    0.0
    """

    sigma = 1.0
    infimum = 0.0

    def check(self):
        positive("PseudoHuber(d): d", self.d)

    def value(self, y, f):
        return self.d * self.d * (math.sqrt(1 + ((y - f) / self.d) ** 2) - 1)

    def residual(self, y, f):
        return (y - f) / math.sqrt(1 + ((y - f) / self.d) ** 2)
'''
RULE = '''
class _CappedStep(NamedTuple):
    rate: float
    cap: float = 1.0


@examples({"rate": 0.5}, {"rate": 0.5, "cap": 0.25})
class CappedStep(_CappedStep, StepRule):
    """theta = rate * corr, but at most `cap` in absolute value.

    Parameters
    ----------
    rate : float
        Learning rate, without unit.
    cap : float, default 1.0
        Largest step, in the units of the predictions.

    Examples
    --------
    >>> import coordboost as cb
    >>> cb.rules.CappedStep(0.5, 1.0).move(0, None, 0, 4.0, 0.0)
    (0, 1.0)
    """

    def bind(self, problem):
        rate = positive("rate", self.rate)
        return CappedStep(rate, positive("cap", self.cap))

    def move(self, k, state, j, corr, beta_j):
        return 0, max(-self.cap, min(self.cap, self.rate * corr))
'''
METHOD = '''
@examples({"rate": 0.5, "cap": 0.25})
def capped_boost(rate: float, cap: float = 1.0) -> Method:
    """LS-Boost with steps of at most `cap`.

    Parameters
    ----------
    rate : float
        Learning rate, without unit.
    cap : float, default 1.0
        Largest step, in the units of the predictions.

    Returns
    -------
    Method
        The rules.

    Raises
    ------
    ValueError
        If `rate` or `cap` is not a positive finite number.

    Notes
    -----
    *Source*: the guide for contributors.

    Examples
    --------
    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> cb.solve(problem, cb.methods.capped_boost(0.5, 0.5), 4).n_steps
    4
    """
    rate = positive("rate", rate)
    cap = positive("cap", cap)
    return Method(
        "capped_boost",
        Greedy(),
        CappedStep(rate, cap),
        "the guide for contributors",
        parameters={"rate": rate, "cap": cap},
    )
'''
STOP = '''
@examples({"limit": 0.5})
@dataclass(frozen=True)
class LossBelow:
    """Stop once the loss is at most `limit`.

    Parameters
    ----------
    limit : float
        In the units of the loss.

    Examples
    --------
    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> cb.solve(problem, cb.ls_boost(0.5), 50, stop=cb.engine.LossBelow(4.0)).n_steps < 50
    True
    """

    limit: float

    def __post_init__(self):
        vars(self)["limit"] = _checked("LossBelow: limit", self.limit)

    def __call__(self, state):
        return state.loss <= self.limit
'''


def insert(folder, file, text, *, before=None):
    """Add `text` to a file of the package, at its end, or `before` a line."""
    path = folder / "coordboost" / file
    source = path.read_text(encoding="utf-8")
    at = source.index(before) if before else len(source)
    path.write_text(source[:at].rstrip() + "\n\n" + text + "\n\n" + source[at:], encoding="utf-8")


def export(folder, room, module, name):
    """Name a new piece in the ``__init__`` of a room."""
    path = folder / "coordboost" / room / "__init__.py"
    source = path.read_text(encoding="utf-8")
    source = re.sub(
        rf"(from coordboost\.{room}\.{module} import )\(?([^()]*?)\)?\n(?=from|\n)",
        lambda found: f"{found[1]}({found[2].strip().rstrip(',')}, {name})\n",
        source,
        count=1,
    )
    path.write_text(source.replace("__all__ = [", f'__all__ = ["{name}",', 1), encoding="utf-8")


def follow_the_guide(folder):
    """Make every change that the guide asks for, and no other."""
    insert(folder, "losses/standard.py", LOSS)
    export(folder, "losses", "standard", "PseudoHuber")
    insert(folder, "rules/steps.py", RULE)
    export(folder, "rules", "steps", "CappedStep")
    insert(folder, "methods/named.py", METHOD, before="#: The methods by name")
    named = folder / "coordboost/methods/named.py"
    source = named.read_text(encoding="utf-8")
    named.write_text(source.replace("    AwayStep,\n", "    AwayStep,\n    CappedStep,\n", 1))
    export(folder, "methods", "named", "capped_boost")
    insert(folder, "engine/stopping.py", STOP)
    export(folder, "engine", "stopping", "LossBelow")
    page = folder / "docs" / "bounds.md"
    text = page.read_text(encoding="utf-8")
    page.write_text(text.replace("| `gbm`,", "| `gbm`, `capped_boost`,", 1), encoding="utf-8")
