"""Checks of output files before anything is computed, with their messages in full."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from splc.errors import OutputError
from splc.io.files import require_writable

SAME = "this is an input or another output of the same command\n    write to another file"


def refused(path: str, *inputs: str | None) -> str:
    """Return the message about an output."""
    with pytest.raises(OutputError) as found:
        require_writable(path, inputs)
    return str(found.value)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the current folder, which has a file `a`."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a").write_text("a", encoding="utf-8")
    return tmp_path


def test_usable_outputs(here: Path) -> None:
    """No file, standard output, a new file, an existing one, and a device may be written; the check writes nothing."""
    for path in (None, "-", "new", "a", "/dev/null"):
        require_writable(path, ["b", None, "-"])
    require_writable("/dev/null", ["/dev/null"])
    assert [entry.name for entry in here.iterdir()] == ["a"]


def test_inputs_are_kept(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An output that is an input by name, through a link, by another path, or as standard input is refused."""
    (here / "link").symlink_to("a")
    os.link("a", "hard")
    for path, other in (("a", "a"), ("a", "./a"), ("link", "a"), ("a", "link"), ("hard", "a"), ("new", "new")):
        assert refused(path, None, "other", other) == f"{path}: {SAME}"
    monkeypatch.setattr(os, "fstat", lambda _: Path("a").stat())
    assert refused("a", "-") == f"a: {SAME}"
    require_writable("new", ["a", "nowhere/x", "b\0c"])


def test_unusable_outputs(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Folders, files in folders that do not exist, protected files and folders are refused with what to do."""
    assert refused(".") == ".: this is a folder\n    name a file in it"
    assert refused("b/c") == "b/c: cannot be written\n    there is no folder 'b'; create it first"
    hint = "choose another output file"
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert refused("a") == f"a: cannot be written: the file is write-protected\n    {hint}"
    require_writable("new")

    def denied(**options: object) -> None:
        assert options == {"dir": here}
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(tempfile, "TemporaryFile", denied)
    assert refused("new") == f"new: cannot be written: Permission denied\n    {hint}"
