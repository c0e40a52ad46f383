"""The JSON Schemas of `--json` outputs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from splc.cli import schemas
from splc.io.json_object import JsonObject
from splc.io.json_schema import schema_of
from tests.cli.conftest import Run
from tests.support.schemas import SCHEMAS, schema_errors


def test_the_files_are_up_to_date() -> None:
    """`docs/schemas` has the schema of each output, as `make schemas` writes it, and nothing else."""
    found = {file.name: file.read_text(encoding="utf-8") for file in SCHEMAS.iterdir()}
    assert found == schemas.schema_texts()


@pytest.mark.parametrize("kind", schemas.outputs(), ids=lambda kind: kind.schema_id)
def test_schemas_are_valid(kind: type[JsonObject]) -> None:
    """Every schema is one of the draft that it names."""
    assert not list(Draft202012Validator(Draft202012Validator.META_SCHEMA).iter_errors(schema_of(kind)))


def test_ids_differ() -> None:
    """One id is one shape."""
    ids = [kind.schema_id for kind in schemas.outputs()]
    assert len(set(ids)) == len(ids)


def test_writing(tmp_path: Path) -> None:
    """The script writes one file per schema."""
    schemas.main(str(tmp_path))
    assert {file.name for file in tmp_path.iterdir()} == set(schemas.schema_texts())


def test_wrong_objects(run: Run, folder: Path) -> None:
    """An output with a missing key, a further key or a wrong type is not valid."""
    text = run("describe", "--json").stdout
    content = json.loads(text)
    assert schema_errors(text) == []
    for wrong in ({"constraints": 0.5}, {"name": None}, {"more": 1}):
        assert len(schema_errors(json.dumps(content | wrong))) == 1
    del content["options"][0]["role"]
    [error] = schema_errors(json.dumps(content))
    assert error.startswith("$.options[0]: ")
