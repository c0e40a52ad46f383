"""No output of a command takes the place of one of its inputs, or of another output."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from splc.errors import OutputError
from splc.io.files import require_writable
from tests.cli.conftest import Run

Refused = Callable[..., str]


@pytest.mark.parametrize(
    "command",
    [
        ("sample", "--sampling", "ff", "-o"),
        ("sample", "--sampling", "measured", "-o"),
        ("sample", "--sampling", "all+ff", "--command-lines", "-o"),
        ("convert", "model.txt", "--to", "log", "-o"),
        ("learn", "--property", "time", "-o"),
        ("learn", "--property", "time", "--plot"),
        ("predict", "model.txt", "measurements.csv", "-o"),
    ],
)
@pytest.mark.parametrize(
    "target", ["system.xml", "splc.toml", "measurements.csv", "model.txt", "link", "hard", "sub/../system.xml"]
)
def test_inputs_are_kept(run: Run, refused: Refused, folder: Path, command: tuple[str, ...], target: str) -> None:
    """Whatever a command reads is not overwritten, neither by its name nor through a link."""
    (folder / "splc.toml").write_text('nfp = "time"\n', encoding="utf-8")
    (folder / "model.txt").write_text("10 * cache + x\n", encoding="utf-8")
    (folder / "link").symlink_to("system.xml")
    (folder / "hard").hardlink_to(folder / "splc.toml")
    (folder / "sub").mkdir()
    if target == "model.txt" and command[0] in {"sample", "learn"}:
        pytest.skip("this command does not read the model")
    before = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    message = refused(*command, target)
    assert "this is an input" in message or "--plot" in command
    assert before == {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def test_what_was_redirected_to_standard_input_is_kept(folder: Path) -> None:
    """The file that standard input comes from is an input, too."""
    command = [sys.executable, "-m", "splc", "convert", "-", "-o", "measurements.csv"]
    before = (folder / "measurements.csv").read_bytes()
    with (folder / "measurements.csv").open("rb") as stream:
        found = subprocess.run(command, stdin=stream, capture_output=True, text=True, check=False)
    assert (found.returncode, found.stdout) == (2, "")
    assert "this is an input" in found.stderr
    assert (folder / "measurements.csv").read_bytes() == before


def test_devices_can_be_named_twice() -> None:
    """A device loses nothing."""
    require_writable("/dev/null", ["/dev/null"])
    with pytest.raises(OutputError):
        require_writable(__file__, [__file__])


@pytest.mark.parametrize(
    "content", [b"", b"a note\n", b"\xff\xfe{", b'{"nfp": 3, "provenance": []}', b"[1]", b"[" * 9999]
)
def test_other_files_have_no_subject(run: Run, folder: Path, content: bytes) -> None:
    """A file that names neither a system nor a property is replaced without a note."""
    for name in ("learned.log", "damaged.log.gz"):
        (folder / name).write_bytes(content)
        result = run("learn", "--preset", "splconqueror", "--property", "time", "-o", name)
        assert result.exit_code == 0
        assert "replaced" not in result.stderr
