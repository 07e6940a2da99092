"""One harness for all comparisons: the same data, the same ruler, interleaved rounds, compile time apart."""

import importlib.metadata
import platform
import time
from dataclasses import dataclass, field

import numpy as np


@dataclass
class Contestant:
    """A named way to do the work.

    run : does it once and returns what `judge` reads;  work : how many units (steps, paths) a run does
    """

    name: str
    run: object
    work: float = 1.0
    note: str = ""
    walls: list = field(default_factory=list)
    cpus: list = field(default_factory=list)
    first: float = float("nan")
    verdict: dict = field(default_factory=dict)


def compete(contestants, judge, rounds=5):
    """Run every contestant once (its first time holds compilation), judge the result, then time `rounds` interleaved rounds.

    Contestants that raise are kept with the reason as their note.
    """
    ready = []
    for one in contestants:
        began = time.perf_counter()
        try:
            result = one.run()
        except Exception as error:  # a peer that fails is a row of the table, not the end of it
            one.note = f"{type(error).__name__}: {error}"[:100]
            continue
        one.first = time.perf_counter() - began
        one.verdict = judge(result)
        ready.append(one)
    for _ in range(rounds):
        for one in ready:
            cpu, wall = time.process_time(), time.perf_counter()
            one.run()
            one.walls.append(time.perf_counter() - wall)
            one.cpus.append(time.process_time() - cpu)
    return [row(one) for one in contestants]


def row(one):
    """The figures of a contestant, seconds per unit of work."""
    figures = {"name": one.name, "note": one.note, **one.verdict}
    if one.walls:
        figures |= {
            "wall": float(np.median(one.walls)) / one.work,
            "wall_min": min(one.walls) / one.work,
            "wall_max": max(one.walls) / one.work,
            "cpu": float(np.median(one.cpus)) / one.work,
            "first_call": one.first,
        }
    return figures


def ratios(rows, ours, key="cpu", fair=lambda row: True):
    """Add to each row its ratio to `ours`, and name the best peer among the `fair` ones."""
    base = next(row[key] for row in rows if row["name"] == ours)
    peers = [row for row in rows if row["name"] != ours and key in row and fair(row)]
    for one in rows:
        if key in one:
            one["ratio"] = one[key] / base
    best = min(peers, key=lambda row: row[key], default=None)
    return {"best_peer": best and best["name"], "ours_over_best": best and base / best[key]}


def environment():
    """Versions and machine, for the record."""
    names = ("coordboost", "numpy", "scipy", "numba", "scikit-learn", "celer", "skglm", "adelie", "python-glmnet")
    versions = {}
    for name in names:
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return {"versions": versions, "python": platform.python_version(), "machine": platform.machine()}
