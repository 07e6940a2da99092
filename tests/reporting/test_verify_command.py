"""``coordboost verify`` and ``coordboost docs``, in a checkout and from an installed wheel."""

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

from coordboost.reporting.cli import main

ROOT = Path(__file__).resolve().parents[2]
HOME = sys.modules["coordboost.reporting.cli.verify"]  # in the package, this name is the command
WHEEL = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"][
    "build"
]["targets"]["wheel"]


def said(*arguments, code=0):
    """The output of the command."""
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == code, done.output
    return done.output


def test_the_list_names_every_file_of_the_ledger_and_loads_none():
    text = said("verify")
    files = [path.stem for path in (ROOT / "verification" / "theorems").glob("[a-z]*.py")]
    assert len(files) > 40 and all(f"{name}," in text or f"{name}\n" in text for name in files)
    code = (
        "import sys\nfrom coordboost.reporting.cli import main\nmain(['verify'], "
        "standalone_mode=False)\n"
    )
    code += (
        "print(*(name for name in ('verification', 'cvxpy', 'matplotlib', "
        "'coordboost.theory') if name in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == ""


def test_each_part_is_the_command_of_its_module():
    assert "At most" not in said("verify", "worst-cases") and "frank_wolfe_anywhere" in said(
        "verify", "worst-cases"
    )
    assert "coordboost verify experiments" not in said("verify", "--help")
    assert "main verify experiments NAME" in said("verify", "experiments")
    rows = json.loads(said("verify", "ledger", "--quick", "--only", "agbm_lemma_c_6", "--json"))
    assert "AGBM, Lemma C.6" in json.dumps(rows)
    assert "No such command" in said("verify", "theorems", code=2)


def test_pages_are_found_and_shown():
    text = said("docs")
    assert str(ROOT / "docs") in text and "worst-cases" in text and "methods," in text
    assert (
        said("docs", "methods") == (ROOT / "docs" / "methods.md").read_text(encoding="utf-8") + "\n"
    )
    assert "there is no page 'method'" in said("docs", "method", code=2)


@pytest.mark.parametrize("arguments", [("verify",), ("verify", "ledger"), ("docs",)])
def test_without_the_carried_files_one_sentence_says_what_to_do(arguments, monkeypatch, tmp_path):
    monkeypatch.setattr(HOME, "CARRIED", tmp_path)
    monkeypatch.setattr(HOME, "PACKAGE", tmp_path / "coordboost")
    (line,) = said(*arguments, code=1).splitlines()
    assert "is not part of this installation: install coordboost from its wheel" in line


def test_what_the_wheel_installs_runs_from_there(tmp_path):
    """The files listed in pyproject.toml, at the places given there."""
    for pattern in WHEEL["include"]:
        for path in ROOT.glob(pattern.strip("/")):
            first, *rest = path.relative_to(ROOT).parts
            place = tmp_path.joinpath(WHEEL["sources"].get(first, first), *rest)
            place.parent.mkdir(parents=True, exist_ok=True)
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(path, place, ignore=ignored) if path.is_dir() else shutil.copy(
                path, place
            )
    # no other name in site-packages
    assert {path.name for path in tmp_path.iterdir()} == {"coordboost"}
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "NUMBA_DISABLE_JIT": "1"}

    def run(*arguments):
        command = [sys.executable, "-m", "coordboost", *arguments]
        done = subprocess.run(
            command, cwd=elsewhere, env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert str(tmp_path) in run("docs") and "gbm_strong" in run("verify", "worst-cases")
    assert "8 of 8 sabotages caught" in run(
        "verify", "ledger", "--quick", "--only", "agbm_lemma_c_6"
    )
