"""``python -m coordboost`` is the command ``coordboost``."""

from coordboost.reporting.cli import main

main(prog_name="python -m coordboost")
