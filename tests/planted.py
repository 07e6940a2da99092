"""Planted errors: wrong constants, exponents, indices and hypotheses in what the ledger stands on, each of which it should notice.

    python tests/planted.py                       # the list by name, and generated ones up to 120
    python tests/planted.py --n 0                 # the list alone
    python tests/planted.py --only bounds/ls_boost

Not part of the suite. One error at a time goes into a copy of ``coordboost/bounds``, ``coordboost/geometry`` or a file of
``verification/theorems``. Then a fork of this process loads these rooms from the copy and goes through the quick rows of the ledger that
stand on the file, until one is not as claimed. The same seed gives the same errors. Generated ones change one number, operation, index
or condition of a formula; what says how far rounding goes, and what speaks to people, is left alone.
"""

import argparse
import ast
import os
import random
import sys
import tempfile
import time
from pathlib import Path

import mutants

ROOT = Path(__file__).resolve().parents[1]
BOUNDS, THEOREMS = "coordboost/bounds/", "verification/theorems/"
#: (file, what stands there, what is planted)
BY_NAME = [
    (f"{BOUNDS}stagewise.py", "np.sqrt(constants.n_learners) / constants.lambda_pmin * width", "np.sqrt(constants.kappa) * width"),
    (f"{BOUNDS}ls_boost.py", "np.sqrt(np.asarray(k) * eps), eps / one_minus_power(x, 0.5)", "np.sqrt(np.asarray(k) * eps), eps / x"),
    (f"{BOUNDS}regularized.py", "(2 * eps * (k + 1)) + 2 * eps", "(2 * eps * (k + 1)) + eps"),
    (f"{BOUNDS}stagewise.py", "constants.size**2 / (eps * (k + 1)) + eps", "constants.size**2 / (eps * (k + 2)) + eps"),
    (f"{BOUNDS}stagewise.py", "constants.kappa / 2 * (width", "constants.kappa / 4 * (width"),
    (f"{BOUNDS}regularized.py", "np.sqrt(2 * excess(constants", "np.sqrt(excess(constants"),
    (f"{BOUNDS}frank_wolfe.py", "return 8 * delta**2", "return 4 * delta**2"),
    (f"{BOUNDS}regularized.py", "constants.size**2 + 4 * np.cumsum(steps", "constants.size**2 + np.cumsum(steps"),
    (f"{THEOREMS}fgm_proposition_a_1.py", 'Fraction(1, 2) if variant == "printed"', 'Fraction(1) if variant == "printed"'),
    (f"{THEOREMS}rgbm_theorem_4_2.py", "gaps**2, 2 * case.problem.loss.sigma * far**2", "gaps**2, case.problem.loss.sigma * far**2"),
    (f"{THEOREMS}rgbm_theorem_4_2.py", "1 / (1 / gap + M / (2 * start_distance2))", "1 / (1 / gap + M / start_distance2)"),
    (f"{BOUNDS}randomized.py", "np.asarray(steps) / (2 * pace.sigma", "np.asarray(steps) / (pace.sigma"),
    (f"{THEOREMS}fgm_theorem_5_1.py", "2.01 * radius[-1] * eps", "1.01 * radius[-1] * eps"),
    (f"{THEOREMS}fgm_proposition_a_3.py", "1 - 2 * np.exp(-(t**2) / 2)", "1 - np.exp(-(t**2) / 2)"),
    (f"{THEOREMS}fgm_proposition_a_3.py", "1 - 2 * np.exp(-(t**2) / 2)", "1 - 2 * np.exp(-(t**2))"),
    (f"{THEOREMS}fgm_theorem_5_1.py", "(2 * eps * (k + 1)) + 2 * eps", "(2 * eps * (k + 1)) + eps"),
    (f"{THEOREMS}fgm_proposition_3_1.py", "c @ c, len(c)", "c @ c, len(c) - 1"),
    (f"{THEOREMS}rgbm_proposition_3_3.py", "Fraction(t * t * (t + 1), 2)", "Fraction(t * t * (t + 1), 4)"),
]  # fmt: skip
#: Where errors are planted, and the files of the ledger that stand on it.
PLACES = {
    f"{BOUNDS}ls_boost.py": "fgm_theorem_2_1 fgm_proposition_a_2 fgm_eigenvalues",
    f"{BOUNDS}stagewise.py": "fgm_theorem_3_1 fgm_proposition_3_1",
    f"{BOUNDS}regularized.py": "fgm_theorem_4_1 fgm_theorem_5_1 fgm_proposition_4_1",
    f"{BOUNDS}frank_wolfe.py": "jaggi",
    f"{BOUNDS}randomized.py": "rgbm_theorem_4",
    f"{BOUNDS}trail.py": "fgm_theorem fgm_eigenvalues fgm_proposition_a_2",
    "coordboost/geometry": "rgbm_",
}
#: Names of functions and variables that hold roundings, sizes of loops, or words.
ROUNDING = ("slack", "noise", "rounding", "lost", "against", "as_dict", "__post_init__", "source", "cost", "doubt", "error")
#: What stands in lines that say which instances are tried, or how long a search goes on.
DRAWN = ("rng", "@dataclass", "options=", "n_starts", "1e-")


def files():
    """{file: the parts of the ledger that stand on it}."""
    out = {}
    for place, rows in PLACES.items():
        path = ROOT / place
        for inner in [path] if path.is_file() else sorted(path.glob("*.py")):
            if inner.stem != "__init__":
                out[str(inner.relative_to(ROOT))] = rows.split()
    for inner in sorted((ROOT / THEOREMS).glob("[!_]*.py")):
        users = [other.stem for other in (ROOT / THEOREMS).glob("*.py") if f"theorems.{inner.stem} import" in other.read_text()]
        out[str(inner.relative_to(ROOT))] = [inner.stem, *sorted(users)]
    return out


def _spans(source):
    """Lines of a source that hold no roundings and no prose: of functions and assignments not named so, below the imports."""
    tree, bad = ast.parse(source), set()
    ends = [node.lineno for node in tree.body if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "CASES"]
    bad.update(range(min(ends, default=10**6), 10**4))  # below the cases stand the sabotages
    for node in ast.walk(tree):
        names = [node.name] if isinstance(node, ast.FunctionDef | ast.ClassDef) else []
        names += [t.id for t in getattr(node, "targets", []) if isinstance(t, ast.Name)]
        if any(word in name.lower() for name in names for word in ROUNDING) or {"SABOTAGE", "CASES", "QUICK"} & set(names):
            bad.update(range(node.lineno, node.end_lineno + 1))
    bad.update(i for i, line in enumerate(source.decode().split("\n"), 1) if any(word in line for word in DRAWN))
    return set(range(1, source.count(b"\n") + 2)) - bad


def _in_formulas(source):
    """Mutants inside formulas that are written as texts."""
    for node in ast.walk(ast.parse(source)):
        if not (isinstance(node, ast.Constant) and isinstance(node.value, str) and node.lineno == node.end_lineno):
            continue
        try:
            tree = ast.parse(node.value, mode="eval")
        except SyntaxError:
            continue
        if any(isinstance(inner, ast.Compare | ast.BinOp) for inner in ast.walk(tree)):
            start = sum(len(line) + 1 for line in source.split(b"\n")[: node.lineno - 1]) + node.col_offset + 1
            for one in mutants.mutants(node.value.encode()):
                after = one.of(node.value.encode()).decode()
                if after.replace("<=", "<") == node.value.replace("<=", "<"):
                    continue  # a bound is attained or not: nothing is claimed about it
                text = one.text.replace('"', "'")
                yield mutants.Mutant(node.lineno, start + one.begin, start + one.end, text, f"formula, {one.kind}")


KINDS = ("constant", "arithmetic", "comparison", "slice", "function", "condition dropped", "and/or", "sign")


def generated(count, seed, only):
    """`count` errors, [(file, before, after)], spread over the files, at most one of a line."""
    draw, every = random.Random(seed), {}
    for file in files():
        source = (ROOT / file).read_bytes()
        good, by_line = _spans(source), {}
        found = [*mutants.mutants(source), *(_in_formulas(source) if file.startswith(THEOREMS) else ())]
        for one in found:
            if one.line in good and one.kind.removeprefix("formula, ") in KINDS and (only is None or only in file):
                by_line.setdefault(one.line, []).append(one)
        chosen = [draw.choice(by_line[line]) for line in sorted(by_line)]
        draw.shuffle(chosen)
        every[file] = [(file, one, source) for one in chosen]
    out = []
    while len(out) < count and any(every.values()):
        file = draw.choices(list(every), weights=[len(rows) ** 0.5 for rows in every.values()])[0]
        if every[file]:
            _, one, source = every[file].pop()
            out += [(file, *one.lines(source), one.of(source))] * mutants.parses(one.of(source))
    return out


def by_name():
    """The list, [(file, before, after, source)]."""
    out = []
    for file, old, new in BY_NAME:
        source = (ROOT / file).read_text()
        if source.count(old) < 1:
            sys.exit(f"{file} has no longer: {old}")
        out.append((file, old, new, source.replace(old, new, 1).encode()))
    return out


def _fresh(folder):
    """Load the rooms in which errors are planted from another folder."""
    import coordboost

    rooms = ("verification", "coordboost.bounds", "coordboost.geometry")
    for name in [name for name in sys.modules if name.startswith(rooms)]:
        del sys.modules[name]
    coordboost.__path__ = [str(folder / "coordboost"), *coordboost.__path__]
    for name, value in list(vars(coordboost).items()):
        if name in ("bounds", "geometry") or str(getattr(value, "__module__", "")).startswith(rooms[1:]):
            delattr(coordboost, name)
    sys.path.insert(0, str(folder))


def caught(file, source, rows):
    """The first row of the ledger that is not as claimed, or an empty text."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for room in ("coordboost/bounds", "coordboost/geometry", "verification"):
            for path in (ROOT / room).rglob("*"):
                if path.is_file() and path.suffix in (".py", ".json"):
                    (folder / path.relative_to(ROOT)).parent.mkdir(parents=True, exist_ok=True)
                    (folder / path.relative_to(ROOT)).symlink_to(path)
        (folder / file).unlink()
        (folder / file).write_bytes(source)
        return _asked(folder, rows)


def _asked(folder, rows):
    """What a fork of this process says about the ledger in a folder."""
    reading, writing = os.pipe()
    if os.fork() == 0:
        status = "a fork that ended"
        try:
            _fresh(folder)
            status = _first_fault(rows)
        except BaseException as error:
            status = f"{type(error).__name__}: {error}"
        os.write(writing, status.encode()[:2000])
        os._exit(0)
    os.close(writing)
    os.wait()
    with os.fdopen(reading, "rb") as said:
        return said.read().decode()


def _first_fault(rows):
    from verification import ledger

    for part in rows:
        for statement, job in ledger.jobs(quick=True, only=part):
            if not job().good:
                return statement
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--n", type=int, default=120, help="how many errors, those of the list included")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", help="files whose path contains this")
    options = parser.parse_args()
    sys.path.insert(0, str(ROOT))
    from verification import ledger

    list(ledger.jobs(quick=True, only="nothing"))
    began, places = time.perf_counter(), files()
    work = [one for one in by_name() if options.only is None or options.only in one[0]]
    work += generated(max(0, options.n - len(work)), options.seed, options.only)
    for part in sorted({part for rows in places.values() for part in rows}):
        if fault := _asked(ROOT, [part]):
            sys.exit(f"without any error {fault} is not as claimed.")
    missed = 0
    for file, before, after, source in work:
        said = caught(file, source, places[file])
        missed += not said
        print(
            f"{'caught by ' + said.splitlines()[0][:90] if said else 'MISSED'}: {file}\n- {before[:160]}\n+ {after[:160]}",
            flush=True,
        )
    print(f"{len(work) - missed} of {len(work)} caught in {time.perf_counter() - began:.0f} s")
    raise SystemExit(missed > 0.05 * len(work))


if __name__ == "__main__":
    main()
