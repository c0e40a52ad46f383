"""Commands from functions of requests."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import pytest
import typer
from typer.testing import CliRunner

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
    at: Mapping[str, float] = option({}, "A=1", "Numbers.", parse=numbers_of, repeated=True)
    names: tuple[str, ...] = option((), "A,B", "Names.", parse=names_in, repeated=True)
    many: tuple[str, ...] = option((), "X", "Many.", "Panel")
    folds: int = option(0, "K", "Folds.", minimum=2, default="none")
    quick: bool = flag("--quick -k", "Be quick.")
    output: str | None = option(None, "FILE", "The file.", names="--output -o")
    folder: str = internal("here", "The folder.")

    top: int = option(3, "N", "How many.", minimum=1)
    rate: float | None = option(None, "X", "How fast.", minimum=0)
    form: Literal["sum", "product"] | None = option(None, "sum|product", "The form.")


FOUND: dict[str, Any] = {}


def run(request: First, watch: Watch) -> str:
    """Return the model."""
    FOUND.update(request=request, json=watch.detail.json)
    return request.model


VERB = Verb(
    First, run, lambda result, detail: [f"model {result}"], lambda result: {"model": result}, (), without=("system",)
)


def invoke(*arguments: str) -> Any:
    """Run the command; return the result of typer's runner."""
    FOUND.clear()
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command(cls=Command)(command_of(VERB))
    return CliRunner().invoke(app, arguments)


def test_values() -> None:
    """Every option sets its field."""
    line = "m --at a=1 --at b=2.5 --names x,y --names z --many 1 --many 2 --folds 4 -k -o f --seed 5 --top 1"
    line += " --rate 2 --form sum"
    assert invoke(*line.split()).exit_code == 0
    texts: dict[str, Any] = {"names": ("x", "y", "z"), "many": ("1", "2"), "output": "f", "form": "sum"}
    made = First(model="m", at={"a": 1.0, "b": 2.5}, folds=4, quick=True, seed=5, top=1, rate=2.0, **texts)
    assert {"request": made, "json": False} == FOUND
    assert given_fields(First(model="m", seed=5, top=1)) == ("seed", "model", "top")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("m --at a", "Invalid value for '--at': 'a' is not NAME=NUMBER"),
        ("m --top x", "Invalid value for '--top': 'x' is not a valid integer."),
        ("m --rate x", "Invalid value for '--rate': 'x' is not a valid number."),
        ("m --rate nan", "Invalid value for '--rate': nan is not in the range x>=0."),
        ("m --form mean", "Invalid value for '--form': 'mean' is not one of 'sum', 'product'."),
        ("m --folds 1", "Invalid value for '--folds': 1 is not in the range x>=2."),
        ("m --system s", "No such option: --system"),
        ("m --folder f", "No such option: --folder"),
        ("", "Missing argument 'MODEL'"),
        ("m --json -o -", "Invalid value for --output: the JSON object is written to standard output already"),
    ],
)
def test_refused(line: str, message: str) -> None:
    """Wrong texts, missing arguments and options that a command does not have are usage errors."""
    result = invoke(*line.split())
    assert result.exit_code == 2
    assert message in " ".join(result.output.replace("│", " ").split())
    assert not FOUND


def test_order_and_help() -> None:
    """A request's own fields come first, then those of all commands, then shared ones."""
    names = "model at names many folds quick output top rate form json quiet verbose seed"
    assert list(inspect.signature(command_of(VERB)).parameters) == names.split()
    text = invoke("--help").output
    assert "--folds K           Folds. [default: none]" in text
    assert "--seed N            The seed. [default: 0]" in text
    assert "--at A=1            Numbers.\n" in text
    assert "Panel:\n  --many X  Many.\n" in text


def test_a_field_without_help() -> None:
    """A field of a request must say what it is."""
    with pytest.raises(TypeError, match=r"Bare\.seed has no help"):

        @request
        class Bare:
            """A request."""

            seed: int = 0

    assert [each.name for each in fields_of(Shared)] == ["system", "seed"]
