"""Binary experiments of Extra-P 3."""

from __future__ import annotations

import math
import struct
from typing import Any

import numpy as np
import pytest

from splc.errors import InputError
from splc.formats.experiments.read import parse_experiment
from splc.io.files import Source


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


@pytest.mark.parametrize("order", ["<", ">"])
def test_means(order: str) -> None:
    """Points have their means, whatever the byte order and the order of the parameters; models are skipped."""
    found = parse_experiment(Source("e", binary(order)))
    assert (found.parameters, found.points.tolist()) == (("p", "größe"), [[4, 100], [8, 100]])
    assert {key: values.tolist() for key, values in found.series.items()} == {
        ("main", "time"): [[1], [2]],
        ("main->f", "time"): [[11], [12]],
        ("main->f #1", "time"): [[21], [22]],
    }
    assert found.report.notes[0].startswith("4 values are means of repetitions that files of Extra-P 3 do not have")


def test_missing_values() -> None:
    """A mean that is no number is a missing value."""
    found = parse_experiment(
        Source("e", binary(records=[*RECORDS[:12], measured(0, 0, 0, math.nan), measured(1, 0, 0, 2.0)]))
    )
    np.testing.assert_array_equal(found["main", "time"], [[np.nan], [2.0]])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (binary()[:29], r"e: the file ends \(byte 29, in the header\)\n +is the file complete"),
        (binary(records=RECORDS[:5])[:-3], r"the file ends \(byte 198, in Region\)"),
        (binary(records=[*RECORDS[:3], ("Regions", 1)]), r"unknown record 'Regions' \(byte"),
        (binary(records=[("Callpath", 0, 7, -1)]), "there is no region 7"),
        (binary(records=[*RECORDS[:12], measured(5, 0, 0, 1.0)]), "there is no point 5"),
        (binary(records=[*RECORDS[:2], ("Coordinate", 0, 1, "p", 4.0)]), "without a value of each parameter"),
        (binary(records=[("Parameter", 0, "p"), ("Parameter", 1, "p")]), "duplicate parameter 'p'"),
        (binary(records=RECORDS[:9]), "there are no measurements in the file"),
        (binary(records=[("Parameter", 0, "p")]).replace(b"\1\0\0\0p", b"\1\0\0\0\xff"), "not UTF-8"),
    ],
)
def test_damaged_files(content: bytes, message: str) -> None:
    """Errors name the byte and the record."""
    with pytest.raises(InputError, match=message):
        parse_experiment(Source("e", content))


def test_every_damaged_byte_is_handled() -> None:
    """A file with any byte changed is read or an error of this project."""
    data = binary()
    for at in range(23, len(data), 5):
        try:
            parse_experiment(Source("e", data[:at] + bytes([data[at] ^ 0x55]) + data[at + 1 :]))
        except InputError:
            continue
