"""The JSON Schemas of `--json` outputs."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from tests.cli.conftest import Run
from tests.support.paths import ROOT
from tests.support.schemas import SCHEMAS, file_name, schema_errors

FILES = sorted(SCHEMAS.iterdir())
# Those of files, which are no outputs of commands.
OF_FILES = {"splc.model/1", "splc.models/1", "splc.study.manifest/1"}


def test_a_file_per_output() -> None:
    """`docs/schemas` has a schema for each id in the code, and nothing else."""
    texts = [file.read_text(encoding="utf-8") for file in (ROOT / "splc").rglob("*.py")]
    ids = {found for text in texts for found in re.findall(r"[\"'](splc\.[a-z.]+/\d+)[\"']", text)}
    assert {file.name for file in FILES} == set(map(file_name, ids - OF_FILES))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_schemas_are_valid(file: Path) -> None:
    """Every schema is one of the draft that it names, has the id of its file, and requires only keys that it has."""
    schema = json.loads(file.read_text(encoding="utf-8"))
    assert not list(Draft202012Validator(Draft202012Validator.META_SCHEMA).iter_errors(schema))
    assert file_name(schema["title"]) == file.name
    assert schema["properties"]["schema"] == {"const": schema["title"]}
    for part in (schema, *schema.get("$defs", {}).values()):
        assert set(part["required"]) <= set(part["properties"])


def test_definitions_agree() -> None:
    """A definition has the same content in each file."""
    contents: dict[str, set[str]] = {}
    for file in FILES:
        for name, part in json.loads(file.read_text(encoding="utf-8")).get("$defs", {}).items():
            contents.setdefault(name, set()).add(json.dumps(part, sort_keys=True))
    assert {name for name, found in contents.items() if len(found) > 1} == set()


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
