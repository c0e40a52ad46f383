"""The registry of file formats."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from splc.errors import OutputError
from splc.formats import registry
from splc.formats.experiments.read import parse_experiment
from splc.formats.models.read import read_stored_model, write_model
from splc.io.files import Source, read_source
from splc.models.influence import InfluenceModel
from splc.workflows.convert import target_format


@pytest.mark.parametrize("form", registry.FORMATS, ids=lambda form: f"{form.kind}-{form.name}")
def test_functions_exist(form: registry.Format) -> None:
    """Every format can be read or written, and the functions that it names exist."""
    assert form.reader or form.writer
    assert form.reader is None or callable(form.read)
    assert form.writer is None or callable(form.write)


@pytest.mark.parametrize(
    ("path", "suffix"),
    [
        ("a.json", ".json"),
        ("a.b.JSON.gz", ".json"),
        ("a.Program.json.gz", ".program.json"),
        ("folder.x/a", ""),
        ("-", ""),
        ("a.gz", ""),
    ],
)
def test_suffixes(path: str, suffix: str) -> None:
    """The suffix of a name is in lower case and without compression."""
    assert registry.suffix_of(path) == suffix


@pytest.mark.parametrize("name", [each.name for each in registry.formats_of("model") if each.reader and each.writer])
def test_models_are_detected_in_every_format(name: str, tmp_path: Path) -> None:
    """A written model is detected as a model in its format, whatever the name of its file is."""
    (tmp_path / "model.txt").write_text("2 + 3 * x", encoding="utf-8")
    model: InfluenceModel = read_stored_model(tmp_path / "model.txt").model
    write_model(model, tmp_path / f"a.{name}")
    source = dataclasses.replace(read_source(tmp_path / f"a.{name}"), name="anything")
    assert registry.kind_of(source) == "model"
    found = registry.format_of("model", source)
    assert found is not None
    assert found.name == name


def test_c_is_not_written(tmp_path: Path) -> None:
    """A model is not written as another text where C is wanted."""
    with pytest.raises(OutputError, match="C is not written"):
        write_model(InfluenceModel.from_terms({}), tmp_path / "model.c.gz")


def test_a_format_with_a_suffix_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """A new line in the table is enough for a format that its suffix tells."""
    toy = registry.Format("experiment", "toy", ".toy", f"{__name__}:read_toy", by_suffix=True)
    monkeypatch.setattr(registry, "FORMATS", (*registry.FORMATS, toy))
    assert parse_experiment(Source("a.toy.gz", b"anything")) == ("toy", b"anything")


def test_the_suffix_of_a_file_to_write(monkeypatch: pytest.MonkeyPatch) -> None:
    """A new line in the table is enough for `splc convert` to write a format by the suffix of the output."""
    toy = registry.Format("model", "toy", ".t", writer=f"{__name__}:read_toy")
    monkeypatch.setattr(registry, "FORMATS", (*registry.FORMATS, toy))
    assert target_format("model", "a.t.gz", None) == "toy"
    assert target_format("model", "a.txt", None) == "txt"
    assert target_format("system", "a.xml", None) == "xml"


def read_toy(source: Source) -> Any:
    """Return a mark instead of an experiment."""
    return "toy", source.data
