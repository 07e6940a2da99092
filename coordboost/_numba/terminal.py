"""Whether somebody looks at what is written: at a terminal, or at a notebook."""

import sys


def is_terminal(stream) -> bool:
    """Whether a stream writes to a terminal; None stands for one that is missing."""
    try:
        return stream.isatty()
    except (AttributeError, ValueError):  # there is no stream, or it is closed
        return False


def in_notebook() -> bool:
    """Whether this process is the kernel of a notebook, which shows what is written to stderr."""
    # a kernel has loaded IPython; whoever has not need not wait until it is loaded
    get_shell = getattr(sys.modules.get("IPython"), "get_ipython", None)
    return get_shell is not None and hasattr(get_shell(), "kernel")
