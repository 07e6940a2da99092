"""Every test has a time limit, so that an endless loop fails, also in compiled code, which no
exception interrupts.

Tests on random examples use the same examples in every run; for other examples:
``--hypothesis-profile=other``.
"""

import faulthandler
import os

import hypothesis
import pytest

hypothesis.settings.register_profile("other", deadline=None)
hypothesis.settings.register_profile("same", deadline=None, derandomize=True, database=None)
hypothesis.settings.load_profile("same")

#: Time limits in seconds of a test, and of one that is marked slow: many times those of the slowest
#: tests on a busy machine.
LIMIT, SLOW_LIMIT = 600, 3600
terminal = pytest.StashKey()


@pytest.fixture(scope="module")
def in_python():
    """Run loops in plain Python: for few steps of many methods, compiling takes longer than
    running.
    """
    from coordboost.engine import kernel

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernel, "compiled", lambda function, pieces: kernel.interpreted(function))
        yield


@pytest.fixture(scope="session", autouse=True)
def compiled_in_silence():
    """What a test reads on stderr does not depend on what was compiled before."""
    from coordboost._numba import silently

    with silently():
        yield


def pytest_configure(config):
    config.stash[terminal] = os.dup(2)  # before pytest captures output


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """Past the limit, end the run with status 1 and a traceback of the test."""
    seconds = SLOW_LIMIT if item.get_closest_marker("slow") else LIMIT
    faulthandler.dump_traceback_later(seconds, exit=True, file=item.config.stash[terminal])
    try:
        return (yield)
    finally:
        faulthandler.cancel_dump_traceback_later()
