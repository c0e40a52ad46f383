"""Reading and writing models, and machine parameters in TOML, whose keys are in docs/reference/configuration.md."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from splc.errors import ExpressionError, InputError, Problem, Problems, SplcError, listed, nearest
from splc.formats import detect
from splc.formats.models.json import json_object, log_hash_of, parse_stored_json
from splc.formats.models.log_writer import COMMAND, COMPANION, NFP
from splc.formats.models.stored_model import ModelFile, ReadOptions, StoredModel, Subject, companion_of
from splc.formats.models.text import parse_stored_text, with_link
from splc.io.files import STANDARD, Source, read_source, write_whole
from splc.io.json import declared
from splc.io.numbers import number_text
from splc.io.toml import finite_number, parse_toml, toml_key, toml_value
from splc.learning.given_forms import GivenTerms, parse_term
from splc.learning.result import LearnedTerm
from splc.models.influence import InfluenceModel
from splc.models.parameters import Parameters, ParameterTable, Quantity, wrong_name
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
            return Subject(f"the profile {content['files']['measurements']['path']}", nfp)
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
        except SplcError as error:
            hint = "options that are always selected are left out of a term"
            problems.add(error.problems[0].message, number, text=line, hint=hint)
            terms.pop()
    problems.raise_if_any(InputError)
    if not terms:
        raise InputError(Problem("there are no terms", source.name, hint="give one term per line: 'x * y'"))
    return GivenTerms(tuple(terms))


def read_json(source: Source, system: VariabilityModel | None, _: ReadOptions) -> list[StoredModel]:
    """Read the model of a JSON file."""
    return [parse_stored_json(source, system)]


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
        hint = "a model is a log of splc or SPL Conqueror, a JSON file of splc, or model text; splc learn writes one"
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
    """Write a model without parameters in the format with this name, with all that the format can hold of it."""
    try:
        content: str = detect.format_named("model", form).write(ModelFile([stored], base=base))
    except SplcError as error:
        raise error.at(None if str(path) == "-" else path) from None
    write_whole(path, content)


_NUMBER = re.compile(r"[+-]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?")
_WANTED = "write a number, an expression in quotes, or a table"
QUANTITY_KEYS = ("value", "low", "high", "level", "determined")


def read_parameters(path: str | Path) -> Parameters:
    """Read machine parameters, also compressed (`.gz`)."""
    return parse_parameters(read_source(path))


def parse_parameters(source: Source) -> Parameters:
    """Return the machine parameters of a file."""
    problems = Problems(source.name)
    content, lines = parse_toml(source)
    quantities, expressions = dict[str, Quantity | ParameterTable](), dict[str, str]()
    for name, value in content.items():
        line = lines.get(name)
        problem, hint = wrong_name(name)
        if problem:
            problems.add(problem, line, hint=hint)
        elif isinstance(value, str) and value.strip():
            expressions[name] = value
        elif isinstance(value, dict):
            if table := _table(name, value, lines, problems):
                quantities[name] = table
        elif (number := finite_number(value)) is not None:
            quantities[name] = Quantity.exactly(number)
        else:
            problems.add(f"the parameter {name!r} must be a finite number", line, text=toml_value(value), hint=_WANTED)
    problems.raise_if_any(InputError)
    return Parameters(quantities, expressions, source.name, lines)


def _table(
    name: str, content: Mapping[str, Any], lines: Mapping[str, int], problems: Problems
) -> Quantity | ParameterTable | None:
    """Return a TOML table as a quantity or a table, None if it is wrong."""
    line = lines.get(name)
    if "by" not in content:
        if {"value"} <= content.keys() <= {*QUANTITY_KEYS}:
            return _quantity(name, content, line, problems)
        hint = 'a table has by = "…", the expression of its rows; an interval has value, low, high and perhaps level'
        if content.keys().isdisjoint(QUANTITY_KEYS):
            hint += f"; single parameters stand without the heading [{name}]"
        problems.add(f"the parameter {name!r} is neither a table nor a number with an interval", line, hint=hint)
        return None
    row_expression = content["by"]
    if not isinstance(row_expression, str) or not row_expression.strip():
        problems.add(f"{name}.by must be an expression of the options, in quotes", lines.get(f"{name}.by", line))
        return None
    rows, problem_count = dict[float, Quantity](), len(problems)
    for key, value in ((key, value) for key, value in content.items() if key != "by"):
        at = lines.get(f"{name}.{key}", line)
        row_key = finite_number(float(key)) if _NUMBER.fullmatch(key) else None
        if isinstance(value, dict) and value and all(part.isdigit() for part in (key, *value)):
            number = f"{key}.{next(iter(value))}"
            message = f"{name}.{number}: TOML takes a point in a key for nesting"
            problems.add(message, lines.get(f"{name}.{number}", at), hint=f'put the number in quotes: "{number}" = …')
        elif row_key is None:
            problems.add(f"{name}.{key}: a row of a table begins with a number", at, hint='write 4 = 1.2e-6, "2.5" = …')
        elif row_key in rows:
            problems.add(f"{name}.{key}: the table has two rows for {row_key:g}", at)
        else:
            stated = value if isinstance(value, dict) else {"value": value}
            if quantity := _quantity(f"{name}.{key}", stated, at, problems):
                rows[row_key] = quantity
    if not rows and len(problems) == problem_count:
        problems.add(f"the table {name!r} has no rows", line, hint="write one number per value: 4 = 1.2e-6")
    return ParameterTable(row_expression, tuple(sorted(rows.items()))) if rows else None


def _quantity(name: str, content: Mapping[str, Any], line: int | None, problems: Problems) -> Quantity | None:
    """Return a number with its interval, None if it is wrong."""
    value = finite_number(content.get("value"))
    # A missing bound is equal to the value.
    low, high = (finite_number(content[key]) if key in content else value for key in ("low", "high"))
    level, determined = finite_number(content.get("level")), content.get("determined", True)
    bounds, unknown = {"low", "high"} & set(content), sorted(set(content) - set(QUANTITY_KEYS))
    hint: str | None = "or { value = …, low = …, high = … }"
    wrong_key = ""
    if value is None or low is None or high is None:
        wrong_key = "value" if value is None else "low" if low is None else "high"
        key_path = f"{name}.{wrong_key}" if {*content} - {"value"} else name
        message = f"{key_path} must be a finite number"
    elif unknown:
        message = f"{name} has {listed(unknown)}, which a number cannot have"
        hint = nearest(unknown[0], QUANTITY_KEYS) or hint
    elif not low <= value <= high:
        message, hint = f"{name}: {value:g} does not lie between low = {low:g} and high = {high:g}", None
    elif "level" in content and (level is None or not 0 < level < 1 or not bounds):
        wrong_key, message = "level", f"the level of {name} must be a number between 0 and 1, beside low or high"
        hint = "it is the level of the interval from low to high, such as 0.95"
    elif not isinstance(determined, bool) or (bounds and not determined):
        wrong_key = "determined"
        message = f"determined of {name} must be true, or false for a number without an interval"
        hint = "false marks a number that measurements do not determine"
    else:
        return Quantity(value, low, high, level, determined)
    problems.add(message, line, text=(toml_value(content[wrong_key]) if wrong_key in content else None), hint=hint)
    return None


def parameters_text(parameters: Parameters, heading: str = "") -> str:
    """Return parameters as TOML."""
    printable_lines = ("".join(c if c.isprintable() else " " for c in line) for line in heading.splitlines())
    lines = [f"# {line}".rstrip() for line in printable_lines]
    lines += [f"{toml_key(name)} = {toml_value(expression)}" for name, expression in parameters.expressions.items()]
    for name, quantity in sorted(parameters.quantities.items(), key=lambda item: isinstance(item[1], ParameterTable)):
        if isinstance(quantity, Quantity):
            lines.append(f"{toml_key(name)} = {_value(quantity)}")
        else:
            lines += ["", f"[{toml_key(name)}]", f"by = {toml_value(quantity.by)}"]
            lines += [f"{toml_key(number_text(key))} = {_value(value)}" for key, value in quantity.rows]
    return "\n".join(lines) + "\n"


def write_parameters(parameters: Parameters, path: str | Path, heading: str = "") -> None:
    """Write parameters as TOML, whole or not at all; `-` is standard output."""
    write_whole(path, parameters_text(parameters, heading))


def _value(quantity: Quantity) -> str:
    if not quantity.determined:
        return f"{{ value = {quantity.value!r}, determined = false }}"
    if quantity.is_exact and quantity.level is None:
        return repr(quantity.value)
    level = "" if quantity.level is None else f", level = {quantity.level!r}"
    return f"{{ value = {quantity.value!r}, low = {quantity.low!r}, high = {quantity.high!r}{level} }}"
