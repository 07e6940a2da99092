"""The parts of an experiment (table, claims, verdicts), and the search for all experiments.

All modules of this folder with a sequence ``EXPERIMENTS`` are found automatically:

    EXPERIMENTS = [
        Experiment(
            name="rgbm_figure1", source="Lu, Mazumder, Figure 1", data=("a9a",), seconds=(4, 90),
            claims=(
                Claim("t = 24 is as good as t = 123", lambda table: ..., says("almost
                indistinguishable")), Claim("the condition number", lambda table: ...,
                prints("270.05")), Claim("the number of distinct coordinates", lambda table: ...,
                reference("334 to 345")),
            ),
            run=lambda sets, quick: Table([{"t": 24, "seed": 0, "loss": 0.3}, ...]),
            draw=lambda figure, table: ...,
        ),
    ]
"""

import csv
import importlib
import pkgutil
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

import verification.experiments

#: The possible verdicts. "not judged": the paper leaves the protocol open, so our number is only
#: shown next to the printed one. Claims of the paper are confirmed or refuted; our own hold, or do
#: not hold.
OUTCOMES = ("confirmed", "refuted", "undecided", "not judged", "holds", "does not hold")
#: What the verdicts of a judge are called where the claim is ours.
OURS = {"confirmed": "holds", "refuted": "does not hold"}


class Table:
    """Rows with the same columns.

    rows : list of dict
    """

    def __init__(self, rows):
        self.rows = list(rows)
        self.columns = list(dict.fromkeys(key for row in self.rows for key in row))

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, column):
        """Return the entries of a column as an array; nan where a row has none."""
        return np.array([row.get(column, np.nan) for row in self.rows])

    def where(self, **wanted):
        """Return the table of all rows with the given entries."""
        return Table(
            row for row in self.rows if all(row.get(key) == value for key, value in wanted.items())
        )

    def values(self, column):
        """Return the distinct entries of a column, in order of appearance."""
        return list(dict.fromkeys(row[column] for row in self.rows if column in row))

    def by(self, key, column):
        """Return the entries of `column`, sorted by `key`, so that two selections of rows can be
        compared in pairs.
        """
        return np.array([row[column] for row in sorted(self.rows, key=lambda row: row[key])])

    def write(self, path):
        """Write the table as CSV, numbers with ten digits."""
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(self.columns)
            for row in self.rows:
                entries = (row.get(key, "") for key in self.columns)
                writer.writerow(
                    f"{entry:.10g}" if isinstance(entry, float) else entry for entry in entries
                )


class Verdict(NamedTuple):
    """The verdict on a claim: one of ``OUTCOMES``, our numbers in words, and the statistic that
    decided.
    """

    outcome: str
    ours: str
    statistic: str = ""


class Provenance(NamedTuple):
    """Who makes a claim: "the paper prints" a number, "the paper says" a sentence, or it is "our
    reference".

    kind : one of ``prints``, ``says``, ``reference``, by their words
    words : the number or the sentence, "" where there is none
    """

    kind: str
    words: str = ""

    def __str__(self):
        """The words as they are shown, such as: the paper prints 270.05."""
        return " ".join(filter(None, self))


def prints(number):
    """Return the provenance of a number that stands in the paper."""
    return Provenance("the paper prints", number)


def says(clause):
    """Return the provenance of a statement in words; `clause` is a quotation, of a few words."""
    return Provenance("the paper says", f'"{clause}"')


def means(words):
    """Return the provenance of a statement of the paper, or of a curve in a figure, in our
    words.
    """
    return Provenance("the paper says", f"in effect: {words}")


def reference(words=""):
    """Return the provenance of a number or statement of our own, which the paper does not have."""
    return Provenance("our reference", words)


class Claim(NamedTuple):
    """A statement that an experiment judges.

    words : the claim
    judge : table -> Verdict
    source : who makes it, as ``prints``, ``says``, ``means`` or ``reference`` return it
    """

    words: str
    judge: Callable
    source: Provenance = reference()


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """A figure or table of a paper that can be run again.

    name : name on the command line and of the files
    source : paper, figure
    data : names of the data sets that it needs
    claims : sequence of Claim
    run : (sets, quick) -> Table, with sets a dict of ``data.Set`` by name
    draw : (matplotlib Figure, Table) -> None, or None
    animate : (Figure, Table) -> (show, number of frames), or None; ``show(k)`` draws frame k
    seconds : CPU seconds of the quick and of the full form, as measured once
    about : what is shown, and how it deviates from the paper; sentences of the page
        ``docs/experiments.md``
    """

    name: str
    source: str
    claims: tuple
    run: Callable
    draw: Callable | None = None
    animate: Callable | None = None
    data: tuple = ()
    seconds: tuple = (0.0, 0.0)
    about: str = ""


@dataclass
class Report:
    """The result of an experiment: its table, a verdict for each claim, CPU seconds."""

    experiment: Experiment
    table: Table
    verdicts: list = field(default_factory=list)
    seconds: float = 0.0
    quick: bool = False


def conduct(experiment, sets, quick=False):
    """Run an experiment on the data sets and judge its claims; return the ``Report``.

    Raises
    ------
    ValueError
        If a judge returns an unknown outcome.
    """
    begun = time.process_time()
    table = experiment.run(sets, quick)
    seconds = time.process_time() - begun
    verdicts = [verdict_on(claim, table) for claim in experiment.claims]
    for claim, verdict in zip(experiment.claims, verdicts, strict=True):
        if verdict.outcome not in OUTCOMES:
            raise ValueError(
                f"{experiment.name}: {claim.words!r} got {verdict.outcome!r}, expected one of "
                f"{', '.join(OUTCOMES)}."
            )
    return Report(experiment, table, verdicts, seconds, quick)


def verdict_on(claim, table):
    """Return the verdict on a claim.

    Nothing is confirmed or refuted that the paper does not claim.
    """
    verdict = claim.judge(table)
    if claim.source.kind == "our reference":
        return verdict._replace(outcome=OURS.get(verdict.outcome, verdict.outcome))
    return verdict


def experiments():
    """Return a dict of all experiments of this folder by name, in the order of the modules.

    Raises
    ------
    ValueError
        If two have the same name.
    """
    results = {}
    for module in sorted(
        module.name
        for module in pkgutil.iter_modules(verification.experiments.__path__)
        if module.name != "__main__"
    ):
        for one in getattr(
            importlib.import_module(f"verification.experiments.{module}"), "EXPERIMENTS", ()
        ):
            if one.name in results:
                raise ValueError(
                    f"two experiments have the name {one.name!r}; rename the one in {module}.py."
                )
            results[one.name] = one
    return results
