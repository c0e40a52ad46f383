"""The exported Python module: checks of configurations, and its command line."""

from __future__ import annotations

import ast
import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sampling import Space
from splc.formats.models.programs.program import program_of
from splc.formats.models.programs.python_program import python_program
from splc.formats.models.stored_model import StoredModel
from tests.formats.models.programs.test_programs import MADE, effects, learned
from tests.support.evaluators import assignments, python_module

ONE = {
    **{"b0": 1, "b1": 0, "b2": 1, "ref_1": 1, "ref_5": 0, "ref_9": 0},
    **{"codec_zip": 1, "codec_lzma": 0, "codec_none": 0, "level": 1, "level_1": 0, "level_2": 1, "level_4": 0},
    **{"level_8": 0, "pair_left": 1, "pair_right": 0, "n": 4, "zero": 5, "below": 3, "two": 7, "maybe": 2},
}


@pytest.fixture(scope="module")
def stored() -> StoredModel:
    """Return a learned model."""
    return learned(MADE, effects, 24, "sum")


@pytest.fixture(scope="module")
def folder(stored: StoredModel, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with an exported model."""
    found = tmp_path_factory.mktemp("exported")
    (found / "exported.py").write_text(python_program(program_of(stored)), encoding="utf-8")
    return found


@pytest.fixture(scope="module")
def module(folder: Path) -> Any:
    """Return the names of the exported module."""
    return runpy.run_path(str(folder / "exported.py"))


def command(folder: Path, *arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
    """Run the exported module alone, without site packages."""
    return subprocess.run(
        [sys.executable, "-I", "-S", "-W", "error", "exported.py", *arguments],
        cwd=folder,
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )


def test_standard_library_only(folder: Path) -> None:
    """The module imports modules of Python only."""
    tree = ast.parse((folder / "exported.py").read_text(encoding="utf-8"))
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    names |= {str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {name.partition(".")[0] for name in names} <= sys.stdlib_module_names


def test_names(module: Any) -> None:
    """A module has the property, the level of its intervals, and the options with their values."""
    assert (module["PROPERTY"], module["UNIT"], module["LEVEL"]) == ("time", None, 0.9)
    assert (module["OPTIONS"]["n"], module["OPTIONS"]["b0"]) == ((1, 2, 4, 8, 16, 32), (0, 1))


def test_fixed_and_text_options(module: Any) -> None:
    """Options with one value need not be given; a text stands for the members of a group."""
    expected = module["predict"](ONE)
    assert module["predict"]({**ONE, "fixed": 3, "ref": True}) == expected
    texts = {name: value for name, value in ONE.items() if not name.startswith(("codec", "level"))}
    assert module["predict"]({**texts, "codec": "zip", "level": "level_2"}) == expected
    none = {**ONE, "level": 0, "level_2": 0}
    assert module["predict"]({**texts, "codec": "zip", "level": ""}) == module["predict"](none)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n": 5}, "n cannot be 5; its values are 1, 2, 4, 8, 16, 32"),
        ({"n": "four"}, "n cannot be 'four', which is not a number"),
        ({"n": None}, "no value for the option 'n'"),
        ({"n": float("inf")}, "n cannot be inf; its values are 1, 2, 4, 8, 16, 32"),
        ({"b0": 2}, "b0 cannot be 2; its values are 0, 1"),
        ({"belows": 1}, "unknown option 'belows'; did you mean 'below'?"),
        ({"codec_lzma": 1}, "only one of these options can be selected: codec_zip, codec_lzma"),
        ({"codec": "rar"}, "codec cannot be 'rar'; its values are"),
    ],
)
def test_checks(change: dict[str, Any], message: str, module: Any) -> None:
    """A wrong value is an error that names the option and its values."""
    with pytest.raises(ValueError, match=re.escape(message)):
        module["predict"]({**ONE, **change})


def test_all_problems_at_once(module: Any) -> None:
    """All problems of a configuration are reported together."""
    with pytest.raises(module["PredictionError"]) as caught:
        module["predict"]({"n": 5, "qq": 1})
    lines = str(caught.value).splitlines()
    assert len(lines) == 13
    assert lines[-1].endswith("more problems")


def test_extrapolation(module: Any) -> None:
    """Other values of numeric options are predicted on request."""
    assert module["predict"]({**ONE, "n": 6}, extrapolate=True) != module["predict"](ONE)
    with pytest.raises(ValueError, match="b0 cannot be 2"):
        module["predict"]({**ONE, "b0": 2}, extrapolate=True)


def test_command(folder: Path, module: Any) -> None:
    """The command prints a prediction, with its interval on request; mistakes end with exit code 2."""
    words = [f"{name}={value}" for name, value in ONE.items()]
    assert float(command(folder, *words).stdout) == module["predict"](ONE)
    assert float(command(folder, *words, "--printed").stdout) == module["predict"](ONE, printed=True)
    numbers = [float(each) for each in command(folder, *words, "--interval").stdout.split()]
    assert tuple(numbers) == (module["predict"](ONE), *module["interval"](ONE))
    wrong = command(folder, *words[1:], "b0")
    assert (wrong.returncode, wrong.stdout, wrong.stderr) == (2, "", "error: 'b0' is not OPTION=VALUE\n")


@pytest.mark.parametrize("delimiter", [",", ";"])
def test_tables(delimiter: str, folder: Path, module: Any) -> None:
    """Tables keep their columns, in any order; an error names the line, and nothing is printed."""
    rows = assignments(Space(MADE).draw(5, np.random.default_rng(8)))
    names = [*reversed(rows[0]), "remark"]
    lines = [
        [*names],
        *(["" if row.get(name) is None else repr(row[name]) for name in names[:-1]] + ["x y"] for row in rows),
    ]
    text = "\ufeff" + "\n".join(map(delimiter.join, lines)) + "\n"
    found = [line.split(delimiter) for line in command(folder, text=text).stdout.splitlines()]
    assert found[0] == [*names, "predicted"]
    assert [float(line[-1]) for line in found[1:]] == [module["predict"](row) for row in rows]
    assert [line[:-1] for line in found[1:]] == lines[1:]
    lines[3][names.index("n")] = "5"
    wrong = command(folder, text="\n".join(map(delimiter.join, lines)))
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert wrong.stderr.startswith("error: line 4: n cannot be 5")
    assert command(folder).stderr == "error: there is no table on standard input\n"


def test_module_of(stored: StoredModel, tmp_path: Path) -> None:
    """Modules of the same model are the same."""
    assert python_program(program_of(stored)) == python_program(program_of(stored))
    assert python_module(stored, tmp_path)["PROPERTY"] == "time"
