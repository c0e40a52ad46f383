"""Results folders: no other files are lost."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from splc.errors import OutputError
from tests.study.conftest import Studied, write_project
from tests.support.results import contents


def test_folder_of_others(study_file: Path, studied: Studied) -> None:
    """A folder with other files is refused and not changed; with force they stay beside the results."""
    folder = study_file.parent / "results"
    folder.mkdir()
    (folder / "notes.md").write_text("mine", encoding="utf-8")
    with pytest.raises(OutputError, match=r"holds other files: notes\.md"):
        studied()
    assert [path.name for path in folder.iterdir()] == ["notes.md"]
    studied(force=True)
    assert (folder / "notes.md").read_text(encoding="utf-8") == "mine"
    assert (folder / "table.md").exists()
    studied()
    assert (folder / "notes.md").read_text(encoding="utf-8") == "mine"


def test_results_of_another_study(study_file: Path, studied: Studied) -> None:
    """The results of another study are refused; with force they are replaced, and nothing of them is left over."""
    shutil.copy(study_file, study_file.parent / "other.toml")
    expected = contents(studied("expected").folder)
    from splc.study import read_study, run_study

    other = study_file.parent / "other.toml"
    other.write_text('samplings = ["random:5"]\n', encoding="utf-8")
    folder = run_study(read_study(other)).folder
    before = contents(folder)
    with pytest.raises(OutputError, match=r"results of another study: .*other\.toml of the system grid"):
        studied()
    assert contents(folder) == before
    assert contents(studied(force=True).folder) == expected


def test_changed_results(studied: Studied) -> None:
    """A result that somebody changed is not replaced without force."""
    folder = studied().folder
    (folder / "table.md").write_text("my words", encoding="utf-8")
    with pytest.raises(OutputError) as caught:
        studied()
    assert str(caught.value).splitlines() == [
        f"{folder / 'table.md'}: this file was changed after the study wrote it",
        "    move it away, or replace it by --force",
    ]
    assert (folder / "table.md").read_text(encoding="utf-8") == "my words"
    studied(force=True)
    assert (folder / "table.md").read_text(encoding="utf-8") != "my words"


def test_changed_result_that_is_none_any_more(study_file: Path, studied: Studied) -> None:
    """A log that is no longer a result is removed, unless it was changed: then it is kept, with a note."""
    folder = studied().folder
    log = folder / "logs" / "random-6-seed-0.log"
    log.write_text("my words", encoding="utf-8")
    study_file.write_text('samplings = ["ff"]\n', encoding="utf-8")
    result = studied()
    assert [path.name for path in (folder / "logs").iterdir() if path.name != "ff.log"] == [log.name]
    assert any(log.name in text for text in result.notes)


def test_lost_result_is_written_again(studied: Studied) -> None:
    """A result that was removed is written again, without learning."""
    result = studied()
    expected = contents(result.folder)
    (result.folder / "table.tex").unlink()
    shutil.rmtree(result.folder / "logs")
    assert studied().found == 8
    assert contents(result.folder) == expected


def test_no_input_is_replaced(study_file: Path, studied: Studied) -> None:
    """Whatever the folder, no input of the study is written to."""
    table = study_file.parent / "table.csv"
    (study_file.parent / "measurements.csv").rename(table)
    study_file.write_text('measurements = "table.csv"\nsamplings = ["ff"]\n', encoding="utf-8")
    before = table.read_bytes()
    with pytest.raises(OutputError, match="a result would replace this input"):
        studied(".", force=True)
    assert table.read_bytes() == before


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "app"}',
        '{"schema": "splc.study.manifest/1"}',
        '{"schema": "splc.study.manifest/1", "owner": {}, "files": {"a": 1}}',
        '{"schema": "splc.study.manifest/1", "owner": [], "files": {}}',
        "[" * 100_000,
    ],
)
def test_manifest_of_others(study_file: Path, studied: Studied, text: str) -> None:
    """A manifest.json that is no study's, or is damaged, is refused."""
    folder = study_file.parent / "results"
    folder.mkdir()
    (folder / "manifest.json").write_text(text, encoding="utf-8")
    with pytest.raises(OutputError, match="not the manifest of a study"):
        studied()


def test_places_that_cannot_be(study_file: Path, studied: Studied) -> None:
    """A file, or a folder where a result is to be, is refused with its name."""
    (study_file.parent / "file").write_text("", encoding="utf-8")
    with pytest.raises(OutputError, match="file: cannot be made"):
        studied("file")
    (study_file.parent / "results" / "table.md").mkdir(parents=True)
    with pytest.raises(OutputError, match=r"table\.md: this is a folder"):
        studied(force=True)


def test_moved_project(study_file: Path, studied: Studied, tmp_path: Path) -> None:
    """A project that is moved with its results uses them."""
    from splc.study import read_study, run_study

    studied()
    moved = study_file.parent.rename(tmp_path / "moved")
    assert run_study(read_study(moved / "study.toml")).found == 8


def test_results_of_a_copied_folder(study_file: Path, studied: Studied, tmp_path: Path) -> None:
    """Results of the same study file with other measurements do not count."""
    studied()
    other = write_project(tmp_path / "copy")
    shutil.copytree(study_file.parent / "results", tmp_path / "copy" / "results")
    path = tmp_path / "copy" / "measurements.csv"
    path.write_text(path.read_text(encoding="utf-8").replace("4,48,", "4,48,9"), encoding="utf-8")
    from splc.study import read_study, run_study

    assert run_study(read_study(other)).found == 0
