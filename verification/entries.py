"""Entries of the ledger: one row for each variant of each statement, and one for each sabotage."""

import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Row:
    """One variant of a statement: the expected verdict, the actual one, and the evidence."""

    file: str
    statement: str
    variant: str
    words: str
    expected: str
    verdict: str
    seconds: float
    evidence: str = ""
    tightest: float = np.nan
    cases: int = 0
    points: int = 0
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
        """Whether the verdict is the expected one, on at least one case."""
        return self.verdict == self.expected and self.cases > 0

    @property
    def used(self):
        """Names in the formula and, recursively, in their definitions."""
        names = re.findall(r"\w+", self.formula)
        found = set()
        while names:
            name = names.pop()
            if name not in found and name in self.where:
                names += re.findall(r"\w+", self.where[name])
            found.add(name)
        return found

    def as_dict(self):
        """The row for JSON, without its curve."""
        fields = {key: value for key, value in vars(self).items() if key not in ("curve", "where")}
        for name in ("tightest", "pinned"):
            if np.isnan(fields[name]):
                fields[name] = None
        return fields | {"good": self.good}


@dataclass(frozen=True)
class Sabotage:
    """A deliberately wrong variant of a statement, and the case that refutes it, empty if none
    does; the exception that ended the trial, if any; what it was tried on, such as "3 of 5 cases".
    """

    file: str
    statement: str
    what: str
    caught_by: str
    error: str = ""
    tried: str = ""

    @property
    def good(self):
        """Whether a case refutes it, as one must."""
        return self.caught_by != ""

    @property
    def failure(self):
        """What went wrong in the trial of one that no case refutes."""
        if self.error:
            return f"ends with {self.error}"
        return f"passes, tried on {self.tried}" if self.tried else "passes"


@dataclass(frozen=True)
class Ledger:
    """All rows and sabotages; ``faults``: a sentence about each that is not as it should be."""

    rows: list
    sabotages: list
    missing: list
    seconds: float

    @property
    def faults(self):
        """One sentence for each unexpected verdict, each sabotage that passes, and each fault in
        the form of a file.
        """
        rows = [
            f"{r.statement} ({r.variant}) is {r.verdict}, but {r.expected} was "
            f"claimed{r.counterexample and ': ' + r.counterexample}."
            for r in self.rows
            if not r.good
        ]
        return (
            rows
            + [
                f"{s.statement}: the sabotage '{s.what}' {s.failure}."
                for s in self.sabotages
                if not s.good
            ]
            + self.missing
        )

    def as_dict(self):
        """The ledger for JSON."""
        return {
            "rows": [row.as_dict() for row in self.rows],
            "sabotages": [{**vars(sabotage), "good": sabotage.good} for sabotage in self.sabotages],
            "faults": self.faults,
            "seconds": self.seconds,
        }
