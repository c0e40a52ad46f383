"""Project folders: which files are used, and what is read from them."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sampling.space.space import Space
from splc.errors import InputError, SplcError
from splc.formats.column_choice import ColumnChoice
from splc.project import Project
from tests.cli.conftest import MEASUREMENTS, SYSTEM
from tests.support.golden_messages import Lines, check_calls, shown

# Two versions with a context each; the second one needs one unit of energy more.
ROWS = [row.rsplit(",", 1) for row in MEASUREMENTS.splitlines()[2:]]
VERSIONS = "version,run,cache,left,right,x,time,energy\n" + "".join(
    f"{version},a,{row},{int(energy) + more}\n" for more, version in enumerate(("v9", "v10")) for row, energy in ROWS
)
OBSERVED = "cache,left,right,x,work\n" + "".join(f"{row[: row.rindex(',')]},{at}\n" for at, (row, _) in enumerate(ROWS))
# The content of files by their names; others are empty.
CONTENT = {
    **dict.fromkeys(("system.xml", "again.xml"), SYSTEM),
    **dict.fromkeys(("measurements.csv", "data/m.csv"), MEASUREMENTS),
    "versions.csv": VERSIONS,
    "observed.csv": OBSERVED,
    "results.xml": "<results/>",
    "broken.xml": "no xml",
    "named.xml": '<?xml version="1.0"?><!-- <results> --><s:vm xmlns:s="u" name="n"></s:vm>',
    "model.xml": "<featureModel/>",
    "model.uvl": "features\n\tA\n",
}
USUAL = "system.xml measurements.csv"


Enter = Callable[[str, str], None]


@pytest.fixture
def enter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Enter:
    """Return a function that makes a folder with these files and this splc.toml the current one."""
    made = iter(range(100))

    def entering(files: str, toml: str) -> None:
        folder = tmp_path / str(next(made)) / "folder"
        (folder / "data").mkdir(parents=True)
        for name in files.split():
            content = CONTENT.get(name.removesuffix(".gz"), "").encode()
            (folder / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
        if toml:
            (folder / "splc.toml").write_text(toml, encoding="utf-8")
        monkeypatch.chdir(folder)

    return entering


def test_projects(enter: Enter) -> None:
    """Files are named by options, by splc.toml, or by convention; what is read has its contexts and observations."""

    def project(files: str = USUAL, toml: str = "", folder: str = ".", **options: Any) -> Lines:
        """Return the files of a project, what it has, and what it states."""
        enter(files, toml)
        found = Project.load(folder, **options)
        lines = []
        for name in ("system", "measurements", "analytical", "parameters"):
            try:
                file = getattr(found, f"{name}_file")
                lines += [f"{name}: {file}"] * (file is not None)
            except SplcError as error:
                lines.append(f"{name}: {str(error).splitlines()[0]}")
        has = ", ".join(name for name in ("has_system", "has_measurements", "infers") if getattr(found, name))
        stated = [f"nfp {found.nfp}", *([shown(found.columns)] * (found.columns != ColumnChoice()))]
        return Lines("\n".join([*lines, f"{has}; files: {' '.join(found.files)}; {', '.join(stated)}"]))

    def read(toml: str, files: str = "", *, observed: bool = True, **settings: Any) -> Lines:
        """Return what is read of the measurements: the property, and the energy and the work of each part."""
        enter(f"{USUAL} versions.csv observed.csv {files}", toml)
        project = Project.load()
        system = project.variability_model(observed=observed)
        if settings.pop("every", False):
            parts = project.every_part(system, Space(system))
        else:
            parts = project.measurement_parts(system, **settings)
        lines = [f"{system.name}, {system.observed}, {project.resolve_property(parts[0])}"]
        for part in parts:
            work = part.configurations.observed
            energy = part["energy"].astype(int).tolist()
            lines.append(f"energy {energy}, work {work and work.columns['work'].tolist()}")
        return Lines("\n".join(lines))

    check_calls("projects", project, read, ColumnChoice, USUAL=USUAL)


def test_folders_that_cannot_be_read(enter: Enter, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder without permission is an error that says what to allow, also where only its files are listed."""
    enter(USUAL, "")
    project = Project.load()
    for denied, act in ((1, Project.load), (4, project.descriptions)):
        monkeypatch.setattr("os.access", lambda _, mode, denied=denied: mode != denied)
        with pytest.raises(InputError, match=r"^\.: the folder cannot be read: permission denied\n    allow it"):
            act()
