"""A whole trace as one table of Arrow, which Parquet, DuckDB, Polars and R read; needs ``pyarrow``."""

from rcmviz.core.shared.whole_file import whole_file


def arrow_table(trace):
    """The tables of all positions below each other, with their ``position``."""
    pyarrow = _pyarrow()
    texts, number = pyarrow.list_(pyarrow.string()), pyarrow.int64()
    schema = pyarrow.schema(
        {
            "position": number,
            "context": texts,
            "log_mass": pyarrow.float64(),
            "mass": pyarrow.float64(),
            "log_key": pyarrow.float64(),
            "key": pyarrow.float64(),
            "rank": number,
            "kept": pyarrow.bool_(),
            "fate": pyarrow.string(),
            "into": texts,
        }
    )
    tables = [(i, trace.columns(i)) for i in range(1, trace.lattice.T)]
    parts = [pyarrow.table(table | {"position": [i] * len(table["rank"])}, schema) for i, table in tables]
    return pyarrow.concat_tables(parts) if parts else schema.empty_table()


def write_parquet(trace, path):
    """Write that table, whole or not at all."""
    table = arrow_table(trace)
    from pyarrow import parquet

    with whole_file(path) as file:
        parquet.write_table(table, file)


def _pyarrow():
    try:
        import pyarrow
    except ImportError:
        raise ValueError("Arrow is not installed: pip install pyarrow") from None
    return pyarrow
