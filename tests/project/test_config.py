"""The content of a `splc.toml`, and every message about it in full."""

from __future__ import annotations

from pathlib import Path

from splc.formats.columns import ColumnChoice
from splc.project.config import ProjectFile, read_project_file


def read(tmp_path: Path, text: str) -> ProjectFile:
    """Read a project file with this text."""
    path = tmp_path / "splc.toml"
    path.write_text(text, encoding="utf-8")
    return read_project_file(path)


def test_everything_that_a_file_can_state(tmp_path: Path) -> None:
    """Each key is read into its attribute, and the settings of the learner without the preset."""
    found = read(
        tmp_path,
        """system = "s.xml"
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
""",
    )
    assert found.path == tmp_path / "splc.toml"
    assert found.values == {
        "system": "s.xml",
        "measurements": "m.csv",
        "analytical": "a.txt",
        "parameters": "p.toml",
        "property": "time",
    }
    assert found.learning == {"numberOfRounds": 7, "abortError": 5}
    assert found.preset == "splconqueror"
    assert found.observed == ("b.csv", "a.csv")
    where = {"version": "0.9", "size": "3", "scale": "0.5"}
    assert found.columns == ColumnChoice(("machine", "date"), ("host",), where, options=("x",))
    assert [found.lines[key] for key in ("property", "learning.numberOfRounds", "learning.abortError")] == [6, 13, 15]


def test_defaults_of_an_empty_file(tmp_path: Path) -> None:
    """An empty file states nothing, and one file of observed variables needs no list."""
    assert read(tmp_path, "") == ProjectFile(tmp_path / "splc.toml", {}, {})
    assert read(tmp_path, "observed = 'a.csv'").observed == ("a.csv",)


def test_settings_of_both_learners(tmp_path: Path) -> None:
    """Settings of either learner are accepted, and a wrong one has the line of its key, or of the table."""
    assert read(tmp_path, "[learning]\nnumberOfRounds = 3\n").preset is None
