"""``python -m verification.adversary NAME``: search for violations of rows of the ledger.

``--all`` takes every row.
"""

import time

import click

from verification import kept
from verification.hunting import beyond, drawn, search
from verification.ledger import Bench, checks_of, modules


def rows(name=""):
    """Yield (check, variant) for every row of the ledger whose statement or file contains
    `name`.
    """
    for _, check, variant in _rows(name):
        yield check, variant


def _rows(name):
    for module in modules():
        for check in checks_of(module):
            file = module.__name__.rpartition(".")[2]
            if name.lower() in check.statement.lower() or name in file:
                yield from ((file, check, variant) for variant in check.expected if check.spaces)


def told(check, variant, seconds, tries, seed):
    """Search for a violation of one row and print the outcome.

    Return whether the ledger claims it, and the instance to keep.
    """
    began = time.perf_counter()
    violation, near = search(check, variant, tries, seconds, seed)
    good = (violation is not None) == (check.expected[variant] == "refuted")
    what = (
        f"violated, {violation}"
        if violation
        else f"nothing found; nearest {near}"
        if near
        else "no instance"
    )
    click.echo(
        f"{'' if good else 'WRONG: '}{check.statement} ({variant}): {what}; "
        f"{time.perf_counter() - began:.1f} s"
    )
    if violation:
        click.echo(f"    {violation.as_case()}")
    return good, violation or near


def keep_cases(files):
    """Write how tight each row is on each of its quick cases, except for files with
    ``KEPT = False``: there it depends on rounding.
    """
    for module in modules():
        file = module.__name__.rpartition(".")[2]
        bench = Bench(module, quick=True)
        for check in checks_of(module) if file in files and getattr(module, "KEPT", True) else ():
            for variant in check.expected:
                found = {
                    name: kept.digest(kept.several(check(case, variant)))
                    for name, case in bench.about(check)
                }
                before = kept.read(file).get(kept.key(check, variant), {})
                kept.keep(
                    file,
                    {
                        kept.key(check, variant): {
                            **before,
                            "cases": {name: one for name, one in found.items() if one[1]},
                        }
                    },
                )


def renew(name):
    """Evaluate these rows again on their kept instances, and the rows of their files on the quick
    cases; write the results.

    Returns the names of the files.
    """
    for file, check, variant in _rows(name):
        row = kept.read(file).get(kept.key(check, variant), {})
        for kind, case in kept.tried(check, variant):
            row[kind.split()[0]].update(kept.told(kept.several(check(case, variant))))
        kept.keep(file, {kept.key(check, variant): row})
    files = {file for module in modules() if name in (file := module.__name__.rpartition(".")[2])}
    keep_cases(files)
    return files


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("name", default="", metavar="[NAME]")
@click.option("--all", "everything", is_flag=True, help="Search for all rows of the ledger.")
@click.option(
    "--seconds",
    type=click.FloatRange(0, min_open=True),
    default=60.0,
    show_default=True,
    metavar="S",
    help="Total time of the search.",
)
@click.option(
    "--tries",
    type=click.IntRange(1),
    metavar="N",
    help="Number of tries for each row, instead of a time.",
)
@click.option(
    "--seed",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    metavar="N",
    help="Seed of the search.",
)
@click.option("--keep", is_flag=True, help="Write the instances found to verification/hard_cases.")
@click.option(
    "--renew",
    "renewed",
    is_flag=True,
    help="Do not search: recompute the records of the instances kept there.",
)
def main(name, everything, seconds, tries, seed, keep, renewed):
    """Search for violations of the statements whose name or file contains NAME.

    Exit status 1 if an outcome differs from the claim of the ledger.
    """
    chosen = list(_rows(name)) if name or everything else []
    if renewed and (name or everything) and renew(name):
        return
    if not chosen:
        raise click.UsageError(
            "give a part of a statement's name or file, such as 'Theorem 3.1', or --all."
        )
    began = time.perf_counter()
    wrong = 0
    for file, check, variant in chosen:
        good, found = told(check, variant, seconds / len(chosen), tries, seed)
        wrong += not good
        if keep and found is not None:
            some = {
                "hard": found,
                "drawn": drawn(check, variant, seed),
                "beyond": beyond(check, variant, seed),
            }
            cases = kept.read(file).get(kept.key(check, variant), {}).get("cases", {})
            kept.keep(
                file,
                {
                    kept.key(check, variant): {
                        **{kind: one.kept() for kind, one in some.items() if one},
                        "cases": cases,
                    }
                },
            )
    if keep:
        keep_cases({file for file, _, _ in chosen})
    click.echo(
        f"{len(chosen)} rows searched in {time.perf_counter() - began:.0f} s, {wrong} not "
        "as claimed"
    )
    raise SystemExit(int(wrong > 0))


if __name__ == "__main__":
    main()
