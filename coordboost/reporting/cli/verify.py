"""``coordboost verify`` and ``coordboost docs``.

They run ``verification/`` and show ``docs/``, from the checkout or the wheel.
"""

import importlib
import pkgutil
import sys
from pathlib import Path

import click

PACKAGE = Path(__file__).resolve().parents[2]
#: The folder of the wheel with verification/ and docs/ of the repository; not on the path, so
#: nobody imports `verification` by accident.
CARRIED = PACKAGE / "_carried"
#: Command -> its module and its help.
PARTS = {
    "ledger": (
        "verification",
        "Check every claim of the papers, and that deliberately wrong claims fail: --quick, "
        "--only NAME.",
    ),
    "experiments": (
        "verification.experiments",
        "Run experiments of the papers again; without a NAME, list them.",
    ),
    "worst-cases": (
        "verification.worst_case",
        "Worst cases over all losses and learners; without a NAME, list them.",
    ),
}


def folder_of(name):
    """Return the path of the folder `name` in the wheel or in the checkout."""
    for place in (CARRIED, PACKAGE.parent):
        if (place / name).is_dir():
            return place / name
    raise click.ClickException(
        f"{name}/ is not part of this installation: install coordboost from its wheel, or run it "
        "in a checkout."
    )


class Verification(click.Group):
    """The commands of `verification`; each is imported when it runs."""

    def list_commands(self, ctx):
        """Names of the commands."""
        return list(PARTS)

    def get_command(self, ctx, name):
        """Return the command with this name, or None."""
        if name not in PARTS:
            return None
        folder = str(folder_of("verification").parent)
        if folder not in sys.path:
            sys.path.insert(0, folder)
        return importlib.import_module(f"{PARTS[name][0]}.__main__").main

    def format_commands(self, ctx, formatter):
        """Write one line for each command, without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in PARTS.items()])


@click.group(cls=Verification, invoke_without_command=True)
@click.pass_context
def verify(ctx):
    """Check the claims of the papers: the ledger, the experiments, the worst cases.

    Without a command, list the commands, and the files of the ledger: the NAMEs for
    `ledger --only`.
    """
    if ctx.invoked_subcommand is None:
        files = sorted(
            module.name
            for module in pkgutil.iter_modules([str(folder_of("verification") / "theorems")])
        )
        click.echo(f"{ctx.get_help()}\n\nFiles of the ledger:")
        click.echo(click.wrap_text(", ".join(files), 110, "  ", "  "))


@click.command()
@click.argument("page", required=False)
def docs(page):
    """Print where the documentation is; with a PAGE, show that page."""
    folder = folder_of("docs")
    pages = {path.stem: path for path in sorted(folder.glob("*.md"))}
    if page is None:
        site = folder / "_build" / "html" / "index.html"
        click.echo(
            f"The documentation is in {site if site.exists() else folder}; pages, for coordboost "
            "docs PAGE:"
        )
        click.echo(click.wrap_text(", ".join(pages), 110, "  ", "  "))
    elif page in pages:
        click.echo_via_pager(pages[page].read_text(encoding="utf-8"))
    else:
        raise click.UsageError(f"there is no page {page!r}; there are {', '.join(pages)}.")
