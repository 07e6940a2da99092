"""``python -m verification.adversary NAME``: search for violations of rows of the ledger.

``--all`` takes every row.
"""

import time

import click

from verification import kept
from verification.hunting import beyond, drawn, search
from verification.ledger import Bench, checks_of, file_of, modules


def rows(name=""):
    """Yield (file, check, variant) for every row of the ledger with a space of instances whose
    statement or file contains `name`.
    """
    for module in modules():
        file = file_of(module)
        for check in checks_of(module):
            if check.spaces and (name.lower() in check.statement.lower() or name in file):
                for variant in check.expected:
                    yield file, check, variant


def report(check, variant, seconds, tries, seed):
    """Search for a violation of one row and print the outcome.

    Return whether the ledger claims it, and the instance to keep.
    """
    began = time.perf_counter()
    violation, near = search(check, variant, tries, seconds, seed)
    as_claimed = (violation is not None) == (check.expected[variant] == "refuted")
    if violation:
        outcome = f"violated, {violation}"
    elif near:
        outcome = f"nothing found; nearest {near}"
    else:
        outcome = "no instance"
    click.echo(
        f"{'' if as_claimed else 'WRONG: '}{check.statement} ({variant}): {outcome}; "
        f"{time.perf_counter() - began:.1f} s"
    )
    if violation:
        click.echo(f"    {violation.as_case()}")
    return as_claimed, violation or near


def keep_cases(files):
    """Write how tight each row is on each of its quick cases, except for files with
    ``KEPT = False``: there it depends on rounding.
    """
    for module in modules():
        file = file_of(module)
        if file not in files or not getattr(module, "KEPT", True):
            continue
        bench = Bench(module, quick=True)
        for check in checks_of(module):
            for variant in check.expected:
                digests = {
                    name: kept.digest(kept.several(check(case, variant)))
                    for name, case in bench.about(check)
                }
                with_points = {name: digest for name, digest in digests.items() if digest[1]}
                key = kept.key(check, variant)
                records = kept.read(file).get(key, {})
                kept.keep(file, {key: {**records, "cases": with_points}})


def keep_instances(file, check, variant, hard, seed):
    """Write the instances of a row: the one found, one as drawn, one beyond the assumption."""
    instances = {
        "hard": hard,
        "drawn": drawn(check, variant, seed),
        "beyond": beyond(check, variant, seed),
    }
    key = kept.key(check, variant)
    records = {kind: instance.kept() for kind, instance in instances.items() if instance}
    cases = kept.read(file).get(key, {}).get("cases", {})
    kept.keep(file, {key: {**records, "cases": cases}})


def renew(name):
    """Evaluate these rows again on their kept instances, and the rows of their files on the quick
    cases; write the results.

    Returns the names of the files.
    """
    for file, check, variant in rows(name):
        key = kept.key(check, variant)
        records = kept.read(file).get(key, {})
        for kind, case in kept.tried(check, variant):
            records[kind.split()[0]].update(kept.record(kept.several(check(case, variant))))
        kept.keep(file, {key: records})
    files = {file_of(module) for module in modules() if name in file_of(module)}
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
    chosen = list(rows(name)) if name or everything else []
    if renewed and (name or everything) and renew(name):
        return
    if not chosen:
        raise click.UsageError(
            "give a part of a statement's name or file, such as 'Theorem 3.1', or --all."
        )
    began = time.perf_counter()
    wrong = 0
    for file, check, variant in chosen:
        as_claimed, found = report(check, variant, seconds / len(chosen), tries, seed)
        wrong += not as_claimed
        if keep and found is not None:
            keep_instances(file, check, variant, found, seed)
    if keep:
        keep_cases({file for file, _, _ in chosen})
    click.echo(
        f"{len(chosen)} rows searched in {time.perf_counter() - began:.0f} s, {wrong} not "
        "as claimed"
    )
    raise SystemExit(int(wrong > 0))


if __name__ == "__main__":
    main()
