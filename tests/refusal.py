"""What every bad input must meet: one ``ValueError`` of one sentence that says what was expected."""

import pytest


def refused(action, fragment):
    """The sentence of the ValueError that `action` raises."""
    with pytest.raises(ValueError) as caught:
        action()
    message = str(caught.value)
    assert fragment in message
    assert "numba" not in message.lower()
    assert "\n" not in message and message.endswith(".") and len(message) < 320
    return message


def case(name, action, fragment):
    """A row of a table: what is wrong, the call, a fragment of the sentence."""
    return pytest.param(action, fragment, id=name)


def rows(name, action, *values, says):
    """One row for each bad value; the sentence holds `says`. Names hold no address: they are the same in every process."""
    shown = (getattr(bad, "__name__", repr(bad)).split("\n")[0].split(" at 0x")[0] for bad in values)
    return [case(f"{name} {text}", lambda bad=bad: action(bad), says) for text, bad in zip(shown, values, strict=True)]


def refusals(*cases):
    """The test of a table of cases."""

    @pytest.mark.parametrize(("action", "fragment"), cases)
    def test(action, fragment):
        refused(action, fragment)

    return test
