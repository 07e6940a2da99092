"""``coordboost verify`` and ``coordboost docs``: what stands next to the package in a checkout, and travels inside its wheel."""

import importlib
import pkgutil
import sys
from pathlib import Path

import click

PACKAGE = Path(__file__).resolve().parents[2]
#: The folder of the wheel that holds verification/ and docs/ of the repository: nobody imports `verification` by accident.
CARRIED = PACKAGE / "_carried"
#: Command -> module and what it does.
PARTS = {
    "ledger": ("verification", "Check every claim of the papers, and that every sabotaged claim fails: --quick, --only NAME."),
    "experiments": ("verification.experiments", "Run experiments of the papers again; without a NAME, list them."),
    "worst-cases": ("verification.worst_case", "Worst cases over all losses and learners; without a NAME, list them."),
}


def folder_of(name):
    """The folder `name` of the wheel or of the checkout."""
    for place in (CARRIED, PACKAGE.parent):
        if (place / name).is_dir():
            return place / name
    raise click.ClickException(f"{name}/ is not part of this installation: install coordboost from its wheel, or run it in a checkout.")


class Verification(click.Group):
    """The commands of `verification`, imported when one of them runs."""

    def list_commands(self, ctx):
        """Their names."""
        return list(PARTS)

    def get_command(self, ctx, name):
        """The command of a name, None where there is none."""
        if name not in PARTS:
            return None
        folder = str(folder_of("verification").parent)
        if folder not in sys.path:
            sys.path.insert(0, folder)
        return importlib.import_module(f"{PARTS[name][0]}.__main__").main

    def format_commands(self, ctx, formatter):
        """One line for each, without an import."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, words) for name, (_, words) in PARTS.items()])


@click.group(cls=Verification, invoke_without_command=True)
@click.pass_context
def verify(ctx):
    """Check what the papers claim: the ledger, the experiments, the worst cases.

    Without a command, list the commands and the files of the ledger, the NAMEs of --only.
    """
    if ctx.invoked_subcommand is None:
        files = sorted(one.name for one in pkgutil.iter_modules([str(folder_of("verification") / "theorems")]))
        click.echo(f"{ctx.get_help()}\n\nFiles of the ledger:")
        click.echo(click.wrap_text(", ".join(files), 110, "  ", "  "))


@click.command()
@click.argument("page", required=False)
def docs(page):
    """Say where the documentation is; with the name of a PAGE, show it."""
    folder = folder_of("docs")
    pages = {path.stem: path for path in sorted(folder.glob("*.md"))}
    if page is None:
        site = folder / "_build" / "html" / "index.html"
        click.echo(f"The documentation is in {site if site.exists() else folder}; pages, for coordboost docs PAGE:")
        click.echo(click.wrap_text(", ".join(pages), 110, "  ", "  "))
    elif page in pages:
        click.echo_via_pager(pages[page].read_text(encoding="utf-8"))
    else:
        raise click.UsageError(f"there is no page {page!r}; there are {', '.join(pages)}.")
