"""The models that `splc compare` compares."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from splc.formats.models.log_reader import WhichRound
    from splc.formats.models.read import StoredModel
    from splc.models.influence import InfluenceModel
    from splc.models.parameters import Parameters
    from splc.system.variability import VariabilityModel


@dataclass(frozen=True)
class Subject:
    """A model that is compared.

    Attributes:
        name: its name in tables: the file, as it was given.
        model: the model.
        kind: 'log', 'json' or 'text'.
        nfp: the property that its file says it is about.
        file: the file.
        sha256: the hash of the file's content.
        used: the parameters that it uses.
    """

    name: str
    model: InfluenceModel
    kind: str
    nfp: str | None
    file: str
    sha256: str = ""
    used: frozenset[str] = frozenset()


def which_round(text: str) -> WhichRound:
    """Return which round of a log is meant.

    Raises:
        typer.BadParameter: if the text is neither 'last' nor 'best' nor a whole number.
    """
    if text == "last":
        return "last"
    if text == "best":
        return "best"
    if text.isdecimal() and len(text) < 10:
        return int(text)
    raise typer.BadParameter(f"{text!r} is neither 'last' nor 'best' nor a number", param_hint="--round")


def which_learning(text: str | None) -> int | None:
    """Return which learning of a log is meant: its number, 0 for all, None for the last.

    Raises:
        typer.BadParameter: if the text is neither 'all' nor a positive whole number.
    """
    if text is None or text == "all":
        return None if text is None else 0
    if text.isdecimal() and len(text) < 10 and int(text) > 0:
        return int(text)
    raise typer.BadParameter(f"{text!r} is neither 'all' nor a positive number", param_hint="--learning")


def require_factor(scale: float | None) -> None:
    """Refuse a factor that makes a model meaningless.

    Raises:
        typer.BadParameter: if it is not a positive, finite number.
    """
    if scale is not None and not 0 < scale < math.inf:
        raise typer.BadParameter(f"{scale:g} is no factor; give a positive number", param_hint="--scale")


def subjects_of(
    paths: Sequence[str],
    system: VariabilityModel,
    parameters: Parameters,
    round: WhichRound,
    learning: int | None,
    scale: float | None,
) -> list[Subject]:
    """Read the models.

    Args:
        paths: the files.
        system: the system.
        parameters: the machine parameters.
        round: which round of logs.
        learning: which learning of logs; 0: all, each a model of its own.
        scale: what the analytical models are multiplied by.

    Raises:
        InputError: if a file cannot be read; the problems of all files at once.
        typer.BadParameter: if an option is about models that are not among them, or there is only one model.
    """
    from splc.errors import Problems, SplcError
    from splc.formats.models.read import parse_stored_models
    from splc.io.files import STANDARD, read_source

    found: list[Subject] = []
    problems = Problems()
    for path in paths:
        try:
            source = read_source(path)
            stored: list[StoredModel] = parse_stored_models(
                source, system, parameters=parameters, round=round, learning=learning
            )
        except SplcError as error:
            problems.include(error)
            continue
        own = "standard input" if path == STANDARD else path
        for number, each in enumerate(stored, 1):
            name = own if len(stored) == 1 else f"{own} ({number})"
            model = each.model.scaled(scale) if scale is not None and each.kind == "text" else each.model
            found.append(Subject(name, model, each.kind, each.nfp, path, source.sha256, each.used))
    problems.raise_if_any()
    kinds = {subject.kind for subject in found}
    if scale is not None and "text" not in kinds:
        raise typer.BadParameter("none of the models is model text, which is what is scaled", param_hint="--scale")
    for option, stated in (("--round", round != "last"), ("--learning", learning is not None)):
        if stated and "log" not in kinds:
            raise typer.BadParameter("none of the models is a log, which is what it is about", param_hint=option)
    if len(found) < 2:
        raise typer.BadParameter("a comparison needs two models at least", param_hint="FIRST OTHER...")
    return _distinct(found)


def _distinct(subjects: list[Subject]) -> list[Subject]:
    """Return the models with names that differ."""
    seen: dict[str, int] = {}
    result = []
    for subject in subjects:
        seen[subject.name] = seen.get(subject.name, 0) + 1
        again = seen[subject.name]
        result.append(subject if again == 1 else replace(subject, name=f"{subject.name} [{again}]"))
    return result


def require_rows(at: Mapping[str, float], subjects: Sequence[Subject]) -> None:
    """Refuse `--at` that no table is over, or that has no row.

    Raises:
        InputError: naming what the tables are over, and their rows.
    """
    from splc.models.parameters import chosen_rows

    if at:
        chosen_rows([parameter for subject in subjects for parameter in subject.model.parameters], at)
