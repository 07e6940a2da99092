"""The tables in Markdown, for the pages: a line of facts, a line with the verdict, a row per contestant."""

CLOCK = ("wall", "wall_min", "wall_max", "cpu", "cpu_min", "cpu_max", "first_call", "ratio", "over_best")
APART = ("name", "rows", "suite", "unit", "best_peer", "ours_over_best")


def number(value):
    """Three digits of a figure; nothing for None."""
    return "" if value is None else f"{value:.3g}" if isinstance(value, float) else str(value).replace("|", "\\|")


def shape(value):
    """An entry of the line of facts: a shape is ``72 x 3571``."""
    return " x ".join(str(side) for side in value) if isinstance(value, list) else number(value)


def verdict(table):
    """One line: ours over the best peer."""
    if table["ours_over_best"] is None:
        return "ours / best peer: no peer did the same work"
    return f"ours / best peer ({table['best_peer']}): {number(table['ours_over_best'])}"


def cells(row, judged):
    """The cells of a row: contestant, seconds, spread, what the judge said, ratio to the best peer, rounds, note."""
    spread = f"[{number(row['cpu_min'])}, {number(row['cpu_max'])}]" if "cpu" in row else ""
    said = [number(row.get(key)) for key in judged]
    last = [number(row.get(key)) for key in ("over_best", "rounds", "note")]
    return [row["name"], number(row.get("cpu")), spread, *said, *last]


def section(table):
    """One table: heading, facts, verdict, rows."""
    rows = table["rows"]
    known = {"name", "note", "rounds", *CLOCK}
    judged = list(dict.fromkeys(key for row in rows for key in row if key not in known))
    seconds = f"CPU seconds per {table['unit']}, median"
    said = [key.replace("_", " ") for key in judged]
    heads = ["contestant", seconds, "[min, max]", *said, "ratio to best peer", "rounds", "note"]
    facts = ", ".join(f"{key.replace('_', ' ')} {shape(value)}" for key, value in table.items() if key not in APART)
    lines = [heads, ["---", *["---:"] * (len(heads) - 2), "---"], *(cells(row, judged) for row in rows)]
    grid = [f"| {' | '.join(line)} |" for line in lines]
    return "\n".join([f"### {table['name']}", "", f"{facts}.", "", f"**{verdict(table)}**", "", *grid, ""])


def page(record):
    """All tables of a record, below the versions they were measured with."""
    versions = ", ".join(f"{name} {version}" for name, version in record["environment"]["versions"].items())
    tables = [section(table) for table in record["tables"]]
    return "\n".join(["# Benchmarks", "", f"Python {record['environment']['python']}, {versions}.", "", *tables])
