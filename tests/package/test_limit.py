"""The time limit of the tests."""

import subprocess
import sys
from pathlib import Path

import conftest


def test_an_endless_loop_fails(tmp_path):
    """The whole run ends and prints the line that was being executed."""
    source = Path(conftest.__file__).read_text()
    assert source.count("LIMIT, SLOW_LIMIT = 600, 3600") == 1
    (tmp_path / "conftest.py").write_text(source.replace("= 600, 3600", "= 1, 3600"))
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "test_endless.py").write_text(
        "def test_fine():\n    pass\n\n\ndef test_endless():\n    while True:\n        pass\n"
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 1 and "Timeout" in done.stderr and "in test_endless" in done.stderr
