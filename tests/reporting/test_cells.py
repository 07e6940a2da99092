"""What a notebook shows of runs and paths: a table with the numbers of the object, and a picture
that is part of the HTML.
"""

import re
import sys
from html.parser import HTMLParser

import numpy as np
import pytest

import coordboost as cb

RNG = np.random.default_rng(6)
X = RNG.normal(size=(60, 5))
Y = X @ [3.0, 0, -2, 0, 1] + RNG.normal(size=60)
RUN = cb.solve(cb.Problem(X, Y), cb.ls_boost(0.1), 50)
LOGISTIC = cb.Problem(X, np.where(Y > 0, 1, -1), cb.losses.Logistic())
PATH = cb.lasso_path(X, Y, n_alphas=8)
SHOWN = {
    "run": RUN,
    "refitted run": cb.solve(LOGISTIC, cb.ls_boost(0.5), 9).refit_intercept(),
    "run of no steps": cb.solve(cb.Problem(X, Y), cb.ls_boost(0.1), 0),
    "run without data": RUN.without_data(),
    "stumps": cb.solve(cb.Problem(cb.data.stumps(X), Y), cb.ls_boost(0.5), 9),
    "trees": cb.solve(cb.Problem(cb.data.trees(X), Y), cb.gbm(0.5), 9),
    "path": PATH,
    "relaxed path": PATH.relaxed(0.5),
    "exact path": cb.exact_path(X, Y),
    "multinomial path": cb.lasso.multinomial_path(X, np.digitize(Y, [-1, 1]), n_alphas=3),
}


class Balance(HTMLParser):
    """Follows the tags of a page: all that are opened are closed."""

    def __init__(self):
        super().__init__()
        self.open, self.names = [], set()

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.names.add(tag)

    def handle_startendtag(self, tag, attrs):
        self.names.add(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def rows_of(shown):
    return dict(re.findall(r"<tr><th[^>]*>(.*?)</th><td[^>]*>(.*?)</td></tr>", shown))


@pytest.mark.parametrize("name", SHOWN)
def test_a_cell_is_a_table_with_a_picture(name):
    shown = SHOWN[name]._repr_html_()
    page = Balance()
    page.feed(shown)
    assert page.open == [] and {"table", "th", "svg"} <= page.names
    assert 'role="img"' in shown and "http" not in shown.replace("http://www.w3.org", "")
    assert len(shown) < 60_000 and shown == SHOWN[name]._repr_html_()


def test_the_numbers_are_those_of_the_object():
    rows = rows_of(RUN._repr_html_())
    assert rows["method"] == "ls_boost, eps = 0.1" and rows["rows"] == "60"
    assert rows["steps"] == "50" and rows["ended"] == RUN.message
    assert rows["loss"].startswith(f"{RUN.final.loss:.6g};")
    rows = rows_of(PATH._repr_html_())
    assert rows["points"] == "8" and rows["alpha"].startswith(f"{PATH.alphas[0]:.4g} to ")
    assert float(rows["largest relative gap"]) == pytest.approx(PATH.gaps.max(), rel=0.05)
    assert rows["in use at the end"] == str(np.count_nonzero(PATH.coefs[:, -1]))
    assert "gamma = 0.5" in rows_of(SHOWN["relaxed path"]._repr_html_())["relaxed"]


def test_names_are_escaped_and_few():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=["<b>", "a&b", "c", "d", "e"])
    shown = cb.lasso_path(frame, Y, n_alphas=5)._repr_html_()
    assert "<b>" not in shown and "&lt;b&gt;" in shown


def test_without_matplotlib_there_is_the_table(monkeypatch):
    for module in [name for name in sys.modules if name.partition(".")[0] == "matplotlib"]:
        monkeypatch.setitem(sys.modules, module, None)
    for module in [name for name in sys.modules if name.startswith("coordboost.reporting.plots")]:
        monkeypatch.delitem(sys.modules, module)
    shown = RUN._repr_html_()
    assert "<svg" not in shown and rows_of(shown)["steps"] == "50"
