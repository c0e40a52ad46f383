"""The files of a project folder: which one is used, and every message about a missing one in full."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sampling.space.space import Space
from splc.errors import InputError
from splc.formats.measurements.columns import ColumnChoice
from splc.project import Project
from tests.cli.conftest import MEASUREMENTS, SYSTEM

OBSERVED = "cache,left,right,x,work\n" + "".join(
    f"{','.join(row.split(',')[:4])},{at}\n" for at, row in enumerate(MEASUREMENTS.splitlines()[2:])
)
# Two versions with a context each; the second one needs one unit of energy more.
ROWS = [row.rsplit(",", 1) for row in MEASUREMENTS.splitlines()[2:]]
VERSIONS = "version,run,cache,left,right,x,time,energy\n" + "".join(
    f"{version},a,{row},{int(energy) + more}\n" for more, version in enumerate(("v9", "v10")) for row, energy in ROWS
)


def message(found: pytest.ExceptionInfo[InputError]) -> str:
    """Return a message on one line."""
    return str(found.value).replace("\n    ", " | ")


def write(folder: Path, **files: str) -> None:
    """Write files, whose names have `_` for the last dot."""
    for name, text in files.items():
        (folder / ".".join(name.rsplit("_", 1))).write_text(text, encoding="utf-8")


class TestFiles:
    def test_every_input_of_the_folder_is_protected(self, folder: Path) -> None:
        """The files that no output may replace are splc.toml, each named file and each one found."""
        write(
            folder, analytical_txt="1", parameters_toml="", parameters_txt="", observed_csv=OBSERVED, again_xml=SYSTEM
        )
        found = ("again.xml", "system.xml", "measurements.csv", "analytical.txt", "parameters.toml", "parameters.txt")
        assert Project.load().files == found
        write(folder, splc_toml='observed = ["observed.csv"]\nsystem = "again.xml"\nanalytical = "nowhere.txt"\n')
        rest = ("measurements.csv", "parameters.toml", "parameters.txt", "observed.csv")
        assert Project.load().files == ("splc.toml", "again.xml", *rest)
        given = Project.load(system="s.xml", measurements="m.csv", analytical="a.txt", parameters="p.txt")
        assert given.files == ("splc.toml", "s.xml", "m.csv", "a.txt", "p.txt", "observed.csv")

    def test_what_is_there(self, folder: Path) -> None:
        """A system and measurements are there if they are named or found."""
        project = Project.load()
        assert project.has_system
        assert project.has_measurements
        assert not project.infers
        for name in ("system.xml", "measurements.csv"):
            (folder / name).unlink()
        project = Project.load()
        assert not project.has_system
        assert not project.has_measurements
        assert not project.infers
        assert Project.load(system="a.xml").has_system
        assert Project.load(measurements="a.csv").has_measurements
        assert Project.load(measurements="a.csv").infers
        write(folder, splc_toml='system = "a.xml"\nmeasurements = "b.csv"\n')
        assert Project.load().has_system
        assert Project.load().has_measurements

    @pytest.mark.parametrize("name", ["model.uvl", "model.dimacs", "model.xml"])
    def test_a_feature_model_is_a_description(self, tmp_path: Path, name: str) -> None:
        """A feature model alone is the description; beside a description it is not."""
        (tmp_path / name).write_text("<featureModel/>" if name.endswith("xml") else "features\n\tA\n", encoding="utf-8")
        assert Project.load(tmp_path).system_file == str(tmp_path / name)
        assert Project.load(tmp_path).has_system
        (tmp_path / "system.xml").write_text("<vm/>", encoding="utf-8")
        assert Project.load(tmp_path).system_file == str(tmp_path / "system.xml")

    def test_sxfm_gives_way_to_other_feature_models(self, tmp_path: Path) -> None:
        """A model in SXFM is read, and refused with what to do, unless its conversion lies beside it."""
        (tmp_path / "old.xml").write_text("<feature_model/>", encoding="utf-8")
        assert Project.load(tmp_path).system_file == str(tmp_path / "old.xml")
        (tmp_path / "new.uvl").write_text("features\n\tA\n", encoding="utf-8")
        assert Project.load(tmp_path).system_file == str(tmp_path / "new.uvl")

    def test_folders_that_cannot_be_read(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """A folder without permission is an error that says what to allow, also where only its files are listed."""
        expected = (
            ".: the folder cannot be read: permission denied | allow it (chmod u+rx), or work in another folder and "
            "name the files with --system and --measurements"
        )
        project = Project.load()
        for denied, act in ((1, Project.load), (4, project.descriptions)):
            monkeypatch.setattr("os.access", lambda _, mode, denied=denied: mode != denied)
            with pytest.raises(InputError) as found:
                act()
            assert message(found) == expected
        monkeypatch.undo()
        assert folder.is_dir()

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
        assert plain.observations is None
        assert plain.variability_model().observed == ()
        configurations = plain.measurements(plain.variability_model()).configurations
        assert plain.with_observed(configurations) is configurations
        write(folder, observed_csv=OBSERVED, splc_toml='observed = "observed.csv"\n')
        project = Project.load()
        assert project.variability_model(observed=False).observed == ()
        system = project.variability_model()
        assert system.observed == ("work",)
        for found in (project.measurements(system).configurations, project.with_observed(configurations)):
            assert found.observed is not None
            np.testing.assert_array_equal(found.observed.columns["work"], range(9))
        assert project.measurements(project.variability_model(observed=False)).configurations.observed is None

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
