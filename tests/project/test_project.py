"""Project folders: which files are used, and what is read from them."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sampling.space.space import Space
from splc.errors import InputError
from splc.formats.column_choice import ColumnChoice
from splc.project import Project
from splc.project.files import ProjectFile, read_project_file
from tests.cli.conftest import MEASUREMENTS, SYSTEM

OBSERVED = "cache,left,right,x,work\n" + "".join(
    f"{','.join(row.split(',')[:4])},{at}\n" for at, row in enumerate(MEASUREMENTS.splitlines()[2:])
)
# Two versions with a context each; the second one needs one unit of energy more.
ROWS = [row.rsplit(",", 1) for row in MEASUREMENTS.splitlines()[2:]]
VERSIONS = "version,run,cache,left,right,x,time,energy\n" + "".join(
    f"{version},a,{row},{int(energy) + more}\n" for more, version in enumerate(("v9", "v10")) for row, energy in ROWS
)
EVERYTHING = """system = "s.xml"
measurements = "m.csv"
analytical = "a.txt"
parameters = "p.toml"

nfp = "time"
observed = ["b.csv", "a.csv"]
options = "x"
contexts = ["machine", "date"]
ignore = ["host"]
where = { version = "0.9", size = 3, scale = 0.5 }
[learning]
numberOfRounds = 7
preset = "splconqueror"
abortError = 5
"""


def write(folder: Path, **files: str) -> None:
    """Write files, whose names have `_` for the last dot."""
    for name, text in files.items():
        (folder / ".".join(name.rsplit("_", 1))).write_text(text, encoding="utf-8")


def test_everything_that_a_file_can_state(tmp_path: Path) -> None:
    """Each key is read into its attribute, and the settings of the learner without the preset; all are optional."""
    path = tmp_path / "splc.toml"
    path.write_text(EVERYTHING, encoding="utf-8")
    found = read_project_file(path)
    inputs = {"system": "s.xml", "measurements": "m.csv", "analytical": "a.txt", "parameters": "p.toml"}
    assert (found.path, found.values) == (path, {**inputs, "property": "time"})
    assert (found.learning, found.preset) == ({"numberOfRounds": 7, "abortError": 5}, "splconqueror")
    assert found.observed == ("b.csv", "a.csv")
    where = {"version": "0.9", "size": "3", "scale": "0.5"}
    assert found.columns == ColumnChoice(("machine", "date"), ("host",), where, options=("x",))
    assert [found.lines[key] for key in ("property", "learning.numberOfRounds", "learning.abortError")] == [6, 13, 15]
    path.write_text("", encoding="utf-8")
    assert read_project_file(path) == ProjectFile(path)
    path.write_text("observed = 'a.csv'\n[learning]\nnumberOfRounds = 3\n", encoding="utf-8")
    assert (read_project_file(path).observed, read_project_file(path).preset) == (("a.csv",), None)


class TestFiles:
    def test_everything_is_found_without_a_file(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """The only *.xml with the root <vm> is the system, measurements.csv the measurements.

        A project folder elsewhere is found under its own path, the current one without any.
        """
        write(folder, other_xml="<results/>", broken_xml="no xml")
        project = Project.load()
        model = project.variability_model()
        assert (model.name, project.system_file) == ("small", "system.xml")
        assert project.measurements(model, Space(model))["time"][0] == 2.0
        assert (project.nfp, project.learning, project.analytical_file) == (None, {}, None)
        monkeypatch.chdir(folder.parent)
        assert Project.load(folder.name).system_file == f"{folder.name}/system.xml"
        with pytest.raises(InputError, match="no such folder"):
            Project.load(folder / "nowhere")

    def test_unusual_files(self, folder: Path) -> None:
        """Compressed files are found, and comments, a DTD or a namespace before the root element do not hide it."""
        for name in ("system.xml", "measurements.csv"):
            path = folder / name
            path.with_name(f"{name}.gz").write_bytes(gzip.compress(path.read_bytes()))
            path.unlink()
        project = Project.load()
        assert len(project.measurements(project.variability_model())) == 9
        (folder / "system.xml.gz").unlink()
        write(
            folder, system_xml='<?xml version="1.0"?><!-- <results> --><s:vm xmlns:s="u" name="n"></s:vm>', x_xml="<x/>"
        )
        assert Project.load().system_file == "system.xml"

    def test_options_come_before_the_file_and_this_before_conventions(self, folder: Path) -> None:
        """Files named in splc.toml are used, relative to it, even where conventions find nothing or too much.

        Those that options name are relative to the current folder.
        """
        write(folder, again_xml=SYSTEM, splc_toml='system = "again.xml"\nmeasurements = "data/m.csv"\nnfp = "energy"\n')
        (folder / "data").mkdir()
        (folder / "data" / "m.csv").write_text(MEASUREMENTS, encoding="utf-8")
        project = Project.load(folder)
        assert Path(project.system_file) == folder / "again.xml"
        assert Path(project.measurements_file) == folder / "data" / "m.csv"
        model = project.variability_model()
        assert project.nfp == project.resolve_property(project.measurements(model)) == "energy"
        write(
            folder, splc_toml='system = "nowhere.xml"\nnfp = "energy"\nmeasurements = "no.csv"\nanalytical = "a.txt"\n'
        )
        project = Project.load(
            system="system.xml", measurements="measurements.csv", nfp="time", analytical="b.txt", parameters="c.toml"
        )
        assert project.resolve_property(project.measurements(project.variability_model())) == "time"
        assert (project.analytical_file, project.parameters_file) == ("b.txt", "c.toml")

    def test_every_input_of_the_folder_is_protected(self, folder: Path) -> None:
        """The files that no output may replace are splc.toml, each named file and each one found."""
        conventional = {"analytical_txt": "1", "parameters_toml": "", "parameters_txt": ""}
        write(folder, **conventional, observed_csv=OBSERVED, again_xml=SYSTEM)
        rest = ("measurements.csv", "analytical.txt", "parameters.toml", "parameters.txt")
        assert Project.load().files == ("again.xml", "system.xml", *rest)
        write(folder, splc_toml='observed = ["observed.csv"]\nsystem = "again.xml"\nanalytical = "nowhere.txt"\n')
        expected = ("splc.toml", "again.xml", "measurements.csv", "parameters.toml", "parameters.txt", "observed.csv")
        assert Project.load().files == expected
        given = Project.load(system="s.xml", measurements="m.csv", analytical="a.txt", parameters="p.txt")
        assert given.files == ("splc.toml", "s.xml", "m.csv", "a.txt", "p.txt", "observed.csv")

    def test_what_is_there(self, folder: Path) -> None:
        """A system and measurements are there if they are named or found; a system is inferred from named ones."""

        def found(**named: Any) -> tuple[bool, bool, bool]:
            project = Project.load(**named)
            return project.has_system, project.has_measurements, project.infers

        assert found() == (True, True, False)
        for name in ("system.xml", "measurements.csv"):
            (folder / name).unlink()
        assert found() == (False, False, False)
        assert found(system="a.xml") == (True, False, False)
        assert found(measurements="a.csv") == (False, True, True)
        write(folder, splc_toml='system = "a.xml"\nmeasurements = "b.csv"\n')
        assert found() == (True, True, False)

    @pytest.mark.parametrize("name", ["model.uvl", "model.dimacs", "model.xml"])
    def test_a_feature_model_is_a_description(self, tmp_path: Path, name: str) -> None:
        """A feature model alone is the description; beside a description it is not."""
        (tmp_path / name).write_text("<featureModel/>" if name.endswith("xml") else "features\n\tA\n", encoding="utf-8")
        assert (Project.load(tmp_path).system_file, Project.load(tmp_path).has_system) == (str(tmp_path / name), True)
        (tmp_path / "system.xml").write_text("<vm/>", encoding="utf-8")
        assert Project.load(tmp_path).system_file == str(tmp_path / "system.xml")

    def test_folders_that_cannot_be_read(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """A folder without permission is an error that says what to allow, also where only its files are listed."""
        project = Project.load()
        for denied, act in ((1, Project.load), (4, project.descriptions)):
            monkeypatch.setattr("os.access", lambda _, mode, denied=denied: mode != denied)
            with pytest.raises(InputError) as found:
                act()
            assert str(found.value) == (
                ".: the folder cannot be read: permission denied\n    allow it (chmod u+rx), or work in another folder"
                " and name the files with --system and --measurements"
            )

    def test_roles_of_columns(self, folder: Path) -> None:
        """Options override splc.toml; columns that splc.toml names may be absent from measurements given by option."""
        assert Project.load().columns == ColumnChoice()
        write(folder, splc_toml='contexts = ["run"]\nignore = ["host"]\noptions = ["x"]\n')
        own = ColumnChoice(("run",), ("host",), options=("x",))
        assert Project.load().columns == own
        assert Project.load(measurements="m.csv").columns == replace(own, optional=frozenset({"run", "host", "x"}))
        assert Project.load(columns=ColumnChoice(ignore=("run",))).columns.contexts == ()


class TestMeasurements:
    def test_observed_variables_are_attached_when_they_are_wanted(self, folder: Path) -> None:
        """The model, the measurements and other configurations have the observed variables of splc.toml's files."""
        plain = Project.load()
        assert (plain.observations, plain.variability_model().observed) == (None, ())
        configurations = plain.measurements(plain.variability_model()).configurations
        assert plain.with_observed(configurations) is configurations
        write(folder, observed_csv=OBSERVED, splc_toml='observed = "observed.csv"\n')
        project = Project.load()
        system, unobserved = project.variability_model(), project.variability_model(observed=False)
        assert (system.observed, unobserved.observed) == (("work",), ())
        for found in (project.measurements(system).configurations, project.with_observed(configurations)):
            assert found.observed is not None
            np.testing.assert_array_equal(found.observed.columns["work"], range(9))
        assert project.measurements(unobserved).configurations.observed is None

    def test_contexts_and_policies_reach_the_reader(self, folder: Path) -> None:
        """Rows are chosen by splc.toml's contexts and separated by those asked for; another file may lack them."""
        write(folder, versions_csv=VERSIONS, splc_toml='measurements = "versions.csv"\nwhere = { version = "v10" }\n')
        project = Project.load()
        system = project.variability_model()
        usual = [10, 20, 40] * 3
        assert project.measurements(system)["energy"].tolist() == [value + 1 for value in usual]
        parts = project.measurement_parts(system, space=None, by=("version",))
        assert [part["energy"].tolist() for part in parts] == [usual, [value + 1 for value in usual]]
        assert len(project.every_part(system, Space(system))) == 1
        assert project.measurements(system, file="measurements.csv")["energy"].tolist() == usual
        write(folder, splc_toml='measurements = "versions.csv"\nignore = ["run"]\n')
        assert len(Project.load().every_part(system, Space(system))) == 2
        learned = ColumnChoice(usual={"version": "v9"})
        assert Project.load().measurements(system, learned=learned)["energy"].tolist() == usual
