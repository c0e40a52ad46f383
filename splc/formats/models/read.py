"""Reading and writing models; content tells the format of a file, the suffix that of an output."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from splc.errors import ExpressionError, InputError, LearningError, OutputError, Problem, Problems, SplcError, listed
from splc.formats import detect
from splc.formats.models.json import json_object, log_hash_of, parse_stored_json
from splc.formats.models.log_reader import WhichRound, parse_stored_log
from splc.formats.models.log_writer import COMMAND, COMPANION, NFP
from splc.formats.models.stored_model import ModelFile, StoredModel, Subject, companion_of
from splc.formats.models.text import parse_stored_text, with_link
from splc.io.files import STANDARD, Source, read_source, write_whole
from splc.io.json import declared
from splc.learning.given_terms import GivenTerms, parse_term
from splc.learning.result import LearnedTerm
from splc.models.influence import InfluenceModel
from splc.models.parameters import Parameters
from splc.system.variability import ROOT, VariabilityModel

# The lines of logs, and the heading of exported models (`splc.formats.models.stored_model`).
_SYSTEM = re.compile(rf"^{COMMAND}system: (.+)$", re.MULTILINE)
_PROPERTY = re.compile(rf"^{NFP}(.+)$|model of (.+?) of .+, by splc ", re.MULTILINE)


def subject_of(source: Source) -> Subject:
    """Return what the last model of a file is about; of other and damaged files nothing is known."""
    if not (content := json_object(source)):
        text = source.data.decode("utf-8", errors="replace")
        systems = _SYSTEM.findall(text)
        properties = [quoted_name or two for quoted_name, two in _PROPERTY.findall(text)]
        return Subject(systems[-1] if systems else None, properties[-1] if properties else None)
    # A program has no provenance.
    system = declared(dict, content.get("provenance"), content).get("system")
    nfp = content.get("nfp", content.get("property"))
    if system is None and ("callpath" in content or "models" in content):
        with suppress(KeyError, TypeError):
            return Subject.of_profile(content["files"]["measurements"]["path"], nfp)
    return Subject(declared(str, system), declared(str, nfp))


def parse_term_list(source: Source, system: VariabilityModel) -> GivenTerms:
    """Return the learner that fits the influences of the terms of a file, in the log grammar; `#` begins a comment."""
    problems, terms = Problems(source.name), list[LearnedTerm]()
    lines = enumerate((raw.partition("#")[0].strip() for raw in source.text().splitlines()), 1)
    for number, line in ((number, line) for number, line in lines if line):
        try:
            terms.append(parse_term(line, system))
            GivenTerms(tuple(terms))
        except ExpressionError as error:
            problems.include(error, number)
        except LearningError as error:
            hint = "options that are always selected are left out of a term"
            problems.add(error.problems[0].message, number, text=line, hint=hint)
            terms.pop()
    problems.raise_if_any(InputError)
    if not terms:
        raise InputError(Problem("there are no terms", source.name, hint="give one term per line: 'x * y'"))
    return GivenTerms(tuple(terms))


@dataclass(frozen=True)
class ReadOptions:
    """Options of the reader of models."""

    parameters: Mapping[str, float] | Parameters | None = None  # the machine parameters of model text
    round: WhichRound = "last"  # which round of a log: 'last', 'best' or a number
    learning: int | None = None  # which learning of a log: 1, 2, …; None is the last, 0 all
    symbols: Collection[str] = ()  # the parameters that stay names in the terms of model text
    full: bool = False  # whether the model of a log has the full model of the JSON file that was written with it


def read_json(source: Source, system: VariabilityModel | None, _: ReadOptions) -> list[StoredModel]:
    """Read the model of a JSON file."""
    return [parse_stored_json(source, system)]


def read_log(source: Source, system: VariabilityModel | None, options: ReadOptions) -> list[StoredModel]:
    """Read the models of a log."""
    return parse_stored_log(source, system, options.round, options.learning)


def read_text(source: Source, system: VariabilityModel | None, options: ReadOptions) -> list[StoredModel]:
    """Read the model of a model text."""
    model, used_parameters = parse_stored_text(source, system, options.parameters, options.symbols)
    return [StoredModel(with_link(model), used=used_parameters)]


def read_model(
    path: str | Path,
    system: VariabilityModel | None = None,
    *,
    parameters: Mapping[str, float] | Parameters | None = None,
) -> InfluenceModel:
    """Read a performance-influence model. The format (log, JSON or model text) is detected from the content.

    Args:
        path: the file, also compressed (`.gz`); `-` is standard input.
        system: the system. With it names are checked, SPL Conqueror's spelling of names is accepted, and
            options that are always selected become the constant.
        parameters: the machine parameters of an analytical model, name → value, or the result of `read_parameters`.

    Returns:
        The model; `model.predict(configurations)` has shape (n,) and the unit of the learned property. Of a log, it is
        the model of the last round.

    Raises:
        InputError: if the file cannot be read, with file, line and column as far as they are known.
        ExpressionError: if model text contains unknown names or is not a model.

    Examples:
        >>> smg2000 = splc.read_variability_model("system.xml")
        >>> len(splc.read_model("analytical.txt", smg2000, parameters={"alpha": 1, "beta": 1, "f": 1}).terms)
        10
    """
    return read_stored_model(path, system, parameters=parameters).model


def read_stored_model(path: str | Path, system: VariabilityModel | None = None, **options: Any) -> StoredModel:
    """Read a model with all that its file states; `options`: those of `ReadOptions`, else as `read_model`."""
    return parse_stored_models(read_source(path), system, ReadOptions(**options))[0]


def read_stored_models(
    paths: Sequence[str], system: VariabilityModel | None = None, **options: Any
) -> list[StoredModel]:
    """Read the models of several files, each with its file, hash and a distinct name, as `read_stored_model`."""
    stored_models, names, problems = list[StoredModel](), Counter[str](), Problems()
    for path in paths:
        try:
            source = read_source(path)
            models = parse_stored_models(source, system, ReadOptions(**options))
        except SplcError as error:
            problems.include(error)
            continue
        title = "standard input" if path == STANDARD else path
        for number, model in enumerate(models, 1):
            name = title if len(models) == 1 else f"{title} ({number})"
            names[name] += 1
            name += f" [{names[name]}]" if names[name] > 1 else ""
            stored_models.append(replace(model, name=name, file=path, sha256=source.sha256))
    problems.raise_if_any()
    return stored_models


def parse_stored_models(source: Source, system: VariabilityModel | None, options: ReadOptions) -> list[StoredModel]:
    """Return the models that a file holds: one, or with `learning` 0 one for each learning of a log."""
    if not source.data.strip():
        raise InputError(Problem("the file is empty", source.name))
    if (form := detect.format_of("model", source)) is None:
        kinds = {"system": "a system description", "measurements": "a table of measurements", "script": "a script"}
        hint = "a model is a log that splc or SPL Conqueror wrote, a JSON file of splc, or model text"
        message = f"this is {kinds.get(detect.kind_of(source) or '', 'XML')}, not a model"
        raise InputError(Problem(message, source.name, hint=hint))
    companion, unused = _read_companion(source, system) if options.full and form.name == "log" else (None, "")
    system = companion.system if system is None and companion is not None else system
    models: list[StoredModel] = form.read(source, system, options)
    if len(models) > 1:
        return models
    if companion is None:
        return [replace(models[0], unused=unused)]
    facts = {name: getattr(models[0], name) for name in ("model", "nfp", "kind", "notes", "columns")}
    return [replace(companion, **facts)]


def _read_companion(source: Source, system: VariabilityModel | None) -> tuple[StoredModel | None, str]:
    """Return the model of the JSON file that was written with a log, or None and why an expected one is not there."""
    lines = source.data.decode("utf-8", errors="replace").splitlines()
    stated_names = [line.removeprefix(COMPANION).strip() for line in lines if line.startswith(COMPANION)]
    # Files that were moved together may have other names than the log states; it may be the file that a link leads to.
    # A log cannot refer to a file in another folder.
    logs = dict.fromkeys((source.name, str(Path(source.name).resolve())))
    names = [Path(name).name for name in stated_names if Path(name).name]
    beside_log = [str(Path(log).with_name(name)) for log in logs for name in names]
    printed, problems = ": predictions are those of the printed model", list[str]()
    files = dict.fromkeys([*map(companion_of, logs), *beside_log])
    for file in (each for each in files if Path(each).is_file()):
        try:
            companion = read_source(file)
            if (expected := log_hash_of(companion)) == source.sha256:
                return replace(parse_stored_json(companion, system), companion=file), ""
            if expected is not None or Path(file).name in stated_names:
                problems.append(f"{file} was written with another log, so that its full model is not used{printed}")
        except SplcError as error:
            problems.append(f"the full model cannot be read, the printed one predicts: {error}")
    absent = [f"{name}, which was written with {source.name}, is not beside it{printed}" for name in stated_names[-1:]]
    return None, [*problems, *absent, ""][0]


def learned_content(stored: StoredModel, file: str) -> Mapping[str, Any]:
    """Return the keys of the JSON file of a model; of a log, of the one that was written with it."""
    source = stored.companion if stored.kind == "log" else file
    if source not in (None, STANDARD) and stored.kind != "text" and Path(source).is_file():
        with suppress(SplcError):
            return json_object(read_source(source))
    return {}


def write_stored_model(stored: StoredModel, path: str | Path, form: str, base: str = ROOT) -> None:
    """Write a model in the format with this name, with all that is known of it and that the format can hold."""
    if stored.model.parameters:
        names = listed([parameter.name for parameter in stored.model.parameters])
        hint = "replace them by numbers first (splc.models.text.reader.bound)"
        raise OutputError(Problem(f"the model has parameters ({names}) instead of numbers", str(path), hint=hint))
    try:
        content: str = detect.format_named("model", form).write(ModelFile([stored], base=base))
    except SplcError as error:
        raise error.at(None if str(path) == "-" else path) from None
    write_whole(path, content)
