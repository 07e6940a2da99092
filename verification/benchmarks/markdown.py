"""The tables in Markdown: a line of facts, a line with the verdict, a row for each contestant; and
the sections of a page that a suite writes anew.
"""

from pathlib import Path

CLOCK = (
    "wall",
    "wall_min",
    "wall_max",
    "cpu",
    "cpu_min",
    "cpu_max",
    "first_call",
    "ratio",
    "over_best",
)
APART = ("name", "rows", "suite", "unit", "best_peer", "ours_over_best")


def number(value):
    """Return a number with three digits, as a string; empty for None."""
    return (
        ""
        if value is None
        else f"{value:.3g}"
        if isinstance(value, float)
        else str(value).replace("|", "\\|")
    )


def shape(value):
    """Return an entry of the line of facts; a shape is written as ``72 x 3571``."""
    return " x ".join(str(side) for side in value) if isinstance(value, list) else number(value)


def verdict(table):
    """Return the line with the ratio of our time to that of the best peer."""
    if table["ours_over_best"] is None:
        return "ours / best peer: no peer did the same work"
    return f"ours / best peer ({table['best_peer']}): {number(table['ours_over_best'])}"


def cells(row, judged):
    """Return the cells of a row: contestant, seconds, spread, numbers of the judge, ratio to the
    best peer, rounds, note.
    """
    spread = f"[{number(row['cpu_min'])}, {number(row['cpu_max'])}]" if "cpu" in row else ""
    said = [number(row.get(key)) for key in judged]
    last = [number(row.get(key)) for key in ("over_best", "rounds", "note")]
    return [row["name"], number(row.get("cpu")), spread, *said, *last]


def section(table):
    """Return one table: heading, facts, verdict, rows."""
    rows = table["rows"]
    known = {"name", "note", "rounds", *CLOCK}
    judged = list(dict.fromkeys(key for row in rows for key in row if key not in known))
    seconds = f"CPU seconds per {table['unit']}, median"
    said = [key.replace("_", " ") for key in judged]
    heads = ["contestant", seconds, "[min, max]", *said, "ratio to best peer", "rounds", "note"]
    facts = ", ".join(
        f"{key.replace('_', ' ')} {shape(value)}"
        for key, value in table.items()
        if key not in APART
    )
    lines = [
        heads,
        ["---", *["---:"] * (len(heads) - 2), "---"],
        *(cells(row, judged) for row in rows),
    ]
    grid = [f"| {' | '.join(line)} |" for line in lines]
    return "\n".join(
        [f"### {table['name']}", "", f"{facts}.", "", f"**{verdict(table)}**", "", *grid, ""]
    )


def page(record):
    """Return the page: versions, then all tables of a record."""
    versions = ", ".join(
        f"{name} {version}" for name, version in record["environment"]["versions"].items()
    )
    tables = [section(table) for table in record["tables"]]
    return "\n".join(
        ["# Benchmarks", "", f"Python {record['environment']['python']}, {versions}.", "", *tables]
    )


def marks(suite):
    """Return the two marks of a page between which a suite writes its section."""
    return f"<!-- {suite}: begin -->", f"<!-- {suite}: end -->"


def write_section(file, suite, text):
    """Write the section of a suite into a page, between its marks."""
    path = Path(file)
    page = path.read_text(encoding="utf-8")
    begin, end = marks(suite)
    before, after = page.index(begin) + len(begin), page.index(end)
    path.write_text(f"{page[:before]}\n{text}\n{page[after:]}", encoding="utf-8")
