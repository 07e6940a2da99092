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


def is_number(dtype):
    """Whether a column of this type holds real numbers."""
    return getattr(dtype, "kind", "O") in "fiub"


def refuse_words(X):
    """Refuse a data frame, of any library, with columns that hold no real numbers: their names, and what to do."""
    X = as_pandas(X)
    bad = [str(name) for name, dtype in zip(X.columns, X.dtypes, strict=True) if not is_number(dtype)]
    if bad:
        raise ValueError(
            f"X must hold real numbers; encode or drop the columns {', '.join(bad[:5])} first: scikit-learn's OneHotEncoder makes 0/1 "
            "columns of words, and so does read_table for a file."
        )
