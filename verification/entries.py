"""What the ledger holds: one row for each statement in each variant, and each sabotage that was tried."""

import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Row:
    """One statement in one variant: what was expected, what came out, on what evidence."""

    file: str
    statement: str
    variant: str
    words: str
    expected: str
    verdict: str
    evidence: str
    tightest: float
    cases: int
    points: int
    seconds: float
    counterexample: str = ""
    pinned: float = np.nan
    formula: str = ""
    where: dict = field(default_factory=dict)
    assumed: str = ""
    hard: str = ""
    along: str = "k"
    shared: bool = False
    curve: Any = field(default=None, repr=False)

    @property
    def good(self):
        """Whether the verdict is the one that was claimed."""
        return self.verdict == self.expected and self.cases > 0

    @property
    def used(self):
        """Names that the formula needs, with those that their definitions need."""
        names, found = re.findall(r"\w+", self.formula), set()
        while names:
            name = names.pop()
            if name not in found and name in self.where:
                names += re.findall(r"\w+", self.where[name])
            found.add(name)
        return found

    def as_dict(self):
        """The row for JSON, without its curve."""
        out = {key: value for key, value in vars(self).items() if key not in ("curve", "where")}
        numbers = {name: None if np.isnan(out[name]) else out[name] for name in ("tightest", "pinned")}
        return {**out, **numbers, "good": self.good}


@dataclass(frozen=True)
class Sabotage:
    """A wrong variant of a statement, and the case that refuted it; empty where none did."""

    file: str
    statement: str
    what: str
    caught_by: str

    @property
    def good(self):
        """Whether it failed, as it must."""
        return self.caught_by != ""


@dataclass(frozen=True)
class Ledger:
    """All rows and sabotages; ``faults``: sentences about what is not as it must be."""

    rows: list
    sabotages: list
    missing: list
    seconds: float

    @property
    def faults(self):
        """One sentence for each wrong verdict, each sabotage that passes, each statement without one."""
        rows = [f"{r.statement} ({r.variant}) is {r.verdict}, {r.expected} was claimed{r.counterexample and ': ' + r.counterexample}."
                for r in self.rows if not r.good]  # fmt: skip
        return rows + [f"{s.statement}: the sabotage '{s.what}' passes." for s in self.sabotages if not s.good] + self.missing

    def as_dict(self):
        """The ledger for JSON."""
        return {
            "rows": [row.as_dict() for row in self.rows],
            "sabotages": [{**vars(one), "good": one.good} for one in self.sabotages],
            "faults": self.faults,
            "seconds": self.seconds,
        }
