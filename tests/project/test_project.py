"""Inputs found in a project folder."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from sampling.space.space import Space
from splc.errors import InputError
from splc.project import Project
from tests.cli.conftest import MEASUREMENTS, SYSTEM


def say(folder: Path, text: str) -> Project:
    """Write splc.toml and load the project."""
    (folder / "splc.toml").write_text(text, encoding="utf-8")
    return Project.load(folder)


class TestConventions:
    def test_everything_is_found_without_a_file(self, folder: Path) -> None:
        """The only *.xml with the root <vm> is the system, measurements.csv the measurements."""
        (folder / "other.xml").write_text("<results/>", encoding="utf-8")
        (folder / "broken.xml").write_text("no xml", encoding="utf-8")
        project = Project.load()
        model = project.variability_model()
        assert model.name == "small"
        measurements = project.measurements(model, Space(model))
        assert len(measurements) == 9
        assert measurements["time"][0] == 2.0
        assert project.nfp is None
        assert project.learning == {}
        assert project.analytical_file is None

    def test_names_are_relative_to_the_current_folder(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """A project folder elsewhere is found under its own path, the current one without any."""
        assert Project.load().system_file == "system.xml"
        monkeypatch.chdir(folder.parent)
        assert Project.load(folder.name).system_file == f"{folder.name}/system.xml"

    def test_compressed_files_are_found(self, folder: Path) -> None:
        """A compressed description and compressed measurements are found as well."""
        for name in ("system.xml", "measurements.csv"):
            path = folder / name
            path.with_name(f"{name}.gz").write_bytes(gzip.compress(path.read_bytes()))
            path.unlink()
        project = Project.load()
        assert len(project.measurements(project.variability_model())) == 9

    def test_a_comment_and_a_prefix_before_the_root(self, folder: Path) -> None:
        """Comments, a DTD or a namespace before the root element do not hide it."""
        text = '<?xml version="1.0"?><!-- <results> --><s:vm xmlns:s="u" name="n"></s:vm>'
        (folder / "system.xml").write_text(text, encoding="utf-8")
        assert Project.load().system_file == "system.xml"

    def test_no_folder(self, tmp_path: Path) -> None:
        """A folder that does not exist is an error."""
        with pytest.raises(InputError, match="no such folder"):
            Project.load(tmp_path / "nowhere")


class TestFile:
    def test_the_file_comes_before_conventions(self, folder: Path) -> None:
        """Files named in splc.toml are used, relative to it, even where conventions find nothing or too much."""
        (folder / "again.xml").write_text(SYSTEM, encoding="utf-8")
        (folder / "data").mkdir()
        (folder / "data" / "m.csv").write_text(MEASUREMENTS, encoding="utf-8")
        project = say(
            folder,
            'system = "again.xml"\nmeasurements = "data/m.csv"\nproperty = "energy"\n'
            "[learning]\nabortError = 5\nlearn_logFunction = true\n",
        )
        assert Path(project.system_file) == folder / "again.xml"
        assert Path(project.measurements_file) == folder / "data" / "m.csv"
        assert project.nfp == "energy"
        assert project.learning == {"abortError": 5, "learn_logFunction": True}
        model = project.variability_model()
        assert project.resolve_property(project.measurements(model)) == "energy"

    def test_options_come_before_the_file(self, folder: Path) -> None:
        """Files named by options are used, relative to the current folder."""
        say(folder, 'system = "nowhere.xml"\nnfp = "energy"\nmeasurements = "nowhere.csv"\nanalytical = "a.txt"\n')
        project = Project.load(
            system="system.xml", measurements="measurements.csv", nfp="time", analytical="b.txt", parameters="c.toml"
        )
        model = project.variability_model()
        assert project.resolve_property(project.measurements(model)) == "time"
        assert project.analytical_file == "b.txt"
        assert project.parameters_file == "c.toml"
