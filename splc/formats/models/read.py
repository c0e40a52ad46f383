"""Models in whichever format a file has: JSON, a log in SPL Conqueror's grammar, or model text."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from splc.errors import InputError, OutputError, Problem, listed
from splc.formats.detect import is_log, kind_of
from splc.io.files import Source, read_source, write_whole
from splc.models.influence import InfluenceModel
from splc.models.parameters import Parameters
from splc.system.variability import ROOT, VariabilityModel

if TYPE_CHECKING:
    from splc.formats.models.log_reader import WhichRound


@dataclass(frozen=True)
class StoredModel:
    """A model and what its file says about it.

    Attributes:
        model: the model.
        nfp: the property that it was learned from, None where the file does not say it.
        kind: 'log', 'json' or 'text'. A model text is an analytical model: an expert wrote it.
        used: the parameters that a model text uses.
    """

    model: InfluenceModel
    nfp: str | None = None
    kind: Literal["log", "json", "text"] = "text"
    used: frozenset[str] = frozenset()


def read_model(
    path: str | Path,
    variability_model: VariabilityModel | None = None,
    *,
    parameters: Mapping[str, float] | Parameters | None = None,
) -> InfluenceModel:
    """Read a performance-influence model. See `read_stored_model`."""
    return read_stored_model(path, variability_model, parameters=parameters).model


def read_stored_model(
    path: str | Path,
    variability_model: VariabilityModel | None = None,
    *,
    parameters: Mapping[str, float] | Parameters | None = None,
    round: WhichRound = "last",
    learning: int | None = None,
    symbols: Collection[str] = (),
) -> StoredModel:
    """Read a performance-influence model and the property it is about; what the file is, its content says.

    Args:
        path: the file, also compressed (`.gz`); `-` is standard input.
        variability_model: the system that the model is about. With it names are checked, SPL Conqueror's spelling of
            them is understood, and options that are always selected become the constant.
        parameters: machine parameters of an analytical model: name → value, or what `read_parameters` returns.
        round: which round of a log: 'last', 'best' or a number, see `splc.formats.models.log_reader`.
        learning: 1, 2, … where a log holds several learnings; None is the last.
        symbols: parameters that are to stay names in the terms of model text.

    Raises:
        InputError: if it cannot be read, with file, line and column as far as they are known.
    """
    models = parse_stored_models(
        read_source(path), variability_model, parameters=parameters, round=round, learning=learning, symbols=symbols
    )
    return models[0]


def parse_stored_models(
    source: Source,
    variability_model: VariabilityModel | None = None,
    *,
    parameters: Mapping[str, float] | Parameters | None = None,
    round: WhichRound = "last",
    learning: int | None = None,
    symbols: Collection[str] = (),
) -> list[StoredModel]:
    """Return the models that a file holds: one, or with `learning` 0 one for each learning of a log.

    See `read_stored_model` for all else.
    """
    if source.data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        from splc.formats.models.json import parse_stored_json

        return [StoredModel(*parse_stored_json(source, variability_model), kind="json")]
    if not source.data.strip():
        raise InputError(Problem("the file is empty", source.name))
    if is_log(source):
        from splc.formats.models.log_reader import number_of_learnings, parse_stored_log

        # Without any learning, it is the reader that says what is missing.
        numbers = range(1, max(1, number_of_learnings(source)) + 1) if learning == 0 else [learning]
        return [StoredModel(*parse_stored_log(source, variability_model, round, n), kind="log") for n in numbers]
    kind = kind_of(source)
    if kind != "model":
        what = {"system": "a system description", "measurements": "a table of measurements"}.get(kind or "", "XML")
        hint = "a model is a log that splc or SPL Conqueror wrote, a JSON file of splc, or model text"
        raise InputError(Problem(f"this is {what}, not a model", source.name, hint=hint))
    from splc.formats.models.text import parse_stored_text

    model, used = parse_stored_text(source, variability_model, parameters, symbols)
    return [StoredModel(model, used=used)]


def write_model(model: InfluenceModel, path: str | Path, base: str = ROOT) -> None:
    """Write a model without a history in the format that the file's name asks for.

    Args:
        model: the model.
        path: `.json` is JSON, `.log` a log in SPL Conqueror's grammar, anything else model text (each also with
            `.gz`); `-` is model text on standard output.
        base: the option that stands for the constant in a log.

    Raises:
        OutputError: if the file cannot be written, or the format cannot say the model.
    """
    suffix = Path(str(path).removesuffix(".gz")).suffix.lower()
    if model.parameters:
        names = listed([parameter.name for parameter in model.parameters])
        hint = "put numbers in their place first (splc.models.binding.bound)"
        raise OutputError(Problem(f"the parameters of the model ({names}) are no numbers", str(path), hint=hint))
    if suffix in (".json", ".log"):
        require_plain(model, path)
    if suffix == ".json":
        from splc.formats.models.json import model_json_text

        content = model_json_text(model)
    elif suffix == ".log":
        from splc.formats.models.log_writer import model_log_text

        content = model_log_text(model, base)
    else:
        from splc.formats.models.text import model_text_file

        content = model_text_file(model)
    write_whole(path, content)


def require_plain(model: InfluenceModel, path: str | Path) -> None:
    """Refuse a model that only model text can say.

    Raises:
        OutputError: if it has subexpressions that are no sum of terms.
    """
    if model.subexpressions:
        names = listed([each.name for each in model.subexpressions])
        hint = "only model text (.txt) can say it"
        raise OutputError(Problem(f"the model is no sum of terms: {names}", str(path), hint=hint))
