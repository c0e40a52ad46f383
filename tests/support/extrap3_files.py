"""A writer of small binary experiments of Extra-P 3, from the rules of the reader in Extra-P 4.2.5."""

from __future__ import annotations

import struct
from typing import Any


def record(order: str, *fields: Any) -> bytes:
    """Return a record: its name, and texts, whole numbers and numbers."""
    found = b""
    for each in fields:
        if isinstance(each, str):
            found += struct.pack(f"{order}I", len(each.encode())) + each.encode()
        else:
            found += struct.pack(f"{order}{'q' if isinstance(each, int) else 'd'}", each)
    return found


def measured(point: int, metric: int, callpath: int, mean: float, count: int = 3) -> tuple[Any, ...]:
    """Return a record of a point: its statistics, and ids of what was measured."""
    return (
        "ExperimentPoint",
        point,
        count,
        *(mean * each for each in (1, 0.9, 1.1, 0.1, 2, 0, 3, 0.5, 4)),
        metric,
        callpath,
    )


FUNCTION = ("SingleParameterFunction", 1.5, 1, "CompoundTerm", 2.0, 1, "SimpleTerm", "polynomial", 1.0)
RECORDS: list[tuple[Any, ...]] = [
    ("Parameter", 0, "p"),
    ("Parameter", 1, "größe"),
    ("Metric", 0, "time", "s"),
    ("Region", 7, "main", "main.c", 12),
    ("Region", 8, "f", "a.c", 1),
    ("Region", 9, "f", "b.c", 1),
    ("Callpath", 0, 7, -1),
    ("Callpath", 1, 8, 0),
    ("Callpath", 2, 9, 0),
    ("Coordinate", 0, 2, "größe", 100.0, "p", 4.0),
    ("Coordinate", 1, 2, "p", 8.0, "größe", 100.0),
    # The name of a generator is that of a record.
    ("MultiParameterSparseModelGenerator", "Model", "GENERATE_MODEL_MEAN",
     5, "CHEAPEST_POINTS", 1, 0, "INCREASING_COST"),
    *(measured(point, 0, path, 10.0 * path + point + 1, 3 - path) for path in (0, 1, 2) for point in (0, 1)),
    ("ModelComment", 0, "a comment"),
    ("Model", 0, 0, 0, *FUNCTION * 7, 0.1, 0.9, 1.0, 2.0, 1, 0, 0),
    ("Model", 0, 1, 0, *FUNCTION * 7, 0.1, 0.9, 1.0, 2.0, 0, 0),
]  # fmt: skip


def binary(order: str = "<", records: list[tuple[Any, ...]] = RECORDS) -> bytes:
    """Return a file."""
    header = struct.pack(f"{order}h", 1) + record(order, "EXTRAP_EXPERIMENT", "3.0")
    return header + b"".join(record(order, *fields) for fields in records)
