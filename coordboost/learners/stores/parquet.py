"""Parquet files: a feature is a column of the table, tiles are columns of a row group."""

import numpy as np

from coordboost._numba.threads import MOST, TILE, each, fold, slices, steps_of


class Parquet:
    """Columns of one or more Parquet files, whose rows follow each other in the order of the files.

    Parameters
    ----------
    files : list of paths
    heads : list of ``pyarrow.parquet.FileMetaData``, one per file
    names : list of str, optional
        The columns to take; all by default.

    Raises
    ------
    ValueError
        If a column is missing or holds no real numbers, or if there are no rows.
    """

    def __init__(self, files, heads, names=None):
        self.groups = []
        self.bands = []
        begin = 0
        for file, metadata in zip(files, heads, strict=True):
            schema = metadata.schema.to_arrow_schema()
            names = schema.names if names is None else names
            self._check(file, schema, names)
            for group in range(metadata.num_row_groups):
                last = begin + metadata.row_group(group).num_rows
                if last > begin:
                    self.groups.append((file, metadata, group))
                    self.bands.append(slice(begin, last))
                begin = last
        self.names = list(names)
        self.grain = 1
        self.dtype = np.dtype(np.float64)
        self.shape = (begin, len(self.names))

    @staticmethod
    def _check(file, schema, names):
        from pyarrow import types

        missing = [name for name in names if schema.get_field_index(name) < 0]
        if missing:
            raise ValueError(
                f"{file} has no column (or more than one) called "
                f"{', '.join(map(str, missing[:5]))}."
            )
        fits = (types.is_integer, types.is_floating, types.is_boolean)
        bad = [name for name in names if not any(fit(schema.field(name).type) for fit in fits)]
        if bad:
            raise ValueError(
                f"X must hold real numbers; encode or leave out the columns {', '.join(bad[:5])} "
                f"of {file}."
            )

    def tiles(self, whole):
        """Return the slices of rows and of columns that form the tiles.

        Raises
        ------
        ValueError
            If a tile of whole rows takes more than 512 MiB.
        """
        tall = max(band.stop - band.start for band in self.bands)
        n_columns = self.shape[1]
        if not whole:
            return self.bands, slices(n_columns, steps_of(TILE, tall, 1))
        if tall * n_columns > MOST:
            raise ValueError(
                f"B'B needs whole rows, but a row group of {tall} is too large; write smaller "
                "ones, or use model_state=NaiveState."
            )
        return self.bands, [slice(0, n_columns)]

    def read(self, rows, columns):
        """Return the entries of a tile, (len(rows), len(columns)); missing values are NaN."""
        import pyarrow.parquet

        file, metadata, group = self.groups[self.bands.index(rows)]
        names = (
            self.names[columns] if isinstance(columns, slice) else [self.names[j] for j in columns]
        )
        with pyarrow.parquet.ParquetFile(file, metadata=metadata) as opened:
            table = opened.read_row_group(group, columns=names, use_threads=False)
        values = np.empty((rows.stop - rows.start, len(names)), order="F")
        for i, name in enumerate(names):
            values[:, i] = table.column(name).to_numpy()
        return values

    def pick(self, rows, index):
        """Return the columns `index` on a slice of rows."""
        return self.read(rows, index)

    fold, each = fold, each
