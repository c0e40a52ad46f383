"""`splc example`: case studies that are part of the package."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from splc.workflows.example import EXAMPLES
from tests.cli.conftest import Run
from tests.support.paths import CASES, ROOT
from tests.support.tracing import untraced
from tests.support.tracked import tracked

MAX_BYTES = 400_000


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty folder, which is the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_list(run: Run) -> None:
    """Without a name, each example is listed with a sentence and its size."""
    result = run("example")
    assert result.exit_code == 0
    for example in EXAMPLES.values():
        assert example.about in result.stdout
    listed = json.loads(run("example", "--json").stdout)["examples"]
    assert [each["name"] for each in listed] == list(EXAMPLES)
    assert {each["name"]: each["bytes"] for each in listed} == {
        name: sum(len(path.read_bytes()) for path in each.paths.values()) for name, each in EXAMPLES.items()
    }
    assert sum(each["bytes"] for each in listed) <= MAX_BYTES


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_copy(name: str, run: Run) -> None:
    """A copy has the files of the case study, and commands for it are printed."""
    result = run("example", name)
    assert result.exit_code == 0
    example = EXAMPLES[name]
    assert {path.name: path.read_bytes() for path in Path(name).iterdir()} == {
        Path(file).name: (CASES / example.source / file).read_bytes() for file in example.files
    }
    for command in example.commands:
        assert f"  {command}\n" in result.stdout


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name == "kernels" else pytest.mark.slow) for name in EXAMPLES]
)
def test_commands_of_a_copy(name: str, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The commands of an example run in its copy."""
    run("example", name)
    monkeypatch.chdir(name)
    for command in EXAMPLES[name].commands:
        assert run(*command.split()[1:]).exit_code == 0, command


def test_a_failure_leaves_nothing(place: Path) -> None:
    """If a file cannot be written, the ones before it and the folder are removed."""
    script = "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000)); "
    script += "from splc.cli import main; sys.argv = ['splc', 'example', 'zstd']; main()"
    # Coverage could not write its data either.
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, cwd=place, env=untraced(), capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "measurements.csv: cannot be written: File too large" in done.stderr
    assert list(place.iterdir()) == []


def test_the_wheel_has_the_files() -> None:
    """The wheel includes the files of all examples, and nothing else of the case studies."""
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]["targets"]
    paths = [path for path in wheel["wheel"]["only-include"] if path.startswith("casestudies/")]
    included = {file for path in paths for file in tracked(ROOT) if file.is_relative_to(ROOT / path)}
    assert included == {path.resolve() for example in EXAMPLES.values() for path in example.paths.values()}


@pytest.mark.slow
def test_an_installed_wheel(place: Path) -> None:
    """`splc example` of an installed wheel copies the same files, without the checkout."""
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    subprocess.run([*pip, "wheel", "--no-deps", "-w", str(place), str(ROOT)], check=True)
    (wheel,) = place.glob("splc-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(place / "installed")
    script = "import sys; sys.path.insert(0, 'installed'); import splc.cli, splc; assert 'installed' in splc.__file__; "
    for name, example in EXAMPLES.items():
        code = f"{script}sys.argv = ['splc', 'example', {name!r}]; splc.cli.main()"
        subprocess.run([sys.executable, "-c", code], cwd=place, check=True, capture_output=True)
        for file in example.files:
            assert (place / name / Path(file).name).read_bytes() == (CASES / example.source / file).read_bytes()
