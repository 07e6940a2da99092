"""From a table as people have it to columns of numbers: what was learned about the table once, and done again to every new one.

Nouns: a *variable* is a column of the table; a *recipe* is all variables of a model, plain data that a run file can hold. Numbers and
dates become one column, text becomes an indicator column for each category (one for two), all in the group of their variable.
"""

from typing import NamedTuple

from coordboost._checks import shown
from coordboost.data.dates import Cells
from coordboost.data.encode import Variable, are_names, encoded, fill_of, is_variable
from coordboost.data.frames import listed
from coordboost.data.kinds import CATEGORY, DATE, column_of

IMPUTE = ("median", "indicator", "drop")
#: Fields that a file has only where they hold something.
OPTIONAL = ("na", "marks", "dropped")


class Recipe(NamedTuple):
    """How a table becomes columns of numbers.

    target : name of the column that is predicted;  labels : its two categories, or ();  impute : what was asked for, or None
    variables : tuple of Variable;  na : words that mean "missing" in files of such tables, beside the usual ones
    marks : (decimal, thousands or "") in the numbers of the file of the table, () where that is not known
    dropped : names of columns that were left out because the user said so
    """

    target: str
    labels: tuple
    impute: str | None
    variables: tuple
    na: tuple = ()
    marks: tuple = ()
    dropped: tuple = ()

    @property
    def columns(self):
        """Names of the columns of numbers, a list."""
        return [name for variable in self.variables for name in variable.columns]

    @property
    def groups(self):
        """The name of the variable of each of these columns, a list."""
        return [variable.name for variable in self.variables for _ in range(variable.width)]

    @property
    def text(self):
        """Names of the columns that are text, whatever is in them."""
        return tuple(variable.name for variable in self.variables if variable.kind == CATEGORY)

    def numbers(self, frame, cells=None, *, unknown_as_none=False):
        """The columns of numbers of a new table, (n_rows, n_columns) float64; columns are found by name, others are ignored.

        Parameters
        ----------
        frame : pandas DataFrame
        cells : Cells, optional
            How they are written, for tables from files.
        unknown_as_none : bool, default False
            A category that the fit did not know is none of those it knew, instead of an error.

        Raises
        ------
        ValueError
            For columns that are missing, cells of another kind, categories that are unknown, and gaps that the recipe does not fill.
        """
        cells = cells or Cells()
        known = set(map(str, frame.columns))
        if missing := [variable.name for variable in self.variables if variable.name not in known]:
            raise ValueError(
                f"the table lacks {listed(list(map(repr, missing)))}, which the model was fitted with: add the column(s)."
            )
        read = []
        for variable in self.variables:
            form = variable.levels[0] if variable.kind == DATE else None
            read.append(column_of(variable.name, frame[variable.name], cells._replace(day_format=form), variable.kind))
        return encoded(self, read, cells.where, unknown_as_none)

    def refilled(self, columns):
        """The same recipe, its gaps filled by what other rows, a list of ``Column``, say."""
        pairs = zip(self.variables, columns, strict=True)
        return self._replace(variables=tuple(one._replace(fill=fill_of(column)) for one, column in pairs))

    def plain(self):
        """The recipe as lists and strings, for a file."""
        words = {name: list(given) for name in OPTIONAL if (given := getattr(self, name))}
        return words | {
            "target": self.target, "labels": list(self.labels), "impute": self.impute,
            "variables": [[*variable[:2], list(variable.levels), *variable[3:]] for variable in self.variables],
        }  # fmt: skip

    @classmethod
    def restored(cls, given):
        """The recipe that ``plain`` wrote.

        Raises
        ------
        ValueError
            For anything else.
        """
        given = {**{name: [] for name in OPTIONAL}, **given} if isinstance(given, dict) else given
        sound = isinstance(given, dict) and set(given) == set(cls._fields) and isinstance(given["target"], str)
        sound = sound and all(are_names(given[name]) for name in OPTIONAL) and len(given["marks"]) in (0, 2)
        sound = (
            sound and are_names(given["labels"]) and given["impute"] in (None, *IMPUTE) and isinstance(given["variables"], list)
        )
        if not (sound and all(map(is_variable, given["variables"]))):
            raise ValueError(f"the recipe of the table is none that a run has: {shown(given)}.")
        variables = tuple(
            Variable(name, kind, tuple(levels), fill, gap) for name, kind, levels, fill, gap in given["variables"]
        )
        more = (tuple(given[name]) for name in OPTIONAL)
        return cls(given["target"], tuple(given["labels"]), given["impute"], variables, *more)
