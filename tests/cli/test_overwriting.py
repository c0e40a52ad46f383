"""No output of a command takes the place of one of its inputs, or of another output."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from splc.errors import OutputError
from splc.io.outputs import require_writable
from tests.cli.conftest import Run

Refused = Callable[..., str]


@pytest.mark.parametrize(
    "command",
    [
        ("sample", "--sampling", "ff", "-o"),
        ("sample", "--sampling", "measured", "-o"),
        ("sample", "--sampling", "all+ff", "--command", "-o"),
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


@pytest.mark.parametrize("source", ["measurements.csv", "system.xml"])
def test_convert_never_writes_its_input(refused: Refused, folder: Path, source: str) -> None:
    """A file is not converted into itself, nor are measurements written over the description that they need."""
    before = (folder / source).read_bytes()
    assert "this is an input" in refused("convert", source, "-o", source)
    (folder / "alias").symlink_to(source)
    assert "this is an input" in refused("convert", "alias", "-o", source, "--to", source[-3:])
    assert (folder / source).read_bytes() == before


def test_a_named_system_is_kept(refused: Refused, folder: Path) -> None:
    """A description given by an option is an input as well."""
    (folder / "other").write_bytes((folder / "system.xml").read_bytes())
    arguments = ("convert", "measurements.csv", "--to", "csv", "--system", "other", "-o", "other")
    assert "this is an input" in refused(*arguments)


def test_two_outputs_are_two_files(refused: Refused, folder: Path) -> None:
    """The model and the plot cannot be one file, though there is none yet."""
    assert "another output" in refused("learn", "--property", "time", "-o", "y.svg", "--plot", "y.svg")
    assert not (folder / "y.svg").exists()


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


@pytest.mark.parametrize("output", ["learned.log", "model.json", "model.py", "model.tex", "model.json.gz"])
def test_a_model_of_another_property_is_replaced_with_a_note(run: Run, folder: Path, output: str) -> None:
    """An existing model of another property is replaced, and a note names it; one of the same property needs none."""

    def learned(nfp: str) -> str:
        result = run("learn", "--preset", "splconqueror", "--property", nfp, "-o", output)
        assert result.exit_code == 0
        return "".join(line for line in result.stderr.splitlines() if "replaced" in line)

    assert learned("time") == learned("time") == ""
    before = (folder / output).read_bytes()
    assert "the model of time" in learned("energy")
    assert (folder / output).read_bytes() != before


@pytest.mark.parametrize("output", ["learned.log", "model.json"])
def test_a_model_of_another_system_is_replaced_with_a_note(run: Run, folder: Path, output: str) -> None:
    """An existing model of another system is replaced, and a note names it."""
    command = ("learn", "--preset", "splconqueror", "--property", "time", "-o", output)
    assert run(*command).exit_code == 0
    system = (folder / "system.xml").read_text(encoding="utf-8")
    (folder / "system.xml").write_text(system.replace('name="small"', 'name="large"'), encoding="utf-8")
    assert "small" in "".join(line for line in run(*command).stderr.splitlines() if "replaced" in line)
    assert "replaced" not in run(*command).stderr


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
