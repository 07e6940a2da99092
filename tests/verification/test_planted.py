"""Planted errors: wrong constants, exponents, indices and hypotheses in the files behind the
ledger; the ledger must detect each.

One error at a time is written into a copy of a file of ``coordboost/theory/bounds`` or
``verification/theorems``. A fork of this process loads the packages from the copy and runs the
quick rows of the ledger that use the file, until one differs from its claim.
"""

import os
import resource
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
B, T = "coordboost/theory/bounds/", "verification/theorems/"
#: (file, original text, planted text, the part of the ledger that detects it)
PLANTED = [
    (
        f"{B}stagewise.py",
        "at(i, distance) <= root(p) / lambda_pmin * D",
        "at(i, distance) <= root(p / lambda_pmin) * D",
        "fgm_theorem_3_1",
    ),
    (
        f"{B}ls_boost.py",
        "root(k * eps), eps / fall(x, 1 / 2)",
        "root(k * eps), eps / x",
        "fgm_theorem_2_1",
    ),
    (
        f"{B}regularized.py",
        "(2 * eps * (k + 1)) + 2 * eps",
        "(2 * eps * (k + 1)) + eps",
        "fgm_theorem_4_1 fgm_theorem_5_1",
    ),
    (
        f"{B}stagewise.py",
        "A**2 / (eps * (k + 1)) + eps",
        "A**2 / (eps * (k + 2)) + eps",
        "fgm_theorem_3_1",
    ),
    (
        f"{B}stagewise.py",
        "p / (2 * lambda_pmin) * D**2",
        "p / (4 * lambda_pmin) * D**2",
        "fgm_theorem_3_1",
    ),
    (
        f"{B}regularized.py",
        "root(2 * delta * W)",
        "root(delta * W)",
        "fgm_theorem_4_1 fgm_theorem_5_1 fgm_proposition_4_1",
    ),
    (f"{B}frank_wolfe.py", "<= 8 * delta**2", "<= 4 * delta**2", "jaggi"),
    (
        f"{B}regularized.py",
        "A**2 + 4 * total(steps",
        "A**2 + total(steps",
        "fgm_theorem_4_1 fgm_theorem_5_1",
    ),
    (
        f"{T}fgm_proposition_a_1.py",
        'Fraction(1, 2) if variant == "printed"',
        'Fraction(1) if variant == "printed"',
        "fgm_proposition_a_1",
    ),
    (
        f"{T}rgbm_theorem_4_2.py",
        "gaps**2, 2 * case.problem.loss.sigma * far**2",
        "gaps**2, case.problem.loss.sigma * far**2",
        "rgbm_theorem_4_2",
    ),
    (
        f"{B}randomized.py",
        "decay(mu / sigma * angle2, M)",
        "decay(mu / sigma * angle2, M + 1)",
        "rgbm_theorem_4",
    ),
    (
        f"{B}randomized.py",
        "M / (2 * sigma * start_distance2)",
        "M / (sigma * start_distance2)",
        "rgbm_theorem_4",
    ),
    (
        f"{B}randomized.py",
        "decay(mu / sigma * angle2, M)",
        "decay(1.05 * mu / sigma * angle2, M)",
        "rgbm_theorem_4_1",
    ),
    (
        f"{B}randomized.py",
        "M / (2 * sigma * start_distance2)",
        "M / (1.9 * sigma * start_distance2)",
        "rgbm_theorem_4_2",
    ),
    (
        f"{B}randomized.py",
        "2 * sigma * start_distance2 / largest",
        "1.9 * sigma * start_distance2 / largest",
        "rgbm_theorem_4_2",
    ),
    (
        f"{T}fgm_theorem_5_1.py",
        "2.01 * radius[-1] * eps",
        "1.01 * radius[-1] * eps",
        "fgm_theorem_5_1",
    ),
    (
        f"{T}fgm_proposition_a_3.py",
        "1 - 2 * np.exp(-(t**2) / 2)",
        "1 - np.exp(-(t**2) / 2)",
        "fgm_proposition_a_3",
    ),
    (
        f"{T}fgm_proposition_a_3.py",
        "1 - 2 * np.exp(-(t**2) / 2)",
        "1 - 2 * np.exp(-(t**2))",
        "fgm_proposition_a_3",
    ),
    (
        f"{B}regularized.py",
        "least(before(delta), k * eps)",
        "least(before(delta), (k - 1) * eps)",
        "fgm_theorem_5_1",
    ),
    (
        f"{T}fgm_proposition_3_1.py",
        "self.length2 = len(c)",
        "self.length2 = len(c) - 1",
        "fgm_proposition_3_1",
    ),
    (
        f"{B}trail.py",
        "float(outside @ outside) / 2",
        "float(outside @ outside) / 1.9",
        "fgm_optima",
    ),
    (
        f"{B}trail.py",
        "trail.inner - radius[0] * trail.corr)",
        "trail.inner - radius[0] * trail.corr / 2)",
        "fgm_optima",
    ),
    (
        f"{T}rgbm_proposition_3_3.py",
        "Fraction(t * t * (t + 1), 2)",
        "Fraction(t * t * (t + 1), 4)",
        "rgbm_proposition_3_3",
    ),
]
#: CPU seconds for the ledger; an endless loop counts as detected.
LIMIT = 90


def planted(folder, file, source):
    """A folder with links to the packages under test, in which one file is replaced by `source`."""
    for room in ("coordboost/theory", "coordboost/angles", "verification"):
        for path in (ROOT / room).rglob("*"):
            if path.is_file() and path.suffix in (".py", ".json"):
                (folder / path.relative_to(ROOT)).parent.mkdir(parents=True, exist_ok=True)
                (folder / path.relative_to(ROOT)).symlink_to(path)
    (folder / file).unlink()
    (folder / file).write_text(source)
    return folder


def noticed(folder, parts, limit=LIMIT):
    """The first row of these parts of the ledger that differs from its claim, in a fork of this
    process that loads from `folder`.
    """
    reading, writing = os.pipe()
    if os.fork() == 0:
        status = "a fork that ended"
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
        try:
            status = first_fault(folder, parts)
        except BaseException as error:
            status = f"{type(error).__name__}: {error}"
        os.write(writing, status.encode()[:2000])
        os._exit(0)
    os.close(writing)
    _, status = os.wait()
    with os.fdopen(reading, "rb") as said:
        return said.read().decode() or ("no end" if os.WIFSIGNALED(status) else "")


def first_fault(folder, parts):
    import coordboost

    rooms = ("verification", "coordboost.theory", "coordboost.angles")
    for name in [name for name in sys.modules if name.startswith(rooms)]:
        del sys.modules[name]
    coordboost.__path__ = [str(folder / "coordboost"), *coordboost.__path__]
    for name, value in list(vars(coordboost).items()):
        if name in ("bounds", "langevin", "theory", "angles") or str(
            getattr(value, "__module__", "")
        ).startswith(rooms[1:]):
            delattr(coordboost, name)
    sys.path.insert(0, str(folder))
    from verification import ledger

    while parts == ["endless"]:
        pass
    for part in parts:
        faults = [
            fault
            for module in ledger.modules()
            if part in module.__name__
            for fault in ledger.form_faults(module)
        ]
        faults += [
            statement for statement, job in ledger.jobs(quick=True, only=part) if not job().good
        ]
        if faults:
            return faults[0]
    return ""


@pytest.mark.parametrize(
    "k", [6, *(pytest.param(k, marks=pytest.mark.slow) for k in range(len(PLANTED)) if k != 6)]
)
def test_a_planted_error_is_detected_and_the_original_passes(k, tmp_path):
    file, before, after, parts = PLANTED[k]
    source = (ROOT / file).read_text()
    assert before in source, f"{file} has no longer: {before}"
    assert noticed(
        planted(tmp_path / "wrong", file, source.replace(before, after, 1)), parts.split()
    )
    assert noticed(planted(tmp_path / "right", file, source), parts.split()) == ""


def test_the_list_is_up_to_date():
    assert [before for file, before, *_ in PLANTED if before not in (ROOT / file).read_text()] == []


def test_an_endless_loop_is_detected():
    assert noticed(ROOT, ["endless"], limit=5) == "no end"
