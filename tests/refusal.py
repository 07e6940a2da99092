"""Tables of invalid inputs: each must raise a ``ValueError`` whose message is one sentence that
says what was expected.
"""

import pytest


def refused(action, fragment):
    """Check the message of the ValueError that `action` raises, and return it."""
    with pytest.raises(ValueError) as caught:
        action()
    message = str(caught.value)
    assert fragment in message
    assert "numba" not in message.lower()
    assert "\n" not in message and message.endswith(".") and len(message) < 320
    return message


def case(name, action, fragment):
    """Return a row of a table: what is wrong, the call, a fragment of the message."""
    return pytest.param(action, fragment, id=name)


def rows(name, action, *values, says):
    """Return one row for each bad value; the message contains `says`. Names contain no address:
    they agree in all processes.
    """
    shown = (
        getattr(bad, "__name__", repr(bad)).split("\n")[0].split(" at 0x")[0] for bad in values
    )
    return [
        case(f"{name} {text}", lambda bad=bad: action(bad), says)
        for text, bad in zip(shown, values, strict=True)
    ]


def refusals(*cases):
    """Return the test of a table of cases."""

    @pytest.mark.parametrize(("action", "fragment"), cases)
    def test(action, fragment):
        refused(action, fragment)

    return test
