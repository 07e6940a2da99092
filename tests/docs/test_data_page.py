"""docs/data.md: a row with shape and checksum for each set of the experiments, and at most five
statements that make the file.
"""

import ast
import re
from pathlib import Path

import numpy as np
import pytest

from verification import sets
from verification.experiments.experiment import experiments

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "data.md").read_text(encoding="utf-8")
ROWS = {
    name: (int(n), int(p), file, digits)
    for name, n, p, file, digits in re.findall(
        r"^\| (\S+) \| (\d+) x (\d+) \| .* \| (\S+) \| (\w{16}) \|$", PAGE, re.M
    )
}
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.S)
NAMED = sorted(
    {name for experiment in experiments().values() for name in experiment.data} | set(sets.TABLES)
)


def test_every_set_of_an_experiment_has_a_row_and_no_other():
    assert sorted(ROWS) == NAMED


@pytest.mark.parametrize("name", NAMED)
def test_a_row_has_the_shape_and_the_checksum_of_the_data(name):
    n, p, file, digits = ROWS[name]
    try:
        assert sets.path(file).exists()
    except sets.Absent as absent:
        pytest.skip(str(absent))
    assert sets.checksum(name) == digits
    if name not in sets.TABLES:
        X, y = sets.read(name)
        assert X.shape == (n, p) and len(y) == n


@pytest.mark.parametrize("name", NAMED)
def test_something_on_the_page_makes_the_file(name):
    made = [block for block in BLOCKS if "savez" in block or "gzip.open" in block]
    file = ROWS[name][2]
    stem, _, _ = file.partition(
        ".npz" if file.endswith(".npz") else ".svm" if ".svm" in file else ".csv"
    )
    patterned = {"mnist": "mnist{one}{other}", "ocr": "ocr{one}{other}_standin"}
    wanted = next((text for start, text in patterned.items() if stem.startswith(start)), f'"{stem}')
    assert any(wanted in block for block in made)


@pytest.mark.parametrize("block", BLOCKS)
def test_blocks_are_python_of_five_statements_at_most(block):
    assert 1 <= len(ast.parse(block).body) <= 5 and "://" not in block


def test_the_page_names_no_address():
    assert "://" not in PAGE and "www." not in PAGE


def test_a_checksum_sees_any_change(tmp_path, monkeypatch):
    import gzip

    (tmp_path / "data").mkdir()
    monkeypatch.setenv("COORDBOOST_SHARED", str(tmp_path))

    def sums(X, y, text, table):
        np.savez(tmp_path / "data" / "sonar.npz", X=X, y=y)
        for file, content in (("a1a.svm.gz", text), ("adult.csv.gz", table)):
            with gzip.open(tmp_path / "data" / file, "wb") as out:
                out.write(content)
        return [sets.checksum(name) for name in ("sonar", "a1a", "adult")]

    first = sums(np.eye(2), [1, -1], b"-1 3:1\n+1 1:1\n", b"a,b\n1,x\n")
    assert first == sums(
        np.eye(2, dtype=np.float32), [1.0, -1.0], b"-1 3:1.0\n1 1:1\n", b"a,b\n1,x\n"
    )
    others = sums(np.eye(2), [1, 1], b"-1 4:1\n+1 1:1\n", b"a,b\n1,y\n")
    assert all(one != other for one, other in zip(first, others, strict=True))


def test_a_missing_file_names_the_page(tmp_path, monkeypatch):
    monkeypatch.setenv("COORDBOOST_SHARED", str(tmp_path))
    with pytest.raises(sets.Absent, match=r"docs/data\.md"):
        sets.path("khan.npz")
    (tmp_path / "data").mkdir()
    with pytest.raises(
        sets.Absent, match=r"khan\.npz is missing: it was looked for in .*docs/data\.md"
    ):
        sets.path("khan.npz")
