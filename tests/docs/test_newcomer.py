"""The guide for contributors, followed in a copy: a loss, a step rule, a method and a stop rule
touch their files, their exports and a page, and the general tests find them.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from newcomer import follow_the_guide

ROOT = Path(__file__).resolve().parents[2]
#: Tests that look at every piece, method or public name.
GENERAL = [
    "test_laws",
    "test_numbers",
    "test_cli",
    "test_doors",
    "test_docstrings",
    "test_planning",
    "test_own_losses",
    "test_statements_of_docs",
]
#: What the newcomer adds, as it stands in the names of tests.
ADDED = "PseudoHuber or CappedStep or capped_boost or LossBelow or every or found or named"


@pytest.mark.slow
def test_a_newcomer_follows_the_guide(tmp_path):
    for name in ("coordboost", "tests", "docs", "verification", ".github", "README.md"):
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, tmp_path / name)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    follow_the_guide(tmp_path)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", ADDED]
    command += [str(next((tmp_path / "tests").rglob(f"{name}.py"))) for name in GENERAL]
    tried = subprocess.run(
        command,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert tried.returncode == 0, tried.stdout[-4000:]
