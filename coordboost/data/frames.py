"""Data frames of any library: those of pandas as they are, others column by column."""


def is_frame(X):
    """Whether X is a data frame: anything with ``columns`` and ``to_numpy``."""
    return hasattr(X, "columns") and hasattr(X, "to_numpy")


def as_pandas(X):
    """A data frame of any library as one of pandas; those of other libraries (polars, ...) column by column."""
    if hasattr(X, "iloc"):
        return X
    import pandas as pd

    def series(column):
        kinds = ("Categorical", "Enum")
        return pd.Categorical(column.to_list()) if str(column.dtype).startswith(kinds) else column.to_numpy()

    return pd.DataFrame({str(name): series(X[name]) for name in X.columns})
