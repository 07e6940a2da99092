"""The lessons of the course, ``docs/course``, run outside a checkout, and so do the solutions of
their exercises: the code that folds out on the page, after the code of the lesson.
"""

import ast
import re
import runpy
import sys
import textwrap
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
import pytest

DOCS = Path(__file__).parents[2] / "docs"
LESSONS = sorted((DOCS / "course").glob("plot_*.py"))


def exercises(lesson):
    """The exercises of a lesson, name: text."""
    source = lesson.read_text(encoding="utf-8").partition("# Exercises\n# ---------\n")[2]
    text = "\n".join(line[2:] for line in source.splitlines())
    starts = [*re.finditer(r"^\*\*(\d\.\d|Break it)\b", text, re.M)]
    ends = [start.start() for start in starts[1:]] + [len(text)]
    return {
        f"{lesson.stem[5]}-{start[1]}": text[start.start() : end]
        for start, end in zip(starts, ends, strict=True)
    }


def solution(exercise):
    """The code of a solution, "" where there is none."""
    folded = exercise.partition("\n.. dropdown:: Solution\n")[2]
    return textwrap.dedent(folded.partition(".. code-block:: python\n")[2])


def loaded(statement):
    """The names that a statement takes from those before it."""
    names = {
        node.id
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    }
    inner = {node.arg for node in ast.walk(statement) if isinstance(node, ast.arg)}
    for node in ast.walk(statement):
        if isinstance(node, ast.comprehension):
            inner |= {name.id for name in ast.walk(node.target) if isinstance(name, ast.Name)}
    return names - inner


def stored(statement):
    """The names that a statement binds."""
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return {alias.asname or alias.name for alias in statement.names}
    if isinstance(statement, ast.FunctionDef):
        return {statement.name}
    return {
        node.id
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


def needed(lesson, code):
    """The statements of a lesson that lead to the names which some code takes from it."""
    names = set()
    for statement in reversed(ast.parse(code).body):
        names = (names - stored(statement)) | loaded(statement)
    kept = []
    for statement in reversed(ast.parse(lesson.read_text(encoding="utf-8")).body):
        if names & stored(statement):
            names = (names - stored(statement)) | loaded(statement)
            kept.insert(0, statement)
    return ast.Module(kept, [])


def run(code, variables, name):
    exec(compile(code, name, "exec"), variables)


SOLUTIONS = {
    name: (lesson, solution(exercise))
    for lesson in LESSONS
    for name, exercise in exercises(lesson).items()
}


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.stem)
def test_a_lesson_has_three_exercises_and_a_claim_to_break_each_with_its_solution(lesson):
    number = lesson.stem[5]
    names = [f"{number}-{number}.{k}" for k in (1, 2, 3)] + [f"{number}-Break it"]
    assert list(exercises(lesson)) == names
    for exercise in exercises(lesson).values():
        assert "assert " in solution(exercise)
        assert ("BoundCheck" in exercise) == ("BoundCheck" in solution(exercise))


@pytest.mark.parametrize("name", SOLUTIONS)
def test_a_solution_passes_its_checks(name):
    lesson, code = SOLUTIONS[name]
    matplotlib.use("agg")
    variables = {}
    run(needed(lesson, code), variables, str(lesson))
    run(code, variables, f"solution of {name}")
    plt.close("all")


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.stem)
def test_no_solution_takes_from_the_next_what_the_lesson_gave(lesson):
    """A reader runs them one after the other."""
    bound = set()
    for exercise in exercises(lesson).values():
        statements = ast.parse(solution(exercise)).body
        names = set()
        for statement in reversed(statements):
            names = (names - stored(statement)) | loaded(statement)
        assert not names & bound
        bound |= {name for statement in statements for name in stored(statement)}


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.stem)
def test_a_lesson_imports_only_what_an_installation_has(lesson):
    tree = ast.parse(text := lesson.read_text(encoding="utf-8"))
    modules = {
        name.partition(".")[0]
        for node in ast.walk(tree)
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert modules <= {"coordboost", "matplotlib", "numpy", "sklearn"} | sys.stdlib_module_names
    assert not re.search(r"__file__|pathlib|\bopen\(|tests/|import verification", text)


@pytest.mark.slow
@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.stem)
def test_a_lesson_runs_in_an_empty_folder_its_pictures_are_saved_and_its_solutions_follow(
    lesson, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    figures = runpy.run_path(str(DOCS / "figures.py"))
    with matplotlib.rc_context():
        variables, shown = figures["run"](lesson)
        saved = figures["save"]([*variables.values(), *shown], tmp_path, "lesson")
        for name, exercise in exercises(lesson).items():
            run(solution(exercise), variables, f"solution of {name}")
    assert {path.name for path in tmp_path.iterdir()} == {path.name for path in saved}
    drawn = [path for path in saved if path.suffix == ".svg"]
    assert 2 <= len(drawn) <= 4 and all("</svg>" in path.read_text() for path in drawn)
    sliders = [path.read_text(encoding="utf-8") for path in saved if path.suffix == ".html"]
    assert len(sliders) == len(re.findall(r"^cb\.plots\.[eE]xplor", lesson.read_text(), re.M))
    assert all(page.count("<img") >= 6 and 'type="range"' in page for page in sliders)


def test_the_pictures_of_a_page_are_figures_animations_and_sliders(tmp_path):
    page = tmp_path / "plot_all.py"
    page.write_text(
        textwrap.dedent(
            """
            import matplotlib.pyplot as plt
            from matplotlib.animation import FuncAnimation

            import coordboost as cb

            moving, ax = plt.subplots()
            animation = FuncAnimation(moving, lambda k: ax.plot([0, k]), frames=2)
            plt.figure()
            kept = cb.plots.Explorer(lambda figure, k: figure.subplots(), [1, 2, 3], "k")
            kept
            cb.plots.Explorer(lambda figure, k: figure.subplots(), [1, 2], "k")
            """
        )
    )
    matplotlib.use("agg")
    figures = runpy.run_path(str(DOCS / "figures.py"))
    variables, shown = figures["run"](page)
    saved = figures["save"]([*variables.values(), *shown], tmp_path, "all")
    assert [path.name for path in saved] == [
        "all_slider_1.html",
        "all_slider_2.html",
        "all_animation_1.gif",
        "all_2.svg",
    ]
    assert [path.read_text(encoding="utf-8").count("<img") for path in saved[:2]] == [3, 2]
    assert saved[2].read_bytes().startswith(b"GIF89a")
    assert not plt.get_fignums()


def test_bound_check_is_explained_before_it_is_used():
    """In the first lesson, where the first check is printed."""
    text = LESSONS[0].read_text(encoding="utf-8")
    explained = text.index("a ``BoundCheck``:")
    assert explained < text.index("cb.theory.check(")
    assert "BoundCheck" not in text[:explained]


def test_panels_in_a_row_are_stacked_for_telephones():
    matplotlib.use("agg")
    panels = runpy.run_path(str(DOCS / "panels.py"))
    figure, axes = plt.subplots(1, 3, sharey=True)
    axes[0].set_ylabel("loss")
    figure.suptitle("Three panels")
    assert panels["in_a_row"](figure)
    panels["stack"](figure)
    figure.draw_without_rendering()
    boxes = [ax.get_window_extent() for ax in axes]
    assert boxes[0].y0 > boxes[1].y1 and boxes[1].y0 > boxes[2].y1
    assert {ax.get_ylabel() for ax in axes} == {"loss"}
    twins, ax = plt.subplots()
    ax.twinx()
    with_legend, axes = plt.subplots(1, 2)
    axes[0].plot([0, 1], label="a line")
    with_legend.legend()
    for other in (twins, with_legend, plt.subplots(2, 2)[0], plt.subplots()[0]):
        assert not panels["in_a_row"](other)
    plt.close("all")
