"""The harness of all comparisons: the same data and judge for all, interleaved rounds, one BLAS
thread, compile time reported apart.
"""

import contextlib
import ctypes
import importlib.metadata
import math
import platform
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

# in seconds: shorter runs are repeated to fill SHORT (a run counts as LEAST or more); runs above
# LONG are not repeated
SHORT, LEAST, LONG = 0.2, 0.005, 10.0


class Timed(NamedTuple):
    """A result and its seconds.

    A contestant with a clock of its own returns a `Timed`, and this clock counts.

    apart : whether the work was done in another process, which keeps no caches or memory of earlier
    runs
    """

    result: Any
    cpu: float
    wall: float
    apart: bool = False


@dataclass
class Contestant:
    """A competitor: a named way to do the work.

    run : does the work once and returns the input of `judge`, or a `Timed` of it; None if it cannot
        run, with the reason in `note`
    work : units of work (steps, paths) of a run
    first : seconds of the first run
    peak : MB of memory at most, beyond that before it runs, in the first round; nan if not known
    verdict : what `judge` returned
    """

    name: str
    run: object
    work: float = 1.0
    note: str = ""
    walls: list = field(default_factory=list)
    cpus: list = field(default_factory=list)
    first: float = float("nan")
    peak: float = float("nan")
    verdict: dict = field(default_factory=dict)


def once(run, times=1):
    """Return the `Timed` of `times` runs on one BLAS thread: the last result, mean seconds, by the
    contestant's own clock if it has one.
    """
    clocks = []
    with threadpool_limits(limits=1):
        cpu = time.process_time()
        wall = time.perf_counter()
        for _ in range(times):
            result = run()
            if isinstance(result, Timed):
                clocks.append((result.cpu, result.wall))
        wall = time.perf_counter() - wall
        cpu = time.process_time() - cpu
    if clocks:
        cpu, wall = map(sum, zip(*clocks, strict=True))
        return result._replace(cpu=cpu / times, wall=wall / times)
    return Timed(result, cpu / times, wall / times)


def timed(run, short=0.0):
    """Return the `Timed` of a run.

    With `short`, a run of at most `LONG` seconds only warms up, and further runs of `short` seconds
    count.

    A run that follows another contestant's run finds cold caches, and the system has to provide its
    memory again: milliseconds become several times as many, more so with large memory. For the same
    reason the first result is deleted before the counted runs.
    """
    first = once(run)
    if first.apart or not short or first.wall > LONG:
        return first
    times = math.ceil(short / max(first.wall, LEAST))
    del first
    return once(run, times)


def reason(error):
    """Return an exception as the note of a row: one line, with the type of the exception unless the
    message makes it clear.
    """
    sentence = " ".join(str(error).split())
    return (
        sentence
        if isinstance(error, (TimeoutError, FileNotFoundError))
        else f"{type(error).__name__}: {sentence}"
    )[:160]


def attempt(one, short=0.0):
    """Return the `Timed` of a contestant as `timed` does.

    None if it fails: then `note` gets the reason, and it does not run again.
    """
    try:
        return timed(one.run, short)
    except Exception as error:  # a peer that fails must not end the benchmark
        one.run, one.note = None, reason(error)
        return None


def rounds_for(seconds):
    """Return the number of rounds by the seconds of the first one: 5 below 2 s, 3 up to 30 s, else
    1.
    """
    return 5 if seconds < 2 else 3 if seconds <= 30 else 1


def resident(entry):
    """Return the MB of an entry of the system's account of this process: "VmRSS", the resident
    memory, or "VmHWM", its peak.
    """
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(entry))


@contextlib.contextmanager
def peak_memory():
    """Yield a list that gets the peak of the resident memory, in MB beyond that at the start.

    It stays empty where the system keeps no such account.
    """
    peak = []
    try:
        ctypes.CDLL(None).malloc_trim(0)  # memory that was freed counts again
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # forgets the peak
        start = resident("VmRSS")
    except (OSError, AttributeError, StopIteration):
        yield peak
        return
    yield peak
    peak.append(max(0.0, resident("VmHWM") - start))


def compete(contestants, judge, rounds=None, short=SHORT):
    """Run every contestant once (which includes compilation), judge its result, then time
    interleaved rounds; return the rows.

    `rounds` is their number, or a function that returns it, given the seconds of the first; by
    default `rounds_for`. Contestants that raise keep their row, with the reason as note.
    """
    for one in contestants:
        done = one.run and attempt(one)
        if done:
            one.first, one.verdict = done.wall, judge(done.result)
            del done  # do not keep large coefficients in memory during the rounds
    planned = rounds_for if rounds is None else rounds
    played = 0
    most = 1
    while played < most:
        total = 0.0
        for one in contestants:
            with peak_memory() if played == 0 else contextlib.nullcontext([]) as peak:
                done = one.run and attempt(one, short)
            if done:
                one.peak = peak[0] if peak and not done.apart else one.peak
                one.walls.append(done.wall)
                one.cpus.append(done.cpu)
                total += done.wall
        played += 1
        if played == 1:
            most = planned(total) if callable(planned) else planned
    return [row(contestant) for contestant in contestants]


def row(one):
    """Return the row of a contestant: verdict, and seconds per unit of work."""
    figures = {"name": one.name, "note": one.note, **one.verdict}
    for key, seconds in (("wall", one.walls), ("cpu", one.cpus)):
        if seconds:
            figures[key] = float(np.median(seconds)) / one.work
            figures |= {
                f"{key}_min": min(seconds) / one.work,
                f"{key}_max": max(seconds) / one.work,
            }
    if not one.walls:
        return figures
    known = {} if math.isnan(one.peak) else {"peak_mb": one.peak}
    return figures | {"first_call": one.first, "rounds": len(one.walls)} | known


def ratios(rows, ours, key="cpu", fair=lambda row: True):
    """Add to each row its ratio to `ours` and to the best peer.

    Return this peer and our ratio to it.

    The best peer is the fastest of the `fair` rows whose name does not begin with `ours`.
    """
    base = next(row for row in rows if row["name"] == ours).get(key)
    peers = [row for row in rows if not row["name"].startswith(ours) and key in row and fair(row)]
    best = min(peers, key=lambda row: row[key], default=None)
    for one in rows:
        if key in one and base:
            one["ratio"] = one[key] / base
        if key in one and best:
            one["over_best"] = one[key] / best[key]
    return {
        "best_peer": best and best["name"],
        "ours_over_best": best and base and base / best[key],
    }


def wanted(name, only):
    """Return whether a design is requested: `only` is empty, or one of its strings is part of the
    name (case is ignored).
    """
    return not only or any(part.lower() in name.lower() for part in only)


def environment():
    """Return the versions of the packages and the machine, for the record."""
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
    return {
        "versions": versions,
        "python": platform.python_version(),
        "machine": platform.machine(),
    }
