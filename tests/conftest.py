"""Every test has a time limit, so that an endless loop fails; in compiled code too, which no exception can reach.

Tests on random examples take the same ones every time, so that what passed passes again; other ones: ``--hypothesis-profile=other``.
"""

import faulthandler
import os

import hypothesis
import pytest

hypothesis.settings.register_profile("other", deadline=None)
hypothesis.settings.register_profile("same", deadline=None, derandomize=True, database=None)
hypothesis.settings.load_profile("same")

#: Seconds for a test, and for one that is marked slow: many times what the slowest take on a busy machine.
LIMIT, SLOW_LIMIT = 600, 3600
terminal = pytest.StashKey()


@pytest.fixture(scope="module")
def in_python():
    """Few steps of many methods: to compile a loop for every one takes longer than all of them."""
    from coordboost.engine import loop

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loop, "compiled", lambda function, pieces: loop.interpreted(function))
        yield


def pytest_configure(config):
    config.stash[terminal] = os.dup(2)  # the capture of output begins later


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """Past the limit the run ends with status 1, and says in which test and line."""
    seconds = SLOW_LIMIT if item.get_closest_marker("slow") else LIMIT
    faulthandler.dump_traceback_later(seconds, exit=True, file=item.config.stash[terminal])
    try:
        return (yield)
    finally:
        faulthandler.cancel_dump_traceback_later()
