"""From the papers to the code: functions, rows of the ledger, experiments and status of every
numbered item of the papers.

The list is ``papers.txt``. It leaves out equations that are only steps within a proof.
"""

import importlib
import inspect
import re
from pathlib import Path
from typing import Any, NamedTuple

import coordboost
from coordboost.theory.bounds import Statement
from verification import ledger
from verification.experiments.experiment import experiments

ROOT = Path(coordboost.__file__).parents[1]
LIST = Path(__file__).with_name("papers.txt")
STATUS = ("faithful", "repeated", "corrected", "reduced", "left out")
KINDS = (
    r"(Theorem|Proposition|Lemma|Corollary|Remark|Example|Figure|Table|Statement|\() ?[A-Z]?\.?\d"
)

HEAD = """# From the papers to the code

For each definition, algorithm, statement, figure and table of the five papers, and for each
equation that is a claim: its code in the package, its rows of [the ledger](ledger.md), its
[experiments](experiments.md), and how faithful they are to the paper. Equations that only define a
symbol or are a step of a proof are left out.

* *faithful*: as printed;
* *repeated*: a figure or table made again where the paper leaves choices open, or where ours
  deviate, as described;
* *corrected*: wrong as printed, for the reason given; the code is right;
* *reduced*: only a part of what the paper has, as described;
* *left out*: not in the package, for the reason given.

A row of the ledger without a verdict is verified as printed.

Written by `python -m verification --index --table docs/index-of-papers.md` from the list in
`verification/papers.txt`; `python -m verification --index` prints it with the line of each
function. Names are relative to `coordboost`.
"""


class Claimed(NamedTuple):
    """The expected content of a row of the ledger."""

    file: str
    statement: str
    variant: str
    verdict: str


class Entry(NamedTuple):
    """A numbered item of a paper.

    code : public names
    rows : rows of the ledger
    lost : names of missing rows
    tried : names of experiments
    status : one of ``STATUS``, and why or how
    """

    paper: str
    number: str
    code: list
    rows: list
    lost: list
    tried: list
    status: str


def claimed():
    """Return the rows of a ledger without faults, as declared by the files of
    ``verification/theorems``.
    """
    return [
        Claimed(ledger.file_of(module), check.statement, variant, verdict)
        for module in ledger.modules()
        for check in ledger.checks_of(module)
        for variant, verdict in check.expected.items()
    ]


def begins(text, number):
    """Whether a name begins with an item as "Theorem 2.1", perhaps after the short name of a paper.

    "Theorem 2.10" does not match.
    """
    return re.match(rf"([A-Z]+, )?{re.escape(number)}(?![\w.])", text) is not None


def listed():
    """Yield (key, paper, [number, code, rows, status]) line by line."""
    for line in LIST.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            key, paper = line[1:].split("] ")
        elif line and not line.startswith("#"):
            yield key, paper, [part.strip() for part in line.split("|")]


def entries(rows):
    """Return the ``Entry`` of every item, with its rows out of `rows`."""
    known = experiments()
    results = []
    for key, paper, (number, code, names, status) in listed():
        own_rows = [row for row in rows if row.file.startswith(f"{key}_")]
        named = rows_named(names, number, own_rows, rows)
        lost = [name for name, row_list in named.items() if not row_list]
        mentioned = rf"(?<![\w.(]){re.escape(number)}(?![\w.])"
        tried = [
            experiment.name
            for experiment in known.values()
            if experiment.name.startswith(f"{key}_") and re.search(mentioned, experiment.source)
        ]
        codes = [name for name in code.split(", ") if name]
        item_rows = [row for row_list in named.values() for row in row_list]
        results.append(Entry(paper, number, codes, item_rows, lost, tried, status))
    return results


def rows_named(names, number, own_rows, rows):
    """Return the rows of an item by name, {name: rows}: those whose names begin with its number
    where nothing else is said, or before a +.

    A name means rows of the same paper; if there are none, rows about algorithms of others.
    """
    if names == "-":
        return {}
    named = {}
    if not names or names.startswith("+"):
        named[number] = [row for row in own_rows if begins(row.statement, number)]
    algorithms = [row for row in rows if row.file.endswith("_algorithms")]
    for name in filter(None, names.removeprefix("+").strip().split("; ")):
        named[name] = [row for row in own_rows if row.statement == name] or [
            row for row in algorithms if row.statement == name
        ]
    return named


def thing(name):
    """Return the object with a dotted name below ``coordboost``."""
    owner: Any = coordboost
    for part in name.split("."):
        owner = (
            getattr(owner, part)
            if hasattr(owner, part)
            else importlib.import_module(f"{owner.__name__}.{part}")
        )
    return owner


def place(name):
    """Return the file, relative to the root of the project, and the line where a name is
    defined.
    """
    defined = thing(name)
    if isinstance(defined, Statement):
        return _assigned(name)
    if isinstance(defined, property):
        defined = defined.fget
    defined = inspect.unwrap(getattr(defined, "py_func", defined))
    file = Path(inspect.getsourcefile(defined)).relative_to(ROOT).as_posix()
    _, line = inspect.getsourcelines(defined)
    return file, line


def _assigned(name):
    """Return the file and the line of a name of a module that is assigned."""
    module, _, last = name.rpartition(".")
    path = Path(thing(module).__file__)
    lines = path.read_text(encoding="utf-8").splitlines()
    line = next(number for number, text in enumerate(lines, 1) if text.startswith(f"{last} = "))
    return path.relative_to(ROOT).as_posix(), line


def faults(rows):
    """Return sentences on items without row or reason, on names that do not exist, and on rows and
    experiments that are not listed.
    """
    items = entries(rows)
    sentences = [
        f"{item.paper}, {item.number}: {fault}" for item in items for fault in _faults_of(item)
    ]
    return sentences + _unlisted_rows(items, rows) + _unlisted_experiments(items)


def _faults_of(item):
    """Yield sentences on one item of a paper."""
    for name in item.lost:
        yield f"no row {name!r}; name its rows, or - where it has none."
    word, _, why = item.status.partition(": ")
    if word not in STATUS or not (why or word == "faithful"):
        yield f"{item.status!r} must begin with {', '.join(STATUS)}, and say why or how."
    if word != "left out" and not (item.code or item.rows or item.tried):
        yield "no function, row or experiment, and yet it is not left out."
    for row in item.rows:
        refuted = (row.variant, row.verdict) == ("printed", "refuted")
        if word == "faithful" and refuted and begins(row.statement, item.number):
            yield "refuted as printed, and yet it is called faithful."
    for name in item.code:
        if not _resolves(name):
            yield f"coordboost has no {name}."


def _unlisted_rows(items, rows):
    """Return a sentence on each row whose name begins with a number that its paper does not
    list.
    """
    keys = {paper: key for key, paper, _ in listed()}
    sentences = []
    for row in rows:
        numbers = [item.number for item in items if row.file.startswith(f"{keys[item.paper]}_")]
        has_number = re.match(rf"([A-Z]+, )?{KINDS}", row.statement)
        is_listed = any(begins(row.statement, number) for number in numbers)
        if numbers and has_number and not is_listed:
            sentences.append(f"{row.statement} ({row.file}): a number that is not in the list.")
    return sentences


def _unlisted_experiments(items):
    """Return a sentence on each experiment for no number of the list."""
    keys = tuple(f"{key}_" for key, _, _ in listed())
    named = {name for item in items for name in item.tried}
    return [
        f"{experiment.name} ({experiment.source}): an experiment for no number of the list."
        for experiment in experiments().values()
        if experiment.name.startswith(keys)
        if re.search(KINDS, experiment.source) and experiment.name not in named
    ]


def _resolves(name):
    try:
        return "._" not in f".{name}" and place(name) is not None
    except (ImportError, AttributeError, TypeError):
        return False


def page(rows, lines=False):
    """Return the index in Markdown, a table for each paper.

    With `lines`, functions have line numbers instead of links to files.
    """
    items = entries(rows)
    text = HEAD + errata(items)
    paper = None
    for item in items:
        if item.paper != paper:
            paper = item.paper
            text += (
                f"\n## {paper}\n\n| number | code | ledger | experiments | status "
                "|\n|---|---|---|---|---|\n"
            )
        code = ", ".join(_code(name, lines) for name in item.code)
        tried = ", ".join(f"`{name}`" for name in item.tried)
        text += f"| {item.number} | {code} | {_rows(item.rows)} | {tried} | {item.status} |\n"
    return text


def errata(items):
    """Return the errata of each paper, in Markdown."""
    wrong: dict = {}
    for item in items:
        word, _, why = item.status.partition(": ")
        if word == "corrected":
            wrong.setdefault(item.paper, []).append(f"* {item.number}: {why}\n")
    return "\n## Errata\n\nWhat is wrong as printed.\n" + "".join(
        f"\n{paper}:\n\n{''.join(lines)}" for paper, lines in wrong.items()
    )


def _code(name, lines):
    file, line = place(name)
    return f"{name} ({file}:{line})" if lines else f"[`{name}`](../{file})"


def _rows(rows):
    """Return links to the statements, with the verdicts of their variants unless the only one is
    "printed verified".
    """
    statements: dict = {}
    for row in rows:
        statements.setdefault((row.statement, row.file), []).append(f"{row.variant} {row.verdict}")
    return "; ".join(
        f"[{name.replace('|', '&#124;')}](../verification/theorems/{file}.py)"
        f"{': ' + ', '.join(verdicts) if verdicts != ['printed verified'] else ''}"
        for (name, file), verdicts in statements.items()
    )
