"""The page of the experiments is made of stored results, which are those of the present claims and
of the present numbers.
"""

import ast
from pathlib import Path

import pytest

from verification.experiments import judge, page, results
from verification.experiments.experiment import OUTCOMES, Provenance, experiments

ROOT = Path(__file__).parents[2]
FILES = sorted(
    file
    for file in results.HERE.glob("*.py")
    if "EXPERIMENTS" in file.read_text(encoding="utf-8") or "runs" in file.stem
)


def test_the_stored_results_are_those_of_the_present_code():
    assert results.faults() == []


def test_the_page_is_made_of_the_stored_results():
    again = "write it anew: python -m verification.experiments --page docs/experiments.md"
    written = (ROOT / "docs" / "experiments.md").read_text(encoding="utf-8")
    assert written == page.page(), again
    assert set(page.EARLIER) <= set(experiments()) and "no run yet" not in written


def test_nothing_is_refuted_that_no_paper_claims():
    """Every claim says where it comes from; verdicts against our references are other words."""
    for name, one in experiments().items():
        assert all(isinstance(claim.source, Provenance) for claim in one.claims), name
        for claim in (results.read(name) or {"claims": []})["claims"]:
            ours = claim["from"].startswith("our reference")
            assert claim["outcome"] in OUTCOMES and not (
                ours and claim["outcome"] in ("confirmed", "refuted")
            ), claim
            assert ours or claim["outcome"] not in ("holds", "does not hold"), claim
            assert "refuted" not in claim["ours"] + claim["statistic"], claim


#: Constants of the experiments of all papers, and wrong ones in their place.
PLANTED = [
    ("fgm_tables", "np.linspace(0.01, 0.8, 20)", "np.linspace(0.01, 0.8, 19)"),
    ("fgm_tables", "5 if quick else 50", "5 if quick else 40"),
    (
        "fgm_tables",
        "cb.regularized_forward_stagewise(0.001, ",
        "cb.regularized_forward_stagewise(0.002, ",
    ),
    ("fgm_prostate", "N_STEPS = 100_000", "N_STEPS = 50_000"),
    ("fgm_prostate", "EPS = 1e-4", "EPS = 1e-3"),
    ("fgm_prostate", "(0.44, 0.37, 0.33)", "(0.44, 0.37, 0.3)"),
    ("fgm_prostate", "3 if quick else 33", "3 if quick else 11"),
    ("fgm_data", "snr=1.0, n=50, p=500, ones=10", "snr=3.0, n=50, p=500, ones=10"),
    ("fgm_data", "[:10]", "[:12]"),
    ("fgm_errors", '("leukemia", 3.0)', '("leukemia", 10.0)'),
    ("fgm_bounds", "KAPPAS = {1.0: ", "KAPPAS = {2.0: "),
    ("fgm_designs", "6 if quick else 100", "6 if quick else 30"),
]


@pytest.mark.parametrize(("file", "right", "wrong"), PLANTED)
def test_a_changed_constant_is_seen(file, right, wrong):
    source = (results.HERE / f"{file}.py").read_text(encoding="utf-8")
    assert source.count(right) >= 1
    assert results.numbers(source) != results.numbers(source.replace(right, wrong, 1))


def left_out(tree):
    """Yield the parts of a file whose numbers change no result: drawings, texts with values in
    them, seconds, words of claims.
    """
    for node in ast.walk(tree):
        drawing = isinstance(node, ast.FunctionDef) and node.name.startswith(results.DRAWING)
        seconds = isinstance(node, ast.keyword) and node.arg == "seconds"
        if drawing or seconds or isinstance(node, ast.JoinedStr):
            yield node
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Claim":
            yield from (node.args[0], *node.args[2:])


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_number_of_an_experiment_is_seen(file):
    """Some numbers of every file, one at a time, are made larger by one."""
    source = file.read_text(encoding="utf-8")
    tree = ast.parse(source)
    known = results.numbers(source)
    hidden = {id(child) for part in left_out(tree) for child in ast.walk(part)}
    spots = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and type(node.value) in (int, float)
        and id(node) not in hidden
    ]
    for node in spots[:: max(1, len(spots) // 12)]:
        value = node.value
        node.value = value + 1
        assert results.numbers(ast.unparse(tree)) != known, (
            f"{file.name}, line {node.lineno}: {value}"
        )
        node.value = value


def test_the_levels_of_the_tests_of_claims():
    assert (judge.LEVEL, judge.SHARE) == (0.05, 0.25)
    assert judge.less.keywords == {"share": 0.0, "level": 0.01} and judge.fewer.keywords == {
        "share": 0.0,
        "level": 0.01,
        "log": True,
    }


def test_a_result_of_other_claims_or_numbers_is_named(monkeypatch, tmp_path):
    name = "fgm_figure10"
    stored = results.read(name)
    monkeypatch.setattr(results, "FOLDER", tmp_path)
    for change, said in (
        ({}, None),
        ({"quick": True}, "quick form"),
        ({"claims": stored["claims"][1:]}, "other claims"),
        ({"numbers": {"fgm_bounds": "0"}}, "a number has changed in fgm_bounds"),
    ):
        results.path(name).write_text(results.text({**stored, **change}), encoding="utf-8")
        found = results.faults()
        assert found == [] if said is None else len(found) == 1 and said in found[0]
    (tmp_path / "rgbm_figure11.json").write_text("{}", encoding="utf-8")
    assert "rgbm_figure11.json: there is no such experiment." in results.faults()
