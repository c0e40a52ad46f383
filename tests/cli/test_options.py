"""Options: commands from requests, defaults, bounds, help, effects, and the schemas of what `--json` prints."""

from __future__ import annotations

import inspect
import json
import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
import typer
from jsonschema import Draft202012Validator
from typer.testing import CliRunner

from splc.cli.app import COMMANDS
from splc.cli.command import Command
from splc.cli.signature import command_of
from splc.workflows.fields import (
    as_argument,
    as_option,
    fields_of,
    flag,
    given_fields,
    internal,
    names_in,
    numbers_of,
    option,
    request,
)
from splc.workflows.views import Verb, Watch
from tests.cli.conftest import Run
from tests.support.golden_messages import Lines, check_calls, check_lines
from tests.support.paths import ROOT, SMG2000
from tests.support.schemas import SCHEMAS, command_fields, file_name, schema_errors, spelling
from tests.support.tracked import copy_tracked


@request
class Shared:
    """Inputs."""

    system: Annotated[str | None, as_option("FILE", "The system.")] = None
    seed: Annotated[int, as_option("N", "The seed.", minimum=0)] = 0


@request
class First(Shared):
    """A request with a field of each kind.

    A second paragraph.
    """

    model: Annotated[str, as_argument("MODEL", "The model.")]
    at: Mapping[str, float] = option({}, "A=1", parse=numbers_of, repeated=True)("Numbers.")
    names: tuple[str, ...] = option((), "A,B", parse=names_in, repeated=True)("Names.")
    many: tuple[str, ...] = option((), "X", "Panel")("Many.")
    folds: int = option(0, "K", minimum=2, default="none")("Folds.")
    quick: bool = flag("--quick -k")("Be quick.")
    output: str | None = option(None, "FILE", names="--output -o")("The file.")
    folder: str = internal("here", "The folder.")

    top: int = option(3, "N", minimum=1)("How many.")
    rate: float | None = option(None, "X", minimum=0)("How fast.")
    form: Literal["sum", "product"] | None = option(None, "sum|product")("The form.")


FOUND: dict[str, Any] = {}


def answer(request: First, watch: Watch) -> str:
    """Return the model."""
    FOUND.update(request=request, json=watch.detail.json)
    return request.model


VERB = Verb(
    First, answer, lambda result, detail: [f"model {result}"], lambda result: {"model": result}, (), without=("system",)
)


def invoke(*arguments: str) -> Any:
    """Run the command; return the result of typer's runner."""
    FOUND.clear()
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command(cls=Command)(command_of(VERB))
    return CliRunner().invoke(app, arguments)


def refusal(line: str) -> str:
    """Return what is wrong with a command line; versions of typer differ in what is around it."""
    result = invoke(*line.split())
    assert (result.exit_code, FOUND) == (2, {})
    found = re.search(r"(Invalid|Missing|No such).*", " ".join(result.output.replace("│", " ").split()))
    return found[0].partition(" (Possible")[0].rstrip(" .╰─╯") if found else ""


def test_values_of_options() -> None:
    """Every option sets its field."""
    line = "m --at a=1 --at b=2.5 --names x,y --names z --many 1 --many 2 --folds 4 -k -o f --seed 5 --top 1"
    line += " --rate 2 --form sum"
    assert invoke(*line.split()).exit_code == 0
    texts: dict[str, Any] = {"names": ("x", "y", "z"), "many": ("1", "2"), "output": "f", "form": "sum"}
    made = First(model="m", at={"a": 1.0, "b": 2.5}, folds=4, quick=True, seed=5, top=1, rate=2.0, **texts)
    assert {"request": made, "json": False} == FOUND
    assert given_fields(First(model="m", seed=5, top=1)) == ("seed", "model", "top")


def test_help_and_refusals() -> None:
    """Help has own fields, those of all commands, then shared ones; wrong, missing and unknown options are refused."""
    check_calls("made-options", refusal, help=lambda: Lines(invoke("--help").output))
    names = "model at names many folds quick output top rate form json quiet verbose seed"
    assert list(inspect.signature(command_of(VERB)).parameters) == names.split()


def test_a_field_without_help() -> None:
    """A field of a request must say what it is."""
    with pytest.raises(TypeError, match=r"Bare\.seed has no help"):

        @request
        class Bare:
            """A request."""

            seed: int = 0

    assert [each.name for each in fields_of(Shared)] == ["system", "seed"]


def test_defaults_and_bounds() -> None:
    """The flags that are on, and the defaults and least values of numbers, are those of the golden file."""
    lines = []
    for name in COMMANDS:
        for each in command_fields(name):
            stated = []
            if each.field.kind == "flag" and each.default:
                stated.append("on")
            elif isinstance(each.default, int | float) and each.shown_default == str(each.default):
                stated.append(f"default {each.default}")
            if each.field.minimum is not None:
                stated.append(f"least {each.field.minimum}")
            if stated:
                lines.append(f"{name} {spelling(each)}: {', '.join(stated)}")
    check_lines("options", lines)


EFFECTS = (Path(__file__).parent / "option-effects.txt").read_text(encoding="utf-8").splitlines()[1:]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a copy of a case study with a second model and a table of few rows, which is the current folder."""
    folder = copy_tracked(SMG2000 / "2d", tmp_path / "2d")
    analytical = (folder / "analytical.txt").read_text(encoding="utf-8")
    (folder / "other.txt").write_text(f"{analytical}# another one\n".replace("20 *", "15 *"), encoding="utf-8")
    header, *rows = (folder / "measurements.csv").read_text(encoding="utf-8").splitlines()
    # Every 15th configuration, with its three runs.
    few = [row for index, row in enumerate(rows) if index // 3 % 15 == 0]
    (folder / "few.csv").write_text("\n".join([header, *few]), encoding="utf-8")
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize("line", EFFECTS)
@pytest.mark.usefixtures("project")
def test_options_change_the_answer(run: Run, line: str) -> None:
    """Each option changes what the command answers, not only what it says about its settings."""
    command, key, *options = line.split("; ")

    def answer(option: str = "") -> object:
        result = run(*shlex.split(f"{command} {option} --json"))
        assert result.exit_code == 0, result.stderr
        return json.loads(result.stdout)[key]

    plain = answer()
    unchanged = [option for option in options if answer(option) == plain]
    assert not unchanged


FILES = sorted(SCHEMAS.iterdir())
# Those of files, which are no outputs of commands.
OF_FILES = {"splc.model/1", "splc.models/1", "splc.study.manifest/1"}


def test_a_file_per_output() -> None:
    """`docs/schemas` has a schema for each id in the code, and nothing else."""
    texts = [file.read_text(encoding="utf-8") for file in (ROOT / "splc").rglob("*.py")]
    ids = {found for text in texts for found in re.findall(r"[\"'](splc\.[a-z.]+/\d+)[\"']", text)}
    assert {file.name for file in FILES} == set(map(file_name, ids - OF_FILES))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_schemas_are_valid(file: Path) -> None:
    """Every schema is one of the draft that it names, has the id of its file, and requires only keys that it has."""
    schema = json.loads(file.read_text(encoding="utf-8"))
    assert not list(Draft202012Validator(Draft202012Validator.META_SCHEMA).iter_errors(schema))
    assert file_name(schema["title"]) == file.name
    assert schema["properties"]["schema"] == {"const": schema["title"]}
    for part in (schema, *schema.get("$defs", {}).values()):
        assert set(part["required"]) <= set(part["properties"])


def test_definitions_agree() -> None:
    """A definition has the same content in each file."""
    contents: dict[str, set[str]] = {}
    for file in FILES:
        for name, part in json.loads(file.read_text(encoding="utf-8")).get("$defs", {}).items():
            contents.setdefault(name, set()).add(json.dumps(part, sort_keys=True))
    assert {name for name, found in contents.items() if len(found) > 1} == set()


def test_wrong_objects(run: Run, folder: Path) -> None:
    """An output with a missing key, a further key or a wrong type is not valid."""
    text = run("describe", "--json").stdout
    content = json.loads(text)
    assert schema_errors(text) == []
    for wrong in ({"constraints": 0.5}, {"name": None}, {"more": 1}):
        assert len(schema_errors(json.dumps(content | wrong))) == 1
    del content["options"][0]["role"]
    [error] = schema_errors(json.dumps(content))
    assert error.startswith("$.options[0]: ")
