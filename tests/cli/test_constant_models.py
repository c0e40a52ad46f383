"""Models that are a constant: every command says that no option matters."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from tests.cli.conftest import Run

ROWS = [*product((0, 1), (1, 2, 4, 8), (0, 1))]
UNUSED = "not used by the model: "


@pytest.fixture
def constant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a table of a property that is the same for all configurations, which is the current one."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "constant.csv").write_text(
        "\n".join(["a,b,c,t", *(f"{a},{b},{c},5" for a, b, c in ROWS)]) + "\n", encoding="utf-8"
    )
    (tmp_path / "listed.csv").write_text(
        "\n".join(["a,b,c", *(f"{a},{b},{c}" for a, b, c in ROWS)]) + "\n", encoding="utf-8"
    )
    return tmp_path


def names_in(stderr: str) -> set[str]:
    """Return the options that are said not to be used."""
    [line] = [line for line in stderr.splitlines() if UNUSED in line]
    return set(line.split(UNUSED)[1].split(", "))


@pytest.mark.parametrize("printed", [(), ("--printed",)], ids=["full", "printed"])
def test_optimize(run: Run, constant: Path, printed: tuple[str, ...]) -> None:
    """The full model and the printed one use no option."""
    assert run("learn", "constant.csv", "-o", "model.json").exit_code == 0
    assert names_in(run("optimize", "model.json", *printed).stderr) == {"a", "b", "c"}


def test_tune(run: Run, constant: Path) -> None:
    """A tuning run whose values are all equal says that no option is used; a table of configurations is no problem."""
    command = ("tune", "--system", "listed.csv", "--command", "echo 5 {a} {b} {c}", "--property", r"t=regex:^(\d+)")
    result = run(*command, "--budget", "14")
    assert result.exit_code == 0, result.stderr
    assert names_in(result.stderr) == {"a", "b", "c"}
    assert "seems to be measured" not in result.stderr
    assert "seems to be measured" not in run("sample", "--system", "listed.csv", "--sampling", "all+ff").stderr
