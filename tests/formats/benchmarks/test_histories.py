"""Files of tuners and benchmark tools: roles, repetitions, failed runs, and tools that are named."""

from __future__ import annotations

import csv
import io

import pytest

from splc.errors import InputError
from splc.formats.detect import kind_of
from splc.formats.measurements.tables import read_table
from splc.formats.table import TableSource
from splc.io.files import Source
from tests.support.refusal import check_read_or_refused
from tests.support.tool_files import FILES, table


@pytest.mark.parametrize("name", FILES)
def test_roles_and_values(name: str) -> None:
    """Options, properties, contexts and rows are those of the file; failed runs are left out and counted."""
    expected = FILES[name]
    source = Source("file", expected.text.encode())
    assert kind_of(source) == "measurements"
    found = read_table(source)
    assert isinstance(found, TableSource)
    assert found.stated is not None
    roles = found.stated
    assert (roles.options, roles.properties, roles.contexts) == (
        expected.options,
        expected.properties,
        expected.contexts,
    )
    assert found.main == expected.properties[0]
    rows = list(csv.DictReader(io.StringIO(found.text())))
    shown = (*expected.options, *expected.contexts, expected.properties[0])
    assert [tuple(row[column] for column in shown) for row in rows] == list(expected.rows)
    assert any(f"{expected.failed} run" in note for note in found.notes) == bool(expected.failed)
    assert dict(found.units) == dict(expected.units)


def test_what_deephyper_maximises() -> None:
    """An objective that is not a negative cost is kept, and a note says how to look for the best."""
    text = table(("p:x", "objective", "job_id"), (1, 0.9, 0), (2, -0.1, 1))
    found = read_table(Source("file", text.encode()))
    assert isinstance(found, TableSource)
    assert found.main == "objective"
    assert "--maximize" in found.notes[0]


UNREAD = {
    "Caliper": '{"data": [], "columns": [], "column_metadata": [], "nodes": []}',
    "TAU": "4 templated_functions_MULTI_TIME\n# Name Calls Subrs Excl Incl ProfileCalls\n",
    "KTT": '{"Metadata": {}, "Results": [{"TotalDuration": 5, "Configuration": [{"Name": "x", "Value": 1}]}]}',
    "AutoTVM": '{"input": [], "config": {"entity": []}, "result": [[0.1], 0, 1, 2], "tvm_version": "0.9"}\n',
    "Triton": '{"key": [], "configs_timings": [[{"kwargs": {"BLOCK": 64}, "num_warps": 4}, [0.1]]]}',
}


@pytest.mark.parametrize("name", UNREAD)
def test_other_tools_are_named(name: str) -> None:
    """Files of tools that are not read are named, with what to export."""
    source = Source("file", UNREAD[name].encode())
    assert kind_of(source) == "measurements"
    with pytest.raises(InputError, match=rf"splc does not read the output of {name}") as caught:
        read_table(source)
    assert "write a" in str(caught.value.problems[0].hint)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_damaged_files(name: str, share: float) -> None:
    """A file that is cut off is read as far as it is whole, or refused."""
    text = FILES[name].text
    for end in {int(share * len(text)), len(text) - 2}:
        check_read_or_refused(lambda end=end: (read_table(Source("file", text[:end].encode())),))  # type: ignore[misc]
