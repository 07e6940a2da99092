"""One harness for all comparisons: the same data, the same ruler, interleaved rounds, one BLAS thread, compile time apart."""

import importlib.metadata
import math
import platform
import time
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

# seconds: work below the first is repeated until it fills them, and counted as the second at least; above the third it is timed cold
SHORT, LEAST, LONG = 0.2, 0.005, 10.0


class Timed(NamedTuple):
    """A result with its seconds. A contestant that has a clock of its own returns one, and this clock counts.

    apart : whether it worked in another process, where nothing is left of an earlier run
    """

    result: Any
    cpu: float
    wall: float
    apart: bool = False


@dataclass
class Contestant:
    """A named way to do the work.

    run : does it once and returns what `judge` reads, or a `Timed` of it; None if it cannot run, and `note` says why
    work : how many units (steps, paths) a run does
    """

    name: str
    run: object
    work: float = 1.0
    note: str = ""
    walls: list = field(default_factory=list)
    cpus: list = field(default_factory=list)
    first: float = float("nan")
    verdict: dict = field(default_factory=dict)


def once(run, times=1):
    """Result of the last of so many runs with one BLAS thread, and mean seconds, by the contestant's own clock where it has one."""
    clocks = []
    with threadpool_limits(limits=1):
        cpu, wall = time.process_time(), time.perf_counter()
        for _ in range(times):
            result = run()
            if isinstance(result, Timed):
                clocks.append((result.cpu, result.wall))
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    if clocks:
        cpu, wall = map(sum, zip(*clocks, strict=True))
        return result._replace(cpu=cpu / times, wall=wall / times)
    return Timed(result, cpu / times, wall / times)


def timed(run, short=0.0):
    """The `Timed` of a run; with `short`, that of a run that follows itself: of as many as fill `short` seconds, of one up to `LONG`.

    A run that follows another contestant's finds cold caches, and memory that the system has to find first: milliseconds become
    several times as many, and who works in more memory pays more. For the same reason its own first result is let go before.
    """
    first = once(run)
    if first.apart or not short or first.wall > LONG:
        return first
    times = math.ceil(short / max(first.wall, LEAST))
    del first
    return once(run, times)


def reason(error):
    """An exception as the note of a row: one line of it, without its kind where the words say it."""
    words = " ".join(str(error).split())
    return (words if isinstance(error, (TimeoutError, FileNotFoundError)) else f"{type(error).__name__}: {words}")[:160]


def attempt(one, short=0.0):
    """The `Timed` of a contestant, as `timed` does; None where it fails: then its note says why and it runs no more."""
    try:
        return timed(one.run, short)
    except Exception as error:  # a peer that fails is a row of the table, not the end of it
        one.run, one.note = None, reason(error)
        return None


def rounds_for(seconds):
    """How many rounds, by the seconds of the first one: 5 up to 2 s, 3 up to 30 s, else 1."""
    return 5 if seconds < 2 else 3 if seconds <= 30 else 1


def compete(contestants, judge, rounds=None):
    """Run every contestant once (its first time holds compilation), judge the result, then time interleaved rounds.

    Without `rounds` their number is `rounds_for` the seconds of the first one. Contestants that raise are kept with the reason as
    their note.
    """
    for one in contestants:
        done = one.run and attempt(one)
        if done:
            one.first, one.verdict = done.wall, judge(done.result)
            del done  # large coefficients are not kept through the rounds
    played, most = 0, rounds or 1
    while played < most:
        total = 0.0
        for one in contestants:
            done = one.run and attempt(one, SHORT)
            if done:
                one.walls.append(done.wall)
                one.cpus.append(done.cpu)
                total += done.wall
        played += 1
        most = rounds or rounds_for(total) if played == 1 else most
    return [row(one) for one in contestants]


def row(one):
    """The figures of a contestant, seconds per unit of work."""
    figures = {"name": one.name, "note": one.note, **one.verdict}
    for key, seconds in (("wall", one.walls), ("cpu", one.cpus)):
        if seconds:
            figures[key] = float(np.median(seconds)) / one.work
            figures |= {f"{key}_min": min(seconds) / one.work, f"{key}_max": max(seconds) / one.work}
    return figures | ({"first_call": one.first, "rounds": len(one.walls)} if one.walls else {})


def ratios(rows, ours, key="cpu", fair=lambda row: True):
    """Add to each row its ratio to `ours` and to the best peer: the fastest of the `fair` rows whose name has not ours in front."""
    base = next(row for row in rows if row["name"] == ours).get(key)
    peers = [row for row in rows if not row["name"].startswith(ours) and key in row and fair(row)]
    best = min(peers, key=lambda row: row[key], default=None)
    for one in rows:
        if key in one and base:
            one["ratio"] = one[key] / base
        if key in one and best:
            one["over_best"] = one[key] / best[key]
    return {"best_peer": best and best["name"], "ours_over_best": best and base and base / best[key]}


def wanted(name, only):
    """Whether a design is asked for: `only` is empty, or one of it is part of the name, in capitals or not."""
    return not only or any(part.lower() in name.lower() for part in only)


def environment():
    """Versions and machine, for the record."""
    names = (
        "coordboost",
        "numpy",
        "scipy",
        "numba",
        "scikit-learn",
        "celer",
        "skglm",
        "adelie",
        "python-glmnet",
        "lightgbm",
        "xgboost",
        "catboost",
        "hessboost",
        "copt",
    )
    versions = {}
    for name in names:
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return {"versions": versions, "python": platform.python_version(), "machine": platform.machine()}
