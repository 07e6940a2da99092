"""Check free memory before a large allocation.

Otherwise the system kills the process without an error message.
"""

import os
from pathlib import Path

#: Where Linux reports free memory, and the limit and use of memory of a container.
MEMORY = Path("/proc/meminfo")
GROUP = Path("/sys/fs/cgroup")


def free_memory():
    """Bytes free for new arrays, or None if the system does not report them.

    Cached files count as free memory.
    """
    known = [found for found in (_of_system(), _of_container()) if found is not None]
    return min(known, default=None)


def _of_system():
    try:
        fields = dict(line.split(":") for line in MEMORY.read_text().splitlines())
        return int(fields["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError):
        pass
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


def _of_container():
    try:
        most, taken = (int((GROUP / name).read_text()) for name in ("memory.max", "memory.current"))
        kept = dict(line.split() for line in (GROUP / "memory.stat").read_text().splitlines())
        return max(0, most - taken + int(kept["file"]))
    except (OSError, KeyError, ValueError):  # no container, or one without a limit
        return None


def in_words(n_bytes):
    """Format a number of bytes: "1.5 GB"."""
    for name in ("bytes", "kB", "MB", "GB"):
        if n_bytes < 1000:
            return f"{n_bytes:.3g} {name}"
        n_bytes /= 1000
    return f"{n_bytes:.3g} TB" if n_bytes < 1e6 else f"{n_bytes:.1e} TB"


def check_room(n_bytes, what, remedy):
    """Raise an error if fewer than `n_bytes` are free.

    Raises
    ------
    ValueError
        "`what` takes ... of memory, and ... are free: `remedy`."
    """
    free = free_memory()
    if free is not None and n_bytes > free:
        raise ValueError(
            f"{what} takes {in_words(n_bytes)} of memory, and {in_words(free)} are free: {remedy}."
        )
