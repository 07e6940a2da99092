"""Stored results: the verdicts of the full form of each experiment, from which the page
``docs/experiments.md`` is made.

``python -m verification.experiments NAME --keep`` runs an experiment and stores its verdicts in
``results/NAME.json``, with a fingerprint of all numbers in the code that made them: radii, steps,
eps, seeds, sizes. A change of one of these numbers asks for a new run.
"""

import ast
import functools
import hashlib
import importlib
import json
from pathlib import Path

from verification.experiments.experiment import experiments

HERE = Path(__file__).parent
FOLDER = HERE / "results"
#: Functions that only draw: their numbers change pictures, not results.
DRAWING = ("draw", "show", "still")


def path(name):
    """Return the file of the results of an experiment."""
    return FOLDER / f"{name}.json"


def record(report):
    """Return the results of a run as a dict."""
    one = report.experiment
    claims = [
        {"claim": claim.words, "from": str(claim.source), **verdict._asdict()}
        for claim, verdict in zip(one.claims, report.verdicts, strict=True)
    ]
    marks = fingerprint(one.name) if one.name in experiments() else {}
    return {
        "name": one.name,
        "source": one.source,
        "quick": report.quick,
        "numbers": marks,
        "claims": claims,
    }


def text(record):
    """Return the text of a file of results."""
    return json.dumps(record, indent=1, ensure_ascii=False) + "\n"


def read(name):
    """Return the stored results of an experiment, or None if there are none."""
    return json.loads(path(name).read_text(encoding="utf-8")) if path(name).exists() else None


def faults():
    """Return a sentence for each experiment whose stored results are not those of the present code.

    Some may have none.
    """
    out = []
    for name, one in experiments().items():
        stored = read(name)
        again = f"run it: python -m verification.experiments {name} --keep"
        if stored is None:
            continue
        if stored["quick"]:
            out.append(f"{name}: the stored results are those of the quick form; {again}")
        elif [(each["claim"], each["from"]) for each in stored["claims"]] != [
            (c.words, str(c.source)) for c in one.claims
        ]:
            out.append(f"{name}: the stored results are those of other claims; {again}")
        elif stored["numbers"] != fingerprint(name):
            other = [
                file
                for file, mark in fingerprint(name).items()
                if stored["numbers"].get(file) != mark
            ]
            out.append(
                f"{name}: a number has changed in {', '.join(other) or 'a file that is gone'}; "
                f"{again}"
            )
    names = set(experiments())
    return out + [
        f"{file.name}: there is no such experiment."
        for file in sorted(FOLDER.glob("*.json"))
        if file.stem not in names
    ]


def fingerprint(name):
    """Return, for each file that an experiment is made of, the first digits of a checksum of its
    numbers.
    """
    return {file.stem: _mark(file) for file in sorted(files(_file_of(name)))}


@functools.cache
def _mark(file):
    return hashlib.sha256(
        "\n".join(numbers(file.read_text(encoding="utf-8"))).encode()
    ).hexdigest()[:8]


@functools.cache
def _file_of(name):
    for module in sorted(HERE.glob("*.py")):
        if module.stem != "__main__":
            found = getattr(
                importlib.import_module(f"verification.experiments.{module.stem}"),
                "EXPERIMENTS",
                (),
            )
            if any(result.name == name for result in found):
                return module
    raise ValueError(f"no experiment has the name {name!r}.")


#: Files of the frame, without numbers of an experiment.
FRAME = ("experiment", "judge", "drawing", "results", "page")


@functools.cache
def files(file):
    """Return a file of experiments and all others that it imports, directly or not, without the
    frame.
    """
    results = []
    left = [file]
    while left:
        one = left.pop()
        results.append(one)
        for node in ast.walk(ast.parse(one.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(
                "verification.experiments"
            ):
                stems = [node.module.rpartition(".")[2], *(alias.name for alias in node.names)]
                others = (HERE / f"{stem}.py" for stem in stems if stem not in FRAME)
                left += [
                    other for other in others if other.exists() and other not in results + left
                ]
    return results


def numbers(source):
    """Return the numbers of a file in the order of the code, each with the function or constant it
    stands in; drawing is left out.
    """
    results = []
    for node in ast.parse(source).body:
        if not isinstance(
            node, (ast.FunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign, ast.AugAssign)
        ):
            continue
        name = getattr(node, "name", None) or ast.unparse(
            getattr(node, "target", None) or node.targets[0]
        )
        if not name.startswith(DRAWING):
            results += [f"{name}: {one}" for one in _numbers_in(node)]
    return results


def _numbers_in(node):
    """Yield all numbers below a node, and texts with digits in them.

    Docstrings, words of claims and seconds are left out.
    """
    if isinstance(node, ast.Constant):
        if isinstance(node.value, (int, float)) or (
            isinstance(node.value, str) and any(map(str.isdigit, node.value))
        ):
            yield repr(node.value)
        return
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return
    if isinstance(node, ast.JoinedStr):
        return
    if isinstance(node, ast.keyword) and node.arg in ("seconds", "about", "source", "name"):
        return
    children = list(ast.iter_child_nodes(node))
    if (
        isinstance(node, ast.Call)
        and getattr(node.func, "id", "") == "Claim"
        and len(node.args) > 1
    ):
        children = [node.args[1]]  # words and provenance are compared as they are
    for child in children:
        yield from _numbers_in(child)
