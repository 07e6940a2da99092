"""The table on docs/larger-than-memory.md of what is refused of tables of Dask, and the code."""

import ast
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import coordboost as cb
from coordboost.data import memory
from coordboost.learners.stores import daskarray

da = pytest.importorskip("dask.array")
dask = pytest.importorskip("dask")

PAGE = Path(__file__).parents[2] / "docs/larger-than-memory.md"
RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(60, 3)), RNG.normal(size=60)
LAZY = da.from_array(X, chunks=(20, -1))


def with_entry(values, at, entry):
    changed = values.copy()
    changed[at] = entry
    return da.from_array(changed, chunks=20)


def frame(npartitions=3, **more):
    pd = pytest.importorskip("pandas")
    dd = pytest.importorskip("dask.dataframe")
    table = pd.DataFrame(X, columns=list("abc")).assign(y=Y, **more)
    return dd.from_pandas(table, npartitions=npartitions)


def uneven():
    """A series with as many partitions as the table, of other lengths."""
    dd = pytest.importorskip("dask.dataframe")
    y = frame()["y"]
    return dd.concat([y.partitions[0], y.partitions[1].loc[:30], y.partitions[2]])


def too_large(monkeypatch):
    monkeypatch.setattr(memory, "free_memory", lambda: 100)
    cb.Problem(LAZY, Y, cb.losses.Huber(1.0))


def closed(monkeypatch):
    def lost(values):
        raise KeyError("x")

    monkeypatch.setattr(daskarray, "_compute", lost)
    cb.Problem(LAZY, Y)


class Client:
    """A client whose workers have another version of NumPy."""

    asynchronous = False

    def get_versions(self, packages):
        own = dict.fromkeys(packages, "2.0")
        return {
            "client": {"packages": own},
            "workers": {"tcp://one": {"packages": own | {"numpy": "1.9"}}},
        }


def other_versions(monkeypatch):
    cluster = SimpleNamespace(default_client=Client)
    monkeypatch.setitem(sys.modules, "distributed", cluster)
    monkeypatch.setattr(daskarray, "_lost", lambda: ())
    cb.Problem(LAZY, Y)


ACTIONS = {
    "chunks of unknown": lambda _: cb.Problem(LAZY[LAZY[:, 0] > 0], Y),
    "an array that has": too_large,
    "a data frame that": lambda _: cb.Problem(frame()[["a"]], Y, cb.losses.Huber(1.0)),
    "text or categories": lambda _: cb.Problem(frame(kind="x")[["a", "kind"]], Y),
    "missing or infinite values in X": lambda _: cb.Problem(with_entry(X, (3, 1), np.nan), Y),
    "missing or infinite values in y": lambda _: cb.Problem(LAZY, with_entry(Y, 5, np.inf)),
    "weights below 0": lambda _: cb.Problem(LAZY, Y, sample_weight=with_entry(abs(Y), 5, -1.0)),
    "columns with a mean": lambda _: cb.Problem(LAZY + 1e9, Y),
    "vectors of another": lambda _: cb.Problem(LAZY, da.from_array(Y[:9])),
    "series of Dask": lambda _: cb.Problem(frame()[["a"]], uneven()),
    "splitters": lambda _: cb.CertifiedLassoCV(cv=cb.model_selection.Bootstrap(3)).fit(LAZY, Y),
    "scorers": lambda _: cb.CertifiedLassoCV(scoring="r2").fit(LAZY, Y),
    "an adaptive Lasso at": lambda _: cb.CertifiedLasso(adaptive="ridge").fit(LAZY, Y),
    "an adaptive Lasso with": lambda _: cb.CertifiedLassoCV(rule="bic", adaptive="ridge").fit(
        LAZY, Y
    ),
    "workers": other_versions,
    "a cluster": closed,
}


def rows(head="| what | sentence |"):
    """The rows of a table: what, and the sentence."""
    text = PAGE.read_text(encoding="utf-8").split(head)[1]
    table = re.findall(r"^\| (.+?) \| (.+) \|$", text.split("\n\n")[0], flags=re.M)
    return [pytest.param(*row, id=row[0][:40]) for row in table]


@cache
def templates():
    """A pattern for every text of the package, with ``.+`` where values are put in."""
    patterns = []
    for path in Path(cb.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            values = getattr(node, "values", [node])
            if isinstance(node, ast.JoinedStr | ast.Constant):
                texts = [getattr(value, "value", "") for value in values]
                escaped = [re.escape(text) if isinstance(text, str) else ".+" for text in texts]
                patterns.append("".join(escaped))
    return patterns


@pytest.mark.parametrize("what, sentence", rows("| what | sentence of trees |"))
def test_the_sentence_for_trees_is_in_the_code(what, sentence):
    assert any(len(text) > 30 and re.fullmatch(text, sentence) for text in templates())


def test_every_row_is_tried():
    for key in ACTIONS:
        assert sum(row.values[0].startswith(key) for row in rows()) == 1, key
    assert len(rows()) == len(ACTIONS)


@pytest.mark.parametrize("what, sentence", rows())
def test_the_sentence_is_that_of_the_code(what, sentence, monkeypatch):
    action = next(ACTIONS[key] for key in ACTIONS if what.startswith(key))
    with dask.config.set(scheduler="synchronous"), pytest.raises(ValueError) as caught:
        action(monkeypatch)
    pattern = re.escape(sentence).replace(r"\.\.\.", ".+")
    assert re.fullmatch(pattern, str(caught.value)), caught.value


def test_the_package_loads_no_dask():
    code = (
        "import sys, numpy as np, coordboost as cb; X = np.eye(30); "
        "cb.CertifiedLasso, cb.RandomizedGBMRegressor, cb.lasso_path, cb.Problem(X, X[0]); "
        "print([name for name in sys.modules if name.partition('.')[0] in ('dask', 'distributed')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
