"""Binary experiments of Extra-P 3."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest

from splc.errors import InputError
from splc.formats.experiments.read import parse_experiment
from splc.io.files import Source
from tests.support.extrap3_files import RECORDS, binary, measured
from tests.support.refusal import check_read_or_refused


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
        changed = data[:at] + bytes([data[at] ^ 0x55]) + data[at + 1 :]
        check_read_or_refused(partial(parse_experiment, Source("e", changed)), InputError)
