"""Which errors are planted: a list by name, and generated ones, the same for the same seed.

Generated errors change one number, operation, index or condition of a claim, or of what computes it. What claims nothing is left alone:
roundings, words, which instances are drawn, how long a search goes on, the helpers of sabotages.
"""

import ast
import functools
import random
import sys
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
    (f"{BOUNDS}trail.py", "float(outside @ outside) / 2", "float(outside @ outside) / 1.9"),
    (f"{BOUNDS}regularized.py", "trail.inner - radius[0] * trail.corr)", "trail.inner - radius[0] * trail.corr / 2)"),
    (f"{THEOREMS}rgbm_proposition_3_3.py", "Fraction(t * t * (t + 1), 2)", "Fraction(t * t * (t + 1), 4)"),
]  # fmt: skip
#: Where errors are planted, and the files of the ledger that stand on it.
PLACES = {
    f"{BOUNDS}ls_boost.py": "fgm_theorem_2_1 fgm_proposition_a_2 fgm_eigenvalues",
    f"{BOUNDS}stagewise.py": "fgm_theorem_3_1 fgm_proposition_3_1",
    f"{BOUNDS}regularized.py": "fgm_theorem_4_1 fgm_theorem_5_1 fgm_proposition_4_1 fgm_optima",
    f"{BOUNDS}frank_wolfe.py": "jaggi",
    f"{BOUNDS}randomized.py": "rgbm_theorem_4",
    f"{BOUNDS}accelerated.py": "agbm_theorem_4",
    f"{BOUNDS}trail.py": "fgm_theorem fgm_eigenvalues fgm_proposition_a_2 fgm_optima",
    f"{BOUNDS}afterwards.py": "ours_after",
    f"{BOUNDS}rademacher.py": "rgb_theorem",
    f"{BOUNDS}check.py": "fgm_theorem_2_1",
    f"{BOUNDS}plan.py": "",
    f"{BOUNDS}promises.py": "",
    "coordboost/geometry": "rgbm_",
}
EQUIVALENTS = ROOT / "tests" / "planted_equivalents.txt"
#: Names of functions and variables that hold roundings, sizes of loops, or words.
ROUNDING = [
    "slack",
    "noise",
    "rounding",
    "lost",
    "against",
    "as_dict",
    "__post_init__",
    "source",
    "cost",
    "doubt",
    "error",
    "count",
]
#: Beginnings of the names of functions that draw and make instances, beside those that a ``Space`` is made of.
MAKERS = ("_draw", "_make", "_varying", "_grid", "_columns", "_set", "_short", "_tail_of", "starts")
#: What stands in lines that say which instances are tried, how long a search goes on, or how far rounding goes.
DRAWN = (
    "rng", "@dataclass", "options=", "n_starts", "n_random", "rounds", "seed", "shape", "numbers", ".at((", "Descent(", "Roads(",
    "for t in (", "edges", "np.eye(p)", "_BLOCK", "REPEATS", "FEW", "QUICK", "MAX_", "TOLERANCE", "BUDGET", "1e-", "finfo", "noise",
    "slack", "follow_angle=0", "k = np.array([", "budget", "doubt(", "for _ in range(",
    "LIMIT = ", "_STEPS = ", "_ROUNDS = ", "GREEDY, ROUNDS", "GONE", "KEPT = ", "np.roll(case.points",
)  # fmt: skip


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
        left_alone = any(word in name.lower() for name in names for word in ROUNDING) or {"SABOTAGE", "CASES", "QUICK"} & set(
            names
        )
        if left_alone or (isinstance(node, ast.FunctionDef) and (node.name.startswith(MAKERS) or node.name in _makers(tree))):
            bad.update(range(node.lineno, node.end_lineno + 1))
    bad.update(line for node in _only_for_sabotages(tree) for line in range(node.lineno, node.end_lineno + 1))
    bad.update(i for i, line in enumerate(source.decode().split("\n"), 1) if any(word in line for word in DRAWN))
    return set(range(1, source.count(b"\n") + 2)) - bad


def _makers(tree):
    """Names of the functions that draw and make the instances of the spaces of a file."""
    calls = [
        node for node in ast.walk(tree) if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("Space", "replace")
    ]
    given = [
        part
        for call in calls
        for part in (*call.args[1:3], *(word.value for word in call.keywords if word.arg in ("draw", "make")))
    ]
    return {part.id for part in given if isinstance(part, ast.Name)}


def _only_for_sabotages(tree):
    """Functions of a file of theorems that nothing uses but its sabotages."""
    helpers = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef) and not node.decorator_list}
    sabotage = [node for node in tree.body if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "SABOTAGE"]
    used = [(node, {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}) for node in tree.body]
    found = []
    for name in helpers if sabotage else ():
        if not any(name in names for node, names in used if node not in (*sabotage, *found, helpers[name])):
            found.append(helpers[name])
    return found


def _not_strict(text):
    return text.replace("<=", "<").replace(">=", ">")


def _same(one, other):
    return ast.dump(ast.parse(one)) == ast.dump(ast.parse(other))


def _claims_nothing(one, source):
    """Whether only < and <= are exchanged: a bound is attained or not, and nothing is claimed about it.

    Or `strict` of ``zip``; whether a run is compiled, which has the same steps; a number of roundings, so many ``U``.
    """
    plain = [_not_strict(text) for text in (source[one.begin : one.end].decode(), one.text)]
    how = source[: one.begin].endswith((b"strict=", b"compile=")) or source[one.end :].startswith(b" * U")
    return how or (one.kind == "comparison" and _same(*plain))


def _in_formulas(source):
    """Mutants inside formulas that are written as texts."""
    for node in ast.walk(ast.parse(source)):
        if not (isinstance(node, ast.Constant) and isinstance(node.value, str) and node.lineno == node.end_lineno):
            continue
        try:
            tree = ast.parse(node.value, mode="eval")
        except SyntaxError:
            continue
        if (
            " " in node.value
            and not isinstance(tree.body, ast.Tuple)
            and any(isinstance(inner, ast.Compare | ast.BinOp) for inner in ast.walk(tree))
        ):
            start = sum(len(line) + 1 for line in source.split(b"\n")[: node.lineno - 1]) + node.col_offset + 1
            for one in mutants.mutants(node.value.encode()):
                after = one.of(node.value.encode()).decode()
                if _same(_not_strict(after), _not_strict(node.value)):
                    continue  # a bound is attained or not: nothing is claimed about it
                text = one.text.replace('"', "'")
                yield mutants.Mutant(node.lineno, start + one.begin, start + one.end, text, f"formula, {one.kind}")


KINDS = ("constant", "arithmetic", "comparison", "slice", "function", "condition dropped", "and/or", "sign")


@functools.cache
def _candidates(file):
    """(Source of a file, {line: errors that may be planted there})."""
    source, by_line = (ROOT / file).read_bytes(), {}
    good = _spans(source)
    for one in (*mutants.mutants(source), *(_in_formulas(source) if file.startswith(THEOREMS) else ())):
        if one.line in good and one.kind.removeprefix("formula, ") in KINDS and not _claims_nothing(one, source):
            by_line.setdefault(one.line, []).append(one)
    return source, by_line


def generated(count, seed, only):
    """`count` errors, [(file, before, after)], spread over the files, at most one of a line."""
    draw, every, known = random.Random(seed), {}, equivalents()
    for file in files():
        if only is not None and only not in file:
            continue
        source, by_line = _candidates(file)
        chosen = [draw.choice(by_line[line]) for line in sorted(by_line)]
        draw.shuffle(chosen)
        every[file] = [(file, one, source) for one in chosen]
    out = []
    while len(out) < count and any(every.values()):
        file = draw.choices(list(every), weights=[len(rows) ** 0.5 for rows in every.values()])[0]
        if every[file]:
            _, one, source = every[file].pop()
            what = file, *one.lines(source)
            out += [(*what, one.of(source))] * (mutants.parses(one.of(source)) and what not in known)
    return out


def equivalents():
    """The known changes that change no claim: {(file, line before, line after)}."""
    parts = [block.strip().split("\n") for block in EQUIVALENTS.read_text().split("\n\n")[1:]]
    return {(file, old.removeprefix("- "), new.removeprefix("+ ")) for file, old, new, *_ in parts}


def by_name():
    """The list, [(file, before, after, source)]."""
    out = []
    for file, old, new in BY_NAME:
        source = (ROOT / file).read_text()
        if source.count(old) < 1:
            sys.exit(f"{file} has no longer: {old}")
        out.append((file, old, new, source.replace(old, new, 1).encode()))
    return out
