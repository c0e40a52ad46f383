"""The content of a `splc.toml`, and every message about it in full."""

from __future__ import annotations

from pathlib import Path

import pytest

from splc.errors import InputError
from splc.formats.measurements.columns import ColumnChoice
from splc.project.config import ProjectFile, read_project_file

KNOWN = "system, measurements, analytical, parameters, property, observed, options, contexts, ignore, where, [learning]"


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


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\nsytem = 1", "2: unknown key 'sytem'|did you mean 'system'?"),
        ("zzzzzz = 1", f"1: unknown key 'zzzzzz'|known are: {KNOWN}"),
        ("nfp = 3", "1: nfp must be the name of a property, in quotes|nfp = 3"),
        ("\nsystem = ' '", '2: system must be the path of a file, in quotes|system = " "'),
        ("nfp = 'a'\n\nproperty = 'b'", "3: property is given twice, as nfp and as property|remove one of them"),
        ("property = 'a'\n\nnfp = 'b'", "3: property is given twice, as property and as nfp|remove one of them"),
        *(
            (f"\nobserved = {wrong}", "2: observed must be the path of a file, in quotes, or a list of such")
            for wrong in ("[]", "3", "''", "['a.csv', 3]", "['a.csv', ' ']")
        ),
        *(
            (f"\n{key} = {wrong}", f"2: {key} must be a list of columns, in quotes|{key} = {shown}")
            for key in ("contexts", "ignore", "options")
            for wrong, shown in (("3", "3"), ("['a', 3]", '["a", 3]'), ("['a', ' ']", '["a", " "]'))
        ),
        *(
            (
                f"\nwhere = {wrong}",
                '2: where must be a table of columns with a value each|write where = { version = "0.9.1" }',
            )
            for wrong in ("3", "'a'", "{ version = true }", "{ version = 'a', size = [1] }")
        ),
        ("\nsystem = true", "2: system must be the path of a file, in quotes|system = true"),
        ("\nwhere = { version = 0x" + "f" * 5000 + " }", "2: 'where.version' has an integer that is too large"),
        ("\n[learning]\nabortError = false", "3: setting abortError: 'false' is not a number"),
        (
            "[learning]\npreset = true",
            "2: the learner projection has no preset 'true'|known are: default, splconqueror, splconqueror-2019",
        ),
        ("\nlearning = 1", "2: learning must be a table|write [learning] and settings below"),
        (
            "[learning]\n\npreset = 'splconquerer'",
            "3: the learner projection has no preset 'splconquerer'|did you mean 'splconqueror'?",
        ),
    ],
)
def test_messages(tmp_path: Path, text: str, message: str) -> None:
    """A wrong entry gives one problem with its line, the entry and what to do."""
    with pytest.raises(InputError) as caught:
        read(tmp_path, text)
    assert str(caught.value) == f"{tmp_path}/splc.toml:{message}".replace("|", "\n    ")


def test_settings_of_both_learners(tmp_path: Path) -> None:
    """Settings of either learner are accepted, and a wrong one has the line of its key, or of the table."""
    assert read(tmp_path, "[learning]\nnumberOfRounds = 3\n").preset is None
    with pytest.raises(InputError) as caught:
        read(tmp_path, "\n[learning]\nnumberOfRounds = 'a'\nabortError = 'b'\n")
    assert [problem.line for problem in caught.value.problems] == [3, 4]
    with pytest.raises(InputError) as caught:
        read(tmp_path, "\nlearning = {'numberOfRounds' = 'a', \"pre\\u0073et\" = 'x'}\n")
    assert [problem.line for problem in caught.value.problems] == [2, 2]
